/* `vef dump`: a trace as text. */
#include "cli/command.h"
#include "traces/text.h"

#include <getopt.h>
#include <stdlib.h>

static void help(FILE *out) {
    fprintf(out,
            "  --task N   only the events of task N\n\n"
            "Writes the whole trace to standard output, a line per event; traces/FORMAT.md\n"
            "describes the form. `vef assemble` makes the same trace of it again.\n");
}

static int run(int argc, char **argv) {
    static const struct option options[] = {{"task", required_argument, NULL, 't'}, {0}};
    int64_t task = -1;
    optind = 1;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        char *end = NULL;
        if (option != 't')
            return vef_command_usage(&vef_command_dump, "cannot understand %s", argv[optind - 1]);
        task = strtoll(optarg, &end, 10);
        if (end == optarg || *end || task < 0)
            return vef_command_usage(&vef_command_dump, "--task: '%s' is not a task", optarg);
    }
    if (argc - optind != 1)
        return vef_command_usage(&vef_command_dump, "needs one trace");
    vef_error error;
    vef_trace *trace = NULL;
    const char *missing = NULL;
    vef_code code = vef_trace_open(argv[optind], &trace, &missing, &error);
    if (!code)
        code = vef_text_dump(trace, task, stdout, &error);
    int status = code ? vef_command_error("dump", &error) : VEF_EXIT_OK;
    if (!code && missing) {
        fprintf(stderr, "vef dump: %s: %s\n", argv[optind], missing);
        status = VEF_EXIT_FAILURE;
    }
    vef_trace_close(trace);
    return status;
}

const vef_command vef_command_dump = {"dump", "Write a trace as text", "FILE [--task N]", help,
                                      run};
