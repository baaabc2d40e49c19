/* Recording one MPI call: the common part of every wrapper.
 *
 *     vef_frame frame;
 *     if (!vef_enter(&frame))                   not recording: pass it on
 *         return vef_mpi.Send(…);
 *     int result = vef_mpi.Send(…);
 *     vef_leave(&frame);                        takes the time
 *     … vef_find_comm(&frame, comm), vef_hold(&frame)->requests …
 *     vef_put(&frame, &event);
 *     vef_done(&frame);                         computation begins
 *
 * Threads are ordered by their entries into calls and returns from them. If two threads receive
 * concurrently with equal source, tag and communicator, the order in which MPI served them is
 * unknown: the first to enter is assumed to have received the message that was sent first, and
 * likewise for sends.
 *
 * One recorder per task. With MPI_THREAD_MULTIPLE each thread has separate buffers and lists, and
 * only the tables of the task (live requests, communicators, matched messages) are shared: vef_hold
 * takes their lock and returns them, vef_put and vef_done release it, so that it is held neither
 * during MPI calls nor while an event is encoded. Pointers into a table are invalid after that,
 * except communicators, which do not move. Otherwise MPI itself forbids concurrent calls and no
 * lock is taken.
 *
 * A thread of the trace represents threads of the program one after another, never two at once:
 * when one ends, the next new one continues under its number. So a program that creates ten
 * thousand threads, four at a time, has four, and memory for four. The trace stays correct:
 * everything that the earlier thread did had returned before the later one was created, as
 * `entered` and `left` show.
 *
 * Parts of MPI libraries call MPI by its public names too (file layers do): their references are
 * not patched (preload/references.h), so these calls do not come here. Calls that the program makes
 * inside another (attribute callbacks) are recorded before the outer one, which then begins when
 * the last of them has returned. A signal handler of the program may interrupt the recorder: calls
 * that it makes then are passed on. */
#ifndef VEF_CAPTURE_RECORDER_H
#define VEF_CAPTURE_RECORDER_H

#include "capture/clock/clock.h"
#include "capture/clock/gap.h"
#include "capture/clock/workers.h"
#include "capture/map.h"
#include "capture/mpi_header.h"
#include "capture/objects/communicators.h"
#include "capture/objects/requests.h"
#include "capture/objects/site_slots.h"
#include "capture/real.h"
#include "capture/vectors.h"
#include "traces/log/log.h"
#include "traces/log/sums.h"

#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

enum {
    VEF_CALL_ROOM = 1024, /* call numbers are below */
    VEF_STEP_NS = VEF_COMPUTE_STEP_NS,
    VEF_FOLDER_BYTES = 4096,
};
#define CALL(number, name, ...)                                                                    \
    static_assert((number) < VEF_CALL_ROOM, "a call number beyond VEF_CALL_ROOM");
#include "traces/calls.def"
#undef CALL

/* A thread that calls MPI, or after its end the next thread with its number. Exists until the
 * process ends. */
