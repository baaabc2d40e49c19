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
 * A packet has an ack from its entry until its source knows of its delivery, and where packets may
 * not overtake any number of others also of the deliveries of those before it. The pair, and so the
 * ack, belongs to the part of the source. Memory for acks is taken at injection. */
#include "netmodel/router/policy/install.h"

#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct vef_ack {
    uint64_t due_cycles, entered_cycles;
    uint32_t pair;          /* of the part of the source */
    uint32_t next;          /* unused, due, or on the way to the source's part */
    uint32_t travel_cycles; /* of the head, for the links crossed so far */
    uint32_t later;         /* of the packet of its pair that entered next */
    uint8_t home;           /* the number of the source's part */
    bool known;             /* it has arrived */
    bool marked;
    bool opens; /* the pair has waited between packets */
} vef_ack;

typedef struct vef_pair {
    uint32_t source, destination;
    uint32_t next;        /* unused: the next unused one */
    uint32_t messages;    /* not wholly in the network */
    uint64_t packets;     /* of these, not yet in the network */
    uint32_t outstanding; /* packets on their way, or not known to have arrived */
    uint32_t span;        /* packets from the first of these on; without reordering as many */
    uint32_t first_ack, last_ack; /* of these, with reordering and span > 0 */
    uint32_t acks;                /* reserved for this pair */
    uint32_t parked, last_parked;
    uint32_t resumed; /* the message that returned from among the parked ones, with turns the one in
                         the queue; or VEF_NONE */
    uint32_t next_idle;
    bool idle;   /* in its part's list of pairs that may be released */
    bool paused; /* waits between packets */
    double window;
    vef_rate rate;              /* of a policy of rates */
    uint64_t decreased_cycles;  /* when the window was reduced last */
    uint64_t acked_cycles;      /* when acks arrived last */
    uint64_t round_trip_cycles; /* the longest way of the packets whose acks arrived then */
} vef_pair;

/* Of a message, beside vef_message. */
typedef struct vef_turn {
    uint64_t order; /* of its injection, among those of its source */
    uint32_t pair;  /* VEF_NONE: broadcast */
} vef_turn;

/* What parts share. */
typedef struct vef_source_windows {
    const vef_congestion_policy *policy;
    uint32_t *ack_of; /* [packet]: its ack; VEF_NONE: none */
    vef_blocks acks;  /* vef_ack */
    atomic_uint_least32_t acks_untouched;
    vef_blocks turns; /* vef_turn, by message */
    uint64_t *orders; /* by endpoint: of its next message */
} vef_source_windows;

/* What a part has: pairs of its sources; acks that are due at these, in lists by their time modulo
 * the number of lists, which may hold acks of later rounds. */
typedef struct vef_part_windows {
    vef_pair *pairs;
    size_t pair_room;
    uint32_t pairs_untouched, free_pair;
    vef_map64 pair_of; /* source and destination to the number of their pair */
    uint32_t due[VEF_NEAR_CYCLES];
    uint64_t occupied[VEF_NEAR_CYCLES / 64];
    uint32_t unused; /* the list of acks not in use */
    uint32_t spare;  /* number of unused acks that are reserved for no pair */
    uint32_t idle;   /* pairs that may be released */
    uint32_t *sent;  /* by part: acks of packets delivered here in this window */
} vef_part_windows;

static const vef_congestion_parameters *parameters_of(const vef_network *network) {
    return &network->settings.congestion.parameters;
}

/* ---- memory ---- */

static vef_ack *ack_at(const vef_network *network, uint32_t number) {
    return vef_blocks_at(&network->policies.pairs->acks, number, sizeof(vef_ack));
}

static vef_turn *turn_of(const vef_network *network, uint32_t message) {
    return vef_blocks_at(&network->policies.pairs->turns, message, sizeof(vef_turn));
}

static void destroy(vef_network *network) {
    vef_source_windows *windows = network->policies.pairs;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        vef_part_windows *local = network->partitions.parts[i].windows;
        free(local->pairs);
        vef_map64_free(&local->pair_of);
    }
    vef_blocks_release(&windows->acks, sizeof(vef_ack));
    vef_blocks_release(&windows->turns, sizeof(vef_turn));
    free(windows->orders);
    free(windows);
}

