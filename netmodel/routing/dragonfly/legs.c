/* Legs on dragonflies. See legs.h.
 *
 * Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology" (ISCA 2008),
 * section 4: minimal routing takes at most a local, a global and a local hop (l-g-l); Valiant's
 * routing goes to an intermediate group first (l-g, then l-g-l). Over an intermediate router it is
 * l-g-l, l-g-l. These are not all shortest paths of the graph: two global hops in a row are none.
 * Where several links join two groups, a packet may take those with the shortest l-g-l routes.
 *
 * Bound: 3 hops for each leg, 2 for a first leg to a group. Channels, for each class `channels`, of
 * local links / global links: minimal 2 / 1, over a group 3 / 2, over a router 4 / 2.
 *
 * Freedom from deadlock: the classes of local channels are before and after the global hop of the
 * first leg, then before and after that of the second; the first leg to a group has none after it.
 * So classes rise along l0 g0 (l1) l2 g1 l3 with every hop, whatever the links. A minimal route is
 * a second leg alone.
 *
 * Example: h = 2 (a = 4, 9 groups, palmtree). Index i of group 0 leads to group 8 - i: from router
 * 0 of group 0 to group 3 a packet goes to router 2, which has index 5, by local channel 0, and
 * over its global port 1. */
#include "netmodel/routing/dragonfly/legs.h"

#include <string.h>

/* Words of a leg. The next hop, if it is by one port alone: one more than the port, 0 at the end of
 * the leg. Packets with the same next hop share their candidates, at every router. */
enum { TARGET_WORD, STAGE_WORD = 2, NEXT_WORD, WORDS };

/* What a packet has done on its leg so far. */
typedef enum leg_stage {
    FRESH,
    MOVED, /* a local hop towards a global link */
    CROSSED,
    STAGES
} leg_stage;

vef_code vef_dragonfly_supports(const vef_topology *topology, vef_flow_control flow_control,
                                const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    if (vef_dragonfly_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "expected topology dragonfly, not %s",
                    topology->family->name);
}

vef_code vef_dragonfly_set_channels(vef_routing *routing, uint32_t each, uint32_t local_classes,
                                    uint32_t global_classes, vef_error *error) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(routing->topology);
    const uint32_t ports = routing->topology->ports;
    routing->channels = local_classes * each;
    if (routing->channels > VEF_MAX_CHANNELS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "channels: %u for each of %u classes: out of range: expected at most %u",
                        each, local_classes, VEF_MAX_CHANNELS / local_classes);
    uint8_t *channels = vef_arena_alloc(&routing->arena, ports, sizeof *channels);
    for (uint32_t port = 0; port < ports; port++)
        channels[port] =
            (uint8_t)((vef_dragonfly_is_global(dragonfly, port) ? global_classes : local_classes) *
                      each);
    routing->port_channels = channels;
    return VEF_OK;
}

uint32_t vef_dragonfly_most_leg_ports(const vef_topology *topology) {
    const vef_global_links *global = &vef_dragonfly_of(topology)->global;
    const uint32_t links =
        (global->routers * global->h + global->groups - 2) / (global->groups - 1);
    return links < topology->ports ? links : topology->ports;
}

static vef_code create(vef_routing *routing, const vef_two_phase_request *request,
                       vef_two_phase *two_phase, vef_error *error) {
    vef_dragonfly_legs *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    const bool by_group = request->middle != VEF_MIDDLE_ROUTER;
    const uint32_t before = request->undecided, first = request->one ? 0 : by_group ? 1 : 2;
    *made = (vef_dragonfly_legs){
        .dragonfly = vef_dragonfly_of(routing->topology),
        .topology = routing->topology,
        .channels = (uint32_t)request->channels,
        .by_group = by_group,
        .local_class = {before, before + first},
        .global_class = {0, request->one ? 0 : 1},
    };
    /* An undecided packet is offered the ports of two legs. */
    const uint32_t ports =
        (request->undecided ? 2 : 1) * vef_dragonfly_most_leg_ports(made->topology);
    made->alone = vef_dragonfly_most_leg_ports(made->topology) == 1;
    two_phase->legs = made;
    two_phase->leg_words = WORDS;
    routing->most_candidates = ports * made->channels;
    if (made->alone && !request->undecided)
        routing->signatures = 2 * STAGES * (made->topology->ports + 1);
    routing->least_queue_packets = 1;
    routing->uniform = true; /* symmetries preserve local and global links */
    const vef_code code = vef_routing_check_candidates(made->channels, ports, error);
    if (code != VEF_OK)
        return code;
    return vef_dragonfly_set_channels(routing, made->channels, before + first + 2,
                                      request->one ? 1 : 2, error);
}

/* A group other than those of source and destination, if there is one. */
static uint32_t draw_middle(const vef_routing *routing, const vef_travel *travel,
                            vef_draws *draws) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const vef_dragonfly *dragonfly = legs->dragonfly;
    if (!legs->by_group)
        return vef_draw_below(draws, routing->topology->routers);
    const uint32_t group = vef_draw_other_group(draws, dragonfly->global.groups,
                                                vef_dragonfly_group(dragonfly, travel->from),
                                                vef_dragonfly_group(dragonfly, travel->to));
    return group == UINT32_MAX ? travel->to : vef_dragonfly_router(dragonfly, group, 0);
}

