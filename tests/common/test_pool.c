/* A pool does every piece of every step once, and no piece before all of the step before are done;
 * and every piece in the background once, which are collected in order: with any number of threads,
 * of places and of pending pieces. */
#include "common/threads/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { MOST_PIECES = 7, STEPS = 2000 };

typedef struct tally {
    uint32_t pieces, steps_done;
    bool sleeps;                    /* pieces that take long enough for threads to go to sleep */
    uint32_t done[MOST_PIECES];     /* steps in which the piece was done; not atomic */
    uint32_t kinds[MOST_PIECES][3]; /* by the step */
    atomic_uint errors;
} tally;

static void work(void *context, uint32_t step, uint32_t piece) {
    tally *counter = context;
    if (counter->done[piece] != counter->steps_done)
        atomic_fetch_add(&counter->errors, 1);
    counter->done[piece]++;
    counter->kinds[piece][step]++;
    const struct timespec while_others_wait = {0, 300000};
    if (counter->sleeps && (counter->steps_done + piece) % 50 == 0)
        nanosleep(&while_others_wait, NULL);
}

/* Steps 1, 2, 0, 1, 2, 0, … */
static uint32_t next(void *context, uint32_t step) {
    tally *counter = context;
    for (uint32_t piece = 0; piece < counter->pieces; piece++)
        if (counter->done[piece] != counter->steps_done + 1)
            atomic_fetch_add(&counter->errors, 1);
    counter->steps_done++;
    return counter->steps_done % STEPS == 0 ? (uint32_t)VEF_POOL_DONE : (step + 1) % 3;
}

static void check(uint32_t threads, uint32_t pieces, bool sleeps) {
    enum { JOBS = 3 };
    tally counter = {.pieces = pieces, .sleeps = sleeps};
    vef_pool *pool = vef_pool_create(threads, pieces);
    assert_non_null(pool);
    const vef_pool_job job = {&counter, pieces, 1, work, next};
    for (uint32_t i = 1; i <= JOBS; i++) {
        vef_pool_run(pool, &job);
        assert_int_equal(counter.steps_done, i * STEPS);
    }
    vef_pool_run(NULL, &job);
    assert_int_equal(counter.steps_done, (JOBS + 1) * STEPS);
    assert_int_equal(counter.errors, 0);
    for (uint32_t piece = 0; piece < pieces; piece++) {
        assert_int_equal(counter.kinds[piece][1], (JOBS + 1) * (STEPS / 3 + 1));
        assert_int_equal(counter.kinds[piece][2], (JOBS + 1) * (STEPS / 3 + 1));
        assert_int_equal(counter.kinds[piece][0], (JOBS + 1) * (STEPS / 3));
    }
    vef_pool_destroy(pool);
}

static void test_every_piece_once(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads++)
        for (uint32_t pieces = 1; pieces <= MOST_PIECES; pieces += 2)
            check(threads, pieces, false);
}

static void test_with_sleep(void **state) {
    (void)state;
    check(3, 4, true);
}

static void test_idle_pool(void **state) {
    (void)state;
    vef_pool_destroy(vef_pool_create(4, 4));
    vef_pool_destroy(NULL);
}

/* ---- in the background ---- */

enum { MOST_PLACES = 5, OFFERED = 2000 };

typedef struct sums {
    uint32_t number[MOST_PLACES]; /* of the piece at a place */
    uint64_t sum[MOST_PLACES];    /* what it makes of it */
    atomic_uint_least32_t done;
} sums;

static void add_up(void *context, uint32_t step, uint32_t place) {
    (void)step;
    sums *totals = context;
    uint64_t sum = 0;
    for (uint32_t i = 1; i <= totals->number[place]; i++)
        sum += i;
    totals->sum[place] += sum; /* done twice, it would be wrong */
    atomic_fetch_add(&totals->done, 1);
}

static void collect_one(sums *totals, vef_pool *pool, uint32_t expected) {
    const uint32_t place = vef_pool_oldest(pool);
    vef_pool_collect(pool);
    assert_int_equal(totals->number[place], expected);
    assert_int_equal(totals->sum[place], (uint64_t)expected * (expected + 1) / 2);
}

static void check_background(uint32_t places, uint32_t helpers, uint32_t most_pending) {
    sums totals;
    memset(&totals, 0, sizeof totals);
    vef_pool *pool = vef_pool_create(helpers + 1, places);
    const vef_pool_job job = {.context = &totals, .places = places, .work = add_up};
    uint32_t collected = 0;
    for (uint32_t number = 0; number < OFFERED; number++) {
        if (vef_pool_pending(pool) == most_pending)
            collect_one(&totals, pool, collected++);
        const uint32_t place = vef_pool_next(pool);
        assert_in_range(place, 0, places - 1);
        totals.number[place] = number;
        totals.sum[place] = 0;
        vef_pool_offer(pool, &job);
    }
    while (vef_pool_pending(pool) > 0)
        collect_one(&totals, pool, collected++);
    assert_int_equal(collected, OFFERED);
    assert_int_equal(atomic_load(&totals.done), OFFERED);
    vef_pool_destroy(pool);
}

static void test_pieces_are_collected_in_order(void **state) {
    (void)state;
    for (uint32_t helpers = 0; helpers <= 3; helpers++)
        for (uint32_t places = 1; places <= MOST_PLACES; places++)
            for (uint32_t most = 1; most <= places; most++)
                check_background(places, helpers, most);
}

/* Pieces that nobody collects: those under way end before their data does. */
static void test_freed_with_pending_pieces(void **state) {
    (void)state;
    for (uint32_t helpers = 0; helpers <= 3; helpers++)
        for (uint32_t pending = 0; pending <= MOST_PLACES; pending++) {
            sums totals;
            memset(&totals, 0, sizeof totals);
            vef_pool *pool = vef_pool_create(helpers + 1, MOST_PLACES);
            const vef_pool_job job = {.context = &totals, .places = MOST_PLACES, .work = add_up};
            for (uint32_t i = 0; i < pending; i++) {
                totals.number[vef_pool_next(pool)] = 100000;
                vef_pool_offer(pool, &job);
            }
            vef_pool_destroy(pool);
            assert_in_range(atomic_load(&totals.done), 0, pending);
        }
}

/* ---- independent pieces ---- */

typedef struct marks {
    atomic_uint_least32_t done[1000];
    atomic_uint_least32_t inside[3]; /* by worker */
    atomic_uint errors;
} marks;

static void mark(void *context, uint32_t worker, uint32_t piece) {
    marks *set = context;
    if (atomic_fetch_add(&set->inside[worker], 1) != 0)
        atomic_fetch_add(&set->errors, 1);
    atomic_fetch_add(&set->done[piece], 1);
    atomic_fetch_sub(&set->inside[worker], 1);
}

static void test_workers(void **state) {
    (void)state;
    static marks set;
    for (uint32_t workers = 1; workers <= 3; workers++)
        for (uint32_t pieces = 0; pieces <= 1000; pieces += 250) {
            memset(&set, 0, sizeof set);
            vef_workers_run(workers, pieces, mark, &set);
            for (uint32_t i = 0; i < 1000; i++)
                assert_int_equal(atomic_load(&set.done[i]), i < pieces);
            assert_int_equal(atomic_load(&set.errors), 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_once),
        cmocka_unit_test(test_with_sleep),
        cmocka_unit_test(test_idle_pool),
        cmocka_unit_test(test_pieces_are_collected_in_order),
        cmocka_unit_test(test_freed_with_pending_pieces),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
