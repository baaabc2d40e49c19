/* The main loop of a replay: threads of tasks and background plans that are due continue in order
 * of their number, then the network advances to the next wake-up or delivery, whichever is first,
 * and the threads and plans concerned continue. */
#include "common/memory.h"
#include "common/prefetch.h"
#include "replay/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    LEAST_STEP = 1024, /* units of the network's time between two readings of the clock */
    EVENT_BYTES = 128, /* of an event that most calls need */
};

/* Prefetches what a strand needs besides its own fields. */
static void prefetch_near(const vef_engine *engine, uint32_t who) {
    vef_prefetch(engine->strands[who].event, EVENT_BYTES);
    vef_prefetch(&engine->tasks[who], sizeof *engine->tasks);
    engine->source->prefetch(engine->source, who, 0, true);
}

static void prefetch_far(const vef_engine *engine, uint32_t who) {
    vef_prefetch(&engine->strands[who], sizeof *engine->strands);
    engine->source->prefetch(engine->source, who, 0, false);
}

/* The same for tasks that run ahead, in the order of their numbers. */
static void look_ahead_of(const vef_engine *engine, uint32_t who) {
    enum { NEAR = 2, FAR = 6 };
    if (who + FAR < engine->strand_count && vef_wakeups_is_due(&engine->wakeups, who + FAR))
        prefetch_far(engine, who + FAR);
    if (who + NEAR < engine->strand_count && vef_wakeups_is_due(&engine->wakeups, who + NEAR))
        prefetch_near(engine, who + NEAR);
}

/* Prefetches what the threads need whose turn comes soon: first the strand and its stream, later
 * what these point to. */
static void look_ahead(vef_engine *engine) {
    enum { NEAR = 4 }; /* at most; a time may have more wake-ups than the one before */
    uint32_t who = vef_wakeups_far(&engine->wakeups);
    if (who < engine->strand_count)
        prefetch_far(engine, who);
    for (unsigned i = 0; i < NEAR; i++) {
        who = vef_wakeups_near(&engine->wakeups);
        if (who >= engine->strand_count)
            return;
        prefetch_near(engine, who);
    }
}

static uint32_t task_of(const vef_engine *engine, uint32_t who) {
    return who < engine->strand_count ? engine->strands[who].task : engine->runs[who].task;
}

static vef_code run_due(vef_engine *engine) {
    const uint64_t due_ps = engine->now_ps; /* a strand that runs ahead changes it */
    engine->event_ps = due_ps;
    while (vef_wakeups_first(&engine->wakeups) <= due_ps) {
        uint32_t who = vef_wakeups_pop(&engine->wakeups).who;
        if (engine->looks_ahead && engine->ahead)
            look_ahead_of(engine, who);
        else if (engine->looks_ahead)
            look_ahead(engine);
        if (engine->loggops)
            vef_processors_turn(engine, task_of(engine, who));
        vef_code code = who < engine->strand_count ? vef_strand_run(engine, who)
                                                   : vef_plan_run_beside(engine, who);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
            return code;
    }
    if (engine->loggops)
        vef_processors_turn(engine, UINT32_MAX);
    return VEF_OK;
}

/* The number of unfinished tasks. */
static uint32_t running_tasks(const vef_engine *engine) {
    uint32_t count = 0;
    for (uint32_t task = 0; task < engine->source->tasks; task++)
        count += engine->tasks[task].ended < engine->tasks[task].strand_count;
    return count;
}

/* The number of events would not change while a few huge messages move, so the simulated time is
 * shown too.
 */
static void report_progress(vef_engine *engine) {
    vef_progress *progress = engine->progress;
    if (!vef_progress_due(progress))
        return;
    const uint64_t network = engine->network->kind->now(engine->network);
    const uint64_t ps = engine->ahead ? engine->wakeups.now_ps << engine->time_shift
                                      : vef_net_clock_ps(&engine->clock, network);
    snprintf(progress->detail, sizeof progress->detail, "%.6f s simulated", 1e-12 * (double)ps);
    vef_progress_update(progress, engine->result->events, engine->source->events);
}

/* The network's `advance`, up to `limit_ps`. With progress display it advances in steps whose
 * length adapts to their duration: the network may be busy for hours before a delivery. Deliveries
 * do not depend on the steps. */
