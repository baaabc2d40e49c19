/* What the standard ABI leaves to functions: the inside of a status. */
#include "capture/real.h"

#ifdef VEF_STANDARD_ABI

uint64_t vef_status_bytes(const MPI_Status *status) {
    MPI_Count bytes = 0;
    return vef_mpi.Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0
               ? (uint64_t)bytes
               : 0;
}

bool vef_status_cancelled(const MPI_Status *status) {
    int cancelled = 0;
    return vef_mpi.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled != 0;
}

#endif
