/* Packets at the front of queues that choose by the state of queues (netmodel/MODEL.md): their
 * route at the source (Choice at the source), or one of their candidates at each hop (weighing.c).
 * Packets count what waits for a port, so what waits is counted from the moment of the choice to
 * the grant. Also the times since which packets may request, which the arbiter `fifo`
 * compares. */
#include "netmodel/router/core/fronts.h"
#include "netmodel/router/policy/install.h"
#include "netmodel/routing/view.h"

/* Whether a packet that has come to the front of an input has still to choose its route. */
static bool must_choose(const vef_network *network, uint32_t router, const vef_queue *queue,
                        uint32_t input) {
    if (!network->policies.chooses || input < network->shape.transit_inputs ||
        queue->offer != VEF_NONE)
        return false;
    const vef_packet *packet = vef_packet_at(network, queue->head);
    return packet->router != router && packet->router != VEF_NONE;
}

static void begin_front(vef_network *network, vef_partition *part, uint32_t router,
                        vef_router *state, uint32_t input, uint32_t hint) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    const bool fresh = queue->offer == VEF_NONE;
    if (network->policies.fast)
        vef_front_begin(network, part, router, state, input, hint, true);
    else
        vef_front_begin(network, part, router, state, input, hint, false);
    if (fresh && network->queues.waiting && !network->queues.bound)
        vef_count_waiting(network, router, queue->offer, vef_packet_at(network, queue->head), 1);
    if (fresh && network->policies.arbiter.rank == VEF_RANK_FRONT)
        vef_fronts_of(network, state)[input] = part->now_cycles;
}

static void attend(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                   uint32_t input, uint32_t hint) {
    if (must_choose(network, router, &vef_queues_of(network, state)[input], input))
        vef_awake_add(&part->choosing, router, true);
    else
        begin_front(network, part, router, state, input, hint);
}

static void leave(vef_network *network, uint32_t router, vef_router *state, uint32_t input) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    if (network->queues.bound)
        vef_front_unbind(network, router, state, input);
    else if (network->queues.waiting)
        vef_count_waiting(network, router, queue->offer, vef_packet_at(network, queue->head), -1);
}

/* ---- at the source ---- */

/* Calls `visit` for the inputs of the listed routers whose front packets have just come there and
 * choose their routes. */
static void each_chooser(vef_network *network, vef_partition *part,
                         void (*visit)(vef_network *network, vef_partition *part, uint32_t router,
                                       uint32_t input)) {
    for (uint32_t i = 0; i < part->up.count; i++) {
        const uint32_t router = part->up.items[i], words = network->shape.input_words;
        vef_router *state = vef_router_at(network, router);
        const uint64_t *filled = vef_filled_of(state), *reading = vef_reading_of(state, words);
        for (uint32_t word = network->shape.transit_inputs / 64; word < words; word++)
            for (uint64_t left = filled[word] & ~reading[word]; left != 0; left &= left - 1) {
                const uint32_t input = word * 64 + vef_bits_first(left);
                const vef_queue *queue = &vef_queues_of(network, state)[input];
                if (must_choose(network, router, queue, input))
                    visit(network, part, router, input);
            }
    }
}

static void choose_route(vef_network *network, vef_partition *part, uint32_t router,
                         uint32_t input) {
    (void)part;
    const vef_queue *queue = &vef_queues_of(network, vef_router_at(network, router))[input];
    vef_packet *packet = vef_packet_at(network, queue->head);
    const vef_message *message = &network->pools.messages[packet->message];
    vef_route route;
    vef_network_draw_route(network, &network->queues.endpoints[message->source], message,
                           packet->router, &route);
    vef_network_set_route(network, packet, &route);
}

static void choose(vef_network *network, vef_partition *part) {
    if (!network->policies.chooses)
        return;
    vef_partition_list(part, &part->choosing);
    each_chooser(network, part, choose_route);
}

static void begin_chosen(vef_network *network, vef_partition *part, uint32_t router,
                         uint32_t input) {
    begin_front(network, part, router, vef_router_at(network, router), input, VEF_NONE);
}

static void chosen(vef_network *network, vef_partition *part) {
    if (network->policies.chooses)
        each_chooser(network, part, begin_chosen);
}

vef_code vef_fronts_install(vef_network *network, vef_error *error) {
    /* A packet that weighs its candidates is bound for no port before it requests. */
    static const vef_front_policy fronts = {attend, leave, choose, chosen},
                                  weighing = {NULL, leave, choose, chosen};
    const bool timed = network->policies.arbiter.rank == VEF_RANK_FRONT;
    const vef_routing_algorithm *algorithm = network->routing->algorithm;
    network->policies.chooses =
        algorithm->choice && !network->policies.join && !network->settings.virtual_output_queues;
    bool weighs = false;
    const vef_code code = vef_weighing_install(network, &weighs, error);
    if (weighs || network->policies.chooses)
        network->queues.waiting = vef_arena_alloc(
            &network->arena, (uint64_t)network->topology->routers * network->shape.ports,
            sizeof *network->queues.waiting);
    if (weighs || algorithm->choice)
        vef_network_keep_places(network);
    if (network->policies.chooses || timed)
        network->policies.moving.fronts = &fronts;
    else if (weighs)
        network->policies.moving.fronts = &weighing;
    return code;
}
