/* Networks drawn by tests. See drawn.h. */
#include "tests/netmodel/drawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

static const vef_topology_family drawn_family = {.name = "drawn"};

drawn draw(uint32_t routers, uint32_t ports, const uint32_t *endpoints) {
    drawn made = {.topology = {.family = &drawn_family, .routers = routers, .ports = ports}};
    vef_error error = {0};
    assert_int_equal(vef_topology_make_ports(&made.topology, &error), VEF_OK);
    for (uint32_t r = 0; r < routers; r++)
        made.topology.endpoints += endpoints[r];
    made.endpoint_router = calloc(made.topology.endpoints, sizeof *made.endpoint_router);
    uint32_t e = 0;
    for (uint32_t r = 0; r < routers; r++)
        for (uint32_t i = 0; i < endpoints[r]; i++)
            made.endpoint_router[e++] = r;
    made.topology.endpoint_router = made.endpoint_router;
    made.topology.endpoints_per_router = 1;
    made.topology.link_classes = 1;
    return made;
}

static uint32_t free_port(const vef_topology *topology, uint32_t router) {
    for (uint32_t port = 0; port < topology->ports; port++)
        if (topology->neighbour[(size_t)router * topology->ports + port] == VEF_NO_ROUTER)
            return port;
    fail_msg("router %u has no free port", router);
    return 0;
}

void draw_link(drawn *made, uint32_t router, uint32_t other) {
    vef_topology_join(&made->topology, router, free_port(&made->topology, router), other,
                      free_port(&made->topology, other));
}

void wipe(drawn *made) {
    vef_arena_release(&made->topology.arena);
    free(made->endpoint_router);
}

vef_graph *graph_of(const vef_topology *topology) {
    vef_graph *graph = NULL;
    vef_error error = {0};
    if (vef_graph_create(topology, &graph, &error))
        fail_msg("%s", error.message);
    return graph;
}
