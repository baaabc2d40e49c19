/* Traffic patterns against their definitions: closed forms of the permutations, and, of those that
 * draw, the probability of every destination, written here for each, within 6 standard deviations.
 */
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"
#include "tests/netmodel/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    return pattern->kind->destination(pattern, source, rng);
}

/* ---- every row ---- */

static void check_row(const vef_pattern_kind *kind, const char *sample) {
    char text[256];
    snprintf(text, sizeof text, "{pattern: %s%s%s", kind->name, sample[1] == '}' ? "" : ", ",
             sample + 1);
    vef_topology *topology = topology_of("torus", "{sizes: [8, 8]}", 1);
    vef_pattern *pattern = pattern_of(text, topology);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    bool taken[64] = {false};
    uint32_t senders = 0;
    for (uint32_t e = 0; e < 64; e++) {
        const uint32_t first = destination(pattern, e, &rng);
        for (uint32_t i = 0; i < 50; i++) {
            const uint32_t to = destination(pattern, e, &rng);
            assert_true(to == VEF_SILENT || to < 64);
            assert_int_equal(to == VEF_SILENT, first == VEF_SILENT);
            assert_true(to != e || strstr(sample, "self: true"));
            assert_true(to == first || !kind->permutation);
        }
        senders += first != VEF_SILENT;
        double share[64], sum = 0;
        vef_pattern_shares(pattern, e, share);
        for (uint32_t to = 0; to < 64; to++) {
            assert_true(share[to] >= 0);
            sum += share[to];
        }
        assert_near(sum, first != VEF_SILENT, 1e-9);
        assert_true(first == VEF_SILENT || share[first] > 0);
        if (kind->permutation && first != VEF_SILENT) {
            assert_false(taken[first]);
            taken[first] = true;
        }
    }
    assert_true(senders > 0);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static void every_pattern_keeps_its_promises(void **state) {
    (void)state;
    for (size_t i = 0; vef_patterns[i]; i++)
        for (const char *const *sample = vef_patterns[i]->samples; *sample; sample++)
            check_row(vef_patterns[i], *sample);
}

/* ---- permutations ---- */

typedef uint32_t definition(uint32_t source, const uint32_t *sizes);

static void check_permutation(const char *yaml, const char *family, const char *parameters,
                              uint32_t per_router, const uint32_t *sizes, definition *expected) {
    vef_topology *topology = topology_of(family, parameters, per_router);
    vef_pattern *pattern = pattern_of(yaml, topology);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t wanted = expected(e, sizes);
        assert_int_equal(destination(pattern, e, &rng), wanted == e ? VEF_SILENT : wanted);
    }
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static uint32_t complement(uint32_t source, const uint32_t *sizes) {
    uint32_t to = 0;
    for (uint32_t bit = 0; bit < sizes[0]; bit++)
        if (!(source & 1u << bit))
            to += 1u << bit;
    return to;
}

static uint32_t reversal(uint32_t source, const uint32_t *sizes) {
    uint32_t to = 0;
    for (uint32_t bit = 0; bit < sizes[0]; bit++, source /= 2)
        to = 2 * to + source % 2;
    return to;
}

static uint32_t shuffle(uint32_t source, const uint32_t *sizes) {
    const uint32_t last = (1u << sizes[0]) - 1;
    return source == last ? last : 2 * source % last;
}

static void bits_move_as_defined(void **state) {
    (void)state;
    const uint32_t nine = 9, one = 1, six = 6;
    check_permutation("bit-complement", "rt", "{a: 16}", 1, &nine, complement);
    check_permutation("bit-reversal", "rt", "{a: 16}", 1, &nine, reversal);
    check_permutation("perfect-shuffle", "rt", "{a: 16}", 1, &nine, shuffle);
    check_permutation("bit-complement", "torus", "{sizes: [2]}", 1, &one, complement);
    /* no grid, and not a power of two of routers: endpoints alone count */
    check_permutation("bit-reversal", "kary-ntree", "{k: 4, n: 3}", 1, &six, reversal);
    check_permutation("perfect-shuffle", "torus", "{sizes: [4, 2]}", 8, &six, shuffle);
}

/* (x, y) to (y, x); `sizes`: the side and the endpoints on a router. */
static uint32_t transposed(uint32_t source, const uint32_t *sizes) {
    const uint32_t side = sizes[0], copies = sizes[1], router = source / copies;
    return (router % side * side + router / side) * copies + source % copies;
}

static void transpose_exchanges_coordinates(void **state) {
    (void)state;
    static const uint32_t five[] = {5, 1}, pairs[] = {5, 2}, sixteen[] = {16, 1}, six[] = {6, 1};
    check_permutation("transpose", "king-torus", "{sizes: [5, 5]}", 1, five, transposed);
    check_permutation("transpose", "mesh", "{sizes: [5, 5]}", 2, pairs, transposed);
    /* endpoints as a square matrix: halves of 8 bits */
    check_permutation("transpose", "mesh", "{sizes: [32, 8]}", 1, sixteen, transposed);
    check_permutation("transpose", "torus", "{sizes: [16, 16]}", 1, sixteen, transposed);
    check_permutation("{pattern: transpose, grid: [6, 6]}", "torus", "{sizes: [9, 4]}", 1, six,
                      transposed);
}

/* `sizes`: of three dimensions, how many advance, endpoints on a router. */
static uint32_t tornado(uint32_t source, const uint32_t *sizes) {
    const uint32_t copies = sizes[4];
    uint32_t rest = source / copies, to = 0, stride = copies;
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t here = rest % sizes[d];
        rest /= sizes[d];
        if (d < sizes[3])
            here = (here + (uint32_t)ceil(sizes[d] / 2.0) - 1) % sizes[d];
        to += here * stride;
        stride *= sizes[d];
    }
    return to + source % copies;
}

