/* Exchanges of halos on a grid: each task sends to its neighbours along the axes (5-point stencils
 * in two dimensions, 7-point in three), or also along the diagonals (9-point, 27-point), by Irecv,
 * Isend and Waitall.
 *
 * A task has a block of cells. What it sends in a direction is the layer of cells there, as thick
 * as the halo: with c_d cells in dimension d and a halo of h cells, the product over all dimensions
 * of c_d where the direction has no component in d, else of h. */
#include "workloads/grid.h"
#include "workloads/workload.h"

enum { DIMENSIONS = 3, DIRECTIONS = 27 };

typedef struct parameters {
    vef_int_list grid, cells;
    int neighbours;
    bool periodic;
    uint32_t halo;
    uint64_t cell;
} parameters;

static const char *const neighbours[] = {"faces", "all", NULL};

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, cells), .minimum = 1, .maximum = 1 << 16,
     .help = "cells of a task's block in each dimension, two or three"},
    {VEF_KEY(INT_LIST, parameters, grid), .fallback = "[]", .minimum = 1, .maximum = 1 << 24,
     .default_text = "as square as possible", .help = "tasks in each dimension"},
    {VEF_KEY(CHOICE, parameters, neighbours), .fallback = "faces", .choices = neighbours,
     .help = "along the axes (5 or 7 points), or also along the diagonals (9 or 27)"},
    {VEF_KEY(BOOL, parameters, periodic), .fallback = "true",
     .help = "whether the first and the last task of a row are neighbours"},
    {VEF_KEY(COUNT, parameters, halo), .fallback = "1", .minimum = 1, .maximum = 1024,
     .help = "layers of cells that are exchanged"},
    {VEF_KEY(BYTES, parameters, cell), .fallback = "8 B", .minimum = 1, .maximum = 1 << 16,
     .help = "size of a cell"},
    {.key = NULL},
};

/* A direction of messages. */
typedef struct direction {
    int offset[DIMENSIONS];
    uint64_t bytes;
} direction;

typedef struct exchange {
    vef_workload_grid grid;
    direction directions[DIRECTIONS];
    size_t count;
} exchange;

/* Number `place` of the 3^d offsets, each component from -1 to 1; false: not one of the wanted. */
static bool make_direction(const parameters *given, const vef_workload_grid *grid, int place,
                           direction *made) {
    int components = 0;
    *made = (direction){.bytes = given->cell};
    for (uint32_t d = 0; d < grid->dimensions; d++, place /= 3) {
        made->offset[d] = place % 3 - 1;
        components += made->offset[d] != 0;
        made->bytes *= made->offset[d] ? given->halo : (uint64_t)given->cells.values[d];
        if (made->offset[d] && grid->sizes[d] == 1)
            return false; /* a task is not its own neighbour */
    }
    return components == 1 || (components > 1 && given->neighbours == 1);
}

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    exchange *made = vef_arena_alloc(step->arena, 1, sizeof *made);
    if (!made)
        return vef_fail_memory(error, "a stencil", sizeof *made);
    if (given->cells.count < 2 || given->cells.count > DIMENSIONS)
        return vef_node_fail(step->node, error, "cells: expected two or three dimensions, not %zu",
                             given->cells.count);
    *made = (exchange){0};
    vef_code code = vef_workload_grid_make(&given->grid, (uint32_t)given->cells.count, step->tasks,
                                           step->node, &made->grid, error);
    int places = 1;
    for (uint32_t d = 0; d < made->grid.dimensions; d++)
        places *= 3;
    for (int place = 0; !code && place < places; place++)
        made->count += make_direction(given, &made->grid, place, &made->directions[made->count]);
    step->state = made;
    return code;
}

/* The neighbour of a task; false: there is none. */
static bool neighbour(const exchange *self, uint32_t task, const direction *towards, int sign,
                      bool periodic, uint32_t *found) {
    int64_t place[VEF_WORKLOAD_DIMENSIONS];
    vef_workload_grid_place(&self->grid, task, place);
    for (uint32_t d = 0; d < self->grid.dimensions; d++) {
        const int64_t size = self->grid.sizes[d];
        place[d] += sign * towards->offset[d];
        if (!periodic && (place[d] < 0 || place[d] >= size))
            return false;
        place[d] = (place[d] + size) % size;
    }
    *found = vef_workload_grid_task(&self->grid, place);
    return true;
}

/* Receives and sends go through the directions in the same order, so two tasks that are neighbours
 * in several agree on the order of their messages. */
static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    const parameters *given = step->parameters;
    const exchange *self = step->state;
    vef_code code = VEF_OK;
    uint32_t peer;
    vef_workload_calls_compute(to, 1);
    for (size_t i = 0; !code && i < self->count; i++)
        if (neighbour(self, to->task, &self->directions[i], -1, given->periodic, &peer))
            code = vef_workload_calls_message(to, VEF_CALL_Irecv, peer, self->directions[i].bytes,
                                              (int)i, error);
    for (size_t i = 0; !code && i < self->count; i++)
        if (neighbour(self, to->task, &self->directions[i], 1, given->periodic, &peer))
            code = vef_workload_calls_message(to, VEF_CALL_Isend, peer, self->directions[i].bytes,
                                              (int)i, error);
    return code ? code : vef_workload_calls_waitall(to, error);
}

static const char *const samples[] = {"{cells: [64, 32]}", "{cells: [8, 8, 8], neighbours: all}",
                                      "{cells: [10, 20], neighbours: all, periodic: false}",
                                      "{cells: [4, 4, 4], halo: 2, periodic: false, cell: 16 B}",
                                      NULL};

const vef_workload_kind vef_workload_stencil = {
    .name = "stencil",
    .summary = "exchanges of halos on a grid of two or three dimensions (5, 9, 7 or 27 points)",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
