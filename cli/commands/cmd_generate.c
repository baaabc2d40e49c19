/* `vef generate`: the trace of a workload without an application. */
#include "cli/command.h"
#include "common/progress.h"
#include "workloads/workload.h"

#include <signal.h>

typedef struct choices {
    const char *output;
    vef_texts overrides;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Trace to write"),
    VEF_SHORT("tasks", "N", choices, overrides, "tasks"),
    VEF_SET_OPTION(choices, overrides, "workload file (iterations=10)"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_LAST_OPTIONS,
};

static void help(FILE *out) {
    fputs(
        "WORKLOAD.yaml is a workload file, or its text: '{tasks: 64, workload: stencil, points: "
        "5}'.\n\n"
        "Workloads:\n",
        out);
    vef_workload_list(out);
    fputs(
        "\n"
        "`vef list workloads` lists their keys. docs/generate.md defines them.\n",
        out);
}

static vef_code generate(const choices *chosen, const char *source, vef_arena *arena,
                         vef_error *error) {
    vef_node *root = NULL;
    vef_workload *workload = NULL;
    vef_code code = vef_workload_read(source, chosen->overrides.text, chosen->overrides.count,
                                      arena, &root, error);
    if (!code)
        code = vef_workload_create(root, &workload, error);
    if (!code) {
        vef_command_warn_ignored("generate", root);
        vef_progress progress;
        vef_progress_begin(&progress, "writing");
        code = vef_workload_write(workload, chosen->output, &progress, error);
        vef_progress_end(&progress);
    }
    vef_workload_destroy(workload);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_command_read(&vef_command_generate, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_arena arena = {0};
    vef_error error;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    vef_texts_join(&chosen.overrides, &arena);
    vef_code code = vef_command_output(chosen.output, chosen.force, &error);
    if (!code)
        code = generate(&chosen, argv[operand], &arena, &error);
    if (!code)
        code = vef_command_made(chosen.output, &error);
    vef_arena_release(&arena);
    return code ? vef_command_error("generate", &error) : VEF_EXIT_OK;
}

const vef_command vef_command_generate = {
    .name = "generate",
    .summary = "Write the trace of a synthetic workload",
    .usage = "WORKLOAD.yaml|'{workload: …}' -o FILE [--tasks N] [--set KEY=VALUE]…",
    .operands = "WORKLOAD.yaml",
    .options = options,
    .help = help,
    .run = run,
};
