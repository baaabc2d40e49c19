/* `vef merge`: the logs of a run, as capture leaves them, into one trace. */
#include "cli/command.h"
#include "traces/merge.h"

#include <signal.h>

static void help(FILE *out) {
    fprintf(out,
            "Reads DIR/task-000000.vlog and so on. A log that is cut short or missing does not\n"
            "stop the merge: the trace then says which tasks are cut short, and the exit status\n"
            "is 1.\n");
}

typedef struct choices {
    const char *output, *command;
} choices;

static const vef_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, output),
     .value = "FILE",
     .help = "the trace to write; required"},
    {.name = "command",
     .letter = 'c',
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, command),
     .value = "TEXT",
     .help = "the command line that was captured, for the header"},
    {0},
};

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_options_read(&vef_command_merge, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (!chosen.output)
        return vef_command_usage(&vef_command_merge, "-o FILE says where the trace goes");
    vef_merge_options merge = {.command = chosen.command};
    vef_error error;
    vef_merge_summary summary;
    signal(SIGXFSZ, SIG_IGN); /* a trace beyond ulimit -f is an error to tell, not a death */
    if (vef_merge(argv[operand], chosen.output, &merge, &summary, &error))
        return vef_command_error("merge", &error);
    printf("%s: %u tasks, %llu events\n", chosen.output, summary.tasks,
           (unsigned long long)summary.events);
    if (summary.cut_short == 0)
        return VEF_EXIT_OK;
    fprintf(stderr,
            "vef merge: %u of %u tasks are cut short (%u logs found); `vef info --per-task %s` "
            "names them\n",
            summary.cut_short, summary.tasks, summary.logs, chosen.output);
    return VEF_EXIT_FAILURE;
}

const vef_command vef_command_merge = {
    .name = "merge",
    .summary = "Merge the logs of a run into one trace",
    .usage = "DIR -o FILE [--command TEXT]",
    .options = options,
    .help = help,
    .run = run,
};
