/* Wrappers of the Wait and Test families, of those that look without completing
 * (MPI_Request_get_status and similar), and MPI_Request_free; see recorder.h.
 *
 * MPI overwrites the handles of completed requests, so they are copied before the call. Statuses
 * are requested even if the program ignores them, since they contain the sender. */
#include "capture/recorder.h"

#include <string.h>

enum { ON_STACK = 64 }; /* requests whose handles and statuses fit on the stack */

static inline vef_kept keep(vef_frame *frame, const MPI_Request *address) {
    if (!vef_capture.threaded)
        return (vef_kept){.handle = *address};
    return (vef_kept){.place = *address == MPI_REQUEST_NULL
                                   ? VEF_MAP_NONE
                                   : vef_requests_claim(&vef_hold(frame)->requests, *address,
                                                        address, frame->entered)};
}

static vef_request *find_kept(vef_frame *frame, vef_kept kept, const MPI_Request *address) {
    if (vef_capture.threaded)
        return kept.place == VEF_MAP_NONE ? NULL : &vef_hold(frame)->requests.nodes[kept.place];
    return kept.handle == MPI_REQUEST_NULL
               ? NULL
               : vef_requests_find(&vef_hold(frame)->requests, kept.handle, address);
}

/* For a request that was not completed, or is persistent. */
static inline void let_go(vef_frame *frame, vef_kept kept) {
    if (vef_capture.threaded && kept.place != VEF_MAP_NONE)
        vef_requests_let_go(&vef_hold(frame)->requests, kept.place);
}

typedef struct arrays {
    size_t length;
    vef_kept *kept; /* NULL: memory ran out, and the call is only counted */
    MPI_Status *statuses;
    void *room; /* NULL: on the stack */
    vef_kept kept_here[ON_STACK];
    MPI_Status statuses_here[ON_STACK];
} arrays;

/* Keeps the requests of a call. Returns where MPI puts the statuses. */
static MPI_Status *take(arrays *taken, vef_frame *frame, int count, const MPI_Request *requests,
                        MPI_Status *statuses) {
    const size_t length = count > 0 ? (size_t)count : 0;
    const bool ignored = statuses == MPI_STATUSES_IGNORE;
    taken->length = 0;
    taken->room = NULL;
    taken->kept = taken->kept_here;
    taken->statuses = ignored ? taken->statuses_here : statuses;
    if (length > ON_STACK) {
        taken->room = vef_room(frame->thread, length * (sizeof(vef_kept) + sizeof(MPI_Status)));
        if (taken->room == NULL) {
            taken->kept = NULL;
            return statuses;
        }
        if (ignored)
            taken->statuses = taken->room;
        taken->kept = (vef_kept *)((char *)taken->room + length * sizeof(MPI_Status));
    }
    taken->length = length;
    if (vef_capture.threaded) {
        for (size_t i = 0; i < length; i++)
            taken->kept[i] = keep(frame, &requests[i]);
        vef_release(frame);
    } else if (length > 0) {
        memcpy(taken->kept, requests, length * sizeof *requests);
    }
    vef_waits_for_requests(frame, requests, vef_capture.threaded ? taken->kept : NULL, length);
    return taken->statuses;
}

static void give_back(arrays *taken, vef_frame *frame) {
    if (vef_capture.threaded)
        for (size_t i = 0; i < taken->length; i++)
            let_go(frame, taken->kept[i]);
    if (taken->room != NULL)
        vef_room_release(frame->thread, taken->room);
}

/* Fills in `list` from the status of a completed request, with `error` if it failed. False if it
 * is null, inactive or unknown. */
static bool fill_completion(vef_completion *list, const vef_request *request, int error,
                            const MPI_Status *status) {
    if (request == NULL || !request->active)
        return false;
    *list = (vef_completion){.request = request->number,
                             .cancelled = request->cancelled && vef_status_cancelled(status),
                             .source = VEF_NO_TASK};
    if (request->receive && !list->cancelled && status->MPI_SOURCE != MPI_PROC_NULL) {
        list->source = vef_peer_of(status->MPI_SOURCE);
        list->tag = status->MPI_TAG;
        list->bytes = error == MPI_SUCCESS ? vef_status_bytes(status) : VEF_TRUNCATED_BYTES;
    }
    return true;
}

/* Adds the completion of one request, if any, to `list` and ends it, unless the call only looks.
 * Returns how many it added. */
static uint32_t complete(vef_frame *frame, vef_completion *list, vef_kept *kept,
                         const MPI_Request *address, int error, const MPI_Status *status,
                         bool looks) {
    vef_request *request = find_kept(frame, *kept, address);
    if (!fill_completion(list, request, error, status))
        return 0;
    if (looks)
        return 1;
    if (request->persistent) {
        request->active = false;
    } else {
        vef_requests_remove(&vef_hold(frame)->requests, request);
        kept->place = VEF_MAP_NONE;
    }
    return 1;
}

