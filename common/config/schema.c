/* Reads a mapping of the tree into a struct by its schema: known keys only, values within their
 * bounds, all required keys present. See config.h. */
#include "common/config/schema.h"

#include <math.h>
#include <string.h>

typedef struct reading {
    const char *what;
    const vef_param *param;
    vef_arena *arena;
    vef_error *error;
} reading;

/* "origin:line:column: what: " before the failure. */
static vef_code within(const reading *from, const vef_node *node) {
    vef_fail_within(from->error, "%s", from->what);
    return vef_node_within(node, from->error);
}

static const char *kind_of(const vef_node *node) {
    if (node->kind == VEF_NODE_SCALAR)
        return vef_node_is_null(node) ? "nothing" : node->scalar;
    return node->kind == VEF_NODE_SEQUENCE ? "a list" : "a mapping";
}

/* Fails because the value has the wrong type: expected and found. */
static vef_code wrong(const reading *from, const vef_node *node) {
    char expected[VEF_TYPE_TEXT_BYTES];
    vef_param_type_text(expected, from->param);
    bool text = node->kind == VEF_NODE_SCALAR && !vef_node_is_null(node);
    const char *quote = !text ? "" : node->quoted ? "\"" : "'";
    vef_fail(from->error, VEF_INVALID, "%s: expected %s; found %s%.80s%s", from->param->key,
             expected, quote, kind_of(node), quote);
    return within(from, node);
}

static bool outside(const vef_param *param, double value) {
    bool bounded = param->minimum != 0 || param->maximum != 0;
    return bounded && !(value >= param->minimum && value <= param->maximum);
}

static vef_code check(const reading *from, const vef_node *node, vef_code code, double value) {
    if (code)
        return within(from, node);
    return outside(from->param, value) ? wrong(from, node) : VEF_OK;
}

/* Whether the value is the word that stands for 0. */
static bool is_word(const reading *from, const vef_node *node) {
    return from->param->word && node->kind == VEF_NODE_SCALAR &&
           strcmp(node->scalar, from->param->word) == 0;
}

static vef_code read_int(const reading *from, const vef_node *node, int64_t *value) {
    if (is_word(from, node)) {
        *value = 0;
        return VEF_OK;
    }
    if (node->kind != VEF_NODE_SCALAR || node->quoted)
        return wrong(from, node);
    vef_code code = vef_parse_int(node->scalar, from->param->key, value, from->error);
    return check(from, node, code, code ? 0 : (double)*value);
}

static vef_code read_count(const reading *from, const vef_node *node, uint32_t *value) {
    int64_t whole = 0;
    vef_code code = read_int(from, node, &whole);
    *value = (uint32_t)whole;
    return code;
}

static vef_code read_uint(const reading *from, const vef_node *node, uint64_t *value) {
    if (node->quoted)
        return wrong(from, node);
    vef_code code = vef_parse_uint(node->scalar, from->param->key, value, from->error);
    return code ? within(from, node) : VEF_OK;
}

static vef_code read_real(const reading *from, const vef_node *node, double *value) {
    if (node->quoted)
        return wrong(from, node);
    vef_code code = vef_parse_real(node->scalar, from->param->key, value, from->error);
    return check(from, node, code, code ? 0 : *value);
}

static vef_code read_bool(const reading *from, const vef_node *node, bool *value) {
    *value = strcmp(node->scalar, "true") == 0;
    if (node->quoted || (!*value && strcmp(node->scalar, "false") != 0))
        return wrong(from, node);
    return VEF_OK;
}

static vef_code read_choice(const reading *from, const vef_node *node, int *value) {
    const char *const *choices = from->param->choices;
    size_t count = 0;
    for (; choices[count]; count++)
        if (strcmp(choices[count], node->scalar) == 0) {
            *value = (int)count;
            return VEF_OK;
        }
    vef_fail_unknown(from->error, from->param->key, node->scalar, choices, count);
    return within(from, node);
}

static vef_code read_string(const reading *from, const vef_node *node, const char **value) {
    bool null = vef_node_is_null(node);
    const char *fallback = from->param->fallback;
    if (null && !(fallback && strcmp(fallback, "~") == 0))
        return wrong(from, node);
    *value = NULL;
    if (null)
        return VEF_OK;
    /* Copied, because values outlive the tree. */
    *value = vef_arena_string(from->arena, node->scalar);
    return VEF_OK;
}

/* A path in a file is relative to the folder of that file. */
static vef_code read_path(const reading *from, const vef_node *node, const char **value) {
    vef_code code = read_string(from, node, value);
    if (code || !*value || **value == '/' || node->line == 0 || node->of_text)
        return code;
    const char *slash = strrchr(node->origin, '/');
    size_t folder = slash ? (size_t)(slash - node->origin) + 1 : 0;
    size_t bytes = folder + strlen(*value) + 1;
    char *path = vef_arena_alloc(from->arena, bytes, 1);
    memcpy(path, node->origin, folder);
    memcpy(path + folder, *value, bytes - folder);
    *value = path;
    return VEF_OK;
}

