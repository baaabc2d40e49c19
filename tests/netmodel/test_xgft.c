/* Extended generalized fat trees: the graph against its definition written once more here with
 * digits as arrays, k-ary n-trees, the functions that routings use, symmetries, cuts, D-mod-K
 * paths, and what is refused. */
#include "netmodel/routing/tree/nca.h"
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/symmetries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4 };

static const struct {
    const char *parameters;
    uint32_t h, m[LEVELS + 1], w[LEVELS + 1], links[LEVELS + 1]; /* from index 1 */
} trees[] = {
    {"{m: [4, 4], w: [1, 2]}", 2, {0, 4, 4}, {0, 1, 2}, {0, 1, 1}},
    {"{m: [3, 5], w: [1, 4], links: [1, 3]}", 2, {0, 3, 5}, {0, 1, 4}, {0, 1, 3}},
    {"{m: [3, 3, 6], w: [1, 3, 3]}", 3, {0, 3, 3, 6}, {0, 1, 3, 3}, {0, 1, 1, 1}},
    {"{m: [4, 2, 3], w: [1, 2, 5], links: [1, 2, 1]}", 3, {0, 4, 2, 3}, {0, 1, 2, 5}, {0, 1, 2, 1}},
    {"{m: [2, 3, 1, 2], w: [1, 1, 2, 3], links: [1, 1, 1, 2]}",
     4,
     {0, 2, 3, 1, 2},
     {0, 1, 1, 2, 3},
     {0, 1, 1, 1, 2}},
};
enum { TREES = sizeof trees / sizeof trees[0] };

/* A switch by its level and digits, a_i in digit[i]; counted up by hand, digit 1 first. */
typedef struct place {
    uint32_t level, digit[LEVELS + 1];
} place;

/* All switches in the order of their numbers. */
static place *list_places(size_t tree, uint32_t *count) {
    place *list = calloc(4096, sizeof *list);
    assert_non_null(list);
    *count = 0;
    for (uint32_t level = 1; level <= trees[tree].h; level++) {
        place current = {.level = level};
        for (uint32_t i = 1; i <= trees[tree].h;) {
            if (i == 1) {
                assert_true(*count < 4096);
                list[(*count)++] = current;
            }
            if (++current.digit[i] < (i <= level ? trees[tree].w[i] : trees[tree].m[i]))
                i = 1;
            else
                current.digit[i++] = 0;
        }
    }
    return list;
}

/* Links between two switches: Öhring et al., section 2. */
static uint32_t links_between(size_t tree, const place *low, const place *high) {
    if (high->level != low->level + 1)
        return 0;
    for (uint32_t i = 1; i <= trees[tree].h; i++)
        if (i != high->level && low->digit[i] != high->digit[i])
            return 0;
    return trees[tree].links[high->level];
}

static void test_graph_is_that_of_the_definition(void **state) {
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        vef_topology *topology = topology_of("xgft", trees[i].parameters, 1);
        const vef_xgft *tree = vef_xgft_of(topology);
        uint32_t switches, terminals = 1;
        place *list = list_places(i, &switches);
        for (uint32_t level = 1; level <= trees[i].h; level++)
            terminals *= trees[i].m[level];
        assert_int_equal(topology->routers, switches);
        assert_int_equal(topology->endpoints, terminals);
        assert_int_equal(topology->endpoints_per_router, trees[i].m[1]);
        for (uint32_t a = 0; a < switches; a++) {
            const uint32_t level = list[a].level;
            assert_int_equal(vef_xgft_level(tree, a), level);
            const uint32_t position = vef_xgft_position(tree, level, a);
            assert_int_equal(vef_xgft_router(tree, level, position), a);
            for (uint32_t digit = 1; digit <= trees[i].h; digit++)
                assert_int_equal(vef_xgft_digit(tree, level, position, digit),
                                 list[a].digit[digit]);
            for (uint32_t b = 0; b < switches; b++) {
                uint32_t up = 0, down = 0;
                for (uint32_t port = 0; port < topology->ports; port++)
                    if (neighbour_of(topology, a, port) == b)
                        *(vef_xgft_is_up(tree, port) ? &up : &down) += 1;
                assert_int_equal(up, links_between(i, &list[a], &list[b]));
                assert_int_equal(down, links_between(i, &list[b], &list[a]));
            }
        }
        free(list);
        vef_topology_destroy(topology);
    }
}

