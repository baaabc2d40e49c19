/* The communicators of a task: from MPI's handles to the numbers of its log. Windows are numbered
 * among them (see windows.h).
 *
 * Numbers are assigned in the order of creation and never reused; MPI reuses handles of freed
 * communicators. */
#ifndef VEF_CAPTURE_OBJECTS_COMMUNICATORS_H
#define VEF_CAPTURE_OBJECTS_COMMUNICATORS_H

#include "capture/map.h"
#include "capture/mpi_header.h"
#include "common/status.h"
#include "traces/log/log.h"

#include <stdatomic.h>

typedef struct vef_comm {
    uint32_t number;     /* in the log */
    uint32_t size;       /* of this task's group */
    uint32_t others;     /* ranks that a collective reaches: of the other group, or size */
    uint32_t in;         /* neighbours that send to this task */
    uint32_t out;        /* neighbours to which this task sends */
    uint32_t longest;    /* greatest length of a vector: the maximum of size, others, in and out */
    uint32_t persistent; /* persistent collectives that this task has created on it */
    int rank;
    bool inter;
    uint64_t unrecorded; /* its collectives since the last that has an event */
} vef_comm;

/* Whether a peer in a log (vef_peer_of) is valid in messages of the communicator. An invalid one
 * belongs to a failed call for which the program's error handler returns MPI_SUCCESS. */
static inline bool vef_comm_has_peer(const vef_comm *comm, int peer) {
    return (uint32_t)peer < comm->others || peer == VEF_NO_TASK || peer == VEF_ANY_SOURCE;
}

typedef struct vef_comms {
    vef_comm **list; /* by number; the elements do not move */
    uint32_t count;
    size_t capacity;
    uint32_t greatest_size;     /* maximum of `longest` */
    vef_map numbers;            /* handle → number */
    _Atomic uint32_t forgotten; /* number of freed handles: a remembered one may be reused */
    MPI_Group world;
} vef_comms;

/* `world`: the group of all tasks, in whose ranks the log gives members. Takes ownership. */
bool vef_comms_init(vef_comms *comms, MPI_Group world);

/* Writes a new communicator to the log and numbers it; `*number` becomes VEF_NO_COMM for
 * MPI_COMM_NULL and for one with members outside the world, which a log cannot represent. */
vef_code vef_comms_add(vef_comms *comms, vef_log *log, MPI_Comm comm, uint32_t parent,
                       uint16_t made_by, uint32_t *number, vef_error *error);

/* Writes the world and self, numbers 0 and 1, without querying MPI: programs with sessions only may
 * not use them. */
vef_code vef_comms_add_first(vef_comms *comms, vef_log *log, int rank, int size, vef_error *error);

/* The same for a copy of `original` that is still being created (MPI_Comm_idup): it cannot be
 * queried yet, but has the original's properties. */
vef_code vef_comms_add_copy(vef_comms *comms, vef_log *log, MPI_Comm comm, MPI_Comm original,
                            uint32_t parent, uint16_t made_by, uint32_t *number, vef_error *error);

/* The same for a window on `comm`, without handle: windows.h finds it by its number. */
vef_code vef_comms_add_window(vef_comms *comms, vef_log *log, MPI_Comm comm, uint32_t parent,
                              uint16_t made_by, uint32_t *number, vef_error *error);

/* Removes a handle, about to be freed or freed. */
void vef_comms_forget(vef_comms *comms, MPI_Comm comm);
/* Restores it under its number, if MPI did not free it. */
void vef_comms_restore(vef_comms *comms, MPI_Comm comm, uint32_t number);

/* The communicator of a handle, NULL if the log does not have it. */
static inline const vef_comm *vef_comms_find(const vef_comms *comms, MPI_Comm comm) {
    uint32_t number = vef_map_get(&comms->numbers, VEF_KEY(comm));
    return number == VEF_MAP_NONE ? NULL : comms->list[number];
}

#endif
