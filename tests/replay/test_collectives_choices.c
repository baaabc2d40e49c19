/* Which algorithm a collective takes: by the thresholds of MPICH and of Open MPI, by the presets,
 * and by the rules of a network file; every collective has one. test_collectives.c tests what the
 * algorithms do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/collectives/choices.h"
#include "tests/replay/plan_run.h"

#include <string.h>

/* The selection table built into MPICH 4.0.2 (maint/tuning/coll/mpir/generic.json): bcast 8 ranks,
 * 12288 and 524288; reduce 2048; allreduce 8, and a count below the power of two; allgather 81920
 * or 524288 of all blocks together; alltoall 256 and 32768; reduce_scatter_block 524288 in all. */
static const struct {
    uint16_t call;
    uint32_t size;
    uint64_t bytes, elements;
    bool commutative;
    const char *name;
} choices[] = {
    {VEF_CALL_Bcast, 7, 1000000, 0, true, "binomial"},
    {VEF_CALL_Bcast, 8, 12288, 0, true, "binomial"},
    {VEF_CALL_Bcast, 8, 12289, 0, true, "scatter-doubling"},
    {VEF_CALL_Bcast, 9, 12289, 0, true, "scatter-ring"},
    {VEF_CALL_Bcast, 64, 524288, 0, true, "scatter-doubling"},
    {VEF_CALL_Bcast, 64, 524289, 0, true, "scatter-ring"},
    {VEF_CALL_Reduce, 16, 2048, 256, true, "binomial"},
    {VEF_CALL_Reduce, 16, 2056, 257, true, "reduce-scatter-gather"},
    {VEF_CALL_Reduce, 16, 2056, 257, false, "binomial"},
    {VEF_CALL_Reduce, 511, 2056, 257, true, "reduce-scatter-gather"},
    {VEF_CALL_Reduce, 512, 2056, 257, true, "binomial"},
    {VEF_CALL_Allreduce, 16, 8, 16, true, "recursive-doubling"},
    {VEF_CALL_Allreduce, 16, 120, 15, true, "recursive-doubling"},
    {VEF_CALL_Allreduce, 16, 128, 16, true, "reduce-scatter-allgather"},
    {VEF_CALL_Allreduce, 16, 128, 16, false, "recursive-doubling"},
    {VEF_CALL_Allreduce, 512, 2056, 257, true, "recursive-doubling"},
    {VEF_CALL_Allgather, 8, 65535, 0, true, "recursive-doubling"},
    {VEF_CALL_Allgather, 8, 65536, 0, true, "ring"},
    {VEF_CALL_Allgather, 10, 8191, 0, true, "bruck"},
    {VEF_CALL_Allgather, 10, 8192, 0, true, "ring"},
    {VEF_CALL_Alltoall, 7, 256, 0, true, "scattered"},
    {VEF_CALL_Alltoall, 8, 256, 0, true, "scattered"},
    {VEF_CALL_Alltoall, 9, 256, 0, true, "bruck"},
    {VEF_CALL_Alltoall, 9, 257, 0, true, "scattered"},
    {VEF_CALL_Alltoall, 8, 32768, 0, true, "scattered"},
    {VEF_CALL_Alltoall, 8, 32769, 0, true, "pairwise"},
    {VEF_CALL_Alltoall, 4, 32769, 0, true, "pairwise"},
    {VEF_CALL_Reduce_scatter_block, 8, 65528, 8191, true, "recursive-halving"},
    {VEF_CALL_Reduce_scatter_block, 8, 65536, 8192, true, "pairwise"},
    {VEF_CALL_Reduce_scatter_block, 8, 65536, 8192, false, "butterfly"},
    {VEF_CALL_Reduce_scatter_block, 9, 8, 1, false, "recursive-doubling"},
    {VEF_CALL_Comm_split, 9, 0, 0, true, "split"},
};

static void choices_are_mpichs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        collective_case one;
        collective_case_make_with(&one, choices[i].call, choices[i].size, 0, choices[i].bytes,
                                  choices[i].elements, choices[i].commutative);
        assert_string_equal(vef_algorithm_choose(&one.calls[0]).algorithm->name, choices[i].name);
        collective_case_free(&one);
    }
}

