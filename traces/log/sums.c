/* Messages while recording is off: see sums.h. */
#include "traces/log/sums.h"

static bool can_be_summed(const vef_event *event) {
    enum { APART = VEF_OP_PARTITIONED | VEF_OP_GENERALISED | VEF_OP_CANCELLED };
    if (vef_call_has(event->call, VEF_FACT_MATCHED) ||
        vef_call_has(event->call, VEF_FACT_ONE_REQUEST))
        return false;
    for (uint32_t i = 0; i < event->operation_count; i++)
        if (event->operations[i].flags & APART)
            return false;
    return true;
}

static vef_code take_operation(vef_before *sums, const vef_operation *operation, vef_error *error) {
    const vef_before_request request = {.request = operation->request,
                                        .comm = operation->comm,
                                        .peer = operation->peer,
                                        .tag = operation->tag,
                                        .send = operation->flags & VEF_OP_SEND};
    if (operation->request != VEF_NO_REQUEST)
        return vef_before_start(sums, request, error);
    if (operation->peer < 0 || operation->tag < 0)
        return VEF_OK;
    const vef_before_messages key = {.comm = operation->comm,
                                     .peer = operation->peer,
                                     .tag = operation->tag,
                                     .send = request.send};
    return vef_before_count(sums, key, 1, error);
}

/* A request that was also started while recording was off is complete. */
static vef_code take_completion(vef_before *sums, const vef_completion *completion, bool *found,
                                vef_error *error) {
    vef_before_request request;
    vef_before_messages key;
    *found = vef_before_end(sums, completion, &request, &key);
    if (!*found || request.cancelled || key.peer < 0 || key.tag < 0)
        return VEF_OK;
    return vef_before_count(sums, key, 1, error);
}

vef_code vef_summed_take(vef_before *sums, const vef_event *event, bool *taken, vef_error *error) {
    vef_code code = VEF_OK;
    *taken = false;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        *taken = can_be_summed(event);
        for (uint32_t i = 0; *taken && i < event->operation_count && !code; i++)
            code = take_operation(sums, &event->operations[i], error);
        break;
    case VEF_KIND_COMPLETE:
        if (vef_call_has(event->call, VEF_FACT_INSPECTS))
            return VEF_OK;
        *taken = true;
        for (uint32_t i = 0; i < event->completion_count && !code; i++) {
            bool found;
            code = take_completion(sums, &event->completions[i], &found, error);
            *taken &= found;
        }
        break;
    case VEF_KIND_LOCAL:
        *taken = vef_before_cancel(sums, event);
        break;
    default:
        break;
    }
    sums->events += *taken;
    return code;
}

/* ---- as events ---- */

static bool next_messages(vef_before *sums, vef_operation *operations, uint32_t room,
                          vef_event *event) {
    uint32_t count = 0;
    while (count < room && sums->message_count > 0) {
        const vef_before_messages *entry = &sums->messages[--sums->message_count];
        operations[count++] = (vef_operation){.flags = entry->send ? VEF_OP_SEND : 0,
                                              .peer = entry->peer,
                                              .tag = entry->tag,
                                              .comm = entry->comm,
                                              .ordinal = entry->count,
                                              .request = VEF_NO_REQUEST};
    }
    event->call = VEF_CALL_Sendrecv;
    event->flags = VEF_EVENT_MUTED | VEF_EVENT_SUMMED;
    event->operation_count = count;
    event->operations = operations;
    return count > 0;
}

/* Operations in progress: the start, preceded by its cancellation. */
static bool next_request(vef_before *sums, vef_operation *operations, vef_event *event) {
    if (sums->request_count == 0)
        return false;
    vef_before_request *entry = &sums->requests[sums->request_count - 1];
    event->flags = VEF_EVENT_MUTED;
    if (entry->request != VEF_NO_REQUEST) {
        *operations = (vef_operation){.flags = entry->send ? VEF_OP_SEND : 0,
                                      .peer = entry->peer,
                                      .tag = entry->tag,
                                      .comm = entry->comm,
                                      .ordinal = VEF_NO_ORDINAL,
                                      .request = entry->request};
        event->call = entry->send ? VEF_CALL_Isend : VEF_CALL_Irecv;
        event->operation_count = 1;
        event->operations = operations;
        event->argument = (int64_t)entry->request; /* for the next event */
        entry->request = VEF_NO_REQUEST;
        if (!entry->cancelled)
            sums->request_count--;
        return true;
    }
    event->call = VEF_CALL_Cancel; /* of the previous event, whose `argument` is still there */
    event->operation_count = 0;
    sums->request_count--;
    return true;
}

bool vef_summed_next(vef_before *sums, vef_operation *operations, uint32_t room, vef_event *event) {
    event->completion_count = 0;
    event->root = -1;
    event->repeats = 1;
    if (next_messages(sums, operations, room, event) || next_request(sums, operations, event))
        return true;
    vef_before_free(sums);
    return false;
}
