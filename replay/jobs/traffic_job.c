/* Background traffic of a job list. See traffic_job.h. */
#include "replay/jobs/traffic_job.h"

#include "netmodel/clock.h"
#include "replay/state/sim_time.h"

#include <stdlib.h>

/* ---- endpoints ---- */

static uint32_t *free_nodes(const vef_job_nodes *nodes, vef_arena *arena) {
    uint32_t *chosen = vef_arena_alloc(arena, nodes->free + (size_t)1, sizeof *chosen);
    for (uint32_t node = 0, count = 0; node < nodes->count; node++)
        if (nodes->owner[node] == VEF_NOBODY)
            chosen[count++] = node;
    return chosen;
}

static vef_code place(vef_traffic_job *job, uint32_t number, vef_job_nodes *nodes,
                      vef_error *error) {
    const uint32_t nics = nodes->nics, asked = job->spec->endpoints;
    const uint32_t wanted = asked ? (asked - 1) / nics + 1 : nodes->free;
    if (wanted * (uint64_t)nics < 2)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u nodes without a job: expected at least 2 endpoints for it",
                        nodes->free);
    if (wanted > nodes->free)
        return vef_job_placement_choose(&job->spec->placement, nodes, wanted, NULL, error);
    uint32_t *chosen = asked ? vef_arena_alloc(&job->arena, wanted, sizeof *chosen)
                             : free_nodes(nodes, &job->arena);
    job->endpoints = asked ? asked : wanted * nics;
    job->places = vef_arena_alloc(&job->arena, job->endpoints, sizeof *job->places);
    vef_code code =
        asked ? vef_job_placement_choose(&job->spec->placement, nodes, wanted, chosen, error)
              : VEF_OK;
    for (uint32_t i = 0; i < wanted && code == VEF_OK; i++) {
        if (nodes->owner[chosen[i]] != VEF_NOBODY)
            return vef_fail(error, VEF_INVALID,
                            "endpoint %u belongs to job %s: jobs must not overlap: expected other "
                            "endpoints, or place=contiguous",
                            chosen[i] * nics, nodes->names[nodes->owner[chosen[i]]]);
        vef_job_nodes_take(nodes, chosen[i], number);
    }
    for (uint32_t i = 0; i < job->endpoints && code == VEF_OK; i++)
        job->places[i] = chosen[i / nics] * nics + i % nics;
    return code;
}

static bool is_whole(const vef_traffic_job *job, const vef_netmodel *network) {
    if (job->endpoints != network->endpoints)
        return false;
    for (uint32_t i = 0; i < job->endpoints; i++)
        if (job->places[i] != i)
            return false;
    return true;
}

/* ---- messages ---- */

static vef_code make_row(vef_traffic_job *job, vef_error *error) {
    char text[64];
    vef_node *node = NULL;
    snprintf(text, sizeof text, "{family: mesh, sizes: [%u]}", job->endpoints);
    vef_code code =
        vef_config_parse(text, "endpoints of background traffic", &job->arena, &node, error);
    return code == VEF_OK ? vef_topology_create(node, 0, &job->row, error) : code;
}

static vef_code read_traffic(vef_traffic_job *job, const vef_node *plugins,
                             const vef_netmodel *network, vef_error *error) {
    const vef_job_spec *spec = job->spec;
    char packet[32];
    vef_code code = is_whole(job, network) ? VEF_OK : make_row(job, error);
    if (code == VEF_OK)
        code = vef_pattern_create(spec->pattern, plugins, job->row ? job->row : network->topology,
                                  &job->pattern, error);
    if (code == VEF_OK)
        code = vef_process_read(spec->process, &job->arena, &job->process, &job->process_parameters,
                                error);
    snprintf(packet, sizeof packet, "%u", network->packet_phits ? network->packet_phits : 16);
    if (code == VEF_OK)
        code = vef_lengths_read(spec->lengths ? spec->lengths : packet, &job->arena, &job->lengths,
                                &job->length_count, error);
    return code;
}

vef_code vef_traffic_job_open(vef_traffic_job *job, const vef_job_spec *spec, uint32_t number,
                              const vef_node *plugins, vef_job_nodes *nodes,
                              const vef_netmodel *network, vef_error *error) {
    *job = (vef_traffic_job){.spec = spec, .until_cycles = VEF_FOREVER};
    if (!network->topology)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "networks of model %s have no links to load: expected model router or "
                        "flow",
                        network->kind->name);
    const vef_net_clock cycle = vef_net_clock_of_cycles(network);
    job->from_cycles = vef_net_clock_from(&cycle, vef_ps_of(spec->start_ns));
    if (spec->until_ns < VEF_UNTIL_THE_END)
        job->until_cycles = vef_net_clock_from(&cycle, vef_ps_of(spec->until_ns));
    vef_code code = place(job, number, nodes, error);
    return code == VEF_OK ? read_traffic(job, plugins, network, error) : code;
}

void vef_traffic_job_release(vef_traffic_job *job) {
    vef_pattern_destroy(job->pattern);
    vef_topology_destroy(job->row);
    vef_arena_release(&job->arena);
    *job = (vef_traffic_job){0};
}

static uint64_t least_phits(const vef_traffic_job *job, const vef_packets *packets) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < job->length_count; i++) {
        const uint64_t phits = job->lengths[i].phits
                                   ? job->lengths[i].phits
                                   : vef_packets_phits(packets, job->lengths[i].bytes);
        least = phits < least ? phits : least;
    }
    return least;
}

vef_code vef_traffic_job_stream(const vef_traffic_job *job, uint32_t index,
                                const vef_netmodel *network, vef_net_background_stream *stream,
                                vef_error *error) {
    const vef_traffic_settings settings = {
        .pattern = job->pattern,
        .places = job->places,
        .process = job->process,
        .process_parameters = job->process_parameters,
        .lengths = job->lengths,
        .length_count = job->length_count,
        .rate = job->spec->rate,
        .packets = vef_netmodel_packets(network),
        .traffic_classes = network->traffic_classes ? network->traffic_classes : 1,
        .seed = job->spec->seed + index};
    *stream = (vef_net_background_stream){.name = job->spec->name,
                                          .least_phits = least_phits(job, &settings.packets),
                                          .from_cycles = job->from_cycles,
                                          .until_cycles = job->until_cycles};
    return vef_traffic_create(&settings, &stream->traffic, error);
}
