/* The records of a Paraver trace by task: the file has them in the order of time, a trace is made
 * task by task. They go to a temporary file in pieces, so that memory does not grow with the trace
 * beyond 4 bytes for each piece; one task at a time is read back. */
#ifndef VEF_INTERCHANGE_PARAVER_SPOOL_H
#define VEF_INTERCHANGE_PARAVER_SPOOL_H

#include "common/status.h"

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

typedef struct vef_paraver_spool vef_paraver_spool;

/* For tasks 0 to `tasks` - 1; the temporary file is beside `path`. */
vef_code vef_paraver_spool_open(const char *path, uint32_t tasks, vef_paraver_spool **spool,
                                vef_error *error);
void vef_paraver_spool_close(vef_paraver_spool *spool); /* NULL is fine */

/* Adds a record of a task, and sets its `sequence`. VEF_INVALID beyond 2^32 records of one task. */
vef_code vef_paraver_spool_add(vef_paraver_spool *spool, uint32_t task, vef_paraver_record record,
                               vef_error *error);

/* All records of a task in the order of the file; `*list` has `*room` and is grown. */
vef_code vef_paraver_spool_read(vef_paraver_spool *spool, uint32_t task, vef_paraver_record **list,
                                size_t *room, size_t *count, vef_error *error);

#endif
