/* Arrays that grow as they are filled. */
#ifndef VEF_COMMON_CONTAINERS_GROW_H
#define VEF_COMMON_CONTAINERS_GROW_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

/* What vef_grow calls when the room is too small. */
bool vef_grow_beyond(void *list, size_t *room, size_t needed, size_t item_bytes);

/* Makes sure that the array `*list`, from malloc or NULL, of `*room` items of `item_bytes` each,
 * has room for `needed` items; a larger one has at least twice the room. `list` is the address of
 * the pointer to its items. False without memory: the array stays as it is. */
static inline bool vef_grow(void *list, size_t *room, size_t needed, size_t item_bytes) {
    return needed <= *room || vef_grow_beyond(list, room, needed, item_bytes);
}

/* Adds an item to the array `items`, of `count` items and `room`, which are names of variables: its
 * address. What is assigned to it may use neither of them. Not where memory may be lacking
 * (common/memory.h). */
#define VEF_NEW_ITEM(items, count, room)                                                           \
    (vef_grow(&(items), &(room), (size_t)(count) + 1, sizeof *(items)), &(items)[(count)++])

/* The same as vef_grow; the new items are zeros. */
bool vef_grow_zeroed(void *list, size_t *room, size_t needed, size_t item_bytes);

/* The same as vef_grow; without memory VEF_NO_MEMORY, with a message that names `what`. */
static inline vef_code vef_grow_for(void *list, size_t *room, size_t needed, size_t item_bytes,
                                    const char *what, vef_error *error) {
    return vef_grow(list, room, needed, item_bytes)
               ? VEF_OK
               : vef_fail_memory(error, what, needed * item_bytes);
}

#endif
