/* The end of a replay: the times of its tasks, and the figures of its network. */
#include "replay/engine/engine.h"

/* A strand that was still computing when the replay stopped: subtracts its time beyond that. */
static void cut_off(const vef_engine *engine, vef_strand *strand) {
    if (strand->cpu_ps <= engine->now_ps)
        return;
    vef_times *times = &strand->times;
    uint64_t *const given[] = {&times->outside_ps, &times->computing_ps, &times->overhead_ps,
                               &times->communicating_ps, &times->waiting_ps};
    uint64_t excess = strand->cpu_ps - engine->now_ps;
    for (size_t i = 0; i < sizeof given / sizeof *given && excess; i++) {
        uint64_t taken = excess < *given[i] ? excess : *given[i];
        *given[i] -= taken;
        excess -= taken;
    }
    strand->cpu_ps = engine->now_ps;
}

/* The processors of a task may handle messages that none of its calls waits for. */
static void add_rest(const vef_engine *engine, uint32_t task) {
    vef_task_result *result = &engine->result->task[task];
    const uint64_t end_ps = vef_processors_end(engine, task);
    if (engine->result->stall != VEF_STALL_NONE || end_ps <= result->end_ps)
        return;
    result->overhead_ps += end_ps - result->end_ps;
    result->end_ps = end_ps;
}

/* A task ends with the last of its threads; its times are those of that thread. */
static void add_up(vef_engine *engine, uint32_t task) {
    const vef_task *self = &engine->tasks[task];
    vef_task_result *result = &engine->result->task[task];
    const vef_strand *last = NULL;
    for (uint32_t i = 0; i < self->strand_count; i++) {
        vef_strand *strand = &engine->strands[self->first_strand + i];
        if (strand->stage != VEF_STAGE_ENDED)
            cut_off(engine, strand);
        if (!last || strand->cpu_ps > last->cpu_ps)
            last = strand;
    }
    if (!last)
        return;
    result->start_ps = self->start_ps;
    result->end_ps = last->cpu_ps;
    result->computing_ps = last->times.computing_ps;
    result->outside_ps = last->times.outside_ps;
    result->overhead_ps = last->times.overhead_ps;
    result->waiting_ps = last->times.waiting_ps;
    result->communicating_ps = last->times.communicating_ps;
    if (engine->loggops)
        add_rest(engine, task);
    VEF_REPORT(engine->listeners, ends, task, (uint32_t)(last - engine->strands), result->end_ps);
}

vef_code vef_engine_finish(vef_engine *engine) {
    vef_replay_result *result = engine->result;
    bool stalled = result->stall != VEF_STALL_NONE;
    result->time_ps = stalled ? engine->now_ps : 0;
    for (uint32_t task = 0; task < result->tasks; task++) {
        add_up(engine, task);
        if (result->task[task].end_ps > result->time_ps)
            result->time_ps = result->task[task].end_ps;
    }
    /* The statistics of the network cover this whole time. */
    const vef_netmodel_kind *kind = engine->network->kind;
    const uint64_t end = vef_net_clock_until(&engine->clock, result->time_ps);
    while (kind->now(engine->network) < end) {
        const vef_net_delivery *deliveries;
        size_t count;
        vef_code code = kind->advance(engine->network, end, &deliveries, &count, engine->error);
        if (code != VEF_OK)
            return code;
        if (count == 0)
            break;
    }
    kind->statistics(engine->network, &result->network);
    result->time_ns = (double)result->time_ps / VEF_PS_PER_NS;
    result->time_cycles = vef_netmodel_cycles_of_ps(engine->network, result->time_ps);
    result->noise_cycles = vef_netmodel_cycles_of_ps(engine->network, result->noise_ps);
    vef_approximations_write(engine);
    return VEF_OK;
}
