/* EASY backfilling: first come, first served, but a later job may start before the first one that
 * waits if by the estimates it does not delay that one.
 *
 * Lifka: "The ANL/IBM SP scheduling system", JSSPP 1995; as defined by Mu'alem, Feitelson:
 * "Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2
 * with Backfilling", IEEE TPDS 12(6), 2001: the first job can start at its shadow time, when
 * enough running jobs have ended; the nodes beyond its own that are free then are extra. A later
 * job may start if enough nodes are free, and if it ends by the shadow time or takes only extra
 * nodes. A job that has outlived its estimate is taken to end at once. */
#include "replay/jobs/batch_policy.h"

/* The shadow time of the first job, and the extra nodes. */
static uint64_t find_shadow(const vef_batch_view *view, uint32_t *extra) {
    const uint32_t wanted = view->waiting[0].nodes;
    uint32_t free = view->free;
    uint64_t shadow_ps = view->now_ps;
    for (size_t i = 0; i < view->running_count; i++) {
        const uint64_t end_ps =
            view->running[i].end_ps > view->now_ps ? view->running[i].end_ps : view->now_ps + 1;
        if (free >= wanted && end_ps > shadow_ps)
            break;
        free += view->running[i].nodes;
        shadow_ps = end_ps;
    }
    *extra = free > wanted ? free - wanted : 0;
    return shadow_ps;
}

static size_t choose(const vef_batch_view *view) {
    uint32_t extra;
    if (view->waiting[0].nodes <= view->free)
        return 0;
    const uint64_t left_ps = find_shadow(view, &extra) - view->now_ps;
    for (size_t i = 1; i < view->waiting_count; i++) {
        const vef_batch_waiting *job = &view->waiting[i];
        if (job->nodes <= view->free && (job->estimate_ps <= left_ps || job->nodes <= extra))
            return i;
    }
    return VEF_NO_START;
}

const vef_batch_policy vef_batch_policy_easy = {
    .name = "easy",
    .aliases = "backfill backfilling",
    .summary = "first come, first served, with EASY backfilling; jobs need the key `estimate`",
    .estimates = true,
    .choose = choose,
};
