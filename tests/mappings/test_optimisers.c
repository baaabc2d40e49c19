/* The optimisers: the optimum where it is known (a grid of tasks that is a part of the network) or
 * found by trying all permutations; and what each of them promises. */
#include "mappings/cost.h"
#include "mappings/optimisers/loads.h"
#include "netmodel/analysis/bisection.h"
#include "tests/mappings/traffic.h"
#include "tests/netmodel/networks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the first four of the standard library above.
#include <cmocka.h>

/* The optimisers of this build. */
static const char *const optimisers[] = {"greedy", "bisection", "anneal", "scotch"};
static size_t optimiser_count(void) {
    return vef_has_partitioner() ? 4 : 3;
}

static double cost_by(const char *text, const matrix *m, const vef_topology *topology) {
    vef_mapping *mapping = map_by(text, m, topology, 1);
    const double cost = hop_bytes_of(m, mapping, topology);
    vef_mapping_destroy(mapping);
    return cost;
}

static uint64_t bytes_of(const matrix *m) {
    uint64_t sum = 0;
    for (uint32_t s = 0; s < m->tasks; s++)
        for (uint32_t d = 0; d < m->tasks; d++)
            sum += s == d ? 0 : m->bytes[s][d];
    return sum;
}

/* Renumbers the tasks, so that their order is of no use to an optimiser. */
static void shuffle(matrix *m) {
    static matrix from;
    from = *m;
    for (uint32_t s = 0; s < m->tasks; s++)
        for (uint32_t d = 0; d < m->tasks; d++)
            m->bytes[s * 29 % m->tasks][d * 29 % m->tasks] = from.bytes[s][d];
}

/* Grids of tasks that are parts of the network: in the optimum every message takes one hop. An 8x8
 * torus is a part of the 4x4x4 torus, since both are hypercubes. The optimisers are heuristics: one
 * of them finds the optimum, and all are better than a random mapping by a quarter. */
static void known_optima(void **state) {
    (void)state;
    static const struct {
        uint32_t width, height;
        bool round;
        const char *family, *parameters;
    } cases[] = {{8, 8, true, "torus", "{sizes: [4, 4, 4]}"},
                 {8, 8, true, "torus", "{sizes: [8, 8]}"},
                 {8, 4, false, "mesh", "{sizes: [8, 4]}"},
                 {16, 1, true, "torus", "{sizes: [4, 4]}"}};
    static matrix m;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_topology *topology = topology_of(cases[i].family, cases[i].parameters, 1);
        grid_traffic(&m, cases[i].width, cases[i].height, cases[i].round, 100);
        shuffle(&m);
        const double least = (double)bytes_of(&m), random = cost_by("random(1)", &m, topology);
        double best = random;
        for (size_t o = 0; o < optimiser_count(); o++) {
            char text[32];
            snprintf(text, sizeof text, "swap . %s", optimisers[o]);
            const double cost = cost_by(text, &m, topology);
            assert_true(cost >= least && cost < 0.75 * random);
            best = cost < best ? cost : best;
        }
        assert_true(best == least);
        assert_true(cost_by("anneal", &m, topology) <= 1.25 * least);
        vef_topology_destroy(topology);
    }
}

/* The least hop-bytes of seven tasks over all permutations of as many routers. */
static double search(const matrix *m, uint32_t hops[7][7], uint32_t *here, bool *taken,
                     uint32_t task, double sum, double least) {
    if (sum >= least)
        return least;
    if (task == 7)
        return sum;
    for (uint32_t r = 0; r < 7; r++) {
        if (taken[r])
            continue;
        double more = 0;
        here[task] = r;
        taken[r] = true;
        for (uint32_t t = 0; t < task; t++)
            more += (double)(m->bytes[task][t] + m->bytes[t][task]) * hops[r][here[t]];
        least = search(m, hops, here, taken, task + 1, sum + more, least);
        taken[r] = false;
    }
    return least;
}

static void all_permutations(void **state) {
    (void)state;
    vef_topology *ring = topology_of("mesh", "{sizes: [7]}", 1);
    uint32_t hops[7][7], chosen[7];
    bool taken[7] = {false};
    static matrix m;
    for (uint32_t r = 0; r < 7; r++)
        distances_from(ring, r, hops[r]);
    for (uint64_t seed = 0; seed < 5; seed++) {
        random_traffic(&m, 7, 15, seed);
        const double least = search(&m, hops, chosen, taken, 0, 0, INFINITY);
        assert_true(cost_by("anneal", &m, ring) == least);
        assert_true(cost_by("swap . greedy", &m, ring) >= least);
    }
    vef_topology_destroy(ring);
}

