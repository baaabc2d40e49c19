/* Layouts: every layout on every sample of the topology table against places and lengths computed
 * here; the longest links and the numbers of links of each length that the papers state or that
 * follow from how rings are folded; what is refused.
 *
 * A ring of n >= 3 folded flat has n - 2 links of length 2 and, where it turns, 2 of length 1. */
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const vef_layout *layout_of(const char *name) {
    const vef_layout *layout = NULL;
    vef_error error = {0};
    if (vef_layout_find(name, &layout, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return layout;
}

/* Lays out; fails unless every router has a place of its own and the places fill columns x rows,
 * but, in a square, for the end of the last row. */
static vef_place_on_plane *places_of(const vef_layout *layout, const vef_topology *topology,
                                     vef_layout_lengths *lengths) {
    vef_place_on_plane *place = malloc(topology->routers * sizeof *place);
    vef_error error = {0};
    assert_non_null(place);
    memset(place, 0xff, topology->routers * sizeof *place);
    if (vef_layout_places(layout, topology, place, &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_layout_measure(layout, topology, place, lengths);
    const uint32_t fill = lengths->columns * lengths->rows;
    const uint32_t spare = layout == &vef_layout_square ? lengths->columns - 1 : 0;
    assert_in_range(fill, topology->routers, topology->routers + spare);
    bool *taken = calloc(fill, sizeof *taken);
    assert_non_null(taken);
    for (uint32_t r = 0; r < topology->routers; r++) {
        assert_in_range(place[r].x, 0, lengths->columns - 1);
        assert_in_range(place[r].y, 0, lengths->rows - 1);
        bool *here = &taken[(uint32_t)place[r].y * lengths->columns + (uint32_t)place[r].x];
        assert_false(*here);
        *here = true;
    }
    free(taken);
    return place;
}

static uint64_t squared(vef_place_on_plane a, vef_place_on_plane b) {
    int64_t x = a.x - b.x, y = a.y - b.y;
    return (uint64_t)(x * x + y * y);
}

/* Links of that squared length, both of their ends counted and halved. */
static uint64_t links_of(const vef_topology *topology, const vef_place_on_plane *place,
                         uint64_t length_squared) {
    uint64_t ends = 0;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t p = 0; p < topology->ports; p++) {
            uint32_t next = topology->neighbour[(size_t)r * topology->ports + p];
            ends += next != VEF_NO_ROUTER && squared(place[r], place[next]) == length_squared;
        }
    assert_int_equal(ends % 2, 0);
    return ends / 2;
}

/* The reported lengths against a walk over both ends of every link. */
static void check_lengths(const vef_topology *topology, const vef_place_on_plane *place,
                          const vef_layout_lengths *lengths) {
    uint64_t ends = 0, least = UINT64_MAX, greatest = 0;
    double sum = 0;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t p = 0; p < topology->ports; p++) {
            uint32_t next = topology->neighbour[(size_t)r * topology->ports + p];
            if (next == VEF_NO_ROUTER)
                continue;
            uint64_t length = squared(place[r], place[next]);
            least = length < least ? length : least;
            greatest = length > greatest ? length : greatest;
            sum += sqrt((double)length);
            ends++;
        }
    assert_int_equal(lengths->links * 2, ends);
    assert_int_equal(lengths->least_squared, least);
    assert_int_equal(lengths->greatest_squared, greatest);
    assert_near(lengths->least, sqrt((double)least), 0);
    assert_near(lengths->greatest, sqrt((double)greatest), 0);
    assert_near(lengths->mean, sum / (double)ends, 1e-12 * lengths->mean);
    uint32_t end = topology->neighbour[(size_t)lengths->router * topology->ports + lengths->port];
    assert_int_equal(squared(place[lengths->router], place[end]), greatest);
}

static void check_counts(const vef_topology *topology, const vef_place_on_plane *place) {
    vef_layout_length *rows;
    size_t count;
    uint64_t total = 0;
    vef_layout_count_lengths(topology, place, &rows, &count);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            assert_true(rows[i].squared > rows[i - 1].squared);
        assert_int_equal(rows[i].links, links_of(topology, place, rows[i].squared));
        total += rows[i].links;
    }
    uint64_t ends = 0;
    for (size_t i = 0; i < (size_t)topology->routers * topology->ports; i++)
        ends += topology->neighbour[i] != VEF_NO_ROUTER;
    assert_int_equal(total * 2, ends);
    free(rows);
}

static void test_every_layout_on_every_sample(void **state) {
    (void)state;
    size_t laid_out[16] = {0};
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            for (size_t l = 0; vef_layouts[l]; l++) {
                vef_error error = {0};
                vef_layout_lengths lengths;
                if (vef_layouts[l]->supports(topology, &error) != VEF_OK) {
                    assert_int_equal(error.code, VEF_UNSUPPORTED);
                    assert_int_equal(vef_layout_places(vef_layouts[l], topology, NULL, &error),
                                     VEF_UNSUPPORTED);
                    continue;
                }
                vef_place_on_plane *place = places_of(vef_layouts[l], topology, &lengths);
                if (topology->routers > 1) { /* else there are no links */
                    check_lengths(topology, place, &lengths);
                    check_counts(topology, place);
                }
                laid_out[l]++;
                free(place);
            }
            vef_topology_destroy(topology);
        }
    for (size_t l = 0; vef_layouts[l]; l++)
        if (laid_out[l] == 0)
            fail_msg("no sample of any family is for layout %s", vef_layouts[l]->name);
}

