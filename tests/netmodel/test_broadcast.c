/* Broadcast in the network (Stafford et al., section 3.3.4): by which ports copies go on. Every
 * router gets exactly one, after as many hops as breadth-first search says it is away; a time to
 * live bounds the area; on tori half way round is reached one way; and copies turn only as the
 * figures of the paper show. */
#include "netmodel/routing/broadcast/broadcast.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char *const networks[][2] = {
    {"king-mesh", "{sizes: [5, 5]}"},
    {"king-mesh", "{sizes: [2, 2]}"},
    {"king-mesh", "{sizes: [7, 3]}"},
    {"king-mesh", "{sizes: [2, 6]}"},
    {"king-mesh", "{sizes: [8, 8]}"},
    {"king-torus", "{sizes: [5, 5]}"},
    {"king-torus", "{sizes: [4, 4]}"},
    {"king-torus", "{sizes: [8, 8]}"},
    {"king-torus", "{sizes: [2, 2]}"},
    {"king-torus", "{sizes: [2, 5]}"},
    {"king-torus", "{sizes: [9, 4]}"},
    {"king-torus", "{sizes: [6, 3]}"},
    {"torus", "{sizes: [4, 4]}"},
    {"torus", "{sizes: [5, 3, 2]}"},
    {"torus", "{sizes: [2, 2, 2, 2]}"},
    {"torus", "{sizes: [9]}"},
    {"mesh", "{sizes: [4, 3]}"},
    {"mesh", "{sizes: [3, 4, 5]}"},
    {"lattice", "{sizes: [4, 5], wrap: [1, 0]}"},
    {"lattice", "{sizes: [4, 5], generators: [[1, 1], [0, -1], [-1, 0], [1, -1]], wrap: [0, 0]}"},
    {"lattice", "{sizes: [4, 6], generators: [[1, 1], [0, -1], [-1, 0], [1, -1]]}"},
    {"lattice", "{sizes: [4, 5], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]], wrap: [1, 0]}"},
};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* Follows all copies from one place on; counts the copies of each router and records the hops. */
static void spread(const vef_broadcast *broadcast, vef_route route, vef_place place, uint32_t hops,
                   uint32_t *copies, uint32_t *depth) {
    const vef_topology *topology = broadcast->topology;
    vef_branch branches[VEF_MAX_BRANCHES];
    const uint32_t count = vef_broadcast_branches(broadcast, &route, place, branches);
    for (uint32_t i = 0; i < count; i++) {
        const size_t link = (size_t)place.router * topology->ports + branches[i].port;
        assert_true(topology->neighbour[link] != VEF_NO_ROUTER);
        for (uint32_t k = 0; k < i; k++)
            assert_true(branches[k].port != branches[i].port);
        const uint32_t next = topology->neighbour[link];
        vef_route on = route;
        vef_broadcast_advance(broadcast, &on, branches[i].port);
        copies[next]++;
        depth[next] = hops + 1;
        assert_true(copies[next] < 8);
        spread(broadcast, on, (vef_place){next, topology->reverse_port[link], 0}, hops + 1, copies,
               depth);
    }
}

static void broadcast_of(const vef_topology *topology, vef_broadcast *broadcast) {
    vef_error error = {0};
    if (vef_broadcast_set(broadcast, topology, &error))
        fail_msg("%s", error.message);
}

static void each_source(const char *family, const char *parameters, uint32_t most_hops) {
    vef_topology *topology = topology_of(family, parameters, 1);
    const uint32_t routers = topology->routers;
    uint32_t *copies = malloc(3 * routers * sizeof *copies);
    assert_non_null(copies);
    uint32_t *depth = copies + routers, *distance = depth + routers;
    vef_broadcast broadcast;
    broadcast_of(topology, &broadcast);
    for (uint32_t source = 0; source < routers; source++) {
        memset(copies, 0, 2 * routers * sizeof *copies);
        distances_from(topology, source, distance);
        vef_route route;
        vef_broadcast_begin(&broadcast, 0, source, most_hops, &route);
        spread(&broadcast, route, (vef_place){source, VEF_INJECTED, 0}, 0, copies, depth);
        for (uint32_t r = 0; r < routers; r++) {
            const uint32_t expected = r != source && distance[r] <= most_hops;
            if (copies[r] != expected || (expected && depth[r] != distance[r]))
                fail_msg(
                    "%s %s from %u, at most %u hops: router %u gets %u copies, after %u hops; "
                    "it is %u away",
                    family, parameters, source, most_hops, r, copies[r], depth[r], distance[r]);
        }
    }
    free(copies);
    vef_topology_destroy(topology);
}

