/* A store: memory for many small lists that grow, as those that a replay has for each task. It is
 * taken from an arena, so mostly in huge pages, and all that is left is freed at once. Pieces that
 * are put back serve later ones of about the same size. Any thread may take and put back. Without a
 * store (NULL) pieces are from the C library: programs under capture have none. */
#ifndef VEF_COMMON_STORE_H
#define VEF_COMMON_STORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vef_store vef_store;

vef_store *vef_store_create(void);
void vef_store_destroy(vef_store *store); /* NULL is fine */

/* Zeroed memory; from 64 bytes on aligned to cache lines of 64 bytes. */
void *vef_store_take(vef_store *store, size_t count, size_t item_bytes);
/* Puts back what was taken with that size; NULL is fine. */
void vef_store_put(vef_store *store, void *items, size_t count, size_t item_bytes);

/* Makes sure that the list `*list` (the address of the pointer to its items), of `*room` items, has
 * room for `needed`, by doubling; new items are zeros. False without memory: the list stays. */
bool vef_store_grow(vef_store *store, void *list, size_t *room, size_t needed, size_t item_bytes);

#endif
