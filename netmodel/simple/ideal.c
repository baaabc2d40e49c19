/* The ideal network: no latency, unlimited bandwidth, any number of endpoints. A message is
 * delivered at the time of its injection, so only the computation and the causal order of a program
 * take time. The key `link` only sets the cycle in which results are also given. */
#include "common/containers/grow.h"
#include "common/containers/heap.h"
#include "common/memory.h"
#include "netmodel/kinds.h"

#include <stdlib.h>

typedef struct deliveries {
    vef_net_delivery *items;
    size_t count, room;
} deliveries;

/* Of a message of a later time, in the order of injection. */
typedef struct later_one {
    vef_net_delivery delivery;
    uint64_t order;
} later_one;

static bool before(const later_one *a, const later_one *b) {
    if (a->delivery.time_cycles != b->delivery.time_cycles)
        return a->delivery.time_cycles < b->delivery.time_cycles;
    return a->order < b->order;
}
VEF_HEAP(later_one, before);

typedef struct ideal {
    vef_netmodel base;
    uint64_t now_cycles;
    deliveries due;    /* injected for the current time */
    deliveries handed; /* the deliveries of the last advance */
    later_one *later;  /* a heap */
    size_t later_count, later_room;
    uint64_t messages, phits;             /* injected */
    uint64_t since_cycles;                /* when the figures began, and */
    uint64_t since_messages, since_phits; /* what had been delivered then */
} ideal;

typedef struct ideal_parameters {
    const char *model;
    uint64_t bandwidth, phit;
} ideal_parameters;

static const vef_param link_schema[] = {
    {VEF_KEY(BANDWIDTH, ideal_parameters, bandwidth), .fallback = "1 Gbit/s", .minimum = 1,
     .maximum = 1e18, .help = "of a link"},
    {VEF_KEY(BYTES, ideal_parameters, phit), .fallback = "4 B", .minimum = 1, .maximum = 1 << 20,
     .help = "what a link transmits in a cycle"},
    {.key = NULL},
};

static const vef_param root_schema[] = {
    {VEF_KEY(STRING, ideal_parameters, model), .fallback = "ideal",
     .help = "the kind of network model"},
    {VEF_NESTED("link", link_schema), .help = "bandwidth and phit; they set the length of a cycle"},
    VEF_OTHER_SECTIONS,
    {.key = NULL},
};

static void describe(FILE *out) {
    vef_config_describe(out, 0, root_schema);
}

static vef_code create(const vef_node *root, vef_netmodel **made, vef_error *error) {
    vef_arena scratch = {0};
    ideal_parameters given;
    vef_code code =
        vef_config_read(root, "ideal network", root_schema, NULL, &given, &scratch, error);
    vef_arena_release(&scratch);
    if (code != VEF_OK)
        return code;
    ideal *model = vef_calloc(1, sizeof *model);
    model->base.kind = &vef_netmodel_ideal;
    model->base.endpoints = UINT32_MAX;
    model->base.exact = true;
    model->base.bandwidth_bits_per_s = given.bandwidth;
    model->base.phit_bytes = (uint32_t)given.phit;
    model->base.timing.cycle_ns = vef_netmodel_cycle_ns(&model->base);
    *made = &model->base;
    return VEF_OK;
}

static void destroy(vef_netmodel *base) {
    ideal *model = (ideal *)base;
    free(model->due.items);
    free(model->handed.items);
    free(model->later);
    free(model);
}

static void pass(vef_netmodel *base, uint64_t bytes) {
    ideal *model = (ideal *)base;
    const vef_packets sizes = vef_netmodel_packets(base);
    model->messages++;
    model->phits += vef_packets_phits(&sizes, bytes);
}

