/* `vef info --json`: everything, in exact numbers. See view.h. */
#include "cli/info/view.h"

static void put_calls(vef_json *json, const vef_info_view *view) {
    char name[80];
    vef_json_open_object(json, "calls");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (view->stats.call[call].calls)
            vef_json_uint(json, vef_info_call_name(name, call), view->stats.call[call].calls);
    vef_json_close(json);
    vef_json_open_object(json, "call_details");
    for (size_t call = 0; call < vef_call_count(); call++) {
        const vef_call_stats *stats = &view->stats.call[call];
        if (!stats->calls)
            continue;
        vef_json_open_object(json, vef_info_call_name(name, call));
        vef_json_uint(json, "count", stats->calls);
        vef_json_uint(json, "tasks", stats->tasks);
        vef_json_uint(json, "bytes", stats->bytes);
        if (view->durations) {
            vef_json_uint(json, "time_ns", stats->duration_ns);
            vef_json_uint(json, "longest_ns", stats->longest_ns);
        }
        vef_json_close(json);
    }
    vef_json_close(json);
}

static void put_not_recorded(vef_json *json, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    char name[80];
    vef_json_open_object(json, "not_recorded");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (header->not_recorded[call])
            vef_json_uint(json, vef_info_call_name(name, call), header->not_recorded[call]);
    vef_json_close(json);
    vef_json_open_object(json, "not_recorded_ns");
    for (size_t call = 0; header->not_recorded_ns && call < vef_call_count(); call++)
        if (header->not_recorded[call])
            vef_json_uint(json, vef_info_call_name(name, call), header->not_recorded_ns[call]);
    vef_json_close(json);
}

/* Calls left out by choice, and how the times of each task were measured. */
static void put_measured(vef_json *json, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    const vef_measured_run run = vef_trace_measured(header);
    char name[80], text[VEF_MEASURED_TEXT_BYTES];
    vef_json_open_object(json, "left_out");
    for (size_t call = 0; header->left_out.calls && call < vef_call_count(); call++) {
        if (header->left_out.calls[call] == 0)
            continue;
        vef_json_open_object(json, vef_info_call_name(name, call));
        vef_json_uint(json, "count", header->left_out.calls[call]);
        vef_json_uint(json, "time_ns", header->left_out.ns[call]);
        vef_json_close(json);
    }
    vef_json_close(json);
    vef_json_open_array(json, "measured");
    for (uint32_t i = 0; header->measured && i < header->tasks; i++) {
        vef_json_open_object(json, NULL);
        vef_json_uint(json, "task", i);
        for (size_t field = 0; field < VEF_MEASURED_FIELDS; field++)
            vef_json_uint(json, vef_measured_fields[field].name,
                          vef_measured_value(&header->measured[i], field));
        vef_json_close(json);
    }
    vef_json_close(json);
    vef_json_open_array(json, "warnings");
    for (size_t i = 0; i < VEF_MEASURED_WARNINGS; i++)
        if (vef_measured_warnings[i](&run, text, sizeof text))
            vef_json_string(json, NULL, text);
    vef_json_close(json);
}

static void put_sizes(vef_json *json, const char *key, const vef_size_stats *sizes,
                      const char *counted) {
    vef_json_open_array(json, key);
    for (unsigned i = 0; i < VEF_SIZE_CLASSES; i++) {
        if (!sizes->count[i])
            continue;
        vef_json_open_object(json, NULL);
        vef_json_uint(json, "from_bytes", i ? UINT64_C(1) << (i - 1) : 0);
        vef_json_uint(json, counted, sizes->count[i]);
        vef_json_uint(json, "bytes", sizes->bytes[i]);
        vef_json_close(json);
    }
    vef_json_close(json);
}

static void put_pair(void *context, const vef_info_pair *pair) {
    vef_json *json = context;
    vef_json_open_object(json, NULL);
    vef_json_uint(json, "from", pair->from);
    vef_json_uint(json, "to", pair->to);
    vef_json_uint(json, "messages", pair->messages);
    vef_json_uint(json, "bytes", pair->bytes);
    vef_json_uint(json, "one_sided", pair->one_sided_messages);
    vef_json_uint(json, "one_sided_bytes", pair->one_sided_bytes);
    vef_json_close(json);
}

static void put_header(vef_json *json, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    vef_json_string(json, "file", view->path);
    vef_json_string(json, "application", header->application);
    vef_json_string(json, "command", header->command);
    vef_json_string(json, "library", header->library);
    vef_json_string(json, "clock", header->clock);
    vef_json_string(json, "times", header->times);
    vef_json_string(json, "options", header->options);
    vef_json_string(json, "date", header->date);
    if (header->exit_status < 0)
        vef_json_null(json, "exit_status");
    else
        vef_json_uint(json, "exit_status", (uint64_t)header->exit_status);
    vef_json_string(json, "missing", view->missing);
    vef_json_uint(json, "tasks", header->tasks);
    vef_json_uint(json, "threads", view->stats.threads);
    vef_json_uint(json, "communicators", header->communicator_count);
    vef_json_open_array(json, "cut_short");
    for (uint32_t i = 0; i < header->tasks; i++)
        if (vef_log_end_cuts(header->task[i].end))
            vef_json_uint(json, NULL, i);
    vef_json_close(json);
}

