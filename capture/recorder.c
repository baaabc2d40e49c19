/* The slow paths of recording one call: see recorder.h. */
#include "capture/recorder.h"

#include "common/containers/grow.h"
#include "common/system/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static bool has_key; /* a process has a limited number of keys */

/* A thread has ended: the next new thread inherits its record with all memory. */
static void give_place(void *ended) {
    vef_thread_here = NULL;
    pthread_mutex_lock(&vef_capture.lock);
    ((vef_thread *)ended)->slot->call[0] = '\0';
    ((vef_thread *)ended)->ended = true;
    pthread_mutex_unlock(&vef_capture.lock);
}

static bool sizes_are_in_handles(void) {
    static const MPI_Datatype types[] = {VEF_TYPES_TO_CHECK};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        MPI_Count size = -1;
        if (vef_handle_has_size(types[i]) && (vef_mpi.Type_size_x(types[i], &size) != MPI_SUCCESS ||
                                              (uint64_t)size != vef_size_in_handle(types[i])))
            return false;
    }
    return true;
}

static void begin_once(void) {
    has_key = pthread_key_create(&thread_key, give_place) == 0;
    vef_capture.sizes_in_handles = sizes_are_in_handles();
    vef_capture.timed = !vef_capture.compute_only ||
                        memchr(vef_capture.muted_calls, 1, sizeof vef_capture.muted_calls) != NULL;
}

/* The record of a thread that has ended; NULL: none. */
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
        !vef_vectors_room(&thread->vectors, vef_capture.tables.comms.greatest_size) ||
        vef_log_lane(vef_capture.log, thread->number, &thread->lane, &vef_capture.error) !=
            VEF_OK) {
        free(thread->operations);
        free(thread->completions);
        vef_vectors_release(&thread->vectors);
        free(thread);
        return NULL;
    }
    vef_capture.thread_count++;
    thread->slot = vef_lane_slot(thread->lane);
    if (thread->slot == NULL)
        thread->slot = &thread->local_slot;
    thread->slot->origin = vef_capture.origin;
    thread->slot->scale = vef_capture.clock.scale;
    thread->next = vef_capture.threads;
    vef_capture.threads = thread;
    return thread;
}

vef_thread *vef_thread_new(void) {
    VEF_KEEP_ERRNO;
    pthread_once(&once, begin_once);
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
    vef_workers_leave();
    thread->inside = false;
    if (thread->poll.repeats > 0) { /* of an earlier thread, which ended: they cost nothing */
        thread->poll.series_ns = 1; /* 0: not measured */
        vef_put_poll(thread, NULL);
        thread->polls = false;
    }
    thread->carry_ns += vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    vef_gap_open(&thread->gap, &vef_capture.clock);
    if (has_key)
        pthread_setspecific(thread_key, thread);
    vef_thread_here = thread;
    return thread;
}

void vef_split_gap(void) {
    vef_thread *thread = vef_thread_here;
    if (!vef_is_recording() || thread == NULL || thread->inside)
        return;
    thread->carry_ns += vef_gap_split(&thread->gap, &vef_capture.clock);
}

/* Only the outermost region forks; one that began before its thread was known does not count. */
void vef_region_forks(bool begins) {
    vef_thread *thread = vef_thread_here;
    if (thread == NULL || (!begins && thread->gap.regions == 0))
        return;
    if (begins ? thread->gap.regions == 0 : thread->gap.regions == 1)
        vef_split_gap();
    thread->gap.regions += begins ? 1 : -1u;
}

/* ---- how times were measured ---- */

/* Time for which a thread was runnable without a core, ns; 0 if the kernel does not provide it. */
static uint64_t core_wait_ns(int thread) {
    char path[64], text[128];
    unsigned long long ran, waited = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", thread);
    vef_read_text(path, text, sizeof text);
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited : 0;
}

void vef_measuring_begins(unsigned tasks, unsigned cores) {
    vef_workers_add_main();
    vef_capture.first_thread = (int)gettid();
    vef_capture.measured = (vef_measured){.core_wait_ns = core_wait_ns(vef_capture.first_thread),
                                          .cpu_clock = vef_capture.clock.cpu,
                                          .host_tasks = tasks,
                                          .host_cores = cores};
    vef_capture.started = vef_capture.reported = vef_clock_wall(&vef_capture.clock);
}

