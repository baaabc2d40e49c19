/* The main loop of a replay: threads of tasks and background plans that are due continue in order
 * of their number, then the network advances to the next wake-up or delivery, whichever is first,
 * and the threads and plans concerned continue. */
#include "replay/engine.h"
#include "common/prefetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_STEP_CYCLES = 1024, /* of the network, between two readings of the clock */
    TASKS_AHEAD = 256,        /* from so many tasks on, their states exceed the nearest caches */
    EVENT_BYTES = 128,        /* of an event that most calls need */
};

vef_replay_options vef_replay_defaults(void) {
    return (vef_replay_options){.eager_bytes = 64 * 1024,
                                .control_bytes = 32,
                                .host = vef_host_defaults(),
                                .limit_cycles = VEF_FOREVER};
}

void vef_replay_result_release(vef_replay_result *result) {
    free(result->task);
    free(result->collectives);
    *result = (vef_replay_result){0};
}

static void release(vef_engine *engine) {
    for (uint32_t i = 0; engine->tasks && i < engine->source->tasks; i++) {
        vef_open_requests_release(&engine->tasks[i].requests);
        free(engine->tasks[i].taken);
    }
    for (uint32_t i = 0; i < engine->run_count; i++) {
        vef_plan_release(&engine->runs[i].plan);
        free(engine->runs[i].done_cycles);
        free(engine->runs[i].nth);
    }
    vef_one_sided_release(engine);
    vef_hosts_release(engine);
    vef_search_release(&engine->search);
    free(engine->held_bytes);
    free(engine->noise);
    free(engine->clocks);
    vef_processors_release(engine);
    free(engine->tasks);
    free(engine->strands);
    free(engine->lefts);
    free(engine->runs);
    free(engine->parked);
    free(engine->peer_sends);
    free(engine->peer_receives);
    vef_wakeups_release(&engine->wakeups);
    vef_matches_release(&engine->matches);
    vef_broadcasts_release(&engine->broadcasts);
    vef_replay_comms_release(&engine->comms);
}

static vef_code check_mapping(const vef_engine *engine) {
    uint32_t tasks = engine->source->tasks, endpoints = engine->network->endpoints;
    for (uint32_t task = 0; task < tasks; task++)
        if (engine->mapping[task] >= endpoints)
            return vef_fail(engine->error, VEF_INVALID,
                            "task %u is mapped to endpoint %u: out of range: the network has %u",
                            task, engine->mapping[task], endpoints);
    return VEF_OK;
}

/* The threads of all tasks, and a plan for each. */
static vef_code prepare_strands(vef_engine *engine) {
    vef_source *source = engine->source;
    const uint32_t tasks = source->tasks;
    uint64_t count = 0;
    for (uint32_t task = 0; task < tasks; task++) {
        vef_task *self = &engine->tasks[task];
        self->first_strand = (uint32_t)count;
        self->strand_count = source->threads(source, task);
        count += self->strand_count;
        if (count > VEF_MOST_RUNS / 2)
            return vef_fail(engine->error, VEF_UNSUPPORTED,
                            "too many threads in all tasks: expected at most %d",
                            VEF_MOST_RUNS / 2);
    }
    const uint32_t strands = (uint32_t)count, room = strands ? strands : 1;
    engine->strands = aligned_alloc(VEF_STRAND_BYTES, room * sizeof *engine->strands);
    engine->runs = calloc(room, sizeof *engine->runs);
    if (!engine->strands || !engine->runs || !vef_wakeups_reserve(&engine->wakeups, room))
        return vef_fail_memory(engine->error, "the threads of a replay",
                               room * (unsigned long long)sizeof *engine->strands);
    if (strands > tasks) {
        engine->lefts = calloc(strands, sizeof *engine->lefts);
        if (!engine->lefts)
            return vef_fail_memory(engine->error, "the threads of a replay",
                                   strands * (unsigned long long)sizeof *engine->lefts);
    }
    engine->looks_ahead = source->prefetch && strands == tasks && tasks >= TASKS_AHEAD;
    engine->wakeups.cyclic = engine->ahead;
    engine->strand_count = engine->run_count = strands;
    engine->run_capacity = room;
    for (uint32_t task = 0; task < tasks; task++)
        for (uint32_t thread = 0; thread < engine->tasks[task].strand_count; thread++)
            engine->strands[engine->tasks[task].first_strand + thread] =
                (vef_strand){.task = task,
                             .thread = thread,
                             .threaded = engine->tasks[task].strand_count > 1,
                             .probed = VEF_NO_TRANSFER,
                             .waits_for = VEF_NO_TASK};
    return VEF_OK;
}

