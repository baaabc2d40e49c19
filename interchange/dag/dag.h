/* Graphs of operations per task, and their conversion to a trace: for formats in which an operation
 * starts when others have ended, instead of following the one before it.
 *
 * chains.c divides the graph of a task into threads, whose calls are sequential; write.c matches
 * messages and writes the trace. */
#ifndef VEF_INTERCHANGE_DAG_DAG_H
#define VEF_INTERCHANGE_DAG_DAG_H

#include "common/arena.h"
#include "common/status.h"
#include "traces/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VEF_DAG_ANY = -1 };
#define VEF_DAG_UNKNOWN UINT64_MAX

typedef enum vef_dag_kind {
    VEF_DAG_SEND,
    VEF_DAG_RECEIVE,
    VEF_DAG_CALC,
    VEF_DAG_COLLECTIVE,
} vef_dag_kind;

/* An operation of a task. */
typedef struct vef_dag_node {
    vef_dag_kind kind;
    uint64_t size; /* bytes, or ns; of a collective: as in vef_event.bytes; of a receive also
                      VEF_DAG_UNKNOWN */
    int64_t peer;  /* task, or VEF_DAG_ANY */
    int64_t tag;   /* or VEF_DAG_ANY */
    uint8_t cpu, nic;
    uint32_t line; /* for messages */
    /* Collectives: those of a communicator start in the order of the nodes, the same in all its
     * members. */
    uint16_t call; /* the blocking one */
    uint32_t comm;
    int32_t root;    /* rank, or -1 */
    uint32_t number; /* the source's own, for vef_dag_source.vectors */
    uint64_t elements;
} vef_dag_node;

/* `node` starts after `on` has ended, or once it has started. */
typedef struct vef_dag_edge {
    uint32_t node, on;
    bool start;
} vef_dag_edge;

typedef struct vef_dag_rank {
    uint32_t rank, ranks;
    vef_dag_node *nodes;
    vef_dag_edge *edges;
    size_t node_count, edge_count, node_capacity, edge_capacity;
} vef_dag_rank;

void vef_dag_add_node(vef_dag_rank *rank, const vef_dag_node *node);
void vef_dag_add_edge(vef_dag_rank *rank, vef_dag_edge edge);

/* Receives each rank, in ascending order; its data are valid during the call, which may add edges.
 */
typedef vef_code vef_dag_visit(void *context, vef_dag_rank *rank, vef_error *error);

/* ---- threads ---- */

typedef enum vef_dag_action_kind {
    VEF_DAG_POST,    /* a message or collective begins */
    VEF_DAG_COMPUTE, /* a calc */
    VEF_DAG_WAIT,    /* for the end of a message or collective, or for a token */
    VEF_DAG_STARTED, /* what follows in the thread follows from the start of the posts before */
} vef_dag_action_kind;

/* What waits for a node's end, or start. The end of a message or collective is its request; a
 * calc's end, and a start, need a token if another thread waits for them. */
typedef struct vef_dag_action {
    vef_dag_action_kind kind;
    uint32_t node;
    bool start;    /* WAIT: for its start */
    uint32_t next; /* of the same thread; UINT32_MAX: the last */
} vef_dag_action;

typedef struct vef_dag_thread {
    uint32_t first, last; /* actions; UINT32_MAX: none */
    uint8_t cpu, nic;     /* of all its operations */
    bool open;            /* ends in posts that any node with the same dependencies may join */
    uint32_t epoch;       /* how often `waits` has changed */
    size_t waits;         /* all that has passed when it gets here: range in vef_dag_plan.waits */
    size_t wait_count;
} vef_dag_thread;

/* Per node: its thread and position, and what waits for it. */
typedef struct vef_dag_place {
    uint32_t thread, epoch;          /* of the thread, when it was placed */
    bool starts_others;              /* nodes depend on its start */
    bool starts_abroad;              /* nodes on another cpu depend on its start */
    uint32_t end_waits, start_waits; /* how many actions wait for its end, its start */
    uint32_t waited_in;              /* the first thread that waits for its end; UINT32_MAX */
} vef_dag_place;

typedef struct vef_dag_plan {
    bool posts_are_instant; /* set by the caller: what becomes ready with them may follow them */
    vef_arena arena;
    vef_dag_action *actions;
    size_t action_count, action_capacity;
    vef_dag_thread *threads;
    size_t thread_count, thread_capacity;
    vef_dag_place *places;
    vef_dag_edge *waits;
    size_t wait_count, wait_capacity;
} vef_dag_plan; /* zero-initialised is empty and ready; reused from rank to rank */

/* Divides a rank's graph into threads, in each of which messages and collectives are posted, calcs
 * computed and other nodes waited for. VEF_INVALID if its dependencies are cyclic. */
vef_code vef_dag_plan_make(const vef_dag_rank *rank, vef_dag_plan *plan, vef_error *error);
void vef_dag_plan_release(vef_dag_plan *plan);

/* ---- a trace ---- */

/* Where the graphs come from. */
typedef struct vef_dag_source {
    void *context;
    const char *application; /* of the trace's header */
    /* Passes on every rank; called twice, with the same result. */
    vef_code (*ranks)(void *context, vef_dag_visit *visit, void *visitor, vef_error *error);
    /* Adds a collective's vectors of counts, valid until the next call. NULL: there are none. */
    void (*vectors)(void *context, const vef_dag_node *node, vef_event *event);
    /* Further communicators, which become those from 1 on; 0 is the world. Read after the first
     * pass. */
    const vef_communicator *communicators;
    uint32_t communicator_count;
    /* The trace keeps, in marks, what MPI calls do not express: cpus, the ends of calcs, and
     * dependencies on starts (docs/interchange.md, GOAL). Without them each thread has a processor
     * of its own, and to post a message or collective takes no time. */
    bool marks;
    /* Collectives are blocking calls: in each rank that has one, everything else either precedes it
     * or follows its end. Otherwise all are non-blocking calls, since the members of a communicator
     * must agree. */
    bool blocking_collectives;
} vef_dag_source;

/* What was found. */
typedef struct vef_dag_summary {
    uint64_t unmatched_sends, unmatched_receives;
    uint64_t unequal;      /* receives whose size is not that of their message */
    uint64_t wildcards;    /* receives with VEF_DAG_ANY */
    uint32_t most_threads; /* of a task */
} vef_dag_summary;

/* Notes messages without their other side, or of two sizes. */
void vef_dag_note(const vef_dag_summary *found, vef_notes *notes);

/* Makes the trace `trace_path`: a rank becomes a task, its branches threads; sends match receives
 * by rank and tag, in the order of the nodes. */
vef_code vef_dag_write(const vef_dag_source *source, const char *trace_path,
                       vef_dag_summary *summary, vef_error *error);

#endif
