/* Allocation: which of the requesting queues is granted an output.
 *
 * An arbiter is a function in arbiter.c, or in matching.c where the queues of an input port share
 * one read port, and a row of vef_arbiters; help and error messages follow. */
#ifndef VEF_NETMODEL_ROUTER_ALLOCATION_ARBITER_H
#define VEF_NETMODEL_ROUTER_ALLOCATION_ARBITER_H

#include "common/rng.h"
#include "netmodel/router/allocation/matching.h"

#include <stdbool.h>

/* What an arbiter compares. */
typedef enum vef_rank {
    VEF_RANK_NONE,
    VEF_RANK_ENTRY,  /* the time at which the front packet entered the network */
    VEF_RANK_FRONT,  /* the time since which the front packet may request */
    VEF_RANK_PACKETS /* the number of packets in the queue */
} vef_rank;

typedef struct vef_contest {
    const uint64_t *asking; /* a bit for each input of the router */
    uint32_t words;         /* 64-bit words of `asking`, which has at least one set bit */
    const uint64_t *ranks;  /* by requesting input */
    vef_rng *rng;           /* the router's stream */
    uint16_t *pointer;      /* the output's own, 0 at the start */
} vef_contest;

typedef struct vef_arbiter {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    bool uniform;        /* draws one of the requests, only if there are several */
    vef_rank rank;       /* what `ranks` has */
    bool remembers;      /* also informed of grants without contention */
    bool random_ties;    /* equal candidates of a packet are drawn, else the first is taken */
    /* One of these two. An input with a set bit, for one output; */
    uint32_t (*choose)(const vef_contest *contest);
    /* or for all outputs at once, one packet of an input port at a time. */
    void (*match)(const vef_matching *matching);
} vef_arbiter;

extern const vef_arbiter *const vef_arbiters[]; /* terminated by NULL; the first is the default */

/* NULL when there is none of that name. */
const vef_arbiter *vef_arbiter_find(const char *name);

#endif