static void tornado_advances(void **state) {
    (void)state;
    static const uint32_t total[] = {8, 5, 2, 3, 1}, first[] = {8, 5, 2, 1, 3},
                          logical[] = {4, 10, 1, 3, 1};
    check_permutation("tornado", "torus", "{sizes: [8, 5, 2]}", 1, total, tornado);
    check_permutation("{pattern: tornado, dimensions: 1}", "mesh", "{sizes: [8, 5, 2]}", 3, first,
                      tornado);
    check_permutation("{pattern: tornado, grid: [4, 10]}", "torus", "{sizes: [8, 5]}", 1, logical,
                      tornado);
    /* by hand: 16 routers advance by 7, and the farthest that a ring of 5 goes minimally is 2 */
    vef_topology *topology = topology_of("torus", "{sizes: [16, 5]}", 1);
    vef_pattern *pattern = pattern_of("tornado", topology);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    assert_int_equal(destination(pattern, 0, &rng), 7 + 16 * 2);
    assert_int_equal(destination(pattern, 12 + 16 * 4, &rng), 3 + 16 * 1);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

/* In three dimensions, `sizes`: then whether x and z change places, endpoints on a router. */
static uint32_t dimension_complement(uint32_t source, const uint32_t *sizes) {
    const bool reversed = sizes[3];
    const uint32_t copies = sizes[4], router = source / copies;
    const uint32_t x = sizes[0] - 1 - router % sizes[0];
    const uint32_t y = sizes[1] - 1 - router / sizes[0] % sizes[1];
    const uint32_t z = sizes[2] - 1 - router / (sizes[0] * sizes[1]);
    const uint32_t to = (reversed ? z : x) + sizes[0] * (y + sizes[1] * (reversed ? x : z));
    return to * copies + source % copies;
}

static void dimension_complement_mirrors(void **state) {
    (void)state;
    static const uint32_t plain[] = {4, 3, 2, false, 1}, odd[] = {3, 3, 5, false, 2},
                          reversed[] = {4, 5, 4, true, 3}, logical[] = {4, 10, 1, false, 1};
    check_permutation("dimension-complement", "hyperx", "{sizes: [4, 3, 2]}", 1, plain,
                      dimension_complement);
    check_permutation("dimension-complement", "mesh", "{sizes: [3, 3, 5]}", 2, odd,
                      dimension_complement);
    check_permutation("{pattern: dimension-complement, reverse: true}", "hyperx",
                      "{sizes: [4, 5, 4]}", 3, reversed, dimension_complement);
    check_permutation("{pattern: dimension-complement, grid: [4, 10]}", "torus", "{sizes: [8, 5]}",
                      1, logical, dimension_complement);
    /* where sizes are powers of two, bit complement */
    static const uint32_t nine = 9;
    check_permutation("dimension-complement", "torus", "{sizes: [16, 8, 4]}", 1, &nine, complement);
}

/* `sizes`: endpoints, and by how many. */
static uint32_t shifted(uint32_t source, const uint32_t *sizes) {
    for (uint32_t i = 0; i < sizes[1]; i++)
        source = source + 1 == sizes[0] ? 0 : source + 1;
    return source;
}

static void shift_is_cyclic(void **state) {
    (void)state;
    static const uint32_t one[] = {15, 1}, eight[] = {30, 8}, more[] = {9, 25};
    check_permutation("shift", "torus", "{sizes: [5, 3]}", 1, one, shifted);
    check_permutation("{pattern: shift, by: 8}", "torus", "{sizes: [5, 3]}", 2, eight, shifted);
    check_permutation("{pattern: shift, by: 25}", "kary-ntree", "{k: 3, n: 2}", 1, more, shifted);
}

/* The only router with links to both, each a single one. */
static uint32_t between(const vef_topology *topology, uint32_t from, uint32_t to) {
    uint32_t found = VEF_NO_ROUTER;
    for (uint32_t router = 0; router < topology->routers; router++) {
        const uint32_t ways =
            count_links(topology, from, router) * count_links(topology, router, to);
        assert_true(ways == 0 || (ways == 1 && found == VEF_NO_ROUTER));
        found = ways ? router : found;
    }
    assert_int_not_equal(found, VEF_NO_ROUTER);
    return found;
}

/* Every packet has one shortest path, of two hops; of the links of a router one carries the packets
 * of two routers, and the others none. */
static void check_two_hop_cycle(const char *family, const char *parameters, uint32_t each) {
    vef_topology *topology = topology_of(family, parameters, each);
    vef_pattern *pattern = pattern_of("two-hop-cycle", topology);
    const uint32_t routers = topology->routers;
    uint32_t *load = calloc((size_t)routers * routers, sizeof *load);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t reached = destination(pattern, e, &rng);
        assert_int_equal(reached % each, e % each);
        const uint32_t from = e / each, to = reached / each;
        assert_true(from != to && count_links(topology, from, to) == 0);
        const uint32_t over = between(topology, from, to);
        load[from * routers + over]++;
        load[over * routers + to]++;
    }
    for (uint32_t from = 0; from < routers; from++) {
        uint32_t full = 0;
        for (uint32_t to = 0; to < routers; to++) {
            assert_true(load[from * routers + to] == 0 || load[from * routers + to] == 2 * each);
            full += load[from * routers + to] > 0;
        }
        assert_int_equal(full, 1);
    }
    free(load);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static void two_hop_cycle_loads_links_twice(void **state) {
    (void)state;
    check_two_hop_cycle("slim-fly", "{q: 5}", 4); /* the Hoffman-Singleton graph */
    check_two_hop_cycle("slim-fly", "{q: 4}", 1);
    check_two_hop_cycle("slim-fly", "{q: 9}", 2);
    check_two_hop_cycle("polarfly", "{q: 5}", 3);
    check_two_hop_cycle("polarfly", "{q: 8}", 1);
    check_two_hop_cycle("dragonfly", "{a: 4, h: 2}", 2);
    check_two_hop_cycle("torus", "{sizes: [5]}", 2); /* the ring of 5 itself */
}

static void two_hop_cycle_depends_on_its_seed(void **state) {
    (void)state;
    vef_topology *topology = topology_of("slim-fly", "{q: 5}", 1);
    vef_pattern *one = pattern_of("two-hop-cycle", topology);
    vef_pattern *again = pattern_of("{pattern: two-hop-cycle, seed: 1}", topology);
    vef_pattern *two = pattern_of("{pattern: two-hop-cycle, seed: 2}", topology);
    uint32_t different = 0;
    for (uint32_t e = 0; e < 50; e++) {
        assert_int_equal(destination(one, e, NULL), destination(again, e, NULL));
        different += destination(one, e, NULL) != destination(two, e, NULL);
    }
    assert_true(different > 0);
    vef_pattern_destroy(one);
    vef_pattern_destroy(again);
    vef_pattern_destroy(two);
    vef_topology_destroy(topology);
}

static void check_no_two_hop_cycle(const char *family, const char *parameters) {
    vef_topology *topology = topology_of(family, parameters, 1);
    pattern_refused("two-hop-cycle", topology, VEF_UNSUPPORTED,
                    "expected a network of unique shortest paths, such as slim-fly or");
    vef_topology_destroy(topology);
}

/* In a complete graph all are linked, and in a HyperX of two dimensions two routers lie between
 * those that differ in both. The Petersen graph has unique paths, but no Hamiltonian cycle. */
static void two_hop_cycle_refuses(void **state) {
    (void)state;
    check_no_two_hop_cycle("complete", "{routers: 6}");
    check_no_two_hop_cycle("hyperx", "{sizes: [3, 3]}");
    check_no_two_hop_cycle("torus", "{sizes: [4]}");
    static const char petersen[] =
        "0 1\n1 2\n2 3\n3 4\n4 0\n0 5\n1 6\n2 7\n3 8\n4 9\n"
        "5 7\n7 9\n9 6\n6 8\n8 5\n";
    own_file_write(petersen, sizeof petersen - 1);
    char parameters[300];
    snprintf(parameters, sizeof parameters, "{file: '%s'}", own_file_path);
    check_no_two_hop_cycle("edges", parameters);
    vef_topology *tree = topology_of("kary-ntree", "{k: 2, n: 2}", 1);
    pattern_refused("two-hop-cycle", tree, VEF_UNSUPPORTED,
                    "kary-ntree does not have equally many endpoints on all routers");
    vef_topology_destroy(tree);
}

/* ---- patterns that draw ---- */

typedef double probability(uint32_t source, uint32_t to, uint32_t endpoints);

static void check_frequencies(const char *yaml, const char *family, const char *parameters,
                              uint32_t per_router, probability *expected) {
    enum { DRAWS = 20000, MOST = 64 };
    vef_topology *topology = topology_of(family, parameters, per_router);
    vef_pattern *pattern = pattern_of(yaml, topology);
    const uint32_t endpoints = topology->endpoints;
    assert_true(endpoints <= MOST);
    vef_rng rng = vef_rng_make(31, VEF_RNG_TEST, 0);
    for (uint32_t e = 0; e < endpoints; e++) {
        uint32_t count[MOST] = {0};
        double sum = 0;
        for (uint32_t i = 0; i < DRAWS; i++)
            count[destination(pattern, e, &rng)]++;
        double share[MOST];
        vef_pattern_shares(pattern, e, share);
        for (uint32_t to = 0; to < endpoints; to++) {
            const double p = expected(e, to, endpoints);
            assert_near(share[to], p, 1e-8); /* zipf draws by thresholds of 32 bits */
            const double away = fabs(count[to] - p * DRAWS);
            sum += p;
            if (away > 6 * sqrt(p * (1 - p) * DRAWS))
                fail_msg("%s: %u to %u: %u of %d instead of %g", yaml, e, to, count[to], DRAWS,
                         p * DRAWS);
        }
        assert_near(sum, 1, 1e-9); /* of what is expected */
    }
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static double others(uint32_t source, uint32_t to, uint32_t endpoints) {
    return to == source ? 0 : 1.0 / (endpoints - 1);
}

static double evenly(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)source, (void)to;
    return 1.0 / endpoints;
}

static void uniform_is_uniform(void **state) {
    (void)state;
    check_frequencies("uniform", "torus", "{sizes: [5, 3]}", 2, others);
    check_frequencies("{pattern: uniform, self: true}", "torus", "{sizes: [5, 3]}", 1, evenly);
    check_frequencies("uniform", "torus", "{sizes: [2]}", 1, others);
    check_frequencies("~", "torus", "{sizes: [3]}", 1, others); /* the default */
}

/* 48 endpoints: the region is the first 6. */
static double hot(uint32_t source, uint32_t to, uint32_t endpoints) {
    const double in_region = to == source || to >= 6 ? 0 : source < 6 ? 1.0 / 5 : 1.0 / 6;
    return 0.25 * in_region + 0.75 * others(source, to, endpoints);
}

static double hot_half(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)source;
    return 0.9 * (to < 24 ? 1.0 / 24 : 0) + 0.1 / endpoints;
}

