/* A training step of a transformer language model on many accelerators: tensor, sequence, context,
 * pipeline, data and expert parallelism.
 *
 * Tensor parallelism and its Allreduces: Shoeybi et al., "Megatron-LM", arXiv:1909.08053. Ranks,
 * sizes, operations and the 1F1B schedule: Narayanan et al., "Efficient Large-Scale Language Model
 * Training on GPU Clusters Using Megatron-LM", SC 2021. All forward passes before all backward
 * ones: Huang et al., "GPipe", NeurIPS 2019. Buckets of gradients: Li et al., "PyTorch
 * Distributed", VLDB 13(12), 2020. Experts: Lepikhin et al., "GShard", ICLR 2021. Sequence
 * parallelism: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
 * arXiv:2205.05198, section 4.2.2. Context parallelism: Liu, Zaharia, Abbeel, "Ring Attention",
 * arXiv:2310.01889. Sharding: Rajbhandari et al., "ZeRO", SC 2020, section 7; full, one layer
 * ahead: Zhao et al., "PyTorch FSDP", VLDB 16(12), 2023. docs/generate.md has the formulas. */
#include "workloads/transformer.h"

enum { ONE_F_ONE_B, GPIPE };
enum { SHARDS_NOTHING, SHARDS_OPTIMIZER, SHARDS_ALL };
typedef struct parameters {
    vef_transformer model; /* first, for its keys */
    uint32_t sequence, micro_batch, micro_batches, batch, buckets;
    bool sequence_parallel;
    int schedule, sharding;
    uint64_t bytes_per_gradient;
    double expert_skew, forward_ns, backward_ns, optimizer_ns;
} parameters;

/* A time of the whole step, 0 unless given. */
#define TIME(name, help_)                                                                          \
    {                                                                                              \
        .key = #name, .kind = VEF_PARAM_TIME, .offset = offsetof(parameters, name##_ns),           \
        .fallback = "0 ns", .maximum = 1e15, .help = help_                                         \
    }

