/* Groups and reductions: netmodel/MODEL.md, "Groups" and "Reduction". Trees are found by the table
 * of the topology alone, whose routers are numbered level by level: a link up leads to a router of
 * a higher number. */
#include "tests/netmodel/reference_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

/* The number of a router's links up; and the port of one of them, in the order of ports. */
static uint32_t links_up(const reference *network, uint32_t here, uint32_t which, int *port) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < network->ports; p++) {
        const uint32_t other = reference_far_router(network, here, p);
        if (other == VEF_NO_ROUTER || other < here)
            continue;
        if (count == which)
            *port = (int)p;
        count++;
    }
    return count;
}

/* All routers of a level that are in the tree take a link up; digit by digit, from the first level,
 * the number of the group says which. */
static void climb(const reference *network, tree *made, uint32_t number) {
    bool *level = reference_take(network->routers, sizeof *level);
    memcpy(level, made->in_tree, network->routers * sizeof *level);
    for (;;) {
        uint32_t routers = 0, digits = 1;
        for (uint32_t r = 0; r < network->routers; r++)
            routers += level[r];
        if (routers <= 1)
            break;
        bool *above = reference_take(network->routers, sizeof *above);
        for (uint32_t r = 0; r < network->routers; r++) {
            if (!level[r])
                continue;
            digits = links_up(network, r, 0, &made->parent_port[r]);
            links_up(network, r, number % digits, &made->parent_port[r]);
            const uint32_t parent =
                reference_far_router(network, r, (uint32_t)made->parent_port[r]);
            made->children[parent]++;
            above[parent] = made->in_tree[parent] = true;
        }
        free(level);
        level = above;
        number /= digits;
    }
    free(level);
}

void reference_add_group(reference *network, const bool *members) {
    network->groups = realloc(network->groups, (network->group_count + 1) * sizeof(tree));
    assert(network->groups);
    tree *made = &network->groups[network->group_count];
    made->member = reference_take(network->endpoints, sizeof *made->member);
    made->in_tree = reference_take(network->routers, sizeof *made->in_tree);
    made->parent_port = reference_take(network->routers, sizeof *made->parent_port);
    made->children = reference_take(network->routers, sizeof *made->children);
    for (uint32_t r = 0; r < network->routers; r++)
        made->parent_port[r] = NONE;
    for (uint32_t e = 0; e < network->endpoints; e++) {
        made->member[e] = members[e];
        if (members[e])
            made->in_tree[network->source[e].router] = true;
    }
    climb(network, made, network->group_count++);
}

void reference_groups_free(reference *network) {
    for (uint32_t g = 0; g < network->group_count; g++) {
        free(network->groups[g].member);
        free(network->groups[g].in_tree);
        free(network->groups[g].parent_port);
        free(network->groups[g].children);
    }
    free(network->groups);
    free(network->slots);
}

/* ---- messages ---- */

static uint32_t count_members(const reference *network, uint32_t group) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < network->endpoints; e++)
        count += network->groups[group].member[e];
    return count;
}

uint32_t reference_inject_to_group(reference *network, uint32_t from, uint32_t group,
                                   uint64_t bytes, uint64_t time_cycles) {
    assert(network->groups[group].member[from]);
    const uint32_t id = reference_inject(network, from, VEF_TO_ALL, bytes, time_cycles);
    network->messages[id].group = group;
    network->messages[id].receivers = count_members(network, group) - 1;
    return id;
}

/* The result of a reduction, which no source sends. */
static uint32_t result_of(reference *network, uint32_t from, uint32_t group, uint64_t reduction,
                          uint32_t receiver, uint64_t bytes, uint64_t time_cycles) {
    for (uint32_t m = 0; m < network->message_count; m++) {
        const reference_message *sent = &network->messages[m];
        if (sent->is_result && sent->group == group && sent->reduction == reduction)
            return m;
    }
    const uint32_t id = reference_inject(network, from, VEF_TO_ALL, bytes, time_cycles);
    reference_message *made = &network->messages[id];
    source *s = &network->source[from];
    uint32_t k = 0;
    while (s->messages[k] != id)
        k++;
    memmove(&s->messages[k], &s->messages[k + 1], (--s->count - k) * sizeof *s->messages);
    made->group = group;
    made->is_result = true;
    made->reduction = reduction;
    made->receiver = receiver;
    made->receivers = receiver == VEF_TO_ALL ? count_members(network, group) : 1;
    return id;
}

