/* Reading axes: lists, ranges, named values. See axes.h. */
#include "study/axes.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100000, MOST_KEYS = 64 };

typedef struct reading {
    vef_arena *arena;
    vef_error *error;
} reading;

/* ---- texts ---- */

/* As an argument: a scalar without its quotes. */
static const char *text_of(const reading *from, const vef_node *node) {
    if (node->kind == VEF_NODE_SCALAR)
        return node->scalar;
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&written, &bytes);
    vef_node_write_flow(node, out);
    fclose(out);
    const char *text = vef_arena_string(from->arena, written);
    free(written);
    return text;
}

/* ---- values ---- */

static vef_code add_value(reading *from, vef_study_axis *axis, const vef_study_value *value,
                          const vef_node *node) {
    if (axis->count == MOST_VALUES)
        return vef_node_fail(node, from->error, "%s: too many values: expected at most %d",
                             axis->name, MOST_VALUES);
    vef_arena_grow(from->arena, &axis->values, axis->count, sizeof *axis->values);
    axis->values[axis->count++] = *value;
    return VEF_OK;
}

static vef_code add_range(reading *from, vef_study_axis *axis, const vef_node *node,
                          const vef_range *range) {
    if (range->count == 0 || range->count > MOST_VALUES)
        return vef_node_fail(node, from->error,
                             "%s: '%s': not a range: expected FIRST:LAST or FIRST:LAST:STEP, "
                             "ascending, of at most %d values",
                             axis->name, node->scalar, MOST_VALUES);
    vef_code code = VEF_OK;
    for (size_t i = 0; code == VEF_OK && i < range->count; i++) {
        const char *kept =
            vef_arena_printed(from->arena, "%.12g", range->first + (double)i * range->step);
        code = add_value(from, axis, &(vef_study_value){.label = kept, .text = kept}, node);
    }
    return code;
}

/* {file: rt-4.yaml, set: {router.queue_packets: 8}} */
static vef_code read_network(reading *from, const vef_node *node, const char *label,
                             vef_study_value *value) {
    const vef_node *file = vef_node_get(node, "file"), *set = vef_node_get(node, "set");
    for (size_t i = 0; i < node->count; i++)
        if (node->items[i] != file && node->items[i] != set)
            return vef_fail_unknown(from->error, "key", node->keys[i],
                                    (const char *const[]){"file", "set"}, 2),
                   vef_node_within(node->items[i], from->error);
    if (file->kind != VEF_NODE_SCALAR)
        return vef_node_fail(file, from->error, "file: expected a path");
    if (set && set->kind != VEF_NODE_MAPPING)
        return vef_node_fail(set, from->error, "set: expected a mapping of keys to values");
    *value = (vef_study_value){.label = label ? label : file->scalar, .text = file->scalar};
    value->override_count = set ? set->count : 0;
    value->overrides =
        vef_arena_alloc(from->arena, value->override_count + 1, sizeof *value->overrides);
    for (size_t i = 0; i < value->override_count; i++) {
        const char *text = text_of(from, set->items[i]);
        value->overrides[i] = vef_arena_printed(from->arena, "%s=%s", set->keys[i], text);
    }
    return VEF_OK;
}

/* One value, or the several of a range. */
static vef_code read_value(reading *from, vef_study_axis *axis, const vef_node *node,
                           const char *label) {
    vef_range range;
    if (vef_node_is_null(node))
        return vef_node_fail(node, from->error, "%s: expected a value; found nothing", axis->name);
    const bool ranges = axis->key ? axis->key->ranges : true;
    if (ranges && node->kind == VEF_NODE_SCALAR && !node->quoted && !label &&
        vef_range_scan(node->scalar, &range) && range.parts > 1)
        return add_range(from, axis, node, &range);
    vef_study_value value = {0};
    vef_code code = VEF_OK;
    if (axis->key && axis->key->role == VEF_STUDY_NETWORK && vef_node_get(node, "file"))
        code = read_network(from, node, label, &value);
    else
        value.text = text_of(from, node);
    if (code != VEF_OK)
        return code;
    if (axis->key && *value.text == '\0')
        return vef_node_fail(node, from->error, "%s: expected a value; found nothing", axis->name);
    if (axis->key && axis->key->flag && strcmp(value.text, "true") != 0 &&
        strcmp(value.text, "false") != 0)
        return vef_node_fail(node, from->error, "%s: expected true or false", axis->name);
    if (!value.label)
        value.label = label ? label : value.text;
    return add_value(from, axis, &value, node);
}