static const vef_param schema[] = {
    VEF_TRANSFORMER_KEYS,
    {VEF_KEY(COUNT, vef_transformer, cp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "tasks that divide each sequence (context parallelism); tp x cp x pp x dp are the "
             "tasks"},
    {VEF_KEY(BOOL, parameters, sequence_parallel), .fallback = "false",
     .help = "whether the tp tasks of a layer divide the sequence between layers"},
    {VEF_KEY(COUNT, parameters, sequence), .minimum = 1, .maximum = 1 << 24,
     .help = "tokens of a sample"},
    {VEF_KEY(COUNT, parameters, micro_batch), .fallback = "1", .minimum = 1, .maximum = 65536,
     .help = "samples of a micro-batch"},
    {VEF_KEY(COUNT, parameters, micro_batches), .fallback = "1", .minimum = 1, .maximum = 100000,
     .help = "micro-batches of a replica in a step"},
    {VEF_KEY(COUNT, parameters, batch), .fallback = "0", .maximum = UINT32_MAX,
     .help = "samples of all replicas in a step, instead of micro_batches; 0: by those"},
    {VEF_KEY(REAL, parameters, expert_skew), .fallback = "0", .maximum = 10,
     .help = "exponent of the tokens that experts get (Zipf); 0: all the same"},
    {VEF_KEY(COUNT, parameters, buckets), .fallback = "1", .minimum = 1, .maximum = 100000,
     .help = "parts of a stage's gradients, each with an Iallreduce during the last backward pass"},
    {VEF_KEY(CHOICE, parameters, schedule), .fallback = "1f1b",
     .choices = VEF_LIST([ONE_F_ONE_B] = "1f1b", [GPIPE] = "gpipe"),
     .help = "order of forward and backward passes in the pipeline"},
    {VEF_KEY(CHOICE, parameters, sharding), .fallback = "none",
     .choices = VEF_LIST([SHARDS_NOTHING] = "none", [SHARDS_OPTIMIZER] = "optimizer",
                         [SHARDS_ALL] = "full"),
     .help = "what tasks with the same parameters divide: nothing; the state of the optimizer "
             "(ZeRO 1); or parameters and gradients too (ZeRO 3, FSDP)"},
    {VEF_KEY(BYTES, parameters, bytes_per_gradient), .fallback = "2 B", .minimum = 1, .maximum = 64,
     .help = "of gradients in the data-parallel sums"},
    TIME(forward, "of a micro-batch in a stage; 0 ns: by operations and compute.flops_per_s"),
    TIME(backward, "the same; 0 ns: twice the forward pass"),
    TIME(optimizer, "computation at the end of a step"),
    {.key = NULL},
};

/* The parameters of one kind, which several tasks hold or divide. */
typedef struct shared_weights {
    uint32_t members; /* 1: nobody else */
    vef_workload_split split;
    uint64_t layer_elements; /* in a task */
    uint64_t gathering;      /* with SHARDS_ALL: the request for those of the next layer */
} shared_weights;

enum { DENSE, OF_EXPERTS, KINDS };

typedef struct training {
    uint32_t stage_layers, micro_batches;
    uint64_t activation_elements, activation_bytes; /* of a micro-batch in a task */
    uint64_t part_bytes;                            /* its share with sequence_parallel */
    uint64_t cache_bytes;                           /* keys and values of a layer */
    uint64_t expert_bytes;                          /* from one task to another */
    uint64_t *expert_tokens;   /* with expert_skew: of the first i experts, i from 0 on */
    uint64_t *to_each, *of_me; /* with expert_skew: bytes by member of the current task's group */
    vef_workload_split tensor, expert;
    shared_weights weights[KINDS];
    double projections_ns[2], scores_ns[2], mlp_ns[2]; /* of a layer: forward, backward */
} training;

/* ---- preparation ---- */

static vef_code check(const vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t parts =
        (uint64_t)given->model.cp * (given->sequence_parallel ? given->model.tp : 1);
    const vef_code code = vef_transformer_check(step, &given->model, step->tasks, error);
    if (code)
        return code;
    if (given->sequence % parts != 0)
        return vef_workload_fail(step, error, "sequence",
                                 "a sequence of %u: expected a multiple of the tasks that divide "
                                 "it, %llu",
                                 given->sequence, (unsigned long long)parts);
    if (given->sequence_parallel && given->expert_skew > 0)
        return vef_workload_fail(step, error, "sequence_parallel",
                                 "sequence_parallel: not supported with expert_skew");
    if (given->sharding == SHARDS_ALL && given->buckets > 1)
        return vef_workload_fail(step, error, "buckets",
                                 "buckets: with sharding full every layer has one: expected 1");
    return VEF_OK;
}

static vef_code find_micro_batches(const vef_workload_step *step, training *state,
                                   vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t samples = (uint64_t)given->model.dp * given->micro_batch;
    state->micro_batches = given->micro_batches;
    if (given->batch == 0)
        return VEF_OK;
    if (given->batch % samples != 0 || given->batch / samples > 100000)
        return vef_workload_fail(step, error, "batch",
                                 "a batch of %u: expected a multiple of dp x micro_batch, %llu, at "
                                 "most 100000 of it",
                                 given->batch, (unsigned long long)samples);
    state->micro_batches = (uint32_t)(given->batch / samples);
    if (given->micro_batches > 1 && given->micro_batches != state->micro_batches)
        return vef_workload_fail(step, error, "micro_batches",
                                 "a batch of %u has %u micro-batches: expected one of the two keys",
                                 given->batch, state->micro_batches);
    return VEF_OK;
}

static vef_code find_sizes(const vef_workload_step *step, training *state, vef_error *error) {
    const parameters *given = step->parameters;
    const vef_transformer *model = &given->model;
    const uint64_t tokens = (uint64_t)given->micro_batch * (given->sequence / model->cp);
    const uint64_t layers = model->layers / model->pp;
    const bool moe = model->experts > 0;
    shared_weights *dense = &state->weights[DENSE], *of_experts = &state->weights[OF_EXPERTS];
    state->stage_layers = (uint32_t)layers;
    dense->layer_elements =
        (vef_transformer_attention(model) + (moe ? 0 : vef_transformer_mlp(model))) / model->tp;
    bool fits =
        vef_workload_product((uint64_t[]){tokens, model->hidden}, 2, &state->activation_elements) &&
        vef_workload_product((uint64_t[]){state->activation_elements, model->bytes_per_element,
                                          moe ? model->top_k : 1},
                             3, &state->expert_bytes) &&
        state->expert_bytes >> 40 == 0 && dense->layer_elements <= (1ull << 50) / layers;
    if (fits && moe)
        fits = vef_workload_product(
                   (uint64_t[]){vef_transformer_mlp(model) / model->tp, model->experts / model->ep},
                   2, &of_experts->layer_elements) &&
               of_experts->layer_elements <= (1ull << 50) / layers;
    if (!fits)
        return vef_workload_fail(step, error, "hidden",
                                 "more than 1 TiB of activations of a micro-batch, or 2^50 "
                                 "parameters of a task: expected a smaller model");
    state->activation_bytes = state->activation_elements * model->bytes_per_element;
    state->part_bytes = state->activation_bytes / (given->sequence_parallel ? model->tp : 1);
    state->cache_bytes = vef_transformer_cache_bytes(model, tokens);
    const uint64_t parts = (given->sequence_parallel ? model->tp : 1) * (uint64_t)model->ep;
    if (moe && !(given->expert_skew > 0) && state->expert_bytes % parts != 0)
        return vef_workload_fail(step, error, "ep",
                                 "the %llu bytes of a micro-batch for its experts are not "
                                 "divisible by ep %u",
                                 (unsigned long long)state->expert_bytes, model->ep);
    state->expert_bytes /= parts;
    return VEF_OK;
}

/* The tokens of each expert. */
static vef_code find_tokens(const vef_workload_step *step, training *state, vef_error *error) {
    const parameters *given = step->parameters;
    const uint32_t experts = given->model.experts;
    const uint64_t tokens = (uint64_t)given->micro_batch * (given->sequence / given->model.cp);
    if (!(given->expert_skew > 0))
        return VEF_OK;
    if (experts == 0)
        return vef_workload_fail(step, error, "expert_skew", "missing key experts");
    vef_code code = vef_workload_check_pairs(step, given->model.ep, error);
    if (code)
        return code;
    state->expert_tokens = vef_arena_alloc(step->arena, experts + 1ull, sizeof(uint64_t));
    state->to_each = vef_arena_alloc(step->arena, given->model.ep, sizeof(uint64_t));
    state->of_me = vef_arena_alloc(step->arena, given->model.ep, sizeof(uint64_t));
    vef_zipf_divide(given->model.top_k * tokens, given->expert_skew, experts,
                    state->expert_tokens + 1);
    if (state->expert_tokens[1] > tokens)
        return vef_workload_fail(
            step, error, "expert_skew",
            "expert_skew %g: an expert would get %llu of %llu tokens: expected a smaller skew",
            given->expert_skew, (unsigned long long)state->expert_tokens[1],
            (unsigned long long)tokens);
    for (uint32_t i = 0; i < experts; i++)
        state->expert_tokens[i + 1] += state->expert_tokens[i];
    return VEF_OK;
}

/* Twice as many operations backward as forward. */
static void find_times(const vef_workload_step *step, training *state) {
    const parameters *given = step->parameters;
    const vef_transformer *model = &given->model;
    const vef_layer_operations layer = vef_transformer_operations(
        model, (double)given->micro_batch * given->sequence, given->sequence);
    const double sum = layer.projections + layer.scores + layer.mlp;
    const double flops_per_s = step->compute.flops_per_s * model->tp * model->cp;
    double pass_ns = given->forward_ns;
    if (!(pass_ns > 0) && flops_per_s > 0)
        pass_ns = 1e9 * sum * state->stage_layers / flops_per_s;
    for (uint32_t back = 0; back < 2; back++) {
        if (back)
            pass_ns = given->backward_ns > 0 ? given->backward_ns : 2 * pass_ns;
        const double layer_ns = pass_ns / state->stage_layers;
        state->projections_ns[back] = layer_ns * (layer.projections / sum);
        state->scores_ns[back] = layer_ns * (layer.scores / sum);
        state->mlp_ns[back] = layer_ns - state->projections_ns[back] - state->scores_ns[back];
    }
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    training *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    step->state = state;
    const vef_transformer *model = &given->model;
    vef_code code = check(step, error);
    if (!code)
        code = find_micro_batches(step, state, error);
    if (!code)
        code = find_sizes(step, state, error);
    if (!code)
        code = find_tokens(step, state, error);
    if (code)
        return code;
    find_times(step, state);
    const vef_task_group groups[] = {VEF_GROUP_TENSOR, VEF_GROUP_DATA, VEF_GROUP_EXPERT,
                                     VEF_GROUP_SAME_EXPERTS};
    vef_workload_split *const splits[] = {&state->tensor, &state->weights[DENSE].split,
                                          &state->expert, &state->weights[OF_EXPERTS].split};
    for (uint32_t i = 0; i < sizeof groups / sizeof *groups && !code; i++)
        code = vef_transformer_divide(step, model, groups[i], splits[i], error);
    state->weights[DENSE].members = vef_transformer_members(model, VEF_GROUP_DATA);
    state->weights[OF_EXPERTS].members = vef_transformer_members(model, VEF_GROUP_SAME_EXPERTS);
    return code;
}

/* ---- calls ---- */

enum { ACTIVATIONS = 1, ACTIVATION_GRADIENTS, KEYS_AND_VALUES }; /* tags */

/* A collective of one of the task's groups. */
static uint64_t call(vef_program *program, uint16_t name, const vef_workload_split *split,
                     uint64_t bytes, uint64_t elements) {
    return vef_program_call(program, name, split->comm[program->task], bytes, elements);
}

/* With sequence_parallel, tasks of a layer gather their parts of the sequence before they compute,
 * and sum and divide the result; the gradients likewise, while the input, of which each kept its
 * part, is gathered again: that request is returned. */
static uint64_t enter(const vef_workload_step *step, vef_program *program, bool backward,
                      uint32_t copies) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    if (given->model.tp == 1 || !given->sequence_parallel)
        return VEF_NO_REQUEST;
    call(program, VEF_CALL_Allgather, &state->tensor, copies * state->part_bytes, 0);
    return backward
               ? call(program, VEF_CALL_Iallgather, &state->tensor, copies * state->part_bytes, 0)
               : VEF_NO_REQUEST;
}

