/* Reading jobs. See spec.h. */
#include "replay/jobs/spec.h"

#include "common/containers/grow.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/system/file_kind.h"
#include "replay/jobs/batch_policy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

static const vef_param job_schema[] = {
    {VEF_KEY(PATH, vef_job_spec, trace), .help = "its trace; on the command line written first",
     .aliases = "file program path"},
    {VEF_KEY(STRING, vef_job_spec, name), .fallback = "~", .default_text = "the trace's file name",
     .help = "of the job in reports"},
    {VEF_KEY(STRING, vef_job_spec, place), .fallback = "~", .default_text = "contiguous",
     .aliases = "placement", .help = "which free nodes it gets: see below"},
    {VEF_KEY(STRING, vef_job_spec, map), .fallback = "~", .default_text = "in order",
     .aliases = "mapping",
     .help =
         "mapping of its tasks to the endpoints of its nodes or, without `place`, of the network"},
    {VEF_KEY(STRING, vef_job_spec, grid), .fallback = "~", .default_text = "the program's",
     .help = "logical grid of its tasks, for the mapping"},
    {VEF_KEY_AS("start", TIME, vef_job_spec, start_ns), .fallback = "0 ns", .minimum = 0,
     .maximum = 1e18, .help = "when it starts"},
    {VEF_KEY_AS("arrival", TIME, vef_job_spec, arrival_ns), .fallback = "0 ns", .minimum = 0,
     .maximum = 1e18, .aliases = "submit", .help = "in a batch: when it is submitted"},
    {VEF_KEY_AS("estimate", TIME, vef_job_spec, estimate_ns), .fallback = "0 ns",
     .default_text = "none", .minimum = 0, .maximum = 1e18, .aliases = "walltime time duration",
     .help = "in a batch: how long it will run, for policies that need it"},
    {.key = NULL},
};

static const vef_param background_schema[] = {
    {VEF_KEY(REAL, vef_job_spec, rate), .minimum = 1e-9, .maximum = 1e6, .aliases = "load",
     .help = "offered load: phits per cycle and endpoint that sends"},
    {VEF_KEY(STRING, vef_job_spec, lengths), .fallback = "~",
     .default_text = "one packet of the largest size",
     .help = "of its messages, as in vef load: 16, 4 KiB or 0.7:8,0.3:64"},
    {VEF_KEY(STRING, vef_job_spec, name), .fallback = "~", .default_text = "background",
     .help = "in reports"},
    {VEF_KEY(STRING, vef_job_spec, place), .fallback = "~", .default_text = "contiguous",
     .aliases = "placement", .help = "which free nodes it gets"},
    {VEF_KEY(COUNT, vef_job_spec, endpoints), .fallback = "auto", .word = "auto", .minimum = 2,
     .maximum = UINT32_MAX, .help = "how many it gets; auto: those of all nodes without a job"},
    {VEF_KEY_AS("start", TIME, vef_job_spec, start_ns), .fallback = "0 ns", .minimum = 0,
     .maximum = VEF_UNTIL_THE_END, .help = "when it starts", .aliases = "from"},
    {VEF_KEY_AS("until", TIME, vef_job_spec, until_ns), .fallback = "1000000000 s",
     .default_text = "as long as a job runs", .minimum = 0, .maximum = VEF_UNTIL_THE_END,
     .help = "when it stops", .aliases = "end stop"},
    {VEF_KEY(UINT, vef_job_spec, seed), .fallback = "1",
     .help = "of its random numbers, to which its number among background traffic is added"},
    {.key = NULL},
};

typedef struct file_parameters {
    uint32_t endpoints;
    const char *batch;
} file_parameters;

static const vef_param file_schema[] = {
    {VEF_KEY(COUNT, file_parameters, endpoints), .fallback = "auto", .word = "auto", .minimum = 1,
     .maximum = 1 << 24, .help = "of a network that has any number; auto: as many as are needed"},
    {VEF_KEY(STRING, file_parameters, batch), .fallback = "~", .default_text = "none",
     .help = "the jobs are a batch, started by this policy: see below"},
    {.key = NULL},
};

void vef_job_list_describe(FILE *out, int indent) {
    fprintf(out, "%*sKeys of a job, `--job TRACE,KEY=VALUE,...` or an item of `jobs` in a file:\n",
            indent, "");
    vef_config_describe(out, indent + 2, job_schema);
    fprintf(
        out,
        "\n%*sKeys of background traffic, `--job pattern=NAME,KEY=VALUE,...`; pattern and process "
        "as in\n%*s`vef load`:\n",
        indent, "", indent, "");
    vef_config_describe(out, indent + 2, background_schema);
    fprintf(out, "\n%*sPlacements:\n", indent, "");
    vef_job_placement_describe(out, indent + 2);
    fprintf(out, "\n%*sKeys of a file beside `jobs`:\n", indent, "");
    vef_config_describe(out, indent + 2, file_schema);
    fprintf(out, "\n%*sPolicies of a batch:\n", indent, "");
    vef_batch_policy_describe(out, indent + 2);
}

