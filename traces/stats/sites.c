/* Statistics of call sites. See stats.h. */
#include "common/containers/grow.h"
#include "traces/stats/stats_state.h"

/* The row of a site and a call; a place in the program may make several calls by a pointer. */
static vef_site_stats *row_of(vef_stats_state *state, const vef_event *event) {
    vef_stats *stats = state->stats;
    const vef_site *caller = vef_trace_site(state->header, event->site);
    const uint32_t site = caller ? caller->place : event->site;
    const uint64_t key = (uint64_t)site << 16 | event->call;
    const uint64_t *known = vef_map64_get(&state->site_of, key);
    if (known)
        return &stats->sites[*known];
    vef_map64_set(&state->site_of, key, stats->site_count);
    vef_site_stats *row = VEF_NEW_ITEM(stats->sites, stats->site_count, state->site_capacity);
    *row = (vef_site_stats){.site = site, .call = event->call};
    return row;
}

void vef_stats_site_end_task(vef_site_stats *row) {
    row->squares += (double)row->task_ns * (double)row->task_ns;
    row->task_ns = 0;
}

void vef_stats_site(vef_stats_state *state, const vef_event *event, uint64_t bytes) {
    vef_stats *stats = state->stats;
    vef_site_stats *row = row_of(state, event);
    if (row->last_task != state->task + 1) {
        vef_stats_site_end_task(row);
        row->last_task = state->task + 1;
        row->sums.tasks++;
    }
    vef_stats_add_call(stats, &row->sums, event);
    vef_stats_add(stats, &row->sums.bytes, bytes);
    bool sends = vef_call_kind(event->call) != VEF_KIND_TRANSFER;
    for (uint32_t i = 0; i < event->operation_count; i++)
        sends |= (event->operations[i].flags & VEF_OP_SEND) != 0;
    if (sends)
        vef_stats_add(stats, &row->sent_bytes, bytes);
    vef_stats_add(stats, &row->task_ns, event->duration_ns);
}
