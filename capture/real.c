/* Finding the MPI library's own functions: see real.h. By the names of the profiling interface, so
 * that what capture asks of MPI does not pass through wrappers of other tools. */
#include "capture/real.h"

#include "capture/preload/preload.h"

vef_real vef_mpi;

static const vef_wanted wanted[] = {
#define CALL(number, name, ...) {"MPI_" #name, &vef_mpi.name},
#define REGION(number, name)
#include "traces/calls.def"
#undef CALL
#undef REGION
#define ROW(name) {"PMPI_" #name, &vef_mpi.name},
    VEF_HELPERS(ROW)
#undef ROW
};

void vef_real_resolve(void) {
    vef_preload_find(wanted, sizeof wanted / sizeof *wanted);
}