static void hot_region_is_hot(void **state) {
    (void)state;
    check_frequencies("hot-region", "torus", "{sizes: [8, 6]}", 1, hot);
    check_frequencies("{pattern: hot-region, share: 0.9, part: 0.5, self: true}", "torus",
                      "{sizes: [8, 6]}", 1, hot_half);
}

/* 15 endpoints, of the 14 others of destination 5 every other one from 6 on is a source. */
static double incast(uint32_t source, uint32_t to, uint32_t endpoints) {
    if (source != 5 && (source + endpoints - 6) % endpoints % 2 == 0)
        return to == 5;
    const uint32_t left_out = source == 5 ? 1 : 2;
    return to == 5 || to == source ? 0 : 1.0 / (endpoints - left_out);
}

/* All but the destination, which sends to them. */
static double all_to_last(uint32_t source, uint32_t to, uint32_t endpoints) {
    const uint32_t last = endpoints - 1;
    return source == last ? others(source, to, endpoints) : to == last;
}

static double none_to_first(uint32_t source, uint32_t to, uint32_t endpoints) {
    return to == 0 || to == source ? 0 : 1.0 / (endpoints - (source == 0 ? 1 : 2));
}

static void incast_has_sources_and_bystanders(void **state) {
    (void)state;
    check_frequencies("{pattern: incast, destination: 5, sources: 7}", "torus", "{sizes: [5, 3]}",
                      1, incast);
    check_frequencies("{pattern: incast, destination: 29, sources: 29}", "torus", "{sizes: [5, 3]}",
                      2, all_to_last);
    check_frequencies("{pattern: incast, sources: 0}", "torus", "{sizes: [3]}", 1, none_to_first);
    vef_topology *topology = topology_of("torus", "{sizes: [5, 3]}", 1);
    vef_pattern *pattern = pattern_of("{pattern: incast, destination: 5, sources: 7}", topology);
    assert_int_equal(vef_pattern_groups(pattern), 2);
    assert_int_equal(vef_pattern_group_senders(pattern, 0), 7);
    assert_int_equal(vef_pattern_group_senders(pattern, 1), 8);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    topology = topology_of("torus", "{sizes: [2]}", 1);
    pattern_refused("{pattern: incast, sources: 1}", topology, VEF_UNSUPPORTED,
                    "expected at least 3 endpoints");
    vef_topology_destroy(topology);
}

