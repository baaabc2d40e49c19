/* `vef load`: a network under open-loop synthetic traffic. */
#include "cli/command.h"
#include "cli/load/plot.h"
#include "cli/load/rates.h"
#include "cli/load/report.h"
#include "common/config/config.h"
#include "common/progress.h"
#include "mappings/mapping.h"
#include "replay/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct choices {
    const vef_report_format *format;
    bool saturation;
    const char *pattern, *process, *lengths, *rate, *plot, *map, *grid;
    vef_texts overrides;
    vef_seed seed;
    int64_t seeds, most_cycles, threads, endpoints; /* negative: not given */
    double precision;
} choices;

/* Values common in papers: intervals of 1 %, and more cycles than needed. A large network averages
 * over its endpoints what a small one needs several runs for. */
enum { USUAL_SEEDS = 3, LARGE_ENDPOINTS = 4096, USUAL_CYCLES = 1000000 };
static const double USUAL_PRECISION = 0.01, FULL_RATE = 1;

static const vef_option options[] = {
    VEF_OPTION(TEXT, "pattern", "PATTERN", choices, pattern,
               "Traffic pattern, see below (default: uniform)."),
    VEF_OPTION(TEXT, "map", "MAPPING", choices, map,
               "Mapping of the pattern's endpoints, as of vef map (default: each at its own)."),
    VEF_OPTION(TEXT, "grid", "WxH", choices, grid, "Logical grid for the mapping."),
    VEF_OPTION(
        TEXT, "rate", "LOADS", choices, rate,
        "Offered load in phits per cycle and endpoint: 0.3, 0.05:1.0:0.05 or a list with commas."),
    VEF_FLAG("saturation", choices, saturation,
             "Search for the greatest accepted load, up to --rate (default: 1)."),
    VEF_OPTION(TEXT, "process", "PROCESS", choices, process,
               "Injection process, see below (default: bernoulli)."),
    VEF_OPTION(TEXT, "lengths", "LENGTHS", choices, lengths,
               "Message length in phits: 16, or 0.7:8,0.3:64 (default: one packet)."),
    VEF_OPTION(
        COUNT, "seeds", "N", choices, seeds,
        "Runs of each point, with consecutive seeds (default: 3; 1 from 4096 endpoints on)."),
    VEF_OPTION(SEED, "seed", "N", choices, seed, "First seed (default: that of the network file)."),
    VEF_OPTION(FACTOR, "precision", "X", choices, precision,
               "Half width of the 95 % confidence interval, relative to the mean (default: 0.01)."),
    VEF_OPTION(COUNT, "max-cycles", "N", choices, most_cycles,
               "Maximum number of cycles of a run (default: 1000000)."),
    VEF_OPTION(COUNT, "threads", "N", choices, threads,
               "Maximum number of threads; results do not depend on it (default: one per core)."),
    VEF_OPTION(COUNT, "endpoints", "N", choices, endpoints,
               "Number of endpoints of a network without topology (default: 64)."),
    VEF_OPTION(TEXTS, "set", "KEY=VALUE", choices, overrides,
               "Override a key of the network file (router.queue_packets=8)."),
    VEF_OPTION(TEXT, "plot", "FILE", choices, plot,
               "Draw the curve as FILE.svg or FILE.png (needs gnuplot)."),
    VEF_FORMAT_OPTIONS(choices, format),
};

static void help(FILE *out) {
    fputs(
        "PATTERN and PROCESS are names, or mappings with parameters: '{pattern: NAME, KEY: "
        "VALUE}'.\n\n",
        out);
    vef_traffic_describe(out);
    fputs(
        "\n"
        "Exit status: 0; 1 when the network deadlocked (stderr has the cycle); 2 for usage and "
        "input errors.\n"
        "docs/load.md explains the measurement.\n",
        out);
}

/* Resources of a measurement, released together. */
typedef struct session {
    vef_netmodel *model;
    vef_topology *row; /* replaces the topology of a network without one */
    vef_pattern *pattern;
    vef_mapping *mapping; /* of the pattern's endpoints; NULL: each is that of the network */
    vef_arena arena;
    vef_load_settings settings;
    double rates[VEF_MOST_RATES];
    size_t rate_count;
    vef_load_point *points;
    vef_load_saturation *saturation;
} session;

static vef_code check_choices(const choices *chosen, vef_error *error) {
    if (!chosen->rate && !chosen->saturation)
        return vef_fail(error, VEF_INVALID, "missing --rate LOADS or --saturation");
    if (chosen->threads == 0)
        return vef_fail(error, VEF_INVALID, "--threads 0: out of range: expected at least 1");
    if (chosen->seeds == 0 || chosen->seeds > 1000)
        return vef_fail(error, VEF_INVALID, "--seeds %" PRId64 ": out of range: expected 1 to 1000",
                        chosen->seeds);
    return VEF_OK;
}

