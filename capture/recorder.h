/* Recording one MPI call: what every wrapper does around the real one.
 *
 *     vef_frame frame;
 *     if (!vef_enter(&frame, VEF_CALLER))       not recording, or MPICH's own call: pass it on
 *         return vef_mpi.Send(…);
 *     int result = vef_mpi.Send(…);
 *     vef_leave(&frame);                        takes the time, and the lock where threads call
 *     … vef_put(&frame, &event);
 *     vef_done(&frame);                         gives up the lock, computation begins
 *
 * One recorder per task. Where MPI was given MPI_THREAD_MULTIPLE every wrapper holds its lock while
 * it records (never while MPI works); otherwise MPI itself forbids two calls at once and none is
 * taken.
 *
 * MPICH's own parts call MPI by its public names too (its file layer does): what returns into the
 * MPI library's code, or comes while a counted call is under way, is not the program's and passes.
 * Calls that the program makes from inside another (attribute callbacks) are recorded, before the
 * outer. */
#ifndef VEF_CAPTURE_RECORDER_H
#define VEF_CAPTURE_RECORDER_H

#include "capture/clock.h"
#include "capture/communicators.h"
#include "capture/map.h"
#include "capture/mpi.h"
#include "capture/real.h"
#include "capture/requests.h"
#include "traces/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* A thread that called MPI. Kept until the log is closed. */
typedef struct vef_thread {
    struct vef_thread *next;
    uint32_t number;
    unsigned counting; /* counted calls under way */
    uint64_t left;     /* gap clock when its last call returned */
    uint64_t carry_ns; /* computation before calls that are only counted */
    vef_event poll;    /* unsuccessful tests or probes in a row; repeats 0: none */
    uintptr_t poll_of; /* what they asked about */
    bool poll_spins;   /* their gaps are spinning, not work */
    void *room;        /* for arrays too long for the stack; room_taken: in use */
    size_t room_bytes;
    bool room_taken;
} vef_thread;

typedef struct vef_recorder {
    bool active;   /* between MPI_Init and MPI_Finalize with a log that can be written */
    bool threaded; /* MPI_THREAD_MULTIPLE */
    bool muted;    /* MPI_Pcontrol(0) */
    volatile sig_atomic_t busy; /* the log is being written: a signal handler leaves it alone */
    pthread_mutex_t lock;
    vef_clock clock;
    vef_log *log;
    vef_comms comms;
    vef_requests requests;
    struct vef_messages *messages;
    uint64_t matched_messages; /* that matched probes took: their numbers in the log */
    /* Lists of an event under construction; grown as communicators and request arrays need. */
    vef_operation *operations;
    vef_completion *completions;
    size_t operation_room, completion_room;
    uint64_t *send_bytes, *receive_bytes;
    uint32_t vector_room;
    vef_thread *threads;
    uint32_t thread_count;
    uint64_t flushed,
        flush_ticks; /* wall ticks: when the log was last flushed, and how often it is */
    vef_error error;
    uint32_t task;
    bool joined; /* MPI_Init has told which task this is */
} vef_recorder;

extern vef_recorder vef_capture;
extern _Thread_local vef_thread *vef_thread_here __attribute__((tls_model("initial-exec")));

typedef struct vef_frame {
    vef_thread *thread;
    uint64_t gap_ns, entered, duration_ns;
} vef_frame;

#define VEF_CALLER __builtin_return_address(0)
#define VEF_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* The slow paths of the functions below. */
void vef_passive(void);
vef_thread *vef_thread_new(void);
void vef_write_failed(void);
void vef_flush(uint64_t now);

/* Writes what is buffered from inside an MPI call of this thread, unless the log is in use.
 * vef_idle does so when the last flush is a while ago: for a task that waits it costs nothing, and
 * should the task never return from there (a deadlock, a kill), all that it did is in the log. */
void vef_flush_inside(void);
void vef_idle(void);
void vef_put_poll(vef_thread *thread);

static inline uint64_t vef_gap_clock(void) {
    return vef_capture.clock.cpu ? vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID)
                                 : vef_clock_wall(&vef_capture.clock);
}

