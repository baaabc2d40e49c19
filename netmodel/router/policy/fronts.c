/* Packets at the front of queues that choose by the state of queues (netmodel/MODEL.md): their
 * route at the source (Choice at the source), or one of their candidates at each hop (Choice at
 * each hop; if they weigh them in every cycle, selection.c chooses). Packets see how many places
 * are taken by those that wait for a port: each counts from the moment when it is bound for the
 * port to its grant. Also the times since which packets may request, which the arbiter `fifo`
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
    if (fresh && network->queues.waiting)
        vef_count_waiting(network, router, queue->offer, vef_packet_at(network, queue->head), 1);
    if (fresh && network->policies.arbiter.rank == VEF_RANK_FRONT)
        vef_fronts_of(network, state)[input] = part->now_cycles;
}

static void attend(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                   uint32_t input, uint32_t hint) {
    if (must_choose(network, router, &vef_queues_of(network, state)[input], input))
        vef_awake_add(&part->choosing, router);
    else
        begin_front(network, part, router, state, input, hint);
}

static void leave(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                  uint32_t input) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    if (network->queues.waiting)
        vef_count_waiting(network, router, queue->offer, vef_packet_at(network, queue->head), -1);
    /* Packets that wait for a busy port may now find another of less cost. */
    if (state->watchful && network->routing->patient &&
        network->routing->selection == VEF_SELECT_COST)
        vef_partition_wake(part, router);
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

/* ---- at each hop ---- */

static void commit(vef_network *network, const vef_partition *part, uint32_t router,
                   vef_router *state, uint32_t input) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    if (!vef_offer_is_open(network, queue->offer))
        return;
    const vef_routing *routing = network->routing;
    const vef_packet *packet = vef_packet_at(network, queue->head);
    const uint32_t store = vef_store_of(network, input);
    const vef_place place = {router, network->links.in_port[store],
                             network->links.in_channel[store]};
    const vef_view view = vef_network_view(network, router);
    vef_candidate *listed = vef_offer_at(network, vef_scratch_offer(network, part))->candidates;
    const uint32_t count = vef_network_list(network, router, store, packet, listed);
    uint64_t least = UINT64_MAX;
    uint32_t equals = 0; /* the first so many of `listed` are of least cost */
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cost =
            routing->algorithm->weigh(routing, &packet->route, place, listed[i], &view);
        if (cost < least)
            equals = 0;
        if (cost <= least) {
            least = cost;
            listed[equals++] = listed[i];
        }
    }
    vef_offer *offer = vef_offer_at(network, queue->offer);
    offer->candidates[0] = listed[equals > 1 ? vef_rng_below(&state->rng, equals) : 0];
    vef_network_set_offer(network, offer, 1);
    vef_count_waiting(network, router, queue->offer, packet, 1);
}

vef_code vef_fronts_install(vef_network *network, vef_error *error) {
    /* A packet that commits to a candidate waits for none before it requests. */
    static const vef_front_policy fronts = {attend, leave, choose, chosen},
                                  committing = {NULL, leave, choose, chosen};
    const bool timed = network->policies.arbiter.rank == VEF_RANK_FRONT;
    const vef_routing_algorithm *algorithm = network->routing->algorithm;
    const bool voq = network->settings.virtual_output_queues;
    const bool anew = network->routing->selection == VEF_SELECT_COST;
    network->policies.commits = network->routing->selection == VEF_SELECT_ONCE;
    const bool weighs = anew || network->policies.commits;
    network->policies.chooses = algorithm->choice && !network->policies.join && !voq;
    if (network->policies.commits && voq)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.virtual_output_queues: not supported with routing %s, whose "
                        "packets choose a port when they are at the front of a queue",
                        algorithm->name);
    if (network->policies.commits)
        network->policies.full.commit = commit;
    if (weighs || network->policies.chooses)
        network->queues.waiting = vef_arena_alloc(
            &network->arena, (uint64_t)network->topology->routers * network->shape.ports,
            sizeof *network->queues.waiting);
    if (weighs || algorithm->choice)
        vef_network_keep_places(network);
    if (network->policies.chooses || anew || timed)
        network->policies.moving.fronts = &fronts;
    else if (network->policies.commits)
        network->policies.moving.fronts = &committing;
    return VEF_OK;
}
