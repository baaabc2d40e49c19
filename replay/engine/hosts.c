/* Nodes: which tasks share one, and how their messages leave and enter it.
 *
 * A node has `host.nics` consecutive endpoints of the network. Messages between its tasks take
 * `host.memory_time` and do not enter the network; `host.memory_gap` passes between two of them
 * that carry data of the same task, either way: the memory and the processor that copy. An
 * interface lets `host.gap` pass between two messages that it sends, and between two that it
 * receives: the gap g of LogP (Culler et al., "LogP: Towards a Realistic Model of Parallel
 * Computation", PPoPP 1993). */
#include "replay/engine/hosts.h"

#include <stdio.h>

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
                        "host.nics %u: not supported with the collective algorithms `hardware`",
                        nics);
    return VEF_OK;
}

static void place(vef_engine *engine, uint32_t task) {
    const vef_topology *topology = engine->network->topology;
    const uint32_t nics = host_of(engine)->nics, inside = topology ? topology->node_endpoints : 0;
    engine->hosts.of_task[task] = engine->mapping[task] / nics;
    engine->hosts.collective_node[task] = engine->mapping[task] / (inside > nics ? inside : nics);
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
    nodes->of_task = vef_store_take(engine->store, tasks, sizeof *nodes->of_task);
    nodes->collective_node = vef_store_take(engine->store, tasks, sizeof *nodes->collective_node);
    nodes->turn = vef_store_take(engine->store, nodes->in_turn ? last + 1 : 1, sizeof *nodes->turn);
    nodes->sends_from =
        vef_store_take(engine->store, nodes->gap_ps ? endpoints : 1, sizeof *nodes->sends_from);
    nodes->receives_from =
        vef_store_take(engine->store, nodes->gap_ps ? endpoints : 1, sizeof *nodes->receives_from);
    nodes->memory_receives_from =
        gaps ? vef_store_take(engine->store, tasks, sizeof *nodes->memory_receives_from) : NULL;
    nodes->memory_from =
        gaps ? vef_store_take(engine->store, tasks, sizeof *nodes->memory_from) : NULL;
    for (uint32_t task = 0; task < tasks && !engine->gate; task++)
        place(engine, task);
    return VEF_OK;
}

vef_code vef_hosts_place(vef_engine *engine, uint32_t task) {
    const uint32_t endpoint = engine->mapping[task], endpoints = engine->gate->endpoints;
    place(engine, task);
    if (endpoint < endpoints)
        return VEF_OK;
    return vef_fail(engine->error, VEF_INVALID,
                    "task %u is mapped to endpoint %u: out of range: expected below %u", task,
                    endpoint, endpoints);
}

enum { LEAST_STEP = 1024 }; /* units of the network's time between two readings of the clock */

/* The number of events would not change while a few huge messages move, so the simulated time is
 * shown too.
 */
void vef_engine_report_progress(vef_engine *engine) {
    vef_progress *progress = engine->progress;
    if (!vef_progress_due(progress))
        return;
    const uint64_t network = engine->network->kind->now(engine->network);
    const uint64_t ps = engine->policy.ahead ? engine->wakeups.now << engine->time_shift
                                             : vef_net_clock_ps(&engine->clock, network);
    snprintf(progress->detail, sizeof progress->detail, "%.6f s simulated", 1e-12 * (double)ps);
    uint64_t events = engine->result->events;
    for (uint32_t i = 0; i < engine->part_count; i++)
        events += *engine->part_events[i];
    vef_progress_update(progress, events, engine->source->events);
}

/* The network's `advance`, up to `limit_ps`. With progress display it advances in steps whose
 * length adapts to their duration: the network may be busy for hours before a delivery. Deliveries
 * do not depend on the steps. */
vef_code vef_engine_advance(vef_engine *engine, uint64_t limit_ps,
                            const vef_net_delivery **deliveries, size_t *count) {
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
            vef_engine_report_progress(engine);
            step = step / 4 > LEAST_STEP ? step / 4 : LEAST_STEP;
        }
        step *= 2;
    } while (until < limit);
    return code;
}

vef_code vef_engine_catch_up(vef_engine *engine) {
    const vef_net_delivery *deliveries;
    size_t count;
    if (engine->letters || engine->network->kind->now(engine->network) >=
                               vef_net_clock_until(&engine->clock, engine->now_ps))
        return VEF_OK;
    return vef_engine_advance(engine, engine->now_ps, &deliveries, &count);
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
