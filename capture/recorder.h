/* Recording one MPI call: what every wrapper does around the real one.
 *
 *     vef_frame frame;
 *     if (!vef_enter(&frame, VEF_CALLER))       not recording, or MPICH's own call: pass it on
 *         return vef_mpi.Send(…);
 *     int result = vef_mpi.Send(…);
 *     vef_leave(&frame);                        takes the time
 *     … vef_find_comm(&frame, comm), vef_hold(&frame)->requests …
 *     vef_put(&frame, &event);
 *     vef_done(&frame);                         computation begins
 *
 * The order of threads is that of their entries into calls and returns from them. Where two threads
 * receive at the same time what either could have got (one source, tag and communicator), nothing
 * tells which of them MPI served first: the one that was entered first is taken to have got the
 * message that was sent first, and likewise for sends.
 *
 * One recorder per task. Where MPI was given MPI_THREAD_MULTIPLE each thread has its own part of
 * the log, its own lists and its own room, and only the tables of the task (live requests,
 * communicators, matched messages) are shared: vef_hold gives access to them and takes their lock,
 * vef_put and vef_done give it up, so that it is held neither while MPI works nor while an event is
 * encoded. What was found in a table is no longer used after that, but for communicators, which
 * stay where they are. Otherwise MPI itself forbids two calls at once and no lock is taken.
 *
 * A thread of the trace is what calls from one thread of the program after another, never two at
 * once: when one ends the next new one goes on under its number, in its part of the log. So a
 * program that makes ten thousand threads, four at a time, has four, and memory for four. Nothing
 * is falsified: whatever the earlier one did had returned before the later one was made, which
 * `entered` and `left` say too.
 *
 * MPICH's own parts call MPI by its public names too (its file layer does): what returns into the
 * MPI library's code, or comes while a counted call is under way, is not the program's and passes.
 * Calls that the program makes from inside another (attribute callbacks) are recorded, before the
 * outer, which then begins when the last of them has returned. */
#ifndef VEF_CAPTURE_RECORDER_H
#define VEF_CAPTURE_RECORDER_H

#include "capture/channels.h"
#include "capture/clock.h"
#include "capture/communicators.h"
#include "capture/map.h"
#include "capture/mpich.h"
#include "capture/real.h"
#include "capture/requests.h"
#include "capture/vectors.h"
#include "capture/workers.h"
#include "traces/log/log.h"
#include "traces/log/sums.h"

#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

enum {
    VEF_CALL_ROOM = 1024, /* call numbers are below */
    VEF_STEP_NS = VEF_COMPUTE_STEP_NS,
};
#define CALL(number, name, ...)                                                                    \
    static_assert((number) < VEF_CALL_ROOM, "a call number beyond VEF_CALL_ROOM");
#include "traces/calls.def"
#undef CALL

/* A thread that calls MPI, or after it has ended the one that took its place. Lasts until the
 * process ends. */
typedef struct vef_thread {
    uint64_t left;       /* gap clock when its last call returned, or the present one was entered */
    uint64_t carry_ns;   /* computation since the last event */
    uint64_t outside_ns; /* since then, in calls that are only counted */
    unsigned counting;   /* counted calls under way */
    bool holds;          /* the lock of the shared tables */
    atomic_bool busy;    /* recording: the log must not be closed */
    uint64_t calls;      /* of vef_done: tells whether other calls came inside one */
    uint64_t done;       /* wall ticks when the gap began, only with the CPU clock; 0: unknown */
    bool inside;         /* a recorded call */
    unsigned regions;    /* parallel regions of OpenMP that it is in */
    /* Of all gaps but the first: by the wall clock, and how much more than by CPU clocks. */
    _Atomic uint64_t wall_ns, lost_ns;
    /* When CPU clocks were last read, in wall ticks (0: never), and by the wall clock what this
     * thread's then showed; a gap longer than `long_ticks` is worth reading them again. */
    uint64_t read_wall, read_cpu, long_ticks;
    vef_stretch stretch; /* of other threads */
    vef_lane *lane;
    vef_slot *slot;    /* says in which call the thread is, for others to read: shared_buffer.h */
    vef_slot own_slot; /* where no other can be */
    /* The requests that the call under way waits for, NULL: none, or told already. */
    const MPI_Request *waits_for;
    const uint32_t *waits_for_places; /* where threads call: in the table of requests */
    size_t waits_for_count;
    MPI_Comm comm; /* the one last asked for, and what it is */
    const vef_comm *known;
    uint32_t forgotten; /* communicators that had been freed by then */
    uint32_t number;
    uintptr_t poll_of; /* what `poll` asked about */
    bool poll_spins;   /* its gaps are spinning, not work */
    bool room_taken;
    bool ended;
    vef_before summed; /* messages while recording was off, not yet in the log */
    vef_event poll;    /* unsuccessful tests or probes in a row; repeats 0: none */
    void *room;        /* for arrays too long for the stack; room_taken: in use */
    size_t room_bytes;
    /* Lists of an event under construction; grown as request arrays and communicators need. */
    vef_operation *operations;
    vef_completion *completions;
    size_t operation_room, completion_room;
    vef_vectors vectors;
    vef_error error;
    struct vef_thread *next;
} vef_thread;

