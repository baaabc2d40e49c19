/* Building routings from their configuration. See routing.h. */
#include "netmodel/routing/routing.h"

#include "common/memory.h"
#include "common/plugin/library.h"
#include "netmodel/routing/algorithms.h"

#include <string.h>

static bool goes_round(const vef_routing_algorithm *algorithm) {
    return algorithm->any_graph || algorithm->around_failures;
}

/* Failures may cut off packets of a routing that is for the family's network alone. */
static vef_code check_support(const vef_routing_algorithm *algorithm, const vef_topology *topology,
                              vef_flow_control flow_control, const void *parameters,
                              vef_error *error) {
    if (topology->failures && !goes_round(algorithm))
        return vef_fail(error, VEF_UNSUPPORTED, "does not go round links that are down");
    return algorithm->supports(topology, flow_control, parameters, error);
}

/* Whether an algorithm with its default parameters supports the topology and the flow control. Does
 * not build its tables, which would take too long for a large network. */
static bool is_supported(const vef_routing_algorithm *algorithm, const vef_topology *topology,
                         vef_flow_control flow_control) {
    vef_arena arena = {0};
    void *parameters = vef_arena_alloc(&arena, 1, algorithm->parameter_bytes);
    bool fits = vef_config_read(NULL, algorithm->name, algorithm->schema, NULL, parameters, &arena,
                                NULL) == VEF_OK &&
                check_support(algorithm, topology, flow_control, parameters, NULL) == VEF_OK;
    vef_arena_release(&arena);
    return fits;
}

/* The algorithm of that name. Several rows may have it, for different topologies: the first one
 * that supports this one, or if none does the first. NULL: there is no such name. */
static const vef_routing_algorithm *find_row(const char *name, const vef_topology *topology,
                                             vef_flow_control flow_control) {
    const vef_routing_algorithm *first = NULL;
    for (size_t i = 0; vef_routings[i]; i++) {
        if (strcmp(vef_routings[i]->name, name) != 0)
            continue;
        if (is_supported(vef_routings[i], topology, flow_control))
            return vef_routings[i];
        first = first ? first : vef_routings[i];
    }
    return first;
}

static const char *lacks(const void *row) {
    const vef_routing_algorithm *algorithm = row;
    if (!algorithm->supports)
        return "supports";
    if (!algorithm->create)
        return "create";
    if (!algorithm->choice && !algorithm->begin)
        return "begin (or choice)";
    if (algorithm->choice && (!algorithm->choice->begin || !algorithm->choice->choose))
        return "begin or choose of choice";
    if (!algorithm->candidates)
        return "candidates";
    if (!algorithm->advance)
        return "advance (vef_routing_keep_route: hops do not change the route)";
    return vef_schema_lacks(algorithm->schema, algorithm->parameter_bytes);
}

const vef_plugin_point vef_routing_point = {"routing: algorithm", offsetof(vef_plugin, routings),
                                            lacks};

/* The algorithm named by `node`; NULL if it names none. The caller closes its library, if it is
 * that of a plug-in. */
static vef_code find_named(const vef_node *node, const vef_topology *topology,
                           vef_flow_control flow_control, void **library,
                           const vef_routing_algorithm **algorithm, vef_error *error) {
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
    *algorithm = find_row(name->scalar, topology, flow_control);
    if (*algorithm)
        return VEF_OK;
    const void *row = NULL;
    const vef_code code = vef_library_find(vef_library_list(node), &vef_routing_point, name->scalar,
                                           library, &row, error);
    *algorithm = row;
    if (code != VEF_OK || row)
        return code;
    VEF_FAIL_UNKNOWN_ROW(error, "routing algorithm", name->scalar, vef_routings);
    return vef_node_within(name, error);
}

static vef_code fill_in(vef_routing *routing, const vef_node *node, vef_error *error) {
    const vef_routing_algorithm *algorithm = routing->algorithm;
    static const char *const extra[] = {"algorithm", NULL};
    char what[64];
    snprintf(what, sizeof what, "routing %s", algorithm->name);
    void *parameters = vef_arena_alloc(&routing->arena, 1, algorithm->parameter_bytes);
    vef_code code =
        vef_config_read(node, what, algorithm->schema, extra, parameters, &routing->arena, error);
    if (code != VEF_OK)
        return code;
    routing->parameters = parameters;
    code = check_support(algorithm, routing->topology, routing->flow_control, parameters, error);
    routing->node = node;
    if (code == VEF_OK)
        code = algorithm->create(routing, error);
    routing->node = NULL;
    if (code == VEF_OK && routing->library)
        code = vef_routing_check_sound(routing, error);
    if (code == VEF_OK)
        return VEF_OK;
    vef_fail_within(error, "%s", what);
    return vef_node_within(node, error);
}

