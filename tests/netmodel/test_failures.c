/* Links and routers that are down: networks with failures against closed forms and searches of
 * their own, random failures, and failures that are refused. */
#include "netmodel/analysis/figures.h"
#include "netmodel/topology/failures/failures.h"
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vef_topology *damaged_of(const char *family, const char *parameters, const char *failures) {
    vef_topology *topology = topology_of(family, parameters, 1);
    damage(&topology, failures);
    return topology;
}

static vef_figures figures_of(const vef_topology *topology) {
    vef_figures figures;
    vef_error error = {0};
    if (vef_figures_measure(topology, NULL, &figures, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return figures;
}

/* ---- closed forms ---- */

/* A ring without one of its links is a path: its diameter is n - 1, its mean distance (n + 1) / 3.
 * Uniform traffic sends k (n - k) / n over a link that divides it into k and n - k routers, the
 * most over the one in the middle. */
static void ring_without_a_link_is_a_path(void **state) {
    (void)state;
    for (uint32_t n = 3; n <= 17; n++) {
        char sizes[32], failures[64];
        snprintf(sizes, sizeof sizes, "{sizes: [%u]}", n);
        snprintf(failures, sizeof failures, "{links: [[%u, %u]]}", n / 2, n / 2 + 1);
        vef_topology *ring = damaged_of("torus", sizes, failures);
        vef_figures figures = figures_of(ring);
        assert_int_equal(figures.links, n - 1);
        assert_int_equal(figures.degree_min, 1);
        assert_int_equal(figures.diameter, n - 1);
        assert_near(figures.average_distance_without_itself, (n + 1) / 3.0, 1e-12);
        const double most = (double)(n / 2) * (n - n / 2) / n;
        assert_near(figures.throughput_bound, 1 / most, 1e-12);
        assert_int_equal(figures.vertex_symmetry, VEF_SYMMETRY_REFUTED);
        vef_figures_release(&figures);
        vef_topology_destroy(ring);
    }
}

/* In a complete graph of n routers, the ends of a link that is down are two hops apart. */
static void complete_graph_without_a_link(void **state) {
    (void)state;
    const double n = 9;
    vef_topology *graph = damaged_of("complete", "{routers: 9}", "{links: [[2, 7]]}");
    vef_figures figures = figures_of(graph);
    assert_int_equal(figures.diameter, 2);
    assert_near(figures.average_distance_without_itself, 1 + 2 / (n * (n - 1)), 1e-12);
    vef_figures_release(&figures);
    vef_topology_destroy(graph);
}

/* A hypercube has k disjoint shortest paths between routers that are k hops apart. So without one
 * router no other distance changes, and without one link only that of its ends, which becomes 3. */
static void hypercube_loses_no_other_distance(void **state) {
    (void)state;
    const double d = 5, n = 32, sum = d * n / 2; /* of the distances from one router */
    vef_topology *cube = damaged_of("hypercube", "{dimensions: 5}", "{routers: [19]}");
    vef_figures figures = figures_of(cube);
    assert_int_equal(figures.routers, 31);
    assert_int_equal(figures.endpoints, 31);
    assert_int_equal(figures.links, 80 - 5);
    assert_int_equal(figures.degree_min, 4);
    assert_int_equal(figures.degree_max, 5);
    assert_int_equal(figures.diameter, 5);
    assert_near(figures.average_distance_without_itself, (n - 2) * sum / ((n - 1) * (n - 2)),
                1e-12);
    vef_figures_release(&figures);
    vef_topology_destroy(cube);
    cube = damaged_of("hypercube", "{dimensions: 5}", "{links: [[0, 16]]}");
    figures = figures_of(cube);
    assert_int_equal(figures.links, 79);
    assert_near(figures.average_distance_without_itself, (n * sum + 2 * 2) / (n * (n - 1)), 1e-12);
    vef_figures_release(&figures);
    vef_topology_destroy(cube);
}

/* ---- every family, by a search of its own ---- */

/* Hops from `source` in the network without failures, but not over the ports that are `lost`. */
static void search_whole(const vef_topology *whole, const bool *lost, uint32_t source,
                         uint32_t *distance) {
    uint32_t *queue = malloc(whole->routers * sizeof *queue), count = 1;
    assert_non_null(queue);
    memset(distance, 0xff, whole->routers * sizeof *distance);
    distance[source] = 0;
    queue[0] = source;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < whole->ports; port++) {
            const size_t position = (size_t)queue[i] * whole->ports + port;
            const uint32_t next = whole->neighbour[position];
            if (next == VEF_NO_ROUTER || lost[position] || distance[next] != UINT32_MAX)
                continue;
            distance[next] = distance[queue[i]] + 1;
            queue[count++] = next;
        }
    free(queue);
}

/* The attributes that routers and links keep: names, coordinates, classes. */
static void check_names(const vef_topology *topology, const vef_topology *whole, uint32_t router,
                        uint32_t number) {
    char name[VEF_ROUTER_NAME_BYTES], before[VEF_ROUTER_NAME_BYTES];
    uint32_t index[VEF_MAX_DIMENSIONS] = {0}, was[VEF_MAX_DIMENSIONS] = {0};
    vef_topology_router_name(topology, router, name, sizeof name);
    vef_topology_router_name(whole, number, before, sizeof before);
    assert_string_equal(name, before);
    vef_topology_coordinates(topology, router, index);
    vef_topology_coordinates(whole, number, was);
    assert_memory_equal(index, was, sizeof index);
    if (topology->dimensions > 0)
        assert_int_equal(vef_topology_router_at(topology, index), router);
    assert_int_equal(vef_topology_router_numbered(topology, number), router);
    for (uint32_t port = 0; port < topology->ports; port++)
        if (topology->neighbour[(size_t)router * topology->ports + port] != VEF_NO_ROUTER)
            assert_int_equal(vef_topology_link_class(topology, router, port),
                             vef_topology_link_class(whole, number, port));
}

/* Routers, links and endpoints are those of the network without failures that are not down, and
 * distances those of a search that passes over what is. */
static void check_against_whole(const vef_topology *topology, const vef_topology *whole) {
    const size_t ports = (size_t)whole->routers * whole->ports;
    bool *lost = calloc(ports, sizeof *lost);
    uint32_t *expected = calloc(whole->routers, sizeof *expected);
    uint32_t *found = calloc(topology->routers, sizeof *found);
    uint32_t endpoint = 0, up = 0;
    assert_true(lost && expected && found);
    for (size_t p = 0; p < ports; p++)
        lost[p] = whole->neighbour[p] == VEF_NO_ROUTER || vef_port_is_lost(topology, p);
    for (uint32_t number = 0; number < whole->routers; number++) {
        const uint32_t router = vef_topology_router_numbered(topology, number);
        if (router == VEF_NO_ROUTER)
            continue;
        assert_int_equal(router, up++);
        assert_int_equal(vef_topology_router_number(topology, router), number);
        check_names(topology, whole, router, number);
        for (uint32_t port = 0; port < whole->ports; port++) {
            const size_t here = (size_t)router * whole->ports + port,
                         there = (size_t)number * whole->ports + port;
            assert_int_equal(topology->neighbour[here] == VEF_NO_ROUTER, lost[there]);
            if (lost[there])
                continue;
            assert_int_equal(vef_topology_router_number(topology, topology->neighbour[here]),
                             whole->neighbour[there]);
            assert_int_equal(topology->reverse_port[here], whole->reverse_port[there]);
        }
        search_whole(whole, lost, number, expected);
        distances_from(topology, router, found);
        for (uint32_t other = 0; other < topology->routers; other++)
            assert_int_equal(found[other], expected[vef_topology_router_number(topology, other)]);
    }
    assert_int_equal(up, topology->routers);
    for (uint32_t e = 0; e < whole->endpoints; e++) {
        const uint32_t router =
            vef_topology_router_numbered(topology, vef_topology_router_of(whole, e));
        if (router != VEF_NO_ROUTER)
            assert_int_equal(vef_topology_router_of(topology, endpoint++), router);
    }
    assert_int_equal(endpoint, topology->endpoints);
    free(found);
    free(expected);
    free(lost);
}

static void every_family_with_failures(void **state) {
    (void)state;
    uint32_t checked = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (const char *const *sample = vef_topology_families[f]->samples; *sample; sample++) {
            const char *name = vef_topology_families[f]->name;
            vef_topology *whole = topology_of(name, *sample, 2);
            vef_topology *topology = topology_of(name, *sample, 2);
            if (whole->routers >= 8) {
                damage(&topology,
                       "{link_share: 0.15, router_share: 0.1, disconnected: drop, seed: 4}");
                check_against_whole(topology, whole);
                assert_true(topology->failures->routers > 0 && topology->failures->links > 0);
                vef_figures figures = figures_of(topology);
                uint32_t diameter;
                average_distance(topology, &diameter);
                assert_true(figures.diameter <= diameter);
                assert_int_equal(figures.axis_bisection_links, VEF_NO_COUNT);
                vef_figures_release(&figures);
                checked++;
            }
            vef_topology_destroy(topology);
            vef_topology_destroy(whole);
        }
    assert_true(checked > 20);
}

/* Links alone keep the routers, the endpoints, and the halves of a grid: of the 4 + 4 links between
 * the halves of a torus of 4 x 4, one fewer. */
static void links_alone(void **state) {
    (void)state;
    vef_topology *torus = damaged_of("torus", "{sizes: [4, 4]}", "{links: [[1, 2], [5, y+]]}");
    assert_null(torus->endpoint_router);
    assert_int_equal(torus->routers, 16);
    vef_figures figures = figures_of(torus);
    assert_int_equal(figures.links, 30);
    assert_int_equal(figures.axis_bisection_links, 7);
    vef_figures_release(&figures);
    vef_topology_destroy(torus);
}

/* ---- which links and routers ---- */

/* The number of links between two routers, by number. */
static void links_by_every_name(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters, *failures;
        uint32_t from, to, left, links;
    } rows[] = {
        {"torus", "{sizes: [5, 4]}", "{links: [[7, 8]]}", 7, 8, 0, 39},
        {"torus", "{sizes: [5, 4]}", "{links: [[7, x+]]}", 7, 8, 0, 39},
        {"torus", "{sizes: [5, 4]}", "{links: [[8, x-]]}", 7, 8, 0, 39},
        {"torus", "{sizes: [5, 4]}", "{links: [['(2, 1)', '3,1']]}", 7, 8, 0, 39},
        {"torus", "{sizes: [5, 4]}", "{links: [[8, 7, 0]]}", 7, 8, 0, 39},
        /* Two links join the routers of a dimension of size 2. */
        {"torus", "{sizes: [4, 2]}", "{links: [[1, 5]]}", 1, 5, 0, 14},
        {"torus", "{sizes: [4, 2]}", "{links: [[1, 5, 1]]}", 1, 5, 1, 15},
        {"torus", "{sizes: [4, 2]}", "{links: [[1, y+]]}", 1, 5, 1, 15},
        {"torus", "{sizes: [4, 2]}", "{links: [[1, y+], [1, y-]]}", 1, 5, 0, 14},
        {"kary-ntree", "{k: 2, n: 2}", "{links: [['stage 0, switch 1', 'up 0']]}", 1, 2, 0, 3},
        {"twin-torus", "{sizes: [3, 3, 3]}", "{links: [['(1, 0, 0) card 0', inner]]}", 2, 3, 0,
         107},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_topology *topology = damaged_of(rows[i].family, rows[i].parameters, rows[i].failures);
        vef_figures figures = figures_of(topology);
        if (count_links(topology, rows[i].from, rows[i].to) != rows[i].left ||
            figures.links != rows[i].links)
            fail_msg("%s leaves %u links of %u, %u between the two", rows[i].failures,
                     (unsigned)figures.links, rows[i].links,
                     count_links(topology, rows[i].from, rows[i].to));
        vef_figures_release(&figures);
        vef_topology_destroy(topology);
    }
}