/* What all threads of a task share; reached by vef_hold. */
typedef struct vef_tables {
    vef_comms comms;
    vef_requests requests;
    struct vef_messages *messages;
    struct vef_windows *windows; /* NULL: there never was one */
    vef_channels channels;
    uint64_t matched_messages;  /* that matched probes took: their numbers in the log */
    atomic_bool has_unrecorded; /* some collective left no event */
} vef_tables;

typedef struct vef_recorder {
    atomic_bool active;    /* between MPI_Init and MPI_Finalize with a log that can be written */
    atomic_bool muted;     /* MPI_Pcontrol(0): every event carries VEF_EVENT_MUTED */
    bool threaded;         /* MPI_THREAD_MULTIPLE */
    bool sizes_in_handles; /* of named datatypes */
    bool summed;           /* some thread has messages in its sums; never if `threaded` */
    bool compute_only;     /* no durations, and gaps in steps of VEF_STEP_NS */
    bool timed; /* durations are measured: they are kept, or are time outside, of calls left out */
    vef_clock clock;
    vef_log *log;
    _Atomic uint64_t flushed; /* wall ticks: when the log was last flushed */
    uint64_t flush_ticks;     /* and how often it is */
    uint64_t origin;          /* wall ticks at MPI_Init */
    /* Of each call by its number: 1 for those whose events carry VEF_EVENT_MUTED. */
    uint8_t muted_calls[VEF_CALL_ROOM];
    pthread_mutex_t lock;          /* of the tables and the list of threads */
    vef_tables tables;             /* by vef_hold alone */
    _Atomic(vef_thread *) threads; /* grows only, at its head; read without the lock */
    uint32_t thread_count;
    uint64_t started;      /* wall ticks when recording began */
    uint64_t told;         /* likewise, when vef_flush last told what was measured */
    int first_thread;      /* the kernel's number of the thread that began it */
    vef_measured measured; /* what of it does not change */
    vef_error error;
    _Atomic uint32_t windows; /* that the program has now */
    uint32_t task;
    bool joined; /* MPI_Init has told which task this is */
    /* Entries into recorded calls and returns from them; with a cache line to itself, since all
     * threads count in it. */
    alignas(64) _Atomic uint64_t ticks;
} vef_recorder;

extern vef_recorder vef_capture;
extern _Thread_local vef_thread *vef_thread_here __attribute__((tls_model("initial-exec")));

typedef struct vef_frame {
    vef_thread *thread;
    uint64_t calls; /* the thread's, when it was entered */
    uint64_t began; /* wall ticks */
    uint64_t duration_ns;
    uint64_t entered, left; /* as in an event, only where threads call */
    bool muted; /* recording was off: another thread may switch it while the call is written */
} vef_frame;

#define VEF_CALLER __builtin_return_address(0)
#define VEF_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define VEF_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* The slow paths of the functions below. With the CPU clock: the gap ends, or begins. With the wall
 * clock: after a long gap, or long after CPU clocks were read, these are read; `frame` begins
 * after that. */
