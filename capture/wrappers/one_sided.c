/* Wrappers of one-sided operations; see recorder.h. Bytes are those of the origin, since MPI
 * requires the target's type signature to match. */
#include "capture/windows.h"

/* `request`: NULL unless the call starts one. Nothing is matched with these operations: a muted
 * one leaves no event, and its request completes without one. */
static void put_operation(vef_frame *frame, uint16_t call, int result, MPI_Win win, int target,
                          uint64_t bytes, const MPI_Request *request) {
    const vef_window *window = vef_find_window(frame, win);
    if (result != MPI_SUCCESS || window == NULL) {
        vef_count(frame, call);
        return;
    }
    if (vef_is_muted(frame, call)) {
        vef_skip(frame, call);
        return;
    }
    vef_operation operation = {.peer = vef_peer_of(target),
                               .comm = window->number,
                               .bytes = bytes,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = VEF_NO_REQUEST};
    if (request != NULL) {
        const vef_request *made =
            vef_requests_add(&vef_hold(frame)->requests, *request, request, false, false);
        if (made == NULL) {
            vef_count(frame, call);
            return;
        }
        operation.request = made->number;
    }
    vef_event event = {.call = call, .root = -1, .operation_count = 1, .operations = &operation};
    vef_put(frame, &event);
}

#define WRAPPER(name, call, parameters, arguments, bytes, request)                                 \
    VEF_WRAPPER(name, parameters, arguments,                                                       \
                put_operation(&frame, VEF_CALL_##call, result, win, target, bytes, request));

WRAPPER(Fetch_and_op, Fetch_and_op,
        (const void *origin, void *result_here, MPI_Datatype type, int target, MPI_Aint place,
         MPI_Op op, MPI_Win win),
        (origin, result_here, type, target, place, op, win), vef_bytes_of(1, type), NULL)
WRAPPER(Compare_and_swap, Compare_and_swap,
        (const void *origin, const void *compared, void *result_here, MPI_Datatype type, int target,
         MPI_Aint place, MPI_Win win),
        (origin, compared, result_here, type, target, place, win), vef_bytes_of(1, type), NULL)

#define COUNT int
#define ONE_SIDED(name, parameters, arguments, bytes, request)                                     \
    WRAPPER(name, name, parameters, arguments, bytes, request)
#include "capture/wrappers/one_sided.def"
#undef COUNT
#undef ONE_SIDED

#define COUNT MPI_Count
#define ONE_SIDED(name, parameters, arguments, bytes, request)                                     \
    WRAPPER(name##_c, name, parameters, arguments, bytes, request)
#include "capture/wrappers/one_sided.def"
