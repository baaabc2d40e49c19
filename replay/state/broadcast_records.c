/* The pool of messages to all: see broadcast_records.h. */
#include "replay/state/broadcast_records.h"

#include "common/containers/grow.h"

#include <stdlib.h>

uint32_t vef_broadcasts_take(vef_broadcasts *broadcasts) {
    if (broadcasts->free) {
        const uint32_t number = broadcasts->free - 1;
        broadcasts->free = broadcasts->records[number].left;
        return number;
    }
    vef_grow(&broadcasts->records, &broadcasts->capacity, broadcasts->count + 1,
             sizeof *broadcasts->records);
    return broadcasts->count++;
}

void vef_broadcasts_free(vef_broadcasts *broadcasts, uint32_t number) {
    free(broadcasts->records[number].missing_at);
    broadcasts->records[number].missing_at = NULL;
    broadcasts->records[number].left = broadcasts->free;
    broadcasts->free = number + 1;
}

void vef_broadcasts_release(vef_broadcasts *broadcasts) {
    for (uint32_t i = 0; i < broadcasts->count; i++)
        free(broadcasts->records[i].missing_at);
    for (size_t i = 0; i < broadcasts->group_room; i++) {
        free(broadcasts->groups[i].endpoints);
        free(broadcasts->groups[i].tasks);
    }
    free(broadcasts->groups);
    free(broadcasts->records);
    free(broadcasts->places);
    *broadcasts = (vef_broadcasts){0};
}