void vef_gap_ends(vef_thread *thread);
void vef_gap_begins(vef_thread *thread);
void vef_long_gap(vef_thread *thread, vef_frame *frame);
void vef_read_clocks(vef_thread *thread);
void vef_passive(void);
vef_thread *vef_thread_new(void);
void vef_after_nested(vef_frame *frame);
void vef_write_failed(void); /* as vef_capture.error says */
void vef_lane_failed(vef_thread *thread);
void vef_flush(uint64_t now);
void vef_put_poll(vef_thread *thread);
/* While recording is off: whether a sum stands for the event, which then is not written; and writes
 * those sums. */
bool vef_sum_up(vef_thread *thread, const vef_event *event);
void vef_put_summed(void);

/* Writes what is buffered from inside an MPI call of this thread, unless the log is in use.
 * vef_idle does so when the last flush is a while ago: for a task that waits it costs nothing, and
 * should the task never return from there (a deadlock, a kill), all that it did is in the log. */
void vef_flush_inside(void);
void vef_idle(void);

/* Between two calls of this thread computation is about to fork, or has joined: see workers.h; and
 * the same for a parallel region of OpenMP that begins, or has ended. */
void vef_split_gap(void);
void vef_region_forks(bool begins);

/* Between these the calling thread is inside MPI_Init, and threads that it makes are MPI's
 * (wrappers/threads.c). */
void vef_init_begins(void);
void vef_init_ends(void);

/* The number of tasks on this host and of the cores that they may use, when recording begins. */
void vef_measuring_begins(unsigned tasks, unsigned cores);

/* Tells the log how the task's times were measured so far. */
void vef_tell_measured(void);

/* Ends recording, and waits for up to a second until no other thread is about to append to the log.
 * False when one still is: then the log may be flushed, but not closed. */
bool vef_stop_recording(void);
/* After that: what the threads still have in hand. */
void vef_put_last_polls(void);

/* To a sum that one thread adds to and others read. */
static inline void vef_add(_Atomic uint64_t *sum, uint64_t more) {
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

/* The next tick of the counter that orders the task's threads. */
static inline uint64_t vef_tick(void) {
    return atomic_fetch_add_explicit(&vef_capture.ticks, 1, memory_order_relaxed);
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

/* Begins a call; the function that enters has its name. */
#define vef_enter(frame, caller)                                                                   \
    vef_enter_as(                                                                                  \
        frame, __func__,                                                                           \
        sizeof __func__ < VEF_CALL_NAME_BYTES ? sizeof __func__ : VEF_CALL_NAME_BYTES - 1, caller)

/* `name` with its end, `bytes` long. */
static inline bool vef_enter_as(vef_frame *frame, const char *name, size_t bytes,
                                const void *caller) {
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
    frame->calls = thread->calls;
    frame->muted = atomic_load_explicit(&vef_capture.muted, memory_order_relaxed);
    if (VEF_UNLIKELY(vef_capture.threaded))
        frame->entered = vef_tick();
    thread->inside = true;
    if (VEF_UNLIKELY(vef_capture.clock.cpu)) {
        vef_gap_ends(thread);
        frame->began = vef_clock_wall(&vef_capture.clock);
    } else {
        frame->began = vef_clock_wall(&vef_capture.clock);
        uint64_t gap_ns = vef_clock_wall_ns(&vef_capture.clock, thread->left, frame->began);
        thread->carry_ns += gap_ns;
        vef_add(&thread->wall_ns, gap_ns);
        if (VEF_UNLIKELY(frame->began - thread->left > thread->long_ticks))
            vef_long_gap(thread, frame);
        thread->left = frame->began;
    }
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
    if (VEF_UNLIKELY(thread->calls != frame->calls))
        vef_after_nested(frame);
    frame->duration_ns = 0;
    if (timed)
        frame->duration_ns =
            vef_clock_wall_ns(&vef_capture.clock, frame->began, vef_clock_wall(&vef_capture.clock));
    if (VEF_UNLIKELY(vef_capture.threaded)) {
        frame->left = vef_tick();
        atomic_store(&thread->busy, true); /* before `active` is looked at, for all to see */
    } else {
        atomic_store_explicit(&thread->busy, true, memory_order_relaxed);
    }
}

static inline void vef_leave(vef_frame *frame) {
    vef_leave_at(frame, vef_capture.timed);
}

/* After vef_leave_at: the call cannot block, so its duration is what it computed. */
static inline void vef_only_computed(vef_frame *frame) {
    if (VEF_UNLIKELY(vef_capture.clock.cpu))
        frame->duration_ns = vef_clock_cpu_ns(&vef_capture.clock, frame->thread->left,
                                              vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID));
}

/* The shared tables, until vef_release, vef_put or vef_done. Not to be held while MPI works. */
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

/* The communicator of a handle, NULL for one that the log does not hold. Lasts. */
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

/* Says what the call that was just entered waits for. Requests are looked up only when the
 * thread has been idle for a while (vef_idle). */
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
                         .peer = peer,
                         .tag = tag};
    vef_slot_end(slot);
}
static inline void vef_waits_for_requests(vef_frame *frame, const MPI_Request *requests,
                                          const uint32_t *places, size_t count) {
    frame->thread->waits_for = requests;
    frame->thread->waits_for_places = places;
    frame->thread->waits_for_count = count;
}

