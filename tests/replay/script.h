/* Traces written in a test: events in memory, as a source of a replay. Ordinals and requests are
 * counted as a merge would count them, and ticks as if a task's calls followed each other as they
 * are said, unless a test says otherwise. */
#ifndef VEF_TESTS_REPLAY_SCRIPT_H
#define VEF_TESTS_REPLAY_SCRIPT_H

#include "replay/explain/time_record.h"
#include "replay/replay.h"
#include "replay/source.h"
#include "replay/state/sim_time.h"

enum { SCRIPT_TASKS = 32, SCRIPT_COMMS = 8, SCRIPT_THREADS = 8 };

typedef struct script_thread {
    struct script_event *first, **next, *current; /* a list, its end, and where the replay is */
    vef_event *last;
} script_thread;

typedef struct script_task {
    script_thread thread[SCRIPT_THREADS];
    uint32_t threads; /* 1, until more are said */
    uint32_t speaker; /* the thread that what is said next is of */
    uint64_t requests, ticks;
    vef_log_end end;
} script_task;

typedef struct script {
    vef_source source; /* first: the address of a script is that of its source */
    script_task task[SCRIPT_TASKS];
    uint64_t sent[SCRIPT_TASKS][SCRIPT_TASKS], received[SCRIPT_TASKS][SCRIPT_TASKS];
    vef_communicator comms[SCRIPT_COMMS];
    uint32_t members[SCRIPT_COMMS][SCRIPT_TASKS];
    vef_arena arena;
} script;

/* A script of `tasks` tasks without events; communicator 0 is the world. */
script *script_new(uint32_t tasks);
void script_free(script *self);
uint32_t script_comm(script *self, uint32_t count, const uint32_t *members);

/* What is said of the task from now on is of this thread. */
void script_thread_of(script *self, uint32_t task, uint32_t thread);
/* Changes when a call was entered and left; later ones count on from the greatest so far. */
void script_ticks(script *self, uint32_t task, vef_event *event, uint64_t entered, uint64_t left);

/* What was said last of a thread. */
vef_event *script_last(script *self, uint32_t task, uint32_t thread);

/* Appends a copy of an event with its lists; returns it for changes. */
vef_event *say(script *self, uint32_t task, const vef_event *event);
/* Messages. Immediate calls return their request. Flags beyond the direction: VEF_OP_SYNCHRONOUS …
 */
vef_event *say_send(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                    uint16_t flags);
vef_event *say_receive(script *self, uint32_t task, uint64_t gap, uint32_t from);
uint64_t say_isend(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                   uint16_t flags);
uint64_t say_ireceive(script *self, uint32_t task, uint64_t gap, uint32_t from);
vef_event *say_sendrecv(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                        uint32_t from);
/* A start of a Psend_init or Precv_init; the ready call with or without VEF_EVENT_LAST. */
uint64_t say_partitioned(script *self, uint32_t task, uint64_t gap, uint32_t peer, uint64_t bytes,
                         bool send);
vef_event *say_ready(script *self, uint32_t task, uint64_t gap, uint64_t request, bool last);
uint64_t say_isendrecv(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                       uint32_t from);
/* Grequest_start, and Grequest_complete. */
uint64_t say_generalised(script *self, uint32_t task, uint64_t gap);
vef_event *say_generalised_end(script *self, uint32_t task, uint64_t gap, uint64_t request);
vef_event *say_wait(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t count,
                    const uint64_t *requests);
vef_event *say_collective(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t comm,
                          int32_t root, uint64_t bytes);
/* A collective that the call only starts (Ibarrier, or a start of Barrier_init); returns its
 * request.
 */
uint64_t say_icollective(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t comm,
                         int32_t root, uint64_t bytes);
/* An operation on a window, which is any communicator; R… calls take the next request. */
vef_event *say_one_sided(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t window,
                         uint32_t target, uint64_t bytes);
/* A synchronisation of a window, about `count` tasks. */
vef_event *say_sync(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t window,
                    uint32_t count, const int32_t *peers);
vef_event *say_poll(script *self, uint32_t task, uint64_t gap, vef_call call, uint64_t repeats);
vef_event *say_local(script *self, uint32_t task, uint64_t gap, vef_call call);
void say_finalize_all(script *self);

/* The operation of an event that say_… returned, for changes. */
vef_operation *operation_of(vef_event *event, uint32_t index);

/* A time of a result in ns, of which it is a whole number: as are cycles of the networks below. */
uint64_t ns_of(uint64_t ps);

/* Networks by YAML text, with cycles of 1 ns; a model built anew at every replay. */
extern const char script_ideal[], script_pair[], script_mesh[], script_flow[], script_rtt[];

/* Replays the script from its start with task t at endpoint t (or `mapping`); the test fails when
 * the replay cannot be run. Checks what holds for every result: the parts of each task's time add
 * up, and message counts agree. The result is released by the caller. */
vef_replay_result replay_of(script *self, const char *network, const vef_replay_options *options,
                            const uint32_t *mapping);
/* Replays it without and with a record of where time goes, which the caller releases; checks that
 * both have the same results, and that the record adds up. replay_of does so for every replay. */
void script_record(script *self, const char *network, const vef_replay_options *options,
                   const uint32_t *mapping, vef_time_record *record);
/* As replay_of, on a network that the caller holds; returns the code. */
vef_code replay_on(script *self, vef_netmodel *network, const vef_replay_options *options,
                   const uint32_t *mapping, vef_replay_result *result, vef_error *error);
/* The same by `count` ranks (netmodel/ranks.h), each on its part of a network of this text: a
 * result, a code and an error for each, of which the caller releases the first. */
typedef struct script_rank {
    vef_code code;
    vef_error error;
    vef_replay_result result;
} script_rank;
void replay_on_ranks(script *self, const char *network, uint32_t count,
                     const vef_replay_options *options, const uint32_t *mapping,
                     script_rank *ranks);
/* How many replays were divided among parts of their network, by threads or by ranks, and the same
 * as those that were not. */
extern unsigned scripts_divided;
/* The time of a replay that must reach the end. */
uint64_t time_of(script *self, const char *network, const vef_replay_options *options);

#endif
