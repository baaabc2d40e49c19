/* The table of states. See state_table.h.
 *
 * A search follows links between neighbours, and most routings give a packet few routes at one
 * router, so states are hashed to a slot near those of the same router: neighbouring routers then
 * share cache lines. A state that finds the first slots taken goes on by strides of its own, so
 * that many routes at one router do not fill those of the next. Slots take 4 bytes, where
 * common/containers/index.h uses 8: memory limits the size of networks that can be proved. */
#include "netmodel/deadlock/state_table.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR_SLOTS = 4 };

static vef_code fail_too_large(const vef_state_table *table, uint64_t bytes, vef_error *error) {
    return vef_fail(
        error, VEF_NO_MEMORY,
        "the states of packets to one router (%u so far) need more than the "
        "available %.3g GB of memory (%.3g GB): expected a smaller network of the same kind",
        table->count, (double)table->most_bytes / 1e9, (double)bytes / 1e9);
}

vef_code vef_state_table_grow(vef_state_table *table, void **array, uint64_t *room, uint64_t needed,
                              size_t size, vef_error *error) {
    if (needed <= *room)
        return VEF_OK;
    uint64_t wanted = *room ? *room : 256;
    while (wanted < needed)
        wanted *= 2;
    const uint64_t held = table->held_bytes + (wanted - *room) * size;
    if (held > table->most_bytes || wanted >= UINT32_MAX)
        return fail_too_large(table, held, error);
    *array = vef_realloc(*array, wanted * size);
    *room = wanted;
    table->held_bytes = held;
    return VEF_OK;
}

/* ---- slots ---- */

static uint64_t hash_of(uint32_t router, uint32_t input, const uint64_t *route, uint32_t words) {
    uint64_t hash = (uint64_t)router << 32 | input;
    for (uint32_t i = 0; i < words; i++) {
        hash = (hash ^ route[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

typedef struct probe {
    uint64_t slot, stride, mask;
    uint32_t steps;
} probe;

static probe probe_of(const vef_state_table *table, uint32_t router, uint64_t hash) {
    const uint64_t mask = table->slot_room - 1;
    const uint64_t home = router * table->slots_per_router;
    return (probe){(home + (hash & (table->slots_per_router - 1))) & mask, hash >> 24 | 1, mask, 0};
}

/* An odd stride visits all slots, whose number is a power of two. */
static void probe_on(probe *p) {
    p->slot = (p->slot + (++p->steps < NEAR_SLOTS ? 1 : p->stride)) & p->mask;
}

static vef_code grow_slots(vef_state_table *table, uint64_t needed, vef_error *error) {
    void *slots = table->slots;
    const vef_code code =
        vef_state_table_grow(table, &slots, &table->slot_room, needed, sizeof *table->slots, error);
    table->slots = slots;
    if (code != VEF_OK)
        return code;
    memset(table->slots, 0, table->slot_room * sizeof *table->slots);
    table->slots_per_router = 1;
    while (2 * table->slots_per_router * table->routers <= table->slot_room)
        table->slots_per_router *= 2;
    for (uint32_t i = 0; i < table->count; i++) {
        const vef_state *state = vef_state_at(table, i);
        probe p = probe_of(table, state->router,
                           hash_of(state->router, state->input, state->words, table->route_words));
        while (table->slots[p.slot] != 0)
            probe_on(&p);
        table->slots[p.slot] = i + 1;
    }
    return VEF_OK;
}

/* ---- states ---- */

vef_code vef_state_table_clear(vef_state_table *table, vef_error *error) {
    table->count = 0;
    table->state_bytes =
        sizeof(vef_state) +
        (table->route_words + table->queue_words + table->move_words) * sizeof(uint64_t);
    if (table->slot_room == 0)
        return grow_slots(table, 2 * (uint64_t)table->routers, error);
    memset(table->slots, 0, table->slot_room * sizeof *table->slots);
    return VEF_OK;
}

static bool is_state(const vef_state *state, uint32_t router, uint32_t input, const uint64_t *route,
                     uint32_t words) {
    if (state->router != router || state->input != input)
        return false;
    for (uint32_t i = 0; i < words; i++)
        if (state->words[i] != route[i])
            return false;
    return true;
}

static vef_code add(vef_state_table *table, uint32_t router, uint32_t input, const uint64_t *route,
                    vef_error *error) {
    void *states = table->states;
    const vef_code code = vef_state_table_grow(
        table, &states, &table->state_room, (uint64_t)table->count + 1, table->state_bytes, error);
    table->states = states;
    if (code != VEF_OK)
        return code;
    vef_state *state = vef_state_at(table, table->count++);
    memset(state, 0, table->state_bytes);
    state->router = router;
    state->input = input;
    memcpy(state->words, route, table->route_words * sizeof *route);
    return VEF_OK;
}

/* Adds a state, whose slot is free. */
static vef_code add_at(vef_state_table *table, uint64_t slot, uint32_t router, uint32_t input,
                       const uint64_t *route, uint32_t *number, vef_error *error) {
    const vef_code code = add(table, router, input, route, error);
    if (code != VEF_OK)
        return code;
    *number = table->count - 1;
    table->slots[slot] = table->count;
    return 2 * (uint64_t)table->count > table->slot_room
               ? grow_slots(table, 4 * (uint64_t)table->count, error)
               : VEF_OK;
}

vef_code vef_state_table_find(vef_state_table *table, uint32_t router, uint32_t input,
                              const vef_route *route, uint32_t *number, vef_error *error) {
    static_assert(sizeof(vef_route) % sizeof(uint64_t) == 0, "whole words");
    const uint32_t *slots = table->slots;
    const uint32_t route_words = table->route_words;
    uint64_t words[sizeof(vef_route) / sizeof(uint64_t)];
    memcpy(words, route, sizeof words);
    probe p = probe_of(table, router, hash_of(router, input, words, route_words));
    for (uint32_t found; (found = slots[p.slot]) != 0; probe_on(&p))
        if (is_state(vef_state_at(table, found - 1), router, input, words, route_words)) {
            *number = found - 1;
            return VEF_OK;
        }
    return add_at(table, p.slot, router, input, words, number, error);
}

void vef_state_table_release(vef_state_table *table) {
    free(table->states);
    free(table->slots);
}