/* ---- a job ---- */

static vef_code add_node(vef_job_list *list, const vef_node *node, vef_arena *arena,
                         vef_error *error) {
    static const char *const traffic[] = {"pattern", "process", NULL};
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error, "a job: expected a mapping such as {trace: a.vef}");
    vef_code code = vef_limit_check(VEF_LIMIT_JOBS, list->count + 1, error);
    if (code != VEF_OK)
        return code;
    vef_grow(&list->jobs, &list->room, list->count + 1, sizeof *list->jobs);
    vef_job_spec *spec = &list->jobs[list->count];
    *spec = (vef_job_spec){.node = node,
                           .pattern = vef_node_get(node, "pattern"),
                           .process = vef_node_get(node, "process")};
    spec->background = spec->pattern || spec->process || vef_node_get(node, "rate");
    code = spec->background ? vef_config_read(node, "background traffic", background_schema,
                                              traffic, spec, arena, error)
                            : vef_config_read(node, "job", job_schema, NULL, spec, arena, error);
    if (code != VEF_OK)
        return code;
    if (vef_job_placement_read(spec->place, arena, &spec->placement, error) != VEF_OK)
        return vef_node_within(vef_node_get(node, "place"), error);
    if (spec->background && spec->placement.path && !spec->endpoints)
        return vef_node_fail(node, error, "place=file: expected the key `endpoints` as well");
    list->count++;
    return VEF_OK;
}

/* ---- the command line ---- */

/* Whether a key and '=' begin here. */
static bool begins_key(const char *text) {
    const char *next = text;
    while (islower((unsigned char)*next) || *next == '_')
        next++;
    return next > text && *next == '=';
}

