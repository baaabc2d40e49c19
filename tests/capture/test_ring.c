/* A ring keeps the last events of each task, and says the same of them as a capture that keeps
 * everything: which message each receive took, which collectives belong together. The program is
 * deterministic, so that the two captures hold the same calls, and one is the end of the other. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 2 };

/* A send or receive that moves something. */
typedef struct side {
    bool send;
    int32_t peer;
    uint64_t ordinal, bytes; /* ordinal VEF_NO_ORDINAL: of no message that the trace knows */
} side;

/* All of a task, in their order; and its collectives as numbers that tell them apart. */
typedef struct sides {
    side *list;
    uint64_t *collectives;
    size_t count, collective_count;
} sides;

static sides read_sides(const char *name, uint32_t task, uint64_t *skipped) {
    vef_error error;
    vef_stream *stream;
    const vef_event *event;
    vef_trace *trace = vef_test_open(name);
    sides ends = {.list = malloc(4000000 * sizeof *ends.list),
                  .collectives = malloc(1000000 * sizeof *ends.collectives)};
    assert_true(ends.list && ends.collectives);
    *skipped = vef_trace_get_header(trace)->task[task].skipped;
    assert_int_equal(vef_stream_open(trace, task, 0, &stream, &error), VEF_OK);
    for (;;) {
        assert_int_equal(vef_stream_next(stream, &event, &error), VEF_OK);
        if (event == NULL)
            break;
        if (vef_call_kind(event->call) == VEF_KIND_COLLECTIVE)
            ends.collectives[ends.collective_count++] = event->bytes << 8 | (event->root & 1);
        for (uint32_t i = 0; i < event->operation_count; i++) {
            const vef_operation *op = &event->operations[i];
            bool unmatched = op->flags & VEF_OP_UNMATCHED;
            if (op->peer == VEF_NO_TASK || vef_call_kind(event->call) != VEF_KIND_TRANSFER)
                continue;
            ends.list[ends.count++] = (side){.send = op->flags & VEF_OP_SEND,
                                             .peer = op->peer,
                                             .ordinal = unmatched ? VEF_NO_ORDINAL : op->ordinal,
                                             .bytes = op->bytes};
            assert_true(ends.count < 4000000 && ends.collective_count < 1000000);
        }
    }
    vef_stream_close(stream);
    vef_trace_close(trace);
    return ends;
}

/* The place, from the end of its sender, of the message that each receive took; SIZE_MAX: none. */
static size_t *partners(const sides *receiver, const sides *sender) {
    size_t *place = malloc((sender->count + 1) * sizeof *place); /* by ordinal */
    size_t *found = malloc((receiver->count + 1) * sizeof *found);
    assert_true(place && found);
    memset(place, 0xff, (sender->count + 1) * sizeof *place);
    for (size_t i = 0; i < sender->count; i++)
        if (sender->list[i].send && sender->list[i].ordinal != VEF_NO_ORDINAL) {
            assert_true(sender->list[i].ordinal < sender->count);
            place[sender->list[i].ordinal] = sender->count - i;
        }
    for (size_t i = 0; i < receiver->count; i++) {
        const side *end = &receiver->list[i];
        found[i] = SIZE_MAX;
        if (end->send || end->ordinal == VEF_NO_ORDINAL)
            continue;
        assert_true(end->ordinal < sender->count && place[end->ordinal] != SIZE_MAX);
        found[i] = place[end->ordinal];
        /* The lengths are those of the receive's status. */
        assert_true(sender->list[sender->count - found[i]].bytes == end->bytes);
    }
    free(place);
    return found;
}

static void compare(const sides full[TASKS], const sides ring[TASKS], uint32_t task) {
    uint32_t other = 1 - task;
    size_t *total = partners(&full[task], &full[other]);
    size_t *kept = partners(&ring[task], &ring[other]);
    size_t shift = full[task].count - ring[task].count, pairs = 0, lost = 0;
    for (size_t i = 0; i < ring[task].count; i++) {
        const side *a = &full[task].list[i + shift], *b = &ring[task].list[i];
        assert_int_equal(a->send, b->send);
        if (b->send)
            continue;
        assert_true(total[i + shift] != SIZE_MAX); /* the program receives all */
        if (total[i + shift] <= ring[other].count) {
            if (kept[i] ==
                SIZE_MAX) /* only what another receive, that was dropped, may have taken */
                lost++;
            else
                assert_int_equal(kept[i], total[i + shift]);
            pairs++;
        } else {
            assert_true(kept[i] == SIZE_MAX); /* its message was dropped */
        }
    }
    printf("task %u: %zu of %zu operations kept, %zu pairs\n", task, ring[task].count,
           full[task].count, pairs);
    assert_true(pairs > 1000);
    assert_true(lost <= 1); /* a matched probe dropped, the receive of its message kept */
    free(total);
    free(kept);
}

static void a_ring_keeps_the_end(void **state) {
    (void)state;
    vef_test_compile("ring.c", "", "ring");
    sides full[TASKS], ring[TASKS];
    uint64_t skipped, most = 0;
    assert_int_equal(vef_test_capture_of("ring", "ring_full", TASKS, "", "30000"), 0);
    assert_int_equal(
        vef_test_capture_of("ring", "ring_end", TASKS, "--max-size 1MiB --when-full ring", "30000"),
        0);
    vef_test_check("ring_full");
    vef_test_check("ring_end");
    for (uint32_t task = 0; task < TASKS; task++) {
        full[task] = read_sides("ring_full", task, &skipped);
        assert_int_equal(skipped, 0);
        ring[task] = read_sides("ring_end", task, &skipped);
        assert_true(skipped > 10000);
        assert_true(ring[task].count < full[task].count);
        most = skipped > most ? skipped : most;
    }
    for (uint32_t task = 0; task < TASKS; task++)
        compare(full, ring, task);
    /* The last collectives of all, the same number by each. */
    assert_true(ring[0].collective_count > 100);
    assert_int_equal(ring[0].collective_count, ring[1].collective_count);
    for (uint32_t task = 0; task < TASKS; task++)
        assert_memory_equal(ring[task].collectives,
                            full[task].collectives + full[task].collective_count -
                                ring[task].collective_count,
                            ring[task].collective_count * sizeof *ring[task].collectives);
    for (uint32_t task = 0; task < TASKS; task++) {
        free(full[task].list);
        free(full[task].collectives);
        free(ring[task].list);
        free(ring[task].collectives);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ring_keeps_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
