/* Support for the tests of routings on twin tori. See twin_ways.h. */
#include "tests/netmodel/twin_ways.h"
#include "netmodel/deadlock/deadlock.h"
#include "tests/netmodel/escapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

const char *const twin_networks[] = {
    "{sizes: [3, 3, 3]}",
    "{sizes: [4, 4, 4]}",
    "{sizes: [4, 4, 4], card0: [x+, x-, y-]}",
    "{sizes: [4, 3, 5], card0: [x+, y+, z+]}",
    "{sizes: [3, 4, 4], card0: [x+, y-, z+]}",
    "{sizes: [4, 4, 3], card0: [x+, y+, y-]}",
    "{sizes: [5, 2, 4], card0: [z+, z-, y-]}",
    "{sizes: [4, 2, 4], card0: [x-, z-, z+]}",
    "{sizes: [2, 2, 2]}",
    "{sizes: [3, 4, 3, 2]}",
    "{sizes: [4, 2, 4, 2], card0: [d0+, d0-, d2+, d2-]}",
    "{sizes: [2, 4, 2, 4], card0: [d0+, d0-, d1+, d3+]}",
    "{sizes: [2, 2, 4, 2, 2]}",
    "{sizes: [3, 2, 3, 2, 2]}",
    "{sizes: [4, 2, 2, 2, 4], card0: [d0+, d1+, d1-, d3+, d3-]}",
    NULL,
};

const vef_flow_control twin_flow_controls[2] = {VEF_FLOW_VIRTUAL_CHANNELS, VEF_FLOW_BUBBLE};

twin_node twin_node_of(const vef_twin_torus *twin, uint32_t router) {
    twin_node made = {{0}};
    for (uint32_t d = 0, rest = router / 2; d < twin->dimensions; rest /= twin->sizes[d++])
        made.position[d] = rest % twin->sizes[d];
    return made;
}

bool twin_has_port(const vef_twin_torus *twin, uint32_t router, uint32_t port) {
    return (twin->card0_ports >> port & 1) == (router % 2 == 0);
}

uint32_t twin_direction(const vef_twin_torus *twin, uint32_t d, uint32_t from, uint32_t to,
                        bool *tie) {
    const uint32_t size = twin->sizes[d];
    uint32_t ahead = 0;
    while ((from + ahead) % size != to)
        ahead++;
    *tie = 2 * ahead == size;
    return 2 * d + (ahead > size - ahead);
}

uint32_t twin_dort_port(const vef_twin_torus *twin, uint32_t router, uint32_t target) {
    const twin_node here = twin_node_of(twin, router), there = twin_node_of(twin, target);
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        if (here.position[d] == there.position[d])
            continue;
        bool tie;
        const uint32_t port = twin_direction(twin, d, here.position[d], there.position[d], &tie);
        return twin_has_port(twin, router, port) ? port : 2 * twin->dimensions;
    }
    return router == target ? UINT32_MAX : 2 * twin->dimensions;
}

uint32_t twin_torus_distance(const vef_twin_torus *twin, uint32_t from, uint32_t to) {
    const twin_node a = twin_node_of(twin, from), b = twin_node_of(twin, to);
    uint32_t hops = 0;
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        const uint32_t apart = a.position[d] > b.position[d] ? a.position[d] - b.position[d]
                                                             : b.position[d] - a.position[d];
        hops += apart < twin->sizes[d] - apart ? apart : twin->sizes[d] - apart;
    }
    return hops;
}

vef_place twin_follow(const vef_topology *topology, vef_place place, vef_candidate taken) {
    const size_t link = (size_t)place.router * topology->ports + taken.port;
    assert_int_not_equal(topology->neighbour[link], VEF_NO_ROUTER);
    return (vef_place){topology->neighbour[link], topology->reverse_port[link], taken.channel};
}

vef_route twin_route(const vef_routing *routing, uint32_t from, uint32_t to) {
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    vef_route route;
    begin_route(routing, from, to, &rng, &route);
    return route;
}

bool twin_only_offer(const vef_routing *routing, const vef_route *route, vef_place place,
                     vef_candidate *offered) {
    const uint32_t count = routing->algorithm->candidates(routing, route, place, offered);
    assert_true(count <= 1);
    return count == 1;
}

/* ---- in the network ---- */

vef_netmodel *twin_network(const char *topology, const char *routing, twin_settings given) {
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: {family: twin-torus, %s, endpoints_per_router: 2, seed: %u, routing: %s, "
             "router: {flow_control: %s, queue_packets: %u, injection_queues: 2, transit_first: "
             "%s}, packet: {phits: 4}}",
             topology + 1, given.seed, routing, given.bubble ? "bubble" : "virtual-channels",
             given.bubble ? 2 : 1, given.transit_first ? "true" : "false");
    return network_of(yaml);
}

uint64_t twin_run_out(vef_netmodel *model) {
    uint64_t delivered = 0;
    vef_error error = {0};
    for (size_t count = 1; count > 0; delivered += count) {
        const vef_net_delivery *deliveries;
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &deliveries, &count, &error),
                         VEF_OK);
    }
    return delivered;
}

void twin_send(vef_netmodel *model, uint32_t source, uint32_t destination, uint8_t class) {
    vef_error error = {0};
    vef_net_message message = {
        .source = source, .destination = destination, .bytes = 64, .traffic_class = class};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
}

void twin_check_burst(const char *topology, const char *routing, bool bubble, uint8_t classes) {
    vef_netmodel *model = twin_network(topology, routing, (twin_settings){bubble, true, 1});
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 0);
    uint64_t sent = 0;
    for (uint32_t e = 0; e < model->endpoints; e++)
        for (uint32_t i = 0; i < 30; i++, sent++)
            twin_send(model, e, vef_rng_below(&rng, model->endpoints), (uint8_t)(i % classes));
    const uint64_t delivered = twin_run_out(model);
    if (delivered != sent) {
        char text[4096];
        model->kind->deadlock(model, text, sizeof text);
        fail_msg("%s on %s: %llu delivered\n%s", routing, topology, (unsigned long long)delivered,
                 text);
    }
    vef_netmodel_destroy(model);
}

uint32_t twin_assert_free(const vef_routing *routing, const char *what) {
    const escapes found = search_escapes(routing);
    if (found.circles != 0 || found.stuck != 0)
        fail_msg("%s, %s: %u queues in circles, %u states with no escape", what,
                 routing->algorithm->name, found.circles, found.stuck);
    vef_deadlock proved;
    vef_error error = {0};
    const vef_deadlock_request request = {0};
    assert_int_equal(vef_deadlock_prove(routing, &request, &proved, &error), VEF_OK);
    assert_int_equal(proved.verdict, VEF_DEADLOCK_FREE);
    assert_int_equal(proved.rings, found.rings);
    assert_true(proved.bounded);
    vef_deadlock_release(&proved);
    return found.rings;
}
