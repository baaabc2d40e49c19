/* Content of a slice other than its events: how its tasks ended and their calls at that time, how
 * times were measured, and counts of calls that the trace does not store. See slice_state.h. */
#include "common/memory.h"
#include "traces/slice/slice_state.h"

#include <stdlib.h>

/* Unselected tasks are in no communicator of the result but the world. */
static uint32_t comm_of(const vef_slice_state *state, const vef_waited *waited) {
    if (waited->comm >= state->header->communicator_count)
        return VEF_NO_COMM;
    bool message = waited->peer != VEF_NO_TASK;
    if (message && (waited->comm == 0 ||
                    (waited->peer != VEF_ANY_SOURCE && !vef_slice_chosen(state, waited->peer))))
        return 0;
    return state->comms[waited->comm].number;
}

vef_code vef_slice_under_way(vef_slice_state *state, vef_writer *writer, vef_error *error) {
    const vef_under_way *list;
    size_t count, kept = 0;
    vef_code code = vef_trace_under_way(state->trace, &list, &count, error);
    if (code || count == 0)
        return code;
    vef_under_way *kept_calls = vef_calloc(count, sizeof *kept_calls);
    for (size_t i = 0; i < count; i++) {
        if (!state->tasks[list[i].task].ends_inside)
            continue;
        kept_calls[kept] = list[i];
        for (uint32_t k = 0; k < vef_waited_shown(&kept_calls[kept]); k++)
            kept_calls[kept].waited[k].comm = comm_of(state, &kept_calls[kept].waited[k]);
        kept++;
    }
    code = vef_writer_under_way(writer, kept_calls, kept, error);
    free(kept_calls);
    return code;
}

vef_code vef_slice_end_task(vef_slice_state *state, vef_writer *writer, vef_error *error) {
    const vef_slice_task *task = &state->tasks[state->task];
    const vef_trace_task *from = &state->header->task[state->task];
    vef_writer_record(writer, state->task, from->record);
    if (state->header->measured && vef_slice_chosen(state, (int32_t)state->task)) {
        vef_measured measured = state->header->measured[state->task];
        if (!task->whole)
            vef_measured_forget_times(&measured);
        vef_writer_measured(writer, state->task, &measured);
    }
    return vef_writer_end_task(writer, state->task,
                               task->ends_inside ? from->end : VEF_LOG_FINALIZED, error);
}

void vef_slice_counts(vef_slice_state *state, vef_writer *writer) {
    const vef_trace_header *header = state->header;
    bool whole = true;
    for (uint32_t i = 0; i < header->tasks; i++)
        whole &= state->tasks[i].whole;
    for (size_t call = 0; call < vef_call_count(); call++) {
        uint64_t left_out = header->left_out.calls ? header->left_out.calls[call] : 0;
        if (!whole) {
            state->result->counted += header->not_recorded[call] + left_out;
            continue;
        }
        vef_writer_not_recorded(writer, (uint16_t)call, header->not_recorded[call],
                                header->not_recorded_ns[call]);
        if (left_out > 0)
            vef_writer_left_out(writer, (uint16_t)call, left_out, header->left_out.ns[call]);
    }
}