static void put_kinds(vef_json *json, const vef_info_view *view) {
    vef_json_open_object(json, "kinds");
    for (vef_kind kind = 0; kind <= VEF_KIND_COUNTED; kind++) {
        const vef_kind_stats *stats = &view->stats.kind[kind];
        if (stats->calls == 0)
            continue;
        vef_json_open_object(json, vef_info_kind_name(kind));
        vef_json_uint(json, "calls", stats->calls);
        if (view->durations)
            vef_json_uint(json, "time_ns", stats->duration_ns);
        vef_json_close(json);
    }
    vef_json_close(json);
}

static void put_totals(vef_json *json, const vef_info_view *view) {
    const vef_stats *stats = &view->stats;
    vef_efficiency efficiency = vef_stats_efficiency(stats);
    vef_json_uint(json, "events", stats->events);
    vef_json_uint(json, "mpi_calls", stats->calls);
    vef_json_uint(json, "messages", stats->messages);
    vef_json_uint(json, "message_bytes", stats->message_bytes);
    vef_json_uint(json, "one_sided", stats->one_sided);
    vef_json_uint(json, "one_sided_bytes", stats->one_sided_bytes);
    vef_json_uint(json, "receives", stats->receives);
    vef_json_uint(json, "wildcard_receives", stats->wildcards);
    vef_json_uint(json, "any_source_receives", stats->any_source);
    vef_json_uint(json, "any_tag_receives", stats->any_tag);
    vef_json_uint(json, "unmatched", stats->unmatched);
    vef_json_uint(json, "cancelled", stats->cancelled);
    vef_json_uint(json, "file_bytes", view->file_bytes);
    vef_json_real(json, "bytes_per_call", vef_info_ratio(view->file_bytes, stats->calls));
    vef_json_real(json, "bytes_per_event", vef_info_ratio(view->file_bytes, stats->events));
    vef_json_uint(json, "compute_ns", stats->compute_ns);
    if (view->durations)
        vef_json_uint(json, "mpi_ns", stats->mpi_ns);
    else
        vef_json_null(json, "mpi_ns");
    vef_json_uint(json, "outside_ns", stats->outside_ns);
    if (view->durations)
        vef_json_uint(json, "startup_ns", stats->startup_ns);
    if (view->durations)
        vef_json_uint(json, "run_ns", stats->run_ns);
    else
        vef_json_null(json, "run_ns");
    vef_json_open_object(json, "efficiency");
    vef_json_real(json, "load_balance", efficiency.load_balance);
    if (view->durations) {
        vef_json_real(json, "communication", efficiency.communication);
        vef_json_real(json, "parallel", efficiency.parallel);
    }
    vef_json_close(json);
    put_kinds(json, view);
}

/* A table as an array of objects; frees it. */
static vef_code put_table(vef_json *json, const char *key, vef_table *table, vef_error *error) {
    if (!table)
        return vef_fail_memory(error, "a table", 1024);
    vef_code code = vef_table_write_json(table, json, key, error);
    vef_table_free(table);
    return code;
}

vef_code vef_info_show_json(const vef_info_view *view, vef_error *error) {
    const vef_stats *stats = &view->stats;
    vef_table *partners = NULL;
    vef_json json;
    vef_json_begin(&json, stdout);
    put_header(&json, view);
    put_totals(&json, view);
    put_calls(&json, view);
    put_not_recorded(&json, view);
    put_measured(&json, view);
    put_sizes(&json, "message_sizes", &stats->message_sizes, "messages");
    put_sizes(&json, "collective_sizes", &stats->collective_sizes, "calls");
    put_sizes(&json, "one_sided_sizes", &stats->one_sided_sizes, "operations");
    vef_code code =
        put_table(&json, "regions", vef_info_regions(view, VEF_INFO_EXACT, SIZE_MAX), error);
    if (!code && view->durations)
        code = put_table(&json, "longest_waits", vef_info_waits(view, VEF_INFO_EXACT, SIZE_MAX),
                         error);
    if (!code)
        code = put_table(&json, "communicator_use", vef_info_comms(view, VEF_INFO_EXACT), error);
    if (!code)
        code = put_table(&json, "per_task", vef_info_tasks(view, VEF_INFO_EXACT), error);
    if (!code)
        code = put_table(&json, "calls_under_way",
                         vef_info_under_way(view, VEF_INFO_EXACT, SIZE_MAX), error);
    if (!code)
        code = vef_info_partners(view, VEF_INFO_EXACT, &partners, error);
    if (!code)
        code = put_table(&json, "partners", partners, error);
    if (!code && view->matrix) {
        vef_json_open_array(&json, "matrix");
        code = vef_info_pairs(view, put_pair, &json, error);
        vef_json_close(&json);
    }
    vef_json_end(&json);
    return code;
}
