/* Builds configurations, writes them as YAML, and describes schemas. See config.h. */
#include "common/config/schema.h"
#include "common/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- types in words ---- */

static void bound_text(char *text, const vef_param *param, double bound) {
    const vef_param_traits *kind = &vef_param_traits_of[param->kind];
    if (kind->format_whole)
        kind->format_whole(text, (uint64_t)bound);
    else
        (kind->format_real ? kind->format_real : vef_format_real)(text, bound);
}

static void append_range(char *text, const vef_param *param) {
    if (param->kind == VEF_PARAM_UINT)
        vef_append(text, VEF_TYPE_TEXT_BYTES, " from 0 to %" PRIu64, UINT64_MAX);
    if (param->kind == VEF_PARAM_UINT || (param->minimum == 0 && param->maximum == 0))
        return;
    char low[VEF_QUANTITY_TEXT_BYTES] = "", high[VEF_QUANTITY_TEXT_BYTES] = "";
    bool lower = isfinite(param->minimum), upper = isfinite(param->maximum);
    if (lower)
        bound_text(low, param, param->minimum);
    if (upper)
        bound_text(high, param, param->maximum);
    if (lower)
        vef_append(text, VEF_TYPE_TEXT_BYTES, " %s %s", upper ? "from" : "of at least", low);
    if (upper)
        vef_append(text, VEF_TYPE_TEXT_BYTES, " %s %s", lower ? "to" : "of at most", high);
}

/* The `nth` number of an example: the least accepted value plus `nth`, or `nth`. */
static int example(const vef_param *param, int nth) {
    if (param->minimum == 0 && param->maximum == 0)
        return nth;
    return (int)fmin(param->maximum, param->minimum > 1 ? param->minimum + nth - 1 : nth);
}

char *vef_param_type_text(char *text, const vef_param *param) {
    const char *words = vef_param_traits_of[param->kind].words;
    if (param->kind == VEF_PARAM_INT_LIST || param->kind == VEF_PARAM_INT_TABLE)
        snprintf(text, VEF_TYPE_TEXT_BYTES, words, example(param, 1), example(param, 2),
                 example(param, 3), example(param, 4));
    else
        snprintf(text, VEF_TYPE_TEXT_BYTES, "%s", param->choices ? "" : words);
    for (size_t i = 0; param->choices && param->choices[i]; i++)
        vef_append(text, VEF_TYPE_TEXT_BYTES, "%s%s", i ? " | " : "", param->choices[i]);
    if (!param->choices)
        append_range(text, param);
    if (param->word)
        vef_append(text, VEF_TYPE_TEXT_BYTES, ", or %s", param->word);
    else if (param->choices && param->kind != VEF_PARAM_CHOICE)
        vef_append(text, VEF_TYPE_TEXT_BYTES, ", or %s", words);
    return text;
}

/* ---- values ---- */

void vef_yaml_quote(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *next = (const unsigned char *)text; *next;) {
        const size_t length = vef_utf8_length(next);
        if (*next == '"' || *next == '\\')
            fprintf(out, "\\%c", *next);
        else if (vef_utf8_visible(next) > 0)
            fwrite(next, 1, length, out);
        else if (length == 3)
            fprintf(out, "\\u%04x", (next[0] & 15u) << 12 | (next[1] & 63u) << 6 | (next[2] & 63u));
        else
            fprintf(out, "\\x%02x", length == 2 ? next[1] : next[0]);
        next += length ? length : 1;
    }
    fputc('"', out);
}

/* Whether YAML reads the same text back without quotes. */
static bool is_plain_text(const char *text) {
    bool plain = isalpha((unsigned char)text[0]) || text[0] == '/' || text[0] == '_';
    for (const char *next = text; *next; next++)
        plain = plain && (isalnum((unsigned char)*next) || strchr("_./+-", *next));
    return plain && strcmp(text, "null") != 0 && strcmp(text, "true") != 0 &&
           strcmp(text, "false") != 0;
}

void vef_yaml_text(FILE *out, const char *text) {
    if (text && !is_plain_text(text))
        vef_yaml_quote(out, text);
    else
        fputs(text ? text : "~", out);
}

void vef_config_put_text(vef_node *into, const char *key, const char *text) {
    vef_config_put(into, key, text ? text : "~");
    into->items[into->count - 1]->quoted = text && !is_plain_text(text);
}

void vef_config_put_int(vef_node *into, const char *key, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    vef_config_put(into, key, text);
}

static void put_ints(vef_node *into, const char *key, const vef_int_list *list) {
    vef_node *items = vef_config_list(into, key);
    for (size_t i = 0; i < list->count; i++)
        vef_config_put_int(items, NULL, list->values[i]);
}

