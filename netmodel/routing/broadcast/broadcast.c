/* Broadcast in the network: the table of rules, and their common functions. See broadcast.h.
 *
 * The route of a copy: words[0] is its time to live; words[1 + 2d] and words[2 + 2d] are the hops
 * that copies may still take in plus and minus direction of dimension d.
 *
 * Freedom from deadlock. A router keeps a broadcast packet in its place until every copy has left,
 * so it waits for all branches, not for any one. Branches use only the escape channel of the
 * routing: straight on, or by a turn that the routing's own packets could take there or that fits
 * the same order (vef_broadcast_check). So escape channels form directions, and a wait leads from
 * one to itself or to later ones. Suppose that nothing can move, and consider the last direction
 * whose queues hold packets; later turns and ejection are free.
 *
 * - In a line (a mesh) or with datelines, the last non-empty queue waits for an empty one or for
 *   ejection: it moves.
 * - In a bubble ring of N places, entering needs two free places and moving on needs one. Call a
 *   packet spent if its copy along the ring has left and it waits only for other copies. At most
 *   N-1 packets of a ring are not spent: entering leaves one place free, and moving on makes one
 *   packet spent for the one that it adds. So copies of a waiting packet may fill the last place of
 *   a ring, but only if some packets are spent; those wait for later turns and ejection, which are
 *   free here, so none is left. Then a place is free, some non-empty queue precedes a queue with a
 *   free place, and its front packet moves.
 *
 * Packets to one destination may use the escape from any position, and follow the same order in
 * it; no escape waits for those in adaptive channels and injection queues. */
#include "netmodel/routing/broadcast/broadcast.h"

#include "netmodel/topology/lattice/lattice.h"

/* clang-format off */
const vef_broadcast_rule *const vef_broadcast_rules[] = {
    &vef_broadcast_king,
    &vef_broadcast_dimension_order,
    NULL,
};
/* clang-format on */

enum { MOST_DIMENSIONS = (VEF_ROUTE_WORDS - 1) / 2 };

static vef_code fail_no_rule(const vef_topology *topology, vef_error *error) {
    char list[512] = "";
    for (size_t i = 0; vef_broadcast_rules[i]; i++)
        vef_append(list, sizeof list, "%s%s", i ? "; " : "", vef_broadcast_rules[i]->summary);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "topology %s does not support broadcast in the network: expected %s",
                    topology->family->name, list);
}

static vef_code check_sizes(const vef_lattice *lattice, vef_error *error) {
    if (lattice->dimensions > MOST_DIMENSIONS || lattice->generators > VEF_ROUTE_WORDS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "broadcast in the network supports at most %d dimensions, not %u",
                        MOST_DIMENSIONS, lattice->dimensions);
    int64_t sum = 0;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        sum += lattice->sizes[d];
    if (sum > INT16_MAX)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "the sizes add up to %lld: out of range: broadcast in the network supports up to %d",
            (long long)sum, INT16_MAX);
    return VEF_OK;
}

vef_code vef_broadcast_set(vef_broadcast *broadcast, const vef_topology *topology,
                           vef_error *error) {
    *broadcast = (vef_broadcast){.topology = topology};
    for (size_t i = 0; vef_broadcast_rules[i] && !broadcast->rule; i++)
        if (vef_broadcast_rules[i]->fits(topology))
            broadcast->rule = vef_broadcast_rules[i];
    if (!broadcast->rule)
        return fail_no_rule(topology, error);
    vef_code code = check_sizes(topology->lattice, error);
    if (code != VEF_OK)
        return code;
    const uint16_t ports = (uint16_t)topology->ports;
    for (uint16_t along = 0; along <= ports; along++)
        for (uint16_t port = 0; port < ports; port++)
            if (along == ports || broadcast->rule->goes_on(topology, along, port))
                broadcast->onward[along][broadcast->count[along]++] = port;
    return VEF_OK;
}