/* In a torus of 4x3x2 with two endpoints on a router, across the middle of x or of z. */
static double across(uint32_t source, uint32_t to, uint32_t stride, uint32_t size) {
    const uint32_t from = source / stride % size, there = to / stride % size;
    return source % 2 == to % 2 && from + there == size - 1 ? size / 24.0 : 0;
}

static double across_x(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)endpoints;
    return across(source, to, 2, 4);
}

static double across_z(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)endpoints;
    return across(source, to, 24, 2);
}

static void uniform_bisection_crosses_the_middle(void **state) {
    (void)state;
    check_frequencies("uniform-bisection", "torus", "{sizes: [4, 3, 2]}", 2, across_x);
    check_frequencies("{pattern: uniform-bisection, dimension: 2}", "torus", "{sizes: [4, 3, 2]}",
                      2, across_z);
}

/* In a torus of 5x4 with two endpoints on a router. */
static double torus_neighbour(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)endpoints;
    if (source % 2 != to % 2)
        return 0;
    const int x = (int)(source / 2 % 5), y = (int)(source / 10);
    const int to_x = (int)(to / 2 % 5), to_y = (int)(to / 10);
    const int dx = (to_x - x + 5) % 5, dy = (to_y - y + 4) % 4;
    return (dy == 0 && (dx == 1 || dx == 4)) || (dx == 0 && (dy == 1 || dy == 3)) ? 0.25 : 0;
}

