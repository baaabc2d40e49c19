/* Functions of MPICH and its libraries that are interposed. */
#include "capture/real.h"
#include "capture/recorder.h"
#include "capture/yield.h"

#include <sched.h>

/* MPICH's ch4:ucx device polls by this function, without ever yielding. */
unsigned ucp_worker_progress(void *worker) __attribute__((visibility("default")));
unsigned ucp_worker_progress(void *worker) {
    static unsigned (*real)(void *);
    if (real == NULL)
        vef_real_find("ucp_worker_progress", &real);
    bool yields = vef_polls();
    unsigned done = real(worker);
    if (yields && done == 0)
        sched_yield();
    return done;
}

/* MPICH calls this whenever a call fails, and under MPI_ERRORS_ARE_FATAL never returns: its
 * launcher kills all tasks before exit handlers could run. So the buffers are written now.
 */
int MPIR_Err_return_comm(void *comm, const char *function, int code)
    __attribute__((visibility("default")));
int MPIR_Err_return_comm(void *comm, const char *function, int code) {
    static int (*real)(void *, const char *, int);
    vef_flush_inside();
    if (real == NULL)
        vef_real_find("MPIR_Err_return_comm", &real);
    return real != NULL ? real(comm, function, code) : code;
}

void vef_library_began(void) {
}
