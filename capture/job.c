/* The name of a run: see job.h.
 *
 * The command line of the proxy that started the task has, with Hydra, mpiexec's address (host and
 * port, unique at a time) and the number of the process group, which counts spawned worlds. Open
 * MPI's mpirun names each world. Slurm
 * and PBS number their jobs. With other launchers only the process that started the task is known,
 * which distinguishes runs on one host. */
#include "capture/job.h"

#include "capture/mpi_header.h"
#include "common/system/descriptor.h"
#include "common/system/process.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FURTHEST_ANCESTOR = 16, COMMAND_BYTES = 8192 };

/* The words of a process's command line, each ended by a NUL. */
static size_t read_command(int64_t process, char *text, size_t bytes) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/cmdline", (long long)process);
    return vef_read_text(path, text, bytes);
}

/* The argument after `option` in a command line from /proc. */
static const char *argument(const char *command, size_t length, const char *option) {
    for (size_t offset = 0; offset < length; offset += strlen(command + offset) + 1)
        if (strcmp(command + offset, option) == 0) {
            offset += strlen(option) + 1;
            return offset < length ? command + offset : NULL;
        }
    return NULL;
}

static bool by_hydra(char *name, size_t bytes) {
    char command[COMMAND_BYTES];
    vef_process_facts process = {0};
    int64_t number = getpid();
    for (int i = 0; i < FURTHEST_ANCESTOR; i++) {
        if (!vef_process_look(number, &process) || process.parent <= 1)
            return false;
        number = process.parent;
        size_t length = read_command(number, command, sizeof command);
        const char *port = argument(command, length, "--control-port");
        const char *group = argument(command, length, "--pgid");
        if (port != NULL && group != NULL)
            return snprintf(name, bytes, "%s-%s", port, group) < (int)bytes;
    }
    return false;
}

/* The namespace that Open MPI's mpirun, or Slurm's PMIx, gives to each world, spawned ones too. */
static bool by_library(char *name, size_t bytes) {
    const char *variable = VEF_JOB_VARIABLE, *job = variable != NULL ? getenv(variable) : NULL;
    return job != NULL && snprintf(name, bytes, "%s", job) < (int)bytes;
}

static bool by_scheduler(char *name, size_t bytes) {
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");
    if (job != NULL && step != NULL)
        return snprintf(name, bytes, "slurm-%s-%s", job, step) < (int)bytes;
    job = getenv("PBS_JOBID");
    return job != NULL && snprintf(name, bytes, "pbs-%s", job) < (int)bytes;
}

static bool is_alone(void) {
    return getenv("PMI_SIZE") == NULL && getenv("PMI_FD") == NULL && getenv("PMIX_RANK") == NULL;
}

/* A task without a launcher is a run by itself. */
static void by_process(char *name, size_t bytes) {
    char host[64] = "";
    vef_process_facts process = {0};
    int64_t number = getpid();
    if (vef_process_look(number, &process) && !is_alone()) {
        number = process.parent;
        vef_process_look(number, &process);
    }
    gethostname(host, sizeof host - 1);
    snprintf(name, bytes, "%s-%lld-%lld", host, (long long)number, (long long)process.began);
}

void vef_job_name(char name[VEF_JOB_BYTES]) {
    enum { HALF = VEF_JOB_BYTES / 2 - 1 };
    char world[VEF_JOB_BYTES] = "";
    const char *wish = getenv("VEF_CAPTURE_JOB");
    bool wished = wish != NULL && *wish != '\0';
    bool found = by_library(world, sizeof world) || by_hydra(world, sizeof world) ||
                 by_scheduler(world, sizeof world);
    /* With an unknown launcher the tasks of one run have different parents on different hosts. */
    if (!found && (!wished || is_alone()))
        by_process(world, sizeof world);
    snprintf(name, VEF_JOB_BYTES, "%.*s%s%.*s", HALF, wished ? wish : "",
             wished && *world != '\0' ? "." : "", HALF, world);
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL)
            *c = '-';
}
