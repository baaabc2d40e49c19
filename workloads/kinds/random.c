/* Messages to random tasks. The receivers are drawn once for a step and stay the same in all its
 * iterations, so that each task knows its senders, as after the setup of an irregular exchange. */
#include "common/rng.h"
#include "workloads/kind.h"

enum { UNIFORM, PERMUTATION };
typedef struct parameters {
    int pattern;
    uint32_t messages;
    uint64_t bytes, seed;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(CHOICE, parameters, pattern), .fallback = "uniform",
     .choices = VEF_LIST([UNIFORM] = "uniform", [PERMUTATION] = "permutation"),
     .help = "uniform: each message to any other task; permutation: each task receives as many"},
    {VEF_KEY(COUNT, parameters, messages), .fallback = "1", .minimum = 1, .maximum = 65536,
     .help = "of a task in an iteration"},
    {VEF_KEY(BYTES, parameters, bytes), .fallback = "8 KiB", .maximum = 0x1p40,
     .help = "of each message"},
    {VEF_KEY(UINT, parameters, seed), .fallback = "1", .help = "of the receivers"},
    {.key = NULL},
};

typedef struct pairs {
    uint32_t *receiver; /* of message `task * messages + number` */
    uint32_t *sender;   /* of what task t receives: from first[t] up to first[t + 1] */
    uint32_t *first;
} pairs;

/* Streams of tasks (uniform) and of permutations, apart from those of compute.c. */
static vef_rng stream(const parameters *given, uint64_t number) {
    return vef_rng_make(given->seed, VEF_RNG_WORKLOAD, UINT64_C(1) << 40 | number);
}

static void draw_uniform(const vef_workload_step *step, pairs *state) {
    const parameters *given = step->parameters;
    for (uint32_t t = 0; t < step->tasks; t++) {
        vef_rng rng = stream(given, t);
        for (uint32_t m = 0; m < given->messages; m++) {
            const uint32_t other = vef_rng_below(&rng, step->tasks - 1);
            state->receiver[(size_t)t * given->messages + m] = other + (other >= t);
        }
    }
}

/* A uniform permutation (Fisher and Yates), drawn until it maps no task to itself: less than three
 * times on average. */
static void draw_permutation(const vef_workload_step *step, uint32_t *order, vef_rng *rng) {
    bool fixed = true;
    while (fixed) {
        fixed = false;
        for (uint32_t t = 0; t < step->tasks; t++)
            order[t] = t;
        for (uint32_t t = step->tasks - 1; t > 0; t--) {
            const uint32_t other = vef_rng_below(rng, t + 1), kept = order[t];
            order[t] = order[other];
            order[other] = kept;
        }
        for (uint32_t t = 0; t < step->tasks; t++)
            fixed |= order[t] == t;
    }
}

static void draw_permutations(const vef_workload_step *step, pairs *state, uint32_t *order) {
    const parameters *given = step->parameters;
    for (uint32_t m = 0; m < given->messages; m++) {
        vef_rng rng = stream(given, m);
        draw_permutation(step, order, &rng);
        for (uint32_t t = 0; t < step->tasks; t++)
            state->receiver[(size_t)t * given->messages + m] = order[t];
    }
}

/* The senders of each task, in the order of their messages. */
static void find_senders(const vef_workload_step *step, pairs *state) {
    const parameters *given = step->parameters;
    const size_t count = (size_t)step->tasks * given->messages;
    for (size_t i = 0; i < count; i++)
        state->first[state->receiver[i]]++;
    for (uint32_t t = 0, sum = 0; t <= step->tasks; t++) {
        sum += t < step->tasks ? state->first[t] : 0;
        state->first[t] = sum;
    }
    for (size_t i = count; i-- > 0;)
        state->sender[--state->first[state->receiver[i]]] = (uint32_t)(i / given->messages);
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t count = (uint64_t)step->tasks * given->messages;
    if (step->tasks < 2)
        return vef_workload_fail(step, error, NULL,
                                 "a single task has nobody to send to: expected 2 tasks or more");
    if (count > VEF_MOST_PAIR_COUNTS)
        return vef_workload_fail(
            step, error, "messages", "%llu messages in an iteration: expected at most %llu",
            (unsigned long long)count, (unsigned long long)VEF_MOST_PAIR_COUNTS);
    pairs *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    uint32_t *receiver = vef_arena_alloc(step->arena, count, sizeof *receiver);
    uint32_t *sender = vef_arena_alloc(step->arena, count, sizeof *sender);
    uint32_t *first = vef_arena_alloc(step->arena, step->tasks + 1ull, sizeof *first);
    uint32_t *order = vef_arena_alloc(step->arena, step->tasks, sizeof *order);
    *state = (pairs){receiver, sender, first};
    step->state = state;
    if (given->pattern == UNIFORM)
        draw_uniform(step, state);
    else
        draw_permutations(step, state, order);
    find_senders(step, state);
    return VEF_OK;
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const pairs *state = step->state;
    const uint32_t task = program->task;
    vef_program_compute(program);
    for (uint32_t i = state->first[task]; i < state->first[task + 1]; i++)
        vef_program_start_receive(program, state->sender[i], given->bytes, 0);
    for (uint32_t m = 0; m < given->messages; m++)
        vef_program_start_send(program, state->receiver[(size_t)task * given->messages + m],
                               given->bytes, 0);
    vef_program_wait_all(program);
}

const vef_workload_kind vef_workload_random = {
    .name = "random",
    .aliases = "uniform permutation exchange",
    .summary = "messages to uniformly drawn tasks, or by random permutations",
    .compute = "before each exchange",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples =
        VEF_LIST("{messages: 5, bytes: 100 B}", "{pattern: permutation, messages: 3, seed: 7}"),
};
