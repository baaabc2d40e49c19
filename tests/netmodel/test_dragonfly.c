/* Dragonflies: the global links of the four arrangements against enumerations written from their
 * definitions, the functions for routings against the table of neighbours, and mean distances
 * against closed forms. */
#include "netmodel/topology/dragonfly/dragonfly.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char *const arrangements[] = {"palmtree", "absolute", "relative", "circulant"};
enum { PALMTREE, ABSOLUTE, RELATIVE, CIRCULANT, ARRANGEMENTS };

static vef_topology *dragonfly_of(uint32_t a, uint32_t h, uint32_t groups, uint32_t arrangement) {
    char parameters[128], number[16];
    snprintf(number, sizeof number, "%u", groups);
    snprintf(parameters, sizeof parameters, "{a: %u, h: %u, groups: %s, arrangement: %s}", a, h,
             groups == 0 ? "auto" : number, arrangements[arrangement]);
    return topology_of("dragonfly", parameters, 1);
}

/* The global port of index i of a group: its place in the tables of the topology. */
static size_t port_at(const vef_topology *topology, uint32_t a, uint32_t h, uint32_t group,
                      uint32_t i) {
    return ((size_t)group * a + i / h) * topology->ports + a - 1 + i % h;
}

/* Fails unless the link of index i of group g ends at index `to` of group t. */
static void assert_link(const vef_topology *topology, uint32_t a, uint32_t h, uint32_t g,
                        uint32_t i, uint32_t t, uint32_t to) {
    const size_t position = port_at(topology, a, h, g, i);
    if (topology->neighbour[position] != t * a + to / h ||
        topology->reverse_port[position] != a - 1 + to % h)
        fail_msg("a %u, h %u: index %u of group %u leads to router %u port %u, not to %u of %u", a,
                 h, i, g, topology->neighbour[position], topology->reverse_port[position], to, t);
}

/* ---- a h + 1 groups ---- */

/* The formulas of the papers: of index i of group g, the other group. */
static uint32_t group_at(uint32_t arrangement, uint32_t groups, uint32_t h, uint32_t g,
                         uint32_t i) {
    if (arrangement == PALMTREE)
        return (g + 2 * groups - i - 1) % groups;
    if (arrangement == RELATIVE)
        return (g + i + 1) % groups;
    if (arrangement == ABSOLUTE)
        return i < g ? i : i + 1;
    const uint32_t router = i / h, j = i % h / 2 + 1; /* groups g + (A h / 2 + j) and g - … */
    const uint32_t distance = router * h / 2 + j;
    return (g + (i % 2 == 0 ? distance : groups - distance)) % groups;
}

/* Every index leads to the group of the formula and ends at the index of that group that leads
 * back: there is one only, as every pair of groups has one link. */
static void check_full(uint32_t a, uint32_t h, uint32_t arrangement) {
    const uint32_t ports = a * h, groups = ports + 1;
    vef_topology *topology = dragonfly_of(a, h, 0, arrangement);
    assert_int_equal(topology->routers, a * groups);
    assert_int_equal(topology->ports, a - 1 + h);
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < ports; i++) {
            const uint32_t t = group_at(arrangement, groups, h, g, i);
            uint32_t back = 0, ways_back = 0;
            assert_true(t < groups && t != g);
            for (uint32_t j = 0; j < ports; j++)
                if (group_at(arrangement, groups, h, t, j) == g) {
                    back = j;
                    ways_back++;
                }
            assert_int_equal(ways_back, 1);
            assert_link(topology, a, h, g, i, t, back);
            if (arrangement == PALMTREE) /* as García et al. give the router of the other group */
                assert_int_equal(back / h, ((t + groups - g) % groups - 1) / h);
            if (arrangement == CIRCULANT)
                assert_int_equal(back / h, i / h);
        }
    vef_topology_destroy(topology);
}

static void test_arrangements_of_all_groups(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{4, 2}, {2, 1}, {3, 1}, {6, 3}, {3, 2}, {2, 4}, {8, 4}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (uint32_t arrangement = 0; arrangement < ARRANGEMENTS; arrangement++)
            if (arrangement != CIRCULANT || sizes[s][1] % 2 == 0)
                check_full(sizes[s][0], sizes[s][1], arrangement);
}

