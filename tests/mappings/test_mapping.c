/* Task mappings against Camarero et al., "Task Mapping in Rectangular Twisted Tori": the
 * definitions and Figure 4 of its section 3, and the mean hops of a logical torus' neighbours that
 * its sections 3.3 and 3.4 derive (their rows at alpha = 1), here by breadth-first search on the
 * real networks. */
#include "mappings/grid.h"
#include "mappings/parse.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vef_topology *rectangular(const char *family, uint32_t a, uint32_t per_router) {
    char parameters[32];
    snprintf(parameters, sizeof parameters, "{a: %u}", a);
    return topology_of(family, parameters, per_router);
}

static vef_mapping *mapped(const char *text, vef_grid grid, uint32_t tasks,
                           const vef_topology *topology) {
    const vef_mapping_request request = {.text = text, .grid = grid, .tasks = tasks};
    vef_mapping *mapping = NULL;
    vef_error error = {0};
    if (vef_mapping_create(&request, topology, &mapping, &error))
        fail_msg("%s: %s", text ? text : "default", error.message);
    assert_int_equal(mapping->tasks, tasks);
    return mapping;
}

static void refused(const char *text, vef_grid grid, uint32_t tasks, const vef_topology *topology,
                    vef_code code, const char *words) {
    const vef_mapping_request request = {.text = text, .grid = grid, .tasks = tasks};
    vef_mapping *mapping = NULL;
    vef_error error = {0};
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), code);
    assert_null(mapping);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not hold '%s'", error.message, words);
}

static const char *file_of(const char *text, char *path, size_t bytes) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, bytes, "%s/vef.map(1).txt", folder ? folder : "/tmp");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

/* ---- the definitions ---- */

/* Figure 4: an 8x8 grid brought to 32 routers, two tasks each, by hand. */
static void unions_of_figure_4(void **state) {
    (void)state;
    vef_topology *wide = topology_of("torus", "{sizes: [8, 4]}", 2);
    vef_topology *tall = topology_of("torus", "{sizes: [4, 8]}", 2);
    const vef_grid grid = {{8, 8}};
    vef_mapping *vertical = mapped("vertical-union(2)", grid, 64, wide);
    vef_mapping *horizontal = mapped("horizontal-union(2)", grid, 64, tall);
    vef_mapping *twisted = mapped("twisted-union(2)", grid, 64, wide);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++) {
            const uint32_t task = 8 * y + x;
            assert_int_equal(vertical->endpoint[task], 2 * (8 * (y / 2) + x) + y % 2);
            assert_int_equal(horizontal->endpoint[task], 2 * (4 * y + x / 2) + x % 2);
            const uint32_t router = y < 4 ? 8 * y + x : 8 * (y - 4) + (x + 4) % 8;
            assert_int_equal(twisted->endpoint[task], 2 * router + y / 4);
        }
    vef_mapping_destroy(vertical);
    vef_mapping_destroy(horizontal);
    vef_mapping_destroy(twisted);
    vef_topology_destroy(wide);
    vef_topology_destroy(tall);
}

/* Figure 3: row y moves y to the right, going round. */
static void diagonal_shift_of_figure_3(void **state) {
    (void)state;
    vef_topology *topology = rectangular("rt", 4, 1);
    vef_mapping *mapping = mapped("diagonal-shift", (vef_grid){{0, 0}}, 32, topology);
    static const uint32_t last_row[8] = {27, 28, 29, 30, 31, 24, 25, 26};
    for (uint32_t x = 0; x < 8; x++) {
        assert_int_equal(mapping->endpoint[x], x);
        assert_int_equal(mapping->endpoint[24 + x], last_row[x]);
    }
    vef_mapping_destroy(mapping);
    vef_topology_destroy(topology);
}

/* (f . g)(x, y) = f(g(x, y)), with either sign. On 16x8 tasks id . f^t_2 . f^h_2 takes (x, y) to
 * (floor(x / 2) + 4 floor(y / 4) mod 8, y mod 4): the paper's mapping of 128 tasks. */
