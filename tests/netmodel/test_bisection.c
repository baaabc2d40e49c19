/* Cuts: across axes against the papers' figures and counts from the definitions, what they are
 * worth to uniform traffic against loads counted pair by pair, and the partitioner's against all
 * cuts of small networks. */
#include "netmodel/analysis/bisection.h"

#include "common/rng.h"
#include "netmodel/analysis/refine.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct network {
    vef_topology *topology;
    vef_graph *graph;
} network;

static network open_network(const char *family, const char *parameters, uint32_t per_router) {
    network it = {.topology = topology_of(family, parameters, per_router)};
    vef_error error;
    if (vef_graph_create(it.topology, &it.graph, &error))
        fail_msg("%s %s: %s", family, parameters, error.message);
    return it;
}

static void close_network(network *it) {
    vef_graph_destroy(it->graph);
    vef_topology_destroy(it->topology);
}

/* ---- across axes ---- */

static vef_cut across_axes(const network *it, const double *load) {
    vef_cut cut;
    vef_error error;
    if (vef_cut_across_axes(it->graph, load, false, &cut, &error))
        fail_msg("%s", error.message);
    assert_int_equal(cut.near + cut.far, it->topology->endpoints);
    return cut;
}

static void check_links(const char *family, const char *parameters, uint64_t links) {
    network it = open_network(family, parameters, 1);
    const vef_cut cut = across_axes(&it, NULL);
    if (cut.links != links)
        fail_msg("%s %s: %llu links, not %llu", family, parameters, (unsigned long long)cut.links,
                 (unsigned long long)links);
    close_network(&it);
}

/* Camara et al., TPDS 2010, sections 5.1 and 5.2: RT(a) 2a, RTT(a) 4a. In three dimensions, from
 * the definition: PT(a) is cut by two planes of a x a; in PTT all links that wrap y cross that cut
 * too, 2a x a of them (4a^2, as many as across y or z), and in PDTT those that wrap z as well, so
 * that it is cut across y, by two planes of 2a x a. */
static void test_twisted(void **state) {
    (void)state;
    for (unsigned a = 2; a <= 9; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %u}", a);
        check_links("rt", parameters, 2 * a);
        check_links("rtt", parameters, 4 * a);
        check_links("pt", parameters, 2 * a * a);
        check_links("ptt", parameters, 4 * a * a);
        check_links("pdtt", parameters, 4 * a * a);
    }
}

/* Stafford et al. print M 2s, DM 4s, KM 6s, T 4s, DT 8s, KT 12s: twice the links, one for each
 * direction, and for the meshes as if the diagonal links were as many as the rows: between two
 * columns of a mesh there are s straight links, but s - 1 diagonal ones of either kind. */
static void test_diagonal_and_king(void **state) {
    (void)state;
    for (unsigned s = 3; s <= 16; s++) {
        char parameters[64];
        snprintf(parameters, sizeof parameters, "{sizes: [%u, %u]}", s, s);
        check_links("mesh", parameters, s);
        check_links("diagonal-mesh", parameters, s + (s - 1));
        check_links("king-mesh", parameters, s + 2 * (s - 1));
        check_links("torus", parameters, 2 * s);
        check_links("diagonal-torus", parameters, 4 * s);
        check_links("king-torus", parameters, 6 * s);
    }
}

/* Zhang, Powell, Deng, Table 1: the networks that theirs are compared with. */
static void test_networks_compared_with(void **state) {
    (void)state;
    check_links("torus", "{sizes: [32, 32, 32]}", 2048);
    check_links("torus", "{sizes: [16, 16, 16, 8]}", 4096);
    check_links("hypercube", "{dimensions: 15}", 16384);
    check_links("cube-connected-cycles", "{dimensions: 11}", 1024);
    check_links("cube-connected-cycles", "{dimensions: 12}", 2048);
    check_links("barrel-shifter", "{bits: 15}", 49150);
    check_links("srt", "{bits: 7}", 1664);
    check_links("srt", "{bits: 8}", 3840);
    check_links("hybrid-fat-tree", "{levels: 15}", 3);
}

/* The same table, of interlaced bypass tori. For 64x64x8 with bypasses of 8 it prints 6120: a
 * misprint of 5120, since each of 2 x 512 rows is cut by one torus link and, half of its routers
 * having bypasses along it, by 8/2 of those. */
