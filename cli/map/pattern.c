/* The traffic of a pattern. See pattern.h. */
#include "cli/map/pattern.h"

#include "netmodel/traffic/traffic.h"

enum { ALL_BYTES = 1 << 20, DRAWS = 1024 };

static bool add_task(const vef_pattern *pattern, uint32_t task, vef_traffic_row *row) {
    const uint32_t draws = pattern->kind->permutation ? 1 : DRAWS;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TRAFFIC, task);
    bool fine = true;
    for (uint32_t i = 0; fine && i < draws; i++) {
        const uint32_t to = pattern->kind->destination(pattern, task, &rng);
        if (to == VEF_SILENT)
            return true;
        fine = vef_traffic_row_add(row, to, 1, ALL_BYTES / draws);
    }
    return fine;
}

vef_code vef_pattern_traffic(const char *text, const vef_topology *topology,
                             vef_traffic_matrix *traffic, vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_pattern *pattern = NULL;
    vef_traffic_row row = {0};
    *traffic = (vef_traffic_matrix){0};
    vef_code code = vef_config_parse(text, "--pattern", &arena, &node, error);
    if (code == VEF_OK)
        code = vef_pattern_create(node, topology, &pattern, error);
    if (code == VEF_OK)
        code = vef_traffic_matrix_begin(traffic, topology->endpoints, error);
    if (code == VEF_OK)
        code = vef_traffic_row_begin(&row, topology->endpoints, error);
    for (uint32_t t = 0; code == VEF_OK && t < topology->endpoints; t++)
        code = add_task(pattern, t, &row)
                   ? vef_traffic_matrix_end_row(traffic, t, &row, error)
                   : vef_fail_memory(error, "the traffic of a pattern", row.capacity);
    if (code != VEF_OK)
        vef_traffic_matrix_free(traffic);
    vef_traffic_row_free(&row);
    vef_pattern_destroy(pattern);
    vef_arena_release(&arena);
    return code;
}
