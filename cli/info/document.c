/* `vef info` for programs, in exact numbers: everything as a document, or the requested tables. */
#include "cli/info/view.h"

static void put_calls(vef_result *into, const vef_info_view *view) {
    char name[80];
    vef_result *calls_group = vef_put_group(into, "calls");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (view->stats.call[call].calls)
            VEF_PUT(calls_group, vef_info_call_name(name, call), view->stats.call[call].calls);
    vef_result *call_details = vef_put_group(into, "call_details");
    for (size_t call = 0; call < vef_call_count(); call++) {
        const vef_call_stats *stats = &view->stats.call[call];
        if (!stats->calls)
            continue;
        vef_result *inner = vef_put_group(call_details, vef_info_call_name(name, call));
        VEF_PUT(inner, "count", stats->calls);
        VEF_PUT(inner, "tasks", stats->tasks);
        VEF_PUT(inner, "bytes", stats->bytes);
        if (view->durations) {
            VEF_PUT(inner, "time_ns", stats->duration_ns);
            VEF_PUT(inner, "longest_ns", stats->longest_ns);
        }
    }
}

static void put_not_recorded(vef_result *into, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    char name[80];
    vef_result *not_recorded_group = vef_put_group(into, "not_recorded");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (header->not_recorded[call])
            VEF_PUT(not_recorded_group, vef_info_call_name(name, call), header->not_recorded[call]);
    vef_result *not_recorded_ns_group = vef_put_group(into, "not_recorded_ns");
    for (size_t call = 0; header->not_recorded_ns && call < vef_call_count(); call++)
        if (header->not_recorded[call])
            VEF_PUT(not_recorded_ns_group, vef_info_call_name(name, call),
                    header->not_recorded_ns[call]);
}

/* Calls left out by choice, and how the times of each task were measured. */
static void put_measured(vef_result *into, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    const vef_measured_run run = vef_trace_measured(header);
    char name[80], text[VEF_MEASURED_TEXT_BYTES];
    vef_result *left_out_group = vef_put_group(into, "left_out");
    for (size_t call = 0; header->left_out.calls && call < vef_call_count(); call++) {
        if (header->left_out.calls[call] == 0)
            continue;
        vef_result *inner = vef_put_group(left_out_group, vef_info_call_name(name, call));
        VEF_PUT(inner, "count", header->left_out.calls[call]);
        VEF_PUT(inner, "time_ns", header->left_out.ns[call]);
    }
    vef_result *measured_list = vef_put_list(into, "measured");
    for (uint32_t i = 0; header->measured && i < header->tasks; i++) {
        vef_result *measured_group = vef_put_group(measured_list, NULL);
        VEF_PUT(measured_group, "task", i);
        for (size_t field = 0; field < VEF_MEASURED_FIELDS; field++)
            VEF_PUT(measured_group, vef_measured_fields[field].name,
                    vef_measured_value(&header->measured[i], field));
    }
    vef_result *warnings = vef_put_list(into, "warnings");
    for (size_t i = 0; i < VEF_MEASURED_WARNINGS; i++)
        if (vef_measured_warnings[i](&run, text, sizeof text))
            VEF_PUT(warnings, NULL, text);
}

static void put_sizes(vef_result *into, const char *key, const vef_size_stats *sizes,
                      const char *counted) {
    vef_result *inner = vef_put_list(into, key);
    for (unsigned i = 0; i < VEF_SIZE_CLASSES; i++) {
        if (!sizes->count[i])
            continue;
        vef_result *item = vef_put_group(inner, NULL);
        VEF_PUT(item, "from_bytes", i ? UINT64_C(1) << (i - 1) : 0);
        VEF_PUT(item, counted, sizes->count[i]);
        VEF_PUT(item, "bytes", sizes->bytes[i]);
    }
}

static void put_header(vef_result *into, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    VEF_PUT(into, "file", view->path);
    VEF_PUT(into, "application", header->application);
    VEF_PUT(into, "command", header->command);
    VEF_PUT(into, "library", header->library);
    VEF_PUT(into, "clock", header->clock);
    VEF_PUT(into, "times", header->times);
    VEF_PUT(into, "options", header->options);
    VEF_PUT(into, "date", header->date);
    VEF_PUT(into, "exit_status", VEF_IF(header->exit_status >= 0, (uint64_t)header->exit_status));
    VEF_PUT(into, "missing", view->missing);
    VEF_PUT(into, "tasks", header->tasks);
    VEF_PUT(into, "threads", view->stats.threads);
    VEF_PUT(into, "communicators", header->communicator_count);
    vef_result *cut_short = vef_put_list(into, "cut_short");
    for (uint32_t i = 0; i < header->tasks; i++)
        if (vef_log_end_cuts(header->task[i].end))
            VEF_PUT(cut_short, NULL, i);
}

