/* Calls that traces do not hold: only counted. One wrapper per COUNTED row of traces/calls.def,
 * made from its parameters and arguments; a new row needs nothing here.
 *
 * Computation before such a call counts as computation before the next one that is recorded; the
 * time inside it counts as none. What MPICH calls while one is under way is not the program's. */
#include "capture/recorder.h"

static bool enter(vef_frame *frame, const void *caller) {
    if (!vef_enter(frame, caller))
        return false;
    frame->thread->counting++;
    return true;
}

static void leave(vef_frame *frame, uint16_t call) {
    frame->thread->counting--;
    vef_leave(frame);
    vef_count(frame, call);
    vef_done(frame);
}

#define COUNT_CALL(name, parameters, arguments)                                                    \
    int MPI_##name parameters {                                                                    \
        vef_frame frame;                                                                           \
        if (!enter(&frame, VEF_CALLER))                                                            \
            return vef_mpi.name arguments;                                                         \
        int result = vef_mpi.name arguments;                                                       \
        leave(&frame, VEF_CALL_##name);                                                            \
        return result;                                                                             \
    }                                                                                              \
    VEF_ALSO_PMPI(name);

#define CALL_LOCAL(...)
#define CALL_TRANSFER(...)
#define CALL_COMPLETE(...)
#define CALL_PROBE(...)
#define CALL_COLLECTIVE(...)
#define CALL_COMM(...)
#define CALL_ONE_SIDED(...)
#define CALL_SYNC(...)
#define CALL_AS(...)
#define CALL_COUNTED(name, ...) COUNT_CALL(name, __VA_ARGS__)

#define CALL(number, name, kind, ...) CALL_##kind(name, __VA_ARGS__)
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION

#define PENDING COUNT_CALL
#include "capture/pending.def"
#undef PENDING
