/* An intermediate group for a detour. */
#ifndef VEF_NETMODEL_ROUTING_DRAGONFLY_OTHER_GROUP_H
#define VEF_NETMODEL_ROUTING_DRAGONFLY_OTHER_GROUP_H

#include "netmodel/routing/draws.h"

#include <stdint.h>

/* Uniform among `groups` groups, except for `here` and `there`; UINT32_MAX: there is none. */
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