static void stages_apply_from_right_to_left(void **state) {
    (void)state;
    vef_topology *topology = rectangular("rtt", 4, 4);
    const vef_grid grid = {{16, 8}};
    vef_mapping *points =
        mapped("identity . twisted-union(2) . horizontal-union(2)", grid, 128, topology);
    vef_mapping *circles = mapped(
        "identity\xe2\x88\x98twisted-union( 2 ) \xe2\x88\x98 "
        "horizontal-union(2)",
        grid, 128, topology);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 16; x++) {
            const uint32_t router = 8 * (y % 4) + (x / 2 + 4 * (y / 4)) % 8;
            const uint32_t task = 16 * y + x;
            assert_int_equal(points->endpoint[task], 4 * router + 2 * (y / 4) + x % 2);
            assert_int_equal(circles->endpoint[task], points->endpoint[task]);
        }
    vef_mapping_destroy(points);
    vef_mapping_destroy(circles);
    /* Order matters: shift after union, (x + floor(y / 2), floor(y / 2)), or union after shift. */
    vef_mapping *after =
        mapped("diagonal-shift . vertical-union(4)", (vef_grid){{8, 16}}, 128, topology);
    vef_mapping *before =
        mapped("vertical-union(4) . diagonal-shift", (vef_grid){{8, 16}}, 128, topology);
    assert_int_equal(after->endpoint[8 * 5 + 1] / 4, 8 * 1 + 2);
    assert_int_equal(before->endpoint[8 * 5 + 1] / 4, 8 * 1 + 6);
    vef_mapping_destroy(after);
    vef_mapping_destroy(before);
    vef_topology_destroy(topology);
}

/* In three dimensions, by the definitions: one axis moves, the others stay. */
static void more_dimensions(void **state) {
    (void)state;
    vef_topology *one = topology_of("torus", "{sizes: [4, 3, 2]}", 1);
    vef_topology *two = topology_of("torus", "{sizes: [4, 3, 2]}", 2);
    vef_topology *turned = topology_of("torus", "{sizes: [2, 3, 4]}", 1);
    const vef_grid none = {{0}};
    vef_mapping *shift = mapped("diagonal-shift", none, 24, one);
    vef_mapping *shift_zx = mapped("diagonal-shift(z, x)", none, 24, one);
    vef_mapping *transposed = mapped("transpose(z, x)", (vef_grid){{4, 3, 2}}, 24, turned);
    vef_mapping *union_z = mapped("union(2, z)", none, 48, two);
    vef_mapping *twisted = mapped("twisted-union(2, z, x)", (vef_grid){{4, 3, 4}}, 48, two);
    assert_int_equal(union_z->grid.size[0], 4);
    assert_int_equal(union_z->grid.size[1], 3);
    assert_int_equal(union_z->grid.size[2], 4);
    for (uint32_t z = 0; z < 4; z++)
        for (uint32_t y = 0; y < 3; y++)
            for (uint32_t x = 0; x < 4; x++) {
                const uint32_t task = 12 * z + 4 * y + x;
                assert_int_equal(union_z->endpoint[task], 2 * (12 * (z / 2) + 4 * y + x) + z % 2);
                assert_int_equal(twisted->endpoint[task],
                                 2 * (12 * (z % 2) + 4 * y + (x + (z < 2 ? 0 : 2)) % 4) + z / 2);
                if (z >= 2)
                    continue;
                assert_int_equal(shift->endpoint[task], 12 * z + 4 * y + (x + y) % 4);
                assert_int_equal(shift_zx->endpoint[task], 12 * ((z + x) % 2) + 4 * y + x);
                assert_int_equal(transposed->endpoint[task], 6 * x + 2 * y + z);
            }
    vef_mapping_destroy(shift);
    vef_mapping_destroy(shift_zx);
    vef_mapping_destroy(transposed);
    vef_mapping_destroy(union_z);
    vef_mapping_destroy(twisted);
    vef_topology_destroy(one);
    vef_topology_destroy(two);
    vef_topology_destroy(turned);
}

