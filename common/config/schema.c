/* Reads a mapping of the tree into a struct by its schema: known keys only, values within their
 * bounds, all required keys present; and the values of options. See config.h. */
#include "common/config/schema.h"

#include <math.h>
#include <string.h>

typedef struct reading {
    const char *what; /* NULL: the value is in no section, and in no file */
    const vef_param *param;
    vef_arena *arena; /* NULL: texts refer to the node */
    vef_error *error;
} reading;

/* "origin:line:column: what: " before the failure. */
static vef_code within(const reading *from, const vef_node *node) {
    if (!from->what)
        return VEF_INVALID;
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

static bool is_bounded(const vef_param *param) {
    return param->minimum != 0 || param->maximum != 0;
}

static bool outside(const vef_param *param, double value) {
    return is_bounded(param) && !(value >= param->minimum && value <= param->maximum);
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

/* How a value is read into a field, or an item of a list. */
typedef vef_code reader(const reading *from, const vef_node *node, void *field);

static vef_code read_int(const reading *from, const vef_node *node, void *field) {
    int64_t *value = field;
    if (is_word(from, node)) {
        *value = 0;
        return VEF_OK;
    }
    if (node->kind != VEF_NODE_SCALAR || node->quoted)
        return wrong(from, node);
    vef_code code = vef_parse_int(node->scalar, from->param->key, value, from->error);
    return code && is_bounded(from->param) ? wrong(from, node)
                                           : check(from, node, code, code ? 0 : (double)*value);
}

static vef_code read_count(const reading *from, const vef_node *node, void *field) {
    int64_t whole = 0;
    vef_code code = read_int(from, node, &whole);
    *(uint32_t *)field = (uint32_t)whole;
    return code;
}

/* The kinds that are one number of 64 bits, with or without unit. */
static vef_code read_number(const reading *from, const vef_node *node, void *field) {
    const vef_param *param = from->param;
    const vef_param_traits *kind = &vef_param_traits_of[param->kind];
    const bool unitless = param->kind == VEF_PARAM_UINT || param->kind == VEF_PARAM_REAL;
    uint64_t *const whole = field;
    double *const real = field;
    double bounded = 0;
    if (unitless && node->quoted)
        return wrong(from, node);
    if (is_word(from, node)) {
        *whole = 0;
        return VEF_OK;
    }
    vef_code code = kind->parse_whole
                        ? kind->parse_whole(node->scalar, param->key, whole, from->error)
                        : kind->parse_real(node->scalar, param->key, real, from->error);
    if (code == VEF_OK)
        bounded = kind->parse_whole ? (double)*whole : *real;
    return code && unitless && is_bounded(param) ? wrong(from, node)
                                                 : check(from, node, code, bounded);
}

static vef_code read_bool(const reading *from, const vef_node *node, void *field) {
    bool *value = field;
    *value = strcmp(node->scalar, "true") == 0;
    if (node->quoted || (!*value && strcmp(node->scalar, "false") != 0))
        return wrong(from, node);
    return VEF_OK;
}

static vef_code read_choice(const reading *from, const vef_node *node, void *field) {
    const char *const *choices = from->param->choices;
    size_t count = 0;
    for (; choices[count]; count++)
        if (strcmp(choices[count], node->scalar) == 0) {
            *(int *)field = (int)count;
            return VEF_OK;
        }
    vef_fail_unknown(from->error, from->param->key, node->scalar, choices, count);
    return within(from, node);
}

static vef_code read_string(const reading *from, const vef_node *node, void *field) {
    const char **value = field;
    bool null = vef_node_is_null(node);
    const char *fallback = from->param->fallback;
    if (null && !(fallback && strcmp(fallback, "~") == 0))
        return wrong(from, node);
    *value = NULL;
    if (null)
        return VEF_OK;
    *value = from->arena ? vef_arena_string(from->arena, node->scalar) : node->scalar;
    return VEF_OK;
}

/* A path in a file is relative to the folder of that file. */
static vef_code read_path(const reading *from, const vef_node *node, void *field) {
    const char **value = field;
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

/* The items of a sequence, of `bytes` each; `*code` is VEF_OK if all could be read. */
static void *read_items(const reading *from, const vef_node *node, reader *read, size_t bytes,
                        vef_code *code) {
    *code = node->kind == VEF_NODE_SEQUENCE ? VEF_OK : wrong(from, node);
    char *items = *code == VEF_OK ? vef_arena_alloc(from->arena, node->count, bytes) : NULL;
    for (size_t i = 0; i < node->count && *code == VEF_OK; i++)
        *code = read(from, node->items[i], items + i * bytes);
    return items;
}

static vef_code read_text(const reading *from, const vef_node *node, void *field) {
    if (node->kind != VEF_NODE_SCALAR || vef_node_is_null(node))
        return wrong(from, node);
    *(const char **)field = vef_arena_string(from->arena, node->scalar);
    return VEF_OK;
}

#define READ_LIST(name, type, items, read)                                                         \
    static vef_code name(const reading *from, const vef_node *node, void *field) {                 \
        type *list = field;                                                                        \
        vef_code code;                                                                             \
        list->count = node->count;                                                                 \
        list->items = read_items(from, node, read, sizeof *list->items, &code);                    \
        return code;                                                                               \
    }
READ_LIST(read_text_list, vef_text_list, values, read_text)
READ_LIST(read_text_table, vef_text_table, rows, read_text_list)
READ_LIST(read_int_list, vef_int_list, values, read_int)
READ_LIST(read_int_table, vef_int_table, rows, read_int_list)

/* ---- costs by size (cost.h) ---- */

/* A piece as read. */
typedef struct piece_keys {
    double fixed, per_byte;
    uint64_t up_to;
} piece_keys;

static const vef_param piece_schema[] = {
    {VEF_KEY(TIME, piece_keys, fixed), .fallback = "0 ns", .maximum = INFINITY,
     .aliases = "latency constant", .help = "part that does not depend on the size"},
    {VEF_KEY(TIME, piece_keys, per_byte), .fallback = "0 ns", .maximum = INFINITY,
     .help = "for each byte"},
    {VEF_KEY(BYTES, piece_keys, up_to), .fallback = "0 B", .maximum = INFINITY,
     .aliases = "size limit", .help = "greatest size; the last entry of a list has none"},
    {.key = NULL},
};

static vef_code read_piece(const reading *from, const vef_node *node, vef_cost *cost) {
    piece_keys keys;
    const char *key = from->param->key;
    const vef_node *up_to = vef_node_get(node, "up_to");
    if (cost->count == VEF_MOST_COST_PIECES)
        return vef_node_fail(node, from->error, "%s: too many entries: expected at most %d", key,
                             VEF_MOST_COST_PIECES);
    vef_code code = vef_config_read(node, key, piece_schema, NULL, &keys, from->arena, from->error);
    if (code != VEF_OK)
        return code;
    if (cost->count && cost->pieces[cost->count - 1].up_to_bytes == UINT64_MAX)
        return vef_node_fail(node, from->error,
                             "%s: the entry before this one has no up_to: expected it in every "
                             "entry but the last",
                             key);
    if (up_to && cost->count && keys.up_to <= cost->pieces[cost->count - 1].up_to_bytes)
        return vef_node_fail(up_to, from->error,
                             "%s: up_to: expected more than in the entry before", key);
    cost->pieces[cost->count++] =
        (vef_cost_piece){up_to ? keys.up_to : UINT64_MAX, keys.fixed, keys.per_byte};
    return VEF_OK;
}

static vef_code read_cost(const reading *from, const vef_node *node, void *field) {
    vef_cost *cost = field;
    vef_code code = VEF_OK;
    double time_ns;
    *cost = (vef_cost){0};
    if (is_word(from, node))
        return VEF_OK;
    if (node->kind == VEF_NODE_SCALAR) { /* for all sizes */
        code = vef_parse_time_ns(node->scalar, from->param->key, &time_ns, from->error);
        if (code == VEF_OK)
            *cost = vef_cost_of(time_ns, 0);
        return code == VEF_OK ? code : within(from, node);
    }
    if (node->kind == VEF_NODE_SEQUENCE && node->count == 0)
        return vef_node_fail(node, from->error, "%s: an empty list: expected at least one entry",
                             from->param->key);
    if (node->kind == VEF_NODE_MAPPING)
        code = read_piece(from, node, cost);
    else
        for (size_t i = 0; i < node->count && code == VEF_OK; i++)
            code = read_piece(from, node->items[i], cost);
    if (code == VEF_OK && cost->pieces[cost->count - 1].up_to_bytes != UINT64_MAX)
        code = vef_node_fail(node, from->error,
                             "%s: the last entry has up_to: expected one without, for all larger "
                             "sizes",
                             from->param->key);
    return code;
}

/* ---- all kinds ---- */

static vef_code read_value(const reading *from, const vef_node *node, void *field) {
    static const struct {
        reader *read;
        bool lists, nulls; /* it reads other nodes than scalars; nulls */
    } readers[] = {
        [VEF_PARAM_INT] = {read_int},
        [VEF_PARAM_COUNT] = {read_count},
        [VEF_PARAM_UINT] = {read_number},
        [VEF_PARAM_REAL] = {read_number},
        [VEF_PARAM_BOOL] = {read_bool},
        [VEF_PARAM_CHOICE] = {read_choice},
        [VEF_PARAM_STRING] = {read_string, .nulls = true},
        [VEF_PARAM_PATH] = {read_path, .nulls = true},
        [VEF_PARAM_TEXT_LIST] = {read_text_list, .lists = true},
        [VEF_PARAM_TEXT_TABLE] = {read_text_table, .lists = true},
        [VEF_PARAM_INT_LIST] = {read_int_list, .lists = true},
        [VEF_PARAM_INT_TABLE] = {read_int_table, .lists = true},
        [VEF_PARAM_BYTES] = {read_number},
        [VEF_PARAM_BANDWIDTH] = {read_number},
        [VEF_PARAM_TIME] = {read_number},
        [VEF_PARAM_FREQUENCY] = {read_number},
        [VEF_PARAM_LENGTH] = {read_number},
        [VEF_PARAM_COST] = {read_cost, .lists = true},
    };
    const vef_param_kind kind = from->param->kind;
    if ((!readers[kind].lists && node->kind != VEF_NODE_SCALAR) ||
        (!readers[kind].nulls && vef_node_is_null(node)))
        return wrong(from, node);
    return readers[kind].read(from, node, field);
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

/* The value of a key or an option that is not given and has no default. */
static void clear(const vef_param *param, void *field) {
    memset(field, 0, vef_param_traits_of[param->kind].bytes);
    if (param->kind == VEF_PARAM_INT)
        *(int64_t *)field = VEF_NOT_GIVEN;
    else if (param->kind == VEF_PARAM_CHOICE)
        *(int *)field = VEF_NOT_GIVEN;
    else if (param->kind == VEF_PARAM_TIME || param->kind == VEF_PARAM_REAL)
        *(double *)field = VEF_NOT_GIVEN;
}

vef_code vef_param_read(const vef_param *param, const char *text, void *object, vef_error *error) {
    vef_error unwanted;
    const reading from = {.param = param, .error = error ? error : &unwanted};
    const vef_node node = {.kind = VEF_NODE_SCALAR,
                           .scalar = text ? text : param->fallback,
                           .quoted = param->kind == VEF_PARAM_STRING};
    if (node.scalar)
        return read_value(&from, &node, vef_param_field(param, object));
    clear(param, vef_param_field(param, object));
    return VEF_OK;
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
    clear(param, field);
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

/* Named by its path; a section whose name is a phrase, not a key, is the file itself. */
static vef_code read_nested(const reading *from, const vef_node *mapping, void *object) {
    const vef_param *param = from->param;
    const char *what = strchr(from->what, ' ')
                           ? param->key
                           : vef_arena_printed(from->arena, "%s.%s", from->what, param->key);
    return vef_config_read(vef_node_get(mapping, param->key), what, param->section, NULL,
                           vef_param_field(param, object), from->arena, from->error);
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
        else if (row->nested)
            code = read_nested(&from, mapping, object);
    }
    return code;
}

const char *vef_schema_lacks(const vef_param *schema, size_t parameter_bytes) {
    for (const vef_param *row = schema; row && row->key; row++)
        if (row->kind != VEF_PARAM_SECTION && row->offset >= parameter_bytes)
            return "parameter_bytes (the size of the struct of its schema)";
    return schema ? NULL : "schema";
}