/* A routing with the values that fields have before create. */
static vef_routing *begin_create(const vef_routing_algorithm *algorithm,
                                 const vef_topology *topology, vef_flow_control flow_control) {
    vef_routing *routing = vef_calloc(1, sizeof *routing);
    routing->algorithm = algorithm;
    routing->topology = topology;
    routing->flow_control = flow_control;
    routing->traffic_classes = 1;
    routing->alternatives = 1;
    routing->route_words = VEF_ROUTE_WORDS;
    return routing;
}

/* `library`: of the algorithm, if it is a plug-in's; the routing owns it if it is made. */
static vef_code create(const vef_routing_algorithm *algorithm, void *library, const vef_node *node,
                       const vef_topology *topology, vef_flow_control flow_control,
                       vef_routing **made, vef_error *error) {
    vef_routing *routing = begin_create(algorithm, topology, flow_control);
    routing->library = library;
    vef_code code = fill_in(routing, node, error);
    if (code == VEF_OK) {
        *made = routing;
        return VEF_OK;
    }
    routing->library = NULL;
    vef_routing_destroy(routing);
    return code;
}

/* Adds the supported routings to the refusal of a routing by topology or flow control. */
static void add_those_that_fit(const vef_topology *topology, vef_flow_control flow_control,
                               const vef_routing_algorithm *refused, vef_error *error) {
    const char *before = "; expected for this network one of: ";
    for (size_t i = 0; error && vef_routings[i]; i++) {
        if (strcmp(vef_routings[i]->name, refused->name) == 0 ||
            !is_supported(vef_routings[i], topology, flow_control))
            continue;
        vef_append(error->message, sizeof error->message, "%s%s", before, vef_routings[i]->name);
        before = ", ";
    }
}

/* Refuses a routing that does not go round failures as it would without them, or else with a pair
 * that it cuts off. */
static vef_code refuse_failures(const vef_routing_algorithm *algorithm, const vef_node *node,
                                const vef_topology *topology, vef_flow_control flow_control,
                                vef_error *error) {
    const vef_topology *whole = vef_topology_whole(topology);
    vef_routing *routing = NULL;
    algorithm = find_row(algorithm->name, whole, flow_control);
    vef_code code = create(algorithm, NULL, node, whole, flow_control, &routing, error);
    if (code != VEF_OK)
        return code;
    code = vef_routing_refuse_failures(routing, topology, error);
    vef_routing_destroy(routing);
    vef_fail_within(error, "routing %s", algorithm->name);
    vef_node_within(node, error);
    return code;
}

vef_code vef_routing_create(const vef_node *node, const vef_topology *topology,
                            vef_flow_control flow_control, vef_routing **made, vef_error *error) {
    *made = NULL;
    const vef_routing_algorithm *named = NULL;
    void *library = NULL;
    vef_code code = find_named(node, topology, flow_control, &library, &named, error);
    if (code == VEF_OK && named) {
        code = topology->failures && !goes_round(named) && !library
                   ? refuse_failures(named, node, topology, flow_control, error)
                   : create(named, library, node, topology, flow_control, made, error);
        if (code == VEF_UNSUPPORTED)
            add_those_that_fit(topology, flow_control, named, error);
    }
    if (!*made)
        vef_library_close(library);
    if (code != VEF_OK || named)
        return code;
    code = create(vef_routings[0], NULL, node, topology, flow_control, made, error);
    /* If none fits, the error of the first is reported. With failures, a pair may have ways in the
     * graph alone. */
    for (size_t i = 1; code == VEF_UNSUPPORTED && vef_routings[i]; i++) {
        vef_error unheard = {0};
        if (topology->failures && !vef_routings[i]->any_graph)
            continue;
        if (create(vef_routings[i], NULL, node, topology, flow_control, made, &unheard) == VEF_OK)
            return VEF_OK;
    }
    return code;
}

vef_code vef_routing_unroll(const vef_routing *routing, vef_routing **unrolled, vef_error *error) {
    *unrolled = NULL;
    if (!routing->algorithm->fold)
        return vef_fail(error, VEF_UNSUPPORTED, "routing %s has no unrolled form",
                        routing->algorithm->name);
    vef_routing *made = begin_create(routing->algorithm, routing->topology, routing->flow_control);
    made->parameters = routing->parameters;
    made->unrolled = true;
    const vef_code code = routing->algorithm->create(made, error);
    if (code == VEF_OK)
        *unrolled = made;
    else
        vef_routing_destroy(made);
    return code;
}
