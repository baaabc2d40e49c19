/* JSON (RFC 8259) into a tree of nodes through libyajl's events. See json.h.
 *
 * The library must keep numbers as they are written, hold no document in memory that is only
 * checked, and refuse what a browser refuses, since reports embed documents. libyajl does: it hands
 * over the text of a number, and reads a stream. (json-c 0.16 replaces numbers beyond 64 bits by
 * others, needs ten times the memory of the text, and accepts NaN, [00] and line breaks in
 * strings.) Of other blanks than RFC 8259 has, libyajl accepts two; they are refused here. */
#include "common/config/json.h"
#include "common/config/schema.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

typedef struct reading {
    yajl_handle parser;
    const char *text, *origin;
    const char *const *wanted;
    vef_arena *arena;
    vef_error *error;
    vef_node *open[VEF_DEEPEST_NODE]; /* the mappings and sequences around the next value */
    size_t depth;                     /* their number, with those of members that are not wanted */
    bool skips;                       /* inside a member that is not wanted */
    const char *key;                  /* of the next value */
    vef_node place;                   /* of the token: line and column; of its key as well */
    size_t end;                       /* of the token before */
    size_t line_begin;                /* of the line of `place` */
} reading;

/* Moves the place to the token after the last one. Only blanks have line breaks. */
static void find_place(reading *from) {
    size_t begin = from->end;
    for (; from->text[begin] && strchr(" \t\r\n,:", from->text[begin]); begin++)
        if (from->text[begin] == '\n') {
            from->place.line++;
            from->line_begin = begin + 1;
        }
    from->place.column = (unsigned)(begin - from->line_begin) + 1;
    from->end = begin;
}

/* The callbacks of libyajl go on with 1. It counts anew when it completes a document that is cut.
 */
static int next(reading *from) {
    const size_t consumed = yajl_get_bytes_consumed(from->parser);
    from->end = consumed > from->end ? consumed : from->end;
    return 1;
}

static int refuse(reading *from, const char *why) {
    vef_node_fail(&from->place, from->error, "%s", why);
    return 0;
}

/* The node of a value; NULL: of a member that is not wanted. */
static vef_node *add(reading *from, vef_node_kind kind) {
    if (from->skips)
        return NULL;
    vef_node *node = from->depth ? vef_node_add(from->open[from->depth - 1], from->key, kind)
                                 : vef_config_new(from->arena);
    node->origin = from->origin;
    node->of_text = false;
    node->line = from->place.line;
    node->column = from->place.column;
    node->key_line = from->place.key_line;
    node->key_column = from->place.key_column;
    return node;
}

static int begin(reading *from, vef_node_kind kind) {
    find_place(from);
    if (from->depth == VEF_DEEPEST_NODE)
        return refuse(from, "nested deeper than 64 levels");
    if (from->depth == 0 && kind != VEF_NODE_MAPPING)
        return refuse(from, "not a document: expected '{'");
    from->open[from->depth] = add(from, kind);
    from->depth++;
    return next(from);
}

static int end(void *context) {
    reading *from = context;
    find_place(from);
    from->depth--;
    from->skips = from->skips && from->depth > 1;
    return next(from);
}

static int begin_mapping(void *context) {
    return begin(context, VEF_NODE_MAPPING);
}

static int begin_sequence(void *context) {
    return begin(context, VEF_NODE_SEQUENCE);
}

static int read_key(void *context, const unsigned char *text, size_t length) {
    reading *from = context;
    find_place(from);
    from->place.key_line = from->place.line;
    from->place.key_column = from->place.column;
    if (from->skips)
        return next(from);
    from->key = vef_arena_string_of(from->arena, (const char *)text, length);
    const vef_node *mapping = from->open[from->depth - 1];
    if (strlen(from->key) != length)
        return refuse(from, "a NUL character in a key");
    if (mapping->count == VEF_MOST_NODE_KEYS)
        return refuse(from, "more than 4096 keys in one map");
    if (vef_node_get(mapping, from->key))
        return refuse(from, "duplicate key");
    if (from->depth == 1 && from->wanted) {
        const char *const *wanted = from->wanted;
        while (*wanted && strcmp(*wanted, from->key) != 0)
            wanted++;
        if (!*wanted) {
            add(from, VEF_NODE_SCALAR)->scalar = "";
            from->skips = true;
        }
    }
    return next(from);
}