/* Whether the events of a call are left out of the trace. */
static inline bool vef_is_muted(const vef_frame *frame, uint16_t call) {
    return frame->muted || vef_capture.muted_calls[call];
}

/* A call that is not to be in the trace. Where recording is off, time passes unseen. Else the call
 * was left out by choice: the computation before it counts as the next event's, and the time inside
 * it as nothing, as a replay uses no time inside the calls that a trace holds. Most of it is
 * waiting, and what is not (polling, copying) is MPI's work, not the program's. The log says how
 * much time it was. */
static inline void vef_skip(vef_frame *frame, uint16_t call) {
    vef_thread *thread = frame->thread;
    if (frame->muted)
        thread->carry_ns = thread->outside_ns = 0;
    else if (vef_capture.active)
        vef_log_left_out(vef_capture.log, call, 1, frame->duration_ns);
    frame->duration_ns = 0;
}

/* Takes what has gathered since the thread's last event. In steps, the rest stays for the next. */
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

/* The order of events where only one thread calls at a time. */
static inline void vef_count_up(vef_event *event) {
    uint64_t ticks = atomic_load_explicit(&vef_capture.ticks, memory_order_relaxed);
    event->entered = ticks;
    event->left = ticks + 1;
    atomic_store_explicit(&vef_capture.ticks, ticks + 2, memory_order_relaxed);
}

/* Makes an event of no lists, on no communicator: what vef_put needs, and nothing else. An event is
 * a long struct, and filling it with zeros takes as long as everything else that a wrapper does. */
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

/* Writes one event of the call; what its lists point to may be reused afterwards. Of several the
 * first has the gap and the duration. One that is muted has neither: see vef_skip. */
static inline void vef_put(vef_frame *frame, vef_event *event) {
    vef_thread *thread = frame->thread;
    vef_release(frame);
    if (VEF_UNLIKELY(thread->poll.repeats > 0))
        vef_put_poll(thread);
    if (VEF_UNLIKELY(!vef_capture.active)) /* failed, or closed while this thread was inside MPI */
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
    if (VEF_UNLIKELY(vef_capture.threaded)) {
        event->entered = frame->entered;
        event->left = frame->left;
        frame->entered = vef_tick(); /* of another event of this call */
        frame->left = vef_tick();
    } else {
        vef_count_up(event);
    }
    if (VEF_UNLIKELY(vef_lane_event(thread->lane, event, &thread->error) != VEF_OK))
        vef_lane_failed(thread);
    else if (VEF_UNLIKELY(frame->began - vef_capture.flushed >= vef_capture.flush_ticks))
        vef_flush(frame->began);
}

/* Collectives, calls that make and free communicators or windows, and fences count on their
 * communicator (or window), so that the k-th of one task is known to be the k-th of another where
 * some tasks record it and others do not. One that leaves no event is only counted; before the next
 * that does goes an event that says how many those were: a muted one, with `elements` of them. */
