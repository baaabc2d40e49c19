/* A training step of a transformer language model on many accelerators: tensor, pipeline, data and
 * expert parallelism.
 *
 * Tensor parallelism and its Allreduces: Shoeybi et al., "Megatron-LM", arXiv:1909.08053. Ranks,
 * sizes, operations and the 1F1B schedule: Narayanan et al., "Efficient Large-Scale Language Model
 * Training on GPU Clusters Using Megatron-LM", SC 2021. All forward passes before all backward
 * ones: Huang et al., "GPipe", NeurIPS 2019. Buckets of gradients: Li et al., "PyTorch
 * Distributed", VLDB 13(12), 2020. Experts: Lepikhin et al., "GShard", ICLR 2021. docs/generate.md
 * has the formulas. */
#include "workloads/kind.h"

enum { ONE_F_ONE_B, GPIPE };
typedef struct parameters {
    uint32_t tp, pp, dp, ep;
    uint32_t layers, hidden, sequence, micro_batch, micro_batches, batch;
    uint32_t experts, top_k, buckets;
    int schedule;
    uint64_t bytes_per_element, bytes_per_gradient;
    double expert_skew, forward_ns, backward_ns, optimizer_ns;
} parameters;

/* A time of the whole step, 0 unless given. */
#define TIME(name, help_)                                                                          \
    {                                                                                              \
        .key = #name, .kind = VEF_PARAM_TIME, .offset = offsetof(parameters, name##_ns),           \
        .fallback = "0 ns", .maximum = 1e15, .help = help_                                         \
    }

