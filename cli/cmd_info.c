/* `vef info`: what a trace holds, from one pass over it. What is shown stands in info_text.c and
 * its like. */
#include "cli/command.h"
#include "cli/info_view.h"
#include "cli/snapshot_trace.h"

#include <string.h>
#include <sys/stat.h>

/* Waits that are kept when no number was given, and the most that can be. */
enum { DEFAULT_WAITS = 5, MOST_WAITS = 1000000 };

static void help(FILE *out) {
    fputs(
        "Without options: a page that shows the weightiest of everything. Each table's option\n"
        "shows it whole; with --csv only the tables that were asked for, in exact numbers.\n"
        "\n"
        "time        from the end of MPI_Init to the beginning of MPI_Finalize. computing:\n"
        "            between MPI calls; in MPI: inside calls that traces hold; outside: inside\n"
        "            calls that are only counted (files, datatypes and the like)\n"
        "efficiency  as the POP Centre of Excellence defines it: load balance is the mean\n"
        "            computation over the greatest, communication efficiency the greatest\n"
        "            computation over the run's time, parallel efficiency their product\n"
        "bytes       of messages: those sent; of collectives: what FORMAT.md says of each call\n"
        "calls under way  in which MPI call each thread of a killed or running task is, or after\n"
        "            which call it computes: since when, in s after MPI_Init, for how long, and\n"
        "            what it waits for\n"
        "for         whom a long call waited for: the peer of its message or request, or all of a\n"
        "            communicator\n"
        "partners    other tasks with which a task exchanges messages or one-sided operations\n"
        "\n"
        "Polls count as often as they were made. Events are numbered in each task from 0, over "
        "its\n"
        "threads in the order in which calls were entered. A damaged trace is shown as far as it\n"
        "goes, with exit status 1.\n",
        out);
}

static vef_code read_stats(vef_trace *trace, vef_info_view *view, vef_error *error) {
    vef_progress progress;
    size_t waits = view->waits < 0 ? DEFAULT_WAITS : (size_t)view->waits;
    vef_progress_begin(&progress, "reading");
    vef_code code = vef_stats_read(trace, waits, &progress, &view->stats, error);
    vef_progress_end(&progress);
    return code;
}

static vef_code show(vef_trace *trace, vef_info_view *view, vef_error *error) {
    struct stat status;
    view->header = vef_trace_get_header(trace);
    view->durations = !view->header->times || strcmp(view->header->times, "compute") != 0;
    view->file_bytes = stat(vef_trace_path(trace), &status) == 0 ? (uint64_t)status.st_size : 0;
    vef_code code = read_stats(trace, view, error);
    if (!code)
        code = vef_trace_under_way(trace, &view->under_way, &view->under_way_count, error);
    if (code)
        return code;
    code = view->json  ? vef_info_show_json(view, error)
           : view->csv ? vef_info_show_csv(view, error)
                       : vef_info_show_text(view, error);
    if (!code && (fflush(stdout) != 0 || ferror(stdout)))
        code = vef_fail(error, VEF_IO, "writing standard output failed");
    if (!code && view->plot)
        code = vef_info_picture(view, error);
    if (!code && view->stats.saturated)
        fprintf(stderr,
                "vef info: %s: some sums exceed 2^64-1 (584 years of ns) and are shown as "
                "18446744073709551615\n",
                view->path);
    vef_stats_free(&view->stats);
    return code;
}

static const vef_option options[] = {
    {.name = "calls",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, calls),
     .help = "every MPI call: how often, by how many tasks, bytes, time"},
    {.name = "per-task",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, per_task),
     .help = "a row per task: calls, messages, times, how it ended, and its partners"},
    {.name = "sizes",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, sizes),
     .help = "sizes of messages, collectives and one-sided operations by powers of 2"},
    {.name = "partners",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, partners),
     .help = "whom each task sends to and receives from"},
    {.name = "waits",
     .kind = VEF_OPTION_COUNT,
     .offset = offsetof(vef_info_view, waits),
     .value = "N",
     .help = "the N longest calls that waited for others; default: 5"},
    {.name = "regions",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, regions),
     .help = "every region and mark of the program"},
    {.name = "communicators",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, communicators),
     .help = "every communicator and window, and what goes over it"},
    {.name = "calls-under-way",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, calls_under_way),
     .help = "every call that a task was in when it was killed, and what it waited for"},
    {.name = "running",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, running),
     .help = "FILE is the folder of the logs of a job: show it as it is at the moment"},
    {.name = "matrix",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, matrix),
     .help = "who sends how much to whom, as CSV or in the JSON (not: collectives)"},
    {.name = "plot",
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(vef_info_view, plot),
     .value = "FILE",
     .help = "the same matrix as a picture, FILE.svg or FILE.png (by gnuplot)"},
    {.name = "json",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, json),
     .help = "everything as JSON, but the matrix only where it was asked for"},
    {.name = "csv",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(vef_info_view, csv),
     .help = "the tables that were asked for as CSV, after each other"},
    {0},
};

static int run(int argc, char **argv) {
    vef_info_view view = {.waits = -1};
    vef_error error = {0};
    vef_snapshot_trace snapshot = {0};
    int operand = vef_command_read(&vef_command_info, argc, argv, &view, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    view.path = argv[operand];
    if (view.csv && view.json)
        return vef_command_usage(&vef_command_info, "--csv or --json, not both");
    if (view.csv &&
        !(view.calls || view.per_task || view.sizes || view.partners || view.waits >= 0 ||
          view.regions || view.communicators || view.matrix || view.calls_under_way))
        return vef_command_usage(
            &vef_command_info,
            "--csv of which table? --calls, --per-task, --sizes, --partners, "
            "--waits N, --regions, --communicators, --calls-under-way or --matrix");
    if (view.waits > MOST_WAITS)
        return vef_command_usage(&vef_command_info, "--waits: at most %d", MOST_WAITS);
    vef_trace *trace = NULL;
    vef_code code = view.plot ? vef_info_picture_check(&view, &error) : VEF_OK;
    if (!code && view.running) {
        view.calls_under_way = true;
        code = vef_snapshot_trace_make(view.path, &snapshot, &error);
    }
    if (!code)
        code =
            vef_trace_open(view.running ? snapshot.path : view.path, &trace, &view.missing, &error);
    if (!code)
        code = show(trace, &view, &error);
    int exit = code ? vef_command_error("info", &error) : VEF_EXIT_OK;
    if (!code && view.missing) {
        fprintf(stderr, "vef info: %s: %s\n", view.path, view.missing);
        exit = VEF_EXIT_FAILURE;
    }
    vef_trace_close(trace);
    vef_snapshot_trace_free(&snapshot);
    return exit;
}

const vef_command vef_command_info = {
    .name = "info",
    .summary = "Show what a trace holds",
    .usage =
        "FILE [--calls] [--per-task] [--sizes] [--partners] [--waits N] [--regions]\n"
        "       [--communicators] [--matrix] [--plot FILE] [--json | --csv]",
    .options = options,
    .help = help,
    .run = run,
};
