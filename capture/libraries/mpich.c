/* Functions of MPICH and its libraries that are replaced. */
#include "capture/hooks.h"
#include "capture/recorder.h"
#include "capture/yield.h"

/* MPICH's ch4:ucx device polls by this function, without ever yielding. */
static unsigned (*original_progress)(void *);

static unsigned progress(void *worker) {
    unsigned done = original_progress(worker);
    vef_polled(done > 0);
    return done;
}

/* MPICH calls this whenever a call fails, and under MPI_ERRORS_ARE_FATAL never returns: its
 * launcher kills all tasks before exit handlers could run. So the buffers are written now.
 */
static int (*original_failure)(void *, const char *, int);

static int failure(void *comm, const char *function, int code) {
    vef_flush_inside();
    return original_failure(comm, function, code);
}

static const vef_hook hooks[] = {
    VEF_HOOK("ucp_worker_progress", progress, &original_progress),
    VEF_HOOK("MPIR_Err_return_comm", failure, &original_failure),
};
const vef_hook_table vef_library_hooks = VEF_HOOK_TABLE(hooks);

void vef_library_began(void) {
}
