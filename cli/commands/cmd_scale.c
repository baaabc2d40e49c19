/* `vef scale`: extrapolates a trace to more tasks. traces/scale/scale.h defines the result. */
#include "cli/command.h"
#include "common/progress.h"
#include "traces/scale/scale.h"

#include <inttypes.h>
#include <signal.h>

typedef struct choices {
    const char *output, *from, *grid, *check;
    int scaling, alltoall; /* of the words below */
    uint32_t tasks;
    uint64_t keep;
    bool force;
} choices;

enum { STRONG = 1, PAIR = 1 };
static const char *const scalings[] = {"weak", [STRONG] = "strong", NULL};
static const char *const alltoalls[] = {"task", [PAIR] = "pair", NULL};

static const vef_option options[] = {
    VEF_REQUIRED(0, COUNT, "tasks", "N", choices, tasks,
                 "Tasks of the result, a multiple of those of TRACE", .minimum = 2,
                 .maximum = VEF_TASK_LIMIT),
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Trace to write"),
    VEF_CHOICE("scaling", scalings, choices, scaling,
               "Keep the problem of each task, or that of all", .fallback = "weak"),
    VEF_OPTION(STRING, "grid", "8x16", choices, grid, "Grid of the result",
               .default_text = "as TRACE, all dimensions grow alike"),
    VEF_OPTION(STRING, "from", "4x8p", choices, from, "Grid of TRACE, p after each ring",
               .default_text = "found"),
    VEF_CHOICE("alltoall", alltoalls, choices, alltoall,
               "What an Alltoall keeps: its bytes per task, or per pair", .fallback = "task"),
    VEF_OPTION(BYTES, "keep", "SIZE", choices, keep,
               "Sizes up to SIZE do not depend on the number of tasks", .fallback = "0 B"),
    VEF_OPTION(STRING, "check", "TRACE2", choices, check,
               "Another run, with more tasks: refuse unless the rules give it exactly"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_LAST_OPTIONS,
};

static vef_code open_whole(const char *path, vef_trace **trace, vef_error *error) {
    const char *missing = NULL;
    vef_code code = vef_trace_open(path, trace, &missing, error);
    if (!code && missing)
        code = vef_fail(error, VEF_CORRUPT, "%s: %s: expected a complete trace", path, missing);
    return code;
}

static void print_result(const choices *asked, const vef_scaling_result *result) {
    FILE *out = vef_command_messages(asked->output);
    fprintf(out, "%s: %" PRIu64 " events, grid %s to %s\n", asked->output, result->events,
            result->from, result->to);
    if (result->pairs_from > 0)
        fprintf(out,
                "Alltoall: %" PRIu64 " bytes per pair become %" PRIu64
                " (--alltoall pair keeps them)\n",
                result->pairs_from, result->pairs_to);
    if (asked->check)
        fprintf(out, "%s: equal to the extrapolation to its tasks\n", asked->check);
    else
        fputs(
            "not checked against a second run (--check): a loop whose length depends on the "
            "number of tasks would be wrong\n",
            out);
}

static vef_code scale(const choices *asked, const char *path, vef_error *error) {
    vef_scaling_options wanted = {.tasks = asked->tasks,
                                  .strong = asked->scaling == STRONG,
                                  .keep_pairs = asked->alltoall == PAIR,
                                  .keep_bytes = asked->keep,
                                  .from = asked->from,
                                  .to = asked->grid};
    vef_scaling_result result = {0};
    vef_trace *trace = NULL;
    vef_code code = open_whole(path, &trace, error);
    if (!code && asked->check)
        code = open_whole(asked->check, &wanted.check, error);
    if (!code) {
        vef_progress progress;
        vef_progress_begin(&progress, "scaling");
        code = vef_scaling_run(trace, &wanted, asked->output, &progress, &result, error);
        vef_progress_end(&progress);
    }
    if (!code)
        print_result(asked, &result);
    vef_trace_close(wanted.check);
    vef_trace_close(trace);
    return code;
}

static int run(int argc, char **argv) {
    choices asked = {0};
    vef_error error = {0};
    int operand = vef_command_read(&vef_command_scale, argc, argv, &asked, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    vef_code code = vef_command_output(asked.output, asked.force, &error);
    if (!code)
        code = scale(&asked, argv[operand], &error);
    return code ? vef_command_error("scale", &error) : VEF_EXIT_OK;
}

const vef_command vef_command_scale = {
    .name = "scale",
    .summary = "Extrapolate a trace of a regular program to more tasks",
    .usage =
        "TRACE --tasks N -o FILE [--scaling weak|strong] [--grid 8x16] [--from 4x8p]\n"
        "       [--alltoall task|pair] [--keep SIZE] [--check TRACE2] [--force]",
    .operands = "TRACE",
    .options = options,
    .notes =
        "The tasks must form a grid in which the calls of a task depend only on whether it is "
        "at a border\nof the grid: messages to neighbours, and collectives of all tasks or of "
        "rows and planes. Any other\ntrace is refused, with the first event that does not fit. "
        "docs/scale.md has the rules.\n",
    .run = run,
};