/* Each port leads to the parent or child of which it is the port, and back by the same parallel
 * link. */
static void test_ports_and_relatives(void **state) {
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        vef_topology *topology = topology_of("xgft", trees[i].parameters, 1);
        const vef_xgft *tree = vef_xgft_of(topology);
        for (uint32_t a = 0; a < topology->routers; a++) {
            const uint32_t level = vef_xgft_level(tree, a), position = a - tree->first[level];
            if (level == trees[i].h) {
                assert_int_equal(vef_xgft_up_ports(tree, level), 0);
                continue;
            }
            assert_int_equal(vef_xgft_up_ports(tree, level),
                             trees[i].w[level + 1] * trees[i].links[level + 1]);
            const uint32_t child = vef_xgft_digit(tree, level, position, level + 1);
            for (uint32_t parent = 0; parent < trees[i].w[level + 1]; parent++)
                for (uint32_t link = 0; link < trees[i].links[level + 1]; link++) {
                    const uint32_t up = vef_xgft_up_port(tree, level, parent, link);
                    const uint32_t above = vef_xgft_parent(tree, level, position, parent);
                    const size_t port = (size_t)a * topology->ports + up;
                    assert_int_equal(topology->neighbour[port],
                                     vef_xgft_router(tree, level + 1, above));
                    assert_int_equal(topology->reverse_port[port],
                                     vef_xgft_down_port(tree, level + 1, child, link));
                    assert_int_equal(vef_xgft_child(tree, level + 1, above, child), position);
                    assert_int_equal(vef_xgft_digit(tree, level + 1, above, level + 1), parent);
                }
        }
        vef_topology_destroy(topology);
    }
}

/* Terminals below a switch: those reached by links down alone. */
static void mark_below(const vef_topology *topology, uint32_t router, bool *below) {
    const vef_xgft *tree = vef_xgft_of(topology);
    for (uint32_t t = 0; t < topology->endpoints; t++)
        below[t] = below[t] || vef_topology_router_of(topology, t) == router;
    for (uint32_t port = 0; port < tree->down_ports; port++) {
        const uint32_t child = neighbour_of(topology, router, port);
        if (child != VEF_NO_ROUTER)
            mark_below(topology, child, below);
    }
}

static void test_terminals_below(void **state) {
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        vef_topology *topology = topology_of("xgft", trees[i].parameters, 1);
        const vef_xgft *tree = vef_xgft_of(topology);
        for (uint32_t a = 0; a < topology->routers; a++) {
            const uint32_t level = vef_xgft_level(tree, a),
                           position = vef_xgft_position(tree, level, a);
            bool *below = calloc(topology->endpoints, sizeof *below);
            mark_below(topology, a, below);
            for (uint32_t t = 0; t < topology->endpoints; t++) {
                assert_int_equal(vef_xgft_is_below(tree, level, position, t), below[t]);
                if (!below[t] || level == 1)
                    continue;
                const uint32_t child = vef_xgft_child_towards(tree, level, t);
                assert_true(vef_xgft_is_below(tree, level - 1,
                                              vef_xgft_child(tree, level, position, child), t));
            }
            free(below);
        }
        for (uint32_t t = 0; t < topology->endpoints; t++)
            assert_int_equal(vef_xgft_child_towards(tree, 1, t), t % trees[i].m[1]);
        vef_topology_destroy(topology);
    }
}