static uint64_t bytes(const vef_network *network) {
    const vef_source_windows *windows = network->policies.pairs;
    uint64_t sum = vef_blocks_bytes(&windows->acks, sizeof(vef_ack)) +
                   vef_blocks_bytes(&windows->turns, sizeof(vef_turn)) +
                   network->topology->endpoints * sizeof *windows->orders;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        const vef_part_windows *local = network->partitions.parts[i].windows;
        sum += local->pair_room * sizeof *local->pairs + vef_map64_bytes(&local->pair_of);
    }
    return sum;
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
    *part->windows = (vef_part_windows){
        .free_pair = VEF_NONE, .unused = VEF_NONE, .idle = VEF_NONE, .sent = sent};
}

/* ---- pairs ---- */

static uint64_t key_of(uint32_t source, uint32_t destination) {
    return (uint64_t)source << 32 | destination;
}

static uint32_t take_pair(vef_part_windows *local) {
    const uint32_t number = local->free_pair;
    if (number != VEF_NONE) {
        local->free_pair = local->pairs[number].next;
        return number;
    }
    if (local->pairs_untouched == VEF_NONE)
        vef_lost((uint64_t)VEF_NONE * sizeof *local->pairs);
    vef_grow(&local->pairs, &local->pair_room, local->pairs_untouched + UINT64_C(1),
             sizeof *local->pairs);
    return local->pairs_untouched++;
}

static void free_pair(vef_part_windows *local, uint32_t number) {
    local->pairs[number].next = local->free_pair;
    local->free_pair = number;
}

static uint32_t find_pair(vef_part_windows *local, uint32_t source, uint32_t destination,
                          double window) {
    const uint64_t key = key_of(source, destination);
    const uint64_t *known = vef_map64_get(&local->pair_of, key);
    if (known)
        return (uint32_t)*known;
    const uint32_t number = take_pair(local);
    vef_map64_set(&local->pair_of, key, number);
    local->pairs[number] = (vef_pair){.source = source,
                                      .destination = destination,
                                      .parked = VEF_NONE,
                                      .resumed = VEF_NONE,
                                      .window = window,
                                      .rate = {.current = 1, .target = 1, .congestion = 1}};
    return number;
}

/* Acks for all packets of the pair that may be on their way at once. */
static void reserve_acks(vef_network *network, vef_part_windows *local, vef_pair *pair) {
    vef_source_windows *windows = network->policies.pairs;
    const vef_congestion_parameters *given = parameters_of(network);
    const uint64_t most = given->reorder_packets ? given->reorder_packets : given->window_packets;
    const uint64_t packets = pair->packets + pair->span;
    const uint32_t timer = network->policies.pairs->policy->enters != NULL;
    const uint32_t target = (uint32_t)(packets < most ? packets : most) + timer;
    if (target <= pair->acks)
        return;
    const uint32_t needed = target - pair->acks;
    if (needed > local->spare) {
        const uint32_t more = needed - local->spare;
        const uint32_t first = atomic_fetch_add(&windows->acks_untouched, more);
        vef_blocks_reserve(&windows->acks, (uint64_t)first + more, sizeof(vef_ack));
        for (uint32_t i = first; i < first + more; i++) {
            ack_at(network, i)->next = local->unused;
            local->unused = i;
        }
        local->spare += more;
    }
    local->spare -= needed;
    pair->acks = target;
}

static bool is_idle(const vef_network *network, const vef_pair *pair) {
    return pair->messages == 0 && pair->outstanding == 0 && !pair->paused &&
           pair->rate.current >= 1 && pair->window >= parameters_of(network)->window_packets;
}

static void note_idle(const vef_network *network, vef_part_windows *local, uint32_t number) {
    vef_pair *pair = &local->pairs[number];
    if (pair->idle || !is_idle(network, pair))
        return;
    pair->idle = true;
    pair->next_idle = local->idle;
    local->idle = number;
}

