/* Max-min fair shares. See shares.h. */
#include "netmodel/flow/shares.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { NOWHERE = UINT32_MAX };

void vef_shares_create(vef_shares *shares, uint32_t resources, double tolerance) {
    *shares = (vef_shares){.resource_count = resources,
                           .tolerance = fmax(tolerance, VEF_LEAST_TOLERANCE)};
    shares->resources = vef_calloc(resources, sizeof *shares->resources);
    shares->waiting = vef_calloc(resources, sizeof *shares->waiting);
    for (uint32_t i = 0; i < resources; i++)
        shares->resources[i].level = INFINITY;
}

void vef_shares_release(vef_shares *shares) {
    for (uint32_t i = 0; i < shares->resource_count; i++)
        free(shares->resources[i].members);
    for (size_t i = 0; i < shares->flow_room; i++)
        free(shares->flows[i].hops);
    free(shares->resources);
    free(shares->waiting);
    free(shares->flows);
    free(shares->changed);
    free(shares->offers);
    *shares = (vef_shares){0};
}

/* A resource waits to be computed. */
static void let_wait(vef_shares *shares, uint32_t number) {
    vef_share_resource *resource = &shares->resources[number];
    if (resource->waiting)
        return;
    resource->waiting = true;
    uint32_t place = shares->waiting_first + shares->waiting_count++;
    if (place >= shares->resource_count)
        place -= shares->resource_count;
    shares->waiting[place] = number;
}

/* The use of a resource has changed: lets it wait if its level may be wrong. */
static void check(vef_shares *shares, uint32_t number) {
    const vef_share_resource *resource = &shares->resources[number];
    const double most = resource->capacity * (1 + shares->tolerance);
    const double least = resource->capacity * (1 - shares->tolerance);
    if (resource->used > most || (resource->level < INFINITY && resource->used < least))
        let_wait(shares, number);
}

/* Makes room for the flow everywhere. */
static void make_room(vef_shares *shares, uint32_t number, const uint32_t *resources,
                      uint32_t count) {
    vef_grow_zeroed(&shares->flows, &shares->flow_room, number + 1u, sizeof *shares->flows);
    vef_share_flow *flow = &shares->flows[number];
    shares->held_bytes -= flow->hop_room * sizeof *flow->hops;
    vef_grow(&flow->hops, &flow->hop_room, count, sizeof *flow->hops);
    shares->held_bytes += flow->hop_room * sizeof *flow->hops;
    for (uint32_t i = 0; i < count; i++) {
        vef_share_resource *resource = &shares->resources[resources[i]];
        const size_t room = resource->room;
        vef_grow(&resource->members, &resource->room, resource->count + 1u,
                 sizeof *resource->members);
        shares->held_bytes += (resource->room - room) * sizeof *resource->members;
        vef_grow(&shares->offers, &shares->offer_room, resource->count + 1u,
                 sizeof *shares->offers);
    }
    vef_grow(&shares->changed, &shares->changed_room, shares->flow_room, sizeof *shares->changed);
}

/* Notes that a flow's level is another one than reported. */
static void list(vef_shares *shares, uint32_t number) {
    if (shares->flows[number].listed)
        return;
    shares->flows[number].listed = true;
    shares->changed[shares->changed_count++] = number;
}

/* The least level on the path of a flow, besides that of `without`. */
static vef_share_offer offer_of(const vef_shares *shares, const vef_share_flow *flow,
                                uint32_t without) {
    vef_share_offer best = {INFINITY, NOWHERE};
    for (uint32_t i = 0; i < flow->hop_count; i++) {
        const uint32_t resource = flow->hops[i].resource;
        const double level = shares->resources[resource].level;
        if (level < best.level && resource != without)
            best = (vef_share_offer){level, resource};
    }
    return best;
}

/* Fills in shares->offers for the members of a resource. */
static void collect_offers(const vef_shares *shares, uint32_t number) {
    const vef_share_resource *resource = &shares->resources[number];
    for (uint32_t i = 0; i < resource->count; i++) {
        const vef_share_flow *flow = &shares->flows[resource->members[i].flow];
        shares->offers[i] = flow->bottleneck == number
                                ? offer_of(shares, flow, number)
                                : (vef_share_offer){flow->level, flow->bottleneck};
    }
}

/* The level at which the resource is fully used. It rises from that of equal shares: members with
 * less elsewhere leave the rest of their share to the others. */
