/* Nodes, their interfaces, and the way of messages into the network. */
#ifndef VEF_REPLAY_ENGINE_HOSTS_H
#define VEF_REPLAY_ENGINE_HOSTS_H

#include "replay/engine/executor.h"

vef_code vef_hosts_prepare(vef_engine *engine);
/* The task is where the mapping says now. */
vef_code vef_hosts_place(vef_engine *engine, uint32_t task);
/* Whether two tasks are on one node. */
static inline bool vef_hosts_share(const vef_engine *engine, uint32_t task, uint32_t other) {
    return engine->hosts.of_task[task] == engine->hosts.of_task[other];
}

/* The two tasks whose data a message carries; VEF_CARRIES_NOTHING: a control message, or one for
 * all endpoints. */
typedef struct vef_carried {
    uint32_t from, to;
} vef_carried;
#define VEF_CARRIES_NOTHING ((vef_carried){UINT32_MAX, UINT32_MAX})

/* Advances a network without messages to the engine's time. */
vef_code vef_engine_catch_up(vef_engine *engine);
/* Injects a message that leaves at `time_ps`, now or later. */
vef_code vef_engine_enter(vef_engine *engine, vef_net_message *message, uint64_t time_ps);

/* Sends a message now, of which `in_flight` counts one more from now on; sets its time. A network
 * is only advanced while it has messages. */
vef_code vef_hosts_inject(vef_engine *engine, vef_net_message *message, vef_carried tasks);
static inline vef_code vef_engine_inject(vef_engine *engine, vef_net_message *message,
                                         vef_carried tasks) {
    if (!engine->hosts.plain)
        return vef_hosts_inject(engine, message, tasks);
    vef_code code = engine->in_flight++ ? VEF_OK : vef_engine_catch_up(engine);
    return code ? code : vef_engine_enter(engine, message, engine->now_ps);
}

/* The network's `advance`, up to `limit_ps`, with progress shown meanwhile. */
vef_code vef_engine_advance(vef_engine *engine, uint64_t limit_ps,
                            const vef_net_delivery **deliveries, size_t *count);
void vef_engine_report_progress(vef_engine *engine);

#endif
