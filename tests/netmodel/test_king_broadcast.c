/* Broadcast in king networks (Stafford et al., section 3.3.4): every router within the time to live
 * gets one copy, over as many hops as breadth-first search says; the behaviour of Figure 7. */
#include "netmodel/routing/king_broadcast.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

enum { MOST_ROUTERS = 256 };

typedef struct copies {
    const vef_topology *topology;
    uint32_t source;
    uint32_t received[MOST_ROUTERS], hops[MOST_ROUTERS];
} copies;

static void send_on(copies *c, uint32_t router, uint16_t in_port, uint32_t hops, uint32_t left) {
    const vef_topology *topology = c->topology;
    uint16_t ports[VEF_KING_BROADCAST_PORTS];
    const uint32_t count =
        vef_king_broadcast_ports(topology, c->source, router, in_port, left, ports);
    assert_true(left > 0 || count == 0);
    c->received[router]++;
    c->hops[router] = hops;
    for (uint32_t i = 0; i < count; i++) {
        const size_t link = (size_t)router * topology->ports + ports[i];
        assert_int_not_equal(topology->neighbour[link], VEF_NO_ROUTER);
        send_on(c, topology->neighbour[link], topology->reverse_port[link], hops + 1, left - 1);
    }
}

static void check_broadcast(const vef_topology *topology, uint32_t source, uint32_t time_to_live) {
    uint32_t distance[MOST_ROUTERS];
    copies c = {.topology = topology, .source = source};
    distances_from(topology, source, distance);
    send_on(&c, source, VEF_INJECTED, 0, time_to_live);
    for (uint32_t r = 0; r < topology->routers; r++) {
        assert_int_equal(c.received[r], distance[r] <= time_to_live);
        if (c.received[r] > 0)
            assert_int_equal(c.hops[r], distance[r]);
    }
}

static void test_every_router_gets_one_copy(void **state) {
    (void)state;
    static const char *const networks[][2] = {
        {"king-mesh", "{sizes: [7, 7]}"},
        {"king-mesh", "{sizes: [2, 5]}"},
        {"king-mesh", "{sizes: [9, 4]}"},
        {"king-torus", "{sizes: [7, 7]}"},
        {"king-torus", "{sizes: [8, 8]}"},
        {"king-torus", "{sizes: [16, 16]}"},
        {"king-torus", "{sizes: [2, 2]}"},
        {"king-torus", "{sizes: [2, 7]}"},
        {"king-torus", "{sizes: [10, 4]}"},
        {"lattice", "{sizes: [5, 4], generators: [[1, 1], [0, -1], [-1, 0], [1, -1]]}"},
    };
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
        vef_error error = {0};
        assert_int_equal(vef_king_broadcast_supports(topology, &error), VEF_OK);
        for (uint32_t source = 0; source < topology->routers; source++) {
            uint32_t distance[MOST_ROUTERS], farthest = 0;
            distances_from(topology, source, distance);
            for (uint32_t r = 0; r < topology->routers; r++)
                farthest = distance[r] > farthest ? distance[r] : farthest;
            assert_int_equal(vef_king_broadcast_reach(topology, source), farthest);
            for (uint32_t time_to_live = 0; time_to_live <= farthest + 1; time_to_live++)
                check_broadcast(topology, source, time_to_live);
        }
        vef_topology_destroy(topology);
    }
}

/* Figure 7, in the middle of a mesh. Ports x y z t, plus then minus; one that comes along x came in
 * by x-. */
static void test_nodes_behave_as_drawn(void **state) {
    (void)state;
    static const struct {
        uint32_t router;
        uint16_t in_port;
        uint32_t ports; /* a mask */
    } rows[] = {
        {24, VEF_INJECTED, 0xff},
        {25, 1, 1 << 0 | 1 << 4 | 1 << 7}, /* east: on, north-east, south-east */
        {23, 0, 1 << 1 | 1 << 5 | 1 << 6}, /* west: on, south-west, north-west */
        {31, 3, 1 << 2 | 1 << 4 | 1 << 6}, /* north */
        {17, 2, 1 << 3 | 1 << 5 | 1 << 7}, /* south */
        {32, 5, 1 << 4},
        {16, 4, 1 << 5},
        {30, 7, 1 << 6},
        {18, 6, 1 << 7},
    };
    vef_topology *topology = topology_of("king-mesh", "{sizes: [7, 7]}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint16_t ports[VEF_KING_BROADCAST_PORTS];
        uint32_t mask = 0;
        const uint32_t count =
            vef_king_broadcast_ports(topology, 24, rows[i].router, rows[i].in_port, 2, ports);
        for (uint32_t p = 0; p < count; p++)
            mask |= UINT32_C(1) << ports[p];
        assert_int_equal(mask, rows[i].ports);
    }
    vef_topology_destroy(topology);
}

static void test_other_networks_are_refused(void **state) {
    (void)state;
    static const char *const networks[][2] = {
        {"torus", "{sizes: [4, 4]}"},
        {"diagonal-mesh", "{sizes: [4, 4]}"},
        {"complete", "{routers: 5}"},
    };
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
        vef_error error = {0};
        assert_int_equal(vef_king_broadcast_supports(topology, &error), VEF_UNSUPPORTED);
        assert_non_null(strstr(error.message, "king-torus"));
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_router_gets_one_copy),
        cmocka_unit_test(test_nodes_behave_as_drawn),
        cmocka_unit_test(test_other_networks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
