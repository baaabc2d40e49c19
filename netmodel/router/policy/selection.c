/* Which of its candidates a packet requests (netmodel/MODEL.md, step 3) where the choice is not
 * that of core/choice.h: credits are counted, queues of default lengths differ, ties are not drawn,
 * or the routing asks for another selection. */
#include "netmodel/router/policy/install.h"

/* Whether ties are drawn; else the first is taken. */
static bool draws(const vef_network *network) {
    return network->routing->random_selection || network->policies.arbiter.random_ties;
}

/* Places that a candidate needs for a packet of `takes` places: each beyond the first is one of the
 * largest size. */
static inline uint32_t places_needed(const vef_network *network, vef_candidate candidate,
                                     uint32_t places) {
    return places + (candidate.slots_needed - 1u) * network->shape.largest_places;
}

/* The maximum preference value that a patient packet may request: the least with enough places;
 * unlimited for others. */
static uint32_t most_preference(const vef_network *network, vef_router *state,
                                const vef_offer *offer, uint32_t places) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; network->routing->patient && i < offer->count; i++) {
        const vef_candidate candidate = offer->candidates[i];
        const uint32_t link = candidate.port * network->shape.channels + candidate.channel;
        if (vef_credits(network, state, link) >= places_needed(network, candidate, places) &&
            candidate.preference < least)
            least = candidate.preference;
    }
    return least;
}

static uint32_t select_listed(const vef_network *network, uint64_t now_cycles, vef_router *state,
                              const vef_offer *offer, uint32_t places) {
    const vef_router_output *outputs = vef_outputs_of(network, state);
    uint16_t equals[VEF_MAX_CANDIDATES];
    const uint16_t *lead = vef_credit_lead_of(network, state);
    const bool random_selection = network->routing->random_selection;
    uint32_t count = 0, best_credits = 0;
    uint32_t best_preference = most_preference(network, state, offer, places);
    for (uint32_t i = 0; i < offer->count; i++) {
        vef_candidate candidate = offer->candidates[i];
        uint32_t link = candidate.port * network->shape.channels + candidate.channel;
        uint32_t have = vef_credits(network, state, link);
        uint32_t needed = places_needed(network, candidate, places);
        if (have < needed || candidate.preference > best_preference ||
            outputs[candidate.port].until_cycles > now_cycles)
            continue;
        have = random_selection ? 0 : have + (lead ? lead[link] : 0u);
        if (candidate.preference < best_preference || have > best_credits) {
            best_preference = candidate.preference;
            best_credits = have;
            count = 0;
        }
        if (have == best_credits)
            equals[count++] = (uint16_t)i;
    }
    if (count == 0)
        return VEF_NONE;
    const bool draw = count > 1 && draws(network);
    uint32_t which = draw ? vef_rng_below(&state->rng, count) : 0;
    vef_candidate chosen = offer->candidates[equals[which]];
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
    const uint64_t most = links & state->at_least[VEF_CREDIT_LEVELS - 1];
    if (most != 0)
        return network->shape.counted ? compare_credits(network, state, most) : most;
    /* Each level is a subset of the one below; no branches, which would be mispredicted. */
    for (uint32_t level = 1; level < VEF_CREDIT_LEVELS - 1; level++) {
        const uint64_t rich = links & state->at_least[level];
        links = rich != 0 ? rich : links;
    }
    return links;
}

static uint32_t select_exit(const vef_network *network, vef_router *state, uint64_t exits) {
    if (!network->routing->random_selection)
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
        network->routing->random_selection)
        network->policies.select = select_exit;
}
