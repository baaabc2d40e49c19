/* Collectives on neighbours: their plans on grids, on random graphs with duplicate edges and with
 * loops, against what MPI says of them: each edge carries its own data once, edges between the same
 * two ranks in order, and in grids the message that went down is the one that comes from above. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/rng.h"
#include "tests/replay/plan_run.h"
#include "traces/event.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 64, DEGREE = 64 };

/* The neighbours of each rank, and the bytes along each edge. */
typedef struct graph {
    uint32_t size;
    bool grid;
    vef_neighbours beside[RANKS];
    uint32_t in[RANKS][DEGREE], out[RANKS][DEGREE];
    uint64_t in_bytes[RANKS][DEGREE], out_bytes[RANKS][DEGREE];
} graph;

static const uint16_t calls[] = {VEF_CALL_Neighbor_allgather, VEF_CALL_Neighbor_allgatherv,
                                 VEF_CALL_Neighbor_alltoall, VEF_CALL_Neighbor_alltoallv,
                                 VEF_CALL_Neighbor_alltoallw};

static bool gathers(uint16_t call) {
    return call == VEF_CALL_Neighbor_allgather || call == VEF_CALL_Neighbor_allgatherv;
}

static bool has_vectors(uint16_t call) {
    return call != VEF_CALL_Neighbor_allgather && call != VEF_CALL_Neighbor_alltoall;
}

/* Bytes of edge `k` out of a rank. */
static uint64_t edge_bytes(uint16_t call, uint32_t rank, uint32_t k) {
    if (!has_vectors(call))
        return 24;
    return gathers(call) ? 8 * (uint64_t)(rank % 5) : 8 * ((uint64_t)(rank * 31 + k * 7) % 17);
}

/* Ties each edge out of a rank to the edge into its other end: the n-th with the n-th, in a grid
 * downwards (even places) with from above (odd ones). */
static void weigh(graph *self, uint16_t call) {
    bool taken[RANKS][DEGREE] = {0};
    for (uint32_t from = 0; from < self->size; from++)
        for (uint32_t k = 0; k < self->beside[from].out_count; k++) {
            self->out_bytes[from][k] = edge_bytes(call, from, k);
            uint32_t to = self->out[from][k];
            if (to == VEF_NO_NEIGHBOUR)
                continue;
            uint32_t place = 0;
            while (place < self->beside[to].in_count &&
                   (self->in[to][place] != from || taken[to][place] ||
                    (self->grid && (place ^ 1) != k)))
                place++;
            assert_true(place < self->beside[to].in_count);
            taken[to][place] = true;
            self->in_bytes[to][place] = self->out_bytes[from][k];
        }
}

/* What goes from rank to rank in all. */
static uint64_t *matrix_of(const graph *self) {
    uint64_t *matrix = calloc((size_t)self->size * self->size, sizeof *matrix);
    assert_non_null(matrix);
    for (uint32_t from = 0; from < self->size; from++)
        for (uint32_t k = 0; k < self->beside[from].out_count; k++)
            if (self->out[from][k] != VEF_NO_NEIGHBOUR && self->out[from][k] != from)
                matrix[from * self->size + self->out[from][k]] += self->out_bytes[from][k];
    return matrix;
}

static void check(graph *self) {
    plan_world world = {0};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        weigh(self, calls[c]);
        collective_case one = {.size = self->size, .matrix = matrix_of(self)};
        one.calls = calloc(self->size, sizeof *one.calls);
        assert_non_null(one.calls);
        uint64_t edges = 0;
        for (uint32_t r = 0; r < self->size; r++) {
            vef_neighbours *beside = &self->beside[r];
            beside->in = self->in[r];
            beside->out = self->out[r];
            for (uint32_t k = 0; k < beside->out_count; k++)
                edges += beside->out[k] != VEF_NO_NEIGHBOUR && beside->out[k] != r;
            bool vectors = has_vectors(calls[c]);
            one.calls[r] = (vef_collective){
                .call = calls[c],
                .rank = r,
                .size = self->size,
                .root = -1,
                .bytes = gathers(calls[c]) || !vectors ? edge_bytes(calls[c], r, 0) : 0,
                .send_bytes = vectors && !gathers(calls[c]) ? self->out_bytes[r] : NULL,
                .receive_bytes = vectors ? self->in_bytes[r] : NULL,
                .neighbours = beside,
                .grid = self->grid};
        }
        const vef_tuned choice = vef_algorithm_choose(&one.calls[0]);
        assert_non_null(choice.algorithm);
        if (!plan_world_make(&world, choice, &one, true) || !plan_world_run(&world, &one, 0) ||
            !plan_world_run(&world, &one, PLAN_SYNCHRONOUS | PLAN_DOWNWARDS))
            fail_msg("%s on %u ranks: %s", vef_call_name(calls[c]), self->size, world.fault);
        uint64_t messages = 0;
        for (uint32_t r = 0; r < self->size; r++)
            for (size_t i = 0; i < world.plans[r].count; i++)
                messages += world.plans[r].steps[i].kind == VEF_STEP_SEND;
        assert_int_equal(messages, edges);
        assert_int_equal(world.rounds, edges != 0); /* all at once */
        collective_case_free(&one);
    }
    plan_world_free(&world);
}

