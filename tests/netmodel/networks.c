/* Support for the tests of netmodel/. See networks.h. */
#include "tests/netmodel/networks.h"

#include "common/threads/pool.h"
#include "netmodel/router/model.h"
#include "netmodel/topology/failures/failures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

vef_topology *topology_of(const char *family, const char *parameters, uint32_t per_router) {
    char text[512];
    snprintf(text, sizeof text, "{family: %s, %s", family, parameters + 1);
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_topology *topology = NULL;
    if (vef_config_parse(text, "test", &arena, &node, &error) ||
        vef_topology_create(node, per_router, &topology, &error))
        fail_msg("%s: %s", text, error.message);
    vef_arena_release(&arena);
    return topology;
}

void damage(vef_topology **topology, const char *failures) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    if (failures && (vef_config_parse(failures, "failures", &arena, &node, &error) ||
                     vef_failures_apply(node, topology, &error)))
        fail_msg("%s: %s", failures, error.message);
    vef_arena_release(&arena);
}

vef_routing *routing_of(const char *yaml, const vef_topology *topology,
                        vef_flow_control flow_control) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_routing *routing = NULL;
    if (vef_config_parse(yaml, "test", &arena, &node, &error) ||
        vef_routing_create(node, topology, flow_control, &routing, &error))
        fail_msg("%s: %s", yaml, error.message);
    vef_arena_release(&arena);
    return routing;
}

vef_code network_refused(const char *yaml, vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    vef_code code = vef_config_parse(yaml, "net.yaml", &arena, &root, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &model, error);
    vef_netmodel_destroy(model);
    vef_arena_release(&arena);
    return code;
}

void assert_network_refused(const char *yaml, const char *says) {
    vef_error error = {0};
    const vef_code code = network_refused(yaml, &error);
    if ((code != VEF_INVALID && code != VEF_UNSUPPORTED) || !strstr(error.message, says))
        fail_msg("%s gave %d: %s", yaml, (int)code, error.message);
}

void assert_topology_refused(const char *yaml, uint32_t per_router, const char *says) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_topology *topology = NULL;
    assert_int_equal(vef_config_parse(yaml, "net.yaml", &arena, &node, &error), VEF_OK);
    vef_code code = vef_topology_create(node, per_router, &topology, &error);
    if (code != VEF_INVALID || !strstr(error.message, says) ||
        strncmp(error.message, "net.yaml:1:", 11) != 0)
        fail_msg("%s gave %d: %s", yaml, (int)code, error.message);
    assert_null(topology);
    vef_arena_release(&arena);
}

vef_netmodel *network_of(const char *yaml) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_config_parse(yaml, "net.yaml", &arena, &root, &error) ||
        vef_netmodel_create(root, &model, &error))
        fail_msg("%s\n%s", yaml, error.message);
    vef_arena_release(&arena);
    return model;
}

static char *configuration_of(const char *yaml) {
    vef_netmodel *model = network_of(yaml);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    vef_netmodel_write_config(model, out);
    fclose(out);
    vef_netmodel_destroy(model);
    return text;
}

char *resolved_of(const char *yaml) {
    char *text = configuration_of(yaml), *again = configuration_of(text);
    assert_string_equal(text, again);
    free(again);
    return text;
}

void divide_network(vef_netmodel *model, uint32_t parts, bool threads) {
    vef_network *network = (vef_network *)model;
    if (parts > model->topology->routers)
        parts = model->topology->routers;
    vef_network_set_parts(network, parts);
    if (threads)
        network->partitions.crew = vef_pool_create(parts, parts);
    assert_true(!threads || network->partitions.crew);
}

void begin_route(const vef_routing *routing, uint32_t from, uint32_t to, vef_rng *rng,
                 vef_route *route) {
    const vef_travel travel = {from, to, from, to, 0};
    vef_draws draws = vef_draws_from(rng);
    vef_routing_begin(routing, &travel, &draws, NULL, route);
}

void distances_from(const vef_topology *topology, uint32_t source, uint32_t *distance) {
    uint32_t *queue = malloc(topology->routers * sizeof *queue);
    assert_non_null(queue);
    memset(distance, 0xff, topology->routers * sizeof *distance);
    distance[source] = 0;
    queue[0] = source;
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t next = topology->neighbour[(size_t)queue[i] * topology->ports + port];
            if (next == VEF_NO_ROUTER || distance[next] != UINT32_MAX)
                continue;
            distance[next] = distance[queue[i]] + 1;
            queue[count++] = next;
        }
    free(queue);
}

double average_distance(const vef_topology *topology, uint32_t *diameter) {
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    assert_non_null(distance);
    uint64_t sum = 0;
    *diameter = 0;
    for (uint32_t source = 0; source < topology->routers; source++) {
        distances_from(topology, source, distance);
        for (uint32_t r = 0; r < topology->routers; r++) {
            sum += distance[r];
            if (distance[r] > *diameter)
                *diameter = distance[r];
        }
    }
    free(distance);
    return (double)sum / topology->routers / topology->routers;
}

void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}
