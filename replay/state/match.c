/* Messages in progress: a pool of records and a hash table of their keys. */
#include "replay/state/match.h"

#include "common/memory.h"

#include <string.h>

enum { LEAST_BUCKETS = 64 };

/* Makes more buckets, which find all records in use. */
static void grow_buckets(vef_matches *matches) {
    const size_t count = matches->bucket_count ? 2 * matches->bucket_count : LEAST_BUCKETS;
    uint32_t *buckets = vef_store_take(matches->store, count, sizeof *buckets);
    memset(buckets, 0xff, count * sizeof *buckets); /* VEF_NO_TRANSFER */
    vef_store_put(matches->store, matches->buckets, matches->bucket_count, sizeof *buckets);
    matches->buckets = buckets;
    matches->bucket_count = count;
    for (uint32_t i = 0; i < matches->count; i++) {
        vef_transfer *record = &matches->records[i];
        if (!(record->flags & VEF_TRANSFER_USED) || record->flags & VEF_TRANSFER_LOOSE)
            continue;
        uint32_t *bucket = &buckets[record->hash & (count - 1)];
        record->next = *bucket;
        *bucket = i;
    }
}

/* Room for a new record, and its number. */
static inline uint32_t take_record(vef_matches *matches) {
    if (matches->count && matches->free != VEF_NO_TRANSFER) {
        const uint32_t record = matches->free;
        matches->free = matches->records[record].next;
        return record;
    }
    if (matches->count == VEF_NO_TRANSFER)
        vef_lost(SIZE_MAX);
    if (matches->count >= matches->bucket_count)
        grow_buckets(matches);
    vef_store_grow(matches->store, &matches->records, &matches->capacity, matches->count + 1ull,
                   sizeof *matches->records);
    matches->free = VEF_NO_TRANSFER;
    return matches->count++;
}

uint32_t vef_matches_add(vef_matches *matches, const vef_transfer_key *key, uint32_t hash) {
    const uint32_t record = take_record(matches);
    uint32_t *bucket = &matches->buckets[hash & (matches->bucket_count - 1)];
    matches->records[record] =
        (vef_transfer){.key = *key, .hash = hash, .next = *bucket, .flags = VEF_TRANSFER_USED};
    *bucket = record;
    return record;
}

uint32_t vef_matches_loose(vef_matches *matches, const vef_transfer_key *key) {
    const uint32_t record = take_record(matches);
    matches->records[record] =
        (vef_transfer){.key = *key, .flags = VEF_TRANSFER_USED | VEF_TRANSFER_LOOSE};
    return record;
}
