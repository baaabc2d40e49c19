/* Loads of links under uniform traffic: the papers' utilisations and bounds, closed forms, networks
 * small enough for counting by hand, and every pair followed along its records. */
#include "common/rng.h"
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/loads/link_load.h"
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/drawn.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static vef_link_load load_of_graph(const vef_graph *graph, const vef_sharing *sharing) {
    vef_link_load load;
    vef_error error = {0};
    if (vef_link_load_measure(graph, sharing, 0, &load, &error))
        fail_msg("%s", error.message);
    return load;
}

/* The load of a network of the table; its `load` is given back at once. */
static vef_link_load load_of(const char *family, const char *parameters, uint32_t per_router,
                             const vef_sharing *sharing) {
    vef_topology *topology = topology_of(family, parameters, per_router);
    vef_graph *graph = graph_of(topology);
    vef_link_load load = load_of_graph(graph, sharing), figures = load;
    figures.load = NULL;
    vef_link_load_release(&load);
    vef_graph_destroy(graph);
    vef_topology_destroy(topology);
    return figures;
}

/* Camara et al., TPDS 2010: LU of Remarks 3, 4 and 11, Corollary 7, Proposition 9 (whose 11/12 of
 * PTT is for large a; from the averages per dimension, (4a^2 - 1) / (12a) in x and in y and a/4 in
 * z, it is exact); edge symmetry by sections 2 and 3; the bound is 2 links per dimension over the
 * greatest average per dimension, Table 1 for a = 16. Stafford et al.: the king torus is not
 * edge-symmetric, the diagonal torus is. */
static void test_utilization_of_the_papers(void **state) {
    (void)state;
    const double ptt8 = 255.0 / 96, ptt16 = 1023.0 / 192;
    static const char king[] = "{sizes: [16, 16], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}";
    static const char diagonal[] = "{sizes: [16, 16], generators: [[1, 0], [0, 1], [1, 1]]}";
    const struct {
        const char *family, *parameters;
        double utilization, bound; /* 0: not given */
        bool links_alike;
    } rows[] = {
        {"rt", "{a: 16}", 3.0 / 4, 0.25, false},
        {"rt", "{a: 6}", 3.0 / 4, 4.0 / 6, false},
        {"rtt", "{a: 16}", 1, 4 / 10.65625, true},
        {"rtt", "{a: 4}", 1, 4 / 2.625, true},
        {"lattice", "{sizes: [32, 16, 16]}", 2.0 / 3, 0.25, false},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], []]}", (2 * ptt8 + 2) / (3 * ptt8),
         2 / ptt8, false},
        {"lattice", "{sizes: [32, 16, 16], shifts: [[], [16], []]}", (2 * ptt16 + 4) / (3 * ptt16),
         2 / ptt16, false},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], [8]]}", 1, 6 / 6.96875, true},
        {"torus", "{sizes: [16, 16]}", 1, 0.5, true},
        {"torus", "{sizes: [6, 6, 6]}", 1, 8.0 / 6, true},
        {"lattice", diagonal, 1, 0, true},
        {"lattice", king, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const vef_link_load load = load_of(rows[i].family, rows[i].parameters, 1, NULL);
        if (rows[i].utilization > 0)
            assert_near(load.utilization, rows[i].utilization, 1e-12);
        if (rows[i].bound > 0)
            assert_near(load.throughput_bound, rows[i].bound, 1e-12);
        if (load.links_alike != rows[i].links_alike)
            fail_msg("%s %s: links alike: %d", rows[i].family, rows[i].parameters,
                     load.links_alike);
        assert_true(load.routers_alike);
        assert_true(load.throughput_bound <= load.capacity_bound * (1 + 1e-12));
        assert_near(load.throughput_bound / load.capacity_bound, load.utilization, 1e-12);
    }
}

