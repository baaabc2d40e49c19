/* Transposes of a distributed fast Fourier transform in three dimensions. With slabs each task has
 * some planes, and one Alltoall of all tasks transposes them; with pencils the tasks form a grid of
 * rows and columns, and an Alltoall in each row and then one in each column do (Pekurovsky,
 * "P3DFFT", SIAM Journal on Scientific Computing 34, 2012). */
#include "workloads/grid.h"
#include "workloads/workload.h"

typedef struct parameters {
    vef_int_list points, grid;
    int layout;
    uint64_t element;
} parameters;

static const char *const layouts[] = {"slab", "pencil", NULL};

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, points), .minimum = 1, .maximum = 1 << 20,
     .help = "points of the transform in each of three dimensions"},
    {VEF_KEY(CHOICE, parameters, layout), .fallback = "pencil", .choices = layouts,
     .help = "what a task has: some planes, or the points of a piece of two dimensions"},
    {VEF_KEY(INT_LIST, parameters, grid), .fallback = "[]", .minimum = 1, .maximum = 1 << 24,
     .default_text = "as square as possible", .help = "pencil: rows and columns of tasks"},
    {VEF_KEY(BYTES, parameters, element), .fallback = "16 B", .minimum = 1, .maximum = 1 << 20,
     .help = "size of a point"},
    {.key = NULL},
};

typedef struct transform {
    vef_workload_grid grid; /* slab: one row of all tasks */
    uint64_t bytes;         /* of a task */
} transform;

/* The members of rows, and of columns. */
static vef_code add_groups(vef_workload *step, const vef_workload_grid *grid, vef_error *error) {
    const uint32_t rows = grid->sizes[0], columns = grid->sizes[1];
    uint32_t *members = vef_arena_alloc(step->arena, 2 * (size_t)step->tasks, sizeof *members);
    if (!members)
        return vef_fail_memory(error, "communicators", 8 * (size_t)step->tasks);
    for (uint32_t task = 0; task < step->tasks; task++) {
        const uint32_t row = task / columns, column = task % columns;
        members[task] = task;
        members[step->tasks + column * rows + row] = task;
    }
    vef_code code = vef_workload_add_groups(step, rows, columns, members, error);
    return code ? code : vef_workload_add_groups(step, columns, rows, members + step->tasks, error);
}

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    transform *made = vef_arena_alloc(step->arena, 1, sizeof *made);
    if (!made)
        return vef_fail_memory(error, "a transform", sizeof *made);
    if (given->points.count != 3)
        return vef_node_fail(step->node, error, "points: expected three dimensions, not %zu",
                             given->points.count);
    uint64_t points = given->element;
    for (size_t d = 0; d < 3; d++)
        if (__builtin_mul_overflow(points, (uint64_t)given->points.values[d], &points))
            return vef_node_fail(step->node, error, "points: more than 2^64 bytes");
    *made = (transform){.bytes = points / step->tasks};
    step->state = made;
    if (given->layout == 0) {
        if (given->grid.count > 0)
            return vef_node_fail(step->node, error, "grid: not supported with layout slab");
        if (given->points.values[0] % step->tasks || given->points.values[1] % step->tasks)
            return vef_node_fail(step->node, error,
                                 "points: expected multiples of the %u tasks in the first two "
                                 "dimensions",
                                 step->tasks);
        return VEF_OK;
    }
    vef_code code =
        vef_workload_grid_make(&given->grid, 2, step->tasks, step->node, &made->grid, error);
    if (code)
        return code;
    const int64_t rows = made->grid.sizes[0], columns = made->grid.sizes[1];
    const int64_t *sizes = given->points.values;
    if (sizes[0] % rows || sizes[1] % rows || sizes[1] % columns || sizes[2] % columns)
        return vef_node_fail(step->node, error,
                             "points: expected multiples of the %lld rows in the first two "
                             "dimensions, and of the %lld columns in the last two",
                             (long long)rows, (long long)columns);
    return add_groups(step, &made->grid, error);
}

static vef_code exchange(vef_workload_calls *to, uint32_t comm, uint64_t bytes, vef_error *error) {
    return vef_workload_calls_collective(
        to, &(vef_event){.call = VEF_CALL_Alltoall, .comm = comm, .root = -1, .bytes = bytes},
        error);
}

/* Between transposes a task transforms its points along one dimension. */
static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    const parameters *given = step->parameters;
    const transform *self = step->state;
    const uint32_t rows = self->grid.sizes[0], columns = self->grid.sizes[1];
    if (given->layout == 0) {
        vef_workload_calls_compute(to, 2.0 / 3);
        vef_code code = exchange(to, 0, self->bytes / step->tasks, error);
        vef_workload_calls_compute(to, 1.0 / 3);
        return code;
    }
    vef_workload_calls_compute(to, 1.0 / 3);
    vef_code code =
        exchange(to, step->first_group + to->task / columns, self->bytes / columns, error);
    vef_workload_calls_compute(to, 1.0 / 3);
    if (!code)
        code =
            exchange(to, step->first_group + rows + to->task % columns, self->bytes / rows, error);
    vef_workload_calls_compute(to, 1.0 / 3);
    return code;
}

static const char *const samples[] = {"{points: [120, 120, 120]}",
                                      "{points: [240, 240, 8], layout: slab, element: 8 B}", NULL};

const vef_workload_kind vef_workload_transpose = {
    .name = "transpose",
    .summary = "transposes of a fast Fourier transform in three dimensions (slabs or pencils)",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
