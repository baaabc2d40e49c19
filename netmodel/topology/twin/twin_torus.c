/* Twin tori, nDT: tori of n dimensions whose nodes are two cards of n + 1 ports, joined by a link.
 *
 * Andujar et al.: "Building 3D Torus Using Low-Profile Expansion Cards", IEEE Trans. Computers,
 * section 2; "N-Dimensional Twin Torus Networks", IEEE Trans. Computers, definition 2.1 (n >= 3, k
 * >= 2) and definition 3.5 (the configuration by default). Each card holds n of the node's 2n
 * external ports; a link along a dimension ends at the neighbour's opposite port, on whichever card
 * has it. A dimension of size 2 keeps both of its links, in parallel where they join the same cards
 * (lattice.h).
 *
 * Symmetries. Every translation of the nodes is one, so that the routers of a card are equivalent
 * and there are at most two orbits. The cards are equivalent too if the dimensions with both ports
 * on card 0 have the same sizes, counted with multiplicity, as those with both on card 1: exchange
 * these dimensions in pairs of equal size, and turn round each dimension that is split. That maps
 * the torus onto itself and the ports of card 0 onto those of card 1 and back, so together with the
 * exchange of the cards it maps the network onto itself. */
#include "netmodel/topology/twin/twin_torus.h"
#include "netmodel/topology/families.h"

#include <string.h>

static const vef_param schema[] = {
    {VEF_KEY_AS("sizes", INT_LIST, vef_twin_torus, sizes_given),
     .aliases = "size nodes routers dims dimensions shape", .minimum = 2,
     .maximum = VEF_MAX_ROUTERS,
     .help = "nodes along each of 3 or more dimensions, dimension 0 first"},
    {VEF_KEY(TEXT_LIST, vef_twin_torus, card0), .fallback = "[]",
     .help = "the ports on card 0, one for each dimension, such as [x+, x-, y+] or [d0+, d0-, "
             "d1+]; none: the best where all sizes are alike"},
    {.key = NULL},
};

static vef_code take_sizes(vef_twin_torus *twin, uint32_t *nodes, vef_error *error) {
    const vef_int_list *given = &twin->sizes_given;
    if (given->count < 3 || given->count > VEF_MAX_TWIN_DIMENSIONS)
        return vef_fail(error, VEF_INVALID,
                        "sizes: %zu dimensions: out of range: expected 3 to %d (a torus of fewer "
                        "needs no second card)",
                        given->count, VEF_MAX_TWIN_DIMENSIONS);
    twin->dimensions = (uint32_t)given->count;
    uint64_t product = 1;
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        twin->sizes[d] = (uint32_t)given->values[d];
        product *= twin->sizes[d]; /* of two numbers up to 2^24 */
        if (product > VEF_MAX_ROUTERS / 2)
            return vef_fail(
                error, VEF_INVALID,
                "sizes: more than %d nodes of two routers each: expected fewer or smaller sizes",
                VEF_MAX_ROUTERS / 2);
    }
    *nodes = (uint32_t)product;
    return VEF_OK;
}

/* Reads card0, or chooses it; the names are then owned, for output. */
static vef_code take_ports(vef_twin_torus *twin, vef_arena *arena, vef_error *error) {
    const uint32_t n = twin->dimensions;
    if (twin->card0.count == 0) {
        twin->card0_ports = vef_twin_best_configuration(n, twin->sizes);
    } else {
        vef_code code = vef_twin_read_ports(&twin->card0, n, &twin->card0_ports, error);
        if (code != VEF_OK)
            return code;
    }
    twin->card0.count = 0;
    twin->card0.values = vef_arena_alloc(arena, n, sizeof *twin->card0.values);
    for (uint32_t port = 0; port < 2 * n; port++) {
        if (vef_twin_card_of_port(twin, port) != 0)
            continue;
        char name[VEF_PORT_NAME_BYTES];
        vef_twin_port_name(n, port, name, sizeof name);
        const char *kept = vef_arena_string(arena, name);
        twin->card0.values[twin->card0.count++] = kept;
    }
    return VEF_OK;
}

/* Searches for the symmetry that exchanges the cards (see above) and fills in `mirror`. */
static void find_mirror(vef_twin_torus *twin) {
    uint64_t paired = 0;
    twin->cards_alike = true;
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        const uint32_t card = vef_twin_card_of_port(twin, 2 * d);
        uint32_t to = d, turned = 1;
        if (vef_twin_card_of_port(twin, 2 * d + 1) == card) {
            for (to = 0, turned = 0; to < twin->dimensions; to++)
                if (twin->sizes[to] == twin->sizes[d] && !(paired >> to & 1) &&
                    vef_twin_card_of_port(twin, 2 * to) != card &&
                    vef_twin_card_of_port(twin, 2 * to + 1) != card)
                    break;
            if (to == twin->dimensions) {
                twin->cards_alike = false;
                return;
            }
            paired |= 1ull << to;
        }
        twin->mirror[2 * d] = (uint8_t)(2 * to + turned);
        twin->mirror[2 * d + 1] = (uint8_t)(2 * to + 1 - turned);
    }
}

