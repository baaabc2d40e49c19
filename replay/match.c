/* Messages under way: a pool of records and a hash with linear probing. */
#include "replay/match.h"

#include <stdlib.h>
#include <string.h>

void vef_matches_release(vef_matches *matches) {
    free(matches->records);
    free(matches->entries);
    *matches = (vef_matches){0};
}

static uint32_t hash_of(const vef_transfer_key *key) {
    uint64_t pair = (uint64_t)key->sender << 32 | key->receiver;
    uint64_t which = (uint64_t)key->comm << 32 | key->nth;
    uint64_t mixed = (pair ^ (pair >> 29)) * UINT64_C(0x9e3779b97f4a7c15) +
                     key->ordinal * UINT64_C(0xbf58476d1ce4e5b9) +
                     which * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((mixed ^ (mixed >> 32)) * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

static bool same(const vef_transfer_key *a, const vef_transfer_key *b) {
    return a->ordinal == b->ordinal && a->sender == b->sender && a->receiver == b->receiver &&
           a->comm == b->comm && a->nth == b->nth;
}

static void put(vef_matches *matches, struct vef_match_entry entry) {
    uint32_t mask = matches->entry_capacity - 1, place = entry.hash & mask;
    while (matches->entries[place].record != VEF_NO_TRANSFER)
        place = (place + 1) & mask;
    matches->entries[place] = entry;
}

static bool grow_entries(vef_matches *matches) {
    struct vef_match_entry *old = matches->entries;
    uint32_t old_capacity = matches->entry_capacity;
    uint32_t capacity = old_capacity ? 2 * old_capacity : 256;
    struct vef_match_entry *entries = malloc(capacity * sizeof *entries);
    if (!entries)
        return false;
    memset(entries, 0xff, capacity * sizeof *entries);
    matches->entries = entries;
    matches->entry_capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].record != VEF_NO_TRANSFER)
            put(matches, old[i]);
    free(old);
    return true;
}

static uint32_t new_record(vef_matches *matches, const vef_transfer_key *key) {
    uint32_t record;
    if (matches->count && matches->free != VEF_NO_TRANSFER) {
        record = matches->free;
        matches->free = matches->records[record].next_free;
    } else {
        if (matches->count == matches->capacity) {
            uint32_t capacity = matches->capacity ? 2 * matches->capacity : 128;
            vef_transfer *records = capacity > matches->capacity
                                        ? realloc(matches->records, capacity * sizeof *records)
                                        : NULL;
            if (!records)
                return VEF_NO_TRANSFER;
            matches->records = records;
            matches->capacity = capacity;
        }
        record = matches->count++;
        matches->free = VEF_NO_TRANSFER;
    }
    matches->records[record] = (vef_transfer){.key = *key, .flags = VEF_TRANSFER_USED};
    return record;
}

uint32_t vef_matches_get(vef_matches *matches, const vef_transfer_key *key) {
    uint32_t hash = hash_of(key);
    if (matches->entries_used) {
        uint32_t mask = matches->entry_capacity - 1;
        for (uint32_t place = hash & mask; matches->entries[place].record != VEF_NO_TRANSFER;
             place = (place + 1) & mask)
            if (matches->entries[place].hash == hash &&
                same(&matches->records[matches->entries[place].record].key, key))
                return matches->entries[place].record;
    }
    if (2 * (matches->entries_used + 1) > matches->entry_capacity && !grow_entries(matches))
        return VEF_NO_TRANSFER;
    uint32_t record = new_record(matches, key);
    if (record == VEF_NO_TRANSFER)
        return record;
    matches->records[record].hash = hash;
    put(matches, (struct vef_match_entry){hash, record});
    matches->entries_used++;
    return record;
}

uint32_t vef_matches_loose(vef_matches *matches, const vef_transfer_key *key) {
    uint32_t record = new_record(matches, key);
    if (record != VEF_NO_TRANSFER)
        matches->records[record].flags |= VEF_TRANSFER_LOOSE;
    return record;
}

static void remove_entry(vef_matches *matches, uint32_t hash, uint32_t record) {
    struct vef_match_entry *entries = matches->entries;
    uint32_t mask = matches->entry_capacity - 1, hole = hash & mask;
    while (entries[hole].record != record)
        hole = (hole + 1) & mask;
    for (uint32_t next = (hole + 1) & mask; entries[next].record != VEF_NO_TRANSFER;
         next = (next + 1) & mask)
        /* It may move into the hole unless its home lies after the hole, on the way to it. */
        if (((next - entries[next].hash) & mask) >= ((next - hole) & mask)) {
            entries[hole] = entries[next];
            hole = next;
        }
    entries[hole].record = VEF_NO_TRANSFER;
    matches->entries_used--;
}

void vef_matches_free(vef_matches *matches, uint32_t record) {
    vef_transfer *freed = &matches->records[record];
    if (!(freed->flags & VEF_TRANSFER_LOOSE))
        remove_entry(matches, freed->hash, record);
    freed->flags = 0;
    freed->next_free = matches->free;
    matches->free = record;
}
