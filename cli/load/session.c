/* A measurement of `vef load`. See session.h. */
#include "cli/load/session.h"

#include "common/config/config.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "replay/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values common in papers: intervals of 1 %, and more cycles than needed. A large network averages
 * over its endpoints what a small one needs several runs for. */
enum { USUAL_SEEDS = 3, LARGE_ENDPOINTS = 4096, USUAL_CYCLES = 1000000 };
static const double FULL_RATE = 1;

/* ---- the request ---- */

/* Without a topology endpoints form a row, for patterns with a grid. */
static vef_code make_row(vef_load_session *held, uint32_t endpoints, vef_error *error) {
    char text[64];
    vef_node *node = NULL;
    snprintf(text, sizeof text, "{family: mesh, sizes: [%" PRIu32 "]}", endpoints);
    vef_code code = vef_config_parse(text, "--endpoints", &held->arena, &node, error);
    return code == VEF_OK ? vef_topology_create(node, 0, &held->row, error) : code;
}

static vef_code read_text(const char *text, const char *option, vef_load_session *held,
                          vef_node **node, vef_error *error) {
    *node = NULL;
    if (!text)
        return VEF_OK;
    if (text[strspn(text, " \t\n")] == '\0')
        return vef_fail(error, VEF_INVALID, "%s: expected a name or a mapping; found nothing",
                        option);
    return vef_config_parse(text, option, &held->arena, node, error);
}

/* Where the endpoints of the pattern, as tasks, are in the network. */
static vef_code read_mapping(const vef_load_choices *chosen, const vef_topology *topology,
                             vef_load_session *held, vef_error *error) {
    vef_mapping_request request = {
        .text = chosen->map, .plugins = vef_library_list(held->root), .tasks = topology->endpoints};
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

static vef_code read_traffic(const vef_load_choices *chosen, vef_load_session *held,
                             vef_error *error) {
    const vef_topology *topology = held->model->topology ? held->model->topology : held->row;
    vef_traffic_settings *traffic = &held->settings.traffic;
    vef_node *node;
    vef_code code = read_text(chosen->pattern, "--pattern", held, &node, error);
    if (code == VEF_OK)
        code =
            vef_pattern_create(node, vef_library_list(held->root), topology, &held->pattern, error);
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

static vef_code read_rates(const vef_load_choices *chosen, vef_load_session *held,
                           vef_error *error) {
    if (!chosen->rate) {
        held->rates[0] = FULL_RATE;
        held->rate_count = 1;
        return VEF_OK;
    }
    vef_code code = vef_numbers_read("--rate", "a load in phits per cycle and endpoint such as 0.3",
                                     chosen->rate, held->rates, &held->rate_count, error);
    for (size_t i = 0; code == VEF_OK && i < held->rate_count; i++)
        if (!(held->rates[i] > 0))
            code = vef_fail(error, VEF_INVALID, "--rate: %g is out of range: expected more than 0",
                            held->rates[i]);
    if (code == VEF_OK && chosen->saturation && held->rate_count > 1)
        return vef_fail(error, VEF_INVALID,
                        "--saturation: expected a single --rate, the upper limit of the search");
    return code;
}

static uint32_t usual_seeds(uint32_t endpoints) {
    return endpoints < LARGE_ENDPOINTS ? USUAL_SEEDS : 1;
}

static vef_code read_seeds(const vef_load_choices *chosen, vef_load_session *held,
                           vef_error *error) {
    size_t count;
    const vef_code code = vef_load_choices_seeds(chosen, held->seeds, &count, error);
    held->settings.seeds = (uint32_t)count;
    held->settings.seed_list = held->seeds;
    held->settings.first_seed = held->seeds[0];
    return code;
}

vef_code vef_load_session_open(const vef_load_choices *chosen, const char *path,
                               vef_load_session *held, vef_error *error) {
    vef_node *root = NULL;
    vef_code code = vef_machine_open(path, chosen->overrides.text, chosen->overrides.count,
                                     &held->arena, &root, NULL, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &held->model, error);
    held->root = root;
    held->choices = chosen;
    if (code != VEF_OK)
        return code;
    held->settings = (vef_load_settings){
        .network = path,
        .opened = held->model,
        .overrides = chosen->overrides.text,
        .override_count = chosen->overrides.count,
        .precision = chosen->precision,
        .most_cycles = chosen->most_cycles < 0 ? USUAL_CYCLES : (uint64_t)chosen->most_cycles,
        .gives_up = chosen->most_cycles < 0,
        .first_seed = chosen->seed_given ? chosen->seed : held->model->seed,
        .threads = chosen->threads,
    };
    if (held->model->topology && chosen->endpoints > 0)
        return vef_fail(error, VEF_INVALID,
                        "--endpoints: not supported with a topology: this network has %" PRIu32
                        " endpoints (endpoints_per_router in its file)",
                        held->model->endpoints);
    if (!held->model->topology)
        code = make_row(held, chosen->endpoints ? chosen->endpoints : 64, error);
    if (code == VEF_OK)
        code = read_traffic(chosen, held, error);
    if (code != VEF_OK)
        return code;
    held->settings.seeds = usual_seeds(held->settings.traffic.pattern->endpoints);
    if (chosen->seeds)
        code = read_seeds(chosen, held, error);
    if (code == VEF_OK)
        code = read_rates(chosen, held, error);
    return code == VEF_OK
               ? vef_load_check(&held->settings, held->model, held->rates, held->rate_count, error)
               : code;
}

/* ---- measuring ---- */

static void show_progress(void *context, double share) {
    vef_progress_update(context, (uint64_t)(share * 1e6), 1000000);
}

vef_code vef_load_session_measure(vef_load_session *held, bool saturation, const char *what,
                                  vef_error *error) {
    vef_progress progress;
    vef_load_watch watch = {show_progress, &progress};
    vef_code code;
    vef_progress_begin(&progress, what ? what : saturation ? "searching saturation" : "measuring");
    if (saturation) {
        held->saturation = vef_calloc(1, sizeof *held->saturation);
        code = vef_load_find_saturation(&held->settings, held->rates[0], &watch, held->saturation,
                                        error);
    } else {
        held->points = vef_calloc(held->rate_count, sizeof *held->points);
        code = vef_load_points(&held->settings, held->rates, held->rate_count, &watch, held->points,
                               error);
    }
    vef_progress_end(&progress);
    held->report = (vef_load_report){
        .choices = held->choices,
        .settings = &held->settings,
        .model = held->model,
        .points = saturation ? held->saturation->points : held->points,
        .count = saturation ? held->saturation->count : held->rate_count,
        .saturation = held->saturation,
    };
    return code;
}

const vef_load_run *vef_load_session_deadlock(const vef_load_session *held,
                                              const vef_load_point **point) {
    for (size_t i = 0; i < held->report.count; i++)
        if (held->report.points[i].deadlocked) {
            *point = &held->report.points[i];
            return held->report.points[i].deadlocked;
        }
    return NULL;
}

void vef_load_session_release(vef_load_session *held) {
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
    *held = (vef_load_session){0};
}
