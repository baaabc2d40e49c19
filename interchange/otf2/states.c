/* Stating events of a task for the import: their times and order, communicators, and the regions of
 * the program. See reading.h. */
#include "interchange/otf2/reading.h"

#ifdef VEF_HAVE_OTF2

/* ---- events ---- */

void vef_otf2_pass_time(vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t to_ns) {
    reader->backwards += to_ns < thread->last_ns;
    if (to_ns > thread->last_ns) {
        thread->gap_ns += to_ns - thread->last_ns;
        thread->last_ns = to_ns;
    }
}

/* The order of calls of several threads: by their ticks, else by their times. */
static void give_order(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_event *event,
                       uint64_t entered_ns) {
    const vef_otf2_frame *frame = &thread->frame;
    if (reader->thread_count < 2)
        return;
    if (frame->left > 0) {
        event->entered = frame->entered;
        event->left = frame->left;
        return;
    }
    if (reader->base_ns == UINT64_MAX)
        reader->base_ns = entered_ns;
    vef_import_order(event, entered_ns > reader->base_ns ? entered_ns - reader->base_ns : 0,
                     &thread->last_tick);
}

vef_code vef_otf2_put(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_event event,
                      vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    const uint64_t entered_ns =
        frame->open && frame->entered_ns > thread->last_ns ? frame->entered_ns : thread->last_ns;
    vef_otf2_pass_time(reader, thread, entered_ns);
    if (!thread->begun) {
        thread->begun = true;
        thread->number = reader->numbered++;
    }
    event.thread = thread->number;
    event.gap_ns = thread->gap_ns;
    event.outside_ns = thread->outside_ns;
    event.duration_ns =
        frame->open && frame->left_ns > entered_ns ? frame->left_ns - entered_ns : 0;
    event.repeats = 1;
    thread->gap_ns = thread->outside_ns = 0;
    thread->last_ns = entered_ns + event.duration_ns;
    give_order(reader, thread, &event, entered_ns);
    return vef_import_event(reader->import, &event, error);
}

vef_code vef_otf2_state_comm(vef_otf2_reading *reader, uint32_t comm, uint32_t parent,
                             uint16_t made_by, vef_error *error) {
    const vef_otf2_comm *about = &reader->run->comms[comm];
    uint32_t rank;
    if (about->kind != VEF_OTF2_COMM_OTHER || !vef_otf2_run_rank(about, reader->task, &rank))
        return VEF_OK;
    const vef_communicator communicator = {.parent =
                                               parent == VEF_NO_COMM ? VEF_IMPORT_WORLD : parent,
                                           .made_by = made_by,
                                           .size = about->size,
                                           .members = about->members};
    return vef_import_communicator(reader->import, &communicator, &reader->numbers[comm], error);
}

/* ---- regions ---- */

vef_code vef_otf2_put_region(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                             const vef_otf2_known_region *region, uint64_t at_ns,
                             vef_error *error) {
    vef_otf2_pass_time(reader, thread, at_ns);
    return vef_otf2_put(reader, thread,
                        (vef_event){.call = call, .name = reader->run->texts[region->name]}, error);
}

vef_code vef_otf2_resume_regions(vef_otf2_reading *reader, vef_otf2_thread *thread,
                                 vef_error *error) {
    vef_code code = VEF_OK;
    thread->frame.open = false;
    for (size_t i = 0; i < thread->open_count && !code; i++) {
        vef_otf2_open *open = &thread->open[i];
        if (open->known->meaning != VEF_OTF2_IS_REGION)
            continue;
        open->stated = true;
        code = vef_otf2_put_region(reader, thread, VEF_CALL_Region_begin, open->known,
                                   thread->last_ns, error);
    }
    return code;
}

vef_code vef_otf2_end_regions(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_error *error) {
    const bool was_open = thread->frame.open;
    vef_code code = VEF_OK;
    thread->frame.open = false;
    for (size_t i = thread->open_count; i-- > 0 && !code;) {
        vef_otf2_open *open = &thread->open[i];
        if (open->stated)
            code = vef_otf2_put_region(reader, thread, VEF_CALL_Region_end, open->known,
                                       thread->last_ns, error);
        open->stated = false;
    }
    thread->frame.open = was_open;
    return code;
}

#endif
