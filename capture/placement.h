/* Tasks and cores of the host, to detect oversubscription. */
#ifndef VEF_CAPTURE_PLACEMENT_H
#define VEF_CAPTURE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Number of tasks of the run on this host according to the environment of the library's
 * launcher (Hydra: MPI_LOCALNRANKS, mpirun: OMPI_COMM_WORLD_LOCAL_SIZE) or of Slurm; 0 if not set.
 */
unsigned vef_tasks_by_environment(void);

/* The same from MPI, which must be initialised: collective over the world. */
unsigned vef_tasks_by_mpi(void);

/* Whether a launcher of another MPI library started several tasks, each of which is alone in its
 * world of `size` tasks; `why` is a line after the program's name. */
bool vef_started_otherwise(int size, char *why, size_t bytes);

/* Number of threads with which this task will compute, as far as known at its start: existing ones,
 * or those that OpenMP would create for a parallel region. At least 1. */
unsigned vef_expected_threads(void);

/* Number of cores available to the tasks on this host: those of this process, or of its parent if
 * more, since a launcher may bind each task to a core. */
unsigned vef_usable_cores(void);

#endif
