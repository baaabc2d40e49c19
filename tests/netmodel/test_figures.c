/* Figures of networks: those that papers print, the names under which they are found, and what is
 * said of symmetries, against a search for the symmetries themselves. */
#include "netmodel/analysis/figures.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static vef_figures measured(const vef_topology *topology, const vef_figures_request *request) {
    vef_figures figures;
    vef_error error = {0};
    if (vef_figures_measure(topology, request, &figures, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return figures;
}

static double figure_of(const vef_figures *figures, const char *key) {
    for (const vef_figure *row = vef_figure_table; row->key; row++) {
        double value;
        if (strcmp(row->key, key) == 0)
            return vef_figure_value(figures, row, &value) ? value : NAN;
    }
    fail_msg("no figure is called %s", key);
    return NAN;
}

/* ---- what papers print ---- */

static const struct published {
    const char *family, *parameters, *key;
    double value, tolerance;
} published[] = {
    /* Camara et al., TPDS 2010: section 3, Table 1 (32x16), section 5.2 (4a links cut) */
    {"rtt", "{a: 16}", "axis_bisection_links", 64, 0},
    {"rtt", "{a: 16}", "routers", 512, 0},
    {"rtt", "{a: 16}", "degree_min", 4, 0},
    {"rtt", "{a: 16}", "degree_max", 4, 0},
    {"rtt", "{a: 16}", "links", 1024, 0},
    {"rtt", "{a: 16}", "diameter", 16, 0},
    {"rtt", "{a: 16}", "average_distance", (4 * 256 - 1) / 96.0, 1e-12},
    {"rtt", "{a: 16}", "average_distance_without_itself", (4 * 256 - 1) / 96.0 * 512 / 511, 1e-12},
    {"rtt", "{a: 16}", "link_utilization", 1, 1e-9},
    {"rtt", "{a: 16}", "throughput_bound", 4 / ((4 * 256 - 1) / 96.0), 1e-9},
    {"rtt", "{a: 16}", "capacity_bound", 4 / ((4 * 256 - 1) / 96.0), 1e-9},
    {"rtt", "{a: 16}", "network_cost", 64, 0},
    {"rt", "{a: 16}", "diameter", 24, 0},
    {"rt", "{a: 16}", "average_distance", 12, 1e-12},
    {"rt", "{a: 16}", "link_utilization", 0.75, 1e-9},
    {"rt", "{a: 16}", "throughput_bound", 0.25, 1e-9},
    {"rt", "{a: 16}", "axis_bisection_links", 32, 0},
    /* Zhang, Powell, Deng: the 3D torus that bypass tori are compared with, at half its size:
     * mean 3n/4, variance 3 (n^2 / 48 + 1/6), cut 2n^2 */
    {"torus", "{sizes: [16, 16, 16]}", "average_distance", 12, 1e-12},
    {"torus", "{sizes: [16, 16, 16]}", "stddev_distance", 4.062019, 1e-6},
    {"torus", "{sizes: [16, 16, 16]}", "axis_bisection_links", 512, 0},
    {"torus", "{sizes: [16, 16, 16]}", "diameter", 24, 0},
    {"torus", "{sizes: [16, 16, 16]}", "network_cost", 144, 0},
    /* closed forms of a mesh of s x s: mean 2 (s^2 - 1) / 3s, cut s, 2s (s - 1) links */
    {"mesh", "{sizes: [8, 8]}", "diameter", 14, 0},
    {"mesh", "{sizes: [8, 8]}", "average_distance", 2 * (8 * 8 - 1) / 24.0, 1e-12},
    {"mesh", "{sizes: [8, 8]}", "degree_min", 2, 0},
    {"mesh", "{sizes: [8, 8]}", "degree_max", 4, 0},
    {"mesh", "{sizes: [8, 8]}", "axis_bisection_links", 8, 0},
    {"mesh", "{sizes: [8, 8]}", "links", 112, 0},
};

static void test_figures_are_those_of_the_papers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *row = &published[i];
        vef_topology *topology = topology_of(row->family, row->parameters, 1);
        vef_figures figures = measured(topology, NULL);
        double value = figure_of(&figures, row->key);
        if (!(fabs(value - row->value) <= row->tolerance))
            fail_msg("%s %s: %s is %.17g, not %.17g", row->family, row->parameters, row->key, value,
                     row->value);
        vef_figures_release(&figures);
        vef_topology_destroy(topology);
    }
}