static void test_bounds_by_formula(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        double bound;
    } rows[] = {
        /* ring of an even n: 8 / n */
        {"torus", "{sizes: [8]}", 1},
        {"torus", "{sizes: [10]}", 0.8},
        /* line and square meshes of s, dimension order: 4 / s, for odd s 4 s / (s^2 - 1) */
        {"mesh", "{sizes: [8]}", 0.5},
        {"mesh", "{sizes: [8, 8]}", 0.5},
        {"mesh", "{sizes: [16, 16]}", 0.25},
        {"mesh", "{sizes: [7, 7]}", 28.0 / 48},
        {"mesh", "{sizes: [6, 6, 6]}", 4.0 / 6},
        /* the torus' dimension of a cylinder is the busier one, or the mesh's */
        {"lattice", "{sizes: [20, 4], wrap: [1, 0]}", 8.0 / 20},
        {"lattice", "{sizes: [6, 6], wrap: [1, 0]}", 4.0 / 6},
        /* hypercube: n / 2 hops over n links */
        {"mesh", "{sizes: [2, 2, 2, 2, 2, 2]}", 2},
        /* complete graph of n: each link carries 1 / n */
        {"lattice", "{sizes: [7], generators: [[1], [2], [3]]}", 7},
        {"mesh", "{sizes: [2]}", 2},
        {"torus", "{sizes: [2]}", 4}, /* its two links in parallel */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint32_t per_router = 1; per_router <= 3; per_router++) {
            const vef_link_load load =
                load_of(rows[i].family, rows[i].parameters, per_router, NULL);
            assert_near(load.throughput_bound, rows[i].bound / per_router, 1e-12);
        }
}

/* Knaive on a king torus of side s: min(|dx|, |dy|) hops on diagonals, the rest straight, over four
 * links each (Stafford et al., section 3.3.1; its Table 3 has 1.5 for s = 16 in theory). */
static void test_straight_on_king_tori(void **state) {
    (void)state;
    for (uint32_t side = 5; side <= 16; side += 11) {
        char parameters[96];
        snprintf(parameters, sizeof parameters,
                 "{sizes: [%u, %u], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}", side, side);
        double straight = 0, diagonal = 0;
        for (uint32_t x = 0; x < side; x++)
            for (uint32_t y = 0; y < side; y++) {
                const double dx = x < side - x ? x : side - x, dy = y < side - y ? y : side - y;
                straight += fabs(dx - dy) / (side * side);
                diagonal += fmin(dx, dy) / (side * side);
            }
        const vef_link_load load = load_of("lattice", parameters, 1, &vef_sharing_straight);
        assert_near(load.throughput_bound, 4 / fmax(straight, diagonal), 1e-12);
        assert_near(load.capacity_bound, 8 / (straight + diagonal), 1e-12);
        assert_false(load.links_alike);
        assert_true(load.routers_alike);
        const vef_link_load best = load_of("lattice", parameters, 1, NULL);
        assert_true(best.throughput_bound >= load.throughput_bound * (1 - 1e-12));
        if (side == 16)
            assert_near(load.throughput_bound, 1.5, 0.05);
    }
}

/* ---- every pair followed ---- */

/* Adds `part` of a pair's traffic along a record; generators in ascending order. */
static void follow(const vef_graph *graph, uint32_t source, const int *record, double part,
                   double *load) {
    const vef_topology *topology = graph->topology;
    uint32_t here = source;
    for (uint32_t g = 0; g < topology->lattice->generators; g++)
        for (int left = abs(record[g]); left > 0; left--) {
            const uint32_t port = record[g] > 0 ? 2 * g : 2 * g + 1;
            uint32_t arc = graph->first[here];
            while (graph->port[arc] != port)
                arc++;
            load[arc] += part;
            here = graph->head[arc];
        }
}

static int straight_hops(const vef_lattice *lattice, const int *record) {
    int sum = 0;
    for (uint32_t g = 0; g < lattice->generators; g++) {
        int length = 0;
        for (uint32_t d = 0; d < lattice->dimensions; d++)
            length += abs(lattice->generator[g][d]);
        sum += length == 1 ? abs(record[g]) : 0;
    }
    return sum;
}

static void follow_pair(const vef_graph *graph, uint32_t a, uint32_t b, bool straight,
                        double *load) {
    const vef_lattice *lattice = graph->topology->lattice;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, a, b, &minimal);
    int(*record)[VEF_MAX_GENERATORS] = calloc(minimal.count, sizeof *record);
    int most = -1, kept = 0;
    for (uint32_t i = 0; i < minimal.count; i++) {
        for (uint32_t g = 0; g < lattice->generators; g++)
            record[i][g] = minimal.records[i * lattice->generators + g] + minimal.straight[g];
        const int hops = straight ? straight_hops(lattice, record[i]) : 0;
        if (hops > most)
            kept = 0;
        most = hops > most ? hops : most;
        kept += hops == most;
    }
    const double traffic = graph->endpoints[a] * graph->endpoints[b];
    for (uint32_t i = 0; i < minimal.count; i++)
        if (!straight || straight_hops(lattice, record[i]) == most)
            follow(graph, a, record[i], traffic / graph->topology->endpoints / kept, load);
    free(record);
}

