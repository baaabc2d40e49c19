/* The same program on several networks. See compare.h. */
#include "cli/compare/compare.h"

#include "cli/command.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "common/progress.h"
#include "mappings/mapping.h"
#include "netmodel/clock.h"
#include "replay/explain/path.h"
#include "replay/machine.h"
#include "replay/program.h"
#include "replay/state/sim_time.h"

enum { MOST_EXPLAINED_EVENTS = 20000000 }; /* their record takes about 2 GB */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static vef_code map_tasks(const vef_compared_replays *compared, vef_trace *trace,
                          const vef_node *root, const vef_netmodel *network,
                          const vef_replay_options *machine, vef_mapping **mapping,
                          vef_error *error) {
    vef_traced_program program = {trace, machine};
    vef_mapping_request request = vef_program_request(&program, network->topology);
    request.text = compared->choices->map;
    request.plugins = vef_library_list(root);
    vef_code code = compared->choices->grid
                        ? vef_mapping_parse_grid(compared->choices->grid, &request.grid, error)
                        : VEF_OK;
    return code == VEF_OK ? vef_mapping_create(&request, network->topology, mapping, error) : code;
}

/* Adds the sums of the tasks' times, as shares; `share`: of this run in the means. */
static void add_shares(const vef_replay_result *result, double share, vef_compared_replay *row) {
    double end = 0, waiting = 0, communicating = 0;
    for (uint32_t t = 0; t < result->tasks; t++) {
        end += (double)result->task[t].end_ps;
        waiting += (double)result->task[t].waiting_ps;
        communicating += (double)result->task[t].communicating_ps;
    }
    row->waiting += end > 0 ? share * waiting / end : 0;
    row->communicating += end > 0 ? share * communicating / end : 0;
}

/* Replays the trace, and attributes the critical path of the first run, if there is the memory for
 * that. */
static vef_code replay(vef_trace *trace, vef_netmodel *network, const vef_mapping *mapping,
                       vef_replay_options *machine, const char *label, bool first,
                       vef_replay_result *result, vef_compared_replay *row, vef_error *error) {
    const bool explains = first && vef_trace_get_header(trace)->events <= MOST_EXPLAINED_EVENTS;
    vef_time_record record;
    vef_progress progress;
    vef_path path;
    vef_time_record_begin(&record);
    if (explains)
        vef_time_record_listen(&record, &machine->listeners);
    vef_progress_begin(&progress, label);
    vef_code code =
        vef_replay(trace, network, mapping->endpoint, machine, &progress, result, error);
    vef_progress_end(&progress);
    machine->listeners = NULL;
    const bool explained = code == VEF_OK && explains && result->stall == VEF_STALL_NONE;
    row->explained = row->explained || explained;
    if (explained)
        vef_path_find(&record, &path);
    for (unsigned cause = 0; explained && cause < VEF_CAUSES; cause++)
        row->causes_ns[cause] = (double)path.ps.by_cause[cause] / VEF_PS_PER_NS;
    vef_time_record_release(&record);
    return code;
}

static void add_run(const vef_replay_result *result, size_t run, size_t runs,
                    vef_compared_replay *row) {
    const double share = 1 / (double)runs;
    row->time_cycles += share * result->time_cycles;
    row->time_ns += share * result->time_ns;
    row->average_hops += share * result->network.average_hops;
    row->link_utilization_max += share * result->network.link_utilization_max;
    row->times_ns[run] = result->stall == VEF_STALL_NONE ? result->time_ns : 0;
    row->stall = result->stall == VEF_STALL_NONE ? row->stall : result->stall;
    add_shares(result, share, row);
}

static void keep_configuration(const vef_netmodel *network, const vef_replay_options *machine,
                               vef_compared_replay *row) {
    row->configuration = vef_config_new(&row->arena);
    vef_netmodel_put_config(network, row->configuration);
    vef_machine_put(machine, row->configuration);
}

/* One run of a subject, with its seed if there are several. */
static vef_code run_once(vef_compared_replays *compared, uint32_t number, size_t run, size_t runs,
                         vef_error *error) {
    const vef_subject *subject = &compared->subjects->list[number];
    const size_t count = subject->overrides.count;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *network = NULL;
    vef_trace *trace = NULL;
    vef_mapping *mapping = NULL;
    vef_replay_options machine = vef_replay_defaults();
    vef_replay_result result = {0};
    vef_compared_replay *row = &compared->rows[number];
    const char **overrides = vef_arena_alloc(&arena, count + 1, sizeof *overrides);
    for (size_t i = 0; i < count; i++)
        overrides[i] = subject->overrides.text[i];
    if (compared->seed_count > 0)
        overrides[count] = vef_arena_printed(&arena, "seed=%" PRIu64, compared->seeds[run]);
    vef_code code =
        vef_machine_open(subject->path, overrides, count + (compared->seed_count > 0 ? 1 : 0),
                         &arena, &root, &machine, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &network, error);
    if (code == VEF_OK && run == 0)
        vef_command_warn_ignored("compare", root);
    if (code == VEF_OK)
        code = vef_trace_open(compared->trace, &trace, NULL, error);
    if (code == VEF_OK)
        code = map_tasks(compared, trace, root, network, &machine, &mapping, error);
    if (code == VEF_OK)
        code = replay(trace, network, mapping, &machine, subject->label, run == 0, &result, row,
                      error);
    if (code == VEF_OK)
        add_run(&result, run, runs, row);
    if (code == VEF_OK && run == 0) {
        row->hardware = vef_netmodel_hardware(network, subject->label);
        keep_configuration(network, &machine, row);
    }
    vef_replay_result_release(&result);
    vef_mapping_destroy(mapping);
    vef_trace_close(trace);
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
    return code;
}

