/* Reading and writing workloads. See workload.h. */
#include "workloads/workload.h"

#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD(name) extern const vef_workload_kind vef_workload_##name;
#include "workloads/kinds.def"
#undef WORKLOAD

const vef_workload_kind *const vef_workload_kinds[] = {
#define WORKLOAD(name) &vef_workload_##name,
#include "workloads/kinds.def"
#undef WORKLOAD
    NULL,
};

/* Of all steps. */
typedef struct program {
    uint32_t tasks, repeat;
    uint64_t seed;
    vef_workload *steps;
    size_t count;
    vef_arena arena;
} program;

static const vef_param program_schema[] = {
    {VEF_KEY(COUNT, program, tasks), .minimum = 1, .maximum = VEF_TASK_LIMIT,
     .help = "number of tasks"},
    {VEF_KEY(COUNT, program, repeat), .fallback = "1", .minimum = 1, .maximum = 1 << 24,
     .help = "how often the steps are repeated"},
    {VEF_KEY(UINT, program, seed), .fallback = "1", .help = "of imbalance and variation"},
    {.key = NULL},
};

static const vef_param step_schema[] = {
    {VEF_KEY(COUNT, vef_workload, iterations), .fallback = "1", .minimum = 1, .maximum = 1 << 24,
     .help = "iterations of the step"},
    {VEF_KEY(TIME, vef_workload, compute), .fallback = "0 ns", .minimum = 0, .maximum = 1e15,
     .help = "computation of a task in an iteration"},
    {VEF_KEY(REAL, vef_workload, flops), .fallback = "0", .minimum = 0, .maximum = 1e18,
     .help = "further computation: floating-point operations of a task in an iteration"},
    {VEF_KEY(REAL, vef_workload, flop_rate), .fallback = "1e10", .minimum = 1, .maximum = 1e18,
     .help = "floating-point operations of a task per second"},
    {VEF_KEY(BYTES, vef_workload, memory), .fallback = "0 B", .minimum = 0, .maximum = 1e15,
     .help = "bytes that they move to and from memory; the slower of both counts (roofline)"},
    {VEF_KEY(BANDWIDTH, vef_workload, bandwidth), .fallback = "10 GB/s",
     .help = "of memory, for a task"},
    {VEF_KEY(REAL, vef_workload, imbalance), .fallback = "0", .minimum = 0, .maximum = 1,
     .help = "computation of a task: uniformly more or less by up to this share"},
    {VEF_KEY(REAL, vef_workload, variation), .fallback = "0", .minimum = 0, .maximum = 1,
     .help = "computation of an iteration: likewise"},
    {.key = NULL},
};

/* ---- reading ---- */

enum { MOST_KEYS = 64 };

/* The keys of schemas and further ones, for vef_config_read. */
static void list_keys(const char **keys, const vef_param *const *schemas, size_t count,
                      const char *const *further) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        for (const vef_param *row = schemas[i]; row && row->key && used < MOST_KEYS - 1; row++)
            keys[used++] = row->key;
    for (; *further && used < MOST_KEYS - 1; further++)
        keys[used++] = *further;
    keys[used] = NULL;
}

static vef_code find_kind(const vef_node *node, const vef_workload_kind **kind, vef_error *error) {
    const vef_node *name = vef_node_get(node, "workload");
    if (!name || name->kind != VEF_NODE_SCALAR)
        return vef_node_fail(node, error, "missing key 'workload': the kind of the step");
    for (size_t i = 0; vef_workload_kinds[i]; i++)
        if (strcmp(vef_workload_kinds[i]->name, name->scalar) == 0) {
            *kind = vef_workload_kinds[i];
            return VEF_OK;
        }
    VEF_FAIL_UNKNOWN_ROW(error, "workload", name->scalar, vef_workload_kinds);
    return vef_node_within(name, error);
}

