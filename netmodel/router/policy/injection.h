/* Injection policies: which injection queue of its endpoint a packet joins (netmodel/MODEL.md,
 * Injection queues by port).
 *
 * A policy is a function in injection.c and a row of netmodel/file/policies.def; help and error
 * messages follow. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_INJECTION_H
#define VEF_NETMODEL_ROUTER_POLICY_INJECTION_H

#include "netmodel/file/policies.h"
#include "netmodel/routing/routing.h"

#include <stdbool.h>

/* The next packet of a source, to an endpoint of another router. */
typedef struct vef_entrant {
    const uint16_t *free; /* places, by injection queue of the endpoint */
    uint32_t queues;
    uint32_t places; /* that the packet takes */
    uint32_t ports;  /* of a router */
    const vef_routing *routing;
    const vef_route *route;          /* begun */
    const vef_candidate *candidates; /* offered at the source, */
    uint32_t count;                  /* at least one */
} vef_entrant;

enum { VEF_NO_QUEUE = UINT32_MAX };

typedef struct vef_injection {
    bool by_hops; /* needs vef_routing.steps */
    /* The queue that the packet joins, which has room for it; VEF_NO_QUEUE: it waits. NULL: the one
     * with the most free places. The packet's route then begins when it enters, else before. */
    uint32_t (*choose)(const vef_entrant *packet);
} vef_injection;

const vef_injection *vef_injection_of(const vef_policy_name *name);

/* Fails (VEF_UNSUPPORTED) if the policy needs something that the routing lacks. */
vef_code vef_injection_check(const vef_policy_name *policy, const vef_routing *routing,
                             vef_error *error);

/* The queue with the most free places among first … end - 1, the first among equals; VEF_NO_QUEUE:
 * it has fewer than `places`. */
static inline uint32_t vef_injection_freest(const uint16_t *free, uint32_t first, uint32_t end,
                                            uint32_t places) {
    uint32_t best = first;
    for (uint32_t queue = first + 1; queue < end; queue++)
        if (free[queue] > free[best])
            best = queue;
    return free[best] >= places ? best : VEF_NO_QUEUE;
}

#endif
