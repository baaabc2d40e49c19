/* What topologies of all families share. See topology.h. */
#include "netmodel/topology/topology.h"

#include "common/plugin/library.h"

#include <stdlib.h>
#include <string.h>

void vef_topology_destroy(vef_topology *topology) {
    if (!topology)
        return;
    vef_topology_destroy(topology->whole);
    vef_topology_destroy(topology->part);
    vef_arena_release(&topology->arena);
    vef_library_close(topology->library);
    free(topology);
}

uint32_t vef_topology_router_of(const vef_topology *topology, uint32_t endpoint) {
    return topology->endpoint_router ? topology->endpoint_router[endpoint]
                                     : endpoint / topology->endpoints_per_router;
}

/* ---- for families ---- */

/* [endpoints] of numbers in the family. */
static void renumber(vef_topology *topology, const uint32_t *number) {
    uint32_t *router = vef_arena_alloc(&topology->arena, topology->endpoints, sizeof *router);
    for (uint32_t e = 0; e < topology->endpoints; e++)
        router[e] = vef_topology_router_of(topology, number[e]);
    topology->endpoint_in_family = number;
    topology->endpoint_router = router;
    topology->node_endpoints = 0;
}

vef_code vef_topology_lay_rails(vef_topology *topology, uint32_t rails, uint32_t pods,
                                vef_error *error) {
    if (rails == 1 && pods == 1)
        return VEF_OK;
    const uint32_t endpoints = topology->endpoints, each = topology->endpoints_per_router;
    const uint64_t parts = (uint64_t)rails * pods;
    if (endpoints % (parts * each) != 0)
        return vef_fail(error, VEF_INVALID,
                        "rails: %u in each of pods: %u: the network has %u endpoints, %u on a "
                        "router: expected a product that divides %u routers with endpoints",
                        rails, pods, endpoints, each, endpoints / each);
    uint32_t *number = vef_arena_alloc(&topology->arena, endpoints, sizeof *number);
    const uint32_t pod = endpoints / pods, rail = pod / rails;
    for (uint32_t e = 0; e < endpoints; e++) {
        const uint32_t place = e % pod; /* in the pod */
        number[e] = e - place + place % rails * rail + place / rails;
    }
    renumber(topology, number);
    return VEF_OK;
}

vef_code vef_topology_order_endpoints(vef_topology *topology, const vef_int_list *order,
                                      vef_error *error) {
    const uint32_t endpoints = topology->endpoints;
    if (order->count == 0)
        return VEF_OK;
    if (topology->endpoint_in_family)
        return vef_fail(error, VEF_INVALID,
                        "endpoint_order: not supported with rails or pods, which order them too");
    if (order->count != endpoints)
        return vef_fail(error, VEF_INVALID,
                        "endpoint_order: %zu numbers: expected %u, one for "
                        "each endpoint",
                        order->count, endpoints);
    uint32_t *number = vef_arena_alloc(&topology->arena, endpoints, sizeof *number);
    bool *used = vef_arena_alloc(&topology->arena, endpoints, sizeof *used);
    for (uint32_t e = 0; e < endpoints; e++) {
        const int64_t given = order->values[e];
        if (given >= endpoints || used[given])
            return vef_fail(error, VEF_INVALID,
                            "endpoint_order: number %u is %lld: expected each of 0 to %u once", e,
                            (long long)given, endpoints - 1);
        used[given] = true;
        number[e] = (uint32_t)given;
    }
    renumber(topology, number);
    return VEF_OK;
}

