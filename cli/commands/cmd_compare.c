/* `vef compare`: the same load, or the same program, on several networks. */
#include "cli/command.h"
#include "cli/compare/compare.h"
#include "common/memory.h"
#include "common/numbers.h"

#include <stdlib.h>

typedef struct choices {
    vef_load_choices load;
    const vef_report_format *format;
    const char *trace;
    vef_plot plot;
    vef_texts vary;
    int bars; /* of the words below; negative: not given */
} choices;

static const char *const bars[] = {
    [VEF_BARS_TIMES] = "times", [VEF_BARS_DIFFERENCES] = "differences", NULL};

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_TEXTS(
        "vary", "KEY=V1,V2", choices, vary,
        "Compare each network with each of these values of a key; repeat it for several keys"),
    VEF_OPTION(STRING, "trace", "TRACE", choices, trace,
               "Replay TRACE on each network, instead of a load"),
    VEF_LOAD_TRAFFIC_OPTIONS(choices, load),
    VEF_LOAD_FURTHER_OPTIONS(choices, load),
    VEF_PLOT_OPTIONS(choices, plot, "Draw the curves, or the times, as FILE.svg, .pdf or .png"),
    VEF_CHOICE("bars", bars, choices, bars,
               "What the picture of --trace shows: times, or differences from the first network",
               .default_text = "differences where all times are within 10 %"),
    VEF_GROUP("Measurement"),
    VEF_LOAD_MEASURE_OPTIONS(choices, load),
    VEF_NETWORK_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {
    VEF_EXCLUDES("--trace", "--rate --saturation --pattern --process"),
    VEF_NEEDS("--figure --bars", "--plot"),
    VEF_NEEDS("--bars", "--trace"),
    {0},
};

static void warn_of_hardware(const vef_net_hardware *hardware, uint32_t count) {
    char text[VEF_HARDWARE_BYTES];
    if (vef_net_hardware_differs(hardware, count, text))
        vef_command_warn("compare", text);
}

/* Opens all networks before the first measurement, so that an error in the last one costs no time.
 * `load`: the choices of each. */
static vef_code open_sessions(const choices *chosen, vef_compared_loads *compared,
                              vef_load_choices *load, vef_error *error) {
    vef_code code = VEF_OK;
    vef_net_hardware hardware[VEF_MOST_SUBJECTS];
    for (uint32_t n = 0; code == VEF_OK && n < compared->subjects->count; n++) {
        const vef_subject *subject = &compared->subjects->list[n];
        vef_load_session *session = compared->session[n] = vef_calloc(1, sizeof *session);
        load[n] = chosen->load;
        load[n].overrides = subject->overrides;
        code = vef_load_session_open(&load[n], subject->path, session, error);
        if (code == VEF_OK)
            vef_command_warn_ignored("compare", session->root);
        for (size_t i = 0; code == VEF_OK && i < session->model->warnings.count; i++)
            vef_command_warn("compare", session->model->warnings.values[i]);
        if (code == VEF_OK)
            hardware[n] = vef_netmodel_hardware(session->model, subject->label);
    }
    if (code == VEF_OK)
        warn_of_hardware(hardware, compared->subjects->count);
    return code;
}

static vef_code compare_loads(const choices *chosen, const vef_subjects *subjects, bool *stopped,
                              vef_error *error) {
    vef_compared_loads compared = {.subjects = subjects};
    vef_load_choices *load = vef_calloc(subjects->count, sizeof *load);
    vef_code code = open_sessions(chosen, &compared, load, error);
    for (uint32_t n = 0; code == VEF_OK && n < subjects->count; n++) {
        const vef_load_point *point;
        code = vef_load_session_measure(compared.session[n], chosen->load.saturation,
                                        subjects->list[n].label, error);
        *stopped = *stopped || vef_load_session_deadlock(compared.session[n], &point);
    }
    if (code == VEF_OK)
        code = vef_report_write(chosen->format, vef_compared_loads_build, &compared, stdout, error);
    if (code == VEF_OK && chosen->plot.path)
        code = vef_picture_save(vef_compared_loads_draw(&compared), &chosen->plot, error);
    for (uint32_t n = 0; n < subjects->count && compared.session[n]; n++) {
        vef_load_session_release(compared.session[n]);
        free(compared.session[n]);
    }
    free(load);
    return code;
}

