/* Texts by number. See names.h. */
#include "interchange/names.h"

#include "common/containers/grow.h"
#include "common/containers/hash.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* The key of the name, or a free one for it: those with the same hash follow each other. */
static uint64_t key_of(const vef_names *names, unsigned char kind, const char *text) {
    vef_hash hash = vef_hash_begin();
    const uint64_t *number;
    vef_hash_add(&hash, &kind, 1);
    vef_hash_add(&hash, text, strlen(text));
    uint64_t key = hash.low & UINT64_MAX >> 1;
    while ((number = vef_map64_get(&names->number_of, key)) != NULL &&
           (names->list[*number].kind != kind || strcmp(names->list[*number].text, text) != 0))
        key++;
    return key;
}

size_t vef_names_find(const vef_names *names, unsigned char kind, const char *text) {
    const uint64_t *number = vef_map64_get(&names->number_of, key_of(names, kind, text));
    return number ? *number : SIZE_MAX;
}

size_t vef_names_add(vef_names *names, unsigned char kind, const char *text) {
    const uint64_t key = key_of(names, kind, text);
    const uint64_t *number = vef_map64_get(&names->number_of, key);
    if (number)
        return *number;
    vef_map64_set(&names->number_of, key, names->count);
    char *copy = vef_strdup(text);
    *VEF_NEW_ITEM(names->list, names->count, names->room) = (vef_name){copy, kind};
    return names->count - 1;
}

void vef_names_free(vef_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i].text);
    free(names->list);
    vef_map64_free(&names->number_of);
    *names = (vef_names){0};
}