vef_code vef_topology_make_ports(vef_topology *topology, vef_error *error) {
    if (topology->routers < 1 || topology->routers > VEF_MAX_ROUTERS)
        return vef_fail(error, VEF_INVALID, "%u routers: out of range: expected 1 to %d",
                        topology->routers, VEF_MAX_ROUTERS);
    if (topology->ports < 1 || topology->ports > VEF_MAX_PORTS)
        return vef_fail(error, VEF_INVALID,
                        "a router with %u links: out of range: expected at most %d",
                        topology->ports, VEF_MAX_PORTS);
    const size_t count = (size_t)topology->routers * topology->ports;
    const size_t port_bytes = sizeof *topology->neighbour + sizeof *topology->reverse_port;
    if (count > VEF_MAX_ROUTER_PORTS)
        return vef_fail(error, VEF_INVALID,
                        "%u routers of %u ports need %zu MiB for the tables of links: out of "
                        "range: expected at most %zu MiB (%d ports)",
                        topology->routers, topology->ports, count * port_bytes >> 20,
                        VEF_MAX_ROUTER_PORTS * port_bytes >> 20, VEF_MAX_ROUTER_PORTS);
    topology->neighbour = vef_arena_alloc(&topology->arena, count, sizeof *topology->neighbour);
    topology->reverse_port =
        vef_arena_alloc(&topology->arena, count, sizeof *topology->reverse_port);
    memset(topology->neighbour, 0xff, count * sizeof *topology->neighbour); /* VEF_NO_ROUTER */
    return VEF_OK;
}

void vef_topology_join(vef_topology *topology, uint32_t router, uint32_t port, uint32_t other,
                       uint32_t other_port) {
    const size_t here = (size_t)router * topology->ports + port;
    const size_t there = (size_t)other * topology->ports + other_port;
    topology->neighbour[here] = other;
    topology->reverse_port[here] = (uint16_t)other_port;
    topology->neighbour[there] = router;
    topology->reverse_port[there] = (uint16_t)port;
}

vef_code vef_topology_attach_first(vef_topology *topology, uint32_t routers, vef_error *error) {
    const uint32_t each = topology->endpoints_asked;
    if (each < 1 || each > VEF_MAX_ENDPOINTS_PER_ROUTER || each >= UINT32_MAX / routers)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %u at each of %u routers: out of range: expected 1 "
                        "to %d, and fewer than %u in all",
                        each, routers, VEF_MAX_ENDPOINTS_PER_ROUTER, UINT32_MAX);
    topology->endpoints_per_router = each;
    topology->endpoints = routers * each;
    uint32_t *router = vef_arena_alloc(&topology->arena, topology->endpoints, sizeof *router);
    for (uint32_t e = 0; e < topology->endpoints; e++)
        router[e] = e / each;
    topology->endpoint_router = router;
    return VEF_OK;
}

void vef_topology_join_step(vef_topology *topology, uint32_t router, uint32_t plus,
                            const uint32_t *step) {
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    bool twice_is_round = true;
    vef_topology_coordinates(topology, router, coordinates);
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        coordinates[d] = (coordinates[d] + step[d]) % topology->sizes[d];
        twice_is_round = twice_is_round && 2 * step[d] % topology->sizes[d] == 0;
    }
    vef_topology_join(topology, router, plus, vef_topology_router_at(topology, coordinates),
                      twice_is_round ? plus : plus + 1);
}

/* ---- attributes from the family ---- */

const vef_topology *vef_topology_whole(const vef_topology *topology) {
    return topology->whole ? topology->whole : topology;
}

uint32_t vef_topology_router_number(const vef_topology *topology, uint32_t router) {
    return topology->whole ? topology->number_in_whole[router] : router;
}

uint32_t vef_topology_router_numbered(const vef_topology *topology, uint32_t number) {
    if (number >= vef_topology_whole(topology)->routers)
        return VEF_NO_ROUTER;
    return topology->whole ? topology->router_of_whole[number] : number;
}

bool vef_topology_is_switch(const vef_topology *topology, uint32_t router) {
    return vef_topology_router_number(topology, router) >=
           vef_topology_whole(topology)->node_routers;
}

bool vef_topology_is(const vef_topology *topology, const vef_topology_family *family) {
    return topology->family == family && !topology->failures;
}

/* The network and the number of `router` that the functions of its family know. */
static const vef_topology *as_built(const vef_topology *topology, uint32_t *router) {
    *router = vef_topology_router_number(topology, *router);
    return vef_topology_whole(topology);
}