static vef_code advance(vef_engine *engine, uint64_t limit_ps, const vef_net_delivery **deliveries,
                        size_t *count) {
    const vef_netmodel_kind *kind = engine->network->kind;
    const uint64_t limit = vef_net_clock_until(&engine->clock, limit_ps);
    vef_code code = VEF_OK;
    if (!engine->progress || !engine->progress->shown)
        return kind->advance(engine->network, limit, deliveries, count, engine->error);
    uint64_t step = LEAST_STEP, until;
    do {
        uint64_t now = kind->now(engine->network);
        until = now < limit && step < limit - now ? now + step : limit;
        code = kind->advance(engine->network, until, deliveries, count, engine->error);
        if (code != VEF_OK || *count > 0)
            return code;
        if (vef_progress_due(engine->progress)) {
            report_progress(engine);
            step = step / 4 > LEAST_STEP ? step / 4 : LEAST_STEP;
        }
        step *= 2;
    } while (until < limit);
    return code;
}

vef_code vef_engine_catch_up(vef_engine *engine) {
    const vef_net_delivery *deliveries;
    size_t count;
    if (engine->network->kind->now(engine->network) >=
        vef_net_clock_until(&engine->clock, engine->now_ps))
        return VEF_OK;
    return advance(engine, engine->now_ps, &deliveries, &count);
}

vef_code vef_engine_enter(vef_engine *engine, vef_net_message *message, uint64_t time_ps) {
    const vef_netmodel_kind *kind = engine->network->kind;
    const vef_net_clock *clock = &engine->clock;
    message->time_cycles = vef_net_clock_from(clock, time_ps);
    if (clock->parts > clock->ps && message->time_cycles < kind->now(engine->network))
        message->time_cycles = kind->now(engine->network); /* in the same ps */
    VEF_REPORT(engine->listeners, injects, message, engine->now_ps,
               vef_net_clock_ps(clock, message->time_cycles), VEF_FOREVER);
    return kind->inject(engine->network, message, engine->error);
}

/* The same as vef_engine_next, without the gate. */
static uint64_t own_next(const vef_engine *engine) {
    const uint64_t wakeup_ps = vef_wakeups_first(&engine->wakeups);
    const uint64_t pending_ps = vef_pending_time(&engine->hosts.pending);
    const uint64_t job_ps = engine->loggops ? vef_processors_first(engine) : VEF_NO_WAKEUP;
    const uint64_t first_ps = job_ps < wakeup_ps ? job_ps : wakeup_ps;
    return pending_ps < first_ps ? pending_ps : first_ps;
}

uint64_t vef_engine_next(const vef_engine *engine) {
    const uint64_t own_ps = own_next(engine);
    const uint64_t gate_ps = engine->gate ? engine->gate->next(engine->gate->context) : VEF_FOREVER;
    return gate_ps < own_ps ? gate_ps : own_ps;
}

/* Nothing happens until `limit_ps`: `first_ps`, the time of the first wake-up or pending
 * delivery, the time limit, or the end of this part of the replay. */
static void pass_time(vef_engine *engine, uint64_t limit_ps, uint64_t first_ps) {
    const uint64_t last = engine->options->limit_ps;
    if (limit_ps > engine->now_ps)
        engine->now_ps = limit_ps;
    if (limit_ps == last && first_ps > last)
        vef_stall_set(engine, VEF_STALL_TIME_LIMIT,
                      "the time limit of %.15g ns was reached with %u of %u tasks still running",
                      (double)last / VEF_PS_PER_NS, running_tasks(engine), engine->source->tasks);
}

typedef enum outcome {
    GOES_ON,
    PASSED, /* nothing is left to do up to the end of this part of the replay */
    STUCK,  /* nothing will ever continue */
} outcome;

/* Without deliveries up to `limit_ps`; `first_ps` is vef_engine_next. The gate acts after
 * everything else of that time. */
static vef_code nothing_until(vef_engine *engine, uint64_t limit_ps, uint64_t first_ps,
                              uint64_t until_ps, outcome *result) {
    vef_code code = VEF_OK;
    pass_time(engine, limit_ps, first_ps);
    if (engine->gate && engine->result->stall == VEF_STALL_NONE &&
        own_next(engine) > engine->now_ps)
        code = vef_gate_run(engine);
    *result = limit_ps == until_ps && vef_engine_next(engine) > until_ps ? PASSED : GOES_ON;
    return code;
}