static void put_texts(vef_node *into, const char *key, const vef_text_list *list) {
    vef_node *items = vef_config_list(into, key);
    for (size_t i = 0; i < list->count; i++)
        vef_config_put_text(items, NULL, list->values[i]);
}

/* Absolute, so that the path is valid wherever the configuration is read again. */
static void put_path(vef_node *into, const char *key, const char *path) {
    char *whole = path && *path ? realpath(path, NULL) : NULL;
    vef_config_put_text(into, key, whole ? whole : path);
    free(whole);
}

/* INT and COUNT. */
static int64_t whole_number(const vef_param *param, const void *value) {
    return param->kind == VEF_PARAM_COUNT ? (int64_t) * (const uint32_t *)value
                                          : *(const int64_t *)value;
}

/* Other scalars than texts and whole numbers. */
static const char *scalar_text(char *text, const vef_param *param, const void *value) {
    const vef_param_traits *kind = &vef_param_traits_of[param->kind];
    if (param->kind == VEF_PARAM_BOOL)
        return *(const bool *)value ? "true" : "false";
    if (kind->format_real)
        return kind->format_real(text, *(const double *)value);
    if (!kind->format_whole)
        return *(const int *)value < 0 ? "~" : param->choices[*(const int *)value];
    if (param->word && *(const uint64_t *)value == 0)
        return param->word;
    return kind->format_whole(text, *(const uint64_t *)value);
}

static void put_rows(vef_node *into, const vef_param *param, const void *value) {
    vef_node *rows = vef_config_list(into, param->key);
    const vef_int_table *ints = value;
    const vef_text_table *texts = value;
    const bool whole = param->kind == VEF_PARAM_INT_TABLE;
    for (size_t i = 0; i < (whole ? ints->count : texts->count); i++)
        if (whole)
            put_ints(rows, NULL, &ints->rows[i]);
        else
            put_texts(rows, NULL, &texts->rows[i]);
}

static void put_piece(vef_node *into, const vef_cost_piece *piece) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    if (piece->up_to_bytes != UINT64_MAX)
        vef_config_put(into, "up_to", vef_format_bytes(text, piece->up_to_bytes));
    vef_config_put(into, "fixed", vef_format_time_ns(text, piece->fixed_ns));
    vef_config_put(into, "per_byte", vef_format_time_ns(text, piece->per_byte_ns));
}

static void put_cost(vef_node *into, const vef_param *param, const vef_cost *cost) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    if (cost->count == 0) {
        vef_config_put(into, param->key, param->word ? param->word : "0 ns");
    } else if (cost->count == 1 && cost->pieces->per_byte_ns == 0) {
        vef_config_put(into, param->key, vef_format_time_ns(text, cost->pieces->fixed_ns));
    } else if (cost->count == 1) {
        vef_node *piece = vef_config_section(into, param->key);
        piece->in_line = true;
        put_piece(piece, cost->pieces);
    } else {
        vef_node *pieces = vef_config_list(into, param->key);
        for (uint32_t i = 0; i < cost->count; i++)
            put_piece(vef_config_section(pieces, NULL), &cost->pieces[i]);
    }
}

void vef_param_put(vef_node *into, const vef_param *param, const void *object) {
    const void *value = vef_param_value(param, object);
    char text[VEF_QUANTITY_TEXT_BYTES];
    switch (param->kind) {
    case VEF_PARAM_INT:
    case VEF_PARAM_COUNT:
        if (param->word && whole_number(param, value) == 0)
            vef_config_put(into, param->key, param->word);
        else
            vef_config_put_int(into, param->key, whole_number(param, value));
        break;
    case VEF_PARAM_STRING:
        vef_config_put_text(into, param->key, *(const char *const *)value);
        break;
    case VEF_PARAM_PATH:
        put_path(into, param->key, *(const char *const *)value);
        break;
    case VEF_PARAM_TEXT_LIST:
        put_texts(into, param->key, value);
        break;
    case VEF_PARAM_INT_LIST:
        put_ints(into, param->key, value);
        break;
    case VEF_PARAM_TEXT_TABLE:
    case VEF_PARAM_INT_TABLE:
        put_rows(into, param, value);
        break;
    case VEF_PARAM_COST:
        put_cost(into, param, value);
        break;
    default:
        vef_config_put(into, param->key, scalar_text(text, param, value));
    }
}

