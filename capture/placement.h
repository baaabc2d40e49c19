/* How crowded the host is: the tasks that run on it, and the cores that they may use. */
#ifndef VEF_CAPTURE_PLACEMENT_H
#define VEF_CAPTURE_PLACEMENT_H

#include <stdbool.h>

/* Tasks of the run on this host as the launcher tells in the environment (Hydra: MPI_LOCALNRANKS);
 * 0 when it does not. */
unsigned vef_tasks_by_environment(void);

/* The same by asking MPI, which must be initialised: every task of the world has to call. */
unsigned vef_tasks_by_mpi(void);

/* Threads that this task will compute with, as far as is known when it begins: those that it has
 * made, or that OpenMP would make for a parallel region. 1 at least. */
unsigned vef_expected_threads(void);

/* Cores that this host gives the tasks: those of this process, or of the one that started it when
 * those are more, since a launcher may bind each task to a core of its own. */
unsigned vef_usable_cores(void);

#endif