vef_code vef_compared_replays_run(vef_compared_replays *compared, uint32_t number,
                                  vef_error *error) {
    const size_t runs = compared->seed_count > 0 ? compared->seed_count : 1;
    vef_compared_replay *row = &compared->rows[number];
    vef_code code = VEF_OK;
    *row = (vef_compared_replay){.stall = VEF_STALL_NONE};
    row->times_ns = vef_arena_alloc(&row->arena, runs, sizeof *row->times_ns);
    for (size_t run = 0; code == VEF_OK && run < runs; run++)
        code = run_once(compared, number, run, runs, error);
    return code;
}

void vef_compared_replays_release(vef_compared_replays *compared) {
    for (uint32_t n = 0; n < compared->subjects->count; n++)
        vef_arena_release(&compared->rows[n].arena);
}

/* ---- the report ---- */

static void put_table(const vef_compared_replays *compared, vef_result *into) {
    static const vef_column columns[] = {
        {.label = "time (ns)", .format = "%.0f"},
        {.key = "time_cycles", .label = "cycles", .format = VEF_CYCLES_FORMAT},
        {.key = "time_ns", .format = "%.0f"},
        {.key = "relative", .label = "relative", .format = "%.4f"},
        {.key = "waiting", .label = "waiting", .format = "%.4f"},
        {.key = "communicating", .label = "communicating", .format = "%.4f"},
        {.key = "average_hops", .label = "hops", .format = "%.4f"},
        {.key = "busiest", .label = "busiest link", .format = "%.4f"},
        {.key = "stalled", .label = "stalled"},
        {.key = "total_channels"},
        {.key = "port_buffer_bytes", .format = "%.6g"},
        {0}};
    vef_result *table =
        vef_subjects_table(compared->subjects, into, "networks", VEF_EVERYONE, columns);
    for (uint32_t n = 0; n < compared->subjects->count; n++) {
        const vef_compared_replay *row = &compared->rows[n];
        const double first = compared->rows[0].time_ns;
        vef_subjects_name(compared->subjects, n, table);
        VEF_CELLS(table, row->time_ns, row->time_cycles, row->time_ns,
                  vef_value_or_na(first > 0 ? row->time_ns / first : NAN), row->waiting,
                  row->communicating, row->average_hops, row->link_utilization_max,
                  row->stall == VEF_STALL_NONE ? "" : vef_stall_name(row->stall),
                  row->hardware.total_channels, row->hardware.port_buffer_bytes);
    }
}

static char *find_why(const void *context, size_t first, size_t second) {
    const vef_compared_replay *rows = context;
    return rows[first].explained && rows[second].explained
               ? vef_why_by_causes(rows[first].causes_ns, rows[second].causes_ns)
               : NULL;
}

void vef_compared_replays_build(const void *report, vef_result *root) {
    const vef_compared_replays *compared = report;
    const void *configurations[VEF_MOST_SUBJECTS];
    vef_subject_value values[VEF_MOST_SUBJECTS] = {{0}};
    vef_load_choices_put(compared->choices, root);
    VEF_PUT(root, "trace", compared->trace);
    VEF_PUT(root, "mapping", compared->choices->map ? compared->choices->map : "identity");
    put_table(compared, root);
    for (uint32_t n = 0; n < compared->subjects->count; n++) {
        configurations[n] = compared->rows[n].configuration;
        values[n].runs = compared->rows[n].times_ns;
        values[n].run_count = compared->seed_count > 0 ? compared->seed_count : 1;
    }
    vef_subjects_put_configurations(compared->subjects, root, NULL, configurations);
    vef_subjects_put_verdict(
        compared->subjects,
        (vef_verdict){.application = "", .measure = "time_ns", .hint = "`--seeds 5`"}, values,
        find_why, compared->rows, root);
}

/* Whether bars from 0 would hide the differences. */
static bool are_near(const vef_compared_replays *compared) {
    static const double NEAR = 0.1;
    bool near = true;
    for (uint32_t n = 0; n < compared->subjects->count; n++)
        near = near && fabs(compared->rows[n].time_ns / compared->rows[0].time_ns - 1) < NEAR;
    return near && compared->subjects->count > 1;
}

/* Facets are categories; other names are in the legend: they may be longer than an axis has room
 * for. */
vef_picture *vef_compared_replays_draw(const vef_compared_replays *compared, int bars) {
    const vef_subjects *subjects = compared->subjects;
    const bool differ = bars < 0 ? are_near(compared) : bars == VEF_BARS_DIFFERENCES;
    const char *mapping = compared->choices->map;
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, NULL);
    char *title = vef_printed("%s, mapping %s%s%s", vef_picture_name(compared->trace),
                              mapping ? mapping : "identity", differ ? ", against " : "",
                              differ ? subjects->list[0].label : "");
    vef_picture_set_title(picture, title, NULL);
    free(title);
    panel->y = (vef_axis){.label = differ ? "difference of the simulated time" : "simulated time",
                          .unit = differ ? "%" : "ns",
                          .from_zero = true};
    for (uint32_t n = 0; n < subjects->count; n++) {
        const vef_subject *subject = &subjects->list[n];
        const double time_ns = compared->rows[n].time_ns, first_ns = compared->rows[0].time_ns;
        if (n == 0 || (subject->facet && strcmp(subject->facet, subject[-1].facet) != 0))
            vef_panel_name(panel, &panel->x, subject->facet);
        if (n == 0 && differ && !subject->facet)
            continue;
        vef_panel_mark(vef_panel_series(panel, subject->series, VEF_BARS),
                       (double)panel->x.name_count - 1,
                       differ ? 100 * (time_ns / first_ns - 1) : time_ns, NAN, NAN);
    }
    return picture;
}
