/* A step of training a transformer on tasks in three dimensions: tensor parallel, data parallel and
 * pipeline parallel groups (Narayanan et al., "Efficient large-scale language model training on GPU
 * clusters using Megatron-LM", SC'21), tensor groups being consecutive tasks, then data, then
 * stages.
 *
 * With h the hidden size, s the sequence length, b the micro-batch (sequences) and e bytes a
 * number:
 *
 *   parameters of a layer         12 h^2 (without the terms in h)
 *   operations of a forward pass  24 b s h^2 + 4 b s^2 h a layer; of a backward pass twice as many
 *                                 ; a tensor group shares them
 *   activations                   b s h e bytes: what stages send each other, and what the tensor
 *                                 group reduces twice in each layer and pass (Shoeybi et al.,
 *                                 "Megatron-LM", arXiv:1909.08053)
 *   gradients                     12 h^2 e bytes a layer, of which a tensor group's task has its
 *                                 share; the data group reduces them
 *
 * Stages follow the schedule 1F1B (Narayanan et al., "PipeDream", SOSP'19): stage p of P first
 * makes P - p - 1 forward passes, then one forward and one backward pass in turn, then the
 * remaining backward passes. Sends do not block. The gradients of a layer are reduced as soon as
 * its last backward pass has ended, beside the passes of the layers before it. */
#include "workloads/workload.h"

#include <math.h>

typedef struct parameters {
    uint32_t layers, hidden, sequence, micro_batch, micro_batches, tensor, pipeline;
    uint64_t element;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(COUNT, parameters, layers), .minimum = 1, .maximum = 1 << 16,
     .help = "layers of the model, a multiple of the stages"},
    {VEF_KEY(COUNT, parameters, hidden), .minimum = 1, .maximum = 1 << 20, .help = "hidden size"},
    {VEF_KEY(COUNT, parameters, sequence), .fallback = "2048", .minimum = 1, .maximum = 1 << 20,
     .help = "tokens of a sequence"},
    {VEF_KEY(COUNT, parameters, micro_batch), .fallback = "1", .minimum = 1, .maximum = 1 << 16,
     .help = "sequences of a micro-batch"},
    {VEF_KEY(COUNT, parameters, micro_batches), .fallback = "8", .minimum = 1, .maximum = 1 << 16,
     .help = "micro-batches of a data group in a step"},
    {VEF_KEY(COUNT, parameters, tensor), .fallback = "1", .minimum = 1, .maximum = 1 << 16,
     .help = "tasks of a tensor group"},
    {VEF_KEY(COUNT, parameters, pipeline), .fallback = "1", .minimum = 1, .maximum = 1 << 16,
     .help = "stages of the pipeline; the other tasks are data parallel"},
    {VEF_KEY(BYTES, parameters, element), .fallback = "2 B", .minimum = 0, .maximum = 64,
     .help = "size of a number"},
    {.key = NULL},
};

typedef struct model {
    uint32_t data;        /* tasks of a data group */
    uint32_t layers;      /* of a stage */
    uint64_t activations; /* bytes */
    uint64_t gradients;   /* bytes of a layer in a task */
    double forward_flops; /* of a layer in a task */
} model;

/* The tensor groups, then the data groups. */
static vef_code add_groups(vef_workload *step, uint32_t tensor, uint32_t data, vef_error *error) {
    uint32_t *members = vef_arena_alloc(step->arena, 2 * (size_t)step->tasks, sizeof *members);
    if (!members)
        return vef_fail_memory(error, "communicators", 8 * (size_t)step->tasks);
    uint32_t *by_data = members + step->tasks;
    for (uint32_t task = 0; task < step->tasks; task++) {
        const uint32_t t = task % tensor, d = task / tensor % data, p = task / tensor / data;
        members[task] = task;
        by_data[(p * tensor + t) * data + d] = task;
    }
    vef_code code = vef_workload_add_groups(step, step->tasks / tensor, tensor, members, error);
    return code ? code : vef_workload_add_groups(step, step->tasks / data, data, by_data, error);
}

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    const double h = given->hidden, s = given->sequence, b = given->micro_batch;
    const uint64_t groups = (uint64_t)given->tensor * given->pipeline;
    model *made = vef_arena_alloc(step->arena, 1, sizeof *made);
    if (!made)
        return vef_fail_memory(error, "a model", sizeof *made);
    if (step->tasks % groups != 0)
        return vef_node_fail(step->node, error,
                             "%u tasks: expected a multiple of tensor x pipeline, %llu",
                             step->tasks, (unsigned long long)groups);
    if (given->layers % given->pipeline != 0)
        return vef_node_fail(step->node, error, "%u layers: expected a multiple of the %u stages",
                             given->layers, given->pipeline);
    const double bytes = b * s * h * (double)given->element;
    if (bytes > 1e15)
        return vef_node_fail(step->node, error, "activations of more than 10^15 bytes");
    *made = (model){
        .data = (uint32_t)(step->tasks / groups),
        .layers = given->layers / given->pipeline,
        .activations = (uint64_t)bytes,
        .gradients = (uint64_t)(12 * h * h * (double)given->element / given->tensor),
        .forward_flops = (24 * b * s * h * h + 4 * b * s * s * h) / given->tensor,
    };
    step->state = made;
    return add_groups(step, given->tensor, made->data, error);
}