/* No exchange of two places improves what swap leaves; refiners never make a mapping worse; the
 * seed decides on the result of annealing. */
static void promises(void **state) {
    (void)state;
    static matrix m;
    vef_topology *torus = topology_of("torus", "{sizes: [5, 3]}", 2);
    random_traffic(&m, 24, 80, 3);
    const double before = cost_by("random(2)", &m, torus);
    vef_mapping *mapping = map_by("swap . random(2)", &m, torus, 1);
    const double after = hop_bytes_of(&m, mapping, torus);
    assert_true(after < before);
    for (uint32_t t = 0; t < m.tasks; t++)
        for (uint32_t e = 0; e < torus->endpoints; e++) {
            uint32_t other = 0;
            while (other < m.tasks && mapping->endpoint[other] != e)
                other++;
            const uint32_t was = mapping->endpoint[t];
            mapping->endpoint[t] = e;
            if (other < m.tasks && other != t)
                mapping->endpoint[other] = was;
            assert_true(hop_bytes_of(&m, mapping, torus) >= after * (1 - 1e-9));
            if (other < m.tasks)
                mapping->endpoint[other] = e;
            mapping->endpoint[t] = was;
        }
    vef_mapping_destroy(mapping);
    assert_true(cost_by("anneal . swap . random(2)", &m, torus) <= after);
    vef_mapping *one = map_by("anneal(7)", &m, torus, 1), *two = map_by("anneal(7)", &m, torus, 1);
    assert_memory_equal(one->endpoint, two->endpoint, m.tasks * sizeof *one->endpoint);
    vef_mapping_destroy(one);
    vef_mapping_destroy(two);
    vef_topology_destroy(torus);
}

static double most_loaded(const char *text, const matrix *m, const vef_topology *topology) {
    vef_traffic_matrix traffic;
    vef_mapping_cost cost;
    vef_mapping *mapping = map_by(text, m, topology, 1);
    traffic_of(m, &traffic);
    assert_int_equal(vef_mapping_cost_measure(mapping, &traffic, topology, 1, NULL, &cost, NULL),
                     VEF_OK);
    vef_traffic_matrix_free(&traffic);
    vef_mapping_destroy(mapping);
    return cost.link_load_max;
}

/* Loads that are kept up to date are those of the mapping; annealing by them lowers the greatest.
 * On a torus they come from the paths of one router, on a mesh from those of each. */
static void check_link_loads(vef_topology *torus) {
    static matrix m;
    vef_traffic_matrix traffic;
    vef_placement current;
    vef_link_loads loads;
    vef_mapping_cost cost;
    vef_error error;
    random_traffic(&m, 20, 60, 8);
    traffic_of(&m, &traffic);
    vef_mapping *mapping = map_by("random(1)", &m, torus, 1);
    const vef_mapping_view view = {.tasks = m.tasks,
                                   .endpoints = torus->endpoints,
                                   .cores = 1,
                                   .nics = 1,
                                   .topology = torus,
                                   .traffic = &traffic};
    const size_t links = (size_t)torus->routers * torus->ports;
    double *wanted = calloc(links, sizeof *wanted);
    assert_int_equal(vef_placement_make(&view, mapping->endpoint, &current, &error), VEF_OK);
    vef_link_loads_make(&current, &loads);
    for (uint32_t i = 0; i < 500; i++) {
        const uint32_t place = current.place[i % m.tasks], other = i * 7 % current.places;
        const double gain = vef_placement_gain(&current, place, other),
                     before = vef_placement_cost(&current);
        vef_link_loads_try(&loads, &current, place, other);
        assert_true(fabs(vef_placement_cost(&current) - before - gain) < 1e-6 * before);
        if (i % 3 == 0) {
            vef_link_loads_undo(&loads, &current, place, other);
            assert_true(fabs(vef_placement_cost(&current) - before) < 1e-6 * before);
        } else {
            vef_link_loads_keep(&loads);
        }
    }
    vef_placement_read(&current, mapping->endpoint);
    assert_int_equal(vef_mapping_cost_measure(mapping, &traffic, torus, 1, wanted, &cost, NULL),
                     VEF_OK);
    for (size_t l = 0; l < links; l++) /* shares of paths have 24 bits */
        assert_true(fabs(loads.load[l] * loads.scale - wanted[l]) < 1e-4 * cost.link_load_max);
    double most = INFINITY;
    assert_true(vef_link_loads_are_below(&loads, &most));
    assert_true(fabs(most * loads.scale / cost.link_load_max - 1) < 1e-5);
    assert_false(vef_link_loads_are_below(&loads, &most));
    vef_link_loads_free(&loads);
    vef_placement_free(&current);
    vef_traffic_matrix_free(&traffic);
    vef_mapping_destroy(mapping);
    free(wanted);
    assert_true(most_loaded("anneal(link-load)", &m, torus) <
                0.8 * most_loaded("random(1)", &m, torus));
    assert_true(most_loaded("anneal(link-load) . anneal", &m, torus) <=
                most_loaded("anneal", &m, torus) * (1 + 1e-5));
    vef_topology_destroy(torus);
}

