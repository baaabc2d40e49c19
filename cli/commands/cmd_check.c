/* `vef check`: whether a trace is consistent. */
#include "cli/command.h"
#include "traces/check/check.h"

#include <inttypes.h>

static void print_fault(void *context, const char *sentence) {
    (void)context;
    printf("%s\n", sentence);
}

static int check(const char *path, uint64_t limit) {
    vef_error error;
    vef_trace *trace = NULL;
    const char *missing = NULL;
    uint64_t faults = 0;
    vef_check_options options = {.limit = limit, .report = print_fault};
    vef_code code = vef_trace_open(path, &trace, &missing, &error);
    if (!code && missing)
        printf("%s: %s\n", path, missing);
    if (!code)
        code = vef_check(trace, &options, &faults, &error);
    if (!code)
        faults += missing != NULL;
    if (!code && faults == 0)
        printf("%s: %u tasks, %" PRIu64 " events, %" PRIu64 " messages: no fault\n", path,
               vef_trace_get_header(trace)->tasks, vef_trace_get_header(trace)->events,
               vef_trace_get_header(trace)->messages);
    else if (!code)
        printf("%s: %" PRIu64 " fault%s\n", path, faults, faults == 1 ? "" : "s");
    vef_trace_close(trace);
    if (code)
        return vef_command_error("check", &error);
    return faults ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

typedef struct choices {
    int64_t faults;
} choices;

static const vef_option options[] = {
    VEF_OPTION(INT, "faults", "N", choices, faults, "Maximum number of faults to print",
               .fallback = "10", .maximum = INFINITY),
    VEF_LAST_OPTIONS,
};

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_command_read(&vef_command_check, argc, argv, &chosen, 1, 1);
    return operand < 0 ? VEF_EXIT_USAGE : check(argv[operand], (uint64_t)chosen.faults);
}

const vef_command vef_command_check = {
    .name = "check",
    .summary = "Check that a trace is consistent",
    .usage = "FILE [--faults N]",
    .operands = "TRACE",
    .options = options,
    .notes =
        "Checks that\n"
        "\n"
        "- every receive has its send and every send its receive, unless flagged as outside "
        "the trace;\n"
        "- requests are started and completed once;\n"
        "- collectives agree in order, operation, root and size over their communicator, and "
        "their members\n"
        "  receive what the others send, between two groups and on neighbourhoods too;\n"
        "- communicators are created by all their members;\n"
        "- one-sided operations lie in epochs, and starts and posts of these agree;\n"
        "- regions nest, and the calls of a thread follow each other;\n"
        "- no task is cut short.\n"
        "\n"
        "Exit status: 0: no fault; 1: faults, of which the first are printed; 2: the file "
        "cannot be read.\n",
    .run = run,
};