static vef_code compare_replays(const choices *chosen, const vef_subjects *subjects, bool *stopped,
                                vef_error *error) {
    vef_compared_replays compared = {
        .trace = chosen->trace, .choices = &chosen->load, .subjects = subjects};
    vef_net_hardware hardware[VEF_MOST_SUBJECTS];
    uint64_t *seeds = vef_calloc(VEF_MOST_NUMBERS, sizeof *seeds);
    vef_code code = VEF_OK;
    compared.seeds = seeds;
    if (chosen->load.seeds)
        code = vef_load_choices_seeds(&chosen->load, seeds, &compared.seed_count, error);
    else if (chosen->load.seed_given) {
        seeds[0] = chosen->load.seed;
        compared.seed_count = 1;
    }
    for (uint32_t n = 0; code == VEF_OK && n < subjects->count; n++) {
        code = vef_compared_replays_run(&compared, n, error);
        *stopped = *stopped || (code == VEF_OK && compared.rows[n].stall != VEF_STALL_NONE);
        hardware[n] = compared.rows[n].hardware;
    }
    if (code == VEF_OK)
        warn_of_hardware(hardware, subjects->count);
    if (code == VEF_OK)
        code =
            vef_report_write(chosen->format, vef_compared_replays_build, &compared, stdout, error);
    if (code == VEF_OK && chosen->plot.path)
        code = vef_picture_save(vef_compared_replays_draw(&compared, chosen->bars), &chosen->plot,
                                error);
    vef_compared_replays_release(&compared);
    free(seeds);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    bool stopped = false;
    vef_subjects subjects = {0};
    const int operand = vef_command_read(&vef_command_compare, argc, argv, &chosen, 1, INT32_MAX);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (!chosen.trace && vef_load_choices_check(&chosen.load, &error) != VEF_OK)
        return vef_command_usage(&vef_command_compare, "%s", error.message);
    vef_code code = chosen.plot.path ? vef_picture_check("--plot", &chosen.plot, &error) : VEF_OK;
    if (code == VEF_OK)
        code = vef_subjects_make(&subjects, argv + operand, (uint32_t)(argc - operand),
                                 &chosen.vary, &chosen.load.overrides, &error);
    if (code == VEF_OK)
        code = chosen.trace ? compare_replays(&chosen, &subjects, &stopped, &error)
                            : compare_loads(&chosen, &subjects, &stopped, &error);
    vef_subjects_free(&subjects);
    if (code != VEF_OK)
        return vef_command_error("compare", &error);
    return stopped ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

const vef_command vef_command_compare = {
    .name = "compare",
    .summary = "The same load, or the same program, on several networks",
    .usage =
        "NET... (--rate LOADS | --saturation | --trace TRACE) [--vary KEY=V1,V2]... "
        "[--set KEY=VALUE]... [OPTIONS]",
    .operands = "NET.yaml",
    .options = options,
    .rules = rules,
    .notes =
        "NET is a network file, or the network itself: '{topology: …}'. --set, --map and --grid "
        "apply to every network. --vary compares settings of one network, or of each: --vary "
        "routing.algorithm=dor,adaptive. A comma inside brackets belongs to a value.\n\nLoads: a "
        "row per network and load, then the greatest accepted load of each network, relative to "
        "the first. Replays: the time on each network, with --seeds the mean. Both end with the "
        "verdict: the networks, ranked, and why the best is better. Patterns and processes are "
        "those of `vef load --help`.\n\nExit status: 0; 1 when a network deadlocked "
        "or a replay stalled (the table says which); 2 for usage and input errors.\n",
    .run = run,
};
