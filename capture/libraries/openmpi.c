/* Functions of Open MPI that are interposed, and its shared request.
 *
 * All waiting loops of Open MPI call opal_progress, which yields if it made no progress and the
 * setting mpi_yield_when_idle is on, also in non-blocking calls. If idle tasks are to yield, this
 * library sets it before each poll. (opal/runtime/opal_progress.c.) */
#include "capture/real.h"
#include "capture/recorder.h"
#include "capture/yield.h"

MPI_Request vef_empty_request;

static bool (*set_yield)(bool); /* NULL: leave Open MPI's setting alone */

int opal_progress(void) __attribute__((visibility("default")));
int opal_progress(void) {
    static int (*real)(void);
    if (real == NULL)
        vef_real_find("opal_progress", &real);
    bool yields = vef_polls();
    if (set_yield != NULL)
        set_yield(yields);
    return real(); /* nothing, before release 5 */
}

/* Open MPI calls this when a call fails under MPI_ERRORS_ARE_FATAL: then its launcher kills all
 * tasks. So the buffers are written now. */
int ompi_mpi_abort(void *comm, int code) __attribute__((visibility("default")));
int ompi_mpi_abort(void *comm, int code) {
    static int (*real)(void *, int);
    vef_flush_inside();
    if (real == NULL)
        vef_real_find("ompi_mpi_abort", &real);
    return real != NULL ? real(comm, code) : code;
}

void vef_library_began(void) {
    vef_real_find("ompi_request_empty", &vef_empty_request);
    if (vef_yields())
        vef_real_find("opal_progress_set_yield_when_idle", &set_yield);
}
