/* Errors as values, the arena, the store, and the random streams. */
#include "common/arena.h"
#include "common/rng.h"
#include "common/status.h"
#include "common/store.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_messages(void **state) {
    (void)state;
    vef_error error;
    assert_int_equal(vef_fail(&error, VEF_CORRUPT, "block %d", 7), VEF_CORRUPT);
    assert_int_equal(error.code, VEF_CORRUPT);
    assert_string_equal(error.message, "block 7");
    assert_int_equal(vef_fail_within(&error, "%s", "a.vef"), VEF_CORRUPT);
    assert_int_equal(error.code, VEF_CORRUPT);
    assert_string_equal(error.message, "a.vef: block 7");
    errno = ENOSPC;
    assert_int_equal(vef_fail_errno(&error, "cannot write '%s'", "x"), VEF_IO);
    assert_string_equal(error.message, "cannot write 'x': No space left on device");
    assert_int_equal(vef_fail_memory(&error, "a table", 12), VEF_NO_MEMORY);
    assert_string_equal(error.message, "out of memory: a table needs 12 bytes");
    assert_int_equal(vef_fail(NULL, VEF_INVALID, "nobody listens"), VEF_INVALID);
    errno = EIO;
    assert_int_equal(vef_fail_errno(NULL, "nobody listens"), VEF_IO);
}

static void test_long_messages_are_cut(void **state) {
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    vef_error error;
    vef_fail(&error, VEF_INVALID, "%s", text);
    assert_int_equal(strlen(error.message), VEF_MESSAGE_BYTES - 1);
    vef_fail_within(&error, "a.vef");
    assert_int_equal(strlen(error.message), VEF_MESSAGE_BYTES - 1);
    assert_memory_equal(error.message, "a.vef: xxx", 10);
    errno = EIO;
    vef_fail_errno(&error, "%s", text);
    assert_int_equal(strlen(error.message), VEF_MESSAGE_BYTES - 1);
}

/* Pieces of many sizes: aligned, zeroed, and never overlapping (each is filled with its own number
 * and looked at when all are there). */
static void test_arena_pieces(void **state) {
    (void)state;
    enum { PIECES = 2000 };
    static unsigned char *pieces[PIECES];
    static size_t sizes[PIECES];
    vef_arena arena = {0};
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 0);
    size_t total = 0;
    for (int i = 0; i < PIECES; i++) {
        sizes[i] = i % 100 == 99 ? 100000 : vef_rng_below(&rng, 200);
        pieces[i] = vef_arena_alloc(&arena, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], 1 + i % 255, sizes[i]);
        total += sizes[i];
    }
    assert_true(arena.held_bytes >= total);
    for (int i = 0; i < PIECES; i++)
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(pieces[i][j], 1 + i % 255);
    vef_arena_release(&arena);
    assert_int_equal(arena.held_bytes, 0);
    assert_string_equal(vef_arena_string(&arena, "again"), "again");
    assert_string_equal(vef_arena_string_of(&arena, "again", 2), "ag");
    vef_arena_release(&arena);
}

/* Lists of many sizes that grow and go, with and without a store: new items are zeros, items stay,
 * and no list is in another (each is filled with its own number). */
static void test_store_lists(void **state) {
    (void)state;
    enum { LISTS = 300, STEPS = 20000 };
    for (int with = 0; with < 2; with++) {
        static uint32_t *lists[LISTS];
        static size_t room[LISTS], used[LISTS];
        vef_store *store = with ? vef_store_create() : NULL;
        vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
        for (uint32_t step = 0; step < STEPS; step++) {
            const uint32_t i = vef_rng_below(&rng, LISTS);
            for (size_t k = 0; k < used[i]; k++)
                assert_int_equal(lists[i][k], i + 1);
            if (vef_rng_below(&rng, 50) == 0) {
                vef_store_put(store, lists[i], room[i], sizeof *lists[i]);
                lists[i] = NULL;
                room[i] = used[i] = 0;
                continue;
            }
            const size_t needed = used[i] + 1 + vef_rng_below(&rng, 1u << vef_rng_below(&rng, 10));
            assert_true(vef_store_grow(store, &lists[i], &room[i], needed, sizeof *lists[i]));
            assert_true(room[i] >= needed);
            assert_true(!with || (uintptr_t)lists[i] % 64 == 0);
            for (; used[i] < needed; used[i]++) {
                assert_int_equal(lists[i][used[i]], 0);
                lists[i][used[i]] = i + 1;
            }
        }
        /* more than a huge page: its pages go when it is put back, and it is zeros again */
        const size_t many = (5 << 20) + 3;
        unsigned char *large = vef_store_take(store, many, 1);
        memset(large, 1, many);
        vef_store_put(store, large, many, 1);
        large = vef_store_take(store, many, 1);
        for (size_t k = 0; k < many; k++)
            assert_int_equal(large[k], 0);
        vef_store_put(store, large, many, 1);
        for (uint32_t i = 0; i < LISTS; i++) {
            vef_store_put(store, lists[i], room[i], sizeof *lists[i]);
            lists[i] = NULL;
            room[i] = used[i] = 0;
        }
        assert_null(vef_store_take(store, SIZE_MAX, 2));
        assert_null(vef_store_take(store, SIZE_MAX / 5, 1));
        vef_store_destroy(store);
    }
}