static void check_records(const vef_topology *topology, const vef_sharing *sharing) {
    vef_graph *graph = graph_of(topology);
    double *load = calloc(graph->arcs, sizeof *load), *expected = calloc(graph->arcs, sizeof *load);
    sharing->spread(graph, load);
    for (uint32_t a = 0; a < topology->routers; a++)
        for (uint32_t b = 0; b < topology->routers; b++)
            follow_pair(graph, a, b, sharing == &vef_sharing_straight, expected);
    for (uint32_t arc = 0; arc < graph->arcs; arc++)
        assert_near(load[arc], expected[arc], 1e-10);
    free(load);
    free(expected);
    vef_graph_destroy(graph);
}

static void test_records_followed_for_every_pair(void **state) {
    (void)state;
    unsigned checked[2] = {0};
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 2);
            const vef_sharing *rows[] = {&vef_sharing_records, &vef_sharing_straight};
            for (size_t i = 0; i < 2; i++)
                if (topology->routers <= 300 && rows[i]->applies(topology)) {
                    check_records(topology, rows[i]);
                    checked[i]++;
                }
            vef_topology_destroy(topology);
        }
    assert_true(checked[0] > 10);
    assert_true(checked[1] > 1);
}

/* ---- by hand ---- */

/* A star: the hub (router 0) has no endpoints, its leaves have 1, 2 and 3. A leaf of e sends to the
 * 6 - e endpoints elsewhere, and receives as much. */
static void test_star(void **state) {
    (void)state;
    drawn star = draw(4, 3, (uint32_t[]){0, 1, 2, 3});
    for (uint32_t leaf = 1; leaf < 4; leaf++)
        draw_link(&star, 0, leaf);
    vef_graph *graph = graph_of(&star.topology);
    vef_link_load load = load_of_graph(graph, NULL);
    assert_ptr_equal(load.sharing, &vef_sharing_paths);
    const double expected[] = {5.0 / 6, 8.0 / 6, 9.0 / 6};
    for (uint32_t leaf = 0; leaf < 3; leaf++) {
        assert_near(load.load[leaf], expected[leaf], 1e-15);
        assert_near(load.load[3 + leaf], expected[leaf], 1e-15);
    }
    assert_near(load.throughput_bound, 6.0 / 9, 1e-15);
    assert_near(load.utilization, 22.0 / 27, 1e-15);
    assert_near(load.capacity_bound, 3 / (22.0 / 6), 1e-15);
    assert_int_equal(load.busiest_router, 0);
    assert_int_equal(load.busiest_port, 2);
    assert_int_equal(load.classes, 1);
    assert_int_equal(load.links[0], 3);
    assert_near(load.average_distance[0], 44.0 / 36, 1e-15);
    assert_false(load.links_alike);
    assert_false(load.routers_alike);
    vef_link_load_release(&load);
    vef_graph_destroy(graph);
    wipe(&star);
}

/* 0 = 1 - 2, where = is two links in parallel and twice as fast as -. Each end sends 2/3 over its
 * links: 1/3 over each of the two, which is 1/6 of what they can. */
static void test_bandwidths_and_parallel_links(void **state) {
    (void)state;
    drawn line = draw(3, 3, (uint32_t[]){1, 1, 1});
    draw_link(&line, 0, 1);
    draw_link(&line, 0, 1);
    draw_link(&line, 1, 2);
    uint64_t bandwidth[9] = {20, 20, 0, 20, 20, 0, 0, 0, 0}; /* 0: as the rest */
    line.topology.bandwidth_bits_per_s = bandwidth;
    vef_graph *graph = graph_of(&line.topology);
    vef_link_load load;
    vef_error error = {0};
    assert_int_equal(vef_link_load_measure(graph, NULL, 10, &load, &error), VEF_OK);
    for (uint32_t arc = 0; arc < 6; arc++) /* 0: two, 1: three, 2: one */
        assert_near(load.load[arc], arc < 4 ? 1.0 / 3 : 2.0 / 3, 1e-15);
    assert_near(load.throughput_bound, 3.0 / 2, 1e-15);
    assert_near(load.utilization, (4.0 / 6 + 2 * 2.0 / 3) / 6 / (2.0 / 3), 1e-15);
    assert_near(load.capacity_bound, 10 / (8.0 / 3), 1e-15);
    assert_int_equal(load.busiest_router, 1);
    assert_int_equal(load.busiest_port, 2);
    vef_link_load_release(&load);
    vef_graph_destroy(graph);
    wipe(&line);
}

