/* Counts of a collective from the sums of its members (interchange/exchange.h). Alltoallv: whatever
 * the sums, the rows and columns have them, and both sides of a pair agree. In place: sums are made
 * here from the parts of members, after Score-P's scorep_mpi_coll.inc.c and EZTrace's and Extrae's
 * use of the arguments; the parts must come back. */
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

enum { ROUNDS = 200 };

/* The sums of an Allgatherv of these parts as Score-P states them. */
static void state_parts(const uint64_t *parts, uint32_t size, bool in_place,
                        vef_exchange_sums *sums) {
    const uint64_t total = vef_exchange_sum(parts, size);
    for (uint32_t i = 0; i < size; i++)
        sums[i] = (vef_exchange_sums){parts[i] * (size - in_place), total - in_place * parts[i]};
}

static void test_parts(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(8, VEF_RNG_TEST, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t size = 2 + vef_rng_below(&rng, MOST - 1);
        const bool in_place = round % 2;
        uint64_t parts[MOST];
        vef_exchange_sums sums[MOST];
        for (uint32_t i = 0; i < size; i++)
            parts[i] = vef_rng_below(&rng, 4) * vef_rng_below(&rng, 1000);
        parts[0] = parts[1] + 1; /* not all alike */
        state_parts(parts, size, in_place, sums);
        assert_int_equal(vef_exchange_parts(sums, size, false),
                         in_place ? VEF_EXCHANGE_IN_PLACE : VEF_EXCHANGE_WHOLE);
        for (uint32_t i = 0; i < size; i++) {
            assert_int_equal(sums[i].sent, parts[i] * size);
            assert_int_equal(sums[i].received, vef_exchange_sum(parts, size));
        }
    }
}

/* Equal parts of words are recognised: 3 x 3,996 bytes divide by 4 into no words. */
static void test_equal_parts(void **state) {
    (void)state;
    const uint64_t words[] = {3996, 3996, 3996, 3996}, bytes[] = {9, 9, 9, 9};
    vef_exchange_sums sums[4];
    for (int in_place = 0; in_place < 2; in_place++) {
        state_parts(words, 4, in_place, sums);
        assert_int_not_equal(vef_exchange_parts(sums, 4, false),
                             in_place ? VEF_EXCHANGE_WHOLE : VEF_EXCHANGE_IN_PLACE);
        assert_int_equal(sums[2].sent, 4 * 3996);
        assert_int_equal(sums[2].received, 4 * 3996);
    }
    state_parts(bytes, 4, false, sums); /* or 12 bytes of each other one */
    assert_int_equal(vef_exchange_parts(sums, 4, false), VEF_EXCHANGE_IN_PLACE);
    state_parts((const uint64_t[4]){0}, 4, true, sums);
    assert_int_equal(vef_exchange_parts(sums, 4, false), VEF_EXCHANGE_WHOLE);
}

/* By the arguments: what is sent is whatever the program left there; 10 bytes are parts of 3, 3, 2
 * and 2. A member that is not in the trace receives nothing. */
static void test_arguments(void **state) {
    (void)state;
    for (uint64_t left = 0; left < 2; left++) {
        vef_exchange_sums sums[4], pairs[3] = {{left, 6}, {left, 9}, {left, 5}};
        for (int i = 0; i < 4; i++)
            sums[i] = (vef_exchange_sums){4 * left * 77, 10};
        assert_int_equal(vef_exchange_parts(sums, 4, true), VEF_EXCHANGE_IN_PLACE);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(sums[i].sent, i < 2 ? 12 : 8);
        assert_int_equal(vef_exchange_pairs(pairs, 3, true), VEF_EXCHANGE_IN_PLACE);
        assert_int_equal(pairs[1].sent, 9);
        assert_int_equal(pairs[2].sent, 5);
    }
    vef_exchange_sums whole[] = {{2 * 4, 10}, {2 * 6, 10}}, cut[] = {{2 * 4, 10}, {0, 0}};
    vef_exchange_sums pairs[] = {{4, 10}, {8, 2}};
    assert_int_equal(vef_exchange_parts(whole, 2, true), VEF_EXCHANGE_WHOLE);
    assert_int_equal(whole[1].sent, 12);
    assert_int_equal(vef_exchange_parts(cut, 2, true), VEF_EXCHANGE_WHOLE);
    assert_int_equal(vef_exchange_pairs(pairs, 2, true), VEF_EXCHANGE_WHOLE);
    assert_int_equal(pairs[0].sent, 4);
}

/* Score-P's sums of an Alltoallv: those of a call in place are 3 x 1,000, without it 4 x 1,000.
 * Those of 4 x 4 bytes to each may be of 16 to each other one, as those that are equal in each
 * member but not in all. */
static void test_pairs(void **state) {
    (void)state;
    vef_exchange_sums sums[4] = {{3000, 3000}, {3000, 3000}, {3000, 3000}, {3000, 3000}};
    vef_exchange_sums odd[] = {{5, 5}, {7, 7}, {6, 6}}, differ[] = {{5, 6}, {7, 6}, {6, 6}};
    assert_int_equal(vef_exchange_pairs(sums, 4, false), VEF_EXCHANGE_IN_PLACE);
    assert_int_equal(sums[3].sent, 4000);
    assert_int_equal(sums[3].received, 4000);
    assert_int_equal(vef_exchange_pairs(sums, 4, false), VEF_EXCHANGE_WHOLE);
    assert_int_equal(vef_exchange_pairs(odd, 3, false), VEF_EXCHANGE_EITHER);
    assert_int_equal(odd[1].sent, 7);
    assert_int_equal(vef_exchange_pairs(differ, 3, false), VEF_EXCHANGE_WHOLE);
    assert_int_equal(vef_exchange_likelier(48, 4), VEF_EXCHANGE_EITHER);
}

/* The part of a root: what its total leaves, whatever its own argument says. */
static void test_rest(void **state) {
    (void)state;
    uint64_t parts[] = {4, 77, 6};
    assert_true(vef_exchange_rest(parts, 3, 1, 15));
    assert_int_equal(parts[1], 5);
    assert_false(vef_exchange_rest(parts, 3, 1, 9));
    assert_int_equal(parts[1], 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_sums_that_differ),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_equal_parts),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