/* ---- random failures ---- */

/* The ports of the whole network that are lost; the caller frees them. */
static bool *lost_ports(const vef_topology *topology) {
    const vef_topology *whole = vef_topology_whole(topology);
    const size_t ports = (size_t)whole->routers * whole->ports;
    bool *lost = calloc(ports, sizeof *lost);
    assert_non_null(lost);
    for (size_t p = 0; p < ports && topology->failures; p++)
        lost[p] = whole->neighbour[p] != VEF_NO_ROUTER && vef_port_is_lost(topology, p);
    return lost;
}

static bool *drawn_links(const char *failures, uint32_t *links) {
    vef_topology *topology = damaged_of("torus", "{sizes: [6, 6]}", failures);
    bool *lost = lost_ports(topology);
    *links = topology->failures ? topology->failures->links : 0;
    vef_topology_destroy(topology);
    return lost;
}

enum { PORTS = 36 * 4 };

static void random_links_follow_the_seed(void **state) {
    (void)state;
    uint32_t count[4];
    bool *one = drawn_links("{link_count: 7, seed: 5}", &count[0]);
    bool *same = drawn_links("{link_share: 0.1, seed: 5}", &count[1]); /* 7.2 of 72 */
    bool *other = drawn_links("{link_count: 7, seed: 6}", &count[2]);
    bool *more = drawn_links("{link_count: 12, seed: 5}", &count[3]);
    assert_int_equal(count[0], 7);
    assert_int_equal(count[1], 7);
    assert_int_equal(count[2], 7);
    assert_int_equal(count[3], 12);
    assert_memory_equal(one, same, PORTS);
    assert_memory_not_equal(one, other, PORTS);
    for (uint32_t p = 0; p < PORTS; p++)
        assert_true(more[p] || !one[p]);
    free(one);
    free(same);
    free(other);
    free(more);
}