/* The digits that vef_measured leaves out. */
static void round_times(vef_measured *measured) {
    enum { US = 1000, MS = 1000000 };
    measured->run_ns -= measured->run_ns % US;
    measured->wall_ns -= measured->wall_ns % US;
    measured->cpu_ns -= measured->cpu_ns % US;
    measured->core_wait_ns -= measured->core_wait_ns % US;
    measured->clock_error_ns = (measured->clock_error_ns + US - 1) / US * US;
    measured->clock_compared_ns -= measured->clock_compared_ns % MS;
}

void vef_store_measured(void) {
    vef_measured now = vef_capture.measured;
    vef_clock_compare(&vef_capture.clock, &vef_capture.drift, vef_clock_now());
    uint64_t wall = vef_clock_wall(&vef_capture.clock), lost_ns = 0;
    now.run_ns = vef_clock_wall_ns(&vef_capture.clock, vef_capture.started, wall);
    now.threads = vef_workers_most_threads();
    uint64_t waited_ns = core_wait_ns(vef_capture.first_thread);
    now.core_wait_ns = waited_ns > now.core_wait_ns ? waited_ns - now.core_wait_ns : 0;
    /* Without the lock: an idle thread comes here from inside MPI, maybe with MPI's own lock, for
     * which another thread that holds ours may wait (vef_hold, then an MPI query). */
    for (const vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next) {
        now.wall_ns += atomic_load_explicit(&thread->gap.wall_ns, memory_order_relaxed);
        lost_ns += atomic_load_explicit(&thread->gap.lost_ns, memory_order_relaxed);
    }
    now.cpu_ns = now.wall_ns > lost_ns ? now.wall_ns - lost_ns : 0;
    now.clock_compared_ns = vef_capture.drift.span_ns;
    now.clock_error_ns = vef_capture.drift.error_ns;
    now.clock_jumps = vef_capture.drift.jumps;
    round_times(&now);
    vef_log_measured(vef_capture.log, &now);
}

void vef_after_nested(vef_frame *frame) {
    vef_thread *thread = frame->thread;
    frame->began = thread->gap.left;
    if (vef_capture.threaded)
        frame->entered = vef_tick();
}

/* The first failure ends recording, and is reported. */
static void fail(const vef_error *error) {
    if (!atomic_exchange(vef_capture.recording, false))
        return;
    VEF_KEEP_ERRNO;
    vef_report_loss("%s: recording stopped; the program continued", error->message);
}

void vef_write_failed(void) {
    fail(&vef_capture.error);
}

void vef_lane_failed(vef_thread *thread) {
    fail(&thread->error);
}

/* By one thread. Also reached if a nested call's start precedes the last flush: then nothing is
 * due. */
void vef_flush(uint64_t now) {
    uint64_t former = vef_capture.flushed;
    bool always = vef_capture.flush_ticks == 0;
    if (!always &&
        (now < former || !atomic_compare_exchange_strong(&vef_capture.flushed, &former, now)))
        return;
    enum { REPORT_NS = 1000000000 }; /* rarely: system call */
    if (!vef_is_recording())
        return;
    VEF_KEEP_ERRNO;
    uint64_t reported = vef_capture.reported;
    if (now > reported && now - reported > vef_clock_ticks(&vef_capture.clock, REPORT_NS) &&
        atomic_compare_exchange_strong(&vef_capture.reported, &reported, now))
        vef_store_measured();
    if (vef_log_flush(vef_capture.log, &vef_capture.error) != VEF_OK)
        vef_write_failed();
}

bool vef_stop_recording(void) {
    enum { TRIES = 1000 };
    *vef_capture.recording = false;
    for (const vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next)
        for (int tries = 0; thread != vef_thread_here && thread->busy; tries++) {
            if (tries == TRIES)
                return false;
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        }
    return true;
}

static void flush_inside(vef_thread *thread) {
    if (thread->busy)
        return;
    thread->busy = true;
    if (vef_is_recording())
        vef_flush(vef_clock_wall(&vef_capture.clock));
    thread->busy = false;
}

