/* k-ary n-trees: the graph against its definition written once more here with digits as arrays,
 * DESTRO paths, distances and symmetries by search, T-switches, and what is refused. */
#include "netmodel/topology/tree/kary_ntree.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static uint32_t power(uint32_t base, uint32_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

static void digits(uint32_t number, uint32_t k, uint32_t count, uint32_t *digit) {
    for (uint32_t i = 0; i < count; i++, number /= k)
        digit[i] = number % k;
}

/* Villar et al., section 5: s' = s + 1 and o_i = o'_i for all i but s. */
static bool connected(uint32_t k, uint32_t n, uint32_t s, uint32_t o, uint32_t s2, uint32_t o2) {
    uint32_t a[24], b[24];
    digits(o, k, n - 1, a);
    digits(o2, k, n - 1, b);
    if (s2 != s + 1)
        return false;
    for (uint32_t i = 0; i < n - 1; i++)
        if (i != s && a[i] != b[i])
            return false;
    return true;
}

static const struct {
    const char *parameters;
    uint32_t k, n;
} plain[] = {
    {"{k: 4, n: 3}", 4, 3}, {"{k: 2, n: 5}", 2, 5}, {"{k: 3, n: 2}", 3, 2},
    {"{k: 5, n: 2}", 5, 2}, {"{k: 3, n: 4}", 3, 4}, {"{k: 2, n: 2}", 2, 2},
};
enum { PLAIN = sizeof plain / sizeof plain[0] };

static void test_graph_is_that_of_the_definition(void **state) {
    (void)state;
    for (size_t i = 0; i < PLAIN; i++) {
        const uint32_t k = plain[i].k, n = plain[i].n, positions = power(k, n - 1);
        vef_topology *topology = topology_of("kary-ntree", plain[i].parameters, 1);
        assert_int_equal(topology->routers, n * positions);
        assert_int_equal(topology->endpoints, power(k, n));
        assert_int_equal(topology->endpoints_per_router, k);
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t b = 0; b < topology->routers; b++) {
                uint32_t up = 0;
                for (uint32_t port = k; port < 2 * k; port++)
                    up += topology->neighbour[(size_t)a * 2 * k + port] == b;
                assert_int_equal(up, connected(k, n, a / positions, a % positions, b / positions,
                                               b % positions));
            }
        /* Ports: proposition 9's proof. Down ports of stage 0 are the terminals'. */
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t l = 0; l < k; l++) {
                const size_t up = (size_t)a * 2 * k + k + l;
                uint32_t here[24], there[24];
                if (a / positions == 0)
                    assert_int_equal(topology->neighbour[up - k], VEF_NO_ROUTER);
                if (a / positions == n - 1) {
                    assert_int_equal(topology->neighbour[up], VEF_NO_ROUTER);
                    continue;
                }
                digits(a % positions, k, n - 1, here);
                digits(topology->neighbour[up] % positions, k, n - 1, there);
                assert_int_equal(there[a / positions], l);
                assert_int_equal(topology->reverse_port[up], here[a / positions]);
            }
        for (uint32_t h = 0; h < topology->endpoints; h++) {
            uint32_t of_terminal[24], of_switch[24];
            assert_true(vef_topology_router_of(topology, h) < positions);
            digits(h, k, n, of_terminal);
            digits(vef_topology_router_of(topology, h), k, n - 1, of_switch);
            for (uint32_t d = 0; d + 1 < n; d++)
                assert_int_equal(of_switch[d], of_terminal[d + 1]);
        }
        vef_topology_destroy(topology);
    }
}

