/* Windows of pairs of source and destination, for congestion policies with by_pair (congestion.c,
 * netmodel/MODEL.md, Congestion control).
 *
 * A pair exists while it has messages that are not wholly in the network, packets whose source does
 * not know of their delivery, or a window below the greatest. A source's queue has the messages of
 * pairs that may send, in the order of their injection, and behind the first of them any others; a
 * message that reaches the front and may not enter is parked at its pair. When the pair may send
 * again, the first of its parked messages returns to its place in the queue.
 *
 * With turns the queue has at most one message of a pair, the others are parked behind it. After a
 * packet the message goes to the end of the queue; a pair's next message takes the place of the one
 * that is through, at the end too.
 *
 * A packet has an ack from its entry until its source knows of its delivery. The pair, and so the
 * ack, belongs to the part of the source. Memory for acks is taken at injection. */
#include "netmodel/router/policy/install.h"

#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct vef_ack {
    uint64_t due_cycles, entered_cycles;
    uint32_t pair;
    uint32_t next;          /* unused, due, or on the way to the source's part */
    uint32_t travel_cycles; /* of the head, for the links crossed so far */
    bool marked;
    bool opens; /* the pair has waited between packets */
} vef_ack;

typedef struct vef_pair {
    uint32_t source, destination;
    uint32_t next;        /* unused: the next unused one */
    uint32_t messages;    /* not wholly in the network */
    uint64_t packets;     /* of these, not yet in the network */
    uint32_t outstanding; /* packets on their way, or not known to have arrived */
    uint32_t acks;        /* reserved for this pair */
    uint32_t parked, last_parked;
    uint32_t resumed; /* the message that returned from among the parked ones, with turns the one in
                         the queue; or VEF_NONE */
    uint32_t next_idle;
    bool idle;   /* in its part's list of pairs that may be released */
    bool paused; /* waits between packets */
    double window;
    uint64_t decreased_cycles;  /* when the window was reduced last */
    uint64_t acked_cycles;      /* when acks arrived last */
    uint64_t round_trip_cycles; /* the longest way of the packets whose acks arrived then */
} vef_pair;

/* Of a message, beside vef_message. */
typedef struct vef_turn {
    uint64_t order; /* of its injection, among those of its source */
    uint32_t pair;  /* VEF_NONE: broadcast */
} vef_turn;

typedef struct vef_source_windows {
    const vef_congestion_policy *policy;
    uint32_t *ack_of; /* [packet]: its ack; VEF_NONE: none */
    vef_pair *pairs;
    size_t pair_room;
    uint32_t pairs_untouched, free_pair;
    vef_map64 pair_of; /* source and destination to the number of their pair */
    vef_ack *acks;
    size_t ack_room;
    uint32_t acks_untouched;
    vef_turn *turns; /* by message */
    size_t turn_room;
    uint64_t *orders; /* by endpoint: of its next message */
} vef_source_windows;

/* What a part has: acks that are due at its sources, in lists by their time modulo the number of
 * lists, which may hold acks of later rounds. */
typedef struct vef_part_windows {
    uint32_t due[VEF_NEAR_CYCLES];
    uint64_t occupied[VEF_NEAR_CYCLES / 64];
    uint32_t unused; /* the list of acks not in use */
    uint32_t spare;  /* number of unused acks that are reserved for no pair */
    uint32_t idle;   /* pairs that may be released */
    uint32_t *sent;  /* by part: acks of packets delivered here in this step */
} vef_part_windows;

static const vef_congestion_parameters *parameters_of(const vef_network *network) {
    return &network->settings.congestion.parameters;
}

/* ---- memory ---- */

static void destroy(vef_network *network) {
    vef_source_windows *windows = network->policies.pairs;
    free(windows->pairs);
    vef_map64_free(&windows->pair_of);
    free(windows->acks);
    free(windows->turns);
    free(windows->orders);
    free(windows);
}

static uint64_t bytes(const vef_network *network) {
    const vef_source_windows *windows = network->policies.pairs;
    return windows->pair_room * sizeof *windows->pairs + vef_map64_bytes(&windows->pair_of) +
           windows->ack_room * sizeof *windows->acks + windows->turn_room * sizeof *windows->turns +
           network->topology->endpoints * sizeof *windows->orders;
}

