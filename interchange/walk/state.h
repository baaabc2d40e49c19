/* Shared by tasks.c (tasks, threads), trace.c (one event), plans.c (collectives) and records.c
 * (what is in progress). */
#ifndef VEF_INTERCHANGE_WALK_STATE_H
#define VEF_INTERCHANGE_WALK_STATE_H

#include "common/containers/map64.h"
#include "interchange/walk/order.h"
#include "interchange/walk/walk.h"
#include "replay/collectives/plan.h"
#include "replay/comms.h"
#include "replay/polls.h"
#include "traces/file/thread_order.h"

#define VEF_NO_RECORD UINT32_MAX

typedef enum vef_walk_state {
    VEF_WALK_MESSAGE, /* started */
    VEF_WALK_NOT_YET, /* begins with a Pready, or ends with a Grequest_complete, still to come */
    VEF_WALK_CHAIN,   /* complete when `chain` is */
    VEF_WALK_RUN,     /* complete when the plan of the run `chain` is */
    VEF_WALK_NOTHING, /* complete */
} vef_walk_state;

/* Something in progress: a message of a request, of a plan, or a chain. */
typedef struct vef_walk_record {
    vef_walk_message message;
    vef_walk_state state;
    bool general; /* a generalised request */
    uint32_t chain;
    uint32_t next; /* the next of the same request, or of the free list */
} vef_walk_record;

/* Counters of the report. */
enum {
    VEF_WALK_PROBES,
    VEF_WALK_ONE_SIDED,
    VEF_WALK_SYNC,
    VEF_WALK_UNMATCHED_SENDS,
    VEF_WALK_UNMATCHED_RECEIVES,
    VEF_WALK_BESIDE, /* non-blocking collectives, in a format without chains */
    VEF_WALK_EARLY_WAITS,
    VEF_WALK_AS_BARRIERS,   /* collectives on intercommunicators without a plan */
    VEF_WALK_MERGED_EVENTS, /* of further threads, merged into one sequence */
    VEF_WALK_COUNTS
};

/* A collective in progress. */
typedef struct vef_walk_run {
    bool active;
    vef_plan plan;
    uint32_t *records; /* per step that has started: its message, or VEF_NO_RECORD */
    size_t room;
    size_t next;     /* the first step that has not started */
    size_t complete; /* steps that have been waited for */
    const vef_comm_state *state;
    uint32_t comm;
    uint32_t sequence; /* vef_event_sequence of the collective */
    uint64_t number;   /* place of the collective in `sequence`, from 0 */
    uint64_t key;      /* in walker->beside, of a non-blocking collective */
} vef_walk_run;

/* A thread of the task under way. */
typedef struct vef_walk_thread {
    vef_stream *stream;
    const vef_event *event; /* the next; NULL at the end */
    uint64_t left;          /* of the last processed one */
    uint64_t processed;     /* how many */
    vef_poll_series polls;
    uint32_t before;  /* chain at the position of this thread before its last event */
    uint64_t *joined; /* per thread: number of its events that precede this one */
    size_t ordered;   /* processed entries of its vef_order_list */
} vef_walk_thread;

typedef struct vef_walker {
    vef_trace *trace;
    const vef_trace_header *header;
    const vef_format_options *options;
    const vef_walk_sink *sink;
    uint64_t counts[VEF_WALK_COUNTS];
    uint32_t task;
    vef_walk_thread *threads;
    uint32_t thread_count;
    uint32_t thread; /* the thread whose event is being processed */
    vef_thread_order thread_order;

    vef_walk_record *records;
    size_t record_room;
    uint32_t record_count; /* in use, or free */
    uint32_t free_record;  /* VEF_NO_RECORD: none is free */
    vef_map64 requests;    /* request → first record */
    uint32_t chains;       /* numbers in use */
    uint32_t *free_chains;
    size_t free_chain_count, free_chain_capacity;

    vef_replay_comms comms;
    vef_map64 entered; /* vef_sequence_key → collectives of the task so far */
    vef_order order;
    vef_walk_run *runs;
    size_t run_count, first_free_run; /* no run before the latter is free */
    vef_map64 beside;                 /* thread and event → run of a non-blocking collective */
    uint32_t *peer_counts;            /* two per rank: for vef_plan_number */
    uint32_t *waited;                 /* room for the records of one event */
    size_t room;
    const vef_walk_message **list;
    size_t list_capacity;
} vef_walker;

/* trace.c: an event without its computation. */
vef_code vef_walk_event(vef_walker *walker, uint32_t chain, const vef_event *event,
                        vef_error *error);

/* records.c: a record. May move all records. */
uint32_t vef_walk_new_record(vef_walker *walker);
/* Adds a record to those of a request. */
void vef_walk_keep(vef_walker *walker, uint64_t request, uint32_t index);
/* Frees a record and those after it of its request. */
void vef_walk_free_records(vef_walker *walker, uint32_t index);
uint32_t vef_walk_new_chain(vef_walker *walker, uint32_t from);
/* Waits for the messages and chains of the records, and frees them unless `keep`. */
void vef_walk_wait(vef_walker *walker, uint32_t chain, const uint32_t *records, size_t count,
                   bool keep);
/* Room for `count` records in `waited`. */
void vef_walk_room(vef_walker *walker, size_t count);

/* plans.c: a collective, from its call on. */
vef_code vef_walk_collective(vef_walker *walker, uint32_t chain, const vef_event *event,
                             vef_error *error);
/* Before the task waits: passes on the steps of non-blocking collectives that it starts before,
 * given that it has started `own_steps` of its current blocking collective (UINT32_MAX: none).
 */
void vef_walk_progress(vef_walker *walker, uint32_t chain, uint32_t own_steps);
/* The task waits for the request of a non-blocking collective: passes on its remaining steps. */
void vef_walk_finish(vef_walker *walker, uint32_t chain, uint32_t run);
/* Between tasks: no run is active. */
void vef_walk_clear_runs(vef_walker *walker);
void vef_walk_release_runs(vef_walker *walker);

#endif
