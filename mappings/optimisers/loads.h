/* The loads of links under a mapping, kept up to date as tasks move. A message is divided at each
 * router evenly among the ports from which its destination is nearer, as packets of a minimal
 * adaptive routing are that find all of them free. */
#ifndef VEF_MAPPINGS_OPTIMISERS_LOADS_H
#define VEF_MAPPINGS_OPTIMISERS_LOADS_H

#include "mappings/optimisers/problem.h"

/* The share of a message that crosses a link. */
typedef struct vef_link_share {
    uint32_t router, port;
    float share;
} vef_link_share;

typedef struct vef_link_loads {
    size_t ports;   /* routers x ports */
    double *load;   /* [router * ports + port], bytes over `scale` */
    double scale;   /* bytes: the mean load of a link at the beginning */
    size_t busiest; /* a link that had the greatest load once */

    /* The exchange under trial: what it adds to the loads of `touched_count` links. */
    double *delta;
    uint32_t *touched, *tried_by, touched_count, tries;

    double *flow;    /* scratch, per router: what is there of the message under way */
    uint32_t *queue; /* the routers on its paths, by hops from the source */

    /* Paths between two routers, once they were needed, as long as there is room: those of pair
     * number from * routers + to are shares[begin[pair] - 1] … until one of no link. Where
     * translations map router 0 to every other, only paths from router 0 are kept: `image` has for
     * each router `from` the translation that maps 0 to it, [from * routers + router], and `origin`
     * its inverse. */
    uint32_t *begin; /* 0: not known; NULL: too many routers */
    uint16_t *image, *origin;
    vef_link_share *shares;
    size_t count, room;
} vef_link_loads;

/* The loads of the placement, whose tasks all have places. */
void vef_link_loads_make(const vef_placement *placement, vef_link_loads *made);
void vef_link_loads_free(vef_link_loads *loads);

/* Exchanges the tasks of two places; returns what that adds to the sum of the fourth powers of the
 * loads. Either of the others must follow: */
double vef_link_loads_try(vef_link_loads *loads, vef_placement *placement, uint32_t place,
                          uint32_t other);
void vef_link_loads_keep(vef_link_loads *loads); /* updates the loads */
void vef_link_loads_undo(vef_link_loads *loads, vef_placement *placement, uint32_t place,
                         uint32_t other);

/* Whether the greatest load is less than `*most`, in units of `scale`; then sets it. */
bool vef_link_loads_are_below(vef_link_loads *loads, double *most);

#endif
