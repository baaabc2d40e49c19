/* The loads of links under a mapping, kept up to date as tasks move. A message is divided at each
 * router evenly among the ports from which its destination is nearer, as packets of a minimal
 * adaptive routing are that find all of them free. */
#ifndef VEF_MAPPINGS_OPTIMISERS_LOADS_H
#define VEF_MAPPINGS_OPTIMISERS_LOADS_H

#include "mappings/optimisers/problem.h"

/* The share of a message that crosses a link. */
typedef struct vef_link_share {
    uint32_t link; /* router * ports + port */
    float share;
} vef_link_share;

typedef struct vef_link_loads {
    size_t ports;  /* routers x ports */
    double *load;  /* [router * ports + port], bytes over `scale` */
    double scale;  /* bytes: the mean load of a link at the beginning */
    double change; /* of the sum of the fourth powers of loads by the last exchange */

    double *flow;    /* scratch, per router: what is there of the message under way */
    uint32_t *queue; /* the routers on its paths, by hops from the source */

    /* Paths between two routers, once they were needed, as long as there is room: those of pair
     * number from * routers + to are shares[begin[pair] - 1] … until one of no link. */
    uint32_t *begin; /* 0: not known; NULL: too many routers */
    vef_link_share *shares;
    size_t count, room;
} vef_link_loads;

/* The loads of the placement, whose tasks all have places. The caller frees it even on failure. */
vef_code vef_link_loads_make(const vef_placement *at, vef_link_loads *made, vef_error *error);
void vef_link_loads_free(vef_link_loads *loads);

/* Exchanges the tasks of two places, and updates the loads. */
void vef_link_loads_exchange(vef_link_loads *loads, vef_placement *at, uint32_t place,
                             uint32_t other);
/* The greatest load, in units of `scale`. */
double vef_link_loads_most(const vef_link_loads *loads);

#endif