static void test_every_router_once_by_a_shortest_way(void **unused) {
    (void)unused;
    for (size_t i = 0; i < NETWORKS; i++)
        each_source(networks[i][0], networks[i][1], UINT32_MAX);
}

static void test_all_sizes_of_king_networks(void **unused) {
    (void)unused;
    for (int a = 2; a <= 9; a++)
        for (int b = 2; b <= 9; b++) {
            char sizes[64];
            snprintf(sizes, sizeof sizes, "{sizes: [%d, %d]}", a, b);
            each_source("king-mesh", sizes, UINT32_MAX);
            each_source("king-torus", sizes, UINT32_MAX);
        }
}

/* "The TTL value defines the maximum area that the broadcast will reach." */
static void test_time_to_live_bounds_the_area(void **unused) {
    (void)unused;
    for (uint32_t hops = 1; hops <= 4; hops++) {
        each_source("king-mesh", "{sizes: [7, 6]}", hops);
        each_source("king-torus", "{sizes: [8, 7]}", hops);
        each_source("torus", "{sizes: [6, 5]}", hops);
        each_source("mesh", "{sizes: [3, 4, 3]}", hops);
    }
}

/* max(x, s - 1 - x, y, s - 1 - y) in a king mesh, floor(s / 2) in a king torus. */
static void test_time_to_live_is_as_printed(void **unused) {
    (void)unused;
    for (int s = 2; s <= 8; s++) {
        char sizes[64];
        snprintf(sizes, sizeof sizes, "{sizes: [%d, %d]}", s, s);
        for (int wraps = 0; wraps < 2; wraps++) {
            vef_topology *topology = topology_of(wraps ? "king-torus" : "king-mesh", sizes, 1);
            vef_broadcast broadcast;
            broadcast_of(topology, &broadcast);
            for (int y = 0; y < s; y++)
                for (int x = 0; x < s; x++) {
                    int expected = s / 2;
                    const int reach[] = {x, s - 1 - x, y, s - 1 - y};
                    for (int i = 0; i < 4 && !wraps; i++)
                        expected = i == 0 || reach[i] > expected ? reach[i] : expected;
                    vef_route route;
                    vef_broadcast_begin(&broadcast, 0, (uint32_t)(x + s * y), UINT32_MAX, &route);
                    assert_int_equal(route.words[0], expected);
                }
            vef_topology_destroy(topology);
        }
    }
}

/* Figure 7, far from any end: 8 ways out of the source; from an orthogonal port three ways on, the
 * same and the two diagonals beside it; from a diagonal port the same alone. Ports are x y z t,
 * plus then minus, with z (1, 1) and t (-1, 1). */