static void leave(const vef_workload_step *step, vef_program *program, uint64_t gathering,
                  uint32_t copies) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    vef_program_wait(program, gathering);
    if (given->model.tp > 1 && given->sequence_parallel)
        call(program, VEF_CALL_Reduce_scatter_block, &state->tensor, copies * state->part_bytes,
             copies * state->activation_elements);
    else if (given->model.tp > 1)
        call(program, VEF_CALL_Allreduce, &state->tensor, state->activation_bytes,
             state->activation_elements);
}

/* With expert_skew: tokens that each replica sends to the experts of a member of its group. From
 * layer to layer the most frequent expert moves to the one before. */
static uint64_t tokens_of(const vef_workload_step *step, uint32_t member, uint32_t layer) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint64_t *sums = state->expert_tokens;
    const uint32_t experts = given->model.experts, each = experts / given->model.ep;
    const uint32_t first = (uint32_t)(((uint64_t)member * each + layer) % experts);
    return first + each <= experts ? sums[first + each] - sums[first]
                                   : sums[experts] - sums[first] + sums[first + each - experts];
}

static uint32_t expert_member(const vef_workload_step *step, uint32_t task) {
    const parameters *given = step->parameters;
    return vef_transformer_place(&given->model, task).replica % given->model.ep;
}

