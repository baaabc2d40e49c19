/* YAML into a tree of nodes through libyaml's events, so that every node has its line and column.
 * See config.h. Aliases, tags and further documents are refused, since a configuration has no use
 * for them. */
#include "common/config/schema.h"

#include "common/memory.h"
#include "common/system/file.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { LONGEST_FILE_BYTES = 16 << 20 };

typedef struct reading {
    yaml_parser_t parser;
    const char *origin;
    vef_arena *arena;
    vef_error *error;
} reading;

static vef_code fail_at(const reading *from, yaml_mark_t mark, const char *message) {
    return vef_fail(from->error, VEF_INVALID, "%s:%zu:%zu: %s", from->origin, mark.line + 1,
                    mark.column + 1, message);
}

static vef_code fail_syntax(const reading *from) {
    const yaml_parser_t *parser = &from->parser;
    const char *problem = parser->problem ? parser->problem : "not YAML";
    if (parser->error == YAML_MEMORY_ERROR)
        vef_lost(from->arena->held_bytes);
    if (parser->error == YAML_READER_ERROR)
        return vef_fail(from->error, VEF_INVALID, "%s: not YAML: %s at byte %zu", from->origin,
                        problem, parser->problem_offset);
    char message[256];
    if (parser->context)
        snprintf(message, sizeof message, "not YAML: %s %s that begins in line %zu", problem,
                 parser->context, parser->context_mark.line + 1);
    else
        snprintf(message, sizeof message, "not YAML: %s", problem);
    return fail_at(from, parser->problem_mark, message);
}

static vef_code next_event(reading *from, yaml_event_t *event) {
    return yaml_parser_parse(&from->parser, event) ? VEF_OK : fail_syntax(from);
}

/* Makes room for one more item (and key). */
static void grow(vef_arena *arena, vef_node *node) {
    vef_arena_grow(arena, &node->items, node->count, sizeof *node->items);
    if (node->kind == VEF_NODE_MAPPING)
        vef_arena_grow(arena, &node->keys, node->count, sizeof *node->keys);
}

static vef_code read_node(reading *from, const yaml_event_t *event, unsigned depth,
                          vef_node **result);

static vef_code check_plain(const reading *from, const yaml_event_t *event,
                            const yaml_char_t *anchor, const yaml_char_t *tag) {
    if (anchor)
        return fail_at(from, event->start_mark, "anchors and aliases are not supported");
    return tag ? fail_at(from, event->start_mark, "tags are not supported") : VEF_OK;
}

static vef_code read_scalar(reading *from, const yaml_event_t *event, vef_node *node) {
    vef_code code = check_plain(from, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (code)
        return code;
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (strlen(text) != length)
        return fail_at(from, event->start_mark, "a NUL character in a value");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->scalar = vef_arena_string_of(from->arena, text, length);
    return VEF_OK;
}

static vef_code read_sequence(reading *from, vef_node *node, unsigned depth) {
    for (;;) {
        yaml_event_t event;
        vef_code code = next_event(from, &event);
        if (code)
            return code;
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        if (!end) {
            grow(from->arena, node);
            code = read_node(from, &event, depth + 1, &node->items[node->count++]);
        }
        yaml_event_delete(&event);
        if (end || code)
            return code;
    }
}

/* Adds the key that `event` holds; its value follows. */
static vef_code add_key(reading *from, const yaml_event_t *event, vef_node *node) {
    vef_node key = {.kind = VEF_NODE_SCALAR};
    if (event->type != YAML_SCALAR_EVENT)
        return fail_at(from, event->start_mark, "a key must be plain text");
    vef_code code = read_scalar(from, event, &key);
    if (code)
        return code;
    if (node->count == VEF_MOST_NODE_KEYS)
        return fail_at(from, event->start_mark, "more than 4096 keys in one mapping");
    for (size_t i = 0; i < node->count; i++)
        if (strcmp(node->keys[i], key.scalar) == 0)
            return vef_fail(from->error, VEF_INVALID,
                            "%s:%zu:%zu: duplicate key '%.80s': first in line %u", from->origin,
                            event->start_mark.line + 1, event->start_mark.column + 1, key.scalar,
                            node->items[i]->key_line);
    grow(from->arena, node);
    node->keys[node->count] = key.scalar;
    return VEF_OK;
}

static vef_code read_mapping(reading *from, vef_node *node, unsigned depth) {
    for (;;) {
        yaml_event_t key, value;
        vef_code code = next_event(from, &key);
        if (code)
            return code;
        if (key.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&key);
            return VEF_OK;
        }
        code = add_key(from, &key, node);
        if (!code)
            code = next_event(from, &value);
        if (!code) {
            vef_node *item = NULL;
            code = read_node(from, &value, depth + 1, &item);
            yaml_event_delete(&value);
            if (!code) {
                item->key_line = (unsigned)key.start_mark.line + 1;
                item->key_column = (unsigned)key.start_mark.column + 1;
                node->items[node->count++] = item;
            }
        }
        yaml_event_delete(&key);
        if (code)
            return code;
    }
}