static int add_scalar(reading *from, const char *text, size_t length, bool quoted) {
    find_place(from);
    if (from->depth == 0)
        return refuse(from, "not a document: expected '{'");
    vef_node *node = add(from, VEF_NODE_SCALAR);
    if (node) {
        node->scalar = vef_arena_string_of(from->arena, text, length);
        node->quoted = quoted;
    }
    if (node && strlen(node->scalar) != length)
        return refuse(from, "a NUL character in a string");
    from->skips = from->skips && from->depth > 1;
    return next(from);
}

static int read_null(void *context) {
    return add_scalar(context, "null", strlen("null"), false);
}

static int read_bool(void *context, int truth) {
    const char *word = truth ? "true" : "false";
    return add_scalar(context, word, strlen(word), false);
}

static int read_number(void *context, const char *text, size_t length) {
    return add_scalar(context, text, length, false);
}

static int read_string(void *context, const unsigned char *text, size_t length) {
    return add_scalar(context, (const char *)text, length, true);
}

static const yajl_callbacks callbacks = {
    .yajl_null = read_null,
    .yajl_boolean = read_bool,
    .yajl_number = read_number,
    .yajl_string = read_string,
    .yajl_start_map = begin_mapping,
    .yajl_map_key = read_key,
    .yajl_end_map = end,
    .yajl_start_array = begin_sequence,
    .yajl_end_array = end,
};

static void *take(void *context, size_t bytes) {
    (void)context;
    return vef_malloc(bytes);
}

static void *take_more(void *context, void *memory, size_t bytes) {
    (void)context;
    return vef_realloc(memory, bytes);
}

static void give_back(void *context, void *memory) {
    (void)context;
    free(memory);
}

/* "lexical error: invalid char in json text." */
static vef_code fail_syntax(reading *from, size_t bytes) {
    unsigned char *why = yajl_get_error(from->parser, 0, (const unsigned char *)from->text, bytes);
    find_place(from);
    vef_node_fail(&from->place, from->error, "not JSON: %.*s",
                  (int)strcspn((const char *)why, ".\n"), (const char *)why);
    yajl_free_error(from->parser, why);
    return VEF_INVALID;
}

vef_code vef_json_parse(const char *text, size_t bytes, const char *origin,
                        const char *const *wanted, vef_arena *arena, vef_node **root,
                        vef_error *error) {
    yajl_alloc_funcs memory = {take, take_more, give_back, NULL};
    reading from = {.text = text,
                    .origin = vef_arena_string(arena, origin),
                    .wanted = wanted,
                    .arena = arena,
                    .error = error,
                    .place.line = 1};
    from.place.origin = from.origin;
    from.parser = yajl_alloc(&callbacks, &memory, &from);
    vef_code code = VEF_OK;
    yajl_status status = yajl_parse(from.parser, (const unsigned char *)text, bytes);
    if (status == yajl_status_ok)
        status = yajl_complete_parse(from.parser);
    if (status == yajl_status_error)
        code = fail_syntax(&from, bytes);
    else if (status == yajl_status_client_canceled)
        code = VEF_INVALID;
    else if (strcspn(text, "\v\f") < bytes)
        code = vef_fail(error, VEF_INVALID, "%s: not JSON: a vertical tab or a form feed", origin);
    yajl_free(from.parser);
    *root = code == VEF_OK ? from.open[0] : NULL;
    return code;
}
