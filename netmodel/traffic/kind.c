/* Creating patterns and processes from their configuration, and listing them. See traffic.h. */
#include "netmodel/traffic/traffic.h"

#include "common/memory.h"
#include "common/plugin/library.h"
#include "netmodel/traffic/kinds.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 64 };

/* The common part of the two tables. */
typedef struct row {
    const char *name, *aliases, *summary;
    const vef_param *schema;
    size_t parameter_bytes;
} row;

static size_t pattern_rows(row *rows) {
    size_t count = 0;
    for (; vef_patterns[count] && count < MOST_KINDS; count++) {
        const vef_pattern_kind *kind = vef_patterns[count];
        rows[count] =
            (row){kind->name, kind->aliases, kind->summary, kind->schema, kind->parameter_bytes};
    }
    return count;
}

static size_t process_rows(row *rows) {
    size_t count = 0;
    for (; vef_processes[count] && count < MOST_KINDS; count++) {
        const vef_process_kind *kind = vef_processes[count];
        rows[count] =
            (row){kind->name, kind->aliases, kind->summary, kind->schema, kind->parameter_bytes};
    }
    return count;
}

/* The name that `node` gives, by `key` or as a whole; NULL: none. */
static const vef_node *name_in(const vef_node *node, const char *key) {
    if (!node || vef_node_is_null(node))
        return NULL;
    return node->kind == VEF_NODE_MAPPING ? vef_node_get(node, key) : node;
}

/* Finds the row named by `node`. */
static vef_code choose(const vef_node *node, const char *key, const row *rows, size_t count,
                       size_t *chosen, vef_error *error) {
    *chosen = 0;
    const vef_node *name = name_in(node, key);
    if (!name && (!node || node->count == 0))
        return VEF_OK;
    if (!name || name->kind != VEF_NODE_SCALAR)
        return vef_node_fail(name ? name : node, error,
                             "%s: expected a name such as %s, or a mapping such as {%s: %s}", key,
                             rows[0].name, key, rows[0].name);
    vef_known known[MOST_KINDS];
    for (size_t i = 0; i < count; i++) {
        known[i] = (vef_known){rows[i].name, rows[i].aliases};
        if (strcmp(known[i].name, name->scalar) == 0) {
            *chosen = i;
            return VEF_OK;
        }
    }
    char what[64];
    snprintf(what, sizeof what, "traffic %s", key);
    vef_fail_unknown_of(error, what, name->scalar, known, count);
    return vef_node_within(name, error);
}