/* Each mapping has the grid that it needs, or the one that it names, whatever the request says. */
static void grids_of_mappings(void **state) {
    (void)state;
    vef_topology *two = topology_of("torus", "{sizes: [8, 4]}", 2);
    vef_mapping *vertical = mapped("vertical-union(2)", (vef_grid){{0}}, 64, two);
    vef_mapping *horizontal = mapped("horizontal-union(2)", (vef_grid){{0}}, 64, two);
    vef_mapping *named = mapped("horizontal-union(2) . grid(16x4)", (vef_grid){{8, 8}}, 64, two);
    assert_int_equal(vertical->grid.width, 8);
    assert_int_equal(horizontal->grid.width, 16);
    assert_int_equal(horizontal->grid.height, 4);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t x = t % 16, y = t / 16;
        assert_int_equal(horizontal->endpoint[t], 2 * (8 * y + x / 2) + x % 2);
        assert_int_equal(named->endpoint[t], horizontal->endpoint[t]);
        assert_int_equal(vertical->endpoint[t], 2 * (8 * (t / 16) + t % 8) + t / 8 % 2);
    }
    vef_mapping_destroy(vertical);
    vef_mapping_destroy(horizontal);
    vef_mapping_destroy(named);
    vef_topology_destroy(two);
}

/* ---- mean hops between the neighbours of a logical torus ---- */

static double mean_hops(const char *text, vef_grid grid, const vef_topology *topology) {
    const uint32_t tasks = grid.width * grid.height;
    vef_mapping *mapping = mapped(text, grid, tasks, topology);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    assert_non_null(distance);
    uint64_t sum = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        const uint32_t x = t % grid.width, y = t / grid.width;
        const uint32_t right = grid.width * y + (x + 1) % grid.width;
        const uint32_t above = grid.width * ((y + 1) % grid.height) + x;
        distances_from(topology, vef_topology_router_of(topology, mapping->endpoint[t]), distance);
        sum += distance[vef_topology_router_of(topology, mapping->endpoint[right])];
        sum += distance[vef_topology_router_of(topology, mapping->endpoint[above])];
    }
    free(distance);
    vef_mapping_destroy(mapping);
    return (double)sum / (2.0 * tasks);
}

static void hops_as_in_the_paper(void **state) {
    (void)state;
    for (uint32_t a = 3; a <= 10; a++) {
        vef_topology *rt = rectangular("rt", a, 1), *rtt = rectangular("rtt", a, 1);
        vef_topology *rt2 = rectangular("rt", a, 2), *rtt2 = rectangular("rtt", a, 2);
        const vef_grid one = {{2 * a, a}}, two = {{2 * a, 2 * a}};
        const struct {
            const char *text;
            vef_grid grid;
            const vef_topology *topology;
            double hops;
        } rows[] = {
            {"identity", one, rt, 1.0},
            {"identity", one, rtt, 1.5 - 1.0 / a},
            {"diagonal-shift", one, rtt, 1.5},
            {"vertical-union(2)", two, rt2, 0.75},
            {"identity . vertical-union(2)", two, rtt2, 1.0 - 0.5 / a},
            {"diagonal-shift . vertical-union(2)", two, rtt2, 1.0},
            {"twisted-union(2)", two, rtt2, 1.0},
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const double hops = mean_hops(rows[k].text, rows[k].grid, rows[k].topology);
            if (hops < rows[k].hops - 1e-9 || hops > rows[k].hops + 1e-9)
                fail_msg("%s, a = %u: %g hops, not %g", rows[k].text, a, hops, rows[k].hops);
        }
        vef_topology_destroy(rt);
        vef_topology_destroy(rtt);
        vef_topology_destroy(rt2);
        vef_topology_destroy(rtt2);
    }
}

/* ---- where no grid is asked for ---- */

