/* A table of the states of packets to one router. */
#ifndef VEF_NETMODEL_DEADLOCK_STATE_TABLE_H
#define VEF_NETMODEL_DEADLOCK_STATE_TABLE_H

#include "netmodel/routing/routing.h"

/* Packets of one route at one router, in input queues that offer them the same candidates
 * (vef_routing_algorithm.input). */
typedef struct vef_state {
    uint32_t router, input;
    uint32_t height;  /* hops of the longest path from here, once known */
    uint8_t course;   /* new, on the current path, done */
    uint64_t words[]; /* the route; the queues, a bit each; the moves, a byte for each link */
} vef_state;

typedef struct vef_state_table {
    uint32_t routers;
    uint32_t route_words, queue_words, move_words; /* of `words` */
    uint64_t most_bytes, held_bytes;               /* the limit, and what is taken of it */
    uint32_t count;

    /* ---- internal ---- */

    size_t state_bytes;
    unsigned char *states;
    uint32_t *slots; /* 0: empty, else number + 1 */
    uint64_t state_room, slot_room, slots_per_router;
} vef_state_table;

static inline vef_state *vef_state_at(const vef_state_table *table, uint32_t number) {
    return (vef_state *)(void *)(table->states + number * table->state_bytes);
}

static inline uint64_t *vef_state_queues(const vef_state_table *table, vef_state *state) {
    return state->words + table->route_words;
}

static inline uint64_t *vef_state_moves(const vef_state_table *table, vef_state *state) {
    return state->words + table->route_words + table->queue_words;
}

/* Removes all states. Zero-initialised before except for the first fields, up to most_bytes. */
vef_code vef_state_table_clear(vef_state_table *table, vef_error *error);

/* The number of a state, created without queues and moves if new, which may move all states. */
vef_code vef_state_table_find(vef_state_table *table, uint32_t router, uint32_t input,
                              const vef_route *route, uint32_t *number, vef_error *error);

/* Grows `*array` until it has room for `needed`, within the table's memory. */
vef_code vef_state_table_grow(vef_state_table *table, void **array, uint64_t *room, uint64_t needed,
                              size_t size, vef_error *error);

void vef_state_table_release(vef_state_table *table);

#endif
