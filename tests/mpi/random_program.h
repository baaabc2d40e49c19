/* What the parts of the random program share: see random_program.c. */
#ifndef VEF_TESTS_MPI_RANDOM_PROGRAM_H
#define VEF_TESTS_MPI_RANDOM_PROGRAM_H

#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_TASKS = 16,
    MOST_COMMS = 12,
    MOST_WINDOWS = 3,
    MOST_PENDING = 256,
    MOST_FUTURE = 256,
    MOST_LASTING = 16,
    FOREVER = 1 << 30, /* a step after the last one */
    LARGE = 200000,    /* bytes: longer than any eager limit */
    POOL = 1 << 26,
};

typedef struct group {
    MPI_Comm comm;
    int used, size, rank;  /* rank: -1 where this task is no member */
    int tasks[MOST_TASKS]; /* world rank of each member */
    int busy_until;        /* the last step that has a message on it */
} group;

typedef struct window {
    MPI_Win win;
    int used, group;
    int lock_all; /* tasks may lock all targets at once */
    char *base;
} window;

/* A request that this task has to complete; not before step `ready`, when the other side has begun.
 */
typedef struct pending {
    MPI_Request request;
    int ready, is_send, lasting; /* lasting: index of a persistent request, else -1 */
} pending;

/* One side of a message that is due in a later step. */
typedef struct future {
    int step, group, task, other, tag, bytes, is_send, how, ready; /* ranks in the group */
} future;

/* A persistent request, the same place in both tasks that have a side of it. */
typedef struct lasting {
    MPI_Request request;
    int used, mine, other_started; /* other_started: the last step that started it */
    int from, to;                  /* world ranks */
    int collective, group;
    int active;
} lasting;

typedef struct program {
    uint64_t shared, own; /* states of the random streams: that of all tasks, that of this task */
    int task, tasks, step, steps;
    int kill_at, calls; /* the call, counted from 1, at which this task dies; 0: none */
    int recording, depth, fill;
    group groups[MOST_COMMS];
    window windows[MOST_WINDOWS];
    pending pending[MOST_PENDING];
    int pending_count;
    future future[MOST_FUTURE];
    int future_count;
    lasting lasting[MOST_LASTING];
    char *pool;
    size_t pool_at;
} program;

static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
/* A number below `n`: equal in all tasks, which must all draw it; or of this task alone. */
static inline int pick(program *p, int n) {
    return (int)(next_random(&p->shared) % (uint64_t)n);
}
static inline int own(program *p, int n) {
    return (int)(next_random(&p->own) % (uint64_t)n);
}

/* Around every MPI call: at the one that was chosen the task kills itself. */
static inline void count_call(program *p) {
    if (++p->calls == p->kill_at)
        raise(SIGKILL);
}
static inline void expect_success(const program *p, const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    /* MPICH 4.0.2's MPI_Testall gives the latter for persistent collectives and partitioned
     * requests that it has completed. */
    if (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS)
        return;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "task %d, step %d: %s: %s\n", p->task, p->step, call, text);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
#define DO(call) (count_call(p), expect_success(p, #call, (call)))
/* A loop of tests is one call, however often it goes round. */
#define UNTIL(done, call)                                                                          \
    do {                                                                                           \
        count_call(p);                                                                             \
        while (!(done))                                                                            \
            expect_success(p, #call, (call));                                                      \
    } while (0)

/* Memory of `bytes` that no other request under way uses. */
static inline char *room(program *p, size_t bytes) {
    if (p->pool_at + bytes > POOL)
        p->pool_at = 0;
    char *cursor = p->pool + p->pool_at;
    p->pool_at += (bytes + 63) & ~(size_t)63;
    return cursor;
}

/* random_program.c */
int pick_group(program *p, int least);
void wait_later(program *p, MPI_Request request, int ready, int is_send, int which);
void finish(program *p, MPI_Request *request);

/* random_groups.c: collectives, communicators, windows. */
void collective(program *p);
void persistent_collective(program *p);
void communicator(program *p);
void topology(program *p);
void between_groups(program *p);
void window_step(program *p);
void free_groups(program *p);

#endif
