/* The name of a run: see job.h.
 *
 * Hydra tells its proxies where mpiexec listens (a host and a port, one mpiexec's at a time) and
 * the number of the process group, which counts the worlds that were spawned; both stand in the
 * command line of the proxy that started the task. Slurm and PBS number what they start. Of other
 * launchers nothing is known but the process that started the task, which tells runs on one host
 * apart. */
#include "capture/job.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FURTHEST_ANCESTOR = 16, COMMAND_BYTES = 8192 };

static size_t read_proc(long process, const char *what, char *text, size_t bytes) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", process, what);
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, bytes - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    return length;
}

/* The process that started another, and when the other began, in ticks since the host did; 0 where
 * that is not known. */
static long parent_of(long process, unsigned long long *began) {
    char text[1024];
    long parent = 0;
    *began = 0;
    read_proc(process, "stat", text, sizeof text);
    const char *behind = strrchr(text, ')'); /* the name in parentheses may hold anything */
    if (behind == NULL)
        return 0;
    if (sscanf(behind + 1,
               " %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &parent, began) < 1)
        return 0;
    return parent;
}

/* The argument that follows `option` in a command line as /proc has it. */
static const char *argument(const char *command, size_t length, const char *option) {
    for (size_t at = 0; at < length; at += strlen(command + at) + 1)
        if (strcmp(command + at, option) == 0) {
            at += strlen(option) + 1;
            return at < length ? command + at : NULL;
        }
    return NULL;
}

static bool by_hydra(char *name, size_t bytes) {
    char command[COMMAND_BYTES];
    unsigned long long began;
    long process = getpid();
    for (int i = 0; i < FURTHEST_ANCESTOR && (process = parent_of(process, &began)) > 1; i++) {
        size_t length = read_proc(process, "cmdline", command, sizeof command);
        const char *port = argument(command, length, "--control-port");
        const char *group = argument(command, length, "--pgid");
        if (port != NULL && group != NULL)
            return snprintf(name, bytes, "%s-%s", port, group) < (int)bytes;
    }
    return false;
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
    unsigned long long began = 0, ignored;
    long process = is_alone() ? getpid() : parent_of(getpid(), &ignored);
    parent_of(process, &began);
    gethostname(host, sizeof host - 1);
    snprintf(name, bytes, "%s-%ld-%llu", host, process, began);
}

void vef_job_name(char name[VEF_JOB_BYTES]) {
    enum { HALF = VEF_JOB_BYTES / 2 - 1 };
    char world[VEF_JOB_BYTES] = "";
    const char *wish = getenv("VEF_CAPTURE_JOB");
    bool wished = wish != NULL && *wish != '\0';
    bool told = by_hydra(world, sizeof world) || by_scheduler(world, sizeof world);
    /* By an unknown launcher the tasks of one run have different parents on different hosts. */
    if (!told && (!wished || is_alone()))
        by_process(world, sizeof world);
    snprintf(name, VEF_JOB_BYTES, "%.*s%s%.*s", HALF, wished ? wish : "",
             wished && *world != '\0' ? "." : "", HALF, world);
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL)
            *c = '-';
}
