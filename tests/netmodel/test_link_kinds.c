/* Kinds of links: those of networks whose symmetries are known from how they are built. */
#include "netmodel/analysis/graph/graph.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_kinds_of_known_networks(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t kinds;
    } rows[] = {
        {"torus", "{sizes: [5, 5]}", 1},
        {"torus", "{sizes: [5, 4]}", 2},
        {"torus", "{sizes: [5, 4, 5]}", 2},
        {"rtt", "{a: 5}", 1},
        {"lattice", "{sizes: [10, 5], shifts: [[], [4]]}",
         2},                                  /* RTT(5) but for 1: not edge-symmetric */
        {"king-torus", "{sizes: [6, 6]}", 2}, /* straight and diagonal */
        {"hypercube", "{dimensions: 4}", 1},
        {"complete", "{routers: 9}", 1},
        {"barrel-shifter", "{bits: 5}", 5}, /* steps of 1, 2, 4, 8, 16 */
        {"cube-connected-cycles", "{dimensions: 4}", 2},
        {"kary-ntree", "{k: 3, n: 2}", 1}, /* between its two orbits, the stages */
        {"kary-ntree", "{k: 2, n: 4}", 3},
        {"twin-torus", "{sizes: [4, 4, 4], card0: [x+, x-, y+]}", 3}, /* x and z change places */
        {"kary-ntree", "{k: 4, n: 2, inner_links: 1}", 0},            /* nothing is claimed */
        {"xgft", "{m: [4, 4], w: [1, 2]}", 1},
        {"xgft", "{m: [4, 2, 3], w: [1, 2, 5], links: [1, 2, 1]}", 2},
        {"slim-fly", "{q: 5}", 2}, /* in groups and across */
        {"slim-fly", "{q: 7}", 5}, /* two pairs of generators in each half, and across */
        {"slim-fly", "{q: 4}", 5}, /* two generators, each its own inverse */
        {"polarfly", "{q: 5}", 4}, /* W-V1, V1-V1, V1-V2, V2-V2 */
        {"polarfly", "{q: 8}", 3}, /* W-V1, V1-V1, W-V2 */
        {"jellyfish", "{routers: 16, degree: 4}", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        vef_graph *graph = NULL;
        vef_error error = {0};
        if (vef_graph_create(topology, &graph, &error))
            fail_msg("%s %s: %s", rows[i].family, rows[i].parameters, error.message);
        const uint32_t kinds = vef_count_link_kinds(graph);
        if (kinds != rows[i].kinds)
            fail_msg("%s %s: %u kinds of links, not %u", rows[i].family, rows[i].parameters, kinds,
                     rows[i].kinds);
        vef_graph_destroy(graph);
        vef_topology_destroy(topology);
    }
}

/* A torus stacked into a mesh: links of a row differ by how far the row is from the border, so that
 * there are more kinds than ports have, whichever of them are claimed to be alike. */
static void test_borders_tell_links_apart(void **state) {
    (void)state;
    vef_topology *topology = topology_of("lattice", "{sizes: [4, 4, 6], wrap: [1, 1, 0]}", 1);
    vef_graph *graph = NULL;
    vef_error error = {0};
    assert_int_equal(vef_graph_create(topology, &graph, &error), VEF_OK);
    const uint32_t kinds = vef_count_link_kinds(graph);
    assert_true(kinds >= 3 + 3); /* along x and y in rows 0 to 2, along z out of rows 0 to 2 */
    assert_true(kinds <= 2 * 6 + 5);
    vef_graph_destroy(graph);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_of_known_networks),
        cmocka_unit_test(test_borders_tell_links_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
