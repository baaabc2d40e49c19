/* A bucket sort: an Allreduce of the sizes of buckets, an Alltoall of the numbers of keys, then an
 * Alltoallv of the keys, as in the NAS benchmark IS (is.c of NPB 3.4). What tasks get follows
 * Zipf's law: task t a share in proportion to 1 / (t + 1)^skew of the keys of every task. */
#include "workloads/kind.h"

typedef struct parameters {
    uint64_t keys, bytes_per_key, bytes_per_count;
    uint32_t buckets;
    double skew;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(UINT, parameters, keys), .help = "of each task"},
    {VEF_KEY(BYTES, parameters, bytes_per_key), .fallback = "4 B", .minimum = 1, .maximum = 1 << 20,
     .help = "of a key"},
    {VEF_KEY(BYTES, parameters, bytes_per_count), .fallback = "4 B", .minimum = 1, .maximum = 64,
     .help = "of a number of keys"},
    {VEF_KEY(COUNT, parameters, buckets), .fallback = "1024", .maximum = 1 << 30,
     .help = "numbers that the Allreduce adds up; 0: no Allreduce"},
    {VEF_KEY(REAL, parameters, skew), .fallback = "0", .maximum = 10,
     .help = "exponent of the keys that tasks get (Zipf); 0: all the same"},
    {.key = NULL},
};

typedef struct buckets {
    uint64_t *sends, *receives; /* bytes by task; `receives` is the current task's */
} buckets;

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint32_t tasks = step->tasks;
    if (given->keys > UINT64_C(1) << 40)
        return vef_workload_fail(step, error, "keys",
                                 "%llu keys: out of range: expected at most %llu",
                                 (unsigned long long)given->keys, 1ull << 40);
    vef_code code = vef_workload_check_pairs(step, tasks, error);
    if (code)
        return code;
    buckets *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    uint64_t *sends = vef_arena_alloc(step->arena, tasks, sizeof *sends);
    uint64_t *receives = vef_arena_alloc(step->arena, tasks, sizeof *receives);
    *state = (buckets){sends, receives};
    step->state = state;
    vef_zipf_divide(given->keys, given->skew, tasks, sends);
    for (uint32_t t = 0; t < tasks; t++)
        sends[t] *= given->bytes_per_key;
    return VEF_OK;
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const buckets *state = step->state;
    for (uint32_t t = 0; t < step->tasks; t++)
        state->receives[t] = state->sends[program->task];
    vef_program_compute(program);
    if (given->buckets > 0)
        vef_program_call(program, VEF_CALL_Allreduce, 0, given->buckets * given->bytes_per_count,
                         given->buckets);
    vef_program_call(program, VEF_CALL_Alltoall, 0, given->bytes_per_count, 0);
    vef_program_collective(program, &(vef_collective_call){.call = VEF_CALL_Alltoallv,
                                                           .send_bytes = state->sends,
                                                           .receive_bytes = state->receives,
                                                           .send_count = step->tasks,
                                                           .receive_count = step->tasks});
}

const vef_workload_kind vef_workload_bucket_sort = {
    .name = "bucket-sort",
    .aliases = "sort bucket_sort",
    .summary =
        "a bucket sort: Allreduce of sizes, Alltoall of counts, Alltoallv of keys, equal or skewed",
    .compute = "before the sizes are added up",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples = VEF_LIST("{keys: 1000}", "{keys: 12345, skew: 1.2, bytes_per_key: 8 B, buckets: 0}"),
};
