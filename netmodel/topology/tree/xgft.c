/* Extended generalized fat trees: fat trees of any height with their own number of children, of
 * parents and of parallel links at each level.
 *
 * Öhring, Ibel, Das, Kumar: "On Generalized Fat Trees", IPPS 1995. Parallel links as in the
 * parallel ports generalized fat trees of Zahavi: "Fat-tree routing and node ordering providing
 * contention free traffic for MPI global collectives", J. Parallel Distrib. Comput. 72(11), 2012.
 * There are w_1 … w_l m_(l+1) … m_h switches of level l; the tree is oversubscribed at a level l +
 * 1 where w_(l+1) links_(l+1) < m_l links_l.
 *
 * Endpoints. The m_1 … m_h terminals are on level 1. Each has endpoints_per_router endpoints
 * (default: 1): endpoint e is at terminal e / endpoints_per_router.
 *
 * Distances. A hop between levels l and l + 1 sets digit l + 1 to any value, so a path from <s, a>
 * to <t, b> must make that hop for every digit l + 1 that differs: from s to t, with detours down
 * to the lowest and up to the highest of these levels.
 *
 * Symmetries. For any numbers x_i (modulo w_i) and y_i (modulo m_i), add x_i to digit i of switches
 * of levels i and above, y_i to digit i of those below and of terminals. This preserves links:
 * digit l + 1, in which the ends may differ, changes by y_(l+1) below and by x_(l+1) above, and the
 * others change equally. So all switches of a level are equivalent, and, since x_(l+1) does not
 * move <l, a> and y_(l+1) does not move <l + 1, a>, so are all parents and all children of a
 * switch; parallel links can be exchanged. So there are two kinds of ports: down and up. Turns: the
 * first rotates the ports down by y_l = 1, the second those up by x_(l+1) = 1.
 *
 * The cut halves the children of each switch of the top level, and the level itself anyhow: half of
 * the links of the top level cross it. It needs an even m_h. */
#include "netmodel/topology/tree/xgft.h"
#include "netmodel/topology/families.h"

typedef struct parameters {
    vef_int_list m, w, links;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, m), .aliases = "children down", .minimum = 1,
     .maximum = VEF_MAX_ROUTERS,
     .help = "m_1 to m_h: children of a switch of each level; those of level 1 are terminals"},
    {VEF_KEY(INT_LIST, parameters, w), .aliases = "parents up", .minimum = 1,
     .maximum = VEF_MAX_PORTS,
     .help = "w_1 to w_h: parents of a terminal (w_1 = 1), then of a switch of each level but the "
             "last"},
    {VEF_KEY(INT_LIST, parameters, links), .aliases = "parallel ports", .fallback = "[]",
     .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help = "parallel links to each parent, in the order of w; none: 1 everywhere"},
    {.key = NULL},
};

/* ---- sizes ---- */

vef_code vef_xgft_measure(vef_xgft *tree, vef_error *error) {
    const uint32_t h = tree->height;
    uint64_t terminals = 1, copies = 1, routers = 0;
    for (uint32_t l = 1; l <= h && terminals <= UINT32_MAX; l++)
        terminals *= tree->m[l];
    if (terminals > UINT32_MAX)
        return vef_fail(error, VEF_INVALID,
                        "m: more than %u terminals: expected fewer levels or smaller numbers",
                        UINT32_MAX);
    tree->below[0] = tree->copies[0] = 1;
    uint32_t down = 0, up = 0;
    for (uint32_t l = 1; l <= h; l++) {
        tree->below[l] = tree->below[l - 1] * tree->m[l];
        copies *= tree->w[l];
        tree->first[l] = (uint32_t)routers;
        routers += copies * (terminals / tree->below[l]);
        if (routers > VEF_MAX_ROUTERS)
            return vef_fail(error, VEF_INVALID,
                            "m, w: more than %d routers: expected fewer levels or smaller numbers",
                            VEF_MAX_ROUTERS);
        tree->copies[l] = (uint32_t)copies;
        if (l == 1)
            continue;
        const uint64_t ports[] = {(uint64_t)tree->m[l] * tree->links[l],
                                  (uint64_t)tree->w[l] * tree->links[l]};
        if (ports[0] > VEF_MAX_PORTS || ports[1] > VEF_MAX_PORTS)
            return vef_fail(error, VEF_INVALID,
                            "m, w, links: a switch of level %u has %llu ports down, one of level "
                            "%u %llu up: out of range: expected at most %d",
                            l, (unsigned long long)ports[0], l - 1, (unsigned long long)ports[1],
                            VEF_MAX_PORTS);
        down = ports[0] > down ? (uint32_t)ports[0] : down;
        up = ports[1] > up ? (uint32_t)ports[1] : up;
    }
    if (down + up > VEF_MAX_PORTS)
        return vef_fail(error, VEF_INVALID,
                        "m, w, links: routers with room for %u ports down and %u up: out of range: "
                        "expected at most %d together",
                        down, up, VEF_MAX_PORTS);
    tree->first[h + 1] = (uint32_t)routers;
    tree->w[h + 1] = tree->links[h + 1] = 0;
    tree->down_ports = down;
    tree->up_ports = up;
    return VEF_OK;
}