/* Camara et al., TPDS 2010, section 8.1: "link lengths are equalized and bounded by sqrt(5)". Each
 * of the 2a steps from a column of the twisted ring to the next is a zigzag of 2a links between two
 * columns, of which 2 stay in their row (the ends of the folded columns) and the others change it
 * by one; 2a - 2 of the steps go two columns far, 2 (the ends of the folded rows) go one. */
static void test_trellis_folding_keeps_to_sqrt_5(void **state) {
    (void)state;
    for (uint32_t a = 2; a <= 40; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %u}", a);
        vef_topology *topology = topology_of("rtt", parameters, 1);
        vef_layout_lengths lengths;
        vef_place_on_plane *place = places_of(layout_of("trellis"), topology, &lengths);
        assert_int_equal(lengths.columns, 2 * a);
        assert_int_equal(lengths.rows, a);
        assert_int_equal(lengths.greatest_squared, 5);
        assert_int_equal(lengths.least_straight_squared, 4);
        assert_int_equal(lengths.fold_links, 2 * 2 * a);
        uint64_t turned = 2, straight = 2 * a - 2;
        assert_int_equal(links_of(topology, place, 1), turned * 2);
        assert_int_equal(links_of(topology, place, 2), turned * straight);
        assert_int_equal(links_of(topology, place, 4), straight * 2);
        assert_int_equal(links_of(topology, place, 5), straight * straight);
        free(place);
        vef_topology_destroy(topology);
    }
}

/* Camara et al., section 8.2, Figure 16: a PTT whose places are pairs of cabinets, "the maximum
 * link length between cabinets is 2 sqrt(2)". */
static void test_trellis_folding_of_pairs_of_cabinets(void **state) {
    (void)state;
    vef_topology *topology = topology_of("lattice", "{sizes: [8, 4, 2], shifts: [[], [4], []]}", 1);
    vef_layout_lengths lengths;
    vef_place_on_plane *place = places_of(layout_of("trellis"), topology, &lengths);
    assert_int_equal(lengths.greatest_squared, 8);
    assert_int_equal(lengths.columns, 8);
    assert_int_equal(lengths.rows, 8);
    free(place);
    vef_topology_destroy(topology);
}

static void test_folded_tori_keep_to_2(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{3, 3}, {3, 4}, {8, 8}, {7, 12}, {16, 5}, {31, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t n = sizes[i][0], m = sizes[i][1];
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{sizes: [%u, %u]}", n, m);
        vef_topology *topology = topology_of("torus", parameters, 1);
        vef_layout_lengths lengths;
        vef_place_on_plane *place = places_of(layout_of("folded"), topology, &lengths);
        assert_int_equal(links_of(topology, place, 1), 2 * (n + m));
        assert_int_equal(links_of(topology, place, 4), m * (n - 2) + n * (m - 2));
        assert_int_equal(lengths.greatest_squared, 4);
        assert_int_equal(lengths.fold_links, 2 * (n + m));
        assert_int_equal(lengths.least_straight_squared, 4);
        assert_int_equal(lengths.columns, n);
        assert_int_equal(lengths.rows, m);
        free(place);
        /* As numbered, a wrap is as long as the network. */
        place = places_of(layout_of("grid"), topology, &lengths);
        uint32_t longer = n > m ? n : m;
        assert_int_equal(lengths.greatest_squared, (longer - 1) * (longer - 1));
        assert_int_equal(lengths.fold_links, 0);
        free(place);
        vef_topology_destroy(topology);
    }
}

