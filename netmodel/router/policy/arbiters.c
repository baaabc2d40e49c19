/* Arbiters: random, round-robin, oldest, fifo, arrival, longest, and those of matching.c
 * (netmodel/MODEL.md, Grants). See install.h.
 *
 * fifo and longest are two of the arbiters of FSIN (Navaridas, Miguel-Alonso, Pascual and Ridruejo,
 * "Simulating and evaluating interconnection networks with INSEE", Simulation Modelling Practice
 * and Theory 19(1), 2011). */

#include "netmodel/router/policy/install.h"

static uint32_t first_at_or_after(const vef_contest *contest, uint32_t from) {
    for (uint32_t w = from / 64; w < contest->words; w++) {
        uint64_t bits = contest->asking[w];
        if (w == from / 64)
            bits &= ~UINT64_C(0) << (from % 64);
        if (bits != 0)
            return w * 64 + vef_bits_first(bits);
    }
    return UINT32_MAX;
}

static uint32_t choose_random(const vef_contest *contest) {
    if (contest->words == 1)
        return vef_bits_draw(contest->asking[0], contest->rng);
    uint32_t count = 0, w = 0;
    for (uint32_t i = 0; i < contest->words; i++)
        count += vef_bits_count(contest->asking[i]);
    uint32_t skip = count > 1 ? vef_rng_below(contest->rng, count) : 0;
    for (uint32_t here; skip >= (here = vef_bits_count(contest->asking[w])); w++)
        skip -= here;
    return w * 64 + vef_bits_nth(contest->asking[w], skip);
}

/* The first requesting input at or after `from`, cyclically. */
static uint32_t first_in_turn(const vef_contest *contest, uint32_t from) {
    const uint32_t input = first_at_or_after(contest, from);
    return input == UINT32_MAX ? first_at_or_after(contest, 0) : input;
}

/* Past the last input the search begins again at 0, so the pointer need not wrap itself. */
static uint32_t after(const vef_contest *contest, uint32_t input) {
    return input + 1 < contest->words * 64 ? input + 1 : 0;
}

static uint32_t choose_round_robin(const vef_contest *contest) {
    const uint32_t input = first_in_turn(contest, *contest->pointer);
    *contest->pointer = (uint16_t)after(contest, input);
    return input;
}

/* The least rank, of the lowest input among equals. */
static uint32_t choose_earliest(const vef_contest *contest) {
    uint32_t best = first_at_or_after(contest, 0);
    for (uint32_t i = best; i != UINT32_MAX;
         i = i + 1 < contest->words * 64 ? first_at_or_after(contest, i + 1) : UINT32_MAX)
        if (contest->ranks[i] < contest->ranks[best])
            best = i;
    return best;
}

/* The greatest rank, of the first in turn among equals. */
static uint32_t choose_longest(const vef_contest *contest) {
    const uint32_t first = first_in_turn(contest, *contest->pointer);
    uint32_t best = first, input = first;
    while ((input = first_in_turn(contest, after(contest, input))) != first)
        if (contest->ranks[input] > contest->ranks[best])
            best = input;
    *contest->pointer = (uint16_t)after(contest, best);
    return best;
}

static const vef_arbiter random_arbiter = {
    .uniform = true, .random_ties = true, .choose = choose_random};
static const vef_arbiter round_robin_arbiter = {.remembers = true, .choose = choose_round_robin};
static const vef_arbiter oldest_arbiter = {.rank = VEF_RANK_ENTRY, .choose = choose_earliest};
static const vef_arbiter fifo_arbiter = {.rank = VEF_RANK_FRONT, .choose = choose_earliest};
static const vef_arbiter arrival_arbiter = {.rank = VEF_RANK_ARRIVAL, .choose = choose_earliest};
static const vef_arbiter longest_arbiter = {
    .rank = VEF_RANK_PACKETS, .remembers = true, .choose = choose_longest};
static const vef_arbiter two_stage_arbiter = {.match = vef_match_two_stage};
static const vef_arbiter islip_arbiter = {.match = vef_match_islip};

static const vef_arbiter *const arbiters[] = {
#define ARBITER(id, name, aliases, summary) &id##_arbiter,
#include "netmodel/file/policies.def"
};

const vef_arbiter *vef_arbiter_of(const vef_policy_name *name) {
    return arbiters[name->number];
}

void vef_arbiters_install(vef_network *network) {
    const vef_arbiter *arbiter = vef_arbiter_of(network->settings.arbiter);
    network->policies.arbiter = *arbiter;
    network->policies.full.match = arbiter->match;
}
