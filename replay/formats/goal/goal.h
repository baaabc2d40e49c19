/* Reading GOAL: shared by parse.c (text to graphs), chains.c (graphs to threads) and
 * read.c (threads to a trace). */
#ifndef VEF_REPLAY_FORMATS_GOAL_GOAL_H
#define VEF_REPLAY_FORMATS_GOAL_GOAL_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VEF_GOAL_ANY = -1 };

typedef enum vef_goal_kind { VEF_GOAL_SEND, VEF_GOAL_RECEIVE, VEF_GOAL_CALC } vef_goal_kind;

/* A statement of a rank. */
typedef struct vef_goal_node {
    vef_goal_kind kind;
    uint64_t size; /* bytes, or ns */
    int64_t peer;  /* rank, or VEF_GOAL_ANY */
    int64_t tag;   /* or VEF_GOAL_ANY */
    uint8_t cpu, nic;
    uint32_t line;
} vef_goal_node;

/* `node` starts after `on` has ended, or once it has started. */
typedef struct vef_goal_edge {
    uint32_t node, on;
    bool start;
} vef_goal_edge;

typedef struct vef_goal_rank {
    uint32_t rank, ranks;
    vef_goal_node *nodes;
    vef_goal_edge *edges;
    size_t node_count, edge_count, node_capacity, edge_capacity;
} vef_goal_rank;

/* Reads a file and calls back with each rank, in ascending order; its data are valid during the
 * call. Failures name file and line. */
typedef vef_code vef_goal_visit(void *self, const vef_goal_rank *rank, vef_error *error);
vef_code vef_goal_parse(const char *path, vef_goal_visit *visit, void *self, uint64_t *lines,
                        vef_error *error);

/* ---- threads ---- */

typedef enum vef_goal_action_kind {
    VEF_GOAL_POST,    /* a message begins */
    VEF_GOAL_COMPUTE, /* a calc */
    VEF_GOAL_WAIT,    /* for the end of a message, or for a token */
    VEF_GOAL_STARTED, /* what follows in the thread follows from the start of the posts before */
} vef_goal_action_kind;

/* What waits for a node's end, or start. A message's end is its request; a calc's end, and a start,
 * need a token if another thread waits for them. */
typedef struct vef_goal_action {
    vef_goal_action_kind kind;
    uint32_t node;
    bool start;    /* WAIT: for its start */
    uint32_t next; /* of the same thread; UINT32_MAX: the last */
} vef_goal_action;

typedef struct vef_goal_thread {
    uint32_t first, last; /* actions; UINT32_MAX: none */
    uint8_t cpu, nic;     /* of all its statements */
    bool open;            /* ends in posts that any statement with the same dependencies may join */
    uint32_t epoch;       /* how often `waits` has changed */
    size_t waits;         /* all that has passed when it gets here: range in vef_goal_plan.waits */
    size_t wait_count;
} vef_goal_thread;

/* Per node: its thread and position, and what waits for it. */
typedef struct vef_goal_place {
    uint32_t thread, epoch;          /* of the thread, when it was placed */
    bool starts_others;              /* statements depend on its start, */
    bool starts_abroad;              /* some of them on another cpu */
    uint32_t end_waits, start_waits; /* how many actions wait for its end, its start */
    uint32_t waited_in;              /* the first thread that waits for its end; UINT32_MAX */
} vef_goal_place;

typedef struct vef_goal_plan {
    vef_arena arena;
    vef_goal_action *actions;
    size_t action_count, action_capacity;
    vef_goal_thread *threads;
    size_t thread_count, thread_capacity;
    vef_goal_place *places;
    vef_goal_edge *waits;
    size_t wait_count, wait_capacity;
} vef_goal_plan; /* zero-initialised is empty and ready; reused from rank to rank */

/* Divides a rank's graph into threads, in each of which messages are posted, calcs computed and
 * other nodes waited for. VEF_INVALID if its dependencies are cyclic. */
vef_code vef_goal_plan_make(const vef_goal_rank *rank, vef_goal_plan *plan, vef_error *error);
void vef_goal_plan_release(vef_goal_plan *plan);

#endif
