/* Events of DUMPI's calls: times, threads, communicators. */
#include "common/containers/grow.h"
#include "interchange/dumpi/reading.h"

/* Whether gaps are processor time, which is that of the process. */
static bool by_processor(const vef_dumpi_reading *reader, const vef_dumpi_call *call) {
    return call->has_cpu && !reader->comms->task[reader->task].threaded;
}

vef_import_thread *vef_dumpi_enter(vef_dumpi_reading *reader, const vef_dumpi_call *call) {
    const bool cpu = by_processor(reader, call);
    const uint64_t entered_ns = cpu ? call->cpu_entered_ns : call->entered_ns;
    const uint64_t left_ns = cpu ? call->cpu_left_ns : call->left_ns;
    vef_grow_zeroed(&reader->threads, &reader->thread_room, call->thread + 1ull,
                    sizeof *reader->threads);
    vef_import_thread *thread = &reader->threads[call->thread];
    const bool follows = vef_import_call(thread, &reader->thread_count, entered_ns, left_ns);
    reader->count.backwards += !follows || left_ns < entered_ns;
    return thread;
}

uint64_t vef_dumpi_inside(const vef_dumpi_call *call) {
    return call->left_ns > call->entered_ns ? call->left_ns - call->entered_ns : 0;
}

vef_code vef_dumpi_put(vef_dumpi_reading *reader, const vef_dumpi_call *call, vef_event event,
                       vef_error *error) {
    event.call = event.call ? event.call : (uint16_t)reader->calls[call->id];
    if (reader->surveying) {
        vef_dumpi_joint_note(reader->joint, &event, call->entered_ns, call->left_ns);
        return VEF_OK;
    }
    vef_import_thread *thread = vef_dumpi_enter(reader, call);
    vef_import_times(thread, vef_dumpi_inside(call), &event);
    if (reader->comms->task[reader->task].threaded) { /* ticks: of the clock */
        if (reader->base_ns == UINT64_MAX)
            reader->base_ns = call->entered_ns;
        vef_import_order(
            &event, call->entered_ns > reader->base_ns ? call->entered_ns - reader->base_ns : 0,
            &thread->last_tick);
    }
    return vef_import_event(reader->import, &event, error);
}

bool vef_dumpi_comm_of(vef_dumpi_reading *reader, uint16_t handle, uint32_t *number,
                       const vef_dumpi_comm **comm) {
    const uint32_t creation = reader->current[handle];
    const uint32_t global =
        creation == VEF_DUMPI_UNKNOWN ? creation : reader->comms->task[reader->task].made[creation];
    if (global == VEF_DUMPI_UNKNOWN) {
        reader->count.left_out++;
        return false;
    }
    *number = reader->numbers[creation];
    *comm = &reader->comms->list[global];
    return true;
}
