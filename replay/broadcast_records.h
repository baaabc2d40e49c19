/* Messages to all of a replay: one task's, through the network to every endpoint, where the tasks
 * that it is for take it and all others drop it. Records are numbered places in a pool that grows;
 * a freed one is used again. */
#ifndef VEF_REPLAY_BROADCAST_RECORDS_H
#define VEF_REPLAY_BROADCAST_RECORDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct vef_broadcast_record {
    uint64_t number; /* of the collective on its communicator */
    uint64_t bytes, sent_cycles;
    uint32_t sender, comm, nth;
    uint32_t left; /* endpoints that it has not come to; of a free record: the next free one */
} vef_broadcast_record;

/* Which tasks are at an endpoint: sorted by endpoint, then by task. */
typedef struct vef_task_place {
    uint32_t endpoint, task;
} vef_task_place;

typedef struct vef_broadcasts {
    vef_broadcast_record *records;
    size_t capacity;
    uint32_t count, free;   /* free: number + 1, 0 for none */
    vef_task_place *places; /* one for each task; NULL: not needed so far */
} vef_broadcasts;           /* zero-initialised is empty and ready */

/* The number of an unused record; UINT32_MAX without memory. */
uint32_t vef_broadcasts_take(vef_broadcasts *broadcasts);
void vef_broadcasts_free(vef_broadcasts *broadcasts, uint32_t number);
void vef_broadcasts_release(vef_broadcasts *broadcasts);

#endif
