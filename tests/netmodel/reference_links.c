/* What comes in by links and goes out by them: steps 1 and 5 of netmodel/MODEL.md. */
#include "tests/netmodel/reference_state.h"

#include <assert.h>

/* ---- frames that pause and resume ---- */

/* A queue of a link sends a frame to its sender at `now_cycles`, if its state has changed. */
static void tell_sender(reference *network, uint32_t here, uint32_t m, uint64_t now_cycles) {
    store *buffer = &network->router[here].memories[m];
    const bool more = !buffer->pauses && buffer->taken >= buffer->pause_at;
    const bool fewer = buffer->pauses && buffer->taken <= buffer->pause_resume;
    if (!network->config.pauses || m >= network->transit_memories || (!more && !fewer))
        return;
    buffer->pauses = more;
    const uint32_t port = m / network->routing.channels;
    const uint32_t other = reference_far_router(network, here, port);
    const uint32_t other_port = reference_far_port(network, here, port);
    output *sender = &network->router[other].outputs[other_port];
    sender->frames = reference_grow(sender->frames, sender->frame_count, &sender->frame_room,
                                    sizeof *sender->frames);
    sender->frames[sender->frame_count++] = (frame){
        .channel = (uint8_t)(m % network->routing.channels),
        .pauses = more,
        .due_cycles =
            now_cycles + reference_link_of(network, other, other_port).credit_delay_cycles,
    };
}

static void frames_back(reference *network, uint32_t here, uint32_t port) {
    output *out = &network->router[here].outputs[port];
    uint32_t left = 0;
    for (uint32_t k = 0; k < out->frame_count; k++) {
        if (out->frames[k].due_cycles == network->now)
            out->credits[out->frames[k].channel] = !out->frames[k].pauses;
        else
            out->frames[left++] = out->frames[k];
    }
    out->frame_count = left;
}

/* ---- step 1: what is due ---- */

static void arrivals(reference *network, uint32_t here, uint32_t port) {
    output *from = &network->router[here].outputs[port];
    uint32_t left = 0;
    for (uint32_t k = 0; k < from->wire_count; k++) {
        const wire_phit *w = &from->wire[k];
        if (w->due_cycles != network->now) {
            from->wire[left++] = *w;
            continue;
        }
        const uint32_t other = reference_far_router(network, here, port);
        const uint32_t m =
            reference_far_port(network, here, port) * network->routing.channels + w->channel;
        store *to = &network->router[other].memories[m];
        if (w->phit.number == 0) {
            packet *head = &network->packets[w->phit.packet];
            head->joined_cycles = network->now;
            to->taken += reference_places(network, head->phits);
            reference_note_arrival(network, other, m, head);
            to->coming = reference_queue_for(network, other, m, head);
            if (to->taken > to->most_taken)
                to->most_taken = to->taken;
            tell_sender(network, other, m, network->now);
        }
        assert(to->taken <= to->places);
        reference_push(&network->router[other].queues[to->coming], w->phit);
    }
    from->wire_count = left;
}

static void credits_back(reference *network, uint32_t here, uint32_t port) {
    output *out = &network->router[here].outputs[port];
    for (uint32_t c = 0; c < network->routing.channels; c++) {
        uint32_t left = 0;
        for (uint32_t k = 0; k < out->credits_coming[c]; k++) {
            if (out->credits_due[c][k] == network->now)
                out->credits[c]++;
            else
                out->credits_due[c][left++] = out->credits_due[c][k];
        }
        out->credits_coming[c] = left;
    }
}

void reference_due(reference *network, uint32_t here, uint32_t port) {
    arrivals(network, here, port);
    credits_back(network, here, port);
    frames_back(network, here, port);
}

/* ---- step 5: movement ---- */

/* A place of a memory is free from the next cycle on: its sender will know. */
static void place_left(reference *network, uint32_t here, uint32_t m) {
    store *left = &network->router[here].memories[m];
    assert(left->taken > 0);
    left->taken--;
    tell_sender(network, here, m, network->now + 1);
    if (m >= network->transit_memories || network->config.pauses)
        return;
    const uint32_t port = m / network->routing.channels;
    const uint32_t channel = m % network->routing.channels;
    const uint32_t other = reference_far_router(network, here, port);
    const uint32_t other_port = reference_far_port(network, here, port);
    output *sender = &network->router[other].outputs[other_port];
    assert(sender->credits_coming[channel] < left->places);
    sender->credits_due[channel][sender->credits_coming[channel]++] =
        network->now + 1 + reference_link_of(network, other, other_port).credit_delay_cycles;
}

