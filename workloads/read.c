/* Reading a workload: see workload.h.
 *
 * The root has `tasks`, `repeat`, and either a step itself or `steps`, a list of steps. A step has
 * `workload`, the name of its kind, `iterations`, `compute` and the keys of the kind. */
#include "common/limits.h"
#include "common/memory.h"
#include "common/system/file_kind.h"
#include "workloads/state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 1000000000, MOST_STEPS = 1000, MOST_REPEATS = 1000000 };

const vef_param vef_workload_root_schema[] = {
    {VEF_KEY(COUNT, vef_workload_root, tasks), .minimum = 1, .maximum = VEF_TASK_LIMIT,
     .help = "MPI ranks"},
    {VEF_KEY(COUNT, vef_workload_root, repeat), .fallback = "1", .minimum = 1,
     .maximum = MOST_REPEATS, .help = "times that all steps are done, one after another"},
    {VEF_KEY(CHOICE, vef_workload_root, communicators), .fallback = "split",
     .choices = VEF_LIST([VEF_MADE_BY_SPLIT] = "split", [VEF_MADE_BY_GROUP] = "create-group"),
     .help = "how communicators are made: by MPI_Comm_split of the world, or by "
             "MPI_Comm_create_group"},
    {.key = "steps",
     .kind = VEF_PARAM_SECTION,
     .help = "a list of steps, each with the keys below; a single step may be written at the root"},
    {.key = NULL},
};

typedef struct step_keys {
    const char *workload;
    uint32_t iterations;
} step_keys;

static const vef_param step_schema[] = {
    {VEF_KEY(STRING, step_keys, workload), .help = "the kind of the step, see below"},
    {VEF_KEY(COUNT, step_keys, iterations), .fallback = "1", .minimum = 1, .maximum = MOST_REPEATS,
     .help = "of the step"},
    {.key = "compute",
     .kind = VEF_PARAM_SECTION,
     .section = vef_compute_schema,
     .help = "computation; that of the root also holds for steps without this key"},
    {.key = NULL},
};

/* ---- reading ---- */

/* The keys of a mapping that a schema has, in `arena`. */
static vef_node *part_of(const vef_node *mapping, const vef_param *schema, vef_arena *arena) {
    vef_node *part = vef_arena_alloc(arena, 1, sizeof *part);
    *part = *mapping;
    part->count = 0;
    part->keys = vef_arena_alloc(arena, mapping->count + 1, sizeof *part->keys);
    part->items = vef_arena_alloc(arena, mapping->count + 1, sizeof *part->items);
    for (size_t i = 0; i < mapping->count; i++)
        for (const vef_param *row = schema; row->key; row++)
            if (strcmp(row->key, mapping->keys[i]) == 0) {
                part->keys[part->count] = mapping->keys[i];
                part->items[part->count++] = mapping->items[i];
            }
    return part;
}

static vef_code read_part(const vef_node *mapping, const char *what, const vef_param *schema,
                          void *object, vef_arena *arena, vef_error *error) {
    const vef_node *part = part_of(mapping, schema, arena);
    return vef_config_read(part, what, schema, NULL, object, arena, error);
}

static vef_code find_kind(const vef_node *node, const char *name, const vef_workload_kind **kind,
                          vef_error *error) {
    for (size_t i = 0; vef_workload_kinds[i]; i++)
        if (name && strcmp(vef_workload_kinds[i]->name, name) == 0) {
            *kind = vef_workload_kinds[i];
            return VEF_OK;
        }
    VEF_FAIL_UNKNOWN_ROW(error, "workload", name ? name : "~", vef_workload_kinds);
    return vef_node_within(vef_node_get(node, "workload"), error);
}

/* `at_root`: the keys of the root are accepted too. */
static vef_code read_step(vef_workload *workload, const vef_node *node, bool at_root,
                          vef_workload_step *step, vef_error *error) {
    static const char *const step_extra[] = {"workload", "iterations", "compute", NULL};
    static const char *const root_extra[] = {"workload", "iterations",    "compute", "tasks",
                                             "repeat",   "communicators", NULL};
    step_keys keys = {0};
    *step = (vef_workload_step){.node = node,
                                .tasks = workload->root.tasks,
                                .arena = &workload->arena,
                                .workload = workload};
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error,
                             "steps: expected a mapping such as {workload: stencil, points: 5}");
    vef_code code = read_part(node, "step", step_schema, &keys, &workload->arena, error);
    if (!code)
        code = find_kind(node, keys.workload, &step->kind, error);
    if (code)
        return code;
    step->iterations = keys.iterations;
    void *parameters = vef_arena_alloc(&workload->arena, 1, step->kind->parameter_bytes);
    step->parameters = parameters;
    char what[64];
    snprintf(what, sizeof what, "workload %s", step->kind->name);
    code = vef_config_read(node, what, step->kind->schema, at_root ? root_extra : step_extra,
                           parameters, &workload->arena, error);
    const vef_node *compute = vef_node_get(node, "compute");
    if (!code)
        code = vef_compute_read(compute ? compute : vef_node_get(workload->node, "compute"),
                                step->kind->name, step->kind->own_compute, &step->compute,
                                &workload->arena, error);
    return code ? code : step->kind->prepare(step, error);
}