/* The fixed decisions of Open MPI 4.1.4 (coll_tuned_decision_fixed.c), read there by hand: both
 * sides of some limits, and what its algorithms fall back to. */
static const struct {
    uint16_t call;
    uint32_t size;
    uint64_t bytes, elements;
    bool commutative;
    const char *name;
} of_openmpi[] = {
    {VEF_CALL_Allreduce, 3, 7, 7, true, "ring"},
    {VEF_CALL_Allreduce, 3, 4, 1, true, "recursive-doubling"}, /* fewer elements than ranks */
    {VEF_CALL_Allreduce, 8, 8191, 1023, true, "recursive-doubling"},
    {VEF_CALL_Allreduce, 8, 8192, 1024, true, "halves-scatter-allgather"},
    {VEF_CALL_Allreduce, 8, 8192, 1, true, "linear"},
    {VEF_CALL_Allreduce, 64, 262143, 32768, true, "recursive-doubling"},
    {VEF_CALL_Allreduce, 64, 262144, 32768, true, "halves-scatter-allgather"},
    {VEF_CALL_Allreduce, 256, 4095, 512, true, "reduce-broadcast"},
    {VEF_CALL_Allreduce, 15, 1048576, 131072, false, "reduce-broadcast"},
    {VEF_CALL_Alltoall, 16, 3, 0, true, "linear"},
    {VEF_CALL_Alltoall, 16, 4, 0, true, "bruck"},
    {VEF_CALL_Alltoall, 127, 262144, 0, true, "pairwise"},
    {VEF_CALL_Barrier, 7, 0, 0, true, "linear"},
    {VEF_CALL_Barrier, 8, 0, 0, true, "recursive-doubling"},
    {VEF_CALL_Barrier, 64, 0, 0, true, "dissemination"},
    {VEF_CALL_Barrier, 300, 0, 0, true, "tree"},
    {VEF_CALL_Bcast, 16, 4095, 0, true, "k-nomial"},
    {VEF_CALL_Bcast, 16, 4096, 0, true, "binomial-pipelined"},
    {VEF_CALL_Bcast, 16, 1048576, 0, true, "scatter-doubling"},
    {VEF_CALL_Bcast, 17, 1048576, 0, true, "scatter-ring"},
    {VEF_CALL_Bcast, 3, 31, 0, true, "chain"},
    {VEF_CALL_Reduce, 15, 8191, 1024, true, "binary"},
    {VEF_CALL_Reduce, 15, 8192, 1024, true, "binomial"},
    {VEF_CALL_Reduce, 15, 1024, 128, false, "linear"},
    {VEF_CALL_Reduce, 16, 1024, 128, false, "in-order-binary"},
    {VEF_CALL_Allgather, 2, 1, 0, true, "recursive-doubling"},
    {VEF_CALL_Allgather, 31, 1, 0, true, "bruck"},
    {VEF_CALL_Allgather, 32, 1024, 0, true, "neighbour-exchange"},
    {VEF_CALL_Allgather, 33, 1024, 0, true, "ring"},
    {VEF_CALL_Reduce_scatter_block, 4, 7, 1, false, "reduce-scatter"},
    {VEF_CALL_Reduce_scatter_block, 32, 65535, 8192, true, "butterfly"},
    {VEF_CALL_Reduce_scatter_block, 33, 65535, 8192, true, "butterfly-mirrored"},
    {VEF_CALL_Reduce_scatter_block, 33, 65536, 8192, true, "reduce-scatter"},
    {VEF_CALL_Gather, 7, 262144, 0, true, "linear-synchronised"},
    {VEF_CALL_Scatter, 64, 511, 0, true, "binomial"},
    {VEF_CALL_Scatter, 64, 512, 0, true, "linear"},
    {VEF_CALL_Scan, 64, 512, 64, true, "linear"},
};

static void choices_are_open_mpis(void **state) {
    (void)state;
    const vef_preset *preset = vef_presets[0];
    for (size_t p = 0; vef_presets[p]; p++)
        if (strcmp(vef_presets[p]->name, "openmpi") == 0)
            preset = vef_presets[p];
    const vef_choices asked = {.preset = preset};
    for (size_t i = 0; i < sizeof of_openmpi / sizeof *of_openmpi; i++) {
        const vef_collective call = {.call = of_openmpi[i].call,
                                     .size = of_openmpi[i].size,
                                     .bytes = of_openmpi[i].bytes,
                                     .elements = of_openmpi[i].elements,
                                     .commutative = of_openmpi[i].commutative,
                                     .choices = &asked};
        assert_string_equal(vef_algorithm_choose(&call).algorithm->name, of_openmpi[i].name);
    }
}