/* Neighbours in a grid by coordinates, apart from vef_grid_neighbours: the rank with the same
 * coordinates but one. */
static uint32_t shifted(const uint32_t *extents, const uint8_t *periodic, uint32_t dimensions,
                        uint32_t rank, uint32_t along, int by) {
    uint32_t here[4], result = 0;
    for (uint32_t d = dimensions; d-- > 0; rank /= extents[d])
        here[d] = rank % extents[d];
    int64_t moved = (int64_t)here[along] + by, extent = extents[along];
    if (!periodic[along] && (moved < 0 || moved >= extent))
        return VEF_NO_NEIGHBOUR;
    here[along] = (uint32_t)((moved + extent) % extent);
    for (uint32_t d = 0; d < dimensions; d++)
        result = result * extents[d] + here[d];
    return result;
}

static void grids(void **state) {
    (void)state;
    static const struct {
        uint32_t dimensions, extents[4];
        uint8_t periodic[4];
    } shapes[] = {{1, {1}, {0}},
                  {1, {1}, {1}},
                  {1, {2}, {0}},
                  {1, {2}, {1}},
                  {1, {7}, {0}},
                  {1, {9}, {1}},
                  {2, {3, 4}, {0, 0}},
                  {2, {2, 2}, {1, 1}},
                  {2, {2, 5}, {1, 0}},
                  {2, {4, 1}, {0, 1}},
                  {3, {2, 3, 4}, {1, 0, 1}},
                  {3, {4, 4, 4}, {1, 1, 1}},
                  {4, {2, 1, 3, 2}, {1, 1, 1, 1}}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        graph self = {.grid = true, .size = 1};
        const uint32_t dimensions = shapes[s].dimensions;
        for (uint32_t d = 0; d < dimensions; d++)
            self.size *= shapes[s].extents[d];
        const vef_communicator communicator = {.size = self.size,
                                               .dimensions = dimensions,
                                               .extents = shapes[s].extents,
                                               .periodic = shapes[s].periodic};
        for (uint32_t r = 0; r < self.size; r++) {
            vef_grid_neighbours(&communicator, r, self.in[r]);
            vef_grid_neighbours(&communicator, r, self.out[r]);
            self.beside[r].in_count = self.beside[r].out_count = 2 * dimensions;
            for (uint32_t k = 0; k < 2 * dimensions; k++)
                assert_int_equal(self.in[r][k], shifted(shapes[s].extents, shapes[s].periodic,
                                                        dimensions, r, k / 2, k % 2 ? 1 : -1));
        }
        check(&self);
    }
}

/* MPI 4.0, section 8.2: ranks count in row-major order; of 3 x 4, rank 5 stands at (1, 1). */
static void ranks_count_as_in_mpi(void **state) {
    (void)state;
    const uint32_t extents[] = {3, 4}, wanted[] = {1, 9, 4, 6};
    const uint8_t periodic[] = {0, 0};
    const vef_communicator communicator = {
        .size = 12, .dimensions = 2, .extents = extents, .periodic = periodic};
    uint32_t list[4];
    vef_grid_neighbours(&communicator, 5, list);
    assert_memory_equal(list, wanted, sizeof wanted);
}

static void random_graphs(void **state) {
    (void)state;
    for (uint64_t index = 0; index < 60; index++) {
        vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, index);
        graph self = {.size = 1 + vef_rng_below(&rng, 9)};
        uint32_t edges = vef_rng_below(&rng, 4 * self.size);
        for (uint32_t e = 0; e < edges; e++) {
            uint32_t from = vef_rng_below(&rng, self.size), to = vef_rng_below(&rng, self.size);
            if (self.beside[from].out_count == DEGREE || self.beside[to].in_count == DEGREE)
                continue;
            self.out[from][self.beside[from].out_count++] = to;
            self.in[to][self.beside[to].in_count++] = from;
        }
        check(&self);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids),
        cmocka_unit_test(ranks_count_as_in_mpi),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
