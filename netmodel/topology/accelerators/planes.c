/* Planes: several copies of a network, and nodes with interfaces that have a port in each.
 *
 * Multi-rail and multi-plane networks: Coll, Frachtenberg, Petrini, Hoisie, Gurvits, "Using
 * Multirail Networks in High-Performance Clusters", CLUSTER 2001; four planes of HammingMesh in
 * Hoefler et al., SC 2022, section III. A packet chooses its plane at its source and cannot change
 * it. A node is a router with the endpoints, or a full mesh of such, without others' traffic:
 * routes do not lead through one. It takes a hop at both ends.
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
    const uint32_t first = topology->node_routers + plane * part->routers;
    for (uint32_t router = 0; router < part->routers; router++)
        for (uint32_t port = 0; port < part->ports; port++) {
            const size_t link = (size_t)router * part->ports + port;
            if (part->neighbour[link] != VEF_NO_ROUTER)
                vef_topology_join(topology, first + router, port, first + part->neighbour[link],
                                  part->reverse_port[link]);
        }
    for (uint32_t e = 0; e < part->endpoints; e++) {
        const uint32_t node = e / planes->nics, nic = e % planes->nics;
        vef_topology_join(topology,
                          node * planes->routers_each + vef_planes_nic_router(planes, nic),
                          vef_planes_nic_port(planes, plane, nic),
                          first + vef_topology_router_of(part, e), planes->port[e]);
    }
}

static void join_meshes(const vef_planes *planes, vef_topology *topology) {
    for (uint32_t router = 0; router < topology->node_routers; router++) {
        const uint32_t here = router % planes->routers_each, first = router - here;
        for (uint32_t other = 0; other < here; other++)
            vef_topology_join(topology, router, other, first + other, here);
    }
}

/* The rows of a table of the part's ports, for each plane; NULL stays NULL. */
static const void *copy_rows(vef_topology *topology, const void *table, size_t bytes) {
    const vef_topology *part = topology->part;
    if (!table)
        return NULL;
    char *made = vef_arena_alloc(&topology->arena, topology->routers, topology->ports * bytes);
    for (uint32_t router = topology->node_routers; router < topology->routers; router++)
        memcpy(made + (size_t)router * topology->ports * bytes,
               (const char *)table +
                   (size_t)vef_planes_inner(topology, router) * part->ports * bytes,
               part->ports * bytes);
    return made;
}

