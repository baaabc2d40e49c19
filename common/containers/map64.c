/* See map64.h. */
#include "common/containers/map64.h"

#include "common/memory.h"
#include "common/rng.h"

#include <stdlib.h>
#include <string.h>

/* Keys are often pairs of small numbers (task and neighbour), so the hash mixes every bit. */
static size_t home(const vef_map64 *map, uint64_t key) {
    return (size_t)vef_rng_mix(key) & (map->capacity - 1);
}

void vef_map64_free(vef_map64 *map) {
    free(map->keys);
    free(map->values);
    *map = (vef_map64){0};
}

void vef_map64_clear(vef_map64 *map) {
    /* After one large use, many small ones must not pay for clearing all of its room. */
    if (map->count > 0 && map->capacity > 4096 && map->count < map->capacity / 16)
        vef_map64_free(map);
    if (map->count > 0)
        memset(map->keys, 0xff, map->capacity * sizeof *map->keys);
    map->count = 0;
}

/* The place of the key, or the empty place for it. */
static size_t find(const vef_map64 *map, uint64_t key) {
    size_t place = home(map, key);
    while (map->keys[place] != UINT64_MAX && map->keys[place] != key)
        place = (place + 1) & (map->capacity - 1);
    return place;
}

static bool grow(vef_map64 *map) {
    vef_map64 larger = {.capacity = map->capacity ? 2 * map->capacity : 8, .count = map->count};
    larger.keys = vef_malloc(larger.capacity * sizeof *larger.keys);
    larger.values = vef_malloc(larger.capacity * sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        vef_map64_free(&larger);
        return false;
    }
    memset(larger.keys, 0xff, larger.capacity * sizeof *larger.keys);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->keys[i] == UINT64_MAX)
            continue;
        size_t place = find(&larger, map->keys[i]);
        larger.keys[place] = map->keys[i];
        larger.values[place] = map->values[i];
    }
    vef_map64_free(map);
    *map = larger;
    return true;
}

bool vef_map64_set(vef_map64 *map, uint64_t key, uint64_t value) {
    if (key == UINT64_MAX)
        return true;
    if (4 * (map->count + 1) > 3 * map->capacity && !grow(map))
        return false;
    size_t place = find(map, key);
    map->count += map->keys[place] != key;
    map->keys[place] = key;
    map->values[place] = value;
    return true;
}

uint64_t *vef_map64_get(const vef_map64 *map, uint64_t key) {
    if (map->count == 0 || key == UINT64_MAX) /* the key of an empty place */
        return NULL;
    size_t place = find(map, key);
    return map->keys[place] == key ? &map->values[place] : NULL;
}

bool vef_map64_take(vef_map64 *map, uint64_t key, uint64_t *value) {
    if (map->count == 0 || key == UINT64_MAX)
        return false;
    size_t place = find(map, key), mask = map->capacity - 1;
    if (map->keys[place] != key)
        return false;
    *value = map->values[place];
    map->count--;
    for (size_t next = (place + 1) & mask; map->keys[next] != UINT64_MAX;
         next = (next + 1) & mask) {
        /* Shift back entries that the gap would make unreachable. */
        if (((next - home(map, map->keys[next])) & mask) < ((next - place) & mask))
            continue;
        map->keys[place] = map->keys[next];
        map->values[place] = map->values[next];
        place = next;
    }
    map->keys[place] = UINT64_MAX;
    return true;
}
