/* Collectives between two groups: every row of the table for them, run without a network on groups
 * of 1 to 9 ranks, with every root on either side, against what MPI says; and the numbers of
 * messages that follow from how MPICH composes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/collectives/choices.h"
#include "tests/replay/between_case.h"
#include "tests/replay/plan_run.h"
#include "traces/event.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 9 };

/* Every rank that takes part takes the same row; those beside a root have an empty plan of any. */
static bool taken(const vef_algorithm *row, const collective_case *one) {
    const vef_algorithm *chosen = NULL;
    for (uint32_t r = 0; r < one->size; r++) {
        if (one->calls[r].root == VEF_ROOT_BESIDE)
            continue;
        const vef_algorithm *mine = vef_algorithm_choose(&one->calls[r]).algorithm;
        assert_non_null(mine);
        assert_true(mine->between && mine->call == row->call);
        assert_true(!chosen || chosen == mine);
        chosen = mine;
    }
    return vef_algorithm_can(row, &one->calls[0]);
}

static void run_row(plan_world *world, const vef_algorithm *row, uint32_t first, uint32_t second) {
    uint32_t roots = collective_is_rooted(row->call) ? first + second : 1;
    for (uint32_t root = 0; root < roots; root++) {
        collective_case one;
        for (uint32_t v = 0; between_case_make(&one, row->call, first, second, root, v); v++) {
            if (taken(row, &one) &&
                (!plan_world_make(world, vef_usual(row), &one, true) ||
                 !plan_world_run(world, &one, 0) ||
                 !plan_world_run(world, &one, PLAN_SYNCHRONOUS | PLAN_DOWNWARDS)))
                fail_msg("%s %s: %u and %u ranks, root %u, variant %u: %s",
                         vef_call_name(row->call), row->name, first, second, root, v, world->fault);
            collective_case_free(&one);
        }
    }
}

static void every_row_does_what_mpi_says(void **state) {
    (void)state;
    plan_world world = {0};
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        for (uint32_t first = 1; row->between && first <= MOST; first++)
            for (uint32_t second = 1; second <= MOST; second++)
                run_row(&world, row, first, second);
    run_row(&world,
            vef_algorithm_choose(
                &(vef_collective){.call = VEF_CALL_Allreduce, .size = 1, .remote_size = 1})
                .algorithm,
            40, 33);
    plan_world_free(&world);
}

/* Every collective but scans, which MPI has for one group alone, and what MPI lets be made of two
 * groups. */
static void what_there_is_between_groups(void **state) {
    (void)state;
    for (uint32_t number = 0; number < vef_call_count(); number++) {
        uint16_t call = (uint16_t)number;
        vef_collective any = {.call = call, .size = 3, .remote_size = 2, .bytes = 8, .elements = 1};
        bool collective = vef_call_name(call) && vef_call_base(call) == call &&
                          vef_call_kind(call) == VEF_KIND_COLLECTIVE && call != VEF_CALL_Scan &&
                          call != VEF_CALL_Exscan && !collective_is_on_neighbours(call);
        if (collective)
            assert_non_null(vef_algorithm_choose(&any).algorithm);
        if (call == VEF_CALL_Scan || call == VEF_CALL_Exscan || call == VEF_CALL_Cart_create ||
            call == VEF_CALL_Win_create || collective_is_on_neighbours(call))
            assert_null(vef_algorithm_choose(&any).algorithm);
    }
    const uint16_t made[] = {VEF_CALL_Comm_dup,   VEF_CALL_Comm_idup,       VEF_CALL_Comm_create,
                             VEF_CALL_Comm_split, VEF_CALL_Intercomm_merge, VEF_CALL_Comm_free};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_non_null(
            vef_algorithm_choose(&(vef_collective){.call = made[i], .size = 3, .remote_size = 2})
                .algorithm);
}

/* Who is told of how much cannot be known where the groups' parts differ in length: the messages
 * must fit all the same. */