/* Where a task is, while its calls are made. */
typedef struct place {
    const parameters *given;
    const model *model;
    const vef_workload *step;
    vef_workload_calls *to;
    uint32_t stage, between; /* tasks between stages */
    uint32_t tensor_comm, data_comm;
    bool reduces; /* the last backward pass */
} place;

static vef_code reduce(place *at, uint16_t call, uint32_t comm, uint64_t bytes, vef_error *error) {
    const uint64_t element = at->given->element;
    return vef_workload_calls_collective(at->to,
                                         &(vef_event){.call = call,
                                                      .comm = comm,
                                                      .root = -1,
                                                      .bytes = bytes,
                                                      .elements = element ? bytes / element : 0},
                                         error);
}

static vef_code pass_layers(place *at, bool forward, vef_error *error) {
    vef_code code = VEF_OK;
    const double flops_ns = at->model->forward_flops / at->step->flop_rate * 1e9;
    for (uint32_t layer = 0; !code && layer < at->model->layers; layer++) {
        at->to->gap_ns += (forward ? 1 : 2) * flops_ns * at->to->factor;
        for (int i = 0; !code && i < 2 && at->given->tensor > 1; i++)
            code = reduce(at, VEF_CALL_Allreduce, at->tensor_comm, at->model->activations, error);
        if (!code && !forward && at->reduces && at->model->data > 1)
            code = reduce(at, VEF_CALL_Iallreduce, at->data_comm, at->model->gradients, error);
    }
    return code;
}

/* A pass of a micro-batch: from the stage before, or in a backward pass the one after, to the
 * other. */
static vef_code pass(place *at, bool forward, vef_error *error) {
    const uint32_t last = at->given->pipeline - 1;
    const bool receives = forward ? at->stage > 0 : at->stage < last;
    const bool sends = forward ? at->stage < last : at->stage > 0;
    const uint32_t before = at->to->task - at->between, after = at->to->task + at->between;
    vef_code code = VEF_OK;
    if (receives)
        code = vef_workload_calls_message(at->to, VEF_CALL_Recv, forward ? before : after,
                                          at->model->activations, forward ? 0 : 1, error);
    if (!code)
        code = pass_layers(at, forward, error);
    if (!code && sends)
        code = vef_workload_calls_message(at->to, VEF_CALL_Isend, forward ? after : before,
                                          at->model->activations, forward ? 0 : 1, error);
    return code;
}

static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    const parameters *given = step->parameters;
    const model *self = step->state;
    const uint32_t task = to->task, tensor = given->tensor, batches = given->micro_batches;
    const uint32_t between = tensor * self->data, stage = task / between;
    place at = {.given = given,
                .model = self,
                .step = step,
                .to = to,
                .stage = stage,
                .between = between,
                .tensor_comm = step->first_group + task / tensor,
                .data_comm =
                    step->first_group + step->tasks / tensor + stage * tensor + task % tensor};
    uint32_t ahead = given->pipeline - stage - 1, forward = 0, backward = 0;
    vef_code code = VEF_OK;
    ahead = ahead < batches ? ahead : batches;
    vef_workload_calls_compute(to, 1);
    while (!code && backward < batches) {
        if (forward < batches && forward - backward <= ahead) {
            code = pass(&at, true, error);
            forward++;
        } else {
            at.reduces = ++backward == batches;
            code = pass(&at, false, error);
        }
    }
    return code ? code : vef_workload_calls_waitall(to, error);
}

static const char *const samples[] = {
    "{layers: 4, hidden: 64, sequence: 16, pipeline: 2, tensor: 2}",
    "{layers: 4, hidden: 64, sequence: 16, micro_batches: 3, pipeline: 4}",
    "{layers: 2, hidden: 32, sequence: 16, micro_batches: 1, tensor: 4}",
    "{layers: 2, hidden: 32, sequence: 16}", NULL};

const vef_workload_kind vef_workload_training = {
    .name = "training",
    .summary = "a step of training a transformer: tensor, data and pipeline parallel (1F1B)",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
