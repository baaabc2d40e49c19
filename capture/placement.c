/* Tasks and cores of the host: see placement.h. */
#include "capture/placement.h"

#include "capture/clock/workers.h"
#include "capture/real.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Slurm's list of the tasks on each node of a step, "3(x2),1". */
static unsigned tasks_by_slurm(void) {
    const char *list = getenv("SLURM_STEP_TASKS_PER_NODE"), *node = getenv("SLURM_NODEID");
    if (list == NULL || node == NULL || getenv("SLURM_PROCID") == NULL)
        return 0;
    for (long before = strtol(node, NULL, 10); *list >= '0' && *list <= '9';) {
        char *end;
        long tasks = strtol(list, &end, 10), nodes = 1;
        if (strncmp(end, "(x", 2) == 0) {
            nodes = strtol(end + 2, &end, 10);
            end += *end == ')';
        }
        if (before < nodes)
            return tasks > 0 ? (unsigned)tasks : 0;
        before -= nodes;
        list = end + (*end == ',');
    }
    return 0;
}

unsigned vef_tasks_by_environment(void) {
    const char *names[] = {VEF_LOCAL_SIZE_VARIABLES, "PMI_LOCAL_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        long tasks = text != NULL ? strtol(text, NULL, 10) : 0;
        if (tasks > 0)
            return (unsigned)tasks;
    }
    return tasks_by_slurm();
}

bool vef_started_otherwise(int size, char *why, size_t bytes) {
    static const struct {
        const char *variable, *launcher;
    } launchers[] = {{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
                     {"PMI_SIZE", "Hydra's mpiexec"},
                     {"SLURM_STEP_NUM_TASKS", "srun"}};
    bool other = false;
    for (size_t i = 0; size == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *text = getenv(launchers[i].variable);
        long tasks = text != NULL ? strtol(text, NULL, 10) : 0;
        if (tasks == 1) /* alone indeed */
            return false;
        if (tasks > 1 && !other)
            snprintf(why, bytes,
                     "is linked with %s, for which each of the %ld tasks is alone (MPI_COMM_WORLD "
                     "has 1 task) when started by %s: expected the launcher of its MPI library, or "
                     "the option of srun for it (--mpi)\n",
                     VEF_MPI_TITLE, tasks, launchers[i].launcher);
        other |= tasks > 1;
    }
    return other;
}

unsigned vef_tasks_by_mpi(void) {
    MPI_Comm host = MPI_COMM_NULL;
    int size = 1;
    if (vef_mpi.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) !=
        MPI_SUCCESS)
        return 1;
    vef_mpi.Comm_size(host, &size);
    vef_mpi.Comm_free(&host);
    return (unsigned)size;
}

/* Weak rather than by dlsym, whose failure the program would find in dlerror. */
extern int omp_get_max_threads(void) __attribute__((weak));

unsigned vef_expected_threads(void) {
    int wanted = omp_get_max_threads != NULL ? omp_get_max_threads() : 1;
    unsigned made = vef_workers_most_threads();
    return wanted > (int)made ? (unsigned)wanted : made;
}

static unsigned cores_of(pid_t process) {
    cpu_set_t cores;
    return sched_getaffinity(process, sizeof cores, &cores) == 0 ? (unsigned)CPU_COUNT(&cores) : 0;
}

unsigned vef_usable_cores(void) {
    unsigned mine = cores_of(0), starter = cores_of(getppid());
    unsigned cores = mine > starter ? mine : starter;
    return cores > 0 ? cores : 1;
}