typedef struct vef_thread {
    vef_gap gap;         /* computation between its calls */
    uint64_t carry_ns;   /* computation since its last event */
    uint64_t outside_ns; /* time since its last event in calls that are only counted */
    bool holds;          /* holds the lock of the shared tables */
    atomic_bool busy;    /* records a call: the log cannot be closed */
    uint64_t calls;      /* number of vef_done so far: detects calls inside one */
    bool inside;         /* inside a recorded call */
    vef_lane *lane;      /* buffer of its events */
    vef_slot *slot;      /* publishes the current call for other processes: shared_buffer.h */
    vef_slot local_slot; /* `slot` without shared memory */
    const MPI_Request *waits_for;   /* requests of the current call; NULL: none, or published */
    const vef_kept *waits_for_kept; /* places of `waits_for`, only where threads call */
    size_t waits_for_count;         /* length of `waits_for` */
    MPI_Comm comm;                  /* handle queried last */
    const vef_comm *known;          /* communicator of `comm` */
    uint32_t forgotten;             /* number of freed communicators when `comm` was queried */
    uint32_t number;                /* in the trace */
    uintptr_t poll_subject;         /* what `poll` tests: an address or a hash */
    bool poll_spins;                /* the gaps of `poll` are spinning, not computation */
    bool polls;                     /* in a series of polls */
    uint64_t polls_gap_ns;          /* gap before the series of polls */
    uint64_t polls_outside_ns;      /* time outside within the series of polls */
    bool room_taken;                /* `room` is in use */
    bool ended;                     /* the thread has ended: the next new one takes its place */
    vef_before summed;              /* messages while recording was off, not yet in the log */
    vef_event poll;                 /* unsuccessful tests or probes in a row; repeats 0: none */
    void *room;                     /* for arrays too large for the stack */
    size_t room_bytes;              /* size of `room` */
    vef_operation *operations;      /* operations of the event under construction */
    vef_completion *completions;    /* completions of the event under construction */
    size_t operation_room;          /* capacity of `operations`: grows with request arrays */
    size_t completion_room;         /* capacity of `completions` */
    vef_vectors vectors;            /* byte counts of the event under construction */
    vef_error error;                /* of its lane */
    struct vef_thread *next;        /* in vef_recorder.threads */
} vef_thread;

/* Shared by all threads of a task; accessed by vef_hold. */
typedef struct vef_tables {
    vef_comms comms;
    vef_requests requests;
    struct vef_messages *messages; /* matched probes without their receive */
    struct vef_windows *windows;   /* NULL: there never was one */
    vef_channels channels;
    uint64_t matched_messages;  /* number of matched probes so far: numbers their messages */
    atomic_bool has_unrecorded; /* some collective left no event */
} vef_tables;

typedef struct vef_recorder {
    /* True between MPI_Init and MPI_Finalize while the log is writable. In a page that the kernel
     * clears in every child process (MADV_WIPEONFORK): no child records into its parent's log. */
    atomic_bool *recording;
    atomic_bool muted;        /* MPI_Pcontrol(0): every event carries VEF_EVENT_MUTED */
    bool threaded;            /* MPI_THREAD_MULTIPLE */
    bool sites;               /* events have call sites */
    bool threaded_or_sites;   /* either: events have more than usual */
    bool sizes_in_handles;    /* of named datatypes: vef_handle_has_size */
    bool summed;              /* some thread has messages in its sums; never if `threaded` */
    bool compute_only;        /* no durations, and gaps in steps of VEF_STEP_NS */
    bool timed;               /* durations are measured */
    vef_clock clock;          /* of all threads */
    vef_clock_drift drift;    /* comparisons of `clock` with the kernel's */
    vef_log *log;             /* NULL before and after recording */
    _Atomic uint64_t flushed; /* wall ticks of the last flush */
    uint64_t flush_ticks;     /* interval between flushes */
    uint64_t origin;          /* wall ticks at MPI_Init */
    uint8_t muted_calls[VEF_CALL_ROOM]; /* by call number, 1: its events carry VEF_EVENT_MUTED */
    pthread_mutex_t lock;               /* of `tables` and `threads` */
    vef_tables tables;                  /* only through vef_hold */
    _Atomic(vef_thread *) threads;      /* grows at its head only; read without the lock */
    uint32_t thread_count;              /* length of `threads` */
    uint64_t started;                   /* wall ticks at the start of recording */
    _Atomic uint64_t reported;          /* wall ticks when vef_flush last reported measurements */
    int first_thread;                   /* kernel's id of the thread that started recording */
    vef_measured measured;              /* constant facts */
    vef_error error;                    /* of the log */
    uint32_t task;                      /* rank in MPI_COMM_WORLD */
    char folder[VEF_FOLDER_BYTES];      /* of the logs, absolute: the program may change its own */
    struct stat errors;                 /* standard error when the process began; 0: closed */
    /* Counts entries into recorded calls and returns from them; in a separate cache line, since all
     * threads increment it. */
    alignas(64) _Atomic uint64_t ticks;
} vef_recorder;