/* The least, greatest and least straight length of a layout, squared. */
static void check_layout(const char *family, const char *parameters, const char *layout,
                         uint64_t least, uint64_t greatest, uint64_t least_straight) {
    vef_topology *topology = topology_of(family, parameters, 1);
    vef_layout_lengths lengths;
    vef_place_on_plane *place = places_of(layout_of(layout), topology, &lengths);
    check_lengths(topology, place, &lengths);
    if (lengths.least_squared != least || lengths.greatest_squared != greatest ||
        lengths.least_straight_squared != least_straight)
        fail_msg("%s %s %s: squared lengths %ju to %ju, straight from %ju", layout, family,
                 parameters, (uintmax_t)lengths.least_squared, (uintmax_t)lengths.greatest_squared,
                 (uintmax_t)lengths.least_straight_squared);
    free(place);
    vef_topology_destroy(topology);
}

static void test_folding_in_one_and_in_many_dimensions(void **state) {
    (void)state;
    check_layout("torus", "{sizes: [9]}", "folded", 1, 4, 4);
    check_layout("torus", "{sizes: [2, 2]}", "folded", 1, 1, 0); /* nothing but turns */
    check_layout("mesh", "{sizes: [6, 4]}", "folded", 1, 1, 1);
    check_layout("lattice", "{sizes: [4, 6], wrap: [0, 1]}", "folded", 1, 4, 1);
    check_layout("rt", "{a: 5}", "folded", 1, 4, 4);
    /* Along dimension 2 twice the width of a block of 4 columns; along 3 twice its 3 rows. */
    check_layout("torus", "{sizes: [4, 3, 5]}", "folded", 1, 64, 4);
    check_layout("torus", "{sizes: [2, 3, 2, 6]}", "folded", 1, 36, 4);
}

/* The king paper (Stafford et al.), section 2: "the length of the links is between 2 and sqrt(8)",
 * and at most sqrt(8) in diagonal tori. A diagonal goes along both folded rings at once, so its
 * length is that of a step of each, put together. */
static void test_folded_king_tori_go_from_2_to_sqrt_8(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{3, 3}, {4, 4}, {8, 8}, {9, 9}, {16, 16}, {6, 11}};
    static const char *const diagonals[] = {"[1, 1]", "[-1, 1]", "[1, 1], [-1, 1]"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t kind = 0; kind < 3; kind++) {
            uint32_t n = sizes[i][0], m = sizes[i][1], both = kind == 2 ? 2 : 1;
            char parameters[128];
            snprintf(parameters, sizeof parameters,
                     "{sizes: [%u, %u], generators: [[1, 0], [0, 1], %s]}", n, m, diagonals[kind]);
            vef_topology *topology = topology_of("lattice", parameters, 1);
            vef_layout_lengths lengths;
            vef_place_on_plane *place = places_of(layout_of("folded-king"), topology, &lengths);
            assert_int_equal(lengths.greatest_squared, 8);
            assert_int_equal(lengths.least_straight_squared, 4);
            assert_int_equal(lengths.greatest_straight_squared, 8);
            uint64_t straight = m * (n - 2) + n * (m - 2) + both * (n - 2) * (m - 2);
            assert_int_equal(lengths.links - lengths.fold_links, straight);
            assert_int_equal(links_of(topology, place, 8), both * (n - 2) * (m - 2));
            assert_int_equal(links_of(topology, place, 5), both * 2 * (n - 2 + m - 2));
            assert_int_equal(links_of(topology, place, 4), m * (n - 2) + n * (m - 2));
            assert_int_equal(links_of(topology, place, 2), both * 2 * 2);
            assert_int_equal(links_of(topology, place, 1), 2 * (n + m));
            free(place);
            vef_topology_destroy(topology);
        }
    check_layout("lattice",
                 "{sizes: [5, 4], wrap: [0, 0], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}",
                 "folded-king", 1, 2, 1);
    check_layout("king-mesh", "{sizes: [5, 4]}", "folded-king", 1, 2, 1);
    check_layout("king-torus", "{sizes: [9, 9]}", "folded-king", 1, 8, 4);
    check_layout("diagonal-torus", "{sizes: [8, 8]}", "folded-king", 1, 8, 4);
    check_layout("diagonal-torus", "{sizes: [6, 7], diagonal: north-west}", "folded-king", 1, 8, 4);
}

