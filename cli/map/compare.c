/* Several mappings of one program on one network. See compare.h. */
#include "cli/map/compare.h"

#include "mappings/grid.h"
#include "netmodel/clock.h"

#include <stdlib.h>
#include <time.h>

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

vef_code vef_comparison_add(vef_comparison *comparison, const vef_mapping_request *request,
                            bool optional, vef_error *error) {
    if (comparison->count == VEF_MOST_COMPARED)
        return vef_fail(error, VEF_INVALID, "too many mappings: expected at most %d",
                        VEF_MOST_COMPARED);
    vef_compared *added = &comparison->mappings[comparison->count];
    const vef_topology *topology = comparison->network->topology;
    *added = (vef_compared){.name = request->text};
    const double began_s = now_s();
    vef_code code = vef_mapping_create(request, topology, &added->mapping, error);
    added->seconds = now_s() - began_s;
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

enum { REPLAY_COLUMNS = 3 };

static void add_costs(const vef_comparison *comparison, const vef_compared *one, vef_table *table) {
    vef_table_number(table, "%u", one->order);
    vef_table_number(table, "%.0f", one->cost.hop_bytes);
    vef_table_number(table, "%.4f", one->cost.dilation_mean);
    vef_table_number(table, "%u", one->cost.dilation_max);
    vef_table_number(table, "%.0f", one->cost.link_load_max);
    vef_table_number(table, "%.0f", one->cost.link_load_mean);
    vef_table_number(table, "%.0f", one->cost.local_bytes);
    vef_table_number(table, "%.3f", one->seconds);
    if (!comparison->simulated)
        return;
    if (!one->replayed) {
        for (int k = 0; k < REPLAY_COLUMNS; k++)
            vef_table_none(table);
        return;
    }
    vef_table_number(table, VEF_CYCLES_FORMAT, one->time_cycles);
    vef_table_number(table, "%.0f", one->time_ns);
    vef_table_text(table, one->stall == VEF_STALL_NONE ? "" : vef_stall_name(one->stall));
}

static vef_table *tabulate(const void *report) {
    const vef_comparison *comparison = report;
    const bool messages = comparison->messages;
    const char *const heads[] = {"name",
                                 "order",
                                 messages ? "hop_messages" : "hop_bytes",
                                 "dilation_mean",
                                 "dilation_max",
                                 "link_load_max",
                                 "link_load_mean",
                                 messages ? "local_messages" : "local_bytes",
                                 "seconds"};
    enum { COSTS = sizeof heads / sizeof *heads - 1 };
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    if (comparison->simulated) {
        vef_table_head(table, "time_cycles");
        vef_table_head(table, "time_ns");
        vef_table_head(table, "stalled");
    }
    vef_table_head(table, "grid");
    vef_table_head(table, "note");
    vef_table_head(table, "error");
    for (uint32_t i = 0; table && i < comparison->count; i++) {
        const vef_compared *one = &comparison->mappings[i];
        char grid[VEF_GRID_TEXT_BYTES];
        vef_table_text(table, one->name);
        if (one->mapping)
            add_costs(comparison, one, table);
        for (int k = 0; !one->mapping && k < COSTS + (comparison->simulated ? REPLAY_COLUMNS : 0);
             k++)
            vef_table_none(table);
        vef_table_text(table, one->mapping && one->mapping->on_grid
                                  ? vef_grid_write(&one->mapping->grid, grid)
                                  : "");
        vef_table_text(table, one->mapping && one->mapping->limited ? "ended by --map-time" : "");
        vef_table_text(table, one->reason);
    }
    return table;
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    (void)error;
    const vef_comparison *comparison = report;
    vef_doc_string(doc, "trace", comparison->trace);
    vef_doc_string(doc, "pattern", comparison->pattern);
    vef_doc_string(doc, "network", comparison->network_name);
    vef_doc_uint(doc, "tasks", comparison->traffic->tasks);
    for (uint32_t i = 0; i < comparison->count; i++)
        if (comparison->mappings[i].mapping) { /* the same for all */
            vef_doc_real(doc, comparison->messages ? "messages" : "bytes",
                         comparison->mappings[i].cost.bytes);
            break;
        }
    vef_table_write_doc(tabulate(report), doc, "mappings");
    return VEF_OK;
}

const vef_report_parts vef_comparison_parts = {.table = tabulate, .doc = write_doc};
