/* A hash map from 64-bit keys to 64-bit values: open addressing, linear probing, deletion by
 * shifting back. The key UINT64_MAX is reserved and never found. */
#ifndef VEF_COMMON_CONTAINERS_MAP64_H
#define VEF_COMMON_CONTAINERS_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_map64 {
    uint64_t *keys, *values; /* key UINT64_MAX: empty */
    size_t count, capacity;  /* a power of two, or 0 */
} vef_map64;                 /* zero-initialised is empty and ready */

void vef_map64_free(vef_map64 *map);
void vef_map64_clear(vef_map64 *map);

static inline size_t vef_map64_bytes(const vef_map64 *map) {
    return map->capacity * (sizeof *map->keys + sizeof *map->values);
}

/* Sets a value; false when memory runs out. */
bool vef_map64_set(vef_map64 *map, uint64_t key, uint64_t value);

/* Pointer to a value, or NULL; valid until the next set or take. */
uint64_t *vef_map64_get(const vef_map64 *map, uint64_t key);

/* Removes a key and returns its value; false when the key is absent. */
bool vef_map64_take(vef_map64 *map, uint64_t key, uint64_t *value);

#endif
