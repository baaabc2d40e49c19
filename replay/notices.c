/* Notices of windows: linear probing, deletion by shifting back. */
#include "replay/notices.h"

#include <stdlib.h>

void vef_notices_release(vef_notices *notices) {
    free(notices->places);
    *notices = (vef_notices){0};
}

static uint32_t home_of(const vef_notices *notices, const vef_notice_key *key) {
    uint64_t pair = (uint64_t)key->from << 32 | key->to;
    uint64_t which = (uint64_t)key->window << 3 | key->kind;
    uint64_t mixed =
        (pair ^ (pair >> 29)) * UINT64_C(0x9e3779b97f4a7c15) + which * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((mixed ^ (mixed >> 32)) * UINT64_C(0xd6e8feb86659fd93) >> 32) &
           (notices->capacity - 1);
}

static bool same(const vef_notice_key *a, const vef_notice_key *b) {
    return a->kind == b->kind && a->window == b->window && a->from == b->from && a->to == b->to;
}

static void put(vef_notices *notices, const vef_notice *notice) {
    uint32_t place = home_of(notices, &notice->key);
    while (notices->places[place].key.kind != VEF_NOTICE_NONE)
        place = (place + 1) & (notices->capacity - 1);
    notices->places[place] = *notice;
}

static bool grow(vef_notices *notices) {
    vef_notices grown = {.capacity = notices->capacity ? 2 * notices->capacity : 64,
                         .used = notices->used};
    grown.places = calloc(grown.capacity, sizeof *grown.places);
    if (!grown.places)
        return false;
    for (uint32_t i = 0; i < notices->capacity; i++)
        if (notices->places[i].key.kind != VEF_NOTICE_NONE)
            put(&grown, &notices->places[i]);
    free(notices->places);
    *notices = grown;
    return true;
}

bool vef_notices_put(vef_notices *notices, const vef_notice_key *key, uint64_t value) {
    if (2 * (notices->used + 1) > notices->capacity && !grow(notices))
        return false;
    put(notices, &(vef_notice){*key, value});
    notices->used++;
    return true;
}

static vef_notice *find(const vef_notices *notices, const vef_notice_key *key) {
    if (!notices->used)
        return NULL;
    uint32_t place = home_of(notices, key);
    for (; notices->places[place].key.kind != VEF_NOTICE_NONE;
         place = (place + 1) & (notices->capacity - 1))
        if (same(&notices->places[place].key, key))
            return &notices->places[place];
    return NULL;
}

bool vef_notices_has(const vef_notices *notices, const vef_notice_key *key) {
    return find(notices, key) != NULL;
}

bool vef_notices_take(vef_notices *notices, const vef_notice_key *key, uint64_t *value) {
    vef_notice *taken = find(notices, key);
    if (!taken)
        return false;
    *value = taken->value;
    uint32_t mask = notices->capacity - 1, hole = (uint32_t)(taken - notices->places);
    for (uint32_t next = (hole + 1) & mask; notices->places[next].key.kind != VEF_NOTICE_NONE;
         next = (next + 1) & mask) {
        uint32_t home = home_of(notices, &notices->places[next].key);
        /* It may move into the hole unless its home lies after the hole, on the way to it. */
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            notices->places[hole] = notices->places[next];
            hole = next;
        }
    }
    notices->places[hole].key.kind = VEF_NOTICE_NONE;
    notices->used--;
    return true;
}