static void release_pair(vef_part_windows *local, uint32_t number) {
    const vef_pair *pair = &local->pairs[number];
    uint64_t released;
    vef_map64_take(&local->pair_of, key_of(pair->source, pair->destination), &released);
    local->spare += pair->acks;
    free_pair(local, number);
}

static void collect(const vef_network *network, vef_part_windows *local) {
    for (uint32_t number = local->idle, next; number != VEF_NONE; number = next) {
        vef_pair *pair = &local->pairs[number];
        next = pair->next_idle;
        pair->idle = false;
        if (is_idle(network, pair))
            release_pair(local, number);
    }
    local->idle = VEF_NONE;
}

/* ---- messages ---- */

static void inject(vef_network *network, vef_partition *part, uint32_t number, uint64_t packets) {
    const vef_message *message = vef_message_at(network, number);
    vef_blocks_reserve(&network->policies.pairs->turns, number + UINT64_C(1), sizeof(vef_turn));
    vef_turn *turn = turn_of(network, number);
    turn->pair = VEF_NONE;
    if (message->destination == VEF_TO_ALL)
        return;
    turn->pair = find_pair(part->windows, message->source, message->destination,
                           parameters_of(network)->window_packets);
    vef_pair *pair = &part->windows->pairs[turn->pair];
    pair->packets += packets;
    reserve_acks(network, part->windows, pair);
    pair->messages++;
}

static bool takes_turns(const vef_network *network) {
    return parameters_of(network)->order == VEF_SEND_IN_TURNS;
}

/* Gives a message the place behind all others of its source. */
static void renew_order(vef_network *network, uint32_t message) {
    uint64_t *orders = network->policies.pairs->orders;
    turn_of(network, message)->order = orders[vef_message_at(network, message)->source]++;
}

/* The message waits behind the other parked ones of its pair, if any. */
static void park_last(vef_network *network, vef_pair *pair, uint32_t number) {
    vef_message_at(network, number)->next = VEF_NONE;
    if (pair->parked == VEF_NONE)
        pair->parked = number;
    else
        vef_message_at(network, pair->last_parked)->next = number;
    pair->last_parked = number;
}

static bool enqueue(vef_network *network, vef_partition *part, uint32_t message) {
    const uint32_t number = turn_of(network, message)->pair;
    renew_order(network, message);
    if (!takes_turns(network) || number == VEF_NONE)
        return true;
    vef_pair *pair = &part->windows->pairs[number];
    const bool first = pair->resumed == VEF_NONE && pair->parked == VEF_NONE;
    if (first)
        pair->resumed = message;
    else
        park_last(network, pair, message);
    return first;
}

static bool may_send(const vef_network *network, const vef_pair *pair) {
    const uint32_t reorder = parameters_of(network)->reorder_packets;
    return !pair->paused && (pair->outstanding == 0 || pair->outstanding + 1 <= pair->window) &&
           (reorder == 0 || pair->span < reorder);
}

/* Takes the first message off the queue of its source: as the first of the parked ones if it was
 * among them before, else as the last. */
static void park(vef_network *network, vef_endpoint *source, vef_pair *pair) {
    const uint32_t number = source->first_message;
    vef_message *message = vef_message_at(network, number);
    source->first_message = message->next;
    if (pair->parked == VEF_NONE || pair->resumed == number) {
        message->next = pair->parked;
        if (pair->parked == VEF_NONE)
            pair->last_parked = number;
        pair->parked = number;
        pair->resumed = VEF_NONE;
        return;
    }
    park_last(network, pair, number);
}

static bool ready(vef_network *network, vef_partition *part, uint32_t endpoint) {
    vef_pair *pairs = part->windows->pairs;
    vef_endpoint *source = &network->queues.endpoints[endpoint];
    while (source->first_message != VEF_NONE) {
        const uint32_t number = turn_of(network, source->first_message)->pair;
        if (number == VEF_NONE || may_send(network, &pairs[number]))
            return true;
        park(network, source, &pairs[number]);
    }
    return false;
}