/* Endpoints share their router's links: half the throughput for each of two, and the same hops. */
static void test_endpoints_share_the_links(void **state) {
    (void)state;
    vef_topology *topology = topology_of("rtt", "{a: 4}", 2);
    vef_figures figures = measured(topology, NULL);
    assert_int_equal(figures.endpoints, 64);
    assert_near(figures.average_distance, 2.625, 1e-12);
    assert_near(figures.throughput_bound, 4 / 2.625 / 2, 1e-9);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
}

/* A symmetry of the graph that takes a link to a slower one is none of the network. Links of ring 0
 * along x have half the bandwidth: neither routers nor links are equivalent. */
static void test_slower_links_break_the_symmetry(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    uint64_t bandwidth[16 * 4];
    for (uint32_t i = 0; i < 64; i++)
        bandwidth[i] = i / 4 < 4 && topology->neighbour[i] < 4 ? 500 : 1000;
    const vef_figures_request request = {.nominal_bits_per_s = 1000};
    vef_figures figures = measured(topology, &request);
    assert_int_equal(figures.vertex_symmetry, VEF_SYMMETRY_BY_CONSTRUCTION);
    assert_int_equal(figures.edge_symmetry, VEF_SYMMETRY_BY_CONSTRUCTION);
    vef_figures_release(&figures);
    topology->bandwidth_bits_per_s = bandwidth;
    figures = measured(topology, &request);
    assert_int_equal(figures.vertex_symmetry, VEF_SYMMETRY_REFUTED);
    assert_int_equal(figures.edge_symmetry, VEF_SYMMETRY_REFUTED);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
}

static void test_every_figure_has_a_name_of_its_own(void **state) {
    (void)state;
    for (const vef_figure *row = vef_figure_table; row->key; row++) {
        assert_non_null(row->label);
        assert_non_null(row->unit);
        for (const vef_figure *other = vef_figure_table; other != row; other++)
            assert_string_not_equal(row->key, other->key);
    }
}