/* Each of the 36 links of a complete graph is as often down: 300 seeds of 6 links draw it 50 times
 * in the mean, with a standard deviation of sqrt(50 x 5 / 6) = 6.5; five of them are 32. */
static void random_links_are_uniform(void **state) {
    (void)state;
    uint32_t times[9 * 8] = {0};
    for (uint32_t seed = 0; seed < 300; seed++) {
        char failures[64];
        snprintf(failures, sizeof failures, "{link_count: 6, seed: %u}", seed);
        vef_topology *graph = damaged_of("complete", "{routers: 9}", failures);
        bool *lost = lost_ports(graph);
        for (uint32_t p = 0; p < 9 * 8; p++)
            times[p] += lost[p];
        free(lost);
        vef_topology_destroy(graph);
    }
    for (uint32_t p = 0; p < 9 * 8; p++)
        if (times[p] < 50 - 32 || times[p] > 50 + 32)
            fail_msg("port %u: %u times of 50", p, times[p]);
}

/* Random failures come beside the listed ones and never hit them. */
static void random_beside_listed(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        char failures[160];
        snprintf(failures, sizeof failures,
                 "{routers: [0, 7], links: [[20, 21]], router_count: 3, link_count: 4, seed: %u, "
                 "disconnected: redraw}",
                 seed);
        vef_topology *torus = damaged_of("torus", "{sizes: [6, 6]}", failures);
        assert_int_equal(torus->routers, 36 - 5);
        assert_int_equal(torus->endpoints, 36 - 5);
        /* Links of the network that is left, before the links that are down. */
        uint32_t links = 0, down = 0;
        const vef_topology *whole = vef_topology_whole(torus);
        for (uint32_t p = 0; p < PORTS; p++) {
            const uint32_t a = vef_topology_router_numbered(torus, p / 4),
                           b = vef_topology_router_numbered(torus, whole->neighbour[p]);
            if (a == VEF_NO_ROUTER || b == VEF_NO_ROUTER)
                continue;
            links++;
            down += vef_port_is_lost(torus, p);
        }
        const bool listed_counts = vef_topology_router_numbered(torus, 20) != VEF_NO_ROUTER &&
                                   vef_topology_router_numbered(torus, 21) != VEF_NO_ROUTER;
        assert_int_equal(down, 2 * (4 + listed_counts));
        assert_true(links > down);
        vef_topology_destroy(torus);
    }
}