extern vef_recorder vef_capture;
static inline bool vef_is_recording(void) {
    return *vef_capture.recording;
}
extern _Thread_local vef_thread *vef_thread_here __attribute__((tls_model("initial-exec")));

typedef struct vef_frame {
    vef_thread *thread;   /* the calling thread */
    uint64_t calls;       /* thread->calls at the entry */
    uint64_t began;       /* wall ticks at the entry */
    uint64_t duration_ns; /* time inside the call; 0: not measured, or part of an event already */
    uint64_t entered;     /* tick of the entry, only where threads call */
    uint64_t left;        /* tick of the return, only where threads call */
    uint32_t site;        /* number of the call site, only with `sites` */
    bool muted; /* recording was off at the entry: another thread may switch it meanwhile */
} vef_frame;

/* Slow paths of the functions below. */
vef_thread *vef_thread_new(void);
void vef_after_nested(vef_frame *frame);
void vef_write_failed(void); /* as vef_capture.error says */
void vef_lane_failed(vef_thread *thread);
void vef_flush(uint64_t now);
void vef_put_poll(vef_thread *thread, const vef_event *next); /* before that event */
/* While recording is off: whether a sum represents the event, which then is not written; and
 * writing the sums. */
bool vef_sum_up(vef_thread *thread, const vef_event *event);
void vef_put_summed(void);

/* Writes the buffers from inside an MPI call of this thread, unless the log is in use, some time
 * after the last flush: it costs a waiting task nothing, and if the call never returns (a deadlock,
 * a kill), everything before it is in the log. */
void vef_idle(void);

/* Between two calls of this thread computation is about to fork, or has joined: see workers.h; and
 * the same for an OpenMP parallel region that begins, or has ended. */
void vef_split_gap(void);
void vef_region_forks(bool begins);

/* Between these the calling thread is inside MPI_Init, and threads that it creates are MPI's
 * (wrappers/threads.c). */
void vef_init_begins(void);
void vef_init_ends(void);

/* The number of tasks on this host and of the cores that they may use, when recording begins. */
void vef_measuring_begins(unsigned tasks, unsigned cores);

/* Stores in the log how the task's times were measured so far, and checks its wall clock. By one
 * thread at a time. */
void vef_store_measured(void);

/* Ends recording, and waits for up to a second until no other thread is about to append to the log.
 * False if one still is: then the log may be flushed, but not closed. */
bool vef_stop_recording(void);
/* After that: writes pending events of the threads. */
void vef_put_last_polls(void);

/* The next tick of the counter that orders the task's threads. */
static inline uint64_t vef_tick(void) {
    return atomic_fetch_add_explicit(&vef_capture.ticks, 1, memory_order_relaxed);
}

/* The same if only one thread calls at a time. */
static inline uint64_t vef_tick_alone(void) {
    uint64_t tick = atomic_load_explicit(&vef_capture.ticks, memory_order_relaxed);
    atomic_store_explicit(&vef_capture.ticks, tick + 1, memory_order_relaxed);
    return tick;
}

/* Around changes of a slot. */
static inline void vef_slot_begin(vef_slot *slot) {
    uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_relaxed);
    atomic_store_explicit(&slot->turn, turn + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}
static inline void vef_slot_end(vef_slot *slot) {
    uint32_t turn = atomic_load_explicit(&slot->turn, memory_order_relaxed);
    atomic_store_explicit(&slot->turn, turn + 1, memory_order_release);
}

/* What an entry needs with threads, or with call sites. */
static inline void vef_enter_unusual(vef_frame *frame) {
    if (vef_capture.threaded)
        frame->entered = vef_tick();
    if (vef_capture.sites) {
        frame->site = vef_site_here();
        frame->thread->slot->stack[0] = frame->site;
        frame->thread->slot->stack_count = 1;
    }
}

