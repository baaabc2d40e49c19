/* A hash map from 64-bit keys to 32-bit values: see map.h. */
#include "capture/map.h"

#include <stdlib.h>

bool vef_map_init(vef_map *map, unsigned log2_capacity) {
    uint32_t capacity = UINT32_C(1) << log2_capacity;
    *map = (vef_map){malloc(capacity * sizeof(vef_map_slot)), capacity, 0, 64 - log2_capacity};
    if (map->slots == NULL)
        return false;
    for (uint32_t i = 0; i < capacity; i++)
        map->slots[i].value = VEF_MAP_NONE;
    return true;
}

bool vef_map_grow(vef_map *map) {
    vef_map larger;
    if (map->shift <= 33 || !vef_map_init(&larger, 65 - map->shift))
        return false;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value != VEF_MAP_NONE)
            vef_map_put(&larger, map->slots[i].key, map->slots[i].value);
    free(map->slots);
    *map = larger;
    return true;
}

void vef_map_remove(vef_map *map, uint64_t key) {
    uint32_t mask = map->capacity - 1, hole = vef_map_home(map, key);
    while (map->slots[hole].value != VEF_MAP_NONE && map->slots[hole].key != key)
        hole = (hole + 1) & mask;
    if (map->slots[hole].value == VEF_MAP_NONE)
        return;
    map->used--;
    /* An entry moves back into the hole unless its home lies after the hole. */
    for (uint32_t i = (hole + 1) & mask; map->slots[i].value != VEF_MAP_NONE; i = (i + 1) & mask) {
        uint32_t home = vef_map_home(map, map->slots[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole].value = VEF_MAP_NONE;
}
