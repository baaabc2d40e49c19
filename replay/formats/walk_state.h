/* What walk.c (one event) and walk_tasks.c (tasks, threads, plans) share. */
#ifndef VEF_REPLAY_FORMATS_WALK_STATE_H
#define VEF_REPLAY_FORMATS_WALK_STATE_H

#include "replay/collectives/plan.h"
#include "replay/comms.h"
#include "replay/formats/walk.h"
#include "traces/map64.h"

typedef enum vef_walk_state {
    VEF_WALK_MESSAGE, /* started */
    VEF_WALK_NOT_YET, /* begins with a Pready, or ends with a Grequest_complete, that is to come */
    VEF_WALK_CHAIN,   /* over when `chain` is */
    VEF_WALK_NOTHING, /* over */
} vef_walk_state;

/* What is under way: a message of a request, of a plan, or a chain. */
typedef struct vef_walk_record {
    vef_told_message message;
    vef_walk_state state;
    bool general; /* a generalised request */
    uint32_t chain;
    uint32_t next; /* of the same request; also the free list */
} vef_walk_record;

/* What is counted for the report. */
enum {
    VEF_WALK_PROBES,
    VEF_WALK_ONE_SIDED,
    VEF_WALK_SYNC,
    VEF_WALK_UNMATCHED_SENDS,
    VEF_WALK_UNMATCHED_RECEIVES,
    VEF_WALK_INLINE_COLLECTIVES,
    VEF_WALK_EARLY_WAITS,
    VEF_WALK_MERGED_EVENTS, /* of further threads, told as one sequence */
    VEF_WALK_COUNTS
};

/* A thread of the task under way. */
typedef struct vef_walk_thread {
    vef_stream *stream;
    const vef_event *event; /* the next; NULL at the end */
    uint64_t left;          /* of the last one told */
    uint64_t told;          /* how many */
    bool after_poll;
    uint32_t before;  /* chain that stands where this thread was before its last event */
    uint64_t *joined; /* per thread: how many of its events this one comes after */
} vef_walk_thread;

typedef struct vef_walker {
    vef_trace *trace;
    const vef_trace_header *header;
    const vef_format_options *options;
    const vef_teller *teller;
    uint64_t counts[VEF_WALK_COUNTS];
    uint32_t task;
    vef_walk_thread *threads;
    uint32_t thread_count;

    vef_walk_record *records;
    uint32_t record_count, free_record; /* UINT32_MAX: none is free */
    vef_map64 requests;                 /* request → first record */
    uint32_t chains;                    /* numbers in use */
    uint32_t *free_chains;
    size_t free_chain_count, free_chain_capacity;

    vef_comms comms;
    uint64_t *entered; /* per communicator: collectives of the task so far */
    vef_plan plan;
    uint32_t *peer_sends, *peer_receives; /* per rank, 0 between plans */
    uint32_t *waited, *step_records;      /* room for the lists of one event or plan */
    size_t room;
    const vef_told_message **list;
    size_t list_capacity;
} vef_walker;

/* walk.c: what the event does, its computation apart. */
vef_code vef_walk_event(vef_walker *walker, uint32_t chain, const vef_event *event,
                        vef_error *error);

/* walk_tasks.c: room for `count` records in `waited` and `step_records`. */
vef_code vef_walk_room(vef_walker *walker, size_t count, vef_error *error);
/* Makes the plan of a collective; `*planned`: there is one. */
vef_code vef_walk_plan(vef_walker *walker, const vef_event *event, uint32_t comm,
                       vef_comm_state **state, bool *planned, vef_error *error);

#endif
