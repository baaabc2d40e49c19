/* A hash map from 64-bit keys to 32-bit values: open addressing, linear probing, deletion by
 * shifting back, at most half full. Growth doubles it, so the amortised cost per insertion is
 * constant; growth is the only place where recording a call may allocate.
 *
 * Capture has this map in addition to common/containers/map64.h because every request uses it:
 * setting, getting and removing a key takes 77 instructions here and 273 there (callgrind, gcc -O2,
 * 16 keys at a time). */
#ifndef VEF_CAPTURE_MAP_H
#define VEF_CAPTURE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEF_MAP_NONE UINT32_MAX

typedef struct vef_map_slot {
    uint64_t key;
    uint32_t value; /* VEF_MAP_NONE: empty */
} vef_map_slot;

typedef struct vef_map {
    vef_map_slot *slots;
    uint32_t capacity; /* number of slots, a power of two */
    uint32_t used;     /* number of keys */
    unsigned shift;    /* 64 - log2(capacity) */
} vef_map;

/* False when memory runs out. */
bool vef_map_init(vef_map *map, unsigned log2_capacity);
bool vef_map_grow(vef_map *map);

static inline uint32_t vef_map_home(const vef_map *map, uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> map->shift);
}

/* The value of a key; VEF_MAP_NONE if absent. */
static inline uint32_t vef_map_get(const vef_map *map, uint64_t key) {
    uint32_t i = vef_map_home(map, key);
    while (map->slots[i].value != VEF_MAP_NONE && map->slots[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return map->slots[i].value;
}

/* Sets the value of a key, new or not. False when memory runs out (the map is unchanged). */
static inline bool vef_map_put(vef_map *map, uint64_t key, uint32_t value) {
    uint32_t i = vef_map_home(map, key);
    while (map->slots[i].value != VEF_MAP_NONE && map->slots[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    if (map->slots[i].value == VEF_MAP_NONE) {
        if (2 * (map->used + 1) > map->capacity)
            return vef_map_grow(map) && vef_map_put(map, key, value);
        map->used++;
    }
    map->slots[i] = (vef_map_slot){key, value};
    return true;
}

/* Removes a key, if present. */
void vef_map_remove(vef_map *map, uint64_t key);

#endif
