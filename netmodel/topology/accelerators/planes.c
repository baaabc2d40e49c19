/* Planes: several copies of a network, and nodes with an interface that has a port in each.
 *
 * Multi-rail and multi-plane networks: Coll, Frachtenberg, Petrini, Hoisie, Gurvits, "Using
 * Multirail Networks in High-Performance Clusters", CLUSTER 2001; four planes of HammingMesh in
 * Hoefler et al., SC 2022, section III. A packet chooses its plane at its source and cannot change
 * it. A node is a router with the endpoints and without others' traffic: shortest paths do not lead
 * through one. It takes a hop at both ends.
 *
 * Closed forms, of p planes of a network with R routers, L links, N endpoints, diameter D and a
 * bisection of B links: N nodes, p R switches, p (L + N) links, diameter D + 2, bisection p B.
 *
 * Symmetries. A symmetry of the plane, done in all planes at once, moves the nodes with their
 * routers; planes can be exchanged, and so can nodes at a router. */
#include "netmodel/topology/accelerators/planes.h"
#include "netmodel/topology/families.h"

#include <string.h>

typedef struct parameters {
    int64_t count;
    uint32_t nodes_per_router;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, count), .aliases = "planes copies p rails", .minimum = 1,
     .maximum = VEF_MAX_PORTS, .help = "number of planes"},
    {.key = VEF_PART_KEY,
     .kind = VEF_PARAM_SECTION,
     .aliases = "plane network topology",
     .help = "the network of each plane: family and its parameters; required"},
    {VEF_KEY(COUNT, parameters, nodes_per_router), .fallback = "auto", .word = "auto", .minimum = 1,
     .maximum = VEF_MAX_ENDPOINTS_PER_ROUTER,
     .help = "nodes at each router of a plane that has some; auto: 1, or as the key "
             "endpoints_per_router of the plane"},
    {.key = NULL},
};

/* ---- building ---- */

static void join_plane(const vef_planes *planes, vef_topology *topology, uint32_t plane) {
    const vef_topology *part = topology->part;
    const uint32_t first = planes->nodes + plane * part->routers;
    for (uint32_t router = 0; router < part->routers; router++)
        for (uint32_t port = 0; port < part->ports; port++) {
            const size_t link = (size_t)router * part->ports + port;
            if (part->neighbour[link] != VEF_NO_ROUTER)
                vef_topology_join(topology, first + router, port, first + part->neighbour[link],
                                  part->reverse_port[link]);
        }
    for (uint32_t node = 0; node < planes->nodes; node++)
        vef_topology_join(topology, node, plane, first + vef_topology_router_of(part, node),
                          planes->port[node]);
}

/* The rows of a table of the part's ports, for each plane; NULL stays NULL. */
static const void *copy_rows(const vef_planes *planes, vef_topology *topology, const void *table,
                             size_t bytes) {
    const vef_topology *part = topology->part;
    if (!table)
        return NULL;
    char *made = vef_arena_alloc(&topology->arena, topology->routers, topology->ports * bytes);
    for (uint32_t router = planes->nodes; router < topology->routers; router++)
        memcpy(made + (size_t)router * topology->ports * bytes,
               (const char *)table +
                   (size_t)vef_planes_inner(topology, planes, router) * part->ports * bytes,
               part->ports * bytes);
    return made;
}

/* Numbers the ports of nodes: on a router in their order. */
static void number_ports(vef_planes *planes, vef_topology *topology) {
    const vef_topology *part = topology->part;
    uint32_t *used = vef_arena_alloc(&topology->arena, part->routers, sizeof *used);
    uint32_t *port = vef_arena_alloc(&topology->arena, planes->nodes, sizeof *port);
    for (uint32_t node = 0; node < planes->nodes; node++)
        port[node] = part->ports + used[vef_topology_router_of(part, node)]++;
    planes->port = port;
}

/* Orbits of nodes behind those of the part. */
static void number_orbits(vef_planes *planes, vef_topology *topology) {
    const vef_topology *part = topology->part;
    topology->orbits = part->orbits;
    if (part->orbits == 0)
        return;
    planes->node_orbit =
        vef_arena_alloc(&topology->arena, part->orbits, sizeof *planes->node_orbit);
    for (uint32_t node = 0; node < planes->nodes; node++) {
        const uint32_t orbit = vef_topology_orbit(part, vef_topology_router_of(part, node));
        if (planes->node_orbit[orbit] == 0) /* no node has number 0 */
            planes->node_orbit[orbit] = topology->orbits++;
    }
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    const uint32_t ends[] = {from, to};
    uint32_t inner[2], hops = 0;
    if (from == to)
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        const bool node = ends[i] < planes->nodes;
        inner[i] = node ? vef_topology_router_of(part, ends[i])
                        : vef_planes_inner(topology, planes, ends[i]);
        hops += node;
    }
    /* Between planes: over a node. */
    if (hops == 0 && (from - planes->nodes) / part->routers != (to - planes->nodes) / part->routers)
        hops = 2;
    return hops + part->distance(part, inner[0], inner[1]);
}

/* Whether paths between planes may turn anywhere, which the formula assumes. */
static bool has_nodes_everywhere(const vef_planes *planes, const vef_topology *part) {
    uint32_t with_nodes = 0;
    for (uint32_t node = 0; node < planes->nodes; node++)
        with_nodes += planes->port[node] == part->ports;
    return with_nodes == part->routers;
}

