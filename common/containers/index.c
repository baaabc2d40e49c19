/* See index.h. */
#include "common/containers/index.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 64 };

void vef_index_free(vef_index *index) {
    free(index->entries);
    *index = (vef_index){0};
}

bool vef_index_grow(vef_index *index) {
    vef_index larger = {.capacity = index->capacity ? 2 * index->capacity : LEAST_CAPACITY};
    larger.entries = vef_malloc(larger.capacity * sizeof *larger.entries);
    if (!larger.entries)
        return false;
    memset(larger.entries, 0xff, larger.capacity * sizeof *larger.entries);
    /* From an empty place on, so that records of equal hash keep their order where a cluster wraps
     * around. */
    size_t empty = 0;
    while (empty < index->capacity && index->entries[empty].number != VEF_INDEX_NONE)
        empty++;
    for (size_t i = 1; i < index->capacity; i++) {
        const vef_index_entry *entry = &index->entries[(empty + i) & (index->capacity - 1)];
        if (entry->number != VEF_INDEX_NONE)
            vef_index_add(&larger, entry->hash, entry->number);
    }
    free(index->entries);
    *index = larger;
    return true;
}

void vef_index_remove(vef_index *index, uint32_t hash, uint32_t number) {
    vef_index_entry *entries = index->entries;
    const size_t mask = index->capacity - 1;
    size_t hole = hash & mask;
    while (entries[hole].number != number)
        hole = (hole + 1) & mask;
    for (size_t next = (hole + 1) & mask; entries[next].number != VEF_INDEX_NONE;
         next = (next + 1) & mask)
        /* An entry may move into the hole unless its home lies cyclically between the hole and the
         * entry. */
        if (((next - entries[next].hash) & mask) >= ((next - hole) & mask)) {
            entries[hole] = entries[next];
            hole = next;
        }
    entries[hole].number = VEF_INDEX_NONE;
    index->count--;
}
