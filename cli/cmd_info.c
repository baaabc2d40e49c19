/* `vef info`: what a trace holds, from one pass over it. */
#include "cli/command.h"
#include "common/json.h"
#include "common/table.h"
#include "traces/stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct info_view {
    const char *path;
    const vef_trace_header *header;
    const char *missing;
    vef_stats stats;
    uint64_t file_bytes;
    bool json, matrix, per_task;
} info_view;

static void help(FILE *out) {
    fprintf(out,
            "Sizes in the histogram count point-to-point messages. A call that polled without\n"
            "success counts each time. A damaged trace is shown as far as it goes, with exit\n"
            "status 1.\n");
}

static const char *end_name(vef_log_end end) {
    switch (end) {
    case VEF_LOG_FINALIZED:
        return "finalized";
    case VEF_LOG_ABORTED:
        return "aborted";
    case VEF_LOG_EXITED:
        return "exited";
    case VEF_LOG_CUT:
        break;
    }
    return "cut short";
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0.0;
}

static const char *mpi_name(char *to, size_t size, size_t call) {
    snprintf(to, size, "MPI_%s", vef_call_name((uint16_t)call));
    return to;
}

/* The sizes of class `i`, as "4096-8191". */
static const char *class_name(char *to, size_t size, unsigned i) {
    if (i < 2)
        snprintf(to, size, "%u", i);
    else
        snprintf(to, size, "%" PRIu64 "-%" PRIu64, UINT64_C(1) << (i - 1),
                 i == 64 ? UINT64_MAX : (UINT64_C(1) << i) - 1);
    return to;
}

/* ---- JSON ---- */

static void json_calls(vef_json *json, const info_view *view) {
    char name[80];
    vef_json_open_object(json, "calls");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (view->stats.call[call].calls)
            vef_json_uint(json, mpi_name(name, sizeof name, call), view->stats.call[call].calls);
    vef_json_close(json);
    vef_json_open_object(json, "call_details");
    for (size_t call = 0; call < vef_call_count(); call++) {
        const vef_call_stats *stats = &view->stats.call[call];
        if (!stats->calls)
            continue;
        vef_json_open_object(json, mpi_name(name, sizeof name, call));
        vef_json_uint(json, "count", stats->calls);
        vef_json_uint(json, "bytes", stats->bytes);
        vef_json_uint(json, "time_ns", stats->duration_ns);
        vef_json_close(json);
    }
    vef_json_close(json);
    vef_json_open_object(json, "not_recorded");
    for (size_t call = 0; call < vef_call_count(); call++)
        if (view->header->not_recorded[call])
            vef_json_uint(json, mpi_name(name, sizeof name, call),
                          view->header->not_recorded[call]);
    vef_json_close(json);
}

static void json_sizes(vef_json *json, const info_view *view) {
    vef_json_open_array(json, "message_sizes");
    for (unsigned i = 0; i < VEF_SIZE_CLASSES; i++) {
        if (!view->stats.sizes[i])
            continue;
        vef_json_open_object(json, NULL);
        vef_json_uint(json, "from_bytes", i ? UINT64_C(1) << (i - 1) : 0);
        vef_json_uint(json, "messages", view->stats.sizes[i]);
        vef_json_close(json);
    }
    vef_json_close(json);
}

static void json_matrix(vef_json *json, const info_view *view) {
    const vef_traffic *traffic = &view->stats.traffic;
    vef_json_open_array(json, "matrix");
    for (uint32_t from = 0; from < traffic->tasks; from++) {
        for (size_t i = traffic->first[from]; i < traffic->first[from + 1]; i++) {
            vef_json_open_object(json, NULL);
            vef_json_uint(json, "from", from);
            vef_json_uint(json, "to", traffic->flows[i].to);
            vef_json_uint(json, "messages", traffic->flows[i].messages);
            vef_json_uint(json, "bytes", traffic->flows[i].bytes);
            vef_json_close(json);
        }
    }
    vef_json_close(json);
}

static void json_tasks(vef_json *json, const info_view *view) {
    vef_json_open_array(json, "per_task");
    for (uint32_t i = 0; i < view->header->tasks; i++) {
        const vef_task_stats *task = &view->stats.task[i];
        vef_json_open_object(json, NULL);
        vef_json_uint(json, "task", i);
        vef_json_uint(json, "events", view->header->task[i].events);
        vef_json_uint(json, "calls", task->calls);
        vef_json_uint(json, "messages", task->messages);
        vef_json_uint(json, "message_bytes", task->message_bytes);
        vef_json_uint(json, "compute_ns", task->compute_ns);
        vef_json_uint(json, "mpi_ns", task->mpi_ns);
        vef_json_string(json, "end", end_name(view->header->task[i].end));
        vef_json_close(json);
    }
    vef_json_close(json);
}

