/* The traffic of a pattern. See pattern.h. */
#include "cli/map/pattern.h"

#include "netmodel/traffic/traffic.h"

#include <math.h>
#include <stdlib.h>

enum { ALL_BYTES = 1 << 20, MOST_DESTINATIONS = 1024 };

/* The traffic of a task to all its destinations by their shares or, if they are many, as drawn. */
static bool add_task(const vef_pattern *pattern, uint32_t task, double *share,
                     vef_traffic_row *row) {
    if (!vef_pattern_sends(pattern, task))
        return true;
    uint32_t destinations = 0;
    vef_pattern_shares(pattern, task, share);
    for (uint32_t to = 0; to < pattern->endpoints; to++)
        destinations += share[to] > 0;
    bool fine = true;
    for (uint32_t to = 0; fine && destinations <= MOST_DESTINATIONS && to < pattern->endpoints;
         to++)
        if (share[to] > 0)
            fine = vef_traffic_row_add(row, to, 1, (uint64_t)llround(ALL_BYTES * share[to]));
    vef_rng rng = vef_rng_make(1, VEF_RNG_TRAFFIC, task);
    for (uint32_t i = 0; fine && destinations > MOST_DESTINATIONS && i < MOST_DESTINATIONS; i++)
        fine = vef_traffic_row_add(row, pattern->kind->destination(pattern, task, &rng), 1,
                                   ALL_BYTES / MOST_DESTINATIONS);
    return fine;
}

vef_code vef_pattern_traffic(const char *text, const vef_topology *topology,
                             vef_traffic_matrix *traffic, vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_pattern *pattern = NULL;
    vef_traffic_row row = {0};
    double *share = NULL;
    *traffic = (vef_traffic_matrix){0};
    vef_code code = vef_config_parse(text, "--pattern", &arena, &node, error);
    if (code == VEF_OK)
        code = vef_pattern_create(node, topology, &pattern, error);
    if (code == VEF_OK)
        code = vef_traffic_matrix_begin(traffic, topology->endpoints, error);
    if (code == VEF_OK)
        code = vef_traffic_row_begin(&row, topology->endpoints, error);
    if (code == VEF_OK && !(share = calloc(topology->endpoints, sizeof *share)))
        code =
            vef_fail_memory(error, "the traffic of a pattern", topology->endpoints * sizeof *share);
    for (uint32_t t = 0; code == VEF_OK && t < topology->endpoints; t++)
        code = add_task(pattern, t, share, &row)
                   ? vef_traffic_matrix_end_row(traffic, t, &row, error)
                   : vef_fail_memory(error, "the traffic of a pattern", row.capacity);
    if (code != VEF_OK)
        vef_traffic_matrix_free(traffic);
    vef_traffic_row_free(&row);
    free(share);
    vef_pattern_destroy(pattern);
    vef_arena_release(&arena);
    return code;
}