static const vef_param schema[] = {
    {VEF_KEY(COUNT, parameters, tp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "tasks that share each layer (tensor parallelism)"},
    {VEF_KEY(COUNT, parameters, pp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "stages of the pipeline, which divide the layers"},
    {VEF_KEY(COUNT, parameters, dp), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "replicas (data parallelism); tp x pp x dp are the tasks"},
    {VEF_KEY(COUNT, parameters, ep), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "replicas that share the experts among them, which divide dp and experts"},
    {VEF_KEY(COUNT, parameters, layers), .minimum = 1, .maximum = 100000,
     .help = "of the transformer"},
    {VEF_KEY(COUNT, parameters, hidden), .minimum = 1, .maximum = 1 << 20,
     .help = "size of the hidden state"},
    {VEF_KEY(COUNT, parameters, sequence), .minimum = 1, .maximum = 1 << 24,
     .help = "tokens of a sample"},
    {VEF_KEY(COUNT, parameters, micro_batch), .fallback = "1", .minimum = 1, .maximum = 65536,
     .help = "samples of a micro-batch"},
    {VEF_KEY(COUNT, parameters, micro_batches), .fallback = "1", .minimum = 1, .maximum = 100000,
     .help = "micro-batches of a replica in a step"},
    {VEF_KEY(COUNT, parameters, batch), .fallback = "0", .maximum = UINT32_MAX,
     .help = "samples of all replicas in a step, instead of micro_batches; 0: by those"},
    {VEF_KEY(COUNT, parameters, experts), .fallback = "0", .maximum = 1 << 20,
     .help = "of each layer, instead of its MLP (mixture of experts); 0: none"},
    {VEF_KEY(COUNT, parameters, top_k), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "experts of each token"},
    {VEF_KEY(REAL, parameters, expert_skew), .fallback = "0", .maximum = 10,
     .help = "exponent of the tokens that experts get (Zipf); 0: all the same"},
    {VEF_KEY(COUNT, parameters, buckets), .fallback = "1", .minimum = 1, .maximum = 100000,
     .help = "parts of a stage's gradients, each with an Iallreduce during the last backward pass"},
    {VEF_KEY(CHOICE, parameters, schedule), .fallback = "1f1b",
     .choices = VEF_LIST([ONE_F_ONE_B] = "1f1b", [GPIPE] = "gpipe"),
     .help = "order of forward and backward passes in the pipeline"},
    {VEF_KEY(BYTES, parameters, bytes_per_element), .fallback = "2 B", .minimum = 1, .maximum = 64,
     .help = "of activations"},
    {VEF_KEY(BYTES, parameters, bytes_per_gradient), .fallback = "2 B", .minimum = 1, .maximum = 64,
     .help = "of gradients in the data-parallel sums"},
    TIME(forward, "of a micro-batch in a stage; 0 ns: by operations and compute.flops_per_s"),
    TIME(backward, "the same; 0 ns: twice the forward pass"),
    TIME(optimizer, "computation at the end of a step"),
    {.key = NULL},
};

/* One sum of gradients in each bucket. */
typedef struct gradients {
    uint32_t members;         /* 1: no sum */
    vef_workload_split split; /* of those that hold the same parameters */
    uint64_t elements;        /* of a stage in a task */
} gradients;

typedef struct training {
    uint32_t stage_layers, micro_batches;
    uint64_t activation_elements, activation_bytes; /* of a micro-batch */
    uint64_t expert_bytes;                          /* from one task to another */
    uint64_t *expert_tokens;   /* with expert_skew: of the first i experts, i from 0 on */
    uint64_t *to_each, *of_me; /* with expert_skew: bytes by member of the current task's group */
    vef_workload_split tensor, expert;
    gradients dense, expert_gradients;
    double attention_ns[2], mlp_ns[2]; /* of a layer: forward, backward */
} training;

/* ---- preparation ---- */

static vef_code check_parallel(const vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t factors[3] = {given->tp, given->pp, given->dp};
    uint64_t product;
    if (!vef_workload_product(factors, 3, &product) || product != step->tasks)
        return vef_workload_fail(step, error, NULL,
                                 "tp %u x pp %u x dp %u is not the number of tasks, %u", given->tp,
                                 given->pp, given->dp, step->tasks);
    if (given->layers % given->pp != 0)
        return vef_workload_fail(step, error, "layers",
                                 "%u layers are not divisible by the %u stages (pp)", given->layers,
                                 given->pp);
    if (given->hidden % given->tp != 0)
        return vef_workload_fail(step, error, "hidden",
                                 "hidden %u is not divisible by the %u tasks that share a layer "
                                 "(tp)",
                                 given->hidden, given->tp);
    if (given->ep > 1 && given->experts == 0)
        return vef_workload_fail(step, error, "ep", "missing key experts, which ep divides");
    if (given->dp % given->ep != 0)
        return vef_workload_fail(step, error, "ep", "dp %u is not divisible by ep %u", given->dp,
                                 given->ep);
    if (given->experts % given->ep != 0)
        return vef_workload_fail(step, error, "experts", "%u experts are not divisible by ep %u",
                                 given->experts, given->ep);
    if (given->experts > 0 && given->top_k > given->experts)
        return vef_workload_fail(step, error, "top_k", "top_k %u: expected at most %u, the experts",
                                 given->top_k, given->experts);
    return VEF_OK;
}

static vef_code find_micro_batches(const vef_workload_step *step, training *state,
                                   vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t samples = (uint64_t)given->dp * given->micro_batch;
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
    const uint64_t hidden = given->hidden, layers = given->layers / given->pp;
    const bool moe = given->experts > 0;
    state->stage_layers = (uint32_t)layers;
    bool fits =
        vef_workload_product((uint64_t[]){given->micro_batch, given->sequence, hidden}, 3,
                             &state->activation_elements) &&
        vef_workload_product((uint64_t[]){state->activation_elements, given->bytes_per_element}, 2,
                             &state->activation_bytes) &&
        vef_workload_product((uint64_t[]){layers, moe ? 4 : 12, hidden, hidden / given->tp}, 4,
                             &state->dense.elements) &&
        state->activation_bytes >> 40 == 0 && state->dense.elements >> 50 == 0;
    if (fits && moe) {
        fits = vef_workload_product(
                   (uint64_t[]){layers, 8, hidden, hidden / given->tp, given->experts / given->ep},
                   5, &state->expert_gradients.elements) &&
               vef_workload_product((uint64_t[]){state->activation_bytes, given->top_k}, 2,
                                    &state->expert_bytes) &&
               state->expert_gradients.elements >> 50 == 0 && state->expert_bytes >> 40 == 0;
        if (fits && !(given->expert_skew > 0) && state->expert_bytes % given->ep != 0)
            return vef_workload_fail(step, error, "ep",
                                     "the %llu bytes of a micro-batch for its experts are not "
                                     "divisible by ep %u",
                                     (unsigned long long)state->expert_bytes, given->ep);
        state->expert_bytes /= given->ep;
    }
    if (!fits)
        return vef_workload_fail(step, error, "hidden",
                                 "more than 1 TiB of activations of a micro-batch, or 2^50 "
                                 "parameters of a task: expected a smaller model");
    return VEF_OK;
}

/* The tokens of each expert. */
static vef_code find_tokens(const vef_workload_step *step, training *state, vef_error *error) {
    const parameters *given = step->parameters;
    const uint32_t experts = given->experts;
    const uint64_t tokens = (uint64_t)given->micro_batch * given->sequence;
    if (!(given->expert_skew > 0))
        return VEF_OK;
    if (experts == 0)
        return vef_workload_fail(step, error, "expert_skew", "missing key experts");
    vef_code code = vef_workload_check_pairs(step, given->ep, error);
    if (code)
        return code;
    state->expert_tokens = vef_arena_alloc(step->arena, experts + 1ull, sizeof(uint64_t));
    state->to_each = vef_arena_alloc(step->arena, given->ep, sizeof(uint64_t));
    state->of_me = vef_arena_alloc(step->arena, given->ep, sizeof(uint64_t));
    vef_zipf_divide(given->top_k * tokens, given->expert_skew, experts, state->expert_tokens + 1);
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

/* The operations of a layer, divided among tp tasks: of attention 8 b s h^2 + 4 b s^2 h, of the MLP
 * 16 b s h^2 for each expert of a token; twice as many backward. */
static void find_times(const vef_workload_step *step, training *state) {
    const parameters *given = step->parameters;
    const double tokens = (double)given->micro_batch * given->sequence, hidden = given->hidden;
    const double attention = 8 * tokens * hidden * hidden + 4 * tokens * given->sequence * hidden;
    const double mlp = 16 * tokens * hidden * hidden * (given->experts > 0 ? given->top_k : 1);
    const double flops_per_s = step->compute.flops_per_s;
    double pass_ns = given->forward_ns;
    if (!(pass_ns > 0) && flops_per_s > 0)
        pass_ns = 1e9 * (attention + mlp) * state->stage_layers / given->tp / flops_per_s;
    for (uint32_t back = 0; back < 2; back++) {
        if (back)
            pass_ns = given->backward_ns > 0 ? given->backward_ns : 2 * pass_ns;
        state->attention_ns[back] = pass_ns / state->stage_layers * (attention / (attention + mlp));
        state->mlp_ns[back] = pass_ns / state->stage_layers - state->attention_ns[back];
    }
}

/* The place of a task: tensor rank, replica, stage; the first varies fastest. */
typedef struct task_place {
    uint32_t tensor, replica, stage;
} task_place;

static task_place locate(const parameters *given, uint32_t task) {
    return (task_place){task % given->tp, task / given->tp % given->dp,
                        task / given->tp / given->dp};
}

typedef enum task_group { TENSOR, DATA, EXPERT, SAME_EXPERTS } task_group;

/* The number of a task's group. */
static uint32_t color_of(const parameters *given, task_group which, uint32_t task) {
    const task_place place = locate(given, task);
    switch (which) {
    case TENSOR:
        return task / given->tp;
    case DATA:
        return place.tensor + given->tp * place.stage;
    case EXPERT:
        return place.tensor +
               given->tp * (place.replica / given->ep + given->dp / given->ep * place.stage);
    case SAME_EXPERTS:
        break;
    }
    return place.tensor + given->tp * (place.replica % given->ep + given->ep * place.stage);
}

static vef_code divide(vef_workload_step *step, task_group which, uint32_t members,
                       vef_workload_split *split, vef_error *error) {
    if (members == 1)
        return VEF_OK;
    uint32_t *color = vef_arena_alloc(step->arena, step->tasks, sizeof *color);
    for (uint32_t t = 0; t < step->tasks; t++)
        color[t] = color_of(step->parameters, which, t);
    return vef_workload_divide(step, color, step->tasks / members, split, error);
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    training *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    step->state = state;
    vef_code code = check_parallel(step, error);
    if (!code)
        code = find_micro_batches(step, state, error);
    if (!code)
        code = find_sizes(step, state, error);
    if (!code)
        code = find_tokens(step, state, error);
    if (code)
        return code;
    find_times(step, state);
    state->dense.members = given->dp;
    state->expert_gradients.members = given->experts > 0 ? given->dp / given->ep : 1;
    code = divide(step, TENSOR, given->tp, &state->tensor, error);
    if (!code)
        code = divide(step, DATA, given->dp, &state->dense.split, error);
    if (!code)
        code = divide(step, EXPERT, given->ep, &state->expert, error);
    if (!code)
        code = divide(step, SAME_EXPERTS, state->expert_gradients.members,
                      &state->expert_gradients.split, error);
    return code;
}

/* ---- calls ---- */

enum { ACTIVATIONS = 1, ACTIVATION_GRADIENTS = 2 }; /* tags */

static void sum_activations(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    if (given->tp > 1)
        vef_program_collective(program,
                               &(vef_collective_call){.call = VEF_CALL_Allreduce,
                                                      .comm = state->tensor.comm[program->task],
                                                      .root = -1,
                                                      .bytes = state->activation_bytes,
                                                      .elements = state->activation_elements});
}

/* With expert_skew: tokens that each replica sends to the experts of a member of its group. From
 * layer to layer the most frequent expert moves to the one before. */
static uint64_t tokens_of(const vef_workload_step *step, uint32_t member, uint32_t layer) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint64_t *sums = state->expert_tokens;
    const uint32_t experts = given->experts, each = experts / given->ep;
    const uint32_t first = (uint32_t)(((uint64_t)member * each + layer) % experts);
    return first + each <= experts ? sums[first + each] - sums[first]
                                   : sums[experts] - sums[first] + sums[first + each - experts];
}

static uint32_t expert_member(const vef_workload_step *step, uint32_t task) {
    const parameters *given = step->parameters;
    return locate(given, task).replica % given->ep;
}

/* `back`: from the experts. */
static void exchange_unequal(const vef_workload_step *step, vef_program *program, uint32_t layer,
                             bool back) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint64_t token_bytes = (uint64_t)given->hidden * given->bytes_per_element;
    const uint64_t tokens = tokens_of(step, expert_member(step, program->task), layer);
    for (uint32_t i = 0; i < given->ep; i++) {
        state->to_each[i] = tokens_of(step, i, layer) * token_bytes;
        state->of_me[i] = tokens * token_bytes;
    }
    vef_program_collective(
        program, &(vef_collective_call){.call = VEF_CALL_Alltoallv,
                                        .comm = state->expert.comm[program->task],
                                        .root = -1,
                                        .send_bytes = back ? state->of_me : state->to_each,
                                        .receive_bytes = back ? state->to_each : state->of_me,
                                        .send_count = given->ep,
                                        .receive_count = given->ep});
}

static void exchange_tokens(const vef_workload_step *step, vef_program *program, uint32_t layer,
                            bool back) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    if (given->ep > 1 && state->expert_tokens)
        exchange_unequal(step, program, layer, back);
    else if (given->ep > 1)
        vef_program_collective(program,
                               &(vef_collective_call){.call = VEF_CALL_Alltoall,
                                                      .comm = state->expert.comm[program->task],
                                                      .root = -1,
                                                      .bytes = state->expert_bytes});
}

