/* The loop of a replay: tasks that are due go on in order of their number, then the network runs to
 * the next wake-up or the next delivery, whichever is first, and whoever was told goes on. */
#include "replay/engine.h"

#include <stdlib.h>
#include <string.h>

vef_replay_options vef_replay_defaults(void) {
    return (vef_replay_options){.eager_bytes = 64 * 1024,
                                .control_bytes = 32,
                                .compute_scale = 1,
                                .poll_gap_ns = VEF_SPIN_NS,
                                .limit_cycles = VEF_FOREVER};
}

void vef_replay_result_release(vef_replay_result *result) {
    free(result->task);
    *result = (vef_replay_result){0};
}

static void release(vef_engine *engine) {
    for (uint32_t i = 0; engine->tasks && i < engine->source->tasks; i++) {
        vef_task *task = &engine->tasks[i];
        vef_requests_release(&task->requests);
        vef_plan_release(&task->run.plan);
        free(task->run.done);
        free(task->run.nth);
        free(task->thread_cycles);
    }
    free(engine->tasks);
    free(engine->peer_sends);
    free(engine->peer_receives);
    vef_wakeups_release(&engine->wakeups);
    vef_matches_release(&engine->matches);
    vef_broadcasts_release(&engine->broadcasts);
    vef_comms_release(&engine->comms);
}

static vef_code check_mapping(const vef_engine *engine) {
    uint32_t tasks = engine->source->tasks, endpoints = engine->network->endpoints;
    for (uint32_t task = 0; task < tasks; task++)
        if (engine->mapping[task] >= endpoints)
            return vef_fail(engine->error, VEF_INVALID,
                            "task %u is mapped to endpoint %u, but the network has only %u", task,
                            engine->mapping[task], endpoints);
    return VEF_OK;
}

static vef_code prepare(vef_engine *engine) {
    const vef_replay_options *options = engine->options;
    uint32_t tasks = engine->source->tasks;
    vef_code code = check_mapping(engine);
    if (code == VEF_OK && options->hardware_broadcast)
        code = vef_netmodel_can_broadcast(engine->network, engine->error);
    if (code == VEF_OK)
        code =
            vef_clock_make(engine->network, options->compute_scale, &engine->clock, engine->error);
    if (code != VEF_OK)
        return code;
    engine->send_overhead_cycles = vef_clock_round(engine->network, options->send_overhead_ns);
    engine->receive_overhead_cycles =
        vef_clock_round(engine->network, options->receive_overhead_ns);
    uint32_t most = 1;
    const vef_source *source = engine->source;
    if (!vef_comms_init(&engine->comms, source->communicators, source->communicator_count))
        return vef_fail_memory(engine->error, "communicators", source->communicator_count);
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (engine->comms.states[i].size > most)
            most = engine->comms.states[i].size;
    engine->peer_sends = calloc(most, sizeof *engine->peer_sends);
    engine->peer_receives = calloc(most, sizeof *engine->peer_receives);
    engine->tasks = calloc(tasks ? tasks : 1, sizeof *engine->tasks);
    engine->result->task = calloc(tasks ? tasks : 1, sizeof *engine->result->task);
    if (!engine->peer_sends || !engine->peer_receives || !engine->tasks || !engine->result->task ||
        !vef_wakeups_init(&engine->wakeups, tasks))
        return vef_fail_memory(engine->error, "the tasks of a replay",
                               tasks * (unsigned long long)sizeof *engine->tasks);
    engine->result->tasks = tasks;
    return VEF_OK;
}

static vef_code run_due_tasks(vef_engine *engine) {
    const vef_wakeups *wakeups = &engine->wakeups;
    while (wakeups->count && wakeups->heap[0].time_cycles <= engine->now_cycles) {
        uint32_t task = vef_wakeups_pop(&engine->wakeups).task;
        vef_code code = vef_task_run(engine, task);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
            return code;
    }
    return VEF_OK;
}

