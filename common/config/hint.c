/* Suggestions for an unknown key of a configuration. See schema.h. */
#include "common/config/schema.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 4, MOST_KEYS = 256, PATH_BYTES = 128 };

/* All keys of a file except those of one section, with the paths of their sections. */
typedef struct keys {
    const vef_param *except;
    char paths[MOST_KEYS][PATH_BYTES];
    vef_known known[MOST_KEYS];
    size_t count;
} keys;

static void collect(keys *list, const vef_param *schema, const char *path, unsigned depth) {
    for (const vef_param *row = schema; row->key && list->count < MOST_KEYS; row++) {
        char here[PATH_BYTES];
        snprintf(here, sizeof here, "%s%s%s", path, *path ? "." : "", row->key);
        if (schema != list->except) {
            strcpy(list->paths[list->count], here);
            list->known[list->count++] = (vef_known){row->key, row->aliases};
        }
        if (row->section && depth < DEEPEST)
            collect(list, row->section, here, depth + 1);
    }
}

/* Replaces names of keys by their paths; equal names are separate keys, in the order of `near`. */
static void name_paths(const keys *list, const char **near, size_t count) {
    for (size_t i = 0, next = 0; i < count; i++)
        for (; next < list->count; next++)
            if (list->known[next].name == near[i]) {
                near[i] = list->paths[next++];
                break;
            }
}

vef_code vef_fail_unknown_key(vef_error *error, const char *name, const vef_param *schema,
                              const char *const *extra, vef_arena *arena) {
    keys *others = vef_arena_alloc(arena, 1, sizeof *others);
    vef_known known[MOST_KEYS];
    size_t count = 0;
    for (; extra && *extra && count < MOST_KEYS; extra++)
        known[count++] = (vef_known){*extra, NULL};
    const vef_param *row = schema;
    for (; row->key && count < MOST_KEYS; row++)
        known[count++] = (vef_known){row->key, row->aliases};
    const char *near[VEF_MOST_HINTS];
    size_t found = vef_nearest_known(name, known, count, near);
    if (found == 0) {
        others->except = schema;
        collect(others, row->section ? row->section : schema, "", 0);
        found = vef_nearest_known(name, others->known, others->count, near);
        name_paths(others, near, found);
    }
    char hint[VEF_HINT_BYTES];
    vef_write_hint(hint, sizeof hint, near, found);
    vef_fail_unknown_hint(error, "key", name, hint, known, count);
    if (error)
        error->unknown_key = true;
    return VEF_INVALID;
}
