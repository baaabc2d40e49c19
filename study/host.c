/* What batch systems and MPI launchers say about this process. See run.h. They say it in the
 * environment, so that no MPI library is needed. */
#include "study/run.h"

#include <sched.h>
#include <stdlib.h>

/* The number in the first of these variables that has one; `otherwise` if none has. */
static uint32_t number_of(const char *const *names, uint32_t otherwise) {
    for (; *names; names++) {
        const char *text = getenv(*names);
        char *end = NULL;
        const unsigned long number = text ? strtoul(text, &end, 10) : 0;
        if (text && end != text && number < UINT32_MAX)
            return (uint32_t)number;
    }
    return otherwise;
}

uint32_t vef_study_rank(void) {
    static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID", NULL};
    return number_of(ranks, 0);
}

uint32_t vef_study_cores(void) {
    static const char *const given[] = {"SLURM_CPUS_PER_TASK", NULL};
    static const char *const of_node[] = {"SLURM_CPUS_ON_NODE", NULL};
    static const char *const beside[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                         "SLURM_NTASKS_PER_NODE", NULL};
    cpu_set_t set;
    uint32_t cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
    const uint32_t node = number_of(of_node, cores), limit = number_of(given, 0);
    const uint32_t processes = number_of(beside, 1);
    if (node < cores)
        cores = node;
    if (limit > 0)
        return limit < cores ? limit : cores;
    cores /= processes > 0 ? processes : 1;
    return cores > 0 ? cores : 1;
}