/* If the pair may send, the first of its parked messages returns to the queue of its source. */
static void resume(vef_network *network, vef_partition *part, vef_pair *pair) {
    if (pair->parked == VEF_NONE || pair->resumed != VEF_NONE || !may_send(network, pair))
        return;
    vef_endpoint *source = &network->queues.endpoints[pair->source];
    const uint32_t number = pair->parked;
    const uint64_t order = turn_of(network, number)->order;
    vef_message *message = vef_message_at(network, number);
    pair->parked = message->next;
    pair->resumed = number;
    uint32_t *link = &source->first_message;
    while (*link != VEF_NONE && turn_of(network, *link)->order < order)
        link = &vef_message_at(network, *link)->next;
    message->next = *link;
    if (*link == VEF_NONE)
        source->last_message = number;
    *link = number;
    vef_network_refill(network, part, pair->source);
}

static void leave(vef_network *network, vef_partition *part, uint32_t message) {
    const uint32_t number = turn_of(network, message)->pair;
    if (number == VEF_NONE)
        return;
    vef_pair *pair = &part->windows->pairs[number];
    pair->messages--;
    if (pair->resumed == message)
        pair->resumed = VEF_NONE;
    if (takes_turns(network) && pair->parked != VEF_NONE)
        renew_order(network, pair->parked);
    resume(network, part, pair);
}

/* ---- packets ---- */

/* The first message of a source goes to the end of its queue. */
static void pass_turn(vef_network *network, uint32_t number) {
    vef_message *message = vef_message_at(network, number);
    vef_endpoint *source = &network->queues.endpoints[message->source];
    renew_order(network, number);
    if (message->next == VEF_NONE)
        return;
    source->first_message = message->next;
    vef_message_at(network, source->last_message)->next = number;
    message->next = VEF_NONE;
    source->last_message = number;
}

static void add_due(const vef_network *network, vef_part_windows *local, uint32_t number) {
    vef_ack *ack = ack_at(network, number);
    const uint32_t slot = (uint32_t)ack->due_cycles % VEF_NEAR_CYCLES;
    uint64_t *occupied = &local->occupied[slot / 64];
    const uint64_t bit = UINT64_C(1) << slot % 64;
    ack->next = *occupied & bit ? local->due[slot] : VEF_NONE;
    local->due[slot] = number;
    *occupied |= bit;
}

static uint32_t take_ack(const vef_network *network, vef_part_windows *local, vef_ack made) {
    const uint32_t taken = local->unused;
    vef_ack *ack = ack_at(network, taken);
    local->unused = ack->next;
    *ack = made;
    return taken;
}

/* The pair waits until then. */
static void pause_pair(const vef_network *network, vef_part_windows *local, uint32_t number,
                       uint64_t until_cycles) {
    local->pairs[number].paused = true;
    add_due(network, local,
            take_ack(network, local,
                     (vef_ack){.due_cycles = until_cycles, .pair = number, .opens = true}));
}

static void enter(vef_network *network, vef_partition *part, uint32_t message, uint32_t packet) {
    vef_source_windows *windows = network->policies.pairs;
    windows->ack_of[packet] = VEF_NONE;
    const uint32_t number = message == VEF_NONE ? VEF_NONE : turn_of(network, message)->pair;
    if (number == VEF_NONE)
        return;
    vef_part_windows *local = part->windows;
    vef_pair *pair = &local->pairs[number];
    pair->packets--;
    pair->outstanding++;
    const uint32_t taken = take_ack(network, local,
                                    (vef_ack){.entered_cycles = part->now_cycles,
                                              .pair = number,
                                              .home = (uint8_t)part->number});
    windows->ack_of[packet] = taken;
    if (pair->span++ == 0)
        pair->first_ack = taken;
    else if (parameters_of(network)->reorder_packets)
        ack_at(network, pair->last_ack)->later = taken;
    pair->last_ack = taken;
    const uint64_t pause =
        windows->policy->enters
            ? windows->policy->enters(parameters_of(network), &pair->rate, part->now_cycles,
                                      vef_packet_at(network, packet)->phits,
                                      network->settings.phit_bytes)
            : 0;
    if (pause > 0)
        pause_pair(network, local, number, part->now_cycles + pause);
    if (takes_turns(network) && vef_message_at(network, message)->bytes_left > 0)
        pass_turn(network, message);
}

