/* The main loop of a replay: threads of tasks and background plans that are due continue in order
 * of their number, then the network advances to the next wake-up or delivery, whichever is first,
 * and the threads and plans concerned continue. */
#include "replay/engine/loop.h"

#include "common/memory.h"
#include "replay/engine/collective.h"
#include "replay/engine/hosts.h"
#include "replay/engine/letters.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/strand.h"
#include "replay/engine/transfer.h"

#include <stdlib.h>

static uint32_t task_of(const vef_engine *engine, uint32_t who) {
    return who < engine->strand_count ? engine->strands[who].task : vef_run_at(engine, who)->task;
}

static vef_code run_due(vef_engine *engine) {
    const uint64_t due_ps = engine->now_ps; /* a strand that runs ahead changes it */
    engine->event_ps = due_ps;
    while (vef_wakeups_first(&engine->wakeups) <= due_ps) {
        uint32_t who = vef_wakeups_pop(&engine->wakeups).who;
        if (engine->looks_ahead)
            engine->policy.look_ahead(engine, who);
        if (engine->policy.turn)
            engine->policy.turn(engine, task_of(engine, who));
        vef_code code = who < engine->strand_count ? vef_strand_run(engine, who)
                                                   : vef_plan_run_beside(engine, who);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
            return code;
    }
    if (engine->policy.turn)
        engine->policy.turn(engine, UINT32_MAX);
    return VEF_OK;
}

/* The number of unfinished tasks. */
static uint32_t running_tasks(const vef_engine *engine) {
    uint32_t count = 0;
    for (uint32_t task = 0; task < engine->source->tasks; task++)
        count += engine->tasks[task].ended < engine->tasks[task].strand_count;
    return count;
}

/* The same as vef_engine_next, without the gate. */
static uint64_t own_next(const vef_engine *engine) {
    const uint64_t wakeup_ps = vef_wakeups_first(&engine->wakeups);
    const uint64_t pending_ps = vef_pending_time(&engine->hosts.pending);
    const uint64_t first_ps = engine->job_ps < wakeup_ps ? engine->job_ps : wakeup_ps;
    return pending_ps < first_ps ? pending_ps : first_ps;
}

uint64_t vef_engine_next(const vef_engine *engine) {
    const uint64_t own_ps = own_next(engine);
    const uint64_t gate_ps = engine->gate ? engine->gate->next(engine->gate->context) : VEF_FOREVER;
    return gate_ps < own_ps ? gate_ps : own_ps;
}

/* Lets all strands wait for the gate. */
static void close_gate(vef_engine *engine) {
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        engine->strands[strand].stage = VEF_STAGE_UNSTARTED;
}

static vef_code start_task(vef_engine *engine, uint32_t task) {
    vef_task *state = &engine->tasks[task];
    state->start_ps = engine->now_ps;
    for (uint32_t i = 0; i < state->strand_count; i++) {
        engine->strands[state->first_strand + i].stage = VEF_STAGE_FETCH;
        engine->strands[state->first_strand + i].cpu_ps = engine->now_ps;
        VEF_REPORT(engine->listeners, starts, state->first_strand + i, engine->now_ps);
        vef_strand_wake(engine, state->first_strand + i);
    }
    return vef_hosts_place(engine, task);
}

/* Lets the gate act, if it wants to now. Not inlined: its callers pass here in each step. */
__attribute__((noinline)) static vef_code run_gate(vef_engine *engine) {
    const vef_replay_gate *gate = engine->gate;
    vef_code code = VEF_OK;
    while (code == VEF_OK && gate->next(gate->context) <= engine->now_ps) {
        vef_gate_start start = {0};
        code = gate->act(gate->context, engine->now_ps, &start, engine->error);
        if (start.count == 0)
            continue;
        vef_store_put(engine->store, engine->broadcasts.places, engine->source->tasks,
                      sizeof *engine->broadcasts.places); /* they are listed again */
        engine->broadcasts.places = NULL;
        engine->event_ps = engine->now_ps;
        for (uint32_t i = 0; i < start.count && code == VEF_OK; i++)
            code = start_task(engine, start.first + i);
    }
    return code;
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
        code = run_gate(engine);
    *result = limit_ps == until_ps && vef_engine_next(engine) > until_ps ? PASSED : GOES_ON;
    return code;
}

