/* Everything that a capture library replaces: the calls of traces/calls.def, and the functions in
 * the tables of other files. The preloaded library reads this table (preload/preload.h). */
#include "capture/hooks.h"

#include "capture/mpi_header.h"

static const vef_hook calls[] = {
#define CALL(number, name, ...) {"MPI_" #name, (void (*)(void))MPI_##name, NULL},
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
};
static const vef_hook_table call_hooks = {calls, sizeof calls / sizeof *calls};

const vef_hook_table *const vef_capture_hooks[VEF_CAPTURE_TABLES + 1] = {
    &call_hooks, &vef_thread_hooks, &vef_region_hooks, &vef_mpich_hooks, &vef_openmpi_hooks, NULL};
