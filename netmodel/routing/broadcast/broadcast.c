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
 * it; no escape waits for those in adaptive channels and injection queues.
 *
 * In trees of groups links up are taken before links down, and each link leads one level further:
 * the order of links is that of the routing's own packets, and the last non-empty queue moves. */
#include "netmodel/routing/broadcast/broadcast.h"

#include "common/memory.h"
#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>

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
    for (size_t i = 0; vef_climbs[i]; i++)
        vef_append(list, sizeof list, "; %s", vef_climbs[i]->summary);
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
    for (size_t i = 0; vef_climbs[i] && !broadcast->climb; i++)
        if (vef_climbs[i]->fits(topology))
            broadcast->climb = vef_climbs[i];
    if (broadcast->climb)
        return VEF_OK;
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

/* Whether a routing's own packets go as copies do. */
static bool fits(const vef_broadcast *broadcast, const vef_routing *routing) {
    if (broadcast->climb)
        return routing->algorithm->climbs || !broadcast->climb->links;
    const vef_straight *straight = routing->algorithm->straight;
    for (uint16_t along = 0; straight && along < broadcast->topology->ports; along++)
        for (uint32_t i = 0; i < broadcast->count[along]; i++) {
            const uint16_t port = broadcast->onward[along][i];
            if (port != along && !straight->may_turn(routing, along, port))
                return false;
        }
    return straight != NULL;
}

vef_code vef_broadcast_check(const vef_broadcast *broadcast, const vef_routing *routing,
                             vef_error *error) {
    if (fits(broadcast, routing))
        return VEF_OK;
    char list[512] = "";
    for (size_t i = 0; vef_routings[i]; i++)
        if ((broadcast->climb ? vef_routings[i]->climbs : vef_routings[i]->straight != NULL) &&
            vef_routings[i] != routing->algorithm)
            vef_append(list, sizeof list, "%s%s", *list ? ", " : "", vef_routings[i]->name);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "broadcast in the network needs %s, which routing %s does not have here: "
                    "expected one of %s",
                    broadcast->climb ? "channels that go up, then down"
                                     : "escape channels that go straight on and turn in one order",
                    routing->algorithm->name, list);
}

uint32_t vef_broadcast_add_group(vef_broadcast *broadcast, const uint32_t *endpoints,
                                 uint32_t count) {
    const uint32_t number = broadcast->group_count++;
    broadcast->groups =
        vef_realloc(broadcast->groups, broadcast->group_count * sizeof *broadcast->groups);
    broadcast->groups[number] =
        vef_tree_make(broadcast->climb, broadcast->topology, endpoints, count, number);
    return number;
}

void vef_broadcast_release(vef_broadcast *broadcast) {
    for (uint32_t i = 0; i < broadcast->group_count; i++)
        vef_tree_destroy(broadcast->groups[i]);
    free(broadcast->groups);
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

static void begin_in_tree(const vef_broadcast *broadcast, uint32_t group, uint32_t from,
                          vef_route *route) {
    vef_route_set_uint32(route, VEF_TREE_NODE_WORD, vef_tree_leaf(broadcast->groups[group], from));
    vef_route_set_uint32(route, VEF_TREE_GROUP_WORD, group);
    vef_route_set_uint32(route, VEF_TREE_RECEIVER_WORD, VEF_TREE_NONE);
    route->words[VEF_TREE_KIND_WORD] = VEF_TREE_COPIED;
}

void vef_broadcast_begin(const vef_broadcast *broadcast, uint32_t group, uint32_t from,
                         uint32_t most_hops, vef_route *route) {
    *route = (vef_route){0};
    if (broadcast->climb) {
        begin_in_tree(broadcast, group, from, route);
        return;
    }
    const uint32_t dimensions = broadcast->topology->lattice->dimensions;
    uint32_t plus[MOST_DIMENSIONS], minus[MOST_DIMENSIONS], reach[MOST_DIMENSIONS];
    rooms_of(broadcast->topology, from, plus, minus);
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

/* The child of a node that leads to a leaf below it. */
static uint32_t child_towards(const vef_group_tree *tree, uint32_t node, uint32_t leaf) {
    while (tree->nodes[leaf].parent != node)
        leaf = tree->nodes[leaf].parent;
    return leaf;
}

static uint32_t branches_in_tree(const vef_broadcast *broadcast, const vef_route *route,
                                 vef_place place, vef_branch *branches) {
    const vef_group_tree *tree = vef_broadcast_tree(broadcast, route);
    const uint32_t here = vef_route_uint32(route, VEF_TREE_NODE_WORD);
    const uint32_t receiver = vef_route_uint32(route, VEF_TREE_RECEIVER_WORD);
    const vef_tree_node *node = &tree->nodes[here];
    const vef_tree_kind kind = (vef_tree_kind)route->words[VEF_TREE_KIND_WORD];
    const bool top = node->parent == VEF_TREE_NONE;
    uint32_t count = 0;
    if (kind != VEF_TREE_RESULT && !top && place.in_port != node->up_port)
        branches[count++] = (vef_branch){node->up_port, 1};
    if (kind == VEF_TREE_RESULT && receiver != VEF_TREE_NONE) {
        if (receiver != here)
            branches[count++] =
                (vef_branch){tree->nodes[child_towards(tree, here, receiver)].down_port, 1};
        return count;
    }
    for (uint32_t i = 0; kind != VEF_TREE_CONTRIBUTED && i < node->child_count; i++) {
        const uint16_t port = tree->nodes[tree->children[node->first_child + i]].down_port;
        if (kind == VEF_TREE_RESULT || port != place.in_port)
            branches[count++] = (vef_branch){port, 1};
    }
    return count;
}

uint32_t vef_broadcast_branches(const vef_broadcast *broadcast, const vef_route *route,
                                vef_place place, vef_branch *branches) {
    if (broadcast->climb)
        return branches_in_tree(broadcast, route, place, branches);
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

/* The node to which a port of a node leads. */
static uint32_t node_at(const vef_group_tree *tree, const vef_tree_node *node, uint16_t port) {
    if (node->parent != VEF_TREE_NONE && port == node->up_port)
        return node->parent;
    const uint32_t *child = &tree->children[node->first_child];
    while (tree->nodes[*child].down_port != port)
        child++;
    return *child;
}

void vef_broadcast_advance(const vef_broadcast *broadcast, vef_route *route, uint16_t port) {
    if (broadcast->climb) {
        const vef_group_tree *tree = vef_broadcast_tree(broadcast, route);
        vef_route_set_uint32(route, VEF_TREE_NODE_WORD,
                             node_at(tree, vef_broadcast_node(broadcast, route), port));
        return;
    }
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

vef_candidate vef_broadcast_escape(const vef_broadcast *broadcast, const vef_routing *routing,
                                   vef_place place, vef_branch branch) {
    if (!broadcast->climb)
        return routing->algorithm->straight->escape(routing, place, branch.port, branch.hops);
    return (vef_candidate){.port = branch.port, .slots_needed = 1, .escape = true};
}
