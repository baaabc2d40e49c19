/* Measures a replay: MPI events per second with the ideal network, from a trace file, on one
 * thread.
 *
 * The trace is written through the log writer and the merge, and read back by the reader like any
 * other: a two-dimensional halo exchange on a periodic grid. An iteration of a task is four Irecv,
 * four Isend and a Waitall (9 events), every tenth ends with an Allreduce of 8 bytes; computation
 * varies by a tenth from task to task and iteration to iteration. The network's own cost is
 * measured in router.c; here it is next to nothing, so that what is measured is the replay. */
#include "common/rng.h"
#include "netmodel/netmodel.h"
#include "replay/source.h"
#include "traces/file/trace.h"
#include "traces/log/log.h"
#include "traces/merge/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NEIGHBOURS = 4, MESSAGE_BYTES = 2048, COMPUTE_NS = 20000, PERIOD = 10, REPEATS = 3 };

static void stop(const char *what, const vef_error *error) {
    fprintf(stderr, "replay: %s: %s\n", what, error->message);
    exit(2);
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the trace ---- */

typedef struct grid {
    uint32_t width, height, iterations;
} grid;

static uint32_t neighbour(const grid *g, uint32_t task, int direction) {
    uint32_t x = task % g->width, y = task / g->width;
    if (direction < 2)
        x = (x + (direction ? 1 : g->width - 1)) % g->width;
    else
        y = (y + (direction == 3 ? 1 : g->height - 1)) % g->height;
    return y * g->width + x;
}

static void write_iteration(vef_log *log, const grid *g, uint32_t task, uint32_t iteration,
                            vef_rng *rng, uint64_t *requests) {
    vef_error error;
    vef_completion completions[2 * NEIGHBOURS];
    vef_code code = VEF_OK;
    for (int i = 0; i < 2 * NEIGHBOURS; i++) {
        bool send = i >= NEIGHBOURS;
        int direction = send ? (i - NEIGHBOURS) ^ 1 : i;
        uint32_t peer = neighbour(g, task, direction);
        int32_t tag = send ? direction ^ 1 : direction; /* the side at which it arrives */
        uint64_t request = (*requests)++;
        vef_operation operation = {.flags = send ? VEF_OP_SEND : 0,
                                   .peer = (int32_t)peer,
                                   .tag = tag,
                                   .bytes = send ? MESSAGE_BYTES : 0,
                                   .ordinal = VEF_NO_ORDINAL,
                                   .request = request};
        completions[i] = send ? (vef_completion){.request = request, .source = VEF_NO_TASK}
                              : (vef_completion){.request = request,
                                                 .source = (int32_t)peer,
                                                 .tag = tag,
                                                 .bytes = MESSAGE_BYTES};
        code = code ? code
                    : vef_log_event(log,
                                    &(vef_event){.call = send ? VEF_CALL_Isend : VEF_CALL_Irecv,
                                                 .gap_ns = 60 + vef_rng_below(rng, 40),
                                                 .duration_ns = 200 + vef_rng_below(rng, 100),
                                                 .repeats = 1,
                                                 .operation_count = 1,
                                                 .operations = &operation},
                                    &error);
    }
    uint64_t compute = COMPUTE_NS + vef_rng_below(rng, COMPUTE_NS / 10);
    code = code ? code
                : vef_log_event(log,
                                &(vef_event){.call = VEF_CALL_Waitall,
                                             .gap_ns = compute,
                                             .duration_ns = 1000 + vef_rng_below(rng, 1000),
                                             .repeats = 1,
                                             .completion_count = 2 * NEIGHBOURS,
                                             .completions = completions},
                                &error);
    if (!code && iteration % PERIOD == PERIOD - 1)
        code = vef_log_event(log,
                             &(vef_event){.call = VEF_CALL_Allreduce,
                                          .gap_ns = 500,
                                          .duration_ns = 5000,
                                          .repeats = 1,
                                          .new_comm = VEF_NO_COMM,
                                          .root = -1,
                                          .bytes = 8,
                                          .elements = 1},
                             &error);
    if (code)
        stop("writing a log", &error);
}

static void write_log(const char *directory, const grid *g, uint32_t task) {
    uint32_t tasks = g->width * g->height;
    uint32_t *members = malloc(tasks * sizeof *members);
    vef_error error = {0};
    vef_log *log = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/task-%06u.vlog", directory, task);
    vef_log_header header = {.task = task,
                             .tasks = tasks,
                             .program = "halo",
                             .library = "none",
                             .clock = "cpu",
                             .host = "bench",
                             .options = ""};
    for (uint32_t i = 0; i < tasks; i++)
        members[i] = i;
    vef_communicator world = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = tasks, .members = members};
    vef_communicator self = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = 1, .members = &task};
    if (vef_log_open(path, &header, &log, &error) || vef_log_communicator(log, &world, &error) ||
        vef_log_communicator(log, &self, &error) ||
        vef_log_event(log, &(vef_event){.call = VEF_CALL_Init, .repeats = 1}, &error))
        stop(path, &error);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, task);
    uint64_t requests = 0;
    for (uint32_t iteration = 0; iteration < g->iterations; iteration++)
        write_iteration(log, g, task, iteration, &rng, &requests);
    if (vef_log_event(log, &(vef_event){.call = VEF_CALL_Finalize, .repeats = 1}, &error) ||
        vef_log_close(log, VEF_LOG_FINALIZED, &error))
        stop(path, &error);
    free(members);
}

