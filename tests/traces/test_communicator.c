/* The coding of communicators: bytes that lie are refused, groups that follow each other take no
 * memory, and ranks are found whatever the order of members. */
#include "traces/format/communicator.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 1000 };

/* One run of members: count, first, length, stride. */
static vef_code read_run(uint64_t first, uint64_t length, int64_t stride, const uint32_t *world,
                         vef_arena *arena, vef_communicator *made) {
    uint8_t bytes[64], *to = bytes;
    to = vef_put_varint(to, 0); /* no parent */
    to = vef_put_varint(to, VEF_CALL_Init);
    to = vef_put_varint(to, length);
    to = vef_put_varint(to, first);
    to = vef_put_varint(to, length);
    to = vef_put_signed(to, stride);
    to = vef_put_varint(to, 0); /* no remote members, dimensions, neighbours */
    to = vef_put_varint(to, 0);
    to = vef_put_varint(to, 0);
    vef_cursor from = {bytes, to, false};
    vef_error error = {0};
    return vef_communicator_get(&from, 0, TASKS, VEF_LISTS_OF_ALL, world, arena, made, &error);
}

static void test_members_that_lie(void **state) {
    (void)state;
    vef_arena arena = {0};
    vef_communicator made;
    assert_int_equal(read_run(10, 3, 400, NULL, &arena, &made), VEF_OK);
    assert_int_equal(made.members[2], 810);
    const struct {
        uint64_t first;
        int64_t stride;
    } lies[] = {
        {INT64_MAX, 1}, {INT64_MAX - 1, TASKS}, {UINT64_MAX, 1},
        {TASKS, 1},     {TASKS - 1, 1},         {0, -1},
        {0, INT64_MAX}, {TASKS - 1, INT64_MIN}, {(uint64_t)1 << 63, -1},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        assert_int_equal(read_run(lies[i].first, 3, lies[i].stride, NULL, &arena, &made),
                         VEF_CORRUPT);
    assert_int_equal(read_run(0, TASKS + 1, 1, NULL, &arena, &made), VEF_CORRUPT);
    vef_arena_release(&arena);
}

static void test_parts_of_the_world(void **state) {
    (void)state;
    uint32_t world[TASKS];
    for (uint32_t i = 0; i < TASKS; i++)
        world[i] = i;
    vef_arena arena = {0};
    vef_communicator made;
    for (uint32_t first = 0; first < TASKS; first += 111) {
        assert_int_equal(read_run(first, 100, 1, world, &arena, &made),
                         first + 100 <= TASKS ? VEF_OK : VEF_CORRUPT);
        if (first + 100 <= TASKS) {
            assert_ptr_equal(made.members, world + first);
            assert_int_equal(made.size, 100);
        }
    }
    size_t held = arena.held_bytes;
    assert_int_equal(read_run(5, 100, 2, world, &arena, &made), VEF_OK);
    assert_true(held <= arena.held_bytes);
    assert_true(made.members < world || made.members >= world + TASKS);
    assert_int_equal(made.members[99], 5 + 2 * 99);
    vef_arena_release(&arena);
}

/* Against a search of the whole list. */
static void expect_ranks(const uint32_t *members, uint32_t size) {
    vef_ranks ranks;
    vef_error error;
    assert_int_equal(vef_ranks_make(&ranks, members, size, &error), VEF_OK);
    for (uint32_t task = 0; task < TASKS; task++) {
        int32_t rank = VEF_NO_MEMBER;
        for (uint32_t i = 0; i < size; i++)
            if (members[i] == task)
                rank = (int32_t)i;
        assert_int_equal(vef_ranks_find(&ranks, task), rank);
    }
    vef_ranks_free(&ranks);
}

static void test_ranks(void **state) {
    (void)state;
    uint32_t members[TASKS], chosen[TASKS];
    vef_rng rng = vef_rng_make(11, VEF_RNG_TEST, 0);
    for (uint32_t i = 0; i < TASKS; i++)
        members[i] = i;
    expect_ranks(members, TASKS);    /* the world */
    expect_ranks(members + 17, 400); /* ascending */
    expect_ranks(members, 0);
    for (unsigned round = 0; round < 20; round++) {
        uint32_t size = 1 + vef_rng_below(&rng, TASKS);
        memcpy(chosen, members, sizeof chosen);
        for (uint32_t i = 0; i < size; i++) { /* a shuffle of some */
            uint32_t other = i + vef_rng_below(&rng, TASKS - i), kept = chosen[i];
            chosen[i] = chosen[other];
            chosen[other] = kept;
        }
        expect_ranks(chosen, size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_that_lie),
        cmocka_unit_test(test_parts_of_the_world),
        cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