/* In a mesh of 3x2x1 each has one neighbour along y, and one or two along x. */
static double mesh_neighbour(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)endpoints;
    const uint32_t x = source % 3, to_x = to % 3, y = source / 3, to_y = to / 3;
    const bool beside = y == to_y && (x + 1 == to_x || to_x + 1 == x);
    const bool above = x == to_x && y != to_y;
    return beside || above ? 1.0 / (x == 1 ? 3 : 2) : 0;
}

/* In a torus of 3x2 both steps along y lead to the same place. */
static double doubled_neighbour(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)endpoints;
    if (source % 3 == to % 3)
        return source == to ? 0 : 0.5;
    return source / 3 == to / 3 ? 0.25 : 0;
}

static double mostly_local(uint32_t source, uint32_t to, uint32_t endpoints) {
    return 0.7 * torus_neighbour(source, to, endpoints) + 0.3 * others(source, to, endpoints);
}

static double local_and_self(uint32_t source, uint32_t to, uint32_t endpoints) {
    return 0.7 * torus_neighbour(source, to, endpoints) + 0.3 / endpoints;
}

static void neighbours_are_near(void **state) {
    (void)state;
    check_frequencies("neighbour", "torus", "{sizes: [5, 4]}", 2, torus_neighbour);
    check_frequencies("neighbour", "mesh", "{sizes: [5, 4]}", 2, torus_neighbour);
    check_frequencies("{pattern: neighbour, grid: [3, 2, 1], wrap: false}", "torus", "{sizes: [6]}",
                      1, mesh_neighbour);
    check_frequencies("{pattern: neighbour, grid: [3, 2]}", "torus", "{sizes: [6]}", 1,
                      doubled_neighbour);
    check_frequencies("{pattern: local, alpha: 0.7}", "torus", "{sizes: [5, 4]}", 2, mostly_local);
    check_frequencies("{pattern: local, alpha: 0.7, self: true}", "torus", "{sizes: [5, 4]}", 2,
                      local_and_self);
    check_frequencies("{pattern: local, alpha: 1}", "torus", "{sizes: [5, 4]}", 2, torus_neighbour);
    check_frequencies("{pattern: local, alpha: 0}", "torus", "{sizes: [5, 4]}", 2, others);
}