static void test_distance_by_digits_is_that_by_search(void **state) {
    (void)state;
    for (size_t i = 0; i < PLAIN; i++) {
        vef_topology *topology = topology_of("kary-ntree", plain[i].parameters, 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance), greatest = 0;
        assert_non_null(topology->distance);
        for (uint32_t a = 0; a < topology->routers; a++) {
            distances_from(topology, a, distance);
            for (uint32_t b = 0; b < topology->routers; b++)
                assert_int_equal(topology->distance(topology, a, b), distance[b]);
        }
        distances_from(topology, 0, distance);
        for (uint32_t h = 0; h < topology->endpoints; h++) {
            const uint32_t to = distance[vef_topology_router_of(topology, h)];
            greatest = to > greatest ? to : greatest;
        }
        assert_int_equal(greatest, 2 * (plain[i].n - 1)); /* over the last stage */
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* DESTRO: up by the destination's digit of the stage until the destination is below, then down; it
 * arrives, as fast as any path, and loads all upward links of a stage alike. */
static void test_destro_arrives_and_spreads(void **state) {
    (void)state;
    for (size_t i = 0; i < PLAIN; i++) {
        const uint32_t k = plain[i].k, n = plain[i].n;
        vef_topology *topology = topology_of("kary-ntree", plain[i].parameters, 1);
        const vef_kary_ntree *tree = vef_kary_ntree_of(topology);
        const size_t links = (size_t)topology->routers * 2 * k;
        uint64_t *paths = calloc(links, sizeof *paths);
        for (uint32_t from = 0; from < topology->endpoints; from++)
            for (uint32_t to = 0; to < topology->endpoints; to++) {
                uint32_t index = vef_topology_router_of(topology, from), hops = 0;
                const uint32_t start = index;
                for (;; hops++) {
                    const uint32_t port = vef_kary_destro_port(tree, vef_kary_stage(tree, index),
                                                               vef_kary_position(tree, index), to);
                    const size_t link = (size_t)index * 2 * k + port;
                    if (vef_kary_stage(tree, index) == 0 && port < k) {
                        assert_int_equal(port, to % k);
                        break;
                    }
                    assert_int_not_equal(topology->neighbour[link], VEF_NO_ROUTER);
                    assert_true(hops <= 2 * n);
                    paths[link]++;
                    index = topology->neighbour[link];
                }
                assert_int_equal(index, vef_topology_router_of(topology, to));
                assert_int_equal(hops, topology->distance(topology, start, index));
            }
        for (uint32_t router = 0; router < topology->routers; router++)
            for (uint32_t port = k; port < 2 * k && vef_kary_stage(tree, router) < n - 1; port++) {
                /* table 1: k^(s+1) sources below, k^(n-s-1) - 1 destinations by each up port */
                const uint32_t s = vef_kary_stage(tree, router);
                assert_int_equal(paths[(size_t)router * 2 * k + port],
                                 power(k, s + 1) * (power(k, n - s - 1) - 1));
            }
        free(paths);
        vef_topology_destroy(topology);
    }
}

/* What symmetries keep: the switches of a stage see the same distances, to switches and to
 * terminals, and so do the two ends of all links of a kind. */
static void test_what_is_claimed_to_be_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < PLAIN; i++) {
        vef_topology *topology = topology_of("kary-ntree", plain[i].parameters, 1);
        const uint32_t positions = topology->routers / plain[i].n;
        uint32_t *here = malloc(topology->routers * sizeof *here);
        uint32_t *there = malloc(topology->routers * sizeof *there);
        uint64_t seen[24][2] = {{0}};
        assert_int_equal(topology->orbits, plain[i].n);
        for (uint32_t router = 0; router < topology->routers; router++) {
            assert_int_equal(vef_topology_orbit(topology, router), router / positions);
            distances_from(topology, router, here);
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = topology->neighbour[(size_t)router * topology->ports + port];
                if (next == VEF_NO_ROUTER)
                    continue;
                const uint32_t up = next / positions > router / positions;
                assert_int_equal(vef_topology_port_kind(topology, router, port), up);
                distances_from(topology, next, there);
                uint64_t pairs = 1;
                for (uint32_t r = 0; r < topology->routers; r++)
                    pairs += (uint64_t)(here[r] * here[r] + 1) * (there[r] + 7) * (there[r] + 7) *
                             (there[r] + 7) * (r < positions ? 1 : 1000);
                if (seen[router / positions][up] == 0)
                    seen[router / positions][up] = pairs;
                assert_int_equal(pairs, seen[router / positions][up]);
            }
        }
        free(here);
        free(there);
        vef_topology_destroy(topology);
    }
}

/* Both inner switches of a T-switch put together are the plain switch; each has the ports that the
 * pattern gives it, and there are r links between them. */