/* NEXT_WORD at a router. */
static int16_t next_hop(const vef_dragonfly_legs *legs, uint32_t router, uint32_t target) {
    const vef_dragonfly *dragonfly = legs->dragonfly;
    if (!legs->alone || router == target)
        return 0;
    const uint32_t here = vef_dragonfly_group(dragonfly, router);
    const uint32_t there = vef_dragonfly_group(dragonfly, target);
    const vef_global_port link = here == there ? (vef_global_port){target, 0}
                                               : vef_dragonfly_link(dragonfly, here, there, 0);
    const uint32_t local =
        vef_dragonfly_local_port(dragonfly, vef_dragonfly_place(dragonfly, router),
                                 vef_dragonfly_place(dragonfly, link.router));
    return (int16_t)(1 + (link.router == router ? link.port : local));
}

static void begin(const vef_routing *routing, uint32_t from, uint32_t to, uint32_t variant,
                  vef_route *route) {
    (void)variant;
    vef_route_set_uint32(route, TARGET_WORD, to);
    route->words[STAGE_WORD] = FRESH;
    route->words[NEXT_WORD] = next_hop(vef_dragonfly_legs_of(routing), from, to);
}

static bool ended(const vef_routing *routing, const vef_route *route, uint32_t router) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const uint32_t target = vef_route_uint32(route, TARGET_WORD);
    return legs->by_group ? vef_dragonfly_group(legs->dragonfly, router) ==
                                vef_dragonfly_group(legs->dragonfly, target)
                          : router == target;
}

/* Adds a port to an ascending list, unless it has it. Returns the new length. */
static uint32_t add_port(uint16_t *ports, uint32_t count, uint16_t port) {
    uint32_t place = count;
    while (place > 0 && ports[place - 1] > port)
        place--;
    if (place > 0 && ports[place - 1] == port)
        return count;
    memmove(ports + place + 1, ports + place, (count - place) * sizeof *ports);
    ports[place] = port;
    return count + 1;
}

uint32_t vef_dragonfly_leg_ports(const vef_topology *topology, uint32_t router,
                                 vef_dragonfly_goal goal, bool moved, uint16_t *ports) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(topology);
    const uint32_t here = vef_dragonfly_group(dragonfly, router);
    const uint32_t there = vef_dragonfly_group(dragonfly, goal.router);
    const uint32_t place = vef_dragonfly_place(dragonfly, router);
    if (here == there) {
        if (goal.group || router == goal.router)
            return 0;
        ports[0] = (uint16_t)vef_dragonfly_local_port(dragonfly, place,
                                                      vef_dragonfly_place(dragonfly, goal.router));
        return 1;
    }
    uint32_t least = UINT32_MAX, count = 0;
    const uint32_t links = vef_dragonfly_links(dragonfly, here, there);
    for (uint32_t which = 0; which < links; which++) {
        const vef_global_port link = vef_dragonfly_link(dragonfly, here, there, which);
        const bool direct = link.router == router;
        if (!direct && moved)
            continue;
        const uint32_t end = vef_topology_next(topology, link.router, link.port);
        const uint32_t length = 1u + !direct + (!goal.group && end != goal.router);
        if (length > least)
            continue;
        if (length < least)
            count = 0;
        least = length;
        const uint32_t port =
            direct ? link.port
                   : vef_dragonfly_local_port(dragonfly, place,
                                              vef_dragonfly_place(dragonfly, link.router));
        count = add_port(ports, count, (uint16_t)port);
    }
    return count;
}

static uint32_t offer(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place, vef_candidate *offered) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const leg_stage stage = (leg_stage)route->words[STAGE_WORD];
    const vef_dragonfly_goal goal = {vef_route_uint32(route, TARGET_WORD),
                                     legs->by_group && phase == 0};
    const uint32_t next = (uint32_t)route->words[NEXT_WORD];
    uint16_t ports[VEF_MAX_PORTS];
    ports[0] = (uint16_t)(next - 1);
    const uint32_t ways = legs->alone ? next > 0
                                      : vef_dragonfly_leg_ports(legs->topology, place.router, goal,
                                                                stage == MOVED, ports);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ways; i++) {
        const uint32_t class = vef_dragonfly_is_global(legs->dragonfly, ports[i])
                                   ? legs->global_class[phase]
                                   : legs->local_class[phase] + (stage == CROSSED);
        count +=
            vef_offer_escapes(ports[i], class * legs->channels, legs->channels, offered + count);
    }
    return count;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const vef_topology *topology = legs->topology;
    if (vef_dragonfly_is_global(legs->dragonfly, port))
        route->words[STAGE_WORD] = CROSSED;
    else if (route->words[STAGE_WORD] == FRESH)
        route->words[STAGE_WORD] = MOVED;
    route->words[NEXT_WORD] = next_hop(legs, vef_topology_next(topology, place.router, port),
                                       vef_route_uint32(route, TARGET_WORD));
}

static uint32_t signature(const vef_routing *routing, const vef_route *route) {
    (void)routing;
    return (uint32_t)route->words[NEXT_WORD] * STAGES + (uint32_t)route->words[STAGE_WORD];
}

const vef_leg_kind vef_leg_kind_dragonfly = {
    .name = "local, global, local",
    .supports = vef_dragonfly_supports,
    .groups = true,
    .create = create,
    .draw_middle = draw_middle,
    .begin = begin,
    .ended = ended,
    .offer = offer,
    .advance = advance,
    .signature = signature,
};