/* XGFT(n; k …; 1, k …) is the k-ary n-tree, port by port. */
static void test_kary_ntrees(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"{k: 4, n: 3}", "{m: [4, 4, 4], w: [1, 4, 4]}"},
        {"{k: 3, n: 2}", "{m: [3, 3], w: [1, 3]}"},
        {"{k: 2, n: 5}", "{m: [2, 2, 2, 2, 2], w: [1, 2, 2, 2, 2]}"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        vef_topology *kary = topology_of("kary-ntree", pairs[i][0], 3);
        vef_topology *xgft = topology_of("xgft", pairs[i][1], 3);
        assert_int_equal(xgft->routers, kary->routers);
        assert_int_equal(xgft->ports, kary->ports);
        assert_int_equal(xgft->endpoints, kary->endpoints);
        assert_int_equal(xgft->endpoints_per_router, kary->endpoints_per_router);
        assert_memory_equal(xgft->neighbour, kary->neighbour,
                            (size_t)kary->routers * kary->ports * sizeof *kary->neighbour);
        for (uint32_t e = 0; e < kary->endpoints; e++)
            assert_int_equal(vef_topology_router_of(xgft, e), vef_topology_router_of(kary, e));
        assert_non_null(vef_xgft_of(kary));
        assert_memory_equal(vef_xgft_of(kary), vef_xgft_of(xgft), sizeof(vef_xgft));
        for (uint32_t a = 0; a < kary->routers; a++)
            for (uint32_t b = 0; b < kary->routers; b++)
                assert_int_equal(xgft->distance(xgft, a, b), kary->distance(kary, a, b));
        vef_topology_destroy(kary);
        vef_topology_destroy(xgft);
    }
}

static void test_distance_by_digits_is_that_by_search(void **state) {
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        vef_topology *topology = topology_of("xgft", trees[i].parameters, 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        for (uint32_t a = 0; a < topology->routers; a++) {
            distances_from(topology, a, distance);
            for (uint32_t b = 0; b < topology->routers; b++)
                assert_int_equal(topology->distance(topology, a, b), distance[b]);
        }
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* ---- symmetries ---- */

/* The image of a switch under the symmetry that adds x_i and y_i to its digits. */
static uint32_t shifted(size_t which, const vef_xgft *tree, uint32_t router, const uint32_t *x,
                        const uint32_t *y) {
    const uint32_t level = vef_xgft_level(tree, router), position = router - tree->first[level];
    uint32_t image = 0, weight = 1;
    for (uint32_t i = 1; i <= trees[which].h; i++) {
        const uint32_t radix = i <= level ? trees[which].w[i] : trees[which].m[i];
        const uint32_t digit = vef_xgft_digit(tree, level, position, i);
        image += (digit + (i <= level ? x[i] : y[i])) % radix * weight;
        weight *= radix;
    }
    return tree->first[level] + image;
}

static void test_what_is_claimed_to_be_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < TREES; i++) {
        vef_topology *topology = topology_of("xgft", trees[i].parameters, 1);
        const vef_xgft *tree = vef_xgft_of(topology);
        assert_int_equal(topology->orbits, trees[i].h);
        symmetries known = symmetries_of(topology);
        for (uint32_t digit = 1; digit <= trees[i].h; digit++)
            for (uint32_t kind = 0; kind < 2; kind++) {
                uint32_t shifts[2][LEVELS + 1] = {{0}};
                shifts[kind][digit] = 1;
                for (uint32_t a = 0; a < topology->routers; a++)
                    known.image[a] = shifted(i, tree, a, shifts[0], shifts[1]);
                add_symmetry(&known, false);
            }
        check_claims(&known);
        for (uint32_t a = 0; a < topology->routers; a++) {
            assert_int_equal(vef_topology_orbit(topology, a), vef_xgft_level(tree, a) - 1);
            for (uint32_t port = 0; port < topology->ports; port++)
                assert_int_equal(vef_topology_port_kind(topology, a, port),
                                 vef_xgft_is_up(tree, port));
        }
        release_symmetries(&known);
        vef_topology_destroy(topology);
    }
}

/* Half of the links of the top level: W_h m_h / 2 of them for W_h switches, where m_h is even. */
static void test_cut(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t links; /* 0: no axis */
    } rows[] = {
        {"{m: [4, 4, 4], w: [1, 4, 4]}", 32}, /* full: a link for each of 64 / 2 terminals */
        {"{m: [4, 4], w: [1, 2]}", 4},        /* 2 : 1: one for two */
        {"{m: [8, 6], w: [1, 2], links: [1, 2]}", 12}, /* 8 : 4 */
        {"{m: [3, 3, 6], w: [1, 3, 3]}", 27},
        {"{m: [4, 2], w: [1, 1]}", 1},
        {"{m: [4, 2, 3], w: [1, 2, 5]}", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("xgft", rows[i].parameters, 1);
        assert_int_equal(topology->axes, rows[i].links > 0);
        uint32_t crossing = 0, far = 0, far_endpoints = 0;
        for (uint32_t a = 0; topology->axes && a < topology->routers; a++) {
            const bool side = vef_topology_far_side(topology, 0, a);
            far += side;
            for (uint32_t b = 0; b < topology->routers; b++)
                if (side && !vef_topology_far_side(topology, 0, b))
                    crossing += count_links(topology, a, b);
        }
        for (uint32_t e = 0; topology->axes && e < topology->endpoints; e++)
            far_endpoints +=
                vef_topology_far_side(topology, 0, vef_topology_router_of(topology, e));
        assert_int_equal(crossing, rows[i].links);
        if (topology->axes) {
            assert_int_equal(far_endpoints, topology->endpoints / 2);
            assert_int_equal(far, (topology->routers + 1) / 2);
        }
        vef_topology_destroy(topology);
    }
}