/* Begins a call, named after the calling function. */
#define vef_enter(frame)                                                                           \
    vef_enter_as(frame, __func__,                                                                  \
                 sizeof __func__ < VEF_CALL_NAME_BYTES ? sizeof __func__                           \
                                                       : VEF_CALL_NAME_BYTES - 1)

/* `name` with its end, `bytes` long. */
static inline bool vef_enter_as(vef_frame *frame, const char *name, size_t bytes) {
    if (VEF_UNLIKELY(!vef_is_recording()))
        return false;
    vef_thread *thread = vef_thread_here;
    if (VEF_UNLIKELY(thread == NULL) && (thread = vef_thread_new()) == NULL)
        return false;
    if (VEF_UNLIKELY(thread->busy || thread->holds))
        return false;
    frame->thread = thread;
    frame->calls = thread->calls;
    frame->muted = atomic_load_explicit(&vef_capture.muted, memory_order_relaxed);
    thread->inside = true;
    thread->carry_ns += vef_gap_end(&thread->gap, &vef_capture.clock);
    frame->began = thread->gap.left;
    if (VEF_UNLIKELY(vef_capture.threaded_or_sites))
        vef_enter_unusual(frame);
    vef_slot *slot = thread->slot;
    vef_slot_begin(slot);
    memcpy(slot->call, name, bytes);
    slot->entered = frame->began;
    slot->inside = true;
    slot->waited_count = 0;
    vef_slot_end(slot);
    return true;
}

/* The call has returned: it has a duration if `timed`. */
static inline void vef_leave_at(vef_frame *frame, bool timed) {
    vef_thread *thread = frame->thread;
    atomic_store_explicit(&thread->busy, true, memory_order_relaxed); /* for signal handlers */
    atomic_signal_fence(memory_order_seq_cst);
    if (VEF_UNLIKELY(thread->calls != frame->calls))
        vef_after_nested(frame);
    frame->duration_ns = 0;
    if (timed)
        frame->duration_ns =
            vef_clock_wall_ns(&vef_capture.clock, frame->began, vef_clock_wall(&vef_capture.clock));
    if (VEF_UNLIKELY(vef_capture.threaded)) {
        frame->left = vef_tick();
        atomic_store(&thread->busy, true); /* before `recording` is read, visible to all threads */
    }
}

static inline void vef_leave(vef_frame *frame) {
    vef_leave_at(frame, vef_capture.timed);
}

/* After vef_leave_at: for a call that cannot block, whose duration is computation. */
static inline void vef_only_computed(vef_frame *frame) {
    frame->duration_ns =
        vef_gap_computed(&frame->thread->gap, &vef_capture.clock, frame->began, frame->duration_ns);
}

/* The shared tables, until vef_release, vef_put or vef_done. Do not hold during MPI calls. */
static inline vef_tables *vef_hold(vef_frame *frame) {
    if (VEF_UNLIKELY(vef_capture.threaded) && !frame->thread->holds) {
        pthread_mutex_lock(&vef_capture.lock);
        frame->thread->holds = true;
        vef_capture.tables.requests.now =
            atomic_load_explicit(&vef_capture.ticks, memory_order_relaxed);
    }
    return &vef_capture.tables;
}

static inline void vef_release(vef_frame *frame) {
    if (VEF_UNLIKELY(frame->thread->holds)) {
        frame->thread->holds = false;
        pthread_mutex_unlock(&vef_capture.lock);
    }
}

/* The communicator of a handle, NULL if the log does not have it. Stays valid. */
static inline const vef_comm *vef_find_comm(vef_frame *frame, MPI_Comm comm) {
    vef_thread *thread = frame->thread;
    uint32_t forgotten =
        atomic_load_explicit(&vef_capture.tables.comms.forgotten, memory_order_relaxed);
    if (VEF_UNLIKELY(comm != thread->comm || forgotten != thread->forgotten)) {
        thread->known = vef_comms_find(&vef_hold(frame)->comms, comm);
        thread->comm = comm;
        thread->forgotten = forgotten;
    }
    return thread->known;
}