/* What the section `host` needs per task. */
static vef_code prepare_host(vef_engine *engine) {
    const vef_host *host = &engine->options->host;
    const uint32_t tasks = engine->source->tasks;
    vef_code code = vef_hosts_prepare(engine);
    if (code == VEF_OK && host->match_ns > 0 && !vef_search_init(&engine->search, tasks))
        return vef_fail_memory(engine->error, "searches", tasks * sizeof(vef_search_ends));
    if (engine->options->eager_buffer_bytes)
        engine->held_bytes = calloc(tasks, sizeof *engine->held_bytes);
    if (host->straggler_count)
        engine->clocks = calloc(tasks, sizeof *engine->clocks);
    if ((engine->options->eager_buffer_bytes && !engine->held_bytes) ||
        (host->straggler_count && !engine->clocks))
        return vef_fail_memory(engine->error, "the hosts", tasks * sizeof *engine->clocks);
    for (uint32_t task = 0; code == VEF_OK && engine->clocks && task < tasks; task++)
        code = vef_cycle_clock_make(engine->network, vef_host_scale(host, task),
                                    &engine->clocks[task], engine->error);
    return code;
}

static vef_code prepare_noise(vef_engine *engine) {
    const vef_noise *noise = &engine->options->host.noise;
    if (noise->kind == 0)
        return VEF_OK;
    engine->cycles_per_ns = 1 / vef_netmodel_cycle_ns(engine->network);
    engine->noise = malloc(engine->strand_count * sizeof *engine->noise);
    if (!engine->noise)
        return vef_fail_memory(engine->error, "noise",
                               engine->strand_count * sizeof *engine->noise);
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        engine->noise[strand] = vef_noise_begin(noise, strand, engine->cycles_per_ns);
    return VEF_OK;
}

/* Costs of hosts are those of messages that processors send and receive. */
static vef_code check_hosts(const vef_engine *engine) {
    const vef_source *source = engine->source;
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (vef_call_has(source->communicators[i].made_by, VEF_FACT_WINDOW))
            return vef_fail(engine->error, VEF_UNSUPPORTED,
                            "the trace has one-sided communication (communicator %u is a window): "
                            "not supported with model %s",
                            i, engine->network->kind->name);
    return VEF_OK;
}