/* A step; `outer`: further keys of its node, NULL-terminated schema list. */
static vef_code read_step(program *self, const vef_node *node, const vef_param *outer,
                          vef_workload *step, vef_error *error) {
    static const char *const selector[] = {"workload", NULL};
    const char *keys[MOST_KEYS];
    char what[64];
    *step = (vef_workload){.arena = &self->arena, .node = node, .tasks = self->tasks};
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error, "a step: expected a mapping");
    vef_code code = find_kind(node, &step->kind, error);
    if (code)
        return code;
    step->parameters = vef_arena_alloc(&self->arena, 1, step->kind->parameter_bytes);
    if (!step->parameters)
        return vef_fail_memory(error, "parameters", step->kind->parameter_bytes);
    snprintf(what, sizeof what, "workload %s", step->kind->name);
    list_keys(keys, (const vef_param *const[]){step->kind->schema, outer}, 2, selector);
    code = vef_config_read(node, what, step_schema, keys, step, &self->arena, error);
    if (code)
        return code;
    list_keys(keys, (const vef_param *const[]){step_schema, outer}, 2, selector);
    code = vef_config_read(node, what, step->kind->schema, keys, step->parameters, &self->arena,
                           error);
    return code ? code : step->kind->create(step, error);
}

static vef_code read_steps(program *self, const vef_node *list, vef_error *error) {
    vef_code code = VEF_OK;
    if (list->kind != VEF_NODE_SEQUENCE || list->count == 0)
        return vef_node_fail(list, error, "steps: expected a list of steps");
    self->steps = vef_arena_alloc(&self->arena, list->count, sizeof *self->steps);
    if (!self->steps)
        return vef_fail_memory(error, "steps", list->count * sizeof *self->steps);
    self->count = list->count;
    for (size_t i = 0; !code && i < list->count; i++)
        code = read_step(self, list->items[i], NULL, &self->steps[i], error);
    return code;
}

/* Steps in a list, or one whose keys stand beside those of the workload. */
static vef_code read_program(program *self, const vef_node *root, vef_error *error) {
    static const char *const only_steps[] = {"steps", NULL}, *const selector[] = {"workload", NULL};
    const vef_node *list = vef_node_get(root, "steps");
    const vef_workload_kind *kind = NULL;
    const char *keys[MOST_KEYS];
    if (root->kind != VEF_NODE_MAPPING)
        return vef_node_fail(root, error, "a workload: expected a mapping");
    vef_code code = list ? VEF_OK : find_kind(root, &kind, error);
    if (code)
        return code;
    list_keys(keys,
              (const vef_param *const[]){kind ? kind->schema : NULL, kind ? step_schema : NULL}, 2,
              list ? only_steps : selector);
    code = vef_config_read(root, "workload", program_schema, keys, self, &self->arena, error);
    if (code || list)
        return code ? code : read_steps(self, list, error);
    self->steps = vef_arena_alloc(&self->arena, 1, sizeof *self->steps);
    if (!self->steps)
        return vef_fail_memory(error, "a step", sizeof *self->steps);
    self->count = 1;
    return read_step(self, root, program_schema, self->steps, error);
}

/* ---- communicators ---- */

vef_code vef_workload_add_groups(vef_workload *step, uint32_t count, uint32_t size,
                                 const uint32_t *members, vef_error *error) {
    const size_t all = (size_t)step->group_count + count;
    vef_communicator *groups = vef_arena_alloc(step->arena, all, sizeof *groups);
    if (!groups)
        return vef_fail_memory(error, "communicators", all * sizeof *groups);
    for (uint32_t i = 0; i < step->group_count; i++)
        groups[i] = step->groups[i];
    for (uint32_t i = 0; i < count; i++)
        groups[step->group_count + i] = (vef_communicator){.parent = 0,
                                                           .made_by = VEF_CALL_Comm_split,
                                                           .size = size,
                                                           .members = members + (size_t)i * size};
    step->groups = groups;
    step->group_count += count;
    return VEF_OK;
}

/* The world, and the groups of all steps, which get their numbers. */
static vef_communicator *all_communicators(program *self, const uint32_t *world, uint32_t *count) {
    *count = 1;
    for (size_t i = 0; i < self->count; i++) {
        self->steps[i].first_group = *count;
        *count += self->steps[i].group_count;
    }
    vef_communicator *all = malloc(*count * sizeof *all);
    if (!all)
        return NULL;
    all[0] = (vef_communicator){
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = self->tasks, .members = world};
    for (size_t i = 0; i < self->count; i++)
        for (uint32_t g = 0; g < self->steps[i].group_count; g++)
            all[self->steps[i].first_group + g] = self->steps[i].groups[g];
    return all;
}

