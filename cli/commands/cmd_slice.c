/* `vef slice`: cuts a part out of a trace. traces/slice/slice.h defines the result. */
#include "cli/command.h"
#include "common/progress.h"
#include "common/units.h"
#include "traces/slice/slice.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct choices {
    const char *output, *time, *region, *between, *tasks, *outside;
    bool force;
} choices;

static const char *const outsides[] = {"send", "drop", NULL};

static const vef_option options[] = {
    VEF_REQUIRED('o', "output", "FILE", choices, output, "Trace to write"),
    VEF_OPTION(
        TEXT, "time", "FROM-TO", choices, time,
        "Calls entered from FROM and before TO since each task's MPI_Init: 1.5s-2s, 1.5s-, -2s."),
    VEF_OPTION(TEXT, "region", "NAME[:N-M]", choices, region,
               "Inside a region of the program; its N-th to M-th entry in each task."),
    VEF_OPTION(TEXT, "between", "NAME:N-M", choices, between,
               "From the N-th to the M-th call of an MPI function, or of a mark, in each task."),
    VEF_OPTION(TEXT, "tasks", "LIST", choices, tasks, "Only these tasks: 0-15,32."),
    VEF_CHOICE("outside", outsides, choices, outside,
               "Messages from outside: send them independently, or drop them (default: send)."),
    VEF_FLAG("force", choices, force, "Overwrite FILE."),
    {0},
};

static void help(FILE *out) {
    fputs(
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
        out);
}

/* Parses "N", "N-M" or "N-", counted from 1; empty: all. */
static vef_code read_span(const char *text, const char *what, uint64_t *first, uint64_t *last,
                          vef_error *error) {
    char *end = NULL;
    *first = 1;
    *last = UINT64_MAX;
    if (!*text)
        return VEF_OK;
    *first = strtoull(text, &end, 10);
    bool fine = *text >= '0' && *text <= '9' && *first > 0;
    if (fine && *end == '\0')
        *last = *first;
    if (fine && *end == '-' && end[1]) {
        const char *second = end + 1;
        *last = strtoull(second, &end, 10);
        fine = *second >= '0' && *second <= '9' && *end == '\0' && *last >= *first;
    } else if (fine && *end == '-') {
        end++;
    }
    if (!fine || *end)
        return vef_fail(error, VEF_INVALID,
                        "%s %s: expected numbers from 1 after the ':', such as 3, 2-5 or 2-", what,
                        text);
    return VEF_OK;
}

/* Splits NAME:N-M; `*name` is allocated. A name may contain colons. */
static vef_code read_named(const char *text, const char *what, char **name, uint64_t *first,
                           uint64_t *last, vef_error *error) {
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *name = strndup(text, length);
    if (!*name)
        return vef_fail_memory(error, "a name", length);
    if (length == 0)
        return vef_fail(error, VEF_INVALID, "%s %s: missing name", what, text);
    return read_span(colon ? colon + 1 : "", what, first, last, error);
}

static vef_code read_time(const char *text, vef_slice_options *slice, vef_error *error) {
    char from[64];
    const char *dash = strchr(text, '-');
    double ns = 0;
    vef_code code = VEF_OK;
    if (!dash || (size_t)(dash - text) >= sizeof from || (dash == text && !dash[1]))
        return vef_fail(error, VEF_INVALID,
                        "--time %s: expected FROM-TO, such as 1.5s-2s, 1.5s- or -2s", text);
    memcpy(from, text, (size_t)(dash - text));
    from[dash - text] = '\0';
    slice->by_time = true;
    slice->to_ns = UINT64_MAX;
    if (*from)
        code = vef_parse_time_ns(from, "--time", &ns, error);
    slice->from_ns = (uint64_t)ns;
    if (!code && dash[1]) {
        code = vef_parse_time_ns(dash + 1, "--time", &ns, error);
        slice->to_ns = (uint64_t)ceil(ns);
    }
    if (!code && slice->to_ns <= slice->from_ns)
        code = vef_fail(error, VEF_INVALID, "--time %s: the end precedes the beginning", text);
    return code;
}

/* A list of tasks, "0-15,32"; `*chosen` is allocated. */
static vef_code read_tasks(const char *text, uint32_t tasks, bool **chosen, vef_error *error) {
    *chosen = calloc(tasks, sizeof **chosen);
    if (!*chosen)
        return vef_fail_memory(error, "tasks", tasks);
    for (const char *at = text;;) {
        char *end = NULL;
        uint64_t first = strtoull(at, &end, 10), last = first;
        bool fine = *at >= '0' && *at <= '9';
        if (fine && *end == '-') {
            const char *second = end + 1;
            last = strtoull(second, &end, 10);
            fine = *second >= '0' && *second <= '9';
        }
        if (!fine || (*end && *end != ',') || last < first)
            return vef_fail(error, VEF_INVALID, "--tasks %s: expected a list such as 0-15,32",
                            text);
        if (last >= tasks)
            return vef_fail(error, VEF_INVALID,
                            "--tasks %s: task %" PRIu64
                            " is out of range: the trace has tasks 0 to %u",
                            text, last, tasks - 1);
        for (uint64_t task = first; task <= last; task++)
            (*chosen)[task] = true;
        if (!*end)
            return VEF_OK;
        at = end + 1;
    }
}

static char *make_note(const choices *asked) {
    const struct {
        const char *name, *value;
    } given[] = {{"time", asked->time},
                 {"region", asked->region},
                 {"between", asked->between},
                 {"tasks", asked->tasks},
                 {"outside", asked->outside}};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("slice:", out);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].value)
            fprintf(out, " %s %s", given[i].name, given[i].value);
    return fclose(out) == 0 ? text : NULL;
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
    printf("%s: %" PRIu64 " events\n", asked->output, result->events);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].count > 0)
            printf("%8" PRIu64 " %s\n", facts[i].count, facts[i].what);
}

/* `*whole`: the trace is complete. */
static vef_code slice(const choices *asked, const char *path, bool *whole, vef_error *error) {
    vef_slice_options wanted = {.drop_outside =
                                    asked->outside && strcmp(asked->outside, "drop") == 0};
    vef_slice_result result = {0};
    vef_trace *trace = NULL;
    const char *missing = NULL;
    char *region = NULL, *between = NULL, *note = make_note(asked);
    bool *chosen = NULL;
    vef_code code = note ? VEF_OK : vef_fail_memory(error, "a text", 64);
    if (!code && asked->time)
        code = read_time(asked->time, &wanted, error);
    if (!code && asked->region)
        code = read_named(asked->region, "--region", &region, &wanted.first_entry,
                          &wanted.last_entry, error);
    if (!code && asked->between)
        code = read_named(asked->between, "--between", &between, &wanted.first_call,
                          &wanted.last_call, error);
    if (!code)
        code = vef_trace_open(path, &trace, &missing, error);
    if (!code && asked->tasks)
        code = read_tasks(asked->tasks, vef_trace_get_header(trace)->tasks, &chosen, error);
    if (!code) {
        vef_progress progress;
        wanted.region = region;
        wanted.between = between;
        wanted.chosen = chosen;
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
    free(region);
    free(between);
    free(note);
    free(chosen);
    return code;
}

static int run(int argc, char **argv) {
    choices asked = {0};
    vef_error error = {0};
    bool whole = true;
    int operand = vef_command_read(&vef_command_slice, argc, argv, &asked, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (!asked.time && !asked.region && !asked.between && !asked.tasks)
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
    .options = options,
    .help = help,
    .run = run,
};
