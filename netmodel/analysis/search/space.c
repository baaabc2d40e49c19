/* Functions for search spaces: one key of the family, numbers as YAML. See request.h. */
#include "netmodel/analysis/search/request.h"

#include <assert.h>
#include <string.h>

vef_code vef_search_read_key(const vef_search_request *request, const char *key, void *value,
                             vef_arena *arena, vef_error *error) {
    const char *others[VEF_MOST_SEARCH_KEYS + 1] = {NULL};
    size_t count = 0;
    vef_param schema[2] = {{.key = NULL}, {.key = NULL}};
    for (const vef_param *row = request->family->schema; row->key && count < VEF_MOST_SEARCH_KEYS;
         row++)
        if (strcmp(row->key, key) == 0)
            schema[0] = *row;
        else
            others[count++] = row->key;
    assert(schema[0].key);
    schema[0].offset = 0;
    char what[64];
    snprintf(what, sizeof what, "topology %s", request->family->name);
    return vef_config_read(request->keys, what, schema, others, value, arena, error);
}

size_t vef_search_write_list(char *text, size_t text_bytes, const int64_t *values, size_t count) {
    size_t used = (size_t)snprintf(text, text_bytes, "[");
    for (size_t i = 0; i < count && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%lld", i ? ", " : "",
                                 (long long)values[i]);
    if (used < text_bytes)
        used += (size_t)snprintf(text + used, text_bytes - used, "]");
    return used;
}

vef_code vef_search_fail_too_many(const vef_search_space *space, vef_error *error) {
    return vef_fail(error, VEF_INVALID, "too many networks to try: expected at most %d: %s",
                    VEF_MOST_ENUMERATED, space->fewer);
}
