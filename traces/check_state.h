/* What the parts of a check share: check.c reads the trace, check_messages.c follows messages and
 * requests, check_groups.c collectives and communicators. */
#ifndef VEF_TRACES_CHECK_STATE_H
#define VEF_TRACES_CHECK_STATE_H

#include "traces/check.h"
#include "traces/map64.h"
#include "traces/traffic.h"

enum { VEF_SEEN_SENT = 1, VEF_SEEN_RECEIVED = 2, VEF_SEEN_OUTSIDE = 4 };

typedef struct vef_message_seen {
    uint64_t bytes;
    uint32_t event, comm; /* number of the send's event in its task */
    int32_t tag;
    uint32_t flags;
} vef_message_seen;

/* A collective of a communicator, as its first caller made it. */
typedef struct vef_collective_seen {
    uint64_t bytes, elements;
    uint64_t balance; /* what is sent minus what is received, each hashed with who and to whom */
    uint32_t first_task, event, callers;
    int32_t root;
    uint16_t call;
} vef_collective_seen;

typedef struct vef_comm_seen {
    vef_collective_seen *list;
    size_t count, capacity;
    size_t at; /* of the task under way */
    uint32_t at_task;
    uint32_t creators; /* tasks that have an event which makes it */
} vef_comm_seen;

typedef struct vef_check_state {
    vef_trace *trace;
    const vef_trace_header *header;
    const vef_check_options *options;
    uint64_t faults;
    vef_traffic traffic;
    uint64_t *first_message; /* per flow of the matrix: its messages, by ordinal */
    vef_message_seen *messages;
    uint64_t message_count;
    vef_map64 requests; /* of the task under way: outstanding → event that started it */
    uint64_t started;
    vef_comm_seen *comms;
    uint32_t task;
    uint64_t event;
} vef_check_state;

/* Counts a fault and tells it; the message begins with task, event and call when `event` is given.
 */
void vef_check_fault(vef_check_state *state, const vef_event *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool vef_check_cut(const vef_check_state *state, uint32_t task) {
    return state->header->task[task].end == VEF_LOG_CUT;
}

vef_code vef_check_messages_begin(vef_check_state *state, vef_error *error);
vef_code vef_check_operations(vef_check_state *state, const vef_event *event, vef_error *error);
void vef_check_completions(vef_check_state *state, const vef_event *event);
void vef_check_task_end(vef_check_state *state); /* requests that are left */
void vef_check_messages_end(vef_check_state *state);

vef_code vef_check_groups_begin(vef_check_state *state, vef_error *error);
vef_code vef_check_group(vef_check_state *state, const vef_event *event, vef_error *error);
void vef_check_groups_end(vef_check_state *state);

#endif
