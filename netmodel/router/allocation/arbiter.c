/* Arbiters: random, round-robin, oldest, fifo, longest, and the rows of matching.c
 * (netmodel/MODEL.md, Grants). See arbiter.h.
 *
 * fifo and longest are two of the arbiters of FSIN (Navaridas, Miguel-Alonso, Pascual and Ridruejo,
 * "Simulating and evaluating interconnection networks with INSEE", Simulation Modelling Practice
 * and Theory 19(1), 2011). */
#include "netmodel/router/allocation/arbiter.h"

#include "netmodel/router/allocation/bits.h"

#include <stddef.h>
#include <string.h>

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
        return vef_bits_several(contest->asking[0])
                   ? vef_bits_draw(contest->asking[0], contest->rng)
                   : vef_bits_first(contest->asking[0]);
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
    .name = "random",
    .summary = "uniform random choice among the requests",
    .uniform = true,
    .random_ties = true,
    .choose = choose_random,
};

static const vef_arbiter round_robin_arbiter = {
    .name = "round-robin",
    .aliases = "rr",
    .summary = "round-robin: the next after the one granted last",
    .remembers = true,
    .choose = choose_round_robin,
};

static const vef_arbiter oldest_arbiter = {
    .name = "oldest",
    .aliases = "age age-based oldest-first",
    .summary = "the packet that entered the network first",
    .rank = VEF_RANK_ENTRY,
    .choose = choose_earliest,
};

static const vef_arbiter fifo_arbiter = {
    .name = "fifo",
    .aliases = "fcfs first-come-first-served",
    .summary = "the packet that has been at the front of its queue for the longest time",
    .rank = VEF_RANK_FRONT,
    .choose = choose_earliest,
};

static const vef_arbiter longest_arbiter = {
    .name = "longest",
    .aliases = "longest-queue longest-queue-first lqf",
    .summary = "the queue with the most packets, round-robin among equals",
    .rank = VEF_RANK_PACKETS,
    .remembers = true,
    .choose = choose_longest,
};

static const vef_arbiter two_stage_arbiter = {
    .name = "two-stage",
    .summary =
        "round-robin among the queues of an input port, then among input ports; one packet "
        "of an input port moves at a time",
    .match = vef_match_two_stage,
};

static const vef_arbiter islip_arbiter = {
    .name = "islip",
    .summary =
        "iSLIP: request, grant, accept between input ports and outputs; one packet of an "
        "input port moves at a time",
    .match = vef_match_islip,
};

/* clang-format off */
const vef_arbiter *const vef_arbiters[] = {
    &random_arbiter,
    &round_robin_arbiter,
    &oldest_arbiter,
    &fifo_arbiter,
    &longest_arbiter,
    &two_stage_arbiter,
    &islip_arbiter,
    NULL,
};
/* clang-format on */

const vef_arbiter *vef_arbiter_find(const char *name) {
    for (size_t i = 0; vef_arbiters[i]; i++)
        if (strcmp(vef_arbiters[i]->name, name) == 0)
            return vef_arbiters[i];
    return NULL;
}
