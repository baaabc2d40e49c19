/* The path of each pair of endpoints, as static routes. See topology.h. */
#include "cli/topology/topology.h"

#include "common/memory.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct routes {
    const vef_topology *topology;
    const vef_routing *routing;
    uint64_t bandwidth_bits_per_s; /* of links without their own */
    vef_candidate *candidates;     /* scratch, [routing->most_candidates] */
} routes;

/* A router on the path, and the port by which it is left: VEF_INJECTED at the last one. */
static void add_row(const routes *shown, const vef_travel *travel, uint32_t hop, uint32_t router,
                    uint16_t port, vef_result *table) {
    const vef_topology *topology = shown->topology;
    VEF_CELLS(table, travel->source, travel->destination, hop,
              vef_topology_router_number(topology, router));
    if (port == VEF_INJECTED) {
        VEF_CELLS(table, VEF_NO_VALUE, VEF_NO_VALUE, VEF_NO_VALUE, VEF_NO_VALUE);
        return;
    }
    const size_t link = (size_t)router * topology->ports + port;
    const uint64_t given =
        topology->bandwidth_bits_per_s ? topology->bandwidth_bits_per_s[link] : 0;
    VEF_CELLS(table, port, vef_topology_router_number(topology, topology->neighbour[link]),
              topology->reverse_port[link], given > 0 ? given : shown->bandwidth_bits_per_s);
}

/* Follows the route of a pair, and adds its rows to `table` (NULL: none). */
static vef_code follow(const routes *shown, const vef_travel *travel, vef_result *table,
                       vef_error *error) {
    const vef_routing *routing = shown->routing;
    vef_draws draws = {0};
    vef_route route = {{0}};
    vef_routing_begin(routing, travel, &draws, NULL, &route);
    bool chosen = draws.count > 0;
    vef_place place = {travel->from, VEF_INJECTED, 0};
    for (uint32_t hop = 0; !chosen; hop++) {
        const bool arrived = vef_routing_arrived(routing, &route, place.router, travel->to);
        const uint32_t count =
            arrived ? 0 : routing->algorithm->candidates(routing, &route, place, shown->candidates);
        const vef_candidate taken = shown->candidates[0];
        for (uint32_t i = 1; i < count; i++)
            chosen = chosen || shown->candidates[i].port != taken.port;
        if (chosen)
            break;
        if (table)
            add_row(shown, travel, hop, place.router, arrived ? VEF_INJECTED : taken.port, table);
        if (arrived)
            return VEF_OK;
        routing->algorithm->advance(routing, &route, place, taken.port, taken.channel);
        const size_t link = (size_t)place.router * shown->topology->ports + taken.port;
        place = (vef_place){shown->topology->neighbour[link], shown->topology->reverse_port[link],
                            taken.channel};
    }
    return vef_fail(error, VEF_UNSUPPORTED,
                    "--routes: routing %s has several routes from endpoint %" PRIu32
                    " to endpoint %" PRIu32
                    ": expected a deterministic one, such as d-mod-k on "
                    "fat trees, or dor with ties: alternate",
                    routing->algorithm->name, travel->source, travel->destination);
}

static vef_code follow_all(const routes *shown, vef_result *table, vef_error *error) {
    const vef_topology *topology = shown->topology;
    vef_code code = VEF_OK;
    for (uint32_t from = 0; from < topology->endpoints; from++)
        for (uint32_t to = 0; to < topology->endpoints && code == VEF_OK; to++)
            if (to != from)
                code = follow(shown,
                              &(vef_travel){from, to, vef_topology_router_of(topology, from),
                                            vef_topology_router_of(topology, to), 0},
                              table, error);
    return code;
}

static void fill(const void *context, vef_result *table) {
    follow_all(context, table, NULL);
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
    code = follow_all(&shown, NULL, error); /* all errors before the first row */
    if (code == VEF_OK)
        code = vef_report_write(format, build, &shown, stdout, error);
    free(shown.candidates);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
    return code;
}