static void check_t_switches(const char *parameters, const char *of_plain, uint32_t links,
                             const uint8_t *alpha /* [stage * 2k + port] */) {
    vef_topology *twin = topology_of("kary-ntree", parameters, 1);
    vef_topology *single = topology_of("kary-ntree", of_plain, 1);
    const uint32_t k2 = single->ports, n = (uint32_t)vef_kary_ntree_of(single)->n;
    const uint32_t positions = single->routers / n;
    assert_int_equal(twin->ports, k2 + links);
    assert_int_equal(twin->routers, 2 * single->routers);
    assert_int_equal(twin->orbits, 0);
    for (uint32_t router = 0; router < twin->routers; router++) {
        const uint32_t *next = twin->neighbour + (size_t)router * twin->ports;
        const uint16_t *back = twin->reverse_port + (size_t)router * twin->ports;
        for (uint32_t port = 0; port < k2; port++) {
            const size_t whole = (size_t)(router / 2) * k2 + port;
            const uint32_t other = single->neighbour[whole];
            const bool on_alpha = alpha[router / 2 / positions * k2 + port] != 0;
            if (other == VEF_NO_ROUTER || on_alpha != (router % 2 == 0)) {
                assert_int_equal(next[port], VEF_NO_ROUTER);
                continue;
            }
            const uint16_t other_port = single->reverse_port[whole];
            assert_int_equal(next[port],
                             2 * other + (alpha[other / positions * k2 + other_port] == 0));
            assert_int_equal(back[port], other_port);
        }
        for (uint32_t port = k2; port < twin->ports; port++) {
            assert_int_equal(next[port], router ^ 1);
            assert_int_equal(back[port], port);
        }
    }
    assert_int_equal(twin->endpoints, single->endpoints);
    for (uint32_t h = 0; h < twin->endpoints; h++)
        assert_int_equal(vef_topology_router_of(twin, h),
                         2 * vef_topology_router_of(single, h) + (alpha[h % (k2 / 2)] == 0));
    vef_topology_destroy(twin);
    vef_topology_destroy(single);
}

static void test_t_switches_hold_their_pattern(void **state) {
    (void)state;
    /* Figure 7: halves before the last stage, all of B together in it. */
    static const uint8_t best4[] = {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0,
                                    1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0};
    check_t_switches("{k: 4, n: 3, inner_links: 1}", "{k: 4, n: 3}", 1, best4);
    check_t_switches("{k: 4, n: 3, inner_links: 5}", "{k: 4, n: 3}", 5, best4);
    static const uint8_t best2[] = {1, 0, 1, 0, 1, 1, 0, 0};
    check_t_switches("{k: 2, n: 2, inner_links: 2}", "{k: 2, n: 2}", 2, best2);
    static const uint8_t full[] = {1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1};
    check_t_switches("{k: 3, n: 2, inner_links: 1, alpha: [[5, 0, 4]]}", "{k: 3, n: 2}", 1, full);
    static const uint8_t each[] = {1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1};
    check_t_switches("{k: 4, n: 2, inner_links: 2, alpha: [[0, 2, 5, 7], [4, 5, 6, 7]]}",
                     "{k: 4, n: 2}", 2, each);
}

/* endpoints_per_router: that many at each terminal. */
static void test_endpoints_at_terminals(void **state) {
    (void)state;
    vef_topology *topology = topology_of("kary-ntree", "{k: 3, n: 2}", 4);
    assert_int_equal(topology->endpoints, 36);
    assert_int_equal(topology->endpoints_per_router, 12);
    for (uint32_t e = 0; e < 36; e++) {
        assert_int_equal(vef_kary_terminal(topology, e), e / 4);
        assert_int_equal(vef_topology_router_of(topology, e), e / 12);
    }
    vef_topology_destroy(topology);
    topology =
        topology_of("kary-ntree", "{k: 3, n: 2, inner_links: 1, alpha: [[0, 2, 5], [0, 1, 2]]}", 2);
    assert_int_equal(topology->endpoints, 18);
    assert_int_equal(topology->endpoints_per_router, 4); /* two of three terminals on alpha */
    vef_topology_destroy(topology);
}