/* Advances the network, at most to `until_ps`, and processes its deliveries. */
static vef_code run_network(vef_engine *engine, uint64_t until_ps, outcome *result) {
    const uint64_t last = engine->options->limit_ps;
    const uint64_t first_ps = vef_engine_next(engine);
    *result = GOES_ON;
    if (vef_pending_time(&engine->hosts.pending) <= engine->now_ps)
        return vef_hosts_deliver(engine);
    uint64_t limit = first_ps < last ? first_ps : last;
    limit = until_ps < limit ? until_ps : limit;
    if (engine->in_flight == engine->hosts.pending.count) {
        if (first_ps != VEF_NO_WAKEUP)
            return nothing_until(engine, limit, first_ps, until_ps, result);
        *result = STUCK;
        return VEF_OK;
    }
    const vef_net_delivery *deliveries;
    size_t count;
    vef_code code = advance(engine, limit, &deliveries, &count);
    if (code != VEF_OK)
        return code;
    char text[2];
    if (vef_netmodel_deadlock(engine->network, text, sizeof text) ||
        (count == 0 && limit == VEF_FOREVER))
        *result = STUCK;
    if (count == 0)
        return *result == STUCK ? VEF_OK : nothing_until(engine, limit, first_ps, until_ps, result);
    engine->now_ps = vef_net_clock_ps(&engine->clock, deliveries[0].time_cycles);
    for (size_t i = 0; i < count && code == VEF_OK; i++) {
        VEF_REPORT(engine->listeners, delivers, &deliveries[i], engine->now_ps);
        code = engine->hosts.plain ? vef_transfer_delivered(engine, &deliveries[i])
                                   : vef_hosts_receive(engine, &deliveries[i]);
    }
    return code;
}

/* Starts the jobs of this time one by one; but a message that takes no time may arrive before the
 * next one. */
static vef_code run_jobs(vef_engine *engine) {
    return vef_processors_run(engine);
}

bool vef_engine_ended(const vef_engine *engine) {
    return engine->ended == engine->strand_count &&
           (!engine->loggops ||
            (engine->in_flight == 0 && vef_processors_first(engine) == VEF_NO_WAKEUP));
}

/* A packet crosses a link of the network. */
static void report_crossing(void *context, uint32_t router, uint32_t port, uint64_t id,
                            uint64_t phits) {
    const vef_engine *engine = context;
    VEF_REPORT(engine->listeners, crosses, router, port, id, phits);
}

/* Watches the links of the network if a listener wants to know about them. */
static void watch_links(vef_engine *engine) {
    const vef_listener *listener = engine->listeners;
    while (listener && !listener->crosses)
        listener = listener->next;
    if (!listener || !engine->network->kind->watch)
        return;
    engine->watch = (vef_net_watch){engine, report_crossing};
    engine->network->kind->watch(engine->network, &engine->watch);
}

/* Reports the threads of the tasks. */
static void report_shape(const vef_engine *engine) {
    if (!engine->listeners)
        return;
    const uint32_t strands = engine->strand_count;
    uint32_t *task_of = vef_malloc((strands ? strands : 1) * sizeof *task_of);
    for (uint32_t strand = 0; strand < strands; strand++)
        task_of[strand] = engine->strands[strand].task;
    const vef_replay_shape shape = {engine->network, engine->source->tasks, strands, task_of};
    VEF_REPORT(engine->listeners, begins, &shape);
    free(task_of);
}

void vef_engine_begin(vef_engine *engine) {
    report_shape(engine);
    watch_links(engine);
    if (engine->gate) {
        vef_gate_close(engine);
        return;
    }
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        vef_strand_wake(engine, strand);
}

vef_code vef_engine_run(vef_engine *engine, uint64_t until_ps) {
    for (unsigned rounds = 1;; rounds++) {
        vef_code code = run_due(engine);
        outcome result;
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE || vef_engine_ended(engine))
            return code;
        code = run_network(engine, until_ps, &result);
        if (code == VEF_OK && engine->loggops && result != STUCK)
            code = run_jobs(engine);
        if (code == VEF_OK && result == STUCK && engine->ahead)
            engine->result->stall = VEF_STALL_TASK_CYCLE; /* of any kind: it will be repeated */
        else if (code == VEF_OK && result == STUCK && engine->result->stall == VEF_STALL_NONE)
            code = vef_stall_diagnose(engine);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE || result == PASSED)
            return code;
        if (engine->progress && rounds % 64 == 0)
            report_progress(engine);
    }
}
