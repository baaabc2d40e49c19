/* The section `host` of a machine's file: see host.h. */
#include "replay/host/host.h"

#include "traces/event.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const vef_param vef_host_schema[] = {
    {VEF_KEY(REAL, vef_host, compute_scale), .fallback = "1", .maximum = INFINITY,
     .aliases = "scale speed",
     .help = "scale factor of the measured computation time; 0.5: a processor twice as fast"},
    {VEF_KEY(BOOL, vef_host, outside), .fallback = "true",
     .help =
         "whether the recorded time in calls that are only counted (files, datatypes, ...) passes"},
    {VEF_KEY_AS("poll_gap", TIME, vef_host, poll_gap_ns), .fallback = "1 us",
     .help = "longest gap between tests or probes that counts as waiting"},
    {VEF_KEY(COST, vef_host, send_overhead), .fallback = "0 ns", .aliases = "overhead o",
     .help = "processor time of each send"},
    {VEF_KEY(COST, vef_host, isend_overhead), .fallback = "as-send", .word = "as-send",
     .help = "processor time of each non-blocking send"},
    {VEF_KEY(COST, vef_host, receive_overhead), .fallback = "0 ns",
     .aliases = "overhead recv_overhead o", .help = "processor time of each receive"},
    {VEF_KEY_AS("reduce_cost", REAL, vef_host, reduce_ns_per_byte), .fallback = "0",
     .maximum = INFINITY, .help = "processor time per byte that a collective reduces, in ns"},
    {VEF_KEY_AS("send_copy", REAL, vef_host, send_copy_ns_per_byte), .fallback = "0",
     .maximum = INFINITY, .help = "processor time per byte of an eager send, in ns"},
    {VEF_KEY_AS("receive_copy", REAL, vef_host, receive_copy_ns_per_byte), .fallback = "0",
     .maximum = INFINITY,
     .help = "processor time per byte of an eager message that arrived before its receive, in ns"},
    {VEF_KEY_AS("match_cost", TIME, vef_host, match_ns), .fallback = "0 ns", .maximum = INFINITY,
     .help = "processor time for each receive or message that a search for a match passes over"},
    {VEF_KEY(COST, vef_host, memory_time), .fallback = "0 ns", .aliases = "memory shared_memory",
     .help = "time of a message between tasks of one node"},
    {VEF_KEY(COST, vef_host, memory_gap), .fallback = "0 ns",
     .help = "least time between two messages of a task inside its node, either way"},
    {VEF_KEY(COST, vef_host, local_copy), .fallback = "0 ns",
     .help = "processor time of copying the task's own data in a collective"},
    {VEF_KEY(COST, vef_host, put_time), .fallback = "as-message", .word = "as-message",
     .help = "processor time of a Put whose target is on the same node"},
    {VEF_KEY(COST, vef_host, get_time), .fallback = "as-message", .word = "as-message",
     .help = "processor time of a Get whose target is on the same node"},
    {VEF_KEY(COST, vef_host, accumulate_time), .fallback = "as-message", .word = "as-message",
     .help = "processor time of an accumulating operation whose target is on the same node"},
    {VEF_KEY(COST, vef_host, flush_time), .fallback = "0 ns",
     .help = "processor time of a flush that completes such operations, by the size of the last"},
    {VEF_KEY(COST, vef_host, memory_receive_gap), .fallback = "0 ns",
     .help = "least time between two messages that a task receives from its node"},
    {VEF_KEY(COUNT, vef_host, cores), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "cores of a node: tasks that --map block, cyclic and plane place on it"},
    {VEF_KEY(COUNT, vef_host, shared_cores), .fallback = "own", .word = "own", .minimum = 1,
     .maximum = 1 << 20,
     .help = "cores on which all tasks run, as on one machine; own: a core for each task"},
    {VEF_KEY(COUNT, vef_host, nics), .fallback = "1", .minimum = 1, .maximum = 1 << 10,
     .aliases = "rails", .help = "network interfaces of a node: consecutive endpoints"},
    {VEF_KEY(CHOICE, vef_host, nic), .fallback = "own",
     .choices = VEF_LIST([VEF_NIC_OWN] = "own", [VEF_NIC_IN_TURN] = "in-turn"),
     .help = "interface of a message: that of its task, or each of the node in turn"},
    {VEF_KEY_AS("gap", TIME, vef_host, gap_ns), .fallback = "0 ns", .maximum = INFINITY,
     .aliases = "g",
     .help = "least time between two messages that an interface sends, and receives"},
    {VEF_NESTED("noise", vef_noise_schema), .offset = offsetof(vef_host, noise),
     .help = "interruptions by the operating system; see below"},
    {.key = "stragglers",
     .kind = VEF_PARAM_SECTION,
     .help = "tasks that compute slower: {3: 1.5, 8-15: 2}"},
    {.key = NULL},
};

/* ---- stragglers ---- */

