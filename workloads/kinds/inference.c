/* Inference of a transformer language model: prefill and decode, on tasks of their own if asked.
 *
 * A batch of requests of each replica passes the stages in groups, so that all stages work. The
 * prefill computes the keys and values of all tokens of the prompts and the first token of the
 * answers; each step of the decode one more token, whose numbers the last stage sends to the first.
 * Operations and tensor parallelism are those of a forward pass of training (transformer.h); a task
 * reads its parameters once for each group of a layer, and the keys and values of all tokens so
 * far, so that a step of the decode is bound by memory (Pope et al., "Efficiently Scaling
 * Transformer Inference", MLSys 2023, section 2). Separate tasks for prefill and decode, with a
 * transfer of each layer's keys and values as soon as they are there: Patel et al., "Splitwise",
 * ISCA 2024; Zhong et al., "DistServe", OSDI 2024. docs/generate.md has the formulas. */
#include "workloads/transformer.h"

typedef struct parameters {
    vef_transformer model; /* first, for its keys */
    uint32_t prompt, output, batch, groups;
    bool disaggregated;
} parameters;

static const vef_param schema[] = {
    VEF_TRANSFORMER_KEYS,
    {VEF_KEY(COUNT, parameters, prompt), .minimum = 1, .maximum = 1 << 24,
     .help = "tokens of a request"},
    {VEF_KEY(COUNT, parameters, output), .minimum = 1, .maximum = 1 << 20,
     .help = "tokens of its answer; the first one comes from the prefill"},
    {VEF_KEY(COUNT, parameters, batch), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "requests of a replica"},
    {VEF_KEY(COUNT, parameters, groups), .fallback = "1", .minimum = 1, .maximum = 1 << 20,
     .help = "groups of requests that follow each other through the pipeline; they divide batch"},
    {VEF_KEY(BOOL, parameters, disaggregated), .fallback = "false",
     .help = "whether tp x pp x dp tasks only prefill, and as many more only decode"},
    {.key = NULL},
};

typedef struct inference {
    vef_transformer model;           /* cp is 1 */
    uint32_t stage_layers, requests; /* of a group */
    uint32_t prefilling;             /* tasks with lower numbers */
    uint32_t decoding;               /* tasks from this number on */
    vef_workload_split tensor, expert;
} inference;

enum { ACTIVATIONS = 1, TOKENS, KEYS_AND_VALUES }; /* tags */
enum { BYTES_PER_TOKEN = 4 };

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    inference *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    vef_transformer *model = &state->model;
    step->state = state;
    *model = given->model;
    model->cp = 1;
    if (given->disaggregated && step->tasks % 2 != 0)
        return vef_workload_fail(step, error, "disaggregated",
                                 "disaggregated: %u tasks: expected an even number", step->tasks);
    state->prefilling = given->disaggregated ? step->tasks / 2 : step->tasks;
    state->decoding = given->disaggregated ? step->tasks / 2 : 0;
    state->stage_layers = model->layers / model->pp;
    state->requests = given->batch / given->groups;
    vef_code code = vef_transformer_check(step, model, state->prefilling, error);
    if (code)
        return code;
    if (given->batch % given->groups != 0)
        return vef_workload_fail(step, error, "groups",
                                 "groups %u: expected a divisor of the batch, %u", given->groups,
                                 given->batch);
    uint64_t bytes;
    if (!vef_workload_product((uint64_t[]){state->requests, given->prompt + (uint64_t)given->output,
                                           model->hidden, model->bytes_per_element, model->top_k},
                              5, &bytes) ||
        bytes >> 40 > 0)
        return vef_workload_fail(
            step, error, "hidden",
            "more than 1 TiB of activations of a group: expected a smaller model");
    if (model->experts > 0 && (uint64_t)state->requests * model->hidden * model->bytes_per_element *
                                      model->top_k % model->ep !=
                                  0)
        return vef_workload_fail(step, error, "ep",
                                 "the bytes of a token of %u requests for its experts are not "
                                 "divisible by ep %u",
                                 state->requests, model->ep);
    code = vef_transformer_divide(step, model, VEF_GROUP_TENSOR, &state->tensor, error);
    return code ? code
                : vef_transformer_divide(step, model, VEF_GROUP_EXPERT, &state->expert, error);
}

/* The longer of operations and bytes, divided by what a task does and reads in a second. */
static void compute(const vef_workload_step *step, vef_program *program, double operations,
                    double bytes) {
    const vef_compute *rates = &step->compute;
    const uint32_t tp = ((const parameters *)step->parameters)->model.tp;
    const double work_ns = rates->flops_per_s > 0 ? 1e9 * operations / tp / rates->flops_per_s : 0;
    const double read_ns = rates->bytes_per_s > 0 ? 1e9 * bytes / tp / rates->bytes_per_s : 0;
    vef_program_compute_ns(program, work_ns > read_ns ? work_ns : read_ns);
}

static void sum(const inference *state, vef_program *program, uint64_t elements) {
    if (state->model.tp > 1)
        vef_program_call(program, VEF_CALL_Allreduce, state->tensor.comm[program->task],
                         elements * state->model.bytes_per_element, elements);
}

static void exchange(const inference *state, vef_program *program, uint64_t elements) {
    const vef_transformer *model = &state->model;
    if (model->ep > 1)
        vef_program_call(program, VEF_CALL_Alltoall, state->expert.comm[program->task],
                         elements * model->top_k * model->bytes_per_element / model->ep, 0);
}