static bool is_among(const row *rows, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

static vef_code read_parameters(const vef_node *node, const char *key, const row *chosen,
                                vef_arena *arena, const void **parameters, vef_error *error) {
    const char *const extra[] = {key, NULL};
    char what[96];
    snprintf(what, sizeof what, "%s %s", key, chosen->name);
    void *read =
        vef_arena_alloc(arena, 1, chosen->parameter_bytes > 0 ? chosen->parameter_bytes : 1);
    *parameters = read;
    return vef_config_read(node && node->kind == VEF_NODE_MAPPING ? node : NULL, what,
                           chosen->schema, extra, read, arena, error);
}

static const char *lacks(const void *kind_row) {
    const vef_pattern_kind *kind = kind_row;
    if (!kind->create || !kind->destination)
        return kind->create ? "destination" : "create";
    if (!kind->permutation && !kind->shares)
        return "shares (or permutation)";
    if (kind->groups && !kind->group)
        return "group";
    return vef_schema_lacks(kind->schema, kind->parameter_bytes);
}

const vef_plugin_point vef_pattern_point = {"pattern", offsetof(vef_plugin, patterns), lacks};

static vef_code fill_in(vef_pattern *pattern, const vef_node *node, const vef_node *plugins,
                        vef_error *error) {
    row rows[MOST_KINDS];
    const size_t count = pattern_rows(rows);
    size_t chosen = 0;
    const vef_node *name = name_in(node, "pattern");
    vef_code code = VEF_OK;
    const void *added = NULL;
    if (name && name->kind == VEF_NODE_SCALAR && !is_among(rows, count, name->scalar))
        code = vef_library_find(plugins, &vef_pattern_point, name->scalar, &pattern->library,
                                &added, error);
    if (code == VEF_OK && !added)
        code = choose(node, "pattern", rows, count, &chosen, error);
    if (code != VEF_OK)
        return code;
    const vef_pattern_kind *kind = added;
    const row used =
        kind ? (row){kind->name, NULL, kind->summary, kind->schema, kind->parameter_bytes}
             : rows[chosen];
    pattern->kind = kind ? kind : vef_patterns[chosen];
    code = read_parameters(node, "pattern", &used, &pattern->arena, &pattern->parameters, error);
    if (code != VEF_OK)
        return code;
    code = pattern->kind->create(pattern, error);
    if (code == VEF_OK && added)
        code = vef_pattern_check_sound(pattern, error);
    if (code == VEF_OK)
        return VEF_OK;
    vef_fail_within(error, "pattern %s", pattern->kind->name);
    return node ? vef_node_within(node, error) : code;
}

/* Adds the permutations that fit, by default, to the refusal of another one by the network. Those
 * without samples are for particular networks alone. */
static void add_those_that_fit(const vef_pattern *refused, vef_error *error) {
    row rows[MOST_KINDS];
    const size_t count = pattern_rows(rows);
    const char *before = "; expected for this network one of: ";
    for (size_t i = 0; i < count; i++) {
        const vef_pattern_kind *kind = vef_patterns[i];
        if (!kind->permutation || kind == refused->kind || !kind->samples[0])
            continue;
        vef_pattern tried = {
            .kind = kind, .topology = refused->topology, .endpoints = refused->endpoints};
        if (read_parameters(NULL, "pattern", &rows[i], &tried.arena, &tried.parameters, NULL) ==
                VEF_OK &&
            kind->create(&tried, NULL) == VEF_OK) {
            vef_append(error->message, sizeof error->message, "%s%s", before, kind->name);
            before = ", ";
        }
        vef_arena_release(&tried.arena);
    }
}

vef_code vef_pattern_create(const vef_node *node, const vef_node *plugins,
                            const vef_topology *topology, vef_pattern **made, vef_error *error) {
    *made = NULL;
    vef_pattern *pattern = vef_calloc(1, sizeof *pattern);
    pattern->topology = topology;
    pattern->endpoints = topology->endpoints;
    const vef_code code = fill_in(pattern, node, plugins, error);
    if (code == VEF_UNSUPPORTED && error && pattern->kind->permutation && !pattern->library)
        add_those_that_fit(pattern, error);
    if (code == VEF_OK)
        *made = pattern;
    else
        vef_pattern_destroy(pattern);
    return code;
}

vef_code vef_pattern_of_text(const char *text, const vef_node *plugins,
                             const vef_topology *topology, vef_pattern **pattern,
                             vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    *pattern = NULL;
    vef_code code = vef_config_parse(text, "--pattern", &arena, &node, error);
    if (code == VEF_OK)
        code = vef_pattern_create(node, plugins, topology, pattern, error);
    vef_arena_release(&arena);
    return code;
}

void vef_pattern_destroy(vef_pattern *pattern) {
    if (!pattern)
        return;
    vef_arena_release(&pattern->arena);
    vef_library_close(pattern->library);
    free(pattern);
}

vef_code vef_process_read(const vef_node *node, vef_arena *arena, const vef_process_kind **kind,
                          const void **parameters, vef_error *error) {
    row rows[MOST_KINDS];
    const size_t count = process_rows(rows);
    size_t chosen;
    vef_code code = choose(node, "process", rows, count, &chosen, error);
    if (code != VEF_OK)
        return code;
    *kind = vef_processes[chosen];
    return read_parameters(node, "process", &rows[chosen], arena, parameters, error);
}

/* ---- output ---- */

void vef_pattern_put(const vef_pattern *pattern, vef_node *into) {
    vef_config_put(into, "pattern", pattern->kind->name);
    vef_config_put_schema(into, pattern->kind->schema, pattern->parameters);
}

void vef_process_put(const vef_process_kind *process, const void *parameters, vef_node *into) {
    vef_config_put(into, "process", process->name);
    vef_config_put_schema(into, process->schema, parameters);
}

static void describe(FILE *out, const char *key, const row *rows, size_t count, bool keys) {
    if (!keys)
        fprintf(out, "%s:\n", key);
    for (size_t i = 0; i < count; i++)
        if (keys) {
            fprintf(out, "%s: %s   %s\n", key, rows[i].name, rows[i].summary);
            vef_config_describe(out, 2, rows[i].schema);
        } else {
            fprintf(out, "  %-20s  %s\n", rows[i].name, rows[i].summary);
        }
    fputc('\n', out);
}

void vef_traffic_describe(FILE *out, bool keys) {
    row rows[MOST_KINDS];
    size_t count = pattern_rows(rows);
    describe(out, "pattern", rows, count, keys);
    count = process_rows(rows);
    describe(out, "process", rows, count, keys);
    fprintf(out,
            "lengths: 16, or 0.7:8,0.3:64   all messages of 16 phits, headers included; 70 %% of "
            "8 phits and 30 %% of 64\n"
            "         4 KiB                 all messages of 4 KiB, without headers\n");
}
