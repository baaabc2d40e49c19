/* Plans: a collective call of one task as point-to-point steps.
 *
 * A replay sees collectives only as plans, whatever the algorithm: for one rank, a list of sends,
 * receives and reductions. Algorithms are rows of algorithms.def. A plan is made for each call; the
 * plans of all ranks of a communicator are consistent: the n-th message of a plan from rank a to
 * rank b is the n-th that b's plan receives from a, and has as many bytes. A plan never sends to
 * its own rank: that is a copy, which costs no message. A call that moves no data (a count of zero)
 * has an empty plan, as in MPICH; a message of zero bytes inside a plan is still a message. */
#ifndef VEF_REPLAY_COLLECTIVES_PLAN_H
#define VEF_REPLAY_COLLECTIVES_PLAN_H

#include "common/status.h"
#include "traces/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One collective call in the view of one rank; traces/FORMAT.md defines the byte counts per call.
 *
 * On intercommunicators (`remote_size` is not 0) rank and size are those of the caller's own group,
 * and the root is VEF_ROOT_HERE, VEF_ROOT_BESIDE or a rank of the other group. The peers of its
 * plan are numbered over both groups, the communicator's first group first, in the plans of both
 * groups. */
typedef struct vef_collective {
    uint16_t call; /* vef_call: VEF_CALL_Bcast, … or a creation of a communicator or window; always
                      a vef_call_base */
    uint32_t rank, size;
    uint32_t remote_size; /* of the other group; 0: none */
    bool second_group; /* the caller's group is the communicator's second, its `remote_members` */
    int32_t root;      /* -1 without */
    uint64_t bytes, elements;
    bool commutative;
    bool in_place;                 /* every rank, or the root, passes MPI_IN_PLACE */
    bool nonblocking;              /* or persistent: libraries choose differently then */
    bool hardware_broadcast;       /* the network supports broadcast */
    uint64_t reduction_bytes;      /* that it reduces at a time among these ranks; 0: it does not */
    const struct vef_nodes *nodes; /* of an intracommunicator; NULL: unknown, or one rank on each */
    const struct vef_choices
        *choices; /* the user's choices of algorithms; NULL: none (choices.h) */
    /* Vector variants: `size` numbers; on intercommunicators one per rank of the other group (only
     * Reduce_scatter: of the own); in neighbourhood collectives one per destination and source.
     * Else NULL. */
    const uint64_t *send_bytes, *receive_bytes;
    /* Neighbourhood collectives: the caller's neighbours, VEF_NO_NEIGHBOUR beyond the end of a
     * grid. */
    const vef_neighbours *neighbours;
    bool grid; /* they are those of a grid: data sent downwards arrives from above */
    /* Creations of communicators and windows: the size of the communicator that this rank becomes a
     * member of, 0 for none; its new rank; and all members as ranks of this call, NULL: the same.
     */
    uint32_t made_size, made_rank;
    const uint32_t *made_ranks;
} vef_collective;

#define VEF_NO_NEIGHBOUR UINT32_MAX

/* BROADCAST: one message to every other rank, which receives it as its first from this one; the
 * peer is the rank itself. The plan has no other message from this rank.
 * COMBINE: a contribution to a reduction in the network, the n-th of all ranks together. The peer,
 * or with VEF_EVERY_RANK each, receives the result as its n-th message from itself. All
 * contributions of a plan have the same peer. */
#define VEF_EVERY_RANK UINT32_MAX
typedef enum __attribute__((packed)) vef_step_kind {
    VEF_STEP_SEND,
    VEF_STEP_RECEIVE,
    VEF_STEP_REDUCE,
    VEF_STEP_BROADCAST,
    VEF_STEP_COMBINE
} vef_step_kind;

