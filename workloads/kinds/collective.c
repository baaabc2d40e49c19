/* A collective of all tasks, one after another: the traces of single collectives that come with the
 * VEF framework (Andujar et al., "Twin torus networks", Tables 2 and 3: Broadcast, Reduce,
 * AllGather, All2All). */
#include "workloads/workload.h"

typedef struct parameters {
    int operation;
    uint64_t bytes, element;
    uint32_t root;
} parameters;

static const char *const names[] = {"barrier",        "bcast",   "reduce",    "allreduce",
                                    "gather",         "scatter", "allgather", "alltoall",
                                    "reduce-scatter", "scan",    "exscan",    NULL};
static const uint16_t operations[] = {
    VEF_CALL_Barrier,   VEF_CALL_Bcast,    VEF_CALL_Reduce,
    VEF_CALL_Allreduce, VEF_CALL_Gather,   VEF_CALL_Scatter,
    VEF_CALL_Allgather, VEF_CALL_Alltoall, VEF_CALL_Reduce_scatter_block,
    VEF_CALL_Scan,      VEF_CALL_Exscan,
};

static const vef_param schema[] = {
    {VEF_KEY(CHOICE, parameters, operation), .choices = names, .help = "the collective"},
    {VEF_KEY(BYTES, parameters, bytes), .fallback = "1 KiB", .minimum = 0, .maximum = 1e15,
     .help = "size: bcast, reduce, allreduce, scan: the vector; others: what goes to or from one "
             "task"},
    {VEF_KEY(BYTES, parameters, element), .fallback = "8 B", .minimum = 1, .maximum = 1024,
     .help = "size of an element of a reduction"},
    {VEF_KEY(COUNT, parameters, root), .fallback = "0", .minimum = 0, .maximum = UINT32_MAX,
     .help = "task that is the root of bcast, reduce, gather and scatter"},
    {.key = NULL},
};

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint16_t call = operations[given->operation];
    if (given->root >= step->tasks)
        return vef_node_fail(step->node, error, "root %u: expected a task below %u", given->root,
                             step->tasks);
    if (vef_call_has(call, VEF_FACT_REDUCES) && given->bytes % given->element != 0)
        return vef_node_fail(step->node, error,
                             "%llu bytes: expected a multiple of the element of %llu bytes",
                             (unsigned long long)given->bytes, (unsigned long long)given->element);
    return VEF_OK;
}

static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    const parameters *given = step->parameters;
    const uint16_t call = operations[given->operation];
    vef_event event = {.call = call, .root = -1};
    if (!vef_call_has(call, VEF_FACT_NO_DATA))
        event.bytes = given->bytes;
    if (vef_call_has(call, VEF_FACT_ROOTED))
        event.root = (int32_t)given->root;
    if (vef_call_has(call, VEF_FACT_REDUCES))
        event.elements = given->bytes / given->element;
    vef_workload_calls_compute(to, 1);
    return vef_workload_calls_collective(to, &event, error);
}

static const char *const samples[] = {"{operation: barrier}",
                                      "{operation: bcast, bytes: 4 KiB, root: 3}",
                                      "{operation: allreduce, bytes: 64 B, element: 4 B}",
                                      "{operation: reduce-scatter, bytes: 8 B}",
                                      "{operation: alltoall}",
                                      NULL};

const vef_workload_kind vef_workload_collective = {
    .name = "collective",
    .summary = "a collective of all tasks",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
