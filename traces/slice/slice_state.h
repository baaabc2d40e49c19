/* Shared state of slicing. survey.c reads the trace a first time and finds what is inside, comms.c
 * settles collectives and creates communicators, windows.c follows the epochs of windows, write.c
 * reads it a second time and writes the result. See slice.h for the definition of the result. */
#ifndef VEF_TRACES_SLICE_SLICE_STATE_H
#define VEF_TRACES_SLICE_SLICE_STATE_H

#include "common/arena.h"
#include "common/containers/interval_set.h"
#include "common/containers/map64.h"
#include "traces/file/task_events.h"
#include "traces/file/writer.h"
#include "traces/matching/joint.h"
#include "traces/rewrite/rewrite.h"
#include "traces/slice/select.h"

/* The messages from one task to another, by ordinal. */
typedef struct vef_slice_pair {
    vef_runs sent, received; /* sends inside, receives inside */
    vef_runs kept;           /* messages of the result; once surveyed */
    uint64_t total;          /* one past the greatest ordinal sent */
} vef_slice_pair;

typedef struct vef_slice_comm {
    uint32_t fenced_task; /* 1 + the last task that wrote a fence of this window */
    uint32_t number;      /* its replacement in the result; VEF_NO_COMM: none */
    bool shrinks;         /* members are missing */
    uint32_t *new_rank;   /* if it shrinks: per old rank the number of selected ones before it */
    vef_map64 epochs;     /* windows: origin and target → 1 + its epochs in the state's list */
} vef_slice_comm;

/* Post, start, complete and wait between an origin and a target. */
typedef struct vef_slice_epochs {
    vef_runs by_origin, by_target;            /* those with both calls of that side inside */
    uint64_t starts, completes, posts, waits; /* so far */
    bool start_inside, post_inside;           /* of the last one */
} vef_slice_epochs;

/* Numbers, the latest last. */
typedef struct vef_slice_list {
    uint64_t *number;
    size_t count, capacity;
} vef_slice_list;

typedef struct vef_slice_task {
    vef_runs open;    /* requests started inside and not completed there */
    vef_runs unnamed; /* those among them that lack the call which names them (Pready, …) inside */
    vef_runs left_out; /* events: locks without unlocks, ends of regions without the other end */
    bool whole;        /* all its events are inside, and its end if it was killed */
    bool ends_inside;  /* its last event is inside too, and the slice continues after it */
    bool collected;
} vef_slice_task;

enum { VEF_SLICE_NAMES = 12 };

typedef struct vef_slice_state {
    vef_trace *trace;
    const vef_trace_header *header;
    const vef_slice_options *options;
    vef_progress *progress;
    vef_slice_result *result;
    uint64_t events_read;
    vef_map64 pair_of; /* sender and receiver → index in the list */
    vef_slice_pair *pairs;
    size_t pair_count, pair_capacity;
    vef_slice_comm *comms;
    vef_joint joint; /* collectives: a call outside is lacking */
    vef_slice_epochs *epochs;
    size_t epoch_count, epoch_capacity;
    vef_slice_task *tasks;
    uint64_t inside; /* events */
    /* Facts about the trace for the message about an empty slice. */
    uint64_t longest_ns, most_calls, most_entries;
    char *names[VEF_SLICE_NAMES]; /* of regions; of marks with `between` */
    size_t name_count;
    /* The current task. */
    uint32_t task;
    uint64_t event; /* number of the current event */
    vef_selector selector;
    vef_map64 locks;  /* held, by window and target; survey: event × 2 + inside; writing: kept */
    vef_map64 starts; /* writing: started accesses by window and target → kept */
    bool begun;       /* writing: the task's MPI_Init is inside */
    vef_slice_list *regions; /* survey: per thread its open regions, event × 2 + inside */
    vef_map64 requests;      /* survey: those started inside; writing: old number → new one */
    vef_map64 unnamed;       /* survey: requests that a call still has to name */
    /* The result. */
    vef_arena arena;
    vef_communicator *communicators;
    uint32_t communicator_count;
} vef_slice_state;

static inline bool vef_slice_chosen(const vef_slice_state *state, int32_t task) {
    return task >= 0 && (!state->options->chosen || state->options->chosen[task]);
}

/* NULL: no message of the pair matters. */
vef_slice_pair *vef_slice_find_pair(const vef_slice_state *state, uint32_t from, uint32_t to);

vef_code vef_slice_survey(vef_slice_state *state, vef_error *error);

/* ---- communicators ---- */

/* Whether it is a collective, creates or frees a communicator, or is a fence, and all members have
 * it. */
bool vef_slice_is_collective(const vef_event *event);
/* Survey: an event, inside or not. */
void vef_slice_see_collective(vef_slice_state *state, const vef_event *event, bool inside);
void vef_slice_make_communicators(vef_slice_state *state);
/* Writing: whether a collective stays, if it is inside; call for each, since it counts. */
bool vef_slice_keeps_collective(vef_slice_state *state, const vef_event *event);

/* ---- windows ---- */

bool vef_slice_is_epoch(const vef_event *event); /* post, start, complete, wait; lock, unlock */
/* Survey: an event for which the former is true, inside or not; the end of all tasks.
 */
void vef_slice_see_epoch(vef_slice_state *state, const vef_event *event, bool inside);
void vef_slice_settle_epochs(vef_slice_state *state);
/* Writing: whether a peer of a synchronisation stays; then, whether the event does with `count` of
 * them. Call both for every such event of the former kind, inside or not, since they count. */
bool vef_slice_keeps_peer(vef_slice_state *state, const vef_event *event, bool inside,
                          int32_t peer);
bool vef_slice_keeps_epoch(vef_slice_state *state, const vef_event *event, bool inside,
                           uint32_t count);
/* Writing: whether an operation or flush of this target is in an epoch that stays, or in none that
 * was opened inside. */
bool vef_slice_covers(const vef_slice_state *state, uint32_t window, int32_t target);

/* ---- facts beside the events ---- */

/* Writes the calls that tasks were in, if the slice has their ends; before the events. */
vef_code vef_slice_under_way(vef_slice_state *state, vef_writer *writer, vef_error *error);
/* Ends the current task. */
vef_code vef_slice_end_task(vef_slice_state *state, vef_writer *writer, vef_error *error);
/* Counts of all tasks together; after the events. */
void vef_slice_counts(vef_slice_state *state, vef_writer *writer);

/* ---- writing ---- */

vef_code vef_slice_write(vef_slice_state *state, vef_writer *writer, vef_error *error);

/* Reports the progress now and then. */
void vef_slice_tick(vef_slice_state *state);

#endif