/* That no layout does better where the king torus turns rests on this: four points whose distances
 * are all between 2 and sqrt(8) are the corners of a square of side 2. Here on a fine grid: every
 * four points of one with spacing 1/2. */
static void test_four_points_within_2_and_sqrt_8_are_a_square(void **state) {
    (void)state;
    enum { LEAST = 16, GREATEST = 32, REACH = 6, POINTS = (2 * REACH + 1) * (2 * REACH + 1) };
    vef_place_on_plane current[POINTS];
    const vef_place_on_plane origin = {0, 0};
    size_t near = 0, found = 0;
    for (int32_t x = -REACH; x <= REACH; x++)
        for (int32_t y = -REACH; y <= REACH; y++) {
            vef_place_on_plane point = {x, y};
            if (squared(origin, point) >= LEAST && squared(origin, point) <= GREATEST)
                current[near++] = point;
        }
    for (size_t a = 0; a < near; a++)
        for (size_t b = a + 1; b < near; b++)
            for (size_t c = b + 1; c < near; c++) {
                uint64_t sides[] = {squared(current[a], current[b]),
                                    squared(current[a], current[c]),
                                    squared(current[b], current[c])};
                bool fits = true;
                for (int i = 0; i < 3; i++)
                    fits = fits && sides[i] >= LEAST && sides[i] <= GREATEST;
                if (!fits)
                    continue;
                uint64_t sum = sides[0] + sides[1] + sides[2] + squared(origin, current[a]) +
                               squared(origin, current[b]) + squared(origin, current[c]);
                assert_int_equal(sum, 4 * LEAST + 2 * GREATEST);
                found++;
            }
    assert_true(found > 0);
}

/* The same network by other words has the same places. */
static void test_layouts_go_by_the_network_not_by_its_family(void **state) {
    (void)state;
    static const char *const alike[] = {
        "{sizes: [12, 6], shifts: [[], [6]]}",
        "{sizes: [12, 6], shifts: [[], [-6]]}",
        "{sizes: [12, 6], shifts: [[], [6]], generators: [[0, 1], [-1, 0]]}",
        "{sizes: [12, 6], shifts: [[], [6]], generators: [[11, 0], [0, -1]]}",
        "{sizes: [12, 6], shifts: [[], [6]], generators: [[1, 0], [6, -5]]}", /* (6, 6) is 0 */
    };
    vef_topology *rtt = topology_of("rtt", "{a: 6}", 1);
    vef_layout_lengths lengths;
    vef_place_on_plane *expected = places_of(layout_of("trellis"), rtt, &lengths);
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        vef_topology *topology = topology_of("lattice", alike[i], 1);
        vef_place_on_plane *place = places_of(layout_of("trellis"), topology, &lengths);
        assert_memory_equal(place, expected, rtt->routers * sizeof *place);
        assert_int_equal(lengths.greatest_squared, 5);
        free(place);
        vef_topology_destroy(topology);
    }
    free(expected);
    vef_topology_destroy(rtt);
}

/* Whether `name` is an entry of a list in a text, not a part of another name. */
static bool lists(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *cursor = strstr(text, name); cursor; cursor = strstr(cursor + 1, name))
        if (cursor > text && cursor[-1] == ' ' && strchr(", ", cursor[length]))
            return true;
    return false;
}

/* Refused in words that say what the layout takes, with the layouts that take this network: among
 * them `one` and `other`, but not the one refused. */
