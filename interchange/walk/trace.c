/* Passing on a trace as a program of messages: see walk.h. */
#include "interchange/walk/state.h"
#include "interchange/walk/walk.h"

/* ---- messages ---- */

static bool moves_nothing(const vef_operation *operation) {
    return operation->peer == VEF_NO_TASK || operation->flags & VEF_OP_CANCELLED;
}

static vef_walk_message processed(const vef_operation *operation) {
    return (vef_walk_message){.send = operation->flags & VEF_OP_SEND,
                              .peer = (uint32_t)operation->peer,
                              .tag = (uint32_t)(operation->ordinal & (VEF_PLAN_TAGS - 1)),
                              .bytes = operation->bytes};
}

/* One operation of a call; its record if the call waits for it. */
static uint32_t operation_told(vef_walker *walker, uint32_t chain, const vef_operation *operation) {
    bool general = operation->flags & VEF_OP_GENERALISED;
    if (operation->flags & VEF_OP_UNMATCHED && !moves_nothing(operation)) {
        bool send = operation->flags & VEF_OP_SEND;
        walker->counts[send ? VEF_WALK_UNMATCHED_SENDS : VEF_WALK_UNMATCHED_RECEIVES]++;
        return VEF_NO_RECORD;
    }
    if (moves_nothing(operation) && !general)
        return VEF_NO_RECORD;
    uint32_t index = vef_walk_new_record(walker);
    vef_walk_record *record = &walker->records[index];
    bool later =
        general || (operation->flags & VEF_OP_PARTITIONED && operation->flags & VEF_OP_SEND);
    record->message = processed(operation);
    record->state = later ? VEF_WALK_NOT_YET : VEF_WALK_MESSAGE;
    record->general = general;
    if (!later)
        walker->sink->start(walker->sink->context, chain, &record->message);
    if (operation->request == VEF_NO_REQUEST)
        return index;
    vef_walk_keep(walker, operation->request, index);
    return VEF_NO_RECORD;
}

static void transfer(vef_walker *walker, uint32_t chain, const vef_event *event) {
    vef_walk_room(walker, event->operation_count);
    size_t blocking = 0;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        walker->waited[blocking] = operation_told(walker, chain, &event->operations[i]);
        blocking += walker->waited[blocking] != VEF_NO_RECORD;
    }
    if (blocking)
        vef_walk_progress(walker, chain, UINT32_MAX);
    vef_walk_wait(walker, chain, walker->waited, blocking, false);
}

/* Finishes the collectives among the records in walker->waited. */
static void finish_runs(vef_walker *walker, uint32_t chain, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (uint32_t next = walker->waited[i]; next != VEF_NO_RECORD;
             next = walker->records[next].next)
            if (walker->records[next].state == VEF_WALK_RUN) {
                walker->records[next].state = VEF_WALK_NOTHING;
                vef_walk_finish(walker, chain, walker->records[next].chain);
            }
}

static void completions(vef_walker *walker, uint32_t chain, const vef_event *event) {
    bool asks = vef_call_has(event->call, VEF_FACT_INSPECTS);
    const bool part = vef_call_has(event->call, VEF_FACT_PARTITION);
    /* Without ticks, calls of other threads that query the request may come after its Wait. */
    bool keep = asks || (walker->sink->chains && walker->thread_count > 1 &&
                         !vef_thread_order_has_ticks(event));
    vef_walk_room(walker, event->completion_count);
    size_t count = 0;
    /* Without chains the Wait that follows waits for it, and for the partition that arrived. */
    if (asks && (part || !walker->sink->chains))
        return;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        const uint64_t request = event->completions[i].request;
        const uint64_t *found = vef_map64_get(&walker->requests, request);
        if (!found)
            continue;
        uint64_t index = *found;
        if (!keep)
            vef_map64_take(&walker->requests, request, &index);
        if (!vef_call_has(event->call, VEF_FACT_FREES))
            walker->waited[count++] = (uint32_t)index;
        else if (!keep)
            vef_walk_free_records(walker, (uint32_t)index);
    }
    if (count && !asks)
        vef_walk_progress(walker, chain, UINT32_MAX);
    if (!asks)
        finish_runs(walker, chain, count);
    vef_walk_wait(walker, chain, walker->waited, count, keep);
}

/* Pready of the last partition: sends the message. Grequest_complete: completes waits. */
static void released(vef_walker *walker, uint32_t chain, const vef_event *event) {
    const uint64_t *index = vef_map64_get(&walker->requests, (uint64_t)event->argument);
    if (!index || !vef_event_releases(event))
        return;
    vef_walk_record *record = &walker->records[*index];
    if (record->state != VEF_WALK_NOT_YET)
        return;
    if (!record->general) {
        record->state = VEF_WALK_MESSAGE;
        walker->sink->start(walker->sink->context, chain, &record->message);
    } else if (walker->sink->chains) {
        record->state = VEF_WALK_CHAIN;
        record->chain = vef_walk_new_chain(walker, chain);
    } else {
        record->state = VEF_WALK_NOTHING;
    }
}

/* ---- events ---- */

vef_code vef_walk_event(vef_walker *walker, uint32_t chain, const vef_event *event,
                        vef_error *error) {
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        transfer(walker, chain, event);
        break;
    case VEF_KIND_COMPLETE:
        completions(walker, chain, event);
        break;
    case VEF_KIND_PROBE:
        walker->counts[VEF_WALK_PROBES] += event->operation_count;
        break;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        return event->flags & VEF_EVENT_UNMATCHED
                   ? VEF_OK
                   : vef_walk_collective(walker, chain, event, error);
    case VEF_KIND_ONE_SIDED:
        walker->counts[VEF_WALK_ONE_SIDED]++;
        break;
    case VEF_KIND_SYNC:
        walker->counts[VEF_WALK_SYNC]++;
        break;
    case VEF_KIND_LOCAL:
        if (vef_call_names_request(event->call))
            released(walker, chain, event);
        break;
    case VEF_KIND_REGION:
        if (walker->sink->mark && event->call == VEF_CALL_Mark && event->name)
            walker->sink->mark(walker->sink->context, chain, event);
        break;
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}