/* Runs the network on and hands out what it delivers; `*stuck` when nothing will ever go on. */
static vef_code run_network(vef_engine *engine, bool *stuck) {
    const vef_netmodel_kind *kind = engine->network->kind;
    uint64_t last = engine->options->limit_cycles;
    bool waiting = engine->wakeups.count == 0;
    if (waiting && engine->in_flight == 0) {
        *stuck = true;
        return VEF_OK;
    }
    uint64_t limit = waiting ? last : engine->wakeups.heap[0].time_cycles;
    if (limit > last)
        limit = last;
    const vef_net_delivery *deliveries;
    size_t count;
    vef_code code = kind->advance(engine->network, limit, &deliveries, &count, engine->error);
    if (code != VEF_OK)
        return code;
    char text[2];
    *stuck = kind->deadlock(engine->network, text, sizeof text);
    if (count == 0) {
        *stuck = *stuck || (waiting && limit == VEF_FOREVER);
        if (!*stuck) {
            engine->now_cycles = limit;
            if (limit == last && (waiting || engine->wakeups.heap[0].time_cycles > last))
                vef_stall_set(engine, VEF_STALL_TIME_LIMIT,
                              "the time limit of %llu cycles was reached with %u of %u tasks "
                              "still running",
                              (unsigned long long)last, engine->source->tasks - engine->ended,
                              engine->source->tasks);
        }
        return VEF_OK;
    }
    engine->now_cycles = deliveries[0].time_cycles;
    for (size_t i = 0; i < count && code == VEF_OK; i++)
        code = vef_transfer_delivered(engine, &deliveries[i]);
    return code;
}

static vef_code run(vef_engine *engine, vef_progress *progress) {
    for (uint32_t task = 0; task < engine->source->tasks; task++)
        vef_task_wake(engine, task);
    for (unsigned rounds = 1;; rounds++) {
        vef_code code = run_due_tasks(engine);
        bool stuck = false;
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE ||
            engine->ended == engine->source->tasks)
            return code;
        code = run_network(engine, &stuck);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
            return code;
        if (stuck)
            return vef_stall_diagnose(engine);
        if (progress && rounds % 1024 == 0)
            vef_progress_update(progress, engine->result->events, engine->source->events);
    }
}

/* A task that was still going on when the replay stopped: what it had been given beyond that time
 * is taken back. */
static void cut_off(vef_engine *engine, uint32_t task) {
    vef_task_result *result = &engine->result->task[task];
    uint64_t cpu = engine->tasks[task].cpu_cycles;
    result->end_cycles = cpu < engine->now_cycles ? cpu : engine->now_cycles;
    uint64_t excess = cpu - result->end_cycles;
    uint64_t computed = excess < result->computing_cycles ? excess : result->computing_cycles;
    result->computing_cycles -= computed;
    result->overhead_cycles -= excess - computed;
}

static vef_code finish(vef_engine *engine) {
    vef_replay_result *result = engine->result;
    bool stalled = result->stall != VEF_STALL_NONE;
    result->time_cycles = stalled ? engine->now_cycles : 0;
    for (uint32_t task = 0; task < result->tasks; task++) {
        if (engine->tasks[task].stage != VEF_STAGE_ENDED)
            cut_off(engine, task);
        if (result->task[task].end_cycles > result->time_cycles)
            result->time_cycles = result->task[task].end_cycles;
    }
    /* The statistics of the network are those of this whole time. */
    const vef_netmodel_kind *kind = engine->network->kind;
    while (kind->now(engine->network) < result->time_cycles) {
        const vef_net_delivery *deliveries;
        size_t count;
        vef_code code =
            kind->advance(engine->network, result->time_cycles, &deliveries, &count, engine->error);
        if (code != VEF_OK)
            return code;
        if (count == 0)
            break;
    }
    kind->statistics(engine->network, &result->network);
    result->time_ns = (double)result->time_cycles * vef_netmodel_cycle_ns(engine->network);
    vef_approximations_write(engine);
    return VEF_OK;
}

vef_code vef_replay_source(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_progress *progress,
                           vef_replay_result *result, vef_error *error) {
    vef_engine engine = {.source = source,
                         .network = network,
                         .mapping = mapping,
                         .options = options,
                         .result = result,
                         .error = error,
                         .running = UINT32_MAX};
    *result = (vef_replay_result){0};
    vef_code code = prepare(&engine);
    if (code == VEF_OK)
        code = run(&engine, progress);
    if (code == VEF_OK)
        code = finish(&engine);
    release(&engine);
    if (code != VEF_OK)
        vef_replay_result_release(result);
    return code;
}
