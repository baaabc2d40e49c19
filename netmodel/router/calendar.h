/* A timing wheel: events due at times within a fixed horizon from now.
 *
 * Every delay inside the network is bounded by its configuration, so one wheel without overflow
 * suffices (messages for later times wait in vef_near and netmodel/pending.h). A slot holds a list
 * of chunks from a pool sized at creation: nothing is allocated while time advances.
 */
#ifndef VEF_NETMODEL_ROUTER_CALENDAR_H
#define VEF_NETMODEL_ROUTER_CALENDAR_H

#include "common/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* An event: the router, and the other state that it changes, as far as needed. */
typedef struct vef_calendar_entry {
    uint32_t router, packet;
    uint32_t sender;        /* another router, or an endpoint */
    uint16_t input, output; /* of the router */
    uint16_t link;          /* of the sender, or an injection queue of the endpoint */
} vef_calendar_entry;

enum { VEF_CHUNK_ITEMS = 25 };
#define VEF_NO_CHUNK UINT32_MAX

typedef struct vef_chunk {
    uint32_t next, count;
    vef_calendar_entry items[VEF_CHUNK_ITEMS];
} vef_chunk;

typedef struct vef_calendar {
    uint32_t mask;      /* slots - 1, slots a power of two */
    uint32_t *heads;    /* the first chunk of each slot */
    uint64_t *occupied; /* a bit for each slot */
    vef_chunk *chunks;
    uint32_t free, untouched, room;
} vef_calendar;

/* A calendar for items at most `horizon` cycles ahead, at most `most_items` at once. False when
 * memory runs out. */
bool vef_calendar_create(vef_calendar *calendar, uint32_t horizon, uint64_t most_items,
                         vef_arena *arena);

/* The first time after `now` whose slot is occupied (a bit for each of mask + 1 slots, a power of
 * two and at least 64); UINT64_MAX: none. */
uint64_t vef_slots_next(const uint64_t *occupied, uint32_t mask, uint64_t now);

/* The first time after `now` at which something is due; UINT64_MAX: never. */
static inline uint64_t vef_calendar_next(const vef_calendar *calendar, uint64_t now) {
    return vef_slots_next(calendar->occupied, calendar->mask, now);
}

static inline uint32_t vef_calendar_take_chunk(vef_calendar *calendar) {
    uint32_t chunk = calendar->free;
    if (chunk != VEF_NO_CHUNK) {
        calendar->free = calendar->chunks[chunk].next;
        return chunk;
    }
    assert(calendar->untouched < calendar->room);
    return calendar->untouched++;
}

/* Adds an event for the caller to fill in, field by field in place, which is faster than copying a
 * struct that was assembled elsewhere. */
static inline vef_calendar_entry *vef_calendar_add(vef_calendar *calendar, uint64_t time) {
    uint32_t slot = (uint32_t)time & calendar->mask;
    uint32_t head = calendar->heads[slot];
    if (head == VEF_NO_CHUNK || calendar->chunks[head].count == VEF_CHUNK_ITEMS) {
        uint32_t fresh = vef_calendar_take_chunk(calendar);
        calendar->chunks[fresh].next = head;
        calendar->chunks[fresh].count = 0;
        calendar->heads[slot] = head = fresh;
        calendar->occupied[slot / 64] |= UINT64_C(1) << (slot % 64);
    }
    vef_chunk *chunk = &calendar->chunks[head];
    return &chunk->items[chunk->count++];
}

/* Removes the list of a time from its slot; walk it by `next` and return each chunk. */
static inline uint32_t vef_calendar_open(vef_calendar *calendar, uint64_t time) {
    uint32_t slot = (uint32_t)time & calendar->mask;
    uint32_t head = calendar->heads[slot];
    calendar->heads[slot] = VEF_NO_CHUNK;
    calendar->occupied[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    return head;
}

/* Returns a chunk to the pool; yields the next of its list. */
static inline uint32_t vef_calendar_done(vef_calendar *calendar, uint32_t chunk) {
    uint32_t next = calendar->chunks[chunk].next;
    calendar->chunks[chunk].next = calendar->free;
    calendar->free = chunk;
    return next;
}

#endif