/* Publishes what the current call waits for. Requests are looked up only after the thread has been
 * idle for a while (vef_idle). */
static inline void vef_waits_for(vef_frame *frame, MPI_Comm comm, unsigned flags, int peer,
                                 int tag) {
    vef_slot *slot = frame->thread->slot;
    const vef_comm *known = vef_find_comm(frame, comm);
    vef_release(frame);
    vef_slot_begin(slot);
    if (slot->waited_count < VEF_WAITED_SHOWN)
        slot->waited[slot->waited_count++] =
            (vef_waited){.flags = (uint16_t)flags,
                         .comm = known != NULL ? known->number : VEF_NO_COMM,
                         .peer = vef_peer_of(peer),
                         .tag = vef_tag_of(tag)};
    vef_slot_end(slot);
}
static inline void vef_waits_for_requests(vef_frame *frame, const MPI_Request *requests,
                                          const vef_kept *kept, size_t count) {
    frame->thread->waits_for = requests;
    frame->thread->waits_for_kept = kept;
    frame->thread->waits_for_count = count;
}

/* Whether the events of a call are left out of the trace. */
static inline bool vef_is_muted(const vef_frame *frame, uint16_t call) {
    return frame->muted || vef_capture.muted_calls[call];
}

/* A call that is not in the trace. If recording is off, its time is not recorded. Else the call was
 * left out by choice: the computation before it counts for the next event, and the time inside it
 * not at all, since a replay does not use time inside recorded calls either. Most of it is waiting,
 * and the rest (polling, copying) is MPI's work, not the program's. The log stores the total. */
static inline void vef_skip(vef_frame *frame, uint16_t call) {
    vef_thread *thread = frame->thread;
    if (frame->muted)
        thread->carry_ns = thread->outside_ns = 0;
    else if (vef_is_recording())
        vef_log_left_out(vef_capture.log, call, 1, frame->duration_ns);
    frame->duration_ns = 0;
}

/* Takes the time accumulated since the thread's last event. In steps, the rest remains for the next
 * event. */
static inline void vef_take_gap(vef_thread *thread, vef_event *event) {
    event->gap_ns = thread->carry_ns;
    event->outside_ns = thread->outside_ns;
    thread->carry_ns = thread->outside_ns = 0;
    if (VEF_UNLIKELY(vef_capture.compute_only)) {
        event->duration_ns = 0;
        thread->carry_ns = event->gap_ns % VEF_STEP_NS;
        event->gap_ns -= thread->carry_ns;
        thread->outside_ns = event->outside_ns % VEF_STEP_NS;
        event->outside_ns -= thread->outside_ns;
    }
}

/* The order of events if only one thread calls at a time. */
static inline void vef_count_up(vef_event *event) {
    event->entered = vef_tick_alone();
    event->left = vef_tick_alone();
}

/* What an event has with threads, or with call sites. */
static inline void vef_put_unusual(vef_frame *frame, vef_event *event) {
    event->site = frame->site;
    if (vef_capture.threaded) {
        event->entered = frame->entered;
        event->left = frame->left;
        frame->entered = vef_tick(); /* of another event of this call */
        frame->left = vef_tick();
    } else {
        vef_count_up(event);
    }
}

/* Initialises an event without lists, on no communicator, with just the fields that vef_put needs:
 * zeroing the whole struct would cost as much as the rest of a wrapper. */
static inline void vef_event_begin(vef_event *event, uint16_t call) {
    event->call = call;
    event->flags = 0;
    event->operation_count = event->completion_count = 0;
    event->send_count = event->receive_count = event->peer_count = 0;
    event->root = -1;
    event->bytes = event->elements = 0;
    event->request = VEF_NO_REQUEST;
    event->persistent = 0;
    event->argument = 0;
    event->name = NULL;
}

