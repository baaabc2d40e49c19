/* Which grid a program laid its tasks out on. */
#include "replay/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void cartesian_communicators(void **state) {
    (void)state;
    /* MPI_Cart_create with dims {2, 3}: rank = 3 c0 + c1, so 3 wide. */
    const uint32_t members[6] = {0, 1, 2, 3, 4, 5}, others[6] = {1, 0, 2, 3, 4, 5};
    const uint32_t extents[2] = {2, 3};
    const uint8_t periodic[2] = {0, 0};
    const uint32_t cube[3] = {1, 3, 2};
    const uint8_t cube_periodic[3] = {0, 0, 0};
    const vef_communicator communicators[] = {
        {.size = 6,
         .members = members,
         .dimensions = 3,
         .extents = cube,
         .periodic = cube_periodic},
        {.size = 6, .members = members},
        {.size = 3, .members = members, .dimensions = 2, .extents = extents, .periodic = periodic},
        {.size = 6, .members = others, .dimensions = 2, .extents = extents, .periodic = periodic},
        {.size = 6, .members = members, .dimensions = 2, .extents = extents, .periodic = periodic},
    };
    const vef_grid grid = vef_program_grid(communicators, 5, 6, 2);
    assert_int_equal(grid.width, 3);
    assert_int_equal(grid.height, 2);
    assert_int_equal(vef_program_grid(communicators, 4, 6, 2).width, 0);
    assert_int_equal(vef_program_grid(communicators, 5, 6, 1).width, 3);
    /* On a network of three dimensions the first communicator: x is its last dimension. */
    const vef_grid three = vef_program_grid(communicators, 5, 6, 3);
    assert_int_equal(three.size[0], 2);
    assert_int_equal(three.size[1], 3);
    assert_int_equal(three.size[2], 1);
    assert_int_equal(vef_program_grid(communicators, 5, 6, 4).width, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cartesian_communicators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