/* ---- writing ---- */

/* Uniform in 1 - by to 1 + by. */
static double spread(double by, vef_rng *rng) {
    return 1 + by * (2 * vef_rng_unit(rng) - 1);
}

static double computation_ns(const vef_workload *step) {
    const double flops_ns = step->flops / step->flop_rate * 1e9;
    const double memory_ns =
        step->bandwidth ? (double)step->memory * 8e9 / (double)step->bandwidth : 0;
    return step->compute + fmax(flops_ns, memory_ns);
}

static vef_code write_step(const program *self, size_t place, uint64_t round,
                           vef_workload_calls *calls, vef_error *error) {
    const vef_workload *step = &self->steps[place];
    const double whole_ns = computation_ns(step);
    const uint64_t streams = 2 * place; /* of the task, and of its iterations */
    vef_rng of_task = vef_rng_make(self->seed, VEF_RNG_WORKLOAD, streams << 32 ^ calls->task);
    vef_rng rng =
        vef_rng_make(self->seed + round, VEF_RNG_WORKLOAD, (streams + 1) << 32 ^ calls->task);
    const double own = spread(step->imbalance, &of_task);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; !code && i < step->iterations; i++) {
        calls->factor = own * spread(step->variation, &rng);
        calls->compute_ns = whole_ns * calls->factor;
        code = step->kind->calls(step, calls, error);
    }
    return code;
}

static vef_code write_task(const program *self, uint32_t task, vef_workload_calls *calls,
                           vef_error *error) {
    vef_code code = vef_workload_calls_begin(calls, task, error);
    for (uint64_t round = 0; !code && round < self->repeat; round++)
        for (size_t i = 0; !code && i < self->count; i++)
            code = write_step(self, i, round, calls, error);
    return code ? code : vef_workload_calls_end(calls, error);
}

static vef_code write_trace(program *self, const char *path, vef_error *error) {
    uint32_t *world = malloc(self->tasks * sizeof *world), count = 0;
    for (uint32_t task = 0; world && task < self->tasks; task++)
        world[task] = task;
    vef_communicator *all = world ? all_communicators(self, world, &count) : NULL;
    vef_workload_calls calls = {.tasks = self->tasks};
    vef_code code = VEF_OK;
    if (!all)
        code = vef_fail_memory(error, "communicators", self->tasks * sizeof *world);
    if (!code) {
        const vef_trace_header header = {.tasks = self->tasks,
                                         .application = "vef generate",
                                         .clock = "wall",
                                         .times = "all",
                                         .communicator_count = count,
                                         .communicators = all};
        code = vef_writer_open(path, &header, &calls.writer, error);
    }
    free(all);
    free(world);
    if (code)
        return code;
    for (uint32_t task = 0; !code && task < self->tasks; task++)
        code = write_task(self, task, &calls, error);
    vef_workload_calls_free(&calls);
    if (!code)
        return vef_writer_finish(calls.writer, error);
    vef_writer_discard(calls.writer);
    return code;
}

vef_code vef_workload_write(const vef_node *root, const char *path, vef_error *error) {
    program self = {0};
    vef_code code = read_program(&self, root, error);
    code = code ? code : write_trace(&self, path, error);
    vef_arena_release(&self.arena);
    return code;
}

/* ---- describing ---- */

void vef_workloads_describe(FILE *out) {
    fputs("a workload, with `steps`, a list, or the keys of its only step:\n", out);
    vef_config_describe(out, 2, program_schema);
    fputs("\na step, with `workload`, its kind:\n", out);
    vef_config_describe(out, 2, step_schema);
    for (size_t i = 0; vef_workload_kinds[i]; i++) {
        fprintf(out, "\nworkload: %s   %s\n", vef_workload_kinds[i]->name,
                vef_workload_kinds[i]->summary);
        vef_config_describe(out, 2, vef_workload_kinds[i]->schema);
    }
}
