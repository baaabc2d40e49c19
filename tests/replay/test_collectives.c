/* Every algorithm of replay/collectives/table.c, but those on neighbours and between two groups,
 * which have their own tests, run without a network against what MPI says its collective does, and
 * against the rounds and bytes of the literature. The first test goes through the table: a new row
 * needs no edit. test_collectives_choices.c tests which algorithm a call takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/collectives/choices.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"
#include "tests/replay/plan_run.h"
#include "traces/event.h"

#include <stdio.h>
#include <string.h>

/* Every rank must choose the same, from what it knows alone; a chosen row is used where it is
 * supported, and the default otherwise. */
static bool agreed(const vef_algorithm *row, const collective_case *one) {
    const bool can = vef_algorithm_can(row, &one->calls[0]);
    const vef_algorithm *usual = vef_algorithm_choose(&one->calls[0]).algorithm;
    const vef_rule rule = vef_rule_always(row);
    vef_choices chosen = {0};
    assert_non_null(usual);
    assert_int_equal(usual->call, row->call);
    assert_true(vef_choices_add(&chosen, &rule));
    for (uint32_t r = 0; r < one->size; r++) {
        vef_collective mine = one->calls[r];
        assert_int_equal(vef_algorithm_can(row, &mine), can);
        assert_ptr_equal(vef_algorithm_choose(&mine).algorithm, usual);
        mine.choices = &chosen;
        assert_ptr_equal(vef_algorithm_choose(&mine).algorithm, can ? row : usual);
        assert_int_equal(vef_algorithm_falls_back(&mine), !can && !vef_moves_nothing(&mine));
    }
    return can;
}

/* Rows that have their own tests. */
static bool left_out(const vef_algorithm *row) {
    return row->between || collective_is_on_neighbours(row->call);
}

/* Two algorithms pass on data that are no piece of the collective. */
static bool notes_blocks(const vef_algorithm *row, uint32_t size) {
    const bool scatters =
        row->call == VEF_CALL_Reduce_scatter || row->call == VEF_CALL_Reduce_scatter_block;
    return (row->call != VEF_CALL_Scan || strcmp(row->name, "two-level") != 0) &&
           (!scatters || vef_is_power(size) || strcmp(row->name, "recursive-doubling") != 0);
}

static void run_choice(plan_world *world, vef_tuned choice, const collective_case *one,
                       uint32_t root, uint32_t variant) {
    const vef_algorithm *row = choice.algorithm;
    if (!plan_world_make(world, choice, one, notes_blocks(row, one->size)) ||
        !plan_world_run(world, one, 0) ||
        !plan_world_run(world, one, PLAN_SYNCHRONOUS | PLAN_DOWNWARDS))
        fail_msg("%s %s, segments of %llu, degree %u: %u ranks, root %u, variant %u: %s",
                 vef_call_name(row->call), row->name,
                 (unsigned long long)choice.tuning.segment_bytes, choice.tuning.degree, one->size,
                 root, variant, world->fault);
}

/* As usual; in about three segments, which do not divide the elements; and with other degrees. */
static void run_case(plan_world *world, const vef_algorithm *row, const collective_case *one,
                     uint32_t root, uint32_t variant) {
    if (!agreed(row, one))
        return;
    vef_tuned choice = vef_usual(row);
    run_choice(world, choice, one, root, variant);
    if (row->usual.segment_bytes) {
        choice.tuning.segment_bytes = (one->matrix ? 24000 : one->calls[0].bytes) / 3 + 1;
        run_choice(world, choice, one, root, variant);
    }
    for (uint32_t degree = 1; row->usual.degree && degree <= 5; degree += 2) {
        choice.tuning.degree = degree;
        run_choice(world, choice, one, root, variant);
    }
}

static void every_variant(plan_world *world, uint32_t size) {
    for (const vef_algorithm *row = vef_algorithms; row->name; row++) {
        uint32_t roots = left_out(row) ? 0 : collective_is_rooted(row->call) ? size : 1;
        for (uint32_t root = 0; root < roots; root++) {
            const bool far = root == (2 * size / 3 | 1);
            if (size > 33 ? root > 0 && !far
                          : size > 12 && root > 1 && root != size / 2 && !far && root != size - 1)
                continue;
            collective_case one;
            for (uint32_t v = 0; collective_case_make(&one, row->call, size, root, v); v++) {
                run_case(world, row, &one, root, v);
                collective_case_free(&one);
            }
        }
    }
}