/* A ring of four whose links carry the same, two sides of it twice as fast. What symmetries are
 * left is seen by eye: with opposite sides fast, a router has one of either, and turning the ring
 * round by two or reflecting it takes any router into any other; with adjacent sides fast, one
 * router has both. No symmetry takes a fast link into a slow one. */
static void test_links_of_different_speeds_are_not_alike(void **state) {
    (void)state;
    static const struct {
        uint64_t side[4]; /* bandwidth of the links 0-1, 1-2, 2-3, 3-0; 0: as the rest */
        bool links_alike, routers_alike;
    } rings[] = {
        {{0, 0, 0, 0}, true, true},
        {{10, 0, 10, 10}, true, true}, /* said, but no other than the rest */
        {{20, 20, 20, 20}, true, true},
        {{20, 0, 20, 0}, false, true},
        {{0, 20, 0, 20}, false, true},
        {{20, 20, 0, 0}, false, false},
        {{0, 0, 0, 20}, false, false},
    };
    for (size_t i = 0; i < sizeof rings / sizeof rings[0]; i++) {
        drawn ring = draw(4, 2, (uint32_t[]){1, 1, 1, 1});
        for (uint32_t r = 0; r < 4; r++)
            draw_link(&ring, r, (r + 1) % 4);
        const uint64_t *side = rings[i].side;
        /* in the order of drawing: 0 has side 0 and then 3, 1 has 0 and 1, and so on */
        uint64_t bandwidth[8] = {side[0], side[3], side[0], side[1],
                                 side[1], side[2], side[2], side[3]};
        ring.topology.bandwidth_bits_per_s = bandwidth;
        vef_graph *graph = graph_of(&ring.topology);
        vef_link_load load;
        vef_error error = {0};
        assert_int_equal(vef_link_load_measure(graph, NULL, 10, &load, &error), VEF_OK);
        assert_int_equal(load.links_alike, rings[i].links_alike);
        assert_int_equal(load.routers_alike, rings[i].routers_alike);
        vef_link_load_release(&load);
        vef_graph_destroy(graph);
        wipe(&ring);
    }
}

/* Two chains of n routers between two that have endpoints. All links of one are double: 2^(n+1)
 * paths, beyond what a double holds for n = 1200; of the other all but the first: 2^n. On both
 * ends `more` routers with endpoints hang on the outer one. */
static void check_chains(uint32_t more) {
    enum { CHAIN = 1200, LAST = 2 * CHAIN + 1 };
    const uint32_t routers = LAST + 1 + 2 * more;
    uint32_t *endpoints = calloc(routers, sizeof *endpoints);
    endpoints[0] = endpoints[LAST] = 1;
    for (uint32_t r = LAST + 1; r < routers; r++)
        endpoints[r] = 1;
    drawn chains = draw(routers, 4 + more, endpoints);
    free(endpoints);
    for (uint32_t chain = 0; chain < 2; chain++)
        for (uint32_t i = 0; i <= CHAIN; i++) {
            const uint32_t from = i == 0 ? 0 : chain * CHAIN + i;
            const uint32_t to = i == CHAIN ? LAST : chain * CHAIN + i + 1;
            draw_link(&chains, from, to);
            if (i > 0 || chain == 0)
                draw_link(&chains, from, to);
        }
    for (uint32_t r = LAST + 1; r < routers; r++)
        draw_link(&chains, r % 2 == 0 ? 0 : LAST, r);
    vef_graph *graph = graph_of(&chains.topology);
    vef_link_load load = load_of_graph(graph, &vef_sharing_paths);
    /* Of the half that crosses: 2/3 by the first chain's pairs of links, 1/3 by the second's. */
    const double crossing = (1 + more) / 2.0;
    /* What one endpoint of them sends to the others and they to it. */
    const double outer = 1 - 1 / (2.0 + 2 * more);
    for (uint32_t r = 0; r < routers; r++)
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
            const uint32_t head = graph->head[arc], inner = r != 0 && r != LAST ? r : head;
            const uint32_t near_start = r == 0 || head == 0;
            if (r > LAST || head > LAST)
                assert_near(load.load[arc], outer, 1e-12);
            else
                assert_near(load.load[arc], crossing / (inner > CHAIN && !near_start ? 6 : 3),
                            1e-12);
        }
    vef_link_load_release(&load);
    vef_graph_destroy(graph);
    wipe(&chains);
}