/* ---- the request ---- */

/* Without a topology endpoints form a row, for patterns with a grid. */
static vef_code make_row(session *held, int64_t endpoints, vef_error *error) {
    char text[64];
    vef_node *node = NULL;
    snprintf(text, sizeof text, "{family: mesh, sizes: [%" PRId64 "]}", endpoints);
    vef_code code = vef_config_parse(text, "--endpoints", &held->arena, &node, error);
    return code == VEF_OK ? vef_topology_create(node, 1, &held->row, error) : code;
}

static vef_code read_text(const char *text, const char *option, session *held, vef_node **node,
                          vef_error *error) {
    *node = NULL;
    if (!text)
        return VEF_OK;
    if (text[strspn(text, " \t\n")] == '\0')
        return vef_fail(error, VEF_INVALID, "%s: expected a name or a mapping; found nothing",
                        option);
    return vef_config_parse(text, option, &held->arena, node, error);
}

/* Where the endpoints of the pattern, as tasks, are in the network. */
static vef_code read_mapping(const choices *chosen, const vef_topology *topology, session *held,
                             vef_error *error) {
    vef_mapping_request request = {.text = chosen->map, .tasks = topology->endpoints};
    if (!chosen->map)
        return chosen->grid ? vef_fail(error, VEF_INVALID, "--grid: expected a --map") : VEF_OK;
    vef_code code =
        chosen->grid ? vef_mapping_parse_grid(chosen->grid, &request.grid, error) : VEF_OK;
    if (code == VEF_OK)
        code = vef_mapping_create(&request, topology, &held->mapping, error);
    if (code == VEF_OK)
        held->settings.traffic.places = held->mapping->endpoint;
    return code;
}

static vef_code read_traffic(const choices *chosen, session *held, vef_error *error) {
    const vef_topology *topology = held->model->topology ? held->model->topology : held->row;
    vef_traffic_settings *traffic = &held->settings.traffic;
    vef_node *node;
    vef_code code = read_text(chosen->pattern, "--pattern", held, &node, error);
    if (code == VEF_OK)
        code = vef_pattern_create(node, topology, &held->pattern, error);
    traffic->pattern = held->pattern;
    if (code == VEF_OK)
        code = read_mapping(chosen, topology, held, error);
    if (code == VEF_OK)
        code = read_text(chosen->process, "--process", held, &node, error);
    if (code == VEF_OK)
        code = vef_process_read(node, &held->arena, &traffic->process, &traffic->process_parameters,
                                error);
    if (code != VEF_OK)
        return code;
    char packet[32];
    snprintf(packet, sizeof packet, "%" PRIu32,
             held->model->packet_phits > 0 ? held->model->packet_phits : 16);
    return vef_lengths_read(chosen->lengths ? chosen->lengths : packet, &held->arena,
                            &traffic->lengths, &traffic->length_count, error);
}

static vef_code read_rates(const choices *chosen, session *held, vef_error *error) {
    if (!chosen->rate) {
        held->rates[0] = FULL_RATE;
        held->rate_count = 1;
        return VEF_OK;
    }
    vef_code code = vef_load_read_rates(chosen->rate, held->rates, &held->rate_count, error);
    if (code == VEF_OK && chosen->saturation && held->rate_count > 1)
        return vef_fail(error, VEF_INVALID,
                        "--saturation: expected a single --rate, the upper limit of the search");
    return code;
}

static uint32_t usual_seeds(uint32_t endpoints) {
    return endpoints < LARGE_ENDPOINTS ? USUAL_SEEDS : 1;
}

static vef_code open_session(const choices *chosen, const char *path, session *held,
                             vef_error *error) {
    vef_node *root = NULL;
    vef_code code = vef_machine_open(path, chosen->overrides.text, chosen->overrides.count,
                                     &held->arena, &root, NULL, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &held->model, error);
    if (code != VEF_OK)
        return code;
    held->settings = (vef_load_settings){
        .network = path,
        .overrides = chosen->overrides.text,
        .override_count = chosen->overrides.count,
        .precision = chosen->precision,
        .most_cycles = chosen->most_cycles < 0 ? USUAL_CYCLES : (uint64_t)chosen->most_cycles,
        .gives_up = chosen->most_cycles < 0,
        .first_seed = chosen->seed.given ? chosen->seed.value : held->model->seed,
        .threads = chosen->threads < 0 ? 0 : (uint32_t)chosen->threads,
    };
    if (held->model->topology && chosen->endpoints >= 0)
        return vef_fail(error, VEF_INVALID,
                        "--endpoints: not supported with a topology: this network has %" PRIu32
                        " endpoints (endpoints_per_router in its file)",
                        held->model->endpoints);
    if (!held->model->topology)
        code = make_row(held, chosen->endpoints < 0 ? 64 : chosen->endpoints, error);
    if (code == VEF_OK)
        code = read_traffic(chosen, held, error);
    if (code != VEF_OK)
        return code;
    held->settings.seeds = usual_seeds(held->settings.traffic.pattern->endpoints);
    if (chosen->seeds >= 0)
        held->settings.seeds = (uint32_t)chosen->seeds;
    if (code == VEF_OK)
        code = read_rates(chosen, held, error);
    if (code == VEF_OK && chosen->plot)
        code = vef_load_plot_check(chosen->plot, error);
    return code == VEF_OK
               ? vef_load_check(&held->settings, held->model, held->rates, held->rate_count, error)
               : code;
}

