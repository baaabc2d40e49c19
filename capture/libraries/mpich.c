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

static const vef_hook hooks[] = {VEF_HOOK("ucp_worker_progress", progress, &original_progress)};
const vef_hook_table vef_mpich_hooks = VEF_HOOK_TABLE(hooks);
