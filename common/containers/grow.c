/* Arrays that grow as they are filled. See grow.h. */
#include "common/containers/grow.h"

#include "common/memory.h"

#include <stdint.h>
#include <string.h>

enum { LEAST_ROOM = 16 };

bool vef_grow_beyond(void *list, size_t *room, size_t needed, size_t item_bytes) {
    size_t larger = *room < SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    larger = larger < needed ? needed : larger;
    larger = larger < LEAST_ROOM ? LEAST_ROOM : larger;
    void *items; /* a pointer to any type, so copied by bytes */
    memcpy(&items, list, sizeof items);
    items = vef_realloc(items, vef_product(larger, item_bytes));
    if (!items)
        return false;
    memcpy(list, &items, sizeof items);
    *room = larger;
    return true;
}

bool vef_grow_zeroed(void *list, size_t *room, size_t needed, size_t item_bytes) {
    const size_t before = *room;
    char *items;
    if (!vef_grow(list, room, needed, item_bytes))
        return false;
    if (*room == before)
        return true;
    memcpy(&items, list, sizeof items);
    memset(items + before * item_bytes, 0, (*room - before) * item_bytes);
    return true;
}