static void show_json(const info_view *view) {
    const vef_trace_header *header = view->header;
    vef_json json;
    vef_json_begin(&json, stdout);
    vef_json_string(&json, "file", view->path);
    vef_json_string(&json, "application", header->application);
    vef_json_string(&json, "command", header->command);
    vef_json_string(&json, "library", header->library);
    vef_json_string(&json, "clock", header->clock);
    vef_json_string(&json, "options", header->options);
    vef_json_string(&json, "date", header->date);
    if (header->exit_status < 0)
        vef_json_null(&json, "exit_status");
    else
        vef_json_uint(&json, "exit_status", (uint64_t)header->exit_status);
    vef_json_string(&json, "missing", view->missing);
    vef_json_uint(&json, "tasks", header->tasks);
    vef_json_uint(&json, "events", view->stats.events);
    vef_json_uint(&json, "messages", view->stats.messages);
    vef_json_uint(&json, "message_bytes", view->stats.message_bytes);
    vef_json_uint(&json, "mpi_calls", view->stats.calls);
    vef_json_uint(&json, "file_bytes", view->file_bytes);
    vef_json_real(&json, "bytes_per_call", ratio(view->file_bytes, view->stats.calls));
    vef_json_real(&json, "bytes_per_event", ratio(view->file_bytes, view->stats.events));
    vef_json_uint(&json, "compute_ns", view->stats.compute_ns);
    vef_json_uint(&json, "mpi_ns", view->stats.mpi_ns);
    vef_json_uint(&json, "communicators", header->communicator_count);
    json_calls(&json, view);
    json_sizes(&json, view);
    vef_json_open_array(&json, "cut_short");
    for (uint32_t i = 0; i < header->tasks; i++)
        if (header->task[i].end == VEF_LOG_CUT)
            vef_json_uint(&json, NULL, i);
    vef_json_close(&json);
    if (view->matrix)
        json_matrix(&json, view);
    if (view->per_task)
        json_tasks(&json, view);
    vef_json_end(&json);
}

/* ---- text ---- */

static void show_cut_short(const info_view *view) {
    const vef_trace_header *header = view->header;
    uint32_t cut = 0;
    for (uint32_t i = 0; i < header->tasks; i++)
        cut += header->task[i].end == VEF_LOG_CUT;
    if (cut == 0)
        return;
    printf("cut short      %u tasks:", cut);
    for (uint32_t i = 0, shown = 0; i < header->tasks && shown < 10; i++) {
        if (header->task[i].end != VEF_LOG_CUT)
            continue;
        printf("%s %u (after %" PRIu64 " events)", shown++ ? "," : "", i, header->task[i].events);
    }
    printf("%s\n", cut > 10 ? ", …" : "");
}

