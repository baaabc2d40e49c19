/* Cost of writing a log per event: with private buffers, with buffers that outlive the task
 * (traces/log/shared_buffer.h), and with a write after every event, the alternative that also loses
 * nothing. Sendrecvs of a halo exchange, into $TMPDIR or /tmp; the median of rounds that alternate.
 */
#include "traces/log/log.h"
#include "common/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 2000000, ROUNDS = 7, KINDS = 3 };

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void stop(const vef_error *error) {
    fprintf(stderr, "bench/log: %s\n", error->message);
    exit(1);
}

static double run(const char *path, int kind) {
    vef_error error;
    vef_log *log;
    vef_log_header header = {.tasks = 2, .program = "p", .library = "m", .clock = "wall"};
    uint32_t members[] = {0, 1};
    vef_communicator world = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = 2, .members = members};
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    int events = kind == 2 ? EVENTS / 20 : EVENTS;
    unlink(path);
    if (vef_log_open(path, &header, &log, &error) || vef_log_communicator(log, &world, &error))
        stop(&error);
    if (kind == 1)
        vef_log_survive(log);
    double started = now_ns();
    for (int i = 0; i < events; i++) {
        vef_operation operations[] = {{.flags = VEF_OP_SEND,
                                       .peer = 1,
                                       .tag = i % 4,
                                       .bytes = 8192,
                                       .ordinal = VEF_NO_ORDINAL,
                                       .request = VEF_NO_REQUEST},
                                      {.peer = 1,
                                       .tag = i % 4,
                                       .bytes = 8192,
                                       .ordinal = VEF_NO_ORDINAL,
                                       .request = VEF_NO_REQUEST}};
        uint64_t noise = vef_rng_next(&rng);
        vef_event event = {.call = VEF_CALL_Sendrecv,
                           .root = -1,
                           .repeats = 1,
                           .gap_ns = 2000 + (noise & 511),
                           .duration_ns = 900 + (noise >> 60),
                           .entered = 2 * (uint64_t)i,
                           .left = 2 * (uint64_t)i + 1,
                           .operation_count = 2,
                           .operations = operations};
        if (vef_log_event(log, &event, &error) || (kind == 2 && vef_log_flush(log, &error)))
            stop(&error);
    }
    double took = (now_ns() - started) / events;
    if (vef_log_close(log, VEF_LOG_FINALIZED, &error))
        stop(&error);
    unlink(path);
    return took;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    static const char *const names[KINDS] = {"own buffers", "buffers that outlast the task",
                                             "a write after every event"};
    double took[KINDS][ROUNDS];
    char path[1024];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/vef-bench-%d.vlog", directory ? directory : "/tmp",
             (int)getpid());
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS; kind++)
            took[kind][round] = run(path, kind);
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(took[kind], ROUNDS, sizeof **took, by_value);
        printf("%-32s %7.1f ns an event (%.1f to %.1f)\n", names[kind], took[kind][ROUNDS / 2],
               took[kind][0], took[kind][ROUNDS - 1]);
    }
    return 0;
}
