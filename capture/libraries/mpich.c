/* Functions of MPICH and its libraries that are replaced. */
#include "capture/hooks.h"
#include "capture/recorder.h"
#include "capture/yield.h"

#include <sched.h>

/* MPICH's ch4:ucx device polls by this function, without ever yielding. */
static unsigned (*original_progress)(void *);

static unsigned progress(void *worker) {
    bool yields = vef_polls();
    unsigned done = original_progress(worker);
    if (yields && done == 0)
        sched_yield();
    return done;
}

static const vef_hook hooks[] = {VEF_HOOK("ucp_worker_progress", progress, &original_progress)};
const vef_hook_table vef_mpich_hooks = VEF_HOOK_TABLE(hooks);
