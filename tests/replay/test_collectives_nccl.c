/* NCCL's algorithms, protocols and selection, against closed forms: bytes, hops, trees, the order
 * of peers, times on a network of ideal links, and its model computed by hand. test_collectives.c
 * runs data through the same algorithms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/collectives/choices.h"
#include "replay/collectives/nodes.h"
#include "tests/replay/plan_run.h"
#include "traces/event.h"

#include <stdlib.h>
#include <string.h>

static plan_world world;

static vef_tuned tuned(uint16_t call, const char *name, uint64_t segment_bytes, uint32_t degree,
                       vef_protocol protocol) {
    const vef_algorithm *row = vef_algorithm_find(call, name, false);
    assert_non_null(row);
    return (vef_tuned){row, {segment_bytes, degree, protocol}};
}

static void make(vef_tuned choice, uint32_t size, uint64_t bytes) {
    collective_case one;
    const uint64_t elements = collective_is_reduction(choice.algorithm->call) ? bytes / 8 : 0;
    collective_case_make_with(&one, choice.algorithm->call, size, 0, bytes, elements, true);
    assert_true(plan_world_make(&world, choice, &one, false));
    if (!plan_world_run(&world, &one, 0))
        fail_msg("%s, %u ranks: %s", choice.algorithm->name, size, world.fault);
    collective_case_free(&one);
}

static uint64_t sent_by(uint32_t rank) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < world.plans[rank].count; i++)
        if (world.plans[rank].steps[i].kind == VEF_STEP_SEND)
            bytes += world.plans[rank].steps[i].bytes;
    return bytes;
}

static bool sends_to(uint32_t rank, uint32_t peer) {
    bool found = false;
    for (size_t i = 0; i < world.plans[rank].count; i++)
        found |= world.plans[rank].steps[i].kind == VEF_STEP_SEND &&
                 world.plans[rank].steps[i].peer == peer;
    return found;
}

static uint32_t log2_up(uint32_t number) {
    uint32_t result = 0;
    while (1u << result < number)
        result++;
    return result;
}

/* Every rank sends 2 (p-1)/p of an allreduced buffer, and all blocks but one of an allgather and
 * reduce_scatter: the factors of the bus bandwidth in nccl-tests (PERFORMANCE.md). LL doubles the
 * bytes, LL128 makes 128 of 120. */
static void rings_send_what_bus_bandwidth_counts(void **state) {
    (void)state;
    static const struct {
        vef_protocol protocol;
        uint64_t bytes_of_120;
    } wire[] = {{VEF_PROTOCOL_SIMPLE, 120}, {VEF_PROTOCOL_LL, 240}, {VEF_PROTOCOL_LL128, 128}};
    static const uint16_t blocks[] = {VEF_CALL_Allgather, VEF_CALL_Reduce_scatter_block};
    for (uint32_t p = 2; p <= 17; p++)
        for (size_t w = 0; w < 3; w++)
            for (uint32_t channels = 1; channels <= 4; channels *= 2) {
                const uint64_t block = 1920 * 8 * 3; /* whole units in each slice */
                const uint64_t on_wire = block / 120 * wire[w].bytes_of_120;
                make(tuned(VEF_CALL_Allreduce, "channel-rings", 1920 * 2, channels,
                           wire[w].protocol),
                     p, block * p);
                for (uint32_t r = 0; r < p; r++)
                    assert_int_equal(sent_by(r), 2 * (p - 1) * on_wire);
                for (size_t c = 0; c < 2; c++) {
                    make(tuned(blocks[c], "channel-rings", 1920 * 2, channels, wire[w].protocol), p,
                         block);
                    for (uint32_t r = 0; r < p; r++)
                        assert_int_equal(sent_by(r), (p - 1) * on_wire);
                }
            }
}

/* A rank of two trees is a leaf of one: it sends at most twice the buffer, and all together 2(p-1)
 * times. A chunk needs as many rounds up as the tree has levels, and as many down. */
static void trees_are_short_and_even(void **state) {
    (void)state;
    for (uint32_t p = 2; p <= 130; p++) {
        make(tuned(VEF_CALL_Allreduce, "double-tree", VEF_WHOLE, 1, VEF_PROTOCOL_SIMPLE), p, 64);
        assert_int_equal(world.rounds, 2 * log2_up(p));
        make(tuned(VEF_CALL_Allreduce, "double-tree", 16, 2, VEF_PROTOCOL_SIMPLE), p, 64);
        for (uint32_t r = 0; r < p; r++)
            assert_true(sent_by(r) <= 2 * 64);
        assert_int_equal(world.all_bytes, 2 * (p - 1) * 64);
    }
}

/* The trees of 14 ranks as drawn in NCCL's src/graph/trees.cc; the second is the first one
 * mirrored.
 */
static void trees_are_nccls(void **state) {
    (void)state;
    static const uint32_t parents[14] = {14, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12};
    make(tuned(VEF_CALL_Allreduce, "double-tree", VEF_WHOLE, 2, VEF_PROTOCOL_SIMPLE), 14, 16);
    for (uint32_t r = 0; r < 14; r++) {
        assert_int_equal(sends_to(r, parents[r]), r != 0);
        assert_int_equal(sends_to(r, 13 - parents[13 - r]), r != 13);
    }
}

