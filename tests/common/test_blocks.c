/* A growing array whose items do not move: all are apart, keep what threads that add more at the
 * same time write, and are where they were. */
#include "common/containers/blocks.h"
#include "common/threads/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum { ITEMS = 20000, THREADS = 4, ITEM_BYTES = 24 };

typedef struct shared {
    vef_blocks blocks;
    void *where[ITEMS];
} shared;

/* Every fourth item is one thread's. */
static void add_items(void *context, uint32_t worker, uint32_t piece) {
    shared *common = context;
    (void)worker;
    for (uint32_t i = piece; i < ITEMS; i += THREADS) {
        vef_blocks_reserve(&common->blocks, i + 1u, ITEM_BYTES);
        common->where[i] = vef_blocks_at(&common->blocks, i, ITEM_BYTES);
        memset(common->where[i], (int)(i % 251), ITEM_BYTES);
    }
}

static void test_items_stay(void **state) {
    (void)state;
    static shared common;
    vef_workers_run(THREADS, THREADS, add_items, &common);
    for (uint32_t i = 0; i < ITEMS; i++) {
        unsigned char expected[ITEM_BYTES];
        memset(expected, (int)(i % 251), ITEM_BYTES);
        assert_ptr_equal(vef_blocks_at(&common.blocks, i, ITEM_BYTES), common.where[i]);
        assert_memory_equal(common.where[i], expected, ITEM_BYTES);
    }
    const uint64_t bytes = vef_blocks_bytes(&common.blocks, ITEM_BYTES);
    assert_in_range(bytes, ITEMS * ITEM_BYTES, 2 * (ITEMS + VEF_FIRST_BLOCK) * ITEM_BYTES);
    vef_blocks_release(&common.blocks, ITEM_BYTES);
    assert_int_equal(vef_blocks_bytes(&common.blocks, ITEM_BYTES), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_items_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
