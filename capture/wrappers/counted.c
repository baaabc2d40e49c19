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

/* Bounds of this library's code. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* MPICH implements some deprecated functions by their successors (MPI_Keyval_free jumps to
 * MPI_Comm_free_keyval), which then return into the wrapper of the former. */
static bool is_own(const void *caller) {
    return (uintptr_t)caller - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}

static bool enter(vef_frame *frame, bool closed, const char *name, size_t bytes,
                  const void *caller) {
    bytes = bytes < VEF_CALL_NAME_BYTES ? bytes : VEF_CALL_NAME_BYTES - 1;
    if (is_own(caller) || !vef_enter_as(frame, name, bytes, caller))
        return false;
    frame->thread->counting += closed;
    return true;
}

static void leave(vef_frame *frame, uint16_t call, bool closed, bool blocks) {
    frame->thread->counting -= closed;
    vef_leave_at(frame, true); /* always: it is time outside */
    if (!blocks)
        vef_only_computed(frame);
    vef_count(frame, call);
    vef_done(frame);
}

/* File calls, by name. */
#define CLOSED(name) (strncmp(#name, "File_", 5) == 0)

/* Not `result`: some calls have a parameter of that name. */
#define COUNT_CALL(name, way, parameters, arguments)                                               \
    int MPI_##name parameters {                                                                    \
        vef_frame frame;                                                                           \
        if (!enter(&frame, CLOSED(name), __func__, sizeof __func__, VEF_CALLER))                   \
            return vef_mpi.name arguments;                                                         \
        int returned = vef_mpi.name arguments;                                                     \
        leave(&frame, VEF_CALL_##name, CLOSED(name), VEF_COUNTED_##way != VEF_COUNTED_LOCAL);      \
        return returned;                                                                           \
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