/* Replaces the labels of files by their names without folder and extension, if these differ. */
static void shorten_labels(const reading *from, vef_study_axis *axis) {
    const char **name = vef_calloc(axis->count + 1, sizeof *name);
    bool differ = true;
    for (size_t v = 0; differ && v < axis->count; v++) {
        const vef_study_value *value = &axis->values[v];
        const char *slash = strrchr(value->text, '/');
        const char *base = slash ? slash + 1 : value->text, *dot = strrchr(base, '.');
        if (value->label != value->text || *value->text == '{' || !dot || dot == base)
            name[v] = value->label;
        else
            name[v] = vef_arena_string_of(from->arena, base, (size_t)(dot - base));
        for (size_t w = 0; differ && w < v; w++)
            differ = strcmp(name[v], name[w]) != 0;
    }
    for (size_t v = 0; differ && v < axis->count; v++)
        axis->values[v].label = name[v];
    free(name);
}

static vef_code check_values(const reading *from, vef_study_axis *axis) {
    if (axis->count == 0)
        return vef_node_fail(axis->node, from->error, "%s: empty list: expected at least one value",
                             axis->name);
    for (size_t v = 0; v < axis->count && axis->count < 1000; v++)
        for (size_t w = 0; w < v; w++)
            if (strcmp(axis->values[v].label, axis->values[w].label) == 0)
                return vef_node_fail(axis->node, from->error, "%s: '%s' is listed twice",
                                     axis->name, axis->values[v].label);
    const bool file =
        axis->key && (axis->key->role == VEF_STUDY_TRACE || axis->key->role == VEF_STUDY_LISTING ||
                      axis->key->role == VEF_STUDY_NETWORK);
    if (file)
        shorten_labels(from, axis);
    return VEF_OK;
}

/* A scalar without ranges: "5" is seeds 1 to 5. In a list each item is a seed, or a range. */
static vef_code read_seeds(reading *from, vef_study_axis *axis) {
    uint64_t seeds[VEF_MOST_NUMBERS];
    size_t count;
    vef_code code = vef_seeds_read(axis->name, axis->node->scalar, 1, seeds, &count, from->error);
    if (code != VEF_OK)
        vef_node_within(axis->node, from->error);
    for (size_t i = 0; code == VEF_OK && i < count; i++) {
        const char *kept = vef_arena_printed(from->arena, "%llu", (unsigned long long)seeds[i]);
        code = add_value(from, axis, &(vef_study_value){.label = kept, .text = kept}, axis->node);
    }
    return code;
}

/* `named`: a mapping has names for values; otherwise it is a value. */
static vef_code read_values(reading *from, vef_study_axis *axis, bool named) {
    const vef_node *node = axis->node;
    vef_code code = VEF_OK;
    if (axis->key && axis->key->role == VEF_STUDY_SEED && node->kind == VEF_NODE_SCALAR &&
        !strpbrk(node->scalar, "$:") && !vef_node_is_null(node))
        code = read_seeds(from, axis);
    else if (node->kind == VEF_NODE_SCALAR || (node->kind == VEF_NODE_MAPPING && !named))
        code = read_value(from, axis, node, NULL);
    else
        for (size_t i = 0; code == VEF_OK && i < node->count; i++)
            code = read_value(from, axis, node->items[i],
                              node->kind == VEF_NODE_MAPPING ? node->keys[i] : NULL);
    return code == VEF_OK ? check_values(from, axis) : code;
}

