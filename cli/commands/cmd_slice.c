/* `vef slice`: cuts a part out of a trace. traces/slice/slice.h defines the result. */
#include "cli/command.h"
#include "cli/part.h"
#include "common/memory.h"
#include "common/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

typedef struct choices {
    const char *output;
    int outside; /* of the words below; negative: not given */
    vef_part_choices part;
    bool force;
} choices;

enum { DROP = 1 };
static const char *const outsides[] = {"send", [DROP] = "drop", NULL};

static const vef_option options[] = {
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Trace to write"),
    VEF_PART_OPTIONS(choices, part, "since each task's MPI_Init"),
    VEF_CHOICE("outside", outsides, choices, outside,
               "Messages from outside: send them independently, or drop them",
               .default_text = "send"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_LAST_OPTIONS,
};

static char *make_note(const choices *asked) {
    const struct {
        const char *name, *value;
    } given[] = {{"time", asked->part.time},
                 {"region", asked->part.region},
                 {"between", asked->part.between},
                 {"tasks", asked->part.tasks},
                 {"outside", asked->outside < 0 ? NULL : outsides[asked->outside]}};
    char *text = NULL;
    size_t size = 0;
    FILE *out = vef_memory_stream(&text, &size);
    fputs("slice:", out);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].value)
            fprintf(out, " %s %s", given[i].name, given[i].value);
    fclose(out);
    return text;
}

static void print_left_out(const choices *asked, const vef_slice_result *result) {
    const struct {
        uint64_t count;
        const char *what;
    } facts[] = {
        {result->from_outside, "messages from outside, sent independently"},
        {result->unmatched_receives, "receives that complete at once: sent outside"},
        {result->unmatched_sends, "messages received outside"},
        {result->collectives, "calls of collectives left out: not all tasks call them inside"},
        {result->one_sided, "one-sided operations and synchronisations left out"},
        {result->requests, "completions dropped: requests not in the slice"},
        {result->counted, "calls without events: counted for the whole run only"},
    };
    FILE *out = vef_command_messages(asked->output);
    fprintf(out, "%s: %" PRIu64 " events\n", asked->output, result->events);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].count > 0)
            fprintf(out, "%8" PRIu64 " %s\n", facts[i].count, facts[i].what);
}

/* `*whole`: the trace is complete. */
static vef_code slice(const choices *asked, const char *path, bool *whole, vef_error *error) {
    vef_slice_options wanted = {.drop_outside = asked->outside == DROP};
    vef_slice_result result = {0};
    vef_trace *trace = NULL;
    const char *missing = NULL;
    char *note = make_note(asked);
    vef_arena arena = {0};
    vef_code code = vef_trace_open(path, &trace, &missing, error);
    if (!code)
        code =
            vef_part_read(&asked->part, vef_trace_get_header(trace)->tasks, &arena, &wanted, error);
    if (!code) {
        vef_progress progress;
        wanted.note = note;
        if (missing)
            fprintf(stderr, "vef slice: %s: %s\n", path, missing);
        vef_progress_begin(&progress, "slicing");
        code = vef_slice(trace, &wanted, asked->output, &progress, &result, error);
        vef_progress_end(&progress);
    }
    if (!code)
        print_left_out(asked, &result);
    *whole = !missing;
    vef_trace_close(trace);
    free(note);
    vef_arena_release(&arena);
    return code;
}

static int run(int argc, char **argv) {
    choices asked = {0};
    vef_error error = {0};
    bool whole = true;
    int operand = vef_command_read(&vef_command_slice, argc, argv, &asked, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (vef_part_is_whole(&asked.part))
        return vef_command_usage(
            &vef_command_slice,
            "missing selection: expected --time, --region, --between or --tasks");
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    vef_code code = vef_command_output(asked.output, asked.force, &error);
    if (!code)
        code = slice(&asked, argv[operand], &whole, &error);
    if (code)
        return vef_command_error("slice", &error);
    return whole ? VEF_EXIT_OK : VEF_EXIT_FAILURE;
}

const vef_command vef_command_slice = {
    .name = "slice",
    .summary = "Cut a part out of a trace: by time, region, iterations, tasks",
    .usage =
        "TRACE -o FILE [--time FROM-TO] [--region NAME[:N-M]] [--between NAME:N-M]\n"
        "       [--tasks LIST] [--outside send|drop] [--force]",
    .operands = "TRACE",
    .options = options,
    .notes =
        "A call must meet all conditions. Entries and calls are counted from 1; N means N-N, and "
        "N- has no\nupper limit. The time of a call is the sum of the recorded computation, time "
        "in MPI and time outside\nof its task since the end of MPI_Init.\n\nA message that is sent "
        "outside the slice and received inside it becomes an independent message: its\nsender "
        "issues an MPI_Isend without a wait, at the start of the slice or, if --tasks excludes "
        "the\nsender, at the original time. With --outside drop its receive completes at once. "
        "Messages that are\nreceived outside the slice still load the network. A collective is "
        "kept if all selected tasks of its\ncommunicator call it inside the slice. Requests are "
        "kept if they are inside. stderr reports what was\nleft out. A damaged trace is sliced as "
        "far as it can be read, with exit status 1.\n",
    .run = run,
};
