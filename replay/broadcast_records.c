/* The pool of messages to all: see broadcast_records.h. */
#include "replay/broadcast_records.h"

#include <stdlib.h>

uint32_t vef_broadcasts_take(vef_broadcasts *broadcasts) {
    if (broadcasts->free) {
        const uint32_t number = broadcasts->free - 1;
        broadcasts->free = broadcasts->records[number].left;
        return number;
    }
    if (broadcasts->count == broadcasts->capacity) {
        const uint32_t capacity = broadcasts->capacity ? 2 * broadcasts->capacity : 16;
        vef_broadcast_record *records =
            realloc(broadcasts->records, capacity * sizeof *broadcasts->records);
        if (!records)
            return UINT32_MAX;
        broadcasts->records = records;
        broadcasts->capacity = capacity;
    }
    return broadcasts->count++;
}

void vef_broadcasts_free(vef_broadcasts *broadcasts, uint32_t number) {
    broadcasts->records[number].left = broadcasts->free;
    broadcasts->free = number + 1;
}

void vef_broadcasts_release(vef_broadcasts *broadcasts) {
    free(broadcasts->records);
    free(broadcasts->places);
    *broadcasts = (vef_broadcasts){0};
}