/* Publishes in the thread's slot the requests for which its call waits. */
static void name_requests(vef_thread *thread) {
    const vef_requests *requests = &vef_capture.tables.requests;
    vef_slot *slot = thread->slot;
    if (vef_capture.threaded && pthread_mutex_trylock(&vef_capture.lock) != 0)
        return; /* the next time */
    vef_slot_begin(slot);
    for (size_t i = 0; i < thread->waits_for_count; i++) {
        const MPI_Request *address = &thread->waits_for[i];
        const vef_kept *kept = thread->waits_for_kept;
        const vef_request *request = NULL;
        if (kept != NULL && kept[i].place != VEF_MAP_NONE)
            request = &requests->nodes[kept[i].place];
        else if (kept == NULL && *address != MPI_REQUEST_NULL)
            request = vef_requests_find(requests, *address, address);
        if (request == NULL || !request->active)
            continue;
        const vef_operation *asked = &request->operation;
        if (slot->waited_count < VEF_WAITED_SHOWN)
            slot->waited[slot->waited_count] = (vef_waited){.call = request->call,
                                                            .flags = asked->flags,
                                                            .comm = asked->comm,
                                                            .peer = asked->peer,
                                                            .tag = asked->tag,
                                                            .bytes = asked->bytes};
        slot->waited_count++;
    }
    vef_slot_end(slot);
    thread->waits_for = NULL;
    if (vef_capture.threaded)
        pthread_mutex_unlock(&vef_capture.lock);
}

/* Publishes the stack of the thread in its slot, once in a call. */
static void name_stack(vef_thread *thread) {
    vef_slot *slot = thread->slot;
    vef_slot_begin(slot);
    const uint32_t count = vef_site_stack(slot->stack, VEF_STACK_SHOWN);
    slot->stack_count = count > 0 ? count : 1;
    vef_slot_end(slot);
}

void vef_idle(void) {
    enum { OFTENER = 50 }; /* than the flush interval of a busy task */
    vef_thread *thread = vef_thread_here;
    if (!vef_is_recording() || thread == NULL)
        return;
    uint64_t now = vef_clock_wall(&vef_capture.clock);
    uint64_t often = vef_capture.flush_ticks / OFTENER;
    if (now > vef_capture.flushed + often)
        flush_inside(thread);
    if (thread->slot->inside && now > thread->slot->seen + often) {
        thread->slot->seen = now;
        if (vef_capture.sites && thread->slot->stack_count == 1)
            name_stack(thread);
        if (thread->waits_for != NULL)
            name_requests(thread);
    }
}

/* The computation in the series of polls that `next` ends: vef_event.series_ns. By CPU clocks the
 * thread waited for another one if that computed meanwhile, be it on a core shared with many. */
static uint64_t computed_in_series(vef_thread *thread, const vef_event *next) {
    const vef_clock *clock = &vef_capture.clock;
    uint64_t outside_ns = thread->polls_outside_ns + thread->outside_ns, others_ns;
    uint64_t own_ns = vef_gap_series_end(&thread->gap, clock, thread->carry_ns, &others_ns);
    thread->polls = false;
    if (vef_event_succeeds(next))
        return others_ns;
    own_ns -= outside_ns < own_ns ? outside_ns : own_ns;
    return thread->polls_gap_ns + (clock->cpu && others_ns >= own_ns / 8 ? others_ns : own_ns);
}

/* Before the event `next`, NULL: another poll, or none. */
static void put_poll(vef_thread *thread, const vef_event *next) {
    vef_event *poll = &thread->poll;
    uint64_t carry_ns = thread->carry_ns, outside_ns = thread->outside_ns;
    if (next != NULL)
        poll->series_ns = computed_in_series(thread, next);
    thread->carry_ns = poll->gap_ns;
    thread->outside_ns = poll->outside_ns;
    vef_take_gap(thread, poll);
    thread->carry_ns += carry_ns;
    thread->outside_ns += outside_ns;
    if (!vef_capture.threaded)
        poll->left = vef_tick_alone();
    if (vef_lane_event(thread->lane, poll, &thread->error) != VEF_OK)
        vef_lane_failed(thread);
    poll->repeats = 0;
}

void vef_put_poll(vef_thread *thread, const vef_event *next) {
    if (vef_is_recording())
        put_poll(thread, next);
    thread->poll.repeats = 0;
}

/* Of all threads, since another thread may have sent. */
void vef_put_summed(void) {
    enum { ROOM = 64 };
    vef_operation operations[ROOM];
    vef_capture.summed = false;
    for (vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next) {
        vef_event event = {.thread = thread->number};
        while (vef_summed_next(&thread->summed, operations, ROOM, &event)) {
            vef_count_up(&event);
            if (vef_lane_event(thread->lane, &event, &thread->error) != VEF_OK)
                vef_lane_failed(thread);
        }
    }
}

bool vef_sum_up(vef_thread *thread, const vef_event *event) {
    vef_kind kind = vef_call_kind(event->call);
    bool taken = false;
    if (vef_capture.threaded)
        return false;
    if (vef_summed_take(&thread->summed, event, &taken, &thread->error) != VEF_OK)
        vef_lane_failed(thread);
    vef_capture.summed |= taken;
    if (!taken && vef_capture.summed && (kind == VEF_KIND_TRANSFER || kind == VEF_KIND_PROBE))
        vef_put_summed();
    return taken;
}