static void put_completions(vef_frame *frame, uint16_t call, uint32_t count,
                            const vef_completion *completions) {
    vef_event event;
    vef_event_begin(&event, call);
    event.completion_count = count;
    event.completions = completions;
    vef_put(frame, &event);
}

/* Whether a call that returned `result` may have completed requests. */
static bool completes(int result) {
    return result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS;
}

/* Whether a call for one request that returned `result` completed it. */
static bool completes_one(int result) {
    return result == MPI_SUCCESS || vef_is_truncated(result);
}

/* The error of one request after a call for several that returned `result`. */
static int error_in(int result, const MPI_Status *status) {
    return result == MPI_SUCCESS ? MPI_SUCCESS : status->MPI_ERROR;
}

/* What a call does: those that look leave the requests as they are, for a later Wait or Test. */
typedef enum manner { WAITS, TESTS, LOOKS } manner;

/* Writes a call for one request; `flag` NULL: it waits. */
static inline void put_one(vef_frame *frame, uint16_t call, int result, const MPI_Request *request,
                           const int *flag, const MPI_Status *status, vef_kept kept) {
    vef_completion done;
    if (!completes_one(result))
        vef_count(frame, call);
    else if (flag != NULL && result == MPI_SUCCESS && !*flag)
        vef_poll(frame, call, (uintptr_t)request);
    else
        put_completions(frame, call, complete(frame, &done, &kept, request, result, status, false),
                        &done);
    let_go(frame, kept);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    VEF_WRAP(Wait, (request, status), VEF_NEED_STATUS(status);
             vef_kept kept = keep(&frame, request); vef_release(&frame);
             vef_waits_for_requests(&frame, request, vef_capture.threaded ? &kept : NULL, 1),
             put_one(&frame, VEF_CALL_Wait, result, request, NULL, status, kept));
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    VEF_WRAP(Test, (request, flag, status), VEF_NEED_STATUS(status);
             vef_kept kept = keep(&frame, request);
             vef_release(&frame),
             put_one(&frame, VEF_CALL_Test, result, request, flag, status, kept));
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    VEF_WRAP(Request_get_status, (request, flag, status), VEF_NEED_STATUS(status);
             vef_kept kept = keep(&frame, &request); vef_release(&frame), {
                 vef_completion seen;
                 const uint16_t call = VEF_CALL_Request_get_status;
                 if (result != MPI_SUCCESS)
                     vef_count(&frame, call);
                 else if (!*flag)
                     vef_poll(&frame, call, (uintptr_t)VEF_KEY(request));
                 else
                     put_completions(
                         &frame, call,
                         fill_completion(&seen, find_kept(&frame, kept, &request), result, status),
                         &seen);
                 let_go(&frame, kept);
             });
}

/* An unsuccessful test of several requests. */
static void poll_several(vef_frame *frame, uint16_t call, const MPI_Request *requests, int count) {
    vef_poll(frame, call, (uintptr_t)requests + (uintptr_t)count);
}

/* Writes the completion of all requests except those that an error left pending; `flag` NULL: the
 * call waits. */
static void put_all(vef_frame *frame, uint16_t call, int result, int count,
                    const MPI_Request *requests, const int *flag, arrays *taken, manner way) {
    uint32_t done = 0;
    if (taken->kept != NULL && flag != NULL && result == MPI_SUCCESS && !*flag) {
        poll_several(frame, call, requests, count);
    } else if (taken->kept == NULL || !completes(result) ||
               !vef_need_completions(frame->thread, taken->length)) {
        vef_count(frame, call);
    } else {
        for (int i = 0; i < count; i++)
            if (result == MPI_SUCCESS || taken->statuses[i].MPI_ERROR != MPI_ERR_PENDING)
                done += complete(frame, &frame->thread->completions[done], &taken->kept[i],
                                 &requests[i], error_in(result, &taken->statuses[i]),
                                 &taken->statuses[i], way == LOOKS);
        put_completions(frame, call, done, frame->thread->completions);
    }
    give_back(taken, frame);
}

/* The same for the request at `index`; MPI_UNDEFINED: none was active. */
static void put_any(vef_frame *frame, uint16_t call, int result, int count,
                    const MPI_Request *requests, const int *index, const int *flag,
                    const MPI_Status *status, arrays *taken, manner way) {
    vef_completion done;
    uint32_t found = 0;
    if (taken->kept == NULL || !completes_one(result)) {
        vef_count(frame, call);
    } else if (flag != NULL && result == MPI_SUCCESS && !*flag) {
        poll_several(frame, call, requests, count);
    } else {
        if (*index != MPI_UNDEFINED)
            found = complete(frame, &done, &taken->kept[*index], &requests[*index], result, status,
                             way == LOOKS);
        put_completions(frame, call, found, &done);
    }
    give_back(taken, frame);
}

