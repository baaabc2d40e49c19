/* Finite fields: the field axioms, over all elements of small fields and drawn ones of large
 * fields; prime fields against residues; the primitive element; and what is not a prime power. */
#include "common/rng.h"
#include "netmodel/topology/algebraic/galois.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* All prime powers up to 64, and some greater ones. */
static const uint32_t orders[] = {2,  3,  4,   5,   7,   8,   9,   11,  13,  16,  17,  19,   23,
                                  25, 27, 29,  31,  32,  37,  41,  43,  47,  49,  53,  59,   61,
                                  64, 81, 121, 125, 128, 243, 256, 317, 343, 512, 729, 1021, 1024};
enum { ORDERS = sizeof orders / sizeof orders[0], ALL_TRIPLES = 32, DRAWN = 20000 };

static uint32_t add(const vef_galois *field, uint32_t a, uint32_t b) {
    return vef_galois_add(field, a, b);
}

static uint32_t times(const vef_galois *field, uint32_t a, uint32_t b) {
    return vef_galois_multiply(field, a, b);
}

static void check_triple(const vef_galois *field, uint32_t a, uint32_t b, uint32_t c) {
    assert_true(add(field, a, b) < field->q && times(field, a, b) < field->q);
    assert_int_equal(add(field, a, b), add(field, b, a));
    assert_int_equal(times(field, a, b), times(field, b, a));
    assert_int_equal(add(field, add(field, a, b), c), add(field, a, add(field, b, c)));
    assert_int_equal(times(field, times(field, a, b), c), times(field, a, times(field, b, c)));
    assert_int_equal(times(field, a, add(field, b, c)),
                     add(field, times(field, a, b), times(field, a, c)));
}

static void check_element(const vef_galois *field, uint32_t a) {
    assert_int_equal(add(field, a, 0), a);
    assert_int_equal(times(field, a, 1), a);
    assert_int_equal(times(field, a, 0), 0);
    assert_int_equal(add(field, a, field->negative[a]), 0);
    assert_int_equal(vef_galois_subtract(field, 0, a), field->negative[a]);
    if (a > 0)
        assert_int_equal(times(field, a, field->inverse[a]), 1);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < field->p; i++)
        sum = add(field, sum, a);
    assert_int_equal(sum, 0); /* characteristic p */
}

static void check_axioms(const vef_galois *field) {
    const uint32_t q = field->q;
    for (uint32_t a = 0; a < q; a++)
        check_element(field, a);
    for (uint32_t i = 0; q <= ALL_TRIPLES && i < q * q * q; i++)
        check_triple(field, i / (q * q), i / q % q, i % q);
    vef_rng rng = vef_rng_make(q, VEF_RNG_TEST, 0);
    for (uint32_t i = 0; q > ALL_TRIPLES && i < DRAWN; i++) {
        const uint32_t a = vef_rng_below(&rng, q), b = vef_rng_below(&rng, q);
        check_triple(field, a, b, vef_rng_below(&rng, q));
    }
}

/* power[i] are the powers of one element, and all elements but zero. */
static void check_primitive(const vef_galois *field) {
    const uint32_t q = field->q;
    bool *seen = calloc(q, sizeof *seen);
    uint32_t power = 1;
    for (uint32_t i = 0; i + 1 < q; i++) {
        assert_int_equal(field->power[i], power);
        assert_true(power > 0 && !seen[power]);
        seen[power] = true;
        power = times(field, power, field->power[1 % (q - 1)]);
    }
    assert_int_equal(power, 1);
    free(seen);
}

static void test_axioms(void **state) {
    (void)state;
    for (size_t i = 0; i < ORDERS; i++) {
        vef_arena arena = {0};
        vef_galois field;
        vef_error error = {0};
        if (vef_galois_make(orders[i], &arena, &field, &error))
            fail_msg("%s", error.message);
        assert_int_equal(field.q, orders[i]);
        uint32_t q = 1;
        for (uint32_t k = 0; k < field.k; k++)
            q *= field.p;
        assert_int_equal(q, orders[i]);
        check_axioms(&field);
        check_primitive(&field);
        for (uint32_t a = 0; field.k == 1 && a < q; a += 1 + q / 64)
            for (uint32_t b = 0; b < q; b++) {
                assert_int_equal(add(&field, a, b), (a + b) % q);
                assert_int_equal(times(&field, a, b), a * b % q);
            }
        vef_arena_release(&arena);
    }
}

/* GF(4) has one multiplication: x^2 = x + 1. */
static void test_gf4(void **state) {
    (void)state;
    vef_arena arena = {0};
    vef_galois field;
    assert_int_equal(vef_galois_make(4, &arena, &field, NULL), VEF_OK);
    static const uint16_t sum[] = {0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0};
    static const uint16_t product[] = {0, 0, 0, 0, 0, 1, 2, 3, 0, 2, 3, 1, 0, 3, 1, 2};
    assert_memory_equal(field.sum, sum, sizeof sum);
    assert_memory_equal(field.product, product, sizeof product);
    vef_arena_release(&arena);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t q;
        const char *says;
    } rows[] = {
        {0, "expected a prime power such as 2"},
        {1, "expected a prime power such as 2"},
        {6, "6: not a prime power: expected 5 or 7"},
        {10, "expected 9 or 11"},
        {36, "expected 32 or 37"},
        {100, "expected 97 or 101"},
        {1000, "expected 997 or 1009"},
        {1023, "expected 1021 or 1024"},
        {1025, "1025: out of range: expected a prime power such as 1024"},
        {UINT32_MAX, "expected a prime power such as 1024"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_arena arena = {0};
        vef_galois field;
        vef_error error = {0};
        assert_int_equal(vef_galois_make(rows[i].q, &arena, &field, &error), VEF_INVALID);
        if (!strstr(error.message, rows[i].says))
            fail_msg("%u: %s", rows[i].q, error.message);
        vef_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axioms),
        cmocka_unit_test(test_gf4),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