/* ---- axes ---- */

static vef_code put_axis(reading *from, const vef_study_axis *axis, vef_study_axes *axes) {
    for (size_t i = 0; i < axes->count; i++)
        if (strcmp(axes->list[i].name, axis->name) == 0) {
            if (axes->list[i].kind != axis->kind)
                return vef_node_fail(axis->node, from->error, "'%s' is the name of another axis",
                                     axis->name);
            axes->list[i] = *axis;
            return VEF_OK;
        }
    *VEF_NEW_ITEM(axes->list, axes->count, axes->room) = *axis;
    return VEF_OK;
}

/* Settings may be nested: {router: {queue_packets: [2, 4]}} is router.queue_packets. */
static vef_code read_settings(reading *from, const vef_node *node, const char *prefix,
                              vef_study_axis_kind kind, vef_study_axes *axes) {
    vef_code code = VEF_OK;
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, from->error, "expected a mapping of keys to values");
    for (size_t i = 0; code == VEF_OK && i < node->count; i++) {
        const char *name =
            vef_arena_printed(from->arena, "%s%s%s", prefix, *prefix ? "." : "", node->keys[i]);
        vef_study_axis axis = {.kind = kind, .name = name, .node = node->items[i]};
        if (kind == VEF_STUDY_AXIS_SETTING && axis.node->kind == VEF_NODE_MAPPING) {
            code = read_settings(from, axis.node, name, kind, axes);
            continue;
        }
        code = read_values(from, &axis, true);
        if (code == VEF_OK)
            code = put_axis(from, &axis, axes);
    }
    return code;
}

static vef_code fail_unknown_key(const vef_node *mapping, size_t item, const vef_study_kind *kind,
                                 const char *const *others, vef_error *error) {
    static char aliases[MOST_KEYS]; /* none */
    vef_known known[MOST_KEYS];
    size_t count = 0;
    for (const vef_study_key *row = kind->keys; row->key && count < MOST_KEYS; row++)
        known[count++] = (vef_known){row->key, row->column};
    for (; *others && count < MOST_KEYS; others++)
        known[count++] = (vef_known){*others, aliases};
    const vef_node node = {.line = mapping->items[item]->key_line,
                           .column = mapping->items[item]->key_column,
                           .origin = mapping->items[item]->origin};
    vef_fail_unknown_of(error, "key", mapping->keys[item], known, count);
    return vef_node_within(&node, error);
}

vef_code vef_study_axes_read(const vef_node *mapping, const vef_study_kind *kind,
                             const char *const *others, vef_study_axes *axes, vef_arena *arena,
                             vef_error *error) {
    reading from = {.arena = arena, .error = error};
    vef_code code = VEF_OK;
    for (size_t i = 0; code == VEF_OK && i < mapping->count; i++) {
        const char *key = mapping->keys[i];
        const vef_node *node = mapping->items[i];
        const vef_study_key *row = kind->keys;
        while (row->key && strcmp(row->key, key) != 0)
            row++;
        size_t other = 0;
        while (others[other] && strcmp(others[other], key) != 0)
            other++;
        if (row->key) {
            vef_study_axis axis = {
                .kind = VEF_STUDY_AXIS_KEY, .name = row->column, .key = row, .node = node};
            code = read_values(&from, &axis, true);
            if (code == VEF_OK)
                code = put_axis(&from, &axis, axes);
        } else if (strcmp(key, "set") == 0) {
            code = read_settings(&from, node, "", VEF_STUDY_AXIS_SETTING, axes);
        } else if (strcmp(key, "vary") == 0) {
            code = read_settings(&from, node, "", VEF_STUDY_AXIS_VARIABLE, axes);
        } else if (!others[other]) {
            code = fail_unknown_key(mapping, i, kind, others, error);
        }
    }
    return code;
}

void vef_study_axes_free(vef_study_axes *axes) {
    free(axes->list);
    *axes = (vef_study_axes){0};
}