static void put_kinds(vef_result *into, const vef_info_view *view) {
    vef_result *kinds = vef_put_group(into, "kinds");
    for (vef_kind kind = 0; kind <= VEF_KIND_COUNTED; kind++) {
        const vef_kind_stats *stats = &view->stats.kind[kind];
        if (stats->calls == 0)
            continue;
        vef_result *inner = vef_put_group(kinds, vef_info_kind_name(kind));
        VEF_PUT(inner, "calls", stats->calls);
        if (view->durations)
            VEF_PUT(inner, "time_ns", stats->duration_ns);
    }
}

static void put_totals(vef_result *into, const vef_info_view *view) {
    const vef_stats *stats = &view->stats;
    vef_efficiency efficiency = vef_stats_efficiency(stats);
    VEF_PUT(into, "events", stats->events);
    VEF_PUT(into, "mpi_calls", stats->calls);
    VEF_PUT(into, "messages", stats->messages);
    VEF_PUT(into, "message_bytes", stats->message_bytes);
    VEF_PUT(into, "one_sided", stats->one_sided);
    VEF_PUT(into, "one_sided_bytes", stats->one_sided_bytes);
    VEF_PUT(into, "receives", stats->receives);
    VEF_PUT(into, "wildcard_receives", stats->wildcards);
    VEF_PUT(into, "any_source_receives", stats->any_source);
    VEF_PUT(into, "any_tag_receives", stats->any_tag);
    VEF_PUT(into, "unmatched", stats->unmatched);
    VEF_PUT(into, "cancelled", stats->cancelled);
    VEF_PUT(into, "file_bytes", view->file_bytes);
    VEF_PUT(into, "bytes_per_call", vef_info_ratio(view->file_bytes, stats->calls));
    VEF_PUT(into, "bytes_per_event", vef_info_ratio(view->file_bytes, stats->events));
    VEF_PUT(into, "compute_ns", stats->compute_ns);
    VEF_PUT(into, "mpi_ns", VEF_IF(view->durations, stats->mpi_ns));
    VEF_PUT(into, "outside_ns", stats->outside_ns);
    if (view->durations)
        VEF_PUT(into, "startup_ns", stats->startup_ns);
    VEF_PUT(into, "run_ns", VEF_IF(view->durations, stats->run_ns));
    vef_result *efficiency_group = vef_put_group(into, "efficiency");
    VEF_PUT(efficiency_group, "load_balance", efficiency.load_balance);
    if (view->durations) {
        VEF_PUT(efficiency_group, "communication", efficiency.communication);
        VEF_PUT(efficiency_group, "parallel", efficiency.parallel);
    }
    put_kinds(into, view);
}

/* ---- the matrix ---- */

static void add_pair(void *table, const vef_info_pair *pair) {
    VEF_CELLS(table, pair->from, pair->to, pair->messages, pair->bytes, pair->one_sided_messages,
              pair->one_sided_bytes);
}

static void fill_matrix(const void *view, vef_result *table) {
    vef_info_pairs(view, add_pair, table);
}

void vef_info_matrix(const vef_info_view *view, vef_result *into) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("from", NULL), VEF_COLUMN("to", NULL), VEF_COLUMN("messages", NULL),
                    VEF_COLUMN("bytes", NULL), VEF_COLUMN("one_sided", NULL),
                    VEF_COLUMN("one_sided_bytes", NULL));
    vef_put_stream(into, "matrix", VEF_EVERYONE, columns, fill_matrix, view);
}

/* ---- the report ---- */

void vef_info_put_tables(const vef_info_view *view, vef_result *into) {
    const struct {
        bool requested;
        vef_info_table *put;
    } tables[] = {{view->calls, vef_info_calls},
                  {view->sites, vef_info_sites},
                  {view->sizes, vef_info_sizes},
                  {view->regions, vef_info_regions},
                  {view->waits >= 0, vef_info_waits},
                  {view->communicators, vef_info_comms},
                  {view->per_task, vef_info_tasks},
                  {view->partners, vef_info_partners},
                  {view->calls_under_way, vef_info_under_way}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].requested)
            tables[i].put(view, into, NULL, SIZE_MAX);
    if (view->matrix)
        vef_info_matrix(view, into);
}

void vef_info_put_document(const vef_info_view *view, vef_result *into) {
    static const struct {
        const char *key;
        vef_info_table *put;
    } tables[] = {{"regions", vef_info_regions},           {"longest_waits", vef_info_waits},
                  {"communicator_use", vef_info_comms},    {"per_task", vef_info_tasks},
                  {"calls_under_way", vef_info_under_way}, {"partners", vef_info_partners}};
    const vef_stats *stats = &view->stats;
    put_header(into, view);
    put_totals(into, view);
    put_calls(into, view);
    put_not_recorded(into, view);
    put_measured(into, view);
    put_sizes(into, "message_sizes", &stats->message_sizes, "messages");
    put_sizes(into, "collective_sizes", &stats->collective_sizes, "calls");
    put_sizes(into, "one_sided_sizes", &stats->one_sided_sizes, "operations");
    if (view->header->site_count > 0)
        vef_info_sites(view, into, "sites", SIZE_MAX);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (view->durations || tables[i].put != vef_info_waits)
            tables[i].put(view, into, tables[i].key, SIZE_MAX);
    if (view->matrix)
        vef_info_matrix(view, into);
}
