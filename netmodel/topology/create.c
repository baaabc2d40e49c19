/* Building topologies from their configuration. See topology.h. */
#include "common/memory.h"
#include "common/plugin/library.h"
#include "netmodel/topology/families.h"

#include <string.h>

enum { TOPOLOGY_NAME_BYTES = 64 };

static const vef_topology_family *find_family(const char *name) {
    for (size_t i = 0; vef_topology_families[i]; i++)
        if (strcmp(vef_topology_families[i]->name, name) == 0)
            return vef_topology_families[i];
    return NULL;
}

static const char *lacks(const void *row) {
    const vef_topology_family *family = row;
    if (!family->build)
        return "build";
    if (!family->link_class != !family->link_class_name)
        return "link_class or link_class_name";
    if (!family->reflect != !family->reflect_port)
        return "reflect or reflect_port";
    return vef_schema_lacks(family->schema, family->parameter_bytes);
}

const vef_plugin_point vef_topology_point = {"topology: family", offsetof(vef_plugin, topologies),
                                             lacks};

static vef_code fail_no_name(const vef_node *node, vef_error *error) {
    char list[512] = "";
    for (size_t i = 0; vef_topology_families[i]; i++)
        vef_append(list, sizeof list, "%s%s", i ? ", " : "", vef_topology_families[i]->name);
    return vef_node_fail(
        node, error,
        "topology: missing key family: expected one of %s, as in {family: torus, sizes: [8, 8]}",
        list);
}

/* The family; the caller closes its library, if it is that of a plug-in. */
static vef_code choose_family(const vef_node *node, void **library,
                              const vef_topology_family **family, vef_error *error) {
    if (node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error,
                             "topology: expected a mapping such as {family: torus, sizes: [8, 8]}");
    const vef_node *name = vef_node_get(node, "family");
    if (!name || name->kind != VEF_NODE_SCALAR)
        return fail_no_name(name ? name : node, error);
    *family = find_family(name->scalar);
    if (*family)
        return VEF_OK;
    const void *row = NULL;
    const vef_code code = vef_library_find(vef_library_list(node), &vef_topology_point,
                                           name->scalar, library, &row, error);
    *family = row;
    if (code != VEF_OK || row)
        return code;
    VEF_FAIL_UNKNOWN_ROW(error, "topology family", name->scalar, vef_topology_families);
    return vef_node_within(name, error);
}

static vef_code attach_endpoints(vef_topology *topology, vef_error *error) {
    const uint32_t per_router = topology->endpoints_asked;
    if (topology->endpoints_per_router != 0)
        return VEF_OK; /* the family attached its own */
    if (per_router < 1 || per_router >= UINT32_MAX / topology->routers)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %u on %u routers: out of range: expected 1 to %u",
                        per_router, topology->routers, UINT32_MAX / topology->routers - 1);
    topology->endpoints_per_router = per_router;
    topology->endpoints = topology->routers * per_router;
    return VEF_OK;
}

/* Settles the number of endpoints of a router: the network's (0: not given), or that of the
 * family's key (VEF_ENDPOINTS_ROW), if it has one. */
static vef_code settle_endpoints(const vef_node *node, const vef_node *outer_key, uint32_t outer,
                                 void *parameters, vef_topology *topology, vef_error *error) {
    const vef_param *row = topology->family->schema;
    while (row->key && strcmp(row->key, VEF_ENDPOINTS_KEY) != 0)
        row++;
    const vef_node *own_key = row->key ? vef_node_get(node, row->key) : NULL;
    uint32_t none = 0;
    uint32_t *endpoints = row->key ? (uint32_t *)((char *)parameters + row->offset) : &none;
    if (*endpoints != 0 && outer != 0 && *endpoints != outer) {
        if (!outer_key || (own_key->line == 0) == (outer_key->line == 0))
            return vef_node_fail(own_key, error,
                                 "topology %s: endpoints_per_router: %u, but %u outside "
                                 "`topology`: expected one of the two keys, or the same number",
                                 topology->family->name, *endpoints, outer);
        if (own_key->line == 0)
            outer = *endpoints;
        else
            *endpoints = outer;
    }
    topology->endpoints_asked = *endpoints != 0 ? *endpoints : outer != 0 ? outer : 1;
    return VEF_OK;
}

/* `what`: in messages. */
static vef_code read_parameters(const vef_node *node, const vef_topology_family *family,
                                char what[static TOPOLOGY_NAME_BYTES], void **parameters,
                                vef_arena *arena, vef_error *error) {
    static const char *const extra[] = {"family", NULL};
    *parameters = vef_arena_alloc(arena, 1, family->parameter_bytes);
    snprintf(what, TOPOLOGY_NAME_BYTES, "topology %s", family->name);
    return vef_config_read(node, what, family->schema, extra, *parameters, arena, error);
}

vef_code vef_topology_check(const vef_node *node, vef_error *error) {
    const vef_topology_family *family = NULL;
    void *parameters;
    char what[TOPOLOGY_NAME_BYTES];
    void *library = NULL;
    vef_arena arena = {0};
    vef_code code = choose_family(node, &library, &family, error);
    if (code == VEF_OK)
        code = read_parameters(node, family, what, &parameters, &arena, error);
    vef_arena_release(&arena);
    vef_library_close(library);
    const vef_node *part = code == VEF_OK ? vef_node_get(node, VEF_PART_KEY) : NULL;
    return part ? vef_topology_check(part, error) : code;
}

static vef_code read_and_build(const vef_node *node, const vef_node *outer_key, uint32_t outer,
                               vef_topology *topology, vef_error *error) {
    const vef_topology_family *family = topology->family;
    void *parameters;
    char what[TOPOLOGY_NAME_BYTES];
    vef_code code = read_parameters(node, family, what, &parameters, &topology->arena, error);
    if (code == VEF_OK)
        code = settle_endpoints(node, outer_key, outer, parameters, topology, error);
    if (code != VEF_OK)
        return code;
    topology->parameters = parameters;
    topology->node = node;
    code = family->build(parameters, topology, error);
    topology->node = NULL;
    if (topology->axes == 0)
        topology->axes = topology->dimensions;
    if (topology->link_classes == 0)
        topology->link_classes = 1;
    if (code == VEF_OK && topology->library)
        code = vef_topology_check_sound(topology, error);
    if (code == VEF_OK)
        code = attach_endpoints(topology, error);
    if (code != VEF_OK) {
        vef_fail_within(error, "%s", what);
        vef_node_within(node, error);
    }
    return code;
}

static vef_code create(const vef_node *node, const vef_node *outer_key, uint32_t outer,
                       vef_topology **made, vef_error *error) {
    *made = NULL;
    vef_topology *topology = vef_calloc(1, sizeof *topology);
    vef_code code = choose_family(node, &topology->library, &topology->family, error);
    if (code == VEF_OK)
        code = read_and_build(node, outer_key, outer, topology, error);
    if (code != VEF_OK) {
        vef_topology_destroy(topology);
        return code;
    }
    *made = topology;
    return VEF_OK;
}

vef_code vef_topology_create(const vef_node *node, uint32_t endpoints_per_router,
                             vef_topology **made, vef_error *error) {
    return create(node, NULL, endpoints_per_router, made, error);
}

vef_code vef_topology_create_beside(const vef_node *node, const vef_node *key,
                                    uint32_t endpoints_per_router, vef_topology **made,
                                    vef_error *error) {
    const bool given = key && !vef_node_is_null(key);
    return create(node, key, given ? endpoints_per_router : 0, made, error);
}