void vef_config_put_schema(vef_node *into, const vef_param *schema, const void *object) {
    for (const vef_param *row = schema; row->key; row++)
        if (row->kind != VEF_PARAM_SECTION && !row->instead_of)
            vef_param_put(into, row, object);
    for (const vef_param *row = schema; row->key; row++)
        if (row->nested)
            vef_config_put_schema(vef_config_section(into, row->key), row->section,
                                  vef_param_value(row, object));
}

/* ---- YAML ---- */

/* Whether YAML reads the text of a scalar back without quotes, also inside brackets. */
static bool is_plain(const vef_node *node) {
    const char *text = node->scalar;
    return !node->quoted && *text && !strpbrk(text, ",[]{}#\n\"'") && !strstr(text, ": ");
}

static void write_key(const char *key, FILE *out) {
    if (key[strspn(key, "0123456789-")])
        vef_yaml_text(out, key);
    else
        fputs(key, out);
    fputs(": ", out);
}

void vef_node_write_flow(const vef_node *node, FILE *out) {
    if (node->kind == VEF_NODE_SCALAR && is_plain(node)) {
        fputs(node->scalar, out);
    } else if (node->kind == VEF_NODE_SCALAR) {
        vef_yaml_quote(out, node->scalar);
    } else {
        const bool map = node->kind == VEF_NODE_MAPPING;
        putc(map ? '{' : '[', out);
        for (size_t i = 0; i < node->count; i++) {
            if (i)
                fputs(", ", out);
            if (map)
                write_key(node->keys[i], out);
            vef_node_write_flow(node->items[i], out);
        }
        putc(map ? '}' : ']', out);
    }
}

static void write_block(const vef_node *mapping, int indent, FILE *out) {
    for (size_t i = 0; i < mapping->count; i++) {
        const vef_node *item = mapping->items[i];
        fprintf(out, "%*s", indent, "");
        if (item->kind == VEF_NODE_MAPPING && item->count > 0 && !item->in_line) {
            vef_yaml_text(out, mapping->keys[i]);
            fputs(":\n", out);
            write_block(item, indent + 2, out);
        } else {
            write_key(mapping->keys[i], out);
            vef_node_write_flow(item, out);
            fputc('\n', out);
        }
    }
}

void vef_node_write_yaml(const vef_node *mapping, FILE *out) {
    write_block(mapping, 0, out);
}

/* ---- description ---- */

/* The nested sections of a schema, as `write` writes one. */
static void write_nested(FILE *out, int indent, const vef_param *schema,
                         void (*write)(FILE *out, int indent, const vef_param *schema)) {
    for (const vef_param *row = schema; row->key; row++)
        if (row->nested) {
            fprintf(out, "%*s%s:\n", indent, "", row->key);
            write(out, indent + 2, row->section);
        }
}

void vef_config_describe(FILE *out, int indent, const vef_param *schema) {
    int widest = 0;
    for (const vef_param *row = schema; row->key; row++)
        if ((int)strlen(row->key) > widest)
            widest = (int)strlen(row->key);
    for (const vef_param *row = schema; row->key; row++) {
        char type[VEF_TYPE_TEXT_BYTES];
        fprintf(out, "%*s%-*s  %s (%s", indent, "", widest, row->key, row->help ? row->help : "",
                vef_param_type_text(type, row));
        const char *usual = vef_param_usual(row);
        if (usual)
            fprintf(out, "; default %s", *usual ? usual : "''");
        else if (row->instead_of)
            fprintf(out, "; instead of %s", row->instead_of);
        else if (row->kind != VEF_PARAM_SECTION)
            fputs("; required", out);
        fputs(")\n", out);
    }
    write_nested(out, indent, schema, vef_config_describe);
}

void vef_config_example(FILE *out, int indent, const vef_param *schema) {
    enum { COMMENTS_COLUMN = 36 };
    for (const vef_param *row = schema; row->key; row++) {
        char type[VEF_TYPE_TEXT_BYTES];
        if (row->kind == VEF_PARAM_SECTION && !row->fallback)
            continue;
        const char *value = row->default_text                    ? NULL
                            : row->fallback && !row->fallback[0] ? "''"
                                                                 : row->fallback;
        int length = fprintf(out, "%*s%s%s: %s", indent, "", value ? "" : "# ", row->key,
                             value ? value : "");
        const char *other = row->instead_of ? row->instead_of : row->default_text;
        fprintf(out, "%*s  # %s (%s%s%s)\n",
                length < COMMENTS_COLUMN ? COMMENTS_COLUMN - length : 0, "",
                row->help ? row->help : "", vef_param_type_text(type, row),
                row->instead_of     ? "; instead of "
                : row->default_text ? "; default "
                                    : "",
                other ? other : "");
    }
    write_nested(out, indent, schema, vef_config_example);
}
