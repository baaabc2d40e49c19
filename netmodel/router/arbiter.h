/* Arbiters: which of the queues that ask for an output is granted it.
 *
 * An arbiter is a function in arbiter.c and a row of vef_arbiters; help and error messages follow.
 */
#ifndef VEF_NETMODEL_ROUTER_ARBITER_H
#define VEF_NETMODEL_ROUTER_ARBITER_H

#include "common/rng.h"

#include <stdbool.h>

typedef struct vef_contest {
    const uint64_t *asking;  /* a bit for each input of the router */
    uint32_t words, count;   /* 64-bit words of `asking`; bits set in it, at least 1 */
    const uint64_t *entered; /* by input: when its packet entered the network (of askers only) */
    vef_rng *rng;            /* the router's stream */
    uint16_t *pointer;       /* the output's own, 0 at the start */
} vef_contest;

typedef struct vef_arbiter {
    const char *name;
    const char *summary; /* one line */
    bool by_age;         /* looks at `entered` */
    bool remembers;      /* is also told of grants without contest */
    bool random_ties;    /* equal candidates of a packet are drawn, else the first is taken */
    uint32_t (*choose)(const vef_contest *contest); /* an input whose bit is set */
} vef_arbiter;

extern const vef_arbiter *const vef_arbiters[]; /* ended by NULL; the first is the default */

/* NULL when there is none of that name. */
const vef_arbiter *vef_arbiter_find(const char *name);

#endif
