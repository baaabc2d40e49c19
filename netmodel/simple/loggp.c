/* The network of the LogGP model (Alexandrov, Ionescu, Schauser and Scheiman, "LogGP: Incorporating
 * long messages into the LogP model", SPAA 1995) with the extensions of LogGOPS (Hoefler, Schneider
 * and Lumsdaine, "LogGOPSim: simulating large-scale applications in the LogGOPS model", HPDC 2010).
 *
 * A message that is injected at time t is delivered at t + o + L, when its first byte reaches the
 * receiver. There is no congestion. The costs of processors and network interfaces (o, g, G and O)
 * depend on what a host computes at that time, which a network does not know: the model publishes
 * its parameters, and replay/engine/processor.c charges them. Its time is in ps; results are also
 * given in cycles of 1 ns.
 *
 * All messages take equally long, so those injected in the order of time arrive in that order and
 * wait in a ring buffer. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "netmodel/kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct flight {
    uint64_t id, time_ps, bytes;
    uint32_t source, endpoint;
} flight;

typedef struct loggp {
    vef_netmodel base;
    vef_net_loggops loggops;
    uint64_t now_ps, delay_ps;
    flight *ring; /* a power of two */
    size_t first, count, room;
    vef_net_delivery *handed; /* the deliveries of the last advance */
    size_t handed_room;
    vef_net_counts delivered; /* since the figures began at */
    uint64_t since_ps;
} loggp;

typedef struct loggp_parameters {
    const char *model;
    double latency, overhead, gap, gap_per_byte, overhead_per_byte;
    uint64_t rendezvous_bytes;
} loggp_parameters;

/* The greatest time of one message, so that sums of them cannot overflow: 2^42 ns, over an hour. */
#define MOST_NS 4398046511104.0

static const vef_param loggp_schema[] = {
    {VEF_KEY(STRING, loggp_parameters, model), .fallback = "loggp",
     .help = "the kind of network model"},
    {VEF_KEY(TIME, loggp_parameters, latency), .fallback = "2500 ns", .maximum = MOST_NS,
     .aliases = "L delay", .help = "L: time of a byte from network interface to network interface"},
    {VEF_KEY(TIME, loggp_parameters, overhead), .fallback = "1500 ns", .maximum = MOST_NS,
     .aliases = "o send_overhead receive_overhead",
     .help = "o: processor time of each send and of each arrival"},
    {VEF_KEY(TIME, loggp_parameters, gap), .fallback = "1000 ns", .maximum = MOST_NS,
     .aliases = "g", .help = "g: least time between two sends, or two arrivals, of an interface"},
    {VEF_KEY(TIME, loggp_parameters, gap_per_byte), .fallback = "6 ns", .maximum = 1e6,
     .aliases = "G bandwidth byte_time",
     .help = "G: interface time of each byte after the first, in whole ps: 0.08 ns is 100 Gbit/s"},
    {VEF_KEY(TIME, loggp_parameters, overhead_per_byte), .fallback = "0 ns", .maximum = 1e6,
     .aliases = "O", .help = "O: processor time of each byte after the first, in whole ps"},
    {VEF_KEY(BYTES, loggp_parameters, rendezvous_bytes), .fallback = "65535 B",
     .aliases = "S rendezvous eager_threshold eager_limit",
     .help = "S: larger messages use a rendezvous: their send ends when the receive matches"},
    VEF_OTHER_SECTIONS,
    {.key = NULL},
};

static void describe(FILE *out) {
    vef_config_describe(out, 0, loggp_schema);
}

/* A time in whole ps. */
static vef_code whole(const vef_node *root, const char *key, double ns, uint64_t *ps,
                      vef_error *error) {
    const double exact = 1000 * ns;
    *ps = (uint64_t)llround(exact);
    if (fabs(exact - (double)*ps) <= 1e-6 * (exact > 1 ? exact : 1))
        return VEF_OK;
    return vef_node_fail(vef_node_get(root, key), error,
                         "%s: %g ns is not a whole number of ps: expected one", key, ns);
}

/* Whether a value of another section costs nothing: "0", "0 ns", "0 B" or a word. */
static bool is_free(const vef_node *value) {
    if (!value || vef_node_is_null(value))
        return true;
    return value->kind == VEF_NODE_SCALAR && strpbrk(value->scalar, "123456789") == NULL;
}