vef_code vef_planes_build(vef_topology *topology, vef_planes *planes, uint32_t count,
                          uint32_t endpoints, vef_error *error) {
    const vef_topology *part = topology->part;
    const uint64_t routers = part->endpoints + (uint64_t)count * part->routers;
    const uint32_t ports = part->ports + part->endpoints_per_router;
    topology->details = planes;
    planes->count = count;
    planes->nodes = topology->node_routers = part->endpoints;
    topology->routers = routers > UINT32_MAX ? UINT32_MAX : (uint32_t)routers;
    topology->ports = ports > count ? ports : count;
    topology->endpoints_asked = endpoints;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code == VEF_OK)
        code = vef_topology_attach_first(topology, planes->nodes, error);
    if (code == VEF_OK && part->link_classes >= VEF_MAX_LINK_CLASSES)
        code =
            vef_fail(error, VEF_INVALID, "%u classes of links in a plane: expected fewer than %d",
                     part->link_classes, VEF_MAX_LINK_CLASSES);
    if (code != VEF_OK)
        return code;
    number_ports(planes, topology);
    for (uint32_t plane = 0; plane < count; plane++)
        join_plane(planes, topology, plane);
    topology->bandwidth_bits_per_s =
        copy_rows(planes, topology, part->bandwidth_bits_per_s, sizeof(uint64_t));
    topology->delay_ns = copy_rows(planes, topology, part->delay_ns, sizeof(double));
    topology->length_m = copy_rows(planes, topology, part->length_m, sizeof(double));
    topology->axes = part->axes;
    topology->link_classes = part->link_classes + 1;
    number_orbits(planes, topology);
    if (part->distance && has_nodes_everywhere(planes, part))
        topology->distance = distance;
    return VEF_OK;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *keys = given;
    const vef_node *of_plane = vef_node_get(topology->node, VEF_PART_KEY);
    vef_planes *planes = vef_arena_alloc(&topology->arena, 1, sizeof *planes);
    if (!of_plane)
        return vef_fail(
            error, VEF_INVALID,
            "missing key " VEF_PART_KEY
            ": expected the network of a plane, such as {family: torus, sizes: [4, 4]}");
    planes->names[0] = "node";
    planes->names[1] = "plane";
    planes->endpoints_each = 1;
    const vef_code code =
        vef_topology_create(of_plane, keys->nodes_per_router, &topology->part, error);
    return code == VEF_OK ? vef_planes_build(topology, planes, (uint32_t)keys->count,
                                             topology->endpoints_asked, error)
                          : code;
}

const vef_planes *vef_planes_of(const vef_topology *topology) {
    return !topology->failures && topology->part ? topology->details : NULL;
}

/* ---- attributes, from those of the part ---- */

uint32_t vef_planes_orbit(const vef_topology *topology, uint32_t router) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    return router < planes->nodes
               ? planes->node_orbit[vef_topology_orbit(part, vef_topology_router_of(part, router))]
               : vef_topology_orbit(part, vef_planes_inner(topology, planes, router));
}

uint32_t vef_planes_port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    if (router < planes->nodes)
        return 0;
    return port < part->ports
               ? vef_topology_port_kind(part, vef_planes_inner(topology, planes, router), port)
               : part->ports;
}

bool vef_planes_far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    return vef_topology_far_side(part, axis,
                                 router < planes->nodes
                                     ? vef_topology_router_of(part, router)
                                     : vef_planes_inner(topology, planes, router));
}

void vef_planes_axis_name(const vef_topology *topology, uint32_t axis, char *text,
                          size_t text_bytes) {
    vef_topology_axis_name(topology->part, axis, text, text_bytes);
}

uint32_t vef_planes_link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    return router < planes->nodes || port >= part->ports
               ? part->link_classes
               : vef_topology_link_class(part, vef_planes_inner(topology, planes, router), port);
}

void vef_planes_link_class_name(const vef_topology *topology, uint32_t class, char *text,
                                size_t text_bytes) {
    const vef_planes *planes = topology->details;
    if (class == topology->part->link_classes)
        snprintf(text, text_bytes, "%s", planes->names[0]);
    else
        vef_topology_link_class_name(topology->part, class, text, text_bytes);
}

void vef_planes_router_name(const vef_topology *topology, uint32_t router, char *text,
                            size_t text_bytes) {
    const vef_planes *planes = topology->details;
    char name[VEF_ROUTER_NAME_BYTES];
    if (router < planes->nodes) {
        snprintf(text, text_bytes, "%s %u", planes->names[0], router);
        return;
    }
    vef_topology_router_name(topology->part, vef_planes_inner(topology, planes, router), name,
                             sizeof name);
    snprintf(text, text_bytes, "%s %u: %s", planes->names[1],
             (router - planes->nodes) / topology->part->routers, name);
}

static const char *const samples[] = {
    "{count: 2, of: {family: torus, sizes: [4, 4]}}",
    "{count: 3, of: {family: xgft, m: [2, 4], w: [1, 2]}}",
    "{count: 2, nodes_per_router: 2, of: {family: hyperx, sizes: [4]}}",
    "{count: 2, of: {family: hammingmesh, board: [2, 2], boards: [2, 2]}}",
    NULL,
};

const vef_topology_family vef_topology_planes = {
    .name = "planes",
    .aliases = "multi-plane multi-rail multiplane rails",
    .summary = "several copies of a network, and nodes with a port in each",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    VEF_PLANES_FUNCTIONS,
    .samples = samples,
    .larger = "{count: 4, of: {family: torus, sizes: [8, 8]}}",
};
