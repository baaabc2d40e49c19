/* `vef dump`: a trace as text. */
#include "cli/command.h"
#include "traces/text/text.h"

typedef struct choices {
    int64_t task;
} choices;

static const vef_option options[] = {
    VEF_OPTION(INT, "task", "N", choices, task, "Only the events of task N", .maximum = INFINITY),
    VEF_LAST_OPTIONS,
};

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_command_read(&vef_command_dump, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_error error;
    vef_trace *trace = NULL;
    const char *missing = NULL;
    vef_code code = vef_trace_open(argv[operand], &trace, &missing, &error);
    if (!code)
        code = vef_text_dump(trace, chosen.task, stdout, &error);
    int status = code ? vef_command_error("dump", &error) : VEF_EXIT_OK;
    if (!code && missing) {
        fprintf(stderr, "vef dump: %s: %s\n", argv[operand], missing);
        status = VEF_EXIT_FAILURE;
    }
    vef_trace_close(trace);
    return status;
}

const vef_command vef_command_dump = {
    .name = "dump",
    .summary = "Write a trace as text",
    .usage = "FILE [--task N]",
    .operands = "TRACE",
    .options = options,
    .notes =
        "Writes the trace to standard output, one line per event (traces/FORMAT.md).\n"
        "`vef assemble` converts it back to the same trace.\n",
    .run = run,
};
