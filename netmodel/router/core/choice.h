/* Which of its candidates a packet requests (netmodel/MODEL.md, step 3): of the least preference
 * value among the eligible ones, that with the most credits; ties are drawn, or resolved to the
 * first; with random selection any of them. Where sets of exits describe the candidates, the choice
 * is made inline by a few operations on these sets. */
#ifndef VEF_NETMODEL_ROUTER_CORE_CHOICE_H
#define VEF_NETMODEL_ROUTER_CORE_CHOICE_H

#include "netmodel/router/core/network.h"

/* The wanted exits that are `free` for a packet now. */
static inline uint64_t vef_eligible_of(vef_wants wanted, vef_wants free) {
    return (wanted.one & free.one) | (wanted.two & free.two);
}

/* Exits whose port is free, with one place or two. */
static inline vef_wants vef_free_exits(const vef_router *state) {
    return (vef_wants){state->open & state->at_least[0], state->open & state->at_least[1]};
}

/* Those of some exits with the most credits, as far as they are not counted. */
static inline uint64_t vef_richest(const vef_router *state, uint64_t exits) {
    /* Each level is a subset of the one below; no branches, which would be mispredicted. */
    for (uint32_t level = 1; level < VEF_CREDIT_LEVELS; level++) {
        const uint64_t rich = exits & state->at_least[level];
        exits = rich != 0 ? rich : exits;
    }
    return exits;
}

/* The same as policies.select_listed for an offer that is wants_complete: an exit of the router.
 * For other offers VEF_NONE. */
static inline __attribute__((always_inline)) uint32_t vef_choose_wanted(const vef_network *network,
                                                                        vef_router *state,
                                                                        const vef_offer *offer,
                                                                        vef_wants free) {
    uint64_t eligible = vef_eligible_of(offer->first, free);
    if (eligible == 0) {
        /* The remaining set has the last preference value. */
        eligible = vef_eligible_of(offer->any, free);
        if (eligible == 0)
            return VEF_NONE;
        const uint64_t second = vef_eligible_of(offer->second, free);
        eligible = second ? second : eligible;
    }
    if (!vef_bits_several(eligible))
        return vef_bits_first(eligible);
    if (VEF_RARELY(network->policies.select != NULL))
        return network->policies.select(network, state, eligible);
    eligible = vef_richest(state, eligible);
    return vef_bits_draw(eligible, &state->rng);
}

#endif
