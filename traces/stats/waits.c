/* The longest calls, and the peers for which they waited. See stats.h. */
#include "traces/fields.h"
#include "traces/stats/stats_state.h"

static bool waits_for_others(const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    return kind != VEF_KIND_LOCAL && kind != VEF_KIND_REGION && !(event->flags & VEF_EVENT_POLL);
}

/* Adds a peer to those of a wait: different peers become "several". */
static void add_peer(vef_wait *wait, int32_t peer) {
    if (wait->waited++ == 0)
        wait->peer = peer;
    else if (wait->peer != peer)
        wait->peer = VEF_NO_TASK;
}

static void find_peers(const vef_stats_state *state, const vef_event *event, vef_wait *wait) {
    for (uint32_t i = 0; i < event->operation_count; i++)
        add_peer(wait, event->operations[i].peer);
    for (uint32_t i = 0; i < event->completion_count; i++) {
        const uint64_t *started = vef_map64_get(&state->requests, event->completions[i].request);
        uint32_t comm = started ? (uint32_t)(*started >> 32) : 0;
        add_peer(wait, started && !comm ? (int32_t)(uint32_t)*started : VEF_NO_TASK);
        if (event->completion_count == 1 && comm)
            wait->comm = comm - 1;
    }
    if (VEF_IN_GROUP >> vef_call_kind(event->call) & 1)
        wait->comm = event->comm;
    for (uint32_t i = 0; i < event->peer_count; i++)
        add_peer(wait, event->peers[i]);
}

void vef_stats_wait(vef_stats_state *state, const vef_thread_stats *thread,
                    const vef_event *event) {
    vef_stats *stats = state->stats;
    size_t limit = state->wait_limit;
    if (event->duration_ns == 0 || limit == 0 || !waits_for_others(event) ||
        (stats->wait_count == limit && stats->waits[limit - 1].duration_ns >= event->duration_ns))
        return;
    size_t place = stats->wait_count < limit ? stats->wait_count++ : limit - 1;
    for (; place > 0 && stats->waits[place - 1].duration_ns < event->duration_ns; place--)
        stats->waits[place] = stats->waits[place - 1];
    vef_wait *wait = &stats->waits[place];
    *wait = (vef_wait){.duration_ns = event->duration_ns,
                       .since_start_ns = vef_sums_ns(&thread->sums) - event->duration_ns,
                       .event = state->event,
                       .task = state->task,
                       .thread = event->thread,
                       .call = event->call,
                       .site = event->site,
                       .peer = VEF_NO_TASK,
                       .comm = VEF_NO_COMM};
    find_peers(state, event, wait);
}

void vef_stats_requests(vef_stats_state *state, const vef_event *event) {
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->request != VEF_NO_REQUEST && !(operation->flags & VEF_OP_OPEN_ENDED))
            vef_map64_set(&state->requests, operation->request, (uint32_t)operation->peer);
    }
    if (vef_event_starts_request(event) && event->request != VEF_NO_REQUEST)
        vef_map64_set(&state->requests, event->request,
                      (uint32_t)VEF_NO_TASK | (uint64_t)(event->comm + 1) << 32);
    bool kept = vef_call_has(event->call, VEF_FACT_INSPECTS);
    for (uint32_t i = 0; i < event->completion_count && !kept; i++) {
        uint64_t started;
        vef_map64_take(&state->requests, event->completions[i].request, &started);
    }
}
