/* One-sided operations of a check (MPI 4.0, section 12.5): each lies in an epoch that its task
 * opened for the target, by a fence, MPI_Win_start or a lock; each access epoch has a matching
 * exposure epoch; all epochs are closed. Fences are collective: groups.c.
 *
 * The values of assertions depend on the MPI library and are not interpreted: after a fence with
 * MPI_MODE_NOSUCCEED operations pass. Tasks whose beginning is missing, or that turned recording
 * off, are not checked, since their earlier epochs are unknown. See check_state.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/rng.h"
#include "traces/check/check_state.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LOCKED, STARTED };

static bool is_window(const vef_communicator *comm) {
    return vef_call_has(comm->made_by, VEF_FACT_WINDOW);
}

void vef_check_windows_begin(vef_check_state *state) {
    uint32_t count = state->header->communicator_count;
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= is_window(&state->header->communicators[i]);
    if (!any)
        return;
    state->windows = vef_calloc(count, sizeof *state->windows);
    state->windows_used = vef_calloc(count, sizeof *state->windows_used);
    for (uint32_t i = 0; i < count; i++)
        state->windows[i].task = UINT32_MAX;
}

/* The state of the current task on a window; NULL (and a report) if it is not a member. */
static vef_window_seen *find_window(vef_check_state *state, const vef_event *event,
                                    uint32_t number) {
    const vef_communicator *comm = &state->header->communicators[number];
    if (!is_window(comm)) {
        vef_check_fault(state, event, "communicator %u is not a window", number);
        return NULL;
    }
    if (vef_check_rank(state, number, 0, state->task) < 0) {
        vef_check_fault(state, event, "called on window %u, of which this task is not a member",
                        number);
        return NULL;
    }
    if (state->windows[number].task != state->task) {
        state->windows[number] = (vef_window_seen){.task = state->task};
        state->windows_used[state->windows_used_count++] = number;
    }
    return &state->windows[number];
}

static uint64_t key_of(uint32_t window, unsigned what, uint32_t target) {
    return (uint64_t)window << 32 | what << 31 | target;
}

static bool is_open(const vef_check_state *state, uint32_t window, unsigned what, uint32_t target) {
    return vef_map64_get(&state->open, key_of(window, what, target)) != NULL;
}

void vef_check_access(vef_check_state *state, const vef_event *event) {
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        const vef_window_seen *window = find_window(state, event, operation->comm);
        if (!window || operation->peer == VEF_NO_TASK)
            continue;
        uint32_t target = (uint32_t)operation->peer;
        if (vef_check_rank(state, operation->comm, 0, target) < 0)
            vef_check_fault(state, event, "task %u is not a member of window %u", target,
                            operation->comm);
        else if (state->whole && !window->fenced && !window->all_locked && !window->started &&
                 !is_open(state, operation->comm, LOCKED, target) &&
                 !is_open(state, operation->comm, STARTED, target))
            vef_check_fault(state, event,
                            "accesses task %u through window %u outside an epoch: expected a "
                            "fence, Win_start or lock before it",
                            target, operation->comm);
    }
}

static void count_exposure(vef_check_state *state, uint32_t window, uint32_t origin,
                           uint32_t target, bool post) {
    uint64_t key = vef_rng_mix(vef_rng_mix(window) + ((uint64_t)origin << 32 | target)) >> 1;
    const uint64_t *found = vef_map64_get(&state->exposure_of, key);
    size_t place = found ? *found : state->exposure_count;
    if (!found) {
        vef_map64_set(&state->exposure_of, key, place);
        *VEF_NEW_ITEM(state->exposures, state->exposure_count, state->exposure_capacity) =
            (vef_exposure_seen){.window = window, .origin = origin, .target = target};
    }
    state->exposures[place].starts += !post;
    state->exposures[place].posts += post;
}

/* Win_post and Win_start with their groups. */
static void open_group(vef_check_state *state, const vef_event *event, vef_window_seen *window) {
    bool post = vef_call_sync(event->call) == VEF_SYNC_POST;
    bool *open = post ? &window->posted : &window->started;
    if (*open && state->whole)
        vef_check_fault(state, event, "window %u has %s open already", event->comm,
                        post ? "an exposure epoch" : "an access epoch");
    *open = true;
    for (uint32_t i = 0; i < event->peer_count; i++) {
        if (event->peers[i] == VEF_NO_TASK)
            continue;
        uint32_t peer = (uint32_t)event->peers[i];
        count_exposure(state, event->comm, post ? peer : state->task, post ? state->task : peer,
                       post);
        if (!post)
            vef_map64_set(&state->open, key_of(event->comm, STARTED, peer), 1);
    }
}

/* Their groups are those of the matching open calls.
 */