static void test_interlaced_bypass_tori(void **state) {
    (void)state;
    static const struct {
        const char *sizes;
        unsigned bypass_dimensions;
        const char *lengths;
        uint64_t links;
    } rows[] = {
        {"32, 32, 32", 2, "2", 2048},     {"32, 32, 32", 2, "4", 2048},
        {"32, 32, 32", 2, "6", 2048},     {"32, 32, 32", 2, "8", 2048},
        {"32, 32, 32", 2, "4, 8", 2048},  {"32, 32, 32", 2, "4, 16", 2048},
        {"64, 64, 8", 2, "4", 3072},      {"64, 64, 8", 2, "8", 5120},
        {"64, 64, 8", 2, "16", 8192},     {"64, 64, 8", 2, "4, 8", 4096},
        {"64, 64, 8", 2, "4, 16", 6144},  {"64, 64, 8", 2, "4, 32", 6144},
        {"64, 64, 8", 2, "8, 16", 7168},  {"64, 64, 8", 2, "8, 32", 7168},
        {"30, 30, 36", 3, "3", 3600},     {"30, 30, 36", 3, "6", 5400},
        {"30, 30, 36", 3, "9", 7200},     {"30, 30, 36", 3, "12", 9000},
        {"30, 30, 36", 3, "6, 12", 7200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char parameters[128];
        snprintf(parameters, sizeof parameters,
                 "{sizes: [%s], bypass_dimensions: %u, lengths: [%s]}", rows[i].sizes,
                 rows[i].bypass_dimensions, rows[i].lengths);
        check_links("ibt", parameters, rows[i].links);
    }
}

/* The axis with the fewest links, and the first of equals. */
static void test_which_axis(void **state) {
    (void)state;
    static const struct {
        const char *sizes;
        uint32_t axis;
        uint64_t links, near;
    } rows[] = {
        {"{sizes: [8, 4]}", 0, 8, 16},     {"{sizes: [4, 8]}", 1, 8, 16},
        {"{sizes: [4, 4]}", 0, 8, 8},      {"{sizes: [3, 5, 4]}", 1, 24, 24},
        {"{sizes: [4, 6, 6]}", 1, 48, 72}, {"{sizes: [5]}", 0, 2, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        network it = open_network("torus", rows[i].sizes, 3);
        const vef_cut cut = across_axes(&it, NULL);
        assert_int_equal(cut.axis, rows[i].axis);
        assert_int_equal(cut.links, rows[i].links);
        assert_int_equal(cut.near, 3 * rows[i].near);
        assert_true(cut.effective_links == 0);
        close_network(&it);
    }
}

static void test_no_axes(void **state) {
    (void)state;
    network it = open_network("edges", "{file: examples/networks/petersen.txt}", 1);
    vef_cut cut;
    vef_error error;
    assert_int_equal(vef_cut_across_axes(it.graph, NULL, false, &cut, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "topology edges has no axes"));
    close_network(&it);
}

/* ---- what a cut is worth ---- */

/* Loads of uniform traffic, every endpoint sending 1 phit per cycle, all minimal paths of a pair
 * alike: the share of arc (u, v) in the traffic from s to t is paths(s, u) paths(v, t) / paths(s,
 * t) where it lies on one. */
static double *count_loads(const network *it) {
    const vef_topology *topology = it->topology;
    const vef_graph *graph = it->graph;
    const uint32_t n = topology->routers;
    uint32_t *distance = malloc((size_t)n * n * sizeof *distance);
    double *paths = calloc((size_t)n * n, sizeof *paths);
    double *load = calloc(graph->arcs, sizeof *load);
    assert_true(distance && paths && load);
    for (uint32_t s = 0; s < n; s++) {
        uint32_t *from = distance + (size_t)s * n;
        distances_from(topology, s, from);
        paths[(size_t)s * n + s] = 1;
        for (uint32_t d = 0; d < n; d++)
            for (uint32_t u = 0; u < n; u++)
                for (uint32_t arc = graph->first[u]; from[u] == d && arc < graph->first[u + 1];
                     arc++)
                    if (from[graph->head[arc]] == d + 1)
                        paths[(size_t)s * n + graph->head[arc]] += paths[(size_t)s * n + u];
    }
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++)
            for (uint32_t u = 0; u < n; u++)
                for (uint32_t arc = graph->first[u]; arc < graph->first[u + 1]; arc++) {
                    const size_t v = graph->head[arc], st = (size_t)s * n + t;
                    if (distance[s * n + u] + 1 + distance[v * n + t] == distance[st])
                        load[arc] += paths[s * n + u] * paths[v * n + t] / paths[st] / n;
                }
    free(distance);
    free(paths);
    return load;
}

/* Camara et al., section 5.2: in RT all 2a links serve traffic between the halves; in RTT 4a links
 * are worth 12 a^3 / (4 a^2 - 1): pairs of different halves, a^4 each way, are that part of the
 * (4 a^4 - a^2) / 3 crossings. */
static void test_effective_links(void **state) {
    (void)state;
    for (uint32_t a = 2; a <= 6; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %u}", a);
        network it = open_network("rt", parameters, 1);
        double *load = count_loads(&it);
        vef_cut cut = across_axes(&it, load);
        assert_near(cut.effective_links, 2.0 * a, 1e-9);
        free(load);
        close_network(&it);
        it = open_network("rtt", parameters, 1);
        load = count_loads(&it);
        cut = across_axes(&it, load);
        assert_int_equal(cut.links, 4 * a);
        assert_near(cut.effective_links, 12.0 * a * a * a / (4.0 * a * a - 1), 1e-9);
        free(load);
        close_network(&it);
    }
}