static void test_figure_7(void **unused) {
    (void)unused;
    enum { XP, XM, YP, YM, ZP, ZM, TP, TM, NONE };
    static const int onward[8][3] = {
        [XP] = {XP, ZP, TM},     [XM] = {XM, ZM, TP},     [YP] = {YP, ZP, TP},
        [YM] = {YM, ZM, TM},     [ZP] = {ZP, NONE, NONE}, [ZM] = {ZM, NONE, NONE},
        [TP] = {TP, NONE, NONE}, [TM] = {TM, NONE, NONE}};
    vef_topology *topology = topology_of("king-mesh", "{sizes: [15, 15]}", 1);
    vef_broadcast broadcast;
    broadcast_of(topology, &broadcast);
    assert_string_equal(broadcast.rule->name, "king");
    const vef_place source = {7 + 15 * 7, VEF_INJECTED, 0};
    vef_route route;
    vef_broadcast_begin(&broadcast, 0, source.router, UINT32_MAX, &route);
    vef_branch branches[VEF_MAX_BRANCHES];
    assert_int_equal(vef_broadcast_branches(&broadcast, &route, source, branches), 8);
    for (uint16_t along = 0; along < 8; along++) {
        const size_t link = (size_t)source.router * 8 + along;
        vef_route on = route;
        vef_broadcast_advance(&broadcast, &on, along);
        const vef_place place = {topology->neighbour[link], topology->reverse_port[link], 0};
        const uint32_t count = vef_broadcast_branches(&broadcast, &on, place, branches);
        assert_int_equal(count, along < ZP ? 3 : 1);
        for (uint32_t i = 0; i < count; i++) {
            bool found = false;
            for (int k = 0; k < 3; k++)
                found = found || onward[along][k] == branches[i].port;
            assert_true(found);
            /* It came one hop of seven; a branch goes straight on to the end of the mesh. */
            assert_int_equal(branches[i].hops, 6);
        }
    }
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **unused) {
    (void)unused;
    static const char *const without[][2] = {
        {"rtt", "{a: 4}"},
        {"diagonal-torus", "{sizes: [5, 5]}"},
        {"diagonal-mesh", "{sizes: [5, 5]}"},
        {"complete", "{routers: 4}"},
        {"lattice", "{sizes: [9], generators: [[1], [3]]}"},
        {"lattice",
         "{sizes: [6, 6], shifts: [[], [3]], generators: [[1, 0], [0, 1], [1, 1], [-1, "
         "1]]}"},
    };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        vef_topology *topology = topology_of(without[i][0], without[i][1], 1);
        vef_broadcast broadcast;
        vef_error error = {0};
        assert_int_equal(vef_broadcast_set(&broadcast, topology, &error), VEF_UNSUPPORTED);
        assert_non_null(strstr(error.message, "king-mesh and king-torus"));
        assert_non_null(strstr(error.message, without[i][0]));
        vef_topology_destroy(topology);
    }
}

/* Routings whose escapes turn in another order, or that have none, are refused with those that do.
 */
static void test_routings(void **unused) {
    (void)unused;
    static const struct {
        const char *family, *parameters, *routing;
        bool fits;
    } rows[] = {
        {"king-torus", "{sizes: [5, 5]}", "{algorithm: adaptive}", true},
        {"king-torus", "{sizes: [5, 5]}", "{algorithm: dor, channels: 2}", true},
        {"king-torus", "{sizes: [5, 5]}", "{algorithm: knaive, adaptive_channels: 0}", true},
        {"king-torus", "{sizes: [5, 5]}", "{algorithm: up-down}", false},
        {"king-mesh", "{sizes: [5, 5]}", "{algorithm: eknaive}", true},
        {"king-mesh", "{sizes: [5, 5]}", "{algorithm: hop-by-hop}", true},
        {"king-mesh", "{sizes: [5, 5]}", "{algorithm: hop-by-hop-2s}", true},
        {"king-mesh", "{sizes: [5, 5]}", "{algorithm: minimal}", false},
        {"mesh", "{sizes: [3, 3]}", "{algorithm: dor}", true},
        {"torus", "{sizes: [3, 3]}", "{algorithm: adaptive}", true},
        {"torus", "{sizes: [3, 3]}", "{algorithm: valiant}", false},
        /* Records take (1,1) first here, copies last. */
        {"lattice", "{sizes: [4, 5], generators: [[1, 1], [1, 0], [0, 1], [-1, 1]]}",
         "{algorithm: dor}", false},
        {"lattice", "{sizes: [4, 5], generators: [[1, 1], [1, 0], [0, 1], [-1, 1]]}",
         "{algorithm: hop-by-hop}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        vef_routing *routing = routing_of(rows[i].routing, topology, VEF_FLOW_VIRTUAL_CHANNELS);
        vef_broadcast broadcast;
        broadcast_of(topology, &broadcast);
        vef_error error = {0};
        const vef_code code = vef_broadcast_check(&broadcast, routing, &error);
        if ((code == VEF_OK) != rows[i].fits)
            fail_msg("%s %s: %s", rows[i].family, rows[i].routing, error.message);
        if (code != VEF_OK) {
            assert_int_equal(code, VEF_UNSUPPORTED);
            assert_non_null(strstr(error.message, "hop-by-hop-2s"));
        }
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_router_once_by_a_shortest_way),
        cmocka_unit_test(test_all_sizes_of_king_networks),
        cmocka_unit_test(test_time_to_live_bounds_the_area),
        cmocka_unit_test(test_time_to_live_is_as_printed),
        cmocka_unit_test(test_figure_7),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_routings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