typedef struct vef_step {
    uint64_t bytes; /* transferred, or reduced */
    uint32_t peer;  /* rank; of a REDUCE: whose message, the latest one received, is combined */
    uint32_t after; /* may start once the first `after` steps of the plan are complete; at most its
                       own index. Non-decreasing over the steps. */
    uint32_t nth;   /* the number of the message among those of the plan from its sender to its
                       receiver; set by vef_plan_number */
    vef_step_kind kind;
    bool eager; /* sent at once, whatever its size: into memory that the receiver has offered */
    union {
        /* The collective's data that it transfers, for the test that runs data through plans (see
         * vef_plan_block): blocks[first_block] … of the plan, `block_count` of them. Received data
         * are buffered until a REDUCE step combines them; otherwise they replace the destination. A
         * send and its receive name the same blocks in the same order. */
        struct {
            uint32_t first_block, block_count;
        };
        uint64_t done_ps; /* in a replay: when it was complete, or VEF_FOREVER */
    };
} vef_step;

/* Bytes [begin, end) of one piece of a collective's data. The pieces:
 *   Bcast, Reduce, Allreduce       0: the buffer
 *   Scan, Exscan                   0: the running total, 1: the result so far (a REDUCE combines
 *                                  what was received of piece 0 into either, or of piece 1 into
 *                                  that; one of zero bytes with a block is a copy into the still
 *                                  empty result)
 *   Gather(v), Scatter(v), Allgather(v), Reduce_scatter(_block)
 *                                  r: the block that comes from, or is for, rank r
 *   Alltoall(v,w)                  s * size + d: the block from rank s for rank d
 *   Neighbor_…                     s * size + d: all that rank s sends to rank d, in its order
 * Between two groups, where ranks are counted over both:
 *   Alltoall(v,w)                  s * (size + remote_size) + d
 *   all others                     0: what the first group gives, as one buffer in order of ranks
 *                                  (reductions: in order of who gets it); 1: the same of the second
 * Barriers transfer no data, and creations of communicators and windows record no blocks. */
typedef struct vef_plan_block {
    uint32_t piece;
    uint64_t begin_bytes, end_bytes;
} vef_plan_block;

/* How messages are written. Of MPI: eager or rendezvous by their size. The others are those of NCCL
 * (Hu et al. 2025, section III): always eager; LL has a flag of 4 bytes behind each 4 bytes of
 * data, in units of 16 bytes; LL128 has 8 bytes of flags in each 128, in units of 2,048. */
typedef enum vef_protocol {
    VEF_PROTOCOL_MPI,
    VEF_PROTOCOL_SIMPLE,
    VEF_PROTOCOL_LL,
    VEF_PROTOCOL_LL128
} vef_protocol;

/* The bytes of a message in the network. */
static inline uint64_t vef_protocol_bytes(vef_protocol protocol, uint64_t data_bytes) {
    switch (protocol) {
    case VEF_PROTOCOL_LL:
        return (data_bytes + 7) / 8 * 16;
    case VEF_PROTOCOL_LL128:
        return (data_bytes + 1919) / 1920 * 2048;
    case VEF_PROTOCOL_MPI:
    case VEF_PROTOCOL_SIMPLE:
        break;
    }
    return data_bytes;
}

/* How an algorithm divides its work; only the parameters that its row has, and the protocol, which
 * any may have. */
typedef struct vef_tuning {
    uint64_t segment_bytes; /* of a pipelined message; VEF_WHOLE: not divided */
    uint32_t degree;        /* branches of a tree, messages under way at a time, or channels */
    vef_protocol protocol;
} vef_tuning;
#define VEF_WHOLE UINT64_MAX

/* A plan under construction or in use; grows, and keeps its memory when cleared. */
typedef struct vef_plan {
    vef_step *steps;
    size_t count, capacity;
    vef_plan_block *blocks; /* recorded only with `note_blocks` */
    size_t blocks_used, blocks_capacity;
    bool note_blocks;
    vef_tuning tuning; /* of the algorithm that adds steps now */
    /* vef_algorithm_choose, for collectives that are phases of this one (vef_add_noted). */
    struct vef_tuned (*choose)(const vef_collective *call);
    uint64_t *scratch; /* for algorithms that need memory of the communicator's size */
    size_t scratch_capacity;
} vef_plan; /* zero-initialised is empty and ready */