static vef_code prepare(vef_engine *engine) {
    const vef_replay_options *options = engine->options;
    uint32_t tasks = engine->source->tasks;
    vef_code code = check_mapping(engine);
    engine->hardware_broadcast = vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE;
    engine->knows_nodes = vef_choices_needs(&options->choices) & VEF_NEEDS_NODES;
    if (code == VEF_OK && engine->hardware_broadcast)
        code = vef_netmodel_can_broadcast(engine->network, engine->error);
    if (code == VEF_OK)
        code = vef_cycle_clock_make(engine->network, options->host.compute_scale, &engine->clock,
                                    engine->error);
    if (code == VEF_OK)
        code = vef_cycle_clock_make(engine->network, 1, &engine->outside_clock, engine->error);
    engine->loggops = engine->network->loggops;
    if (code == VEF_OK && engine->loggops)
        code = check_hosts(engine);
    if (code != VEF_OK)
        return code;
    vef_charges_prepare(engine);
    code = prepare_host(engine);
    if (code != VEF_OK)
        return code;
    if (engine->ahead)
        while (vef_cycle_clock_round(engine->network, VEF_NS_AHEAD) >> engine->time_shift > 1)
            engine->time_shift++;
    uint32_t most = 1;
    const vef_source *source = engine->source;
    if (!vef_replay_comms_init(&engine->comms, source->communicators, source->communicator_count))
        return vef_fail_memory(engine->error, "communicators", source->communicator_count);
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (engine->comms.states[i].size > most)
            most = engine->comms.states[i].size;
    engine->peer_sends = calloc(most, sizeof *engine->peer_sends);
    engine->peer_receives = calloc(most, sizeof *engine->peer_receives);
    engine->tasks = calloc(tasks ? tasks : 1, sizeof *engine->tasks);
    engine->result->task = calloc(tasks ? tasks : 1, sizeof *engine->result->task);
    engine->result->collectives = calloc(vef_algorithm_count, sizeof *engine->result->collectives);
    if (!engine->peer_sends || !engine->peer_receives || !engine->tasks || !engine->result->task ||
        !engine->result->collectives)
        return vef_fail_memory(engine->error, "the tasks of a replay",
                               tasks * (unsigned long long)sizeof *engine->tasks);
    engine->result->tasks = tasks;
    code = prepare_strands(engine);
    if (code == VEF_OK)
        code = prepare_noise(engine);
    return code == VEF_OK && engine->loggops ? vef_processors_prepare(engine) : code;
}

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
    const uint64_t due_cycles = engine->now_cycles; /* a strand that runs ahead changes it */
    engine->event_cycles = due_cycles;
    while (vef_wakeups_first(&engine->wakeups) <= due_cycles) {
        uint32_t who = vef_wakeups_pop(&engine->wakeups).who;
        if (engine->looks_ahead && engine->ahead)
            look_ahead_of(engine, who);
        else if (engine->looks_ahead)
            look_ahead(engine);
        vef_code code =
            engine->loggops ? vef_processors_turn(engine, task_of(engine, who)) : VEF_OK;
        if (code == VEF_OK)
            code = who < engine->strand_count ? vef_strand_run(engine, who)
                                              : vef_plan_run_beside(engine, who);
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
            return code;
    }
    return engine->loggops ? vef_processors_turn(engine, UINT32_MAX) : VEF_OK;
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
    const uint64_t network_cycles = engine->network->kind->now(engine->network);
    const uint64_t cycles =
        engine->ahead ? engine->wakeups.now_cycles << engine->time_shift : network_cycles;
    double ns = (double)cycles * vef_netmodel_cycle_ns(engine->network);
    snprintf(progress->detail, sizeof progress->detail, "%.6f s simulated", 1e-9 * ns);
    vef_progress_update(progress, engine->result->events, engine->source->events);
}

/* The network's `advance`. With progress display it advances in steps whose length adapts to their
 * duration: the network may be busy for hours before a delivery. Deliveries do not depend on the
 * steps. */
static vef_code advance(vef_engine *engine, uint64_t limit, const vef_net_delivery **deliveries,
                        size_t *count) {
    const vef_netmodel_kind *kind = engine->network->kind;
    vef_code code = VEF_OK;
    if (!engine->progress || !engine->progress->shown)
        return kind->advance(engine->network, limit, deliveries, count, engine->error);
    uint64_t step = LEAST_STEP_CYCLES, until;
    do {
        uint64_t now = kind->now(engine->network);
        until = now < limit && step < limit - now ? now + step : limit;
        code = kind->advance(engine->network, until, deliveries, count, engine->error);
        if (code != VEF_OK || *count > 0)
            return code;
        if (vef_progress_due(engine->progress)) {
            report_progress(engine);
            step = step / 4 > LEAST_STEP_CYCLES ? step / 4 : LEAST_STEP_CYCLES;
        }
        step *= 2;
    } while (until < limit);
    return code;
}

vef_code vef_engine_catch_up(vef_engine *engine) {
    const vef_netmodel_kind *kind = engine->network->kind;
    const vef_net_delivery *deliveries;
    size_t count;
    if (kind->now(engine->network) == engine->now_cycles)
        return VEF_OK;
    return kind->advance(engine->network, engine->now_cycles, &deliveries, &count, engine->error);
}

/* When a strand, a plan, a job or a pending delivery can continue. */
static uint64_t first_of(const vef_engine *engine) {
    const uint64_t wakeup_cycles = vef_wakeups_first(&engine->wakeups);
    const uint64_t pending_cycles = vef_pending_time(&engine->hosts.pending);
    const uint64_t job_cycles = engine->loggops ? vef_processors_first(engine) : VEF_NO_WAKEUP;
    const uint64_t first_cycles = job_cycles < wakeup_cycles ? job_cycles : wakeup_cycles;
    return pending_cycles < first_cycles ? pending_cycles : first_cycles;
}

/* Nothing happens until `limit_cycles`: `first_cycles`, the time of the first wake-up or pending
 * delivery, or the time limit. */
