/* The traffic of a pattern. See pattern.h. */
#include "cli/map/pattern.h"

#include "common/limits.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "netmodel/traffic/traffic.h"

#include <math.h>
#include <stdlib.h>

enum { ALL_BYTES = 1 << 20, ALL_MESSAGES = 1024 };

static void add_shares(const vef_pattern *pattern, const double *share, vef_traffic_row *row) {
    const uint64_t messages_of_task = pattern->kind->permutation ? 1 : ALL_MESSAGES;
    for (uint32_t to = 0; to < pattern->endpoints; to++) {
        const uint64_t messages = (uint64_t)llround((double)messages_of_task * share[to]);
        if (share[to] > 0)
            vef_traffic_row_add(row, to, messages ? messages : 1,
                                (uint64_t)llround(ALL_BYTES * share[to]));
    }
}

static void add_draws(const vef_pattern *pattern, uint32_t task, vef_traffic_row *row) {
    vef_rng rng = vef_rng_make(1, VEF_RNG_TRAFFIC, task);
    for (uint32_t i = 0; i < ALL_MESSAGES; i++)
        vef_traffic_row_add(row, pattern->kind->destination(pattern, task, &rng), 1,
                            ALL_BYTES / ALL_MESSAGES);
}

static void add_task(const vef_pattern *pattern, uint32_t task, double *share,
                     vef_traffic_row *row) {
    if (!vef_pattern_sends(pattern, task))
        return;
    uint32_t destinations = 0;
    vef_pattern_shares(pattern, task, share);
    for (uint32_t to = 0; to < pattern->endpoints; to++)
        destinations += share[to] > 0;
    if (destinations <= ALL_MESSAGES)
        add_shares(pattern, share, row);
    else
        add_draws(pattern, task, row);
}

vef_code vef_pattern_traffic(const char *text, const vef_node *root, const vef_topology *topology,
                             vef_traffic_matrix *traffic, vef_error *error) {
    vef_pattern *pattern = NULL;
    *traffic = (vef_traffic_matrix){0};
    vef_code code = vef_pattern_of_text(text, vef_library_list(root), topology, &pattern, error);
    if (code != VEF_OK)
        return code;
    vef_traffic_row row;
    double *share = vef_calloc(topology->endpoints, sizeof *share);
    vef_traffic_matrix_begin(traffic, topology->endpoints);
    vef_traffic_row_begin(&row, topology->endpoints);
    for (uint32_t t = 0; code == VEF_OK && t < topology->endpoints; t++) {
        add_task(pattern, t, share, &row);
        vef_traffic_matrix_end_row(traffic, t, &row);
        code = vef_limit_check(VEF_LIMIT_FLOWS, traffic->first[t + 1], error);
    }
    if (code != VEF_OK)
        vef_traffic_matrix_free(traffic);
    vef_traffic_row_free(&row);
    free(share);
    vef_pattern_destroy(pattern);
    return code;
}
