/* Objects of libvef in several threads at once: each thread replays the same program on a network
 * of its own, and each has the time of a thread alone. */
#include <vef/network.h>
#include <vef/replay.h>

#include "tests/traces/trace_support.h"
#include "workloads/workload.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { THREADS = 4 };

static const char network[] = "{topology: {family: torus, sizes: [4, 4]}, mpi: {alltoall: bruck}}";
static const char *path;

/* The time of the program; 0: something failed. */
static uint64_t replay(void) {
    vef_fabric_options of_network = VEF_SIZED(vef_fabric_options);
    of_network.network = network;
    vef_fabric *fabric = NULL;
    if (vef_fabric_open(&of_network, &fabric, NULL) != VEF_FAILURE_NONE)
        return 0;
    vef_feed_options of_program = VEF_SIZED(vef_feed_options);
    of_program.trace = path;
    of_program.machine = network;
    of_program.mapping = "anneal . greedy";
    of_program.endpoints = vef_fabric_endpoints(fabric);
    vef_fabric_cycle(fabric, &of_program.cycle_ps, &of_program.cycle_parts);
    vef_feed *feed = NULL;
    vef_feed_result result = VEF_SIZED(vef_feed_result);
    int failed = vef_feed_open(&of_program, &feed, NULL), ended = 0;
    for (uint64_t now = 0; !failed && !ended;) {
        failed = vef_feed_run(feed, now, &ended, NULL);
        vef_feed_message leaves;
        while (!failed && vef_feed_take(feed, &leaves)) {
            const vef_fabric_message message = {.id = leaves.id,
                                                .time_cycles = leaves.time_cycles,
                                                .bytes = leaves.bytes,
                                                .source = leaves.source,
                                                .destination = leaves.destination};
            failed = vef_fabric_inject(fabric, &message, NULL);
        }
        const vef_fabric_delivery *arrived;
        size_t count = 0;
        const uint64_t next = ended ? now : vef_feed_next(feed);
        failed = failed || vef_fabric_advance(fabric, next, &arrived, &count, NULL);
        now = count > 0 ? arrived[0].time_cycles : next;
        for (size_t i = 0; i < count && !failed && !ended; i++)
            failed = vef_feed_deliver(feed, arrived[i].id, now, NULL);
    }
    failed = failed || vef_feed_finish(feed, &result, NULL);
    vef_feed_close(feed);
    vef_fabric_close(fabric);
    return failed || !result.complete ? 0 : result.time_ps;
}

static void *run(void *time_ps) {
    *(uint64_t *)time_ps = replay();
    return NULL;
}

static void at_once(void **state) {
    (void)state;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_workload *workload = NULL;
    path = scratch_path("transpose.vef");
    OK(vef_workload_read("{workload: transpose, tasks: 16, points: [64, 64, 64], iterations: 3}",
                         NULL, 0, &arena, &root, error));
    OK(vef_workload_create(root, &workload, error));
    OK(vef_workload_write(workload, path, NULL, error));
    vef_workload_destroy(workload);
    vef_arena_release(&arena);

    const uint64_t alone_ps = replay();
    assert_true(alone_ps > 0);
    pthread_t threads[THREADS];
    uint64_t time_ps[THREADS] = {0};
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &time_ps[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(time_ps[i], alone_ps);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
