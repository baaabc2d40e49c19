/* Topologies that plug-ins add: built link by link, and each link is checked to lead back. See
 * added.h. */
#include "netmodel/topology/added.h"

#include "common/plugin/library.h"
#include "common/plugin/parameters.h"

typedef struct added_family {
    vef_topology_family family; /* first: its address is that of the whole */
    const vef_plugin_topology *plugin;
} added_family;

static const vef_plugin_topology *plugin_of(const vef_topology *topology) {
    return ((const added_family *)topology->family)->plugin;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    plugin_of(topology)->port_name(topology->details, port, text, text_bytes);
    text[text_bytes - 1] = '\0';
}

/* Joins the ports of a router; each link is joined from the end of the lower number. */
static vef_code join_ports(vef_topology *topology, uint32_t router, vef_error *error) {
    const vef_plugin_topology *plugin = plugin_of(topology);
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t other_port = 0, back_port = 0;
        const uint32_t other = plugin->neighbour(topology->details, router, port, &other_port);
        if (other == VEF_PLUGIN_NONE)
            continue;
        if (other >= topology->routers || other_port >= topology->ports)
            return vef_fail(error, VEF_INVALID,
                            "plug-in: router %u, port %u leads to router %u, port %u: out of "
                            "range: expected a router below %u and a port below %u",
                            router, port, other, other_port, topology->routers, topology->ports);
        const uint32_t back = plugin->neighbour(topology->details, other, other_port, &back_port);
        if (other == router)
            return vef_fail(error, VEF_INVALID, "plug-in: router %u, port %u leads to itself",
                            router, port);
        if (back != router || back_port != port)
            return vef_fail(error, VEF_INVALID,
                            "plug-in: router %u, port %u leads to router %u, port %u, which does "
                            "not lead back",
                            router, port, other, other_port);
        if (other > router)
            vef_topology_join(topology, router, port, other, other_port);
    }
    return VEF_OK;
}

static vef_code attach(const vef_plugin_shape *shape, vef_topology *topology, vef_error *error) {
    if (!shape->endpoint_router)
        return VEF_OK;
    uint32_t run = 0, most = 0;
    for (uint32_t e = 0; e < shape->endpoints; e++) {
        const uint32_t router = shape->endpoint_router[e];
        if (router >= shape->routers || (e > 0 && router < shape->endpoint_router[e - 1]))
            return vef_fail(error, VEF_INVALID,
                            "plug-in: endpoint %u is at router %u: expected routers below %u, in "
                            "ascending order",
                            e, router, shape->routers);
        run = e > 0 && router == shape->endpoint_router[e - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    if (most == 0 || most > VEF_MAX_ENDPOINTS_PER_ROUTER)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: a router with %u endpoints: expected at most %d, and one in all",
                        most, VEF_MAX_ENDPOINTS_PER_ROUTER);
    topology->endpoints = shape->endpoints;
    topology->endpoints_per_router = most;
    topology->endpoint_router = shape->endpoint_router;
    return VEF_OK;
}

static vef_code set_grid(const vef_plugin_shape *shape, vef_topology *topology, vef_error *error) {
    uint64_t places = 1;
    if (shape->dimensions > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "plug-in: %u dimensions: expected at most %d",
                        shape->dimensions, VEF_MAX_DIMENSIONS);
    for (uint32_t d = 0; d < shape->dimensions; d++) {
        topology->sizes[d] = shape->sizes[d];
        places = places > shape->routers ? places : places * shape->sizes[d];
    }
    topology->dimensions = shape->dimensions;
    if (shape->dimensions > 0 && places != shape->routers)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: a grid that has not as many places as there are routers, %u",
                        shape->routers);
    return VEF_OK;
}

static vef_code build(const void *parameters, vef_topology *topology, vef_error *error) {
    vef_plugin_making making = vef_plugin_make(&topology->arena);
    vef_plugin_shape shape = {0};
    void *data = NULL;
    if (plugin_of(topology)->create(&making.context, parameters, &shape, &data) != 0)
        return vef_plugin_refused(&making, error);
    topology->details = data;
    topology->routers = shape.routers;
    topology->ports = shape.ports;
    vef_code code = vef_topology_make_ports(topology, error);
    for (uint32_t router = 0; code == VEF_OK && router < topology->routers; router++)
        code = join_ports(topology, router, error);
    if (code == VEF_OK)
        code = attach(&shape, topology, error);
    return code == VEF_OK ? set_grid(&shape, topology, error) : code;
}

static const char *const no_samples[] = {NULL};

vef_code vef_topology_find_added(const vef_node *node, const char *name, vef_arena *arena,
                                 void **library, const vef_topology_family **family,
                                 vef_error *error) {
    const void *found = NULL;
    *family = NULL;
    vef_code code = vef_library_find(vef_library_list(node), VEF_PLUGIN_PART_TOPOLOGY, name,
                                     library, &found, error);
    if (code != VEF_OK || !found)
        return code;
    const vef_plugin_topology *plugin = found;
    added_family *made = vef_arena_alloc(arena, 1, sizeof *made);
    made->plugin = plugin;
    made->family = (vef_topology_family){.name = plugin->name,
                                         .summary = plugin->summary,
                                         .build = build,
                                         .port_name = plugin->port_name ? port_name : NULL,
                                         .samples = no_samples};
    code = vef_plugin_schema(plugin->name, plugin->parameters, arena, &made->family.schema,
                             &made->family.parameter_bytes, error);
    *family = code == VEF_OK ? &made->family : NULL;
    return code;
}

void vef_topology_graph(const vef_topology *topology, const void *library, vef_arena *arena,
                        vef_plugin_graph *graph) {
    uint32_t *routers = NULL;
    if (!topology->endpoint_router) {
        routers = vef_arena_alloc(arena, topology->endpoints, sizeof *routers);
        for (uint32_t e = 0; e < topology->endpoints; e++)
            routers[e] = vef_topology_router_of(topology, e);
    }
    const vef_topology *whole = vef_topology_whole(topology);
    *graph = (vef_plugin_graph){
        .family = topology->family->name,
        .self = whole->library && whole->library == library && !topology->failures
                    ? topology->details
                    : NULL,
        .routers = topology->routers,
        .ports = topology->ports,
        .endpoints = topology->endpoints,
        .neighbour = topology->neighbour,
        .reverse_port = topology->reverse_port,
        .endpoint_router = routers ? routers : topology->endpoint_router,
        .dimensions = topology->dimensions,
        .sizes = topology->sizes,
    };
}
