/* The model of a mapping against the closed forms of Camarero et al., section 3 (Figures 5 and 6):
 * 4 / (T alpha + G (1 - alpha)) phits per cycle and node, and D alpha + K (1 - alpha) hops. G and K
 * of the rectangular torus are exact, a and 3 a / 4; those of the twisted one, 2 a / 3, are rounded
 * in the paper, and K is its mean distance here. */
#include "mappings/model.h"
#include "tests/netmodel/networks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the first four of the standard library above.
#include <cmocka.h>

static vef_mapping_model model_of(const char *map, vef_grid grid, bool wrap,
                                  const vef_topology *topology) {
    const vef_mapping_request request = {
        .text = map, .grid = grid, .tasks = grid.width * grid.height};
    vef_mapping *mapping = NULL;
    vef_mapping_model model;
    vef_error error;
    if (vef_mapping_create(&request, topology, &mapping, &error) != VEF_OK ||
        vef_mapping_model_make(mapping, grid, wrap, topology, &model, &error) != VEF_OK)
        fail_msg("%s: %s", map, error.message);
    vef_mapping_destroy(mapping);
    return model;
}

/* Mean hops between two routers, each also with itself. */
static double mean_distance(const vef_topology *topology) {
    uint32_t *hops = calloc(topology->routers, sizeof *hops);
    double sum = 0;
    distances_from(topology, 0, hops);
    for (uint32_t r = 0; r < topology->routers; r++)
        sum += hops[r];
    free(hops);
    return sum / topology->routers;
}

static void closed_forms(void **state) {
    (void)state;
    static const struct {
        const char *family, *map;
        uint32_t tasks_on_a_router;
        double load, hops, hops_over_a; /* T = load, D = hops + hops_over_a / a */
    } cases[] = {
        {"rt", "identity", 1, 1, 1, 0},
        {"rtt", "identity", 1, 2, 1.5, -1},
        {"rtt", "diagonal-shift", 1, 2, 1.5, 0},
        {"rt", "vertical-union(2)", 2, 1, 0.75, 0},
        {"rtt", "vertical-union(2)", 2, 1, 1, -0.5},
        {"rtt", "diagonal-shift . vertical-union(2)", 2, 1.5, 1, 0},
        {"rtt", "twisted-union(2)", 2, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t a = 4; a <= 10; a += 2) {
            char parameters[32];
            snprintf(parameters, sizeof parameters, "{a: %u}", a);
            const uint32_t c = cases[i].tasks_on_a_router;
            vef_topology *topology = topology_of(cases[i].family, parameters, c);
            vef_mapping_model model =
                model_of(cases[i].map, (vef_grid){{2 * a, c * a}}, true, topology);
            const bool twisted = strcmp(cases[i].family, "rtt") == 0;
            const double k = mean_distance(topology), rounded = twisted ? 2 * a / 3.0 : 0.75 * a;
            const double global = 4 / (c * vef_mapping_model_throughput(&model, 0));
            assert_true(fabs(k - rounded) <= (twisted ? 0.1 : 1e-12));
            assert_true(fabs(global - (twisted ? 2 * a / 3.0 : a)) <= (twisted ? 0.1 : 1e-9));
            for (int q = 0; q <= 4; q++) {
                const double alpha = 0.25 * q;
                const double hops = alpha * (cases[i].hops + cases[i].hops_over_a / a);
                const double wanted = 4 / (cases[i].load * alpha + global * (1 - alpha));
                const double found = c * vef_mapping_model_throughput(&model, alpha);
                if (fabs(found - wanted) > 1e-6 * wanted)
                    fail_msg("%s %s a=%u alpha=%g: %g, closed form %g", cases[i].family,
                             cases[i].map, a, alpha, found, wanted);
                assert_true(fabs(vef_mapping_model_hops(&model, alpha) - hops - (1 - alpha) * k) <
                            1e-6);
            }
            vef_mapping_model_free(&model);
            vef_topology_destroy(topology);
        }
}

/* A row of three tasks on a line: those at the ends have one neighbour each. The link from the
 * first to the second router carries a whole task's local messages; of the global ones 2/3 of the
 * first's.
 */
static void mesh_by_hand(void **state) {
    (void)state;
    vef_topology *line = topology_of("mesh", "{sizes: [3]}", 1);
    vef_mapping_model model = model_of("identity", (vef_grid){{3, 1}}, false, line);
    assert_true(fabs(vef_mapping_model_hops(&model, 1) - 1) < 1e-9);
    assert_true(fabs(vef_mapping_model_hops(&model, 0) - 8.0 / 9) < 1e-9);
    assert_true(fabs(vef_mapping_model_throughput(&model, 1) - 1) < 1e-9);
    assert_true(fabs(vef_mapping_model_throughput(&model, 0) - 1.5) < 1e-9);
    assert_true(fabs(vef_mapping_model_throughput(&model, 0.5) - 1.2) < 1e-9);
    vef_mapping_model_free(&model);
    /* All tasks on one router: no link limits them. */
    vef_topology *one = topology_of("mesh", "{sizes: [2]}", 4);
    model = model_of("block", (vef_grid){{4, 1}}, true, one);
    assert_true(isinf(vef_mapping_model_throughput(&model, 0.5)));
    assert_int_equal(model.routers, 1);
    vef_mapping_model_free(&model);
    vef_topology_destroy(one);
    vef_topology_destroy(line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(mesh_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