static double harmonic(uint32_t ranks, double exponent) {
    double sum = 0;
    for (uint32_t i = 1; i <= ranks; i++)
        sum += 1 / pow(i, exponent);
    return sum;
}

static double zipf(uint32_t source, uint32_t to, uint32_t endpoints) {
    const double to_others = harmonic(endpoints, 1) - 1.0 / (source + 1);
    return to == source ? 0 : 1.0 / (to + 1) / to_others;
}

static double steep(uint32_t source, uint32_t to, uint32_t endpoints) {
    (void)source;
    return pow(to + 1.0, -2.5) / harmonic(endpoints, 2.5);
}

static void zipf_has_its_ranks(void **state) {
    (void)state;
    check_frequencies("zipf", "torus", "{sizes: [10, 3]}", 2, zipf);
    check_frequencies("{pattern: zipf, exponent: 2.5, self: true}", "torus", "{sizes: [10, 3]}", 1,
                      steep);
    check_frequencies("zipf", "torus", "{sizes: [2]}", 1, zipf);
    check_frequencies("{pattern: zipf, exponent: 0}", "torus", "{sizes: [7]}", 1, others);
    check_frequencies("{pattern: zipf, exponent: 0, ranks: own}", "torus", "{sizes: [7]}", 1,
                      others);
}