static void take_part(vef_network *network, vef_partition *part) {
    vef_arena *arena = &network->partitions.arena;
    if (part->number == 0)
        network->policies.pairs->ack_of = vef_arena_alloc(arena, network->pools.packet_room,
                                                          sizeof *network->policies.pairs->ack_of);
    part->windows = vef_arena_lines(arena, 1, sizeof *part->windows);
    uint32_t *sent = vef_arena_alloc(arena, network->partitions.count, sizeof *sent);
    for (uint32_t i = 0; i < network->partitions.count; i++)
        sent[i] = VEF_NONE;
    *part->windows = (vef_part_windows){.unused = VEF_NONE, .idle = VEF_NONE, .sent = sent};
}

/* Makes room for items with numbers below `needed`, which is not VEF_NONE. */
static void make_room(void *items, size_t *room, uint64_t needed, size_t item_bytes) {
    if (needed > VEF_NONE)
        vef_lost(needed * item_bytes);
    vef_grow(items, room, needed, item_bytes);
}

/* ---- pairs ---- */

static uint64_t key_of(uint32_t source, uint32_t destination) {
    return (uint64_t)source << 32 | destination;
}

static uint32_t take_pair(vef_source_windows *windows) {
    const uint32_t number = windows->free_pair;
    if (number != VEF_NONE) {
        windows->free_pair = windows->pairs[number].next;
        return number;
    }
    make_room(&windows->pairs, &windows->pair_room, windows->pairs_untouched + UINT64_C(1),
              sizeof *windows->pairs);
    return windows->pairs_untouched++;
}

static void free_pair(vef_source_windows *windows, uint32_t number) {
    windows->pairs[number].next = windows->free_pair;
    windows->free_pair = number;
}

static uint32_t find_pair(vef_source_windows *windows, uint32_t source, uint32_t destination,
                          double window) {
    const uint64_t key = key_of(source, destination);
    const uint64_t *known = vef_map64_get(&windows->pair_of, key);
    if (known)
        return (uint32_t)*known;
    const uint32_t number = take_pair(windows);
    vef_map64_set(&windows->pair_of, key, number);
    windows->pairs[number] = (vef_pair){.source = source,
                                        .destination = destination,
                                        .parked = VEF_NONE,
                                        .resumed = VEF_NONE,
                                        .window = window};
    return number;
}

/* Acks for all packets of the pair that may be on their way at once. */
static void reserve_acks(vef_network *network, vef_part_windows *local, vef_pair *pair) {
    vef_source_windows *windows = network->policies.pairs;
    const uint64_t most = parameters_of(network)->window_packets;
    const uint64_t packets = pair->packets + pair->outstanding;
    const uint32_t target = (uint32_t)(packets < most ? packets : most);
    if (target <= pair->acks)
        return;
    const uint32_t needed = target - pair->acks;
    if (needed > local->spare) {
        const uint32_t more = needed - local->spare;
        make_room(&windows->acks, &windows->ack_room, windows->acks_untouched + (uint64_t)more,
                  sizeof *windows->acks);
        for (uint32_t i = 0; i < more; i++) {
            windows->acks[windows->acks_untouched].next = local->unused;
            local->unused = windows->acks_untouched++;
        }
        local->spare += more;
    }
    local->spare -= needed;
    pair->acks = target;
}

static bool is_idle(const vef_network *network, const vef_pair *pair) {
    return pair->messages == 0 && pair->outstanding == 0 && !pair->paused &&
           pair->window >= parameters_of(network)->window_packets;
}

static void note_idle(const vef_network *network, vef_part_windows *local, uint32_t number) {
    vef_pair *pair = &network->policies.pairs->pairs[number];
    if (pair->idle || !is_idle(network, pair))
        return;
    pair->idle = true;
    pair->next_idle = local->idle;
    local->idle = number;
}

static void release_pair(vef_source_windows *windows, vef_part_windows *local, uint32_t number) {
    const vef_pair *pair = &windows->pairs[number];
    uint64_t released;
    vef_map64_take(&windows->pair_of, key_of(pair->source, pair->destination), &released);
    local->spare += pair->acks;
    free_pair(windows, number);
}

static void collect(vef_network *network) {
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        vef_part_windows *local = network->partitions.parts[i].windows;
        for (uint32_t number = local->idle, next; number != VEF_NONE; number = next) {
            vef_pair *pair = &network->policies.pairs->pairs[number];
            next = pair->next_idle;
            pair->idle = false;
            if (is_idle(network, pair))
                release_pair(network->policies.pairs, local, number);
        }
        local->idle = VEF_NONE;
    }
}

/* ---- messages ---- */