static void check_refused(const char *layout, const char *family, const char *parameters,
                          const char *takes, const char *one, const char *other) {
    vef_topology *topology = topology_of(family, parameters, 1);
    vef_error error = {0};
    assert_int_equal(vef_layout_places(layout_of(layout), topology, NULL, &error), VEF_UNSUPPORTED);
    const char *tail = strstr(error.message, "for this ");
    if (!strstr(error.message, takes) || !tail || !lists(tail, one) || !lists(tail, other) ||
        lists(tail, layout))
        fail_msg("does not name '%s', '%s' and '%s': %s", takes, one, other, error.message);
    vef_topology_destroy(topology);
}

/* The least square that holds n routers has c columns, (c - 1)^2 < n <= c^2. */
static void test_squares_hold_any_network(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t columns, rows;
    } squares[] = {
        {"slim-fly", "{q: 5}", 8, 7}, /* 50 routers */
        {"polarfly", "{q: 5}", 6, 6}, /* 31 */
        {"xgft", "{m: [4, 4], w: [1, 2]}", 3, 2},
        {"megafly", "{leaves: 3, h: 3}", 8, 8}, /* 60 */
        {"complete", "{routers: 9}", 3, 3},
        {"complete", "{routers: 2}", 2, 1},
    };
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
        vef_topology *topology = topology_of(squares[i].family, squares[i].parameters, 1);
        vef_layout_lengths lengths;
        vef_place_on_plane *place = places_of(layout_of("square"), topology, &lengths);
        assert_int_equal(lengths.columns, squares[i].columns);
        assert_int_equal(lengths.rows, squares[i].rows);
        for (uint32_t r = 0; r < topology->routers; r++)
            assert_int_equal((uint32_t)place[r].y * squares[i].columns + (uint32_t)place[r].x, r);
        free(place);
        vef_topology_destroy(topology);
    }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const char rtt[] = "rectangular twisted tori", torus[] = "tori and meshes",
                      king[] = "king and diagonal networks";
    check_refused("trellis", "torus", "{sizes: [8, 4]}", rtt, "grid", "folded");
    check_refused("trellis", "rt", "{a: 4}", rtt, "grid", "folded");
    check_refused("trellis", "lattice", "{sizes: [8, 4], shifts: [[], [2]]}", rtt, "grid", "grid");
    check_refused("trellis", "lattice", "{sizes: [6, 3, 3], shifts: [[], [3], [3]]}", rtt, "grid",
                  "grid");
    check_refused("trellis", "torus", "{sizes: [8]}", rtt, "grid", "folded");
    check_refused("folded", "rtt", "{a: 3}", torus, "grid", "trellis");
    check_refused("folded", "lattice", "{sizes: [9], generators: [[1], [3]]}", torus, "grid",
                  "grid");
    check_refused("folded", "lattice", "{sizes: [5, 5], generators: [[1, 0], [0, 1], [1, 1]]}",
                  torus, "grid", "folded-king");
    check_refused("folded-king", "torus", "{sizes: [8, 8]}", king, "grid", "folded");
    check_refused("folded-king", "rtt", "{a: 3}", king, "grid", "trellis");
    check_refused("folded-king", "lattice",
                  "{sizes: [7, 7], generators: [[1, 0], [0, 1], [1, 1], [2, 1]]}", king, "grid",
                  "grid");
    const vef_layout *layout = NULL;
    vef_error error = {0};
    assert_int_equal(vef_layout_find("trelis", &layout, &error), VEF_INVALID);
    for (size_t i = 0; vef_layouts[i]; i++)
        assert_true(lists(error.message, vef_layouts[i]->name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_layout_on_every_sample),
        cmocka_unit_test(test_trellis_folding_keeps_to_sqrt_5),
        cmocka_unit_test(test_trellis_folding_of_pairs_of_cabinets),
        cmocka_unit_test(test_folded_tori_keep_to_2),
        cmocka_unit_test(test_folding_in_one_and_in_many_dimensions),
        cmocka_unit_test(test_folded_king_tori_go_from_2_to_sqrt_8),
        cmocka_unit_test(test_four_points_within_2_and_sqrt_8_are_a_square),
        cmocka_unit_test(test_layouts_go_by_the_network_not_by_its_family),
        cmocka_unit_test(test_squares_hold_any_network),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
