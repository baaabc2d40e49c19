/* The section `host` of a machine's file: see host.h. */
#include "replay/host/host.h"

#include "traces/event.h"

#include <math.h>
#include <string.h>

const vef_param vef_host_schema[] = {
    {VEF_KEY(REAL, vef_host, compute_scale), .fallback = "1", .maximum = INFINITY,
     .aliases = "scale speed",
     .help = "scale factor of the measured computation time; 0.5: a processor twice as fast"},
    {VEF_KEY(BOOL, vef_host, outside), .fallback = "true",
     .help =
         "whether the recorded time in calls that are only counted (files, datatypes, ...) passes"},
    {.key = "poll_gap",
     .kind = VEF_PARAM_TIME,
     .offset = offsetof(vef_host, poll_gap_ns),
     .fallback = "1 us",
     .help = "longest gap between tests or probes that counts as waiting"},
    {VEF_KEY(COST, vef_host, send_overhead), .fallback = "0 ns", .aliases = "overhead o",
     .help = "processor time of each send"},
    {VEF_KEY(COST, vef_host, isend_overhead), .fallback = "as-send", .word = "as-send",
     .help = "processor time of each non-blocking send"},
    {VEF_KEY(COST, vef_host, receive_overhead), .fallback = "0 ns",
     .aliases = "overhead recv_overhead o", .help = "processor time of each receive"},
    {.key = "reduce_cost",
     .kind = VEF_PARAM_REAL,
     .offset = offsetof(vef_host, reduce_ns_per_byte),
     .fallback = "0",
     .maximum = INFINITY,
     .help = "processor time per byte that a collective reduces, in ns"},
    {.key = NULL},
};

vef_code vef_host_read(const vef_node *node, vef_host *host, vef_error *error) {
    vef_arena arena = {0};
    vef_code code = vef_config_read(node, "host", vef_host_schema, NULL, host, &arena, error);
    vef_arena_release(&arena);
    return code;
}

vef_host vef_host_defaults(void) {
    return (vef_host){.compute_scale = 1,
                      .outside = true,
                      .poll_gap_ns = VEF_SPIN_NS,
                      .send_overhead = vef_cost_of(0, 0),
                      .receive_overhead = vef_cost_of(0, 0)};
}

bool vef_host_charges(const vef_host *host) {
    return !vef_cost_is_zero(&host->send_overhead) || !vef_cost_is_zero(&host->isend_overhead) ||
           !vef_cost_is_zero(&host->receive_overhead) || host->reduce_ns_per_byte > 0;
}

void vef_host_write(const vef_host *host, FILE *out, int indent) {
    vef_config_write(out, indent, vef_host_schema, host);
}