static void identity_fills_routers_in_order(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [3, 2, 2]}", 4);
    static const struct {
        uint32_t tasks, each;
    } cases[] = {{1, 1}, {7, 1}, {12, 1}, {13, 2}, {24, 2}, {30, 3}, {48, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        vef_mapping *mapping = mapped(NULL, (vef_grid){{0, 0}}, cases[k].tasks, topology);
        for (uint32_t t = 0; t < cases[k].tasks; t++)
            assert_int_equal(mapping->endpoint[t], 4 * (t / cases[k].each) + t % cases[k].each);
        vef_mapping_destroy(mapping);
    }
    vef_mapping *ideal = mapped("twisted-union(2)", (vef_grid){{4, 4}}, 16, NULL);
    for (uint32_t t = 0; t < 16; t++)
        assert_int_equal(ideal->endpoint[t], t);
    vef_mapping_destroy(ideal);
    vef_topology_destroy(topology);
}

/* Terminals of a tree are on some of its switches alone: 4 on each of the first 16 of 48. Four leaf
 * switches in a file, under two without endpoints, have 3, 1, 3, 1. */
static void identity_where_few_routers_have_endpoints(void **state) {
    (void)state;
    vef_topology *tree = topology_of("kary-ntree", "{k: 4, n: 3}", 1);
    for (uint32_t tasks = 1; tasks <= 64; tasks++) {
        vef_mapping *mapping = mapped(NULL, (vef_grid){{0, 0}}, tasks, tree);
        const uint32_t each = (tasks + 15) / 16;
        for (uint32_t t = 0; t < tasks; t++) /* terminals in order, 4 on each switch of stage 0 */
            assert_int_equal(mapping->endpoint[t], 4 * (t / each) + t % each);
        vef_mapping_destroy(mapping);
    }
    refused("identity", (vef_grid){{0, 0}}, 65, tree, VEF_UNSUPPORTED,
            "do not fit on 64 endpoints");
    vef_topology_destroy(tree);

    char file[4096];
    file_of(
        "endpoints 0 3\nendpoints 1 1\nendpoints 2 3\nendpoints 3 1\nendpoints 4-5 0\n"
        "0 4\n1 4\n2 4\n3 4\n0 5\n1 5\n2 5\n3 5\n",
        file, sizeof file);
    char parameters[4200];
    snprintf(parameters, sizeof parameters, "{file: %s}", file);
    vef_topology *leaves = topology_of("edges", parameters, 1);
    static const struct {
        uint32_t tasks, endpoint[8];
    } cases[] = {
        {4, {0, 3, 4, 7}}, {5, {0, 1, 3, 4, 5}}, {8, {0, 1, 2, 3, 4, 5, 6, 7}}, {2, {0, 3}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        vef_mapping *mapping = mapped(NULL, (vef_grid){{0, 0}}, cases[k].tasks, leaves);
        assert_memory_equal(mapping->endpoint, cases[k].endpoint,
                            cases[k].tasks * sizeof(uint32_t));
        vef_mapping_destroy(mapping);
    }
    vef_topology_destroy(leaves);
    remove(file);
}

static void grids(void **state) {
    (void)state;
    static const uint32_t squarest[][3] = {
        {1, 1, 1}, {32, 8, 4}, {64, 8, 8}, {7, 7, 1}, {12, 4, 3}};
    for (size_t k = 0; k < sizeof squarest / sizeof *squarest; k++) {
        const vef_grid grid = vef_mapping_squarest(squarest[k][0]);
        assert_int_equal(grid.width, squarest[k][1]);
        assert_int_equal(grid.height, squarest[k][2]);
    }
    vef_grid grid = {{0}};
    vef_error error;
    assert_int_equal(vef_mapping_parse_grid("16x8", &grid, &error), VEF_OK);
    assert_int_equal(grid.width, 16);
    assert_int_equal(grid.height, 8);
    assert_int_equal(vef_mapping_parse_grid("8x4x2", &grid, &error), VEF_OK);
    assert_int_equal(grid.size[2], 2);
    assert_int_equal(grid.size[3], 1);
    assert_int_equal(vef_mapping_parse_grid("16", &grid, &error), VEF_OK);
    assert_int_equal(grid.height, 1);
    static const char *const wrong[] = {"",     "x8",     "16x",           "0x4",  "4x4x",
                                        "-4x4", "16 x 8", "99999999999x1", "4x4y4"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(vef_mapping_parse_grid(wrong[k], &grid, &error), VEF_INVALID);
}

/* The program's grid is taken where none is asked for, and turns with transpose. */
static void program_grid_is_taken(void **state) {
    (void)state;
    vef_topology *topology = rectangular("rtt", 4, 1);
    vef_mapping_request request = {
        .text = "diagonal-shift . transpose", .program_grid = {{4, 8}}, .tasks = 32};
    vef_mapping *mapping = NULL;
    vef_error error = {0};
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), VEF_OK);
    assert_int_equal(mapping->grid.width, 4);
    for (uint32_t t = 0; t < 32; t++) /* (x, y) -> (y, x) -> (y + x mod 8, x) */
        assert_int_equal(mapping->endpoint[t], 8 * (t % 4) + (t / 4 + t % 4) % 8);
    vef_mapping_destroy(mapping);
    request.text = "diagonal-shift";
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message,
                           "expected --grid 8x4, or end the mapping with '. grid(8x4)' or '. "
                           "transpose'"));
    request.text = "identity";
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), VEF_OK);
    vef_mapping_destroy(mapping);
    vef_topology_destroy(topology);
}

