/* Common functions of the algorithms in this folder: adding steps to a plan, dividing data into
 * parts, and shared patterns (binomial trees, rings, Bruck's concatenation, recursive doubling and
 * halving).
 *
 * Unless said otherwise a pattern is a chain of blocking calls, as in MPICH: each exchange starts
 * when everything before it in the plan is complete. */
#ifndef VEF_REPLAY_COLLECTIVES_PATTERNS_H
#define VEF_REPLAY_COLLECTIVES_PATTERNS_H

#include "replay/collectives/plan.h"

/* Steps. `after` is a count of steps, as in vef_step; vef_now returns the one for "after everything
 * so far". Blocks recorded next belong to the step added last. */
static inline uint32_t vef_now(const vef_plan *plan) {
    return (uint32_t)plan->count;
}
void vef_add_step(vef_plan *plan, vef_step_kind kind, uint32_t peer, uint64_t bytes,
                  uint32_t after);
void vef_note_block(vef_plan *plan, uint32_t piece, uint64_t begin_bytes, uint64_t end_bytes);
/* For algorithms that would wait for ever without eager messages: Simple unless a protocol is
 * chosen. */
static inline void vef_use_protocol(vef_plan *plan) {
    if (plan->tuning.protocol == VEF_PROTOCOL_MPI)
        plan->tuning.protocol = VEF_PROTOCOL_SIMPLE;
}
/* Scratch of `count` numbers, valid until the plan is made again. */
uint64_t *vef_plan_scratch(vef_plan *plan, size_t count);

/* The data of a collective as parts 0 … count-1, divided in one of four ways:
 *   each part a piece of `each` bytes;
 *   each part a piece of its own size (`offsets`: count + 1 prefix sums);
 *   one buffer (piece 0) in parts of ceil(total / count) bytes, the last ones shorter or empty;
 *   one buffer in parts of whole elements, the first ones one longer.
 * A whole buffer that is never cut is the third with a count of one. */
typedef enum vef_parts_kind {
    VEF_PARTS_PIECES,
    VEF_PARTS_VECTOR,
    VEF_PARTS_CEILING,
    VEF_PARTS_ELEMENTS
} vef_parts_kind;

typedef struct vef_parts {
    vef_parts_kind cut;
    uint32_t count;
    uint32_t shift;       /* VEF_PARTS_PIECES: part i is piece (i + shift) mod count */
    uint32_t mirror_bits; /* unless 0: part i is piece i with its lowest bits, so many, reversed */
    uint64_t each;        /* bytes: of a piece, of a ceiling part, of an element */
    uint64_t total_bytes; /* of the one buffer */
    uint64_t elements;    /* of the one buffer */
    const uint64_t *offsets; /* VEF_PARTS_VECTOR */
} vef_parts;

vef_parts vef_parts_pieces(uint32_t count, uint64_t each_bytes, uint32_t shift);
/* The prefix sums are made in the plan's scratch. */
vef_parts vef_parts_vector(uint32_t count, const uint64_t *bytes, vef_plan *plan);
vef_parts vef_parts_ceiling(uint32_t count, uint64_t total_bytes);
vef_parts vef_parts_elements(uint32_t count, uint64_t total_bytes, uint64_t elements);
vef_parts vef_parts_whole(uint64_t total_bytes);
/* The buffer of a call in segments of at most so many bytes, of whole elements where the call has
 * elements, and of at least one. */
vef_parts vef_parts_segments(const vef_collective *call, uint64_t segment_bytes);

/* Bytes of parts first … first+count-1, taken around the end. */
uint64_t vef_parts_bytes(const vef_parts *parts, uint32_t first, uint32_t count);
/* Of the longest part. */
uint64_t vef_parts_most_bytes(const vef_parts *parts);
/* Bytes of an element of a call whose data have so many; 1 where they have no whole elements. */
uint64_t vef_element_bytes(const vef_collective *call, uint64_t bytes);
/* A step that carries or reduces those parts. */
void vef_add_parts(vef_plan *plan, vef_step_kind kind, uint32_t peer, const vef_parts *parts,
                   uint32_t first, uint32_t count, uint32_t after);

/* Turns the blocks that steps from `first_step` on recorded of one buffer, piece 0, into those of
 * the pieces that the buffer consists of. */
void vef_note_as_pieces(vef_plan *plan, uint32_t first_step, const vef_parts *parts);

/* A number with its lowest bits, so many of them, in reverse order. */
uint32_t vef_mirrored(uint32_t number, uint32_t bits);

/* The ranks of a communicator counted from a root: `place` is this rank's place, 0 the root's. */
typedef struct vef_circle {
    uint32_t size, place, root;
} vef_circle;
vef_circle vef_circle_from(const vef_collective *call, uint32_t root);
static inline uint32_t vef_circle_rank(const vef_circle *circle, uint32_t place) {
    uint32_t rank = place + circle->root;
    return rank < circle->size ? rank : rank - circle->size;
}

/* The communicator folded to a power of two (Rabenseifner 2004): the first `extra` pairs of
 * neighbours count as one; of each pair the odd rank remains (or the even one, `keep_even`). */
