/* Packets that choose among their candidates at each hop by cost (netmodel/MODEL.md, Choice at each
 * hop): once in each queue, or anew whenever they can request. Costs depend on what waits for each
 * port, which is counted from a choice to the next one, or to the grant. */
#include "netmodel/router/core/fronts.h"
#include "netmodel/router/policy/install.h"
#include "netmodel/routing/view.h"

#include <assert.h>
#include <string.h>

static vef_place place_of(const vef_network *network, uint32_t router, uint32_t input) {
    const uint32_t store = vef_store_of(network, input);
    return (vef_place){router, network->links.in_port[store], network->links.in_channel[store]};
}

/* ---- once in each queue ---- */

static void commit(vef_network *network, const vef_partition *part, uint32_t router,
                   vef_router *state, uint32_t input) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    if (!vef_offer_is_open(network, queue->offer))
        return;
    const vef_routing *routing = network->routing;
    const vef_packet *packet = vef_packet_at(network, queue->head);
    const vef_place place = place_of(network, router, input);
    const vef_view view = vef_network_view(network, router);
    vef_candidate *listed = vef_offer_at(network, vef_scratch_offer(network, part))->candidates;
    const uint32_t count =
        vef_network_list(network, router, vef_store_of(network, input), packet, listed);
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

/* ---- anew ---- */

/* What a candidate lacks: room in the queue, a free port, or nothing. */
typedef enum chance { NO_ROOM, BUSY, ELIGIBLE } chance;

/* Changes what waits for the port of the front packet's choice. */
static void count_bound(vef_network *network, uint32_t router, vef_router *state, uint32_t input,
                        uint16_t port, int sign) {
    const vef_packet *packet = vef_packet_at(network, vef_queues_of(network, state)[input].head);
    network->queues.waiting[(size_t)router * network->shape.ports + port] +=
        (uint32_t)sign * vef_places_of(network, packet->phits);
}

void vef_front_unbind(vef_network *network, uint32_t router, vef_router *state, uint32_t input) {
    uint16_t *bound = &network->queues.bound[(size_t)router * network->shape.inputs + input];
    if (*bound != VEF_PORTS)
        count_bound(network, router, state, input, *bound, -1);
    *bound = VEF_PORTS;
}

static void bind_front(vef_network *network, uint32_t router, vef_router *state, uint32_t input,
                       uint16_t port) {
    network->queues.bound[(size_t)router * network->shape.inputs + input] = port;
    count_bound(network, router, state, input, port, 1);
}

/* Sets the chance of each candidate of a packet of so many places; returns the best. */
static chance find_chances(const vef_network *network, const vef_partition *part, vef_router *state,
                           const vef_offer *offer, uint32_t places, uint8_t *chances) {
    const vef_router_output *outputs = vef_outputs_of(network, state);
    chance best = NO_ROOM;
    for (uint32_t i = 0; i < offer->count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * network->shape.channels + candidate.channel;
        const bool room =
            vef_credits(network, state, link) >= vef_places_needed(network, candidate, places);
        const bool busy = outputs[candidate.port].until_cycles > part->now_cycles;
        const chance its = !room ? NO_ROOM : busy ? BUSY : ELIGIBLE;
        chances[i] = (uint8_t)its;
        best = its > best ? its : best;
    }
    return best;
}

/* The choice among the candidates with at least such a chance: of the least preference value, of
 * these of the least cost, of these an eligible one if there is one; ties are drawn. */
static uint32_t choose(const vef_network *network, uint32_t router, vef_router *state,
                       uint32_t input, const uint8_t *chances, chance least) {
    const vef_routing *routing = network->routing;
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    const vef_packet *packet = vef_packet_at(network, queue->head);
    const vef_place place = place_of(network, router, input);
    const vef_view view = vef_network_view(network, router);
    uint16_t equals[VEF_MAX_CANDIDATES];
    uint32_t count = 0, best_preference = UINT32_MAX;
    uint64_t best_cost = UINT64_MAX;
    bool best_eligible = false;
    for (uint32_t i = 0; i < offer->count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        if (chances[i] < (uint8_t)least || candidate.preference > best_preference)
            continue;
        const uint64_t cost =
            routing->algorithm->weigh(routing, &packet->route, place, candidate, &view);
        const bool eligible = chances[i] == ELIGIBLE,
                   lower = candidate.preference < best_preference;
        if (!lower && (cost > best_cost || (cost == best_cost && best_eligible && !eligible)))
            continue;
        if (lower || cost < best_cost || (eligible && !best_eligible))
            count = 0;
        best_preference = candidate.preference;
        best_cost = cost;
        best_eligible = eligible;
        equals[count++] = (uint16_t)i;
    }
    return equals[count > 1 ? vef_rng_below(&state->rng, count) : 0];
}

static uint32_t ask(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                    uint32_t input) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    const vef_offer *offer = vef_offer_at(network, queue->offer);
    const bool undecided = vef_front_is_undecided(network, router, input, queue->offer);
    if (!undecided && offer->wants_complete &&
        vef_eligible_of(offer->any, vef_free_exits(state)) == 0)
        return VEF_NONE;
    uint8_t chances[VEF_MAX_CANDIDATES];
    const uint32_t places = vef_places_of(network, vef_packet_at(network, queue->head)->phits);
    const chance best = find_chances(network, part, state, offer, places, chances);
    if (!undecided && best != ELIGIBLE)
        return VEF_NONE;
    vef_front_unbind(network, router, state, input);
    const chance least = network->routing->patient && best == ELIGIBLE ? BUSY : best;
    const uint32_t chosen = choose(network, router, state, input, chances, least);
    const vef_candidate candidate = offer->candidates[chosen];
    bind_front(network, router, state, input, candidate.port);
    if (chances[chosen] == ELIGIBLE)
        return candidate.port * network->shape.channels + candidate.channel;
    if (best == ELIGIBLE) /* it chooses anew in the next cycle */
        vef_partition_wake(part, router, true);
    return VEF_NONE;
}

vef_code vef_weighing_install(vef_network *network, bool *weighs, vef_error *error) {
    const vef_routing *routing = network->routing;
    const uint64_t inputs = (uint64_t)network->topology->routers * network->shape.inputs;
    network->policies.commits = routing->selection == VEF_SELECT_ONCE;
    *weighs = network->policies.commits || routing->selection == VEF_SELECT_COST;
    assert(!*weighs || routing->algorithm->weigh);
    if (network->policies.commits && network->settings.virtual_output_queues)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.virtual_output_queues: not supported with routing %s, whose "
                        "packets choose a port when they are at the front of a queue",
                        routing->algorithm->name);
    if (network->policies.commits)
        network->policies.full.commit = commit;
    if (routing->selection != VEF_SELECT_COST)
        return VEF_OK;
    network->policies.full.ask = ask;
    network->queues.bound = vef_arena_alloc(&network->arena, inputs, sizeof *network->queues.bound);
    memset(network->queues.bound, 0xff, inputs * sizeof *network->queues.bound);
    return VEF_OK;
}
