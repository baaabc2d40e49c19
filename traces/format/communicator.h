/* The coding of communicators in a block's body, one after another. FORMAT.md defines the bytes. */
#ifndef VEF_TRACES_FORMAT_COMMUNICATOR_H
#define VEF_TRACES_FORMAT_COMMUNICATOR_H

#include "common/arena.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/format/varint.h"

/* Which ranks' neighbours a communicator lists. */
typedef enum vef_neighbour_lists {
    VEF_LISTS_OF_ALL, /* in a trace: of each rank */
    VEF_LISTS_OF_ONE, /* in a log: of its task alone */
} vef_neighbour_lists;

/* An upper bound on the length of the coding. */
size_t vef_communicator_bound(const vef_communicator *communicator, vef_neighbour_lists lists);

/* Writes to `to`, which must have room for the bound; returns one past the last byte. */
uint8_t *vef_communicator_put(uint8_t *to, const vef_communicator *communicator,
                              vef_neighbour_lists lists);

/* Reads the next communicator, with the number `number`; its parent must precede it and its members
 * be below `tasks`; its lists are in `arena`. `world`: the list 0, 1, … tasks-1, which consecutive
 * members share instead of using memory; NULL: none. */
vef_code vef_communicator_get(vef_cursor *from, uint32_t number, uint32_t tasks,
                              vef_neighbour_lists lists, const uint32_t *world, vef_arena *arena,
                              vef_communicator *communicator, vef_error *error);

/* Finds the rank of a task among the members of a group in O(log size). */
typedef struct vef_ranks {
    const uint32_t *members; /* not owned */
    uint32_t size;
    uint32_t *by_task; /* ranks in the order of their tasks; NULL for ascending members */
} vef_ranks;           /* zero-initialised has no members */

enum { VEF_NO_MEMBER = -1 };
vef_code vef_ranks_make(vef_ranks *ranks, const uint32_t *members, uint32_t size, vef_error *error);
void vef_ranks_free(vef_ranks *ranks);
/* VEF_NO_MEMBER for a task that is not a member. */
int32_t vef_ranks_find(const vef_ranks *ranks, uint32_t task);

/* Whether the two groups of a communicator have different parents: each side of
 * MPI_Intercomm_create passes its own local communicator. */
static inline bool vef_communicator_has_two_parents(const vef_communicator *communicator) {
    return vef_call_has(communicator->made_by, VEF_FACT_TWO_PARENTS);
}

/* The number of neighbours of a rank on each side, including MPI_PROC_NULL in grids: the lengths of
 * the vectors of neighbourhood collectives. */
uint32_t vef_neighbours_out(const vef_communicator *communicator, uint32_t rank);
uint32_t vef_neighbours_in(const vef_communicator *communicator, uint32_t rank);

/* The rank of the k-th neighbour, UINT32_MAX for MPI_PROC_NULL. */
uint32_t vef_neighbour_out(const vef_communicator *communicator, uint32_t rank, uint32_t k);
uint32_t vef_neighbour_in(const vef_communicator *communicator, uint32_t rank, uint32_t k);

#endif
