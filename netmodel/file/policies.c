/* The tables of policies, and the section `congestion` of a network file. See policies.h. */
#include "netmodel/file/policies.h"

#include "common/unknown.h"

#include <string.h>

/* ---- rows of schemas ---- */

static const char *const orders[] = {
    [VEF_SEND_AS_INJECTED] = "injection", [VEF_SEND_IN_TURNS] = "turns", NULL};

/* clang-format off */
#define VEF_WINDOW_ROWS(text)                                                                      \
    {VEF_KEY(COUNT, vef_congestion_parameters, window_packets), .fallback = "8", .minimum = 1,     \
     .maximum = UINT16_MAX, .aliases = "packets size", .help = text},                              \
    {VEF_KEY_AS("window", BYTES, vef_congestion_parameters, window_bytes), .minimum = 1,           \
     .maximum = 1e15, .instead_of = "window_packets", .aliases = "window_bytes",                   \
     .help = "the same as a size, rounded down to whole packets with the largest payload"},        \
    {VEF_KEY(COUNT, vef_congestion_parameters, reorder_packets), .fallback = "any", .word = "any", \
     .minimum = 1, .maximum = UINT16_MAX, .aliases = "reordering reorder_buffer reorder_window",   \
     .help = "room of a destination for packets that overtook others: the source sends none so "   \
             "many behind the first that is not known to have arrived; any: no limit"},            \
    {VEF_KEY(CHOICE, vef_congestion_parameters, order), .fallback = "injection",                   \
     .choices = orders,                                                                            \
     .help = "which message of a source sends next: the first that was injected, or, packet by "   \
             "packet, destinations in turn, as connections and queue pairs do"}

#define VEF_ACK_DELAY_ROWS                                                                         \
    {VEF_KEY_AS("ack_delay_cycles", COUNT, vef_congestion_parameters, ack_delay.cycles),           \
     .fallback = "auto", .word = "auto", .minimum = 1, .maximum = VEF_LONGEST_DELAY,               \
     .help = "cycles from the delivery of a packet until its source knows of it; auto: as its "    \
             "head took for the links that it crossed"},                                           \
    {VEF_KEY_AS("ack_delay", TIME, vef_congestion_parameters, ack_delay.ns),                       \
     .minimum = 1e-3, .maximum = 1e15, .instead_of = "ack_delay_cycles",                           \
     .help = "the same as a time, rounded up to whole cycles"}
/* clang-format on */

static const vef_param throttle_schema[] = {
    {VEF_KEY(REAL, vef_congestion_parameters, queue_share), .fallback = "0.25", .maximum = 1,
     .aliases = "share threshold",
     .help = "share of the places at the other ends of a router's links: while more are taken, its "
             "endpoints inject nothing"},
    {.key = NULL},
};

static const vef_param window_schema[] = {
    VEF_WINDOW_ROWS("packets from a source to a destination that may be on their way at once"),
    VEF_ACK_DELAY_ROWS,
    {.key = NULL},
};

static const vef_param ecn_schema[] = {
    {VEF_KEY(REAL, vef_congestion_parameters, queue_share), .fallback = "0.5", .maximum = 1,
     .aliases = "share threshold mark_share",
     .help = "a packet is marked when it enters the queue of a link of whose places more than this "
             "share are then taken"},
    VEF_WINDOW_ROWS("window of a source for a destination at first and at most"),
    {VEF_KEY(REAL, vef_congestion_parameters, least_window_packets), .fallback = "0.01",
     .minimum = 1e-6, .maximum = UINT16_MAX, .aliases = "least_window minimum",
     .help = "least window in packets; below 1: the source waits between packets"},
    {VEF_KEY(REAL, vef_congestion_parameters, decrease), .fallback = "0.5", .maximum = 1,
     .aliases = "factor beta",
     .help = "factor of the window when a marked packet has arrived, once per round trip"},
    {VEF_KEY(REAL, vef_congestion_parameters, increase_packets), .fallback = "0.1",
     .maximum = UINT16_MAX, .aliases = "increase alpha recovery",
     .help = "growth of the window in a round trip without marks"},
    VEF_ACK_DELAY_ROWS,
    {.key = NULL},
};

