/* Packets to all: netmodel/MODEL.md, "Broadcast". Their phits stay in the queue, where each copy
 * reads them in its own time, until the tail of the last copy has left. */
#include "tests/netmodel/reference_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool reference_is_to_all(const reference *network, const packet *front) {
    return network->messages[front->message].destination == VEF_TO_ALL;
}

/* A packet to all that has come to the front of its queue. */
static copying *copying_new(reference *network, uint32_t here, uint32_t q) {
    const queue *input = &network->router[here].queues[q];
    const packet *front = reference_front(network, input);
    copying *made = reference_take(1, sizeof *made);
    if (network->messages[front->message].contribution &&
        !reference_combine(network, here, q, made)) {
        free(made);
        return NULL;
    }
    made->asks = reference_take(network->outputs, sizeof *made->asks);
    made->to_port = reference_take(network->ports, sizeof *made->to_port);
    made->to_endpoint = reference_take(network->endpoints_per_router, sizeof *made->to_endpoint);
    made->candidates = reference_take(network->ports, sizeof *made->candidates);
    const vef_place place = reference_place(network, here, input->memory);
    if (network->config.trees) {
        reference_list_in_tree(network, here, place.in_port, front, made);
        return made;
    }
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count =
        network->routing.branches(network->routing.context, &front->route, place, offered);
    for (uint32_t k = 0; k < count; k++) {
        made->to_port[offered[k].port] = true;
        made->candidates[offered[k].port] = offered[k];
    }
    made->left = count;
    for (uint32_t e = 0; e < network->endpoints; e++)
        if (network->source[e].router == here && e != network->messages[front->message].source) {
            made->to_endpoint[network->source[e].local] = true;
            made->left++;
        }
    return made;
}

static void copying_free(copying *copies) {
    free(copies->asks);
    free(copies->to_port);
    free(copies->to_endpoint);
    free(copies->candidates);
    free(copies);
}

void reference_copies_free(queue *fifo) {
    if (fifo->copying)
        copying_free(fifo->copying);
    fifo->copying = NULL;
}

void reference_ask_copies(reference *network, uint32_t here, uint32_t q) {
    router *r = &network->router[here];
    queue *input = &r->queues[q];
    if (!input->copying)
        input->copying = copying_new(network, here, q);
    copying *copies = input->copying;
    if (!copies) /* it does not go on */
        return;
    const uint32_t places = reference_places(network, reference_front(network, input)->phits) - 1;
    for (uint32_t port = 0; port < network->ports; port++) {
        const vef_candidate *to = &copies->candidates[port];
        copies->asks[port] = copies->to_port[port] && r->outputs[port].input == NONE &&
                             r->outputs[port].credits[to->channel] >= to->slots_needed + places;
    }
    const uint32_t each = network->config.ejection_ports;
    for (uint32_t local = 0; local < network->endpoints_per_router; local++) {
        bool asked = !copies->to_endpoint[local];
        for (uint32_t o = network->ports + local * each; o < network->ports + (local + 1) * each;
             o++) {
            copies->asks[o] = !asked && r->outputs[o].input == NONE;
            asked = asked || copies->asks[o];
        }
    }
}

void reference_grant_copy(reference *network, uint32_t here, uint32_t q, uint32_t o) {
    router *r = &network->router[here];
    queue *input = &r->queues[q];
    output *out = &r->outputs[o];
    copying *copies = input->copying;
    assert(out->input == NONE && input->output == NONE && copies->asks[o] && copies->left > 0);
    out->input = (int)q;
    out->copy_next = 0;
    out->copy = input->phits[input->first].packet;
    copies->under_way++;
    copies->left--;
    if (copies->left == 0)
        input->output = (int)o; /* packets behind it wait until all have left */
    if (o >= network->ports) {
        copies->to_endpoint[(o - network->ports) / network->config.ejection_ports] = false;
        return;
    }
    copies->to_port[o] = false;
    out->channel = copies->candidates[o].channel;
    out->copy = reference_new_packet(network);
    packet *copy = &network->packets[out->copy];
    *copy = *reference_front(network, input);
    if (!network->config.trees)
        network->routing.advance_copy(network->routing.context, &copy->route, (uint16_t)o);
    copy->hops++;
    if (!network->config.pauses)
        out->credits[out->channel] -= reference_places(network, copy->phits);
}

bool reference_next_of_copy(const reference *network, uint32_t here, uint32_t o, phit *next) {
    output *out = &network->router[here].outputs[o];
    const queue *from = &network->router[here].queues[out->input];
    const phit front = from->phits[from->first];
    if (out->copy_next == network->packets[front.packet].phits || from->count <= out->copy_next)
        return false;
    const phit there = from->phits[(from->first + out->copy_next) % from->room];
    if (there.packet != front.packet ||
        !reference_all_have_come(network, here, from->copying, out->copy_next))
        return false;
    assert(there.number == out->copy_next);
    *next = (phit){out->copy, out->copy_next++};
    return true;
}

/* All packets of the message have come to the endpoint. */
static void note_delivery(reference *network, reference_message *message, uint32_t endpoint) {
    message->copy_cycles[endpoint] = network->now + 1;
    message->delivered++;
    if (message->delivered == message->receivers) {
        message->delivered_cycles = network->now + 1;
        network->pending--;
    }
}

bool reference_end_copy(reference *network, uint32_t here, uint32_t o) {
    router *r = &network->router[here];
    output *out = &r->outputs[o];
    queue *from = &r->queues[out->input];
    copying *copies = from->copying;
    const packet *whose = &network->packets[out->copy];
    if (o >= network->ports) {
        reference_message *message = &network->messages[whose->message];
        const uint32_t local = (o - network->ports) / network->config.ejection_ports;
        uint32_t endpoint = 0;
        while (network->source[endpoint].router != here || network->source[endpoint].local != local)
            endpoint++;
        network->counts.packets++;
        network->counts.packet_hops += whose->hops;
        network->counts.phits += whose->phits;
        network->counts.latency_cycles += network->now - whose->entry_cycles;
        if (++message->copy_packets[endpoint] == message->packets)
            note_delivery(network, message, endpoint);
    }
    out->input = NONE;
    copies->under_way--;
    if (copies->left > 0 || copies->under_way > 0)
        return false;
    for (uint32_t k = whose->phits; k > 0; k--)
        reference_pop(from);
    from->output = NONE;
    copying_free(copies);
    from->copying = NULL;
    return true;
}
