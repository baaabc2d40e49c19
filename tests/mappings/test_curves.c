/* Mappings along curves: ranks that follow each other are neighbours where the curve promises it,
 * and the Z-order by its definition. */
#include "tests/mappings/traffic.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the first three of the standard library above.
#include <cmocka.h>

/* Whether every rank is a hop from the next. */
static bool is_path(const char *text, const char *sizes) {
    char parameters[64];
    snprintf(parameters, sizeof parameters, "{sizes: %s}", sizes);
    vef_topology *mesh = topology_of("mesh", parameters, 1);
    const vef_mapping_request request = {.text = text, .tasks = mesh->routers};
    vef_mapping *mapping = NULL;
    uint32_t *hops = calloc(mesh->routers, sizeof *hops);
    bool *taken = calloc(mesh->routers, sizeof *taken);
    bool path = true;
    assert_int_equal(vef_mapping_create(&request, mesh, &mapping, NULL), VEF_OK);
    for (uint32_t t = 0; t < mesh->routers; t++) {
        assert_false(taken[mapping->endpoint[t]]);
        taken[mapping->endpoint[t]] = true;
        distances_from(mesh, mapping->endpoint[t], hops);
        path = path && (t + 1 == mesh->routers || hops[mapping->endpoint[t + 1]] == 1);
    }
    free(hops);
    free(taken);
    vef_mapping_destroy(mapping);
    vef_topology_destroy(mesh);
    return path;
}

static void paths(void **state) {
    (void)state;
    static const char *const cubes[] = {"[8]",       "[4, 4]",       "[16, 16]",
                                        "[8, 8, 8]", "[4, 4, 4, 4]", "[2, 2, 2, 2, 2]"};
    static const char *const others[] = {"[7]", "[5, 3]", "[3, 5, 4]", "[2, 3, 2, 5]"};
    for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++)
        assert_true(is_path("hilbert", cubes[i]) && is_path("snake", cubes[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_true(is_path("snake", others[i]));
        is_path("hilbert", others[i]); /* a permutation all the same */
        is_path("morton", others[i]);
    }
    assert_false(is_path("morton", "[4, 4]"));
}

/* Rank 0bzyxzyx is at (0bxx, 0byy, 0bzz). */
static void z_order(void **state) {
    (void)state;
    vef_topology *cube = topology_of("torus", "{sizes: [4, 4, 4]}", 1);
    const vef_mapping_request request = {.text = "morton", .tasks = 64};
    vef_mapping *mapping = NULL;
    assert_int_equal(vef_mapping_create(&request, cube, &mapping, NULL), VEF_OK);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t x = (t & 1) | (t >> 2 & 2), y = (t >> 1 & 1) | (t >> 3 & 2),
                       z = (t >> 2 & 1) | (t >> 4 & 2);
        assert_int_equal(mapping->endpoint[t], x + 4 * y + 16 * z);
    }
    vef_mapping_destroy(mapping);
    vef_topology_destroy(cube);
}

/* Nodes of three cores along the curve; few tasks take one endpoint of each router; a tree has no
 * grid. */
static void nodes_and_endpoints(void **state) {
    (void)state;
    vef_topology *torus = topology_of("torus", "{sizes: [2, 2]}", 2);
    static const uint32_t order[] = {0, 1, 3, 2}; /* of the routers along a snake */
    vef_mapping *mapping = NULL;
    vef_error error;
    vef_mapping_request request = {.text = "snake", .tasks = 24, .cores = 3};
    assert_int_equal(vef_mapping_create(&request, torus, &mapping, NULL), VEF_OK);
    for (uint32_t t = 0; t < 24; t++)
        assert_int_equal(mapping->endpoint[t], 2 * order[t / 6] + t % 6 / 3);
    vef_mapping_destroy(mapping);
    request = (vef_mapping_request){.text = "snake", .tasks = 4};
    assert_int_equal(vef_mapping_create(&request, torus, &mapping, NULL), VEF_OK);
    for (uint32_t t = 0; t < 4; t++)
        assert_int_equal(mapping->endpoint[t], 2 * order[t]);
    vef_mapping_destroy(mapping);
    request.tasks = 9;
    assert_int_equal(vef_mapping_create(&request, torus, &mapping, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "9 tasks do not fit on 8 endpoints"));
    vef_topology_destroy(torus);
    vef_topology *graph = topology_of("de-bruijn", "{symbols: 2, length: 3}", 1);
    assert_int_equal(graph->dimensions, 0);
    request.tasks = 8;
    assert_int_equal(vef_mapping_create(&request, graph, &mapping, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "has no grid of routers"));
    vef_topology_destroy(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),
        cmocka_unit_test(z_order),
        cmocka_unit_test(nodes_and_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
