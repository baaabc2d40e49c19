/* Broadcast messages of a replay: from one task through the network to every endpoint, where the
 * members of the communicator accept them and others drop them; and reductions in the network, from
 * all members of a communicator to all or one. Records are indices in a growing
 * pool and are reused. */
#ifndef VEF_REPLAY_STATE_BROADCAST_RECORDS_H
#define VEF_REPLAY_STATE_BROADCAST_RECORDS_H

#include "common/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_broadcast_record {
    uint64_t number; /* of the collective on its communicator */
    uint64_t bytes, sent_ps;
    uint32_t sender, comm, nth;
    uint32_t left; /* endpoints still to be reached; of a free record: the next free one */
    uint32_t
        receiver; /* of a reduction, a task, or VEF_NO_RANK: all members; and the tasks that have */
    uint32_t missing;     /* not contributed; and of those by endpoint, */
    uint32_t *missing_at; /* [vef_comm_group.endpoints]; NULL: a broadcast */
    uint32_t next;        /* of the reductions of the communicator; VEF_NO_RECORD */
    uint32_t packets;     /* of a contribution */
    bool admitted;        /* it has slots */
} vef_broadcast_record;
#define VEF_NO_RECORD UINT32_MAX

/* The members of a communicator as a group of endpoints in the network. */
typedef struct vef_comm_group {
    bool known;                  /* the following has been set */
    uint32_t number;             /* in the network; 0: it has none */
    uint32_t count;              /* of endpoints */
    uint32_t *endpoints, *tasks; /* ascending; and the number of members at each */
    uint64_t reduction_bytes;    /* of a reduction at most; 0: it does not reduce */
    uint32_t open_packets;       /* of reductions that are admitted */
    uint32_t first, last;        /* records of its reductions, in the order of their beginning */
} vef_comm_group;

/* Tasks by endpoint: sorted by endpoint, then by task. */
typedef struct vef_task_place {
    uint32_t endpoint, task;
} vef_task_place;

typedef struct vef_broadcasts {
    vef_broadcast_record *records;
    uint32_t count, free; /* free: number + 1, 0 for none */
    size_t capacity;
    vef_task_place *places; /* one per task; NULL: not needed so far */
    vef_comm_group *groups; /* by communicator */
    size_t group_room;
} vef_broadcasts; /* zero-initialised is empty and ready */

/* The index of an unused record; the list is from a store. */
uint32_t vef_broadcasts_take(vef_broadcasts *broadcasts, vef_store *store);
void vef_broadcasts_free(vef_broadcasts *broadcasts, uint32_t number);

#endif