/* Writes the trace into a directory of its own; the logs are gone afterwards. */
static void write_trace(const char *directory, const char *path, const grid *g) {
    uint32_t tasks = g->width * g->height;
    for (uint32_t task = 0; task < tasks; task++)
        write_log(directory, g, task);
    vef_error error;
    vef_merge_summary summary;
    vef_merge_options options = {.command = "bench/replay"};
    if (vef_merge(directory, path, &options, &summary, &error))
        stop("merging", &error);
    for (uint32_t task = 0; task < tasks; task++) {
        char log[512];
        snprintf(log, sizeof log, "%s/task-%06u.vlog", directory, task);
        unlink(log);
    }
}

/* ---- the measurement ---- */

static vef_netmodel *ideal_network(void) {
    vef_arena arena = {0};
    vef_node *root;
    vef_netmodel *network;
    vef_error error;
    if (vef_config_parse("model: ideal\n", "bench", &arena, &root, &error) ||
        vef_netmodel_create(root, &network, &error))
        stop("the ideal network", &error);
    vef_arena_release(&arena);
    return network;
}

/* Seconds of the processor for reading every event and nothing else. */
static double time_reading(vef_trace *trace) {
    vef_error error;
    uint32_t tasks = vef_trace_get_header(trace)->tasks;
    double began = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t task = 0; task < tasks; task++) {
        vef_stream *stream;
        const vef_event *event;
        if (vef_stream_open(trace, task, 0, &stream, &error))
            stop("reading", &error);
        do
            if (vef_stream_next(stream, &event, &error))
                stop("reading", &error);
        while (event);
        vef_stream_close(stream);
    }
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
}

static void measure(const char *path) {
    vef_error error;
    vef_trace *trace;
    if (vef_trace_open(path, &trace, NULL, &error))
        stop(path, &error);
    uint32_t tasks = vef_trace_get_header(trace)->tasks;
    uint32_t *mapping = malloc(tasks * sizeof *mapping);
    for (uint32_t task = 0; task < tasks; task++)
        mapping[task] = task;
    vef_replay_options options = vef_replay_defaults();
    vef_replay_result result = {0};
    double best = 0, best_wall = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        vef_netmodel *network = ideal_network();
        double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
        vef_replay_result_release(&result);
        if (vef_replay(trace, network, mapping, &options, NULL, &result, &error))
            stop("replaying", &error);
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        wall = seconds(CLOCK_MONOTONIC) - wall;
        best = !repeat || cpu < best ? cpu : best;
        best_wall = !repeat || wall < best_wall ? wall : best_wall;
        vef_netmodel_destroy(network);
    }
    if (result.stall != VEF_STALL_NONE) {
        fprintf(stderr, "replay: stalled: %s\n", result.stall_text);
        exit(1);
    }
    double reading = time_reading(trace);
    uint64_t point_to_point = vef_trace_get_header(trace)->messages;
    uint64_t collectives = result.messages - point_to_point;
    printf("%5" PRIu32 "  %8" PRIu64 "  %9.2f  %13.2f  %12.2f  %11" PRIu64 "  %11" PRIu64 "\n",
           tasks, result.events, (double)result.events / best / 1e6,
           (double)result.events / best_wall / 1e6, (double)result.events / reading / 1e6,
           point_to_point, collectives);
    vef_replay_result_release(&result);
    free(mapping);
    vef_trace_close(trace);
}

static const grid grids[] = {{8, 8, 3470}, {32, 32, 217}, {128, 128, 14}};
enum { GRIDS = sizeof grids / sizeof *grids };

/* Writes the traces for other simulators, as halo-TASKS.vef, with a tenth of the iterations where
 * there are enough: some take 80 times as long. Prints the number of tasks and of MPI events. */
static void write_traces(const char *folder) {
    for (size_t i = 0; i < GRIDS; i++) {
        grid shorter = grids[i];
        char path[512];
        vef_error error;
        vef_trace *trace;
        if (shorter.iterations > 20 * PERIOD)
            shorter.iterations /= 10;
        snprintf(path, sizeof path, "%s/halo-%" PRIu32 ".vef", folder,
                 shorter.width * shorter.height);
        write_trace(folder, path, &shorter);
        if (vef_trace_open(path, &trace, NULL, &error))
            stop(path, &error);
        const vef_trace_header *header = vef_trace_get_header(trace);
        printf("%" PRIu32 " %" PRIu64 "\n", header->tasks, header->events);
        vef_trace_close(trace);
    }
}

/* Without arguments: measures. With a folder: writes the traces there, and measures nothing. */
int main(int count, char **arguments) {
    const char *scratch = getenv("TMPDIR");
    char directory[256], path[300];
    if (count > 1) {
        write_traces(arguments[1]);
        return 0;
    }
    snprintf(directory, sizeof directory, "%s/vef-bench-replay-XXXXXX", scratch ? scratch : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        return 2;
    }
    snprintf(path, sizeof path, "%s/halo.vef", directory);
    puts(
        "2D halo exchange (4 Irecv, 4 Isend, Waitall; every 10th iteration Allreduce of 8 bytes)\n"
        "from a trace file, ideal network, one thread. Million MPI events a second, by processor\n"
        "time and by the clock, the reader alone beside it; messages of the program's own sends\n"
        "and of the plans of its collectives.\n\n"
        "tasks    events  replay/cpu  replay/clock  reader alone  p2p messages  collectives'");
    for (size_t i = 0; i < GRIDS; i++) {
        write_trace(directory, path, &grids[i]);
        measure(path);
        unlink(path);
    }
    rmdir(directory);
    return 0;
}