/* ---- D-mod-K ---- */

/* The links of the path from terminal `from` to `to`: up port floor(to / (w_1 … w_l)) modulo the
 * number of up ports at level l until `to` is below, then down by the same parallel link. */
static void walk(const vef_topology *topology, uint32_t from, uint32_t to, uint32_t *load) {
    const vef_xgft *tree = vef_xgft_of(topology);
    uint32_t router = vef_topology_router_of(topology, from), port;
    while (router != vef_topology_router_of(topology, to)) {
        const uint32_t level = vef_xgft_level(tree, router);
        const bool down =
            vef_xgft_is_below(tree, level, vef_xgft_position(tree, level, router), to);
        const uint32_t lower = down ? level - 1 : level;
        const uint32_t wanted = to / tree->copies[lower] % vef_xgft_up_ports(tree, lower);
        const uint32_t link = wanted / tree->w[lower + 1];
        if (down)
            port = vef_xgft_down_port(tree, level, vef_xgft_child_towards(tree, level, to), link);
        else
            port = vef_xgft_up_port(tree, level, wanted % tree->w[lower + 1], link);
        load[(size_t)router * topology->ports + port]++;
        router = neighbour_of(topology, router, port);
        assert_int_not_equal(router, VEF_NO_ROUTER);
    }
}

/* Zahavi: shift permutations meet no contention where all terminals can send up at full rate; where
 * half of them can, the most loaded link has two. */
static void test_d_mod_k_spreads_shifts(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t most;
    } rows[] = {
        {"{m: [4, 4], w: [1, 4]}", 1},
        {"{m: [4, 4, 4], w: [1, 4, 4]}", 1},
        {"{m: [3, 3, 6], w: [1, 3, 3]}", 1},
        {"{m: [2, 2, 2, 2], w: [1, 2, 2, 2]}", 1},
        {"{m: [4, 4], w: [1, 2], links: [1, 2]}", 1},
        {"{m: [4, 4], w: [1, 2]}", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("xgft", rows[i].parameters, 1);
        const size_t ports = (size_t)topology->routers * topology->ports;
        uint32_t *load = malloc(ports * sizeof *load), most = 0;
        for (uint32_t shift = 1; shift < topology->endpoints; shift++) {
            memset(load, 0, ports * sizeof *load);
            for (uint32_t from = 0; from < topology->endpoints; from++)
                walk(topology, from, (from + shift) % topology->endpoints, load);
            for (size_t port = 0; port < ports; port++)
                most = load[port] > most ? load[port] : most;
        }
        assert_int_equal(most, rows[i].most);
        free(load);
        vef_topology_destroy(topology);
    }
}

/* ---- endpoints, names, what is refused ---- */

static void test_endpoints_at_terminals(void **state) {
    (void)state;
    vef_topology *topology = topology_of("xgft", "{m: [3, 5], w: [1, 4]}", 4);
    assert_int_equal(topology->endpoints, 60);
    assert_int_equal(topology->endpoints_per_router, 12);
    for (uint32_t e = 0; e < 60; e++) {
        assert_int_equal(vef_xgft_terminal(topology, e), e / 4);
        assert_int_equal(vef_topology_router_of(topology, e), e / 12);
    }
    vef_topology_destroy(topology);
    topology = topology_of("kary-ntree", "{k: 4, n: 2, inner_links: 1}", 1);
    assert_null(vef_xgft_of(topology));
    vef_topology_destroy(topology);
    topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    assert_null(vef_xgft_of(topology));
    vef_topology_destroy(topology);
}

