/* Where calls of MPI come from: entries through which references lead to the functions that replace
 * them. An entry notes the return address of the call, then jumps to its function with the
 * registers, the stack and the return address as they were. So the functions need not find out, and
 * without `vef capture --sites` nothing is different.
 *
 * A program in Fortran calls functions of a binding (libmpichfort, libmpi_mpifh), which call MPI.
 * Its references to those have entries too, and the references of the binding have none: so the
 * address is that of the program's call. */
#ifndef VEF_CAPTURE_PRELOAD_CALLERS_H
#define VEF_CAPTURE_PRELOAD_CALLERS_H

#include "capture/preload/objects.h"

/* The return address of this thread's latest call through an entry. */
extern _Thread_local const void *vef_caller
    __attribute__((visibility("default"), tls_model("initial-exec")));

/* The entry of a function, a new one if it has none; NULL: all are in use. During a visit. */
void *vef_callers_entry(void *function);

/* Whether an object is a binding of MPI for Fortran, and not the program itself. */
bool vef_callers_is_binding(const vef_objects *objects, const vef_object *object);
/* Whether a name may be that of a call in a binding: mpi_send_, MPI_SEND, mpi_send_f08_, … */
bool vef_callers_is_name(const char *name);

#endif