typedef struct vef_fold {
    uint32_t size, power, extra;
    bool keep_even;
    bool pair, stays; /* this rank: is in a pair; participates */
    uint32_t place;   /* its number among the participants, if it participates */
    uint32_t partner; /* the other of its pair */
} vef_fold;
vef_fold vef_fold_of(const vef_collective *call, bool keep_even);
uint32_t vef_fold_rank(const vef_fold *fold, uint32_t number); /* back to a rank */
/* The first of the ranks that `number` represents: [first(n), first(n + 1)). */
uint32_t vef_fold_first(const vef_fold *fold, uint32_t number);

uint32_t vef_power_below(uint32_t size); /* greatest power of two <= size; size >= 1 */
bool vef_is_power(uint32_t size);
/* The number of places in the binomial subtree of `place` if no place were missing: its lowest set
 * bit; for place 0 the least power of two >= size. */
uint32_t vef_tree_span(uint32_t place, uint32_t size);

/* Binomial tree, from the root: every place gets parts [place, place + its subtree). With
 * `whole`, all parts instead: a broadcast. Messages without bytes are left out. */
void vef_tree_down(vef_plan *plan, const vef_circle *circle, const vef_parts *parts, bool whole);
/* The same to the root; with `reduce`, of the whole buffer, combined on the way. */
void vef_tree_up(vef_plan *plan, const vef_circle *circle, const vef_parts *parts, bool reduce);

/* A receive and a send of such parts, at the same time, after everything so far. */
void vef_exchange(vef_plan *plan, const vef_parts *parts, uint32_t to, uint32_t send_first,
                  uint32_t send_count, uint32_t from, uint32_t receive_first,
                  uint32_t receive_count);

/* The blocks of one turn of a ring of ranks, in which each of p blocks moves on p-1 times, to the
 * right. */
typedef struct vef_ring_blocks {
    uint32_t held;           /* the block that this rank has at first */
    uint32_t parts_of_block; /* every block has so many */
    uint32_t first, count;   /* of the parts of a block: those that move */
    bool reduces;            /* what is received is combined with the own data */
} vef_ring_blocks;
void vef_ring_turn(vef_plan *plan, const vef_circle *circle, const vef_parts *parts,
                   vef_ring_blocks blocks);
/* Every place starts with its own part and ends with all. */
void vef_ring(vef_plan *plan, const vef_circle *circle, const vef_parts *parts);
void vef_bruck(vef_plan *plan, const vef_circle *circle, const vef_parts *parts);
void vef_doubling(vef_plan *plan, const vef_circle *circle, const vef_parts *parts); /* 2^k only */

/* Combines the buffers of each pair of the fold on the remaining rank; and sends the result, or its
 * part [first, first + count), to the other. */
void vef_fold_in(vef_plan *plan, const vef_fold *fold, const vef_parts *parts);
void vef_fold_out(vef_plan *plan, const vef_fold *fold, const vef_parts *parts, uint32_t first,
                  uint32_t count);

/* Recursive halving, the nearest first: with partners at distance 1, 2, 4, … each keeps half of its
 * data, combined; preserves the order of operands. Returns the remaining part, one of fold->power.
 * For participants. */
uint32_t vef_halving(vef_plan *plan, const vef_fold *fold, const vef_parts *parts);
/* The reverse: from the part that vef_halving returned to all parts on all participants. */
void vef_halving_back(vef_plan *plan, const vef_fold *fold, const vef_parts *parts, uint32_t part);

/* Ranks at distance 1, 2, 4, … exchange and combine their whole buffers. */
void vef_doubling_reduce(vef_plan *plan, const vef_fold *fold, const vef_parts *parts);

/* The rank that is `distance` < p further, and the one that is so much before. */
uint32_t vef_rank_ahead(const vef_collective *call, uint32_t distance);
uint32_t vef_rank_behind(const vef_collective *call, uint32_t distance);

/* A step with the block between this rank and a peer, of Alltoall and its variants; of a block of
 * no bytes only with `empty`. */
void vef_add_pair(const vef_collective *call, vef_plan *plan, vef_step_kind kind, uint32_t peer,
                  bool empty, uint32_t after);

/* The bytes of each rank's block, if the call has a vector of them; NULL: all have `call->bytes`.
 * For collectives with a block per rank. */
const uint64_t *vef_blocks_of(const vef_collective *call);
/* The bytes of all these blocks. */
uint64_t vef_all_blocks_bytes(const vef_collective *call);

/* Whether all ranks of a call know from their own counts that no data moves; MPICH then returns at
 * once. */
bool vef_moves_nothing(const vef_collective *call);

/* A collective as a phase of another, after everything so far, with the algorithm that is chosen
 * for it. */
void vef_add_noted(vef_plan *plan, const vef_collective *call);
/* The same for creations, without its blocks: `bytes` of each rank, as `elements` of a reduction.
 */
void vef_add_phase(vef_plan *plan, const vef_collective *call, uint16_t kind, uint64_t bytes,
                   uint64_t elements);

/* Of a gather or scatter between two groups: the bytes of all blocks. */
uint64_t vef_between_rooted_bytes(const vef_collective *call);

/* Part r is the block of rank r, of Allgather and Allgatherv; of the latter in the plan's scratch.
 */
vef_parts vef_allgather_parts(const vef_collective *call, vef_plan *plan);
/* The same of Reduce_scatter, in the plan's scratch, and Reduce_scatter_block; false when all are
 * empty. */
bool vef_reduce_scatter_blocks(const vef_collective *call, vef_plan *plan, vef_parts *parts);

#endif
