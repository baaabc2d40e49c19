/* The first reading of a slice: what is inside. See slice_state.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/slice/slice_state.h"

#include <stdlib.h>
#include <string.h>

static uint64_t pair_key(uint32_t from, uint32_t to) {
    return (uint64_t)from << 32 | to;
}

vef_slice_pair *vef_slice_find_pair(const vef_slice_state *state, uint32_t from, uint32_t to) {
    const uint64_t *place = vef_map64_get(&state->pair_of, pair_key(from, to));
    return place ? &state->pairs[*place] : NULL;
}

static vef_slice_pair *make_pair(vef_slice_state *state, uint32_t from, uint32_t to) {
    vef_slice_pair *pair = vef_slice_find_pair(state, from, to);
    if (pair)
        return pair;
    vef_map64_set(&state->pair_of, pair_key(from, to), state->pair_count);
    pair = VEF_NEW_ITEM(state->pairs, state->pair_count, state->pair_capacity);
    *pair = (vef_slice_pair){0};
    return pair;
}

static void add_to_list(vef_slice_list *list, uint64_t number) {
    *VEF_NEW_ITEM(list->number, list->count, list->capacity) = number;
}

void vef_slice_tick(vef_slice_state *state) {
    if (++state->events_read % 65536 == 0 && state->progress)
        vef_progress_update(state->progress, state->events_read, 2 * state->header->events);
}

/* ---- messages ---- */

static void see_message(vef_slice_state *state, const vef_operation *operation, bool inside) {
    bool send = operation->flags & VEF_OP_SEND;
    if (operation->peer == VEF_NO_TASK || operation->ordinal == VEF_NO_ORDINAL ||
        (operation->flags & VEF_OP_CANCELLED))
        return;
    uint32_t peer = (uint32_t)operation->peer;
    bool chosen = vef_slice_chosen(state, (int32_t)state->task);
    if (send ? !chosen && !vef_slice_chosen(state, operation->peer) : !chosen || !inside)
        return;
    vef_slice_pair *pair =
        send ? make_pair(state, state->task, peer) : make_pair(state, peer, state->task);
    if (!send) {
        vef_runs_add(&pair->received, operation->ordinal);
        return;
    }
    if (pair->total <= operation->ordinal)
        pair->total = operation->ordinal + 1;
    if (chosen && inside)
        vef_runs_add(&pair->sent, operation->ordinal);
}

/* ---- requests ---- */

static void see_requests(vef_slice_state *state, const vef_event *event) {
    const uint16_t needs = VEF_OP_SEND | VEF_OP_PARTITIONED;
    uint64_t ignored;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->request == VEF_NO_REQUEST)
            continue;
        vef_map64_set(&state->requests, operation->request, 1);
        if ((operation->flags & needs) == needs || (operation->flags & VEF_OP_GENERALISED))
            vef_map64_set(&state->unnamed, operation->request, 1);
    }
    if (vef_event_starts_request(event) && event->request != VEF_NO_REQUEST)
        vef_map64_set(&state->requests, event->request, 1);
    for (uint32_t i = 0; i < event->completion_count; i++)
        vef_map64_take(&state->requests, event->completions[i].request, &ignored);
    if (vef_event_releases(event))
        vef_map64_take(&state->unnamed, (uint64_t)event->argument, &ignored);
}

static void keep_keys(const vef_map64 *map, vef_runs *runs) {
    for (size_t i = 0; i < map->capacity && map->count > 0; i++)
        if (map->keys[i] != UINT64_MAX)
            vef_runs_add(runs, map->keys[i]);
    vef_runs_settle(runs);
}

/* ---- a task ---- */

static void keep_name(vef_slice_state *state, const vef_event *event) {
    uint16_t wanted = state->options->between ? VEF_CALL_Mark : VEF_CALL_Region_begin;
    if (event->call != wanted || !event->name || state->name_count == VEF_SLICE_NAMES)
        return;
    for (size_t i = 0; i < state->name_count; i++)
        if (strcmp(state->names[i], event->name) == 0)
            return;
    state->names[state->name_count++] = vef_strdup(event->name);
}

/* Regions nest in a thread; one with only its begin or end inside has neither in the slice. */
static void see_region(vef_slice_state *state, const vef_event *event, bool inside) {
    vef_runs *left_out = &state->tasks[state->task].left_out;
    vef_slice_list *open = &state->regions[event->thread];
    if (event->call == VEF_CALL_Region_begin)
        add_to_list(open, 2 * state->event + inside);
    if (event->call != VEF_CALL_Region_end)
        return;
    uint64_t begun = open->count > 0 ? open->number[--open->count] : 0;
    if (inside && !(begun & 1))
        vef_runs_add(left_out, state->event);
    else if (!inside && (begun & 1))
        vef_runs_add(left_out, begun / 2);
}

