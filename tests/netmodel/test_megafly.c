/* Megaflies (dragonfly+): groups, endpoints and global links against the definition, and the small
 * network of CAMINOS' tests against counts by hand. */
#include "netmodel/analysis/figures.h"
#include "netmodel/topology/dragonfly/megafly.h"
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

/* Each leaf is linked with each spine of its group, and with nothing else. */
static void check_group(const vef_topology *topology, uint32_t group) {
    const vef_megafly *megafly = vef_megafly_of(topology);
    for (uint32_t l = 0; l < megafly->leaves; l++) {
        const uint32_t leaf = vef_megafly_leaf(megafly, group, l);
        uint32_t links = 0;
        assert_true(vef_megafly_is_leaf(megafly, leaf));
        assert_int_equal(vef_megafly_place(megafly, leaf), l);
        assert_int_equal(vef_megafly_group(megafly, leaf), group);
        for (uint32_t port = 0; port < topology->ports; port++)
            links += neighbour_of(topology, leaf, port) != VEF_NO_ROUTER;
        assert_int_equal(links, megafly->spines);
        for (uint32_t s = 0; s < megafly->spines; s++) {
            const uint32_t spine = vef_megafly_spine(megafly, group, s);
            assert_int_equal(neighbour_of(topology, leaf, vef_megafly_up_port(megafly, s)), spine);
            assert_int_equal(neighbour_of(topology, spine, vef_megafly_down_port(megafly, l)),
                             leaf);
        }
    }
    for (uint32_t s = 0; s < megafly->spines; s++) {
        const uint32_t spine = vef_megafly_spine(megafly, group, s);
        uint32_t links = 0;
        assert_false(vef_megafly_is_leaf(megafly, spine));
        assert_int_equal(vef_megafly_place(megafly, spine), s);
        assert_int_equal(vef_megafly_group(megafly, spine), group);
        for (uint32_t port = 0; port < topology->ports; port++)
            links += neighbour_of(topology, spine, port) != VEF_NO_ROUTER;
        assert_int_equal(links, megafly->leaves + megafly->h);
        for (uint32_t k = 0; k < megafly->h; k++) {
            const uint32_t other =
                neighbour_of(topology, spine, vef_megafly_global_port(megafly, k));
            assert_false(vef_megafly_is_leaf(megafly, other));
            assert_true(vef_megafly_group(megafly, other) != group);
        }
    }
}

/* The links from group g to t by the functions for routings are those of the table. */
static void check_links(const vef_topology *topology, uint32_t g, uint32_t t) {
    const vef_megafly *megafly = vef_megafly_of(topology);
    uint32_t links = 0;
    for (uint32_t s = 0; s < megafly->spines; s++)
        for (uint32_t k = 0; k < megafly->h; k++)
            links +=
                vef_megafly_group(megafly, neighbour_of(topology, vef_megafly_spine(megafly, g, s),
                                                        vef_megafly_global_port(megafly, k))) == t;
    assert_int_equal(vef_megafly_links(megafly, g, t), links);
    assert_true(links >= 1);
    for (uint32_t j = 0; j < links; j++) {
        const vef_global_port end = vef_megafly_link(megafly, g, t, j);
        assert_int_equal(vef_megafly_group(megafly, end.router), g);
        assert_int_equal(vef_megafly_group(megafly, neighbour_of(topology, end.router, end.port)),
                         t);
        for (uint32_t i = 0; i < j; i++) {
            const vef_global_port before = vef_megafly_link(megafly, g, t, i);
            assert_true(before.router != end.router || before.port != end.port);
        }
    }
}

static void test_groups_and_links(void **state) {
    (void)state;
    static const char *const networks[] = {
        "{leaves: 3, h: 3}",
        "{leaves: 2, spines: 4, h: 2, groups: 5, arrangement: absolute}",
        "{leaves: 4, spines: 2, h: 3, groups: 4, arrangement: relative}",
        "{leaves: 1, spines: 3, h: 2, groups: 6, arrangement: circulant}",
    };
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        vef_topology *topology = topology_of("megafly", networks[i], 2);
        const vef_megafly *megafly = vef_megafly_of(topology);
        const uint32_t groups = megafly->global.groups;
        assert_int_equal(topology->endpoints, 2 * groups * megafly->leaves);
        for (uint32_t e = 0; e < topology->endpoints; e++)
            assert_int_equal(
                vef_topology_router_of(topology, e),
                vef_megafly_leaf(megafly, e / 2 / megafly->leaves, e / 2 % megafly->leaves));
        for (uint32_t g = 0; g < groups; g++) {
            check_group(topology, g);
            for (uint32_t t = 0; t < groups; t++)
                if (t != g)
                    check_links(topology, g, t);
        }
        vef_topology_destroy(topology);
    }
}