void vef_plan_release(vef_plan *plan);

/* Requirements of an algorithm on a call; choices.c checks them. */
typedef enum vef_need {
    VEF_NEEDS_POWER_OF_TWO = 1, /* of ranks */
    VEF_NEEDS_COMMUTATIVE = 2,  /* operation */
    VEF_NEEDS_ELEMENTS = 4, /* at least as many elements as the greatest power of two of ranks: the
                               buffer is divided */
    VEF_NEEDS_EQUAL_BLOCKS = 8,
    VEF_NEEDS_HARDWARE = 16,           /* a network that carries messages to all */
    VEF_NEEDS_EVEN = 32,               /* number of ranks */
    VEF_NEEDS_NODES = 128,             /* several ranks on a node */
    VEF_NEEDS_CONSECUTIVE_NODES = 256, /* nodes of consecutive ranks */
    VEF_NEEDS_EACH_ELEMENT = 64,       /* at least as many elements as ranks */
    VEF_NEEDS_REDUCTION = 1024,        /* a network that combines the messages of these ranks */
    VEF_USES_NODES = 512, /* no requirement: its plan depends on the nodes where they are known */
} vef_need;

typedef struct vef_algorithm {
    uint16_t call;       /* the collective that it implements */
    const char *name;    /* "recursive-doubling" */
    const char *summary; /* one line, with the source and the number of rounds and bytes */
    unsigned needs;      /* vef_need: requirements, combined; 0: it supports any call */
    vef_tuning usual;    /* 0: it has no such parameter */
    void (*emit)(const vef_collective *call, vef_plan *plan);
    bool between; /* for intercommunicators; the others are for intracommunicators */
} vef_algorithm;

extern const vef_algorithm vef_algorithms[]; /* terminated by a row whose name is NULL */
extern const size_t vef_algorithm_count;     /* without that row */

/* An algorithm with its tuning. */
typedef struct vef_tuned {
    const vef_algorithm *algorithm; /* NULL: none */
    vef_tuning tuning;
} vef_tuned;

/* The algorithm with its usual tuning. */
static inline vef_tuned vef_usual(const vef_algorithm *algorithm) {
    return (vef_tuned){algorithm, algorithm->usual};
}

/* The choice for a call under `call->choices` (choices.h), the same for every rank of the call.
 * None if the call is not a collective. */
vef_tuned vef_algorithm_choose(const vef_collective *call);

/* Clears `plan` and fills it with the steps of this rank. `call->rank` is below `call->size`, a
 * root is a rank, and a vector variant has the vectors that its rank knows (else VEF_INVALID). */
vef_code vef_plan_make(vef_tuned choice, const vef_collective *call, vef_plan *plan,
                       vef_error *error);

/* Numbers the messages of the plan. `counts`: room for two numbers per rank (of both groups). */
void vef_plan_number(vef_plan *plan, uint32_t *counts);

/* How many of the first `count` steps, at the beginning of a plan, need no other step. */
static inline uint32_t vef_plan_free_steps(const vef_step *steps, size_t count) {
    uint32_t free_steps = 0;
    while (free_steps < count && steps[free_steps].after == 0)
        free_steps++;
    return free_steps;
}

/* The bytes that the task copies from its send buffer to its receive buffer (a reduction: to where
 * it is combined) unless the call is in place; no message carries them. 0 in neighbourhood
 * collectives and between two groups. */
uint64_t vef_own_bytes(const vef_collective *call);

/* The neighbours of a rank in a grid: for each dimension the rank below, then the rank above, 2 x
 * `dimensions` numbers into `list`; VEF_NO_NEIGHBOUR beyond the end of one that is not periodic.
 * Ranks count with the last dimension running fastest (MPI 4.0, section 8.2). */
void vef_grid_neighbours(const vef_communicator *communicator, uint32_t rank, uint32_t *list);

#endif
