/* The events of a cycle, and what they wake (netmodel/MODEL.md, steps 1 and 2). */
#include "netmodel/router/core/fronts.h"
#include "netmodel/router/core/network.h"

/* The handling of events is compiled twice, like visits (visit.c). */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The message, of packet `number`, is delivered. */
static void note_delivery(const vef_network *network, vef_partition *part, uint32_t number,
                          const vef_message *message, uint32_t endpoint) {
    const vef_way way =
        network->links.ways
            ? network->links.ways[number]
            : (vef_way){vef_packet_at(network, number)->hops * network->links.plan.alike.hop_cycles,
                        1};
    part->delivered.passing[part->delivered.count] = part->delivered.passing_cycles;
    part->delivered.items[part->delivered.count++] =
        (vef_net_delivery){.id = message->id,
                           .time_cycles = part->now_cycles,
                           .endpoint = endpoint,
                           .path_cycles = way.path_cycles,
                           .cycles_per_phit = way.cycles_per_phit,
                           .source = message->source,
                           .bytes = message->bytes};
}

/* A packet, or a copy of one, has reached an endpoint; a message is delivered there with its last
 * packet. */
ALWAYS_INLINE void deliver(vef_network *network, vef_partition *part, uint32_t number,
                           vef_message *message, uint32_t endpoint) {
    const vef_packet *packet = vef_packet_at(network, number);
    const uint64_t now = part->now_cycles;
    vef_latency_add(part->delivered.latency, now - 1 - vef_entered_cycles(part, packet));
    part->delivered.hops += packet->hops;
    part->delivered.phits += packet->phits;
    if (network->policies.moving.windows)
        network->policies.moving.windows->deliver(network, part, number);
    const bool whole = message->destination != VEF_TO_ALL
                           ? message->packets_out == 1
                           : !message->spread || network->policies.moving.broadcast->deliver(
                                                     network, message, endpoint);
    if (whole) {
        part->unconfirmed -= message->confirmed;
        vef_latency_add(part->delivered.message_latency, now - message->time_cycles);
        note_delivery(network, part, number, message, endpoint);
    }
    if (--message->packets_out == 0) {
        if (message->destination == VEF_TO_ALL && message->spread)
            network->policies.moving.broadcast->forget(network, message);
        if (VEF_RARELY(network->ranked != NULL))
            vef_ranks_forget(network, message);
        vef_network_put_unused(network, part, VEF_MESSAGES, packet->message, &message->next);
    }
}

/* Packets wait at this router for a resource that is now free. */
static inline bool wanted_of(const vef_router *state, uint64_t exits) {
    uint64_t can = (state->wanted.one & state->at_least[0]) | //
                   (state->wanted.two & state->at_least[1]);
    return ((can & exits) != 0) | state->watchful;
}

/* A place of the queue at the other end of a link is free again. */
ALWAYS_INLINE void give_credit(vef_network *network, vef_partition *part, uint32_t router,
                               uint32_t link, bool fast) {
    vef_router *sender = vef_router_at(network, router);
    vef_add_credit(network, sender, link);
    bool woken = wanted_of(sender, sender->open & UINT64_C(1) << link % 64);
    if (!fast && network->shape.listed && vef_exit_is_free(network, part, sender, link))
        woken |= vef_list_stir(network, sender, link);
    vef_partition_wake(part, router, woken);
}

/* An output is free, which opens `exits` of a narrow router: wakes those that wait for it. */
ALWAYS_INLINE void open_output(const vef_network *network, vef_partition *part, uint32_t router,
                               uint32_t output, uint64_t exits, bool fast) {
    vef_router *state = vef_router_at(network, router);
    state->open |= exits;
    bool woken = wanted_of(state, exits);
    const uint32_t channels = network->shape.channels, ports = network->shape.ports;
    uint32_t first = output * channels, end = first + channels;
    if (output >= ports) {
        first = network->shape.links + (output - ports) / network->settings.ejection_ports;
        end = first + 1;
    }
    for (uint32_t exit = first; !fast && network->shape.listed && exit < end; exit++)
        if (vef_exit_is_free(network, part, state, exit))
            woken |= vef_list_stir(network, state, exit);
    vef_partition_wake(part, router, woken);
}

