/* Rings of several channels, in chunks and slices, as NCCL has them (Z. Hu et al., "Demystifying
 * NCCL: An In-depth Analysis of GPU Communication Protocols and Algorithms", arXiv 2507.04786,
 * 2025; src/device/all_reduce.h, all_gather.h, reduce_scatter.h, broadcast.h and reduce.h of NCCL;
 * p ranks, n bytes).
 *
 * Each of `degree` channels has an equal share of the data, and a ring of its own. It handles its
 * share in loops of one chunk for each rank (of a rooted call: of one chunk). In a loop a chunk
 * goes from rank to rank in slices: a rank passes one on while it receives the next, so that the
 * latency of a hop is hidden behind the slices under way.
 *   Allreduce            2(p-1) hops a loop, p-1 of which combine: 2n(p-1)/p bytes a rank
 *   Allgather            p-1 hops a loop: n(p-1)/p bytes a rank
 *   Reduce_scatter       the same, combining
 *   Bcast, Reduce        a chain from the root, or to it: p-1 hops, n bytes a rank
 * NCCL has two slices in a chunk with the protocol Simple, except in rooted calls, and one with LL
 * and LL128. A slice is at least a 64th of `segment_bytes`, the largest chunk.
 *
 * The ring of a channel follows the ranks; where nodes are known, those of one node after the
 * other, in channel c from the c-th rank of each node on, so that the channels leave a node from
 * different ranks. This order is an assumption: NCCL searches for one on the machine.
 *
 * In a plan the channels take turns: a slice starts when that of the channel before was sent, which
 * is at once, since messages of protocols are eager. NCCL's channels are independent. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

enum { SLICES_OF_LARGEST_CHUNK = 64 };

typedef struct rings {
    const vef_collective *call;
    vef_plan *plan;
    const vef_parts *blocks; /* of the ranks; NULL: one buffer */
    uint32_t channels, slices;
    uint32_t steps;    /* of a loop: the first only sends, the last only receives */
    uint32_t combines; /* what is received in a step before this one is combined */
    bool rooted;       /* one step, in which all but the ends of the chain receive and send */
    uint64_t element_bytes;
    uint64_t chunk, least_slice; /* elements: the most of a chunk, the least of a slice */
} rings;

/* What a rank does at a time. */
typedef struct turn {
    uint64_t loop;
    uint32_t step, slice, channel;
} turn;

typedef struct range {
    uint32_t piece;
    uint64_t begin, end; /* elements */
} range;

/* ---- order of ranks ---- */

static uint32_t rank_at(const rings *self, uint32_t channel, uint32_t place) {
    const vef_nodes *nodes = self->call->nodes;
    if (!nodes)
        return place;
    const uint32_t node = nodes->node_of[nodes->ranks[place]], first = nodes->first[node];
    return nodes->ranks[first + (place - first + channel) % vef_nodes_size(nodes, node)];
}

static uint32_t place_of(const rings *self, uint32_t channel, uint32_t rank) {
    const vef_nodes *nodes = self->call->nodes;
    if (!nodes)
        return rank;
    const uint32_t node = nodes->node_of[rank], size = vef_nodes_size(nodes, node);
    return nodes->first[node] + (nodes->place[rank] + size - channel % size) % size;
}

/* The rank that is `distance` < p further in the ring. */
static uint32_t rank_further(const rings *self, uint32_t channel, uint32_t distance) {
    const uint32_t place = place_of(self, channel, self->call->rank) + distance;
    return rank_at(self, channel, place % self->call->size);
}

/* ---- data ---- */

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t divide_up(uint64_t number, uint64_t by) {
    return number / by + (number % by != 0);
}

static uint64_t elements_of(const rings *self, uint32_t piece) {
    const uint64_t bytes =
        self->blocks ? vef_parts_bytes(self->blocks, piece, 1) : self->call->bytes;
    return bytes / self->element_bytes;
}

/* The chunks of a buffer in one loop. */
static uint32_t chunks_of_loop(const rings *self) {
    return self->blocks || self->rooted ? 1 : self->call->size;
}

/* What moves in that turn: of the block of a place in the ring. */
static range range_of(const rings *self, const turn *now) {
    const uint32_t size = self->call->size;
    uint32_t place = 0;
    if (!self->rooted) { /* reductions begin with the block of the one before */
        const uint32_t back = now->step + (self->combines ? 1 : 0);
        place = (place_of(self, now->channel, self->call->rank) + 2 * size - back % size) % size;
    }
    range result = {.piece = self->blocks ? rank_at(self, now->channel, place) : 0};
    const uint64_t elements = elements_of(self, result.piece), chunks = chunks_of_loop(self);
    const uint64_t end = elements / self->channels * (now->channel + 1) +
                         smaller(elements % self->channels, now->channel + 1);
    const uint64_t share = elements / self->channels + (now->channel < elements % self->channels);
    const uint64_t done = smaller(now->loop * chunks * self->chunk, share), left = share - done;
    const uint64_t chunk = smaller(divide_up(left, chunks), self->chunk);
    uint64_t slice = divide_up(chunk, self->slices);
    if (self->slices > 1 && slice < self->least_slice)
        slice = self->least_slice;
    const uint64_t skipped = chunks > 1 ? smaller(place * chunk, left) : 0;
    const uint64_t stop = smaller(skipped + chunk, left);
    result.begin = end - left + smaller(skipped + now->slice * slice, stop);
    result.end = end - left + smaller(skipped + (now->slice + 1) * slice, stop);
    return result;
}

