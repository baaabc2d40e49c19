/* The longest route of two legs (vef_legs), from the lengths of the legs. */
#ifndef VEF_NETMODEL_DEADLOCK_LEG_LENGTHS_H
#define VEF_NETMODEL_DEADLOCK_LEG_LENGTHS_H

#include "netmodel/deadlock/moves.h"

/* The longest leg and, of those to or from another router, the longest. */
typedef struct vef_longest_legs {
    uint32_t hops[2], router[2]; /* 0 hops: none */
} vef_longest_legs;

/* Adds a leg of `hops` from or to a router. */
void vef_longest_legs_add(vef_longest_legs *longest, uint32_t hops, uint32_t router);

/* Where the translation that moves `router` to `to`, of the same class, moves `destination`. */
uint32_t vef_legs_translate(const vef_moves *moves, uint32_t router, uint32_t to,
                            uint32_t destination);

/* Adds the second legs to `destination`, of `hops`[router], to those that begin at each router:
 * `longest`[class of moves], with the router where they end as seen from the first router of the
 * class. */
void vef_longest_legs_add_second(const vef_moves *moves, uint32_t destination, const uint32_t *hops,
                                 vef_longest_legs *longest);

/* The longest of the routes by first legs to a router and second legs from it whose source and
 * destination differ. */
uint32_t vef_longest_legs_join(const vef_longest_legs *first, const vef_longest_legs *second);

#endif