/* ---- fewer groups ---- */

static uint32_t ring_distance(uint32_t groups, uint32_t g, uint32_t t) {
    const uint32_t ahead = (t + groups - g) % groups;
    return ahead < groups - ahead ? ahead : groups - ahead;
}

/* Where `t` comes in the order of an arrangement, seen from g: any number that sorts the groups. */
static uint32_t rank(uint32_t arrangement, uint32_t groups, uint32_t g, uint32_t t) {
    return arrangement == ABSOLUTE ? t : (t + groups - g) % groups;
}

/* The groups of a round of n links of group g in the order of its indices: the nearest n / 2 on
 * either side, and the opposite one if n is odd. */
static void list_round(uint32_t arrangement, uint32_t groups, uint32_t g, uint32_t n,
                       uint32_t *list) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < groups; t++) {
        const uint32_t distance = ring_distance(groups, g, t);
        if (t == g || (distance > n / 2 && !(n % 2 == 1 && 2 * distance == groups)))
            continue;
        uint32_t here = count++;
        for (; here > 0 &&
               rank(arrangement, groups, g, list[here - 1]) > rank(arrangement, groups, g, t);
             here--)
            list[here] = list[here - 1];
        list[here] = t;
    }
    assert_int_equal(count, n);
    for (uint32_t i = 0; arrangement == PALMTREE && i < n / 2; i++) {
        const uint32_t kept = list[i];
        list[i] = list[n - 1 - i];
        list[n - 1 - i] = kept;
    }
}

/* Rounds of one link to each other group, and a last one of the indices that remain. Links end in
 * the same round; palmtree pairs the whole rounds from both ends of their list, which joins each
 * router with the one as far from the other end of its group if all are whole. */
static void check_rounds(const vef_topology *topology, uint32_t a, uint32_t h, uint32_t groups,
                         uint32_t arrangement) {
    enum { MOST = 64 };
    const uint32_t ports = a * h, full = groups - 1;
    assert_true(full <= MOST);
    for (uint32_t first = 0; first < ports; first += full) {
        const uint32_t n = ports - first < full ? ports - first : full;
        const bool turned = arrangement == PALMTREE && n == full;
        const uint32_t other_first = turned ? ports / full * full - full - first : first;
        for (uint32_t g = 0; g < groups; g++) {
            uint32_t list[MOST], other[MOST];
            list_round(arrangement, groups, g, n, list);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t back = 0;
                list_round(arrangement, groups, list[i], n, other);
                while (other[back] != g)
                    assert_true(++back < n);
                assert_link(topology, a, h, g, first + i, list[i], other_first + back);
                if (arrangement == PALMTREE && ports % full == 0)
                    assert_int_equal((other_first + back) / h, a - 1 - (first + i) / h);
            }
        }
    }
}

/* Pairs of indices lead to groups at offsets o on both sides: all o that are no multiples of the
 * number of groups. */
static void check_circulant(const vef_topology *topology, uint32_t a, uint32_t h, uint32_t groups) {
    uint32_t offset = 0;
    for (uint32_t i = 0; i < a * h; i += 2) {
        offset++;
        if (offset % groups == 0)
            offset++;
        for (uint32_t g = 0; g < groups; g++) {
            const uint32_t behind = groups - offset % groups;
            assert_link(topology, a, h, g, i, (g + offset) % groups, i + 1);
            assert_link(topology, a, h, g, i + 1, (g + behind) % groups, i);
        }
    }
}

/* The links between two groups by the table of neighbours are those of the functions for routings,
 * in ascending order; and as many as any two groups should have. */
