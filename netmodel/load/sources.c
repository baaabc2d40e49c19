/* Sources of an open loop. See sources.h.
 *
 * Past saturation the queue of a source grows without bound. The network sees only its front, so
 * the messages of a source that has VEF_MOST_WAITING in the network's own queue are postponed
 * (traffic.h): each keeps its time of generation, and memory does not grow. A source is checked
 * again before half of the waiting messages can have left it, so that it never runs dry. */
#include "netmodel/load/sources.h"
#include "common/memory.h"

#include <stdlib.h>

static bool is_behind(const vef_netmodel *model, uint32_t endpoint) {
    return model->kind->waiting && model->kind->waiting(model, endpoint) >= VEF_MOST_WAITING;
}

/* Injects the messages that are due. Returns the time of the next one in cycles. */
static uint64_t inject_due(const vef_sources *sources, vef_netmodel *model, vef_source_part *part,
                           uint64_t now) {
    vef_traffic *traffic = part->traffic;
    while (vef_traffic_time(traffic) <= now && part->code == VEF_OK) {
        if (is_behind(model, vef_traffic_source(traffic))) {
            vef_traffic_put_off(traffic, now + sources->look_cycles);
            continue;
        }
        vef_net_message message;
        vef_traffic_next(traffic, &message);
        message.id = message.time_cycles; /* of its generation: now or, with a backlog, before */
        message.time_cycles = vef_netmodel_time_of(model, now);
        part->code = model->kind->inject(model, &message, &part->error);
        part->inside++;
    }
    return part->code == VEF_OK ? vef_traffic_time(traffic) : VEF_FOREVER;
}

static uint64_t act(void *context, vef_netmodel *model, uint32_t number, uint64_t now) {
    const vef_sources *sources = context;
    return inject_due(sources, model, &sources->parts[number], now);
}

/* Adds to a count that other parts also add to. */
static void add_shared(const vef_sources *sources, uint64_t *sum, uint64_t phits) {
    if (sources->part_count == 1)
        *sum += phits;
    else
        __atomic_fetch_add(sum, phits, __ATOMIC_RELAXED);
}

static void count(const vef_sources *sources, vef_source_part *part,
                  const vef_net_delivery *delivery) {
    const uint64_t latency =
        vef_netmodel_cycles_at(sources->model, delivery->time_cycles) - delivery->id;
    const uint64_t phits = vef_packets_phits(&sources->packets, delivery->bytes);
    vef_latency_add(part->latency, latency);
    if (sources->groups > 0) {
        const uint32_t group = sources->group_of[delivery->source];
        vef_latency_add(&part->group_latency[group], latency);
        part->group_phits[group] += phits;
    }
    add_shared(sources, &sources->accepted_phits[delivery->source], phits);
    part->delivered_bytes += delivery->bytes;
    part->inside--;
}

static uint64_t receive(void *context, uint32_t number, const vef_net_delivery *deliveries,
                        size_t count_of_deliveries) {
    const vef_sources *sources = context;
    vef_source_part *part = &sources->parts[number];
    for (size_t i = 0; i < count_of_deliveries; i++)
        count(sources, part, &deliveries[i]);
    return part->code == VEF_OK ? vef_traffic_time(part->traffic) : VEF_FOREVER;
}

vef_code vef_sources_run(vef_sources *sources, uint64_t until_cycles, vef_error *error) {
    vef_netmodel *model = sources->model;
    const vef_netmodel_kind *kind = model->kind;
    vef_code code = VEF_OK;
    uint64_t now;
    while (code == VEF_OK && (now = vef_sources_now(sources)) < until_cycles) {
        uint64_t limit = until_cycles;
        if (!kind->attend) {
            const uint64_t next = act(sources, model, 0, now);
            limit = next < limit ? next : limit;
        }
        const vef_net_delivery *deliveries;
        size_t delivered;
        code = kind->advance(model, vef_netmodel_time_of(model, limit), &deliveries, &delivered,
                             error);
        if (code == VEF_OK && !kind->attend)
            receive(sources, 0, deliveries, delivered);
        for (uint32_t i = 0; i < sources->part_count && code == VEF_OK; i++) {
            code = sources->parts[i].code;
            if (code != VEF_OK)
                *error = sources->parts[i].error;
        }
        code = vef_net_agree(model->ranks, code, error);
    }
    return code;
}

