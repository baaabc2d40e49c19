/* A network that somebody else simulates. See feed_network.h.
 *
 * A message has a slot from its injection to its arrival. Its id for the simulator holds the slot
 * and how often that has been used, so that an id is not used again and one that arrives twice is
 * noticed. */
#include "lib/feed_network.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "netmodel/pending.h"
#include "replay/events.h"

#include <stdlib.h>

typedef struct slot {
    vef_feed_message message; /* its id is the simulator's */
    uint64_t replay_id;
    uint32_t uses;
    uint32_t next_free;
    enum { LEAVING, UNDER_WAY, ARRIVED } state; /* free ones have arrived */
} slot;

enum { NO_SLOT = UINT32_MAX };

typedef struct feed_network {
    vef_netmodel base;
    uint64_t now_cycles;
    slot *slots;
    size_t slot_room;
    uint32_t slot_count, free_slot;
    vef_pending leaving, arriving; /* slots, by time */
    vef_net_delivery *handed;      /* deliveries of the last advance */
    size_t handed_room;
    uint64_t under_way;
} feed_network;

static const vef_netmodel_kind kind;

static feed_network *of_base(vef_netmodel *base) {
    return (feed_network *)base;
}

static const feed_network *of_const(const vef_netmodel *base) {
    return (const feed_network *)base;
}

vef_netmodel *vef_feed_network_create(uint32_t cycle_ps, uint32_t cycle_parts, uint32_t endpoints,
                                      const vef_topology *topology) {
    feed_network *model = vef_calloc(1, sizeof *model);
    model->base.kind = &kind;
    model->base.endpoints = endpoints;
    model->base.topology = topology;
    /* A cycle is the time of a phit: of a phit of `cycle_ps` bytes on a link of `cycle_parts` bytes
     * each ps. */
    model->base.bandwidth_bits_per_s = UINT64_C(8000000000000) * cycle_parts;
    model->base.phit_bytes = cycle_ps;
    model->base.timing.cycle_ns = vef_netmodel_cycle_ns(&model->base);
    model->free_slot = NO_SLOT;
    return &model->base;
}

static void destroy(vef_netmodel *base) {
    feed_network *model = of_base(base);
    free(model->slots);
    free(model->handed);
    vef_pending_release(&model->leaving);
    vef_pending_release(&model->arriving);
    free(model);
}

/* A free slot; NO_SLOT: there are as many messages as numbers. */
static uint32_t take_slot(feed_network *model) {
    const uint32_t free_slot = model->free_slot;
    if (free_slot != NO_SLOT) {
        model->free_slot = model->slots[free_slot].next_free;
        return free_slot;
    }
    if (model->slot_count == NO_SLOT)
        return NO_SLOT;
    vef_grow(&model->slots, &model->slot_room, model->slot_count + 1, sizeof *model->slots);
    model->slots[model->slot_count].uses = 0;
    return model->slot_count++;
}

static const vef_feed_kind kinds[VEF_MESSAGE_PARTS] = {
    [VEF_MESSAGE_DATA] = VEF_FEED_DATA,
    [VEF_MESSAGE_REQUEST] = VEF_FEED_REQUEST,
    [VEF_MESSAGE_CLEARANCE] = VEF_FEED_CLEARANCE,
    [VEF_MESSAGE_ONE_SIDED] = VEF_FEED_ONE_SIDED,
};

static vef_code inject(vef_netmodel *base, const vef_net_message *message, vef_error *error) {
    feed_network *model = of_base(base);
    const uint32_t number = take_slot(model);
    if (number == NO_SLOT)
        return vef_fail(error, VEF_UNSUPPORTED, "more than %u messages under way", NO_SLOT);
    vef_pending_add(&model->leaving, message->time_cycles, number, 0);
    slot *used = &model->slots[number];
    used->uses++;
    used->state = LEAVING;
    used->replay_id = message->id;
    used->message = (vef_feed_message){
        .id = (uint64_t)used->uses << 32 | number,
        .time_cycles = message->time_cycles,
        .bytes = message->bytes,
        .source = message->source,
        .destination = message->destination,
        .kind = kinds[message->id % VEF_MESSAGE_PARTS],
    };
    return VEF_OK;
}

bool vef_feed_network_take(vef_netmodel *base, uint64_t until_cycles, vef_feed_message *message) {
    feed_network *model = of_base(base);
    if (vef_pending_time(&model->leaving) > until_cycles || model->leaving.count == 0)
        return false;
    slot *taken = &model->slots[vef_pending_take(&model->leaving)];
    taken->state = UNDER_WAY;
    model->under_way++;
    *message = taken->message;
    return true;
}