static void check_between(const vef_topology *topology, uint32_t groups) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(topology);
    assert_non_null(dragonfly);
    const uint32_t a = dragonfly->a, h = dragonfly->h, ports = a * h;
    assert_int_equal(dragonfly->global.groups, groups);
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t t = 0; t < groups; t++) {
            uint32_t links = 0;
            for (uint32_t i = 0; i < ports && t != g; i++) {
                const size_t position = port_at(topology, a, h, g, i);
                if (topology->neighbour[position] / a != t)
                    continue;
                assert_true(links < vef_dragonfly_links(dragonfly, g, t));
                const vef_global_port end = vef_dragonfly_link(dragonfly, g, t, links);
                assert_int_equal(end.router * topology->ports + end.port, position);
                links++;
            }
            if (t == g)
                continue;
            assert_int_equal(vef_dragonfly_links(dragonfly, g, t), links);
            assert_true(links == ports / (groups - 1) ||
                        links == (ports + groups - 2) / (groups - 1));
            assert_true(links >= 1);
        }
}

static void test_arrangements_of_fewer_groups(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{4, 2}, {3, 3}, {2, 4}, {5, 4}, {2, 3}, {6, 4}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (uint32_t arrangement = 0; arrangement < ARRANGEMENTS; arrangement++) {
            const uint32_t a = sizes[s][0], h = sizes[s][1];
            for (uint32_t groups = 2; groups <= a * h + 1; groups++) {
                if (a * h * groups % 2 == 1 || (arrangement == CIRCULANT && h % 2 == 1))
                    continue; /* refused: see below */
                vef_topology *topology = dragonfly_of(a, h, groups, arrangement);
                if (arrangement == CIRCULANT)
                    check_circulant(topology, a, h, groups);
                else
                    check_rounds(topology, a, h, groups, arrangement);
                check_between(topology, groups);
                vef_topology_destroy(topology);
            }
        }
}

/* ---- groups, names ---- */

static void test_groups(void **state) {
    (void)state;
    vef_topology *topology = topology_of("dragonfly", "{a: 6, h: 3, endpoints_per_router: 3}", 0);
    const vef_dragonfly *dragonfly = vef_dragonfly_of(topology);
    assert_int_equal(topology->routers, 114);
    assert_int_equal(topology->endpoints, 342);
    for (uint32_t r = 0; r < topology->routers; r++) {
        assert_int_equal(vef_dragonfly_group(dragonfly, r), r / 6);
        assert_int_equal(vef_dragonfly_place(dragonfly, r), r % 6);
        assert_int_equal(vef_dragonfly_router(dragonfly, r / 6, r % 6), r);
        for (uint32_t other = r / 6 * 6; other < r / 6 * 6 + 6; other++) {
            if (other == r)
                continue;
            const uint32_t port = vef_dragonfly_local_port(dragonfly, r % 6, other % 6);
            assert_true(port < 5 && !vef_dragonfly_is_global(dragonfly, port));
            assert_int_equal(topology->neighbour[r * 8 + port], other);
            assert_int_equal(vef_topology_link_class(topology, r, port), 0);
        }
        for (uint32_t port = 5; port < 8; port++) {
            assert_true(vef_dragonfly_is_global(dragonfly, port));
            assert_true(topology->neighbour[r * 8 + port] / 6 != r / 6);
            assert_int_equal(vef_topology_link_class(topology, r, port), 1);
        }
    }
    char name[VEF_ROUTER_NAME_BYTES];
    vef_topology_router_name(topology, 27, name, sizeof name);
    assert_string_equal(name, "group 4, router 3");
    vef_topology_port_name(topology, 4, name, sizeof name);
    assert_string_equal(name, "local +5");
    vef_topology_port_name(topology, 6, name, sizeof name);
    assert_string_equal(name, "global 1");
    vef_topology_link_class_name(topology, 1, name, sizeof name);
    assert_string_equal(name, "global");
    vef_topology_destroy(topology);
    topology = topology_of("complete", "{routers: 4}", 1);
    assert_null(vef_dragonfly_of(topology));
    vef_topology_destroy(topology);
}

/* ---- distances ---- */

/* Hops of the path of at most one local, one global and one local hop, by the functions for
 * routings. */
static uint32_t hierarchical(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_dragonfly *dragonfly = vef_dragonfly_of(topology);
    const uint32_t g = vef_dragonfly_group(dragonfly, from);
    const uint32_t t = vef_dragonfly_group(dragonfly, to);
    uint32_t least = 3;
    if (g == t)
        return from != to;
    for (uint32_t j = 0; j < vef_dragonfly_links(dragonfly, g, t); j++) {
        const vef_global_port end = vef_dragonfly_link(dragonfly, g, t, j);
        const uint32_t enters =
            topology->neighbour[(size_t)end.router * topology->ports + end.port];
        const uint32_t hops = 1u + (from != end.router) + (enters != to);
        least = hops < least ? hops : least;
    }
    return least;
}