/* Numbers the ports to interfaces: on a router in their order. */
static void number_ports(vef_planes *planes, vef_topology *topology) {
    const vef_topology *part = topology->part;
    uint32_t *used = vef_arena_alloc(&topology->arena, part->routers, sizeof *used);
    uint32_t *port = vef_arena_alloc(&topology->arena, part->endpoints, sizeof *port);
    for (uint32_t e = 0; e < part->endpoints; e++)
        port[e] = part->ports + used[vef_topology_router_of(part, e)]++;
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

/* Of nodes that are one router with one interface. */
static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    const uint32_t ends[] = {from, to};
    uint32_t inner[2], hops = 0;
    if (from == to)
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        const bool node = ends[i] < planes->nodes;
        inner[i] =
            node ? vef_topology_router_of(part, ends[i]) : vef_planes_inner(topology, ends[i]);
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

vef_code vef_planes_create_part(vef_topology *topology, uint32_t per_router, vef_error *error) {
    const vef_node *of_plane = vef_node_get(topology->node, VEF_PART_KEY);
    return of_plane ? vef_topology_create(of_plane, per_router, &topology->part, error)
                    : vef_fail(error, VEF_INVALID,
                               "missing key " VEF_PART_KEY
                               ": expected a network such as {family: torus, sizes: [4, 4]}");
}

vef_code vef_planes_build(vef_topology *topology, vef_planes *planes, vef_error *error) {
    const vef_topology *part = topology->part;
    const bool mesh = planes->routers_each > 1;
    if (part->endpoints % planes->nics != 0)
        return vef_fail(error, VEF_INVALID,
                        VEF_PART_KEY
                        ": %u endpoints, for %u interfaces of each node: expected a "
                        "multiple of them",
                        part->endpoints, planes->nics);
    planes->nodes = part->endpoints / planes->nics;
    const uint64_t node_routers = (uint64_t)planes->nodes * planes->routers_each;
    const uint64_t routers = node_routers + (uint64_t)planes->count * part->routers;
    const uint64_t node_ports = mesh ? planes->accelerators + (uint64_t)planes->count
                                     : (uint64_t)planes->count * planes->nics;
    const uint64_t ports = part->ports + part->endpoints_per_router;
    topology->details = planes;
    topology->node_routers = (uint32_t)node_routers;
    topology->routers = routers > UINT32_MAX ? UINT32_MAX : (uint32_t)routers;
    topology->ports = (uint32_t)(ports > node_ports ? ports : node_ports);
    topology->node_endpoints = planes->accelerators * planes->endpoints_each;
    topology->endpoints_asked =
        mesh ? planes->endpoints_each : planes->accelerators * planes->endpoints_each;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code == VEF_OK)
        code = vef_topology_attach_first(topology, topology->node_routers, error);
    if (code == VEF_OK && part->link_classes + mesh >= VEF_MAX_LINK_CLASSES)
        code =
            vef_fail(error, VEF_INVALID, "%u classes of links in a plane: expected fewer than %d",
                     part->link_classes, VEF_MAX_LINK_CLASSES - mesh);
    if (code != VEF_OK)
        return code;
    number_ports(planes, topology);
    for (uint32_t plane = 0; plane < planes->count; plane++)
        join_plane(planes, topology, plane);
    join_meshes(planes, topology);
    topology->bandwidth_bits_per_s =
        copy_rows(topology, part->bandwidth_bits_per_s, sizeof(uint64_t));
    topology->delay_ns = copy_rows(topology, part->delay_ns, sizeof(double));
    topology->length_m = copy_rows(topology, part->length_m, sizeof(double));
    topology->link_classes = part->link_classes + 1 + mesh;
    if (planes->nics > 1 || mesh) /* one node, several places: nothing is claimed */
        return VEF_OK;
    topology->axes = part->axes;
    number_orbits(planes, topology);
    if (part->distance && has_nodes_everywhere(planes, part))
        topology->distance = distance;
    return VEF_OK;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *keys = given;
    vef_planes *planes = vef_arena_alloc(&topology->arena, 1, sizeof *planes);
    *planes = (vef_planes){.count = (uint32_t)keys->count,
                           .nics = 1,
                           .accelerators = topology->endpoints_asked,
                           .routers_each = 1,
                           .endpoints_each = 1,
                           .names = {"node", "plane"}};
    const vef_code code = vef_planes_create_part(topology, keys->nodes_per_router, error);
    return code == VEF_OK ? vef_planes_build(topology, planes, error) : code;
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
               : vef_topology_orbit(part, vef_planes_inner(topology, router));
}

uint32_t vef_planes_port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_topology *part = topology->part;
    if (router < topology->node_routers)
        return 0;
    return port < part->ports
               ? vef_topology_port_kind(part, vef_planes_inner(topology, router), port)
               : part->ports;
}

/* Whether a port of a router of a node leads to another accelerator of the node. */
static bool is_inside(const vef_planes *planes, uint32_t port) {
    return planes->routers_each > 1 && port < planes->accelerators;
}

bool vef_planes_far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    return vef_topology_far_side(part, axis,
                                 router < planes->nodes ? vef_topology_router_of(part, router)
                                                        : vef_planes_inner(topology, router));
}

void vef_planes_axis_name(const vef_topology *topology, uint32_t axis, char *text,
                          size_t text_bytes) {
    vef_topology_axis_name(topology->part, axis, text, text_bytes);
}

uint32_t vef_planes_link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_planes *planes = topology->details;
    const vef_topology *part = topology->part;
    if (router < topology->node_routers)
        return part->link_classes + is_inside(planes, port);
    return port >= part->ports
               ? part->link_classes
               : vef_topology_link_class(part, vef_planes_inner(topology, router), port);
}

void vef_planes_link_class_name(const vef_topology *topology, uint32_t class, char *text,
                                size_t text_bytes) {
    const vef_planes *planes = topology->details;
    const uint32_t first = topology->part->link_classes;
    if (class < first)
        vef_topology_link_class_name(topology->part, class, text, text_bytes);
    else
        snprintf(text, text_bytes, "%s", planes->names[class == first ? 0 : 2]);
}

void vef_planes_router_name(const vef_topology *topology, uint32_t router, char *text,
                            size_t text_bytes) {
    const vef_planes *planes = topology->details;
    char name[VEF_ROUTER_NAME_BYTES];
    if (router < topology->node_routers) {
        const uint32_t node = router / planes->routers_each;
        snprintf(text, text_bytes, planes->routers_each > 1 ? "%s %u: %u" : "%s %u",
                 planes->names[0], node, router % planes->routers_each);
        return;
    }
    vef_topology_router_name(topology->part, vef_planes_inner(topology, router), name, sizeof name);
    snprintf(text, text_bytes, "%s %u: %s", planes->names[1],
             (router - topology->node_routers) / topology->part->routers, name);
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
