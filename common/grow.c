/* Arrays that grow as they are filled. See grow.h. */
#include "common/grow.h"

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