/* ---- figures ---- */

vef_source_counts vef_sources_count(const vef_sources *sources) {
    int64_t inside = 0;
    vef_source_counts sum = {0};
    for (uint32_t i = 0; i < sources->part_count; i++) {
        const vef_source_part *part = &sources->parts[i];
        inside += part->inside;
        sum.messages += part->latency->count;
        sum.latency_cycles += part->latency->sum;
    }
    sum.inside = (uint64_t)inside;
    vef_net_sum(sources->model->ranks, &sum, sizeof sum);
    return sum;
}

static void clear_figures(const vef_sources *sources, vef_source_part *part) {
    *part->latency = (vef_latency){0};
    part->delivered_bytes = 0;
    for (uint32_t group = 0; group < sources->groups; group++) {
        part->group_latency[group] = (vef_latency){0};
        part->group_phits[group] = 0;
    }
}

void vef_sources_begin_figures(vef_sources *sources) {
    for (uint32_t i = 0; i < sources->part_count; i++)
        clear_figures(sources, &sources->parts[i]);
    for (uint32_t e = 0; e < sources->endpoints; e++)
        sources->accepted_phits[e] = 0;
}

const vef_source_part *vef_sources_gather(vef_sources *sources) {
    vef_source_part *sum = &sources->parts[0];
    for (uint32_t i = 1; i < sources->part_count; i++) {
        vef_source_part *part = &sources->parts[i];
        vef_latency_join(sum->latency, part->latency);
        sum->delivered_bytes += part->delivered_bytes;
        for (uint32_t group = 0; group < sources->groups; group++) {
            vef_latency_join(&sum->group_latency[group], &part->group_latency[group]);
            sum->group_phits[group] += part->group_phits[group];
        }
        clear_figures(sources, part);
    }
    const vef_net_ranks *ranks = sources->model->ranks;
    vef_net_sum(ranks, sum->latency, (1 + sources->groups) * sizeof *sum->latency);
    vef_net_sum(ranks, &sum->delivered_bytes, sizeof sum->delivered_bytes);
    vef_net_sum(ranks, sum->group_phits, sizeof sum->group_phits);
    vef_net_sum(ranks, sources->accepted_phits,
                sources->endpoints * sizeof *sources->accepted_phits);
    return sum;
}

/* ---- building ---- */

static uint64_t least_phits(const vef_traffic_settings *traffic) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < traffic->length_count; i++) {
        const vef_length_share *length = &traffic->lengths[i];
        const uint64_t phits =
            length->phits ? length->phits : vef_packets_phits(&traffic->packets, length->bytes);
        least = phits < least ? phits : least;
    }
    return least;
}

/* The last packet of a message is its shortest. */
static uint32_t shortest_packet(const vef_traffic_settings *traffic) {
    const vef_packets *packets = &traffic->packets;
    uint64_t least = UINT32_MAX;
    for (size_t i = 0; i < traffic->length_count; i++) {
        uint64_t bytes = traffic->lengths[i].bytes;
        if (traffic->lengths[i].phits > 0 &&
            !vef_packets_bytes(packets, traffic->lengths[i].phits, &bytes))
            return 0; /* to be refused */
        const uint64_t before = vef_packets_of(packets, bytes) - 1;
        const uint64_t last =
            vef_packets_phits_with(packets, bytes - (before ? before * packets->payload_bytes : 0));
        least = last < least ? last : least;
    }
    return (uint32_t)least;
}

static uint32_t place_of(const vef_traffic_settings *traffic, uint32_t endpoint) {
    return traffic->places ? traffic->places[endpoint] : endpoint;
}

