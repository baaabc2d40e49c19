/* The parts of the router network by themselves: calendar, heap of things to come, arbiters,
 * histogram of latencies. */
#include "netmodel/latency.h"
#include "netmodel/pending.h"
#include "netmodel/router/core/calendar.h"
#include "netmodel/router/policy/arbiters.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

/* Random items at random times come out at their times, none too many, none forgotten. */
static void check_calendar(uint32_t horizon) {
    enum { ITEMS = 5000 };
    vef_arena arena = {0};
    vef_calendar calendar;
    vef_calendar_create(&calendar, horizon, ITEMS, &arena);
    uint64_t *due = calloc(ITEMS, sizeof *due);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, horizon);
    uint64_t now = 0;
    uint32_t inside = 0, added = 0;
    assert_int_equal(vef_calendar_next(&calendar, 0), UINT64_MAX);
    while (added < ITEMS || inside > 0) {
        for (uint32_t n = vef_rng_below(&rng, 200); n > 0 && added < ITEMS; n--) {
            due[added] = now + 1 + vef_rng_below(&rng, horizon);
            vef_calendar_add(&calendar, due[added])->packet = added;
            added++;
            inside++;
        }
        uint64_t next = UINT64_MAX;
        for (uint32_t i = 0; i < added; i++)
            if (due[i] != 0 && due[i] < next)
                next = due[i];
        assert_int_equal(vef_calendar_next(&calendar, now), next);
        if (next == UINT64_MAX)
            continue;
        now = next;
        for (vef_calendar_walk walk = vef_calendar_open(&calendar, now); walk.chunk;
             walk = vef_calendar_done(&calendar, walk))
            for (uint32_t i = 0; i < walk.count; i++) {
                assert_int_equal(due[walk.chunk->items[i].packet], now);
                due[walk.chunk->items[i].packet] = 0;
                inside--;
            }
    }
    free(due);
    vef_arena_release(&arena);
}

static void test_calendar(void **state) {
    (void)state;
    static const uint32_t horizons[] = {1, 2, 16, 63, 64, 65, 1000};
    for (size_t i = 0; i < sizeof horizons / sizeof horizons[0]; i++)
        check_calendar(horizons[i]);
}

static void test_pending_is_ordered_and_stable(void **state) {
    (void)state;
    vef_pending pending = {0};
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    assert_int_equal(vef_pending_time(&pending), UINT64_MAX);
    uint64_t time_of[3000];
    for (uint64_t i = 0; i < 3000; i++) {
        time_of[i] = vef_rng_below(&rng, 50);
        vef_pending_add(&pending, time_of[i], i, 0);
    }
    uint64_t last_time = 0, last_value = 0;
    for (int i = 0; i < 3000; i++) {
        uint64_t time = vef_pending_time(&pending), value = vef_pending_take(&pending);
        assert_int_equal(time, time_of[value]);
        assert_true(time > last_time || (time == last_time && value >= last_value));
        last_time = time;
        last_value = value;
    }
    assert_int_equal(pending.count, 0);
    vef_pending_release(&pending);
}

static uint32_t choose(const char *name, const uint64_t *asking, uint32_t words,
                       const uint64_t *ranks, vef_rng *rng, uint16_t *pointer) {
    vef_contest contest = {asking, words, ranks, rng, pointer};
    return vef_arbiter_of(vef_policy_find(vef_arbiters, name))->choose(&contest);
}

static void test_round_robin_takes_turns(void **state) {
    (void)state;
    uint16_t pointer = 0;
    const uint64_t asking[2] = {UINT64_C(1) << 3 | UINT64_C(1) << 63, UINT64_C(1) << 6};
    static const uint32_t turns[] = {3, 63, 70, 3, 63, 70};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(choose("round-robin", asking, 2, NULL, NULL, &pointer), turns[i]);
    const uint64_t last[2] = {0, UINT64_C(1) << 63}; /* past the last input comes the first */
    assert_int_equal(choose("round-robin", last, 2, NULL, NULL, &pointer), 127);
    assert_int_equal(choose("round-robin", asking, 2, NULL, NULL, &pointer), 3);
}

