/* Plans: what a collective call means for one task, as point-to-point steps.
 *
 * A replay sees collectives only as plans, whatever the algorithm: for one rank, a list of sends,
 * receives and reductions. Algorithms are rows of vef_algorithms (table.c), each in the file of its
 * collective. A plan is made for each call; plans of all ranks of a communicator fit together: the
 * n-th message of a plan from rank a to rank b is the n-th that b's plan receives from a, and has
 * as many bytes. A plan never sends to its own rank: that is a copy, which costs no message. A call
 * that moves no data (a count of zero) has an empty plan, as in MPICH; a message of zero bytes
 * inside a plan is a message all the same. */
#ifndef VEF_REPLAY_COLLECTIVES_PLAN_H
#define VEF_REPLAY_COLLECTIVES_PLAN_H

#include "common/status.h"
#include "traces/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One collective call as one rank sees it; byte counts as traces/FORMAT.md defines them per call.
 *
 * Between two groups (`remote_size` is not 0) rank and size are those of the caller's own group,
 * and the root is VEF_ROOT_HERE, VEF_ROOT_BESIDE or a rank of the other group. The peers of its
 * plan are numbered over both groups, the communicator's first group first, whoever calls. */
typedef struct vef_collective {
    uint16_t call; /* vef_call: VEF_CALL_Bcast, … or a communicator's or window's creation; never a
                      call that has another base (vef_call_base) */
    uint32_t rank, size;
    uint32_t remote_size; /* of the other group; 0: there is none */
    bool second_group; /* the caller's group is the communicator's second, its `remote_members` */
    int32_t root;      /* -1 without */
    uint64_t bytes, elements;
    bool commutative;
    bool hardware_broadcast;           /* the network carries messages to all */
    const struct vef_choices *choices; /* which algorithms the user chose; NULL: none (choices.h) */
    /* Vector variants: `size` numbers; between two groups one for each of the other group (only
     * Reduce_scatter: of the own); on neighbours one for each out and in. Else NULL. */
    const uint64_t *send_bytes, *receive_bytes;
    /* Collectives on neighbours: those of the caller, VEF_NO_NEIGHBOUR where a grid ends. */
    const vef_neighbours *neighbours;
    bool grid; /* they are those of a grid: what one sends down comes from above */
} vef_collective;

#define VEF_NO_NEIGHBOUR UINT32_MAX

/* BROADCAST: one message to every other rank, each of which receives it as its first from this one;
 * the peer is the rank itself. No other message of the plan goes from this rank to another. */
typedef enum vef_step_kind {
    VEF_STEP_SEND,
    VEF_STEP_RECEIVE,
    VEF_STEP_REDUCE,
    VEF_STEP_BROADCAST
} vef_step_kind;

typedef struct vef_step {
    vef_step_kind kind;
    uint32_t peer;  /* rank; of a REDUCE: whose message, the latest one received, is combined */
    uint64_t bytes; /* carried, or reduced */
    uint32_t after; /* may start once the first `after` steps of the plan are complete; at most its
                       own index. Never falls from one step to the next. */
    /* What of the collective's data it carries, for the test that runs data through plans (see
     * vef_plan_block): blocks[first_block] … of the plan, `block_count` of them. What a receive
     * brings waits aside when a REDUCE step combines it; otherwise it replaces what was there. A
     * send and its receive name the same blocks in the same order. */
    uint32_t first_block, block_count;
} vef_step;

/* Bytes [begin, end) of one piece of a collective's data. The pieces:
 *   Bcast, Reduce, Allreduce       0: the buffer
 *   Scan, Exscan                   0: the running total, 1: the result so far (a REDUCE combines
 *                                  what was received of piece 0 into either; one of zero bytes with
 *                                  a block is a copy into the still empty result)
 *   Gather(v), Scatter(v), Allgather(v), Reduce_scatter(_block)
 *                                  r: the block that comes from, or is for, rank r
 *   Alltoall(v,w)                  s * size + d: the block from rank s for rank d
 *   Neighbor_…                     s * size + d: all that rank s sends to rank d, in its order
 * Between two groups, where ranks are counted over both:
 *   Alltoall(v,w)                  s * (size + remote_size) + d
 *   all others                     0: what the first group gives, as one buffer in order of ranks
 *                                  (reductions: in order of who gets it); 1: the same of the second
 * Barriers carry nothing, and creations of communicators and windows note nothing. */
typedef struct vef_plan_block {
    uint32_t piece;
    uint64_t begin_bytes, end_bytes;
} vef_plan_block;

/* A plan under construction or in use; grows, and keeps its memory when it is cleared. */
typedef struct vef_plan {
    vef_step *steps;
    size_t count, capacity;
    vef_plan_block *blocks; /* noted only when `note_blocks` is set */
    size_t blocks_used, blocks_capacity;
    bool note_blocks;
    bool out_of_memory; /* remembered, told by vef_plan_make */
    uint64_t *scratch;  /* for algorithms that need room of the communicator's size */
    size_t scratch_capacity;
} vef_plan; /* zero-initialised is empty and ready */

void vef_plan_release(vef_plan *plan);

/* What an algorithm may need of a call; choices.c says when it holds. */
typedef enum vef_need {
    VEF_NEEDS_POWER_OF_TWO = 1, /* of ranks */
    VEF_NEEDS_COMMUTATIVE = 2,  /* operation */
    VEF_NEEDS_ELEMENTS = 4, /* as many as the greatest power of two of ranks: the buffer is cut */
    VEF_NEEDS_EQUAL_BLOCKS = 8,
    VEF_NEEDS_HARDWARE = 16, /* a network that carries messages to all */
} vef_need;

typedef struct vef_algorithm {
    uint16_t call;       /* the collective that it carries out */
    const char *name;    /* "recursive-doubling" */
    const char *summary; /* one line, with the source and the number of rounds and bytes */
    unsigned needs;      /* vef_need: what a call must be like, together; 0: it takes any */
    void (*emit)(const vef_collective *call, vef_plan *plan);
    bool between; /* for communicators of two groups; the others are for those of one */
} vef_algorithm;

extern const vef_algorithm vef_algorithms[]; /* ended by a row whose name is NULL */

/* The row that a call takes by `call->choices` (choices.h). Every rank of a call gets the same row.
 * NULL when the call is no collective. */
const vef_algorithm *vef_algorithm_choose(const vef_collective *call);

/* Clears `plan` and fills it with the steps of this rank. `call->rank` is below `call->size`, a
 * root is a rank, and a vector variant has the vectors that its rank knows (else VEF_INVALID). */
vef_code vef_plan_make(const vef_algorithm *algorithm, const vef_collective *call, vef_plan *plan,
                       vef_error *error);

/* The neighbours of a rank in a grid: for each dimension the rank below, then the rank above, 2 x
 * `dimensions` numbers into `list`; VEF_NO_NEIGHBOUR beyond the end of one that is not periodic.
 * Ranks count with the last dimension running fastest (MPI 4.0, section 8.2). */
void vef_grid_neighbours(const vef_communicator *communicator, uint32_t rank, uint32_t *list);

#endif
