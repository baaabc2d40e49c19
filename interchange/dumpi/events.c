/* Events of DUMPI's calls: times, threads, communicators. */
#include "common/grow.h"
#include "interchange/dumpi/reading.h"

#include <string.h>

/* Whether gaps are processor time, which is that of the process. */
static bool by_processor(const vef_dumpi_reading *self, const vef_dumpi_call *call) {
    return call->has_cpu && !self->comms->threaded[self->task];
}

vef_dumpi_thread *vef_dumpi_enter(vef_dumpi_reading *self, const vef_dumpi_call *call) {
    const size_t former = self->thread_room;
    const bool cpu = by_processor(self, call);
    const uint64_t entered_ns = cpu ? call->cpu_entered_ns : call->entered_ns;
    const uint64_t left_ns = cpu ? call->cpu_left_ns : call->left_ns;
    vef_grow(&self->threads, &self->thread_room, call->thread + 1ull, sizeof *self->threads);
    if (self->thread_room > former)
        memset(self->threads + former, 0, (self->thread_room - former) * sizeof *self->threads);
    vef_dumpi_thread *at = &self->threads[call->thread];
    if (!at->known)
        *at = (vef_dumpi_thread){
            .known = true, .number = self->thread_count++, .returned_ns = entered_ns};
    self->backwards += entered_ns < at->returned_ns || left_ns < entered_ns;
    at->gap_ns += entered_ns > at->returned_ns ? entered_ns - at->returned_ns : 0;
    at->returned_ns = left_ns > at->returned_ns ? left_ns : at->returned_ns;
    return at;
}

uint64_t vef_dumpi_inside(const vef_dumpi_call *call) {
    return call->left_ns > call->entered_ns ? call->left_ns - call->entered_ns : 0;
}

vef_code vef_dumpi_put(vef_dumpi_reading *self, const vef_dumpi_call *call, vef_event event,
                       vef_error *error) {
    vef_dumpi_thread *thread = vef_dumpi_enter(self, call);
    event.call = event.call ? event.call : (uint16_t)self->calls[call->id];
    event.thread = thread->number;
    event.gap_ns = thread->gap_ns;
    event.outside_ns = thread->outside_ns;
    event.duration_ns = vef_dumpi_inside(call);
    event.repeats = 1;
    thread->gap_ns = thread->outside_ns = 0;
    if (self->comms->threaded[self->task]) { /* ticks: of the clock */
        if (self->base_ns == UINT64_MAX)
            self->base_ns = call->entered_ns;
        vef_import_order(&event,
                         call->entered_ns > self->base_ns ? call->entered_ns - self->base_ns : 0,
                         &thread->last_tick);
    }
    return vef_import_event(self->import, &event, error);
}

bool vef_dumpi_comm_of(vef_dumpi_reading *self, uint16_t handle, uint32_t *number,
                       const vef_dumpi_comm **comm) {
    const uint32_t creation = self->current[handle];
    const uint32_t global =
        creation == VEF_DUMPI_UNKNOWN || creation >= self->comms->made_count[self->task]
            ? VEF_DUMPI_UNKNOWN
            : self->comms->made[self->task][creation];
    if (global == VEF_DUMPI_UNKNOWN) {
        self->left_out++;
        return false;
    }
    *number = self->numbers[creation];
    *comm = &self->comms->list[global];
    return true;
}

vef_code vef_dumpi_put_local(vef_dumpi_reading *self, const vef_dumpi_call *call, int64_t argument,
                             vef_error *error) {
    return vef_dumpi_put(self, call, (vef_event){.argument = argument}, error);
}
