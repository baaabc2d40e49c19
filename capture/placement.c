/* Tasks and cores of the host: see placement.h. */
#include "capture/placement.h"

#include "capture/clock/workers.h"
#include "capture/real.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

unsigned vef_tasks_by_environment(void) {
    const char *names[] = {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        long tasks = text != NULL ? strtol(text, NULL, 10) : 0;
        if (tasks > 0)
            return (unsigned)tasks;
    }
    return 0;
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

unsigned vef_expected_threads(void) {
    union {
        void *symbol;
        int (*function)(void);
    } openmp = {dlsym(RTLD_DEFAULT, "omp_get_max_threads")};
    int wanted = openmp.symbol != NULL ? openmp.function() : 1;
    unsigned made = vef_workers_most_threads();
    return wanted > (int)made ? (unsigned)wanted : made;
}

static unsigned cores_of(pid_t process) {
    cpu_set_t cores;
    return sched_getaffinity(process, sizeof cores, &cores) == 0 ? (unsigned)CPU_COUNT(&cores) : 0;
}

unsigned vef_usable_cores(void) {
    unsigned own = cores_of(0), starter = cores_of(getppid());
    unsigned cores = own > starter ? own : starter;
    return cores > 0 ? cores : 1;
}