/* The costs of messages in other sections, which the model replaces. */
static vef_code refuse_other_costs(const vef_node *root, vef_error *error) {
    static const char *const keys[][2] = {
        {"host", "send_overhead"}, {"host", "isend_overhead"}, {"host", "receive_overhead"},
        {"host", "send_copy"},     {"host", "receive_copy"},   {"host", "match_cost"},
        {"host", "memory_time"},   {"host", "memory_gap"},     {"host", "local_copy"},
        {"host", "gap"},           {"mpi", "eager_buffer"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const vef_node *value = vef_node_get(vef_node_get(root, keys[i][0]), keys[i][1]);
        if (!is_free(value))
            return vef_node_fail(value, error,
                                 "%s.%s: not supported with model loggp, whose own keys are the "
                                 "costs of messages: expected 0",
                                 keys[i][0], keys[i][1]);
    }
    return VEF_OK;
}

static vef_code read_parameters(const vef_node *root, vef_net_loggops *loggops, vef_error *error) {
    vef_arena scratch = {0};
    loggp_parameters given;
    vef_code code =
        vef_config_read(root, "LogGP network", loggp_schema, NULL, &given, &scratch, error);
    vef_arena_release(&scratch);
    if (code == VEF_OK)
        code = whole(root, "latency", given.latency, &loggops->latency_ps, error);
    if (code == VEF_OK)
        code = whole(root, "overhead", given.overhead, &loggops->overhead_ps, error);
    if (code == VEF_OK)
        code = whole(root, "gap", given.gap, &loggops->gap_ps, error);
    if (code == VEF_OK)
        code = whole(root, "gap_per_byte", given.gap_per_byte, &loggops->gap_per_byte_ps, error);
    if (code == VEF_OK)
        code = whole(root, "overhead_per_byte", given.overhead_per_byte,
                     &loggops->overhead_per_byte_ps, error);
    loggops->eager_bytes = given.rendezvous_bytes;
    return code == VEF_OK ? refuse_other_costs(root, error) : code;
}

static vef_code create(const vef_node *root, vef_netmodel **made, vef_error *error) {
    vef_net_loggops loggops = {0};
    vef_code code = read_parameters(root, &loggops, error);
    if (code != VEF_OK)
        return code;
    loggp *model = vef_calloc(1, sizeof *model);
    model->loggops = loggops;
    model->delay_ps = loggops.overhead_ps + loggops.latency_ps;
    model->base.kind = &vef_netmodel_loggp;
    model->base.loggops = &model->loggops;
    model->base.endpoints = UINT32_MAX;
    model->base.exact = true;
    model->base.bandwidth_bits_per_s = UINT64_C(8000000000); /* with phits of 1 B: cycles of 1 ns */
    model->base.phit_bytes = 1;
    model->base.timing.cycle_ns = vef_netmodel_cycle_ns(&model->base);
    *made = &model->base;
    return VEF_OK;
}

static void destroy(vef_netmodel *base) {
    loggp *model = (loggp *)base;
    free(model->ring);
    free(model->handed);
    free(model);
}

static void grow_ring(loggp *model) {
    const size_t room = model->room ? 2 * model->room : 64;
    flight *ring = vef_malloc(room * sizeof *ring);
    for (size_t i = 0; i < model->count; i++)
        ring[i] = model->ring[(model->first + i) & (model->room - 1)];
    free(model->ring);
    model->ring = ring;
    model->room = room;
    model->first = 0;
}

static vef_code inject(vef_netmodel *base, const vef_net_message *message, vef_error *error) {
    loggp *model = (loggp *)base;
    const uint64_t due = message->time_cycles + model->delay_ps;
    if (message->time_cycles < model->now_ps)
        return vef_fail(
            error, VEF_INVALID,
            "a message for cycle %llu: out of range: the network has reached cycle %llu",
            (unsigned long long)message->time_cycles, (unsigned long long)model->now_ps);
    if (model->count == model->room)
        grow_ring(model);
    const size_t mask = model->room - 1;
    size_t place = model->count++;
    /* Almost always the last one; a source may also inject for later times. */
    for (; place > 0 && model->ring[(model->first + place - 1) & mask].time_ps > due; place--)
        model->ring[(model->first + place) & mask] = model->ring[(model->first + place - 1) & mask];
    model->ring[(model->first + place) & mask] =
        (flight){message->id, due, message->bytes, message->source, message->destination};
    return VEF_OK;
}

static vef_code advance(vef_netmodel *base, uint64_t limit_ps, const vef_net_delivery **deliveries,
                        size_t *count, vef_error *error) {
    (void)error;
    loggp *model = (loggp *)base;
    *count = 0;
    *deliveries = model->handed;
    if (model->count == 0 || model->ring[model->first].time_ps > limit_ps) {
        if (limit_ps != VEF_FOREVER && limit_ps > model->now_ps)
            model->now_ps = limit_ps;
        return VEF_OK;
    }
    const uint64_t time_ps = model->ring[model->first].time_ps;
    size_t due = 0;
    while (model->count > 0 && model->ring[model->first].time_ps == time_ps) {
        const flight *next = &model->ring[model->first];
        *VEF_NEW_ITEM(model->handed, due, model->handed_room) =
            (vef_net_delivery){.id = next->id,
                               .time_cycles = time_ps,
                               .endpoint = next->endpoint,
                               .path_cycles = (uint32_t)((model->delay_ps + 999) / 1000),
                               .source = next->source,
                               .bytes = next->bytes};
        const uint64_t most = UINT32_MAX, phits = next->bytes ? next->bytes : 1;
        model->delivered.phits += phits < most ? phits : most;
        model->first = (model->first + 1) & (model->room - 1);
        model->count--;
    }
    model->delivered.messages += due;
    model->delivered.packets += due;
    model->delivered.latency_cycles += due * model->delay_ps / 1000;
    model->now_ps = time_ps;
    *deliveries = model->handed;
    *count = due;
    return VEF_OK;
}

static uint64_t now(const vef_netmodel *base) {
    return ((const loggp *)base)->now_ps;
}

static void counts(const vef_netmodel *base, vef_net_counts *out) {
    *out = ((const loggp *)base)->delivered;
}

static void begin_figures(vef_netmodel *base) {
    loggp *model = (loggp *)base;
    model->since_ps = model->now_ps;
    model->delivered = (vef_net_counts){0};
}

static void statistics(const vef_netmodel *base, vef_net_statistics *out) {
    const loggp *model = (const loggp *)base;
    const double latency = model->delivered.messages ? (double)model->delay_ps / 1000 : 0;
    *out = (vef_net_statistics){
        .since_cycles = model->since_ps,
        .messages = model->delivered.messages,
        .packets = model->delivered.packets,
        .phits = model->delivered.phits,
        .latency_mean_cycles = latency,
        .latency_median_cycles = latency,
        .latency_p99_cycles = latency,
        .latency_p999_cycles = latency,
        .message_latency_mean_cycles = latency,
        .message_latency_median_cycles = latency,
        .message_latency_p99_cycles = latency,
        .message_latency_p999_cycles = latency,
        .memory_bytes = sizeof *model + model->room * sizeof(flight) +
                        model->handed_room * sizeof(vef_net_delivery),
    };
}

static void put_config(const vef_netmodel *base, vef_node *into) {
    const vef_net_loggops *loggops = base->loggops;
    const loggp_parameters given = {
        "loggp",
        (double)loggops->latency_ps / 1000,
        (double)loggops->overhead_ps / 1000,
        (double)loggops->gap_ps / 1000,
        (double)loggops->gap_per_byte_ps / 1000,
        (double)loggops->overhead_per_byte_ps / 1000,
        loggops->eager_bytes,
    };
    vef_config_put_schema(into, loggp_schema, &given);
}

const vef_netmodel_kind vef_netmodel_loggp = {
    .name = "loggp",
    .aliases = "logp loggops loggopsim latency-bandwidth",
    .summary = "LogGOPS: latency, overheads and gaps of messages, without congestion",
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .inject = inject,
    .advance = advance,
    .now = now,
    .statistics = statistics,
    .counts = counts,
    .begin_figures = begin_figures,
    .put_config = put_config,
};