uint32_t reference_contribute(reference *network, uint32_t from, uint32_t group, uint64_t reduction,
                              uint32_t receiver, uint64_t bytes, uint64_t time_cycles) {
    const uint32_t result =
        result_of(network, from, group, reduction, receiver, bytes, time_cycles);
    const uint32_t id = reference_inject_to_group(network, from, group, bytes, time_cycles);
    network->messages[id].contribution = true;
    network->messages[id].result = result;
    network->pending--; /* the result counts */
    return result;
}

/* ---- where packets go ---- */

/* Whether the tree below a router, or the router itself, has an endpoint. */
static bool is_below(const reference *network, const tree *branches, uint32_t here,
                     uint32_t endpoint) {
    uint32_t r = network->source[endpoint].router;
    while (r != here && branches->parent_port[r] != NONE)
        r = reference_far_router(network, r, (uint32_t)branches->parent_port[r]);
    return r == here;
}

static void send_by(copying *made, uint32_t port) {
    made->to_port[port] = true;
    made->candidates[port] = (vef_candidate){.port = (uint16_t)port, .slots_needed = 1};
    made->left++;
}

static void send_down(const reference *network, uint32_t here, uint32_t from,
                      const reference_message *message, copying *made) {
    const bool result = message->is_result;
    const tree *branches = &network->groups[message->group];
    for (uint32_t port = 0; port < network->ports; port++) {
        const uint32_t other = reference_far_router(network, here, port);
        const bool child =
            other != VEF_NO_ROUTER && branches->in_tree[other] &&
            branches->parent_port[other] == (int)reference_far_port(network, here, port);
        if (child && (result ? message->receiver == VEF_TO_ALL ||
                                   is_below(network, branches, other, message->receiver)
                             : port != from))
            send_by(made, port);
    }
    for (uint32_t e = 0; e < network->endpoints; e++)
        if (network->source[e].router == here && branches->member[e] &&
            (result ? message->receiver == VEF_TO_ALL || message->receiver == e
                    : message->source != e)) {
            made->to_endpoint[network->source[e].local] = true;
            made->left++;
        }
}

void reference_list_in_tree(const reference *network, uint32_t here, uint32_t from,
                            const packet *head, copying *made) {
    const reference_message *message = &network->messages[head->message];
    const int up = network->groups[message->group].parent_port[here];
    if (!message->is_result && up != NONE && (int)from != up)
        send_by(made, (uint32_t)up);
    if (!message->contribution)
        send_down(network, here, from, message, made);
}

/* ---- contributions ---- */

bool reference_combine(reference *network, uint32_t here, uint32_t q, copying *made) {
    queue *input = &network->router[here].queues[q];
    packet *head = reference_front(network, input);
    const reference_message *message = &network->messages[head->message];
    const tree *branches = &network->groups[message->group];
    uint32_t expected = branches->children[here], come = 1;
    for (uint32_t e = 0; e < network->endpoints; e++)
        expected += branches->member[e] && network->source[e].router == here;
    for (uint32_t k = 0; k < network->slot_count; k++)
        come += network->slots[k].node == here && network->slots[k].result == message->result &&
                network->slots[k].number == head->number;
    if (come < expected) {
        network->slots = reference_grow(network->slots, network->slot_count, &network->slot_room,
                                        sizeof *network->slots);
        network->slots[network->slot_count] = (slot){here, message->result, head->number, 0};
        input->absorbed = (int)network->slot_count++;
        input->output = INTO_SLOT;
        return false;
    }
    made->goes_on = true;
    made->result = message->result;
    made->number = head->number;
    if (branches->parent_port[here] == NONE)
        head->message = message->result;
    return true;
}

bool reference_absorb(reference *network, uint32_t here, uint32_t q) {
    queue *input = &network->router[here].queues[q];
    const phit read = reference_pop(input);
    network->slots[input->absorbed].read++;
    if (read.number + 1 < network->packets[read.packet].phits)
        return false;
    input->output = NONE;
    input->absorbed = NONE;
    return true;
}

bool reference_all_have_come(const reference *network, uint32_t here, const copying *copies,
                             uint32_t number) {
    for (uint32_t k = 0; copies->goes_on && k < network->slot_count; k++) {
        const slot *other = &network->slots[k];
        if (other->node == here && other->result == copies->result &&
            other->number == copies->number && other->read <= number)
            return false;
    }
    return true;
}