/* ---- laws for every row of the table ---- */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

static void make_ring(uint32_t tasks, vef_traffic_matrix *traffic) {
    vef_traffic_row row;
    vef_traffic_matrix_begin(traffic, tasks);
    vef_traffic_row_begin(&row, tasks);
    for (uint32_t t = 0; t < tasks; t++) {
        vef_traffic_row_add(&row, (t + 1) % tasks, 1, 100);
        vef_traffic_matrix_end_row(traffic, t, &row);
    }
    vef_traffic_row_free(&row);
}

/* A stage that moves a grid keeps inside the grid that it promises, brings the same number of
 * points to each of its points, and finds the grid again from its image. */
static void check_moves(const char *text) {
    static const vef_grid tried[] = {{{1, 1}}, {{8, 4}}, {{6, 6}},    {{4, 12}},   {{12, 12}},
                                     {{5, 3}}, {{2, 8}}, {{4, 2, 6}}, {{2, 4, 6}}, {{3, 4, 12}}};
    uint32_t accepted = 0;
    vef_arena arena = {0};
    vef_mapping_stages stages;
    assert_int_equal(vef_mapping_parse(text, NULL, &arena, &stages, NULL), VEF_OK);
    const vef_mapping_stage *stage = &stages.stage[0];
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        const vef_grid from = vef_grid_complete(tried[k]);
        vef_grid to, back;
        vef_error error = {0};
        if (stage->family->size(stage, &from, &to, &error) != VEF_OK) {
            assert_non_null(strstr(error.message, stage->family->name));
            continue;
        }
        accepted++;
        assert_true(stage->family->before(stage, &to, &back));
        assert_true(vef_grid_is_same(&back, &from));
        const uint64_t points = vef_grid_places(&from), places = vef_grid_places(&to);
        assert_int_equal(greatest_common_divisor(points, places), places);
        uint32_t count[144] = {0};
        for (uint64_t p = 0; p < points; p++) {
            uint32_t here[VEF_MAX_DIMENSIONS];
            vef_grid_locate(&from, p, here);
            stage->family->move(stage, &from, here);
            uint64_t image = 0;
            for (uint32_t d = VEF_MAX_DIMENSIONS; d-- > 0;) {
                assert_true(here[d] < to.size[d]);
                image = image * to.size[d] + here[d];
            }
            count[image]++;
        }
        for (uint64_t p = 0; p < places; p++)
            assert_int_equal(count[p], points / places);
    }
    assert_true(accepted >= 2);
    vef_arena_release(&arena);
}