static void inject(vef_network *network, uint32_t number, uint64_t packets) {
    vef_source_windows *windows = network->policies.pairs;
    const vef_message *message = &network->pools.messages[number];
    const vef_partition *part =
        vef_network_partition(network, network->queues.endpoints[message->source].router);
    make_room(&windows->turns, &windows->turn_room, number + UINT64_C(1), sizeof *windows->turns);
    vef_turn *turn = &windows->turns[number];
    turn->pair = VEF_NONE;
    if (message->destination == VEF_TO_ALL)
        return;
    turn->pair = find_pair(windows, message->source, message->destination,
                           parameters_of(network)->window_packets);
    vef_pair *pair = &windows->pairs[turn->pair];
    pair->packets += packets;
    reserve_acks(network, part->windows, pair);
    pair->messages++;
}

static bool takes_turns(const vef_network *network) {
    return parameters_of(network)->order == VEF_SEND_IN_TURNS;
}

/* Gives a message the place behind all others of its source. */
static void renew_order(vef_network *network, uint32_t message) {
    vef_source_windows *windows = network->policies.pairs;
    windows->turns[message].order = windows->orders[network->pools.messages[message].source]++;
}

/* The message waits behind the other parked ones of its pair, if any. */
static void park_last(vef_network *network, vef_pair *pair, uint32_t number) {
    vef_message *messages = network->pools.messages;
    messages[number].next = VEF_NONE;
    if (pair->parked == VEF_NONE)
        pair->parked = number;
    else
        messages[pair->last_parked].next = number;
    pair->last_parked = number;
}

static bool enqueue(vef_network *network, uint32_t message) {
    const uint32_t number = network->policies.pairs->turns[message].pair;
    renew_order(network, message);
    if (!takes_turns(network) || number == VEF_NONE)
        return true;
    vef_pair *pair = &network->policies.pairs->pairs[number];
    const bool first = pair->resumed == VEF_NONE && pair->parked == VEF_NONE;
    if (first)
        pair->resumed = message;
    else
        park_last(network, pair, message);
    return first;
}

static bool may_send(const vef_pair *pair) {
    return !pair->paused && (pair->outstanding == 0 || pair->outstanding + 1 <= pair->window);
}

/* Takes the first message off the queue of its source: as the first of the parked ones if it was
 * among them before, else as the last. */
static void park(vef_network *network, vef_endpoint *source, vef_pair *pair) {
    const uint32_t number = source->first_message;
    vef_message *messages = network->pools.messages;
    source->first_message = messages[number].next;
    if (pair->parked == VEF_NONE || pair->resumed == number) {
        messages[number].next = pair->parked;
        if (pair->parked == VEF_NONE)
            pair->last_parked = number;
        pair->parked = number;
        pair->resumed = VEF_NONE;
        return;
    }
    park_last(network, pair, number);
}

static bool ready(vef_network *network, uint32_t endpoint) {
    vef_source_windows *windows = network->policies.pairs;
    vef_endpoint *source = &network->queues.endpoints[endpoint];
    while (source->first_message != VEF_NONE) {
        const uint32_t number = windows->turns[source->first_message].pair;
        if (number == VEF_NONE || may_send(&windows->pairs[number]))
            return true;
        park(network, source, &windows->pairs[number]);
    }
    return false;
}

/* If the pair may send, the first of its parked messages returns to the queue of its source. */
static void resume(vef_network *network, vef_partition *part, vef_pair *pair) {
    if (pair->parked == VEF_NONE || pair->resumed != VEF_NONE || !may_send(pair))
        return;
    const vef_turn *turns = network->policies.pairs->turns;
    vef_message *messages = network->pools.messages;
    vef_endpoint *source = &network->queues.endpoints[pair->source];
    const uint32_t number = pair->parked;
    pair->parked = messages[number].next;
    pair->resumed = number;
    uint32_t *link = &source->first_message;
    while (*link != VEF_NONE && turns[*link].order < turns[number].order)
        link = &messages[*link].next;
    messages[number].next = *link;
    if (*link == VEF_NONE)
        source->last_message = number;
    *link = number;
    vef_network_refill(network, part, pair->source);
}

static void leave(vef_network *network, vef_partition *part, uint32_t message) {
    vef_source_windows *windows = network->policies.pairs;
    const uint32_t number = windows->turns[message].pair;
    if (number == VEF_NONE)
        return;
    vef_pair *pair = &windows->pairs[number];
    pair->messages--;
    if (pair->resumed == message)
        pair->resumed = VEF_NONE;
    if (takes_turns(network) && pair->parked != VEF_NONE)
        renew_order(network, pair->parked);
    resume(network, part, pair);
}