/* The same for the requests at `indices`; `*outcount` MPI_UNDEFINED: none was active. */
static void put_some(vef_frame *frame, uint16_t call, int result, int count,
                     const MPI_Request *requests, const int *outcount, const int *indices,
                     arrays *taken, manner way) {
    uint32_t done = 0;
    size_t length = 0;
    if (taken->kept != NULL && completes(result) && *outcount != MPI_UNDEFINED && *outcount > 0)
        length = (size_t)*outcount;
    if (taken->kept != NULL && way != WAITS && result == MPI_SUCCESS && *outcount == 0) {
        poll_several(frame, call, requests, count);
    } else if (taken->kept == NULL || !completes(result) ||
               !vef_need_completions(frame->thread, length)) {
        vef_count(frame, call);
    } else {
        for (size_t i = 0; i < length; i++)
            done += complete(frame, &frame->thread->completions[done], &taken->kept[indices[i]],
                             &requests[indices[i]], error_in(result, &taken->statuses[i]),
                             &taken->statuses[i], way == LOOKS);
        put_completions(frame, call, done, frame->thread->completions);
    }
    give_back(taken, frame);
}

#define TAKE_STATUSES                                                                              \
    arrays taken;                                                                                  \
    statuses = take(&taken, &frame, count, requests, statuses)
#define TAKE_REQUESTS                                                                              \
    arrays taken;                                                                                  \
    take(&taken, &frame, count, requests, MPI_STATUSES_IGNORE);                                    \
    VEF_NEED_STATUS(status)
#define COMPLETES(declarator, name, arguments, before, put)                                        \
    int declarator {                                                                               \
        VEF_WRAP(name, arguments, before, put);                                                    \
    }
#define ALL(declarator, name, arguments, flag, way)                                                \
    COMPLETES(declarator, name, arguments, TAKE_STATUSES,                                          \
              put_all(&frame, VEF_CALL_##name, result, count, requests, flag, &taken, way))
#define ANY(declarator, name, arguments, flag, way)                                                \
    COMPLETES(declarator, name, arguments, TAKE_REQUESTS,                                          \
              put_any(&frame, VEF_CALL_##name, result, count, requests, index, flag, status,       \
                      &taken, way))
#define SOME(declarator, name, way)                                                                \
    COMPLETES(declarator, name, (count, requests, outcount, indices, statuses), TAKE_STATUSES,     \
              put_some(&frame, VEF_CALL_##name, result, count, requests, outcount, indices,        \
                       &taken, way))
#define SOME_OF                                                                                    \
    int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses

ALL(MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses), Waitall,
    (count, requests, statuses), NULL, WAITS)
ALL(MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses), Testall,
    (count, requests, flag, statuses), flag, TESTS)
ALL(MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag,
                               MPI_Status *statuses),
    Request_get_status_all, (count, requests, flag, statuses), flag, LOOKS)
ANY(MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status), Waitany,
    (count, requests, index, status), NULL, WAITS)
ANY(MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
    Testany, (count, requests, index, flag, status), flag, TESTS)
ANY(MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag,
                               MPI_Status *status),
    Request_get_status_any, (count, requests, index, flag, status), flag, LOOKS)
SOME(MPI_Waitsome(SOME_OF), Waitsome, WAITS)
SOME(MPI_Testsome(SOME_OF), Testsome, TESTS)
SOME(MPI_Request_get_status_some(int count, const MPI_Request requests[], int *outcount,
                                 int indices[], MPI_Status *statuses),
     Request_get_status_some, LOOKS)

/* Lists an active request as completed, without its sender. */
static void put_freed(vef_frame *frame, vef_request *freed, vef_kept kept) {
    if (freed == NULL) {
        let_go(frame, kept);
        vef_count(frame, VEF_CALL_Request_free);
        return;
    }
    const vef_completion done = {.request = freed->number, .source = VEF_NO_TASK};
    const uint32_t found = freed->active;
    vef_requests_remove(&vef_hold(frame)->requests, freed);
    put_completions(frame, VEF_CALL_Request_free, found, &done);
}

int MPI_Request_free(MPI_Request *request) {
    VEF_WRAP(
        Request_free, (request), vef_kept kept = keep(&frame, request);
        vef_release(&frame),
        put_freed(&frame, result == MPI_SUCCESS ? find_kept(&frame, kept, request) : NULL, kept));
}
