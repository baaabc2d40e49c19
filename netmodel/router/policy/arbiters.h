/* Allocation: which of the requesting queues is granted an output.
 *
 * An arbiter is a function in arbiters.c, or in matching.c where the queues of an input port share
 * one read port, and a row of netmodel/file/policies.def; help and error messages follow. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_ARBITERS_H
#define VEF_NETMODEL_ROUTER_POLICY_ARBITERS_H

#include "common/rng.h"
#include "netmodel/file/policies.h"
#include "netmodel/router/policy/matching.h"

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
    bool uniform;     /* draws one of the requests, only if there are several */
    vef_rank rank;    /* what `ranks` has */
    bool remembers;   /* also informed of grants without contention */
    bool random_ties; /* equal candidates of a packet are drawn, else the first is taken */
    /* An input with a set bit, for one output. NULL: `match` is given. */
    uint32_t (*choose)(const vef_contest *contest);
    /* Grants of all outputs at once, one packet of an input port at a time. NULL: `choose` is
     * given. */
    void (*match)(const vef_matching *matching);
} vef_arbiter;

const vef_arbiter *vef_arbiter_of(const vef_policy_name *name);

#endif