/* ---- networks that fall apart ---- */

static const char *const line = "{sizes: [6]}"; /* a mesh: 0 - 1 - 2 - 3 - 4 - 5 */

static void assert_refused(const char *family, const char *parameters, const char *failures,
                           const char *says) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_topology *topology = topology_of(family, parameters, 1);
    const vef_topology *before = topology;
    assert_int_equal(vef_config_parse(failures, "net.yaml", &arena, &node, &error), VEF_OK);
    const vef_code code = vef_failures_apply(node, &topology, &error);
    if (code != VEF_INVALID || !strstr(error.message, says) ||
        strncmp(error.message, "net.yaml:1:", 11) != 0)
        fail_msg("%s gave %d: %s", failures, (int)code, error.message);
    assert_ptr_equal(topology, before);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void disconnected_networks(void **state) {
    (void)state;
    assert_refused("mesh", line, "{links: [[3, 4]]}",
                   "failures: endpoint 4 at router 4 is cut off from endpoint 0 at router 0: 4 of "
                   "6 endpoints remain connected");
    assert_refused("mesh", line, "{routers: [1]}",
                   "endpoint 0 at router 0 is cut off from endpoint 2 at router 2: 4 of 6");
    assert_refused("mesh", line, "{links: [[3, 4]], disconnected: redraw}", "disconnected: drop");
    assert_refused("mesh", line, "{link_count: 1, disconnected: redraw}",
                   "no connected network in 1000 draws");
    assert_refused("mesh", line, "{link_share: 1}", "1 of 6 endpoints remain connected");
    assert_refused("mesh", line, "{router_share: 1}", "no endpoint is left");
    assert_refused("mesh", line, "{link_share: 1, disconnected: drop}",
                   "only 1 of 6 routers is left");
    vef_topology *part = damaged_of("mesh", line, "{links: [[3, 4]], disconnected: drop}");
    assert_int_equal(part->routers, 4);
    assert_int_equal(part->endpoints, 4);
    assert_int_equal(part->failures->endpoints, 2);
    assert_int_equal(part->failures->links, 2);
    vef_topology_destroy(part);
    /* The larger part is the second. */
    part = damaged_of("mesh", line, "{routers: [2], disconnected: drop}");
    assert_int_equal(part->routers, 3);
    assert_int_equal(vef_topology_router_number(part, 0), 3);
    vef_topology_destroy(part);
    /* Half of the links of a small torus: draws that disconnect it are passed over. */
    part = damaged_of("torus", "{sizes: [3, 3]}", "{link_count: 9, disconnected: redraw}");
    vef_figures figures = figures_of(part);
    assert_int_equal(figures.links, 9);
    assert_int_equal(figures.routers, 9);
    vef_figures_release(&figures);
    vef_topology_destroy(part);
}

