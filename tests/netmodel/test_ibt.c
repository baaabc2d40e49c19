/* Interlaced bypass tori against their definition, the figures of Zhang, Powell, Deng ("Interlacing
 * Bypass Rings to Torus Networks for More Efficient Networks"), which parameters close, what is
 * refused. */
#include "tests/netmodel/ibt_definition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the figures of the paper ---- */

typedef struct figures {
    double average, deviation;
    uint32_t diameter, degree;
    uint64_t bisection;
} figures;

static uint64_t narrowest_cut(const vef_topology *topology) {
    uint64_t narrowest = UINT64_MAX;
    for (uint32_t axis = 0; axis < topology->axes; axis++) {
        uint64_t ends = 0;
        for (uint32_t r = 0; r < topology->routers; r++)
            for (uint32_t port = 0; port < topology->ports; port++) {
                uint32_t next = topology->neighbour[(size_t)r * topology->ports + port];
                ends += next != VEF_NO_ROUTER && vef_topology_far_side(topology, axis, r) !=
                                                     vef_topology_far_side(topology, axis, next);
            }
        narrowest = ends / 2 < narrowest ? ends / 2 : narrowest;
    }
    return narrowest;
}

/* From one router of each orbit; that these are alike is tested below. */
static figures figures_of(const vef_topology *topology) {
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    uint8_t *seen = calloc(topology->orbits, 1);
    assert_non_null(distance);
    assert_non_null(seen);
    uint64_t sum = 0, squares = 0, sources = 0;
    figures found = {.bisection = narrowest_cut(topology)};
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint32_t degree = 0;
        for (uint32_t port = 0; port < topology->ports; port++)
            degree += topology->neighbour[(size_t)r * topology->ports + port] != VEF_NO_ROUTER;
        found.degree = degree > found.degree ? degree : found.degree;
        if (seen[vef_topology_orbit(topology, r)])
            continue;
        seen[vef_topology_orbit(topology, r)] = 1;
        sources++;
        distances_from(topology, r, distance);
        for (uint32_t to = 0; to < topology->routers; to++) {
            sum += distance[to];
            squares += (uint64_t)distance[to] * distance[to];
            found.diameter = distance[to] > found.diameter ? distance[to] : found.diameter;
        }
    }
    assert_int_equal(sources, topology->orbits);
    const double pairs = (double)sources * topology->routers;
    found.average = (double)sum / pairs;
    found.deviation = sqrt((double)squares / pairs - found.average * found.average);
    free(seen);
    free(distance);
    return found;
}

/* Table 1. Its degree, and so its network cost, counts both links of a bypass of half a dimension,
 * which lead to the same router and are one link here: 7 where only those bypasses are. */
