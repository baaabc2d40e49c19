/* A bucket sort, as in the NAS benchmark IS (Bailey et al., "The NAS parallel benchmarks",
 * RNR-94-007): an Allreduce of the sizes of all buckets, an Alltoall of the numbers of keys that
 * tasks get from each other, and an Alltoallv of the keys. Bucket j has a share of the keys in
 * proportion to (j + 1)^-skew; every task has as many keys. */
#include "workloads/workload.h"

#include <math.h>

typedef struct parameters {
    uint64_t keys, key;
    double skew;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(UINT, parameters, keys), .help = "keys of a task"},
    {VEF_KEY(BYTES, parameters, key), .fallback = "4 B", .minimum = 1, .maximum = 1 << 20,
     .help = "size of a key"},
    {VEF_KEY(REAL, parameters, skew), .fallback = "0", .minimum = 0, .maximum = 4,
     .help = "exponent of the sizes of buckets; 0: equal"},
    {.key = NULL},
};

enum { MOST_TASKS = 1 << 14, COUNT_BYTES = 4 };

typedef struct buckets {
    uint64_t *bytes;    /* that a task sends to each */
    uint64_t *received; /* by one task, from each: filled in for the task whose calls are made */
} buckets;

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    buckets *made = vef_arena_alloc(step->arena, 1, sizeof *made);
    if (step->tasks > MOST_TASKS)
        return vef_node_fail(step->node, error,
                             "%u tasks: expected at most %d, which have a count "
                             "for each pair",
                             step->tasks, MOST_TASKS);
    if (given->keys > (UINT64_C(1) << 40))
        return vef_node_fail(step->node, error, "keys: expected at most 2^40");
    if (made)
        *made = (buckets){vef_arena_alloc(step->arena, step->tasks, sizeof *made->bytes),
                          vef_arena_alloc(step->arena, step->tasks, sizeof *made->received)};
    if (!made || !made->bytes || !made->received)
        return vef_fail_memory(error, "buckets", step->tasks * 16);
    double all = 0, before = 0;
    for (uint32_t j = 0; j < step->tasks; j++)
        all += pow(j + 1.0, -given->skew);
    uint64_t given_out = 0; /* keys of the buckets so far: whole numbers that sum to all keys */
    for (uint32_t j = 0; j < step->tasks; j++) {
        before += pow(j + 1.0, -given->skew);
        const uint64_t up_to = j + 1 == step->tasks
                                   ? given->keys
                                   : (uint64_t)floor((double)given->keys * (before / all));
        made->bytes[j] = (up_to > given_out ? up_to - given_out : 0) * given->key;
        given_out = up_to > given_out ? up_to : given_out;
    }
    step->state = made;
    return VEF_OK;
}

static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    const buckets *self = step->state;
    const uint32_t tasks = step->tasks;
    const uint64_t own = self->bytes[to->task];
    for (uint32_t i = 0; i < tasks; i++)
        self->received[i] = own;
    vef_workload_calls_compute(to, 0.5);
    vef_code code =
        vef_workload_calls_collective(to,
                                      &(vef_event){.call = VEF_CALL_Allreduce,
                                                   .root = -1,
                                                   .bytes = (uint64_t)tasks * COUNT_BYTES,
                                                   .elements = tasks},
                                      error);
    if (!code)
        code = vef_workload_calls_collective(
            to, &(vef_event){.call = VEF_CALL_Alltoall, .root = -1, .bytes = COUNT_BYTES}, error);
    if (!code)
        code = vef_workload_calls_collective(to,
                                             &(vef_event){.call = VEF_CALL_Alltoallv,
                                                          .root = -1,
                                                          .send_count = tasks,
                                                          .receive_count = tasks,
                                                          .send_bytes = self->bytes,
                                                          .receive_bytes = self->received},
                                             error);
    vef_workload_calls_compute(to, 0.5);
    return code;
}

static const char *const samples[] = {"{keys: 1000}", "{keys: 1001, key: 8 B, skew: 1}",
                                      "{keys: 0}", NULL};

const vef_workload_kind vef_workload_bucket_sort = {
    .name = "bucket-sort",
    .summary = "a bucket sort: Allreduce, Alltoall of counts, Alltoallv of keys",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
