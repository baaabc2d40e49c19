/* Events at known later times, in any unit: a binary heap, earliest first and, at equal times, in
 * the order of insertion. Grows as needed; never shrinks. */
#ifndef VEF_NETMODEL_PENDING_H
#define VEF_NETMODEL_PENDING_H

#include <stddef.h>
#include <stdint.h>

typedef struct vef_pending_item {
    uint64_t time, order, value;
    uint32_t note; /* beside the value */
} vef_pending_item;

typedef struct vef_pending {
    vef_pending_item *items;
    size_t count, room;
    uint64_t added;
} vef_pending; /* zero-initialised is empty and ready */

void vef_pending_add(vef_pending *pending, uint64_t time, uint64_t value, uint32_t note);
/* The time of the first item, UINT64_MAX when there is none. */
static inline uint64_t vef_pending_time(const vef_pending *pending) {
    return pending->count ? pending->items[0].time : UINT64_MAX;
}
/* The note of the first item; there must be one. */
static inline uint32_t vef_pending_note(const vef_pending *pending) {
    return pending->items[0].note;
}
/* Removes the first item (there must be one) and returns its value. */
uint64_t vef_pending_take(vef_pending *pending);
void vef_pending_release(vef_pending *pending);

#endif
