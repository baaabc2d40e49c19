/* MPI's declarations with default visibility (the file is named so that with -I of this folder
 * <mpi.h> is still MPI's): every MPI function that capture/ defines interposes the program's calls
 * once the library is preloaded. Everything else is hidden (-fvisibility=hidden).
 *
 * The name after the PMPI interface of MPI 4.0, chapter 15.2. Both names of a call are interposed:
 * MPICH's Fortran 2008 interface calls PMPI_ names directly, and a profiling layer linked into the
 * program does likewise. */
#ifndef VEF_CAPTURE_MPICH_H
#define VEF_CAPTURE_MPICH_H

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

/* After the definition of MPI_<name>: also defines the name PMPI_<name>. */
#define VEF_ALSO_PMPI(name)                                                                        \
    VEF_ALSO_PMPI_OF(name) /* if `name` is a macro, its expansion                                  \
                            */
#define VEF_ALSO_PMPI_OF(name)                                                                     \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)))

#endif