/* The place in the event becomes free: informs its sender, unless that has been done by mail. */
static void free_place(vef_network *network, vef_partition *part, const vef_calendar_entry *event) {
    if (event->sender == VEF_NONE)
        return;
    if (event->input >= network->shape.transit_inputs) {
        network->queues.injection_free[(size_t)event->sender * network->settings.injection_queues +
                                       event->link]++;
        if (network->queues.endpoints[event->sender].first_message != VEF_NONE)
            vef_network_refill(network, part, event->sender);
        return;
    }
    /* Only a broadcast packet's place may have its sender in another part. */
    vef_partition *home = vef_network_partition(network, event->sender);
    const uint32_t delay = vef_network_credit_delay(network, event->sender, event->link);
    if (delay == 0) {
        give_credit(network, home, event->sender, event->link, false);
        return;
    }
    vef_calendar_entry *credit = vef_calendar_add(&home->credits_back, part->now_cycles + delay);
    credit->router = event->sender;
    credit->link = event->link;
}

/* A frame reaches the sender of a link. */
static void take_frame(vef_network *network, vef_partition *part, uint32_t router, uint32_t link,
                       bool pauses) {
    if (pauses)
        vef_take_credit(network, vef_router_at(network, router), link);
    else
        give_credit(network, part, router, link, false);
}

void vef_network_send_frame(vef_network *network, vef_partition *part, uint32_t router,
                            uint32_t store, bool pauses) {
    vef_calendar_entry to, *frame = NULL;
    vef_network_set_sender(network, vef_router_at(network, router), store, &to);
    const uint32_t delay = vef_network_credit_delay(network, to.sender, to.link);
    if (delay == 0) {
        take_frame(network, part, to.sender, to.link, pauses);
        return;
    }
    if (vef_partition_holds(network, part, to.sender))
        frame = vef_calendar_add(&part->credits_back, part->now_cycles + delay);
    else
        frame = vef_network_post_credit(network, part, part->now_cycles, &to);
    frame->router = to.sender;
    frame->link = to.link;
    frame->packet = pauses;
}

/* The place of a whole packet becomes free: for a credit, or in the count of its queue. */
static void free_whole(vef_network *network, vef_partition *part, const vef_calendar_entry *event) {
    if (network->policies.full.pauses && event->input < network->shape.transit_inputs)
        network->policies.full.pauses->leave(network, part, event->router,
                                             vef_store_of(network, event->input));
    else
        free_place(network, part, event);
}

/* The packets at the front of the queues that share the read port of an input may request. */
ALWAYS_INLINE void free_read_port(vef_network *network, vef_partition *part, uint32_t router,
                                  vef_router *state, uint32_t input) {
    const vef_inputs sharers = vef_network_set_reading(network, state, input, false);
    for (uint32_t i = sharers.first; i < sharers.end; i++)
        if (vef_filled_of(state)[i / 64] >> i % 64 & 1)
            vef_front_ready(network, part, router, state, i, VEF_NONE, false);
}

/* A copy has passed its output (VEF_UNMATCHED: it has none), which is free; if it was the last,
 * read port and place are free too. */
