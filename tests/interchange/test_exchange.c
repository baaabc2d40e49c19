/* Counts of an Alltoallv from the sums of its members (interchange/exchange.h): whatever the
 * sums, the rows and columns have them, and both sides of a pair agree. */
#include "common/rng.h"
#include "interchange/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 24 };

/* The matrix of the sums; [from][to]. */
static void fill(const vef_exchange_sums *sums, uint32_t size, uint64_t matrix[MOST][MOST]) {
    vef_exchange_sums rest[MOST];
    uint64_t sends[MOST], receives[MOST];
    assert_true(vef_exchange_settle(sums, rest, size));
    for (uint32_t rank = 0; rank < size; rank++) {
        vef_exchange_fill(sums, rest, size, rank, matrix[rank], receives);
        for (uint32_t from = 0; from < size; from++) {
            vef_exchange_fill(sums, rest, size, from, sends, receives);
            if (from == rank)
                assert_memory_equal(sends, matrix[rank], size * sizeof *sends);
        }
    }
    for (uint32_t rank = 0; rank < size; rank++) {
        uint64_t sent = 0, received = 0;
        vef_exchange_fill(sums, rest, size, rank, sends, receives);
        for (uint32_t i = 0; i < size; i++) {
            assert_int_equal(receives[i], matrix[i][rank]);
            sent += sends[i];
            received += receives[i];
        }
        assert_int_equal(sent, sums[rank].sent);
        assert_int_equal(received, sums[rank].received);
    }
}

/* Whole shares, and by hand: of 10 bytes i sends j (sent x received) / 10. */
static void test_by_hand(void **state) {
    (void)state;
    const vef_exchange_sums sums[] = {{6, 5}, {4, 5}};
    uint64_t matrix[MOST][MOST];
    fill(sums, 2, matrix);
    assert_int_equal(matrix[0][0], 3);
    assert_int_equal(matrix[0][1], 3);
    assert_int_equal(matrix[1][0], 2);
    assert_int_equal(matrix[1][1], 2);
}

static void test_sums(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 0);
    for (int round = 0; round < 300; round++) {
        const uint32_t size = 1 + vef_rng_below(&rng, MOST);
        const uint64_t most = round % 3 == 0 ? 3 : round % 3 == 1 ? 100000 : UINT64_MAX >> 6;
        vef_exchange_sums sums[MOST] = {{0, 0}};
        uint64_t matrix[MOST][MOST];
        for (uint32_t i = 0; i < size; i++) { /* what one sends another receives */
            const uint64_t bytes = vef_rng_next(&rng) % most * (vef_rng_below(&rng, 4) > 0 ? 1 : 0);
            sums[i].sent += bytes;
            sums[vef_rng_below(&rng, size)].received += bytes;
        }
        fill(sums, size, matrix);
    }
}

static void test_sums_that_differ(void **state) {
    (void)state;
    const vef_exchange_sums sums[] = {{6, 5}, {4, 4}};
    vef_exchange_sums rest[2];
    assert_false(vef_exchange_settle(sums, rest, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_sums_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