static void close_group(vef_check_state *state, const vef_event *event, vef_window_seen *window) {
    bool wait = vef_call_sync(event->call) == VEF_SYNC_WAIT;
    bool *open = wait ? &window->posted : &window->started;
    uint64_t ignored;
    if (!*open && state->whole)
        vef_check_fault(state, event, "window %u has no %s open", event->comm,
                        wait ? "exposure epoch" : "access epoch");
    *open = false;
    for (uint32_t i = 0; i < event->peer_count && !wait; i++)
        if (event->peers[i] != VEF_NO_TASK)
            vef_map64_take(&state->open, key_of(event->comm, STARTED, (uint32_t)event->peers[i]),
                           &ignored);
}

static void lock(vef_check_state *state, const vef_event *event, vef_window_seen *window,
                 bool locks) {
    for (uint32_t i = 0; i < event->peer_count; i++) {
        if (event->peers[i] == VEF_NO_TASK)
            continue;
        uint64_t key = key_of(event->comm, LOCKED, (uint32_t)event->peers[i]), ignored;
        bool was = vef_map64_take(&state->open, key, &ignored);
        if (was == locks && state->whole)
            vef_check_fault(state, event, "task %d is %s on window %u", event->peers[i],
                            locks ? "locked already" : "not locked", event->comm);
        if (locks && window->all_locked)
            vef_check_fault(state, event, "all of window %u is already locked", event->comm);
        if (locks)
            vef_map64_set(&state->open, key, 1);
    }
}

static void flush(vef_check_state *state, const vef_event *event, const vef_window_seen *window) {
    for (uint32_t i = 0; i < event->peer_count; i++)
        if (event->peers[i] != VEF_NO_TASK && state->whole && !window->all_locked &&
            !is_open(state, event->comm, LOCKED, (uint32_t)event->peers[i]))
            vef_check_fault(state, event, "task %d is not locked on window %u", event->peers[i],
                            event->comm);
}

void vef_check_sync(vef_check_state *state, const vef_event *event) {
    if (event->flags & VEF_EVENT_POLL) /* of any windows */
        return;
    vef_window_seen *window = find_window(state, event, event->comm);
    if (!window)
        return;
    const bool locks = vef_call_sync(event->call) == VEF_SYNC_LOCK;
    switch (vef_call_sync(event->call)) {
    case VEF_SYNC_FENCE:
        window->fenced = true;
        vef_check_collective(state, event);
        break;
    case VEF_SYNC_POST:
    case VEF_SYNC_START:
        open_group(state, event, window);
        break;
    case VEF_SYNC_COMPLETE:
    case VEF_SYNC_WAIT:
        close_group(state, event, window);
        break;
    case VEF_SYNC_LOCK:
    case VEF_SYNC_UNLOCK:
        if (!vef_call_has(event->call, VEF_FACT_ALL)) {
            lock(state, event, window, locks);
            break;
        }
        if (window->all_locked == locks && state->whole)
            vef_check_fault(state, event, "all of window %u is %s", event->comm,
                            window->all_locked ? "locked already" : "not locked");
        window->all_locked = locks;
        break;
    case VEF_SYNC_FLUSH: /* of all: has no peers */
        flush(state, event, window);
        break;
    default:
        break;
    }
}

/* Locks that the task leaves held, in the order of windows and targets. */
static void report_locks(vef_check_state *state) {
    size_t count;
    uint64_t *keys = vef_check_keys(&state->open, NULL, &count);
    for (size_t i = 0; i < count; i++)
        if ((keys[i] >> 31 & 1) == LOCKED)
            vef_check_fault(state, NULL, "task %u: task %u is never unlocked on window %u",
                            state->task, (uint32_t)keys[i] & INT32_MAX, (uint32_t)(keys[i] >> 32));
    free(keys);
}

/* Reports epochs that are left open. */
void vef_check_windows_task_end(vef_check_state *state) {
    bool says = state->whole && !vef_check_cut(state, state->task);
    for (uint32_t i = 0; i < state->windows_used_count && says; i++) {
        uint32_t number = state->windows_used[i];
        const vef_window_seen *window = &state->windows[number];
        if (window->started || window->posted)
            vef_check_fault(state, NULL, "task %u: %s on window %u is never closed", state->task,
                            window->started ? "an access epoch" : "an exposure epoch", number);
        if (window->all_locked)
            vef_check_fault(state, NULL, "task %u: window %u is never unlocked", state->task,
                            number);
    }
    if (says && state->open.count > 0)
        report_locks(state);
    state->windows_used_count = 0;
    vef_map64_clear(&state->open);
}

void vef_check_windows_end(vef_check_state *state) {
    for (size_t i = 0; i < state->exposure_count; i++) {
        const vef_exposure_seen *pair = &state->exposures[i];
        if (pair->starts == pair->posts || state->partial[pair->origin] ||
            state->partial[pair->target] || vef_check_cut(state, pair->origin) ||
            vef_check_cut(state, pair->target))
            continue;
        vef_check_fault(state, NULL,
                        "window %u: task %u starts access to task %u %" PRIu64
                        " times, which posts exposure to it %" PRIu64 " times",
                        pair->window, pair->origin, pair->target, pair->starts, pair->posts);
    }
}