/* In a mesh a shortest path between routers of a half stays in it, and one to the other half
 * crosses once: all links of the cut are left to traffic between the halves, also where an odd size
 * makes these unequal. */
static void test_effective_links_between_unequal_halves(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint64_t links, near, far;
    } rows[] = {
        {"{sizes: [3]}", 1, 1, 2},
        {"{sizes: [5, 3]}", 3, 6, 9},
        {"{sizes: [7, 3, 2]}", 6, 18, 24},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        network it = open_network("mesh", rows[i].parameters, 1);
        double *load = count_loads(&it);
        const vef_cut cut = across_axes(&it, load);
        assert_int_equal(cut.links, rows[i].links);
        assert_int_equal(cut.near, rows[i].near);
        assert_int_equal(cut.far, rows[i].far);
        assert_near(cut.effective_links, (double)rows[i].links, 1e-9);
        free(load);
        close_network(&it);
    }
}

/* A ring of six whose routers lie on either side by turns: every hop crosses. Mean distance 1.5, so
 * 12 endpoints that send 1 phit per cycle load each of the 12 arcs with 1.5, and 6 phits per cycle
 * of the 12 have to cross. */
static void test_cut_of_given_sides(void **state) {
    (void)state;
    network it = open_network("torus", "{sizes: [6]}", 2);
    double load[12];
    for (size_t i = 0; i < 12; i++)
        load[i] = 1.5;
    static const uint8_t far_side[6] = {0, 1, 0, 1, 0, 1};
    vef_cut cut;
    vef_cut_measure(it.graph, far_side, load, &cut);
    assert_int_equal(cut.links, 6);
    assert_int_equal(cut.near, 6);
    assert_int_equal(cut.far, 6);
    assert_near(cut.effective_links, 6 * 6.0 / 18, 1e-12);
    close_network(&it);
}

/* ---- the partitioner ---- */

static network open_file(void) {
    char parameters[300];
    snprintf(parameters, sizeof parameters, "{file: '%s'}", own_file_path);
    return open_network("edges", parameters, 1);
}

static uint32_t most_endpoints(const vef_graph *graph) {
    uint32_t most = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        most = graph->endpoints[r] > most ? graph->endpoints[r] : most;
    return most;
}

static bool is_balanced(const vef_graph *graph, const vef_cut *cut) {
    const uint64_t difference = cut->near > cut->far ? cut->near - cut->far : cut->far - cut->near;
    return difference <= most_endpoints(graph);
}

static vef_cut by_partitioner(const network *it) {
    vef_cut cut, again;
    vef_error error;
    if (vef_cut_by_partitioner(it->graph, NULL, &cut, &error) ||
        vef_cut_by_partitioner(it->graph, NULL, &again, &error))
        fail_msg("%s", error.message);
    assert_int_equal(cut.near + cut.far, it->topology->endpoints);
    assert_true(is_balanced(it->graph, &cut));
    assert_int_equal(again.links, cut.links);
    assert_int_equal(again.near, cut.near);
    return cut;
}

static void test_partitioner_that_is_not_there(void **state) {
    (void)state;
    if (vef_has_partitioner())
        return;
    network it = open_network("torus", "{sizes: [4, 4]}", 1);
    vef_cut cut;
    vef_error error;
    assert_int_equal(vef_cut_by_partitioner(it.graph, NULL, &cut, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "libscotch-dev"));
    close_network(&it);
}

/* Tori of even sizes and hypercubes have no smaller halves than those across an axis (Dally,
 * Towles: "Principles and Practices of Interconnection Networks", chapter 5), so an upper bound is
 * at least that, and here it is no more. */
