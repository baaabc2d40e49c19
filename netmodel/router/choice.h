/* Which of its candidates a packet requests (netmodel/MODEL.md, step 3): of the least preference
 * value among the eligible ones, that with the most credits; ties are drawn, or resolved to the
 * first; with random selection any of them. Where sets of exits describe the candidates, the choice
 * is made inline by a few operations on these sets. */
#ifndef VEF_NETMODEL_ROUTER_CHOICE_H
#define VEF_NETMODEL_ROUTER_CHOICE_H

#include "netmodel/router/network.h"

/* The link that a packet of `places` places requests; VEF_NONE: no candidate is eligible. */
uint32_t vef_choose_candidate(const vef_network *network, vef_router *state, const vef_offer *offer,
                              uint32_t places);

/* Those of `links` with the most credits; credits must be counted. */
uint64_t vef_with_most_credits(const vef_network *network, vef_router *state, uint64_t links);

/* The wanted exits that are `free` for a packet now. */
static inline uint64_t vef_eligible_of(vef_wants wanted, vef_wants free) {
    return (wanted.one & free.one) | (wanted.two & free.two);
}

/* Those of `links` with the most credits. */
static inline uint64_t vef_richest_of(const vef_network *network, vef_router *state,
                                      uint64_t links) {
    if (network->credit_lead)
        return vef_with_most_credits(network, state, links);
    uint64_t rich = links & state->at_least[VEF_CREDIT_LEVELS - 1];
    if (rich != 0)
        return network->counted ? vef_with_most_credits(network, state, rich) : rich;
    for (uint32_t level = VEF_CREDIT_LEVELS - 2; level > 0; level--) {
        rich = links & state->at_least[level];
        if (rich != 0)
            return rich;
    }
    return links;
}

/* The same as vef_choose_candidate for an offer that is wants_complete: an exit of the router. */
static inline uint32_t vef_choose_wanted(const vef_network *network, vef_router *state,
                                         const vef_offer *offer, vef_wants free) {
    uint64_t eligible = vef_eligible_of(offer->first, free);
    if (eligible == 0) {
        /* The remaining set has the last preference value. */
        eligible = vef_eligible_of(offer->any, free);
        if (eligible == 0)
            return VEF_NONE;
        const uint64_t second = vef_eligible_of(offer->second, free);
        eligible = second ? second : eligible;
    }
    if (vef_bits_several(eligible)) {
        if (!network->random_selection)
            eligible = vef_richest_of(network, state, eligible);
        if (vef_bits_several(eligible) && network->draws)
            return vef_bits_draw(eligible, &state->rng);
    }
    return vef_bits_first(eligible);
}

#endif
