/* MPICH, and the libraries that share its ABI (Intel MPI, Cray MPICH, MVAPICH): handles are numbers
 * of 32 bits, and logs have its special ranks and assertions. The MPICH ABI compatibility
 * initiative fixes the layout of statuses and the handles of predefined objects. */
#ifndef VEF_CAPTURE_LIBRARIES_MPICH_HANDLES_H
#define VEF_CAPTURE_LIBRARIES_MPICH_HANDLES_H

#include "traces/event.h"

#include <assert.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

static_assert(MPI_PROC_NULL == VEF_NO_TASK && MPI_ANY_SOURCE == VEF_ANY_SOURCE &&
                  MPI_ANY_TAG == VEF_ANY_TAG && MPI_ROOT == VEF_ROOT_HERE,
              "a log's special ranks and tags are MPICH's");

/* Of the tasks on a host and of the job, in the environment that the library's own launcher sets; a
 * job's NULL: from elsewhere (job.c). */
#define VEF_MPI_TITLE "MPICH"
#define VEF_LOCAL_SIZE_VARIABLE "MPI_LOCALNRANKS"
#define VEF_JOB_VARIABLE NULL

/* A handle as the key of a map. */
#define VEF_KEY(handle) ((uint64_t)(uint32_t)(handle))

/* A rank in a log, of a rank that may be MPI_PROC_NULL or MPI_ANY_SOURCE; and an assertion. */
static inline int vef_peer_of(int rank) {
    return rank;
}
static inline int vef_assertion_of(int assertion) {
    return assertion;
}

/* Whether several live requests may have this handle: it is builtin (the two uppermost bits of a
 * handle are its kind; 01 is builtin). */
static inline bool vef_is_shared(MPI_Request handle) {
    return (uint32_t)handle >> 30 == 1;
}

/* The upper six bits of a handle are equal for all named types, and for all predefined operations.
 */
static inline bool vef_is_like(int handle, int named) {
    return ((uint32_t)handle ^ (uint32_t)named) >> 26 == 0;
}
static inline bool vef_is_predefined(MPI_Op op) {
    return vef_is_like(op, MPI_SUM);
}

/* The handle of a named type encodes its size (bits 8 to 15): checked for the library of the
 * program when recording begins. */
static inline bool vef_handle_has_size(MPI_Datatype type) {
    return vef_is_like(type, MPI_BYTE);
}
static inline uint64_t vef_size_in_handle(MPI_Datatype type) {
    return (uint32_t)type >> 8 & 0xff;
}

/* Fields of a status; the tests compare them with known sizes. */
static inline uint64_t vef_status_bytes(const MPI_Status *status) {
    return (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 |
           (uint32_t)status->count_lo;
}
static inline bool vef_status_cancelled(const MPI_Status *status) {
    return (status->count_hi_and_cancelled & 1) != 0;
}

#endif