static void every_algorithm_does_what_mpi_says(void **state) {
    (void)state;
    plan_world world = {0};
    /* Beyond 17 those near powers of two, and some that are far from any. */
    static const uint32_t larger[] = {20, 27, 31, 32, 33, 64, 67};
    for (uint32_t size = 1; size <= 17; size++)
        every_variant(&world, size);
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        every_variant(&world, larger[i]);
    plan_world_free(&world);
}

/* Hierarchies: nodes of three consecutive ranks (the last one of fewer), three nodes of ranks in
 * turn, one node of all, and one rank on a node of its own. Messages between nodes are fewer than
 * ranks. */
enum { ARRANGEMENTS = 4 };

static void arrange(uint32_t arrangement, uint32_t size, uint32_t *names) {
    for (uint32_t r = 0; r < size; r++) {
        const uint32_t total[ARRANGEMENTS] = {900 - r / 3, r % 3, 7, r == size / 2};
        names[r] = total[arrangement];
    }
}

static uint32_t messages_between(const plan_world *world, const uint32_t *names) {
    uint32_t count = 0;
    for (uint32_t r = 0; r < world->size; r++)
        for (size_t i = 0; i < world->plans[r].count; i++)
            count += world->plans[r].steps[i].kind == VEF_STEP_SEND &&
                     names[r] != names[world->plans[r].steps[i].peer];
    return count;
}

static void run_hierarchy(plan_world *world, const vef_algorithm *row, uint32_t size, uint32_t root,
                          uint32_t arrangement) {
    uint32_t names[RANK_SET_LIMIT];
    vef_arena arena = {0};
    collective_case one;
    arrange(arrangement, size, names);
    const vef_nodes *nodes = vef_nodes_make(names, size, &arena);
    assert_non_null(nodes);
    for (uint32_t v = 0; collective_case_make(&one, row->call, size, root, v); v++) {
        for (uint32_t r = 0; r < size; r++)
            one.calls[r].nodes = nodes;
        if (agreed(row, &one)) {
            run_choice(world, vef_usual(row), &one, root, v);
            if (row->needs & VEF_NEEDS_NODES && row->call == VEF_CALL_Bcast &&
                one.calls[0].bytes == 1)
                assert_int_equal(messages_between(world, names), nodes->count - 1);
        }
        collective_case_free(&one);
    }
    vef_arena_release(&arena);
}

static void hierarchies_do_what_mpi_says(void **state) {
    (void)state;
    plan_world world = {0};
    uint32_t rows = 0;
    for (const vef_algorithm *row = vef_algorithms; row->name; row++) {
        if (!(row->needs & (VEF_NEEDS_NODES | VEF_USES_NODES)))
            continue;
        rows++;
        for (uint32_t size = 2; size <= 33; size += size < 17 ? 1 : 4)
            for (uint32_t root = 0; root < (collective_is_rooted(row->call) ? size : 1);
                 root += 1 + size / 4)
                for (uint32_t arrangement = 0; arrangement < ARRANGEMENTS; arrangement++)
                    run_hierarchy(&world, row, size, root, arrangement);
    }
    assert_true(rows >= 4);
    plan_world_free(&world);
}

/* Beyond the size whose data is followed: messages fit together and no rank waits for ever. Rings
 * and similar algorithms, of 500 rounds of 500 ranks, are left at the smaller size. */
static void many_ranks_finish(void **state) {
    (void)state;
    static const uint32_t sizes[] = {131, 500, 512};
    plan_world world = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (const vef_algorithm *row = vef_algorithms; row->name; row++) {
            collective_case one;
            if (left_out(row))
                continue;
            if (!collective_case_make(&one, row->call, sizes[i], 5, 4))
                collective_case_make(&one, row->call, sizes[i], 5, 0);
            vef_plan plan = {0};
            bool makes = vef_algorithm_can(row, &one.calls[1]) &&
                         vef_plan_make(vef_usual(row), &one.calls[1], &plan, NULL) == VEF_OK;
            if (makes && (sizes[i] < 200 || plan.count < 200))
                run_case(&world, row, &one, 5, 4);
            vef_plan_release(&plan);
            collective_case_free(&one);
        }
    plan_world_free(&world);
}