static void add(const rings *self, vef_step_kind kind, uint32_t peer, const turn *now,
                uint32_t after) {
    const range part = range_of(self, now);
    const uint64_t begin = part.begin * self->element_bytes, end = part.end * self->element_bytes;
    if (begin == end)
        return;
    vef_add_step(self->plan, kind, peer, end - begin, after);
    vef_note_block(self->plan, part.piece, begin, end);
}

/* ---- the walk ---- */

/* Hops from the start of a rooted call to this rank. A reduction starts behind the root. */
static uint32_t hops(const rings *self, uint32_t channel) {
    const uint32_t root = place_of(self, channel, (uint32_t)self->call->root);
    const uint32_t start = root + (self->combines ? 1 : 0), size = self->call->size;
    return (place_of(self, channel, self->call->rank) + 2 * size - start) % size;
}

static bool receives(const rings *self, const turn *now) {
    return self->rooted ? hops(self, now->channel) > 0 : now->step > 0;
}

static bool sends(const rings *self, const turn *now) {
    return self->rooted ? hops(self, now->channel) + 1 < self->call->size
                        : now->step + 1 < self->steps;
}

/* Receives and combines what the turn is about while that of the turn before is sent. */
static void take_turn(const rings *self, const turn *before, const turn *now) {
    const uint32_t after = vef_now(self->plan);
    const uint32_t left = now ? rank_further(self, now->channel, self->call->size - 1) : 0;
    const bool takes = now && receives(self, now);
    if (takes)
        add(self, VEF_STEP_RECEIVE, left, now, after);
    if (before && sends(self, before))
        add(self, VEF_STEP_SEND, rank_further(self, before->channel, 1), before, after);
    if (takes && now->step < self->combines)
        add(self, VEF_STEP_REDUCE, left, now, vef_now(self->plan));
}

static void walk(rings *self) {
    const uint64_t most_bytes = self->plan->tuning.segment_bytes;
    const uint64_t longest =
        (self->blocks ? vef_parts_most_bytes(self->blocks) : self->call->bytes) /
        self->element_bytes;
    if (self->call->size == 1 || longest == 0)
        return;
    self->channels = self->plan->tuning.degree;
    vef_use_protocol(self->plan);
    self->slices = self->rooted || self->plan->tuning.protocol != VEF_PROTOCOL_SIMPLE ? 1 : 2;
    const uint64_t share = divide_up(longest, self->channels), chunks = chunks_of_loop(self);
    self->chunk = most_bytes > self->element_bytes ? most_bytes / self->element_bytes : 1;
    self->least_slice = self->chunk / SLICES_OF_LARGEST_CHUNK;
    self->chunk = smaller(self->chunk, longest);
    const uint64_t loops = divide_up(share, chunks * self->chunk);
    turn before = {0}, now = {0};
    bool first = true;
    for (now.loop = 0; now.loop < loops; now.loop++)
        for (now.step = 0; now.step < self->steps; now.step++)
            for (now.slice = 0; now.slice < self->slices; now.slice++)
                for (now.channel = 0; now.channel < self->channels; now.channel++) {
                    take_turn(self, first ? NULL : &before, &now);
                    before = now;
                    first = false;
                }
    take_turn(self, &before, NULL);
}

/* ---- collectives ---- */

void vef_allreduce_channel_rings(const vef_collective *call, vef_plan *plan) {
    rings self = {.call = call, .plan = plan, .steps = 2 * call->size - 1, .combines = call->size};
    self.element_bytes = vef_element_bytes(call, call->bytes);
    walk(&self);
}

void vef_allgather_channel_rings(const vef_collective *call, vef_plan *plan) {
    const vef_parts blocks = vef_allgather_parts(call, plan);
    rings self = {.call = call, .plan = plan, .blocks = &blocks, .steps = call->size};
    self.element_bytes = 1;
    walk(&self);
}

void vef_reduce_scatter_channel_rings(const vef_collective *call, vef_plan *plan) {
    vef_parts blocks;
    if (!vef_reduce_scatter_blocks(call, plan, &blocks))
        return;
    rings self = {.call = call, .plan = plan, .blocks = &blocks, .steps = call->size};
    self.combines = call->size;
    self.element_bytes = vef_element_bytes(
        call, call->receive_bytes ? vef_parts_bytes(&blocks, 0, call->size) : call->bytes);
    walk(&self);
}

void vef_bcast_channel_rings(const vef_collective *call, vef_plan *plan) {
    rings self = {.call = call, .plan = plan, .steps = 1, .rooted = true};
    self.element_bytes = vef_element_bytes(call, call->bytes);
    walk(&self);
}

void vef_reduce_channel_rings(const vef_collective *call, vef_plan *plan) {
    rings self = {.call = call, .plan = plan, .steps = 1, .rooted = true, .combines = 1};
    self.element_bytes = vef_element_bytes(call, call->bytes);
    walk(&self);
}
