/* Nodes: which tasks share one, and how their messages leave and enter it.
 *
 * A node has `host.nics` consecutive endpoints of the network. Messages between its tasks take
 * `host.memory_time` and do not enter the network; `host.memory_gap` passes between two of them
 * that carry data of the same task, either way: the memory and the processor that copy. An
 * interface lets `host.gap` pass between two messages that it sends, and between two that it
 * receives: the gap g of LogP (Culler et al., "LogP: Towards a Realistic Model of Parallel
 * Computation", PPoPP 1993). */
#include "common/memory.h"
#include "replay/engine/engine.h"

#include <stdlib.h>

static const vef_host *host_of(const vef_engine *engine) {
    return &engine->options->host;
}

static vef_code check_host(const vef_engine *engine) {
    const uint32_t nics = host_of(engine)->nics;
    if (engine->network->endpoints != UINT32_MAX && engine->network->endpoints % nics != 0)
        return vef_fail(engine->error, VEF_UNSUPPORTED,
                        "host.nics %u: the network has %u endpoints: expected a divisor of them",
                        nics, engine->network->endpoints);
    if (nics > 1 && engine->hardware_broadcast)
        return vef_fail(engine->error, VEF_UNSUPPORTED,
                        "host.nics %u: not supported with the algorithm `hardware` of MPI_Bcast",
                        nics);
    return VEF_OK;
}

vef_code vef_hosts_prepare(vef_engine *engine) {
    vef_hosts *nodes = &engine->hosts;
    const vef_host *host = host_of(engine);
    const uint32_t tasks = engine->source->tasks, nics = host->nics;
    vef_code code = check_host(engine);
    if (code != VEF_OK)
        return code;
    uint32_t last =
        engine->gate && engine->gate->endpoints ? (engine->gate->endpoints - 1) / nics : 0;
    for (uint32_t task = 0; task < tasks && !engine->gate; task++)
        if (engine->mapping[task] / nics > last)
            last = engine->mapping[task] / nics;
    const size_t endpoints = (last + (size_t)1) * nics;
    const bool gaps =
        !vef_cost_is_zero(&host->memory_gap) || !vef_cost_is_zero(&host->memory_receive_gap);
    nodes->memory = gaps || !vef_cost_is_zero(&host->memory_time);
    nodes->gap_ps = vef_ps_of(host->gap_ns);
    nodes->in_turn = nics > 1 && host->nic == VEF_NIC_IN_TURN;
    nodes->plain = !nodes->memory && !nodes->gap_ps && !nodes->in_turn;
    nodes->of_task = vef_calloc(tasks ? tasks : 1, sizeof *nodes->of_task);
    nodes->turn = vef_calloc(nodes->in_turn ? last + 1 : 1, sizeof *nodes->turn);
    nodes->sends_from = vef_calloc(nodes->gap_ps ? endpoints : 1, sizeof *nodes->sends_from);
    nodes->receives_from = vef_calloc(nodes->gap_ps ? endpoints : 1, sizeof *nodes->receives_from);
    nodes->memory_receives_from =
        gaps ? vef_calloc(tasks ? tasks : 1, sizeof *nodes->memory_receives_from) : NULL;
    nodes->memory_from = gaps ? vef_calloc(tasks ? tasks : 1, sizeof *nodes->memory_from) : NULL;
    for (uint32_t task = 0; task < tasks && !engine->gate; task++)
        nodes->of_task[task] = engine->mapping[task] / nics;
    return VEF_OK;
}

vef_code vef_hosts_place(vef_engine *engine, uint32_t task) {
    const uint32_t endpoint = engine->mapping[task], endpoints = engine->gate->endpoints;
    engine->hosts.of_task[task] = endpoint / host_of(engine)->nics;
    if (endpoint < endpoints)
        return VEF_OK;
    return vef_fail(engine->error, VEF_INVALID,
                    "task %u is mapped to endpoint %u: out of range: expected below %u", task,
                    endpoint, endpoints);
}

void vef_hosts_release(vef_engine *engine) {
    vef_hosts *nodes = &engine->hosts;
    free(nodes->of_task);
    free(nodes->turn);
    free(nodes->sends_from);
    free(nodes->receives_from);
    free(nodes->memory_from);
    free(nodes->memory_receives_from);
    vef_pending_release(&nodes->pending);
}

/* A message between tasks of one node: it begins when the memory of both is free. */
static void inject_in_memory(vef_engine *engine, const vef_net_message *message,
                             vef_carried tasks) {
    const vef_host *host = host_of(engine);
    uint64_t *from = engine->hosts.memory_from, *receives = engine->hosts.memory_receives_from;
    uint64_t begin_ps = engine->now_ps;
    if (from && tasks.from != UINT32_MAX) {
        const uint64_t free_ps =
            from[tasks.from] > from[tasks.to] ? from[tasks.from] : from[tasks.to];
        if (begin_ps < free_ps)
            begin_ps = free_ps;
        from[tasks.from] = from[tasks.to] =
            begin_ps + vef_ps_of(vef_cost_ns(&host->memory_gap, message->bytes));
        if (begin_ps < receives[tasks.to])
            begin_ps = receives[tasks.to];
        receives[tasks.to] =
            begin_ps + vef_ps_of(vef_cost_ns(&host->memory_receive_gap, message->bytes));
    }
    const double ns = vef_cost_ns(&host->memory_time, message->bytes);
    const uint64_t end_ps = begin_ps + vef_ps_of(ns);
    VEF_REPORT(engine->listeners, injects, message, engine->now_ps, engine->now_ps, end_ps);
    engine->in_flight++;
    vef_pending_add(&engine->hosts.pending, end_ps, message->id, message->destination);
}

vef_code vef_hosts_inject(vef_engine *engine, vef_net_message *message, vef_carried tasks) {
    vef_hosts *nodes = &engine->hosts;
    uint64_t time_ps = engine->now_ps;
    const uint32_t nics = host_of(engine)->nics;
    if (message->source / nics == message->destination / nics) {
        inject_in_memory(engine, message, tasks);
        return VEF_OK;
    }
    if (nodes->in_turn && message->destination != VEF_TO_ALL) {
        const uint32_t nic = nodes->turn[message->source / nics]++ % nics;
        message->source = message->source / nics * nics + nic;
        message->destination = message->destination / nics * nics + nic;
    }
    if (nodes->gap_ps) {
        uint64_t *from = &nodes->sends_from[message->source];
        if (*from > time_ps)
            time_ps = *from;
        *from = time_ps + nodes->gap_ps;
    }
    vef_code code =
        engine->in_flight++ > nodes->pending.count ? VEF_OK : vef_engine_catch_up(engine);
    return code ? code : vef_engine_enter(engine, message, time_ps);
}

vef_code vef_hosts_receive(vef_engine *engine, const vef_net_delivery *delivery) {
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
    return vef_transfer_delivered(engine, delivery);
}

vef_code vef_hosts_deliver(vef_engine *engine) {
    vef_pending *pending = &engine->hosts.pending;
    vef_code code = VEF_OK;
    while (code == VEF_OK && vef_pending_time(pending) <= engine->now_ps) {
        const uint32_t endpoint = vef_pending_note(pending);
        const uint64_t id = vef_pending_take(pending);
        const vef_net_delivery delivery = {.id = id, .endpoint = endpoint};
        code = vef_transfer_delivered(engine, &delivery);
    }
    return code;
}
