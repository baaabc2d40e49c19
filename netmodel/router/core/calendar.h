/* A timing wheel: events due at times within a fixed horizon from now.
 *
 * Every delay inside the network is bounded by its configuration, so one wheel without overflow
 * suffices (messages for later times wait in vef_near and netmodel/pending.h). A slot holds a list
 * of chunks from a pool sized at creation: nothing is allocated while time advances.
 */
#ifndef VEF_NETMODEL_ROUTER_CORE_CALENDAR_H
#define VEF_NETMODEL_ROUTER_CORE_CALENDAR_H

#include "common/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event: the router, and the other state that it changes, as far as needed. */
typedef struct vef_calendar_entry {
    uint32_t router;
    uint32_t packet; /* of a frame for a sender: whether it pauses (policy/pauses.c) */
    union {
        uint32_t sender; /* another router, or an endpoint */
        uint32_t offer;  /* of an arrival: to the packet, if known to the sender; or VEF_NONE */
    };
    uint16_t input, output;  /* of the router */
    uint16_t link;           /* of the sender, or an injection queue of the endpoint */
    uint16_t passing_cycles; /* that a packet needs to pass an ejection port */
} vef_calendar_entry;

enum {
    VEF_CHUNK_ITEMS = 50,
    VEF_COPY_ENDS = 1 << 15, /* in vef_calendar_entry.input: a copy ends, the packet stays */
};

typedef struct vef_chunk {
    struct vef_chunk *newer; /* of the same slot; or the next free one */
    vef_calendar_entry items[VEF_CHUNK_ITEMS];
} vef_chunk;

/* The chunks of a slot, all but the newest full, and of the newest the first unused entry, and
 * where its entries end. All NULL without a chunk. */
typedef struct vef_calendar_slot {
    vef_calendar_entry *next, *end;
    vef_chunk *oldest;
} vef_calendar_slot;

typedef struct vef_calendar {
    uint32_t mask; /* slots - 1, slots a power of two */
    vef_calendar_slot *slots;
    uint64_t *occupied; /* a bit for each slot */
    vef_chunk *chunks, *free;
    uint32_t untouched, room;
} vef_calendar;

/* A walk over the events of a slot, in the order in which they were added: a chunk and its number
 * of events, and the end of the last one's. Ends with chunk NULL. */
typedef struct vef_calendar_walk {
    vef_chunk *chunk;
    uint32_t count;
    const vef_calendar_entry *last;
} vef_calendar_walk;

/* A calendar for items at most `horizon` cycles ahead, at most `most_items` at once. */
void vef_calendar_create(vef_calendar *calendar, uint32_t horizon, uint64_t most_items,
                         vef_arena *arena);

/* The first time after `now` whose slot is occupied (a bit for each of mask + 1 slots, a power of
 * two and at least 64); UINT64_MAX: none. */
uint64_t vef_slots_next(const uint64_t *occupied, uint32_t mask, uint64_t now);

/* The first time after `now` at which something is due; UINT64_MAX: never. */
static inline uint64_t vef_calendar_next(const vef_calendar *calendar, uint64_t now) {
    return vef_slots_next(calendar->occupied, calendar->mask, now);
}

/* Gives a slot another chunk. */
void vef_calendar_grow(vef_calendar *calendar, uint32_t number);

/* Adds an event for the caller to fill in, field by field in place, which is faster than copying a
 * struct that was assembled elsewhere. */
static inline vef_calendar_entry *vef_calendar_add(vef_calendar *calendar, uint64_t time) {
    const uint32_t number = (uint32_t)time & calendar->mask;
    vef_calendar_slot *slot = &calendar->slots[number];
    if (slot->next == slot->end)
        vef_calendar_grow(calendar, number);
    return slot->next++;
}

static inline vef_calendar_walk vef_calendar_walk_from(vef_chunk *chunk,
                                                       const vef_calendar_entry *last) {
    if (!chunk)
        return (vef_calendar_walk){NULL, 0, NULL};
    const uint32_t count = chunk->newer ? VEF_CHUNK_ITEMS : (uint32_t)(last - chunk->items);
    return (vef_calendar_walk){chunk, count, last};
}

/* The events of a slot. */
static inline vef_calendar_walk vef_calendar_events(const vef_calendar *calendar, uint32_t number) {
    const vef_calendar_slot *slot = &calendar->slots[number];
    return vef_calendar_walk_from(slot->oldest, slot->next);
}

/* Continues a walk; the chunks remain in their slot. */
static inline vef_calendar_walk vef_calendar_newer(vef_calendar_walk walk) {
    return vef_calendar_walk_from(walk.chunk->newer, walk.last);
}

/* Removes the events of a time from their slot, to be walked with vef_calendar_done. */
static inline vef_calendar_walk vef_calendar_open(vef_calendar *calendar, uint64_t time) {
    const uint32_t number = (uint32_t)time & calendar->mask;
    const vef_calendar_walk walk = vef_calendar_events(calendar, number);
    calendar->slots[number] = (vef_calendar_slot){NULL, NULL, NULL};
    calendar->occupied[number / 64] &= ~(UINT64_C(1) << (number % 64));
    return walk;
}

/* Returns a chunk to the pool, and continues the walk. */
static inline vef_calendar_walk vef_calendar_done(vef_calendar *calendar, vef_calendar_walk walk) {
    const vef_calendar_walk next = vef_calendar_newer(walk);
    walk.chunk->newer = calendar->free;
    calendar->free = walk.chunk;
    return next;
}

#endif
