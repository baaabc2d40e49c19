/* The input of the optimisers: which tasks exchange how many bytes, the places for tasks, and the
 * hops between these. What they make small is hop-bytes, the sum of bytes x hops over all messages,
 * unless they say otherwise.
 *
 * A node of one core and one interface has one place, its endpoint; else each core is a place, at
 * the endpoint that block gives it (launch.h). Point-to-point messages and those of collectives
 * count alike, both ways; what a task sends to itself does not. */
#ifndef VEF_MAPPINGS_OPTIMISERS_PROBLEM_H
#define VEF_MAPPINGS_OPTIMISERS_PROBLEM_H

#include "mappings/mapping.h"

enum {
    VEF_NO_PLACE = UINT32_MAX,
    VEF_MOST_HOP_ROUTERS = 23170, /* the table of hops has two bytes a pair: 1 GiB */
};

typedef struct vef_affinity {
    uint32_t partner;
    double bytes, sent; /* both ways, and to the partner alone */
} vef_affinity;

typedef struct vef_placement {
    const vef_mapping_view *view;
    uint32_t tasks, places, routers;

    /* Partners of task t: affinity[first[t]] … affinity[first[t + 1] - 1], by number. */
    size_t *first;
    vef_affinity *affinity;
    double *volume; /* per task: bytes exchanged in all */

    uint32_t *endpoint, *router; /* per place; places of a router follow each other */
    uint32_t *first_place;       /* per router + 1 */
    uint16_t *hops;              /* [routers x routers] */

    /* The state: the place of each task, and the task at each place or VEF_NO_PLACE. */
    uint32_t *place, *task;
} vef_placement;

/* `endpoint` is the mapping to start from, or NULL: all places are free. VEF_UNSUPPORTED if there
 * are fewer places than tasks, more tasks at an endpoint than places, or too many routers. The
 * caller frees it even then. */
vef_code vef_placement_make(const vef_mapping_view *view, const uint32_t *endpoint,
                            vef_placement *made, vef_error *error);
void vef_placement_free(vef_placement *placement);

static inline uint16_t vef_placement_hops(const vef_placement *placement, uint32_t place,
                                          uint32_t other) {
    return placement
        ->hops[(size_t)placement->router[place] * placement->routers + placement->router[other]];
}

/* All places are free again. */
void vef_placement_clear(vef_placement *placement);
/* Puts a task at a free place. */
void vef_placement_put(vef_placement *placement, uint32_t task, uint32_t place);
/* Exchanges the tasks of two places, one of which may be free. */
void vef_placement_exchange(vef_placement *placement, uint32_t place, uint32_t other);

/* The hop-bytes that the exchange would add (negative: save). */
double vef_placement_gain(const vef_placement *placement, uint32_t place, uint32_t other);
/* The hop-bytes of all messages. */
double vef_placement_cost(const vef_placement *placement);

/* The endpoint of each task. */
void vef_placement_read(const vef_placement *placement, uint32_t *endpoint);

#endif