vef_code vef_feed_network_arrive(vef_netmodel *base, uint64_t id, uint64_t time_cycles,
                                 vef_error *error) {
    feed_network *model = of_base(base);
    const uint64_t number = id & UINT32_MAX, use = id >> 32;
    if (number >= model->slot_count || use == 0 || use > model->slots[number].uses)
        return vef_fail(error, VEF_INVALID, "message %#llx: no such message was handed out",
                        (unsigned long long)id);
    slot *arrived = &model->slots[number];
    if (use < arrived->uses || arrived->state == ARRIVED)
        return vef_fail(error, VEF_INVALID, "message %#llx has arrived before",
                        (unsigned long long)id);
    if (arrived->state == LEAVING)
        return vef_fail(error, VEF_INVALID, "message %#llx: it was not taken yet",
                        (unsigned long long)id);
    if (time_cycles < arrived->message.time_cycles)
        return vef_fail(error, VEF_INVALID,
                        "message %#llx arrives at cycle %llu: it left at cycle %llu",
                        (unsigned long long)id, (unsigned long long)time_cycles,
                        (unsigned long long)arrived->message.time_cycles);
    vef_pending_add(&model->arriving, time_cycles, number, 0);
    arrived->state = ARRIVED;
    model->under_way--;
    return VEF_OK;
}

uint64_t vef_feed_network_leaves(const vef_netmodel *base) {
    return vef_pending_time(&of_const(base)->leaving);
}

uint64_t vef_feed_network_arrives(const vef_netmodel *base) {
    return vef_pending_time(&of_const(base)->arriving);
}

uint64_t vef_feed_network_under_way(const vef_netmodel *base) {
    return of_const(base)->under_way;
}

void vef_feed_network_first_missing(const vef_netmodel *base, vef_feed_message *message) {
    const feed_network *model = of_const(base);
    const slot *first = NULL;
    for (uint32_t i = 0; i < model->slot_count; i++) {
        const slot *entry = &model->slots[i];
        if (entry->state == UNDER_WAY &&
            (!first || entry->message.time_cycles < first->message.time_cycles))
            first = entry;
    }
    if (first)
        *message = first->message;
}

static vef_code advance(vef_netmodel *base, uint64_t limit_cycles,
                        const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    feed_network *model = of_base(base);
    const uint64_t time_cycles = vef_pending_time(&model->arriving);
    (void)error;
    *count = 0;
    *deliveries = NULL;
    if (model->arriving.count == 0 || time_cycles > limit_cycles) {
        if (limit_cycles != VEF_FOREVER && limit_cycles > model->now_cycles)
            model->now_cycles = limit_cycles;
        return VEF_OK;
    }
    while (model->arriving.count > 0 && vef_pending_time(&model->arriving) == time_cycles) {
        vef_grow(&model->handed, &model->handed_room, *count + 1, sizeof *model->handed);
        const uint32_t number = (uint32_t)vef_pending_take(&model->arriving);
        slot *arrived = &model->slots[number];
        model->handed[(*count)++] = (vef_net_delivery){.id = arrived->replay_id,
                                                       .time_cycles = time_cycles,
                                                       .endpoint = arrived->message.destination};
        arrived->next_free = model->free_slot;
        model->free_slot = number;
    }
    model->now_cycles = time_cycles;
    *deliveries = model->handed;
    return VEF_OK;
}

static uint64_t now(const vef_netmodel *base) {
    return of_const(base)->now_cycles;
}

/* The simulator has figures of its own. */
static void counts(const vef_netmodel *base, vef_net_counts *out) {
    (void)base;
    *out = (vef_net_counts){0};
}

static void statistics(const vef_netmodel *base, vef_net_statistics *out) {
    (void)base;
    *out = (vef_net_statistics){0};
}

static void begin_figures(vef_netmodel *base) {
    (void)base;
}

static void put_config(const vef_netmodel *base, vef_node *into) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    snprintf(text, sizeof text, "%g ns", vef_netmodel_cycle_ns(base));
    vef_config_put(into, "cycle", text);
}

static const vef_netmodel_kind kind = {
    .name = "outside",
    .summary = "simulated by a program that uses libvef",
    .destroy = destroy,
    .inject = inject,
    .advance = advance,
    .now = now,
    .statistics = statistics,
    .counts = counts,
    .begin_figures = begin_figures,
    .put_config = put_config,
};
