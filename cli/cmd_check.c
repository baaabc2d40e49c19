/* `vef check`: whether a trace is consistent. */
#include "cli/command.h"
#include "traces/check.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

static void help(FILE *out) {
    fprintf(out,
            "  --faults N   how many faults to name (10)\n\n"
            "Checks that every receive has its send and every send its receive, unless flagged\n"
            "as outside the trace; that requests are completed once; that collectives agree in\n"
            "order, operation, root and size over their communicator; that communicators are\n"
            "made by all their members; that no task is cut short. Exit status 0: none of\n"
            "these is broken; 1: faults were found, and the first are named; 2: the file\n"
            "cannot be read.\n");
}

static void tell(void *context, const char *sentence) {
    (void)context;
    printf("%s\n", sentence);
}

static int check(const char *path, uint64_t limit) {
    vef_error error;
    vef_trace *trace = NULL;
    const char *missing = NULL;
    uint64_t faults = 0;
    vef_check_options options = {.limit = limit, .told = tell};
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

static int run(int argc, char **argv) {
    static const struct option options[] = {{"faults", required_argument, NULL, 'f'}, {0}};
    uint64_t limit = 10;
    optind = 1;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        char *end = NULL;
        if (option != 'f')
            return vef_command_usage(&vef_command_check, "cannot understand %s", argv[optind - 1]);
        limit = strtoull(optarg, &end, 10);
        if (end == optarg || *end || *optarg == '-')
            return vef_command_usage(&vef_command_check, "--faults: '%s' is not a number", optarg);
    }
    if (argc - optind != 1)
        return vef_command_usage(&vef_command_check, "needs one trace");
    return check(argv[optind], limit);
}

const vef_command vef_command_check = {"check", "Check that a trace is consistent",
                                       "FILE [--faults N]", help, run};