/* The global links are those of a dragonfly whose routers are the spines. */
static void test_global_links_are_those_of_a_dragonfly(void **state) {
    (void)state;
    vef_topology *megafly = topology_of("megafly", "{leaves: 2, spines: 4, h: 2}", 1);
    vef_topology *dragonfly = topology_of("dragonfly", "{a: 4, h: 2}", 1);
    for (uint32_t r = 0; r < dragonfly->routers; r++)
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t spine = r / 4 * 6 + 2 + r % 4;
            const uint32_t end = neighbour_of(dragonfly, r, 3 + k);
            assert_int_equal(neighbour_of(megafly, spine, 6 + k), end / 4 * 6 + 2 + end % 4);
        }
    vef_topology_destroy(megafly);
    vef_topology_destroy(dragonfly);
}

/* 3 leaves, 3 endpoints at each, 3 global links at a spine: 10 groups, 90 endpoints. A leaf has 2
 * others at 2 hops and 27 at 3. Up links: 87 of 90 endpoints are on other leaves, so that 3 x 87 /
 * 90 leave a leaf for every 3 that it sends, on 3 links. */
static void test_small_network(void **state) {
    (void)state;
    vef_topology *topology =
        topology_of("megafly", "{leaves: 3, h: 3, endpoints_per_router: 3}", 0);
    vef_figures figures;
    vef_error error = {0};
    if (vef_figures_measure(topology, NULL, &figures, &error))
        fail_msg("%s", error.message);
    assert_int_equal(figures.routers, 60);
    assert_int_equal(figures.endpoints, 90);
    assert_int_equal(figures.links, 10 * 9 + 10 * 9 / 2);
    assert_int_equal(figures.diameter, 3);
    assert_near(figures.average_distance, (2 * 2 + 27 * 3) / 30.0, 1e-12);
    assert_near(figures.average_distance_without_itself, (2 * 2 + 27 * 3) / 29.0, 1e-12);
    assert_near(figures.throughput_bound, 90.0 / 87, 1e-9);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
}

static void test_names(void **state) {
    (void)state;
    vef_topology *topology = topology_of("megafly", "{leaves: 3, spines: 2, h: 2}", 1);
    static const char *const ports[] = {"down 0", "down 1",   "down 2",  "up 0",
                                        "up 1",   "global 0", "global 1"};
    char name[VEF_ROUTER_NAME_BYTES];
    assert_int_equal(topology->ports, 7);
    for (uint32_t port = 0; port < 7; port++) {
        vef_topology_port_name(topology, port, name, sizeof name);
        assert_string_equal(name, ports[port]);
    }
    vef_topology_router_name(topology, 12, name, sizeof name);
    assert_string_equal(name, "group 2, leaf 2");
    vef_topology_router_name(topology, 13, name, sizeof name);
    assert_string_equal(name, "group 2, spine 0");
    assert_int_equal(vef_topology_link_class(topology, 12, 3), 0);
    assert_int_equal(vef_topology_link_class(topology, 13, 5), 1);
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
        uint32_t per_router;
    } rows[] = {
        {"h: 2", "leaves", 1},
        {"leaves: 0, h: 2", "from 1 to 1024", 1},
        {"leaves: 3, h: 3, groups: 11", "(spines x h): out of range: expected 2 to 10", 1},
        {"leaves: 3, spines: 1, h: 3, groups: 3", "such as 2 or 4", 1},
        {"leaves: 3, h: 3, arrangement: circulant", "expected an even number", 1},
        {"leaves: 1000, spines: 2, h: 30", "a router with 1032 links", 1},
        {"leaves: 1024, spines: 200, h: 200",
         "groups of 1224 routers: out of range: expected at "
         "most 13706",
         1},
        {"leaves: 512, spines: 128, h: 128", "endpoints_per_router: 4096 at each of 8389120 leaves",
         4096},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: megafly, %s}", rows[i].parameters);
        assert_topology_refused(yaml, rows[i].per_router, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_and_links),
        cmocka_unit_test(test_global_links_are_those_of_a_dragonfly),
        cmocka_unit_test(test_small_network),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
