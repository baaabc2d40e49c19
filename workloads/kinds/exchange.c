/* Exchanges with partners that are drawn at random: random permutations (in each of `rounds` a task
 * sends one message and receives one), or destinations drawn uniformly among the other tasks, of
 * which a task may get any number. Each iteration has the same partners. */
#include "common/rng.h"
#include "workloads/workload.h"

typedef struct parameters {
    int partners;
    uint32_t rounds;
    uint64_t bytes, seed;
} parameters;

static const char *const partners[] = {"permutation", "random", NULL};

static const vef_param schema[] = {
    {VEF_KEY(CHOICE, parameters, partners), .fallback = "permutation", .choices = partners,
     .help = "random permutations, or destinations drawn one by one"},
    {VEF_KEY(COUNT, parameters, rounds), .fallback = "1", .minimum = 1, .maximum = 1 << 16,
     .help = "messages that a task sends"},
    {VEF_KEY(BYTES, parameters, bytes), .fallback = "1 KiB", .minimum = 0, .maximum = 1e15,
     .help = "size of a message"},
    {.key = "draws",
     .kind = VEF_PARAM_UINT,
     .offset = offsetof(parameters, seed),
     .fallback = "1",
     .help = "seed of the partners"},
    {.key = NULL},
};

typedef struct plan {
    uint32_t *to;   /* [task x rounds]: in the order of sending */
    uint32_t *from; /* per task its senders, in order; first[task] to first[task + 1] */
    uint64_t *first;
} plan;

/* A permutation without fixed points where there are two tasks at least (Sattolo's algorithm: one
 * cycle). */
static void permute(uint32_t *to, uint32_t tasks, uint32_t rounds, uint32_t round, uint32_t *order,
                    vef_rng *rng) {
    for (uint32_t i = 0; i < tasks; i++)
        order[i] = i;
    for (uint32_t i = tasks; i-- > 1;) {
        const uint32_t other = vef_rng_below(rng, i), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
    for (uint32_t i = 0; i < tasks; i++)
        to[(uint64_t)i * rounds + round] = order[i];
}

static vef_code draw(const vef_workload *step, plan *made, vef_error *error) {
    const parameters *given = step->parameters;
    const uint32_t tasks = step->tasks, rounds = given->rounds;
    vef_rng rng = vef_rng_make(given->seed, VEF_RNG_WORKLOAD, UINT64_MAX);
    uint32_t *order = vef_arena_alloc(step->arena, tasks, sizeof *order);
    if (!order)
        return vef_fail_memory(error, "an exchange", tasks * sizeof *order);
    for (uint32_t round = 0; round < rounds && given->partners == 0; round++)
        permute(made->to, tasks, rounds, round, order, &rng);
    for (uint64_t i = 0; i < (uint64_t)tasks * rounds && given->partners == 1; i++) {
        const uint32_t other = vef_rng_below(&rng, tasks - 1);
        made->to[i] = other + (other >= i / rounds);
    }
    return VEF_OK;
}

/* The senders of each task, by sender and then round: the order in which each sends to it. */
static void invert(const vef_workload *step, plan *made) {
    const uint32_t rounds = ((const parameters *)step->parameters)->rounds;
    const uint64_t all = (uint64_t)step->tasks * rounds;
    for (uint64_t i = 0; i < all; i++)
        made->first[made->to[i] + 1]++;
    for (uint32_t task = 0; task < step->tasks; task++)
        made->first[task + 1] += made->first[task];
    for (uint64_t i = 0; i < all; i++)
        made->from[made->first[made->to[i]]++] = (uint32_t)(i / rounds);
    for (uint32_t task = step->tasks; task > 0; task--)
        made->first[task] = made->first[task - 1];
    made->first[0] = 0;
}

static vef_code create(vef_workload *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t all = (uint64_t)step->tasks * given->rounds;
    plan *made = vef_arena_alloc(step->arena, 1, sizeof *made);
    if (step->tasks < 2)
        return vef_node_fail(step->node, error, "one task: expected two at least");
    if (all > 1 << 28)
        return vef_node_fail(step->node, error, "more than 2^28 messages in an iteration");
    if (made)
        *made =
            (plan){.to = vef_arena_alloc(step->arena, all, sizeof *made->to),
                   .from = vef_arena_alloc(step->arena, all, sizeof *made->from),
                   .first = vef_arena_alloc(step->arena, step->tasks + 2ull, sizeof *made->first)};
    if (!made || !made->to || !made->from || !made->first)
        return vef_fail_memory(error, "an exchange", all * 8);
    for (uint32_t task = 0; task <= step->tasks + 1; task++)
        made->first[task] = 0;
    step->state = made;
    vef_code code = draw(step, made, error);
    if (!code)
        invert(step, made);
    return code;
}

static vef_code calls(const vef_workload *step, vef_workload_calls *to, vef_error *error) {
    const parameters *given = step->parameters;
    const plan *self = step->state;
    vef_code code = VEF_OK;
    vef_workload_calls_compute(to, 1);
    for (uint64_t i = self->first[to->task]; !code && i < self->first[to->task + 1]; i++)
        code =
            vef_workload_calls_message(to, VEF_CALL_Irecv, self->from[i], given->bytes, 0, error);
    for (uint64_t i = 0; !code && i < given->rounds; i++)
        code = vef_workload_calls_message(to, VEF_CALL_Isend,
                                          self->to[(uint64_t)to->task * given->rounds + i],
                                          given->bytes, 0, error);
    return code ? code : vef_workload_calls_waitall(to, error);
}

static const char *const samples[] = {"{}", "{partners: random, rounds: 3, bytes: 10 B}",
                                      "{rounds: 2, draws: 5}", NULL};

const vef_workload_kind vef_workload_exchange = {
    .name = "exchange",
    .summary = "messages to partners drawn at random: permutations, or any other tasks",
    .parameter_bytes = sizeof(parameters),
    .schema = schema,
    .create = create,
    .calls = calls,
    .samples = samples,
    .sample_tasks = 4,
};