/* The node that `event` begins, up to and including its end event. */
static vef_code read_node(reading *from, const yaml_event_t *event, unsigned depth,
                          vef_node **result) {
    if (depth > VEF_DEEPEST_NODE)
        return fail_at(from, event->start_mark, "nested deeper than 64 levels");
    vef_node *node = vef_arena_alloc(from->arena, 1, sizeof *node);
    *result = node;
    node->origin = from->origin;
    node->line = (unsigned)event->start_mark.line + 1;
    node->column = (unsigned)event->start_mark.column + 1;
    vef_code code;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node->kind = VEF_NODE_SCALAR;
        return read_scalar(from, event, node);
    case YAML_SEQUENCE_START_EVENT:
        node->kind = VEF_NODE_SEQUENCE;
        code = check_plain(from, event, event->data.sequence_start.anchor,
                           event->data.sequence_start.tag);
        return code ? code : read_sequence(from, node, depth);
    case YAML_MAPPING_START_EVENT:
        node->kind = VEF_NODE_MAPPING;
        code = check_plain(from, event, event->data.mapping_start.anchor,
                           event->data.mapping_start.tag);
        return code ? code : read_mapping(from, node, depth);
    default:
        return fail_at(from, event->start_mark, "anchors and aliases are not supported");
    }
}

/* The stream's events around the single document. */
static vef_code read_stream(reading *from, vef_node **root) {
    vef_node *found = NULL;
    for (;;) {
        yaml_event_t event;
        vef_code code = next_event(from, &event);
        if (code)
            return code;
        yaml_event_type_t type = event.type;
        if (type == YAML_DOCUMENT_START_EVENT && found)
            code = fail_at(from, event.start_mark, "a second document: expected one");
        else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT &&
                 type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT)
            code = read_node(from, &event, 0, &found);
        yaml_event_delete(&event);
        if (code)
            return code;
        if (type == YAML_STREAM_END_EVENT)
            break;
    }
    if (!found) {
        found = vef_arena_alloc(from->arena, 1, sizeof *found);
        *found =
            (vef_node){.kind = VEF_NODE_MAPPING, .line = 1, .column = 1, .origin = from->origin};
    }
    *root = found;
    return VEF_OK;
}

static vef_code parse(const char *text, size_t length, const char *origin, vef_arena *arena,
                      vef_node **root, vef_error *error) {
    reading from = {.origin = vef_arena_string(arena, origin), .arena = arena, .error = error};
    if (!yaml_parser_initialize(&from.parser))
        vef_lost(sizeof from);
    yaml_parser_set_input_string(&from.parser, (const unsigned char *)text, length);
    vef_code code = read_stream(&from, root);
    yaml_parser_delete(&from.parser);
    return code;
}

vef_code vef_config_parse(const char *text, const char *origin, vef_arena *arena, vef_node **root,
                          vef_error *error) {
    return parse(text, strlen(text), origin, arena, root, error);
}

vef_code vef_config_load(const char *path, vef_arena *arena, vef_node **root, vef_error *error) {
    char *text;
    size_t length;
    vef_code code = vef_file_read(path, LONGEST_FILE_BYTES, &text, &length, error);
    if (code)
        return code;
    code = parse(text, length, path, arena, root, error);
    free(text);
    return code;
}

/* ---- access ---- */

static size_t find_key(const vef_node *mapping, const char *key) {
    size_t i = 0;
    while (i < mapping->count && strcmp(mapping->keys[i], key) != 0)
        i++;
    return i;
}

const vef_node *vef_node_get(const vef_node *mapping, const char *key) {
    if (!mapping || mapping->kind != VEF_NODE_MAPPING)
        return NULL;
    size_t i = find_key(mapping, key);
    return i < mapping->count ? mapping->items[i] : NULL;
}

void vef_node_mark_text(vef_node *node) {
    node->of_text = true;
    for (size_t i = 0; i < node->count; i++)
        vef_node_mark_text(node->items[i]);
}

void vef_node_set_root(vef_node *node, const vef_node *root) {
    node->root = root;
    for (size_t i = 0; i < node->count; i++)
        vef_node_set_root(node->items[i], root);
}

bool vef_node_is_null(const vef_node *node) {
    return node->kind == VEF_NODE_SCALAR && !node->quoted &&
           (strcmp(node->scalar, "") == 0 || strcmp(node->scalar, "~") == 0 ||
            strcmp(node->scalar, "null") == 0);
}