/* ---- packets ---- */

/* The first message of a source goes to the end of its queue. */
static void pass_turn(vef_network *network, uint32_t message) {
    vef_message *messages = network->pools.messages;
    vef_endpoint *source = &network->queues.endpoints[messages[message].source];
    renew_order(network, message);
    if (messages[message].next == VEF_NONE)
        return;
    source->first_message = messages[message].next;
    messages[source->last_message].next = message;
    messages[message].next = VEF_NONE;
    source->last_message = message;
}

static void enter(vef_network *network, vef_partition *part, uint32_t message, uint32_t packet) {
    vef_source_windows *windows = network->policies.pairs;
    windows->ack_of[packet] = VEF_NONE;
    const uint32_t number = message == VEF_NONE ? VEF_NONE : windows->turns[message].pair;
    if (number == VEF_NONE)
        return;
    vef_pair *pair = &windows->pairs[number];
    pair->packets--;
    pair->outstanding++;
    vef_part_windows *local = part->windows;
    const uint32_t taken = local->unused;
    vef_ack *ack = &windows->acks[taken];
    local->unused = ack->next;
    *ack = (vef_ack){.entered_cycles = part->now_cycles, .pair = number};
    network->policies.pairs->ack_of[packet] = taken;
    if (takes_turns(network) && network->pools.messages[message].bytes_left > 0)
        pass_turn(network, message);
}

static void cross(vef_network *network, uint32_t router, uint32_t link, uint32_t packet,
                  uint32_t places, uint32_t hop_cycles) {
    if (network->policies.pairs->ack_of[packet] == VEF_NONE)
        return;
    vef_ack *ack = &network->policies.pairs->acks[network->policies.pairs->ack_of[packet]];
    ack->travel_cycles += hop_cycles;
    if (!network->policies.pairs->policy->marks)
        return;
    ack->marked |= network->policies.pairs->policy->marks(
        parameters_of(network), vef_places_taken(network, router, link) + places,
        vef_places_at_end(network, router, link));
}

static void add_due(vef_part_windows *local, vef_ack *acks, uint32_t number) {
    const uint32_t slot = (uint32_t)acks[number].due_cycles % VEF_NEAR_CYCLES;
    uint64_t *occupied = &local->occupied[slot / 64];
    const uint64_t bit = UINT64_C(1) << slot % 64;
    acks[number].next = *occupied & bit ? local->due[slot] : VEF_NONE;
    local->due[slot] = number;
    *occupied |= bit;
}

static void deliver(vef_network *network, vef_partition *part, uint32_t packet) {
    const uint32_t number = network->policies.pairs->ack_of[packet];
    if (number == VEF_NONE)
        return;
    vef_ack *acks = network->policies.pairs->acks;
    vef_ack *ack = &acks[number];
    const uint32_t given = parameters_of(network)->ack_delay.cycles;
    const uint32_t delay = given > 0 ? given : ack->travel_cycles;
    ack->due_cycles = part->now_cycles + (delay > 0 ? delay : 1);
    const uint32_t source = network->policies.pairs->pairs[ack->pair].source;
    const vef_partition *home =
        vef_network_partition(network, network->queues.endpoints[source].router);
    if (home == part) {
        add_due(part->windows, acks, number);
        return;
    }
    ack->next = part->windows->sent[home->number];
    part->windows->sent[home->number] = number;
}

/* ---- acks ---- */

static uint64_t next_acks(const vef_partition *part) {
    return vef_slots_next(part->windows->occupied, VEF_NEAR_CYCLES - 1, part->now_cycles);
}

/* Removes the acks of now from their slot, as a list. */
static uint32_t take_due(vef_part_windows *local, vef_ack *acks, uint64_t now) {
    const uint32_t slot = (uint32_t)now % VEF_NEAR_CYCLES;
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if (!(local->occupied[slot / 64] & bit))
        return VEF_NONE;
    local->occupied[slot / 64] &= ~bit;
    uint32_t due = VEF_NONE;
    for (uint32_t number = local->due[slot], next; number != VEF_NONE; number = next) {
        next = acks[number].next;
        if (acks[number].due_cycles > now) {
            add_due(local, acks, number);
            continue;
        }
        acks[number].next = due;
        due = number;
    }
    return due;
}

