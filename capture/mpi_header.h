/* MPI's declarations (the file is named so that with -I of this folder <mpi.h> is still MPI's), and
 * what differs among MPI libraries. The functions of these names that capture/ defines replace
 * MPI's (hooks.c); capture.map keeps them from being found by their names. */
#ifndef VEF_CAPTURE_MPI_HEADER_H
#define VEF_CAPTURE_MPI_HEADER_H

#include "traces/event.h"

#include <stdbool.h>
#include <stdint.h>

/* Programs may call deprecated functions. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <mpi.h>
/* The calls of traces/calls.def that this mpi.h does not declare, as functions with unspecified
 * parameters (capture/libraries/undeclared_calls.sh): a newer release of the library may have them.
 */
#include <undeclared_calls.h>

#ifdef VEF_STANDARD_ABI
#include "capture/libraries/abi_handles.h"
#elif defined(OPEN_MPI)
#include "capture/libraries/openmpi_handles.h"
#else
#include "capture/libraries/mpich_handles.h"
#endif

#ifndef VEF_TYPES_TO_CHECK /* handles do not encode sizes: the library is asked */
#define VEF_TYPES_TO_CHECK MPI_BYTE
#define vef_handle_has_size(type) ((void)(type), false)
#define vef_size_in_handle(type) ((void)(type), UINT64_C(0))
#endif

/* A rank in a log, of a rank that may be MPI_PROC_NULL or MPI_ANY_SOURCE; a tag that may be
 * MPI_ANY_TAG; a level of threads, from 0; and an assertion, as MPICH's bits. */
static inline int vef_peer_of(int rank) {
    return rank == MPI_PROC_NULL ? VEF_NO_TASK : rank == MPI_ANY_SOURCE ? VEF_ANY_SOURCE : rank;
}
static inline int vef_tag_of(int tag) {
    return tag == MPI_ANY_TAG ? VEF_ANY_TAG : tag;
}
static inline int vef_level_of(int level) {
    return (level >= MPI_THREAD_FUNNELED) + (level >= MPI_THREAD_SERIALIZED) +
           (level >= MPI_THREAD_MULTIPLE);
}
static inline int vef_assertion_of(int assertion) {
    enum { NO_CHECK = 1024, NO_STORE = 2048, NO_PUT = 4096, NO_PRECEDE = 8192, NO_SUCCEED = 16384 };
    return (assertion & MPI_MODE_NOCHECK ? NO_CHECK : 0) |
           (assertion & MPI_MODE_NOSTORE ? NO_STORE : 0) |
           (assertion & MPI_MODE_NOPUT ? NO_PUT : 0) |
           (assertion & MPI_MODE_NOPRECEDE ? NO_PRECEDE : 0) |
           (assertion & MPI_MODE_NOSUCCEED ? NO_SUCCEED : 0);
}

#endif