static vef_code inject(vef_netmodel *base, const vef_net_message *message, vef_error *error) {
    ideal *model = (ideal *)base;
    if (message->time_cycles < model->now_cycles)
        return vef_fail(
            error, VEF_INVALID,
            "a message for cycle %llu: out of range: the network has reached cycle %llu",
            (unsigned long long)message->time_cycles, (unsigned long long)model->now_cycles);
    const vef_net_delivery delivery = {.id = message->id,
                                       .time_cycles = message->time_cycles,
                                       .endpoint = message->destination,
                                       .source = message->source,
                                       .bytes = message->bytes};
    if (message->time_cycles == model->now_cycles) {
        *VEF_NEW_ITEM(model->due.items, model->due.count, model->due.room) = delivery;
    } else {
        vef_grow(&model->later, &model->later_room, model->later_count + 1, sizeof *model->later);
        heap_add(model->later, model->later_count++, (later_one){delivery, model->messages});
    }
    pass(base, message->bytes);
    return VEF_OK;
}

static vef_code advance(vef_netmodel *base, uint64_t limit_cycles,
                        const vef_net_delivery **deliveries_out, size_t *count, vef_error *error) {
    (void)error;
    ideal *model = (ideal *)base;
    model->handed.count = 0;
    const uint64_t next = model->later_count > 0 ? model->later->delivery.time_cycles : VEF_FOREVER;
    if (model->due.count == 0 && next <= limit_cycles && model->later_count > 0) {
        model->now_cycles = next;
        while (model->later_count > 0 && model->later->delivery.time_cycles == next)
            *VEF_NEW_ITEM(model->due.items, model->due.count, model->due.room) =
                heap_take(model->later, model->later_count--).delivery;
    }
    if (model->due.count == 0 && limit_cycles != VEF_FOREVER && limit_cycles > model->now_cycles)
        model->now_cycles = limit_cycles;
    deliveries due = model->due;
    model->due = model->handed;
    model->handed = due;
    *deliveries_out = due.items;
    *count = due.count;
    return VEF_OK;
}

/* All receive it at once, in a single delivery. */
static vef_code can_broadcast(const vef_netmodel *base, vef_error *error) {
    (void)base;
    (void)error;
    return VEF_OK;
}

static uint64_t now(const vef_netmodel *base) {
    return ((const ideal *)base)->now_cycles;
}

static void counts(const vef_netmodel *base, vef_net_counts *out) {
    const ideal *model = (const ideal *)base;
    uint64_t inside = model->due.count + model->later_count;
    uint64_t messages = model->messages - inside - model->since_messages;
    *out = (vef_net_counts){
        .messages = messages, .packets = messages, .phits = model->phits - model->since_phits};
}

static void begin_figures(vef_netmodel *base) {
    ideal *model = (ideal *)base;
    model->since_cycles = model->now_cycles;
    model->since_messages = model->messages - model->due.count - model->later_count;
    model->since_phits = model->phits;
}

static void statistics(const vef_netmodel *base, vef_net_statistics *out) {
    const ideal *model = (const ideal *)base;
    vef_net_counts delivered;
    counts(base, &delivered);
    *out = (vef_net_statistics){
        .since_cycles = model->since_cycles,
        .messages = delivered.messages,
        .packets = delivered.packets,
        .phits = delivered.phits,
        .memory_bytes = sizeof *model +
                        (model->due.room + model->handed.room) * sizeof(vef_net_delivery) +
                        model->later_room * sizeof *model->later,
    };
}

static void put_config(const vef_netmodel *base, vef_node *into) {
    ideal_parameters given = {"ideal", base->bandwidth_bits_per_s, base->phit_bytes};
    vef_config_put_schema(into, root_schema, &given);
}

const vef_netmodel_kind vef_netmodel_ideal = {
    .name = "ideal",
    .aliases = "infinite perfect zero-latency",
    .summary = "no latency and unlimited bandwidth, for any number of endpoints",
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .inject = inject,
    .pass = pass,
    .can_broadcast = can_broadcast,
    .advance = advance,
    .now = now,
    .statistics = statistics,
    .counts = counts,
    .begin_figures = begin_figures,
    .put_config = put_config,
};
