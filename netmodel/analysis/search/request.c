/* Reading a request for a search. See request.h. */
#include "netmodel/analysis/search/request.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* The short name of a key in papers. */
static const char *const short_key = "L", *const short_for = "bypass_dimensions";

/* ---- tables ---- */

static const vef_topology_family *family_of(const vef_search_space *space) {
    for (size_t i = 0; vef_topology_families[i]; i++)
        if (strcmp(vef_topology_families[i]->name, space->family) == 0)
            return vef_topology_families[i];
    return NULL;
}

static const vef_param *row_of(const vef_param *schema, const char *key) {
    for (; schema && schema->key; schema++)
        if (strcmp(schema->key, key) == 0)
            return schema;
    return NULL;
}

static vef_code choose_space(const char *name, vef_search_request *request, vef_error *error) {
    char list[512] = "";
    size_t used = 0;
    for (size_t i = 0; vef_search_spaces[i]; i++) {
        const vef_search_space *space = vef_search_spaces[i];
        if (strcmp(space->family, name) == 0) {
            request->space = space;
            request->family = family_of(space);
            assert(request->family); /* a row of vef_search_spaces names a row of the other table */
            return VEF_OK;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%s)", i ? ", " : "",
                                     space->family, space->leaves);
    }
    return vef_fail(error, VEF_INVALID,
                    "family '%.80s' has no parameter to search: expected one of these, each with "
                    "the parameter searched: %s; as in '%s'",
                    name, list, vef_search_spaces[0]->example);
}

/* The row of a key, of the family or of the search; fails with a list of all. */
static vef_code find_key(const vef_search_request *request, const char *key, const vef_param **row,
                         bool *limit, vef_error *error) {
    const vef_search_space *space = request->space;
    if (strcmp(key, space->leaves) == 0)
        return vef_fail(
            error, VEF_INVALID,
            "%s: not accepted in a search of %s networks, which varies it: expected '%s'", key,
            space->family, space->example);
    *row = row_of(space->limits, key);
    *limit = *row != NULL;
    if (!*row)
        *row = row_of(request->family->schema, key);
    if (*row)
        return VEF_OK;
    const char *names[VEF_MOST_SEARCH_KEYS];
    size_t count = 0;
    for (const vef_param *param = request->family->schema;
         param->key && count < VEF_MOST_SEARCH_KEYS; param++)
        if (strcmp(param->key, space->leaves) != 0)
            names[count++] = param->key;
    for (const vef_param *param = space->limits;
         param && param->key && count < VEF_MOST_SEARCH_KEYS; param++)
        names[count++] = param->key;
    char what[80];
    snprintf(what, sizeof what, "key of a search of %s networks", space->family);
    return vef_fail_unknown(error, what, key, names, count);
}

/* ---- text ---- */

/* The end of the word at `text`: the next white space outside brackets and quotes. */
static const char *end_of_word(const char *text) {
    unsigned depth = 0;
    char quote = 0;
    for (; *text; text++) {
        if (quote)
            quote = *text == quote ? 0 : quote;
        else if (*text == '\'' || *text == '"')
            quote = *text;
        else if (*text == '[' || *text == '{')
            depth++;
        else if (*text == ']' || *text == '}')
            depth -= depth > 0;
        else if (depth == 0 && isspace((unsigned char)*text))
            break;
    }
    return text;
}

/* Whether it is numbers separated by x; and their number. */
static size_t count_factors(const char *text) {
    size_t count = 0;
    for (;; text++) {
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0)
            return 0;
        count++;
        text += digits;
        if (*text != 'x')
            return *text == '\0' ? count : 0;
    }
}

/* The value as YAML: unchanged, or the list that it abbreviates. */
static char *expand(const char *text, const vef_param *row, vef_arena *arena) {
    const size_t factors = count_factors(text);
    if (factors < 2 && !(factors == 1 && row->kind == VEF_PARAM_INT_LIST))
        return vef_arena_string(arena, text);
    char *list = vef_arena_alloc(arena, 2 * strlen(text) + 3, 1); /* "x" becomes ", " */
    char *next = list;
    *next++ = '[';
    for (; *text; text++) {
        if (*text == 'x')
            *next++ = ',';
        *next++ = *text == 'x' ? ' ' : *text;
    }
    *next = ']';
    return list;
}

