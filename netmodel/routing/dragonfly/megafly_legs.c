/* Legs on megaflies (two_phase.h): up to a spine with a global link to the group, over it, and down
 * to the leaf; within a group up to any spine and down.
 *
 * Shpiner et al., "Dragonfly+: Low Cost Topology for Scaling Datacenters" (HiPINEB 2017); Flajslik,
 * Borch and Parker, "Megafly: A Topology for Exascale Systems" (ISC 2018). Over a group, the first
 * leg ends in the spine where it enters the group. If that spine has a global link to the
 * destination's group, the second leg takes it; else it goes down to any leaf, and up to a spine
 * that has one. Where several links lead to a group, or several spines serve, a packet may take
 * any.
 *
 * Bound: 3 hops minimally, 2 + 4 over a group, 3 + 3 over a leaf. Channels, for each class
 * `channels`: 1 minimally, 2 over a group or a leaf, of all links.
 *
 * Freedom from deadlock: packets go up, across and down on class 0, then up, across and down on
 * class 1, each at most once, and each kind of hop uses links of its own. The hop down of a second
 * leg that is followed by one up is of class 0: the first leg to a group had none.
 *
 * Example: 3 leaves, 3 spines, h = 3, 10 groups. From a leaf of group 0 over group 4 to group 7:
 * up, across, and, since 8 of 9 spines have no link to group 7, down to any of three leaves, up,
 * across and down. */
#include "netmodel/routing/dragonfly/legs.h"
#include "netmodel/routing/two_phase/two_phase.h"
#include "netmodel/topology/dragonfly/megafly.h"

typedef struct megafly_legs {
    const vef_megafly *megafly;
    uint32_t channels; /* of each class */
    bool by_group;     /* the first leg ends in a group's spine */
    bool one;          /* there is no first leg, and one class */
} megafly_legs;

enum { TARGET_WORD, WORDS = 2 };

static const megafly_legs *legs_of(const vef_routing *routing) {
    return ((const vef_two_phase *)routing->state)->legs;
}

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    if (vef_megafly_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "expected a megafly, not topology %s",
                    topology->family->name);
}

static vef_code create(vef_routing *routing, const vef_two_phase_request *request,
                       vef_two_phase *two_phase, vef_error *error) {
    megafly_legs *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    const vef_megafly *megafly = vef_megafly_of(routing->topology);
    *made = (megafly_legs){megafly, (uint32_t)request->channels,
                           request->middle != VEF_MIDDLE_ROUTER, request->one};
    uint32_t most_ports = megafly->leaves > megafly->spines ? megafly->leaves : megafly->spines;
    most_ports = most_ports > megafly->h ? most_ports : megafly->h;
    two_phase->legs = made;
    two_phase->leg_words = WORDS;
    routing->channels = (request->one ? 1 : 2) * made->channels;
    routing->most_candidates = most_ports * made->channels;
    routing->least_queue_packets = 1;
    routing->uniform = true; /* symmetries preserve leaves, spines and global links */
    routing->legs = NULL;    /* spines have no endpoints */
    return vef_routing_check_candidates(made->channels, most_ports, error);
}

/* A leaf of the intermediate group, or any leaf. */
static uint32_t draw_middle(const vef_routing *routing, const vef_travel *travel,
                            vef_draws *draws) {
    const megafly_legs *legs = legs_of(routing);
    const vef_megafly *megafly = legs->megafly;
    if (!legs->by_group) {
        const uint32_t leaf = vef_draw_below(draws, megafly->global.groups * megafly->leaves);
        return vef_megafly_leaf(megafly, leaf / megafly->leaves, leaf % megafly->leaves);
    }
    const uint32_t group = vef_draw_other_group(draws, megafly->global.groups,
                                                vef_megafly_group(megafly, travel->from),
                                                vef_megafly_group(megafly, travel->to));
    return group == UINT32_MAX ? travel->to : vef_megafly_leaf(megafly, group, 0);
}

static void begin(const vef_routing *routing, uint32_t from, uint32_t to, uint32_t variant,
                  vef_route *route) {
    (void)routing, (void)from, (void)variant;
    vef_route_set_uint32(route, TARGET_WORD, to);
}

static bool ended(const vef_routing *routing, const vef_route *route, uint32_t router) {
    const megafly_legs *legs = legs_of(routing);
    const uint32_t target = vef_route_uint32(route, TARGET_WORD);
    return legs->by_group ? vef_megafly_group(legs->megafly, router) ==
                                vef_megafly_group(legs->megafly, target)
                          : router == target;
}

static uint32_t offer_port(const megafly_legs *legs, uint32_t port, uint32_t class,
                           vef_candidate *offered) {
    return vef_offer_escapes(port, class * legs->channels, legs->channels, offered);
}

/* From a leaf: up to every spine of the group that serves. */
static uint32_t offer_up(const megafly_legs *legs, uint32_t here, uint32_t there, uint32_t class,
                         vef_candidate *offered) {
    const vef_megafly *megafly = legs->megafly;
    uint32_t count = 0, last = UINT32_MAX;
    if (here == there) {
        for (uint32_t spine = 0; spine < megafly->spines; spine++)
            count += offer_port(legs, vef_megafly_up_port(megafly, spine), class, offered + count);
        return count;
    }
    const uint32_t links = vef_megafly_links(megafly, here, there);
    for (uint32_t which = 0; which < links; which++) {
        const uint32_t spine =
            vef_megafly_place(megafly, vef_megafly_link(megafly, here, there, which).router);
        if (spine != last) /* links are in the order of spines */
            count += offer_port(legs, vef_megafly_up_port(megafly, spine), class, offered + count);
        last = spine;
    }
    return count;
}

/* From a spine to another group: over its own links, or down to any leaf if it has none. */
static uint32_t offer_across(const megafly_legs *legs, uint32_t router, uint32_t here,
                             uint32_t there, uint32_t class, vef_candidate *offered) {
    const vef_megafly *megafly = legs->megafly;
    const uint32_t links = vef_megafly_links(megafly, here, there);
    uint32_t count = 0;
    for (uint32_t which = 0; which < links; which++) {
        const vef_global_port link = vef_megafly_link(megafly, here, there, which);
        if (link.router == router)
            count += offer_port(legs, link.port, class, offered + count);
    }
    for (uint32_t leaf = 0; count == 0 && leaf < megafly->leaves; leaf++)
        offer_port(legs, vef_megafly_down_port(megafly, leaf), 0, offered + leaf * legs->channels);
    return count > 0 ? count : megafly->leaves * legs->channels;
}

static uint32_t offer(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place, vef_candidate *offered) {
    const megafly_legs *legs = legs_of(routing);
    const vef_megafly *megafly = legs->megafly;
    const uint32_t target = vef_route_uint32(route, TARGET_WORD), class = legs->one ? 0 : phase;
    const uint32_t here = vef_megafly_group(megafly, place.router);
    const uint32_t there = vef_megafly_group(megafly, target);
    if (vef_megafly_is_leaf(megafly, place.router))
        return offer_up(legs, here, there, class, offered);
    if (here == there)
        return offer_port(legs, vef_megafly_down_port(megafly, vef_megafly_place(megafly, target)),
                          class, offered);
    return offer_across(legs, place.router, here, there, class, offered);
}

const vef_leg_kind vef_leg_kind_megafly = {
    .name = "up, across, down",
    .supports = supports,
    .groups = true,
    .create = create,
    .draw_middle = draw_middle,
    .begin = begin,
    .ended = ended,
    .offer = offer,
    .advance = vef_routing_keep_route,
};
