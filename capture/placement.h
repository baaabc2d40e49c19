/* Tasks and cores of the host, to detect oversubscription. */
#ifndef VEF_CAPTURE_PLACEMENT_H
#define VEF_CAPTURE_PLACEMENT_H

#include <stdbool.h>

/* Number of tasks of the run on this host according to the launcher's environment (Hydra:
 * MPI_LOCALNRANKS); 0 if not set. */
unsigned vef_tasks_by_environment(void);

/* The same from MPI, which must be initialised: collective over the world. */
unsigned vef_tasks_by_mpi(void);

/* Number of threads with which this task will compute, as far as known at its start: existing ones,
 * or those that OpenMP would create for a parallel region. At least 1. */
unsigned vef_expected_threads(void);

/* Number of cores available to the tasks on this host: those of this process, or of its parent if
 * more, since a launcher may bind each task to a core. */
unsigned vef_usable_cores(void);

#endif
