/* The slow paths of recording one call: see recorder.h. */
#include "capture/recorder.h"

#include <stdlib.h>

vef_recorder vef_capture = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local vef_thread *vef_thread_here;

void vef_passive(void) {
    if (vef_mpi.resolved)
        return;
    vef_refuse_open_mpi(); /* an interpreter may load it long after the start */
    if (!vef_real_resolve())
        vef_refuse(
            "calls MPI, but no MPI library is loaded that can be recorded: vef capture needs "
            "programs linked dynamically with MPICH (libmpich.so.12)");
}

vef_thread *vef_thread_new(void) {
    vef_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    /* The CPU clock of a thread starts with it; by the wall nobody knows when it began computing.
     */
    thread->left = vef_capture.clock.cpu ? 0 : vef_gap_clock();
    pthread_mutex_lock(&vef_capture.lock);
    thread->number = vef_capture.thread_count++;
    thread->next = vef_capture.threads;
    vef_capture.threads = thread;
    pthread_mutex_unlock(&vef_capture.lock);
    vef_thread_here = thread;
    return thread;
}

void vef_write_failed(void) {
    vef_capture.active = false;
    vef_mark_lost();
    vef_say("%s: what follows is not recorded; the program runs on", vef_capture.error.message);
}

/* Also reached when a nested call's start lies before the last flush: then nothing is due. */
void vef_flush(uint64_t now) {
    if (now < vef_capture.flushed)
        return;
    vef_capture.flushed = now;
    if (vef_log_flush(vef_capture.log, &vef_capture.error) != VEF_OK)
        vef_write_failed();
}

void vef_flush_inside(void) {
    if (!vef_capture.active || (vef_capture.threaded && pthread_mutex_trylock(&vef_capture.lock)))
        return;
    if (vef_capture.active && !vef_capture.busy) {
        vef_capture.busy = 1;
        vef_flush(vef_clock_wall(&vef_capture.clock));
        vef_capture.busy = 0;
    }
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.lock);
}

void vef_idle(void) {
    enum { OFTENER = 50 }; /* than a busy task flushes */
    if (vef_capture.active && vef_clock_wall(&vef_capture.clock) >
                                  vef_capture.flushed + vef_capture.flush_ticks / OFTENER)
        vef_flush_inside();
}

void vef_put_poll(vef_thread *thread) {
    if (vef_capture.active &&
        vef_log_event(vef_capture.log, &thread->poll, &vef_capture.error) != VEF_OK)
        vef_write_failed();
    thread->poll.repeats = 0;
}

void vef_poll(vef_frame *frame, uint16_t call, uintptr_t of) {
    vef_thread *thread = frame->thread;
    if (vef_capture.muted)
        return;
    bool spins = frame->gap_ns <= VEF_SPIN_NS;
    if (thread->poll.repeats > 0 && thread->poll.call == call && thread->poll_of == of &&
        thread->poll_spins == spins) {
        thread->poll.repeats++;
        thread->poll.gap_ns += frame->gap_ns;
        thread->poll.duration_ns += frame->duration_ns;
        return;
    }
    if (thread->poll.repeats > 0)
        vef_put_poll(thread);
    thread->poll = (vef_event){.call = call,
                               .flags = VEF_EVENT_POLL,
                               .thread = thread->number,
                               .gap_ns = frame->gap_ns,
                               .duration_ns = frame->duration_ns,
                               .repeats = 1,
                               .root = -1};
    thread->poll_of = of;
    thread->poll_spins = spins;
}

void vef_count(vef_frame *frame, uint16_t call) {
    if (vef_capture.active)
        vef_log_count(vef_capture.log, call, 1, frame->duration_ns);
    frame->thread->carry_ns += frame->gap_ns;
}

void *vef_room(vef_thread *thread, size_t bytes) {
    if (thread->room_taken) /* a callback inside a call that holds it */
        return malloc(bytes);
    if (bytes > thread->room_bytes) {
        free(thread->room);
        thread->room = malloc(2 * bytes);
        thread->room_bytes = thread->room != NULL ? 2 * bytes : 0;
    }
    thread->room_taken = thread->room != NULL;
    return thread->room;
}

void vef_room_release(vef_thread *thread, void *room) {
    if (room == thread->room)
        thread->room_taken = false;
    else
        free(room);
}

bool vef_need_operations(size_t count) {
    if (count <= vef_capture.operation_room)
        return true;
    void *list = realloc(vef_capture.operations, 2 * count * sizeof(vef_operation));
    if (list == NULL)
        return false;
    vef_capture.operations = list;
    vef_capture.operation_room = 2 * count;
    return true;
}

bool vef_need_completions(size_t count) {
    if (count <= vef_capture.completion_room)
        return true;
    void *list = realloc(vef_capture.completions, 2 * count * sizeof(vef_completion));
    if (list == NULL)
        return false;
    vef_capture.completions = list;
    vef_capture.completion_room = 2 * count;
    return true;
}
