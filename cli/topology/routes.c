/* The path of each pair of endpoints, as static routes. See routes.h. */
#include "cli/topology/routes.h"

#include "common/memory.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct routes {
    const vef_topology *topology;
    const vef_routing *routing;
    uint64_t bandwidth_bits_per_s; /* of links without their own */
    vef_candidate *candidates;     /* [routing->most_candidates] */
} routes;

typedef void visit(const routes *shown, const vef_travel *travel, uint32_t hop, vef_place place,
                   uint16_t port, vef_result *table);

static vef_code fail_choice(const routes *shown, const vef_travel *travel, vef_error *error) {
    return vef_fail(error, VEF_UNSUPPORTED,
                    "--routes: routing %s has several routes from endpoint %" PRIu32
                    " to endpoint %" PRIu32
                    ": expected a deterministic one, such as d-mod-k or "
                    "up-down on trees, or dor with ties: alternate",
                    shown->routing->algorithm->name, travel->source, travel->destination);
}

/* Follows the route of a pair, and calls `see` (NULL: nothing) for each router and the port by
 * which it is left, VEF_INJECTED at the last. */
static vef_code follow(const routes *shown, const vef_travel *travel, visit *see, vef_result *table,
                       vef_error *error) {
    const vef_routing *routing = shown->routing;
    const vef_topology *topology = shown->topology;
    vef_draws draws = {0};
    vef_route route = {{0}};
    vef_routing_begin(routing, travel, &draws, NULL, &route);
    if (draws.count > 0)
        return fail_choice(shown, travel, error);
    vef_place place = {travel->from, VEF_INJECTED, 0};
    uint32_t hop = 0;
    while (!vef_routing_arrived(routing, &route, place.router, travel->to)) {
        const uint32_t count =
            routing->algorithm->candidates(routing, &route, place, shown->candidates);
        const vef_candidate taken = shown->candidates[0];
        for (uint32_t i = 1; i < count; i++)
            if (shown->candidates[i].port != taken.port)
                return fail_choice(shown, travel, error);
        if (see)
            see(shown, travel, hop, place, taken.port, table);
        routing->algorithm->advance(routing, &route, place, taken.port, taken.channel);
        const size_t link = (size_t)place.router * topology->ports + taken.port;
        place = (vef_place){topology->neighbour[link], topology->reverse_port[link], taken.channel};
        hop++;
    }
    if (see)
        see(shown, travel, hop, place, VEF_INJECTED, table);
    return VEF_OK;
}

static vef_code follow_all(const routes *shown, visit *see, vef_result *table, vef_error *error) {
    const vef_topology *topology = shown->topology;
    vef_code code = VEF_OK;
    for (uint32_t source = 0; source < topology->endpoints; source++)
        for (uint32_t to = 0; to < topology->endpoints && code == VEF_OK; to++)
            if (to != source)
                code = follow(shown,
                              &(vef_travel){source, to, vef_topology_router_of(topology, source),
                                            vef_topology_router_of(topology, to), 0},
                              see, table, error);
    return code;
}

static void add_row(const routes *shown, const vef_travel *travel, uint32_t hop, vef_place place,
                    uint16_t port, vef_result *table) {
    const vef_topology *topology = shown->topology;
    const size_t link = (size_t)place.router * topology->ports + port;
    const bool last = port == VEF_INJECTED;
    uint64_t bits_per_s = shown->bandwidth_bits_per_s;
    if (!last && topology->bandwidth_bits_per_s && topology->bandwidth_bits_per_s[link] > 0)
        bits_per_s = topology->bandwidth_bits_per_s[link];
    VEF_CELLS(table, travel->source, travel->destination, hop,
              vef_topology_router_number(topology, place.router), VEF_IF(!last, port),
              last ? VEF_NO_VALUE
                   : VEF_VALUE(vef_topology_router_number(topology, topology->neighbour[link])),
              last ? VEF_NO_VALUE : VEF_VALUE(topology->reverse_port[link]),
              VEF_IF(!last, bits_per_s));
}

static void fill(const void *context, vef_result *table) {
    follow_all(context, add_row, table, NULL);
}

static void build(const void *report, vef_result *root) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("source", NULL), VEF_COLUMN("destination", NULL), VEF_COLUMN("hop", NULL),
        VEF_COLUMN("router", NULL), VEF_COLUMN("port", NULL), VEF_COLUMN("next_router", NULL),
        VEF_COLUMN("next_port", NULL), VEF_COLUMN("bits_per_s", NULL));
    vef_put_stream(root, "routes", VEF_EVERYONE, columns, fill, report);
}

vef_code vef_topology_show_routes(const vef_node *root, uint64_t bandwidth_bits_per_s,
                                  const vef_report_format *format, vef_error *error) {
    vef_topology *topology = NULL;
    vef_routing *routing = NULL;
    vef_net_queues queues;
    vef_code code = vef_netmodel_create_routing(root, &topology, &routing, &queues, error);
    if (code != VEF_OK)
        return code;
    const routes shown = {topology, routing, bandwidth_bits_per_s,
                          vef_malloc(routing->most_candidates * sizeof *shown.candidates)};
    code = follow_all(&shown, NULL, NULL, error);
    if (code == VEF_OK)
        code = vef_report_write(format, build, &shown, stdout, error);
    free(shown.candidates);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
    return code;
}
