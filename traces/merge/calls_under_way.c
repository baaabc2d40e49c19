/* Calls under way: from the numbers of a log to those of the trace. */
#include "common/grow.h"
#include "traces/merge/merge_state.h"

/* A slot has no checksum and is not trusted: an invalid communicator or rank becomes unknown. */
static void translate(const vef_merge_task *part, const vef_log_facts *facts, vef_waited *waited) {
    uint32_t local = waited->comm, world = 0;
    vef_error ignored;
    bool known = local < part->number_count && part->numbers[local] != VEF_NO_COMM;
    if (waited->peer >= 0 && !vef_merge_world(facts, local, waited->peer, &world, &ignored))
        waited->peer = (int32_t)world;
    else if (waited->peer != VEF_ANY_SOURCE)
        waited->peer = VEF_NO_TASK;
    waited->comm = known ? part->numbers[local] : VEF_NO_COMM;
    waited->flags &= VEF_OP_SEND;
    if (!vef_call_name(waited->call))
        waited->call = 0;
}

void vef_merge_under_way(vef_merge_state *state, uint32_t task, const vef_log_facts *facts) {
    size_t count = state->under_way_count + facts->under_way_count;
    vef_grow(&state->under_way, &state->under_way_capacity, count, sizeof *state->under_way);
    for (uint32_t i = 0; i < facts->under_way_count; i++) {
        vef_under_way *to = &state->under_way[state->under_way_count++];
        *to = facts->under_way[i];
        for (uint32_t k = 0; k < vef_waited_shown(to); k++)
            translate(&state->task[task], facts, &to->waited[k]);
    }
}
