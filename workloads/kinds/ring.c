/* Exchange with the next tasks on a ring, as of one-dimensional decompositions and systolic
 * algorithms. */
#include "workloads/kind.h"

typedef struct parameters {
    uint64_t bytes;
    uint32_t neighbours;
    bool both;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(BYTES, parameters, bytes), .fallback = "8 KiB", .maximum = 0x1p40,
     .help = "of each message"},
    {VEF_KEY(COUNT, parameters, neighbours), .fallback = "1", .minimum = 1, .maximum = 1024,
     .help = "number of next tasks that a task sends to"},
    {VEF_KEY(BOOL, parameters, both), .fallback = "false",
     .help = "whether it sends to as many tasks before it, too"},
    {.key = NULL},
};

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    if (given->neighbours >= step->tasks)
        return vef_workload_fail(step, error, "neighbours",
                                 "a ring of %u tasks has no %u neighbours: expected more tasks "
                                 "than neighbours",
                                 step->tasks, given->neighbours);
    return VEF_OK;
}

/* The tag is the distance; its sign is that of the direction, as an even or odd number. */
static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const uint32_t tasks = step->tasks, task = program->task;
    vef_program_compute(program);
    for (uint32_t i = 1; i <= given->neighbours; i++) {
        vef_program_start_receive(program, (task + tasks - i) % tasks, given->bytes,
                                  (int32_t)(2 * i));
        if (given->both)
            vef_program_start_receive(program, (task + i) % tasks, given->bytes,
                                      (int32_t)(2 * i + 1));
    }
    for (uint32_t i = 1; i <= given->neighbours; i++) {
        vef_program_start_send(program, (task + i) % tasks, given->bytes, (int32_t)(2 * i));
        if (given->both)
            vef_program_start_send(program, (task + tasks - i) % tasks, given->bytes,
                                   (int32_t)(2 * i + 1));
    }
    vef_program_wait_all(program);
}

const vef_workload_kind vef_workload_ring = {
    .name = "ring",
    .aliases = "neighbours neighbors nearest-neighbour exchange",
    .summary = "exchange with the next tasks on a ring, in one direction or both",
    .compute = "before each exchange",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples = VEF_LIST("{bytes: 1 KiB}", "{bytes: 5 B, neighbours: 3, both: true}"),
};
