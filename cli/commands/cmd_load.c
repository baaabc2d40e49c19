/* `vef load`: a network under open-loop synthetic traffic. */
#include "cli/command.h"
#include "cli/load/links.h"
#include "cli/load/plot.h"
#include "cli/load/session.h"
#include "cli/ranks.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct choices {
    vef_load_choices load;
    vef_load_links links;
    const vef_report_format *format;
    vef_plot plot;
} choices;

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_LOAD_TRAFFIC_OPTIONS(choices, load),
    VEF_LOAD_FURTHER_OPTIONS(choices, load),
    VEF_PLOT_OPTIONS(choices, plot, "Draw the curve as FILE.svg, .pdf or .png"),
    VEF_GROUP("Measurement"),
    VEF_LOAD_MEASURE_OPTIONS(choices, load),
    VEF_GROUP("Links"),
    VEF_LOAD_LINK_OPTIONS(choices, links),
    VEF_NETWORK_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {
    VEF_EXCLUDES("--sample", "--per-link", .when = VEF_TABLE_WORDS),
    VEF_EXCLUDES("--sample --plot-links", "--saturation",
                 .reason = "expected a single --rate, such as the saturation load"),
    VEF_NEEDS("--figure", "--plot --plot-links"),
    {0},
};

static void help(FILE *out) {
    fputs(
        "PATTERN and PROCESS are names, or mappings with parameters: '{pattern: NAME, KEY: "
        "VALUE}'. `vef list traffic` lists the parameters.\n\n",
        out);
    vef_traffic_describe(out, false);
    fputs(
        "\n"
        "`mpiexec -n N vef-mpi load …`: N processes simulate each run together; results are the "
        "same. Supported without --sample, windows of congestion and routings with view: global.\n"
        "\n"
        "Exit status: 0; 1 when the network deadlocked (stderr has the cycle); 2 for usage and "
        "input errors. docs/load.md explains the measurement.\n",
        out);
}

/* Reports the first deadlock; returns the exit status. */
static int report_deadlock(const vef_load_session *held) {
    const vef_load_point *point;
    const vef_load_run *run = vef_load_session_deadlock(held, &point);
    if (!run)
        return VEF_EXIT_OK;
    fprintf(stderr,
            "vef load: offered %g with seed %" PRIu64
            ": deadlock, packets can never move again, in "
            "cycle %" PRIu64 ":\n%s",
            point->rate, run->seed, run->deadlock_cycle, run->deadlock);
    return VEF_EXIT_FAILURE;
}

static vef_code draw(const vef_load_session *held, const vef_plot *file, vef_error *error) {
    const vef_load_report *report = &held->report;
    vef_load_plot plot = vef_load_plot_begin(held->settings.network, &report, 1);
    vef_load_plot_add_facet(&plot, NULL);
    vef_load_plot_add(&plot, &held->report, NULL);
    return vef_picture_save(plot.picture, file, error);
}

/* The results, of several processes by the first. */
static vef_code write_results(const choices *chosen, vef_load_session *held, vef_error *error) {
    if (held->settings.ranks && held->settings.ranks->rank > 0)
        return VEF_OK;
    vef_code code = vef_expected_load_find(held->model->topology, held->pattern, held->mapping,
                                           &held->report.expected, error);
    if (code == VEF_OK)
        code = vef_load_links_end(&chosen->links, held, error);
    if (code == VEF_OK)
        code =
            vef_report_write(chosen->format, vef_load_report_build, &held->report, stdout, error);
    if (code == VEF_OK && chosen->plot.path)
        code = draw(held, &chosen->plot, error);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_net_ranks ranks;
    vef_error error = {0};
    int operand = vef_command_read(&vef_command_load, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (vef_load_choices_check(&chosen.load, &error) != VEF_OK)
        return vef_command_usage(&vef_command_load, "%s", error.message);
    vef_load_session *held = vef_calloc(1, sizeof *held);
    vef_code code = vef_load_session_open(&chosen.load, argv[operand], held, &error);
    chosen.links.plot.figure = chosen.plot.figure;
    if (code == VEF_OK && chosen.plot.path)
        code = vef_picture_check("--plot", &chosen.plot, &error);
    if (code == VEF_OK)
        code = vef_load_links_begin(&chosen.links, held, &error);
    held->settings.ranks = vef_ranks_of_program(&ranks);
    if (held->settings.ranks)
        held->settings.threads = 1;
    code = vef_net_agree(held->settings.ranks, code, &error);
    if (code == VEF_OK)
        vef_command_warn_ignored("load", held->root);
    for (size_t i = 0; code == VEF_OK && i < held->model->warnings.count; i++)
        vef_command_warn("load", held->model->warnings.values[i]);
    if (code == VEF_OK)
        code = vef_load_session_measure(held, chosen.load.saturation, NULL, &error);
    if (code == VEF_OK)
        code = write_results(&chosen, held, &error);
    int status = code == VEF_OK ? report_deadlock(held) : vef_command_error("load", &error);
    vef_load_session_release(held);
    free(held);
    return status;
}

const vef_command vef_command_load = {
    .name = "load",
    .summary = "Measure accepted load and latency under synthetic traffic",
    .usage = "NET.yaml|'{topology: …}' --rate LOADS|--saturation [OPTIONS]",
    .operands = "NET.yaml",
    .options = options,
    .rules = rules,
    .spreads = true,
    .help = help,
    .run = run,
};