static void test_names_and_classes(void **state) {
    (void)state;
    char name[VEF_ROUTER_NAME_BYTES];
    vef_topology *topology =
        topology_of("xgft", "{m: [4, 2, 3], w: [1, 2, 5], links: [1, 2, 1]}", 1);
    /* 6 switches of level 1, 2 x 3 of level 2, 10 of level 3 */
    vef_topology_router_name(topology, 6 + 2 * 2 + 1, name, sizeof name);
    assert_string_equal(name, "level 2, switch 2.1");
    vef_topology_router_name(topology, 12 + 4 * 2 + 0, name, sizeof name);
    assert_string_equal(name, "level 3, switch 4.0");
    /* 2 x 2 ports down at level 2, 3 at level 3; 2 x 2 up at level 1, 5 at level 2 */
    assert_int_equal(topology->ports, 4 + 5);
    vef_topology_port_name(topology, 3, name, sizeof name);
    assert_string_equal(name, "down 3");
    vef_topology_port_name(topology, 4, name, sizeof name);
    assert_string_equal(name, "up 0");
    assert_int_equal(topology->link_classes, 2);
    vef_topology_link_class_name(topology, 1, name, sizeof name);
    assert_string_equal(name, "level 2-3");
    assert_int_equal(vef_topology_link_class(topology, 0, 4), 0);
    assert_int_equal(vef_topology_link_class(topology, 6, 0), 0);
    assert_int_equal(vef_topology_link_class(topology, 6, 4), 1);
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
        uint32_t per_router;
    } rows[] = {
        {"w: [1, 2]", "m", 1},
        {"m: [4, 4]", "w", 1},
        {"m: [4], w: [1]", "m: 1 level: out of range: expected 2 to 24", 1},
        {"m: [], w: []", "m: 0 levels: out of range: expected 2 to 24", 1},
        {"m: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2], w: [1]", "25 levels", 1},
        {"m: [4, 4], w: [1, 2, 2]", "w: 3 numbers for the 2 levels of m: expected 2", 1},
        {"m: [4, 4, 4], w: [1]", "w: 1 number for the 3 levels of m: expected 3", 1},
        {"m: [4, 4], w: [2, 4]",
         "w: begins with 2, but an endpoint attaches to one router by one link: expected 1", 1},
        {"m: [4, 4], w: [1, 4], links: [1]", "links: 1 number for the 2 levels of m: expected 2",
         1},
        {"m: [4, 4], w: [1, 4], links: [2, 1]", "links: begins with 2", 1},
        {"m: [4, 0], w: [1, 4]", "m", 1},
        {"m: [4, 4], w: [1, -1]", "w", 1},
        {"m: [4, 2000], w: [1, 2]", "a switch of level 2 has 2000 ports down", 1},
        {"m: [4, 4], w: [1, 4], links: [1, 300]", "has 1200 ports down", 1},
        {"m: [2, 600], w: [1, 600]",
         "room for 600 ports down and 600 up: out of range: expected at "
         "most 1024 together",
         1},
        {"m: [2, 1000, 1000, 1000], w: [1, 1, 1, 1]", "more than 16777216 routers", 1},
        {"m: [65536, 256, 256], w: [1, 1, 1]", "more than 4294967295 terminals", 1},
        {"m: [2, 2, 2], w: [1, 1000, 1000]", "need 5744 MiB", 1},
        {"m: [1024, 512, 2], w: [1, 1, 1]", "endpoints_per_router: 4096 at each of 1048576", 4096},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: xgft, %s}", rows[i].parameters);
        assert_topology_refused(yaml, rows[i].per_router, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_is_that_of_the_definition),
        cmocka_unit_test(test_ports_and_relatives),
        cmocka_unit_test(test_terminals_below),
        cmocka_unit_test(test_kary_ntrees),
        cmocka_unit_test(test_distance_by_digits_is_that_by_search),
        cmocka_unit_test(test_what_is_claimed_to_be_alike),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_d_mod_k_spreads_shifts),
        cmocka_unit_test(test_endpoints_at_terminals),
        cmocka_unit_test(test_names_and_classes),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
