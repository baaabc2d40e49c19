/* Both interfaces at once: the messages of a traced program (vef/replay.h) on a network of vef
 * (vef/network.h). The time is that of `vef replay`, to the picosecond.
 *
 *     cc replay.c $(pkg-config --cflags --libs vef) -o replay
 *     ./replay program.vef network.yaml [MAPPING]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <vef/network.h>
#include <vef/replay.h>

static void check(int code, const vef_failure *failure) {
    if (code == VEF_FAILURE_NONE)
        return;
    fprintf(stderr, "replay: %s\n", failure->text);
    exit(2);
}

/* Moves messages between the two until the program has ended, or waits for ever. */
static void run(vef_feed *feed, vef_fabric *fabric) {
    vef_failure failure;
    uint64_t now = 0;
    int ended = 0;
    for (;;) {
        check(vef_feed_run(feed, now, &ended, &failure), &failure);
        vef_feed_message leaves;
        while (vef_feed_take(feed, &leaves)) {
            const vef_fabric_message message = {.id = leaves.id,
                                                .time_cycles = leaves.time_cycles,
                                                .bytes = leaves.bytes,
                                                .source = leaves.source,
                                                .destination = leaves.destination};
            check(vef_fabric_inject(fabric, &message, &failure), &failure);
        }
        const uint64_t next = vef_feed_next(feed);
        if (ended || (next == VEF_NEVER && vef_feed_under_way(feed) == 0))
            return;
        const vef_fabric_delivery *arrived;
        size_t count;
        check(vef_fabric_advance(fabric, next, &arrived, &count, &failure), &failure);
        if (count == 0 && next == VEF_NEVER)
            return; /* a deadlock of the network */
        now = count > 0 ? arrived[0].time_cycles : next;
        for (size_t i = 0; i < count; i++)
            check(vef_feed_deliver(feed, arrived[i].id, now, &failure), &failure);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: replay TRACE NETWORK [MAPPING]\n");
        return 2;
    }
    vef_failure failure;
    vef_fabric_options network = VEF_SIZED(vef_fabric_options);
    network.network = argv[2];
    vef_fabric *fabric;
    check(vef_fabric_open(&network, &fabric, &failure), &failure);

    vef_feed_options program = VEF_SIZED(vef_feed_options);
    program.trace = argv[1];
    program.machine = argv[2];
    program.mapping = argc > 3 ? argv[3] : NULL;
    vef_fabric_cycle(fabric, &program.cycle_ps, &program.cycle_parts);
    program.endpoints = vef_fabric_endpoints(fabric);
    vef_feed *feed;
    check(vef_feed_open(&program, &feed, &failure), &failure);
    if (*vef_feed_warnings(feed))
        fprintf(stderr, "replay: %s\n", vef_feed_warnings(feed));

    run(feed, fabric);
    vef_feed_result result = VEF_SIZED(vef_feed_result);
    check(vef_feed_finish(feed, &result, &failure), &failure);
    for (uint32_t task = 0; task < vef_feed_tasks(feed); task++) {
        vef_feed_task times;
        check(vef_feed_task_times(feed, task, &times, &failure), &failure);
        printf("task %u ends at %.3f ns\n", task, (double)times.end_ps / 1000);
    }
    printf("%" PRIu64 " messages, %.3f ns%s%s\n", result.messages, (double)result.time_ps / 1000,
           result.complete ? "" : ": ", result.stall);
    vef_feed_close(feed);
    vef_fabric_close(fabric);
    return !result.complete;
}