/* A message of the network has arrived. */
static vef_code arrive(vef_engine *engine, const vef_net_delivery *delivery) {
    const uint64_t number = delivery->id / VEF_MESSAGE_PARTS;
    const unsigned part = delivery->id % VEF_MESSAGE_PARTS;
    if (vef_is_letter(number))
        return vef_transfer_by_letter(engine, number, part, delivery->confirmation);
    if (part == VEF_MESSAGE_BROADCAST) {
        return vef_broadcast_delivered(engine, (uint32_t)number, delivery->endpoint);
    }
    return part == VEF_MESSAGE_ONE_SIDED ? vef_one_sided_delivered(engine, number)
                                         : vef_transfer_delivered(engine, (uint32_t)number, part);
}

/* Processes a delivery of the network, at once or when its interface is free. */
static vef_code receive(vef_engine *engine, const vef_net_delivery *delivery) {
    vef_hosts *nodes = &engine->hosts;
    if (nodes->gap_ps && delivery->endpoint != VEF_TO_ALL) {
        uint64_t *from = &nodes->receives_from[delivery->endpoint];
        const uint64_t time = *from > engine->now_ps ? *from : engine->now_ps;
        *from = time + nodes->gap_ps;
        if (time > engine->now_ps) {
            vef_pending_add(&nodes->pending, time, delivery->id, delivery->endpoint);
            return VEF_OK;
        }
    }
    return arrive(engine, delivery);
}

vef_code vef_engine_deliver(vef_engine *engine, const vef_net_delivery *deliveries, size_t count) {
    vef_code code = VEF_OK;
    engine->now_ps = vef_net_clock_ps(&engine->clock, deliveries[0].time_cycles);
    for (size_t i = 0; i < count && code == VEF_OK; i++) {
        VEF_REPORT(engine->listeners, delivers, &deliveries[i], engine->now_ps);
        code =
            engine->hosts.plain ? arrive(engine, &deliveries[i]) : receive(engine, &deliveries[i]);
    }
    return code;
}

/* Processes the deliveries that are pending up to now. */
static vef_code deliver_pending(vef_engine *engine) {
    vef_pending *pending = &engine->hosts.pending;
    vef_code code = VEF_OK;
    while (code == VEF_OK && vef_pending_time(pending) <= engine->now_ps) {
        const uint32_t endpoint = vef_pending_note(pending);
        const uint64_t id = vef_pending_take(pending);
        const vef_net_delivery delivery = {.id = id, .endpoint = endpoint};
        code = arrive(engine, &delivery);
    }
    return code;
}

/* Advances the network, at most to `until_ps`, and processes its deliveries. A part of a replay
 * receives them without that (parts.c). */
static vef_code run_network(vef_engine *engine, uint64_t until_ps, outcome *result) {
    const uint64_t last = engine->options->limit_ps;
    const uint64_t first_ps = vef_engine_next(engine);
    *result = GOES_ON;
    if (vef_pending_time(&engine->hosts.pending) <= engine->now_ps)
        return deliver_pending(engine);
    uint64_t limit = first_ps < last ? first_ps : last;
    limit = until_ps < limit ? until_ps : limit;
    if (engine->letters || engine->in_flight == engine->hosts.pending.count) {
        if (engine->letters || first_ps != VEF_NO_WAKEUP)
            return nothing_until(engine, limit, first_ps, until_ps, result);
        *result = STUCK;
        return VEF_OK;
    }
    const vef_net_delivery *deliveries;
    size_t count;
    vef_code code = vef_engine_advance(engine, limit, &deliveries, &count);
    if (code != VEF_OK)
        return code;
    char text[2];
    if (vef_netmodel_deadlock(engine->network, text, sizeof text) ||
        (count == 0 && limit == VEF_FOREVER))
        *result = STUCK;
    if (count == 0)
        return *result == STUCK ? VEF_OK : nothing_until(engine, limit, first_ps, until_ps, result);
    return vef_engine_deliver(engine, deliveries, count);
}

bool vef_engine_ended(const vef_engine *engine) {
    return engine->ended == engine->strand_count &&
           (!engine->policy.run || (engine->in_flight == 0 && engine->job_ps == VEF_NO_WAKEUP));
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
        close_gate(engine);
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
        if (code == VEF_OK && engine->policy.run && result != STUCK)
            code = engine->policy.run(engine);
        if (code == VEF_OK && result == STUCK && engine->policy.ahead)
            engine->result->stall = VEF_STALL_TASK_CYCLE; /* of any kind: it will be repeated */
        else if (code == VEF_OK && result == STUCK && engine->result->stall == VEF_STALL_NONE)
            code = vef_stall_diagnose(engine);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE || result == PASSED)
            return code;
        if (engine->progress && rounds % 64 == 0)
            vef_engine_report_progress(engine);
    }
}
