/* The index against a list that is searched from its start: few hashes and many records, so that
 * records share hashes, chains go around the end, and equal ones must keep their order. */
#include "common/containers/index.h"
#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RECORDS = 400, STEPS = 4000 };

static void test_against_a_list(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
        vef_index index = {0};
        vef_index_entry list[RECORDS];
        uint32_t count = 0, next = 0;
        for (int step = 0; step < STEPS; step++) {
            if (count < 1 + vef_rng_below(&rng, RECORDS - 1)) {
                /* Hashes near the end of any capacity, and some elsewhere. */
                uint32_t hash = UINT32_MAX - vef_rng_below(&rng, 8) * (1 + vef_rng_below(&rng, 9));
                assert_true(vef_index_reserve(&index));
                vef_index_add(&index, hash, next);
                list[count++] = (vef_index_entry){hash, next++};
            } else {
                uint32_t out = vef_rng_below(&rng, count--);
                vef_index_remove(&index, list[out].hash, list[out].number);
                for (uint32_t i = out; i < count; i++)
                    list[i] = list[i + 1];
            }
            assert_int_equal(index.count, count);
            if (!index.capacity)
                continue;
            uint32_t hash = UINT32_MAX - vef_rng_below(&rng, 72), found;
            vef_index_walk walk = vef_index_begin(&index, hash);
            for (uint32_t i = 0; i < count; i++)
                if (list[i].hash == hash) {
                    found = vef_index_next(&index, &walk);
                    assert_int_equal(found, list[i].number);
                }
            found = vef_index_next(&index, &walk);
            assert_int_equal(found, VEF_INDEX_NONE);
        }
        vef_index_free(&index);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_a_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