/* Tokens, or their gradients, go to the experts and return. */
static void pass_mlp(const vef_workload_step *step, vef_program *program, uint32_t layer,
                     bool backward) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    double load = 1; /* tokens of the task's experts, of their mean */
    if (state->expert_tokens)
        load = (double)tokens_of(step, expert_member(step, program->task), layer) * given->ep /
               (double)state->expert_tokens[given->experts];
    exchange_tokens(step, program, layer, false);
    vef_program_compute_ns(program, state->mlp_ns[backward] * load);
    exchange_tokens(step, program, layer, true);
    sum_activations(step, program);
}

static void pass_attention(const vef_workload_step *step, vef_program *program, bool backward) {
    const training *state = step->state;
    vef_program_compute_ns(program, state->attention_ns[backward]);
    sum_activations(step, program);
}

/* Bucket number `bucket` of the gradients of one kind. */
static void sum_gradients(const vef_workload_step *step, vef_program *program,
                          const gradients *sums, uint32_t bucket) {
    const parameters *given = step->parameters;
    if (sums->members == 1)
        return;
    /* All but the last have the same size, and no bucket is larger by more than their number. */
    const uint64_t size = sums->elements / given->buckets;
    const uint64_t elements =
        bucket + 1 < given->buckets ? size : sums->elements - size * (given->buckets - 1);
    if (elements > 0)
        vef_program_collective(program,
                               &(vef_collective_call){.call = VEF_CALL_Iallreduce,
                                                      .comm = sums->split.comm[program->task],
                                                      .root = -1,
                                                      .bytes = elements * given->bytes_per_gradient,
                                                      .elements = elements});
}