static void test_table_1(void **state) {
    (void)state;
    static const struct {
        const char *sizes;
        uint32_t bypass_dimensions;
        const char *lengths;
        uint32_t degree;
        double average, deviation;
        uint32_t diameter;
        uint64_t bisection;
        uint32_t cost;
    } rows[] = {
        {"32, 32, 32", 2, "2", 8, 16.7344, 5.6961, 33, 2048, 264},
        /* average printed 13.8593: 13.859375 cut, not rounded */
        {"32, 32, 32", 2, "4", 8, 13.859375, 4.9855, 26, 2048, 208},
        {"32, 32, 32", 2, "6", 8, 13.3730, 4.8800, 26, 2048, 208},
        {"32, 32, 32", 2, "8", 8, 13.8984, 4.9872, 26, 2048, 208},
        {"32, 32, 32", 2, "16", 7, 16.9414, 5.6963, 32, 2048, 256},
        {"32, 32, 32", 2, "4, 8", 8, 13.1035, 4.8235, 24, 2048, 192},
        {"32, 32, 32", 2, "4, 16", 8, 13.3257, 4.8199, 24, 2048, 192},
        {"32, 32, 32", 2, "8, 16", 8, 13.6416, 4.9104, 26, 2048, 208},
        {"64, 64, 8", 2, "2", 8, 18.7422, 6.6664, 37, 2048, 296},
        {"64, 64, 8", 2, "4", 8, 11.8672, 3.5835, 22, 3072, 176},
        /* printed 6120, of a pattern that gives 5120: (1 + 8 / 2) links a column, two planes */
        {"64, 64, 8", 2, "8", 8, 9.9023, 2.6172, 18, 5120, 144},
        {"64, 64, 8", 2, "16", 8, 11.9434, 3.5945, 22, 8192, 176},
        {"64, 64, 8", 2, "32", 7, 18.9697, 6.6687, 36, 8192, 288},
        {"64, 64, 8", 2, "4, 8", 8, 9.2908, 2.3277, 16, 4096, 128},
        {"64, 64, 8", 2, "4, 16", 8, 8.5679, 1.9477, 14, 6144, 112},
        {"64, 64, 8", 2, "4, 32", 8, 9.5942, 2.2946, 16, 6144, 128},
        {"64, 64, 8", 2, "8, 16", 8, 8.7402, 2.1133, 16, 7168, 128},
        {"64, 64, 8", 2, "8, 32", 8, 8.9987, 2.0954, 16, 7168, 128},
        {"64, 64, 8", 2, "16, 32", 8, 11.5198, 3.4786, 22, 8192, 176},
        {"30, 30, 36", 3, "3", 8, 10.3464, 2.8542, 19, 3600, 152},
        {"30, 30, 36", 3, "6", 8, 8.2800, 1.9675, 15, 5400, 120},
        {"30, 30, 36", 3, "9", 8, 8.8034, 2.2895, 16, 7200, 128},
        {"30, 30, 36", 3, "12", 8, 8.8827, 2.3044, 15, 9000, 120},
        {"30, 30, 36", 3, "15", 8, 11.3114, 3.3441, 21, 7560, 168},
        {"30, 30, 36", 3, "6, 12", 8, 7.5152, 1.5288, 12, 7200, 96},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = ibt_of(rows[i].sizes, rows[i].bypass_dimensions, rows[i].lengths);
        figures found = figures_of(topology);
        assert_int_equal(found.diameter, rows[i].diameter);
        assert_near(found.average, rows[i].average, 0.00005000001);
        assert_near(found.deviation, rows[i].deviation, 0.00005000001);
        assert_int_equal(found.bisection, rows[i].bisection);
        assert_int_equal(found.degree, rows[i].degree);
        assert_int_equal(topology->ports * found.diameter, rows[i].cost);
        vef_topology_destroy(topology);
    }
}

/* Section 2.1, the text on Fig. 1. */
static void test_rings_of_32(void **state) {
    (void)state;
    vef_topology *topology = ibt_of("32", 1, "4, 8");
    figures found = figures_of(topology);
    assert_near(found.average, 2.41, 0.005);
    assert_near(found.deviation, 0.95, 0.005);
    vef_topology_destroy(topology);
    topology = ibt_of("32", 1, "8");
    found = figures_of(topology);
    assert_near(found.average, 2.94, 0.005);
    assert_near(found.deviation, 1.32, 0.005);
    vef_topology_destroy(topology);
}

/* ---- the definition ---- */

/* The routers that the definition links with `router`, each once. */
static uint32_t linked_by_definition(const ibt_definition *definition, uint32_t router,
                                     uint32_t *linked) {
    uint32_t count = 0;
    for (uint32_t d = 0; d <= definition->n; d++) {
        uint32_t along =
            d < definition->n ? d : ibt_coordinate_sum(definition, router) % definition->m;
        uint32_t by = d < definition->n ? 1 : ibt_bypass_length(definition, router);
        uint32_t both[] = {ibt_moved(definition, router, along, by),
                           ibt_moved(definition, router, along, definition->sizes[along] - by)};
        for (uint32_t i = 0; i < 2; i++) {
            bool known = false;
            for (uint32_t j = 0; j < count; j++)
                known = known || linked[j] == both[i];
            if (!known)
                linked[count++] = both[i];
        }
    }
    return count;
}