static void unplace(vef_node *node) {
    node->line = node->column = node->key_line = node->key_column = 0;
    for (size_t i = 0; i < node->count; i++)
        unplace(node->items[i]);
}

/* ---- reading ---- */

static vef_node *make_mapping(const char *origin, vef_arena *arena) {
    vef_node *node = vef_arena_alloc(arena, 1, sizeof *node);
    *node = (vef_node){.kind = VEF_NODE_MAPPING, .origin = origin};
    node->keys = vef_arena_alloc(arena, VEF_MOST_SEARCH_KEYS, sizeof *node->keys);
    node->items = vef_arena_alloc(arena, VEF_MOST_SEARCH_KEYS, sizeof *node->items);
    return node;
}

/* Adds the KEY=VALUE `word` to the request. */
static vef_code add(vef_search_request *request, char *word, vef_error *error) {
    char *origin = vef_arena_printed(&request->arena, "'%s'", word), *equals = strchr(word, '=');
    if (!equals || equals == word || equals[1] == '\0')
        return vef_fail(error, VEF_INVALID, "%.200s: expected a key and a value, such as '%s'",
                        origin, request->space->example);
    *equals = '\0';
    const char *key = word;
    if (strcmp(key, short_key) == 0 && row_of(request->family->schema, short_for))
        key = short_for;
    const vef_param *row = NULL;
    bool limit = false;
    vef_code code = find_key(request, key, &row, &limit, error);
    if (code != VEF_OK)
        return code;
    vef_node *mapping = limit ? request->limits : request->keys;
    if (vef_node_get(mapping, key))
        return vef_fail(error, VEF_INVALID, "%.200s: duplicate key %s", origin, key);
    const char *value = expand(equals + 1, row, &request->arena);
    code = vef_config_parse(value, origin, &request->arena, &mapping->items[mapping->count], error);
    if (code != VEF_OK)
        return code;
    unplace(mapping->items[mapping->count]);
    mapping->keys[mapping->count++] = row->key;
    if (!limit) {
        char *fixed = vef_arena_alloc(&request->arena,
                                      strlen(request->fixed) + strlen(key) + strlen(value) + 5, 1);
        sprintf(fixed, "%s, %s: %s", request->fixed, key, value);
        request->fixed = fixed;
    }
    return VEF_OK;
}

static vef_code read_words(const char *text, vef_search_request *request, vef_error *error) {
    vef_arena *arena = &request->arena;
    vef_code code = VEF_OK;
    while (isspace((unsigned char)*text))
        text++;
    while (code == VEF_OK && *text) {
        const char *end = end_of_word(text);
        char *word = vef_arena_string_of(arena, text, (size_t)(end - text));
        if (request->space)
            code = add(request, word, error);
        else {
            code = choose_space(word, request, error);
            request->fixed = vef_arena_alloc(arena, strlen(word) + sizeof "family: ", 1);
            sprintf(request->fixed, "family: %s", word);
        }
        for (text = end; isspace((unsigned char)*text);)
            text++;
    }
    if (code == VEF_OK && !request->space)
        return choose_space("", request, error);
    return code;
}

vef_code vef_search_request_read(const char *text, vef_search_request *request, vef_error *error) {
    *request = (vef_search_request){0};
    const char *origin = vef_arena_printed(&request->arena, "'%s'", text);
    request->keys = make_mapping(origin, &request->arena);
    request->limits = make_mapping(origin, &request->arena);
    const vef_code code = read_words(text, request, error);
    if (code != VEF_OK)
        vef_search_request_release(request);
    return code;
}

void vef_search_request_release(vef_search_request *request) {
    vef_arena_release(&request->arena);
    *request = (vef_search_request){0};
}