/* What an ack says to its pair, except that a packet was marked. */
static void note(const vef_network *network, vef_pair *pair, const vef_ack *ack) {
    const uint64_t now = ack->due_cycles, way = now - ack->entered_cycles;
    if (ack->opens) {
        pair->paused = false;
        return;
    }
    pair->outstanding--;
    if (pair->acked_cycles != now || way > pair->round_trip_cycles)
        pair->round_trip_cycles = way;
    pair->acked_cycles = now;
    if (network->policies.pairs->policy->marks && !ack->marked)
        pair->window =
            network->policies.pairs->policy->increase(parameters_of(network), pair->window);
}

/* A marked packet reduces the window, unless it entered before the last reduction. */
static void note_mark(const vef_network *network, vef_pair *pair, const vef_ack *ack) {
    if (!ack->marked || ack->opens || ack->entered_cycles < pair->decreased_cycles)
        return;
    pair->window = network->policies.pairs->policy->decrease(parameters_of(network), pair->window);
    pair->decreased_cycles = ack->due_cycles;
}

/* The wait between packets of a window below one, after its last packet. */
static uint64_t pause_of(const vef_pair *pair) {
    if (pair->window >= 1 || pair->outstanding > 0)
        return 0;
    return (uint64_t)ceil((double)pair->round_trip_cycles * (1 / pair->window - 1));
}

/* In three passes, since the order of the acks of a time depends on the parts. */
static void due(vef_network *network, vef_partition *part) {
    vef_source_windows *windows = network->policies.pairs;
    vef_part_windows *local = part->windows;
    vef_ack *acks = windows->acks;
    const uint32_t due = take_due(local, acks, part->now_cycles);
    for (uint32_t i = due; i != VEF_NONE; i = acks[i].next)
        note(network, &windows->pairs[acks[i].pair], &acks[i]);
    for (uint32_t i = due; i != VEF_NONE; i = acks[i].next)
        note_mark(network, &windows->pairs[acks[i].pair], &acks[i]);
    for (uint32_t i = due, next; i != VEF_NONE; i = next) {
        next = acks[i].next;
        vef_pair *pair = &windows->pairs[acks[i].pair];
        const uint64_t pause = acks[i].opens || pair->paused ? 0 : pause_of(pair);
        if (pause > 0) {
            pair->paused = true;
            acks[i].opens = true;
            acks[i].due_cycles += pause;
            add_due(local, acks, i);
            continue;
        }
        acks[i].next = local->unused;
        local->unused = i;
        resume(network, part, pair);
        note_idle(network, local, acks[i].pair);
    }
}

/* ---- mail ---- */

static void post(vef_network *network, vef_partition *part) {
    for (uint32_t to = 0; to < network->partitions.count; to++) {
        uint32_t *sent = &part->windows->sent[to];
        if (*sent == VEF_NONE)
            continue;
        /* The other part has taken in what was posted before these packets were delivered. */
        network->partitions.mail[part->number * network->partitions.count + to].acks = *sent;
        *sent = VEF_NONE;
    }
}

static uint64_t earliest(const vef_network *network, uint32_t number) {
    const vef_ack *acks = network->policies.pairs->acks;
    uint64_t earliest = UINT64_MAX;
    for (; number != VEF_NONE; number = acks[number].next)
        if (acks[number].due_cycles < earliest)
            earliest = acks[number].due_cycles;
    return earliest;
}

static void receive(const vef_network *network, vef_partition *part, uint32_t *list) {
    vef_ack *acks = network->policies.pairs->acks;
    for (uint32_t number = *list, next; number != VEF_NONE; number = next) {
        next = acks[number].next;
        add_due(part->windows, acks, number);
    }
    *list = VEF_NONE;
}

void vef_windows_install(vef_network *network, const vef_congestion_policy *congestion) {
    static const vef_window_policy policy = {
        .take_part = take_part,
        .inject = inject,
        .enqueue = enqueue,
        .ready = ready,
        .enter = enter,
        .leave = leave,
        .cross = cross,
        .deliver = deliver,
        .due = due,
        .next = next_acks,
        .collect = collect,
        .post = post,
        .earliest = earliest,
        .receive = receive,
        .bytes = bytes,
        .destroy = destroy,
    };
    vef_source_windows *windows = vef_calloc(1, sizeof *windows);
    windows->policy = congestion;
    windows->free_pair = VEF_NONE;
    windows->orders = vef_calloc(network->topology->endpoints, sizeof *windows->orders);
    network->policies.pairs = windows;
    network->policies.moving.windows = &policy;
}
