/* The MPI calls of one task of a Paraver trace, and the messages of each, from its records. */
#ifndef VEF_INTERCHANGE_PARAVER_CALLS_OF_TASK_H
#define VEF_INTERCHANGE_PARAVER_CALLS_OF_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum vef_paraver_kind {
    VEF_PARAVER_EVENT,   /* `type` and `value` */
    VEF_PARAVER_SEND,    /* a message to `type`: of `value` bytes, with `tag` */
    VEF_PARAVER_RECEIVE, /* a message from `type` */
} vef_paraver_kind;

typedef struct vef_paraver_record {
    uint64_t time_ns; /* a message: the send begins; the receive begins, or its request has begun */
    uint64_t end_ns;  /* a message: the send ends; the receive, or its request, is complete */
    uint64_t value;
    uint32_t type;
    int32_t tag;
    uint32_t sequence; /* in the file, among the records of the task */
    uint32_t number;   /* of a message, among those of its sender and receiver */
    uint16_t thread, kind;
} vef_paraver_record;

/* A call; regions and marks of the program are calls of length 0. */
typedef struct vef_paraver_entry {
    uint64_t enter_ns, leave_ns;
    uint64_t value;                /* of a region or a mark: its label */
    uint64_t sent, received, comm; /* of a collective; `comm` 0: not given */
    uint32_t number;               /* in its thread */
    uint16_t call;                 /* vef_call; 0: one that vef does not know */
    uint16_t thread;               /* from 1 */
    bool root;
} vef_paraver_entry;

typedef struct vef_paraver_calls {
    vef_paraver_record *records; /* by kind, thread, time */
    size_t record_room, record_count;
    size_t events, sends;    /* how many: events come first, then sends, then receives */
    vef_paraver_entry *list; /* in the order of their begin */
    size_t count, room;
} vef_paraver_calls; /* zero-initialised is empty */

/* Sorts the records and makes the list of calls. */
void vef_paraver_calls_find(vef_paraver_calls *calls);
void vef_paraver_calls_free(vef_paraver_calls *calls);

#endif