static double level_by_offers(const vef_shares *shares, const vef_share_resource *resource) {
    double level = resource->capacity / resource->weight;
    for (;;) {
        double used = 0, weight = 0;
        for (uint32_t i = 0; i < resource->count; i++) {
            const double share = shares->flows[resource->members[i].flow].weight;
            if (shares->offers[i].level < level)
                used += share * shares->offers[i].level;
            else
                weight += share;
        }
        if (weight == 0)
            return INFINITY;
        const double higher = (resource->capacity - used) / weight;
        if (higher <= level * (1 + 1e-14))
            return level;
        level = higher;
    }
}

/* A flow has another level: its resources are used more, or less. */
static void change_level(vef_shares *shares, uint32_t number, double level, uint32_t computed) {
    vef_share_flow *flow = &shares->flows[number];
    const double more = flow->weight * (level - flow->level);
    flow->level = level;
    list(shares, number);
    for (uint32_t i = 0; i < flow->hop_count; i++) {
        const uint32_t resource = flow->hops[i].resource;
        if (resource == computed)
            continue;
        shares->resources[resource].used += more;
        check(shares, resource);
    }
}

static void compute(vef_shares *shares, uint32_t number) {
    vef_share_resource *resource = &shares->resources[number];
    shares->computed++;
    if (resource->count == 0) {
        resource->level = INFINITY;
        resource->used = 0;
        return;
    }
    collect_offers(shares, number);
    const double level = level_by_offers(shares, resource);
    resource->level = level;
    double used = 0;
    for (uint32_t i = 0; i < resource->count; i++) {
        const uint32_t member = resource->members[i].flow;
        const vef_share_offer offer = shares->offers[i];
        vef_share_flow *flow = &shares->flows[member];
        const bool here = level <= offer.level;
        const double now = here ? level : offer.level;
        flow->bottleneck = here ? number : offer.bottleneck;
        if (now != flow->level)
            change_level(shares, member, now, number);
        used += flow->weight * now;
    }
    resource->used = used;
}

void vef_shares_begin(vef_shares *shares, uint32_t number, double weight, const uint32_t *resources,
                      uint32_t count) {
    assert(count > 0 && weight > 0);
    make_room(shares, number, resources, count);
    vef_share_flow *flow = &shares->flows[number];
    assert(flow->weight == 0);
    flow->weight = weight;
    flow->level = 0;
    flow->hop_count = count;
    for (uint32_t i = 0; i < count; i++) {
        vef_share_resource *resource = &shares->resources[resources[i]];
        flow->hops[i] = (vef_share_hop){resources[i], resource->count};
        resource->members[resource->count++] = (vef_share_member){number, i};
        resource->weight += weight;
    }
    list(shares, number);
    const vef_share_offer offer = offer_of(shares, flow, NOWHERE);
    flow->bottleneck = offer.bottleneck;
    if (offer.bottleneck != NOWHERE) {
        change_level(shares, number, offer.level, NOWHERE);
    } else {
        /* Nothing limits it yet: the first resource does. */
        flow->bottleneck = resources[0];
        compute(shares, resources[0]);
    }
}

void vef_shares_end(vef_shares *shares, uint32_t number) {
    vef_share_flow *flow = &shares->flows[number];
    for (uint32_t i = 0; i < flow->hop_count; i++) {
        const vef_share_hop hop = flow->hops[i];
        vef_share_resource *resource = &shares->resources[hop.resource];
        const vef_share_member last = resource->members[--resource->count];
        resource->members[hop.place] = last;
        shares->flows[last.flow].hops[last.hop].place = hop.place;
        if (resource->count == 0) {
            /* Without the rounding of many sums. */
            resource->weight = 0;
            resource->used = 0;
            resource->level = INFINITY;
            continue;
        }
        resource->weight -= flow->weight;
        resource->used -= flow->weight * flow->level;
        check(shares, hop.resource);
    }
    flow->weight = 0;
    flow->level = 0;
    flow->reported_level = 0;
    flow->hop_count = 0;
}

size_t vef_shares_solve(vef_shares *shares, const uint32_t **changed) {
    while (shares->waiting_count > 0) {
        const uint32_t number = shares->waiting[shares->waiting_first];
        shares->waiting_first =
            shares->waiting_first + 1 == shares->resource_count ? 0 : shares->waiting_first + 1;
        shares->waiting_count--;
        shares->resources[number].waiting = false;
        compute(shares, number);
    }
    size_t kept = 0;
    for (size_t i = 0; i < shares->changed_count; i++) {
        vef_share_flow *flow = &shares->flows[shares->changed[i]];
        flow->listed = false;
        if (flow->weight == 0 || flow->level == flow->reported_level)
            continue;
        flow->reported_level = flow->level;
        shares->changed[kept++] = shares->changed[i];
    }
    shares->changed_count = 0;
    *changed = shares->changed;
    return kept;
}
