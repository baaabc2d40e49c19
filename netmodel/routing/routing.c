/* Building routings from their configuration. See routing.h. */
#include "netmodel/routing/routing.h"

#include <stdlib.h>
#include <string.h>

/* The algorithm that `node` names; NULL where it names none. */
static vef_code find_named(const vef_node *node, const vef_routing_algorithm **algorithm,
                           vef_error *error) {
    *algorithm = NULL;
    if (node && node->kind != VEF_NODE_MAPPING)
        return vef_node_fail(node, error,
                             "routing: expected a mapping such as {algorithm: adaptive}");
    const vef_node *name = vef_node_get(node, "algorithm");
    if (!name)
        return VEF_OK;
    if (name->kind != VEF_NODE_SCALAR)
        return vef_node_fail(name, error, "routing: algorithm: expected a name such as %s",
                             vef_routings[0]->name);
    const char *names[64], *wanted = name->scalar;
    size_t count = 0;
    for (; vef_routings[count] && count < 64; count++) {
        names[count] = vef_routings[count]->name;
        if (strcmp(names[count], wanted) == 0) {
            *algorithm = vef_routings[count];
            return VEF_OK;
        }
    }
    vef_fail_unknown(error, "routing algorithm", wanted, names, count);
    return vef_node_within(name, error);
}

static vef_code fill_in(vef_routing *routing, const vef_node *node, vef_error *error) {
    const vef_routing_algorithm *algorithm = routing->algorithm;
    static const char *const extra[] = {"algorithm", NULL};
    char what[64];
    snprintf(what, sizeof what, "routing %s", algorithm->name);
    void *parameters = vef_arena_alloc(&routing->arena, 1, algorithm->parameter_bytes);
    if (!parameters)
        return vef_fail_memory(error, what, algorithm->parameter_bytes);
    vef_code code =
        vef_config_read(node, what, algorithm->schema, extra, parameters, &routing->arena, error);
    if (code != VEF_OK)
        return code;
    routing->parameters = parameters;
    code = algorithm->supports(routing->topology, routing->flow_control, parameters, error);
    if (code == VEF_OK)
        code = algorithm->create(routing, error);
    if (code == VEF_OK)
        return VEF_OK;
    vef_fail_within(error, "%s", what);
    return vef_node_within(node, error);
}

static vef_code create(const vef_routing_algorithm *algorithm, const vef_node *node,
                       const vef_topology *topology, vef_flow_control flow_control,
                       vef_routing **made, vef_error *error) {
    vef_routing *routing = calloc(1, sizeof *routing);
    if (!routing)
        return vef_fail_memory(error, "a routing", sizeof *routing);
    routing->algorithm = algorithm;
    routing->topology = topology;
    routing->flow_control = flow_control;
    routing->traffic_classes = 1;
    vef_code code = fill_in(routing, node, error);
    if (code == VEF_OK)
        *made = routing;
    else
        vef_routing_destroy(routing);
    return code;
}

vef_code vef_routing_create(const vef_node *node, const vef_topology *topology,
                            vef_flow_control flow_control, vef_routing **made, vef_error *error) {
    *made = NULL;
    const vef_routing_algorithm *named = NULL;
    vef_code code = find_named(node, &named, error);
    if (code != VEF_OK || named)
        return code == VEF_OK ? create(named, node, topology, flow_control, made, error) : code;
    code = create(vef_routings[0], node, topology, flow_control, made, error);
    /* What is wrong with the first is what is told when none will do. */
    for (size_t i = 1; code == VEF_UNSUPPORTED && vef_routings[i]; i++) {
        vef_error unheard = {0};
        if (create(vef_routings[i], node, topology, flow_control, made, &unheard) == VEF_OK)
            return VEF_OK;
    }
    return code;
}

void vef_routing_destroy(vef_routing *routing) {
    if (!routing)
        return;
    vef_arena_release(&routing->arena);
    free(routing);
}

void vef_routing_write(const vef_routing *routing, FILE *out, int indent) {
    fprintf(out, "%*srouting:\n", indent, "");
    fprintf(out, "%*salgorithm: %s\n", indent + 2, "", routing->algorithm->name);
    vef_config_write(out, indent + 2, routing->algorithm->schema, routing->parameters);
}
