/* A blocking collective, on the world or on groups of consecutive tasks. */
#include "common/unknown.h"
#include "workloads/kind.h"

#include <string.h>

typedef struct parameters {
    const char *call;
    uint64_t bytes, element;
    uint32_t root, group;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(STRING, parameters, call), .fallback = "Allreduce",
     .help = "a blocking collective of MPI without neighbours: Bcast, Alltoall, Barrier, ..."},
    {VEF_KEY(BYTES, parameters, bytes), .fallback = "8 B", .maximum = 0x1p40,
     .help = "as traces/FORMAT.md defines them: of the vector, or of one rank's part; vector "
             "variants: of each part"},
    {VEF_KEY(BYTES, parameters, element), .fallback = "8 B", .minimum = 1, .maximum = 1 << 20,
     .help = "size of an element of a reduction"},
    {VEF_KEY(COUNT, parameters, root), .fallback = "0", .maximum = UINT32_MAX,
     .help = "rank of the root, of collectives with one"},
    {VEF_KEY(COUNT, parameters, group), .fallback = "0", .maximum = UINT32_MAX,
     .help = "consecutive tasks of each communicator, which divide the tasks; 0: the world"},
    {.key = NULL},
};

typedef struct one_collective {
    uint16_t call;
    uint32_t members;
    uint64_t elements;
    bool sends, receives;     /* have counts of each rank */
    bool at_root;             /* only at the root */
    vef_workload_split split; /* without groups NULL */
    uint64_t *counts;         /* of `members` ranks, all the same */
} one_collective;

static bool is_accepted(uint16_t call) {
    return vef_call_name(call) && vef_call_kind(call) == VEF_KIND_COLLECTIVE &&
           vef_call_base(call) == call && !vef_call_has(call, VEF_FACT_NEIGHBOURS);
}

static vef_code find_call(const vef_workload_step *step, const char *name, uint16_t *found,
                          vef_error *error) {
    enum { MOST_NAMES = 64 };
    vef_known known[MOST_NAMES];
    size_t count = 0;
    for (uint32_t i = 0; i < vef_call_count() && count < MOST_NAMES; i++) {
        const uint16_t call = (uint16_t)i;
        if (!is_accepted(call))
            continue;
        if (name && strcmp(vef_call_name(call), name) == 0) {
            *found = call;
            return VEF_OK;
        }
        known[count++] =
            (vef_known){vef_call_name(call), call == VEF_CALL_Bcast ? "broadcast" : NULL};
    }
    vef_fail_unknown_of(error, "collective", name ? name : "~", known, count);
    const vef_node *node = vef_node_get(step->node, "call");
    return vef_node_within(node ? node : step->node, error);
}

static vef_code divide(vef_workload_step *step, one_collective *state, vef_error *error) {
    const parameters *given = step->parameters;
    state->members = given->group ? given->group : step->tasks;
    if (given->group == 0)
        return VEF_OK;
    if (step->tasks % given->group != 0)
        return vef_workload_fail(step, error, "group",
                                 "groups of %u do not divide the %u tasks: expected a divisor",
                                 given->group, step->tasks);
    uint32_t *color = vef_arena_alloc(step->arena, step->tasks, sizeof *color);
    for (uint32_t i = 0; i < step->tasks; i++)
        color[i] = i / given->group;
    return vef_workload_divide(step, color, step->tasks / given->group, &state->split, error);
}

/* What the call has besides its bytes. */
static vef_code find_counts(vef_workload_step *step, one_collective *state, vef_error *error) {
    const parameters *given = step->parameters;
    const bool sizes = given->bytes > 0 && !vef_call_has(state->call, VEF_FACT_NO_DATA);
    if (vef_call_has(state->call, VEF_FACT_ROOTED) && given->root >= state->members)
        return vef_workload_fail(step, error, "root", "root %u: out of range: expected 0 to %u",
                                 given->root, state->members - 1);
    if (vef_call_has(state->call, VEF_FACT_REDUCES) && given->bytes % given->element != 0)
        return vef_workload_fail(
            step, error, "bytes", "%llu bytes are not whole elements of %llu bytes",
            (unsigned long long)given->bytes, (unsigned long long)given->element);
    if (vef_call_has(state->call, VEF_FACT_REDUCES) && sizes)
        state->elements = given->bytes / given->element;
    state->sends = vef_call_has(state->call, VEF_FACT_SENDS_EACH);
    state->receives = vef_call_has(state->call, VEF_FACT_RECEIVES_EACH);
    state->at_root = vef_call_has(state->call, VEF_FACT_ROOTED);
    if (!state->sends && !state->receives)
        return VEF_OK;
    if (vef_call_has(state->call, VEF_FACT_REDUCES))
        state->elements *= state->members;
    vef_code code = state->at_root ? VEF_OK : vef_workload_check_pairs(step, state->members, error);
    state->counts =
        code ? NULL : vef_arena_alloc(step->arena, state->members, sizeof *state->counts);
    for (uint32_t i = 0; i < state->members && !code; i++)
        state->counts[i] = given->bytes;
    return code;
}

static vef_code prepare(vef_workload_step *step, vef_error *error) {
    const parameters *given = step->parameters;
    one_collective *state = vef_arena_alloc(step->arena, 1, sizeof *state);
    step->state = state;
    vef_code code = find_call(step, given->call, &state->call, error);
    if (!code)
        code = divide(step, state, error);
    return code ? code : find_counts(step, state, error);
}

static void emit(const vef_workload_step *step, vef_program *program) {
    const parameters *given = step->parameters;
    const one_collective *state = step->state;
    const uint32_t rank = given->group ? program->task % given->group : program->task;
    const bool listed = !state->at_root || rank == given->root;
    /* Of Alltoallv and Alltoallw only the counts say anything. */
    const bool bytes =
        !vef_call_has(state->call, VEF_FACT_NO_DATA) && !(state->sends && state->receives);
    vef_program_compute(program);
    vef_program_collective(program,
                           &(vef_collective_call){
                               .call = state->call,
                               .comm = given->group ? state->split.comm[program->task] : 0,
                               .root = (int32_t)given->root,
                               .bytes = bytes ? given->bytes : 0,
                               .elements = state->elements,
                               .send_bytes = state->sends && listed ? state->counts : NULL,
                               .receive_bytes = state->receives && listed ? state->counts : NULL,
                               .send_count = state->sends && listed ? state->members : 0,
                               .receive_count = state->receives && listed ? state->members : 0,
                           });
}

static const char *const samples[] = {"{call: Allreduce, bytes: 1 KiB}",
                                      "{call: Bcast, bytes: 1 MiB}",
                                      "{call: Alltoallv, bytes: 3 B}",
                                      "{call: Scatterv, bytes: 16 B, root: 0}",
                                      "{call: Reduce_scatter, bytes: 64 B}",
                                      "{call: Exscan, group: 1}",
                                      "{call: Barrier}",
                                      NULL};

const vef_workload_kind vef_workload_collective = {
    .name = "collective",
    .summary = "any blocking collective of all tasks, or of groups",
    .compute = "before each call",
    VEF_PARAMETERS(schema, parameters),
    .prepare = prepare,
    .emit = emit,
    .samples = samples,
};