/* A switch of a tree from which no endpoint can be reached is lost, but no endpoint is. */
static void switches_without_links(void **state) {
    (void)state;
    vef_topology *tree = damaged_of("kary-ntree", "{k: 2, n: 2}", "{links: [[2, 0], [2, 1]]}");
    assert_int_equal(tree->routers, 3);
    assert_int_equal(tree->endpoints, 4);
    assert_int_equal(tree->failures->routers, 1);
    assert_int_equal(tree->failures->links, 2);
    vef_figures figures = figures_of(tree);
    assert_int_equal(figures.diameter, 2);
    vef_figures_release(&figures);
    vef_topology_destroy(tree);
}

/* Attributes of the links of a file stay with their links. */
static void links_keep_their_attributes(void **state) {
    (void)state;
    static const char text[] =
        "0 1 1 Gbit/s 10 ns\n1 2 2 Gbit/s 20 ns\n2 3 3 Gbit/s 30 ns\n3 0 4 Gbit/s 40 ns\n";
    char parameters[320];
    own_file_write(text, sizeof text - 1);
    snprintf(parameters, sizeof parameters, "{file: %s}", own_file_path);
    vef_topology *ring = damaged_of("edges", parameters, "{routers: [1]}");
    assert_int_equal(ring->routers, 3);
    for (uint32_t router = 0; router < 3; router++)
        for (uint32_t port = 0; port < ring->ports; port++) {
            const size_t position = (size_t)router * ring->ports + port;
            if (ring->neighbour[position] == VEF_NO_ROUTER)
                continue;
            const uint32_t a = vef_topology_router_number(ring, router),
                           b = vef_topology_router_number(ring, ring->neighbour[position]);
            const uint64_t nth = a + b == 5 ? 3 : 4; /* 2 - 3, else 3 - 0 */
            assert_true(a == 3 || b == 3);
            assert_int_equal(ring->bandwidth_bits_per_s[position], nth * 1000000000);
            assert_near(ring->delay_ns[position], (double)nth * 10, 1e-9);
        }
    vef_topology_destroy(ring);
}