/* Marks the packet of an ack that enters a queue at the end of a link, by a number of the link and
 * the cycle. */
static void mark(const vef_network *network, vef_ack *ack, uint64_t now_cycles, uint64_t link,
                 uint32_t taken, uint32_t places) {
    const double share =
        network->policies.pairs->policy->marks(parameters_of(network), taken, places);
    if (share > 0 && share < 1) {
        vef_rng rng = vef_rng_make(network->settings.seed, VEF_RNG_MARKS, link);
        rng.counter = now_cycles;
        ack->marked |= vef_rng_unit(&rng) < share;
    } else {
        ack->marked |= share >= 1;
    }
}

static void cross(vef_network *network, uint64_t now_cycles, uint32_t router, uint32_t link,
                  uint32_t packet, uint32_t places, uint32_t hop_cycles) {
    if (network->policies.pairs->ack_of[packet] == VEF_NONE)
        return;
    vef_ack *ack = ack_at(network, network->policies.pairs->ack_of[packet]);
    ack->travel_cycles += hop_cycles;
    if (network->policies.pairs->policy->marks && !network->policies.full.pauses)
        mark(network, ack, now_cycles, (uint64_t)router * network->shape.links + link,
             vef_places_taken(network, router, link) + places,
             vef_places_at_end(network, router, link));
}

static void arrive(vef_network *network, uint64_t now_cycles, uint32_t router, uint32_t store,
                   uint32_t packet, uint32_t taken, uint32_t most) {
    const uint32_t number = network->policies.pairs->ack_of[packet];
    if (number != VEF_NONE && network->policies.pairs->policy->marks)
        mark(network, ack_at(network, number), now_cycles,
             (uint64_t)router * network->shape.links + store, taken, most);
}

static void deliver(vef_network *network, vef_partition *part, uint32_t packet) {
    const uint32_t number = network->policies.pairs->ack_of[packet];
    if (number == VEF_NONE)
        return;
    vef_ack *ack = ack_at(network, number);
    const uint32_t given = parameters_of(network)->ack_delay.cycles;
    const uint32_t delay = given > 0 ? given : ack->travel_cycles;
    ack->due_cycles = part->now_cycles + (delay > 0 ? delay : 1);
    if (ack->home == part->number) {
        add_due(network, part->windows, number);
        return;
    }
    ack->next = part->windows->sent[ack->home];
    part->windows->sent[ack->home] = number;
}

/* ---- acks ---- */

static uint64_t next_acks(const vef_partition *part) {
    return vef_slots_next(part->windows->occupied, VEF_NEAR_CYCLES - 1, part->now_cycles);
}