static void end_copy(vef_network *network, vef_partition *part, const vef_calendar_entry *event) {
    const uint32_t router = event->router, input = event->input & ~(uint32_t)VEF_COPY_ENDS;
    vef_router *state = vef_router_at(network, router);
    uint64_t opened = 0;
    if (event->output < network->shape.ports) {
        opened = network->shape.narrow ? network->links.port_links[event->output] : 0;
    } else if (event->output != VEF_UNMATCHED) {
        const uint32_t ejection = event->output - network->shape.ports,
                       each = network->settings.ejection_ports;
        const uint32_t local = ejection / each;
        const uint32_t endpoint =
            network->queues.endpoint_at[(size_t)router * network->shape.per_router + local];
        vef_ejection_of(network, state)[local] |= 1u << ejection % each;
        part->delivered.passing_cycles = event->passing_cycles;
        opened = network->shape.narrow ? UINT64_C(1) << (network->shape.links + local) : 0;
        deliver(network, part, event->packet,
                vef_message_at(network, vef_packet_at(network, event->packet)->message), endpoint);
    }
    if (event->output == VEF_UNMATCHED)
        vef_partition_wake(part, router, true);
    else
        open_output(network, part, router, event->output, opened, false);
    if (network->policies.moving.broadcast->end(network, part, event->packet)) {
        free_read_port(network, part, router, state, input);
        vef_calendar_entry whole = *event;
        whole.input = (uint16_t)input;
        free_whole(network, part, &whole);
    }
}

/* A packet has passed an ejection port, and is delivered. Returns the exit that is open again. */
static uint64_t end_ejection(vef_network *network, vef_partition *part, vef_router *state,
                             const vef_calendar_entry *event) {
    const vef_packet *packet = vef_packet_at(network, event->packet);
    const uint32_t local = packet->local;
    const uint32_t port =
        event->output - network->shape.ports - local * network->settings.ejection_ports;
    vef_ejection_of(network, state)[local] |= 1u << port;
    part->delivered.passing_cycles = event->passing_cycles;
    vef_message *message = vef_message_at(network, packet->message);
    deliver(network, part, event->packet, message, message->destination);
    vef_network_free_packet(network, part, event->packet);
    return network->shape.narrow ? UINT64_C(1) << (network->shape.links + local) : 0;
}

/* The packet granted to this output has passed: output, read port and place are free. */
ALWAYS_INLINE void end_packet(vef_network *network, vef_partition *part,
                              const vef_calendar_entry *event, bool fast) {
    if (event->input & VEF_COPY_ENDS) {
        end_copy(network, part, event);
        return;
    }
    vef_router *state = vef_router_at(network, event->router);
    uint64_t opened = 0;
    if (event->output >= network->shape.ports)
        opened = end_ejection(network, part, state, event);
    else if (fast || network->shape.narrow)
        opened = network->links.port_links[event->output];
    open_output(network, part, event->router, event->output, opened, fast);
    if (fast) {
        const uint64_t bit = UINT64_C(1) << event->input;
        *vef_reading_of(state, 1) &= ~bit;
        if (*vef_filled_of(state) & bit)
            vef_front_ready(network, part, event->router, state, event->input, VEF_NONE, fast);
    } else {
        free_read_port(network, part, event->router, state, event->input);
    }
    if (fast && !network->links.credits_travel && event->input < network->shape.transit_inputs &&
        event->sender != VEF_NONE)
        give_credit(network, part, event->sender, event->link, true);
    else if (fast)
        free_place(network, part, event);
    else
        free_whole(network, part, event);
}

static void do_places(vef_network *network, vef_partition *part) {
    vef_calendar *places = &part->places_free;
    for (vef_calendar_walk walk = vef_calendar_open(places, part->now_cycles); walk.chunk;
         walk = vef_calendar_done(places, walk))
        for (uint32_t i = 0; i < walk.count; i++)
            free_place(network, part, &walk.chunk->items[i]);
}

/* Functions that only prefetch are always inlined: GCC 12 treats them as having no side effects and
 * drops calls to them. */
enum { EVENTS_AHEAD = 12, MESSAGES_AHEAD = 6, SOURCES_AHEAD = 4 }; /* prefetch distances */

/* The event `ahead` after the i-th of a chunk, to prefetch; NULL: none. */
static inline const vef_calendar_entry *
next_event(const vef_network *network, vef_calendar_walk walk, uint32_t i, uint32_t ahead) {
    if (!network->shape.fetches)
        return NULL;
    i += ahead;
    if (i < walk.count)
        return &walk.chunk->items[i];
    walk = vef_calendar_newer(walk);
    i -= VEF_CHUNK_ITEMS;
    return i < walk.count ? &walk.chunk->items[i] : NULL;
}