static void test_oldest_and_fifo_take_the_earliest_and_lowest(void **state) {
    (void)state;
    static const char *const names[] = {"oldest", "fifo"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t times[128] = {[5] = 9, [6] = 4, [100] = 4, [101] = 3};
        uint64_t asking[2] = {UINT64_C(3) << 5, UINT64_C(1) << 36};
        assert_int_equal(choose(names[i], asking, 2, times, NULL, NULL), 6);
        asking[1] |= UINT64_C(1) << 37;
        assert_int_equal(choose(names[i], asking, 2, times, NULL, NULL), 101);
    }
}

/* The most packets win; equals take turns, and a single request takes its turn too. */
static void test_longest_takes_the_most_in_turn(void **state) {
    (void)state;
    uint16_t pointer = 0;
    const uint64_t packets[128] = {[3] = 2, [63] = 1, [70] = 2, [127] = 2};
    const uint64_t asking[2] = {UINT64_C(1) << 3 | UINT64_C(1) << 63, UINT64_C(1) << 6 | UINT64_C(1)
                                                                                             << 63};
    static const uint32_t turns[] = {3, 70, 127, 3, 70};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(choose("longest", asking, 2, packets, NULL, &pointer), turns[i]);
    const uint64_t one[2] = {UINT64_C(1) << 63, 0};
    assert_int_equal(choose("longest", one, 2, packets, NULL, &pointer), 63);
    assert_int_equal(choose("longest", asking, 2, packets, NULL, &pointer), 70);
}

/* 6,000 draws among 3: each within five standard deviations of 2,000; and none for a single one. */
static void test_random_is_even(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_ROUTER, 0);
    const uint64_t one[2] = {0, 2};
    assert_int_equal(choose("random", one, 2, NULL, &rng, NULL), 65);
    assert_int_equal(rng.counter, 0);
    const uint64_t asking[2] = {UINT64_C(1) << 63 | 1, 2};
    int won[66] = {0};
    for (int i = 0; i < 6000; i++)
        won[choose("random", asking, 2, NULL, &rng, NULL)]++;
    assert_int_equal(rng.counter, 6000);
    assert_int_equal(won[0] + won[63] + won[65], 6000);
    assert_in_range(won[0], 1817, 2183);
    assert_in_range(won[63], 1817, 2183);
    assert_in_range(won[65], 1817, 2183);
}

static void test_latency_percentiles(void **state) {
    (void)state;
    vef_latency *latency = calloc(1, sizeof *latency);
    assert_near(vef_latency_mean(latency), 0, 0);
    assert_near(vef_latency_percentile(latency, 0.99), 0, 0);
    for (uint64_t v = 1; v <= 1000; v++)
        vef_latency_add(latency, v);
    assert_near(vef_latency_mean(latency), 500.5, 0);
    assert_near(vef_latency_percentile(latency, 0.99), 990, 0);
    assert_near(vef_latency_percentile(latency, 0.5), 500, 0);
    assert_near(vef_latency_percentile(latency, 1), 1000, 0);
    for (uint64_t v = 4000; v < UINT64_MAX / 3; v = v / 3 * 5 + 1) {
        vef_latency *alone = calloc(1, sizeof *alone);
        vef_latency_add(alone, v);
        assert_near(vef_latency_percentile(alone, 0.99), (double)v,
                    v < VEF_LATENCY_EXACT ? 0 : 0.01 * (double)v);
        free(alone);
    }
    vef_latency_add(latency, UINT64_MAX);
    assert_near(vef_latency_percentile(latency, 1), 0x1p64, 0x1p57);
    free(latency);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_pending_is_ordered_and_stable),
        cmocka_unit_test(test_round_robin_takes_turns),
        cmocka_unit_test(test_oldest_and_fifo_take_the_earliest_and_lowest),
        cmocka_unit_test(test_longest_takes_the_most_in_turn),
        cmocka_unit_test(test_random_is_even),
        cmocka_unit_test(test_latency_percentiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