vef_code vef_broadcast_check(const vef_broadcast *broadcast, const vef_routing *routing,
                             vef_error *error) {
    const vef_straight *straight = routing->algorithm->straight;
    bool fits = straight != NULL;
    for (uint16_t along = 0; fits && along < broadcast->topology->ports; along++)
        for (uint32_t i = 0; i < broadcast->count[along]; i++) {
            const uint16_t port = broadcast->onward[along][i];
            fits = fits && (port == along || straight->may_turn(routing, along, port));
        }
    if (fits)
        return VEF_OK;
    char list[512] = "";
    for (size_t i = 0; vef_routings[i]; i++)
        if (vef_routings[i]->straight && vef_routings[i] != routing->algorithm)
            vef_append(list, sizeof list, "%s%s", *list ? ", " : "", vef_routings[i]->name);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "broadcast in the network needs escape channels that go straight on and turn "
                    "in one order, which routing %s does not have here: expected one of %s",
                    routing->algorithm->name, list);
}

/* The reach of copies from a router: to the end of a line, half way round a ring. */
static void rooms_of(const vef_topology *topology, uint32_t from, uint32_t *plus, uint32_t *minus) {
    const vef_lattice *lattice = topology->lattice;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        const uint32_t size = (uint32_t)lattice->sizes[d], coordinate = from % size;
        from /= size;
        plus[d] = lattice->wraps[d] ? size / 2 : size - 1 - coordinate;
        minus[d] = lattice->wraps[d] ? (size - 1) / 2 : coordinate;
    }
}

void vef_broadcast_begin(const vef_broadcast *broadcast, uint32_t from, uint32_t most_hops,
                         vef_route *route) {
    const uint32_t dimensions = broadcast->topology->lattice->dimensions;
    uint32_t plus[MOST_DIMENSIONS], minus[MOST_DIMENSIONS], reach[MOST_DIMENSIONS];
    rooms_of(broadcast->topology, from, plus, minus);
    *route = (vef_route){0};
    for (uint32_t d = 0; d < dimensions; d++) {
        reach[d] = plus[d] > minus[d] ? plus[d] : minus[d];
        route->words[1 + 2 * d] = (int16_t)plus[d];
        route->words[2 + 2 * d] = (int16_t)minus[d];
    }
    const uint32_t farthest = broadcast->rule->farthest(reach, dimensions);
    route->words[0] = (int16_t)(most_hops < farthest ? most_hops : farthest);
}

/* The word with the reach of copies in dimension d, for a step in this direction. */
static uint32_t room_word(uint32_t d, int32_t step) {
    return 1 + 2 * d + (step < 0);
}

/* Entry d of the step that a port takes. */
static int32_t step_of(const vef_lattice *lattice, uint16_t port, uint32_t d) {
    const int32_t step = lattice->generator[port / 2][d];
    return port % 2 == 0 ? step : -step;
}

uint32_t vef_broadcast_branches(const vef_broadcast *broadcast, const vef_route *route,
                                vef_place place, vef_branch *branches) {
    const vef_topology *topology = broadcast->topology;
    /* A link leaves by port p and comes in by p ^ 1. */
    const uint32_t along =
        place.in_port == VEF_INJECTED ? topology->ports : (uint32_t)place.in_port ^ 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < broadcast->count[along]; i++) {
        const uint16_t port = broadcast->onward[along][i];
        int32_t hops = route->words[0];
        for (uint32_t d = 0; d < topology->lattice->dimensions; d++) {
            const int32_t step = step_of(topology->lattice, port, d);
            if (step != 0 && route->words[room_word(d, step)] < hops)
                hops = route->words[room_word(d, step)];
        }
        if (hops > 0)
            branches[count++] = (vef_branch){port, (uint32_t)hops};
    }
    return count;
}

void vef_broadcast_advance(const vef_broadcast *broadcast, vef_route *route, uint16_t port) {
    const vef_lattice *lattice = broadcast->topology->lattice;
    route->words[0]--;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        const int32_t step = step_of(lattice, port, d);
        if (step == 0)
            continue;
        route->words[room_word(d, step)]--;
        route->words[room_word(d, -step)]++;
    }
}