static void link_loads(void **state) {
    (void)state;
    check_link_loads(topology_of("torus", "{sizes: [4, 3]}", 2));
    check_link_loads(topology_of("rtt", "{a: 3}", 2));
    check_link_loads(topology_of("mesh", "{sizes: [4, 3]}", 2));
}

/* A clock that advances by a second at each look. */
static double tick(void *clock) {
    return ++*(double *)clock;
}

static vef_mapping *map_within(const char *text, double limit_s, const matrix *m,
                               const vef_topology *topology, double *looks) {
    vef_traffic_matrix traffic;
    vef_mapping *mapping = NULL;
    vef_error error;
    traffic_of(m, &traffic);
    *looks = 0;
    const vef_mapping_request request = {.text = text,
                                         .tasks = m->tasks,
                                         .traffic = &traffic,
                                         .limit_s = limit_s,
                                         .now_s = tick,
                                         .clock = looks};
    if (vef_mapping_create(&request, topology, &mapping, &error) != VEF_OK)
        fail_msg("%s: %s", text, error.message);
    vef_traffic_matrix_free(&traffic);
    return mapping;
}

/* Whatever the limit, every optimiser has a complete mapping, soon after the time is over, and says
 * whether the limit ended it; one that it did not end is that of no limit. A refiner's is no worse
 * than the mapping to its right. */
static void time_limits(void **state) {
    (void)state;
    static const double limits[] = {0.5, 1, 2, 3, 5, 8, 20, 50, 1000, 1e9};
    static const char *const texts[] = {"greedy", "bisection", "swap . random(1)",
                                        "anneal . random(1)", "anneal(link-load) . random(1)"};
    static matrix m;
    vef_topology *torus = topology_of("torus", "{sizes: [4, 4, 4]}", 1);
    grid_traffic(&m, 8, 8, true, 100);
    shuffle(&m);
    const double random = cost_by("random(1)", &m, torus);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const double unlimited = cost_by(texts[k], &m, torus);
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            double looks;
            bool taken[64] = {false};
            vef_mapping *mapping = map_within(texts[k], limits[i], &m, torus, &looks);
            for (uint32_t t = 0; t < m.tasks; t++) {
                assert_true(mapping->endpoint[t] < 64 && !taken[mapping->endpoint[t]]);
                taken[mapping->endpoint[t]] = true;
            }
            const double cost = hop_bytes_of(&m, mapping, torus);
            if (strstr(texts[k], "random") && !strstr(texts[k], "load"))
                assert_true(cost <= random);
            if (mapping->limited)
                assert_true(looks >= limits[i] && looks <= limits[i] + 5);
            else if (!strstr(texts[k], "anneal"))
                assert_true(cost == unlimited);
            assert_int_equal(mapping->limited, looks - 1 >= limits[i]);
            vef_mapping_destroy(mapping);
        }
    }
    vef_topology_destroy(torus);
}

/* Scotch runs apart: it is refused if the time is over before its first try begins, or while that
 * is under way; a try that ended in time counts. */
