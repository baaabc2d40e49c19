/* Which of its candidates a packet requests (netmodel/MODEL.md, step 3) where the choice is not
 * that of core/choice.h: credits are counted, queues of default lengths differ, ties are not drawn,
 * or the routing asks for another selection. */
#include "netmodel/router/core/choice.h"
#include "netmodel/router/policy/install.h"

/* Whether ties are drawn; else the first is taken. */
static bool draws(const vef_network *network) {
    return network->routing->selection == VEF_SELECT_ANY || network->policies.arbiter.random_ties;
}

/* The greater, the rather a packet takes a candidate that has room and a free port. */
static inline uint32_t appeal_of(const vef_network *network, vef_router *state, uint32_t link) {
    const uint16_t *lead = vef_credit_lead_of(network, state);
    return network->routing->selection == VEF_SELECT_ANY
               ? 0
               : vef_credits(network, state, link) + (lead ? lead[link] : 0u);
}

/* To a patient packet a candidate whose port is busy hides those of higher preference values. */
static uint32_t select_listed(const vef_network *network, uint64_t now_cycles, vef_router *state,
                              const vef_offer *offer, uint32_t places) {
    const vef_router_output *outputs = vef_outputs_of(network, state);
    const bool patient = network->routing->patient;
    uint16_t equals[VEF_MAX_CANDIDATES];
    uint32_t count = 0, least_preference = UINT32_MAX, most_appeal = 0;
    for (uint32_t i = 0; i < offer->count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * network->shape.channels + candidate.channel;
        const bool busy = outputs[candidate.port].until_cycles > now_cycles;
        if (candidate.preference > least_preference || (busy && !patient) ||
            vef_credits(network, state, link) < vef_places_needed(network, candidate, places))
            continue;
        const uint32_t appeal = busy ? 0 : appeal_of(network, state, link);
        if (candidate.preference < least_preference || appeal > most_appeal) {
            least_preference = candidate.preference;
            most_appeal = appeal;
            count = 0;
        }
        if (appeal == most_appeal && !busy)
            equals[count++] = (uint16_t)i;
    }
    if (count == 0)
        return VEF_NONE;
    const bool draw = count > 1 && draws(network);
    const uint32_t which = draw ? vef_rng_below(&state->rng, count) : 0;
    const vef_candidate chosen = offer->candidates[equals[which]];
    return chosen.port * network->shape.channels + chosen.channel;
}

/* Those of `links` with the most credits; credits must be counted. */
static uint64_t compare_credits(const vef_network *network, vef_router *state, uint64_t links) {
    const uint16_t *lead = vef_credit_lead_of(network, state);
    const uint16_t *credits = vef_credits_of(network, state);
    uint64_t best = 0;
    uint32_t most = 0;
    for (uint64_t left = links; left != 0; left &= left - 1) {
        const uint32_t link = vef_bits_first(left);
        const uint32_t have = credits[link] + (lead ? lead[link] : 0u);
        if (have > most) {
            most = have;
            best = 0;
        }
        if (have == most)
            best |= left & -left;
    }
    return best;
}

/* Those of `links` with the most credits. */
static inline uint64_t with_most_credits(const vef_network *network, vef_router *state,
                                         uint64_t links) {
    if (network->queues.credit_lead)
        return compare_credits(network, state, links);
    links = vef_richest(state, links);
    const bool many = (links & state->at_least[VEF_CREDIT_LEVELS - 1]) != 0;
    return many && network->shape.counted ? compare_credits(network, state, links) : links;
}

static uint32_t select_exit(const vef_network *network, vef_router *state, uint64_t exits) {
    if (network->routing->selection != VEF_SELECT_ANY)
        exits = with_most_credits(network, state, exits);
    if (vef_bits_several(exits) && draws(network))
        return vef_bits_draw(exits, &state->rng);
    return vef_bits_first(exits);
}

void vef_selection_install(vef_network *network) {
    if (vef_buffers_differ_by_default(&network->queues.buffers))
        network->queues.credit_lead = vef_arena_alloc(
            &network->arena, (uint64_t)network->topology->routers * network->shape.links,
            sizeof *network->queues.credit_lead);
    network->policies.select_listed = select_listed;
    if (network->shape.counted || network->queues.credit_lead || !draws(network) ||
        network->routing->selection == VEF_SELECT_ANY)
        network->policies.select = select_exit;
}
