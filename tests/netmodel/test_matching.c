/* The allocators that match input ports to outputs, by themselves. */
#include "netmodel/router/policy/arbiters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum { MOST = 8, MOST_QUEUES = MOST * MOST };

/* A switch of n ports with a queue for each output at each of them, all that it remembers, and what
 * was granted last. */
typedef struct bench {
    uint16_t first[MOST + 1], port_of[MOST_QUEUES], asked[MOST_QUEUES], askers[MOST_QUEUES],
        pointers[3][MOST], granted[MOST], room[3 * MOST];
    vef_matching matching;
} bench;

static void begin(bench *b, uint32_t n, uint32_t iterations) {
    memset(b, 0, sizeof *b);
    for (uint32_t i = 0; i <= n; i++)
        b->first[i] = (uint16_t)(i * n);
    for (uint32_t q = 0; q < n * n; q++) {
        b->port_of[q] = (uint16_t)(q / n);
        b->asked[q] = VEF_UNMATCHED;
    }
    b->matching = (vef_matching){
        .input_ports = n,
        .outputs = n,
        .transit_ports = n,
        .iterations = iterations,
        .first = b->first,
        .port_of = b->port_of,
        .askers = b->askers,
        .asked = b->asked,
        .output_pointers = b->pointers[0],
        .queue_pointers = b->pointers[1],
        .port_pointers = b->pointers[2],
        .granted = b->granted,
        .room = b->room,
    };
}

static void ask_all(bench *b, uint32_t n) {
    for (uint32_t q = 0; q < n * n; q++)
        b->asked[q] = (uint16_t)(q % n);
}

static void match(bench *b, void (*by)(const vef_matching *)) {
    const uint32_t queues = b->first[b->matching.input_ports];
    b->matching.asker_count = 0;
    for (uint32_t q = 0; q < queues; q++)
        if (b->asked[q] != VEF_UNMATCHED)
            b->askers[b->matching.asker_count++] = (uint16_t)q;
    by(&b->matching);
}

/* Every grant is of a queue that asks for that output, and of no two queues of one port. */
static uint32_t check(const bench *b, uint32_t n) {
    bool taken[MOST] = {false};
    uint32_t count = 0;
    for (uint32_t o = 0; o < n; o++) {
        if (b->granted[o] == VEF_UNMATCHED)
            continue;
        assert_int_equal(b->asked[b->granted[o]], o);
        assert_false(taken[b->granted[o] / n]);
        taken[b->granted[o] / n] = true;
        count++;
    }
    return count;
}

/* McKeown, section III: with every queue backlogged the pointers fall apart and from then on every
 * output is granted in every cycle, each queue once in n cycles. The first cycle of one iteration
 * matches one pair only, as all pointers point alike. */
static void islip_pointers_fall_apart(void **state) {
    (void)state;
    for (uint32_t n = 2; n <= MOST; n++) {
        bench b;
        begin(&b, n, 1);
        uint32_t served[MOST_QUEUES] = {0};
        for (uint32_t cycle = 0; cycle < 4 * n; cycle++) {
            ask_all(&b, n);
            match(&b, vef_match_islip);
            const uint32_t count = check(&b, n);
            if (cycle == 0)
                assert_int_equal(count, 1);
            if (cycle < 2 * n)
                continue;
            assert_int_equal(count, n);
            for (uint32_t o = 0; o < n; o++)
                served[b.granted[o]]++;
        }
        for (uint32_t q = 0; q < n * n; q++)
            assert_int_equal(served[q], 2);
    }
}

/* In n iterations the match is maximal: no port that asks and no output that it asks for are both
 * left out. */
static void islip_becomes_maximal(void **state) {
    (void)state;
    bench b;
    const uint32_t n = 5;
    begin(&b, n, n);
    uint64_t seed = 88172645463325252u;
    for (uint32_t cycle = 0; cycle < 500; cycle++) {
        bool port_done[MOST] = {false};
        for (uint32_t q = 0; q < n * n; q++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            b.asked[q] = (uint16_t)(seed % 3 == 0 ? q % n : VEF_UNMATCHED);
        }
        match(&b, vef_match_islip);
        check(&b, n);
        for (uint32_t o = 0; o < n; o++)
            if (b.granted[o] != VEF_UNMATCHED)
                port_done[b.granted[o] / n] = true;
        for (uint32_t q = 0; q < n * n; q++)
            if (b.asked[q] != VEF_UNMATCHED)
                assert_true(port_done[q / n] || b.granted[q % n] != VEF_UNMATCHED);
    }
}

/* Two ports whose queues all want output 0: each port every other time, each of its queues in its
 * turn. A port puts forward one queue only, though another of its queues wants a free output. */
static void two_stages_take_turns(void **state) {
    (void)state;
    bench b;
    begin(&b, 2, 1);
    static const uint16_t served[] = {0, 2, 1, 3, 0, 2, 1, 3};
    for (uint32_t cycle = 0; cycle < 8; cycle++) {
        for (uint32_t q = 0; q < 4; q++)
            b.asked[q] = 0;
        match(&b, vef_match_two_stage);
        assert_int_equal(b.granted[0], served[cycle]);
        assert_int_equal(b.granted[1], VEF_UNMATCHED);
    }
    ask_all(&b, 2);
    match(&b, vef_match_two_stage); /* queues 0 and 2 are put forward, for output 0 both */
    assert_int_equal(check(&b, 2), 1);
    assert_int_equal(b.granted[0], 0);
}

/* An endpoint's port is left out where a link's asks, whatever the pointer. */
static void transit_goes_first(void **state) {
    (void)state;
    void (*const rows[])(const vef_matching *) = {vef_match_two_stage, vef_match_islip};
    for (size_t k = 0; k < 2; k++)
        for (int transit = 0; transit <= 1; transit++) {
            bench b;
            begin(&b, 2, 1);
            b.matching.transit_ports = 1;
            b.matching.transit_first = transit;
            b.pointers[0][0] = 1;
            b.asked[0] = b.asked[2] = 0;
            match(&b, rows[k]);
            assert_int_equal(b.granted[0], transit ? 0 : 2);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islip_pointers_fall_apart),
        cmocka_unit_test(islip_becomes_maximal),
        cmocka_unit_test(two_stages_take_turns),
        cmocka_unit_test(transit_goes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
