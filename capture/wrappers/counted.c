/* Wrappers of calls that are only counted: one per COUNTED row of traces/calls.def, generated from
 * its parameters and arguments.
 *
 * Computation before such a call is added to that before the next recorded call. Time inside it
 * is not computation: wall time for calls that may block, else by the clock of computation,
 * without waits for a core. Calls inside a file call are not the program's (MPICH's file layer
 * uses public names) and are ignored. Callbacks inside the others (attributes that free a
 * communicator) are recorded. */
#include "capture/recorder.h"

#include <string.h>

static void leave(vef_frame *frame, uint16_t call, bool blocks) {
    vef_leave_at(frame, true); /* always: it is time outside */
    if (!blocks)
        vef_only_computed(frame);
    vef_count(frame, call);
    vef_done(frame);
}

/* Not `result`: some calls have a parameter of that name. */
#define COUNT_CALL(name, way, parameters, arguments)                                               \
    int MPI_##name parameters {                                                                    \
        vef_frame frame;                                                                           \
        if (!vef_enter(&frame))                                                                    \
            return vef_mpi.name arguments;                                                         \
        int returned = vef_mpi.name arguments;                                                     \
        leave(&frame, VEF_CALL_##name, VEF_COUNTED_##way != VEF_COUNTED_LOCAL);                    \
        return returned;                                                                           \
    }

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
