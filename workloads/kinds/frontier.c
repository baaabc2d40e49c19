/* A breadth-first search by levels, as of Graph500 with a 1D decomposition (Buluc, Madduri:
 * "Parallel breadth-first search on distributed memory systems", SC 2011): in each level the edges
 * that leave the frontier go to the owners of their ends in an Alltoallv, then an Allreduce adds up
 * the vertices of the next frontier. The frontier grows and shrinks by given shares. */
#include "common/rng.h"
#include "workloads/kind.h"

typedef struct parameters {
    vef_int_list profile;
    uint64_t edges, bytes_per_edge, seed;
    double spread;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(UINT, parameters, edges), .help = "that each task sends in all levels together"},
    {VEF_KEY(INT_LIST, parameters, profile), .fallback = "[1, 100, 5000, 4000, 800, 90, 9]",
     .maximum = 1 << 30, .help = "share of the edges in each level, in any unit"},
    {VEF_KEY(BYTES, parameters, bytes_per_edge), .fallback = "8 B", .minimum = 1,
     .maximum = 1 << 20, .help = "of an edge in a message"},
    {VEF_KEY(REAL, parameters, spread), .fallback = "0", .maximum = 1,
     .help = "edges of a pair of tasks vary uniformly by this part of their mean"},
    {VEF_KEY(UINT, parameters, seed), .fallback = "1", .help = "of that variation"},
    {.key = NULL},
};

typedef struct frontier {
    double shares;              /* their sum */
    uint64_t *sends, *receives; /* edges, then bytes, of the current task */
} frontier;

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    const uint64_t most_edges = UINT64_C(1) << 40;
    enum { MOST_LEVELS = 10000 };
    if (given->edges > most_edges)
        return vef_workload_fail(step, error, "edges",
                                 "%llu edges: out of range: expected at most %llu",
                                 (unsigned long long)given->edges, (unsigned long long)most_edges);
    if (given->profile.count == 0 || given->profile.count > MOST_LEVELS)
        return vef_workload_fail(step, error, "profile", "expected 1 to %d levels", MOST_LEVELS);
    vef_code code = vef_workload_check_pairs(step, step->tasks, error);
    const uint64_t pairs = (uint64_t)step->tasks * step->tasks;
    if (!code && given->spread > 0 && pairs * given->profile.count > VEF_MOST_PAIR_COUNTS)
        code = vef_workload_fail(
            step, error, "spread",
            "%llu pairs of tasks in %zu levels, with a number drawn for each: expected at most "
            "%llu numbers in an iteration, or spread 0",
            (unsigned long long)pairs, given->profile.count,
            (unsigned long long)VEF_MOST_PAIR_COUNTS);
    if (code)
        return code;
    frontier *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    uint64_t *sends = vef_arena_alloc(step->arena, step->tasks, sizeof *sends);
    uint64_t *receives = vef_arena_alloc(step->arena, step->tasks, sizeof *receives);
    double shares = 0;
    for (size_t i = 0; i < given->profile.count; i++)
        shares += (double)given->profile.values[i];
    if (!(shares > 0))
        return vef_workload_fail(step, error, "profile", "expected a share that is not 0");
    *state = (frontier){shares, sends, receives};
    step->state = state;
    return VEF_OK;
}

/* The bytes of a message: a task's share of the level's edges, varied by a number that both sides
 * can draw: that of the pair in the level's stream. */
static uint64_t pair_bytes(const parameters *given, double mean_edges, vef_rng level, uint64_t from,
                           uint64_t to) {
    double edges = mean_edges;
    if (given->spread > 0) {
        level.counter = from << 32 | to;
        edges *= 1 + given->spread * (2 * vef_rng_unit(&level) - 1);
    }
    return (uint64_t)(edges + 0.5) * given->bytes_per_edge;
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const frontier *state = step->state;
    for (size_t level = 0; level < given->profile.count && !program->code; level++) {
        const double mean = (double)given->edges *
                            ((double)given->profile.values[level] / state->shares) / step->tasks;
        /* Apart from the streams of compute.c and random.c. */
        const vef_rng stream =
            vef_rng_make(given->seed, VEF_RNG_WORKLOAD, UINT64_C(1) << 62 | level);
        for (uint32_t t = 0; t < step->tasks; t++) {
            state->sends[t] = pair_bytes(given, mean, stream, program->task, t);
            state->receives[t] = pair_bytes(given, mean, stream, t, program->task);
        }
        vef_program_compute(program);
        vef_program_collective(program, &(vef_collective_call){.call = VEF_CALL_Alltoallv,
                                                               .send_bytes = state->sends,
                                                               .receive_bytes = state->receives,
                                                               .send_count = step->tasks,
                                                               .receive_count = step->tasks});
        vef_program_call(program, VEF_CALL_Allreduce, 0, 8, 1);
    }
}

const vef_workload_kind vef_workload_frontier = {
    .name = "frontier",
    .aliases = "bfs graph500",
    .summary = "levels of a breadth-first search: Alltoallv of the frontier's edges, Allreduce",
    .compute = "of a level, before its Alltoallv",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples = VEF_LIST("{edges: 100000, spread: 0.7}", "{edges: 5, profile: [1, 2, 0, 1]}"),
};
