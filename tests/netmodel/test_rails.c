/* Rails: interface i of every node of a pod is in part i of the pod's routers; traffic within a
 * rail of one switch crosses that switch alone; routings that number terminals still reach them. */
#include "netmodel/routing/routing.h"
#include "netmodel/topology/topology.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static vef_topology *railed(const char *family, const char *parameters, uint32_t per_router,
                            uint32_t rails, uint32_t pods) {
    vef_topology *topology = topology_of(family, parameters, per_router);
    vef_error error = {0};
    if (vef_topology_lay_rails(topology, rails, pods, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return topology;
}

/* Routers with endpoints are numbered from 0 in these families, each with `each` endpoints. */
static void interfaces_are_on_their_rails(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t per_router, leaves, each, rails, pods;
    } rows[] = {
        {"xgft", "{m: [8, 4], w: [1, 2]}", 1, 4, 8, 4, 1},
        {"xgft", "{m: [4, 4, 3], w: [1, 2, 2]}", 2, 12, 8, 4, 3}, /* pods of four leaves */
        {"xgft", "{m: [2, 3, 4], w: [1, 2, 2]}", 1, 12, 2, 4, 1}, /* rails are subtrees */
        {"kary-ntree", "{k: 4, n: 3}", 1, 16, 4, 2, 4},
        {"complete", "{routers: 8}", 5, 8, 5, 8, 1},
        {"torus", "{sizes: [4, 4]}", 3, 16, 3, 4, 2},
        {"megafly", "{leaves: 2, h: 2}", 2, 0, 2, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_topology *topology = railed(rows[i].family, rows[i].parameters, rows[i].per_router,
                                        rows[i].rails, rows[i].pods);
        if (rows[i].leaves == 0) {
            assert_null(topology->endpoint_in_family); /* one rail: as it was */
            vef_topology_destroy(topology);
            continue;
        }
        const uint32_t rails = rows[i].rails, of_pod = rows[i].leaves / rows[i].pods;
        const uint32_t of_rail = of_pod / rails, nodes = topology->endpoints / rails;
        uint32_t *on = calloc(topology->routers, sizeof *on);
        assert_int_equal(topology->endpoints, rows[i].leaves * rows[i].each);
        for (uint32_t node = 0; node < nodes; node++)
            for (uint32_t nic = 0; nic < rails; nic++) {
                const uint32_t pod = node / (nodes / rows[i].pods);
                const uint32_t router = vef_topology_router_of(topology, node * rails + nic);
                assert_int_equal(router / of_rail, pod * rails + nic);
                on[router]++;
            }
        for (uint32_t leaf = 0; leaf < rows[i].leaves; leaf++)
            assert_int_equal(on[leaf], rows[i].each);
        free(on);
        vef_topology_destroy(topology);
    }
}

/* A leaf of each rail, all below the same spines: no link within a rail, two between rails. */
static void rails_of_one_switch(void **state) {
    (void)state;
    enum { RAILS = 4, NODES = 6 };
    vef_topology *topology = railed("xgft", "{m: [6, 4], w: [1, 3]}", 1, RAILS, 1);
    uint32_t *hops = malloc(topology->routers * sizeof *hops);
    for (uint32_t from = 0; from < RAILS * NODES; from++) {
        distances_from(topology, vef_topology_router_of(topology, from), hops);
        for (uint32_t to = 0; to < RAILS * NODES; to++)
            assert_int_equal(hops[vef_topology_router_of(topology, to)],
                             from % RAILS == to % RAILS ? 0 : 2);
    }
    free(hops);
    vef_topology_destroy(topology);
}

/* Packets arrive by the shortest path, also with a spine and a leaf down. */
static void terminals_are_reached(void **state) {
    (void)state;
    static const char *const routings[][2] = {{"xgft", "{algorithm: d-mod-k}"},
                                              {"xgft", "{algorithm: s-mod-k}"},
                                              {"xgft", "{algorithm: nca-random}"},
                                              {"xgft", "{algorithm: nca-adaptive}"},
                                              {"kary-ntree", "{algorithm: tree-adaptive}"},
                                              {"kary-ntree", "{algorithm: destro}"}};
    vef_rng rng = vef_rng_make(9, VEF_RNG_TEST, 0);
    for (size_t r = 0; r < 10; r++) { /* with failures from 6 on, of the first four */
        const char *const *row = routings[r % 6];
        vef_topology *topology = strcmp(row[0], "xgft") == 0
                                     ? railed("xgft", "{m: [4, 2, 4], w: [1, 2, 2]}", 1, 4, 1)
                                     : railed("kary-ntree", "{k: 4, n: 2}", 1, 4, 1);
        if (r >= 6)
            damage(&topology, "{routers: [1, 8]}");
        vef_routing *routing = routing_of(row[1], topology, VEF_FLOW_VIRTUAL_CHANNELS);
        uint32_t *hops = malloc(topology->routers * sizeof *hops);
        for (uint32_t from = 0; from < topology->endpoints; from++) {
            const uint32_t first = vef_topology_router_of(topology, from);
            distances_from(topology, first, hops);
            for (uint32_t to = 0; to < topology->endpoints; to++) {
                const vef_travel travel = {from, to, first, vef_topology_router_of(topology, to),
                                           0};
                vef_draws draws = vef_draws_from(&rng);
                vef_route route;
                vef_routing_begin(routing, &travel, &draws, NULL, &route);
                vef_place place = {first, VEF_INJECTED, 0};
                uint32_t taken = 0;
                for (; place.router != travel.to; taken++) {
                    vef_candidate offered[VEF_MAX_CANDIDATES];
                    const uint32_t count = offers(routing, &route, place, offered);
                    assert_true(count > 0 && taken < 64);
                    place = step(routing, &route, place, offered[vef_rng_below(&rng, count)]);
                }
                assert_int_equal(taken, hops[travel.to]);
            }
        }
        free(hops);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

static void what_does_not_divide_is_refused(void **state) {
    (void)state;
    static const char says[] =
        "the network has 16 endpoints, 4 on a router: expected a product that divides 4 routers";
    assert_network_refused("{topology: {family: xgft, m: [4, 4], w: [1, 4]}, rails: 3}", says);
    assert_network_refused("{topology: {family: xgft, m: [4, 4], w: [1, 4]}, rails: 8}", says);
    assert_network_refused("{topology: {family: xgft, m: [4, 4], w: [1, 4]}, rails: 2, pods: 4}",
                           says);
    assert_network_refused("{topology: {family: star, endpoints: 16}, rails: 2}",
                           "16 on a router: expected a product that divides 1 routers");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interfaces_are_on_their_rails),
        cmocka_unit_test(rails_of_one_switch),
        cmocka_unit_test(terminals_are_reached),
        cmocka_unit_test(what_does_not_divide_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