static const ibt_definition networks[] = {
    {2, {12, 12}, 2, 1, {4}},         {3, {8, 4, 3}, 2, 1, {2}},   {3, {6, 9, 6}, 3, 1, {3}},
    {2, {16, 8}, 2, 2, {4, 4}},       {2, {16, 12}, 2, 2, {4, 8}}, {1, {12}, 1, 4, {2, 4, 2, 8}},
    {3, {12, 6, 12}, 3, 1, {3}},      {2, {16, 2}, 1, 1, {5}},     {4, {8, 8, 8, 8}, 4, 1, {4}},
    {3, {8, 16, 2}, 2, 2, {4, 4}},    {1, {24}, 1, 2, {4, 6}},     {2, {16, 24}, 2, 2, {4, 8}},
    {3, {12, 12, 18}, 3, 1, {6}},     {2, {8, 8}, 1, 2, {2, 4}},   {2, {10, 14}, 2, 1, {6}},
    {3, {18, 18, 18}, 3, 2, {6, 12}},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static void test_links_are_those_of_the_definition(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const ibt_definition *definition = &networks[i];
        vef_topology *topology = ibt_network_by(definition);
        for (uint32_t r = 0; r < topology->routers; r++) {
            uint32_t linked[16], count = linked_by_definition(definition, r, linked), degree = 0;
            for (uint32_t port = 0; port < topology->ports; port++) {
                uint32_t next = topology->neighbour[(size_t)r * topology->ports + port];
                if (next == VEF_NO_ROUTER)
                    continue;
                degree++;
                bool found = false;
                for (uint32_t j = 0; j < count; j++)
                    found = found || linked[j] == next;
                assert_true(found);
                char text[VEF_CLASS_NAME_BYTES], length[VEF_CLASS_NAME_BYTES];
                vef_topology_link_class_name(topology, vef_topology_link_class(topology, r, port),
                                             text, sizeof text);
                if (topology->link_classes == definition->n + 1) /* one length */
                    snprintf(length, sizeof length, "bypass");
                else
                    snprintf(length, sizeof length, "bypass %u", ibt_bypass_length(definition, r));
                if (port >= 2 * definition->n)
                    assert_string_equal(text, length);
            }
            assert_int_equal(degree, count);
        }
        vef_topology_destroy(topology);
    }
}

/* Any two routers of one orbit are taken into each other by a translation, which takes every port
 * of every router to the same port. */
static void test_orbits_are_of_translations(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const ibt_definition *definition = &networks[i];
        vef_topology *topology = ibt_network_by(definition);
        if (topology->routers > 500) {
            vef_topology_destroy(topology);
            continue;
        }
        for (uint32_t to = 0; to < topology->routers; to++) {
            if (vef_topology_orbit(topology, to) != vef_topology_orbit(topology, 0))
                continue;
            uint32_t by[VEF_MAX_DIMENSIONS];
            vef_topology_coordinates(topology, to, by);
            for (uint32_t r = 0; r < topology->routers; r++) {
                uint32_t image = r;
                for (uint32_t d = 0; d < definition->n; d++)
                    image = ibt_moved(definition, image, d, by[d]);
                assert_int_equal(vef_topology_orbit(topology, image),
                                 vef_topology_orbit(topology, r));
                for (uint32_t port = 0; port < topology->ports; port++) {
                    uint32_t next = topology->neighbour[(size_t)r * topology->ports + port];
                    for (uint32_t d = 0; next != VEF_NO_ROUTER && d < definition->n; d++)
                        next = ibt_moved(definition, next, d, by[d]);
                    assert_int_equal(topology->neighbour[(size_t)image * topology->ports + port],
                                     next);
                }
            }
        }
        vef_topology_destroy(topology);
    }
}

/* The rings close when both ends of every bypass have the same bypass. */
static bool closes(const ibt_definition *definition, bool *all_used) {
    uint32_t routers = 1;
    bool used[4] = {false};
    for (uint32_t d = 0; d < definition->n; d++)
        routers *= definition->sizes[d];
    for (uint32_t r = 0; r < routers; r++) {
        uint32_t along = ibt_coordinate_sum(definition, r) % definition->m;
        uint32_t other = ibt_moved(definition, r, along, ibt_bypass_length(definition, r));
        used[ibt_coordinate_sum(definition, r) % (definition->m * definition->k) / definition->m] =
            true;
        if (ibt_coordinate_sum(definition, other) % definition->m != along ||
            ibt_bypass_length(definition, other) != ibt_bypass_length(definition, r))
            return false;
    }
    *all_used = true;
    for (uint32_t h = 0; h < definition->k; h++)
        *all_used = *all_used && used[h];
    return true;
}

