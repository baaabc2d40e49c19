/* Arbiters: random, round-robin, oldest, and the rows of matching.c (netmodel/MODEL.md, Grants).
 * See arbiter.h. */
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

static uint32_t choose_round_robin(const vef_contest *contest) {
    uint32_t input = first_at_or_after(contest, *contest->pointer);
    if (input == UINT32_MAX)
        input = first_at_or_after(contest, 0);
    /* Past the last input the search begins again at 0, so the pointer need not wrap itself. */
    uint32_t next = input + 1;
    *contest->pointer = (uint16_t)(next < contest->words * 64 ? next : 0);
    return input;
}

static uint32_t choose_oldest(const vef_contest *contest) {
    uint32_t best = first_at_or_after(contest, 0);
    for (uint32_t i = best; i != UINT32_MAX;
         i = i + 1 < contest->words * 64 ? first_at_or_after(contest, i + 1) : UINT32_MAX)
        if (contest->entered[i] < contest->entered[best])
            best = i;
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
    .by_age = true,
    .choose = choose_oldest,
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
