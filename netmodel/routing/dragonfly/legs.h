/* Legs on dragonflies (two_phase.h): a local hop to a router with a global link to the group, the
 * global hop, and a local hop to the router. */
#ifndef VEF_NETMODEL_ROUTING_DRAGONFLY_LEGS_H
#define VEF_NETMODEL_ROUTING_DRAGONFLY_LEGS_H

#include "netmodel/routing/two_phase/two_phase.h"
#include "netmodel/topology/dragonfly/dragonfly.h"

typedef struct vef_dragonfly_legs {
    const vef_dragonfly *dragonfly;
    const vef_topology *topology;
    uint32_t channels; /* of each class */
    bool by_group;     /* the first leg ends in any router of a group */
    /* [phase]: the class of local channels before the global hop of its leg, that after it being
     * one more; and of global channels. */
    uint32_t local_class[2], global_class[2];
} vef_dragonfly_legs;

extern const vef_leg_kind vef_leg_kind_dragonfly;

static inline const vef_dragonfly_legs *vef_dragonfly_legs_of(const vef_routing *routing) {
    return ((const vef_two_phase *)routing->state)->legs;
}

#endif