/* The costs that the literature states: rounds (the number of alphas) and the bytes of the busiest
 * rank, from p, log2 p rounded up (`up`) and down (`down`), and n, the bytes of `vef_collective`.
 */
typedef uint64_t cost(uint64_t p, uint64_t up, uint64_t down, uint64_t n);
#define COST(name, formula)                                                                        \
    static uint64_t name(uint64_t p, uint64_t up, uint64_t down, uint64_t n) {                     \
        (void)p, (void)up, (void)down, (void)n;                                                    \
        return formula;                                                                            \
    }
COST(nothing, 0)
COST(once, 1)
COST(log_up, up)
COST(twice_log, 2 * up)
COST(log_and_ring, up + p - 1)
COST(others, p - 1)
COST(batches, (p + 31) / 32)
COST(folded_log, up == down ? up : down + 2)
COST(folded_twice, up == down ? 2 * up : 2 * down + 2)
COST(n_log, n *up)
COST(most_twice, 2 * n * (p - 1) / p)
COST(blocks, n *(p - 1))
COST(bruck_bytes, n *p / 2 * up)
COST(twice_log_up, 2 * up)
COST(levels, down)
COST(up_and_down, up + down)
COST(halves_twice, up == down ? 2 * up : 2 * down + 3)
COST(turns_twice, 2 * p)
COST(everyone, p)
COST(others_twice, 2 * (p - 1))
COST(asked_in_turn, 2 * (p - 1) + 1)
COST(half, p / 2)
COST(buffer, n)
COST(buffer_twice, p > 2 ? 2 * n : n)
/* A chain, and a binary tree, of n / 65,536 segments. */
COST(chain, p - 1 + n / 65536 - 1)
COST(binary, down + n / 65536 - 1)
/* The greatest number of digits to the base 4 that are not 0, below p; the least number with d of
 * them is (4^d - 1) / 3. */
COST(digits_of_4, p > 85 ? 4 : p > 21 ? 3 : p > 5 ? 2 : 1)
COST(doubling_bytes, n *p *up - n * (p - 1))

