/* The memory of a replay: made from its source, network, mapping and options, and freed. */
#include "common/memory.h"
#include "replay/engine/hosts.h"
#include "replay/engine/loop.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/processors.h"
#include "replay/engine/transfer.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS_AHEAD = 256 }; /* from so many tasks on, their states exceed the nearest caches */

void vef_engine_release(vef_engine *engine) {
    if (engine->watch.crosses)
        engine->network->kind->watch(engine->network, NULL);
    for (uint32_t i = 0; engine->tasks && i < engine->source->tasks; i++) {
        vef_open_requests_release(&engine->tasks[i].requests);
        free(engine->tasks[i].taken);
    }
    for (uint32_t i = 0; i < engine->run_count; i++) {
        free(engine->runs[i].plan.steps);
        free(engine->runs[i].done_ps);
    }
    if (engine->made)
        vef_plan_release(engine->made);
    free(engine->made);
    vef_one_sided_release(engine);
    vef_hosts_release(engine);
    vef_search_release(&engine->search);
    free(engine->held_bytes);
    free(engine->noise);
    free(engine->core_free_ps);
    free(engine->scales);
    vef_processors_release(engine);
    free(engine->tasks);
    free(engine->strands);
    free(engine->lefts);
    free(engine->polling);
    free(engine->runs);
    free(engine->parked);
    free(engine->peer_counts);
    vef_wakeups_release(&engine->wakeups);
    vef_matches_release(&engine->matches);
    vef_broadcasts_release(&engine->broadcasts);
    vef_replay_comms_release(&engine->comms);
}

static vef_code check_mapping(const vef_engine *engine) {
    uint32_t tasks = engine->source->tasks, endpoints = engine->network->endpoints;
    if (engine->gate && engine->gate->endpoints > endpoints)
        return vef_fail(engine->error, VEF_INVALID,
                        "tasks on %u endpoints: out of range: the network has %u",
                        engine->gate->endpoints, endpoints);
    for (uint32_t task = 0; task < tasks && !engine->gate; task++)
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
        vef_task *state = &engine->tasks[task];
        state->first_strand = (uint32_t)count;
        state->strand_count = source->threads(source, task);
        count += state->strand_count;
        if (count > VEF_MOST_RUNS / 2)
            return vef_fail(engine->error, VEF_UNSUPPORTED,
                            "too many threads in all tasks: expected at most %d",
                            VEF_MOST_RUNS / 2);
    }
    const uint32_t strands = (uint32_t)count, room = strands ? strands : 1;
    engine->strands = vef_aligned_alloc(VEF_STRAND_BYTES, room * sizeof *engine->strands);
    engine->runs = vef_calloc(room, sizeof *engine->runs);
    engine->polling = vef_calloc(room, sizeof *engine->polling);
    vef_wakeups_reserve(&engine->wakeups, room);
    if (strands > tasks)
        engine->lefts = vef_calloc(strands, sizeof *engine->lefts);
    engine->looks_ahead = source->prefetch && strands == tasks && tasks >= TASKS_AHEAD;
    engine->wakeups.cyclic = engine->policy.ahead;
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
    if (code != VEF_OK)
        return code;
    if (host->match_ns > 0)
        vef_search_init(&engine->search, tasks);
    if (engine->options->eager_buffer_bytes)
        engine->held_bytes = vef_calloc(tasks, sizeof *engine->held_bytes);
    if (host->shared_cores)
        engine->core_free_ps = vef_calloc(host->shared_cores, sizeof *engine->core_free_ps);
    if (host->straggler_count)
        engine->scales = vef_calloc(tasks, sizeof *engine->scales);
    for (uint32_t task = 0; code == VEF_OK && engine->scales && task < tasks; task++)
        code =
            vef_time_scale_make(vef_host_scale(host, task), &engine->scales[task], engine->error);
    return code;
}

static void prepare_noise(vef_engine *engine) {
    const vef_noise *noise = &engine->options->host.noise;
    if (noise->kind == 0)
        return;
    engine->noise = vef_malloc(engine->strand_count * sizeof *engine->noise);
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        engine->noise[strand] = vef_noise_begin(noise, strand);
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

vef_code vef_engine_prepare(vef_engine *engine) {
    const vef_replay_options *options = engine->options;
    uint32_t tasks = engine->source->tasks;
    vef_code code = check_mapping(engine);
    engine->hardware_broadcast = vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE;
    engine->knows_nodes = vef_choices_know_nodes(&options->choices);
    if (code == VEF_OK && engine->hardware_broadcast)
        code = vef_netmodel_can_broadcast(engine->network, engine->error);
    if (code == VEF_OK)
        code = vef_time_scale_make(options->host.compute_scale, &engine->scale, engine->error);
    if (code == VEF_OK && !engine->network->exact &&
        (engine->network->bandwidth_bits_per_s == 0 || engine->network->phit_bytes == 0))
        code = vef_fail(engine->error, VEF_INVALID, "the network has a cycle of zero length");
    if (code == VEF_OK)
        engine->clock = vef_net_clock_of(engine->network);
    engine->loggops = engine->network->loggops;
    engine->eager_bytes = engine->loggops ? engine->loggops->eager_bytes : options->eager_bytes;
    if (code == VEF_OK && engine->loggops)
        code = check_hosts(engine);
    if (code != VEF_OK)
        return code;
    vef_charges_prepare(engine);
    code = prepare_host(engine);
    if (code != VEF_OK)
        return code;
    if (engine->policy.ahead)
        while (VEF_NS_AHEAD * VEF_PS_PER_NS >> engine->time_shift > 1)
            engine->time_shift++;
    uint32_t most = 1;
    const vef_source *source = engine->source;
    vef_replay_comms_init(&engine->comms, source->communicators, source->communicator_count);
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (engine->comms.states[i].size > most)
            most = engine->comms.states[i].size;
    engine->peer_counts = vef_malloc(2 * (size_t)most * sizeof *engine->peer_counts);
    engine->made = vef_calloc(1, sizeof *engine->made);
    engine->tasks = vef_aligned_alloc(alignof(vef_task), (tasks ? tasks : 1) * sizeof(vef_task));
    memset(engine->tasks, 0, tasks * sizeof(vef_task));
    engine->result->task = vef_calloc(tasks ? tasks : 1, sizeof *engine->result->task);
    engine->result->collectives =
        vef_calloc(vef_algorithm_count, sizeof *engine->result->collectives);
    engine->result->tasks = tasks;
    code = prepare_strands(engine);
    if (code != VEF_OK)
        return code;
    prepare_noise(engine);
    if (engine->loggops)
        vef_processors_prepare(engine);
    return VEF_OK;
}