/* Every task gets a distinct endpoint, the same at every call, whatever the traffic (here each task
 * sends to the next), which only families that need it get. */
static void check_assigns(const char *text) {
    vef_topology *topology = topology_of("torus", "{sizes: [3, 2, 2]}", 2);
    for (uint32_t tasks = 1; tasks <= 24; tasks += 23) {
        vef_traffic_matrix traffic;
        make_ring(tasks, &traffic);
        const vef_mapping_request request = {.text = text, .tasks = tasks, .traffic = &traffic};
        vef_mapping *first = NULL, *again = NULL;
        assert_int_equal(vef_mapping_create(&request, topology, &first, NULL), VEF_OK);
        assert_int_equal(vef_mapping_create(&request, topology, &again, NULL), VEF_OK);
        vef_traffic_matrix_free(&traffic);
        bool taken[24] = {false};
        for (uint32_t t = 0; t < tasks; t++) {
            assert_true(first->endpoint[t] < 24 && !taken[first->endpoint[t]]);
            taken[first->endpoint[t]] = true;
            assert_int_equal(first->endpoint[t], again->endpoint[t]);
        }
        vef_mapping_destroy(first);
        vef_mapping_destroy(again);
    }
    refused(text, (vef_grid){{0, 0}}, 25, topology, VEF_UNSUPPORTED, "25 tasks do not fit on 24");
    vef_topology_destroy(topology);
}

/* Ten tasks on nodes of four cores, by the definitions of Slurm's --distribution; the cores of a
 * node share its endpoints evenly. */
static void launchers_fill_nodes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t node[10], core[10];
    } cases[] = {
        {"block", {0, 0, 0, 0, 1, 1, 1, 1, 2, 2}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}},
        {"cyclic", {0, 1, 2, 0, 1, 2, 0, 1, 2, 0}, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3}},
        {"plane(2)", {0, 0, 1, 1, 2, 2, 0, 0, 1, 1}, {0, 1, 0, 1, 0, 1, 2, 3, 2, 3}},
        {"plane(3)", {0, 0, 0, 1, 1, 1, 2, 2, 2, 0}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 3}},
        {"plane(9)", {0, 0, 0, 0, 1, 1, 1, 1, 2, 2}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}},
    };
    vef_topology *topology = topology_of("torus", "{sizes: [3, 2]}", 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t nics = 1; nics <= 4; nics *= 2) {
            const vef_mapping_request request = {
                .text = cases[i].text, .tasks = 10, .cores = 4, .nics = nics};
            vef_mapping *mapping = NULL;
            assert_int_equal(vef_mapping_create(&request, topology, &mapping, NULL), VEF_OK);
            for (uint32_t t = 0; t < 10; t++)
                assert_int_equal(mapping->endpoint[t],
                                 cases[i].node[t] * nics + cases[i].core[t] * nics / 4);
            vef_mapping_destroy(mapping);
        }
    /* Without routers any number of nodes. */
    const vef_mapping_request request = {.text = "block", .tasks = 10, .cores = 4, .nics = 4};
    vef_mapping *mapping = NULL;
    assert_int_equal(vef_mapping_create(&request, NULL, &mapping, NULL), VEF_OK);
    for (uint32_t t = 0; t < 10; t++)
        assert_int_equal(mapping->endpoint[t], t);
    vef_mapping_destroy(mapping);
    vef_topology_destroy(topology);
}

static void every_row_keeps_the_laws(void **state) {
    (void)state;
    for (size_t f = 0; vef_mapping_families[f]; f++) {
        const vef_mapping_family *family = vef_mapping_families[f];
        assert_int_equal(
            (family->assign != NULL) + (family->refine != NULL) +
                (family->move != NULL && family->size != NULL && family->before != NULL),
            1);
        assert_true((family->parameter != NULL) == ((family->needs | family->takes) != 0));
        for (size_t k = 0; family->samples[k]; k++) {
            if (family->assign || family->refine) {
                check_assigns(family->samples[k]);
                continue;
            }
            check_moves(family->samples[k]);
        }
    }
}