static const struct {
    uint16_t call;
    const char *name;
    cost *rounds, *bytes;
    bool any_rounds, any_bytes; /* they hold for every p, not only for powers of two */
} costs[] = {
    {VEF_CALL_Barrier, "dissemination", log_up, nothing, true, true},
    {VEF_CALL_Bcast, "binomial", log_up, n_log, true, false},
    {VEF_CALL_Bcast, "scatter-doubling", twice_log, most_twice, false, false},
    {VEF_CALL_Bcast, "scatter-ring", log_and_ring, most_twice, true, false},
    {VEF_CALL_Reduce, "binomial", log_up, n_log, true, false},
    {VEF_CALL_Reduce, "reduce-scatter-gather", twice_log, most_twice, false, false},
    {VEF_CALL_Allreduce, "recursive-doubling", folded_log, n_log, true, false},
    {VEF_CALL_Allreduce, "reduce-scatter-allgather", folded_twice, most_twice, true, false},
    {VEF_CALL_Gather, "binomial", log_up, blocks, true, true},
    {VEF_CALL_Gatherv, "linear", once, NULL, true, false},
    {VEF_CALL_Scatter, "binomial", log_up, blocks, true, true},
    {VEF_CALL_Allgather, "recursive-doubling", log_up, blocks, false, false},
    {VEF_CALL_Allgather, "bruck", log_up, blocks, true, true},
    {VEF_CALL_Allgather, "ring", others, blocks, true, true},
    {VEF_CALL_Alltoall, "bruck", log_up, bruck_bytes, true, false},
    {VEF_CALL_Alltoall, "scattered", batches, blocks, true, true},
    {VEF_CALL_Alltoall, "pairwise", others, blocks, true, true},
    {VEF_CALL_Reduce_scatter_block, "recursive-halving", folded_log, blocks, true, false},
    {VEF_CALL_Reduce_scatter_block, "pairwise", others, blocks, true, true},
    {VEF_CALL_Reduce_scatter_block, "butterfly", log_up, blocks, false, false},
    {VEF_CALL_Reduce_scatter_block, "recursive-doubling", log_up, doubling_bytes, false, false},
    {VEF_CALL_Scan, "recursive-doubling", log_up, n_log, true, false},
    {VEF_CALL_Exscan, "recursive-doubling", log_up, n_log, true, false},
    {VEF_CALL_Barrier, "recursive-doubling", folded_log, nothing, true, true},
    {VEF_CALL_Barrier, "tree", twice_log_up, nothing, true, true},
    {VEF_CALL_Barrier, "linear", everyone, nothing, true, true},
    {VEF_CALL_Barrier, "double-ring", turns_twice, nothing, true, true},
    {VEF_CALL_Bcast, "linear", once, blocks, true, true},
    {VEF_CALL_Bcast, "binomial-pipelined", levels, n_log, true, true},
    {VEF_CALL_Bcast, "k-nomial", digits_of_4, NULL, true, false},
    {VEF_CALL_Bcast, "chain", chain, buffer, true, true},
    {VEF_CALL_Bcast, "binary", binary, buffer_twice, true, true},
    {VEF_CALL_Reduce, "linear", others, blocks, true, true},
    {VEF_CALL_Reduce, "chain", chain, buffer, true, true},
    {VEF_CALL_Reduce, "binary", binary, buffer_twice, true, true},
    {VEF_CALL_Allreduce, "ring", others_twice, most_twice, true, false},
    {VEF_CALL_Allreduce, "segmented-ring", others_twice, most_twice, true, false},
    {VEF_CALL_Allreduce, "halves-scatter-allgather", halves_twice, most_twice, true, false},
    {VEF_CALL_Allreduce, "binomial", up_and_down, n_log, true, false},
    {VEF_CALL_Allreduce, "linear", everyone, blocks, true, true},
    {VEF_CALL_Gather, "linear", once, blocks, true, true},
    {VEF_CALL_Gather, "linear-synchronised", asked_in_turn, blocks, true, true},
    {VEF_CALL_Scatter, "linear", once, blocks, true, true},
    {VEF_CALL_Scatter, "linear-in-turn", others, blocks, true, true},
    {VEF_CALL_Allgather, "neighbour-exchange", half, blocks, false, false},
    {VEF_CALL_Alltoall, "linear", once, blocks, true, true},
    {VEF_CALL_Reduce_scatter_block, "ring", others, blocks, true, true},
    {VEF_CALL_Scan, "linear", others, buffer, true, true},
    {VEF_CALL_Exscan, "linear", others, buffer, true, true},
};

static void costs_are_those_of_the_literature(void **state) {
    (void)state;
    plan_world world = {0};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const vef_algorithm *row = vef_algorithm_find(costs[i].call, costs[i].name, false);
        assert_non_null(row);
        for (uint32_t p = 2; p <= 128; p += p < 34 ? 1 : p == 34 ? 29 : p < 66 ? 1 : 31) {
            uint64_t up = 0, down = 0, n = 128 * 128 * 8;
            while (1u << up < p)
                up++;
            while (2u << down <= p)
                down++;
            bool power = up == down;
            if (!power && !costs[i].any_rounds)
                continue;
            collective_case one;
            if (row->call == VEF_CALL_Gatherv)
                assert_true(collective_case_make(&one, row->call, p, 0, 1));
            else
                collective_case_make_with(&one, row->call, p, p / 3, n, n / 8, true);
            assert_true(plan_world_make(&world, vef_usual(row), &one, false));
            assert_true(plan_world_run(&world, &one, 0));
            uint64_t rounds = costs[i].rounds(p, up, down, n);
            if (world.rounds != rounds)
                fail_msg("%s %s, %u ranks: %u rounds, not %u", vef_call_name(row->call), row->name,
                         p, world.rounds, (unsigned)rounds);
            bool known = costs[i].bytes && (power || costs[i].any_bytes);
            uint64_t bytes = known ? costs[i].bytes(p, up, down, n) : 0;
            if (known && world.most_bytes != bytes)
                fail_msg("%s %s, %u ranks: %llu bytes, not %llu", vef_call_name(row->call),
                         row->name, p, (unsigned long long)world.most_bytes,
                         (unsigned long long)bytes);
            collective_case_free(&one);
        }
    }
    plan_world_free(&world);
}

/* A split is an allgather of two ints a rank (Bruck's, for 9 ranks: 8 blocks) and an allreduce of
 * MPICH's 65-word mask (long enough for Rabenseifner's). */