/* `back`: from the experts. */
static void exchange_unequal(const vef_workload_step *step, vef_program *program, uint32_t layer,
                             bool back) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint64_t token_bytes = (uint64_t)given->model.hidden * given->model.bytes_per_element;
    const uint64_t tokens = tokens_of(step, expert_member(step, program->task), layer);
    for (uint32_t i = 0; i < given->model.ep; i++) {
        state->to_each[i] = tokens_of(step, i, layer) * token_bytes;
        state->of_me[i] = tokens * token_bytes;
    }
    vef_program_collective(
        program, &(vef_collective_call){.call = VEF_CALL_Alltoallv,
                                        .comm = state->expert.comm[program->task],
                                        .send_bytes = back ? state->of_me : state->to_each,
                                        .receive_bytes = back ? state->to_each : state->of_me,
                                        .send_count = given->model.ep,
                                        .receive_count = given->model.ep});
}

static void exchange_tokens(const vef_workload_step *step, vef_program *program, uint32_t layer,
                            bool back) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    if (given->model.ep > 1 && state->expert_tokens)
        exchange_unequal(step, program, layer, back);
    else if (given->model.ep > 1)
        call(program, VEF_CALL_Alltoall, &state->expert, state->expert_bytes, 0);
}

/* Tokens, or their gradients, go to the experts and return. */
static void pass_mlp(const vef_workload_step *step, vef_program *program, uint32_t layer,
                     bool backward) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t copies = given->model.experts > 0 ? given->model.top_k : 1;
    double load = 1; /* tokens of the task's experts, of their mean */
    if (state->expert_tokens)
        load = (double)tokens_of(step, expert_member(step, program->task), layer) *
               given->model.ep / (double)state->expert_tokens[given->model.experts];
    exchange_tokens(step, program, layer, false);
    const uint64_t gathering = enter(step, program, backward, copies);
    vef_program_compute_ns(program, state->mlp_ns[backward] * load);
    if (given->sequence_parallel)
        leave(step, program, gathering, copies);
    exchange_tokens(step, program, layer, true);
    if (!given->sequence_parallel)
        leave(step, program, VEF_NO_REQUEST, 1);
}