/* Over many seeds every task is placed on every endpoint: 24 x 500 draws on 24 endpoints, 500
 * expected each, standard deviation 22. */
static void random_is_uniform(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 3, 2]}", 1);
    uint32_t times[24] = {0};
    for (uint32_t seed = 0; seed < 12000; seed++) {
        char text[32];
        snprintf(text, sizeof text, "random(%u)", seed);
        vef_mapping *mapping = mapped(text, (vef_grid){{0, 0}}, 24, topology);
        times[mapping->endpoint[seed % 24]]++;
        vef_mapping_destroy(mapping);
    }
    for (uint32_t e = 0; e < 24; e++)
        assert_in_range(times[e], 350, 650);
    vef_topology_destroy(topology);
}

/* ---- files and refusals ---- */

static void files(void **state) {
    (void)state;
    vef_topology *topology = rectangular("rt", 2, 1);
    char path[256], text[300];
    snprintf(text, sizeof text, "file(%s)",
             file_of("# three tasks\n 7\n\n0 # first\n7", path, sizeof path));
    vef_mapping *mapping = mapped(text, (vef_grid){{0, 0}}, 3, topology);
    assert_int_equal(mapping->endpoint[0], 7);
    assert_int_equal(mapping->endpoint[1], 0);
    assert_int_equal(mapping->endpoint[2], 7);
    vef_mapping_destroy(mapping);
    refused(text, (vef_grid){{0, 0}}, 4, topology, VEF_INVALID, "3 endpoints for 4 tasks");
    refused(text, (vef_grid){{0, 0}}, 2, topology, VEF_INVALID, "txt:5: too many endpoints");
    file_of("1\n8\n", path, sizeof path);
    refused(text, (vef_grid){{0, 0}}, 2, topology, VEF_INVALID,
            "txt:2: endpoint 8 is out of range");
    file_of("1\n-1\n", path, sizeof path);
    refused(text, (vef_grid){{0, 0}}, 2, topology, VEF_INVALID, "txt:2: '-1' is not an endpoint");
    file_of("1 2\n", path, sizeof path);
    refused(text, (vef_grid){{0, 0}}, 2, topology, VEF_INVALID, "txt:1: '1 2' is not an endpoint");
    remove(path);
    refused(text, (vef_grid){{0, 0}}, 2, topology, VEF_IO, "vef.map(1).txt");
    vef_topology_destroy(topology);
}