/* ---- what is refused ---- */

static void bad_failures(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{routers: [16]}", "failures.routers[0]: router 16 is out of range: expected 0 to 15"},
        {"{routers: [3, '(4, 0)']}",
         "failures.routers[1]: coordinate 0 is 4: out of range: expected 0 to 3"},
        {"{routers: [3, '3,0']}", "failures.routers[1]: router 3,0 is listed twice"},
        {"{routers: [north]}",
         "unknown router 'north': expected a number from 0 to 15, or a name "
         "such as (0, 0)"},
        {"{links: [[0, 5]]}",
         "failures.links[0]: no link joins routers (0, 0) and (1, 1): expected one of the "
         "neighbours (1, 0), (3, 0), (0, 1), (0, 3)"},
        {"{links: [[0, 0]]}", "no link joins routers (0, 0) and (0, 0)"},
        {"{links: [[0, 1], [0, x+]]}",
         "failures.links[1]: the link from router (0, 0) by x+ to "
         "(1, 0) is listed twice"},
        {"{links: [[0, 1], [1, 0]]}", "failures.links[1]: the link"},
        {"{links: [[0, 1, 1]]}",
         "link number 1: out of range: 1 link joins these routers: expected 0 to 0"},
        {"{links: [[0, 1, -1]]}", "link number -1: out of range"},
        {"{links: [[0, z+]]}", "unknown router 'z+'"},
        {"{links: [[0]]}", "found 1 item: expected [router, router]"},
        {"{links: [[0, 1, 2, 3]]}", "coordinates in quotes"},
        {"{links: [0, 1]}", "expected a list of lists such as [[a, b], [c, d]]"},
        {"{link_share: 1.5}", "link_share: expected a number from 0 to 1; found '1.5'"},
        {"{router_share: -0.1}", "router_share: expected a number from 0 to 1"},
        {"{link_count: 33}", "33 random links: out of range: expected at most 32"},
        {"{routers: [0], link_count: 29}", "expected at most 28"},
        {"{router_count: 17}", "17 random routers: out of range: expected at most 16"},
        {"{link_count: 1, link_share: 0.1}", "link_share and link_count are both given"},
        {"{router_count: 1, router_share: 0.1}", "router_share and router_count are both given"},
        {"{disconnected: maybe}", "expected one of refuse, redraw, drop"},
        {"{link: [[0, 1]]}", "unknown key 'link'"},
        {"[1]", "expected keys and values"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refused("torus", "{sizes: [4, 4]}", rows[i][0], rows[i][1]);
    assert_refused("mesh", "{sizes: [4, 4]}", "{links: [[3, x+]]}",
                   "router (3, 0) has no link at its port x+");
}

static void nothing_down_is_no_failure(void **state) {
    (void)state;
    static const char *const none[] = {"{}", "{links: [], routers: []}", "{link_share: 0.001}",
                                       "{seed: 4, disconnected: drop}"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        vef_topology *torus = damaged_of("torus", "{sizes: [4, 4]}", none[i]);
        assert_null(torus->failures);
        assert_non_null(torus->lattice);
        vef_topology_destroy(torus);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_without_a_link_is_a_path),
        cmocka_unit_test(complete_graph_without_a_link),
        cmocka_unit_test(hypercube_loses_no_other_distance),
        cmocka_unit_test(every_family_with_failures),
        cmocka_unit_test(links_alone),
        cmocka_unit_test(links_by_every_name),
        cmocka_unit_test(random_links_follow_the_seed),
        cmocka_unit_test(random_links_are_uniform),
        cmocka_unit_test(random_beside_listed),
        cmocka_unit_test(disconnected_networks),
        cmocka_unit_test(switches_without_links),
        cmocka_unit_test(links_keep_their_attributes),
        cmocka_unit_test(bad_failures),
        cmocka_unit_test(nothing_down_is_no_failure),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
