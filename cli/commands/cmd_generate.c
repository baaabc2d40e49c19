/* `vef generate`: a trace of a workload without an application. */
#include "cli/command.h"
#include "workloads/workload.h"

#include <signal.h>

typedef struct choices {
    const char *output;
    vef_texts overrides;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', "output", "TRACE", choices, output, "Trace to write"),
    VEF_OPTION(TEXTS, "set", "KEY=VALUE", choices, overrides,
               "Override a key of the file (tasks=64)."),
    VEF_FLAG("force", choices, force, "Overwrite TRACE."),
    {0},
};

static void help(FILE *out) {
    vef_workloads_describe(out);
    fputs("\ndocs/generate.md explains them.\n", out);
}

static vef_code generate(const choices *chosen, const char *from, vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = from[0] == '{' ? vef_config_parse(from, "workload", &arena, &root, error)
                                   : vef_config_load(from, &arena, &root, error);
    for (size_t i = 0; code == VEF_OK && i < chosen->overrides.count; i++)
        code = vef_config_set(root, chosen->overrides.text[i], &arena, error);
    if (code == VEF_OK)
        code = vef_workload_write(root, chosen->output, error);
    vef_arena_release(&arena);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    const int operand = vef_command_read(&vef_command_generate, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_error error;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    if (vef_command_output(chosen.output, chosen.force, &error) ||
        generate(&chosen, argv[operand], &error) || vef_command_made(chosen.output, &error))
        return vef_command_error("generate", &error);
    return VEF_EXIT_OK;
}

const vef_command vef_command_generate = {
    .name = "generate",
    .summary = "Make a trace of a workload without an application",
    .usage = "WORKLOAD.yaml|'{workload: …}' -o TRACE [--set KEY=VALUE]...",
    .options = options,
    .help = help,
    .run = run,
};
