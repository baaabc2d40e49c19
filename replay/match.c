/* Messages in progress: a pool of records and an index of their keys. */
#include "replay/match.h"

#include "common/grow.h"

#include <stdlib.h>

void vef_matches_release(vef_matches *matches) {
    free(matches->records);
    vef_index_free(&matches->by_key);
    *matches = (vef_matches){0};
}

static uint32_t hash_of(const vef_transfer_key *key) {
    uint64_t pair = (uint64_t)key->sender << 32 | key->receiver;
    uint64_t which = (uint64_t)key->comm << 32 | key->nth;
    uint64_t mixed = pair * UINT64_C(0x9e3779b97f4a7c15) +
                     key->ordinal * UINT64_C(0xbf58476d1ce4e5b9) +
                     which * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(mixed >> 32 ^ mixed >> 47);
}

static bool same(const vef_transfer_key *a, const vef_transfer_key *b) {
    return a->ordinal == b->ordinal && a->sender == b->sender && a->receiver == b->receiver &&
           a->comm == b->comm && a->nth == b->nth;
}

static uint32_t new_record(vef_matches *matches, const vef_transfer_key *key) {
    uint32_t record;
    if (matches->count && matches->free != VEF_NO_TRANSFER) {
        record = matches->free;
        matches->free = matches->records[record].next_free;
    } else {
        if (matches->count == VEF_NO_TRANSFER ||
            !vef_grow(&matches->records, &matches->capacity, matches->count + 1ull,
                      sizeof *matches->records))
            return VEF_NO_TRANSFER;
        record = matches->count++;
        matches->free = VEF_NO_TRANSFER;
    }
    matches->records[record] = (vef_transfer){.key = *key, .flags = VEF_TRANSFER_USED};
    return record;
}

uint32_t vef_matches_get(vef_matches *matches, const vef_transfer_key *key) {
    uint32_t hash = hash_of(key);
    if (!vef_index_reserve(&matches->by_key))
        return VEF_NO_TRANSFER;
    vef_index_walk walk = vef_index_begin(&matches->by_key, hash);
    uint32_t record;
    while ((record = vef_index_next(&matches->by_key, &walk)) != VEF_INDEX_NONE)
        if (same(&matches->records[record].key, key))
            return record;
    record = new_record(matches, key);
    if (record == VEF_NO_TRANSFER)
        return record;
    matches->records[record].hash = hash;
    vef_index_add(&matches->by_key, hash, record);
    return record;
}

uint32_t vef_matches_loose(vef_matches *matches, const vef_transfer_key *key) {
    uint32_t record = new_record(matches, key);
    if (record != VEF_NO_TRANSFER)
        matches->records[record].flags |= VEF_TRANSFER_LOOSE;
    return record;
}

void vef_matches_free(vef_matches *matches, uint32_t record) {
    vef_transfer *freed = &matches->records[record];
    if (!(freed->flags & VEF_TRANSFER_LOOSE))
        vef_index_remove(&matches->by_key, freed->hash, record);
    freed->flags = 0;
    freed->next_free = matches->free;
    matches->free = record;
}
