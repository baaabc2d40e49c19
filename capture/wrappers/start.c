/* Wrappers of starts of persistent requests, and generalised requests; see recorder.h. */
#include "capture/recorder.h"

/* The request of `address`, about to start; NULL if unknown. */
static vef_request *started_by(vef_frame *frame, const MPI_Request *address) {
    vef_request *request = vef_requests_find(&vef_hold(frame)->requests, *address, address);
    return request != NULL && request->persistent ? request : NULL;
}

static void begin_anew(vef_frame *frame, vef_request *request) {
    request->active = true;
    request->cancelled = false;
    request->ready = 0;
    request->number = vef_hold(frame)->requests.started++;
}

/* Writes one event for all sends and receives, then one per collective; the first event has the
 * time of the call. Muted collectives stay inactive, so that nothing completes them. */
static void put_starts(vef_frame *frame, uint16_t call, int result, int count,
                       const MPI_Request *requests) {
    uint32_t operations = 0, collectives = 0;
    bool room = result == MPI_SUCCESS && vef_need_operations(frame->thread, (size_t)count);
    for (int i = 0; room && i < count; i++) {
        vef_request *request = started_by(frame, &requests[i]);
        if (request == NULL)
            continue;
        if (request->collective != NULL) {
            collectives++;
            continue;
        }
        begin_anew(frame, request);
        frame->thread->operations[operations] = request->operation;
        frame->thread->operations[operations++].request = request->number;
    }
    if (operations == 0 && collectives == 0 && count > 0) {
        vef_count(frame, call);
        return;
    }
    if (operations > 0 || collectives == 0) {
        vef_event event = {.call = call,
                           .root = -1,
                           .operation_count = operations,
                           .operations = frame->thread->operations};
        vef_put(frame, &event);
    }
    for (int i = 0; collectives > 0 && i < count; i++) {
        vef_request *request = started_by(frame, &requests[i]);
        if (request == NULL || request->collective == NULL)
            continue;
        collectives--;
        if (vef_is_muted(frame, request->collective->call) || vef_is_muted(frame, call)) {
            request->unrecorded_starts++;
            vef_skip(frame, call);
            continue;
        }
        begin_anew(frame, request);
        vef_event event = *request->collective;
        const uint64_t number = request->number;
        vef_put_unrecorded(frame, event.call, event.comm, event.persistent,
                           &request->unrecorded_starts);
        event.flags |= VEF_EVENT_STARTED;
        event.request = number;
        vef_put(frame, &event);
    }
}

VEF_WRAPPER(MPI_Start(MPI_Request *request), Start, (request),
            put_starts(&frame, VEF_CALL_Start, result, 1, request));
VEF_WRAPPER(MPI_Startall(int count, MPI_Request requests[]), Startall, (count, requests),
            put_starts(&frame, VEF_CALL_Startall, result, count, requests));

/* Transfers no data; MPI_Grequest_complete completes it. */
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                       MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request) {
    VEF_WRAP(Grequest_start, (query, release, cancel, state, request), , {
        vef_request *made = NULL;
        vef_operation operation = {
            .flags = VEF_OP_GENERALISED, .peer = VEF_NO_TASK, .ordinal = VEF_NO_ORDINAL};
        vef_event event = {.call = VEF_CALL_Grequest_start,
                           .root = -1,
                           .operation_count = 1,
                           .operations = &operation};
        if (result == MPI_SUCCESS)
            made = vef_requests_add(&vef_hold(&frame)->requests, *request, request, false, false);
        if (made == NULL) {
            vef_count(&frame, VEF_CALL_Grequest_start);
        } else {
            operation.request = made->number;
            vef_put(&frame, &event);
        }
    });
}

/* Before the call: after it another thread may complete the request, and MPI may reuse the handle.
 */
static uint64_t number_of(vef_frame *frame, MPI_Request handle) {
    const vef_request *request = vef_requests_find(&vef_hold(frame)->requests, handle, NULL);
    const uint64_t number = request != NULL ? request->number : VEF_NO_REQUEST;
    vef_release(frame);
    return number;
}

int MPI_Grequest_complete(MPI_Request handle) {
    VEF_WRAP(Grequest_complete, (handle), const uint64_t number = number_of(&frame, handle), {
        vef_event event = {
            .call = VEF_CALL_Grequest_complete, .root = -1, .argument = (int64_t)number};
        if (result != MPI_SUCCESS || number == VEF_NO_REQUEST)
            vef_count(&frame, VEF_CALL_Grequest_complete);
        else
            vef_put(&frame, &event);
    });
}