static void split_moves_what_mpich_moves(void **state) {
    (void)state;
    plan_world world = {0};
    collective_case one;
    collective_case_make_with(&one, VEF_CALL_Comm_split, 9, 0, 0, 0, true);
    assert_true(plan_world_make(&world, vef_algorithm_choose(&one.calls[0]), &one, false));
    assert_true(plan_world_run(&world, &one, 0));
    /* Bruck's allgather: 8 foreign blocks of 8 bytes for each. Rabenseifner's allreduce: 260 bytes
     * folded in and out, and among 8 ranks everything but the own part, there and back. */
    assert_int_equal(world.all_bytes, 9 * 8 * 8 + (2 + 2 * (8 - 1)) * 260);
    collective_case_free(&one);
    plan_world_free(&world);
}

/* Making a window among 4: an allreduce of 65 words (Rabenseifner's: everything but the own
 * quarter, there and back) and of a byte (two rounds of all 4), allgathers of 8 and of 16 bytes a
 * rank (each gets 3 foreign blocks), and a barrier, which has no bytes. */
static void windows_move_what_mpich_moves(void **state) {
    (void)state;
    const uint64_t agree = 2 * 3 * 260, flag = 2 * 4, addresses = 4 * 3 * (8 + 16);
    const struct {
        uint16_t call;
        uint64_t bytes;
    } made[] = {{VEF_CALL_Win_create, agree + flag + addresses},
                {VEF_CALL_Win_allocate, agree + 2 * flag + addresses},
                {VEF_CALL_Win_allocate_shared, agree + 2 * flag + 4 * 3 * 24},
                {VEF_CALL_Win_create_dynamic, agree + flag},
                {VEF_CALL_Win_free, 0}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        plan_world world = {0};
        collective_case one;
        collective_case_make_with(&one, made[i].call, 4, 0, 0, 0, true);
        assert_true(plan_world_make(&world, vef_algorithm_choose(&one.calls[0]), &one, false));
        assert_true(plan_world_run(&world, &one, 0));
        assert_int_equal(world.all_bytes, made[i].bytes);
        collective_case_free(&one);
        plan_world_free(&world);
    }
}

static void refuse(vef_collective call, const char *because) {
    vef_plan plan = {0};
    vef_error error;
    assert_int_equal(vef_plan_make(vef_algorithm_choose(&call), &call, &plan, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, because));
    vef_plan_release(&plan);
}

static void impossible_calls_are_refused(void **state) {
    (void)state;
    const uint32_t beyond = 4;
    const vef_neighbours one = {.in_count = 1, .in = &beyond};
    refuse((vef_collective){.call = VEF_CALL_Neighbor_alltoall, .size = 4}, "neighbours");
    refuse((vef_collective){.call = VEF_CALL_Neighbor_alltoall, .size = 4, .neighbours = &one},
           "neighbours");
    refuse((vef_collective){.call = VEF_CALL_Neighbor_alltoallv, .size = 5, .neighbours = &one},
           "receive");
    refuse((vef_collective){.call = VEF_CALL_Barrier, .rank = 4, .size = 4}, "rank");
    refuse((vef_collective){.call = VEF_CALL_Bcast, .size = 4, .root = -1, .bytes = 1}, "root");
    refuse((vef_collective){.call = VEF_CALL_Reduce, .size = 4, .root = 4, .bytes = 1}, "root");
    refuse((vef_collective){.call = VEF_CALL_Gatherv, .size = 4, .root = 0}, "receive");
    refuse((vef_collective){.call = VEF_CALL_Scatterv, .size = 4, .root = 0}, "send");
    refuse((vef_collective){.call = VEF_CALL_Allgatherv, .size = 4}, "receive");
    refuse((vef_collective){.call = VEF_CALL_Alltoallv, .size = 4}, "send");
    refuse((vef_collective){.call = VEF_CALL_Reduce_scatter, .size = 4}, "receive");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_does_what_mpi_says),
        cmocka_unit_test(hierarchies_do_what_mpi_says),
        cmocka_unit_test(many_ranks_finish),
        cmocka_unit_test(costs_are_those_of_the_literature),
        cmocka_unit_test(split_moves_what_mpich_moves),
        cmocka_unit_test(windows_move_what_mpich_moves),
        cmocka_unit_test(impossible_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