/* Something goes one place on along the ring of a sequence's tasks, beside a computation. */
static void rotate(const vef_workload_step *step, vef_program *program, uint64_t bytes,
                   double beside_ns) {
    const parameters *given = step->parameters;
    const uint32_t tp = given->model.tp, ring = tp * given->model.cp;
    const uint32_t first = program->task / ring * ring, place = program->task - first;
    if (bytes == 0) {
        vef_program_compute_ns(program, beside_ns);
        return;
    }
    const uint64_t receive = vef_program_start_receive(program, first + (place + ring - tp) % ring,
                                                       bytes, KEYS_AND_VALUES);
    const uint64_t send =
        vef_program_start_send(program, first + (place + tp) % ring, bytes, KEYS_AND_VALUES);
    vef_program_compute_ns(program, beside_ns);
    vef_program_wait(program, receive);
    vef_program_wait(program, send);
}

/* Keys and values of each part of the sequence pass all its tasks. Backward, their gradients follow
 * one step later, and end where they belong. */
static void pass_attention(const vef_workload_step *step, vef_program *program, bool backward) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t parts = given->model.cp;
    const uint64_t gathering = enter(step, program, backward, 1);
    vef_program_compute_ns(program, state->projections_ns[backward]);
    for (uint32_t i = 0; i < parts; i++)
        rotate(step, program,
               ((i + 1 < parts) + (uint64_t)(backward && i > 0)) * state->cache_bytes,
               state->scores_ns[backward] / parts);
    if (backward && parts > 1)
        rotate(step, program, state->cache_bytes, 0);
    leave(step, program, gathering, 1);
}

