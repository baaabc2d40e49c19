/* The schedule of endpoints against a search through all of their times. */
#include "common/rng.h"
#include "netmodel/traffic/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

/* A gap: often none or short, sometimes of any number of bits, at the borders of digits too. */
static uint64_t draw_gap(vef_rng *rng) {
    const uint64_t power = UINT64_C(1) << vef_rng_below(rng, 62);
    switch (vef_rng_below(rng, 8)) {
    case 0:
        return 0;
    case 1:
        return power;
    case 2:
        return power - 1;
    case 3:
        return vef_rng_next(rng) % power;
    case 4:
        return 4096 * vef_rng_below(rng, 3);
    default:
        return vef_rng_below(rng, 20);
    }
}

static uint32_t earliest(const uint64_t *times, uint32_t endpoints) {
    uint32_t first = 0;
    for (uint32_t e = 1; e < endpoints; e++)
        if (times[e] < times[first])
            first = e;
    return first;
}

static void check(uint32_t endpoints, uint32_t steps, uint64_t most_gap) {
    vef_arena arena = {0};
    vef_schedule *schedule = calloc(1, sizeof *schedule);
    uint64_t *times = calloc(endpoints, sizeof *times);
    vef_rng rng = vef_rng_make(4, VEF_RNG_TEST, endpoints);
    assert_true(schedule && times);
    vef_schedule_create(schedule, endpoints, &arena);
    for (uint32_t e = 0; e < endpoints; e++) {
        times[e] = e % 5 == 4 ? UINT64_MAX : draw_gap(&rng) % most_gap;
        vef_schedule_put(schedule, e, times[e]);
    }
    vef_schedule_begin(schedule);
    for (uint32_t i = 0; i < steps; i++) {
        const uint32_t first = earliest(times, endpoints);
        assert_true(schedule->time == times[first]);
        if (times[first] == UINT64_MAX)
            break;
        assert_int_equal(schedule->present[schedule->first], first);
        const uint64_t gap = draw_gap(&rng) % most_gap;
        times[first] = gap < UINT64_MAX - times[first] ? times[first] + gap : UINT64_MAX;
        vef_schedule_move_first(schedule, times[first]);
    }
    vef_arena_release(&arena);
    free(schedule);
    free(times);
}

static void gives_the_earliest(void **state) {
    (void)state;
    check(1, 1000, UINT64_MAX);
    check(64, 20000, UINT64_MAX);
    check(65, 20000, 1 << 20);
    check(300, 20000, 10000);
    check(5000, 5000, 30);
    check(5000, 10000, UINT64_MAX);
}

static void ends_when_all_are_out(void **state) {
    (void)state;
    vef_arena arena = {0};
    static vef_schedule schedule;
    vef_schedule_create(&schedule, 3, &arena);
    vef_schedule_begin(&schedule);
    assert_true(schedule.time == UINT64_MAX);
    vef_schedule_put(&schedule, 2, 7);
    vef_schedule_put(&schedule, 0, UINT64_MAX - 1);
    vef_schedule_begin(&schedule);
    assert_true(schedule.time == 7);
    vef_schedule_move_first(&schedule, UINT64_MAX);
    assert_true(schedule.time == UINT64_MAX - 1);
    vef_schedule_move_first(&schedule, UINT64_MAX);
    assert_true(schedule.time == UINT64_MAX);
    vef_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_earliest),
        cmocka_unit_test(ends_when_all_are_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
