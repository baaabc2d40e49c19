/* Shared state of a check. check_state.c reports, check_trace.c reads the trace, messages.c follows
 * messages, requests.c requests, groups.c collectives and communicators, balance.c the data of
 * collectives, windows.c one-sided operations. */
#ifndef VEF_TRACES_CHECK_CHECK_STATE_H
#define VEF_TRACES_CHECK_CHECK_STATE_H

#include "common/containers/map64.h"
#include "traces/check/check.h"
#include "traces/file/traffic.h"
#include "traces/format/communicator.h"

enum {
    VEF_SEEN_SENT = 1,
    VEF_SEEN_RECEIVED = 2,
    VEF_SEEN_OUTSIDE = 4,        /* its send is flagged unmatched */
    VEF_SEEN_KEPT_FOR_PROBE = 8, /* its send is flagged unmatched and probed */
    VEF_SEEN_PROBED = 16,        /* a probe saw it */
    VEF_SEEN_PROBED_LAST = 32,   /* the probe that is flagged as its last saw it */
};

typedef struct vef_message_seen {
    uint64_t bytes;
    uint32_t event, comm; /* number of the send's event in its task */
    int32_t tag;
    uint32_t flags;
} vef_message_seen;

/* A collective of a communicator, as called by its first caller. */
typedef struct vef_collective_seen {
    uint64_t bytes[2]; /* between two groups: of each; else both are the same */
    uint64_t elements;
    uint64_t balance; /* sends minus receives, each hashed with sender and receiver */
    uint32_t first_task, event, callers;
    int32_t root; /* its rank; between two groups, in its group; or -1: no root, or not known yet */
    uint16_t call;
    uint8_t root_group; /* between two groups: 0 or 1 */
    uint8_t sized;      /* bit 0, 1: the bytes of that group are known */
    bool rooted;        /* between two groups: one of them has called it as the root */
} vef_collective_seen;

/* A sequence of calls on a communicator (vef_event_sequence). */
typedef struct vef_sequence_seen {
    vef_collective_seen *list;
    size_t count, capacity;
    size_t next; /* of the task under way */
    uint32_t at_task;
    uint32_t comm, sequence;
} vef_sequence_seen;

typedef struct vef_comm_seen {
    vef_sequence_seen calls; /* sequence 0 */
    uint32_t creators;       /* number of tasks with an event that creates it */
    uint32_t cut;            /* members whose logs are cut short; once all tasks are checked */
    bool on_neighbours;      /* a collective on neighbours was called */
    vef_ranks ranks[2];      /* of its members and remote members, once asked for */
} vef_comm_seen;

/* Open epochs and locks of a task on a window. */
typedef struct vef_window_seen {
    uint32_t task; /* owner; UINT32_MAX: none yet */
    bool fenced, all_locked, started, posted;
} vef_window_seen;

/* How often an origin starts access to a target, and the target posts exposure to it. */
typedef struct vef_exposure_seen {
    uint32_t window, origin, target;
    uint64_t starts, posts;
} vef_exposure_seen;

typedef struct vef_thread_seen {
    bool any;
    bool unordered; /* all ticks are 0: their order is not known */
    uint64_t left, events;
    char **regions; /* open ones, innermost last */
    uint32_t depth;
    size_t capacity;
} vef_thread_seen;

typedef struct vef_check_state {
    vef_trace *trace;
    const vef_trace_header *header;
    const vef_check_options *options;
    uint64_t faults;
    vef_traffic_matrix traffic;
    uint64_t *first_message; /* per flow of the matrix: its messages by ordinal */
    vef_message_seen *messages;
    uint64_t message_count;
    vef_comm_seen *comms;
    vef_sequence_seen *starts; /* the other sequences: starts of persistent collectives */
    size_t start_count, start_capacity;
    vef_map64 start_of;       /* vef_sequence_key → place in `starts` */
    vef_window_seen *windows; /* per communicator; NULL without windows */
    uint32_t *windows_used;   /* by the task under way */
    uint32_t windows_used_count;
    vef_exposure_seen *exposures;
    size_t exposure_count, exposure_capacity;
    vef_map64 exposure_of; /* hash of window, origin and target → index in `exposures` */
    vef_map64 scratch;

    uint8_t *partial; /* per task: the trace lacks some of its events */

    /* The current task. */
    uint32_t task, thread;
    uint64_t event;         /* number of the current event in its thread */
    bool whole;             /* the trace has all events of the task so far */
    uint64_t started_below; /* requests with smaller numbers have all been started */
    vef_map64 started;      /* other requests that have been started */
    uint64_t requests;      /* one more than the greatest number started */
    uint64_t started_count;
    vef_map64 outstanding; /* requests → their state: requests.c */
    vef_map64 awaited; /* requests completed before their release → latest tick for the release */
    vef_map64 open;    /* window and target → locked, or access started */
    vef_thread_seen *threads;
    uint32_t thread_count;
} vef_check_state;

/* Counts and reports a fault; the message begins with task, event and call if `event` is given.
 */
void vef_check_fault(vef_check_state *state, const vef_event *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool vef_check_cut(const vef_check_state *state, uint32_t task) {
    return vef_log_end_cuts(state->header->task[task].end);
}

/* The same for the capture, where the trace is a slice of it. The capture's knowledge of
 * communicators comes from the records of their members. */
static inline bool vef_check_record_cut(const vef_check_state *state, uint32_t task) {
    return vef_check_cut(state, task) || vef_log_end_cuts(state->header->task[task].record);
}

/* The keys of two maps (`more` may be NULL), in ascending order, so that reports do not depend on
 * the maps. Allocated. */
uint64_t *vef_check_keys(const vef_map64 *map, const vef_map64 *more, size_t *count);

/* The rank of a task in a communicator's group (0: its members, 1: its remote members), -1 if
 * absent. */
int32_t vef_check_rank(vef_check_state *state, uint32_t comm, unsigned group, uint32_t task);

void vef_check_messages_begin(vef_check_state *state);
void vef_check_operations(vef_check_state *state, const vef_event *event);
void vef_check_messages_end(vef_check_state *state);

void vef_check_requests_begin(vef_check_state *state); /* of a task */
/* A request that starts; `flags` are those of its operation. */
void vef_check_request(vef_check_state *state, const vef_event *event, uint64_t request,
                       unsigned flags);
void vef_check_completions(vef_check_state *state, const vef_event *event);
void vef_check_named(vef_check_state *state, const vef_event *event); /* Cancel, Pready, … */
void vef_check_requests_end(vef_check_state *state);

void vef_check_groups_begin(vef_check_state *state);
void vef_check_group(vef_check_state *state, const vef_event *event);
/* A call that all members of a communicator make in the same order. */
void vef_check_collective(vef_check_state *state, const vef_event *event);
void vef_check_groups_free(vef_check_state *state);
void vef_check_groups_end(vef_check_state *state);

/* The sends minus the receives of this rank, where the trace has the counts of both sides: over all
 * members the sum is 0. `group` is the caller's in an intercommunicator, else 0. */
uint64_t vef_check_balance(vef_check_state *state, const vef_event *event, unsigned group,
                           uint32_t rank);
/* The same for a graph's edges: 0 if its ranks agree on them, as far as their lists are known. */
uint64_t vef_check_edges(vef_check_state *state, const vef_communicator *graph);

void vef_check_windows_begin(vef_check_state *state);
void vef_check_sync(vef_check_state *state, const vef_event *event);
void vef_check_access(vef_check_state *state, const vef_event *event);
void vef_check_windows_task_end(vef_check_state *state);
void vef_check_windows_end(vef_check_state *state);

#endif