static void test_more_paths_than_a_double_holds(void **state) {
    (void)state;
    check_chains(0);
    check_chains(3); /* enough sources to be searched from together */
}

/* ---- every pair of an irregular network ---- */

enum { DRAWN = 75 };

/* Hops and minimal paths between all pairs: paths through ever more links, one more at a time. */
static void count_paths(const vef_graph *graph, uint32_t hops[DRAWN][DRAWN],
                        double paths[DRAWN][DRAWN]) {
    for (uint32_t a = 0; a < DRAWN; a++) {
        for (uint32_t b = 0; b < DRAWN; b++) {
            hops[a][b] = a == b ? 0 : UINT32_MAX;
            paths[a][b] = a == b;
        }
        for (uint32_t far = 1; far < DRAWN; far++)
            for (uint32_t r = 0; r < DRAWN; r++)
                for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
                    const uint32_t next = graph->head[arc];
                    if (hops[a][r] != far - 1 || hops[a][next] < far)
                        continue;
                    hops[a][next] = far;
                    paths[a][next] += paths[a][r];
                }
    }
}

/* Brandes, section 2: of a pair's minimal paths, those over a link from u to v are the paths to u
 * times the paths from v. Endpoints differ by router, and links are parallel here and there. */
static void test_every_pair_of_irregular_networks(void **state) {
    (void)state;
    static uint32_t hops[DRAWN][DRAWN];
    static double paths[DRAWN][DRAWN];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
        uint32_t endpoints[DRAWN];
        for (uint32_t r = 0; r < DRAWN; r++)
            endpoints[r] = vef_rng_below(&rng, 4);
        drawn made = draw(DRAWN, DRAWN, endpoints);
        for (uint32_t r = 1; r < DRAWN; r++) {
            const uint32_t links = 1 + vef_rng_below(&rng, 3);
            for (uint32_t i = 0; i < links; i++)
                draw_link(&made, r, vef_rng_below(&rng, r));
        }
        vef_graph *graph = graph_of(&made.topology);
        vef_link_load load = load_of_graph(graph, &vef_sharing_paths);
        count_paths(graph, hops, paths);
        for (uint32_t u = 0; u < DRAWN; u++)
            for (uint32_t arc = graph->first[u]; arc < graph->first[u + 1]; arc++) {
                const uint32_t v = graph->head[arc];
                double expected = 0;
                for (uint32_t a = 0; a < DRAWN; a++)
                    for (uint32_t b = 0; b < DRAWN; b++)
                        if (hops[a][u] + 1 + hops[v][b] == hops[a][b])
                            expected += (double)endpoints[a] * endpoints[b] * paths[a][u] *
                                        paths[v][b] / paths[a][b];
                assert_near(load.load[arc], expected / made.topology.endpoints, 1e-12);
            }
        vef_link_load_release(&load);
        vef_graph_destroy(graph);
        wipe(&made);
    }
}

static void test_averages_by_link_class(void **state) {
    (void)state;
    const vef_link_load load = load_of("rt", "{a: 16}", 1, NULL);
    assert_int_equal(load.classes, 2);
    assert_near(load.average_distance[0], 8, 1e-12);
    assert_near(load.average_distance[1], 4, 1e-12);
    assert_int_equal(load.links[0], 512);
    assert_int_equal(load.links[1], 512);
    assert_near(load.class_utilization[0], 1, 1e-12);
    assert_near(load.class_utilization[1], 0.5, 1e-12);
}

/* Where all minimal paths would take too long, dimension order is measured alone, and it is said.
 */
