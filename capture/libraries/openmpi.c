/* Functions of Open MPI that are interposed, and its shared request.
 *
 * All waiting loops of Open MPI call opal_progress. Release 4 does not return whether that made
 * progress, but calls sched_yield from it if there was none and its setting mpi_yield_when_idle is
 * on, which this library switches on if idle tasks are to yield. (opal_progress of
 * opal/runtime/opal_progress.c.) */
#include "capture/real.h"
#include "capture/recorder.h"
#include "capture/yield.h"

MPI_Request vef_empty_request;

static _Thread_local struct { bool polling, idle; } here __attribute__((tls_model("initial-exec")));

int opal_progress(void) __attribute__((visibility("default")));
int opal_progress(void) {
    static int (*real)(void);
    if (real == NULL)
        vef_real_find("opal_progress", &real);
    const bool outermost = !here.polling;
    here.polling = true;
    here.idle = false;
    int done = real(); /* nothing, before release 5 */
    if (outermost) {
        here.polling = false;
        vef_polled(vef_yields() && !here.idle);
    }
    return done;
}

int sched_yield(void) __attribute__((visibility("default")));
int sched_yield(void) {
    static int (*real)(void);
    if (vef_yields() && here.polling) {
        here.idle = true; /* vef_polled yields */
        return 0;
    }
    if (real == NULL)
        vef_real_find("sched_yield", &real);
    return real();
}

void vef_library_began(void) {
    bool (*yield_when_idle)(bool);
    vef_real_find("ompi_request_empty", &vef_empty_request);
    vef_real_find("opal_progress_set_yield_when_idle", &yield_when_idle);
    if (yield_when_idle != NULL && vef_yields())
        yield_when_idle(true);
}
