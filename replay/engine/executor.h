/* Executors: strands, which are threads of tasks, and plans of collectives. Their names in
 * messages, the time that they spend, and when they continue. */
#ifndef VEF_REPLAY_ENGINE_EXECUTOR_H
#define VEF_REPLAY_ENGINE_EXECUTOR_H

#include "replay/collectives/plan.h"
#include "replay/engine/engine.h"

/* The call whose plan a run holds, besides its `call`, `comm` and `task`: the next call is often
 * the same and has the same plan. */
typedef struct vef_planned {
    bool valid;
    bool commutative, in_place;
    bool moves;    /* else the call has no plan */
    bool counts;   /* it moves data, by the algorithm of row `algorithm` */
    bool barrier;  /* see vef_describe_algorithm */
    bool fallback; /* see vef_algorithm_falls_back */
    int32_t root;
    uint32_t member; /* rank among all members of the communicator */
    uint32_t algorithm;
    uint64_t bytes, elements;
    uint64_t own_bytes; /* see vef_own_bytes */
} vef_planned;

/* A collective in progress in one task: of the strand in the call, or, if the call only started it,
 * in the background: then it has a separate clock and completes `request`. */
typedef struct vef_plan_run {
    struct {
        vef_step *steps; /* from vef_engine.made, with their `done_ps` */
        size_t count, capacity;
    } plan;
    vef_planned planned;
    uint64_t prefix_ps; /* when the steps of `prefix` were complete */
    uint32_t next;      /* the first step that has not started */
    uint32_t prefix;    /* steps complete without a gap, as far as the next one needs them */
    uint32_t comm;
    uint32_t task;
    uint16_t call;
    bool active;     /* between its start and its last step */
    bool entered;    /* on its communicator: `number` is valid */
    bool paid;       /* the cost of the current step */
    bool queued;     /* has a wake-up; of background plans only */
    uint64_t number; /* of the collective on its communicator */
    /* Of background plans: */
    uint64_t request;
    uint32_t free_steps;   /* the first ones, which need no other step */
    uint32_t strand;       /* the strand that started it */
    uint64_t event_number; /* the event of the strand that started it */
    uint64_t cpu_ps;       /* until when its executor is busy with it */
    bool taken;            /* not free for another */
} vef_plan_run;

/* The plan of a strand, or beside its task, by number. */
static inline vef_plan_run *vef_run_at(const vef_engine *engine, uint32_t who) {
    if (who < engine->strand_count)
        return &engine->runs[who];
    const uint32_t beside = who - engine->strand_count, tasks = engine->source->tasks;
    return &engine->beside[beside / tasks][beside % tasks];
}

/* One past the greatest number. */
static inline uint32_t vef_run_end(const vef_engine *engine) {
    return engine->strand_count + engine->beside_rows * engine->source->tasks;
}

/* ---- names and errors ---- */

/* The name of the event's call: "Send". */
const char *vef_strand_call(const vef_engine *engine, uint32_t strand);
/* "task 3, event 17 (MPI_Recv)", with the thread where the task has several. */
void vef_strand_name(const vef_engine *engine, uint32_t strand, char *text, size_t text_bytes);
/* vef_fail with vef_strand_name and ": " before the message. */
vef_code vef_strand_fail(vef_engine *engine, uint32_t strand, vef_code code, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));
/* vef_strand_fail of the task's strand that is going on, or else of its first. */
vef_code vef_task_fail(vef_engine *engine, uint32_t task, vef_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Records a stall whose reason is known. */
void vef_stall_set(vef_engine *engine, vef_stall stall, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- wake-ups ---- */

/* Queues a strand for the time when its processor is free; does nothing if it is queued or running.
 */
void vef_strand_wake(vef_engine *engine, uint32_t strand);
/* The same for the running strand, which pauses. */
void vef_strand_sleep(vef_engine *engine, uint32_t strand);
/* The same as vef_strand_wake for the executor of a plan. */
void vef_plan_wake(vef_engine *engine, uint32_t who);

/* ---- time ---- */

/* Accounts blocked time up to now: waiting until `since_ps`, communicating from then on. */
void vef_strand_account(vef_engine *engine, uint32_t strand, uint64_t since_ps);
void vef_strand_pay(vef_engine *engine, uint32_t strand, uint64_t ps);
/* Time in local calls passes, if host.outside. */
void vef_strand_pass_outside(vef_engine *engine, uint32_t strand, uint64_t ns);
/* The strand waits until then, which may be in the future; its call continues at its own time. */
void vef_strand_wait_until(vef_engine *engine, uint32_t strand, uint64_t ps);
/* How long that much work, which is ready at `ready_ps`, lasts on the first core to be free of
 * those that all tasks share, with the time until then. Work is not interrupted, and starts in the
 * order of the calls: executors run in the order of time. */
uint64_t vef_core_wait(vef_engine *engine, uint64_t ready_ps, uint64_t ps);
static inline uint64_t vef_core_take(vef_engine *engine, uint64_t ready_ps, uint64_t ps) {
    return engine->core_free_ps && ps > 0 ? vef_core_wait(engine, ready_ps, ps) : ps;
}
/* One need fewer of the current call: the other side was ready since `since_ps`; it costs the
 * strand's processor `cost_ps`. */
void vef_strand_needs_less(vef_engine *engine, uint32_t strand, uint64_t since_ps,
                           uint64_t cost_ps);

static inline bool vef_plan_is_beside(const vef_engine *engine, uint32_t who) {
    return who >= engine->strand_count;
}

/* The executor of a plan is busy for that long. */
static inline void vef_executor_pay(vef_engine *engine, uint32_t who, uint64_t ps) {
    if (ps == 0)
        return;
    if (vef_plan_is_beside(engine, who)) {
        vef_run_at(engine, who)->cpu_ps +=
            vef_core_take(engine, vef_run_at(engine, who)->cpu_ps, ps);
        VEF_REPORT(engine->listeners, spends, who, VEF_SPENT_OVERHEAD,
                   vef_run_at(engine, who)->cpu_ps);
    } else {
        vef_strand_pay(engine, who, ps);
    }
}

/* Whether the steps are complete that the next one needs or, after the last one, all. */
static inline bool vef_plan_may_continue(vef_plan_run *run) {
    const bool started = run->next == run->plan.count;
    const uint32_t needed = started ? (uint32_t)run->plan.count : run->plan.steps[run->next].after;
    for (; run->prefix < needed; run->prefix++) {
        const uint64_t done_ps = run->plan.steps[run->prefix].done_ps;
        if (done_ps == VEF_FOREVER)
            return false;
        if (done_ps > run->prefix_ps)
            run->prefix_ps = done_ps;
    }
    return true;
}

#endif