static inline bool vef_enter(vef_frame *frame, const void *caller) {
    if (VEF_UNLIKELY(!vef_capture.active)) {
        vef_passive();
        return false;
    }
    if (VEF_UNLIKELY((uintptr_t)caller - vef_mpi.text < vef_mpi.text_bytes))
        return false;
    vef_thread *thread = vef_thread_here;
    if (VEF_UNLIKELY(thread == NULL) && (thread = vef_thread_new()) == NULL)
        return false;
    if (VEF_UNLIKELY(thread->counting > 0))
        return false;
    frame->thread = thread;
    if (vef_capture.clock.cpu) {
        uint64_t now = vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        frame->gap_ns = thread->carry_ns + vef_clock_cpu_ns(&vef_capture.clock, thread->left, now);
        frame->entered = vef_clock_wall(&vef_capture.clock);
    } else {
        frame->entered = vef_clock_wall(&vef_capture.clock);
        frame->gap_ns =
            thread->carry_ns + vef_clock_wall_ns(&vef_capture.clock, thread->left, frame->entered);
    }
    thread->carry_ns = 0;
    return true;
}

static inline void vef_leave(vef_frame *frame) {
    frame->duration_ns =
        vef_clock_wall_ns(&vef_capture.clock, frame->entered, vef_clock_wall(&vef_capture.clock));
    if (vef_capture.threaded)
        pthread_mutex_lock(&vef_capture.lock);
    vef_capture.busy = 1;
    atomic_signal_fence(memory_order_seq_cst);
}

/* Writes one event of the call; what its lists point to may be reused afterwards. */
static inline void vef_put(vef_frame *frame, vef_event *event) {
    if (VEF_UNLIKELY(frame->thread->poll.repeats > 0))
        vef_put_poll(frame->thread);
    if (VEF_UNLIKELY(!vef_capture.active)) /* failed, or closed while this thread was inside MPI */
        return;
    event->thread = frame->thread->number;
    event->gap_ns = frame->gap_ns;
    event->duration_ns = frame->duration_ns;
    event->repeats = 1;
    if (vef_capture.muted)
        event->flags |= VEF_EVENT_MUTED;
    if (VEF_UNLIKELY(vef_log_event(vef_capture.log, event, &vef_capture.error) != VEF_OK))
        vef_write_failed();
    else if (VEF_UNLIKELY(frame->entered - vef_capture.flushed > vef_capture.flush_ticks))
        vef_flush(frame->entered);
}

static inline void vef_done(vef_frame *frame) {
    atomic_signal_fence(memory_order_seq_cst);
    vef_capture.busy = 0;
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.lock);
    frame->thread->left = vef_gap_clock();
}

/* Bytes of `count` elements. The size of a named type stands in its handle, with MPICH (bits 8 to
 * 15); asking costs a few ns more and holds with any release. */
static inline uint64_t vef_bytes_of(int count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (count <= 0 || vef_mpi.Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/* What a status tells. The layout is fixed by the MPICH ABI agreement, and the tests hold it
 * against sizes known beforehand. */
static inline uint64_t vef_status_bytes(const MPI_Status *status) {
    return (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 |
           (uint32_t)status->count_lo;
}
static inline bool vef_status_cancelled(const MPI_Status *status) {
    return (status->count_hi_and_cancelled & 1) != 0;
}

/* An unsuccessful test or probe; `of` tells about what (an address): the same in a row, as long as
 * they spin or as long as the program works between them, are one
 * event. */
void vef_poll(vef_frame *frame, uint16_t call, uintptr_t of);

/* The call was made, but the log cannot hold it (failed, unknown communicator, …): counted and
 * named. */
void vef_count(vef_frame *frame, uint16_t call);

/* `bytes` of memory that lasts until vef_room_release, NULL when there is none: for copies of
 * request and status arrays. Grows with the longest array, then allocates no more. */
void *vef_room(vef_thread *thread, size_t bytes);
void vef_room_release(vef_thread *thread, void *room);

/* Make room in the recorder's lists; false when memory runs out. */
bool vef_need_operations(size_t count);
bool vef_need_completions(size_t count);

/* Begins (after MPI_Init, which was entered at `before`) and ends recording. */
void vef_begin(uint16_t call, int provided, vef_clock_moment before);
void vef_end(vef_log_end end);

void vef_mark_lost(void);

/* Ends a process that the wrappers would harm, before they can: has `vef capture` say `why`
 * after the program's name, once for all tasks of a job, and exits with status 1. */
void vef_refuse(const char *why) __attribute__((noreturn));
void vef_refuse_open_mpi(void);

/* One line on stderr, "vef: task N: …". */
void vef_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
