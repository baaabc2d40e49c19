/* The end of a replay: the times of its tasks, and the figures of its network. */
#include "replay/engine/engine.h"

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

/* The processors of a task may handle messages that none of its calls waits for. */
static void add_rest(const vef_engine *engine, uint32_t task) {
    vef_task_result *result = &engine->result->task[task];
    const uint64_t end_cycles = vef_processors_end(engine, task);
    if (engine->result->stall != VEF_STALL_NONE || end_cycles <= result->end_cycles)
        return;
    result->overhead_cycles += end_cycles - result->end_cycles;
    result->end_cycles = end_cycles;
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
        if (!last || strand->cpu_cycles > last->cpu_cycles)
            last = strand;
    }
    if (!last)
        return;
    result->start_cycles = self->start_cycles;
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

vef_code vef_engine_finish(vef_engine *engine) {
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