/* The end of a value: the next comma outside of brackets behind which a key begins. */
static const char *end_of_value(const char *text) {
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(' || *text == '{' || *text == '[');
        depth -= (*text == ')' || *text == '}' || *text == ']');
        if (*text == ',' && depth <= 0 && begins_key(text + 1))
            break;
    }
    return text;
}

static vef_code value_node(const char *text, const char *origin, vef_arena *arena, vef_node **node,
                           vef_error *error) {
    if (*text == '{' || *text == '[')
        return vef_config_parse(text, origin, arena, node, error);
    *node = vef_arena_alloc(arena, 1, sizeof **node);
    **node = (vef_node){.kind = VEF_NODE_SCALAR, .origin = origin, .scalar = text, .of_text = true};
    return VEF_OK;
}

enum { MOST_KEYS = 32 };

static vef_code add_value(vef_node *mapping, const char *key, const char *value, vef_arena *arena,
                          vef_error *error) {
    if (vef_node_get(mapping, key))
        return vef_node_fail(mapping, error, "%s: given twice", key);
    if (mapping->count == MOST_KEYS)
        return vef_node_fail(mapping, error, "more than %d keys", MOST_KEYS);
    mapping->keys[mapping->count] = key;
    vef_code code =
        value_node(value, mapping->origin, arena, &mapping->items[mapping->count], error);
    mapping->count += code == VEF_OK;
    return code;
}

vef_code vef_job_list_add(vef_job_list *list, const char *text, vef_arena *arena,
                          vef_error *error) {
    char *origin = vef_printed("--job '%s'", text);
    vef_node *node = vef_arena_alloc(arena, 1, sizeof *node);
    const char **keys = vef_arena_alloc(arena, MOST_KEYS, sizeof *keys);
    vef_node **items = vef_arena_alloc(arena, MOST_KEYS, sizeof *items);
    const char *kept = vef_arena_string(arena, origin);
    free(origin);
    *node = (vef_node){
        .kind = VEF_NODE_MAPPING, .origin = kept, .of_text = true, .keys = keys, .items = items};
    vef_code code = VEF_OK;
    for (bool first = true; code == VEF_OK && (first || *text); first = false) {
        const char *end = end_of_value(text);
        const size_t key_length = begins_key(text) ? strcspn(text, "=") : 0;
        const char *value = key_length ? text + key_length + 1 : text;
        const char *key = key_length ? vef_arena_string_of(arena, text, key_length) : "trace";
        value = vef_arena_string_of(arena, value, (size_t)(end - value));
        code = add_value(node, key, value, arena, error);
        text = *end ? end + 1 : end;
    }
    return code == VEF_OK ? add_node(list, node, arena, error) : code;
}

/* ---- files ---- */

vef_code vef_job_list_read(vef_job_list *list, const char *path, vef_arena *arena,
                           vef_error *error) {
    static const char *const extra[] = {"jobs", NULL};
    vef_node *root = NULL;
    file_parameters file;
    vef_code code = vef_config_load(path, arena, &root, error);
    if (code == VEF_OK)
        code = vef_config_read(root, "jobs file", file_schema, extra, &file, arena, error);
    if (code != VEF_OK)
        return vef_fail_kind(error, path, "jobs", "a file of jobs: YAML with the key jobs");
    list->endpoints = file.endpoints;
    if (file.batch && vef_job_list_batch(list, file.batch, error) != VEF_OK)
        return vef_node_within(vef_node_get(root, "batch"), error);
    const vef_node *jobs = vef_node_get(root, "jobs");
    if (!jobs || jobs->kind != VEF_NODE_SEQUENCE)
        return vef_node_fail(jobs ? jobs : root, error,
                             "jobs: expected a list of jobs such as [{trace: a.vef}]");
    for (size_t i = 0; i < jobs->count && code == VEF_OK; i++)
        code = add_node(list, jobs->items[i], arena, error);
    return code;
}

/* ---- the list as a whole ---- */

vef_code vef_job_list_place(vef_job_list *list, const char *place, vef_arena *arena,
                            vef_error *error) {
    vef_job_placement placement;
    const vef_code code = vef_job_placement_read(place, arena, &placement, error);
    for (size_t i = 0; code == VEF_OK && i < list->count; i++) {
        vef_job_spec *spec = &list->jobs[i];
        if (spec->place)
            continue;
        spec->place = place;
        spec->placement = placement;
    }
    return code;
}

vef_code vef_job_list_batch(vef_job_list *list, const char *policy, vef_error *error) {
    return vef_batch_policy_find(policy, &list->policy, error);
}

static vef_code refuse(const vef_job_spec *spec, const char *key, const char *reason,
                       vef_error *error) {
    const vef_node *value = vef_node_get(spec->node, key);
    return value ? vef_node_fail(value, error, "%s: %s", key, reason) : VEF_OK;
}

/* What depends on whether the jobs are a batch. */
static vef_code check_batch(const vef_job_list *list, const vef_job_spec *spec, vef_error *error) {
    static const char alone[] = "only jobs of a batch have it: expected `batch: fcfs` or `easy`";
    vef_code code = VEF_OK;
    if (!list->policy) {
        code = refuse(spec, "arrival", alone, error);
        return code == VEF_OK ? refuse(spec, "estimate", alone, error) : code;
    }
    if (spec->background)
        return spec->endpoints ? VEF_OK
                               : vef_node_fail(spec->node, error,
                                               "background traffic beside a batch: expected the "
                                               "key `endpoints`, since jobs need the others");
    if (spec->placement.path)
        code = refuse(spec, "place", "files are not supported in a batch", error);
    if (code == VEF_OK)
        code = refuse(spec, "start", "not supported in a batch: expected `arrival`", error);
    if (code == VEF_OK && list->policy->estimates && !(spec->estimate_ns > 0))
        code = vef_node_fail(spec->node, error,
                             "missing key `estimate`: policy %s needs an estimate of the time of "
                             "each job",
                             list->policy->name);
    return code;
}

static bool is_taken(const vef_job_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (list->jobs[i].name && strcmp(list->jobs[i].name, name) == 0)
            return true;
    return false;
}

/* The file's name without ".vef", with a number if another job has that name. */
static const char *name_of(const vef_job_list *list, const char *path, vef_arena *arena) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".vef") == 0)
        length -= 4;
    char *name = vef_arena_alloc(arena, length + 24, 1);
    for (size_t number = 1; number <= list->count + 1; number++) {
        if (number == 1)
            snprintf(name, length + 24, "%.*s", (int)length, base);
        else
            snprintf(name, length + 24, "%.*s-%zu", (int)length, base, number);
        if (!is_taken(list, name))
            break;
    }
    return name;
}

vef_code vef_job_list_end(vef_job_list *list, vef_arena *arena, vef_error *error) {
    bool any = false;
    for (size_t i = 0; i < list->count; i++) {
        const vef_code code = check_batch(list, &list->jobs[i], error);
        if (code != VEF_OK)
            return code;
        any = any || !list->jobs[i].background;
    }
    if (!any)
        return vef_fail(
            error, VEF_INVALID,
            "no jobs: expected at least one with a trace (for traffic alone: vef load)");
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; list->jobs[i].name && j < i; j++)
            if (list->jobs[j].name && strcmp(list->jobs[i].name, list->jobs[j].name) == 0)
                return vef_node_fail(list->jobs[i].node, error,
                                     "name: %s: another job has it: expected a different one",
                                     list->jobs[i].name);
    for (size_t i = 0; i < list->count; i++)
        if (!list->jobs[i].name)
            list->jobs[i].name =
                name_of(list, list->jobs[i].background ? "background" : list->jobs[i].trace, arena);
    return VEF_OK;
}

void vef_job_list_release(vef_job_list *list) {
    free(list->jobs);
    *list = (vef_job_list){0};
}