static void test_partitioner_on_networks_with_a_known_bisection(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint64_t links;
    } rows[] = {
        {"torus", "{sizes: [8, 8]}", 16},      {"torus", "{sizes: [2]}", 2},
        {"torus", "{sizes: [16, 4]}", 8},      {"hypercube", "{dimensions: 6}", 32},
        {"hypercube", "{dimensions: 9}", 256},
    };
    for (size_t i = 0; vef_has_partitioner() && i < sizeof rows / sizeof rows[0]; i++) {
        network it = open_network(rows[i].family, rows[i].parameters, 2);
        const vef_cut cut = by_partitioner(&it);
        assert_int_equal(cut.links, rows[i].links);
        assert_int_equal(cut.near, cut.far);
        close_network(&it);
    }
}

/* Two complete graphs of eight, joined by one link. */
static void test_partitioner_on_a_dumbbell(void **state) {
    (void)state;
    if (!vef_has_partitioner())
        return;
    FILE *out = fopen(own_file_path, "w");
    assert_non_null(out);
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = a + 1; b < 16; b++)
            if (a % 2 == b % 2 || (a == 4 && b == 7))
                fprintf(out, "%u %u\n", a, b);
    fclose(out);
    network it = open_file();
    const vef_cut cut = by_partitioner(&it);
    assert_int_equal(cut.links, 1);
    assert_int_equal(cut.near, 8);
    close_network(&it);
}

/* Halves of endpoints, not of routers: the two leaves of three endpoints each against each other,
 * wherever the switches between them lie. */
static void test_routers_without_endpoints(void **state) {
    (void)state;
    if (!vef_has_partitioner())
        return;
    FILE *out = fopen(own_file_path, "w");
    assert_non_null(out);
    fprintf(out, "endpoints 0-1 3\nendpoints 2-9 0\n0 2\n");
    for (unsigned r = 2; r < 9; r++)
        fprintf(out, "%u %u\n", r, r + 1);
    fprintf(out, "9 1\n");
    fclose(out);
    network it = open_file();
    const vef_cut cut = by_partitioner(&it);
    assert_int_equal(cut.links, 1);
    assert_int_equal(cut.near, 3);
    assert_int_equal(cut.far, 3);
    close_network(&it);
    out = fopen(own_file_path, "w");
    assert_non_null(out);
    fprintf(out, "0 1\n1 2\nendpoints 0-1 0\n");
    fclose(out);
    it = open_file();
    vef_cut none;
    vef_error error;
    assert_int_equal(vef_cut_by_partitioner(it.graph, NULL, &none, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "all endpoints are on one router"));
    close_network(&it);
}

/* A connected network of `routers`, with more links at random; each router with one endpoint, or
 * (`uneven`) some with up to 3 and some with none. */
static network random_network(vef_rng *random, uint32_t routers, bool uneven) {
    bool joined[16][16] = {0};
    FILE *out = fopen(own_file_path, "w");
    assert_non_null(out);
    for (uint32_t r = 2; uneven && r < routers; r++)
        fprintf(out, "endpoints %u %u\n", r, vef_rng_below(random, 4));
    const uint32_t more = vef_rng_below(random, 2 * routers);
    for (uint32_t i = 1; i < routers + more; i++) {
        const uint32_t b = i < routers ? i : vef_rng_below(random, routers);
        const uint32_t a = vef_rng_below(random, i < routers ? i : routers);
        if (a == b || joined[a][b])
            continue;
        fprintf(out, "%u %u\n", a, b);
        joined[a][b] = joined[b][a] = true;
    }
    fclose(out);
    return open_file();
}

/* The fewest links of all cuts that are balanced. */
static uint64_t fewest_links(const vef_graph *graph) {
    uint64_t fewest = UINT64_MAX;
    for (uint32_t set = 0; set < 1u << graph->routers; set++) {
        vef_cut cut = {0};
        for (uint32_t r = 0; r < graph->routers; r++) {
            *(set >> r & 1 ? &cut.far : &cut.near) += graph->endpoints[r];
            for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++)
                cut.links += (set >> r & 1) && !(set >> graph->head[arc] & 1);
        }
        if (is_balanced(graph, &cut) && cut.links < fewest)
            fewest = cut.links;
    }
    return fewest;
}

/* Against all cuts; and a king mesh of 5 by 4: 10 links across its longer side leave 8 and 12
 * routers, 11 are the fewest between 10 and 10, and 13 cross the middle of the shorter side. */
