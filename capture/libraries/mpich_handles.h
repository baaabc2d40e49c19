/* MPICH, and the libraries that share its ABI (Intel MPI, Cray MPICH, MVAPICH): handles are numbers
 * of 32 bits, and logs have its special ranks and assertions. The MPICH ABI compatibility
 * initiative fixes the layout of statuses and the handles of predefined objects. */
#ifndef VEF_CAPTURE_LIBRARIES_MPICH_HANDLES_H
#define VEF_CAPTURE_LIBRARIES_MPICH_HANDLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the tasks on a host and of the job, in the environment that the library's own launcher sets; a
 * job's NULL: from elsewhere (job.c). */
#define VEF_MPI_TITLE "MPICH"
#define VEF_LOCAL_SIZE_VARIABLES "MPI_LOCALNRANKS"
#define VEF_JOB_VARIABLE NULL

/* A handle as the key of a map. */
#define VEF_KEY(handle) ((uint64_t)(uint32_t)(handle))

/* The upper six bits of a handle are equal for all named types, and for all predefined operations.
 */
static inline bool vef_is_like(int handle, int named) {
    return ((uint32_t)handle ^ (uint32_t)named) >> 26 == 0;
}
static inline bool vef_is_predefined(MPI_Op op) {
    return vef_is_like(op, MPI_SUM);
}

/* The handle of a named type encodes its size (bits 8 to 15): checked for the library of the
 * program, with types of every size, when recording begins. */
#define VEF_TYPES_TO_CHECK                                                                         \
    MPI_BYTE, MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE,        \
        MPI_INT8_T, MPI_UINT16_T, MPI_INT32_T, MPI_AINT, MPI_OFFSET, MPI_COUNT,                    \
        MPI_C_DOUBLE_COMPLEX, MPI_LONG_DOUBLE, MPI_C_BOOL, MPI_PACKED, MPI_LOGICAL, MPI_INTEGER,   \
        MPI_REAL, MPI_2INT, MPI_COMPLEX, MPI_WCHAR, MPI_DOUBLE_PRECISION
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
