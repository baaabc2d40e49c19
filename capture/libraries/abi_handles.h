/* Every library with the standard ABI of MPI 5.0 (libmpi_abi.so): handles are pointers, and what is
 * not in the standard is asked of the library. */
#ifndef VEF_CAPTURE_LIBRARIES_ABI_HANDLES_H
#define VEF_CAPTURE_LIBRARIES_ABI_HANDLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the tasks on a host and of the job, in the environment that the launchers of MPICH and of Open
 * MPI set. */
#define VEF_MPI_TITLE "a library with the standard MPI ABI"
#define VEF_LOCAL_SIZE_VARIABLES "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"
#define VEF_JOB_VARIABLE "PMIX_NAMESPACE"

/* A handle as the key of a map. */
#define VEF_KEY(handle) ((uint64_t)(uintptr_t)(handle))

/* Predefined handles are below 4096. */
static inline bool vef_is_predefined(MPI_Op op) {
    return (uintptr_t)op < 4096;
}

/* Of statuses; the tests compare them with known sizes. */
uint64_t vef_status_bytes(const MPI_Status *status);
bool vef_status_cancelled(const MPI_Status *status);

#endif
