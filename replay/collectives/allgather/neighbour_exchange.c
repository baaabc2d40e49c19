/* Allgather and Allgatherv: neighbour exchange (J. Chen, L. Zhang, Y. Zhang, W. Yuan, "Performance
 * evaluation of allgather algorithms on terascale Linux cluster with Fast Ethernet", HPC Asia
 * 2005).
 *
 * An even number of ranks exchange with their left and right neighbours in turn: first their own
 * block, then the two that they received last: p/2 rounds, half of a ring's, n(p-1)/p bytes. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

void vef_allgather_neighbour_exchange(const vef_collective *call, vef_plan *plan) {
    const uint32_t size = call->size, rank = call->rank;
    const vef_parts parts = vef_allgather_parts(call, plan);
    if (vef_parts_bytes(&parts, 0, size) == 0)
        return;
    const bool even = rank % 2 == 0;
    const uint32_t pair = rank / 2, pairs = size / 2;
    const uint32_t right = vef_rank_ahead(call, 1), left = vef_rank_behind(call, 1);
    const uint32_t partner = even ? right : left; /* of the first and every other round */
    vef_exchange(plan, &parts, partner, rank, 1, partner, partner, 1);
    for (uint32_t round = 1, held = pair; round < pairs; round++) {
        const uint32_t peer = round % 2 == 0 ? partner : even ? left : right;
        /* Pairs of blocks arrive from ever further away, from both sides in turn. */
        const uint32_t distance = (round + 1) / 2;
        const bool from_below = even == (round % 2 == 1);
        const uint32_t taken = (pair + (from_below ? pairs - distance : distance)) % pairs;
        vef_exchange(plan, &parts, peer, 2 * held, 2, peer, 2 * taken, 2);
        held = taken;
    }
}
