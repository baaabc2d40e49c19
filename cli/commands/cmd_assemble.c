/* `vef assemble`: a trace from text. */
#include "cli/command.h"
#include "common/system/file_kind.h"
#include "traces/text/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct choices {
    const char *output;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Trace to write"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_LAST_OPTIONS,
};

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_command_read(&vef_command_assemble, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_error error;
    if (vef_command_output(chosen.output, chosen.force, &error))
        return vef_command_error("assemble", &error);
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    const char *name = argv[operand];
    bool standard = strcmp(name, "-") == 0;
    FILE *in = standard ? stdin : fopen(name, "re");
    vef_code code = VEF_OK;
    if (!in)
        code = vef_fail_errno(&error, "opening %s", name);
    if (!code)
        code =
            vef_text_assemble_file(in, standard ? "standard input" : name, chosen.output, &error);
    if (in && !standard)
        fclose(in);
    if (!code)
        return VEF_EXIT_OK;
    vef_fail_kind(&error, name, "text", "the text of a trace, as of `vef dump`");
    return vef_command_error("assemble", &error);
}

const vef_command vef_command_assemble = {
    .name = "assemble",
    .summary = "Make a trace from text",
    .usage = "TEXT -o FILE",
    .operands = "TEXT",
    .options = options,
    .notes =
        "TEXT is a file written by `vef dump` or by hand (traces/FORMAT.md); - is standard "
        "input. A\nminimal trace:\n\n  vef-trace 1\n  tasks 2\n  task 0\n  Send to=1 "
        "bytes=1024\n  task 1\n  Recv from=0\n\nTimes are in ns: gap= is the computation "
        "before a call, time= the time inside it.\n",
    .run = run,
};