static void end_regions(vef_slice_state *state, uint32_t threads) {
    for (uint32_t i = 0; i < threads; i++)
        for (size_t k = 0; k < state->regions[i].count; k++)
            if (state->regions[i].number[k] & 1)
                vef_runs_add(&state->tasks[state->task].left_out, state->regions[i].number[k] / 2);
}

static void see_event(vef_slice_state *state, const vef_event *event) {
    bool chosen = vef_slice_chosen(state, (int32_t)state->task);
    bool inside = vef_selector_next(&state->selector, event) && chosen;
    keep_name(state, event);
    state->inside += inside;
    state->tasks[state->task].ends_inside = inside;
    state->tasks[state->task].whole &= inside;
    if (vef_call_kind(event->call) == VEF_KIND_TRANSFER)
        for (uint32_t i = 0; i < event->operation_count; i++)
            see_message(state, &event->operations[i], inside);
    /* A message that is never received is kept for its last probe. */
    if (vef_call_kind(event->call) == VEF_KIND_PROBE)
        for (uint32_t i = 0; i < event->operation_count; i++)
            if (event->operations[i].flags & VEF_OP_UNMATCHED)
                see_message(state, &event->operations[i], inside);
    if (chosen)
        vef_slice_see_collective(state, event, inside);
    if (chosen && vef_slice_is_epoch(event))
        vef_slice_see_epoch(state, event, inside);
    if (chosen && vef_call_kind(event->call) == VEF_KIND_REGION)
        see_region(state, event, inside);
    if (inside)
        see_requests(state, event);
}

static void see_what_there_is(vef_slice_state *state) {
    const vef_selector *selector = &state->selector;
    for (uint32_t i = 0; i < selector->thread_count; i++)
        if (state->longest_ns < selector->threads[i].end_ns)
            state->longest_ns = selector->threads[i].end_ns;
    if (state->most_calls < selector->calls)
        state->most_calls = selector->calls;
    if (state->most_entries < selector->entries)
        state->most_entries = selector->entries;
}

static vef_code survey_task(vef_slice_state *state, vef_error *error) {
    vef_slice_task *task = &state->tasks[state->task];
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    uint32_t threads = state->header->task[state->task].threads;
    state->event = 0;
    task->whole = task->ends_inside = vef_slice_chosen(state, (int32_t)state->task);
    state->regions = vef_calloc(threads, sizeof *state->regions);
    vef_code code = vef_task_events_open(state->trace, state->task, &events, error);
    if (!code)
        vef_selector_begin(&state->selector, state->options, threads);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        see_event(state, event);
        state->event++;
        vef_slice_tick(state);
    }
    if (!code) {
        task->ends_inside &= vef_selector_goes_on(&state->selector);
        task->whole &= task->ends_inside || !vef_log_end_cuts(state->header->task[state->task].end);
        see_what_there_is(state);
        end_regions(state, threads);
        vef_locks_end(&state->locks, &task->left_out);
        keep_keys(&state->requests, &task->open);
        keep_keys(&state->unnamed, &task->unnamed);
    }
    for (uint32_t i = 0; i < threads; i++)
        free(state->regions[i].number);
    free(state->regions);
    state->regions = NULL;
    vef_map64_clear(&state->requests);
    vef_map64_clear(&state->unnamed);
    vef_selector_end(&state->selector);
    vef_task_events_close(events);
    return code;
}

static void settle_pairs(vef_slice_state *state) {
    for (size_t i = 0; i < state->pair_count; i++) {
        vef_slice_pair *pair = &state->pairs[i];
        vef_runs_settle(&pair->sent);
        vef_runs_settle(&pair->received);
        vef_runs_unite(&pair->kept, &pair->sent, UINT64_MAX);
        if (!state->options->drop_outside)
            vef_runs_unite(&pair->kept, &pair->received, pair->total);
    }
}

vef_code vef_slice_survey(vef_slice_state *state, vef_error *error) {
    vef_code code = VEF_OK;
    for (state->task = 0; state->task < state->header->tasks && !code; state->task++)
        code = survey_task(state, error);
    if (!code) {
        settle_pairs(state);
        vef_slice_settle_epochs(state);
    }
    return code;
}