/* ---- parameters ---- */

/* What each of those who divide so many elements has, the last one less. */
static uint64_t share_of(const shared_weights *weights, uint64_t elements) {
    return (elements + weights->members - 1) / weights->members;
}

/* Sums gradients; with sharding each gets its share. */
static void sum_gradients(const vef_workload_step *step, vef_program *program,
                          const shared_weights *weights, uint64_t elements) {
    const parameters *given = step->parameters;
    const uint64_t share = share_of(weights, elements);
    if (weights->members == 1 || elements == 0)
        return;
    if (given->sharding == SHARDS_NOTHING)
        call(program, VEF_CALL_Iallreduce, &weights->split, elements * given->bytes_per_gradient,
             elements);
    else
        call(program, VEF_CALL_Ireduce_scatter_block, &weights->split,
             share * given->bytes_per_gradient, share * weights->members);
}

/* The elements of a bucket of a stage: all but the last have the same size, and no bucket is larger
 * by more than their number. */
static uint64_t bucket_of(const vef_workload_step *step, const shared_weights *weights,
                          uint64_t bucket) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint64_t sum = weights->layer_elements * state->stage_layers;
    const uint64_t size = sum / given->buckets;
    return bucket + 1 < given->buckets ? size : sum - size * (given->buckets - 1);
}

/* With full sharding the parameters of a layer are gathered while the layer before computes. */
static void take_parameters(const vef_workload_step *step, vef_program *program, uint32_t done) {
    const parameters *given = step->parameters;
    training *state = step->state;
    for (uint32_t i = 0; i < KINDS && given->sharding == SHARDS_ALL; i++) {
        shared_weights *weights = &state->weights[i];
        if (weights->members == 1)
            continue;
        const uint64_t bytes =
            share_of(weights, weights->layer_elements) * given->model.bytes_per_element;
        if (done == 0)
            weights->gathering = call(program, VEF_CALL_Iallgather, &weights->split, bytes, 0);
        vef_program_wait(program, weights->gathering);
        if (done + 1 < state->stage_layers)
            weights->gathering = call(program, VEF_CALL_Iallgather, &weights->split, bytes, 0);
    }
}

/* After so many layers of a backward pass: with full sharding the gradients of each are summed;
 * otherwise, in the last pass of a step, those of a bucket as soon as the layers are done that have
 * as large a part of the parameters. */
static void give_gradients(const vef_workload_step *step, vef_program *program, uint64_t done,
                           bool last, uint64_t *bucket) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    if (given->sharding == SHARDS_ALL)
        for (uint32_t i = 0; i < KINDS; i++)
            sum_gradients(step, program, &state->weights[i], state->weights[i].layer_elements);
    else
        for (; last && (*bucket + 1) * state->stage_layers <= done * given->buckets; (*bucket)++)
            for (uint32_t i = 0; i < KINDS; i++)
                sum_gradients(step, program, &state->weights[i],
                              bucket_of(step, &state->weights[i], *bucket));
}

/* With a sharded optimizer: everybody gets what others have improved. */
static void return_parameters(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    for (uint32_t bucket = 0; given->sharding == SHARDS_OPTIMIZER && bucket < given->buckets;
         bucket++)
        for (uint32_t i = 0; i < KINDS; i++) {
            const shared_weights *weights = &state->weights[i];
            const uint64_t elements = bucket_of(step, weights, bucket);
            if (weights->members > 1 && elements > 0)
                call(program, VEF_CALL_Allgather, &weights->split,
                     share_of(weights, elements) * given->model.bytes_per_element, 0);
        }
}

/* ---- passes ---- */

