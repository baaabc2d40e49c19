/* `vef merge`: the logs of a run, as capture leaves them, into one trace. */
#include "cli/command.h"
#include "traces/merge.h"

#include <getopt.h>
#include <string.h>

static void help(FILE *out) {
    fprintf(out,
            "  -o, --output FILE   the trace to write\n"
            "  -c, --command TEXT  the command line that was captured, for the header\n\n"
            "Reads DIR/task-000000.vlog and so on. A log that is cut short or missing does not\n"
            "stop the merge: the trace then says which tasks are cut short, and the exit status\n"
            "is 1.\n");
}

static int run(int argc, char **argv) {
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},
        {"command", required_argument, NULL, 'c'},
        {0},
    };
    const char *output = NULL;
    vef_merge_options merge = {0};
    optind = 1;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "o:c:", options, NULL)) != -1;) {
        if (option == 'o')
            output = optarg;
        else if (option == 'c')
            merge.command = optarg;
        else
            return vef_command_usage(&vef_command_merge, "cannot understand %s", argv[optind - 1]);
    }
    if (argc - optind != 1 || !output)
        return vef_command_usage(&vef_command_merge, "needs one folder of logs and -o FILE");
    vef_error error;
    vef_merge_summary summary;
    if (vef_merge(argv[optind], output, &merge, &summary, &error))
        return vef_command_error("merge", &error);
    printf("%s: %u tasks, %llu events\n", output, summary.tasks,
           (unsigned long long)summary.events);
    if (summary.cut_short == 0)
        return VEF_EXIT_OK;
    fprintf(stderr,
            "vef merge: %u of %u tasks are cut short (%u logs found); `vef info --per-task %s` "
            "names them\n",
            summary.cut_short, summary.tasks, summary.logs, output);
    return VEF_EXIT_FAILURE;
}

const vef_command vef_command_merge = {"merge", "Merge the logs of a run into one trace",
                                       "DIR -o FILE [--command TEXT]", help, run};