static void test_exact_bisection(void **state) {
    (void)state;
    vef_rng random = vef_rng_make(3, VEF_RNG_TEST, 0);
    vef_cut cut;
    vef_error error;
    for (uint32_t i = 0; i < 200; i++) {
        network it = random_network(&random, 2 + vef_rng_below(&random, 11), i % 3 == 0);
        assert_true(vef_cut_exactly(it.graph, NULL, &cut));
        assert_true(is_balanced(it.graph, &cut));
        assert_true(vef_cut_is_balanced(it.graph, &cut));
        assert_int_equal(cut.links, fewest_links(it.graph));
        close_network(&it);
    }
    network king = open_network("king-mesh", "{sizes: [5, 4]}", 1);
    assert_true(vef_cut_exactly(king.graph, NULL, &cut));
    assert_int_equal(cut.links, 11);
    assert_int_equal(cut.links, fewest_links(king.graph));
    assert_int_equal(cut.near, 10);
    cut = across_axes(&king, NULL);
    assert_int_equal(cut.links, 10);
    assert_int_equal(cut.near, 8);
    assert_false(vef_cut_is_balanced(king.graph, &cut));
    assert_int_equal(vef_cut_across_axes(king.graph, NULL, true, &cut, &error), VEF_OK);
    assert_int_equal(cut.links, 13);
    assert_int_equal(cut.axis, 1);
    close_network(&king);
    network odd = open_network("mesh", "{sizes: [5, 5]}", 1);
    assert_false(vef_cut_exactly(odd.graph, NULL, &cut));
    assert_int_equal(vef_cut_across_axes(odd.graph, NULL, true, &cut, &error), VEF_UNSUPPORTED);
    close_network(&odd);
}

static void test_partitioner_bounds_all_cuts(void **state) {
    (void)state;
    vef_rng random = vef_rng_make(1, VEF_RNG_TEST, 0);
    for (uint32_t i = 0; vef_has_partitioner() && i < 90; i++) {
        network it = random_network(&random, 2 + vef_rng_below(&random, 11), i % 3 == 0);
        const vef_cut cut = by_partitioner(&it);
        const uint64_t fewest = fewest_links(it.graph);
        assert_true(cut.links >= fewest);
        close_network(&it);
    }
}

/* From any sides whatever, the halves become balanced; from balanced ones no links are added. */
static void test_refinement(void **state) {
    (void)state;
    vef_rng random = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (uint32_t i = 0; i < 300; i++) {
        network it = random_network(&random, 2 + vef_rng_below(&random, 11), i % 3 == 0);
        uint8_t side[16];
        for (uint32_t r = 0; r < it.graph->routers; r++)
            side[r] = i % 5 == 0 ? 1 : (uint8_t)vef_rng_below(&random, 2);
        vef_cut before, after;
        vef_cut_measure(it.graph, side, NULL, &before);
        vef_refine_halves(it.graph, side);
        vef_cut_measure(it.graph, side, NULL, &after);
        assert_true(is_balanced(it.graph, &after));
        assert_true(after.links >= fewest_links(it.graph));
        if (is_balanced(it.graph, &before))
            assert_true(after.links <= before.links);
        close_network(&it);
    }
}

/* Three pieces of a ring on one side: two of them of a single router, which are moved to the third.
 */
static void test_refinement_saves_links(void **state) {
    (void)state;
    network it = open_network("torus", "{sizes: [64]}", 1);
    uint8_t side[64];
    for (uint32_t r = 0; r < 64; r++)
        side[r] = r < 30 || r == 40 || r == 50;
    vef_cut cut;
    vef_cut_measure(it.graph, side, NULL, &cut);
    assert_int_equal(cut.links, 6);
    vef_refine_halves(it.graph, side);
    vef_cut_measure(it.graph, side, NULL, &cut);
    assert_int_equal(cut.links, 2);
    assert_int_equal(cut.far, 32);
    close_network(&it);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twisted),
        cmocka_unit_test(test_diagonal_and_king),
        cmocka_unit_test(test_networks_compared_with),
        cmocka_unit_test(test_interlaced_bypass_tori),
        cmocka_unit_test(test_which_axis),
        cmocka_unit_test(test_no_axes),
        cmocka_unit_test(test_effective_links),
        cmocka_unit_test(test_effective_links_between_unequal_halves),
        cmocka_unit_test(test_cut_of_given_sides),
        cmocka_unit_test(test_partitioner_that_is_not_there),
        cmocka_unit_test(test_partitioner_on_networks_with_a_known_bisection),
        cmocka_unit_test(test_partitioner_on_a_dumbbell),
        cmocka_unit_test(test_routers_without_endpoints),
        cmocka_unit_test(test_exact_bisection),
        cmocka_unit_test(test_partitioner_bounds_all_cuts),
        cmocka_unit_test(test_refinement),
        cmocka_unit_test(test_refinement_saves_links),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
