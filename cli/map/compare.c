/* Several mappings of one program on one network. See compare.h. */
#include "cli/map/compare.h"

#include "common/clock.h"
#include "mappings/grid.h"
#include "netmodel/clock.h"

vef_code vef_comparison_add(vef_comparison *comparison, const vef_mapping_request *request,
                            bool optional, vef_error *error) {
    if (comparison->count == VEF_MOST_COMPARED)
        return vef_fail(error, VEF_INVALID, "too many mappings: expected at most %d",
                        VEF_MOST_COMPARED);
    vef_compared *added = &comparison->mappings[comparison->count];
    const vef_topology *topology = comparison->network->topology;
    *added = (vef_compared){.name = request->text};
    const double began_s = vef_now_s();
    vef_code code = vef_mapping_create(request, topology, &added->mapping, error);
    added->seconds = vef_now_s() - began_s;
    if (code == VEF_FAILED) /* neither the network nor the options are the reason */
        return code;
    if (code == VEF_OK && topology)
        code = vef_mapping_cost_measure(added->mapping, comparison->traffic, topology,
                                        comparison->machine->host.nics, NULL, &added->cost, error);
    if (code == VEF_OK) {
        comparison->usable++;
    } else {
        vef_mapping_destroy(added->mapping);
        added->mapping = NULL;
        snprintf(added->reason, sizeof added->reason, "%s", error->message);
    }
    comparison->count += code == VEF_OK || !optional;
    return VEF_OK;
}

static vef_code simulate(const vef_comparison *comparison, vef_trace *trace, vef_compared *one,
                         vef_error *error) {
    vef_netmodel *network = NULL;
    vef_replay_result result = {0};
    vef_code code = vef_netmodel_create(comparison->root, &network, error);
    if (code == VEF_OK)
        code = vef_replay(trace, network, one->mapping->endpoint, comparison->machine, NULL,
                          &result, error);
    if (code == VEF_OK) {
        one->replayed = true;
        one->time_cycles = result.time_cycles;
        one->time_ns = result.time_ns;
        one->stall = result.stall;
    }
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    if (code == VEF_OK)
        return code;
    snprintf(one->reason, sizeof one->reason, "%s", error->message);
    return VEF_OK;
}

vef_code vef_comparison_simulate(vef_comparison *comparison, vef_trace *trace, vef_error *error) {
    vef_code code = VEF_OK;
    comparison->simulated = true;
    if (comparison->progress)
        vef_progress_begin(comparison->progress, "replaying");
    for (uint32_t i = 0; code == VEF_OK && i < comparison->count; i++) {
        if (comparison->progress)
            vef_progress_update(comparison->progress, i, comparison->count);
        if (comparison->mappings[i].mapping)
            code = simulate(comparison, trace, &comparison->mappings[i], error);
    }
    if (comparison->progress)
        vef_progress_end(comparison->progress);
    return code;
}

static bool is_better(const vef_comparison *comparison, const vef_compared *a,
                      const vef_compared *b) {
    if (comparison->simulated && a->replayed != b->replayed)
        return a->replayed;
    if (comparison->simulated && (a->stall == VEF_STALL_NONE) != (b->stall == VEF_STALL_NONE))
        return a->stall == VEF_STALL_NONE;
    if (comparison->simulated && a->time_cycles != b->time_cycles)
        return a->time_cycles < b->time_cycles;
    if (a->cost.link_load_max != b->cost.link_load_max)
        return a->cost.link_load_max < b->cost.link_load_max;
    if (a->cost.hop_bytes != b->cost.hop_bytes)
        return a->cost.hop_bytes < b->cost.hop_bytes;
    return a < b;
}

const vef_compared *vef_comparison_order(vef_comparison *comparison) {
    const vef_compared *best = NULL;
    for (uint32_t i = 0; i < comparison->count; i++) {
        vef_compared *one = &comparison->mappings[i];
        if (!one->mapping)
            continue;
        one->order = 1;
        for (uint32_t j = 0; j < comparison->count; j++)
            one->order += j != i && comparison->mappings[j].mapping &&
                          is_better(comparison, &comparison->mappings[j], one);
        if (one->order == 1)
            best = one;
    }
    return best;
}

void vef_comparison_free(vef_comparison *comparison) {
    for (uint32_t i = 0; i < comparison->count; i++)
        vef_mapping_destroy(comparison->mappings[i].mapping);
    comparison->count = 0;
}

/* ---- the report ---- */

void vef_comparison_build(const void *report, vef_result *root) {
    const vef_comparison *comparison = report;
    const unsigned replayed = comparison->simulated ? VEF_EVERYONE : VEF_NO_READER;
    const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("name", NULL), VEF_COLUMN("order", NULL),
        VEF_COLUMN(comparison->messages ? "hop_messages" : "hop_bytes", NULL, .format = "%.0f"),
        VEF_COLUMN("dilation_mean", NULL, .format = "%.4f"), VEF_COLUMN("dilation_max", NULL),
        VEF_COLUMN("link_load_max", NULL, .format = "%.0f"),
        VEF_COLUMN("link_load_mean", NULL, .format = "%.0f"),
        VEF_COLUMN(comparison->messages ? "local_messages" : "local_bytes", NULL, .format = "%.0f"),
        VEF_COLUMN("seconds", NULL, .format = "%.3f"),
        VEF_COLUMN("time_cycles", NULL, .format = VEF_CYCLES_FORMAT, .readers = replayed),
        VEF_COLUMN("time_ns", NULL, .format = "%.0f", .readers = replayed),
        VEF_COLUMN("stalled", NULL, .readers = replayed), VEF_COLUMN("grid", NULL),
        VEF_COLUMN("note", NULL), VEF_COLUMN("error", NULL));
    VEF_PUT(root, "trace", comparison->trace);
    VEF_PUT(root, "pattern", comparison->pattern);
    VEF_PUT(root, "network", comparison->network_name);
    VEF_PUT(root, "tasks", comparison->traffic->tasks);
    for (uint32_t i = 0; i < comparison->count; i++)
        if (comparison->mappings[i].mapping) { /* the same for all */
            VEF_PUT(root, comparison->messages ? "messages" : "bytes",
                    comparison->mappings[i].cost.bytes);
            break;
        }
    vef_result *table = vef_put_table(root, "mappings", VEF_EVERYONE, columns);
    for (uint32_t i = 0; i < comparison->count; i++) {
        const vef_compared *one = &comparison->mappings[i];
        const vef_mapping *mapping = one->mapping;
        const vef_mapping_cost *cost = &one->cost;
        const bool usable = mapping != NULL;
        char grid[VEF_GRID_TEXT_BYTES];
        VEF_CELLS(table, one->name, VEF_IF(usable, one->order), VEF_IF(usable, cost->hop_bytes),
                  VEF_IF(usable, cost->dilation_mean), VEF_IF(usable, cost->dilation_max),
                  VEF_IF(usable, cost->link_load_max), VEF_IF(usable, cost->link_load_mean),
                  VEF_IF(usable, cost->local_bytes), VEF_IF(usable, one->seconds));
        VEF_CELLS(
            table, VEF_IF(one->replayed, one->time_cycles), VEF_IF(one->replayed, one->time_ns),
            VEF_IF(one->replayed, one->stall == VEF_STALL_NONE ? "" : vef_stall_name(one->stall)),
            usable && mapping->on_grid ? vef_grid_write(&mapping->grid, grid) : "",
            usable && mapping->limited ? "ended by --map-time" : "", one->reason);
    }
}
