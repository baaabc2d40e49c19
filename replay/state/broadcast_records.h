/* Broadcast messages of a replay: from one task through the network to every endpoint, where the
 * members of the communicator accept them and others drop them. Records are indices in a growing
 * pool and are reused. */
#ifndef VEF_REPLAY_STATE_BROADCAST_RECORDS_H
#define VEF_REPLAY_STATE_BROADCAST_RECORDS_H

#include "common/store.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_broadcast_record {
    uint64_t number; /* of the collective on its communicator */
    uint64_t bytes, sent_ps;
    uint32_t sender, comm, nth;
    uint32_t left; /* endpoints still to be reached; of a free record: the next free one */
} vef_broadcast_record;

/* Tasks by endpoint: sorted by endpoint, then by task. */
typedef struct vef_task_place {
    uint32_t endpoint, task;
} vef_task_place;

typedef struct vef_broadcasts {
    vef_broadcast_record *records;
    uint32_t count, free; /* free: number + 1, 0 for none */
    size_t capacity;
    vef_task_place *places; /* one per task; NULL: not needed so far */
} vef_broadcasts;           /* zero-initialised is empty and ready */

/* The index of an unused record; the list is from a store. */
uint32_t vef_broadcasts_take(vef_broadcasts *broadcasts, vef_store *store);
void vef_broadcasts_free(vef_broadcasts *broadcasts, uint32_t number);

#endif
