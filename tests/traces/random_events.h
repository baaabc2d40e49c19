/* Random events of every kind, for properties of the coding. */
#ifndef VEF_TESTS_RANDOM_EVENTS_H
#define VEF_TESTS_RANDOM_EVENTS_H

#include "common/rng.h"
#include "traces/event.h"

enum { RANDOM_LIST = 40 };

typedef struct random_task {
    vef_rng rng;
    uint32_t tasks, comms;
    bool log; /* log form: wildcards, fields of completions, muted */
    uint64_t started;
    uint32_t threads; /* of which events are, by chance; 0: of thread 0, with times outside never */
    uint64_t ticks;   /* of the counter that orders them */
    uint32_t sites;   /* of calls, by chance; 0: none */
    vef_event event;
    vef_operation operations[RANDOM_LIST];
    vef_completion completions[RANDOM_LIST];
    uint64_t sends[RANDOM_LIST], receives[RANDOM_LIST];
    int32_t peers[RANDOM_LIST];
} random_task;

/* The next event; lists last until the call after. Vectors have `tasks` entries (RANDOM_LIST at
 * most), completions name requests that were started. */
const vef_event *random_event(random_task *task);

/* What draws the events of task `number`, of three threads, in a trace of two communicators. */
random_task trace_task(uint64_t seed, uint32_t number, uint32_t tasks);

#endif
