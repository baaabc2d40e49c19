/* Measures a merge: events per second and peak memory, from logs to one trace.
 *
 *     build/bench/merge [TASKS [EVENTS]]     64 tasks and 20 million events
 *
 * Each task exchanges messages with four neighbours of a periodic grid: an iteration is four Irecv,
 * four Isend and a Waitall, every tenth ends with an Allreduce of 8 bytes; in every fourth the
 * receives use MPI_ANY_SOURCE. Gaps and times vary at random by a tenth, as measured ones do, so
 * that the trace's compression has its usual work. The merge runs in a process of its own, whose
 * peak memory is what the system says of it; logs are in the page cache. */
#include "traces/merge/merge.h"
#include "common/rng.h"
#include "traces/log/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NEIGHBOURS = 4, ITERATION_EVENTS = 9, MESSAGE_BYTES = 2048, COMPUTE_NS = 20000 };

static void stop(const char *what, const vef_error *error) {
    fprintf(stderr, "merge: %s: %s\n", what, error->message);
    exit(2);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t about(vef_rng *rng, uint32_t value) {
    return value + vef_rng_below(rng, value / 10 + 1);
}

/* Left, right, below, above on a periodic grid of `width` columns. */
static uint32_t neighbour(uint32_t tasks, uint32_t width, uint32_t task, int direction) {
    uint32_t x = task % width, y = task / width, height = tasks / width;
    if (direction < 2)
        x = (x + (direction ? 1 : width - 1)) % width;
    else
        y = (y + (direction == 3 ? 1 : height - 1)) % height;
    return y * width + x;
}

static void put(vef_log *log, vef_event event, vef_rng *rng, uint32_t gap_ns, uint32_t time_ns) {
    static uint64_t ticks;
    vef_error error;
    event.new_comm = VEF_NO_COMM;
    event.root = -1;
    event.repeats = 1;
    event.gap_ns = about(rng, gap_ns);
    event.duration_ns = about(rng, time_ns);
    if (event.call == VEF_CALL_Init)
        ticks = 0;
    event.entered = ticks++;
    event.left = ticks++;
    if (vef_log_event(log, &event, &error))
        stop("writing a log", &error);
}

static void write_iteration(vef_log *log, uint32_t tasks, uint32_t width, uint32_t task,
                            uint64_t iteration, vef_rng *rng) {
    vef_completion done[2 * NEIGHBOURS];
    bool anybody = iteration % 4 == 3;
    for (int i = 0; i < 2 * NEIGHBOURS; i++) {
        bool send = i >= NEIGHBOURS;
        int side = send ? (i - NEIGHBOURS) ^ 1 : i;
        int32_t peer = (int32_t)neighbour(tasks, width, task, side), tag = send ? side ^ 1 : side;
        vef_operation operation = {.flags = send ? VEF_OP_SEND : 0,
                                   .peer = peer,
                                   .tag = tag,
                                   .bytes = send ? MESSAGE_BYTES : 0,
                                   .ordinal = VEF_NO_ORDINAL,
                                   .request = iteration * 2 * NEIGHBOURS + (uint64_t)i};
        if (!send && anybody) {
            operation.flags |= VEF_OP_ANY_SOURCE;
            operation.peer = VEF_ANY_SOURCE;
        }
        done[i] = (vef_completion){.request = operation.request, .source = VEF_NO_TASK};
        if (!send)
            done[i] = (vef_completion){operation.request, false, peer, tag, MESSAGE_BYTES};
        put(log,
            (vef_event){.call = send ? VEF_CALL_Isend : VEF_CALL_Irecv,
                        .operation_count = 1,
                        .operations = &operation},
            rng, 80, 250);
    }
    put(log,
        (vef_event){
            .call = VEF_CALL_Waitall, .completion_count = 2 * NEIGHBOURS, .completions = done},
        rng, COMPUTE_NS, 2000);
    if (iteration % 10 == 9)
        put(log, (vef_event){.call = VEF_CALL_Allreduce, .bytes = 8, .elements = 1}, rng, 500,
            5000);
}

static void write_log(const char *directory, uint32_t tasks, uint32_t task, uint64_t iterations) {
    uint32_t *members = malloc(tasks * sizeof *members), width = 1;
    vef_error error = {0};
    vef_log *log = NULL;
    char path[512];
    for (uint32_t i = 0; i < tasks; i++)
        members[i] = i;
    for (uint32_t i = 1; i * i <= tasks; i++)
        if (tasks % i == 0)
            width = i;
    snprintf(path, sizeof path, "%s/task-%06u.vlog", directory, task);
    vef_log_header header = {.task = task,
                             .tasks = tasks,
                             .program = "halo",
                             .library = "none",
                             .clock = "wall",
                             .host = "bench",
                             .options = "",
                             .job = "bench",
                             .times = "all"};
    vef_communicator world = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = tasks, .members = members};
    vef_communicator self = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = 1, .members = &task};
    if (vef_log_open(path, &header, &log, &error) || vef_log_communicator(log, &world, &error) ||
        vef_log_communicator(log, &self, &error))
        stop(path, &error);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, task);
    put(log, (vef_event){.call = VEF_CALL_Init}, &rng, 100, 1000);
    for (uint64_t iteration = 0; iteration < iterations; iteration++)
        write_iteration(log, tasks, width, task, iteration, &rng);
    put(log, (vef_event){.call = VEF_CALL_Finalize}, &rng, 100, 1000);
    if (vef_log_close(log, VEF_LOG_FINALIZED, &error))
        stop(path, &error);
    free(members);
}

static void measure(const char *directory, const char *trace, uint32_t tasks) {
    int status;
    struct rusage used;
    struct stat file;
    double began = seconds();
    pid_t child = fork();
    if (child == 0) {
        vef_error error;
        vef_merge_summary summary;
        if (vef_merge(directory, trace, NULL, &summary, &error))
            stop("merging", &error);
        double wall = seconds() - began;
        printf("%" PRIu32 " tasks, %" PRIu64 " events: %.2f s, %.2f million events/s\n", tasks,
               summary.events, wall, (double)summary.events / wall * 1e-6);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        exit(2);
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    printf("%.2f s of the processor, peak memory %.1f MiB\n", cpu, (double)used.ru_maxrss / 1024);
    if (stat(trace, &file) == 0)
        printf("trace %.1f MiB\n", (double)file.st_size / 1048576);
}

int main(int argc, char **argv) {
    uint32_t tasks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 64;
    uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000000;
    const char *temporary = getenv("TMPDIR");
    char directory[256], trace[300], log[300];
    snprintf(directory, sizeof directory, "%s/vef-merge-XXXXXX", temporary ? temporary : "/tmp");
    if (tasks == 0 || !mkdtemp(directory)) {
        fprintf(stderr, "merge: needs a number of tasks, and a folder for its logs in TMPDIR\n");
        return 2;
    }
    for (uint32_t task = 0; task < tasks; task++)
        write_log(directory, tasks, task, events / tasks * 10 / (10 * ITERATION_EVENTS + 1));
    snprintf(trace, sizeof trace, "%s/out.vef", directory);
    measure(directory, trace, tasks);
    unlink(trace);
    for (uint32_t task = 0; task < tasks; task++) {
        snprintf(log, sizeof log, "%s/task-%06u.vlog", directory, task);
        unlink(log);
    }
    rmdir(directory);
    return 0;
}