static void consume(reference *network, const packet *done) {
    reference_message *message = &network->messages[done->message];
    message->delivered++;
    if (message->delivered == message->packets) {
        message->delivered_cycles = network->now + 1;
        network->pending--;
    }
    network->counts.packets++;
    network->counts.packet_hops += done->hops;
    network->counts.phits += done->phits;
    network->counts.latency_cycles += network->now - done->entry_cycles;
}

/* The next phit of the packet that holds output `o` begins to cross; false: it is not here yet,
 * where links in are slower than the one out. */
static bool begin_phit(reference *network, uint32_t here, uint32_t o) {
    router *r = &network->router[here];
    output *out = &r->outputs[o];
    const bool link = o < network->ports;
    const reference_link by =
        link ? reference_link_of(network, here, o) : (reference_link){.cycles_per_phit = 1};
    queue *from = &r->queues[out->input];
    if (from->count == 0 ||
        (from->copying && !reference_next_of_copy(network, here, o, &out->phit)))
        return false;
    if (!from->copying)
        out->phit = reference_pop(from);
    out->crossing = true;
    out->until_cycles = network->now + by.cycles_per_phit;
    if (link)
        out->wire[out->wire_count++] = (wire_phit){
            .phit = out->phit,
            .channel = out->channel,
            .due_cycles =
                out->until_cycles - 1 + network->config.router_delay_cycles + by.delay_cycles,
        };
    return true;
}

/* The phit has crossed: the last of a place frees it, the last of the packet all that it held. */
static void end_phit(reference *network, uint32_t here, uint32_t o) {
    router *r = &network->router[here];
    output *out = &r->outputs[o];
    const packet *whose = &network->packets[out->phit.packet];
    const uint32_t gone = out->phit.number + 1, unit = network->config.unit_phits;
    queue *from = &r->queues[out->input];
    out->crossing = false;
    if (from->copying) {
        assert(unit == 0);
        const uint32_t memory = from->memory;
        if (gone == whose->phits && reference_end_copy(network, here, o))
            place_left(network, here, memory);
        return;
    }
    if (gone == whose->phits || (unit > 0 && gone % unit == 0))
        place_left(network, here, from->memory);
    if (gone < whose->phits)
        return;
    if (o >= network->ports) {
        consume(network, whose);
        reference_note_delivery(network, out->phit.packet);
    }
    from->output = NONE;
    out->input = NONE;
}

/* With buckets: in each cycle an output gets a token, and phits that are here take one each. */
static uint32_t burst(reference *network, uint32_t here, uint32_t o) {
    output *out = &network->router[here].outputs[o];
    uint32_t moved = 0;
    for (out->tokens++; out->input != NONE && out->tokens > 0 && begin_phit(network, here, o);
         moved++) {
        out->tokens--;
        out->busy_cycles++;
        end_phit(network, here, o);
    }
    if (out->tokens > network->config.burst_phits)
        out->tokens = network->config.burst_phits;
    return moved;
}

uint32_t reference_movement(reference *network, uint32_t here) {
    router *r = &network->router[here];
    uint32_t moved = 0;
    for (uint32_t q = 0; q < network->queues; q++) {
        if (r->queues[q].output != INTO_SLOT || r->queues[q].count == 0)
            continue;
        moved++;
        if (reference_absorb(network, here, q))
            place_left(network, here, r->queues[q].memory);
    }
    for (uint32_t o = 0; o < network->outputs; o++) {
        output *out = &r->outputs[o];
        if (network->config.burst_phits > 0) {
            moved += burst(network, here, o);
            continue;
        }
        if (out->input == NONE)
            continue;
        if (!out->crossing)
            moved += begin_phit(network, here, o);
        out->busy_cycles += out->crossing;
        if (out->crossing && out->until_cycles == network->now + 1)
            end_phit(network, here, o);
    }
    return moved;
}
