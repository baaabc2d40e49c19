/* Epochs of windows in a slice: posts, starts, completes and waits of pairs of tasks, which both
 * sides count, and locks with their unlocks. See slice_state.h. */
#include "common/containers/grow.h"
#include "traces/slice/slice_state.h"

/* The effect of an event on epochs: none for an unsuccessful Win_test. */
static vef_sync sync_of(const vef_event *event) {
    return event->flags & VEF_EVENT_POLL ? VEF_SYNC_NONE : vef_call_sync(event->call);
}

static bool is_active(const vef_event *event) {
    const vef_sync sync = sync_of(event);
    return sync == VEF_SYNC_POST || sync == VEF_SYNC_START || sync == VEF_SYNC_COMPLETE ||
           sync == VEF_SYNC_WAIT;
}

bool vef_slice_is_epoch(const vef_event *event) {
    if (vef_event_target_is_null(event))
        return false;
    return sync_of(event) == VEF_SYNC_LOCK || sync_of(event) == VEF_SYNC_UNLOCK || is_active(event);
}

static vef_slice_epochs *epochs_of(vef_slice_state *state, const vef_event *event, int32_t peer) {
    const vef_sync sync = sync_of(event);
    bool origin = sync == VEF_SYNC_START || sync == VEF_SYNC_COMPLETE;
    uint32_t from = origin ? state->task : (uint32_t)peer;
    uint32_t to = origin ? (uint32_t)peer : state->task;
    vef_map64 *map = &state->comms[event->comm].epochs;
    uint64_t key = (uint64_t)from << 32 | to, *place = vef_map64_get(map, key);
    if (place)
        return &state->epochs[*place];
    vef_map64_set(map, key, state->epoch_count);
    vef_slice_epochs *epochs =
        VEF_NEW_ITEM(state->epochs, state->epoch_count, state->epoch_capacity);
    *epochs = (vef_slice_epochs){0};
    return epochs;
}

/* Counts the event for one peer and returns its number. */
static uint64_t count_up(vef_slice_epochs *epochs, const vef_event *event) {
    switch (sync_of(event)) {
    case VEF_SYNC_START:
        return epochs->starts++;
    case VEF_SYNC_COMPLETE:
        return epochs->completes++;
    case VEF_SYNC_POST:
        return epochs->posts++;
    default:
        return epochs->waits++;
    }
}

static void see_active(vef_slice_state *state, const vef_event *event, bool inside) {
    const vef_sync sync = sync_of(event);
    for (uint32_t i = 0; i < event->peer_count; i++) {
        if (!vef_slice_chosen(state, event->peers[i]))
            continue;
        vef_slice_epochs *epochs = epochs_of(state, event, event->peers[i]);
        uint64_t number = count_up(epochs, event);
        if (sync == VEF_SYNC_START)
            epochs->start_inside = inside;
        else if (sync == VEF_SYNC_POST)
            epochs->post_inside = inside;
        else if (sync == VEF_SYNC_COMPLETE && inside && epochs->start_inside)
            vef_runs_add(&epochs->by_origin, number);
        else if (sync == VEF_SYNC_WAIT && inside && epochs->post_inside)
            vef_runs_add(&epochs->by_target, number);
    }
}

void vef_slice_see_epoch(vef_slice_state *state, const vef_event *event, bool inside) {
    if (is_active(event))
        see_active(state, event, inside);
    else
        vef_locks_see(&state->locks, event, state->event, inside,
                      &state->tasks[state->task].left_out);
}

void vef_slice_settle_epochs(vef_slice_state *state) {
    for (size_t i = 0; i < state->epoch_count; i++) {
        vef_slice_epochs *epochs = &state->epochs[i];
        vef_runs_settle(&epochs->by_origin);
        vef_runs_settle(&epochs->by_target);
        vef_runs_intersect(&epochs->by_origin, &epochs->by_target);
        epochs->starts = epochs->completes = epochs->posts = epochs->waits = 0;
    }
}

static uint64_t target_key(uint32_t window, int32_t target) {
    return (uint64_t)window << 32 | (uint32_t)target;
}

bool vef_slice_covers(const vef_slice_state *state, uint32_t window, int32_t target) {
    const uint64_t *const open[] = {
        vef_map64_get(&state->locks, target_key(window, target)),
        vef_map64_get(&state->locks, target_key(window, (int32_t)VEF_LOCK_ALL)),
        vef_map64_get(&state->starts, target_key(window, target))};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        if (open[i] && *open[i])
            return true;
        any |= open[i] != NULL;
    }
    return !any && (!state->begun || state->comms[window].fenced_task == state->task + 1);
}

bool vef_slice_keeps_peer(vef_slice_state *state, const vef_event *event, bool inside,
                          int32_t peer) {
    const bool chosen = vef_slice_chosen(state, peer);
    bool keeps = chosen && inside;
    uint64_t ignored;
    if (!vef_slice_is_epoch(event))
        return keeps && vef_slice_covers(state, event->comm, peer);
    if (!is_active(event))
        return keeps;
    if (chosen) {
        vef_slice_epochs *epochs = epochs_of(state, event, peer);
        keeps = vef_runs_has(&epochs->by_origin, count_up(epochs, event), NULL) && inside;
    }
    const uint64_t key = target_key(event->comm, peer);
    if (sync_of(event) == VEF_SYNC_START)
        vef_map64_set(&state->starts, key, keeps);
    else if (sync_of(event) == VEF_SYNC_COMPLETE)
        vef_map64_take(&state->starts, key, &ignored);
    return keeps;
}

bool vef_slice_keeps_epoch(vef_slice_state *state, const vef_event *event, bool inside,
                           uint32_t count) {
    uint64_t ignored;
    bool keeps = count > 0 || event->peer_count == 0;
    if (!vef_slice_is_epoch(event) || is_active(event))
        return keeps;
    keeps =
        keeps && inside && !vef_runs_has(&state->tasks[state->task].left_out, state->event, NULL);
    if (sync_of(event) == VEF_SYNC_LOCK)
        vef_map64_set(&state->locks, vef_lock_key(event), keeps);
    else
        vef_map64_take(&state->locks, vef_lock_key(event), &ignored);
    return keeps;
}
