/* Functions of Open MPI that are replaced.
 *
 * All waiting loops of Open MPI call opal_progress. Release 4 does not return whether that made
 * progress, but calls sched_yield from it if there was none and its setting mpi_yield_when_idle is
 * on, which this library switches on if idle tasks are to yield. (opal_progress of
 * opal/runtime/opal_progress.c.) */
#include "capture/hooks.h"
#include "capture/recorder.h"
#include "capture/yield.h"

static _Thread_local struct { bool polling, idle; } here __attribute__((tls_model("initial-exec")));

static int (*original_progress)(void);
static int (*original_yield)(void);

static int progress(void) {
    const bool outermost = !here.polling;
    here.polling = true;
    here.idle = false;
    int done = original_progress(); /* nothing, before release 5 */
    if (outermost) {
        here.polling = false;
        vef_polled(vef_yields() && !here.idle);
    }
    return done;
}

static int yield(void) {
    if (vef_yields() && here.polling) {
        here.idle = true; /* vef_polled yields */
        return 0;
    }
    return original_yield();
}

static const vef_hook hooks[] = {VEF_HOOK("opal_progress", progress, &original_progress),
                                 VEF_HOOK("sched_yield", yield, &original_yield)};
const vef_hook_table vef_openmpi_hooks = VEF_HOOK_TABLE(hooks);

void vef_library_began(void) {
    bool (*yield_when_idle)(bool);
    vef_preload_find(&(vef_wanted){"opal_progress_set_yield_when_idle", &yield_when_idle}, 1);
    if (yield_when_idle != NULL && vef_yields())
        yield_when_idle(true);
}
