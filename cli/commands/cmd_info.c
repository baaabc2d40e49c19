/* `vef info`: statistics of a trace, read in one pass. cli/info/ prints them. */
#include "cli/command.h"
#include "cli/info/view.h"
#include "cli/snapshot_trace.h"
#include "common/pictures/picture.h"

enum { MOST_WAITS = 1000000 };

static void build(const void *report, vef_result *root) {
    const vef_info_view *view = report;
    if (vef_result_is_for(root, VEF_PEOPLE))
        vef_info_put_text(view, root);
    else if (vef_result_is_for(root, VEF_TABLES))
        vef_info_put_tables(view, root);
    else
        vef_info_put_document(view, root);
}

static vef_code show(vef_trace *trace, vef_info_view *view, vef_error *error) {
    vef_code code = vef_info_read(trace, view, error);
    if (code)
        return code;
    code = vef_report_write(view->format, build, view, stdout, error);
    if (!code && view->plot.path)
        code = vef_info_picture(trace, view, error);
    if (!code && view->stats.saturated)
        fprintf(stderr,
                "vef info: %s: some sums exceed 2^64-1 (584 years of ns) and are shown as "
                "18446744073709551615\n",
                view->path);
    vef_stats_free(&view->stats);
    return code;
}

static const vef_option options[] = {
    VEF_GROUP("Tables"),
    VEF_FLAG("calls", vef_info_view, calls, "MPI calls: numbers, tasks, bytes, times"),
    VEF_FLAG("sites", vef_info_view, sites,
             "Places in the program that call MPI: times, bytes, function and line"),
    VEF_FLAG("per-task", vef_info_view, per_task,
             "Tasks: calls, messages, times, how they ended, partners"),
    VEF_FLAG("sizes", vef_info_view, sizes,
             "Sizes of messages, collectives and one-sided operations, in powers of 2"),
    VEF_FLAG("partners", vef_info_view, partners,
             "Tasks that each task sends to and receives from"),
    VEF_OPTION(INT, "waits", "N", vef_info_view, waits,
               "The N longest calls that waited for others", .default_text = "5",
               .maximum = MOST_WAITS),
    VEF_FLAG("regions", vef_info_view, regions, "Regions and marks of the program"),
    VEF_FLAG("communicators", vef_info_view, communicators,
             "Communicators and windows, with their messages, calls and bytes"),
    VEF_FLAG("calls-under-way", vef_info_view, calls_under_way,
             "Calls that tasks were in when they were killed, and what these waited for"),
    VEF_FLAG("matrix", vef_info_view, matrix,
             "Messages and bytes between tasks, without collectives"),
    VEF_PLOT_OPTIONS(
        vef_info_view, plot,
        "Draw what tasks send each other, with collectives, as FILE.svg, .pdf or .png"),
    VEF_GROUP("Input, limits and formats"),
    VEF_FLAG("running", vef_info_view, running,
             "FILE is the folder of the logs of a running job: show its current state"),
    VEF_LIMIT_OPTION,
    VEF_FORMAT_OPTIONS(vef_info_view, format),
};

static const vef_option_rule rules[] = {
    VEF_NEEDS(VEF_TABLE_WORDS,
              "--calls --sites --per-task --sizes --partners --waits --regions "
              "--communicators --calls-under-way --matrix"),
    VEF_NEEDS("--figure", "--plot"),
    {0},
};

static int run(int argc, char **argv) {
    vef_info_view view = {0};
    vef_error error = {0};
    vef_snapshot_trace snapshot = {0};
    int operand = vef_command_read(&vef_command_info, argc, argv, &view, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    view.path = argv[operand];
    vef_trace *trace = NULL;
    vef_code code = view.plot.path ? vef_picture_check("--plot", &view.plot, &error) : VEF_OK;
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
    .summary = "Show statistics of a trace or of a running job",
    .usage =
        "FILE [--calls] [--sites] [--per-task] [--sizes] [--partners] [--waits N] [--regions]\n"
        "       [--communicators] [--matrix] [--plot FILE] [OPTIONS]",
    .operands = "TRACE",
    .options = options,
    .rules = rules,
    .notes =
        "Without options: a page with the largest entries of each table. The option of a table "
        "prints it in full; --csv writes only the requested tables, one after another, in exact "
        "numbers. --json writes everything, the matrix only with --matrix.\n\n"
        "time        from the end of MPI_Init to the beginning of MPI_Finalize. computing: between "
        "MPI\n"
        "            calls; in MPI: inside recorded calls; outside: inside calls that are only "
        "counted (files, datatypes and the like)\n"
        "efficiency  as defined by the POP Centre of Excellence: load balance is mean / greatest\n"
        "            computation, communication efficiency greatest computation / run time, "
        "parallel efficiency their product\n"
        "bytes       of messages: sent; of collectives: as FORMAT.md defines for each call\n"
        "calls under way  for each thread of a killed or running task, the MPI call that it is in, "
        "or the\n"
        "            last one that it made: since when (in s after MPI_Init), for how long, and "
        "what it\n"
        "            waits for\n"
        "for         what a long call waited for: the peer of its message or request, or a "
        "communicator\n"
        "partners    tasks with which a task exchanges messages or one-sided operations\n\n"
        "Every poll counts as a call. Events are numbered per task from 0, over its threads in the "
        "order in which calls were entered. A damaged trace is shown as far as it can be read, "
        "with exit status 1.\n",
    .run = run,
};