static void join(const vef_twin_torus *twin, uint32_t nodes, vef_topology *topology) {
    for (uint32_t node = 0; node < nodes; node++) {
        const uint32_t inner = vef_twin_inner_port(twin);
        vef_topology_join(topology, vef_twin_router(node, 0), inner, vef_twin_router(node, 1),
                          inner);
        uint32_t stride = 1;
        for (uint32_t d = 0; d < twin->dimensions; d++) {
            const uint32_t coordinate = node / stride % twin->sizes[d];
            const uint32_t next =
                coordinate + 1 < twin->sizes[d] ? node + stride : node - coordinate * stride;
            vef_topology_join(topology, vef_twin_router(node, vef_twin_card_of_port(twin, 2 * d)),
                              2 * d, vef_twin_router(next, vef_twin_card_of_port(twin, 2 * d + 1)),
                              2 * d + 1);
            stride *= twin->sizes[d];
        }
    }
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_twin_torus *twin = vef_arena_alloc(&topology->arena, 1, sizeof *twin);
    *twin = *(const vef_twin_torus *)given;
    uint32_t nodes = 0;
    vef_code code = take_sizes(twin, &nodes, error);
    if (code == VEF_OK)
        code = take_ports(twin, &topology->arena, error);
    if (code != VEF_OK)
        return code;
    find_mirror(twin);
    topology->parameters = twin;
    topology->routers = 2 * nodes;
    topology->ports = 2 * twin->dimensions + 1;
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(twin, nodes, topology);
    topology->dimensions = twin->dimensions + 1;
    topology->sizes[0] = 2;
    for (uint32_t d = 0; d < twin->dimensions; d++)
        topology->sizes[d + 1] = twin->sizes[d];
    topology->axes = twin->dimensions;
    topology->link_classes = twin->dimensions + 1;
    topology->orbits = twin->cards_alike ? 1 : 2;
    topology->translation_classes = 2; /* the cards */
    return VEF_OK;
}

/* ---- names, kinds, cuts ---- */

const vef_twin_torus *vef_twin_torus_of(const vef_topology *topology) {
    return vef_topology_is(topology, &vef_topology_twin_torus) ? topology->parameters : NULL;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const vef_twin_torus *twin = topology->parameters;
    if (port == vef_twin_inner_port(twin))
        snprintf(text, text_bytes, "inner");
    else
        vef_twin_port_name(twin->dimensions, port, text, text_bytes);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const vef_twin_torus *twin = topology->parameters;
    uint32_t coordinates[VEF_MAX_TWIN_DIMENSIONS];
    vef_twin_coordinates(twin, vef_twin_node(router), coordinates);
    snprintf(text, text_bytes, "(%u", coordinates[0]);
    for (uint32_t d = 1; d < twin->dimensions; d++)
        vef_append(text, text_bytes, ", %u", coordinates[d]);
    vef_append(text, text_bytes, ") card %u", vef_twin_card(router));
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology, (void)router;
    return port / 2; /* the inner port is 2n */
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    const vef_twin_torus *twin = topology->parameters;
    char name[VEF_PORT_NAME_BYTES];
    port_name(topology, 2 * class, name, sizeof name);
    if (class < twin->dimensions)
        name[strlen(name) - 1] = '\0'; /* "x+" is of the class x */
    snprintf(text, text_bytes, "%s", name);
}

static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    const vef_twin_torus *twin = topology->parameters;
    return twin->cards_alike ? 0 : vef_twin_card(router);
}

static uint32_t translation_class(const vef_topology *topology, uint32_t router) {
    (void)topology;
    return vef_twin_card(router);
}

/* If the cards are equivalent, a port of card 1 has the kind of its image. */
static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_twin_torus *twin = topology->parameters;
    return twin->cards_alike && vef_twin_card(router) == 1 && port < vef_twin_inner_port(twin)
               ? twin->mirror[port]
               : port;
}

/* Cut across a dimension of the torus, which is one further on in the grid: the cards of a node
 * stay together. */
static bool far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    const vef_twin_torus *twin = topology->parameters;
    uint32_t coordinates[VEF_MAX_TWIN_DIMENSIONS];
    vef_twin_coordinates(twin, vef_twin_node(router), coordinates);
    return coordinates[axis] >= twin->sizes[axis] / 2;
}

static const char *const samples[] = {
    "{sizes: [4, 4, 4]}",
    "{sizes: [3, 3, 3]}",
    "{sizes: [3, 3, 3], card0: [X+, Y+, Z+]}",
    "{sizes: [2, 2, 3]}",
    "{sizes: [2, 2, 2], card0: [x-, y+, y-]}",
    "{sizes: [5, 2, 3], card0: [d0+, d0-, d1-]}",
    "{sizes: [2, 3, 3, 2]}",
    "{sizes: [2, 2, 3, 2], card0: [d3+, d1-, x+, d2+]}",
    "{sizes: [2, 2, 2, 2, 3]}",
    NULL,
};

const vef_topology_family vef_topology_twin_torus = {
    .name = "twin-torus",
    .summary = "twin torus, nDT: a torus of 3 or more dimensions with two cards to a node",
    VEF_PARAMETERS(schema, vef_twin_torus),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = orbit,
    .translation_class = translation_class,
    .port_kind = port_kind,
    .far_side = far_side,
    .samples = samples,
    .larger = "{sizes: [5, 5, 5]}",
};
