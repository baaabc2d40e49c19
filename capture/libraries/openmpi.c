/* Functions of Open MPI that are replaced.
 *
 * All waiting loops of Open MPI call opal_progress, which yields if it made no progress and the
 * setting mpi_yield_when_idle is on, also in non-blocking calls. If idle tasks are to yield, this
 * library sets it before each poll. (opal/runtime/opal_progress.c.) */
#include "capture/hooks.h"
#include "capture/recorder.h"
#include "capture/yield.h"

static bool (*set_yield)(bool); /* NULL: leave Open MPI's setting alone */
static int (*original_progress)(void);

static int progress(void) {
    bool yields = vef_polls();
    if (set_yield != NULL)
        set_yield(yields);
    return original_progress(); /* nothing, before release 5 */
}

static const vef_hook hooks[] = {VEF_HOOK("opal_progress", progress, &original_progress)};
const vef_hook_table vef_openmpi_hooks = VEF_HOOK_TABLE(hooks);

void vef_library_began(void) {
    if (vef_yields())
        vef_preload_find(&(vef_wanted){"opal_progress_set_yield_when_idle", &set_yield}, 1);
}