static void unequal_parts_fit(void **state) {
    (void)state;
    static const uint16_t calls[] = {VEF_CALL_Allgather, VEF_CALL_Alltoall};
    static const uint64_t lengths[][2] = {{0, 8}, {8, 0}, {8, 100000}, {4096, 1}};
    for (uint32_t first = 1; first <= MOST; first += 2)
        for (uint32_t second = 1; second <= MOST; second++)
            for (size_t c = 0; c < 2 * sizeof lengths / sizeof *lengths; c++) {
                int balance[2 * MOST][2 * MOST] = {0};
                for (uint32_t r = 0; r < first + second; r++) {
                    bool high = r >= first;
                    vef_collective call = {.call = calls[c % 2],
                                           .rank = high ? r - first : r,
                                           .size = high ? second : first,
                                           .remote_size = high ? first : second,
                                           .second_group = high,
                                           .root = -1,
                                           .bytes = lengths[c / 2][high]};
                    vef_plan plan = {0};
                    assert_int_equal(vef_plan_make(vef_algorithm_choose(&call), &call, &plan, NULL),
                                     VEF_OK);
                    for (size_t i = 0; i < plan.count; i++)
                        if (plan.steps[i].kind == VEF_STEP_SEND)
                            balance[r][plan.steps[i].peer]++;
                        else
                            balance[plan.steps[i].peer][r]--;
                    vef_plan_release(&plan);
                }
                for (size_t a = 0; a < 2 * MOST; a++)
                    for (size_t b = 0; b < 2 * MOST; b++)
                        assert_int_equal(balance[a][b], 0);
            }
}

static void costs(uint16_t call, uint32_t p, uint32_t q, uint32_t root, uint32_t variant,
                  uint64_t messages, uint64_t bytes) {
    plan_world world = {0};
    collective_case one;
    assert_true(between_case_make(&one, call, p, q, root, variant));
    uint32_t asked = collective_is_rooted(call) && root == 0 ? 0 : one.size - 1;
    assert_true(plan_world_make(&world, vef_algorithm_choose(&one.calls[asked]), &one, false));
    assert_true(plan_world_run(&world, &one, 0));
    uint64_t sent = 0;
    for (uint32_t r = 0; r < one.size; r++)
        for (size_t i = 0; i < world.plans[r].count; i++)
            sent += world.plans[r].steps[i].kind == VEF_STEP_SEND;
    assert_int_equal(sent, messages);
    assert_int_equal(world.all_bytes, bytes);
    collective_case_free(&one);
    plan_world_free(&world);
}

/* Of 5 and 3 ranks, by hand. Trees of k ranks take k - 1 messages; a dissemination barrier of 5
 * ranks 5 x 3 and one of 3 ranks 3 x 2. */
static void numbers_of_messages(void **state) {
    (void)state;
    const uint64_t p = 5, q = 3;
    costs(VEF_CALL_Barrier, 5, 3, 0, 0, 15 + 6 + 2 + 4 + 2, 2 + 4 + 2);
    costs(VEF_CALL_Bcast, 5, 3, 0, 1, 1 + (q - 1), 8 * q);
    costs(VEF_CALL_Reduce, 5, 3, 0, 1, 1 + (q - 1), 8 * q);
    costs(VEF_CALL_Allreduce, 5, 3, 0, 1, 2 * (p - 1) + 2 * (q - 1) + 2, 8 * (8 + 4 + 2));
    /* 104 bytes each, 312 in all: a tree of 3 (1 to 0, 2 to 0), then all of them in one. */
    costs(VEF_CALL_Gather, 5, 3, 0, 2, 3, 2 * 104 + 312);
    costs(VEF_CALL_Scatter, 5, 3, 0, 2, 3, 312 + 2 * 104);
    costs(VEF_CALL_Gather, 5, 3, 0, 3, 3, 3 * 4096);
    costs(VEF_CALL_Scatter, 5, 3, 7, 3, 5, 5 * 4096);
    costs(VEF_CALL_Alltoall, 5, 3, 0, 3, 2 * p * q, 2 * p * q * 4096);
    /* Trees of 5 and 3 with 8 bytes a rank (5: 1 and 2 and 3 to where, 2 + 3 together), the whole
     * across and down a tree. */
    costs(VEF_CALL_Allgather, 5, 3, 0, 1, 4 + 2 + 2 + 4 + 2,
          8 * (1 + 2 + 1 + 1) + 8 * 2 + 8 * (5 + 3) + 8 * (3 * 4 + 5 * 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_does_what_mpi_says),
        cmocka_unit_test(what_there_is_between_groups),
        cmocka_unit_test(unequal_parts_fit),
        cmocka_unit_test(numbers_of_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