static void pass_time(vef_engine *engine, uint64_t limit_cycles, uint64_t first_cycles) {
    const uint64_t last = engine->options->limit_cycles;
    engine->now_cycles = limit_cycles;
    if (limit_cycles == last && first_cycles > last)
        vef_stall_set(engine, VEF_STALL_TIME_LIMIT,
                      "the time limit of %llu cycles was reached with %u of %u tasks still running",
                      (unsigned long long)last, running_tasks(engine), engine->source->tasks);
}

/* Advances the network and processes its deliveries; `*stuck` if nothing will ever continue. */
static vef_code run_network(vef_engine *engine, bool *stuck) {
    const vef_netmodel_kind *kind = engine->network->kind;
    const uint64_t last = engine->options->limit_cycles;
    const uint64_t first_cycles = first_of(engine);
    if (vef_pending_time(&engine->hosts.pending) <= engine->now_cycles)
        return vef_hosts_deliver(engine);
    const uint64_t limit = first_cycles < last ? first_cycles : last;
    if (engine->in_flight == engine->hosts.pending.count) {
        *stuck = first_cycles == VEF_NO_WAKEUP;
        if (!*stuck)
            pass_time(engine, limit, first_cycles);
        return VEF_OK;
    }
    const vef_net_delivery *deliveries;
    size_t count;
    vef_code code = advance(engine, limit, &deliveries, &count);
    if (code != VEF_OK)
        return code;
    char text[2];
    *stuck = kind->deadlock(engine->network, text, sizeof text);
    if (count == 0) {
        *stuck = *stuck || limit == VEF_FOREVER;
        if (!*stuck)
            pass_time(engine, limit, first_cycles);
        return VEF_OK;
    }
    engine->now_cycles = deliveries[0].time_cycles;
    for (size_t i = 0; i < count && code == VEF_OK; i++) {
        VEF_HOOK(engine, delivers, &deliveries[i]);
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

/* Whether nothing is left to do after the last event of all strands. */
static bool has_ended(const vef_engine *engine) {
    return engine->ended == engine->strand_count &&
           (!engine->loggops ||
            (engine->in_flight == 0 && vef_processors_first(engine) == VEF_NO_WAKEUP));
}

/* Reports the threads of the tasks to the hooks. */
static vef_code report_shape(vef_engine *engine) {
    if (!engine->hooks || !engine->hooks->begins)
        return VEF_OK;
    const uint32_t strands = engine->strand_count;
    uint32_t *task_of = malloc((strands ? strands : 1) * sizeof *task_of);
    if (!task_of)
        return vef_fail_memory(engine->error, "the threads of a replay", strands * sizeof *task_of);
    for (uint32_t strand = 0; strand < strands; strand++)
        task_of[strand] = engine->strands[strand].task;
    const vef_replay_shape shape = {engine->network, engine->source->tasks, strands, task_of};
    engine->hooks->begins(engine->hooks->self, &shape);
    free(task_of);
    return VEF_OK;
}

static vef_code run(vef_engine *engine) {
    vef_code code = report_shape(engine);
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        vef_strand_wake(engine, strand);
    for (unsigned rounds = 1; code == VEF_OK; rounds++) {
        code = run_due(engine);
        bool stuck = false;
        if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE || has_ended(engine))
            return code;
        code = run_network(engine, &stuck);
        if (code == VEF_OK && engine->loggops && !stuck)
            code = run_jobs(engine);
        if (code == VEF_OK && stuck && engine->ahead)
            engine->result->stall = VEF_STALL_TASK_CYCLE; /* of any kind: it will be repeated */
        else if (code == VEF_OK && stuck && engine->result->stall == VEF_STALL_NONE)
            code = vef_stall_diagnose(engine);
        if (engine->result->stall != VEF_STALL_NONE)
            return code;
        if (engine->progress && rounds % 64 == 0)
            report_progress(engine);
    }
    return code;
}

/* A strand that was still computing when the replay stopped: subtracts its time beyond that. */
static void cut_off(const vef_engine *engine, vef_strand *strand) {
    if (strand->cpu_cycles <= engine->now_cycles)
        return;
    vef_times *times = &strand->times;
    uint64_t *const given[] = {&times->outside_cycles, &times->computing_cycles,
                               &times->overhead_cycles, &times->communicating_cycles,
                               &times->waiting_cycles};
    uint64_t excess = strand->cpu_cycles - engine->now_cycles;
    for (size_t i = 0; i < sizeof given / sizeof *given && excess; i++) {
        uint64_t taken = excess < *given[i] ? excess : *given[i];
        *given[i] -= taken;
        excess -= taken;
    }
    strand->cpu_cycles = engine->now_cycles;
}

/* A task ends with the last of its threads; its times are those of that thread. */
/* The processors of a task may handle messages that none of its calls waits for. */
static void add_rest(const vef_engine *engine, uint32_t task) {
    vef_task_result *result = &engine->result->task[task];
    const uint64_t end_cycles = vef_processors_end(engine, task);
    if (engine->result->stall != VEF_STALL_NONE || end_cycles <= result->end_cycles)
        return;
    result->overhead_cycles += end_cycles - result->end_cycles;
    result->end_cycles = end_cycles;
}

static void add_up(vef_engine *engine, uint32_t task) {
    const vef_task *self = &engine->tasks[task];
    vef_task_result *result = &engine->result->task[task];
    const vef_strand *last = NULL;
    for (uint32_t i = 0; i < self->strand_count; i++) {
        vef_strand *strand = &engine->strands[self->first_strand + i];
        if (strand->stage != VEF_STAGE_ENDED)
            cut_off(engine, strand);
        if (!last || strand->cpu_cycles > last->cpu_cycles)
            last = strand;
    }
    if (!last)
        return;
    result->end_cycles = last->cpu_cycles;
    result->computing_cycles = last->times.computing_cycles;
    result->outside_cycles = last->times.outside_cycles;
    result->overhead_cycles = last->times.overhead_cycles;
    result->waiting_cycles = last->times.waiting_cycles;
    result->communicating_cycles = last->times.communicating_cycles;
    if (engine->loggops)
        add_rest(engine, task);
    VEF_HOOK(engine, ends, task, (uint32_t)(last - engine->strands), result->end_cycles);
}

static vef_code finish(vef_engine *engine) {
    vef_replay_result *result = engine->result;
    bool stalled = result->stall != VEF_STALL_NONE;
    result->time_cycles = stalled ? engine->now_cycles : 0;
    for (uint32_t task = 0; task < result->tasks; task++) {
        add_up(engine, task);
        if (result->task[task].end_cycles > result->time_cycles)
            result->time_cycles = result->task[task].end_cycles;
    }
    /* The statistics of the network cover this whole time. */
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

/* Whether tasks may run ahead: one thread each, no windows, and nothing but waiting takes time in a
 * call. */
static bool may_run_ahead(const vef_source *source, const vef_netmodel *network,
                          const vef_replay_options *options) {
    if (!network->kind->pass || !source->restart || options->observer || options->hooks ||
        options->limit_cycles != VEF_FOREVER || options->eager_buffer_bytes ||
        vef_host_charges(&options->host) ||
        vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE)
        return false;
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (vef_call_has(source->communicators[i].made_by, VEF_FACT_WINDOW))
            return false;
    for (uint32_t task = 0; task < source->tasks; task++)
        if (source->threads(source, task) != 1)
            return false;
    return true;
}

static vef_code replay(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                       const vef_replay_options *options, vef_progress *progress, bool ahead,
                       vef_replay_result *result, vef_error *error) {
    vef_engine engine = {.source = source,
                         .network = network,
                         .mapping = mapping,
                         .options = options,
                         .result = result,
                         .progress = progress,
                         .error = error,
                         .hooks = options->hooks,
                         .ahead = ahead,
                         .running = UINT32_MAX,
                         .free_run = UINT32_MAX,
                         .free_parked = VEF_NOT_PARKED};
    *result = (vef_replay_result){0};
    vef_code code = prepare(&engine);
    if (code == VEF_OK)
        code = run(&engine);
    if (code == VEF_OK && !(ahead && result->stall != VEF_STALL_NONE))
        code = finish(&engine);
    release(&engine);
    if (code != VEF_OK)
        vef_replay_result_release(result);
    return code;
}

vef_code vef_replay_source(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_progress *progress,
                           vef_replay_result *result, vef_error *error) {
    if (may_run_ahead(source, network, options)) {
        vef_code code = replay(source, network, mapping, options, progress, true, result, error);
        if (code == VEF_OK && result->stall == VEF_STALL_NONE)
            return VEF_OK;
        vef_replay_result_release(result);
        network->kind->begin_figures(network);
        code = source->restart(source, error);
        if (code != VEF_OK)
            return code;
    }
    return replay(source, network, mapping, options, progress, false, result, error);
}
