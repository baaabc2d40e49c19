/* Notices of windows: a pool and an index of their keys. */
#include "replay/state/notices.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <stdlib.h>

void vef_notices_release(vef_notices *notices) {
    free(notices->list);
    vef_index_free(&notices->by_key);
    *notices = (vef_notices){0};
}

static uint32_t hash_of(const vef_notice_key *key) {
    uint64_t pair = (uint64_t)key->from << 32 | key->to;
    uint64_t which = (uint64_t)key->window << 3 | key->kind;
    uint64_t mixed =
        (pair ^ (pair >> 29)) * UINT64_C(0x9e3779b97f4a7c15) + which * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)((mixed ^ (mixed >> 32)) * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

static bool same(const vef_notice_key *a, const vef_notice_key *b) {
    return a->kind == b->kind && a->window == b->window && a->from == b->from && a->to == b->to;
}

static uint32_t take_place(vef_notices *notices) {
    if (notices->free) {
        const uint32_t place = notices->free - 1;
        notices->free = (uint32_t)notices->list[place].value;
        return place;
    }
    if (notices->count == UINT32_MAX)
        vef_lost(SIZE_MAX);
    vef_grow(&notices->list, &notices->capacity, notices->count + 1ull, sizeof *notices->list);
    return notices->count++;
}

void vef_notices_put(vef_notices *notices, const vef_notice_key *key, uint64_t value) {
    const uint32_t place = take_place(notices);
    vef_index_reserve(&notices->by_key);
    notices->list[place] = (vef_notice){*key, value};
    vef_index_add(&notices->by_key, hash_of(key), place);
}

/* VEF_INDEX_NONE: there is none. */
static uint32_t find(const vef_notices *notices, const vef_notice_key *key, uint32_t hash) {
    uint32_t place = VEF_INDEX_NONE;
    if (notices->by_key.count == 0)
        return place;
    vef_index_walk walk = vef_index_begin(&notices->by_key, hash);
    do
        place = vef_index_next(&notices->by_key, &walk);
    while (place != VEF_INDEX_NONE && !same(&notices->list[place].key, key));
    return place;
}

bool vef_notices_has(const vef_notices *notices, const vef_notice_key *key) {
    return find(notices, key, hash_of(key)) != VEF_INDEX_NONE;
}

bool vef_notices_take(vef_notices *notices, const vef_notice_key *key, uint64_t *value) {
    const uint32_t hash = hash_of(key), place = find(notices, key, hash);
    if (place == VEF_INDEX_NONE)
        return false;
    *value = notices->list[place].value;
    vef_index_remove(&notices->by_key, hash, place);
    notices->list[place].value = notices->free;
    notices->free = place + 1;
    return true;
}