static void limited_scotch(void **state) {
    (void)state;
    static const double limits[] = {1, 2, 1e9};
    static matrix m;
    if (!vef_has_partitioner())
        skip();
    vef_topology *torus = topology_of("torus", "{sizes: [4, 4, 4]}", 1);
    vef_traffic_matrix traffic;
    grid_traffic(&m, 8, 8, true, 100);
    traffic_of(&m, &traffic);
    for (size_t i = 0; i < 3; i++) {
        double looks = 0;
        vef_mapping *mapping = NULL;
        vef_error error;
        const vef_mapping_request request = {.text = "scotch",
                                             .tasks = m.tasks,
                                             .traffic = &traffic,
                                             .limit_s = limits[i],
                                             .now_s = tick,
                                             .clock = &looks};
        const vef_code code = vef_mapping_create(&request, torus, &mapping, &error);
        assert_int_equal(code, i < 2 ? VEF_UNSUPPORTED : VEF_OK);
        if (i < 2)
            assert_non_null(strstr(error.message, "the time limit ended Scotch"));
        else
            assert_true(hop_bytes_of(&m, mapping, torus) == cost_by("scotch", &m, torus));
        vef_mapping_destroy(mapping);
    }
    vef_traffic_matrix_free(&traffic);
    vef_topology_destroy(torus);
}

/* A limit ends annealing cold: with a thousandth of the steps the result is nearer to the optimum,
 * one hop a message, than to the random mapping that it began with. Steps that stay hot end beyond
 * the middle. */
static void short_annealing(void **state) {
    (void)state;
    static matrix m;
    vef_topology *torus = topology_of("torus", "{sizes: [4, 4, 4]}", 1);
    grid_traffic(&m, 8, 8, true, 100);
    shuffle(&m);
    const double least = (double)bytes_of(&m), random = cost_by("random(1)", &m, torus);
    double looks;
    vef_mapping *mapping = map_within("anneal . random(1)", 200, &m, torus, &looks);
    assert_true(mapping->limited);
    assert_true(hop_bytes_of(&m, mapping, torus) - least < 0.4 * (random - least));
    vef_mapping_destroy(mapping);
    vef_topology_destroy(torus);
}

/* Pairs of tasks that exchange much share a node of two cores; no core has two tasks. */
static void cores(void **state) {
    (void)state;
    static matrix m;
    vef_topology *torus = topology_of("torus", "{sizes: [4, 2]}", 1);
    memset(&m, 0, sizeof m);
    m.tasks = 16;
    for (uint32_t t = 0; t < 16; t++) {
        m.bytes[t][(t + 8) % 16] = 1000;
        m.bytes[t][(t + 1) % 16] = 1;
    }
    for (size_t o = 0; o < optimiser_count(); o++) {
        vef_mapping *mapping = map_by(optimisers[o], &m, torus, 2);
        uint32_t on[8] = {0};
        for (uint32_t t = 0; t < 16; t++) {
            on[mapping->endpoint[t]]++;
            assert_int_equal(mapping->endpoint[t], mapping->endpoint[(t + 8) % 16]);
        }
        for (uint32_t e = 0; e < 8; e++)
            assert_int_equal(on[e], 2);
        vef_mapping_destroy(mapping);
    }
    vef_topology_destroy(torus);
}

static void refused(const char *text, uint32_t tasks, const char *words) {
    static matrix m;
    vef_traffic_matrix traffic;
    vef_mapping *mapping = NULL;
    vef_error error = {0};
    vef_topology *torus = topology_of("torus", "{sizes: [4, 2]}", 1);
    random_traffic(&m, 8, 10, 1);
    traffic_of(&m, &traffic);
    const vef_mapping_request request = {
        .text = text, .tasks = tasks, .traffic = tasks > 8 ? NULL : &traffic};
    if (vef_mapping_create(&request, torus, &mapping, &error) == VEF_OK ||
        !strstr(error.message, words))
        fail_msg("%s: '%s' does not hold '%s'", text, error.message, words);
    vef_traffic_matrix_free(&traffic);
    vef_topology_destroy(torus);
}

static void refusals(void **state) {
    (void)state;
    refused("greedy . swap", 8, "expected swap . greedy");
    refused("transpose . anneal", 8, "it improves the mapping to its right");
    refused("swap . greedy . transpose", 8, "not supported in a composition");
    refused("anneal(load)", 8,
            "unknown argument 'load': expected anneal[(link-load, messages, seed)]");
    refused("anneal(link-load, hop-bytes)", 8, "unknown argument 'hop-bytes'");
    refused("anneal(link-load, 7, 8)", 8, "unknown argument '8'");
    refused("swap(3)", 8, "unknown argument '3': expected swap[(messages)]");
    refused("anneal", 9, "9 tasks do not fit on 8 endpoints");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_optima),   cmocka_unit_test(all_permutations),
        cmocka_unit_test(promises),       cmocka_unit_test(link_loads),
        cmocka_unit_test(time_limits),    cmocka_unit_test(short_annealing),
        cmocka_unit_test(limited_scotch), cmocka_unit_test(cores),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
