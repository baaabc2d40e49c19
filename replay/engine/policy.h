/* The time policies of a replay: in which order its executors run, and what their messages cost.
 * One is in force at a time.
 *
 * Plain order: executors run in the order of time. A strand's `cpu_ps` is the time up to which its
 * processor is accounted for: it grows by computation, by time outside, by overheads, and by
 * blocked time, so its `times` sum to it exactly.
 *
 * Ahead: on a network in which messages take no time (vef_netmodel_kind's `pass`) a task goes on
 * from event to event without regard to the times of others, until it needs something that has not
 * happened yet. Each completion has the time at which the later side was ready, so results do not
 * depend on the order in which tasks run. Within VEF_NS_AHEAD they run in the order of their
 * numbers, again and again, for at most VEF_EVENTS_AHEAD events each; so the messages that are sent
 * and not yet received are few, as in the order of time. There are no network deliveries and few
 * wake-ups, and what a task needs is in the caches, or follows what they have. vef_replay_source
 * decides which replays can do that; one that stalls or fails is repeated in plain order.
 *
 * Processors: on a network with costs of hosts (vef_netmodel.loggops) every computation, send and
 * arrival is a job that needs a processor (processor.c). */
#ifndef VEF_REPLAY_ENGINE_POLICY_H
#define VEF_REPLAY_ENGINE_POLICY_H

#include "common/status.h"
#include "replay/state/match.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_engine vef_engine;

/* A send or a receive that becomes a job; when it is complete `token` is. `number` orders it among
 * jobs that become ready at once. The strand's next computation waits for the start of a `beside`
 * one. */
typedef struct vef_queued_message {
    vef_transfer_key key;
    uint64_t bytes, token, number;
    uint16_t operation_flags;
    bool send, beside;
} vef_queued_message;

/* Functions that are NULL do nothing, or leave the caller to do it at once. */
typedef struct vef_time_policy {
    bool ahead; /* messages take no time, and executors have times of their own */
    bool loops; /* messages of a task to itself enter the network, as in LogGOPSim */

    /* The wake-up of an executor that is accounted for up to `cpu_ps`; NULL: then. */
    uint64_t (*wakeup_ps)(const vef_engine *engine, uint64_t cpu_ps);
    /* An executor that is accounted for up to `cpu_ps` continues, and pauses. */
    void (*resume)(vef_engine *engine, uint64_t cpu_ps);
    void (*suspend)(vef_engine *engine);
    /* Prefetches for strands whose turn is soon; `who` is running. */
    void (*look_ahead)(vef_engine *engine, uint32_t who);

    /* The next executor is of that task; UINT32_MAX: no other one is due now. */
    void (*turn)(vef_engine *engine, uint32_t task);
    /* Starts or postpones the first job if its time, engine->job_ps, has come. */
    vef_code (*run)(vef_engine *engine);

    /* The strand has fetched an event: waits until its earlier messages have started, unless the
     * event only starts messages or waits, then computes the event's gap. `*pause`: it waits. */
    void (*approach)(vef_engine *engine, uint32_t strand, bool *pause);
    /* Makes a job of an operation. */
    void (*queue)(vef_engine *engine, uint32_t strand, const vef_queued_message *message);
    /* Makes a job of the next step of the plan `who`: a send of so many bytes (`local`: to a task
     * of the same endpoint), or else a computation of so many ps. */
    void (*queue_step)(vef_engine *engine, uint32_t who, bool send, bool local, uint64_t amount);
    /* A message leaves, from the job that has just started; arrives, to be handled by a job; or has
     * matched: the sender of a rendezvous has been idle until now. */
    void (*departs)(vef_engine *engine, uint32_t record);
    void (*arrives)(vef_engine *engine, uint32_t record);
    void (*matched)(vef_engine *engine, uint32_t record);

    /* Overhead in the last `ps` before now on the processor of the strand. */
    uint64_t (*overhead)(vef_engine *engine, uint32_t strand, uint64_t ps);
    /* Whether the task has several processors; when the last job of all of them ends. */
    bool (*several)(const vef_engine *engine, uint32_t task);
    uint64_t (*busy_until)(const vef_engine *engine, uint32_t task);
} vef_time_policy;

/* What the plain policy prefetches. */
void vef_look_ahead(vef_engine *engine, uint32_t who);

extern const vef_time_policy vef_policy_plain, vef_policy_ahead; /* order.c */
extern const vef_time_policy vef_policy_processors;              /* processor.c */

#endif
