/* Open MPI: handles are pointers. Releases 3 to 5 share the layout of statuses and the names of
 * predefined objects (libmpi.so.40). The library is compiled with any of their headers. */
#ifndef VEF_CAPTURE_LIBRARIES_OPENMPI_HANDLES_H
#define VEF_CAPTURE_LIBRARIES_OPENMPI_HANDLES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#if MPI_VERSION < 4
/* Types of MPI 4.0: only named in parameters of wrappers. */
typedef struct vef_session *MPI_Session;
typedef void MPI_Session_errhandler_function(MPI_Session *, int *, ...);
typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);
typedef int MPI_Datarep_conversion_function_c(void *, MPI_Datatype, MPI_Count, void *, MPI_Offset,
                                              void *);
#endif

/* Of the tasks on a host and of the job, in the environment that the library's own launcher sets.
 */
#define VEF_MPI_TITLE "Open MPI"
#define VEF_LOCAL_SIZE_VARIABLES "OMPI_COMM_WORLD_LOCAL_SIZE"
#define VEF_JOB_VARIABLE "PMIX_NAMESPACE"

/* A handle as the key of a map. */
#define VEF_KEY(handle) ((uint64_t)(uintptr_t)(handle))

static inline bool vef_is_predefined(MPI_Op op) {
    (void)op; /* the library is asked */
    return false;
}

/* Fields of a status; the tests compare them with known sizes. */
static inline uint64_t vef_status_bytes(const MPI_Status *status) {
    return status->_ucount;
}
static inline bool vef_status_cancelled(const MPI_Status *status) {
    return status->_cancelled != 0;
}

#endif
