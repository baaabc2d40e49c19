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
    vef_kept *kept;
    size_t length;
    MPI_Status *statuses;
    void *room; /* NULL: on the stack */
    vef_kept kept_here[ON_STACK];
    MPI_Status statuses_here[ON_STACK];
} arrays;

/* False when memory runs out: then the call is only counted. */
static bool take(arrays *taken, vef_frame *frame, int count, const MPI_Request *requests,
                 MPI_Status *statuses) {
    size_t length = count > 0 ? (size_t)count : 0;
    bool own = statuses == MPI_STATUSES_IGNORE;
    taken->room = NULL;
    taken->length = 0;
    taken->kept = taken->kept_here;
    taken->statuses = own ? taken->statuses_here : statuses;
    if (length > ON_STACK) {
        taken->room = vef_room(frame->thread, length * (sizeof(vef_kept) + sizeof(MPI_Status)));
        if (taken->room == NULL)
            return false;
        if (own)
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
    return true;
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

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Wait(request, status);
    vef_kept kept = keep(&frame, request);
    vef_release(&frame);
    vef_waits_for_requests(&frame, request, vef_capture.threaded ? &kept : NULL, 1);
    MPI_Status own, *own_or_given = status == MPI_STATUS_IGNORE ? &own : status;
    int result = vef_mpi.Wait(request, own_or_given);
    vef_leave(&frame);
    vef_completion done;
    if (completes_one(result))
        put_completions(&frame, VEF_CALL_Wait,
                        complete(&frame, &done, &kept, request, result, own_or_given, false),
                        &done);
    else
        vef_count(&frame, VEF_CALL_Wait);
    let_go(&frame, kept);
    vef_done(&frame);
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Test(request, flag, status);
    vef_kept kept = keep(&frame, request);
    vef_release(&frame);
    MPI_Status own, *own_or_given = status == MPI_STATUS_IGNORE ? &own : status;
    int result = vef_mpi.Test(request, flag, own_or_given);
    vef_leave(&frame);
    vef_completion done;
    if (!completes_one(result))
        vef_count(&frame, VEF_CALL_Test);
    else if (result == MPI_SUCCESS && !*flag)
        vef_poll(&frame, VEF_CALL_Test, (uintptr_t)request);
    else
        put_completions(&frame, VEF_CALL_Test,
                        complete(&frame, &done, &kept, request, result, own_or_given, false),
                        &done);
    let_go(&frame, kept);
    vef_done(&frame);
    return result;
}

/* Leaves the request as it is: a Wait or Test completes it later. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Request_get_status(request, flag, status);
    vef_kept kept = keep(&frame, &request);
    vef_release(&frame);
    MPI_Status own, *own_or_given = status == MPI_STATUS_IGNORE ? &own : status;
    int result = vef_mpi.Request_get_status(request, flag, own_or_given);
    vef_leave(&frame);
    vef_completion seen;
    if (result != MPI_SUCCESS)
        vef_count(&frame, VEF_CALL_Request_get_status);
    else if (!*flag)
        vef_poll(&frame, VEF_CALL_Request_get_status, (uintptr_t)VEF_KEY(request));
    else
        put_completions(
            &frame, VEF_CALL_Request_get_status,
            fill_completion(&seen, find_kept(&frame, kept, &request), result, own_or_given), &seen);
    let_go(&frame, kept);
    vef_done(&frame);
    return result;
}

/* Writes the completion of all requests except those that an error left pending. */
static void put_all(vef_frame *frame, uint16_t call, int result, int count,
                    const MPI_Request *requests, arrays *taken, bool looks) {
    uint32_t done = 0;
    if (!completes(result) ||
        !vef_need_completions(frame->thread, (size_t)(count > 0 ? count : 0))) {
        vef_count(frame, call);
        return;
    }
    for (int i = 0; i < count; i++)
        if (result == MPI_SUCCESS || taken->statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            done +=
                complete(frame, &frame->thread->completions[done], &taken->kept[i], &requests[i],
                         error_in(result, &taken->statuses[i]), &taken->statuses[i], looks);
    put_completions(frame, call, done, frame->thread->completions);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses) {
    vef_frame frame;
    arrays taken;
    if (!vef_enter(&frame))
        return vef_mpi.Waitall(count, requests, statuses);
    bool held = take(&taken, &frame, count, requests, statuses);
    int result = vef_mpi.Waitall(count, requests, held ? taken.statuses : statuses);
    vef_leave(&frame);
    if (held)
        put_all(&frame, VEF_CALL_Waitall, result, count, requests, &taken, false);
    else
        vef_count(&frame, VEF_CALL_Waitall);
    give_back(&taken, &frame);
    vef_done(&frame);
    return result;
}

/* Those that look leave the requests as they are: a Wait or Test completes them later. */
#define TEST_ALL(name, constant, looks)                                                            \
    int MPI_##name(int count, constant MPI_Request requests[], int *flag, MPI_Status *statuses) {  \
        vef_frame frame;                                                                           \
        arrays taken;                                                                              \
        if (!vef_enter(&frame))                                                                    \
            return vef_mpi.name(count, requests, flag, statuses);                                  \
        bool held = take(&taken, &frame, count, requests, statuses);                               \
        int result = vef_mpi.name(count, requests, flag, held ? taken.statuses : statuses);        \
        vef_leave(&frame);                                                                         \
        if (!held)                                                                                 \
            vef_count(&frame, VEF_CALL_##name);                                                    \
        else if (result == MPI_SUCCESS && !*flag)                                                  \
            vef_poll(&frame, VEF_CALL_##name, (uintptr_t)requests + (uintptr_t)count);             \
        else                                                                                       \
            put_all(&frame, VEF_CALL_##name, result, count, requests, &taken, looks);              \
        give_back(&taken, &frame);                                                                 \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }

TEST_ALL(Testall, , false);
TEST_ALL(Request_get_status_all, const, true);

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    vef_frame frame;
    arrays taken;
    MPI_Status own, *own_or_given = status == MPI_STATUS_IGNORE ? &own : status;
    if (!vef_enter(&frame))
        return vef_mpi.Waitany(count, requests, index, status);
    bool held = take(&taken, &frame, count, requests, MPI_STATUSES_IGNORE);
    int result = vef_mpi.Waitany(count, requests, index, own_or_given);
    vef_leave(&frame);
    vef_completion done;
    uint32_t found = 0;
    if (held && completes_one(result) && *index != MPI_UNDEFINED)
        found = complete(&frame, &done, &taken.kept[*index], &requests[*index], result,
                         own_or_given, false);
    if (held && completes_one(result))
        put_completions(&frame, VEF_CALL_Waitany, found, &done);
    else
        vef_count(&frame, VEF_CALL_Waitany);
    give_back(&taken, &frame);
    vef_done(&frame);
    return result;
}

#define TEST_ANY(name, constant, looks)                                                            \
    int MPI_##name(int count, constant MPI_Request requests[], int *index, int *flag,              \
                   MPI_Status *status) {                                                           \
        vef_frame frame;                                                                           \
        arrays taken;                                                                              \
        MPI_Status own, *own_or_given = status == MPI_STATUS_IGNORE ? &own : status;               \
        if (!vef_enter(&frame))                                                                    \
            return vef_mpi.name(count, requests, index, flag, status);                             \
        bool held = take(&taken, &frame, count, requests, MPI_STATUSES_IGNORE);                    \
        int result = vef_mpi.name(count, requests, index, flag, own_or_given);                     \
        vef_leave(&frame);                                                                         \
        vef_completion done;                                                                       \
        uint32_t found = 0;                                                                        \
        if (!held || !completes_one(result)) {                                                     \
            vef_count(&frame, VEF_CALL_##name);                                                    \
        } else if (result == MPI_SUCCESS && !*flag) {                                              \
            vef_poll(&frame, VEF_CALL_##name, (uintptr_t)requests + (uintptr_t)count);             \
        } else {                                                                                   \
            if (*index != MPI_UNDEFINED)                                                           \
                found = complete(&frame, &done, &taken.kept[*index], &requests[*index], result,    \
                                 own_or_given, looks);                                             \
            put_completions(&frame, VEF_CALL_##name, found, &done);                                \
        }                                                                                          \
        give_back(&taken, &frame);                                                                 \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }

TEST_ANY(Testany, , false);
TEST_ANY(Request_get_status_any, const, true);

/* Writes the requests in `indices`; `outcount` MPI_UNDEFINED: none was active. */
static void put_some(vef_frame *frame, uint16_t call, int result, const MPI_Request *requests,
                     int outcount, const int *indices, arrays *taken, bool looks) {
    uint32_t done = 0;
    size_t length = outcount == MPI_UNDEFINED || outcount < 0 ? 0 : (size_t)outcount;
    if (!completes(result) || !vef_need_completions(frame->thread, length)) {
        vef_count(frame, call);
        return;
    }
    for (size_t i = 0; i < length; i++)
        done += complete(frame, &frame->thread->completions[done], &taken->kept[indices[i]],
                         &requests[indices[i]], error_in(result, &taken->statuses[i]),
                         &taken->statuses[i], looks);
    put_completions(frame, call, done, frame->thread->completions);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status *statuses) {
    vef_frame frame;
    arrays taken;
    if (!vef_enter(&frame))
        return vef_mpi.Waitsome(count, requests, outcount, indices, statuses);
    bool held = take(&taken, &frame, count, requests, statuses);
    int result =
        vef_mpi.Waitsome(count, requests, outcount, indices, held ? taken.statuses : statuses);
    vef_leave(&frame);
    if (held)
        put_some(&frame, VEF_CALL_Waitsome, result, requests, *outcount, indices, &taken, false);
    else
        vef_count(&frame, VEF_CALL_Waitsome);
    give_back(&taken, &frame);
    vef_done(&frame);
    return result;
}

#define TEST_SOME(name, constant, looks)                                                           \
    int MPI_##name(int count, constant MPI_Request requests[], int *outcount, int indices[],       \
                   MPI_Status *statuses) {                                                         \
        vef_frame frame;                                                                           \
        arrays taken;                                                                              \
        if (!vef_enter(&frame))                                                                    \
            return vef_mpi.name(count, requests, outcount, indices, statuses);                     \
        bool held = take(&taken, &frame, count, requests, statuses);                               \
        int result =                                                                               \
            vef_mpi.name(count, requests, outcount, indices, held ? taken.statuses : statuses);    \
        vef_leave(&frame);                                                                         \
        if (!held)                                                                                 \
            vef_count(&frame, VEF_CALL_##name);                                                    \
        else if (result == MPI_SUCCESS && *outcount == 0)                                          \
            vef_poll(&frame, VEF_CALL_##name, (uintptr_t)requests + (uintptr_t)count);             \
        else                                                                                       \
            put_some(&frame, VEF_CALL_##name, result, requests, *outcount, indices, &taken,        \
                     looks);                                                                       \
        give_back(&taken, &frame);                                                                 \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }

TEST_SOME(Testsome, , false);
TEST_SOME(Request_get_status_some, const, true);

/* The event lists an active request as completed, without its sender. */
int MPI_Request_free(MPI_Request *request) {
    vef_frame frame;
    if (!vef_enter(&frame))
        return vef_mpi.Request_free(request);
    vef_kept kept = keep(&frame, request);
    vef_release(&frame);
    int result = vef_mpi.Request_free(request);
    vef_leave(&frame);
    vef_request *freed = result == MPI_SUCCESS ? find_kept(&frame, kept, request) : NULL;
    if (freed == NULL) {
        let_go(&frame, kept);
        vef_count(&frame, VEF_CALL_Request_free);
    } else {
        vef_completion done = {.request = freed->number, .source = VEF_NO_TASK};
        uint32_t found = freed->active;
        vef_requests_remove(&vef_hold(&frame)->requests, freed);
        put_completions(&frame, VEF_CALL_Request_free, found, &done);
    }
    vef_done(&frame);
    return result;
}
