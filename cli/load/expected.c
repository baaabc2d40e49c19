/* Expected load of local traffic. See expected.h. */
#include "cli/load/expected.h"

#include "mappings/model.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/patterns/local.h"

static bool is_covered(const vef_topology *topology, const vef_pattern *pattern) {
    if (!topology || pattern->kind != &vef_pattern_local)
        return false;
    const vef_local_parameters *local = pattern->parameters;
    const vef_traffic_grid *grid = pattern->state;
    /* Without a grid of its own, endpoints of a router are copies: neighbours are those of routers.
     */
    return grid->dimensions == 2 && pattern->endpoints >= 2 &&
           pattern->endpoints <= VEF_MOST_MODEL_TASKS &&
           (local->grid.count == 2 || topology->endpoints_per_router == 1);
}

/* The model's global traffic goes to any task, the sender included, which takes no hop: without it
 * the others get tasks / (tasks - 1) times as much. */
static void leave_out_sender(vef_mapping_model *model) {
    const double more = (double)model->tasks / (model->tasks - 1);
    model->global_hops *= more;
    for (size_t l = 0; l < model->links; l++)
        model->global_load[l] *= more;
}

vef_code vef_expected_load_find(const vef_topology *topology, const vef_pattern *pattern,
                                const vef_mapping *mapping, vef_expected_load *expected,
                                vef_error *error) {
    vef_mapping *made = NULL;
    vef_mapping_model model = {0};
    *expected = (vef_expected_load){0};
    if (!is_covered(topology, pattern))
        return VEF_OK;
    const vef_local_parameters *local = pattern->parameters;
    const vef_traffic_grid *grid = pattern->state;
    const vef_mapping_request request = {.tasks = pattern->endpoints};
    vef_code code = mapping ? VEF_OK : vef_mapping_create(&request, topology, &made, error);
    if (code == VEF_OK)
        code = vef_mapping_model_make(mapping ? mapping : made,
                                      (vef_grid){{grid->sizes[0], grid->sizes[1]}}, local->wrap,
                                      topology, &model, error);
    if (code == VEF_OK) {
        if (!local->self)
            leave_out_sender(&model);
        *expected = (vef_expected_load){.given = true,
                                        .load = vef_mapping_model_throughput(&model, local->alpha),
                                        .hops = vef_mapping_model_hops(&model, local->alpha)};
    }
    vef_mapping_model_free(&model);
    vef_mapping_destroy(made);
    return code;
}