/* ---- measuring and reporting ---- */

static void show_progress(void *context, double share) {
    vef_progress_update(context, (uint64_t)(share * 1e6), 1000000);
}

static vef_code measure(session *held, bool saturation, vef_load_report *report, vef_error *error) {
    vef_progress progress;
    vef_load_watch watch = {show_progress, &progress};
    vef_code code;
    vef_progress_begin(&progress, saturation ? "searching saturation" : "measuring");
    if (saturation) {
        held->saturation = calloc(1, sizeof *held->saturation);
        code = held->saturation ? vef_load_find_saturation(&held->settings, held->rates[0], &watch,
                                                           held->saturation, error)
                                : vef_fail_memory(error, "a search", sizeof *held->saturation);
    } else {
        held->points = calloc(held->rate_count, sizeof *held->points);
        code = held->points
                   ? vef_load_points(&held->settings, held->rates, held->rate_count, &watch,
                                     held->points, error)
                   : vef_fail_memory(error, "points", held->rate_count * sizeof *held->points);
    }
    vef_progress_end(&progress);
    *report = (vef_load_report){
        .settings = &held->settings,
        .model = held->model,
        .points = saturation ? held->saturation->points : held->points,
        .count = saturation ? held->saturation->count : held->rate_count,
        .saturation = held->saturation,
    };
    return code;
}

/* Reports the first deadlock; returns the exit status. */
static int report_deadlock(const vef_load_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        const vef_load_run *run = report->points[i].deadlocked;
        if (!run)
            continue;
        fprintf(stderr,
                "vef load: offered %g with seed %" PRIu64
                ": deadlock, packets can never move again, in "
                "cycle %" PRIu64 ":\n%s",
                report->points[i].rate, run->seed, run->deadlock_cycle, run->deadlock);
        return VEF_EXIT_FAILURE;
    }
    return VEF_EXIT_OK;
}

static void release(session *held) {
    if (held->points)
        vef_load_points_release(held->points, held->rate_count);
    if (held->saturation)
        vef_load_saturation_release(held->saturation);
    free(held->points);
    free(held->saturation);
    vef_pattern_destroy(held->pattern);
    vef_mapping_destroy(held->mapping);
    vef_topology_destroy(held->row);
    vef_netmodel_destroy(held->model);
    vef_arena_release(&held->arena);
    free(held);
}

static int run(int argc, char **argv) {
    choices chosen = {.seeds = -1,
                      .most_cycles = -1,
                      .threads = -1,
                      .endpoints = -1,
                      .precision = USUAL_PRECISION};
    vef_error error = {0};
    int operand = vef_command_read(&vef_command_load, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (check_choices(&chosen, &error) != VEF_OK)
        return vef_command_usage(&vef_command_load, "%s", error.message);
    session *held = calloc(1, sizeof *held);
    if (!held) {
        vef_fail_memory(&error, "a measurement", sizeof *held);
        return vef_command_error("load", &error);
    }
    vef_load_report report = {0};
    vef_code code = open_session(&chosen, argv[operand], held, &error);
    for (size_t i = 0; code == VEF_OK && i < held->model->warnings.count; i++)
        vef_command_warn("load", held->model->warnings.values[i]);
    if (code == VEF_OK)
        code = measure(held, chosen.saturation, &report, &error);
    if (code == VEF_OK)
        code = vef_report_write(chosen.format, &vef_load_report_parts, &report, stdout, &error);
    if (code == VEF_OK && chosen.plot)
        code = vef_load_plot(&report, chosen.plot, &error);
    int status = code == VEF_OK ? report_deadlock(&report) : vef_command_error("load", &error);
    release(held);
    return status;
}

const vef_command vef_command_load = {
    .name = "load",
    .summary = "Measure accepted load and latency under synthetic traffic",
    .usage =
        "NET.yaml|'{topology: …}' --rate LOADS|--saturation [--pattern PATTERN] [--set "
        "KEY=VALUE]... "
        "[OPTIONS]",
    .options = options,
    .help = help,
    .run = run,
};
