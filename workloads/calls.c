/* The calls of a task of a workload. See calls.h. */
#include "workloads/calls.h"

#include <math.h>
#include <stdlib.h>

static vef_code put(vef_workload_calls *self, vef_event event, vef_error *error) {
    const double whole_ns = floor(self->gap_ns);
    event.gap_ns = (uint64_t)whole_ns;
    self->gap_ns -= whole_ns; /* the rest of a ns belongs to the next gap */
    event.repeats = 1;
    event.entered = self->tick++;
    event.left = self->tick++;
    return vef_writer_event(self->writer, self->task, &event, error);
}

vef_code vef_workload_calls_begin(vef_workload_calls *self, uint32_t task, vef_error *error) {
    self->task = task;
    self->gap_ns = 0;
    self->tick = self->requests = self->first_pending = 0;
    vef_map64_clear(&self->sent);
    vef_map64_clear(&self->received);
    return put(self, (vef_event){.call = VEF_CALL_Init}, error);
}

vef_code vef_workload_calls_end(vef_workload_calls *self, vef_error *error) {
    vef_code code = put(self, (vef_event){.call = VEF_CALL_Finalize}, error);
    return code ? code : vef_writer_end_task(self->writer, self->task, VEF_LOG_FINALIZED, error);
}

void vef_workload_calls_free(vef_workload_calls *self) {
    vef_map64_free(&self->sent);
    vef_map64_free(&self->received);
}

void vef_workload_calls_compute(vef_workload_calls *self, double share) {
    self->gap_ns += self->compute_ns * share;
}

vef_code vef_workload_calls_message(vef_workload_calls *self, uint16_t call, uint32_t peer,
                                    uint64_t bytes, int32_t tag, vef_error *error) {
    const bool send = call == VEF_CALL_Send || call == VEF_CALL_Isend;
    const bool starts = vef_call_has(call, VEF_FACT_STARTS);
    vef_map64 *counts = send ? &self->sent : &self->received;
    const uint64_t *known = vef_map64_get(counts, peer);
    const vef_operation operation = {.flags = send ? VEF_OP_SEND : 0,
                                     .peer = (int32_t)peer,
                                     .tag = tag,
                                     .bytes = bytes,
                                     .ordinal = known ? *known : 0,
                                     .request = starts ? self->requests++ : VEF_NO_REQUEST};
    if (!vef_map64_set(counts, peer, operation.ordinal + 1))
        return vef_fail_memory(error, "peers", vef_map64_bytes(counts));
    return put(self, (vef_event){.call = call, .operation_count = 1, .operations = &operation},
               error);
}

vef_code vef_workload_calls_waitall(vef_workload_calls *self, vef_error *error) {
    enum { AT_ONCE = 256 };
    vef_completion completions[AT_ONCE];
    vef_code code = VEF_OK;
    while (!code && self->first_pending < self->requests) {
        uint32_t count = 0;
        for (; count < AT_ONCE && self->first_pending < self->requests; count++)
            completions[count] = (vef_completion){.request = self->first_pending++};
        code = put(self,
                   (vef_event){.call = VEF_CALL_Waitall,
                               .completion_count = count,
                               .completions = completions},
                   error);
    }
    return code;
}

vef_code vef_workload_calls_collective(vef_workload_calls *self, const vef_event *event,
                                       vef_error *error) {
    vef_event call = *event;
    call.request = vef_call_has(event->call, VEF_FACT_STARTS) ? self->requests++ : VEF_NO_REQUEST;
    return put(self, call, error);
}
