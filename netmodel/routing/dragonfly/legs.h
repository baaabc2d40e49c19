/* Legs on dragonflies (two_phase.h): a local hop to a router with a global link to the group, the
 * global hop, and a local hop to the router. */
#ifndef VEF_NETMODEL_ROUTING_DRAGONFLY_LEGS_H
#define VEF_NETMODEL_ROUTING_DRAGONFLY_LEGS_H

#include "netmodel/routing/draws.h"
#include "netmodel/routing/two_phase/two_phase.h"
#include "netmodel/topology/dragonfly/dragonfly.h"

typedef struct vef_dragonfly_legs {
    const vef_dragonfly *dragonfly;
    const vef_topology *topology;
    uint32_t channels; /* of each class */
    bool by_group;     /* the first leg ends in any router of a group */
    bool alone;        /* one link joins two groups, so that a leg has one next port */
    /* [phase]: the class of local channels before the global hop of its leg, that after it being
     * one more; and of global channels. */
    uint32_t local_class[2], global_class[2];
} vef_dragonfly_legs;

extern const vef_leg_kind vef_leg_kind_dragonfly;

/* vef_routing_algorithm.supports of routings on dragonflies alone. */
vef_code vef_dragonfly_supports(const vef_topology *topology, vef_flow_control flow_control,
                                const void *parameters, vef_error *error);

static inline const vef_dragonfly_legs *vef_dragonfly_legs_of(const vef_routing *routing) {
    return ((const vef_two_phase *)routing->state)->legs;
}

/* The end of a leg. */
typedef struct vef_dragonfly_goal {
    uint32_t router;
    bool group; /* any router of its group */
} vef_dragonfly_goal;

/* Writes the ports by which the shortest legs leave `router`, each once, in ascending order. At
 * most one local hop precedes the global one: none, if the packet has `moved` by one. Returns the
 * number of ports, at most vef_dragonfly_most_leg_ports; 0 at the goal. */
uint32_t vef_dragonfly_leg_ports(const vef_topology *topology, uint32_t router,
                                 vef_dragonfly_goal goal, bool moved, uint16_t *ports);

/* The maximum number of ports that a leg may take: those towards the links between two groups. */
uint32_t vef_dragonfly_most_leg_ports(const vef_topology *topology);

/* Sets the channels of local and global ports: `each` of as many classes. */
vef_code vef_dragonfly_set_channels(vef_routing *routing, uint32_t each, uint32_t local_classes,
                                    uint32_t global_classes, vef_error *error);

/* An intermediate group for a detour: uniform among `groups` groups, except for `here` and `there`;
 * UINT32_MAX: there is none. */
static inline uint32_t vef_draw_other_group(vef_draws *draws, uint32_t groups, uint32_t here,
                                            uint32_t there) {
    const uint32_t others = groups - (here == there ? 1 : 2);
    if (others == 0)
        return UINT32_MAX;
    const uint32_t low = here < there ? here : there, high = here < there ? there : here;
    uint32_t group = vef_draw_below(draws, others);
    group += group >= low;
    return group + (high != low && group >= high);
}

#endif
