/* `vef info` for programs, in exact numbers: everything as a document, or the requested tables. */
#include "cli/info/view.h"

#include <string.h>

static void put_calls(vef_doc *doc, const vef_info_view *view) {
    char name[80];
    vef_doc_open_map(doc, "calls");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (view->stats.call[call].calls)
            vef_doc_uint(doc, vef_info_call_name(name, call), view->stats.call[call].calls);
    vef_doc_close(doc);
    vef_doc_open_map(doc, "call_details");
    for (size_t call = 0; call < vef_call_count(); call++) {
        const vef_call_stats *stats = &view->stats.call[call];
        if (!stats->calls)
            continue;
        vef_doc_open_map(doc, vef_info_call_name(name, call));
        vef_doc_uint(doc, "count", stats->calls);
        vef_doc_uint(doc, "tasks", stats->tasks);
        vef_doc_uint(doc, "bytes", stats->bytes);
        if (view->durations) {
            vef_doc_uint(doc, "time_ns", stats->duration_ns);
            vef_doc_uint(doc, "longest_ns", stats->longest_ns);
        }
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_not_recorded(vef_doc *doc, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    char name[80];
    vef_doc_open_map(doc, "not_recorded");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (header->not_recorded[call])
            vef_doc_uint(doc, vef_info_call_name(name, call), header->not_recorded[call]);
    vef_doc_close(doc);
    vef_doc_open_map(doc, "not_recorded_ns");
    for (size_t call = 0; header->not_recorded_ns && call < vef_call_count(); call++)
        if (header->not_recorded[call])
            vef_doc_uint(doc, vef_info_call_name(name, call), header->not_recorded_ns[call]);
    vef_doc_close(doc);
}

/* Calls left out by choice, and how the times of each task were measured. */
static void put_measured(vef_doc *doc, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    const vef_measured_run run = vef_trace_measured(header);
    char name[80], text[VEF_MEASURED_TEXT_BYTES];
    vef_doc_open_map(doc, "left_out");
    for (size_t call = 0; header->left_out.calls && call < vef_call_count(); call++) {
        if (header->left_out.calls[call] == 0)
            continue;
        vef_doc_open_map(doc, vef_info_call_name(name, call));
        vef_doc_uint(doc, "count", header->left_out.calls[call]);
        vef_doc_uint(doc, "time_ns", header->left_out.ns[call]);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
    vef_doc_open_list(doc, "measured");
    for (uint32_t i = 0; header->measured && i < header->tasks; i++) {
        vef_doc_open_map(doc, NULL);
        vef_doc_uint(doc, "task", i);
        for (size_t field = 0; field < VEF_MEASURED_FIELDS; field++)
            vef_doc_uint(doc, vef_measured_fields[field].name,
                         vef_measured_value(&header->measured[i], field));
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
    vef_doc_open_list(doc, "warnings");
    for (size_t i = 0; i < VEF_MEASURED_WARNINGS; i++)
        if (vef_measured_warnings[i](&run, text, sizeof text))
            vef_doc_string(doc, NULL, text);
    vef_doc_close(doc);
}

static void put_sizes(vef_doc *doc, const char *key, const vef_size_stats *sizes,
                      const char *counted) {
    vef_doc_open_list(doc, key);
    for (unsigned i = 0; i < VEF_SIZE_CLASSES; i++) {
        if (!sizes->count[i])
            continue;
        vef_doc_open_map(doc, NULL);
        vef_doc_uint(doc, "from_bytes", i ? UINT64_C(1) << (i - 1) : 0);
        vef_doc_uint(doc, counted, sizes->count[i]);
        vef_doc_uint(doc, "bytes", sizes->bytes[i]);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_header(vef_doc *doc, const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    vef_doc_string(doc, "file", view->path);
    vef_doc_string(doc, "application", header->application);
    vef_doc_string(doc, "command", header->command);
    vef_doc_string(doc, "library", header->library);
    vef_doc_string(doc, "clock", header->clock);
    vef_doc_string(doc, "times", header->times);
    vef_doc_string(doc, "options", header->options);
    vef_doc_string(doc, "date", header->date);
    vef_doc_uint_or_null(doc, "exit_status", header->exit_status >= 0,
                         (uint64_t)header->exit_status);
    vef_doc_string(doc, "missing", view->missing);
    vef_doc_uint(doc, "tasks", header->tasks);
    vef_doc_uint(doc, "threads", view->stats.threads);
    vef_doc_uint(doc, "communicators", header->communicator_count);
    vef_doc_open_list(doc, "cut_short");
    for (uint32_t i = 0; i < header->tasks; i++)
        if (vef_log_end_cuts(header->task[i].end))
            vef_doc_uint(doc, NULL, i);
    vef_doc_close(doc);
}

static void put_kinds(vef_doc *doc, const vef_info_view *view) {
    vef_doc_open_map(doc, "kinds");
    for (vef_kind kind = 0; kind <= VEF_KIND_COUNTED; kind++) {
        const vef_kind_stats *stats = &view->stats.kind[kind];
        if (stats->calls == 0)
            continue;
        vef_doc_open_map(doc, vef_info_kind_name(kind));
        vef_doc_uint(doc, "calls", stats->calls);
        if (view->durations)
            vef_doc_uint(doc, "time_ns", stats->duration_ns);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_totals(vef_doc *doc, const vef_info_view *view) {
    const vef_stats *stats = &view->stats;
    vef_efficiency efficiency = vef_stats_efficiency(stats);
    vef_doc_uint(doc, "events", stats->events);
    vef_doc_uint(doc, "mpi_calls", stats->calls);
    vef_doc_uint(doc, "messages", stats->messages);
    vef_doc_uint(doc, "message_bytes", stats->message_bytes);
    vef_doc_uint(doc, "one_sided", stats->one_sided);
    vef_doc_uint(doc, "one_sided_bytes", stats->one_sided_bytes);
    vef_doc_uint(doc, "receives", stats->receives);
    vef_doc_uint(doc, "wildcard_receives", stats->wildcards);
    vef_doc_uint(doc, "any_source_receives", stats->any_source);
    vef_doc_uint(doc, "any_tag_receives", stats->any_tag);
    vef_doc_uint(doc, "unmatched", stats->unmatched);
    vef_doc_uint(doc, "cancelled", stats->cancelled);
    vef_doc_uint(doc, "file_bytes", view->file_bytes);
    vef_doc_real(doc, "bytes_per_call", vef_info_ratio(view->file_bytes, stats->calls));
    vef_doc_real(doc, "bytes_per_event", vef_info_ratio(view->file_bytes, stats->events));
    vef_doc_uint(doc, "compute_ns", stats->compute_ns);
    vef_doc_uint_or_null(doc, "mpi_ns", view->durations, stats->mpi_ns);
    vef_doc_uint(doc, "outside_ns", stats->outside_ns);
    if (view->durations)
        vef_doc_uint(doc, "startup_ns", stats->startup_ns);
    vef_doc_uint_or_null(doc, "run_ns", view->durations, stats->run_ns);
    vef_doc_open_map(doc, "efficiency");
    vef_doc_real(doc, "load_balance", efficiency.load_balance);
    if (view->durations) {
        vef_doc_real(doc, "communication", efficiency.communication);
        vef_doc_real(doc, "parallel", efficiency.parallel);
    }
    vef_doc_close(doc);
    put_kinds(doc, view);
}

/* ---- the matrix ---- */

enum { PAIR_FIELDS = 6 };
static const char *const pair_keys[PAIR_FIELDS] = {"from",  "to",        "messages",
                                                   "bytes", "one_sided", "one_sided_bytes"};

static void read_pair(const vef_info_pair *pair, uint64_t values[PAIR_FIELDS]) {
    const uint64_t fields[PAIR_FIELDS] = {
        pair->from,           pair->to, pair->messages, pair->bytes, pair->one_sided_messages,
        pair->one_sided_bytes};
    memcpy(values, fields, sizeof fields);
}

static void put_pair(void *context, const vef_info_pair *pair) {
    uint64_t values[PAIR_FIELDS];
    read_pair(pair, values);
    vef_doc_open_map(context, NULL);
    for (size_t i = 0; i < PAIR_FIELDS; i++)
        vef_doc_uint(context, pair_keys[i], values[i]);
    vef_doc_close(context);
}

typedef struct sink {
    vef_row_writer *row;
    FILE *out;
} sink;

static void write_pair(void *context, const vef_info_pair *pair) {
    const sink *to = context;
    uint64_t values[PAIR_FIELDS];
    char texts[PAIR_FIELDS][24];
    vef_cell cells[PAIR_FIELDS];
    read_pair(pair, values);
    for (size_t i = 0; i < PAIR_FIELDS; i++) {
        snprintf(texts[i], sizeof texts[i], "%" PRIu64, values[i]);
        cells[i] = (vef_cell){texts[i], true};
    }
    to->row(to->out, cells, PAIR_FIELDS, false);
}

void vef_info_write_matrix(const vef_info_view *view, vef_row_writer *row, FILE *out) {
    vef_cell heads[PAIR_FIELDS];
    for (size_t i = 0; i < PAIR_FIELDS; i++)
        heads[i] = (vef_cell){pair_keys[i], true};
    row(out, heads, PAIR_FIELDS, true);
    vef_info_pairs(view, write_pair, &(sink){row, out});
}

/* ---- the report ---- */

void vef_info_write_tables(const void *report, vef_row_writer *row, FILE *out) {
    const vef_info_view *view = report;
    const struct {
        bool asked;
        vef_info_table *make;
    } tables[] = {
        {view->calls, vef_info_calls},         {view->sizes, vef_info_sizes},
        {view->regions, vef_info_regions},     {view->waits >= 0, vef_info_waits},
        {view->communicators, vef_info_comms}, {view->per_task, vef_info_tasks},
        {view->partners, vef_info_partners},   {view->calls_under_way, vef_info_under_way}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!tables[i].asked)
            continue;
        fputs(separator, out);
        separator = "\n";
        vef_table_write(tables[i].make(view, VEF_INFO_EXACT, SIZE_MAX), row, out);
    }
    if (view->matrix) {
        fputs(separator, out);
        vef_info_write_matrix(view, row, out);
    }
}

vef_code vef_info_write_doc(const void *report, vef_doc *doc, vef_error *error) {
    (void)error;
    static const struct {
        const char *key;
        vef_info_table *make;
    } tables[] = {{"regions", vef_info_regions},           {"longest_waits", vef_info_waits},
                  {"communicator_use", vef_info_comms},    {"per_task", vef_info_tasks},
                  {"calls_under_way", vef_info_under_way}, {"partners", vef_info_partners}};
    const vef_info_view *view = report;
    const vef_stats *stats = &view->stats;
    put_header(doc, view);
    put_totals(doc, view);
    put_calls(doc, view);
    put_not_recorded(doc, view);
    put_measured(doc, view);
    put_sizes(doc, "message_sizes", &stats->message_sizes, "messages");
    put_sizes(doc, "collective_sizes", &stats->collective_sizes, "calls");
    put_sizes(doc, "one_sided_sizes", &stats->one_sided_sizes, "operations");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (view->durations || tables[i].make != vef_info_waits)
            vef_table_write_doc(tables[i].make(view, VEF_INFO_EXACT, SIZE_MAX), doc, tables[i].key);
    if (view->matrix) {
        vef_doc_open_list(doc, "matrix");
        vef_info_pairs(view, put_pair, doc);
        vef_doc_close(doc);
    }
    return VEF_OK;
}
