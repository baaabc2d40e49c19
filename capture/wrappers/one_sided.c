/* Wrappers of one-sided operations; see recorder.h. Bytes are those of the origin, since MPI
 * requires the target's type signature to match. */
#include "capture/objects/windows.h"

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

VEF_WRAPPER(MPI_Fetch_and_op(const void *origin, void *result_here, MPI_Datatype type, int target,
                             MPI_Aint place, MPI_Op op, MPI_Win win),
            Fetch_and_op, (origin, result_here, type, target, place, op, win),
            put_operation(&frame, VEF_CALL_Fetch_and_op, result, win, target, vef_bytes_of(1, type),
                          NULL));
VEF_WRAPPER(MPI_Compare_and_swap(const void *origin, const void *compared, void *result_here,
                                 MPI_Datatype type, int target, MPI_Aint place, MPI_Win win),
            Compare_and_swap, (origin, compared, result_here, type, target, place, win),
            put_operation(&frame, VEF_CALL_Compare_and_swap, result, win, target,
                          vef_bytes_of(1, type), NULL));

#define ONE_SIDED(name, small, large, arguments, bytes)                                            \
    BOTH(small, large) {                                                                           \
        VEF_WRAP(NAME(name), arguments, ,                                                          \
                 put_operation(&frame, VEF_CALL_##name, result, win, target, bytes, NULL));        \
    }
#define STARTS(name, small, large, arguments, bytes)                                               \
    BOTH(small, large) {                                                                           \
        VEF_WRAP(NAME(name), (VEF_UNPACK arguments, request), ,                                    \
                 put_operation(&frame, VEF_CALL_##name, result, win, target, bytes, request));     \
    }

#define COUNT int
#define NAME(name) name
#define BOTH(small, large) int small
#include "capture/wrappers/one_sided.def"
#undef COUNT
#undef NAME
#undef BOTH

#define COUNT MPI_Count
#define NAME(name) name##_c
#define BOTH(small, large) int large
#include "capture/wrappers/one_sided.def"