static void forward(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t stage = locate(given, program->task).stage, next = given->tp * given->dp;
    if (stage > 0)
        vef_program_receive(program, program->task - next, state->activation_bytes, ACTIVATIONS);
    for (uint32_t layer = 0; layer < state->stage_layers; layer++) {
        pass_attention(step, program, false);
        pass_mlp(step, program, stage * state->stage_layers + layer, false);
    }
    if (stage + 1 < given->pp)
        vef_program_start_send(program, program->task + next, state->activation_bytes, ACTIVATIONS);
}

/* In the last backward pass of a step the gradients of a bucket are summed as soon as the layers
 * are done that have as large a part of the parameters. */
static void backward(const vef_workload_step *step, vef_program *program, bool last) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t stage = locate(given, program->task).stage, next = given->tp * given->dp;
    uint64_t bucket = 0;
    if (stage + 1 < given->pp)
        vef_program_receive(program, program->task + next, state->activation_bytes,
                            ACTIVATION_GRADIENTS);
    for (uint64_t done = 1; done <= state->stage_layers; done++) {
        pass_mlp(step, program, (stage + 1) * state->stage_layers - (uint32_t)done, true);
        pass_attention(step, program, true);
        for (; last && (bucket + 1) * state->stage_layers <= done * given->buckets; bucket++) {
            sum_gradients(step, program, &state->dense, (uint32_t)bucket);
            sum_gradients(step, program, &state->expert_gradients, (uint32_t)bucket);
        }
    }
    if (stage > 0)
        vef_program_start_send(program, program->task - next, state->activation_bytes,
                               ACTIVATION_GRADIENTS);
}

/* 1F1B: as many forward passes as there are later stages, then one backward pass after each. */
static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const training *state = step->state;
    const uint32_t count = state->micro_batches;
    uint32_t ahead = given->pp - 1 - locate(given, program->task).stage, backwards = 0;
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
    NULL};

const vef_workload_kind vef_workload_training = {
    .name = "training",
    .aliases = "megatron gpt llm",
    .summary = "training steps of a language model: tensor, pipeline, data and expert parallelism",
    .compute = "forward and backward passes, by their operations and flops_per_s",
    VEF_PARAMETERS(schema, parameters),
    .own_compute = true,
    .prepare = prepare,
    .emit = emit,
    .samples = samples,
};