/* The defaults are those of the paper's table, for links of 40 Gbit/s. */
static const vef_param dcqcn_schema[] = {
    {VEF_KEY(REAL, vef_congestion_parameters, queue_share), .fallback = "0.025", .maximum = 1,
     .aliases = "kmin share threshold mark_share",
     .help = "share of the places of a link's queue above which the packets that enter may be "
             "marked"},
    {VEF_KEY(REAL, vef_congestion_parameters, most_share), .fallback = "1", .maximum = 1,
     .aliases = "kmax",
     .help = "share above which all are marked; from queue_share on marks rise "
             "to most_marks there"},
    {VEF_KEY(REAL, vef_congestion_parameters, most_marks), .fallback = "0.01", .maximum = 1,
     .aliases = "pmax probability", .help = "probability of a mark at most_share"},
    VEF_WINDOW_ROWS("packets from a source to a destination that may be on their way at once, "
                    "which the paper does not limit"),
    {VEF_KEY(REAL, vef_congestion_parameters, gain), .fallback = "0.00390625", .maximum = 1,
     .aliases = "g", .help = "weight of a notice in the estimate of congestion"},
    {VEF_KEY(REAL, vef_congestion_parameters, least_share), .fallback = "0.001", .minimum = 1e-6,
     .maximum = 1, .aliases = "least_rate minimum",
     .help = "least rate of a pair, as a share of that of an endpoint"},
    {VEF_KEY(REAL, vef_congestion_parameters, increase_share), .fallback = "0.001", .maximum = 1,
     .aliases = "rai additive_increase", .help = "additive increase, likewise"},
    {VEF_KEY(REAL, vef_congestion_parameters, hyper_share), .fallback = "0.01", .maximum = 1,
     .aliases = "rhai hyper_increase", .help = "hyper increase, likewise"},
    {VEF_KEY(COUNT, vef_congestion_parameters, recovery_steps), .fallback = "5", .minimum = 1,
     .maximum = UINT16_MAX, .aliases = "f fast_recovery",
     .help = "steps of fast recovery before the increase"},
    {VEF_KEY(BYTES, vef_congestion_parameters, increase_bytes), .fallback = "10 MB", .minimum = 1,
     .maximum = 1e15, .aliases = "byte_counter",
     .help = "bytes that a pair sends between two steps"},
    VEF_DELAY_ROWS(vef_congestion_parameters, increase_time, increase_time, "5500", NULL,
                   "cycles between two steps", "timer"),
    VEF_DELAY_ROWS(vef_congestion_parameters, alpha_time, alpha_time, "5500", NULL,
                   "cycles without a notice after which the estimate falls", NULL),
    VEF_DELAY_ROWS(vef_congestion_parameters, notice, notice, "5000", NULL,
                   "least cycles between two notices of marks to a pair", "cnp_interval"),
    VEF_ACK_DELAY_ROWS,
    {.key = NULL},
};

