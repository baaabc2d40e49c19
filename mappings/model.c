/* The performance model of a mapping. See model.h. */
#include "mappings/model.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

/* The bytes that stand for all messages of a task: divisible by 2, 3 and 4 neighbours. */
enum { ALL_BYTES = 12 << 20 };

/* The neighbours of a task; in a torus of two along a side both ways lead to the same. */
static uint32_t neighbours_of(vef_grid grid, bool wrap, uint32_t task, uint32_t to[4]) {
    const uint32_t x = task % grid.width, y = task / grid.width;
    uint32_t count = 0;
    if (grid.width > 1 && (wrap || x + 1 < grid.width))
        to[count++] = y * grid.width + (x + 1) % grid.width;
    if (grid.width > 1 && (wrap || x > 0))
        to[count++] = y * grid.width + (x + grid.width - 1) % grid.width;
    if (grid.height > 1 && (wrap || y + 1 < grid.height))
        to[count++] = (y + 1) % grid.height * grid.width + x;
    if (grid.height > 1 && (wrap || y > 0))
        to[count++] = (y + grid.height - 1) % grid.height * grid.width + x;
    return count;
}

static void add_local(vef_traffic_row *row, vef_grid grid, bool wrap, uint32_t task) {
    uint32_t to[4];
    const uint32_t count = neighbours_of(grid, wrap, task, to);
    for (uint32_t i = 0; i < count; i++)
        vef_traffic_row_add(row, to[i], 1, ALL_BYTES / count);
}

static void add_global(vef_traffic_row *row, uint32_t tasks) {
    for (uint32_t t = 0; t < tasks; t++)
        vef_traffic_row_add(row, t, 1, 1);
}

/* The loads and the mean hops of one kind of traffic, in which each task sends `bytes`. */
static vef_code measure(const vef_mapping *mapping, const vef_topology *topology,
                        const vef_traffic_matrix *traffic, double bytes, double *load, double *hops,
                        vef_error *error) {
    vef_mapping_cost cost;
    const size_t links = (size_t)topology->routers * topology->ports;
    const vef_code code =
        vef_mapping_cost_measure(mapping, traffic, topology, 1, load, &cost, error);
    for (size_t l = 0; code == VEF_OK && l < links; l++)
        load[l] /= bytes;
    *hops = code == VEF_OK ? cost.hop_bytes / bytes / mapping->tasks : 0;
    return code;
}

static vef_code measure_kind(const vef_mapping *mapping, vef_grid grid, bool wrap, bool local,
                             const vef_topology *topology, vef_mapping_model *model,
                             vef_error *error) {
    vef_traffic_matrix traffic = {0};
    vef_traffic_row row = {0};
    vef_traffic_matrix_begin(&traffic, mapping->tasks);
    vef_traffic_row_begin(&row, mapping->tasks);
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        if (local)
            add_local(&row, grid, wrap, t);
        else
            add_global(&row, mapping->tasks);
        vef_traffic_matrix_end_row(&traffic, t, &row);
    }
    const vef_code code = measure(mapping, topology, &traffic, local ? ALL_BYTES : mapping->tasks,
                                  local ? model->local_load : model->global_load,
                                  local ? &model->local_hops : &model->global_hops, error);
    vef_traffic_row_free(&row);
    vef_traffic_matrix_free(&traffic);
    return code;
}

static uint32_t routers_of(const vef_mapping *mapping, const vef_topology *topology) {
    uint32_t count = 0;
    bool *taken = vef_calloc(topology->routers, sizeof *taken);
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        count += !taken[router];
        taken[router] = true;
    }
    free(taken);
    return count;
}

vef_code vef_mapping_model_make(const vef_mapping *mapping, vef_grid grid, bool wrap,
                                const vef_topology *topology, vef_mapping_model *model,
                                vef_error *error) {
    *model = (vef_mapping_model){.tasks = mapping->tasks,
                                 .links = (size_t)topology->routers * topology->ports};
    if (mapping->tasks > VEF_MOST_MODEL_TASKS || mapping->tasks < 2)
        return vef_fail(error, VEF_UNSUPPORTED, "%u tasks: expected 2 to %d for the model",
                        mapping->tasks, VEF_MOST_MODEL_TASKS);
    if ((uint64_t)grid.width * grid.height != mapping->tasks)
        return vef_fail(error, VEF_UNSUPPORTED, "grid %ux%u: expected one of exactly %u tasks",
                        grid.width, grid.height, mapping->tasks);
    model->local_load = vef_calloc(model->links + 1, sizeof *model->local_load);
    model->global_load = vef_calloc(model->links + 1, sizeof *model->global_load);
    model->routers = routers_of(mapping, topology);
    vef_code code = measure_kind(mapping, grid, wrap, true, topology, model, error);
    return code ? code : measure_kind(mapping, grid, wrap, false, topology, model, error);
}

void vef_mapping_model_free(vef_mapping_model *model) {
    free(model->local_load);
    free(model->global_load);
    *model = (vef_mapping_model){0};
}

double vef_mapping_model_hops(const vef_mapping_model *model, double alpha) {
    return alpha * model->local_hops + (1 - alpha) * model->global_hops;
}

double vef_mapping_model_throughput(const vef_mapping_model *model, double alpha) {
    double most = 0;
    for (size_t l = 0; l < model->links; l++)
        most = fmax(most, alpha * model->local_load[l] + (1 - alpha) * model->global_load[l]);
    return most > 0 ? 1 / most : INFINITY;
}
