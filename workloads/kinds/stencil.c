/* Halo exchange of a stencil on a grid of tasks: receives and sends in all directions are started,
 * then waited for. A message in a direction has the cells of the block that the neighbour needs: a
 * face, an edge or a corner, `halo` cells deep. */
#include "workloads/grid.h"

typedef struct parameters {
    int64_t points;
    vef_int_list grid, block;
    uint64_t bytes_per_cell, message;
    uint32_t halo;
    bool periodic, overlap;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, points), .fallback = "7", .minimum = 5, .maximum = 27,
     .help = "of the stencil: 5 or 9 in two dimensions, 7 or 27 in three"},
    VEF_TASK_GRID_PARAM(parameters),
    {VEF_KEY(INT_LIST, parameters, block), .fallback = "[]", .minimum = 1, .maximum = 1 << 30,
     .help = "cells of a task along each axis"},
    {VEF_KEY(BYTES, parameters, bytes_per_cell), .fallback = "8 B", .minimum = 1,
     .maximum = 1 << 30, .help = "of a cell in a message"},
    {VEF_KEY(COUNT, parameters, halo), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "depth of the exchanged layer in cells"},
    {VEF_KEY(BYTES, parameters, message), .fallback = "0 B", .maximum = 0x1p40,
     .help = "size of every message, instead of block; 0 B: by block"},
    {VEF_KEY(BOOL, parameters, periodic), .fallback = "true",
     .help = "whether the grid wraps around"},
    {VEF_KEY(BOOL, parameters, overlap), .fallback = "false",
     .help = "whether tasks compute between the start and the end of the exchange, not before"},
    {.key = NULL},
};

enum { MOST_DIRECTIONS = 26 };

typedef struct stencil {
    vef_task_grid grid;
    uint32_t count;
    struct {
        int offset[VEF_TASK_GRID_AXES], opposite[VEF_TASK_GRID_AXES];
        uint64_t bytes;
    } directions[MOST_DIRECTIONS];
} stencil;

/* Cells of a message times their bytes. */
static vef_code find_bytes(const vef_workload_step *step, const int *offset, uint32_t axes,
                           uint64_t *bytes, vef_error *error) {
    const parameters *given = step->parameters;
    uint64_t factors[VEF_TASK_GRID_AXES + 1] = {1, 1, 1, given->bytes_per_cell};
    *bytes = given->message;
    if (given->message > 0)
        return VEF_OK;
    for (uint32_t d = 0; d < axes; d++) {
        if (given->block.values[d] < given->halo)
            return vef_workload_fail(step, error, "block",
                                     "a block of %lld cells has no halo of %u: expected at least "
                                     "as many cells",
                                     (long long)given->block.values[d], given->halo);
        factors[d] = offset[d] ? given->halo : (uint64_t)given->block.values[d];
    }
    if (!vef_workload_product(factors, VEF_TASK_GRID_AXES + 1, bytes) || *bytes >> 40 > 0)
        return vef_workload_fail(step, error, "block",
                                 "a message of more than 1 TiB: expected smaller blocks");
    return VEF_OK;
}

static vef_code add_directions(vef_workload_step *step, stencil *state, bool diagonals,
                               vef_error *error) {
    const uint32_t axes = state->grid.axes, points = axes == 2 ? 9 : 27;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < points && !code; i++) {
        int offset[VEF_TASK_GRID_AXES] = {(int)(i % 3) - 1, (int)(i / 3 % 3) - 1,
                                          axes == 2 ? 0 : (int)(i / 9) - 1};
        const int steps = (offset[0] != 0) + (offset[1] != 0) + (offset[2] != 0);
        if (steps == 0 || (steps > 1 && !diagonals))
            continue;
        code = find_bytes(step, offset, axes, &state->directions[state->count].bytes, error);
        for (uint32_t d = 0; d < VEF_TASK_GRID_AXES; d++) {
            state->directions[state->count].offset[d] = offset[d];
            state->directions[state->count].opposite[d] = -offset[d];
        }
        state->count++;
    }
    return code;
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    const int64_t points = given->points;
    if (points != 5 && points != 9 && points != 7 && points != 27)
        return vef_workload_fail(step, error, "points",
                                 "%lld points: expected 5 or 9 (two dimensions), 7 or 27 (three)",
                                 (long long)points);
    const uint32_t axes = points == 5 || points == 9 ? 2 : 3;
    stencil *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    step->state = state;
    if (given->message == 0 && given->block.count == 0)
        return vef_workload_fail(step, error, NULL,
                                 "missing key block, the cells of a task, or message, the size of "
                                 "every message");
    vef_code code = vef_task_grid_find(step, &given->grid, axes, &state->grid, error);
    if (!code && given->message == 0)
        code = vef_task_grid_check_list(step, &given->block, "block", axes, error);
    return code ? code : add_directions(step, state, points == 9 || points == 27, error);
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const stencil *state = step->state;
    uint32_t position[VEF_TASK_GRID_AXES], peer;
    vef_task_grid_locate(&state->grid, program->task, position);
    if (!given->overlap)
        vef_program_compute(program);
    for (uint32_t i = 0; i < state->count; i++)
        if (vef_task_grid_step(&state->grid, position, state->directions[i].opposite,
                               given->periodic, &peer))
            vef_program_start_receive(program, peer, state->directions[i].bytes, (int32_t)i);
    for (uint32_t i = 0; i < state->count; i++)
        if (vef_task_grid_step(&state->grid, position, state->directions[i].offset, given->periodic,
                               &peer))
            vef_program_start_send(program, peer, state->directions[i].bytes, (int32_t)i);
    if (given->overlap)
        vef_program_compute(program);
    vef_program_wait_all(program);
}

const vef_workload_kind vef_workload_stencil = {
    .name = "stencil",
    .aliases = "halo halo-exchange",
    .summary = "halo exchange of a 5, 9, 7 or 27 point stencil",
    .compute = "of an iteration, before its exchange; with overlap: during it",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples =
        VEF_LIST("{points: 5, block: [16, 8]}", "{points: 9, message: 1 KiB, periodic: false}",
                 "{points: 7, block: [4, 5, 6], halo: 2, overlap: true}",
                 "{points: 27, block: [4, 5, 6], periodic: false}"),
};
