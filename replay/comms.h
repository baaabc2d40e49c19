/* Communicators during a replay: ranks, the number of collectives that each member has entered, and
 * whether all members entered the same ones. */
#ifndef VEF_REPLAY_COMMS_H
#define VEF_REPLAY_COMMS_H

#include "common/arena.h"
#include "common/containers/map64.h"
#include "traces/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEF_NO_RANK UINT32_MAX

/* A collective that some members have entered and others not yet. */
typedef struct vef_open_collective {
    uint32_t call; /* vef_call; 0: not entered yet */
    int32_t root;
    uint32_t entered;
    uint32_t first_task; /* the first member to enter, for the message when another differs */
    uint64_t first_event;
    uint64_t number; /* among all collectives of the communicator */
} vef_open_collective;

/* A sequence of collectives (vef_event_sequence). */
typedef struct vef_calls {
    uint64_t *entered;                 /* per rank: collectives entered so far */
    vef_open_collective *window;       /* those not yet entered by all: a ring buffer */
    size_t window_capacity;            /* a power of two */
    uint64_t window_first, window_end; /* numbers in the sequence */
} vef_calls;

/* The sequences of starts of persistent collectives in progress. */
typedef struct vef_starts {
    vef_map64 place_of; /* sequence → index in the list */
    vef_calls *list;
    uint32_t *free; /* unused entries */
    uint32_t count, free_count;
    uint64_t numbers; /* numbers assigned to starts so far */
} vef_starts;

typedef struct vef_comm_state {
    const vef_communicator *communicator;
    vef_arena *arena; /* that of all communicators */
    uint32_t size;    /* both groups of an intercommunicator: its own first, then the remote one */
    uint32_t present; /* members in this part of a divided replay; else all */
    bool prepared;
    const uint32_t *sorted_tasks, *sorted_ranks; /* by task; NULL: member i is task i */
    vef_calls calls;                             /* sequence 0 */
    vef_starts *starts;                          /* NULL until one is entered */
    vef_neighbours *grid_neighbours;             /* per rank, those requested so far; or NULL */
    const struct vef_nodes *nodes;               /* NULL until they are requested */
    const uint32_t *parent_ranks;                /* NULL until they are requested */
    uint64_t entered_hash; /* of sequence 0: of what all members present have entered */
} vef_comm_state;

typedef struct vef_replay_comms {
    vef_comm_state *states;
    uint32_t count;
    const uint32_t *part_of; /* the part of each task in a divided replay; or NULL */
    uint32_t part;           /* the one that these are of */
    vef_arena arena;
} vef_replay_comms;

void vef_replay_comms_init(vef_replay_comms *comms, const vef_communicator *communicators,
                           uint32_t count);
void vef_replay_comms_release(vef_replay_comms *comms);

/* The state of a communicator, initialised. */
vef_comm_state *vef_replay_comms_get(vef_replay_comms *comms, uint32_t comm);
/* The world task of a rank, and the rank of a task: VEF_NO_RANK for a task that is not a member. */
static inline uint32_t vef_comm_member(const vef_comm_state *comm, uint32_t rank) {
    const vef_communicator *communicator = comm->communicator;
    return rank < communicator->size ? communicator->members[rank]
                                     : communicator->remote_members[rank - communicator->size];
}
uint32_t vef_comm_rank(const vef_comm_state *comm, uint32_t task);

/* The neighbours of a rank: those of the graph, or of the grid, with VEF_NO_NEIGHBOUR beyond an end
 * that is not periodic. NULL if the communicator has neither. */
const vef_neighbours *vef_comm_neighbours(vef_replay_comms *comms, vef_comm_state *comm,
                                          uint32_t rank);

/* The nodes of the members, those at one endpoint of the mapping (by world task) being on one. */
const struct vef_nodes *vef_comm_nodes(vef_replay_comms *comms, vef_comm_state *comm,
                                       const uint32_t *mapping);

/* The members of a communicator as ranks of the one that it was made from. */
const uint32_t *vef_comm_parent_ranks(vef_replay_comms *comms, vef_comm_state *comm,
                                      const vef_comm_state *parent);

/* Records that `rank` enters its next collective of a sequence: stores what the others entered, and
 * its number on the communicator, in `*gathering` (this one if it is the first). The numbers of
 * sequence 0 count its collectives; those of starts have VEF_START_NUMBER set. */
#define VEF_START_NUMBER (UINT64_C(1) << 63)
void vef_comm_enter(vef_comm_state *comm, uint32_t rank, uint32_t sequence,
                    const vef_open_collective *as, vef_open_collective *gathering);
/* Whether the members in all parts have entered the same collectives: each part lowers bounds, of
 * VEF_COMM_BOUNDS values, initially UINT64_MAX, for each communicator. */
enum { VEF_COMM_BOUNDS = 4 };
void vef_comms_bound(const vef_replay_comms *comms, uint64_t *bounds);
bool vef_comms_agree(const uint64_t *bounds, uint32_t communicators);
/* Whether the rank has entered the collective of that number. */
bool vef_comm_has_entered(const vef_comm_state *comm, uint32_t rank, uint64_t number);

#endif
