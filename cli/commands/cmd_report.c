/* `vef report`: results as one HTML file. cli/report/ reads them and writes the page. */
#include "cli/command.h"
#include "cli/report/page.h"

typedef struct choices {
    const char *output;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', STRING, "output", "FILE.html", choices, output, "Page to write"),
    VEF_FLAG("force", choices, force, "Overwrite FILE.html"),
    VEF_PLUGIN_OPTION,
    VEF_LAST_OPTIONS,
};

enum { MOST_INPUTS = 64 };

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error;
    vef_report_input inputs[MOST_INPUTS] = {{0}};
    bool damaged = false;
    int first = vef_command_read(&vef_command_report, argc, argv, &chosen, 1, MOST_INPUTS);
    if (first < 0)
        return VEF_EXIT_USAGE;
    size_t count = (size_t)(argc - first);
    vef_code code = vef_command_output(chosen.output, chosen.force, &error);
    for (size_t i = 0; i < count && !code; i++) {
        bool missing;
        code = vef_report_read(argv[first + (int)i], &inputs[i], &missing, &error);
        damaged |= missing;
        if (!code && inputs[i].no_heat_map)
            fprintf(stderr, "vef report: %s: no heat map of links: %s\n", inputs[i].name,
                    inputs[i].no_heat_map);
    }
    long bytes = -1;
    if (!code)
        code = vef_report_save(chosen.output, inputs, count, &bytes, &error);
    if (!code && bytes >= 0)
        fprintf(vef_command_messages(chosen.output), "%s: %zu result%s, %ld bytes\n", chosen.output,
                count, count == 1 ? "" : "s", bytes);
    for (size_t i = 0; i < count; i++)
        vef_report_input_release(&inputs[i]);
    if (code)
        return vef_command_error("report", &error);
    if (damaged)
        fputs("vef report: a trace is damaged: the page says what is missing\n", stderr);
    return damaged ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

const vef_command vef_command_report = {
    .name = "report",
    .summary = "Show results as one HTML page",
    .usage = "RESULT... -o FILE.html",
    .operands = "RESULT",
    .options = options,
    .notes =
        "RESULT is one of:\n"
        "  a trace                     what vef info shows of it\n"
        "  JSON of vef info --json     the same\n"
        "  JSON of vef replay --json   with --per-task: also times per task; with --per-link: also "
        "a heat map of links\n"
        "  JSON of vef load --json     load curves; with --per-link: also a heat map of links\n"
        "  JSON of vef compare --json  networks side by side\n"
        "  the folder of a study       its tables\n\n"
        "Several results become sections of one page; several replays are also compared. The page "
        "needs no\nnetwork access and no other file.\n",
    .run = run,
};
