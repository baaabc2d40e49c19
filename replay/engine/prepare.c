/* The memory of a replay: made from its source, network, mapping and options, and freed. */
#include "common/memory.h"
#include "replay/engine/hosts.h"
#include "replay/engine/loop.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/processors.h"
#include "replay/engine/transfer.h"

#include <stdlib.h>

enum { TASKS_AHEAD = 256 }; /* from so many tasks on, their states exceed the nearest caches */

void vef_engine_release_part(vef_engine *part) {
    free(part->beside);
    if (part->made)
        vef_plan_release(part->made);
    vef_pending_release(&part->hosts.pending);
    if (part->processors)
        vef_pending_release(&part->processors->queue);
    vef_wakeups_release(&part->wakeups);
    vef_replay_comms_release(&part->comms);
}

void vef_engine_prepare_part(vef_engine *part) {
    const vef_source *source = part->source;
    uint32_t most = 1;
    part->beside = NULL;
    part->beside_rows = 0;
    part->parked = NULL;
    part->parked_count = 0;
    part->parked_capacity = 0;
    part->hosts.pending = (vef_pending){0};
    part->processors = NULL;
    part->search = (vef_match_search){0};
    part->wakeups = (vef_wakeups){.cyclic = part->policy.ahead};
    part->matches = (vef_matches){.store = part->store};
    vef_replay_comms_init(&part->comms, source->communicators, source->communicator_count);
    part->comms.part_of = part->part_of;
    part->comms.part = part->part;
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (part->comms.states[i].size > most)
            most = part->comms.states[i].size;
    part->peer_counts = vef_store_take(part->store, 2 * (size_t)most, sizeof *part->peer_counts);
    part->made = vef_store_take(part->store, 1, sizeof *part->made);
    vef_wakeups_reserve(&part->wakeups, part->strand_count ? part->strand_count : 1);
    if (part->options->host.match_ns > 0)
        vef_search_init(&part->search, part->store, source->tasks);
    if (part->loggops)
        vef_processors_prepare(part);
}

void vef_engine_release(vef_engine *engine) {
    if (engine->watch.crosses)
        engine->network->kind->watch(engine->network, NULL);
    for (uint32_t i = 0; engine->tasks && i < engine->source->tasks; i++)
        vef_map64_free(&engine->tasks[i].requests.started);
    vef_engine_release_part(engine);
    if (engine->one_sided)
        vef_notices_release(&engine->one_sided->notices);
    vef_store_destroy(engine->store);
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
    const uint32_t strands = (uint32_t)count;
    engine->strands = vef_store_take(engine->store, strands, sizeof *engine->strands);
    engine->runs = vef_store_take(engine->store, strands, sizeof *engine->runs);
    engine->polling = vef_store_take(engine->store, strands, sizeof *engine->polling);
    if (strands > tasks)
        engine->lefts = vef_store_take(engine->store, strands, sizeof *engine->lefts);
    engine->looks_ahead = source->prefetch && strands == tasks && tasks >= TASKS_AHEAD;
    engine->strand_count = strands;
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
    if (engine->options->eager_buffer_bytes)
        engine->held_bytes = vef_store_take(engine->store, tasks, sizeof *engine->held_bytes);
    if (host->shared_cores)
        engine->core_free_ps =
            vef_store_take(engine->store, host->shared_cores, sizeof *engine->core_free_ps);
    if (host->straggler_count)
        engine->scales = vef_store_take(engine->store, tasks, sizeof *engine->scales);
    for (uint32_t task = 0; code == VEF_OK && engine->scales && task < tasks; task++)
        code =
            vef_time_scale_make(vef_host_scale(host, task), &engine->scales[task], engine->error);
    return code;
}

static void prepare_noise(vef_engine *engine) {
    const vef_noise *noise = &engine->options->host.noise;
    if (noise->kind == 0)
        return;
    engine->noise = vef_store_take(engine->store, engine->strand_count, sizeof *engine->noise);
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        engine->noise[strand] = vef_noise_begin(noise, strand);
}

/* Costs of hosts are those of messages that processors send and receive. */
static vef_code check_hosts(const vef_engine *engine) {
    const uint32_t window = vef_source_window(engine->source);
    if (window != VEF_NO_COMM)
        return vef_fail(engine->error, VEF_UNSUPPORTED,
                        "the trace has one-sided communication (communicator %u is a window): "
                        "not supported with model %s",
                        window, engine->network->kind->name);
    return VEF_OK;
}

vef_code vef_engine_prepare(vef_engine *engine) {
    const vef_replay_options *options = engine->options;
    uint32_t tasks = engine->source->tasks;
    vef_code code = check_mapping(engine);
    const unsigned needs = vef_choices_needs(&options->choices);
    engine->hardware_broadcast = needs & (VEF_NEEDS_HARDWARE | VEF_NEEDS_REDUCTION);
    engine->store = vef_store_create();
    engine->knows_nodes = vef_choices_know_nodes(&options->choices);
    if (code == VEF_OK && needs & VEF_NEEDS_HARDWARE)
        code = vef_netmodel_can_broadcast(engine->network, engine->error);
    if (code == VEF_OK && needs & VEF_NEEDS_REDUCTION)
        code = vef_netmodel_add_group(engine->network, NULL, 0, true, NULL, engine->error);
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
    engine->tasks = vef_store_take(engine->store, tasks, sizeof *engine->tasks);
    engine->result->task = vef_calloc(tasks ? tasks : 1, sizeof *engine->result->task);
    engine->result->collectives =
        vef_calloc(vef_algorithm_count, sizeof *engine->result->collectives);
    engine->result->tasks = tasks;
    code = prepare_strands(engine);
    if (code != VEF_OK)
        return code;
    prepare_noise(engine);
    vef_engine_prepare_part(engine);
    return VEF_OK;
}
