/* Wavefront sweeps over a 2D decomposition of a 3D grid (Koch, Baker, Alcouffe: "Solution of the
 * first-order form of the 3-D discrete ordinates equation on a massively parallel processor",
 * Trans. Am. Nucl. Soc. 65, 1992; as in Sweep3D). The angles of an octant start in one corner of
 * the grid of tasks. Each task divides them and its planes into blocks; for a block it receives the
 * fluxes of its two upwind neighbours, computes, and sends to the downwind ones. */
#include "workloads/grid.h"

typedef struct parameters {
    vef_int_list grid, block;
    uint64_t bytes_per_cell, message;
    uint32_t octants, angles, angle_blocks, z_blocks;
} parameters;

static const vef_param schema[] = {
    VEF_TASK_GRID_PARAM(parameters),
    {VEF_KEY(INT_LIST, parameters, block), .fallback = "[]", .minimum = 1, .maximum = 1 << 30,
     .help = "cells of a task along x, y and z"},
    {VEF_KEY(BYTES, parameters, bytes_per_cell), .fallback = "8 B", .minimum = 1,
     .maximum = 1 << 20, .help = "of the flux of an angle through the face of a cell"},
    {VEF_KEY(BYTES, parameters, message), .fallback = "0 B", .maximum = 0x1p40,
     .help = "size of every message, instead of block; 0 B: by block"},
    {VEF_KEY(COUNT, parameters, octants), .fallback = "8", .minimum = 1, .maximum = 8,
     .help = "sweeps of an iteration; two from each corner of the grid in turn"},
    {VEF_KEY(COUNT, parameters, angles), .fallback = "6", .minimum = 1, .maximum = 65536,
     .help = "of an octant"},
    {VEF_KEY(COUNT, parameters, angle_blocks), .fallback = "1", .minimum = 1, .maximum = 65536,
     .help = "blocks of angles, which divide them"},
    {VEF_KEY(COUNT, parameters, z_blocks), .fallback = "1", .minimum = 1, .maximum = 65536,
     .help = "blocks of planes, which divide those of the block"},
    {.key = NULL},
};

typedef struct sweep {
    vef_task_grid grid;
    uint64_t x_bytes, y_bytes; /* of a message along that axis */
    uint32_t stages;           /* of an octant */
} sweep;

static vef_code find_bytes(const vef_workload_step *step, sweep *state, vef_error *error) {
    const parameters *given = step->parameters;
    state->x_bytes = state->y_bytes = given->message;
    if (given->message > 0)
        return VEF_OK;
    if (given->block.count == 0)
        return vef_workload_fail(step, error, NULL,
                                 "missing key block, the cells of a task, or message, the size of "
                                 "every message");
    vef_code code = vef_task_grid_check_list(step, &given->block, "block", 3, error);
    if (code)
        return code;
    const uint64_t planes = (uint64_t)given->block.values[2];
    if (planes % given->z_blocks != 0)
        return vef_workload_fail(step, error, "z_blocks",
                                 "%u blocks do not divide %llu planes: expected a divisor",
                                 given->z_blocks, (unsigned long long)planes);
    uint64_t factors[4] = {(uint64_t)given->block.values[1], planes / given->z_blocks,
                           given->angles / given->angle_blocks, given->bytes_per_cell};
    bool fits = vef_workload_product(factors, 4, &state->x_bytes);
    factors[0] = (uint64_t)given->block.values[0];
    fits = vef_workload_product(factors, 4, &state->y_bytes) && fits;
    if (!fits || state->x_bytes >> 40 > 0 || state->y_bytes >> 40 > 0)
        return vef_workload_fail(step, error, "block",
                                 "a message of more than 1 TiB: expected smaller blocks");
    return VEF_OK;
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    sweep *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    step->state = state;
    if (given->angles % given->angle_blocks != 0)
        return vef_workload_fail(step, error, "angle_blocks",
                                 "%u blocks do not divide %u angles: expected a divisor",
                                 given->angle_blocks, given->angles);
    if ((uint64_t)given->angle_blocks * given->z_blocks > 1 << 20)
        return vef_workload_fail(step, error, "z_blocks",
                                 "more than 1048576 blocks in an octant: expected fewer");
    state->stages = given->angle_blocks * given->z_blocks;
    vef_code code = vef_task_grid_find(step, &given->grid, 2, &state->grid, error);
    return code ? code : find_bytes(step, state, error);
}

static void emit_octant(const sweep *state, vef_program *program, const int *x, const int *y) {
    uint32_t position[VEF_TASK_GRID_AXES], from_x, from_y, to_x, to_y;
    vef_task_grid_locate(&state->grid, program->task, position);
    const int back_x[VEF_TASK_GRID_AXES] = {-x[0], 0, 0},
              back_y[VEF_TASK_GRID_AXES] = {0, -y[1], 0};
    const bool receives_x = vef_task_grid_step(&state->grid, position, back_x, false, &from_x);
    const bool receives_y = vef_task_grid_step(&state->grid, position, back_y, false, &from_y);
    const bool sends_x = vef_task_grid_step(&state->grid, position, x, false, &to_x);
    const bool sends_y = vef_task_grid_step(&state->grid, position, y, false, &to_y);
    for (uint32_t stage = 0; stage < state->stages && !program->code; stage++) {
        if (receives_x)
            vef_program_receive(program, from_x, state->x_bytes, 0);
        if (receives_y)
            vef_program_receive(program, from_y, state->y_bytes, 0);
        vef_program_compute(program);
        if (sends_x)
            vef_program_send(program, to_x, state->x_bytes, 0);
        if (sends_y)
            vef_program_send(program, to_y, state->y_bytes, 0);
    }
}

/* Corners follow each other around the grid. */
static void emit(const vef_workload_step *step, vef_program *program) {
    static const int along_x[4] = {1, 1, -1, -1}, along_y[4] = {1, -1, -1, 1};
    const parameters *given = step->parameters;
    for (uint32_t octant = 0; octant < given->octants; octant++) {
        const uint32_t corner = octant / 2;
        const int x[VEF_TASK_GRID_AXES] = {along_x[corner], 0, 0};
        const int y[VEF_TASK_GRID_AXES] = {0, along_y[corner], 0};
        emit_octant(step->state, program, x, y);
    }
}

const vef_workload_kind vef_workload_sweep = {
    .name = "sweep",
    .aliases = "wavefront",
    .summary = "wavefronts from the corners of a 2D grid, as in Sweep3D",
    .compute = "of a block of angles and planes in a task",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples = VEF_LIST("{block: [5, 4, 6], z_blocks: 3, angle_blocks: 2}",
                        "{message: 100 B, octants: 1}"),
};
