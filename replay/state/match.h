/* Messages in progress or waited for: the first side to arrive creates the record, and the other
 * side finds it by sender, receiver and number. No matching by tag or wildcard is needed: the trace
 * has the result.
 *
 * Records are indices in a growing pool and never move; they are reused. Nothing is allocated in
 * steady state. */
#ifndef VEF_REPLAY_STATE_MATCH_H
#define VEF_REPLAY_STATE_MATCH_H

#include "common/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VEF_NO_TRANSFER UINT32_MAX

/* Point-to-point: communicator VEF_NO_COMM, `ordinal` among all messages from sender to receiver.
 * Collective: `ordinal` is the number of the collective on its communicator, `nth` that of the
 * message in its plan between the two. */
typedef struct vef_transfer_key {
    uint64_t ordinal;
    uint32_t sender, receiver; /* tasks */
    uint32_t comm, nth;
} vef_transfer_key;

enum {
    VEF_TRANSFER_SENT = 1 << 0,       /* the sender has called */
    VEF_TRANSFER_POSTED = 1 << 1,     /* the receiver has called */
    VEF_TRANSFER_RENDEZVOUS = 1 << 2, /* sends a request before its data */
    VEF_TRANSFER_REQUESTED = 1 << 3,  /* the request has arrived */
    VEF_TRANSFER_ARRIVED = 1 << 4,    /* the data have arrived */
    VEF_TRANSFER_LOCAL = 1 << 5,      /* between tasks of one node */
    VEF_TRANSFER_PROBED = 1 << 6,     /* the receiver waits for it in a probe */
    VEF_TRANSFER_LOOSE = 1 << 7,      /* not in the index: its receiver is not in the trace */
    VEF_TRANSFER_USED = 1 << 8,       /* not in the free list */
    VEF_TRANSFER_TAKEN = 1 << 9,      /* received; kept for probes of other threads that saw it */
    VEF_TRANSFER_HELD = 1 << 10,      /* counts in `held_bytes` of its receiver */
};

typedef struct vef_transfer {
    vef_transfer_key key;
    uint64_t bytes;
    uint64_t sent_ps, posted_ps;        /* when the two sides called */
    uint64_t send_token, receive_token; /* tokens of the two tasks for the completion */
    uint32_t hash;                      /* of the key */
    uint32_t next;                      /* in the chain of its bucket, or in the free list */
    uint16_t flags;
} vef_transfer;

typedef struct vef_matches {
    vef_store *store; /* of the lists */
    vef_transfer *records;
    uint32_t count; /* records used so far */
    size_t capacity;
    uint32_t free; /* first of the free list */
    /* A hash table by key with chained records: a power of two, at least as many as records. */
    uint32_t *buckets;
    size_t bucket_count;
} vef_matches; /* empty and ready with a store alone */

/* A new record of a message that has none. May move `records`. */
uint32_t vef_matches_add(vef_matches *matches, const vef_transfer_key *key, uint32_t hash);
/* The same without an entry in the index. */
uint32_t vef_matches_loose(vef_matches *matches, const vef_transfer_key *key);

/* Messages between tasks at the same distance, like those to the next task, are neighbours in the
 * table: tasks run in the order of their numbers, mostly. */
static inline uint32_t vef_matches_hash(const vef_transfer_key *key) {
    const uint64_t which = (uint64_t)key->comm << 32 | key->nth;
    return 4 * key->sender + (key->receiver - key->sender) * 0x9e3779b1u +
           (uint32_t)key->ordinal * 0x85ebca6bu +
           (uint32_t)(which * UINT64_C(0x94d049bb133111eb) >> 32);
}

static inline bool vef_matches_same(const vef_transfer_key *a, const vef_transfer_key *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* The record of a message, created if absent. May move `records`. */
static inline uint32_t vef_matches_get(vef_matches *matches, const vef_transfer_key *key) {
    const uint32_t hash = vef_matches_hash(key);
    if (matches->count) /* without records there are no buckets */
        for (uint32_t i = matches->buckets[hash & (matches->bucket_count - 1)];
             i != VEF_NO_TRANSFER; i = matches->records[i].next)
            if (vef_matches_same(&matches->records[i].key, key))
                return i;
    return vef_matches_add(matches, key, hash);
}

static inline void vef_matches_free(vef_matches *matches, uint32_t record) {
    vef_transfer *freed = &matches->records[record];
    if (!(freed->flags & VEF_TRANSFER_LOOSE)) {
        uint32_t *link = &matches->buckets[freed->hash & (matches->bucket_count - 1)];
        while (*link != record)
            link = &matches->records[*link].next;
        *link = freed->next;
    }
    freed->flags = 0;
    freed->next = matches->free;
    matches->free = record;
}

#endif