uint32_t vef_topology_link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    topology = as_built(topology, &router);
    return topology->family->link_class ? topology->family->link_class(topology, router, port) : 0;
}

void vef_topology_link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                                  size_t text_bytes) {
    if (topology->family->link_class_name)
        topology->family->link_class_name(vef_topology_whole(topology), link_class, text,
                                          text_bytes);
    else
        snprintf(text, text_bytes, "all");
}

uint32_t vef_topology_translation_class(const vef_topology *topology, uint32_t router) {
    return topology->translation_classes == 1
               ? 0
               : topology->family->translation_class(topology, router);
}

uint32_t vef_topology_orbit(const vef_topology *topology, uint32_t router) {
    return topology->orbits == 1 ? 0 : topology->family->orbit(topology, router);
}

uint32_t vef_topology_port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    return topology->family->port_kind ? topology->family->port_kind(topology, router, port) : port;
}

bool vef_topology_far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    topology = as_built(topology, &router);
    if (topology->family->far_side)
        return topology->family->far_side(topology, axis, router);
    for (uint32_t d = 0; d < axis; d++)
        router /= topology->sizes[d];
    return router % topology->sizes[axis] >= topology->sizes[axis] / 2;
}

void vef_topology_axis_name(const vef_topology *topology, uint32_t axis, char *text,
                            size_t text_bytes) {
    if (topology->family->axis_name)
        topology->family->axis_name(vef_topology_whole(topology), axis, text, text_bytes);
    else if (topology->axes <= 3)
        snprintf(text, text_bytes, "%c", "xyz"[axis]);
    else
        snprintf(text, text_bytes, "d%u", axis);
}

void vef_topology_coordinates(const vef_topology *topology, uint32_t router,
                              uint32_t *coordinates) {
    topology = as_built(topology, &router);
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        coordinates[d] = router % topology->sizes[d];
        router /= topology->sizes[d];
    }
}

uint32_t vef_topology_router_at(const vef_topology *topology, const uint32_t *coordinates) {
    uint32_t number = 0;
    for (uint32_t d = topology->dimensions; d-- > 0;)
        number = number * topology->sizes[d] + coordinates[d];
    return vef_topology_router_numbered(topology, number);
}

void vef_topology_router_name(const vef_topology *topology, uint32_t router, char *text,
                              size_t text_bytes) {
    topology = as_built(topology, &router);
    if (topology->family->router_name) {
        topology->family->router_name(topology, router, text, text_bytes);
        return;
    }
    if (topology->dimensions < 2) {
        snprintf(text, text_bytes, "%u", router);
        return;
    }
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, router, coordinates);
    snprintf(text, text_bytes, "(%u", coordinates[0]);
    for (uint32_t d = 1; d < topology->dimensions; d++)
        vef_append(text, text_bytes, ", %u", coordinates[d]);
    vef_append(text, text_bytes, ")");
}

void vef_topology_port_name(const vef_topology *topology, uint32_t port, char *text,
                            size_t text_bytes) {
    if (topology->family->port_name)
        topology->family->port_name(vef_topology_whole(topology), port, text, text_bytes);
    else
        snprintf(text, text_bytes, "port %u", port);
}

static bool has_part_key(const vef_topology_family *family) {
    const vef_param *row = family->schema;
    while (row->key && strcmp(row->key, VEF_PART_KEY) != 0)
        row++;
    return row->key != NULL;
}

static void put_as(const vef_topology *topology, vef_node *section) {
    const vef_topology *part = vef_topology_whole(topology)->part;
    vef_config_put(section, "family", topology->family->name);
    vef_config_put_schema(section, topology->family->schema, topology->parameters);
    if (part && has_part_key(topology->family))
        put_as(part, vef_config_section(section, VEF_PART_KEY));
}

void vef_topology_put(const vef_topology *topology, vef_node *into) {
    put_as(topology, vef_config_section(into, "topology"));
}