void vef_put_last_polls(void) {
    for (vef_thread *thread = vef_capture.threads; thread != NULL; thread = thread->next)
        if (thread->poll.repeats > 0)
            put_poll(thread, NULL);
    if (vef_capture.summed)
        vef_put_summed();
}

void vef_skip_joint(vef_frame *frame, uint16_t call, uint32_t comm) {
    vef_hold(frame)->comms.list[comm]->unrecorded++;
    vef_capture.tables.has_unrecorded = true;
    vef_skip(frame, call);
}

/* The event has no duration, and the same ticks as the one after it. */
void vef_put_unrecorded(vef_frame *frame, uint16_t call, uint32_t comm, uint32_t persistent,
                        uint64_t *count) {
    vef_thread *thread = frame->thread;
    vef_event event;
    if (*count == 0)
        return;
    vef_event_begin(&event, call);
    event.flags = VEF_EVENT_MUTED;
    event.comm = comm;
    event.persistent = persistent;
    event.elements = *count;
    *count = 0;
    vef_release(frame);
    if (thread->poll.repeats > 0)
        vef_put_poll(thread, &event);
    event.thread = thread->number;
    event.repeats = 1;
    event.gap_ns = event.outside_ns = event.duration_ns = 0;
    event.new_comm = VEF_NO_COMM;
    event.site = 0;
    event.entered = frame->entered;
    event.left = frame->entered;
    if (!vef_capture.threaded)
        vef_count_up(&event);
    if (vef_is_recording() && vef_lane_event(thread->lane, &event, &thread->error) != VEF_OK)
        vef_lane_failed(thread);
}

void vef_poll(vef_frame *frame, uint16_t call, uintptr_t subject) {
    vef_thread *thread = frame->thread;
    vef_event *poll = &thread->poll;
    if (vef_is_muted(frame, call)) {
        vef_skip(frame, call);
        return;
    }
    if (!thread->polls) {
        vef_gap_series_begin(&thread->gap, &vef_capture.clock);
        thread->polls = true;
        thread->polls_gap_ns = thread->carry_ns;
        thread->polls_outside_ns = 0;
    } else {
        thread->polls_outside_ns += thread->outside_ns;
    }
    bool spins = thread->carry_ns <= VEF_SPIN_NS;
    if (poll->repeats == 0 || poll->call != call || thread->poll_subject != subject ||
        thread->poll_spins != spins) {
        if (poll->repeats > 0)
            vef_put_poll(thread, NULL);
        *poll = (vef_event){.call = call,
                            .flags = VEF_EVENT_POLL,
                            .site = vef_capture.sites ? frame->site : 0,
                            .thread = thread->number,
                            .entered = vef_capture.threaded ? frame->entered : vef_tick_alone(),
                            .root = -1};
        thread->poll_subject = subject;
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

/* Whether a failed call may have exchanged messages with its other members: errors about arguments
 * come from checks before that. Groups are compared after. */
static bool took_part(int result) {
    int class = MPI_SUCCESS;
    if (vef_mpi.Error_class(result, &class) != MPI_SUCCESS)
        return false;
    switch (class) {
    case MPI_SUCCESS:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_COMM:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_TAG:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
    case MPI_ERR_DIMS:
    case MPI_ERR_TOPOLOGY:
    case MPI_ERR_REQUEST:
    case MPI_ERR_INFO:
        return false;
    default:
        return true;
    }
}

void vef_count_joint(vef_frame *frame, uint16_t call, uint32_t comm, int result) {
    if (took_part(result)) {
        vef_hold(frame)->comms.list[comm]->unrecorded++;
        vef_capture.tables.has_unrecorded = true;
    }
    vef_count(frame, call);
}

void vef_count(vef_frame *frame, uint16_t call) {
    frame->thread->outside_ns += frame->duration_ns;
    if (vef_is_recording())
        vef_log_count(vef_capture.log, call, 1, frame->duration_ns);
}

void *vef_room(vef_thread *thread, size_t bytes) {
    if (thread->room_taken) /* a callback inside a call with the lock */
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
    return vef_grow(&thread->operations, &thread->operation_room, count,
                    sizeof *thread->operations);
}

bool vef_need_completions(vef_thread *thread, size_t count) {
    return vef_grow(&thread->completions, &thread->completion_room, count,
                    sizeof *thread->completions);
}
