/* Sources of an open loop. See sources.h.
 *
 * Past saturation the queue of a source grows without bound. The network sees only its front, so
 * the messages of a source that has VEF_MOST_WAITING in the network's own queue are postponed
 * (traffic.h): each keeps its time of generation, and memory does not grow. A source is checked
 * again before half of the waiting messages can have left it, so that it never runs dry. */
#include "netmodel/load/sources.h"
#include "common/memory.h"

#include <stdlib.h>

#define NONE UINT32_MAX

void vef_sources_create(vef_sources *sources, vef_netmodel *model, vef_traffic *traffic,
                        uint32_t groups, uint32_t endpoints, uint64_t least_phits) {
    *sources = (vef_sources){.model = model,
                             .traffic = traffic,
                             .packets = vef_netmodel_packets(model),
                             .endpoints = endpoints,
                             .groups = groups,
                             .free_one = NONE};
    uint64_t a_cycle = model->injection_phits > 0 ? model->injection_phits : 1;
    sources->look_cycles = 1 + VEF_MOST_WAITING / 2 * least_phits / a_cycle;
    sources->accepted_phits = vef_calloc(endpoints, sizeof *sources->accepted_phits);
    sources->latency = vef_calloc(1, sizeof *sources->latency);
    sources->group_latency = vef_calloc(groups > 0 ? groups : 1, sizeof *sources->group_latency);
}

void vef_sources_release(vef_sources *sources) {
    vef_traffic_destroy(sources->traffic);
    free(sources->inside);
    free(sources->accepted_phits);
    free(sources->latency);
    free(sources->group_latency);
    *sources = (vef_sources){0};
}

void vef_sources_begin_figures(vef_sources *sources) {
    *sources->latency = (vef_latency){0};
    sources->delivered_bytes = 0;
    for (uint32_t group = 0; group < sources->groups; group++) {
        sources->group_latency[group] = (vef_latency){0};
        sources->group_phits[group] = 0;
    }
    for (uint32_t e = 0; e < sources->endpoints; e++)
        sources->accepted_phits[e] = 0;
}

static uint32_t take(vef_sources *sources) {
    uint32_t number = sources->free_one;
    if (number != NONE) {
        sources->free_one = sources->inside[number].next;
        return number;
    }
    if (sources->untouched == sources->room) {
        const uint64_t room = sources->room ? (uint64_t)sources->room * 2 : 1024;
        if (room >= NONE) /* more than numbers for them */
            vef_lost(room * sizeof *sources->inside);
        sources->inside = vef_realloc(sources->inside, room * sizeof *sources->inside);
        sources->room = (uint32_t)room;
    }
    return sources->untouched++;
}

/* A message, generated now or, at a source with a backlog, before, enters its source's queue. */
static vef_code inject(vef_sources *sources, vef_net_message *message, uint32_t group, uint64_t now,
                       vef_error *error) {
    const uint32_t number = take(sources);
    sources->inside[number] = (vef_inside){
        .made_cycles = message->time_cycles,
        .bytes = message->bytes,
        .source = message->source,
        .group = group,
    };
    sources->count++;
    message->id = number;
    message->time_cycles = vef_netmodel_time_of(sources->model, now);
    return sources->model->kind->inject(sources->model, message, error);
}

static bool is_behind(const vef_sources *sources, uint32_t endpoint) {
    const vef_netmodel_kind *kind = sources->model->kind;
    return kind->waiting && kind->waiting(sources->model, endpoint) >= VEF_MOST_WAITING;
}

static vef_code inject_due(vef_sources *sources, uint64_t now, vef_error *error) {
    vef_code code = VEF_OK;
    while (vef_traffic_time(sources->traffic) <= now && code == VEF_OK) {
        if (is_behind(sources, vef_traffic_source(sources->traffic))) {
            vef_traffic_put_off(sources->traffic, now + sources->look_cycles);
            continue;
        }
        vef_net_message message;
        const uint32_t group = vef_traffic_group(sources->traffic);
        vef_traffic_next(sources->traffic, &message);
        code = inject(sources, &message, group, now, error);
    }
    return code;
}

static void count(vef_sources *sources, const vef_net_delivery *delivery) {
    uint32_t number = (uint32_t)delivery->id;
    vef_inside *message = &sources->inside[number];
    const uint64_t latency =
        vef_netmodel_cycles_at(sources->model, delivery->time_cycles) - message->made_cycles;
    const uint64_t phits = vef_packets_phits(&sources->packets, message->bytes);
    vef_latency_add(sources->latency, latency);
    if (sources->groups > 0) {
        vef_latency_add(&sources->group_latency[message->group], latency);
        sources->group_phits[message->group] += phits;
    }
    sources->accepted_phits[message->source] += phits;
    sources->delivered_bytes += message->bytes;
    message->next = sources->free_one;
    sources->free_one = number;
    sources->count--;
}

vef_code vef_sources_run(vef_sources *sources, uint64_t until_cycles, vef_error *error) {
    const vef_netmodel_kind *kind = sources->model->kind;
    vef_code code = VEF_OK;
    uint64_t now;
    while (code == VEF_OK && (now = vef_sources_now(sources)) < until_cycles) {
        code = inject_due(sources, now, error);
        if (code != VEF_OK)
            return code;
        uint64_t limit = vef_traffic_time(sources->traffic);
        if (limit > until_cycles)
            limit = until_cycles;
        const vef_net_delivery *deliveries;
        size_t delivered;
        code = kind->advance(sources->model, vef_netmodel_time_of(sources->model, limit),
                             &deliveries, &delivered, error);
        for (size_t i = 0; i < delivered && code == VEF_OK; i++)
            count(sources, &deliveries[i]);
    }
    return code;
}
