/* Reduce_scatter and Reduce_scatter_block (Thakur, Rabenseifner, Gropp 2005, section 4.2; p ranks,
 * n bytes in all).
 *
 * recursive-halving, for operations that commute: the farthest first: log2 p rounds, n(p-1)/p
 * bytes. Where p is no power of two, even ranks of the first pairs are folded onto the odd ones,
 * which work for both and hand the block over in the end: a round of n and one of n/p more.
 * pairwise, likewise: p-1 rounds of one block.
 * butterfly, for p a power of two and equal blocks: J. L. Träff, "An Improved Algorithm for
 * (Non-commutative) Reduce-Scatter with an Application", EuroPVM/MPI 2005: halving with the nearest
 * first, which keeps operands in order, on blocks in bit-reversed order: log2 p rounds, n(p-1)/p.
 * butterfly-mirrored, the same in Open MPI (coll_base_reduce_scatter.c, intra_butterfly) for any p
 * and blocks: folded as above, on blocks in their own order, which a last exchange with the rank of
 * reversed bits puts into place.
 * recursive-doubling, for everything else: in round k everything but the 2^k blocks of the own
 * group: n (log2 p - (p-1)/p) bytes. Where p is no power of two, ranks without a partner get what
 * others have received, passed on inside their group before it is combined. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

static bool with_vector(const vef_collective *call) {
    return vef_call_has(call->call, VEF_FACT_RECEIVES_EACH);
}

bool vef_reduce_scatter_blocks(const vef_collective *call, vef_plan *plan, vef_parts *parts) {
    *parts = with_vector(call) ? vef_parts_vector(call->size, call->receive_bytes, plan)
                               : vef_parts_pieces(call->size, call->bytes, 0);
    return vef_parts_bytes(parts, 0, parts->count) != 0;
}

/* The blocks of the ranks that numbers [first, first + count) of the fold represent. */
static void add_numbers(vef_plan *plan, vef_step_kind kind, uint32_t peer, const vef_parts *parts,
                        const vef_fold *fold, uint32_t first, uint32_t count, uint32_t after) {
    uint32_t begin = vef_fold_first(fold, first), end = vef_fold_first(fold, first + count);
    if (vef_parts_bytes(parts, begin, end - begin))
        vef_add_parts(plan, kind, peer, parts, begin, end - begin, after);
}

static void add_block(vef_plan *plan, vef_step_kind kind, uint32_t peer, const vef_parts *parts,
                      uint32_t block, uint32_t after) {
    if (vef_parts_bytes(parts, block, 1))
        vef_add_parts(plan, kind, peer, parts, block, 1, after);
}

/* Keeps half of its blocks, combined, again and again: the farthest partner first, or the `nearest`
 * first, which leaves number n with the blocks of the number with n's bits reversed. */
static void halve(vef_plan *plan, const vef_fold *fold, const vef_parts *parts, bool nearest) {
    uint32_t first = 0, distance = 1;
    for (uint32_t half = fold->power / 2; half; half /= 2, distance *= 2) {
        const uint32_t bit = nearest ? distance : half, now = vef_now(plan);
        const uint32_t peer = vef_fold_rank(fold, fold->place ^ bit);
        const uint32_t kept = fold->place & bit ? first + half : first;
        add_numbers(plan, VEF_STEP_RECEIVE, peer, parts, fold, kept, half, now);
        add_numbers(plan, VEF_STEP_SEND, peer, parts, fold, kept ^ half, half, now);
        add_numbers(plan, VEF_STEP_REDUCE, peer, parts, fold, kept, half, vef_now(plan));
        first = kept;
    }
}

/* Sends its block to the rank that was folded away; MPICH skips an empty one. */
static void hand_over(vef_plan *plan, const vef_collective *call, const vef_fold *fold,
                      const vef_parts *parts) {
    uint32_t block = call->rank & ~1u;
    if (fold->pair && vef_parts_bytes(parts, block, 1))
        vef_fold_out(plan, fold, parts, block, 1);
}

void vef_reduce_scatter_halving(const vef_collective *call, vef_plan *plan) {
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    vef_fold fold = vef_fold_of(call, false);
    vef_fold_in(plan, &fold, &parts);
    if (fold.stays)
        halve(plan, &fold, &parts, false);
    hand_over(plan, call, &fold, &parts);
}

void vef_reduce_scatter_pairwise(const vef_collective *call, vef_plan *plan) {
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    for (uint32_t i = 1; i < call->size; i++) {
        const uint32_t to = vef_rank_ahead(call, i), from = vef_rank_behind(call, i);
        const uint32_t now = vef_now(plan);
        vef_add_parts(plan, VEF_STEP_RECEIVE, from, &parts, call->rank, 1, now);
        vef_add_parts(plan, VEF_STEP_SEND, to, &parts, to, 1, now);
        vef_add_parts(plan, VEF_STEP_REDUCE, from, &parts, call->rank, 1, vef_now(plan));
    }
}

