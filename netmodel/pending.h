/* Events at known later times, in any unit and however far ahead: a binary heap
 * (common/containers/heap.h), earliest first and, at equal times, in the order of insertion or as
 * the caller says. Grows as needed; never shrinks. For events of which there are few, or whose
 * times may be before that of one taken: numbers whose times only grow have a faster queue
 * (common/containers/wakeups.h), and so have events of the router model, whose delays are bounded
 * (netmodel/router/calendar.h). */
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
/* The same in an order of the caller among those of the time: he must not add any without. */
void vef_pending_insert(vef_pending *pending, uint64_t time, uint64_t order, uint64_t value);
/* The same in place of the first item, which there must be. */
void vef_pending_replace(vef_pending *pending, uint64_t time, uint64_t order, uint64_t value);
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