static void test_what_is_not_wanted_or_not_there_is_none(void **state) {
    (void)state;
    vef_topology *topology = topology_of("mesh", "{sizes: [8, 4]}", 1);
    vef_figures figures = measured(topology, &(vef_figures_request){.without_loads = true});
    assert_null(figures.load.sharing);
    assert_int_equal(figures.axis_bisection_links, 4);
    static const char *const none[] = {
        "link_utilization",          "throughput_bound",    "capacity_bound",
        "partition_bisection_links", "effective_bisection", "inner_link_paths",
        "unequal_axis_cut_links",    "inner_link_crossing", "inner_link_share"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(isnan(figure_of(&figures, none[i])));
    assert_int_equal(figures.vertex_symmetry, VEF_SYMMETRY_REFUTED); /* by degrees */
    assert_int_equal(figures.edge_symmetry, VEF_SYMMETRY_UNKNOWN);
    vef_figures_release(&figures);
    figures = measured(topology, &(vef_figures_request){.with_partition = true});
    if (vef_has_partitioner())
        assert_true(figure_of(&figures, "partition_bisection_links") >= 3); /* the least there is */
    else
        assert_string_not_equal(figures.without_partition, "");
    assert_int_equal(figures.edge_symmetry, VEF_SYMMETRY_REFUTED);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
}

/* 64 routers in a ring, linked with those 1, 2, 4, … 32 away: between even and odd numbers there
 * are the links of step 1 alone, one to a router. By minimal paths an odd way takes one of them and
 * an even way none, so none is taken but by pairs of different halves. Across the middle of the
 * numbers there are 2 (1 + 2 + 4 + 8 + 16) + 32 links. */
static void test_the_effective_bisection_is_of_the_smaller_cut(void **state) {
    (void)state;
    if (!vef_has_partitioner())
        skip();
    vef_topology *topology = topology_of("barrel-shifter", "{bits: 6}", 1);
    vef_figures figures = measured(topology, NULL);
    assert_int_equal(figures.axis_bisection_links, 94);
    assert_near(figures.effective_bisection, figures.axis_cut.effective_links, 0);
    vef_figures_release(&figures);
    figures = measured(topology, &(vef_figures_request){.with_partition = true});
    assert_int_equal(figures.axis_bisection_links, 94);
    assert_int_equal(figures.partition_bisection_links, 64);
    assert_near(figures.effective_bisection, 64, 1e-9);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
}

typedef struct watched {
    const char *step;
    uint64_t total, done;
    unsigned steps;
} watched;

static void watch(void *context, const char *step, uint64_t done, uint64_t total) {
    watched *seen = context;
    if (!seen->step || strcmp(seen->step, step) != 0) {
        *seen = (watched){step, total, 0, seen->steps + 1};
    }
    assert_int_equal(total, seen->total);
    assert_true(done >= seen->done);
    assert_true(done <= total);
    seen->done = done;
}

static void test_progress_is_reported(void **state) {
    (void)state;
    watched seen = {0};
    vef_topology *topology = topology_of("king-mesh", "{sizes: [16, 17]}", 1);
    vef_figures figures = measured(topology, &(vef_figures_request){.watch = {watch, &seen}});
    assert_int_equal(seen.steps, 2); /* distances, and loads */
    assert_int_equal(seen.done, seen.total);
    vef_figures_release(&figures);
    vef_topology_destroy(topology);
}

static vef_code build_two_parts(const void *parameters, vef_topology *topology, vef_error *error) {
    (void)parameters;
    topology->routers = 4;
    topology->ports = 1;
    vef_code code = vef_topology_make_ports(topology, error);
    assert_int_equal(code, VEF_OK);
    vef_topology_join(topology, 0, 0, 1, 0);
    vef_topology_join(topology, 2, 0, 3, 0);
    return VEF_OK;
}

static void test_a_network_in_two_parts_is_a_failure_found(void **state) {
    (void)state;
    static const vef_topology_family family = {.name = "two parts", .build = build_two_parts};
    vef_topology topology = {.family = &family, .endpoints = 4, .endpoints_per_router = 1};
    topology.link_classes = 1;
    build_two_parts(NULL, &topology, NULL);
    vef_figures figures;
    vef_error error = {0};
    assert_int_equal(vef_figures_measure(&topology, NULL, &figures, &error), VEF_FAILED);
    assert_int_equal(error.code, VEF_FAILED);
    assert_non_null(strstr(error.message, "not connected"));
    vef_arena_release(&topology.arena);
}

/* ---- symmetries, found by trying ---- */

enum { MOST_ROUTERS = 32 };

typedef struct matching {
    const vef_graph *graph;
    uint32_t links[MOST_ROUTERS][MOST_ROUTERS]; /* between two routers */
    uint32_t order[MOST_ROUTERS];               /* each but the first has an earlier neighbour */
    uint32_t image[MOST_ROUTERS];               /* of order[i] */
    bool taken[MOST_ROUTERS];
} matching;

static bool fits(const matching *m, uint32_t depth, uint32_t image) {
    const vef_graph *graph = m->graph;
    const uint32_t router = m->order[depth];
    if (m->taken[image] || graph->endpoints[router] != graph->endpoints[image])
        return false;
    for (uint32_t i = 0; i < depth; i++)
        if (m->links[router][m->order[i]] != m->links[image][m->image[i]])
            return false;
    return true;
}

static bool extend(matching *m, uint32_t depth) {
    if (depth == m->graph->routers)
        return true;
    for (uint32_t image = 0; image < m->graph->routers; image++) {
        if (!fits(m, depth, image))
            continue;
        m->image[depth] = image;
        m->taken[image] = true;
        const bool found = extend(m, depth + 1);
        m->taken[image] = false;
        if (found)
            return true;
    }
    return false;
}

/* Whether a symmetry of the graph takes `from` to `to` and, where `next` is a neighbour of `from`,
 * `next` to `next_to`. */
static bool taken_into(const vef_graph *graph, uint32_t from, uint32_t to, uint32_t next,
                       uint32_t next_to) {
    static matching m;
    m = (matching){.graph = graph};
    bool seen[MOST_ROUTERS] = {false};
    uint32_t count = 0;
    m.order[count++] = from;
    seen[from] = true;
    if (next != from) {
        m.order[count++] = next;
        seen[next] = true;
    }
    const uint32_t given = count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = graph->first[m.order[i]]; a < graph->first[m.order[i] + 1]; a++)
            if (!seen[graph->head[a]]) {
                seen[graph->head[a]] = true;
                m.order[count++] = graph->head[a];
            }
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t a = graph->first[r]; a < graph->first[r + 1]; a++)
            m.links[r][graph->head[a]]++;
    const uint32_t images[] = {to, next_to};
    for (uint32_t i = 0; i < given; i++) {
        if (!fits(&m, i, images[i]))
            return false;
        m.image[i] = images[i];
        m.taken[images[i]] = true;
    }
    return extend(&m, given);
}