static bool builds(const ibt_definition *definition) {
    char text[256];
    uint32_t used = (uint32_t)snprintf(
        text, sizeof text,
        "{topology: {family: ibt, bypass_dimensions: %u, sizes: ", definition->m);
    for (uint32_t d = 0; d < definition->n; d++)
        used += (uint32_t)snprintf(text + used, sizeof text - used, "%s%u", d ? ", " : "[",
                                   definition->sizes[d]);
    used += (uint32_t)snprintf(text + used, sizeof text - used, "], lengths: ");
    for (uint32_t h = 0; h < definition->k; h++)
        used += (uint32_t)snprintf(text + used, sizeof text - used, "%s%u", h ? ", " : "[",
                                   definition->lengths[h]);
    snprintf(text + used, sizeof text - used, "]}}");
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_topology *topology = NULL;
    assert_int_equal(vef_config_parse(text, "test", &arena, &node, &error), VEF_OK);
    vef_code code = vef_topology_create(vef_node_get(node, "topology"), 1, &topology, &error);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
    return code == VEF_OK;
}

/* Every list of up to `k` lengths for these sizes; returns how many of them build. */
static uint32_t try_lengths(ibt_definition *definition, uint32_t most, uint32_t k) {
    uint32_t built = 0;
    if (definition->k > 0) {
        bool all_used = false;
        if (!closes(definition, &all_used)) {
            assert_false(builds(definition));
        } else if (all_used) {
            assert_true(builds(definition));
            built++;
        }
    }
    if (definition->k < k) {
        for (uint32_t length = 2; length <= most; length++) {
            definition->lengths[definition->k++] = length;
            built += try_lengths(definition, most, k);
            definition->k--;
        }
    }
    return built;
}

static void test_what_closes_is_built_and_nothing_else(void **state) {
    (void)state;
    uint32_t built = 0;
    for (uint32_t size = 4; size <= 12; size++) {
        ibt_definition ring = {.n = 1, .sizes = {size}, .m = 1};
        built += try_lengths(&ring, size - 2, size <= 8 ? 4 : 3);
        for (uint32_t other = 4; other <= 8 && size <= 8; other++) {
            ibt_definition plane = {.n = 2, .sizes = {size, other}, .m = 2};
            built += try_lengths(&plane, (size < other ? size : other) - 2, 2);
        }
    }
    ibt_definition space = {.n = 3, .sizes = {6, 6, 9}, .m = 3};
    built += try_lengths(&space, 4, 2);
    assert_true(built > 100);
}

/* ---- for people ---- */

static void test_names(void **state) {
    (void)state;
    static const char *const ports[] = {"x+", "x-", "y+", "y-", "bypass+", "bypass-"};
    vef_topology *topology = ibt_of("16, 16", 2, "8, 4");
    char text[VEF_PORT_NAME_BYTES];
    assert_int_equal(topology->ports, 6);
    for (uint32_t port = 0; port < 6; port++) {
        vef_topology_port_name(topology, port, text, sizeof text);
        assert_string_equal(text, ports[port]);
    }
    static const char *const classes[] = {"x", "y", "bypass 8", "bypass 4"};
    assert_int_equal(topology->link_classes, 4);
    for (uint32_t c = 0; c < 4; c++) {
        vef_topology_link_class_name(topology, c, text, sizeof text);
        assert_string_equal(text, classes[c]);
    }
    vef_topology_destroy(topology);
    topology = ibt_of("4, 4, 4, 4", 1, "2");
    vef_topology_port_name(topology, 7, text, sizeof text);
    assert_string_equal(text, "d3-");
    vef_topology_destroy(topology);
}

