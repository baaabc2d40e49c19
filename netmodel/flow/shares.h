/* Max-min fair shares of resources (links, and ports of endpoints) among flows.
 *
 * Bertsekas and Gallager, "Data Networks", 2nd edition, section 6.5.2: a flow's rate is weight x
 * level, and rates are max-min fair if every flow has a bottleneck: a resource on its path that is
 * fully used and on which no flow has a higher level. They are unique.
 *
 * Each resource has a level too: the one at which it would be fully used if each of its flows had
 * the lower of this level and of the levels of the other resources on its path; without one, if
 * that does not use it fully. A flow's level is the least on its path. Charny, Clark and Jain,
 * "Congestion Control With Explicit Rate Indication" (ICC 1995) show that computing the levels of
 * resources one by one, in any order, ends at the max-min fair rates. So a flow that begins or ends
 * only changes the levels of resources near it, in terms of bottlenecks.
 *
 * Tolerance t: a resource is not computed again while its flows use at most (1 + t) of its capacity
 * and, if it has a level, at least (1 - t). These are the bounds of the result. */
#ifndef VEF_NETMODEL_FLOW_SHARES_H
#define VEF_NETMODEL_FLOW_SHARES_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEF_LEAST_TOLERANCE 1e-9 /* for rounding */

/* A flow at a resource on its path. */
typedef struct vef_share_hop {
    uint32_t resource;
    uint32_t place; /* the flow's among those of the resource */
} vef_share_hop;

typedef struct vef_share_flow {
    vef_share_hop *hops;
    uint32_t hop_count;
    size_t hop_room;
    double weight; /* 0: the flow is unused */
    double level;
    double reported_level; /* when rates were last asked for */
    uint32_t bottleneck;   /* a resource that has this level */
    bool listed;           /* among the changed ones */
} vef_share_flow;

typedef struct vef_share_member {
    uint32_t flow;
    uint32_t hop; /* of that flow, which is at this resource */
} vef_share_member;

typedef struct vef_share_resource {
    vef_share_member *members;
    uint32_t count;
    size_t room;
    double capacity;
    double level;  /* INFINITY: not fully used */
    double used;   /* by all rates */
    double weight; /* of all members */
    bool waiting;  /* to be computed */
} vef_share_resource;

/* A member's level without the resource in question, and the resource that has it. */
typedef struct vef_share_offer {
    double level;
    uint32_t bottleneck;
} vef_share_offer;

typedef struct vef_shares {
    vef_share_resource *resources;
    uint32_t resource_count;
    double tolerance;
    vef_share_flow *flows;
    size_t flow_room;
    uint32_t *waiting; /* a ring of resources, [resource_count] */
    uint32_t waiting_first, waiting_count;
    uint32_t *changed; /* flows with other rates than reported */
    size_t changed_count, changed_room;
    vef_share_offer *offers; /* scratch, of the members of one resource */
    size_t offer_room;
    uint64_t computed; /* resources so far, to measure */
    size_t held_bytes; /* of members and hops */
} vef_shares;

/* Resources without flows; the caller sets the capacity of each before flows use it. */
void vef_shares_create(vef_shares *shares, uint32_t resources, double tolerance);
void vef_shares_release(vef_shares *shares);

/* A flow with an unused number begins: over `count` different resources, at least 1. Numbers should
 * be small: memory is proportional to the greatest. */
void vef_shares_begin(vef_shares *shares, uint32_t flow, double weight, const uint32_t *resources,
                      uint32_t count);
/* A flow ends; its number is unused. */
void vef_shares_end(vef_shares *shares, uint32_t flow);

/* Computes the rates, after any number of begins and ends. Returns the number of flows, those that
 * have just begun included, whose rates are not as at the last call, and lists them (valid until
 * the next call of any of these functions). */
size_t vef_shares_solve(vef_shares *shares, const uint32_t **changed);

/* Per unit of time, as the capacities. Valid after vef_shares_solve. */
static inline double vef_shares_rate(const vef_shares *shares, uint32_t flow) {
    return shares->flows[flow].weight * shares->flows[flow].level;
}

#endif