/* Removes the acks of now from their slot, as a list. */
static uint32_t take_due(const vef_network *network, vef_part_windows *local, uint64_t now) {
    const uint32_t slot = (uint32_t)now % VEF_NEAR_CYCLES;
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if (!(local->occupied[slot / 64] & bit))
        return VEF_NONE;
    local->occupied[slot / 64] &= ~bit;
    uint32_t due = VEF_NONE;
    for (uint32_t number = local->due[slot], next; number != VEF_NONE; number = next) {
        vef_ack *ack = ack_at(network, number);
        next = ack->next;
        if (ack->due_cycles > now) {
            add_due(network, local, number);
            continue;
        }
        ack->next = due;
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
    if (network->policies.pairs->policy->increase && !ack->marked)
        pair->window =
            network->policies.pairs->policy->increase(parameters_of(network), pair->window);
}

/* A marked packet reduces the rate, or the window, unless it entered before the last reduction. */
static void note_mark(const vef_network *network, vef_pair *pair, const vef_ack *ack) {
    const vef_congestion_policy *policy = network->policies.pairs->policy;
    if (ack->marked && policy->reduces)
        policy->reduces(parameters_of(network), &pair->rate, ack->due_cycles);
    if (!ack->marked || !policy->decrease || ack->entered_cycles < pair->decreased_cycles)
        return;
    pair->window = policy->decrease(parameters_of(network), pair->window);
    pair->decreased_cycles = ack->due_cycles;
}

/* The wait between packets of a window below one, after its last packet. */
static uint64_t pause_of(const vef_pair *pair) {
    if (pair->window >= 1 || pair->outstanding > 0)
        return 0;
    return (uint64_t)ceil((double)pair->round_trip_cycles * (1 / pair->window - 1));
}

static void release_ack(const vef_network *network, vef_part_windows *local, uint32_t number) {
    ack_at(network, number)->next = local->unused;
    local->unused = number;
}

/* An ack is of no use any more, or with reordering when those of all packets before it are not. */
static void settle_ack(const vef_network *network, vef_part_windows *local, uint32_t number) {
    vef_pair *pair = &local->pairs[ack_at(network, number)->pair];
    if (!parameters_of(network)->reorder_packets) {
        pair->span--;
        release_ack(network, local, number);
        return;
    }
    ack_at(network, number)->known = true;
    while (pair->span > 0 && ack_at(network, pair->first_ack)->known) {
        const uint32_t first = pair->first_ack;
        pair->first_ack = ack_at(network, first)->later;
        pair->span--;
        release_ack(network, local, first);
    }
}

/* In three passes, since the order of the acks of a time depends on the parts. */
static void due(vef_network *network, vef_partition *part) {
    vef_part_windows *local = part->windows;
    const uint32_t due = take_due(network, local, part->now_cycles);
    for (uint32_t i = due; i != VEF_NONE; i = ack_at(network, i)->next)
        note(network, &local->pairs[ack_at(network, i)->pair], ack_at(network, i));
    for (uint32_t i = due; i != VEF_NONE; i = ack_at(network, i)->next)
        note_mark(network, &local->pairs[ack_at(network, i)->pair], ack_at(network, i));
    for (uint32_t i = due, next; i != VEF_NONE; i = next) {
        vef_ack *ack = ack_at(network, i);
        const uint32_t number = ack->pair;
        vef_pair *pair = &local->pairs[number];
        next = ack->next;
        const uint64_t pause = ack->opens || pair->paused ? 0 : pause_of(pair);
        if (ack->opens)
            release_ack(network, local, i);
        else
            settle_ack(network, local, i);
        if (pause > 0)
            pause_pair(network, local, number, part->now_cycles + pause);
        resume(network, part, pair);
        note_idle(network, local, number);
    }
}

/* ---- mail ---- */

static void settle(vef_network *network, vef_partition *part) {
    collect(network, part->windows);
    for (uint32_t to = 0; to < network->partitions.count; to++) {
        uint32_t *sent = &part->windows->sent[to];
        if (*sent == VEF_NONE)
            continue;
        /* The other part has taken in what was posted before these packets were delivered. */
        vef_network_mail_of(network, network->partitions.posting, part->number, to)->acks = *sent;
        *sent = VEF_NONE;
    }
}

static uint64_t earliest(const vef_network *network, uint32_t number) {
    uint64_t earliest = UINT64_MAX;
    for (; number != VEF_NONE; number = ack_at(network, number)->next)
        if (ack_at(network, number)->due_cycles < earliest)
            earliest = ack_at(network, number)->due_cycles;
    return earliest;
}

static void receive(const vef_network *network, vef_partition *part, uint32_t *list) {
    for (uint32_t number = *list, next; number != VEF_NONE; number = next) {
        next = ack_at(network, number)->next;
        add_due(network, part->windows, number);
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
        .arrive = arrive,
        .deliver = deliver,
        .due = due,
        .next = next_acks,
        .settle = settle,
        .earliest = earliest,
        .receive = receive,
        .bytes = bytes,
        .destroy = destroy,
    };
    vef_source_windows *windows = vef_calloc(1, sizeof *windows);
    windows->policy = congestion;
    windows->orders = vef_calloc(network->topology->endpoints, sizeof *windows->orders);
    network->policies.pairs = windows;
    network->policies.moving.windows = &policy;
}