/* A layer for so many new tokens of each request of a group, the last of which attends to
 * `context` tokens. */
static void pass_layer(const vef_workload_step *step, vef_program *program, uint32_t tokens,
                       uint64_t context) {
    const inference *state = step->state;
    const vef_transformer *model = &state->model;
    const uint64_t passing = (uint64_t)state->requests * tokens;
    const vef_layer_operations layer =
        vef_transformer_operations(model, (double)passing, (double)context);
    const double element = (double)model->bytes_per_element;
    /* Of its experts a task reads those that some token needs. */
    const uint64_t chosen = passing * model->top_k, held = model->experts / model->ep;
    const double read = model->experts == 0 ? 1 : (double)(chosen < held ? chosen : held);
    const double cache =
        (double)vef_transformer_cache_bytes(model, state->requests * context) * model->tp;
    compute(step, program, layer.projections + layer.scores,
            (double)vef_transformer_attention(model) * element + cache);
    sum(state, program, passing * model->hidden);
    exchange(state, program, passing * model->hidden);
    compute(step, program, layer.mlp, (double)vef_transformer_mlp(model) * element * read);
    exchange(state, program, passing * model->hidden);
    sum(state, program, passing * model->hidden);
}

/* A group passes the task's stage. */
static void pass(const vef_workload_step *step, vef_program *program, uint32_t tokens,
                 uint64_t context) {
    const parameters *given = step->parameters;
    const inference *state = step->state;
    const vef_transformer *model = &state->model;
    const uint32_t stage = vef_transformer_place(model, program->task).stage, task = program->task;
    const uint32_t next = vef_transformer_stage_tasks(model), last = (model->pp - 1) * next;
    const uint64_t bytes =
        (uint64_t)state->requests * tokens * model->hidden * model->bytes_per_element;
    const uint64_t numbers = (uint64_t)state->requests * BYTES_PER_TOKEN;
    const bool prefill = context == given->prompt,
               more = context + 1 < (uint64_t)given->prompt + given->output;
    const bool handed = prefill && more && given->disaggregated;
    if (stage > 0)
        vef_program_receive(program, task - next, bytes, ACTIVATIONS);
    for (uint32_t layer = 0; layer < state->stage_layers; layer++) {
        pass_layer(step, program, tokens, context);
        if (prefill && handed)
            vef_program_start_send(
                program, task + state->decoding,
                vef_transformer_cache_bytes(model, (uint64_t)state->requests * given->prompt),
                KEYS_AND_VALUES);
    }
    if (stage + 1 < model->pp)
        vef_program_start_send(program, task + next, bytes, ACTIVATIONS);
    else if (more && (model->pp > 1 || handed))
        vef_program_start_send(program, task - last + (handed ? state->decoding : 0), numbers,
                               TOKENS);
}

/* What a group needs before a step of its decode. */
static void take(const vef_workload_step *step, vef_program *program, bool first) {
    const parameters *given = step->parameters;
    const inference *state = step->state;
    const vef_transformer *model = &state->model;
    const uint32_t from = program->task - (first ? state->decoding : 0);
    const uint32_t last = (model->pp - 1) * vef_transformer_stage_tasks(model);
    const bool handed = first && given->disaggregated;
    for (uint32_t layer = 0; handed && layer < state->stage_layers; layer++)
        vef_program_receive(
            program, from,
            vef_transformer_cache_bytes(model, (uint64_t)state->requests * given->prompt),
            KEYS_AND_VALUES);
    if (vef_transformer_place(model, program->task).stage == 0 && (model->pp > 1 || handed))
        vef_program_receive(program, from + last, (uint64_t)state->requests * BYTES_PER_TOKEN,
                            TOKENS);
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const inference *state = step->state;
    for (uint32_t group = 0; program->task < state->prefilling && group < given->groups; group++)
        pass(step, program, given->prompt, given->prompt);
    for (uint32_t token = 1; program->task >= state->decoding && token < given->output; token++)
        for (uint32_t group = 0; group < given->groups && !program->code; group++) {
            take(step, program, token == 1);
            pass(step, program, 1, (uint64_t)given->prompt + token);
        }
    vef_program_wait_all(program);
}

static const char *const samples[] = {
    "{tp: 2, layers: 2, hidden: 8, prompt: 5, output: 3, batch: 2}",
    "{pp: 2, dp: 2, layers: 2, hidden: 8, prompt: 5, output: 3, batch: 4, groups: 2}",
    "{tp: 2, pp: 2, layers: 2, hidden: 8, kv_groups: 4, prompt: 5, output: 3, disaggregated: true}",
    "{dp: 4, ep: 4, experts: 8, top_k: 2, layers: 2, hidden: 8, prompt: 3, output: 2, batch: 2}",
    "{pp: 2, layers: 2, hidden: 1, prompt: 1, output: 1, disaggregated: true}",
    NULL};

const vef_workload_kind vef_workload_inference = {
    .name = "inference",
    .aliases = "serving prefill decode generation",
    .summary = "answers of a language model: prefill and decode, together or on tasks of their own",
    .compute = "passes, by their operations and bytes, flops_per_s and bytes_per_s",
    VEF_PARAMETERS(schema, parameters),
    .own_compute = true,
    .prepare = prepare,
    .emit = emit,
    .samples = samples,
};
