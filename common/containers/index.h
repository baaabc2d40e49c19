/* A hash index: from hashes to the numbers of the caller's records. Open addressing, linear
 * probing, deletion by shifting back, at most half full.
 *
 * For records with keys of more than 64 bits (otherwise map64.h), which the caller stores in an
 * array and compares. Records may share a hash or a key: a walk visits them in the order of
 * insertion. The index stores the hash, so neither search nor growth reads records with another
 * hash. */
#ifndef VEF_COMMON_CONTAINERS_INDEX_H
#define VEF_COMMON_CONTAINERS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEF_INDEX_NONE UINT32_MAX

typedef struct vef_index_entry {
    uint32_t hash;
    uint32_t number; /* VEF_INDEX_NONE: empty */
} vef_index_entry;

typedef struct vef_index {
    vef_index_entry *entries;
    size_t count, capacity; /* a power of two, or 0 */
} vef_index;                /* zero-initialised is empty, without room */

void vef_index_free(vef_index *index);

/* Makes room for one more record; false when memory runs out. */
bool vef_index_grow(vef_index *index);
static inline bool vef_index_reserve(vef_index *index) {
    return 2 * (index->count + 1) <= index->capacity || vef_index_grow(index);
}

/* Walks the records with a hash: the first, and the next after it.
 *
 *   vef_index_walk walk = vef_index_begin(index, hash);
 *   for (uint32_t i; (i = vef_index_next(index, &walk)) != VEF_INDEX_NONE;) … */
typedef struct vef_index_walk {
    size_t next;
    uint32_t hash;
} vef_index_walk;

static inline vef_index_walk vef_index_begin(const vef_index *index, uint32_t hash) {
    return (vef_index_walk){hash & (index->capacity - 1), hash};
}

/* VEF_INDEX_NONE: no more. Requires an earlier reserve. */
static inline uint32_t vef_index_next(const vef_index *index, vef_index_walk *walk) {
    const size_t mask = index->capacity - 1;
    for (size_t place = walk->next;; place = (place + 1) & mask) {
        const vef_index_entry *entry = &index->entries[place];
        if (entry->number == VEF_INDEX_NONE || entry->hash == walk->hash) {
            walk->next = (place + 1) & mask;
            return entry->number;
        }
    }
}

/* Adds a record; requires a reserve. */
static inline void vef_index_add(vef_index *index, uint32_t hash, uint32_t number) {
    const size_t mask = index->capacity - 1;
    size_t place = hash & mask;
    while (index->entries[place].number != VEF_INDEX_NONE)
        place = (place + 1) & mask;
    index->entries[place] = (vef_index_entry){hash, number};
    index->count++;
}

/* Removes a record, which must be in the index. */
void vef_index_remove(vef_index *index, uint32_t hash, uint32_t number);

#endif