static void show_header(const info_view *view) {
    const vef_trace_header *header = view->header;
    const vef_stats *stats = &view->stats;
    const struct {
        const char *name, *text;
    } lines[] = {{"application", header->application}, {"command", header->command},
                 {"MPI library", header->library},     {"clock", header->clock},
                 {"options", header->options},         {"date", header->date}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (*lines[i].text)
            printf("%-14s %s\n", lines[i].name, lines[i].text);
    if (header->exit_status != 0)
        printf("%-14s %d\n", "exit status", header->exit_status);
    printf("%-14s %u\n", "tasks", header->tasks);
    show_cut_short(view);
    printf("%-14s %" PRIu64 " (%" PRIu64 " MPI calls)\n", "events", stats->events, stats->calls);
    printf("%-14s %" PRIu64 " with %" PRIu64 " bytes\n", "messages", stats->messages,
           stats->message_bytes);
    printf("%-14s %.6f s computing, %.6f s in MPI, over all tasks\n", "time",
           (double)stats->compute_ns * 1e-9, (double)stats->mpi_ns * 1e-9);
    printf("%-14s %" PRIu64 " bytes, %.2f per MPI call (%.2f per event)\n", "file",
           view->file_bytes, ratio(view->file_bytes, stats->calls),
           ratio(view->file_bytes, stats->events));
}

static vef_code show_calls(const info_view *view, vef_error *error) {
    static const char *const heads[] = {"call", "count", "bytes", "time (ms)", "share of MPI time"};
    char name[80];
    vef_table *table = vef_table_new(heads, 5);
    if (!table)
        return vef_fail_memory(error, "a table", 1024);
    for (size_t call = 0; call < vef_call_count(); call++) {
        const vef_call_stats *stats = &view->stats.call[call];
        if (!stats->calls)
            continue;
        vef_table_text(table, mpi_name(name, sizeof name, call));
        vef_table_number(table, "%" PRIu64, stats->calls);
        vef_table_number(table, "%" PRIu64, stats->bytes);
        vef_table_number(table, "%.3f", (double)stats->duration_ns * 1e-6);
        vef_table_number(table, "%.1f %%", 100 * ratio(stats->duration_ns, view->stats.mpi_ns));
    }
    putchar('\n');
    vef_code code = vef_table_write(table, stdout, error);
    vef_table_free(table);
    return code;
}

static vef_code show_sizes(const info_view *view, vef_error *error) {
    static const char *const heads[] = {"message bytes", "messages", "share"};
    char name[48];
    if (view->stats.messages == 0)
        return VEF_OK;
    vef_table *table = vef_table_new(heads, 3);
    if (!table)
        return vef_fail_memory(error, "a table", 1024);
    for (unsigned i = 0; i < VEF_SIZE_CLASSES; i++) {
        if (!view->stats.sizes[i])
            continue;
        vef_table_text(table, class_name(name, sizeof name, i));
        vef_table_number(table, "%" PRIu64, view->stats.sizes[i]);
        vef_table_number(table, "%.1f %%", 100 * ratio(view->stats.sizes[i], view->stats.messages));
    }
    putchar('\n');
    vef_code code = vef_table_write(table, stdout, error);
    vef_table_free(table);
    return code;
}

static vef_code show_tasks(const info_view *view, vef_error *error) {
    static const char *const heads[] = {"task",  "events",       "calls",    "messages",
                                        "bytes", "compute (ms)", "MPI (ms)", "end"};
    vef_table *table = vef_table_new(heads, 8);
    if (!table)
        return vef_fail_memory(error, "a table", 1024);
    for (uint32_t i = 0; i < view->header->tasks; i++) {
        const vef_task_stats *task = &view->stats.task[i];
        vef_table_number(table, "%u", i);
        vef_table_number(table, "%" PRIu64, view->header->task[i].events);
        vef_table_number(table, "%" PRIu64, task->calls);
        vef_table_number(table, "%" PRIu64, task->messages);
        vef_table_number(table, "%" PRIu64, task->message_bytes);
        vef_table_number(table, "%.3f", (double)task->compute_ns * 1e-6);
        vef_table_number(table, "%.3f", (double)task->mpi_ns * 1e-6);
        vef_table_text(table, end_name(view->header->task[i].end));
    }
    putchar('\n');
    vef_code code = vef_table_write(table, stdout, error);
    vef_table_free(table);
    return code;
}

static void show_matrix(const info_view *view) {
    const vef_traffic *traffic = &view->stats.traffic;
    printf("\nfrom,to,messages,bytes\n");
    for (uint32_t from = 0; from < traffic->tasks; from++)
        for (size_t i = traffic->first[from]; i < traffic->first[from + 1]; i++)
            printf("%u,%u,%" PRIu64 ",%" PRIu64 "\n", from, traffic->flows[i].to,
                   traffic->flows[i].messages, traffic->flows[i].bytes);
}

static void show_not_recorded(const info_view *view) {
    bool any = false;
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (!view->header->not_recorded[call])
            continue;
        if (!any)
            printf("\ncalled, but not held in the trace:\n");
        any = true;
        printf("  MPI_%s %" PRIu64 "\n", vef_call_name((uint16_t)call),
               view->header->not_recorded[call]);
    }
}

static vef_code show_text(const info_view *view, vef_error *error) {
    show_header(view);
    vef_code code = show_calls(view, error);
    if (!code)
        code = show_sizes(view, error);
    if (!code)
        show_not_recorded(view);
    if (!code && view->per_task)
        code = show_tasks(view, error);
    if (!code && view->matrix)
        show_matrix(view);
    return code;
}

static int show(info_view *view) {
    vef_error error;
    vef_trace *trace = NULL;
    struct stat status;
    vef_code code = vef_trace_open(view->path, &trace, &view->missing, &error);
    if (!code)
        code = vef_stats_read(trace, &view->stats, &error);
    if (!code) {
        view->header = vef_trace_get_header(trace);
        view->file_bytes = stat(view->path, &status) == 0 ? (uint64_t)status.st_size : 0;
        if (view->json)
            show_json(view);
        else
            code = show_text(view, &error);
    }
    int exit = code ? vef_command_error("info", &error) : VEF_EXIT_OK;
    if (!code && view->missing) {
        fprintf(stderr, "vef info: %s: %s\n", view->path, view->missing);
        exit = VEF_EXIT_FAILURE;
    }
    if (!code && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "vef info: writing standard output failed\n");
        exit = VEF_EXIT_USAGE;
    }
    if (!code)
        vef_stats_free(&view->stats);
    vef_trace_close(trace);
    return exit;
}

static const vef_option options[] = {
    {.name = "json",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(info_view, json),
     .help = "everything as JSON (calls, not_recorded: MPI name → count over all tasks)"},
    {.name = "matrix",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(info_view, matrix),
     .help = "who sends how much to whom (point-to-point), as CSV or in the JSON"},
    {.name = "per-task",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(info_view, per_task),
     .help = "a row per task: calls, messages, times, and how it ended"},
    {0},
};

static int run(int argc, char **argv) {
    info_view view = {0};
    int operand = vef_options_read(&vef_command_info, argc, argv, &view, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    view.path = argv[operand];
    return show(&view);
}

const vef_command vef_command_info = {
    .name = "info",
    .summary = "Show what a trace holds",
    .usage = "FILE [--json] [--matrix] [--per-task]",
    .options = options,
    .help = help,
    .run = run,
};
