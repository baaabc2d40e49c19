/* A network of our own under a traced MPI program: vef replays the tasks, this program moves the
 * messages.
 *
 * All endpoints hang on one switch with cables of 1 byte per cycle (1 ns). A message is stored in
 * the switch before it goes on: it takes 50 + bytes cycles to the switch and as many from there on,
 * and messages wait in turn for the cables of their source and of their destination.
 *
 *     cc switch.c $(pkg-config --cflags --libs vef) -o switch
 *     ./switch program.vef
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <vef/replay.h>

enum { DELAY_CYCLES = 50 };

/* Messages on their way, the one that arrives first in front (a binary heap). */
typedef struct arrival {
    uint64_t time_cycles, id;
} arrival;
static arrival *heap;
static size_t count, room;

static int earlier(arrival a, arrival b) {
    return a.time_cycles != b.time_cycles ? a.time_cycles < b.time_cycles : a.id < b.id;
}

static void push(arrival item) {
    if (count == room && !(heap = realloc(heap, (room = 2 * room + 64) * sizeof *heap)))
        exit(2);
    size_t at = count++;
    for (; at > 0 && earlier(item, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

static arrival pop(void) {
    const arrival first = heap[0], item = heap[--count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && earlier(heap[child + 1], heap[child]);
        if (!earlier(heap[child], item))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
    return first;
}

/* When a cable that is free from `*free_cycles` on has carried a message that comes at `cycles`. */
static uint64_t cross(uint64_t *free_cycles, uint64_t cycles, uint64_t bytes) {
    *free_cycles = (*free_cycles > cycles ? *free_cycles : cycles) + bytes;
    return *free_cycles + DELAY_CYCLES;
}

static void check(int code, const vef_failure *failure) {
    if (code == VEF_FAILURE_NONE)
        return;
    fprintf(stderr, "switch: %s\n", failure->text);
    exit(2);
}

int main(int argc, char **argv) {
    vef_failure failure;
    vef_feed_options options = VEF_SIZED(vef_feed_options);
    options.trace = argc > 1 ? argv[1] : "program.vef";
    options.cycle_ps = 1000;
    options.endpoints = argc > 2 ? (uint32_t)atoi(argv[2]) : 64;
    vef_feed *feed;
    check(vef_feed_open(&options, &feed, &failure), &failure);

    uint64_t *up = calloc(2 * options.endpoints, sizeof *up), *down = up + options.endpoints;
    uint64_t now = 0, next;
    int ended = 0;
    for (;;) {
        check(vef_feed_run(feed, now, &ended, &failure), &failure);
        vef_feed_message message;
        while (up && vef_feed_take(feed, &message)) {
            uint64_t time = cross(&up[message.source], message.time_cycles, message.bytes);
            time = cross(&down[message.destination], time, message.bytes);
            push((arrival){time, message.id});
        }
        next = vef_feed_next(feed);
        if (count > 0 && heap[0].time_cycles < next)
            next = heap[0].time_cycles;
        if (ended || next == VEF_NEVER)
            break;
        for (now = next; count > 0 && heap[0].time_cycles == now;)
            check(vef_feed_deliver(feed, pop().id, now, &failure), &failure);
    }

    vef_feed_result result = VEF_SIZED(vef_feed_result);
    check(vef_feed_finish(feed, &result, &failure), &failure);
    printf("%u tasks, %" PRIu64 " messages, %g ns%s%s\n", vef_feed_tasks(feed), result.messages,
           (double)result.time_ps / 1000, result.complete ? "" : ": ", result.stall);
    vef_feed_close(feed);
    free(up);
    free(heap);
    return !result.complete;
}