static void test_names_and_classes(void **state) {
    (void)state;
    char name[VEF_ROUTER_NAME_BYTES];
    vef_topology *topology = topology_of("kary-ntree", "{k: 4, n: 4}", 1);
    vef_topology_router_name(topology, 2 * 64 + 7, name, sizeof name);
    assert_string_equal(name, "stage 2, switch 013");
    vef_topology_port_name(topology, 3, name, sizeof name);
    assert_string_equal(name, "down 3");
    vef_topology_port_name(topology, 5, name, sizeof name);
    assert_string_equal(name, "up 1");
    assert_int_equal(topology->link_classes, 3);
    vef_topology_link_class_name(topology, 2, name, sizeof name);
    assert_string_equal(name, "stage 2-3");
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[(size_t)router * 8 + port];
            if (next != VEF_NO_ROUTER)
                assert_int_equal(vef_topology_link_class(topology, router, port),
                                 (next < router ? next : router) / 64);
        }
    vef_topology_destroy(topology);
    topology = topology_of("kary-ntree", "{k: 12, n: 3, inner_links: 2}", 1);
    vef_topology_router_name(topology, 2 * (144 + 131) + 1, name, sizeof name);
    assert_string_equal(name, "stage 1, switch 10.11 beta");
    vef_topology_port_name(topology, 25, name, sizeof name);
    assert_string_equal(name, "inner 1");
    assert_int_equal(topology->link_classes, 3);
    vef_topology_link_class_name(topology, 2, name, sizeof name);
    assert_string_equal(name, "inner");
    assert_int_equal(vef_topology_link_class(topology, 5, 25), 2);
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
        uint32_t per_router;
    } rows[] = {
        {"k: 1, n: 3", "from 2", 1},
        {"k: 4", "n", 1},
        {"k: 4, n: 0", "from 1", 1},
        {"k: 4, n: 1", "expected 2 or more stages", 1},
        /* The best pattern of the last stage, and so of the only one, separates down from up. */
        {"k: 4, n: 1, inner_links: 1", "all endpoints, on inner switch alpha", 1},
        {"k: 3, n: 1, inner_links: 2", "all endpoints, on inner switch alpha", 1},
        {"k: 2, n: 1, inner_links: 1, alpha: [[2, 3]]", "on inner switch beta", 1},
        {"k: 2, n: 24", "more than 16777216 routers", 1},
        {"k: 512, n: 24", "more than 16777216 routers", 1},
        {"k: 8, n: 8, inner_links: 1", "more than 16777216 routers", 1},
        {"k: 600, n: 2", "to 512", 1},
        {"k: 512, n: 2, inner_links: 1", "expected at most 0", 1},
        {"k: 4, n: 2, inner_links: -1", "from 0", 1},
        {"k: 5, n: 2, inner_links: 1", "expected an even k", 1},
        {"k: 4, n: 2, alpha: [[0, 1, 4, 5]]", "inner_links of 1 or more", 1},
        {"k: 4, n: 2, inner_links: 1, alpha: [[0, 1, 4]]", "row 0 lists 3 ports", 1},
        {"k: 4, n: 2, inner_links: 1, alpha: [[0, 1, 4, 5, 6]]", "row 0 lists 5 ports", 1},
        {"k: 4, n: 2, inner_links: 1, alpha: [[0, 1, 4, 4]]", "port 4 twice", 1},
        {"k: 4, n: 2, inner_links: 1, alpha: [[0, 1, 4, 5], [0, 1, 4, 8]]",
         "row 1 lists port 8: out of range: expected 0 to 3", 1},
        {"k: 4, n: 3, inner_links: 1, alpha: [[0, 1, 4, 5], [0, 1, 4, 5]]", "2 rows for 3 stages",
         1},
        {"k: 4, n: 11", "endpoints_per_router: 4096 at each of 4194304 terminals", 4096},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: kary-ntree, %s}", rows[i].parameters);
        assert_topology_refused(yaml, rows[i].per_router, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_is_that_of_the_definition),
        cmocka_unit_test(test_distance_by_digits_is_that_by_search),
        cmocka_unit_test(test_destro_arrives_and_spreads),
        cmocka_unit_test(test_what_is_claimed_to_be_alike),
        cmocka_unit_test(test_t_switches_hold_their_pattern),
        cmocka_unit_test(test_endpoints_at_terminals),
        cmocka_unit_test(test_names_and_classes),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