/* "3" or "8-15". */
static bool read_ranks(const char *text, vef_straggler *straggler) {
    char *end;
    unsigned long long first, last;
    if (*text < '0' || *text > '9')
        return false;
    first = last = strtoull(text, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        last = strtoull(end + 1, &end, 10);
    *straggler = (vef_straggler){(uint32_t)first, (uint32_t)last, 1};
    return *end == '\0' && first <= last && last < UINT32_MAX;
}

static vef_code read_straggler(const vef_node *node, size_t place, vef_host *host,
                               vef_error *error) {
    vef_straggler *added = &host->stragglers[host->straggler_count];
    const vef_node *value = node->items[place];
    if (host->straggler_count == VEF_MOST_STRAGGLERS)
        return vef_node_fail(value, error, "stragglers: too many entries: expected at most %d",
                             VEF_MOST_STRAGGLERS);
    if (!read_ranks(node->keys[place], added))
        return vef_node_fail(value, error,
                             "stragglers: '%s': expected a task or a range of tasks, such as 3 or "
                             "8-15",
                             node->keys[place]);
    if (value->kind != VEF_NODE_SCALAR ||
        vef_parse_real(value->scalar, "stragglers", &added->scale, NULL) != VEF_OK ||
        !(added->scale >= 0))
        return vef_node_fail(value, error,
                             "stragglers: expected a factor of at least 0, such as 1.5");
    if (host->straggler_count && added->first <= added[-1].last)
        return vef_node_fail(value, error,
                             "stragglers: expected ascending ranges that do not overlap");
    host->straggler_count++;
    return VEF_OK;
}

static vef_code read_stragglers(const vef_node *node, vef_host *host, vef_error *error) {
    vef_code code = VEF_OK;
    host->straggler_count = 0;
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error, "stragglers: expected keys and values: {3: 1.5}");
    for (size_t i = 0; i < node->count && code == VEF_OK; i++)
        code = read_straggler(node, i, host, error);
    return code;
}

static void put_stragglers(const vef_host *host, vef_node *into) {
    vef_node *stragglers = vef_config_section(into, "stragglers");
    stragglers->in_line = true;
    for (uint32_t i = 0; i < host->straggler_count; i++) {
        const vef_straggler *one = &host->stragglers[i];
        char tasks[32], text[VEF_QUANTITY_TEXT_BYTES];
        if (one->last > one->first)
            snprintf(tasks, sizeof tasks, "%" PRIu32 "-%" PRIu32, one->first, one->last);
        else
            snprintf(tasks, sizeof tasks, "%" PRIu32, one->first);
        vef_config_put(stragglers, tasks, vef_format_real(text, one->scale));
    }
}

double vef_host_scale(const vef_host *host, uint32_t task) {
    for (uint32_t i = 0; i < host->straggler_count; i++)
        if (task >= host->stragglers[i].first && task <= host->stragglers[i].last)
            return host->compute_scale * host->stragglers[i].scale;
    return host->compute_scale;
}

/* ---- the section ---- */

vef_code vef_host_read(const vef_node *node, vef_host *host, vef_arena *arena, vef_error *error) {
    vef_code code = vef_config_read(node, "host", vef_host_schema, NULL, host, arena, error);
    if (code == VEF_OK)
        code = vef_noise_prepare(vef_node_get(node, "noise"), &host->noise, arena, error);
    return code == VEF_OK ? read_stragglers(vef_node_get(node, "stragglers"), host, error) : code;
}

vef_host vef_host_defaults(void) {
    return (vef_host){.compute_scale = 1,
                      .outside = true,
                      .poll_gap_ns = VEF_SPIN_NS,
                      .send_overhead = vef_cost_of(0, 0),
                      .receive_overhead = vef_cost_of(0, 0),
                      .memory_time = vef_cost_of(0, 0),
                      .memory_gap = vef_cost_of(0, 0),
                      .local_copy = vef_cost_of(0, 0),
                      .flush_time = vef_cost_of(0, 0),
                      .memory_receive_gap = vef_cost_of(0, 0),
                      .nics = 1,
                      .cores = 1,
                      .noise = vef_noise_none()};
}

bool vef_host_charges(const vef_host *host) {
    return !vef_cost_is_zero(&host->send_overhead) || !vef_cost_is_zero(&host->isend_overhead) ||
           !vef_cost_is_zero(&host->receive_overhead) || host->reduce_ns_per_byte > 0 ||
           host->send_copy_ns_per_byte > 0 || host->receive_copy_ns_per_byte > 0 ||
           host->match_ns > 0 || host->gap_ns > 0 || host->shared_cores > 0 ||
           !vef_cost_is_zero(&host->memory_time) || !vef_cost_is_zero(&host->memory_gap) ||
           !vef_cost_is_zero(&host->local_copy) || !vef_cost_is_zero(&host->memory_receive_gap) ||
           host->put_time.count + host->get_time.count + host->accumulate_time.count > 0;
}

const vef_cost *vef_host_one_sided(const vef_host *host, uint16_t call) {
    const vef_cost *cost = call == VEF_CALL_Put || call == VEF_CALL_Rput   ? &host->put_time
                           : call == VEF_CALL_Get || call == VEF_CALL_Rget ? &host->get_time
                                                                           : &host->accumulate_time;
    return cost->count > 0 ? cost : NULL;
}

void vef_host_put(const vef_host *host, vef_node *into) {
    vef_config_put_schema(into, vef_host_schema, host);
    put_stragglers(host, into);
}