ALWAYS_INLINE void fetch_ending(const vef_network *network, const vef_calendar_entry *event) {
    const unsigned char *block =
        network->queues.routers + event->router * network->shape.router_stride;
    __builtin_prefetch(block, 1);
    __builtin_prefetch(block + VEF_LINE_BYTES, 1);
    if (event->input < network->shape.transit_inputs)
        __builtin_prefetch(vef_router_at(network, event->sender), 1); /* VEF_NONE does no harm */
    else
        __builtin_prefetch(&network->queues.endpoints[event->sender], 1);
    if (event->output >= network->shape.ports)
        __builtin_prefetch(vef_packet_at(network, event->packet), 1);
}

/* The message of a packet that is about to be delivered, once the packet is there. */
ALWAYS_INLINE void fetch_message(const vef_network *network, const vef_calendar_entry *event) {
    if (event->output >= network->shape.ports)
        __builtin_prefetch(vef_message_at(network, vef_packet_at(network, event->packet)->message),
                           1);
}

ALWAYS_INLINE void fetch_arriving(const vef_network *network, const vef_calendar_entry *event,
                                  bool fast) {
    if (!fast)
        __builtin_prefetch(vef_packet_at(network, event->packet), 1);
    vef_router *router = vef_router_at(network, event->router);
    __builtin_prefetch(router, 1);
    __builtin_prefetch(vef_filled_of(router), 1);
    __builtin_prefetch(&vef_queues_of(network, router)[event->input], 1);
}

/* A source is about to put a packet into one of its injection queues. */
ALWAYS_INLINE void fetch_filling(const vef_network *network, uint32_t number) {
    const vef_endpoint *source = &network->queues.endpoints[number];
    vef_router *router = vef_router_at(network, source->router);
    const uint32_t first =
        network->shape.links + source->local * network->settings.injection_queues;
    __builtin_prefetch(vef_filled_of(router), 1);
    __builtin_prefetch(&vef_queues_of(network, router)[first * network->shape.queues_each], 1);
    if (source->first_message != VEF_NONE)
        __builtin_prefetch(vef_message_at(network, source->first_message), 1);
}

ALWAYS_INLINE void do_ends(vef_network *network, vef_partition *part, bool fast) {
    vef_calendar *ends = &part->ends;
    for (vef_calendar_walk walk = vef_calendar_open(ends, part->now_cycles); walk.chunk;
         walk = vef_calendar_done(ends, walk))
        for (uint32_t i = 0; i < walk.count; i++) {
            const vef_calendar_entry *ahead = next_event(network, walk, i, EVENTS_AHEAD);
            if (ahead)
                fetch_ending(network, ahead);
            ahead = next_event(network, walk, i, MESSAGES_AHEAD);
            if (ahead)
                fetch_message(network, ahead);
            end_packet(network, part, &walk.chunk->items[i], fast);
        }
}

ALWAYS_INLINE void do_arrivals(vef_network *network, vef_partition *part, bool fast) {
    vef_calendar *arrivals = &part->arrivals;
    for (vef_calendar_walk walk = vef_calendar_open(arrivals, part->now_cycles); walk.chunk;
         walk = vef_calendar_done(arrivals, walk))
        for (uint32_t i = 0; i < walk.count; i++) {
            const vef_calendar_entry *ahead = next_event(network, walk, i, EVENTS_AHEAD);
            if (ahead)
                fetch_arriving(network, ahead, fast);
            const vef_calendar_entry *event = &walk.chunk->items[i];
            uint32_t input = event->input;
            if (!fast && network->policies.full.pauses)
                network->policies.full.pauses->arrive(network, part, event->router, input,
                                                      event->packet);
            if (!fast && network->shape.queues_each > 1)
                input = vef_network_sort(network, part, event->router, input, event->packet);
            vef_front_join(network, part, event->router, input, event->packet, event->offer, fast);
        }
}

