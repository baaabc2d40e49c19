/* MPI's declarations with default visibility (the file is named so that with -I of this folder
 * <mpi.h> is still MPI's): every MPI function that capture/ defines interposes the program's calls.
 * Everything else is hidden (-fvisibility=hidden). And what differs among MPI libraries.
 *
 * The names after the PMPI interface of MPI 4.0, chapter 15.2. Both names of a call are interposed:
 * Fortran interfaces call PMPI_ names directly, and a profiling layer linked into the program does
 * likewise. */
#ifndef VEF_CAPTURE_MPI_HEADER_H
#define VEF_CAPTURE_MPI_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
/* Programs may call deprecated functions. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <mpi.h>
/* The calls of traces/calls.def that this mpi.h does not declare, as functions with unspecified
 * parameters (capture/libraries/undeclared_calls.sh): a newer release of the library may have them.
 */
#include <undeclared_calls.h>
#pragma GCC visibility pop

#ifdef OPEN_MPI
#include "capture/libraries/openmpi_handles.h"
#else
#include "capture/libraries/mpich_handles.h"
#endif

#endif