/* PAT: ceil(log2 p) messages of aggregated blocks, p-1 if nothing is aggregated; p-1 blocks. */
static void pat_is_logarithmic(void **state) {
    (void)state;
    static const uint16_t calls[] = {VEF_CALL_Allgather, VEF_CALL_Reduce_scatter_block};
    for (uint32_t p = 2; p <= 130; p++)
        for (size_t c = 0; c < 2; c++) {
            make(tuned(calls[c], "pat", VEF_WHOLE, 0, VEF_PROTOCOL_SIMPLE), p, 48);
            assert_int_equal(world.rounds, log2_up(p));
            assert_int_equal(world.most_messages, log2_up(p));
            for (uint32_t r = 0; r < p; r++)
                assert_int_equal(sent_by(r), 48 * (p - 1));
            make(tuned(calls[c], "pat", 48, 0, VEF_PROTOCOL_SIMPLE), p, 48);
            assert_int_equal(world.most_messages, p - 1);
            assert_int_equal(world.most_bytes, 48 * (p - 1));
        }
}

/* The distances of peers among 16 ranks that NCCL's src/init.cc names as the example. */
static void peers_are_in_nccls_order(void **state) {
    (void)state;
    static const uint32_t distances[] = {1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8};
    make(tuned(VEF_CALL_Alltoall, "grouped", 0, 256, VEF_PROTOCOL_SIMPLE), 16, 100);
    for (uint32_t r = 0; r < 16; r++) {
        uint32_t sends = 0;
        for (size_t i = 0; i < world.plans[r].count; i++)
            if (world.plans[r].steps[i].kind == VEF_STEP_SEND)
                assert_int_equal(world.plans[r].steps[i].peer, (r + distances[sends++]) % 16);
        assert_int_equal(sends, 15);
    }
}

/* ---- time ---- */

enum { MOST_MESSAGES = 2000 }; /* of a pair of ranks */

/* What a rank has done, and when. */
typedef struct progress {
    uint32_t started, complete; /* steps */
    uint64_t *prefix;           /* [i]: when the first i steps were complete */
    uint64_t *done;             /* [i]: when step i was; of a receive once it is known */
    bool *known;
    uint64_t link_free;
} progress;

typedef struct pair {
    uint32_t sent, received;
    uint64_t arrivals[MOST_MESSAGES];
    uint32_t receives[MOST_MESSAGES]; /* steps that were started */
} pair;

static pair *pairs; /* [from * size + to] */

static void start(progress *self, uint32_t rank, uint64_t latency) {
    const uint32_t i = self->started++;
    const vef_step *step = &world.plans[rank].steps[i];
    const uint64_t now = self->prefix[step->after];
    self->done[i] = now;
    self->known[i] = step->kind != VEF_STEP_RECEIVE;
    if (step->kind == VEF_STEP_SEND) {
        pair *to = &pairs[(size_t)rank * world.size + step->peer];
        self->link_free = (self->link_free > now ? self->link_free : now) + step->bytes;
        assert_true(to->sent < MOST_MESSAGES);
        to->arrivals[to->sent++] = self->link_free + latency;
    } else if (step->kind == VEF_STEP_RECEIVE) {
        pair *from = &pairs[(size_t)step->peer * world.size + rank];
        assert_true(from->received < MOST_MESSAGES);
        from->receives[from->received++] = i;
    }
}

/* Takes note of what has arrived; whether anything is new. */
static bool receive(progress *self, uint32_t rank) {
    bool moved = false;
    for (uint32_t peer = 0; peer < world.size; peer++) {
        const pair *from = &pairs[(size_t)peer * world.size + rank];
        for (uint32_t m = 0; m < from->sent && m < from->received; m++) {
            const uint32_t i = from->receives[m];
            if (self->known[i])
                continue;
            if (from->arrivals[m] > self->done[i])
                self->done[i] = from->arrivals[m];
            self->known[i] = moved = true;
        }
    }
    return moved;
}

/* When the plans end if a message occupies its sender for a unit of time a byte and arrives
 * `latency` later; nothing else takes time. */
static uint64_t ideal_time(uint64_t latency) {
    progress *ranks = calloc(world.size, sizeof *ranks);
    pairs = calloc((size_t)world.size * world.size, sizeof *pairs);
    assert_true(ranks && pairs);
    for (uint32_t r = 0; r < world.size; r++) {
        ranks[r].prefix = calloc(world.plans[r].count + 1, sizeof(uint64_t));
        ranks[r].done = calloc(world.plans[r].count + 1, sizeof(uint64_t));
        ranks[r].known = calloc(world.plans[r].count + 1, sizeof(bool));
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t r = 0; r < world.size; r++) {
            progress *self = &ranks[r];
            const vef_plan *plan = &world.plans[r];
            for (;
                 self->started < plan->count && plan->steps[self->started].after <= self->complete;
                 moved = true)
                start(self, r, latency);
            moved |= receive(self, r);
            for (; self->complete < self->started && self->known[self->complete];
                 self->complete++) {
                const uint64_t before = self->prefix[self->complete];
                const uint64_t done = self->done[self->complete];
                self->prefix[self->complete + 1] = before > done ? before : done;
                moved = true;
            }
        }
    }
    uint64_t end = 0;
    for (uint32_t r = 0; r < world.size; r++) {
        assert_int_equal(ranks[r].complete, world.plans[r].count);
        if (ranks[r].prefix[ranks[r].complete] > end)
            end = ranks[r].prefix[ranks[r].complete];
        free(ranks[r].prefix);
        free(ranks[r].done);
        free(ranks[r].known);
    }
    free(ranks);
    free(pairs);
    return end;
}