/* The same for vectors: 4 ranks, or 5, of as many bytes in all as the limits say. */
static void vector_choices_are_mpichs(void **state) {
    (void)state;
    uint64_t blocks[5] = {0, 524287, 0, 0, 0};
    vef_collective call = {.call = VEF_CALL_Allgatherv, .size = 4, .receive_bytes = blocks};
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "recursive-doubling");
    blocks[3] = 1;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "ring");
    call.size = 5;
    blocks[1] = 81919;
    blocks[3] = 0;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "bruck");
    blocks[4] = 1;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "ring");

    call.call = VEF_CALL_Reduce_scatter;
    call.commutative = true;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "recursive-halving");
    blocks[1] = 524288;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "pairwise");
    call.commutative = false;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "recursive-doubling");
    call.size = 4;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "recursive-doubling");
    blocks[0] = blocks[2] = blocks[3] = blocks[1];
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "butterfly");
}

/* Every collective that is no variant of another, and every creation of a communicator or window
 * that a trace can hold, has an algorithm whatever its parameters, and so has Win_fence, which is a
 * barrier as well; no other call has. */
static void every_collective_has_an_algorithm(void **state) {
    (void)state;
    for (uint32_t number = 0; number < vef_call_count(); number++) {
        uint16_t call = (uint16_t)number;
        vef_collective any = {.call = call, .size = 6, .bytes = 5, .elements = 1};
        bool collective = vef_call_name(call) && vef_call_base(call) == call &&
                          (vef_call_kind(call) == VEF_KIND_COLLECTIVE ||
                           vef_call_kind(call) == VEF_KIND_COMM || call == VEF_CALL_Win_fence);
        assert_int_equal(vef_algorithm_choose(&any).algorithm != NULL, collective);
    }
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        for (const vef_algorithm *other = vef_algorithms; other < row; other++)
            assert_false(other->call == row->call && other->between == row->between &&
                         strcmp(other->name, row->name) == 0);
}

static bool names(const vef_preset *preset, const vef_algorithm *row, bool *any) {
    bool named = false;
    for (const vef_preference *step = preset->preferences; step->algorithm; step++) {
        if (step->call != row->call)
            continue;
        *any = true;
        named |= strcmp(step->algorithm, row->name) == 0 ||
                 (step->otherwise && strcmp(step->otherwise, row->name) == 0);
    }
    return named;
}

/* Presets name rows of the table; and where a preset says anything of a collective, it chooses an
 * algorithm for every call of it: none is left to the order of the table. */