/* Memory for the items of a sequence, of `bytes` each; NULL: it is none, which is `*code`. */
static void *take_items(const reading *from, const vef_node *node, size_t bytes, vef_code *code) {
    if (node->kind != VEF_NODE_SEQUENCE) {
        *code = wrong(from, node);
        return NULL;
    }
    void *items = vef_arena_alloc(from->arena, node->count, bytes);
    *code = VEF_OK;
    return items;
}

static vef_code read_text_list(const reading *from, const vef_node *node, vef_text_list *list) {
    vef_code code;
    list->count = node->count;
    list->values = take_items(from, node, sizeof *list->values, &code);
    for (size_t i = 0; i < node->count && !code; i++) {
        if (node->items[i]->kind != VEF_NODE_SCALAR || vef_node_is_null(node->items[i]))
            return wrong(from, node->items[i]);
        list->values[i] = vef_arena_string(from->arena, node->items[i]->scalar);
    }
    return code;
}

static vef_code read_text_table(const reading *from, const vef_node *node, vef_text_table *table) {
    vef_code code;
    table->count = node->count;
    table->rows = take_items(from, node, sizeof *table->rows, &code);
    for (size_t i = 0; i < node->count && !code; i++)
        code = read_text_list(from, node->items[i], &table->rows[i]);
    return code;
}

static vef_code read_int_list(const reading *from, const vef_node *node, vef_int_list *list) {
    vef_code code;
    list->count = node->count;
    list->values = take_items(from, node, sizeof *list->values, &code);
    for (size_t i = 0; i < node->count && !code; i++)
        code = read_int(from, node->items[i], &list->values[i]);
    return code;
}

static vef_code read_int_table(const reading *from, const vef_node *node, vef_int_table *table) {
    vef_code code;
    table->count = node->count;
    table->rows = take_items(from, node, sizeof *table->rows, &code);
    for (size_t i = 0; i < node->count && !code; i++)
        code = read_int_list(from, node->items[i], &table->rows[i]);
    return code;
}

/* A quantity of type double. */
static vef_code read_scaled(const reading *from, const vef_node *node, double *scaled) {
    const vef_param *param = from->param;
    const vef_code code = (param->kind == VEF_PARAM_TIME ? vef_parse_time_ns : vef_parse_length_m)(
        node->scalar, param->key, scaled, from->error);
    return check(from, node, code, code ? 0 : *scaled);
}

/* A quantity of type uint64_t. */
static vef_code read_whole(const reading *from, const vef_node *node, uint64_t *whole) {
    const vef_param *param = from->param;
    if (is_word(from, node)) {
        *whole = 0;
        return VEF_OK;
    }
    const vef_code code = (param->kind == VEF_PARAM_BYTES ? vef_parse_bytes
                           : param->kind == VEF_PARAM_BANDWIDTH
                               ? vef_parse_bandwidth
                               : vef_parse_frequency)(node->scalar, param->key, whole, from->error);
    return check(from, node, code, code ? 0 : (double)*whole);
}

static vef_code read_value(const reading *from, const vef_node *node, void *field) {
    vef_param_kind kind = from->param->kind;
    bool list = kind == VEF_PARAM_INT_LIST || kind == VEF_PARAM_INT_TABLE ||
                kind == VEF_PARAM_TEXT_LIST || kind == VEF_PARAM_TEXT_TABLE ||
                kind == VEF_PARAM_COST;
    if (!list && node->kind != VEF_NODE_SCALAR)
        return wrong(from, node);
    if (vef_node_is_null(node) && kind != VEF_PARAM_STRING && kind != VEF_PARAM_PATH)
        return wrong(from, node);
    switch (kind) {
    case VEF_PARAM_INT:
        return read_int(from, node, field);
    case VEF_PARAM_COUNT:
        return read_count(from, node, field);
    case VEF_PARAM_UINT:
        return read_uint(from, node, field);
    case VEF_PARAM_REAL:
        return read_real(from, node, field);
    case VEF_PARAM_BOOL:
        return read_bool(from, node, field);
    case VEF_PARAM_CHOICE:
        return read_choice(from, node, field);
    case VEF_PARAM_STRING:
        return read_string(from, node, field);
    case VEF_PARAM_PATH:
        return read_path(from, node, field);
    case VEF_PARAM_TEXT_LIST:
        return read_text_list(from, node, field);
    case VEF_PARAM_TEXT_TABLE:
        return read_text_table(from, node, field);
    case VEF_PARAM_INT_LIST:
        return read_int_list(from, node, field);
    case VEF_PARAM_INT_TABLE:
        return read_int_table(from, node, field);
    case VEF_PARAM_BYTES:
    case VEF_PARAM_BANDWIDTH:
    case VEF_PARAM_FREQUENCY:
        return read_whole(from, node, field);
    case VEF_PARAM_TIME:
    case VEF_PARAM_LENGTH:
        return read_scaled(from, node, field);
    case VEF_PARAM_COST:
        return vef_cost_read(from->param, node, from->arena, field, from->error);
    case VEF_PARAM_SECTION:
        break;
    }
    return VEF_OK;
}