vef_code vef_node_within(const vef_node *node, vef_error *error) {
    if (!error || !node)
        return error ? error->code : VEF_INVALID;
    if (node->line == 0)
        return vef_fail_within(error, "%s", node->origin);
    return vef_fail_within(error, "%s:%u:%u", node->origin, node->line, node->column);
}

vef_code vef_node_fail(const vef_node *node, vef_error *error, const char *format, ...) {
    char message[VEF_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    vef_fail(error, VEF_INVALID, "%s", message);
    return vef_node_within(node, error);
}

/* ---- building ---- */

static vef_node *new_node(vef_arena *arena, vef_node_kind kind) {
    vef_node *node = vef_arena_alloc(arena, 1, sizeof *node);
    *node = (vef_node){
        .kind = kind, .origin = "resolved configuration", .of_text = true, .arena = arena};
    return node;
}

vef_node *vef_node_add(vef_node *into, const char *key, vef_node_kind kind) {
    vef_node *node = new_node(into->arena, kind);
    grow(into->arena, into);
    if (into->kind == VEF_NODE_MAPPING)
        into->keys[into->count] = key;
    return into->items[into->count++] = node;
}

static vef_node *add(vef_node *into, const char *key, vef_node_kind kind) {
    return vef_node_add(into, key ? vef_arena_string(into->arena, key) : NULL, kind);
}

vef_node *vef_config_new(vef_arena *arena) {
    return new_node(arena, VEF_NODE_MAPPING);
}

vef_node *vef_config_section(vef_node *into, const char *key) {
    return add(into, key, VEF_NODE_MAPPING);
}

vef_node *vef_config_list(vef_node *into, const char *key) {
    return add(into, key, VEF_NODE_SEQUENCE);
}

void vef_config_put(vef_node *into, const char *key, const char *scalar) {
    add(into, key, VEF_NODE_SCALAR)->scalar = vef_arena_string(into->arena, scalar);
}

/* ---- overrides ---- */

static void mark_as_set(vef_node *node) {
    node->line = node->column = node->key_line = node->key_column = 0;
    for (size_t i = 0; i < node->count; i++)
        mark_as_set(node->items[i]);
}

/* The slot of a key's value in a mapping, created if absent. */
static vef_node **place_of(vef_node *mapping, const char *key, size_t length, vef_arena *arena) {
    char *name = vef_arena_string_of(arena, key, length);
    size_t i = find_key(mapping, name);
    if (i == mapping->count) {
        grow(arena, mapping);
        mapping->keys[i] = name;
        mapping->items[i] = NULL;
        mapping->count++;
    }
    return &mapping->items[i];
}

/* Walks down `path` (`length` bytes of a.b.c), creating mappings, up to the slot of the last key.
 */
static vef_code walk(vef_node *root, const char *path, size_t length, const char *origin,
                     vef_arena *arena, vef_node ***place, vef_error *error) {
    vef_node *node = root;
    for (size_t begin = 0;;) {
        const char *dot = memchr(path + begin, '.', length - begin);
        size_t end = dot ? (size_t)(dot - path) : length;
        if (node->kind != VEF_NODE_MAPPING)
            return vef_fail(error, VEF_INVALID, "%s: '%.*s' is not a mapping: it has no keys",
                            origin, (int)(begin ? begin - 1 : 0), path);
        *place = place_of(node, path + begin, end - begin, arena);
        if (!dot)
            return VEF_OK;
        if (!**place || vef_node_is_null(**place)) {
            vef_node *fresh = vef_arena_alloc(arena, 1, sizeof *fresh);
            *fresh = (vef_node){.kind = VEF_NODE_MAPPING, .origin = origin};
            **place = fresh;
        }
        node = **place;
        begin = end + 1;
    }
}

vef_code vef_config_set(vef_node *root, const char *assignment, vef_arena *arena,
                        vef_error *error) {
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    bool sound = length > 0 && assignment[0] != '.' && assignment[length - 1] != '.';
    for (size_t i = 1; i < length; i++)
        sound = sound && !(assignment[i] == '.' && assignment[i - 1] == '.');
    if (!sound)
        return vef_fail(
            error, VEF_INVALID,
            "--set '%.200s': expected a key and a value, such as 'router.delay_cycles=2'",
            assignment);
    const char *origin = vef_arena_printed(arena, "--set '%s'", assignment);
    vef_node *value;
    vef_code code = vef_config_parse(equals + 1, origin, arena, &value, error);
    if (code)
        return code;
    mark_as_set(value);
    if (vef_node_is_null(root))
        root->kind = VEF_NODE_MAPPING;
    vef_node **place = NULL;
    code = walk(root, assignment, length, origin, arena, &place, error);
    if (!code)
        *place = value;
    return code;
}
