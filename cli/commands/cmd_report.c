/* `vef report`: results as one HTML file. cli/report/ reads them and writes the page. */
#include "cli/command.h"
#include "cli/report/page.h"
#include "common/system/file.h"

#include <signal.h>

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

static void help(FILE *out) {
    fputs(
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
        out);
}

static vef_code write_page(const choices *chosen, const vef_report_input *inputs, size_t count,
                           vef_error *error) {
    vef_output output;
    vef_code code = vef_output_open(&output, chosen->output, error);
    if (code)
        return code;
    vef_report_page(inputs, count, output.stream);
    long bytes = ftell(output.stream);
    code = vef_output_commit(&output, error);
    if (!code && bytes >= 0) /* not a pipe */
        fprintf(vef_command_messages(chosen->output), "%s: %zu result%s, %ld bytes\n",
                chosen->output, count, count == 1 ? "" : "s", bytes);
    return code;
}

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
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    vef_code code = vef_command_output(chosen.output, chosen.force, &error);
    for (size_t i = 0; i < count && !code; i++) {
        bool missing;
        code = vef_report_read(argv[first + (int)i], &inputs[i], &missing, &error);
        damaged |= missing;
        if (!code && inputs[i].no_heat_map)
            fprintf(stderr, "vef report: %s: no heat map of links: %s\n", inputs[i].name,
                    inputs[i].no_heat_map);
    }
    if (!code)
        code = write_page(&chosen, inputs, count, &error);
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
    .help = help,
    .run = run,
};
