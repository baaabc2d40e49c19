/* Calls that traces do not hold: only counted. One wrapper per COUNTED row of traces/calls.def,
 * made from its parameters and arguments; a new row needs nothing here.
 *
 * Computation before such a call counts as computation before the next one that is recorded; the
 * time inside it counts as none. That is wall time where the call may block, and otherwise by the
 * clock of computation: waiting for a core is no part of it. What is called while a call on a file
 * is under way is not the program's: MPICH's file layer calls MPI by its public names. Inside the
 * others, callbacks of the program may call MPI (attributes that free a communicator), and are
 * recorded. */
#include "capture/recorder.h"

#include <string.h>

/* Where this library's own code lies. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* MPICH makes some calls of MPI-1 out of those that replaced them (MPI_Keyval_free jumps to
 * MPI_Comm_free_keyval), which then return into the wrapper of the first. */
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
    vef_leave_at(frame, true); /* whatever times are wanted: it is time outside */
    if (!blocks)
        vef_only_computed(frame);
    vef_count(frame, call);
    vef_done(frame);
}

/* A call on a file: its name tells. */
#define CLOSED(name) (strncmp(#name, "File_", 5) == 0)

/* (Some have a parameter called `result`.) */
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