static void refusals(void **state) {
    (void)state;
    const vef_grid none = {{0}};
    vef_topology *one = topology_of("torus", "{sizes: [8, 4]}", 1);
    vef_topology *two = topology_of("torus", "{sizes: [8, 4]}", 2);
    vef_topology *cube = topology_of("torus", "{sizes: [4, 4, 4]}", 1);
    refused("identity", none, 33, one, VEF_UNSUPPORTED,
            "expected endpoints_per_router: 2, or the mapping block with host.cores: 2");
    refused("identity", (vef_grid){{4, 8}}, 32, one, VEF_UNSUPPORTED, "expected --grid 8x4");
    refused("identity", (vef_grid){{4, 4}}, 32, one, VEF_INVALID,
            "16 places: expected at least one for each of 32 tasks");
    refused("horizontal-union(2)", (vef_grid){{8, 8}}, 64, two, VEF_UNSUPPORTED,
            "expected --grid 16x4");
    refused("horizontal-union(2) . grid(8x8)", none, 64, two, VEF_UNSUPPORTED,
            "expected --grid 16x4, or end the mapping with '. grid(16x4)'");
    refused("grid(16x4) . horizontal-union(2)", none, 64, two, VEF_INVALID, "the rightmost stage");
    refused("identity . grid(4x4)", none, 32, one, VEF_INVALID, "16 places");
    refused("random(1) . grid(8x4)", none, 32, one, VEF_INVALID, "not supported in a composition");
    refused("identity . grid(8)", none, 32, one, VEF_INVALID, "8 places");
    refused("identity . grid(8by4)", none, 32, one, VEF_INVALID, "such as 16x8 or 8x4x4");
    refused("union(2, z) . grid(8x8)", none, 64, two, VEF_UNSUPPORTED, "not a multiple of 2");
    refused("union(2)", none, 64, two, VEF_INVALID, "expected union(c, axis)");
    refused("union(2, w)", none, 64, two, VEF_INVALID, "unknown argument 'w'");
    refused("transpose(x, x)", none, 64, two, VEF_INVALID, "two different axes");
    refused("transpose(z)", none, 64, two, VEF_INVALID, "missing axis");
    refused("twisted-union(2, x, y, z)", none, 64, two, VEF_INVALID, "unknown argument 'z'");
    refused("twisted-union(2)", (vef_grid){{16, 4}}, 64, two, VEF_UNSUPPORTED,
            "expected --grid 8x8");
    refused("vertical-union(3)", none, 64, two, VEF_UNSUPPORTED, "not a multiple of 3");
    refused("vertical-union(3)", none, 64, two, VEF_UNSUPPORTED, "no grid of 64 tasks");
    refused("twisted-union(2)", (vef_grid){{3, 4}}, 12, two, VEF_UNSUPPORTED, "odd width");
    vef_topology *graph = topology_of("de-bruijn", "{symbols: 2, length: 3}", 1);
    refused("diagonal-shift", none, 8, graph, VEF_UNSUPPORTED,
            "no grid of routers: expected a mapping without a grid: identity alone, block, cyclic, "
            "plane, random, file, hosts, greedy, bisection, scotch, swap, anneal");
    vef_topology_destroy(graph);
    refused("diagonal-shift", (vef_grid){{8, 8}}, 64, cube, VEF_UNSUPPORTED,
            "expected --grid 4x4x4");
    refused("random(1) . identity", none, 32, one, VEF_INVALID, "not supported in a composition");
    refused("diagonal", none, 32, one, VEF_INVALID, "diagonal-shift");
    refused("identity .", none, 32, one, VEF_INVALID, "missing stage");
    refused("", none, 32, one, VEF_INVALID, "missing stage");
    refused("identity(2)", none, 32, one, VEF_INVALID, "unexpected argument");
    refused("vertical-union", none, 32, one, VEF_INVALID, "vertical-union(c)");
    refused("vertical-union(0)", none, 32, one, VEF_INVALID, "from 1");
    refused("vertical-union(-2)", none, 32, one, VEF_INVALID, "from 1");
    refused("vertical-union(2", none, 32, one, VEF_INVALID, "missing ')'");
    refused("random(x)", none, 32, one, VEF_INVALID, "from 0");
    refused("identity", none, 0, one, VEF_INVALID, "no tasks");
    vef_topology_destroy(one);
    vef_topology_destroy(two);
    vef_topology_destroy(cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_of_figure_4),
        cmocka_unit_test(diagonal_shift_of_figure_3),
        cmocka_unit_test(stages_apply_from_right_to_left),
        cmocka_unit_test(more_dimensions),
        cmocka_unit_test(grids_of_mappings),
        cmocka_unit_test(hops_as_in_the_paper),
        cmocka_unit_test(identity_fills_routers_in_order),
        cmocka_unit_test(identity_where_few_routers_have_endpoints),
        cmocka_unit_test(grids),
        cmocka_unit_test(program_grid_is_taken),
        cmocka_unit_test(launchers_fill_nodes),
        cmocka_unit_test(every_row_keeps_the_laws),
        cmocka_unit_test(random_is_uniform),
        cmocka_unit_test(files),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
