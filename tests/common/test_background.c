/* Jobs in the background: each is done once, and collected in order, with any number of helpers, of
 * places and of pending jobs. */
#include "common/threads/background.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum { MOST_PLACES = 5, JOBS = 2000 };

typedef struct sums {
    uint32_t number[MOST_PLACES]; /* of the job at a place */
    uint64_t sum[MOST_PLACES];    /* what it makes of it */
    atomic_uint_least32_t done;
} sums;

static void add_up(void *context, uint32_t place) {
    sums *all = context;
    uint64_t sum = 0;
    for (uint32_t i = 1; i <= all->number[place]; i++)
        sum += i;
    all->sum[place] += sum; /* done twice, it would be wrong */
    atomic_fetch_add(&all->done, 1);
}

static void collect_one(sums *all, vef_background *jobs, uint32_t expected) {
    const uint32_t place = vef_background_oldest(jobs);
    vef_background_collect(jobs);
    assert_int_equal(all->number[place], expected);
    assert_int_equal(all->sum[place], (uint64_t)expected * (expected + 1) / 2);
}

static void check(uint32_t places, uint32_t helpers, uint32_t most_pending) {
    sums all;
    memset(&all, 0, sizeof all);
    vef_background *jobs = vef_background_new(places, helpers, add_up, &all);
    assert_non_null(jobs);
    uint32_t collected = 0;
    for (uint32_t job = 0; job < JOBS; job++) {
        if (vef_background_pending(jobs) == most_pending)
            collect_one(&all, jobs, collected++);
        const uint32_t place = vef_background_next(jobs);
        assert_in_range(place, 0, places - 1);
        all.number[place] = job;
        all.sum[place] = 0;
        vef_background_start(jobs);
    }
    while (vef_background_pending(jobs) > 0)
        collect_one(&all, jobs, collected++);
    assert_int_equal(collected, JOBS);
    assert_int_equal(atomic_load(&all.done), JOBS);
    vef_background_free(jobs);
}

static void test_jobs_are_collected_in_order(void **state) {
    (void)state;
    for (uint32_t helpers = 0; helpers <= 3; helpers++)
        for (uint32_t places = 1; places <= MOST_PLACES; places++)
            for (uint32_t most = 1; most <= places; most++)
                check(places, helpers, most);
}

/* Jobs that nobody collects: those under way end before their data does. */
static void test_freed_with_pending_jobs(void **state) {
    (void)state;
    for (uint32_t helpers = 0; helpers <= 3; helpers++)
        for (uint32_t pending = 0; pending <= MOST_PLACES; pending++) {
            sums all;
            memset(&all, 0, sizeof all);
            vef_background *jobs = vef_background_new(MOST_PLACES, helpers, add_up, &all);
            assert_non_null(jobs);
            for (uint32_t i = 0; i < pending; i++) {
                all.number[vef_background_next(jobs)] = 100000;
                vef_background_start(jobs);
            }
            vef_background_free(jobs);
            assert_in_range(atomic_load(&all.done), 0, pending);
        }
    vef_background_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs_are_collected_in_order),
        cmocka_unit_test(test_freed_with_pending_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
