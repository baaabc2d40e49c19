/* A crew does every piece of every step once, and no piece before all of the step before are done,
 * whatever the number of threads. */
#include "common/threads/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
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
    tally *all = context;
    if (all->done[piece] != all->steps_done)
        atomic_fetch_add(&all->errors, 1);
    all->done[piece]++;
    all->kinds[piece][step]++;
    const struct timespec while_others_wait = {0, 300000};
    if (all->sleeps && (all->steps_done + piece) % 50 == 0)
        nanosleep(&while_others_wait, NULL);
}

/* Steps 1, 2, 0, 1, 2, 0, … */
static uint32_t next(void *context, uint32_t step) {
    tally *all = context;
    for (uint32_t piece = 0; piece < all->pieces; piece++)
        if (all->done[piece] != all->steps_done + 1)
            atomic_fetch_add(&all->errors, 1);
    all->steps_done++;
    return all->steps_done % STEPS == 0 ? (uint32_t)VEF_CREW_DONE : (step + 1) % 3;
}

static void check(uint32_t threads, uint32_t pieces, bool sleeps) {
    enum { JOBS = 3 };
    tally all = {.pieces = pieces, .sleeps = sleeps};
    vef_crew *crew = vef_crew_create(threads, pieces);
    assert_non_null(crew);
    const vef_crew_job job = {&all, pieces, 1, work, next};
    for (uint32_t i = 1; i <= JOBS; i++) {
        vef_crew_run(crew, &job);
        assert_int_equal(all.steps_done, i * STEPS);
    }
    vef_crew_run(NULL, &job);
    assert_int_equal(all.steps_done, (JOBS + 1) * STEPS);
    assert_int_equal(all.errors, 0);
    for (uint32_t piece = 0; piece < pieces; piece++) {
        assert_int_equal(all.kinds[piece][1], (JOBS + 1) * (STEPS / 3 + 1));
        assert_int_equal(all.kinds[piece][2], (JOBS + 1) * (STEPS / 3 + 1));
        assert_int_equal(all.kinds[piece][0], (JOBS + 1) * (STEPS / 3));
    }
    vef_crew_destroy(crew);
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

static void test_idle_crew(void **state) {
    (void)state;
    vef_crew_destroy(vef_crew_create(4, 4));
    vef_crew_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_once),
        cmocka_unit_test(test_with_sleep),
        cmocka_unit_test(test_idle_crew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