static int descending(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*y > *x) - (*y < *x);
}

/* Orders that are drawn: sorted by how often they come, destinations follow the ranks; shared, they
 * are the same for all; of one's own, all sources together send as much to each. */
static void check_drawn_ranks(const char *yaml, bool shared) {
    enum { ENDPOINTS = 16, DRAWS = 200000 };
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of(yaml, topology);
    vef_rng rng = vef_rng_make(31, VEF_RNG_TEST, 0);
    uint32_t most_of_all[ENDPOINTS] = {0};
    for (uint32_t e = 0; e < ENDPOINTS; e++) {
        uint32_t count[ENDPOINTS] = {0}, most = 0;
        for (uint32_t i = 0; i < DRAWS; i++)
            count[destination(pattern, e, &rng)]++;
        for (uint32_t to = 0; to < ENDPOINTS; to++)
            most = count[to] > count[most] ? to : most;
        most_of_all[most]++;
        qsort(count, ENDPOINTS, sizeof *count, descending);
        for (uint32_t rank = 1; rank <= ENDPOINTS; rank++) {
            const double p = 1.0 / rank / harmonic(ENDPOINTS, 1);
            assert_near(count[rank - 1], p * DRAWS, 6 * sqrt(p * (1 - p) * DRAWS));
        }
    }
    for (uint32_t to = 0; to < ENDPOINTS; to++)
        assert_true(shared ? most_of_all[to] == 0 || most_of_all[to] == ENDPOINTS
                           : most_of_all[to] == 1);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static void zipf_draws_its_ranks(void **state) {
    (void)state;
    check_drawn_ranks("{pattern: zipf, ranks: shuffled, self: true}", true);
    check_drawn_ranks("{pattern: zipf, ranks: own, self: true}", false);
}

/* ---- refused ---- */

static void patterns_that_do_not_fit(void **state) {
    (void)state;
    vef_topology *twelve = topology_of("torus", "{sizes: [4, 3]}", 1);
    vef_topology *three = topology_of("torus", "{sizes: [3]}", 1);
    vef_topology *small = topology_of("torus", "{sizes: [2, 2]}", 1);
    vef_topology *tree = topology_of("kary-ntree", "{k: 3, n: 2}", 1);
    static const char *const bits[] = {"bit-complement", "bit-reversal", "perfect-shuffle"};
    for (size_t i = 0; i < 3; i++) {
        pattern_refused(bits[i], twelve, VEF_UNSUPPORTED,
                        "12 endpoints: expected a power of two, such as 8 or 16");
        pattern_refused(bits[i], three, VEF_UNSUPPORTED,
                        "3 endpoints: expected a power of two, at least 2, such as 4");
    }
    pattern_refused("transpose", twelve, VEF_UNSUPPORTED,
                    "neither on a grid of routers whose halves");
    pattern_refused("{pattern: transpose, grid: [6, 2]}", twelve, VEF_UNSUPPORTED,
                    "the grid 6x2 does not have two halves of equal sizes");
    pattern_refused("{pattern: tornado, grid: [6, 3]}", twelve, VEF_INVALID,
                    "the grid 6x3 has more places than the network endpoints: expected sizes whose "
                    "product is 12");
    pattern_refused("{pattern: neighbour, grid: [6]}", twelve, VEF_INVALID, "has fewer places");
    pattern_refused("{pattern: neighbour, grid: [4294967295, 4294967295, 4294967295]}", twelve,
                    VEF_INVALID, "has more places");
    pattern_refused("tornado", small, VEF_UNSUPPORTED,
                    "the grid is 2x2, expected a size of 3 or more");
    pattern_refused("{pattern: tornado, dimensions: 3}", twelve, VEF_INVALID,
                    "3 of a grid of 2: out of range: expected 1 to 2");
    pattern_refused("{pattern: dimension-complement, reverse: true}", twelve, VEF_UNSUPPORTED,
                    "reverse: not supported on the grid 4x3: expected sizes that are the same "
                    "backwards");
    pattern_refused("{pattern: uniform-bisection, dimension: 1}", twelve, VEF_UNSUPPORTED,
                    "dimension: 1 of the grid 4x3 has an odd size: expected an even one");
    pattern_refused("{pattern: uniform-bisection, dimension: 2}", twelve, VEF_INVALID,
                    "2 of the grid 4x3: out of range: expected 0 to 1");
    pattern_refused("{pattern: shift, by: 24}", twelve, VEF_UNSUPPORTED,
                    "by: 24 is a multiple of the 12 endpoints");
    pattern_refused("{pattern: shift, by: 0}", twelve, VEF_INVALID, "by");
    static const char *const grids[] = {"tornado", "neighbour", "local", "dimension-complement",
                                        "uniform-bisection"};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        pattern_refused(grids[i], tree, VEF_UNSUPPORTED, "has no grid of routers");
    pattern_refused("{pattern: local, alpha: 1.5}", twelve, VEF_INVALID, "alpha");
    pattern_refused("hot-region", small, VEF_UNSUPPORTED, "expected a part of at least 0.5");
    pattern_refused("{pattern: hot-region, part: 0, self: true}", twelve, VEF_UNSUPPORTED,
                    "expected a part of at least 0.0833");
    pattern_refused("{pattern: incast, sources: 12}", twelve, VEF_INVALID, "expected 0 to 11");
    pattern_refused("{pattern: incast, destination: 12}", twelve, VEF_INVALID, "expected 0 to 11");
    pattern_refused("tornada", twelve, VEF_INVALID, "did you mean tornado?");
    pattern_refused("[uniform]", twelve, VEF_INVALID, "expected a name such as uniform");
    pattern_refused("{self: true}", twelve, VEF_INVALID, "{pattern: uniform}");
    pattern_refused("{pattern: uniform, alpha: 1}", twelve, VEF_INVALID, "unknown key 'alpha'");
    pattern_refused("{pattern: zipf, exponent: 5}", twelve, VEF_INVALID, "exponent");
    vef_topology_destroy(twelve);
    vef_topology_destroy(three);
    vef_topology_destroy(small);
    vef_topology_destroy(tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_keeps_its_promises),
        cmocka_unit_test(bits_move_as_defined),
        cmocka_unit_test(transpose_exchanges_coordinates),
        cmocka_unit_test(tornado_advances),
        cmocka_unit_test(dimension_complement_mirrors),
        cmocka_unit_test(shift_is_cyclic),
        cmocka_unit_test(two_hop_cycle_loads_links_twice),
        cmocka_unit_test(two_hop_cycle_depends_on_its_seed),
        cmocka_unit_test(two_hop_cycle_refuses),
        cmocka_unit_test(uniform_is_uniform),
        cmocka_unit_test(hot_region_is_hot),
        cmocka_unit_test(incast_has_sources_and_bystanders),
        cmocka_unit_test(uniform_bisection_crosses_the_middle),
        cmocka_unit_test(neighbours_are_near),
        cmocka_unit_test(zipf_has_its_ranks),
        cmocka_unit_test(zipf_draws_its_ranks),
        cmocka_unit_test(patterns_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