static void forward(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t stage = vef_transformer_place(&given->model, program->task).stage;
    const uint32_t next = vef_transformer_stage_tasks(&given->model);
    if (stage > 0)
        vef_program_receive(program, program->task - next, state->part_bytes, ACTIVATIONS);
    for (uint32_t layer = 0; layer < state->stage_layers; layer++) {
        take_parameters(step, program, layer);
        pass_attention(step, program, false);
        pass_mlp(step, program, stage * state->stage_layers + layer, false);
    }
    if (stage + 1 < given->model.pp)
        vef_program_start_send(program, program->task + next, state->part_bytes, ACTIVATIONS);
}

static void backward(const vef_workload_step *step, vef_program *program, bool last) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t stage = vef_transformer_place(&given->model, program->task).stage;
    const uint32_t next = vef_transformer_stage_tasks(&given->model);
    uint64_t bucket = 0;
    if (stage + 1 < given->model.pp)
        vef_program_receive(program, program->task + next, state->part_bytes, ACTIVATION_GRADIENTS);
    for (uint32_t done = 0; done < state->stage_layers; done++) {
        take_parameters(step, program, done);
        pass_mlp(step, program, (stage + 1) * state->stage_layers - done - 1, true);
        pass_attention(step, program, true);
        give_gradients(step, program, done + UINT64_C(1), last, &bucket);
    }
    if (stage > 0)
        vef_program_start_send(program, program->task - next, state->part_bytes,
                               ACTIVATION_GRADIENTS);
}

/* 1F1B: as many forward passes as there are later stages, then one backward pass after each. */
static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t count = state->micro_batches;
    uint32_t ahead =
        given->model.pp - 1 - vef_transformer_place(&given->model, program->task).stage;
    uint32_t backwards = 0;
    if (ahead > count || given->schedule == GPIPE)
        ahead = count;
    for (uint32_t forwards = 0; forwards < count && !program->code; forwards++) {
        forward(step, program);
        if (forwards >= ahead)
            backward(step, program, ++backwards == count);
    }
    while (backwards < count && !program->code)
        backward(step, program, ++backwards == count);
    vef_program_wait_all(program);
    vef_program_compute_ns(program, given->optimizer_ns);
    return_parameters(step, program);
}

static const char *const samples[] = {
    "{tp: 2, dp: 2, layers: 3, hidden: 8, sequence: 4, buckets: 5}",
    "{tp: 2, pp: 2, dp: 2, layers: 4, hidden: 8, sequence: 4, micro_batches: 3, forward: 1 us}",
    "{pp: 4, layers: 4, hidden: 8, sequence: 4, micro_batches: 2, schedule: gpipe}",
    "{pp: 2, dp: 4, ep: 2, experts: 6, top_k: 2, layers: 2, hidden: 8, sequence: 4, batch: 12}",
    "{tp: 2, pp: 2, dp: 4, ep: 4, experts: 4, layers: 2, hidden: 8, sequence: 4}",
    "{pp: 2, dp: 4, ep: 2, experts: 6, top_k: 2, layers: 4, hidden: 8, sequence: 40, expert_skew: "
    "0.7, micro_batches: 3, forward: 1 us}",
    "{dp: 1, layers: 1, hidden: 1, sequence: 1}",
    "{tp: 2, cp: 2, pp: 2, layers: 2, hidden: 8, sequence: 8, sequence_parallel: true, forward: 1 "
    "us}",
    "{cp: 4, dp: 2, ep: 2, experts: 2, layers: 3, hidden: 8, sequence: 8, sharding: full}",
    "{cp: 2, dp: 2, layers: 3, hidden: 8, sequence: 8, buckets: 2, sharding: optimizer}",
    NULL};

const vef_workload_kind vef_workload_training = {
    .name = "training",
    .aliases = "megatron gpt llm",
    .summary =
        "training steps of a language model: tensor, sequence, context, pipeline, data and "
        "expert parallelism, sharded parameters",
    .compute = "forward and backward passes, by their operations and flops_per_s",
    VEF_PARAMETERS(schema, parameters),
    .own_compute = true,
    .prepare = prepare,
    .emit = emit,
    .samples = samples,
};