/* AddressSanitizer would end the program where malloc gives NULL. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

static void test_arena_refuses(void **state) {
    (void)state;
    vef_arena arena = {0};
    assert_null(vef_arena_alloc(&arena, SIZE_MAX / 2, 4));
    assert_null(vef_arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(vef_arena_alloc(&arena, SIZE_MAX / 4, 1)); /* no machine has that */
    assert_non_null(vef_arena_alloc(&arena, 0, 8));
    vef_arena_release(&arena);
}

/* The finaliser is that of SplitMix64: its generator seeded with 0 begins with these values, which
 * are published with it (the reference vectors of Vigna's splitmix64.c and of Java's
 * SplittableRandom). */
static void test_rng_mix(void **state) {
    (void)state;
    const uint64_t gamma = UINT64_C(0x9e3779b97f4a7c15);
    assert_true(vef_rng_mix(gamma) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(vef_rng_mix(2 * gamma) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(vef_rng_mix(3 * gamma) == UINT64_C(0x06c45d188009454f));
}

/* The n-th draw is a function of (seed, domain, index, n) and streams differ by each of them. */
static void test_rng_streams(void **state) {
    (void)state;
    vef_rng a = vef_rng_make(1, VEF_RNG_ROUTER, 5), b = vef_rng_make(1, VEF_RNG_ROUTER, 6);
    uint64_t interleaved[100];
    for (int i = 0; i < 100; i++) {
        interleaved[i] = vef_rng_next(&a);
        (void)vef_rng_next(&b);
    }
    vef_rng again = vef_rng_make(1, VEF_RNG_ROUTER, 5);
    for (int i = 0; i < 100; i++)
        assert_true(vef_rng_next(&again) == interleaved[i]);
    vef_rng skipped = vef_rng_make(1, VEF_RNG_ROUTER, 5);
    skipped.counter = 42;
    assert_true(vef_rng_next(&skipped) == interleaved[42]);

    const vef_rng others[] = {
        vef_rng_make(2, VEF_RNG_ROUTER, 5),
        vef_rng_make(1, VEF_RNG_SOURCE, 5),
        vef_rng_make(1, VEF_RNG_ROUTER, 6),
        vef_rng_make(0, VEF_RNG_ROUTER, 5),
    };
    for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
        vef_rng other = others[o];
        int same_bits = 0;
        for (int i = 0; i < 100; i++)
            same_bits += __builtin_popcountll(~(vef_rng_next(&other) ^ interleaved[i]));
        /* 6400 fair coins: mean 3200, standard deviation 40; 6 of them either way. */
        assert_in_range(same_bits, 3200 - 240, 3200 + 240);
    }
}

/* Every value equally often: chi-square with 9 degrees of freedom stays below its 99.99 %
 * quantile, 33.7. */
static void test_rng_uniform(void **state) {
    (void)state;
    enum { DRAWS = 100000, BINS = 10 };
    double below[BINS] = {0}, unit[BINS] = {0}, sum = 0;
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 0);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t drawn = vef_rng_below(&rng, BINS);
        assert_true(drawn < BINS);
        below[drawn]++;
        double real = vef_rng_unit(&rng);
        assert_true(real >= 0 && real < 1);
        unit[(int)(real * BINS)]++;
        sum += real;
    }
    double expected = (double)DRAWS / BINS, chi_below = 0, chi_unit = 0;
    for (int i = 0; i < BINS; i++) {
        chi_below += (below[i] - expected) * (below[i] - expected) / expected;
        chi_unit += (unit[i] - expected) * (unit[i] - expected) / expected;
    }
    assert_true(chi_below < 33.7);
    assert_true(chi_unit < 33.7);
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * sqrt(1.0 / 12 / DRAWS));
    assert_int_equal(vef_rng_below(&rng, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),     cmocka_unit_test(test_long_messages_are_cut),
        cmocka_unit_test(test_arena_pieces), cmocka_unit_test(test_arena_refuses),
        cmocka_unit_test(test_store_lists),  cmocka_unit_test(test_rng_mix),
        cmocka_unit_test(test_rng_streams),  cmocka_unit_test(test_rng_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
