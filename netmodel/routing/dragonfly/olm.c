/* OLM (opportunistic local misrouting) on dragonflies: at each hop minimal, or a detour when the
 * minimal queue fills: over another group from the source's group, over another router within any
 * group.
 *
 * García, Vallejo, Beivide, Odriozola and Valero, "Efficient Routing Mechanisms for Dragonfly
 * Networks" (ICPP 2013). Packets are misrouted where their policy MM+L allows it (García
 * et al., "Global Misrouting Policies in Two-Level Hierarchical Networks", INA-OCMC 2013, and their
 * simulator FOGSim):
 *
 *   at the source, bound for another group: over any other global link of its router;
 *   in the source's group, behind a minimal local hop: to another router, and from there over any
 *   of its global links;
 *   where the minimal hop is local, in a group that the packet has entered by a global link, or the
 *   only one: to another router, once in each group, and from there minimally.
 *
 * A packet goes minimally as long as `minimal_places` are free in the queue, and waits for it if
 * the link is merely busy. With fewer it takes any of the misroutes whose queues have
 * `misroute_places` free, and without one it goes minimally again. The paper compares the queues
 * with each other instead. A link that is full shows only in the queues before it: endpoints of the
 * router with the minimal global link wait for it, for ever if router.transit_first lets packets
 * from other routers fill it, unless `minimal_places` is almost the length of the queues.
 *
 * Bound: 8 hops, l l g l l g l l: a local misroute and a minimal local hop in each of three groups.
 * Channels, for each class `channels`, of local / global links: 3 / 2, as many as of Valiant's
 * routes over a group.
 *
 * Freedom from deadlock: minimal hops, and the global hop after a local misroute in the source's
 * group, are on channels that rise, l0 g0 l1 g1 l2; these are the escapes. A local misroute behind
 * n global hops takes the local class just below that of the minimal hops there (l0 for n = 0), so
 * that rising channels lead on to the destination. It is no escape: no packet waits for it alone.
 * That needs virtual cut-through, as a misrouted packet fits into one queue.
 *
 * Example: h = 2, from router 0 of group 0 to router 2 of group 3, whose link is at router 2 of
 * group 0. If the local queue to router 2 is full, the packet may take one of the global links of
 * router 0, to groups 8 and 7; behind the hop to router 2 it may go to routers 0, 1 or 3, and over
 * any of their global links. In group 8 it may go to any router before the one with the link to
 * group 3, by class l0, and in group 3, by l1, to any before router 2. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/dragonfly/legs.h"

typedef struct parameters {
    int64_t channels, minimal_places, misroute_places;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS / 3, .help = "virtual channels of each class"},
    {VEF_KEY(INT, parameters, minimal_places), .fallback = "2", .minimum = 1, .maximum = UINT8_MAX,
     .help = "free places from which a packet goes minimally, or waits for the minimal link"},
    {VEF_KEY(INT, parameters, misroute_places), .fallback = "4", .minimum = 1, .maximum = UINT8_MAX,
     .help = "free places of the queues that misrouted packets take; never met by shorter queues"},
    {.key = NULL},
};

enum { LOCAL_CLASSES = 3, GLOBAL_CLASSES = 2 };

/* Words of the route. The destination; the global hops so far; and whether in the present group the
 * packet has taken a minimal local hop, or has been misrouted by one. */
enum { TARGET_WORD, CROSSED_WORD = 2, MOVED_WORD, MISROUTED_WORD, WORDS };

static vef_code create(vef_routing *routing, vef_error *error) {
    const uint32_t channels = (uint32_t)((const parameters *)routing->parameters)->channels;
    /* Minimal ports are offered twice, the others once. */
    const uint32_t ports =
        routing->topology->ports + 2 * vef_dragonfly_most_leg_ports(routing->topology);
    routing->route_words = WORDS;
    routing->most_candidates = ports * channels;
    routing->least_queue_packets = 1;
    routing->patient = true;
    routing->selection = VEF_SELECT_ANY;
    routing->uniform = true; /* symmetries preserve local and global links */
    const vef_code code = vef_routing_check_candidates(channels, ports, error);
    if (code != VEF_OK)
        return code;
    return vef_dragonfly_set_channels(routing, channels, LOCAL_CLASSES, GLOBAL_CLASSES, error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)routing, (void)draws;
    vef_route_set_uint32(route, TARGET_WORD, travel->to);
    for (uint32_t word = CROSSED_WORD; word < WORDS; word++)
        route->words[word] = 0;
}

/* Where a packet is on its way. */
typedef struct position {
    const vef_topology *topology;
    const vef_dragonfly *dragonfly;
    uint32_t router, target, crossed;
    bool moved, misrouted; /* in this group */
    bool last_group;       /* that of the destination */
} position;

