/* Wavefront sweeps over a grid of two dimensions, as in KBA (Baker and Koch, "An S_n algorithm for
 * the massively parallel CM-200 computer", Nuclear Science and Engineering 128, 1998): a task
 * receives from the task before it in each dimension, computes, and sends to the task after it,
 * block by block, from one corner after another. */
#include "workloads/grid.h"
#include "workloads/workload.h"

typedef struct parameters {
    vef_int_list grid;
    uint32_t blocks, corners;
    uint64_t bytes;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, grid), .fallback = "[]", .minimum = 1, .maximum = 1 << 24,
     .default_text = "as square as possible", .help = "tasks in each of two dimensions"},
    {VEF_KEY(COUNT, parameters, blocks), .fallback = "8", .minimum = 1, .maximum = 1 << 20,
     .help = "blocks of a sweep, which follow each other through the grid"},
    {VEF_KEY(COUNT, parameters, corners), .fallback = "4", .minimum = 1, .maximum = 4,
     .help = "corners from which sweeps begin, one after another"},
    {VEF_KEY(BYTES, parameters, bytes), .fallback = "1 KiB", .minimum = 0, .maximum = 1e15,
     .help = "size of the message of a block to each of two tasks"},
    {.key = NULL},
};

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    vef_workload_grid *grid = vef_arena_alloc(step->arena, 1, sizeof *grid);
    if (!grid)
        return vef_fail_memory(error, "a sweep", sizeof *grid);
    step->state = grid;
    return vef_workload_grid_make(&given->grid, 2, step->tasks, step->node, grid, error);
}

/* The task one step along a dimension; false at the border. */
static bool beside(const vef_workload_grid *grid, uint32_t task, uint32_t dimension, int by,
                   uint32_t *found) {
    int64_t place[VEF_WORKLOAD_DIMENSIONS];
    vef_workload_grid_place(grid, task, place);
    place[dimension] += by;
    if (place[dimension] < 0 || place[dimension] >= grid->sizes[dimension])
        return false;
    *found = vef_workload_grid_task(grid, place);
    return true;
}

static vef_code transfer(const vef_workload *step, vef_workload_calls *to, uint16_t call,
                         const int towards[2], int sign, vef_error *error) {
    const parameters *given = step->parameters;
    vef_code code = VEF_OK;
    uint32_t peer;
    for (uint32_t d = 0; !code && d < 2; d++)
        if (beside(step->state, to->task, d, sign * towards[d], &peer))
            code = vef_workload_calls_message(to, call, peer, given->bytes, (int)d, error);
    return code;
}

static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    static const int corners[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    const parameters *given = step->parameters;
    const double share = 1.0 / given->blocks / given->corners;
    vef_code code = VEF_OK;
    for (uint32_t corner = 0; !code && corner < given->corners; corner++)
        for (uint32_t block = 0; !code && block < given->blocks; block++) {
            code = transfer(step, to, VEF_CALL_Recv, corners[corner], -1, error);
            vef_workload_calls_compute(to, share);
            if (!code)
                code = transfer(step, to, VEF_CALL_Send, corners[corner], 1, error);
        }
    return code;
}

static const char *const samples[] = {"{}", "{blocks: 3, corners: 1, bytes: 100 B}", NULL};

const vef_workload_kind vef_workload_sweep = {
    .name = "sweep",
    .summary = "wavefront sweeps over a grid of two dimensions, from one to four corners",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