/* The streams of all parts, each with the endpoints of its part. */
static vef_code create_streams(vef_sources *sources, const vef_traffic_settings *traffic,
                               vef_error *error) {
    vef_traffic_settings given = *traffic;
    const vef_netmodel *model = sources->model;
    const vef_net_ranks *ranks = model->ranks;
    uint32_t *part_of = NULL, *members = NULL;
    if (sources->part_count > 1) {
        part_of = vef_calloc(model->endpoints, sizeof *part_of);
        model->kind->parts(model, part_of);
        members = vef_arena_alloc(&sources->arena, sources->endpoints, sizeof *members);
    }
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < sources->part_count && code == VEF_OK; i++) {
        if (ranks && i != ranks->rank)
            continue;
        given.members = members;
        given.member_count = 0;
        for (uint32_t e = 0; members && e < sources->endpoints; e++)
            if (part_of[place_of(traffic, e)] == i)
                members[given.member_count++] = e;
        code = vef_traffic_create(&given, &sources->parts[i].traffic, error);
        if (code == VEF_OK)
            sources->senders += vef_traffic_senders(sources->parts[i].traffic);
        if (members)
            members += given.member_count;
    }
    free(part_of);
    code = vef_net_agree(ranks, code, error);
    uint64_t senders = sources->senders;
    if (code == VEF_OK)
        vef_net_sum(ranks, &senders, sizeof senders);
    sources->senders = (uint32_t)senders;
    return code;
}

static void take_memory(vef_sources *sources, const vef_traffic_settings *traffic) {
    vef_arena *arena = &sources->arena;
    const vef_pattern *pattern = sources->pattern;
    sources->accepted_phits = vef_calloc(sources->endpoints, sizeof *sources->accepted_phits);
    sources->parts = vef_arena_lines(arena, sources->part_count, sizeof *sources->parts);
    for (uint32_t i = 0; i < sources->part_count; i++) {
        vef_source_part *part = &sources->parts[i];
        part->latency = vef_arena_lines(arena, 1 + sources->groups, sizeof *part->latency);
        part->group_latency = part->latency + 1;
    }
    if (sources->groups == 0)
        return;
    sources->group_of = vef_arena_alloc(arena, sources->endpoints, 1);
    for (uint32_t e = 0; e < sources->endpoints; e++)
        sources->group_of[place_of(traffic, e)] = (uint8_t)pattern->kind->group(pattern, e);
}

vef_code vef_sources_create(vef_sources *sources, vef_netmodel *model,
                            const vef_traffic_settings *given, vef_error *error) {
    const vef_netmodel_kind *kind = model->kind;
    vef_traffic_settings settings = *given, *traffic = &settings;
    settings.packets = vef_netmodel_packets(model);
    *sources = (vef_sources){
        .model = model,
        .agent = {.context = sources,
                  .packet_phits = shortest_packet(traffic),
                  .act = act,
                  .receive = receive},
        .pattern = traffic->pattern,
        .packets = settings.packets,
        .endpoints = traffic->pattern->endpoints,
        .groups = vef_pattern_groups(traffic->pattern),
        .part_count = kind->attend ? kind->parts(model, NULL) : 1,
    };
    const uint64_t a_cycle = model->injection_phits > 0 ? model->injection_phits : 1;
    sources->look_cycles = 1 + VEF_MOST_WAITING / 2 * least_phits(traffic) / a_cycle;
    take_memory(sources, traffic);
    const vef_code code = create_streams(sources, traffic, error);
    if (code == VEF_OK && kind->attend)
        kind->attend(model, &sources->agent);
    return code;
}

void vef_sources_release(vef_sources *sources) {
    for (uint32_t i = 0; i < sources->part_count; i++)
        vef_traffic_destroy(sources->parts[i].traffic);
    free(sources->accepted_phits);
    vef_arena_release(&sources->arena);
    *sources = (vef_sources){0};
}