/* Writes one event of the call; its lists may be reused afterwards. The first of several events has
 * the gap and the duration. A muted one has neither: see vef_skip. */
static inline void vef_put(vef_frame *frame, vef_event *event) {
    vef_thread *thread = frame->thread;
    vef_release(frame);
    if (VEF_UNLIKELY(thread->poll.repeats > 0))
        vef_put_poll(thread, event);
    if (VEF_UNLIKELY(!vef_is_recording())) /* failed, or closed while this thread was inside MPI */
        return;
    event->thread = thread->number;
    event->repeats = 1;
    if (VEF_UNLIKELY(vef_is_muted(frame, event->call))) {
        vef_skip(frame, event->call);
        event->flags |= VEF_EVENT_MUTED;
        event->gap_ns = event->outside_ns = event->duration_ns = 0;
        if (frame->muted && vef_sum_up(thread, event))
            return;
    } else {
        if (VEF_UNLIKELY(vef_capture.summed))
            vef_put_summed();
        event->duration_ns = frame->duration_ns;
        vef_take_gap(thread, event);
        frame->duration_ns = 0;
    }
    if (VEF_UNLIKELY(vef_capture.threaded_or_sites))
        vef_put_unusual(frame, event);
    else
        vef_count_up(event);
    if (VEF_UNLIKELY(vef_lane_event(thread->lane, event, &thread->error) != VEF_OK))
        vef_lane_failed(thread);
    else if (VEF_UNLIKELY(frame->began - vef_capture.flushed >= vef_capture.flush_ticks))
        vef_flush(frame->began);
}

/* The same for an event with which nothing is matched: a muted one is left out. */
static inline void vef_put_unmatched(vef_frame *frame, vef_event *event) {
    if (vef_is_muted(frame, event->call))
        vef_skip(frame, event->call);
    else
        vef_put(frame, event);
}

/* Collectives, calls that create and free communicators or windows, and fences are counted on their
 * communicator (or window), so that the k-th of one task matches the k-th of another even if only
 * some tasks record it. A call without an event is only counted; before the next event goes one
 * with the count: a muted one, with `elements` of them. */
void vef_skip_joint(vef_frame *frame, uint16_t call, uint32_t comm);
/* A failed joint call of a communicator is counted and, unless MPI refused its arguments, placed
 * among the calls that other members make, like a skipped one. */
void vef_count_joint(vef_frame *frame, uint16_t call, uint32_t comm, int result);
void vef_put_unrecorded(vef_frame *frame, uint16_t call, uint32_t comm, uint32_t persistent,
                        uint64_t *count);
static inline void vef_put_joint(vef_frame *frame, vef_event *event) {
    if (VEF_UNLIKELY(vef_capture.tables.has_unrecorded))
        vef_put_unrecorded(frame, VEF_CALL_Barrier, event->comm, 0,
                           &vef_hold(frame)->comms.list[event->comm]->unrecorded);
    vef_put(frame, event);
}

static inline void vef_done(vef_frame *frame) {
    vef_thread *thread = frame->thread;
    vef_release(frame);
    thread->calls++;
    thread->inside = false;
    vef_gap_begin(&thread->gap, &vef_capture.clock);
    thread->waits_for = NULL;
    thread->slot->left = thread->gap.left;
    thread->slot->inside = false;
    atomic_store_explicit(&thread->busy, false, memory_order_release);
}

static inline uint64_t vef_size_of(MPI_Datatype type) {
    MPI_Count size = 0;
    if (VEF_LIKELY(vef_handle_has_size(type) && vef_capture.sizes_in_handles))
        return vef_size_in_handle(type);
    return vef_mpi.Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? (uint64_t)size : 0;
}