static void presets_name_algorithms(void **state) {
    (void)state;
    for (size_t p = 0; vef_presets[p]; p++)
        for (const vef_preference *step = vef_presets[p]->preferences; step->algorithm; step++) {
            const char *const both[] = {step->algorithm, step->otherwise};
            for (size_t i = 0; i < 2; i++)
                if (both[i] && !vef_algorithm_find(step->call, both[i], false) &&
                    !vef_algorithm_find(step->call, both[i], true))
                    fail_msg("preset %s: %s has no %s", vef_presets[p]->name,
                             vef_call_name(step->call), both[i]);
        }
    vef_choosable list[VEF_MOST_CHOOSABLE];
    const size_t count = vef_choices_list(list);
    static const uint32_t sizes[] = {2,  3,   4,   7,   8,    15,   31,  63,
                                     64, 100, 200, 500, 1000, 3000, 5000};
    for (size_t p = 0; vef_presets[p]; p++)
        for (size_t i = 0; i < count; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (uint64_t bytes = 1; bytes < 1 << 24; bytes *= 4)
                    for (int commutative = 0; commutative < 2; commutative++) {
                        if (list[i].call == VEF_CALL_Gather || list[i].call == VEF_CALL_Scatter)
                            continue; /* mpich: a choice between groups alone */
                        const vef_choices asked = {.preset = vef_presets[p]};
                        const vef_collective call = {.call = list[i].call,
                                                     .size = sizes[s],
                                                     .bytes = bytes,
                                                     .elements = (bytes + 7) / 8,
                                                     .commutative = commutative,
                                                     .choices = &asked};
                        bool any = false;
                        const vef_algorithm *row = vef_algorithm_choose(&call).algorithm;
                        if (!names(vef_presets[p], row, &any) && any)
                            fail_msg("preset %s: %s of %u ranks, %llu bytes: %s by default",
                                     vef_presets[p]->name, vef_call_name(call.call), sizes[s],
                                     (unsigned long long)bytes, row->name);
                    }
}

static void choose(vef_choices *into, uint16_t call, const char *name, uint64_t up_to_bytes) {
    const vef_algorithm *row = vef_algorithm_find(call, name, false);
    assert_non_null(row);
    vef_rule rule = vef_rule_always(row);
    rule.up_to_bytes = up_to_bytes;
    assert_true(vef_choices_add(into, &rule));
}

/* A choice is one for its collective alone, the first one that fits holds, and it rules the phases
 * of other calls too: the agreement on a communicator is an allreduce of 260 bytes, which MPICH
 * does by reduce-scatter-allgather; among 8, each sends 7/8 there and back, or else 3 times all of
 * it. */
static void choices_hold_for_their_collective(void **state) {
    (void)state;
    vef_choices chosen = {0};
    vef_collective call = {.call = VEF_CALL_Allreduce,
                           .size = 8,
                           .bytes = 8000,
                           .elements = 1000,
                           .commutative = true};
    call.choices = &chosen;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "reduce-scatter-allgather");
    choose(&chosen, VEF_CALL_Bcast, "scatter-ring", UINT64_MAX);
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "reduce-scatter-allgather");
    choose(&chosen, VEF_CALL_Allreduce, "ring", 7999);
    choose(&chosen, VEF_CALL_Allreduce, "recursive-doubling", 8000);
    choose(&chosen, VEF_CALL_Allreduce, "reduce-broadcast", UINT64_MAX);
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "recursive-doubling");
    call.bytes = 8001;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "reduce-broadcast");
    call.bytes = 7999;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "ring");
    call.elements = 7; /* fewer than ranks: the next rule that fits */
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "recursive-doubling");
    assert_true(vef_algorithm_falls_back(&call));
    call.call = VEF_CALL_Bcast;
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "scatter-ring");
    /* Without the hardware, and between two groups, nothing can be chosen. */
    vef_choices hardware = {0};
    choose(&hardware, VEF_CALL_Bcast, "hardware", UINT64_MAX);
    call.choices = &hardware;
    assert_true(vef_choices_needs(&hardware) & VEF_NEEDS_HARDWARE);
    assert_string_equal(vef_algorithm_choose(&call).algorithm->name, "binomial");
    assert_true(vef_algorithm_falls_back(&call));
    call.remote_size = 3;
    assert_true(vef_algorithm_choose(&call).algorithm->between);
    assert_false(vef_algorithm_falls_back(&call));
    vef_choices doubling = {0};
    choose(&doubling, VEF_CALL_Allreduce, "recursive-doubling", UINT64_MAX);
    const struct {
        const vef_choices *choices;
        uint64_t bytes;
    } made[] = {{NULL, 8 * 2 * 7 * 260 / 8}, {&doubling, 8 * 3 * 260}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        plan_world world = {0};
        collective_case one;
        collective_case_make_with(&one, VEF_CALL_Comm_dup, 8, 0, 0, 0, true);
        for (uint32_t r = 0; r < 8; r++)
            one.calls[r].choices = made[i].choices;
        assert_true(plan_world_make(&world, vef_algorithm_choose(&one.calls[0]), &one, false));
        assert_true(plan_world_run(&world, &one, 0));
        assert_int_equal(world.all_bytes, made[i].bytes);
        collective_case_free(&one);
        plan_world_free(&world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_mpichs),
        cmocka_unit_test(choices_are_open_mpis),
        cmocka_unit_test(vector_choices_are_mpichs),
        cmocka_unit_test(every_collective_has_an_algorithm),
        cmocka_unit_test(presets_name_algorithms),
        cmocka_unit_test(choices_hold_for_their_collective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
