/* The network without what is down. See failures.h. */
#include "netmodel/topology/failures/failures.h"

#include <string.h>

/* Numbers the routers that are up. */
static void number_routers(const vef_down *down, vef_failures *failures, vef_topology *damaged) {
    const vef_topology *whole = down->whole;
    uint32_t *number = vef_arena_alloc(&damaged->arena, whole->routers, sizeof *number);
    uint32_t *router = vef_arena_alloc(&damaged->arena, whole->routers, sizeof *router);
    for (uint32_t r = 0; r < whole->routers; r++) {
        router[r] = down->router[r] ? VEF_NO_ROUTER : damaged->routers;
        if (!down->router[r])
            number[damaged->routers++] = r;
    }
    damaged->number_in_whole = number;
    damaged->router_of_whole = router;
    failures->routers = whole->routers - damaged->routers;
}

/* Joins the routers as before, and counts the links that are lost. */
static void join(const vef_down *down, vef_failures *failures, vef_topology *damaged) {
    const vef_topology *whole = down->whole;
    const size_t ports = (size_t)whole->routers * whole->ports;
    for (size_t port = 0; port < ports; port++) {
        if (whole->neighbour[port] == VEF_NO_ROUTER || port > vef_other_port(whole, port))
            continue;
        if (vef_port_is_up(down, port))
            vef_topology_join(damaged, damaged->router_of_whole[port / whole->ports],
                              (uint32_t)(port % whole->ports),
                              damaged->router_of_whole[whole->neighbour[port]],
                              whole->reverse_port[port]);
        else
            failures->links++;
    }
}

/* The rows of a table of ports for the routers that are up. NULL stays NULL. */
static const void *keep_rows(const void *table, size_t port_bytes, vef_topology *damaged) {
    if (!table)
        return NULL;
    const size_t row = damaged->ports * port_bytes;
    char *made = vef_arena_alloc(&damaged->arena, damaged->routers, row);
    for (uint32_t r = 0; r < damaged->routers; r++)
        memcpy(made + r * row, (const char *)table + damaged->number_in_whole[r] * row, row);
    return made;
}

static void keep_attributes(const vef_topology *whole, vef_topology *damaged) {
    damaged->bandwidth_bits_per_s =
        keep_rows(whole->bandwidth_bits_per_s, sizeof *whole->bandwidth_bits_per_s, damaged);
    damaged->delay_ns = keep_rows(whole->delay_ns, sizeof *whole->delay_ns, damaged);
    damaged->length_m = keep_rows(whole->length_m, sizeof *whole->length_m, damaged);
}

/* The endpoints of routers that are up, in the same order. */
static void attach(const vef_topology *whole, vef_failures *failures, vef_topology *damaged) {
    damaged->endpoints_per_router = whole->endpoints_per_router;
    damaged->endpoints_asked = whole->endpoints_asked;
    if (failures->routers == 0) {
        damaged->endpoints = whole->endpoints;
        damaged->node_endpoints = whole->node_endpoints;
        damaged->endpoint_router = whole->endpoint_router;
        damaged->endpoint_in_family = whole->endpoint_in_family;
        return;
    }
    uint32_t *router = vef_arena_alloc(&damaged->arena, whole->endpoints, sizeof *router);
    uint32_t *number = vef_arena_alloc(&damaged->arena, whole->endpoints, sizeof *number);
    for (uint32_t e = 0; e < whole->endpoints; e++) {
        const uint32_t left = damaged->router_of_whole[vef_topology_router_of(whole, e)];
        if (left == VEF_NO_ROUTER)
            continue;
        number[damaged->endpoints] = vef_topology_family_endpoint(whole, e);
        router[damaged->endpoints++] = left;
    }
    damaged->endpoint_router = router;
    damaged->endpoint_in_family = number;
    failures->endpoints = whole->endpoints - damaged->endpoints;
}

vef_code vef_failures_build(const vef_down *down, vef_failures *failures, vef_topology *damaged,
                            vef_error *error) {
    const vef_topology *whole = down->whole;
    damaged->family = whole->family;
    damaged->parameters = whole->parameters;
    damaged->ports = whole->ports;
    damaged->dimensions = whole->dimensions;
    memcpy(damaged->sizes, whole->sizes, sizeof damaged->sizes);
    damaged->link_classes = whole->link_classes;
    number_routers(down, failures, damaged);
    if (damaged->routers < 2 && failures->routers > 0)
        return vef_fail(error, VEF_INVALID, "only %u of %u routers is left: expected at least two",
                        damaged->routers, whole->routers);
    vef_code code = vef_topology_make_ports(damaged, error);
    if (code != VEF_OK)
        return code;
    damaged->axes = failures->routers == 0 ? whole->axes : 0;
    join(down, failures, damaged);
    keep_attributes(whole, damaged);
    attach(whole, failures, damaged);
    return VEF_OK;
}