static vef_code check_list(const char *key, const vef_int_list *list, size_t levels,
                           vef_error *error) {
    if (list->count != levels)
        return vef_fail(error, VEF_INVALID,
                        "%s: %zu number%s for the %zu levels of m: expected %zu", key, list->count,
                        list->count == 1 ? "" : "s", levels, levels);
    if (list->values[0] != 1)
        return vef_fail(error, VEF_INVALID,
                        "%s: begins with %lld, but an endpoint attaches to one router by one "
                        "link: expected 1 as its first number",
                        key, (long long)list->values[0]);
    return VEF_OK;
}

static vef_code take(const parameters *given, vef_xgft *tree, vef_error *error) {
    if (given->m.count < 2 || given->m.count > VEF_MAX_TREE_LEVELS)
        return vef_fail(error, VEF_INVALID,
                        "m: %zu level%s: out of range: expected 2 to %d (a tree of 1 level is one "
                        "switch without links)",
                        given->m.count, given->m.count == 1 ? "" : "s", VEF_MAX_TREE_LEVELS);
    vef_code code = check_list("w", &given->w, given->m.count, error);
    if (code == VEF_OK && given->links.count > 0)
        code = check_list("links", &given->links, given->m.count, error);
    if (code != VEF_OK)
        return code;
    tree->height = (uint32_t)given->m.count;
    for (uint32_t l = 1; l <= tree->height; l++) {
        tree->m[l] = (uint32_t)given->m.values[l - 1];
        tree->w[l] = (uint32_t)given->w.values[l - 1];
        tree->links[l] = given->links.count > 0 ? (uint32_t)given->links.values[l - 1] : 1;
    }
    return vef_xgft_measure(tree, error);
}

/* ---- building ---- */

vef_code vef_xgft_take_endpoints(uint64_t terminals, vef_topology *topology, uint32_t **router,
                                 vef_error *error) {
    const uint64_t each = topology->endpoints_asked;
    if (each < 1 || each >= UINT32_MAX / terminals)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %llu at each of %llu terminals: out of range: "
                        "expected 1 to %llu",
                        (unsigned long long)each, (unsigned long long)terminals,
                        (unsigned long long)(UINT32_MAX / terminals - 1));
    topology->endpoints = (uint32_t)(terminals * each);
    *router = vef_arena_alloc(&topology->arena, topology->endpoints, sizeof **router);
    topology->endpoint_router = *router;
    return VEF_OK;
}

static vef_code attach(const vef_xgft *tree, vef_topology *topology, vef_error *error) {
    uint32_t *router;
    vef_code code = vef_xgft_take_endpoints(tree->below[tree->height], topology, &router, error);
    for (uint32_t e = 0; code == VEF_OK && e < topology->endpoints; e++)
        router[e] = vef_xgft_terminal(topology, e) / tree->m[1];
    topology->endpoints_per_router = topology->endpoints_asked * tree->m[1];
    return code;
}

static void join_level(const vef_xgft *tree, uint32_t level, vef_topology *topology) {
    for (uint32_t position = 0; position < tree->first[level + 1] - tree->first[level];
         position++) {
        const uint32_t child = vef_xgft_digit(tree, level, position, level + 1);
        for (uint32_t parent = 0; parent < tree->w[level + 1]; parent++) {
            const uint32_t above = vef_xgft_parent(tree, level, position, parent);
            for (uint32_t link = 0; link < tree->links[level + 1]; link++)
                vef_topology_join(topology, vef_xgft_router(tree, level, position),
                                  vef_xgft_up_port(tree, level, parent, link),
                                  vef_xgft_router(tree, level + 1, above),
                                  vef_xgft_down_port(tree, level + 1, child, link));
        }
    }
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_xgft *tree = vef_arena_alloc(&topology->arena, 1, sizeof *tree);
    topology->details = tree;
    vef_code code = take(given, tree, error);
    if (code != VEF_OK)
        return code;
    topology->routers = tree->first[tree->height + 1];
    topology->ports = tree->down_ports + tree->up_ports;
    code = vef_topology_make_ports(topology, error);
    if (code == VEF_OK)
        code = attach(tree, topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t level = 1; level < tree->height; level++)
        join_level(tree, level, topology);
    topology->axes = tree->m[tree->height] % 2 == 0;
    topology->link_classes = tree->height - 1;
    topology->orbits = tree->height;
    topology->turns = 2;
    topology->distance = vef_xgft_distance;
    return VEF_OK;
}

