/* `vef compare`: the same load, or the same program, on several networks. */
#include "cli/command.h"
#include "cli/compare/loads.h"
#include "cli/compare/replays.h"
#include "cli/pictures/plot.h"

#include <stdlib.h>
#include <string.h>

typedef struct choices {
    vef_load_choices load;
    const vef_report_format *format;
    const char *trace, *plot;
} choices;

static const vef_option options[] = {
    VEF_OPTION(TEXT, "trace", "TRACE", choices, trace,
               "Replay TRACE on each network, instead of a load."),
    VEF_LOAD_OPTIONS(choices, load),
    VEF_OPTION(TEXT, "plot", "FILE", choices, plot,
               "Draw the curves, or the times, as FILE.svg or FILE.png (needs gnuplot)."),
    VEF_FORMAT_OPTIONS(choices, format),
};

static void help(FILE *out) {
    fputs(
        "NET is a network file, or the network itself: '{topology: …}'. --set, --map and --grid "
        "apply to every\nnetwork. Loads: a row per network and load, then the greatest accepted "
        "load of each network, relative\nto the first. Replays: the time on each network, "
        "relative to the first. Patterns and processes are\nthose of `vef load --help`.\n\n"
        "Exit status: 0; 1 when a network deadlocked or a replay stalled (the table says which); 2 "
        "for usage and\ninput errors.\n",
        out);
}

/* Opens all networks before the first measurement, so that an error in the last one costs no time.
 */
static vef_code compare_loads(choices *chosen, char **paths, uint32_t count, bool *stopped,
                              vef_error *error) {
    vef_compared_loads compared = {0};
    vef_code code = VEF_OK;
    for (uint32_t n = 0; code == VEF_OK && n < count; n++) {
        vef_load_session *session = calloc(1, sizeof *session);
        if (!session) {
            code = vef_fail_memory(error, "a measurement", sizeof *session);
            break;
        }
        compared.name[n] = paths[n];
        compared.session[n] = session;
        compared.count++;
        code = vef_load_session_open(&chosen->load, paths[n], session, error);
        for (size_t i = 0; code == VEF_OK && i < session->model->warnings.count; i++)
            vef_command_warn("compare", session->model->warnings.values[i]);
    }
    for (uint32_t n = 0; code == VEF_OK && n < count; n++) {
        const vef_load_point *point;
        code =
            vef_load_session_measure(compared.session[n], chosen->load.saturation, paths[n], error);
        *stopped = *stopped || vef_load_session_deadlock(compared.session[n], &point);
    }
    if (code == VEF_OK)
        code =
            vef_report_write(chosen->format, &vef_compared_loads_parts, &compared, stdout, error);
    if (code == VEF_OK && chosen->plot)
        code = vef_compared_loads_plot(&compared, chosen->plot, error);
    for (uint32_t n = 0; n < compared.count; n++) {
        vef_load_session_release(compared.session[n]);
        free(compared.session[n]);
    }
    return code;
}

static vef_code compare_replays(const choices *chosen, char **paths, uint32_t count, bool *stopped,
                                vef_error *error) {
    vef_compared_replays compared = {.trace = chosen->trace,
                                     .map = chosen->load.map,
                                     .grid = chosen->load.grid,
                                     .overrides = &chosen->load.overrides};
    vef_code code = VEF_OK;
    for (uint32_t n = 0; code == VEF_OK && n < count; n++) {
        code = vef_compared_replays_add(&compared, paths[n], error);
        *stopped = *stopped || (code == VEF_OK && compared.rows[n].stall != VEF_STALL_NONE);
    }
    if (code == VEF_OK)
        code =
            vef_report_write(chosen->format, &vef_compared_replays_parts, &compared, stdout, error);
    if (code == VEF_OK && chosen->plot)
        code = vef_compared_replays_plot(&compared, chosen->plot, error);
    return code;
}

static vef_code check(const choices *chosen, int count, vef_error *error) {
    const vef_load_choices *load = &chosen->load;
    if (count > VEF_MOST_COMPARED_NETWORKS)
        return vef_fail(error, VEF_INVALID, "%d networks: expected at most %d", count,
                        VEF_MOST_COMPARED_NETWORKS);
    if (chosen->trace && (load->rate || load->saturation || load->pattern || load->process))
        return vef_fail(error, VEF_INVALID,
                        "--trace: not supported with --rate, --saturation, --pattern or --process");
    return chosen->trace ? VEF_OK : vef_load_choices_check(load, error);
}

static int run(int argc, char **argv) {
    choices chosen = {.load = vef_load_choices_none()};
    vef_error error = {0};
    bool stopped = false;
    const int operand = vef_command_read(&vef_command_compare, argc, argv, &chosen, 1, INT32_MAX);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const int count = argc - operand;
    if (check(&chosen, count, &error) != VEF_OK)
        return vef_command_usage(&vef_command_compare, "%s", error.message);
    vef_code code =
        chosen.plot ? vef_plot_check(chosen.plot, "--csv writes the same numbers", &error) : VEF_OK;
    if (code == VEF_OK)
        code = chosen.trace
                   ? compare_replays(&chosen, argv + operand, (uint32_t)count, &stopped, &error)
                   : compare_loads(&chosen, argv + operand, (uint32_t)count, &stopped, &error);
    if (code != VEF_OK)
        return vef_command_error("compare", &error);
    return stopped ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

const vef_command vef_command_compare = {
    .name = "compare",
    .summary = "The same load, or the same program, on several networks",
    .usage =
        "NET NET... (--rate LOADS | --saturation | --trace TRACE) [--set KEY=VALUE]... "
        "[OPTIONS]",
    .options = options,
    .help = help,
    .run = run,
};