/* Means over the other routers: of hierarchical paths, and of shortest ones by search. */
static void measure(const vef_topology *topology, double *by_levels, double *shortest) {
    const uint32_t n = topology->routers;
    uint64_t sum = 0;
    uint32_t diameter;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            sum += hierarchical(topology, a, b);
    *by_levels = (double)sum / n / (n - 1);
    *shortest = average_distance(topology, &diameter) * n / (n - 1);
    assert_true(diameter <= 3);
}

/* A router has a - 1 + h others at one hop, 2h (a - 1) at two and h (a - 1)^2 at three, by levels.
 *
 * Palmtree and relative: from router x of a group, global hops lead to routers a - 1 - x of other
 * groups, and two of them to routers x of the h - 1 groups before and behind it. Hierarchical paths
 * to these have three hops unless x is 0 or a - 1, whose global links are those to and from them.
 * So a - 2 routers of a group have 2 (h - 1) others each at two hops instead of three. */
static void test_mean_distances(void **state) {
    (void)state;
    for (uint32_t h = 1; h <= 4; h++) {
        const double a = 2 * h, groups = a * h + 1;
        const double hops = (a - 1 + h) + 4 * h * (a - 1) + 3 * h * (a - 1) * (a - 1);
        const double saved = 2 * (h - 1) * (a - 2) / a;
        for (uint32_t arrangement = 0; arrangement < ARRANGEMENTS; arrangement++) {
            double by_levels, shortest;
            if (arrangement == CIRCULANT && h % 2 == 1)
                continue;
            vef_topology *topology = dragonfly_of(2 * h, h, 0, arrangement);
            measure(topology, &by_levels, &shortest);
            assert_near(by_levels, hops / (a * groups - 1), 1e-12);
            if (arrangement == PALMTREE || arrangement == RELATIVE)
                assert_near(shortest, (hops - saved) / (a * groups - 1), 1e-12);
            else
                assert_true(shortest <= by_levels);
            if (h == 2 && arrangement == PALMTREE) {
                assert_near(by_levels, 2.3714, 0.00005);
                assert_near(shortest, 2.3429, 0.00005);
            }
            vef_topology_destroy(topology);
        }
    }
}

/* ---- what is refused ---- */

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
    } rows[] = {
        {"h: 2", "a"},
        {"a: 4", "h"},
        {"a: 1, h: 2", "from 2 to 1024"},
        {"a: 4, h: 0", "from 1 to 1024"},
        {"a: 4, h: 2, groups: 1", "from 2"},
        {"a: 4, h: 2, groups: 10",
         "groups: 10 groups of 8 global ports (a x h): out of range: expected 2 to 9"},
        {"a: 3, h: 3, groups: 7",
         "odd number of ports, so one of them has no other end: expected "
         "an even number of groups such as 6 or 8"},
        {"a: 3, h: 3, groups: 9, arrangement: absolute", "such as 8 or 10"},
        {"a: 3, h: 1, groups: 3, arrangement: relative", "such as 2 or 4"},
        {"a: 4, h: 3, arrangement: circulant", "expected an even number such as 2 or 4"},
        {"a: 4, h: 1, arrangement: circulant", "expected an even number such as 2 or 4,"},
        {"a: 4, h: 2, arrangement: random", "palmtree"},
        {"a: 1000, h: 100, groups: 300", "a router with 1099 links"},
        {"a: 512, h: 256",
         "groups: 131073 groups of 512 routers: out of range: expected at most 32768"},
        {"a: 1024, h: 1024", "1048577 groups of 1024 routers: out of range"},
        {"a: 4, h: 2, endpoints_per_router: 0", "from 1 to 4096"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: dragonfly, %s}", rows[i].parameters);
        assert_topology_refused(yaml, 1, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrangements_of_all_groups),
        cmocka_unit_test(test_arrangements_of_fewer_groups),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_mean_distances),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
