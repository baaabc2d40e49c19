/* The pool of messages to all: see broadcast_records.h. */
#include "replay/state/broadcast_records.h"

uint32_t vef_broadcasts_take(vef_broadcasts *broadcasts, vef_store *store) {
    if (broadcasts->free) {
        const uint32_t number = broadcasts->free - 1;
        broadcasts->free = broadcasts->records[number].left;
        return number;
    }
    vef_store_grow(store, &broadcasts->records, &broadcasts->capacity, broadcasts->count + 1,
                   sizeof *broadcasts->records);
    return broadcasts->count++;
}

void vef_broadcasts_free(vef_broadcasts *broadcasts, uint32_t number) {
    broadcasts->records[number].left = broadcasts->free;
    broadcasts->free = number + 1;
}