/* One channel of an allreduce, two slices of m bytes in a chunk, latency l of a hop. While l <= m
 * the links never wait inside a loop, and a loop ends with the latency of its last hop: 2(p-1)/p n
 * + l for each loop. So the bus bandwidth is that of a link times 1 / (1 + loops l / bytes). For a
 * longer latency two slices take m + l: (2(p-1) - 1)(m + l) + 2m + l for a loop. */
static void rings_reach_the_rate_of_a_link(void **state) {
    (void)state;
    const uint64_t slice = 1024;
    for (uint32_t p = 2; p <= 17; p++)
        for (uint64_t loops = 1; loops <= 3; loops++) {
            make(tuned(VEF_CALL_Allreduce, "channel-rings", 2 * slice, 1, VEF_PROTOCOL_SIMPLE), p,
                 2 * slice * p * loops);
            const uint64_t sent = 2 * (p - 1) * 2 * slice * loops;
            assert_int_equal(sent_by(0), sent);
            for (uint64_t latency = 1; latency <= slice; latency += 341)
                assert_int_equal(ideal_time(latency), sent + loops * latency);
            const uint64_t latency = 3 * slice;
            assert_int_equal(ideal_time(latency),
                             loops * ((2 * (p - 1) - 1) * (slice + latency) + 2 * slice + latency));
        }
}

/* ---- selection ---- */

/* NCCL's model by hand. 8 B: tree LL 6.8 + 2 log2(16) 5.0 = 46.8 us, ring LL 6.6 + 30 x 5.0. 1 GiB
 * on 2 nodes: ring Simple 1 GiB / 48 GB/s, tree half of 0.92 of it. Allgather of 8 B on 8 ranks:
 * ring LL 6.6 + 7 x 5.0 = 41.6, PAT 8 + 3 x 4 + 8 x 2.8 = 42.4; on 9 ranks 46.6 and 45.2. Of 1 MiB
 * on 9 ranks, 9 MiB in all: ring LL128 14 + 8 x 8.5 + 9.4 MB / (48 x 0.92 x 9/8 GB/s) = 272, Simple
 * 120 + 175, PAT 45 + 262. */
static void selection_is_nccls_model(void **state) {
    (void)state;
    static const struct {
        uint16_t call;
        uint32_t size;
        uint64_t bytes;
        const char *name;
        vef_protocol protocol;
    } choices[] = {
        {VEF_CALL_Allreduce, 16, 8, "double-tree", VEF_PROTOCOL_LL},
        {VEF_CALL_Allreduce, 2, 1u << 30, "channel-rings", VEF_PROTOCOL_SIMPLE},
        {VEF_CALL_Allgather, 8, 8, "channel-rings", VEF_PROTOCOL_LL},
        {VEF_CALL_Allgather, 9, 8, "pat", VEF_PROTOCOL_MPI},
        {VEF_CALL_Allgather, 9, 1 << 20, "channel-rings", VEF_PROTOCOL_LL128},
        {VEF_CALL_Alltoall, 9, 8, "grouped", VEF_PROTOCOL_SIMPLE},
    };
    vef_choices asked = {0};
    for (size_t i = 0; vef_presets[i]; i++)
        if (strcmp(vef_presets[i]->name, "nccl") == 0)
            asked.preset = vef_presets[i];
    assert_non_null(asked.preset);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const vef_collective call = {.call = choices[i].call,
                                     .size = choices[i].size,
                                     .bytes = choices[i].bytes,
                                     .elements = choices[i].bytes / 8,
                                     .commutative = true,
                                     .choices = &asked};
        const vef_tuned choice = vef_algorithm_choose(&call);
        assert_string_equal(choice.algorithm->name, choices[i].name);
        assert_int_equal(choice.tuning.protocol, choices[i].protocol);
    }
}

static int free_world(void **state) {
    (void)state;
    plan_world_free(&world);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_send_what_bus_bandwidth_counts),
        cmocka_unit_test(trees_are_short_and_even),
        cmocka_unit_test(trees_are_nccls),
        cmocka_unit_test(pat_is_logarithmic),
        cmocka_unit_test(peers_are_in_nccls_order),
        cmocka_unit_test(rings_reach_the_rate_of_a_link),
        cmocka_unit_test(selection_is_nccls_model),
    };
    return cmocka_run_group_tests(tests, NULL, free_world);
}