static position position_of(const vef_routing *routing, const vef_route *route, uint32_t router) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(routing->topology);
    const uint32_t target = vef_route_uint32(route, TARGET_WORD);
    return (position){
        .topology = routing->topology,
        .dragonfly = dragonfly,
        .router = router,
        .target = target,
        .crossed = (uint32_t)route->words[CROSSED_WORD],
        .moved = route->words[MOVED_WORD] != 0,
        .misrouted = route->words[MISROUTED_WORD] != 0,
        .last_group =
            vef_dragonfly_group(dragonfly, router) == vef_dragonfly_group(dragonfly, target),
    };
}

/* Writes the minimal ports, in ascending order, or after a local misroute in the source's group all
 * global ports. Returns their number. */
static uint32_t find_minimal(const position *here, uint16_t *ports) {
    const vef_dragonfly_goal goal = {.router = here->target};
    if (here->crossed > 0 || here->last_group || !here->misrouted)
        return vef_dragonfly_leg_ports(here->topology, here->router, goal, here->moved, ports);
    uint32_t count = 0;
    for (uint32_t port = here->dragonfly->a - 1; port < here->topology->ports; port++)
        ports[count++] = (uint16_t)port;
    return count;
}

/* The ports to which a packet may be misrouted, from `first` up to `end`, without minimal ones. */
typedef struct misroutes {
    uint32_t first, end;
} misroutes;

static misroutes find_misroutes(const position *here, uint16_t minimal_port) {
    const uint32_t a = here->dragonfly->a, ports = here->topology->ports;
    const bool by_global = vef_dragonfly_is_global(here->dragonfly, minimal_port);
    if (here->misrouted)
        return (misroutes){0};
    if (here->crossed == 0 && !here->last_group)
        return here->moved ? (misroutes){0, a - 1} : (misroutes){a - 1, ports};
    return by_global ? (misroutes){0} : (misroutes){0, a - 1};
}

static bool is_among(uint32_t port, const uint16_t *ports, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (ports[i] == port)
            return true;
    return false;
}

static uint32_t class_of(const position *here, uint32_t port, bool misroute) {
    if (vef_dragonfly_is_global(here->dragonfly, port))
        return here->crossed;
    if (misroute)
        return here->crossed > 0 ? here->crossed - 1 : 0;
    return here->crossed > 0 ? here->crossed : here->misrouted;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    enum { MINIMAL, MISROUTES, LAST_RESORT };
    const parameters *given = routing->parameters;
    const uint32_t each = (uint32_t)given->channels;
    const position here = position_of(routing, route, place.router);
    uint16_t ports[VEF_MAX_PORTS];
    const uint32_t minimal = find_minimal(&here, ports);
    if (minimal == 0)
        return 0;
    const misroutes ways = find_misroutes(&here, ports[0]);
    uint32_t count = 0;
    for (uint32_t port = ways.first; port < ways.end; port++)
        if (!is_among(port, ports, minimal)) {
            const vef_candidate first = {.port = (uint16_t)port,
                                         .channel = (uint8_t)(class_of(&here, port, true) * each),
                                         .preference = MISROUTES,
                                         .slots_needed = (uint8_t)given->misroute_places};
            count += vef_offer_channels(first, each, offered + count);
        }
    const bool twice = count > 0 && given->minimal_places > 1;
    for (uint32_t i = 0; i < minimal; i++) {
        vef_candidate first = {.port = ports[i],
                               .channel = (uint8_t)(class_of(&here, ports[i], false) * each),
                               .preference = twice ? LAST_RESORT : MINIMAL,
                               .slots_needed = 1,
                               .escape = true};
        count += vef_offer_channels(first, each, offered + count);
        first.preference = MINIMAL;
        first.slots_needed = (uint8_t)given->minimal_places;
        if (twice)
            count += vef_offer_channels(first, each, offered + count);
    }
    return count;
}

/* A local hop that is not minimal is a misroute; so the packet finds that out before it leaves. */
static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    const position here = position_of(routing, route, place.router);
    if (vef_dragonfly_is_global(here.dragonfly, port)) {
        route->words[CROSSED_WORD]++;
        route->words[MOVED_WORD] = route->words[MISROUTED_WORD] = 0;
        return;
    }
    uint16_t ports[VEF_MAX_PORTS];
    const uint32_t minimal = find_minimal(&here, ports);
    route->words[is_among(port, ports, minimal) ? MOVED_WORD : MISROUTED_WORD] = 1;
}

const vef_routing_algorithm vef_routing_olm = {
    .name = "olm",
    .aliases = "opportunistic-local-misrouting ofar rlm",
    .summary =
        "adaptive at each hop on dragonflies: minimal, or over other groups and routers "
        "where queues are full",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_dragonfly_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = advance,
};