void vef_skip_joint(vef_frame *frame, uint16_t call, uint32_t comm);
/* A call of all members of a communicator that failed is counted, and unless MPI refused its
 * arguments it stands among the calls that other members make, like one that is skipped. */
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
    atomic_store_explicit(&thread->busy, false, memory_order_release);
    thread->calls++;
    thread->inside = false;
    if (VEF_UNLIKELY(vef_capture.clock.cpu)) {
        vef_gap_begins(thread);
    } else {
        thread->left = vef_clock_wall(&vef_capture.clock);
        if (VEF_UNLIKELY(thread->left - thread->read_wall > thread->long_ticks))
            vef_read_clocks(thread);
    }
    thread->waits_for = NULL;
    thread->slot->left = VEF_UNLIKELY(vef_capture.clock.cpu) ? thread->done : thread->left;
    thread->slot->inside = false;
}

/* MPICH: the upper six bits of a handle are the same for all named types, and for all predefined
 * operations. */
static inline bool vef_is_like(int handle, int named) {
    return ((uint32_t)handle ^ (uint32_t)named) >> 26 == 0;
}

/* The size of a named type stands in its handle, with MPICH (bits 8 to 15); whether it does with
 * this release was asked when recording began. */
static inline uint64_t vef_size_of(MPI_Datatype type) {
    MPI_Count size = 0;
    if (VEF_LIKELY(vef_is_like(type, MPI_BYTE) && vef_capture.sizes_in_handles))
        return (uint32_t)type >> 8 & 0xff;
    return vef_mpi.Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? (uint64_t)size : 0;
}

/* Bytes of `count` elements. */
static inline uint64_t vef_bytes_of(MPI_Count count, MPI_Datatype type) {
    return count > 0 ? (uint64_t)count * vef_size_of(type) : 0;
}

/* Whether a reduction may take its operands in any order; all predefined operations do (MPI 4.0,
 * section 6.9.1). */
static inline bool vef_commutes(MPI_Op op) {
    int commutes = 1;
    if (!vef_is_like(op, MPI_SUM))
        vef_mpi.Op_commutative(op, &commutes);
    return commutes != 0;
}

/* What a status tells. The layout is fixed by the MPICH ABI agreement, and the tests hold it
 * against sizes known beforehand. */
static inline uint64_t vef_status_bytes(const MPI_Status *status) {
    return (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 |
           (uint32_t)status->count_lo;
}
/* Whether a receive failed since its message was longer than its buffer: it took the message, and
 * its status tells all but the length. */
static inline bool vef_is_truncated(int result) {
    int class = MPI_SUCCESS;
    return result != MPI_SUCCESS && vef_mpi.Error_class(result, &class) == MPI_SUCCESS &&
           class == MPI_ERR_TRUNCATE;
}
static inline bool vef_status_cancelled(const MPI_Status *status) {
    return (status->count_hi_and_cancelled & 1) != 0;
}

/* An unsuccessful test or probe; `of` tells about what (an address): the same in a row, as long as
 * they spin or as long as the program works between them, are one event, which was entered with the
 * first and left with the last. */
void vef_poll(vef_frame *frame, uint16_t call, uintptr_t of);

/* The call was made, but the log cannot hold it (failed, unknown communicator, …): counted and
 * named. */
void vef_count(vef_frame *frame, uint16_t call);

/* `bytes` of memory that lasts until vef_room_release, NULL when there is none: for copies of
 * request and status arrays. Grows with the longest array, then allocates no more. */
void *vef_room(vef_thread *thread, size_t bytes);
void vef_room_release(vef_thread *thread, void *room);

/* Make room in the thread's lists; false when memory runs out. */
bool vef_need_operations(vef_thread *thread, size_t count);
bool vef_need_completions(vef_thread *thread, size_t count);

/* Begins recording, after MPI_Init or MPI_Session_init, which was entered at `before`. */
void vef_begin(uint16_t call, int provided, vef_clock_moment before);
void vef_begin_session(MPI_Session session, vef_clock_moment before);
/* Before MPI_Finalize or MPI_Session_finalize is passed on: whether recording ends with it. */
bool vef_ends(bool session);
void vef_end(vef_log_end end);

void vef_mark_lost(void);

/* Ends a process that the wrappers would harm, before they can: has `vef capture` say `why`
 * after the program's name, once for all tasks of a job, and exits with status 1. */
void vef_refuse(const char *why) __attribute__((noreturn));
void vef_refuse_open_mpi(void);

/* One line on stderr, "vef: task N: …". */
void vef_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