/* More lengths than there are kinds of links: one kind for all. */
static void test_many_lengths(void **state) {
    (void)state;
    char lengths[512];
    size_t used = 0;
    for (uint32_t h = 1; h <= 64; h++)
        used += (size_t)snprintf(lengths + used, sizeof lengths - used, "%s%u", h > 1 ? ", " : "",
                                 64 * h);
    char parameters[640];
    snprintf(parameters, sizeof parameters, "{sizes: [8192], bypass_dimensions: 1, lengths: [%s]}",
             lengths);
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_topology *topology = NULL;
    char text[VEF_CLASS_NAME_BYTES + 700];
    snprintf(text, sizeof text, "{family: ibt, %s", parameters + 1);
    assert_int_equal(vef_config_parse(text, "test", &arena, &node, &error), VEF_OK);
    assert_int_equal(vef_topology_create(node, 1, &topology, &error), VEF_OK);
    assert_int_equal(topology->link_classes, 2);
    assert_int_equal(topology->orbits, 64);
    assert_int_equal(vef_topology_link_class(topology, 5, 1), 0);
    assert_int_equal(vef_topology_link_class(topology, 5, 2), 1);
    vef_topology_link_class_name(topology, 1, text, sizeof text);
    assert_string_equal(text, "bypass");
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
    } rows[] = {
        {"sizes: [], bypass_dimensions: 1, lengths: [4]",
         "sizes: 0 dimensions: out of range: expected 1 to 24"},
        {"sizes: [8, 1], bypass_dimensions: 1, lengths: [4]", "sizes"},
        {"sizes: [8, 0], bypass_dimensions: 1, lengths: [4]", "sizes"},
        {"sizes: [65536, 65536, 65536, 65536], bypass_dimensions: 1, lengths: [4]",
         "sizes: more than 16777216 routers"},
        {"sizes: [8, 8], bypass_dimensions: 3, lengths: [3]",
         "bypass_dimensions: 3 of 2 dimensions: out of range: expected 1 to 2"},
        {"sizes: [8, 8], bypass_dimensions: 0, lengths: [4]", "bypass_dimensions"},
        {"sizes: [8, 8], bypass_dimensions: 2", "lengths"},
        {"sizes: [8, 8], bypass_dimensions: 2, lengths: []", "lengths: empty"},
        {"sizes: [8, 8], bypass_dimensions: 2, lengths: [1]", "from 2"},
        {"sizes: [3, 8], bypass_dimensions: 1, lengths: [2]",
         "3 routers along dimension 0 leave no room for a bypass: expected 4 or more"},
        {"sizes: [12, 8], bypass_dimensions: 2, lengths: [8]",
         "bypass of 8 along dimension 1 of 8 routers is out of range: expected 2 to 6"},
        {"sizes: [8], bypass_dimensions: 1, lengths: [7]", "expected 2 to 6"},
        {"sizes: [16, 16], bypass_dimensions: 2, lengths: [4, 6]",
         "a bypass of 6 leads to a router with another bypass, so its ring does not close: "
         "expected a multiple of 4 (2 bypass dimensions times 2 lengths), the nearest: 4 or 8"},
        {"sizes: [8, 8], bypass_dimensions: 2, lengths: [5]", "the nearest: 4 or 6"},
        {"sizes: [8, 16], bypass_dimensions: 2, lengths: [5, 4]",
         "the nearest: 4"}, /* no room for 8 */
        {"sizes: [10, 10], bypass_dimensions: 2, lengths: [2, 4]", "a bypass of 2"},
        {"sizes: [10, 10], bypass_dimensions: 2, lengths: [2, 4]", "the nearest: 4"},
        {"sizes: [6, 6, 6], bypass_dimensions: 3, lengths: [3, 2]", "the nearest: none"},
        {"sizes: [30, 32], bypass_dimensions: 2, lengths: [4, 8]",
         "along dimension 0 of 30 routers: expected a multiple of 4 (2 bypass dimensions times 2 "
         "lengths), the nearest: 28 or 32"},
        {"sizes: [12, 9], bypass_dimensions: 2, lengths: [4]",
         "along dimension 1 of 9 routers: expected a multiple of 2 (2 bypass dimensions times 1 "
         "lengths), the nearest: 8 or 10"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: ibt, %s}", rows[i].parameters);
        vef_arena arena = {0};
        vef_node *node = NULL;
        vef_error error = {0};
        vef_topology *topology = NULL;
        assert_int_equal(vef_config_parse(yaml, "net.yaml", &arena, &node, &error), VEF_OK);
        vef_code code = vef_topology_create(node, 1, &topology, &error);
        const char *cursor = strstr(error.message, rows[i].says);
        const bool to_its_end = strstr(rows[i].says, "the nearest: ") != NULL;
        if (code != VEF_INVALID || !cursor ||
            (to_its_end && cursor[strlen(rows[i].says)] != '\0') ||
            strncmp(error.message, "net.yaml:1:", 11) != 0)
            fail_msg("%s gave %d: %s", yaml, (int)code, error.message);
        assert_null(topology);
        vef_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_rings_of_32),
        cmocka_unit_test(test_links_are_those_of_the_definition),
        cmocka_unit_test(test_orbits_are_of_translations),
        cmocka_unit_test(test_what_closes_is_built_and_nothing_else),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_many_lengths),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