void vef_reduce_scatter_butterfly(const vef_collective *call, vef_plan *plan) {
    uint64_t each = with_vector(call) ? call->receive_bytes[0] : call->bytes;
    if (each == 0)
        return;
    vef_parts parts = vef_parts_pieces(call->size, each, 0);
    while (1u << parts.mirror_bits < call->size)
        parts.mirror_bits++;
    vef_fold fold = vef_fold_of(call, false);
    vef_halving(plan, &fold, &parts);
}

void vef_reduce_scatter_mirrored(const vef_collective *call, vef_plan *plan) {
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    const vef_fold fold = vef_fold_of(call, false);
    uint32_t bits = 0;
    while (1u << bits < fold.power)
        bits++;
    vef_fold_in(plan, &fold, &parts);
    if (fold.stays)
        halve(plan, &fold, &parts, true);
    /* Number n holds the blocks of the number with n's bits reversed, whichever way round. */
    const uint32_t number = fold.stays ? fold.place : call->rank / 2;
    const uint32_t other = vef_mirrored(number, bits), peer = vef_fold_rank(&fold, other);
    const uint32_t theirs = vef_fold_first(&fold, other);
    const bool two = vef_fold_first(&fold, other + 1) - theirs == 2;
    if (fold.stays && two)
        add_block(plan, VEF_STEP_SEND, peer - 1, &parts, theirs, vef_now(plan));
    const uint32_t now = vef_now(plan);
    if (!fold.stays || other != number)
        add_block(plan, VEF_STEP_RECEIVE, peer, &parts, call->rank, now);
    if (fold.stays && other != number)
        add_block(plan, VEF_STEP_SEND, peer, &parts, theirs + two, now);
}

/* The blocks of ranks first … first + count - 1, as far as they exist, are not part of it. */
static void add_all_but(vef_plan *plan, vef_step_kind kind, uint32_t peer, const vef_parts *parts,
                        uint32_t first, uint32_t count, uint32_t after) {
    const uint32_t left = parts->count - first, gap = count < left ? count : left;
    vef_add_parts(plan, kind, peer, parts, (first + gap) % parts->count, parts->count - gap, after);
}

/* Where the group of `held` ranks opposite this one is incomplete, some of this group have no
 * partner: those that have received pass it on. Returns the peer from which this rank gets it, or
 * `from` if it has received. */
static uint32_t pass_on(const vef_collective *call, vef_plan *plan, const vef_parts *parts,
                        uint32_t held, uint32_t theirs, uint32_t from) {
    const uint32_t complete = call->size - theirs;
    for (uint32_t bit = held / 2; bit; bit /= 2) {
        const uint32_t peer = call->rank ^ bit;
        const uint32_t end = (call->rank & ~(2 * bit - 1)) + complete;
        if (peer > call->rank && call->rank < end && peer >= end)
            add_all_but(plan, VEF_STEP_SEND, peer, parts, theirs, held, vef_now(plan));
        if (peer < call->rank && peer < end && call->rank >= end) {
            add_all_but(plan, VEF_STEP_RECEIVE, peer, parts, theirs, held, vef_now(plan));
            from = peer;
        }
    }
    return from;
}

void vef_reduce_scatter_doubling(const vef_collective *call, vef_plan *plan) {
    const bool note_blocks = plan->note_blocks;
    vef_parts parts;
    if (!vef_reduce_scatter_blocks(call, plan, &parts))
        return;
    plan->note_blocks &= vef_is_power(call->size); /* what is passed on is not the own result */
    for (uint32_t held = 1; held < call->size; held *= 2) {
        const uint32_t peer = call->rank ^ held, now = vef_now(plan);
        const uint32_t mine = call->rank & ~(held - 1), theirs = mine ^ held;
        uint32_t from = VEF_NO_NEIGHBOUR;
        if (peer < call->size) {
            add_all_but(plan, VEF_STEP_RECEIVE, peer, &parts, theirs, held, now);
            add_all_but(plan, VEF_STEP_SEND, peer, &parts, mine, held, now);
            from = peer;
        }
        if (theirs < call->size && theirs + held > call->size)
            from = pass_on(call, plan, &parts, held, theirs, from);
        if (from != VEF_NO_NEIGHBOUR)
            add_all_but(plan, VEF_STEP_REDUCE, from, &parts, theirs, held, vef_now(plan));
    }
    plan->note_blocks = note_blocks;
}
