/* PAT, parallel aggregated trees (S. Jeaugey, "PAT: a new algorithm for all-gather and
 * reduce-scatter operations at scale", arXiv 2506.20252, 2025; src/include/collectives.h of NCCL; p
 * ranks, n bytes of all blocks together).
 *
 * Allgather: the data of each rank go down a binomial tree of its own, the farthest first: at
 * distance 2^k, from the greatest below p to 1, rank r receives from r + 2^k the blocks of r + s
 * for all odd multiples s of 2^k below p. Other than in Bruck's algorithm little data go far, and
 * no block moves in memory. Reduce_scatter: the same backwards, combining, the nearest first.
 *
 * Blocks are aggregated in messages of at most `segment_bytes`, NCCL's buffer: ceil(log2 p)
 * messages while n/2 fits into one; otherwise the messages of one distance follow each other.
 * Longer blocks are cut, and all distances are done for one piece of every block after the other.
 * n(p-1)/p bytes a rank. NCCL aggregates powers of two of blocks, and takes the messages of short
 * distances in an order that needs less memory. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

typedef struct pat {
    const vef_collective *call;
    vef_plan *plan;
    const vef_parts *blocks;
    uint64_t piece_bytes; /* of a block, at most, in each message */
    uint64_t begin_bytes; /* in every block, now */
    uint32_t together;    /* blocks in a message, at most */
} pat;

/* What moves now of the block of the rank so much further. */
typedef struct piece {
    uint32_t number;
    uint64_t bytes;
} piece;

static piece piece_of(const pat *self, uint64_t further) {
    const uint32_t number = (uint32_t)((self->call->rank + further) % self->call->size);
    const uint64_t whole_bytes = vef_parts_bytes(self->blocks, number, 1);
    const uint64_t left = self->begin_bytes < whole_bytes ? whole_bytes - self->begin_bytes : 0;
    return (piece){number, left < self->piece_bytes ? left : self->piece_bytes};
}

/* A message with the blocks of the ranks `first`, `first` + 2 `distance`, … further. */
static void add(const pat *self, vef_step_kind kind, uint32_t peer, uint32_t first,
                uint32_t distance, uint32_t count, uint32_t after) {
    uint64_t total_bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        total_bytes += piece_of(self, first + 2 * (uint64_t)distance * i).bytes;
    if (total_bytes == 0)
        return;
    vef_add_step(self->plan, kind, peer, total_bytes, after);
    for (uint32_t i = 0; i < count && self->plan->note_blocks; i++) {
        const piece one = piece_of(self, first + 2 * (uint64_t)distance * i);
        vef_note_block(self->plan, one.number, self->begin_bytes, self->begin_bytes + one.bytes);
    }
}

/* All messages at a distance. Of an allgather data come from further ahead; of a reduction they go
 * there. */
static void exchange(const pat *self, uint32_t distance, bool reduces) {
    const uint32_t size = self->call->size;
    const uint32_t ahead = vef_rank_ahead(self->call, distance);
    const uint32_t behind = vef_rank_behind(self->call, distance);
    const uint32_t blocks = (size - 1 - distance) / distance / 2 + 1;
    for (uint32_t done = 0, count; done < blocks; done += count) {
        const uint32_t odd = distance + 2 * distance * done, even = odd - distance;
        count = self->together < blocks - done ? self->together : blocks - done;
        const uint32_t now = vef_now(self->plan);
        add(self, VEF_STEP_RECEIVE, reduces ? behind : ahead, reduces ? even : odd, distance, count,
            now);
        add(self, VEF_STEP_SEND, reduces ? ahead : behind, reduces ? odd : even, distance, count,
            now);
        if (reduces)
            add(self, VEF_STEP_REDUCE, behind, even, distance, count, vef_now(self->plan));
    }
}

static void go(const vef_collective *call, vef_plan *plan, const vef_parts *blocks,
               uint64_t element_bytes, bool reduces) {
    pat self = {.call = call, .plan = plan, .blocks = blocks};
    const uint64_t longest = vef_parts_most_bytes(blocks);
    if (call->size == 1 || longest == 0)
        return;
    vef_use_protocol(plan);
    const uint64_t most = plan->tuning.segment_bytes - plan->tuning.segment_bytes % element_bytes;
    self.piece_bytes = most == 0 ? element_bytes : most < longest ? most : longest;
    const uint64_t fit = most / self.piece_bytes;
    self.together = fit == 0 ? 1 : fit < call->size ? (uint32_t)fit : call->size;
    const uint32_t farthest = vef_power_below(call->size - 1);
    for (; self.begin_bytes < longest; self.begin_bytes += self.piece_bytes)
        for (uint32_t near = 1; near <= farthest; near *= 2)
            exchange(&self, reduces ? near : farthest / near, reduces);
}

void vef_allgather_pat(const vef_collective *call, vef_plan *plan) {
    const vef_parts blocks = vef_allgather_parts(call, plan);
    go(call, plan, &blocks, 1, false);
}

void vef_reduce_scatter_pat(const vef_collective *call, vef_plan *plan) {
    vef_parts blocks;
    if (!vef_reduce_scatter_blocks(call, plan, &blocks))
        return;
    const uint64_t whole_bytes =
        call->receive_bytes ? vef_parts_bytes(&blocks, 0, blocks.count) : call->bytes;
    go(call, plan, &blocks, vef_element_bytes(call, whole_bytes), true);
}