static bool vertex_symmetric(const vef_graph *graph) {
    for (uint32_t r = 1; r < graph->routers; r++)
        if (!taken_into(graph, 0, r, 0, r))
            return false;
    return true;
}

static bool edge_symmetric(const vef_graph *graph) {
    const uint32_t other = graph->head[0];
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t a = graph->first[r]; a < graph->first[r + 1]; a++)
            if (r < graph->head[a] && !taken_into(graph, 0, r, other, graph->head[a]) &&
                !taken_into(graph, 0, graph->head[a], other, r))
                return false;
    return true;
}

static void test_what_is_said_of_symmetry_is_true(void **state) {
    (void)state;
    unsigned proved = 0, refuted = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            const char *name = vef_topology_families[f]->name;
            const char *parameters = vef_topology_families[f]->samples[s];
            vef_topology *topology = topology_of(name, parameters, 1);
            if (topology->routers <= MOST_ROUTERS) {
                vef_figures figures = measured(topology, NULL);
                const bool vertex = vertex_symmetric(figures.graph);
                const bool edge = edge_symmetric(figures.graph);
                if (vertex ? figures.vertex_symmetry == VEF_SYMMETRY_REFUTED
                           : figures.vertex_symmetry == VEF_SYMMETRY_BY_CONSTRUCTION)
                    fail_msg("%s %s: vertex symmetry is %d", name, parameters, vertex);
                if (edge ? figures.edge_symmetry == VEF_SYMMETRY_REFUTED
                         : figures.edge_symmetry == VEF_SYMMETRY_BY_CONSTRUCTION)
                    fail_msg("%s %s: edge symmetry is %d", name, parameters, edge);
                proved += figures.edge_symmetry == VEF_SYMMETRY_BY_CONSTRUCTION;
                refuted += figures.edge_symmetry == VEF_SYMMETRY_REFUTED;
                vef_figures_release(&figures);
            }
            vef_topology_destroy(topology);
        }
    assert_true(proved > 0);
    assert_true(refuted > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_are_those_of_the_papers),
        cmocka_unit_test(test_endpoints_share_the_links),
        cmocka_unit_test(test_slower_links_break_the_symmetry),
        cmocka_unit_test(test_every_figure_has_a_name_of_its_own),
        cmocka_unit_test(test_what_is_not_wanted_or_not_there_is_none),
        cmocka_unit_test(test_the_effective_bisection_is_of_the_smaller_cut),
        cmocka_unit_test(test_progress_is_reported),
        cmocka_unit_test(test_a_network_in_two_parts_is_a_failure_found),
        cmocka_unit_test(test_what_is_said_of_symmetry_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