static bool is_extra(const char *const *extra, const char *key) {
    for (; extra && *extra; extra++)
        if (strcmp(*extra, key) == 0)
            return true;
    return false;
}

static vef_code unknown_key(const reading *from, const vef_node *mapping, size_t place,
                            const vef_param *schema, const char *const *extra) {
    vef_fail_unknown_key(from->error, mapping->keys[place], schema, extra, from->arena);
    vef_node key = *mapping->items[place];
    key.line = key.key_line;
    key.column = key.key_column;
    return within(from, &key);
}

/* The key of `extra` that the command line gave, by its origin; NULL: none. */
static const char *selected_by(const vef_node *mapping, const char *const *extra) {
    for (; extra && *extra; extra++) {
        const vef_node *node = vef_node_get(mapping, *extra);
        if (node && node->line == 0)
            return node->origin;
    }
    return NULL;
}

static vef_code refuse_unknown(const reading *from, const vef_node *mapping,
                               const vef_param *schema, const char *const *extra) {
    for (size_t i = 0; i < mapping->count; i++) {
        const vef_param *row = schema;
        while (row->key && strcmp(row->key, mapping->keys[i]) != 0)
            row++;
        if (row->key || is_extra(extra, mapping->keys[i]))
            continue;
        vef_node *item = mapping->items[i];
        if (item->line != 0)
            item->ignored_for = selected_by(mapping, extra);
        if (!item->ignored_for)
            return unknown_key(from, mapping, i, schema, extra);
    }
    return VEF_OK;
}

static vef_code missing(const reading *from, const vef_node *mapping) {
    char expected[VEF_TYPE_TEXT_BYTES];
    vef_fail(from->error, VEF_INVALID, "key '%s' is missing: %s (%s)", from->param->key,
             from->param->help ? from->param->help : "required",
             vef_param_type_text(expected, from->param));
    return within(from, mapping);
}

/* A key that is another form of a given key of the same schema. */
static vef_code read_other_form(const reading *from, const vef_node *mapping, void *field) {
    const vef_param *param = from->param;
    const vef_node *node = vef_node_get(mapping, param->key);
    const vef_node *other = vef_node_get(mapping, param->instead_of);
    if (node && other && (node->line == 0) == (other->line == 0)) {
        vef_fail(from->error, VEF_INVALID, "%s and %s are both given: expected one of them",
                 param->instead_of, param->key);
        bool later =
            node->line > other->line || (node->line == other->line && node->column > other->column);
        return within(from, later ? node : other);
    }
    if (node && (!other || node->line == 0))
        return read_value(from, node, field);
    if (param->kind == VEF_PARAM_TIME)
        *(double *)field = VEF_NOT_GIVEN_NS;
    else
        *(uint64_t *)field = 0;
    return VEF_OK;
}

/* The value of one key, from the mapping or from its default. */
static vef_code read_row(const reading *from, const vef_node *mapping, void *object) {
    const vef_param *param = from->param;
    if (param->instead_of)
        return read_other_form(from, mapping, vef_param_field(param, object));
    const vef_node *node = vef_node_get(mapping, param->key);
    if (!node && !param->fallback)
        return missing(from, mapping);
    if (!node) {
        /* The empty default is the empty string, not YAML's null. */
        bool empty = param->kind == VEF_PARAM_STRING && param->fallback[0] == '\0';
        vef_node *fallback;
        vef_code code = vef_config_parse(empty ? "''" : param->fallback, "default", from->arena,
                                         &fallback, from->error);
        if (code)
            return code;
        node = fallback;
    }
    return read_value(from, node, vef_param_field(param, object));
}

vef_code vef_config_read(const vef_node *mapping, const char *what, const vef_param *schema,
                         const char *const *extra, void *object, vef_arena *arena,
                         vef_error *error) {
    vef_error unwanted;
    reading from = {.what = what, .arena = arena, .error = error ? error : &unwanted};
    if (mapping && vef_node_is_null(mapping))
        mapping = NULL;
    if (mapping && mapping->kind != VEF_NODE_MAPPING) {
        vef_fail(from.error, VEF_INVALID, "expected keys and values; found '%.80s'",
                 kind_of(mapping));
        return within(&from, mapping);
    }
    vef_code code = mapping ? refuse_unknown(&from, mapping, schema, extra) : VEF_OK;
    for (const vef_param *row = schema; row->key && !code; row++) {
        from.param = row;
        if (row->kind != VEF_PARAM_SECTION)
            code = read_row(&from, mapping, object);
    }
    return code;
}
