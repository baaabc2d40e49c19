/* The transposes of a parallel 3D FFT: an Alltoall of each task with those of its row and of its
 * column of a 2D decomposition (pencils; Pekurovsky: "P3DFFT: A framework for parallel computations
 * of Fourier transforms in three dimensions", SIAM J. Sci. Comput. 34(4), 2012), or with all
 * (slabs).
 */
#include "workloads/grid.h"

enum { PENCIL, SLAB };
typedef struct parameters {
    int decomposition;
    vef_int_list grid, points;
    uint64_t bytes_per_point;
    bool inverse;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(CHOICE, parameters, decomposition), .fallback = "pencil",
     .choices = VEF_LIST([PENCIL] = "pencil", [SLAB] = "slab"),
     .help = "pencil: two axes are divided, by the rows and columns of a grid; slab: one axis"},
    VEF_TASK_GRID_PARAM(parameters),
    {VEF_KEY(INT_LIST, parameters, points), .minimum = 1, .maximum = 1 << 30,
     .help = "of the whole grid along x, y and z"},
    {VEF_KEY(BYTES, parameters, bytes_per_point), .fallback = "16 B", .minimum = 1,
     .maximum = 1 << 20, .help = "of a point"},
    {VEF_KEY(BOOL, parameters, inverse), .fallback = "false",
     .help = "whether the inverse transform follows in each iteration, with as many transposes"},
    {.key = NULL},
};

typedef struct transpose {
    vef_workload_split rows, columns;   /* pencils */
    uint64_t first_bytes, second_bytes; /* of one task to another in each transpose */
} transpose;

/* The points along `axis` must be divisible by `parts`. */
static vef_code check_axis(const vef_workload_step *step, uint32_t axis, uint32_t parts,
                           vef_error *error) {
    const parameters *given = step->parameters;
    if (given->points.values[axis] % parts == 0)
        return VEF_OK;
    return vef_workload_fail(step, error, "points",
                             "%lld points along %c are not divisible by the %u tasks that share "
                             "them",
                             (long long)given->points.values[axis], "xyz"[axis], parts);
}

static vef_code find_bytes(const vef_workload_step *step, const uint64_t *factors, uint64_t *bytes,
                           vef_error *error) {
    if (vef_workload_product(factors, 4, bytes) && *bytes >> 40 == 0)
        return VEF_OK;
    return vef_workload_fail(step, error, "points",
                             "more than 1 TiB from one task to another: expected fewer points");
}

/* x is whole and z divided, then z whole and y divided. */
static vef_code prepare_slabs(vef_workload_step *step, transpose *state, vef_error *error) {
    const parameters *given = step->parameters;
    const uint32_t tasks = step->tasks;
    if (given->grid.count > 0)
        return vef_workload_fail(step, error, "grid",
                                 "slabs have no grid of tasks: expected decomposition pencil");
    vef_code code = check_axis(step, 1, tasks, error);
    if (!code)
        code = check_axis(step, 2, tasks, error);
    const uint64_t factors[4] = {(uint64_t)given->points.values[0],
                                 (uint64_t)given->points.values[1] / tasks,
                                 (uint64_t)given->points.values[2] / tasks, given->bytes_per_point};
    return code ? code : find_bytes(step, factors, &state->first_bytes, error);
}

/* Rows of p tasks, columns of q: x whole, y divided by p, z by q; then x by p, y whole; then y by
 * q, z whole. */
static vef_code prepare_pencils(vef_workload_step *step, transpose *state, vef_error *error) {
    const parameters *given = step->parameters;
    vef_task_grid grid;
    vef_code code = vef_task_grid_find(step, &given->grid, 2, &grid, error);
    if (code)
        return code;
    const uint32_t p = grid.size[0], q = grid.size[1];
    const uint32_t parts[4][2] = {{0, p}, {1, p}, {1, q}, {2, q}};
    for (size_t i = 0; i < 4 && !code; i++)
        code = check_axis(step, parts[i][0], parts[i][1], error);
    if (code)
        return code;
    const uint64_t x = (uint64_t)given->points.values[0], y = (uint64_t)given->points.values[1],
                   z = (uint64_t)given->points.values[2];
    code = find_bytes(step, (uint64_t[]){x / p, y / p, z / q, given->bytes_per_point},
                      &state->first_bytes, error);
    if (!code)
        code = find_bytes(step, (uint64_t[]){x / p, y / q, z / q, given->bytes_per_point},
                          &state->second_bytes, error);
    uint32_t *color = vef_arena_alloc(step->arena, step->tasks, sizeof *color);
    for (uint32_t t = 0; t < step->tasks; t++)
        color[t] = t / p;
    if (!code)
        code = vef_workload_divide(step, color, q, &state->rows, error);
    for (uint32_t t = 0; t < step->tasks; t++)
        color[t] = t % p;
    return code ? code : vef_workload_divide(step, color, p, &state->columns, error);
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    transpose *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    step->state = state;
    vef_code code = vef_task_grid_check_list(step, &given->points, "points", 3, error);
    if (code)
        return code;
    return given->decomposition == SLAB ? prepare_slabs(step, state, error)
                                        : prepare_pencils(step, state, error);
}

static void exchange(vef_program *program, uint32_t comm, uint64_t bytes) {
    vef_program_call(program, VEF_CALL_Alltoall, comm, bytes, 0);
    vef_program_compute(program);
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const transpose *state = step->state;
    const bool slabs = given->decomposition == SLAB;
    const uint32_t row = slabs ? 0 : state->rows.comm[program->task];
    const uint32_t column = slabs ? 0 : state->columns.comm[program->task];
    vef_program_compute(program);
    exchange(program, row, state->first_bytes);
    if (!slabs)
        exchange(program, column, state->second_bytes);
    if (!given->inverse)
        return;
    vef_program_compute(program);
    if (!slabs)
        exchange(program, column, state->second_bytes);
    exchange(program, row, state->first_bytes);
}

const vef_workload_kind vef_workload_transpose = {
    .name = "transpose",
    .aliases = "fft fft3d",
    .summary = "transposes of a 3D FFT: Alltoall in rows and columns of pencils, or of slabs",
    .compute =
        "of the FFTs along the axes that are whole: before the first transpose and after each",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples = VEF_LIST("{points: [48, 48, 48], inverse: true}",
                        "{points: [5, 192, 192], decomposition: slab}"),
};