static void test_paths_are_left_out_of_large_meshes(void **state) {
    (void)state;
    vef_topology *topology = topology_of("mesh", "{sizes: [256, 256]}", 1);
    vef_graph *graph = graph_of(topology);
    assert_true((uint64_t)graph->sources * graph->arcs > VEF_MOST_PATHS_WORK);
    vef_link_load load = load_of_graph(graph, NULL);
    assert_true(load.paths_left_out);
    assert_ptr_equal(load.sharing, &vef_sharing_records);
    assert_near(load.throughput_bound, 4.0 / 256, 1e-15);
    assert_near(load.average_distance[0], (256.0 * 256 - 1) / (3 * 256), 1e-10);
    vef_link_load_release(&load);
    vef_graph_destroy(graph);
    vef_topology_destroy(topology);
    assert_false(load_of("mesh", "{sizes: [8, 8]}", 1, NULL).paths_left_out);
}

/* Above the limit `loads` a few links are searched alone: the load found is that of its link by
 * searches from everywhere, but for the thousandth of the pairs that are farthest apart; so the
 * bounds are above the exact ones, and the mean load is exact. */
static void test_few_links_of_random_graphs(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 2; seed++) {
        char parameters[64];
        snprintf(parameters, sizeof parameters, "{routers: 4096, degree: %u, seed: %u}", 4 + seed,
                 seed);
        vef_topology *topology = topology_of("jellyfish", parameters, seed);
        vef_graph *graph = graph_of(topology);
        vef_distances distances;
        vef_link_load few, exact = load_of_graph(graph, NULL);
        assert_int_equal(vef_distances_measure(graph, &distances, NULL), VEF_OK);
        assert_false(vef_link_load_measure_few(graph, NULL, &distances, &few));
        setenv("VEF_LIMITS", "loads=1", 1);
        assert_true(vef_link_load_measure_few(graph, NULL, &distances, &few));
        unsetenv("VEF_LIMITS");
        uint32_t router, port;
        double most;
        assert_int_equal(vef_few_links_measure(graph, &distances, &most, &router, &port),
                         few.few_links);
        assert_true(few.few_links >= 1 && few.few_links <= 64);
        uint32_t arc = graph->first[router];
        while (graph->port[arc] != port)
            arc++;
        assert_true(most <= exact.load[arc] * (1 + 1e-9) && most > exact.load[arc] * 0.998);
        assert_true(few.throughput_bound >= exact.throughput_bound * (1 - 1e-9));
        assert_true(few.utilization >= exact.utilization && few.utilization <= 1);
        assert_near(few.capacity_bound, exact.capacity_bound, 1e-9);
        vef_link_load_release(&exact);
        vef_distances_release(&distances);
        vef_graph_destroy(graph);
        vef_topology_destroy(topology);
    }
}

static void test_what_is_refused(void **state) {
    (void)state;
    vef_error error = {0};
    vef_link_load load;
    drawn apart = draw(3, 1, (uint32_t[]){1, 1, 1});
    draw_link(&apart, 0, 1);
    vef_graph *graph = graph_of(&apart.topology);
    assert_int_equal(vef_link_load_measure(graph, NULL, 0, &load, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "from router 0 to router 2"));
    vef_graph_destroy(graph);
    wipe(&apart);

    drawn lonely = draw(2, 1, (uint32_t[]){0, 5});
    draw_link(&lonely, 0, 1);
    graph = graph_of(&lonely.topology);
    assert_int_equal(vef_link_load_measure(graph, NULL, 0, &load, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "one router"));
    assert_int_equal(vef_link_load_measure(graph, &vef_sharing_records, 0, &load, &error),
                     VEF_INVALID);
    vef_graph_destroy(graph);
    wipe(&lonely);

    vef_topology *mesh = topology_of("mesh", "{sizes: [3, 3]}", 1);
    graph = graph_of(mesh);
    assert_int_equal(vef_link_load_measure(graph, &vef_sharing_straight, 0, &load, &error),
                     VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "straight: not supported"));
    vef_graph_destroy(graph);
    vef_topology_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utilization_of_the_papers),
        cmocka_unit_test(test_bounds_by_formula),
        cmocka_unit_test(test_straight_on_king_tori),
        cmocka_unit_test(test_records_followed_for_every_pair),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_bandwidths_and_parallel_links),
        cmocka_unit_test(test_links_of_different_speeds_are_not_alike),
        cmocka_unit_test(test_more_paths_than_a_double_holds),
        cmocka_unit_test(test_every_pair_of_irregular_networks),
        cmocka_unit_test(test_averages_by_link_class),
        cmocka_unit_test(test_paths_are_left_out_of_large_meshes),
        cmocka_unit_test(test_few_links_of_random_graphs),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
