/* The slow paths of recording one call: see recorder.h. */
#include "capture/recorder.h"

#include "capture/vectors.h"

#include <stdlib.h>

vef_recorder vef_capture = {.lock = PTHREAD_MUTEX_INITIALIZER,
                            .log_lock = PTHREAD_MUTEX_INITIALIZER};
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

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;

/* A thread has ended: its place is for the next new one, with all that it holds. */
static void give_place(void *ended) {
    vef_thread_here = NULL;
    pthread_mutex_lock(&vef_capture.lock);
    ((vef_thread *)ended)->ended = true;
    pthread_mutex_unlock(&vef_capture.lock);
}

static void make_key(void) {
    pthread_key_create(&thread_key, give_place);
}

/* The place of a thread that has ended; NULL: there is none. */
static vef_thread *take_place(void) {
    for (vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next)
        if (thread->ended) {
            thread->ended = false;
            return thread;
        }
    return NULL;
}

static vef_thread *make_place(void) {
    enum { FIRST_ROOM = 32 };
    vef_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->number = vef_capture.thread_count;
    thread->comm = MPI_COMM_NULL;
    if (!vef_need_operations(thread, FIRST_ROOM) || !vef_need_completions(thread, FIRST_ROOM) ||
        !vef_vectors_room(thread, vef_capture.tables.comms.greatest_size) ||
        vef_log_lane(vef_capture.log, thread->number, &thread->lane, &vef_capture.error) !=
            VEF_OK) {
        free(thread->operations);
        free(thread->completions);
        free(thread->send_bytes);
        free(thread->receive_bytes);
        free(thread);
        return NULL;
    }
    vef_capture.thread_count++;
    thread->next = vef_capture.threads;
    vef_capture.threads = thread;
    return thread;
}

/* By the wall nobody knows when a thread began to compute: what it has computed so far its CPU
 * clock tells, which starts with it. */
vef_thread *vef_thread_new(void) {
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&vef_capture.lock);
    vef_thread *thread = take_place();
    if (thread == NULL)
        thread = make_place();
    pthread_mutex_unlock(&vef_capture.lock);
    if (thread == NULL) {
        vef_fail_memory(&vef_capture.error, "a thread", sizeof *thread);
        vef_write_failed();
        return NULL;
    }
    thread->counting = 0;
    thread->left = 0;
    if (!vef_capture.clock.cpu) {
        thread->carry_ns += vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        thread->left = vef_gap_clock();
    }
    pthread_setspecific(thread_key, thread);
    vef_thread_here = thread;
    return thread;
}

void vef_after_nested(vef_frame *frame) {
    vef_thread *thread = frame->thread;
    frame->began = vef_capture.clock.cpu ? thread->done : thread->left;
    if (vef_capture.threaded)
        frame->entered = vef_tick();
}

void vef_write_failed(void) {
    vef_capture.active = false;
    vef_mark_lost();
    vef_say("%s: what follows is not recorded; the program runs on", vef_capture.error.message);
}

void vef_write_threaded(vef_thread *thread, const vef_event *event) {
    pthread_mutex_lock(&vef_capture.log_lock);
    if (vef_capture.active && vef_lane_event(thread->lane, event, &vef_capture.error) != VEF_OK)
        vef_write_failed();
    pthread_mutex_unlock(&vef_capture.log_lock);
}

static void flush(uint64_t now) {
    vef_capture.flushed = now;
    if (vef_log_flush(vef_capture.log, &vef_capture.error) != VEF_OK)
        vef_write_failed();
}

/* Also reached when a nested call's start lies before the last flush: then nothing is due. */
void vef_flush(uint64_t now) {
    if (now < vef_capture.flushed)
        return;
    if (vef_capture.threaded)
        pthread_mutex_lock(&vef_capture.log_lock);
    if (vef_capture.active)
        flush(now);
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.log_lock);
}

bool vef_busy(void) {
    for (const vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next)
        if (thread->busy)
            return true;
    return false;
}

void vef_flush_inside(void) {
    vef_thread *thread = vef_thread_here;
    if (!vef_capture.active || thread == NULL || thread->busy ||
        (vef_capture.threaded && pthread_mutex_trylock(&vef_capture.log_lock)))
        return;
    thread->busy = 1;
    if (vef_capture.active)
        flush(vef_clock_wall(&vef_capture.clock));
    thread->busy = 0;
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.log_lock);
}

void vef_idle(void) {
    enum { OFTENER = 50 }; /* than a busy task flushes */
    if (vef_capture.active && vef_clock_wall(&vef_capture.clock) >
                                  vef_capture.flushed + vef_capture.flush_ticks / OFTENER)
        vef_flush_inside();
}

void vef_put_poll(vef_thread *thread) {
    vef_event *poll = &thread->poll;
    uint64_t carry_ns = thread->carry_ns, outside_ns = thread->outside_ns;
    thread->carry_ns = poll->gap_ns;
    thread->outside_ns = poll->outside_ns;
    vef_take_gap(thread, poll);
    thread->carry_ns += carry_ns;
    thread->outside_ns += outside_ns;
    if (!vef_capture.threaded)
        vef_count_up(poll);
    if (vef_capture.active)
        vef_write(thread, poll);
    poll->repeats = 0;
}

void vef_poll(vef_frame *frame, uint16_t call, uintptr_t of) {
    vef_thread *thread = frame->thread;
    vef_event *poll = &thread->poll;
    if (vef_is_muted(call)) {
        vef_skip(frame);
        return;
    }
    bool spins = thread->carry_ns <= VEF_SPIN_NS;
    if (poll->repeats == 0 || poll->call != call || thread->poll_of != of ||
        thread->poll_spins != spins) {
        if (poll->repeats > 0)
            vef_put_poll(thread);
        *poll = (vef_event){.call = call,
                            .flags = VEF_EVENT_POLL,
                            .thread = thread->number,
                            .entered = vef_capture.threaded ? frame->entered : 0,
                            .root = -1};
        thread->poll_of = of;
        thread->poll_spins = spins;
    }
    poll->repeats++;
    poll->gap_ns += thread->carry_ns;
    poll->outside_ns += thread->outside_ns;
    poll->duration_ns += frame->duration_ns;
    if (vef_capture.threaded)
        poll->left = frame->left;
    thread->carry_ns = thread->outside_ns = 0;
}

void vef_count(vef_frame *frame, uint16_t call) {
    frame->thread->outside_ns += frame->duration_ns;
    if (vef_capture.threaded)
        pthread_mutex_lock(&vef_capture.log_lock);
    if (vef_capture.active)
        vef_log_count(vef_capture.log, call, 1, frame->duration_ns);
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.log_lock);
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

bool vef_need_operations(vef_thread *thread, size_t count) {
    if (count <= thread->operation_room)
        return true;
    void *list = realloc(thread->operations, 2 * count * sizeof(vef_operation));
    if (list == NULL)
        return false;
    thread->operations = list;
    thread->operation_room = 2 * count;
    return true;
}

bool vef_need_completions(vef_thread *thread, size_t count) {
    if (count <= thread->completion_room)
        return true;
    void *list = realloc(thread->completions, 2 * count * sizeof(vef_completion));
    if (list == NULL)
        return false;
    thread->completions = list;
    thread->completion_room = 2 * count;
    return true;
}