/* ---- distances, symmetries, cuts ---- */

uint32_t vef_xgft_distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_xgft *tree = topology->details;
    if (from > to)
        return vef_xgft_distance(topology, to, from);
    const uint32_t low = vef_xgft_level(tree, from), high = vef_xgft_level(tree, to);
    uint32_t a = vef_xgft_position(tree, low, from), b = vef_xgft_position(tree, high, to);
    uint32_t lowest = low, highest = high;
    for (uint32_t i = 1; i <= tree->height; i++) {
        const uint32_t here = i <= low ? tree->w[i] : tree->m[i];
        const uint32_t there = i <= high ? tree->w[i] : tree->m[i];
        const bool crossed = i > low && i <= high; /* by any path */
        if (!crossed && a % here != b % there) {
            lowest = i - 1 < lowest ? i - 1 : lowest;
            highest = i > highest ? i : highest;
        }
        a /= here;
        b /= there;
    }
    return high - low + 2 * (low - lowest) + 2 * (highest - high);
}

static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    return vef_xgft_level(topology->details, router) - 1;
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)router;
    return vef_xgft_is_up(topology->details, port);
}

static uint32_t turn(const vef_topology *topology, uint32_t which, uint32_t router, uint32_t port) {
    const vef_xgft *tree = topology->details;
    const uint32_t level = vef_xgft_level(tree, router);
    const bool up = vef_xgft_is_up(tree, port);
    const uint32_t first = up ? tree->down_ports : 0, number = port - first;
    const uint32_t count = up ? tree->w[level + 1] : tree->m[level];
    const uint32_t links = up ? tree->links[level + 1] : level > 1 ? tree->links[level] : 0;
    if (up != (which == 1) || number >= count * links)
        return port;
    return first + number / count * count + (number + 1) % count;
}

static bool far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    (void)axis;
    const vef_xgft *tree = topology->details;
    const uint32_t h = tree->height, level = vef_xgft_level(tree, router);
    const uint32_t position = vef_xgft_position(tree, level, router);
    if (level == h)
        return position >= tree->copies[h] / 2;
    return vef_xgft_digit(tree, level, position, h) >= tree->m[h] / 2;
}

/* ---- names ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const vef_xgft *tree = topology->details;
    const bool up = vef_xgft_is_up(tree, port);
    snprintf(text, text_bytes, "%s %u", up ? "up" : "down", up ? port - tree->down_ports : port);
}

/* "level 2, switch 3.0.1": digits h to 2; digit 1 is 0. */
static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const vef_xgft *tree = topology->details;
    const uint32_t level = vef_xgft_level(tree, router);
    const uint32_t position = vef_xgft_position(tree, level, router);
    snprintf(text, text_bytes, "level %u, switch ", level);
    for (uint32_t i = tree->height; i > 1; i--)
        vef_append(text, text_bytes, "%u%s", vef_xgft_digit(tree, level, position, i),
                   i > 2 ? "." : "");
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_xgft *tree = topology->details;
    return vef_xgft_level(tree, router) - (vef_xgft_is_up(tree, port) ? 1 : 2);
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "level %u-%u", class + 1, class + 2);
}

static void axis_name(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes) {
    (void)topology, (void)axis;
    snprintf(text, text_bytes, "top level");
}

static const char *const samples[] = {
    "{m: [4, 4], w: [1, 2]}",
    "{m: [3, 3, 6], w: [1, 3, 3]}",
    "{m: [2, 2, 2, 2], w: [1, 2, 2, 2]}",
    "{m: [4, 2, 3], w: [1, 2, 1], links: [1, 1, 2]}",
    "{m: [3, 4], w: [1, 3], links: [1, 2]}",
    NULL,
};

const vef_topology_family vef_topology_xgft = {
    .name = "xgft",
    .aliases = "generalized-fat-tree extended-generalized-fat-tree pgft leaf-spine",
    .summary = "extended generalized fat tree: children, parents and parallel links by level",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = orbit,
    .port_kind = port_kind,
    .turn = turn,
    .far_side = far_side,
    .axis_name = axis_name,
    .samples = samples,
    .larger = "{m: [6, 6, 12], w: [1, 6, 6]}",
};