/* Bytes of `count` elements. */
static inline uint64_t vef_bytes_of(MPI_Count count, MPI_Datatype type) {
    return count > 0 ? (uint64_t)count * vef_size_of(type) : 0;
}

/* Whether a reduction may reorder its operands; all predefined operations may (MPI 4.0, section
 * 6.9.1). */
static inline bool vef_commutes(MPI_Op op) {
    int commutes = 1;
    if (!vef_is_predefined(op))
        vef_mpi.Op_commutative(op, &commutes);
    return commutes != 0;
}

/* Whether a receive failed because its message exceeded its buffer: it received the message, and
 * its status has everything except the length. */
static inline bool vef_is_truncated(int result) {
    int class = MPI_SUCCESS;
    return result != MPI_SUCCESS && vef_mpi.Error_class(result, &class) == MPI_SUCCESS &&
           class == MPI_ERR_TRUNCATE;
}

/* An unsuccessful test or probe; `subject` identifies what it tests: consecutive ones with
 * the same subject are one event, either while spinning or while the program computes between them;
 * it was entered with the first and left with the last. */
void vef_poll(vef_frame *frame, uint16_t call, uintptr_t subject);

/* The call was made, but the log cannot represent it (failed, unknown communicator, …): counts and
 * reports it. */
void vef_count(vef_frame *frame, uint16_t call);

/* Memory of `bytes` until vef_room_release, NULL when memory runs out: for copies of request and
 * status arrays. Grows to the longest array, then does not allocate. */
void *vef_room(vef_thread *thread, size_t bytes);
void vef_room_release(vef_thread *thread, void *room);

/* Make room in the thread's lists; false when memory runs out. */
bool vef_need_operations(vef_thread *thread, size_t count);
bool vef_need_completions(vef_thread *thread, size_t count);

/* Of the file of the MPI library in libraries/: MPI has begun in this process. */
void vef_library_began(void);

/* Begins recording, after MPI_Init or MPI_Session_init entered at `before`. */
void vef_begin(uint16_t call, int provided, vef_clock_moment before);
void vef_begin_session(MPI_Session session, vef_clock_moment before);
/* Before MPI_Finalize or MPI_Session_finalize is passed on: whether it ends recording. */
bool vef_ends(bool session);
void vef_end(vef_log_end end);

/* Writes a line to a file beside the logs. True: the file contains such a line, with `flags` O_EXCL
 * possibly that of another task. */
bool vef_leave_mark(const char *line, int flags);
/* Reports that the trace lacks calls of this task, for `vef capture` and `vef gather` to print. The
 * program's standard error gets it only if the folder of the logs cannot be written. */
void vef_report_loss(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define VEF_UNPACK(...) __VA_ARGS__

/* The body of the wrapper of MPI_<name>, which has these arguments: runs `before`, calls MPI, and
 * runs the rest, which writes the event. Both see `frame`; the rest also sees `result` and what
 * `before` declares. Definitions name their call in full: `grep "MPI_Send("` finds its wrapper. */
#define VEF_WRAP(name, arguments, before, ...)                                                     \
    vef_frame frame;                                                                               \
    if (!vef_enter(&frame))                                                                        \
        return vef_mpi.name arguments;                                                             \
    before;                                                                                        \
    int result = vef_mpi.name arguments;                                                           \
    vef_leave(&frame);                                                                             \
    __VA_ARGS__;                                                                                   \
    vef_done(&frame);                                                                              \
    return result

/* A wrapper that is only this: `declarator` is MPI_<name>(its parameters). */
#define VEF_WRAPPER(declarator, name, arguments, ...)                                              \
    int declarator {                                                                               \
        VEF_WRAP(name, arguments, , __VA_ARGS__);                                                  \
    }

/* In `before`: a status is needed even if the program ignores it, since it names the sender. */
#define VEF_NEED_STATUS(status)                                                                    \
    MPI_Status needed;                                                                             \
    status = status == MPI_STATUS_IGNORE ? &needed : status

#endif
