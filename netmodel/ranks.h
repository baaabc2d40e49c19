/* The seam between a network and the processes that simulate it together, its ranks: a program that
 * is linked with MPI gives this to netmodel/, which knows no MPI. Every rank opens the whole
 * network and simulates the routers and sources of its part. All calls are collective: every rank
 * makes the same ones in the same order. */
#ifndef VEF_NETMODEL_RANKS_H
#define VEF_NETMODEL_RANKS_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { VEF_MOST_RANKS = 64 };

/* Another rank, and what goes to it and comes from it. */
typedef struct vef_net_peer {
    uint32_t rank;
    unsigned char *out, *in; /* from malloc, as are the following grown (vef_grow) */
    size_t out_bytes, in_bytes;
    size_t out_room, in_room;
} vef_net_peer;

typedef struct vef_net_ranks {
    void *context;
    uint32_t rank, count; /* this process; all of them, at least 2 */
    /* Sends `out` of each peer to it and receives `in`. A rank is a peer of its peers. */
    void (*exchange)(void *context, vef_net_peer *peers, uint32_t count);
    /* The sums, modulo 2^64, or minima over all ranks, of each value: every rank gets them. */
    void (*sum)(void *context, uint64_t *values, size_t count);
    void (*least)(void *context, uint64_t *values, size_t count);
} vef_net_ranks;

/* The same for `ranks` NULL, one process: nothing. */
static inline void vef_net_sum(const vef_net_ranks *ranks, void *values, size_t bytes) {
    if (ranks)
        ranks->sum(ranks->context, values, bytes / sizeof(uint64_t));
}

/* The maximum over all ranks. */
static inline uint64_t vef_net_most(const vef_net_ranks *ranks, uint64_t value) {
    uint64_t complement = ~value;
    if (ranks)
        ranks->least(ranks->context, &complement, 1);
    return ~complement;
}

/* Adds to what goes to a peer; takes from what came, and returns what follows. */
void vef_net_put(vef_net_peer *peer, const void *item, size_t bytes);
static inline const unsigned char *vef_net_get(const unsigned char *from, void *item,
                                               size_t bytes) {
    if (bytes > 0)
        memcpy(item, from, bytes);
    return from + bytes;
}

/* The failure of the first rank that failed, if any, on all of them. */
vef_code vef_net_agree(const vef_net_ranks *ranks, vef_code code, vef_error *error);

#endif