ALWAYS_INLINE void do_credits(vef_network *network, vef_partition *part, bool pauses) {
    vef_calendar *credits = &part->credits_back;
    for (vef_calendar_walk walk = vef_calendar_open(credits, part->now_cycles); walk.chunk;
         walk = vef_calendar_done(credits, walk)) {
        const vef_calendar_entry *items = walk.chunk->items;
        for (uint32_t i = 0; i < walk.count; i++) {
            const vef_calendar_entry *ahead = next_event(network, walk, i, EVENTS_AHEAD);
            if (ahead)
                __builtin_prefetch(vef_router_at(network, ahead->router), 1);
            if (pauses)
                take_frame(network, part, items[i].router, items[i].link, items[i].packet != 0);
            else
                give_credit(network, part, items[i].router, items[i].link, false);
        }
    }
}

ALWAYS_INLINE void do_moved(vef_network *network, vef_partition *part, bool fast) {
    do_ends(network, part, fast);
    if (!fast && network->settings.unit_phits > 0)
        do_places(network, part);
    do_arrivals(network, part, fast);
}

void vef_partition_do_due(vef_network *network, vef_partition *part) {
    if (network->policies.fast)
        do_moved(network, part, true);
    else
        do_moved(network, part, false);
    if (network->links.credits_wait && VEF_RARELY(network->policies.full.pauses != NULL))
        do_credits(network, part, true);
    else if (network->links.credits_wait)
        do_credits(network, part, false);
    if (network->policies.moving.windows)
        network->policies.moving.windows->due(network, part);
    vef_network_enqueue_due(network, part);
}

void vef_partition_fill(vef_network *network, vef_partition *part) {
    const vef_list *filling = &part->filling;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filling->count; i++) {
        if (network->shape.fetches && i + SOURCES_AHEAD < filling->count)
            fetch_filling(network, filling->items[i + SOURCES_AHEAD]);
        /* A source that may not inject is visited again in the next cycle in which anything
         * happens: before that, nothing that holds it back changes. */
        if (!vef_network_fill(network, part, filling->items[i]))
            filling->items[kept++] = filling->items[i];
    }
    part->filling.count = kept;
    if (network->policies.moving.fronts)
        network->policies.moving.fronts->choose(network, part);
}

void vef_partition_list(vef_partition *part, vef_awake *set) {
    uint32_t *items = part->up.items;
    const uint32_t last = part->last_router / 512;
    for (uint32_t group = part->first_router / 512; group <= last && set->any; group++) {
        uint64_t words;
        memcpy(&words, set->words + group * sizeof words, sizeof words);
        if (words == 0)
            continue;
        memset(set->words + group * sizeof words, 0, sizeof words);
        for (uint32_t word = group * 8; word < group * 8 + 8; word++) {
            for (uint64_t left = set->routers[word]; left != 0; left &= left - 1)
                *items++ = word * 64 + vef_bits_first(left);
            set->routers[word] = 0;
        }
    }
    set->any = false;
    part->up.count = (uint32_t)(items - part->up.items);
}

uint64_t vef_partition_next(const vef_network *network, const vef_partition *part) {
    uint64_t now = part->now_cycles;
    if (part->awake.any)
        return now + 1;
    uint64_t next = vef_calendar_next(&part->ends, now);
    uint64_t arrival = vef_calendar_next(&part->arrivals, now);
    if (arrival < next)
        next = arrival;
    if (network->settings.unit_phits > 0) {
        uint64_t place = vef_calendar_next(&part->places_free, now);
        if (place < next)
            next = place;
    }
    if (network->links.credits_wait) {
        uint64_t credit = vef_calendar_next(&part->credits_back, now);
        if (credit < next)
            next = credit;
    }
    if (network->policies.moving.windows) {
        const uint64_t ack = network->policies.moving.windows->next(part);
        if (ack < next)
            next = ack;
    }
    uint64_t message = vef_network_next_message(part);
    return message < next ? message : next;
}