#define ROW(kind, id, name, aliases, summary, schema)                                              \
    &(const vef_policy_name){kind##_##id, name, aliases, summary, schema},

const vef_policy_name *const vef_arbiters[] = {
#define ARBITER(id, name, aliases, summary) ROW(VEF_ARBITER, id, name, aliases, summary, NULL)
#include "netmodel/file/policies.def"
    NULL,
};

const vef_policy_name *const vef_injections[] = {
#define INJECTION(id, name, aliases, summary) ROW(VEF_INJECTION, id, name, aliases, summary, NULL)
#include "netmodel/file/policies.def"
    NULL,
};

const vef_policy_name *const vef_congestion_policies[] = {
#define CONGESTION(id, name, aliases, summary)                                                     \
    ROW(VEF_CONGESTION, id, name, aliases, summary, id##_schema)
#include "netmodel/file/policies.def"
    NULL,
};

const vef_policy_name *vef_policy_find(const vef_policy_name *const *table, const char *name) {
    while (*table && strcmp((*table)->name, name) != 0)
        table++;
    return *table;
}

vef_code vef_policy_read(const vef_node *router, const char *key,
                         const vef_policy_name *const *table, const char **name,
                         const vef_policy_name **row, vef_error *error) {
    *row = vef_policy_find(table, *name);
    if (*row) {
        *name = (*row)->name;
        return VEF_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "router.%s", key);
    VEF_FAIL_UNKNOWN_ROW(error, what, *name, table);
    return vef_node_within(vef_node_get(router, key), error);
}

/* ---- the section congestion ---- */

vef_code vef_congestion_read(const vef_node *node, vef_congestion *congestion, vef_arena *arena,
                             vef_error *error) {
    static const char *const extra[] = {"policy", NULL};
    const vef_delay none = {0, VEF_NOT_GIVEN_NS};
    *congestion = (vef_congestion){.parameters = {
                                       .ack_delay = none,
                                       .notice = none,
                                       .alpha_time = none,
                                       .increase_time = none,
                                   }};
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    const vef_node *policy = vef_node_get(node, "policy");
    if (!policy || policy->kind != VEF_NODE_SCALAR)
        return vef_node_fail(policy ? policy : node, error,
                             "congestion: missing policy: expected a section such as congestion: "
                             "{policy: %s}",
                             vef_congestion_policies[0]->name);
    congestion->policy = vef_policy_find(vef_congestion_policies, policy->scalar);
    if (!congestion->policy) {
        VEF_FAIL_UNKNOWN_ROW(error, "congestion.policy", policy->scalar, vef_congestion_policies);
        return vef_node_within(policy, error);
    }
    char what[64];
    snprintf(what, sizeof what, "congestion policy %s", congestion->policy->name);
    return vef_config_read(node, what, congestion->policy->schema, extra, &congestion->parameters,
                           arena, error);
}

static vef_code resolve_window(const vef_node *node, vef_congestion_parameters *parameters,
                               uint64_t payload_bytes, vef_error *error) {
    if (parameters->window_bytes == 0)
        return VEF_OK;
    const uint64_t packets = parameters->window_bytes / payload_bytes;
    char text[3][VEF_QUANTITY_TEXT_BYTES];
    if (packets < 1 || packets > UINT16_MAX)
        return vef_node_fail(vef_node_get(node, "window"), error,
                             "congestion.window: %s is out of range: expected %s (the payload "
                             "of the largest packet) to %s",
                             vef_format_bytes(text[0], parameters->window_bytes),
                             vef_format_bytes(text[1], payload_bytes),
                             vef_format_bytes(text[2], payload_bytes * UINT16_MAX));
    parameters->window_packets = (uint32_t)packets;
    parameters->window_bytes = 0;
    return VEF_OK;
}

vef_code vef_congestion_resolve(const vef_node *node, vef_congestion *congestion, double cycle_ns,
                                uint64_t payload_bytes, vef_error *error) {
    if (resolve_window(node, &congestion->parameters, payload_bytes, error) != VEF_OK)
        return VEF_INVALID;
    vef_congestion_parameters *parameters = &congestion->parameters;
    const struct {
        vef_delay *delay;
        const char *key, *path;
    } delays[] = {{&parameters->ack_delay, "ack_delay", "congestion.ack_delay"},
                  {&parameters->increase_time, "increase_time", "congestion.increase_time"},
                  {&parameters->alpha_time, "alpha_time", "congestion.alpha_time"},
                  {&parameters->notice, "notice", "congestion.notice"}};
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        if (vef_delay_resolve(delays[i].delay, cycle_ns, delays[i].path, error) != VEF_OK)
            return vef_node_within(vef_node_get(node, delays[i].key), error);
    return VEF_OK;
}

void vef_congestion_describe(FILE *out) {
    for (size_t i = 0; vef_congestion_policies[i]; i++) {
        const vef_policy_name *policy = vef_congestion_policies[i];
        fprintf(out, "congestion: policy: %s   %s\n", policy->name, policy->summary);
        vef_config_describe(out, 2, policy->schema);
    }
}

void vef_congestion_example(FILE *out) {
    fprintf(out, "# congestion:  # default: none\n#   policy: ");
    for (size_t i = 0; vef_congestion_policies[i]; i++)
        fprintf(out, "%s%s", i ? " | " : "", vef_congestion_policies[i]->name);
    fprintf(out, "  # with parameters of its own\n");
}

void vef_congestion_put(const vef_congestion *congestion, vef_node *into) {
    if (!congestion->policy)
        return;
    vef_node *section = vef_config_section(into, "congestion");
    vef_config_put(section, "policy", congestion->policy->name);
    vef_config_put_schema(section, congestion->policy->schema, &congestion->parameters);
}