static vef_code read_steps(vef_workload *workload, vef_error *error) {
    static const char *const extra[] = {"steps", "compute", NULL};
    vef_workload_root unused;
    const vef_node *steps = vef_node_get(workload->node, "steps");
    const bool single = !steps;
    if (!single &&
        (steps->kind != VEF_NODE_SEQUENCE || steps->count == 0 || steps->count > MOST_STEPS))
        return vef_node_fail(steps, error, "steps: expected a list of 1 to %d steps", MOST_STEPS);
    vef_code code =
        single ? VEF_OK
               : vef_config_read(workload->node, "workload with steps", vef_workload_root_schema,
                                 extra, &unused, &workload->arena, error);
    if (code)
        return code;
    workload->step_count = single ? 1 : (uint32_t)steps->count;
    workload->steps =
        vef_arena_alloc(&workload->arena, workload->step_count, sizeof *workload->steps);
    for (uint32_t i = 0; i < workload->step_count && !code; i++)
        code = read_step(workload, single ? workload->node : steps->items[i], single,
                         &workload->steps[i], error);
    return code;
}

/* More would fill any disk. */
static vef_code check_iterations(const vef_workload *workload, vef_error *error) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < workload->step_count; i++)
        sum += workload->steps[i].iterations;
    sum *= workload->root.repeat;
    return sum <= MOST_ITERATIONS
               ? VEF_OK
               : vef_node_fail(workload->node, error,
                               "repeat x iterations: %llu iterations: expected at most %d",
                               (unsigned long long)sum, MOST_ITERATIONS);
}

/* After a failure: the file may be of another kind. */
static vef_code fail_file(const char *path, vef_error *error) {
    return vef_fail_kind(error, path, "workload", "a workload file: YAML with the key workload");
}

vef_code vef_workload_create(const vef_node *root, vef_workload **made, vef_error *error) {
    *made = NULL;
    if (root->kind != VEF_NODE_MAPPING)
        return vef_node_fail(root, error,
                             "expected keys and values, such as tasks: 64 and workload: stencil");
    vef_workload *workload = vef_calloc(1, sizeof *workload);
    workload->node = root;
    vef_code code = read_part(root, "workload", vef_workload_root_schema, &workload->root,
                              &workload->arena, error);
    if (!code && vef_limit_check(VEF_LIMIT_TASKS, workload->root.tasks, error) != VEF_OK)
        code = vef_node_within(root, error);
    if (!code) {
        vef_workload_add_world(workload);
        code = read_steps(workload, error);
    }
    if (!code)
        code = check_iterations(workload, error);
    if (code) {
        vef_workload_destroy(workload);
        return fail_file(root->origin, error);
    }
    *made = workload;
    return VEF_OK;
}

void vef_workload_destroy(vef_workload *workload) {
    if (!workload)
        return;
    free(workload->splits);
    free(workload->communicators);
    vef_arena_release(&workload->arena);
    free(workload);
}

vef_code vef_workload_read(const char *source, const char *const *overrides, size_t override_count,
                           vef_arena *arena, vef_node **root, vef_error *error) {
    const bool text = source[0] == '{';
    vef_code code = text ? vef_config_parse(source, "'{...}'", arena, root, error)
                         : vef_config_load(source, arena, root, error);
    if (code && !text)
        return fail_file(source, error);
    if (!code && text)
        vef_node_mark_text(*root);
    if (!code && override_count > 0 && (*root)->kind != VEF_NODE_MAPPING)
        return vef_node_fail(*root, error, "expected keys and values");
    for (size_t i = 0; i < override_count && !code; i++)
        code = vef_config_set(*root, overrides[i], arena, error);
    return code;
}

/* ---- description ---- */

void vef_workload_list(FILE *out) {
    for (size_t i = 0; vef_workload_kinds[i]; i++)
        fprintf(out, "  %-12s %s\n", vef_workload_kinds[i]->name, vef_workload_kinds[i]->summary);
}

void vef_workload_describe(FILE *out) {
    fputs("root\n", out);
    vef_config_describe(out, 2, vef_workload_root_schema);
    fputs("\nstep\n", out);
    vef_config_describe(out, 2, step_schema);
    fputs("\ncompute\n", out);
    vef_config_describe(out, 2, vef_compute_schema);
    for (size_t i = 0; vef_workload_kinds[i]; i++) {
        const vef_workload_kind *kind = vef_workload_kinds[i];
        fprintf(out, "\nworkload: %s   %s\n  compute: %s\n", kind->name, kind->summary,
                kind->compute);
        vef_config_describe(out, 2, kind->schema);
    }
}
