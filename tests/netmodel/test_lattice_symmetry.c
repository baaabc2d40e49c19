/* What lattice networks claim to be alike, against full searches: how far all routers are from the
 * two ends of a link, and the load of each link when all minimal paths carry the same. */
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything by search: distance[a * routers + b], paths likewise, load[source][arc]. */
typedef struct searched {
    const vef_topology *topology;
    size_t routers, arcs;
    uint32_t *distance;
    double *paths;
    double *load; /* [source * arcs + arc] of traffic from one source to all routers */
} searched;

static uint32_t next_of(const searched *s, size_t arc) {
    return s->topology->neighbour[arc];
}

static searched search_all(const vef_topology *topology) {
    searched s = {.topology = topology,
                  .routers = topology->routers,
                  .arcs = (size_t)topology->routers * topology->ports};
    s.distance = malloc(s.routers * s.routers * sizeof *s.distance);
    s.paths = calloc(s.routers * s.routers, sizeof *s.paths);
    s.load = calloc(s.routers * s.arcs, sizeof *s.load);
    uint32_t diameter;
    average_distance(topology, &diameter);
    for (uint32_t a = 0; a < s.routers; a++)
        distances_from(topology, a, s.distance + a * s.routers);
    for (uint32_t a = 0; a < s.routers; a++) {
        double *paths = s.paths + a * s.routers;
        paths[a] = 1;
        for (uint32_t d = 1; d <= diameter; d++)
            for (size_t arc = 0; arc < s.arcs; arc++) {
                const size_t tail = arc / topology->ports;
                const uint32_t head = next_of(&s, arc);
                if (head != VEF_NO_ROUTER && s.distance[a * s.routers + head] == d &&
                    s.distance[a * s.routers + tail] == d - 1)
                    paths[head] += paths[tail];
            }
    }
    /* an arc u -> v carries, of the pair (a, b), the share paths(a, u) paths(v, b) / paths(a, b) */
    for (size_t a = 0; a < s.routers; a++)
        for (size_t arc = 0; arc < s.arcs; arc++) {
            const size_t u = arc / topology->ports, v = next_of(&s, arc);
            if (v == VEF_NO_ROUTER)
                continue;
            for (size_t b = 0; b < s.routers; b++)
                if (s.distance[a * s.routers + u] + 1 + s.distance[v * s.routers + b] ==
                    s.distance[a * s.routers + b])
                    s.load[a * s.arcs + arc] += s.paths[a * s.routers + u] *
                                                s.paths[v * s.routers + b] /
                                                s.paths[a * s.routers + b];
        }
    return s;
}

static void release(searched *s) {
    free(s->distance);
    free(s->paths);
    free(s->load);
}

enum { FAR = 40 };
/* How many routers are at each pair of distances from the two ends of an arc, as one number: a
 * weighted sum that differs where the counts do (but for accidents of 64 bits). */
static uint64_t view_from(const searched *s, size_t arc) {
    uint32_t count[FAR][FAR] = {{0}};
    const size_t u = arc / s->topology->ports, v = next_of(s, arc);
    for (size_t w = 0; w < s->routers; w++)
        count[s->distance[u * s->routers + w]][s->distance[v * s->routers + w]]++;
    uint64_t number = 0;
    for (uint32_t i = 0; i < FAR * FAR; i++)
        number = number * 6364136223846793005u + count[i / FAR][i % FAR] + 1442695040888963407u;
    return number;
}

static size_t class_of(const searched *s, size_t arc) {
    const vef_topology *topology = s->topology;
    const uint32_t router = (uint32_t)(arc / topology->ports);
    const uint32_t orbit = vef_topology_orbit(topology, router);
    const uint32_t kind =
        vef_topology_port_kind(topology, router, (uint32_t)(arc % topology->ports));
    assert_true(orbit < topology->orbits);
    assert_true(kind < topology->ports);
    return (size_t)orbit * topology->ports + kind;
}

/* Links of one class look alike and have equal load; and traffic from one router of each orbit,
 * times the routers that it represents, loads a class as traffic from all routers does. */
static void check_claims(const vef_topology *topology) {
    searched s = search_all(topology);
    const size_t classes = (size_t)topology->orbits * topology->ports;
    uint64_t *view = calloc(classes, sizeof *view);
    double *load = calloc(classes, sizeof *load), *total = calloc(classes, sizeof *total);
    double *by_orbits = calloc(classes, sizeof *by_orbits);
    uint32_t *links = calloc(classes, sizeof *links);
    uint32_t *stands_for = calloc(topology->orbits, sizeof *stands_for);
    uint32_t *first = calloc(topology->orbits, sizeof *first);
    for (uint32_t r = topology->routers; r-- > 0;) {
        stands_for[vef_topology_orbit(topology, r)]++;
        first[vef_topology_orbit(topology, r)] = r;
    }
    for (size_t arc = 0; arc < s.arcs; arc++) {
        if (next_of(&s, arc) == VEF_NO_ROUTER)
            continue;
        const size_t class = class_of(&s, arc);
        double carried = 0;
        for (size_t a = 0; a < s.routers; a++)
            carried += s.load[a * s.arcs + arc];
        if (links[class]++ == 0) {
            view[class] = view_from(&s, arc);
            load[class] = carried;
        }
        assert_true(view_from(&s, arc) == view[class]);
        assert_near(carried, load[class], 1e-9 * carried);
        total[class] += carried;
        for (uint32_t o = 0; o < topology->orbits; o++)
            by_orbits[class] += stands_for[o] * s.load[first[o] * s.arcs + arc];
    }
    for (uint32_t o = 0; o < topology->orbits; o++)
        assert_true(stands_for[o] > 0);
    for (size_t class = 0; class < classes; class ++)
        assert_near(by_orbits[class], total[class], 1e-9 * total[class]);
    free(view);
    free(load);
    free(total);
    free(by_orbits);
    free(links);
    free(stands_for);
    free(first);
    release(&s);
}

static void test_claims_of_every_sample(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            if (!vef_topology_families[f]->lattice)
                continue;
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            assert_true(topology->orbits > 0);
            check_claims(topology);
            vef_topology_destroy(topology);
        }
}

/* Orbits by Burnside's lemma (routers that each symmetry leaves in place, over the symmetries). */
static void test_numbers_of_orbits(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t orbits;
    } rows[] = {
        {"mesh", "{sizes: [8]}", 4},
        {"mesh", "{sizes: [7]}", 4},
        {"mesh", "{sizes: [8, 8]}", 10},   /* 8 * 9 / 2 of the quarter's 16, by the diagonal */
        {"mesh", "{sizes: [5, 5]}", 6},    /* (25 + 5 + 5 + 1 + 2 * 1 + 2 * 5) / 8 */
        {"mesh", "{sizes: [6, 4]}", 6},    /* 24 / 4 */
        {"mesh", "{sizes: [4, 4, 4]}", 4}, /* depths 0 or 1, three of them, in any order */
        {"mesh", "{sizes: [4, 6, 4]}", 9}, /* 3 * 3 */
        {"mesh", "{sizes: [256, 256]}", 128 * 129 / 2},
        {"king-mesh", "{sizes: [5, 5]}", 6},
        {"king-mesh", "{sizes: [6, 4]}", 6},
        {"diagonal-mesh", "{sizes: [4, 4]}", 6}, /* (16 + 0 + 4 + 4) / 4 */
        {"diagonal-mesh", "{sizes: [4, 4], diagonal: north-west}", 6},
        {"diagonal-mesh", "{sizes: [5, 5]}", 9}, /* (25 + 1 + 5 + 5) / 4 */
        {"diagonal-mesh", "{sizes: [6, 3]}", 9}, /* 18 / 2 */
        {"lattice", "{sizes: [4, 5], wrap: [1, 0]}", 3},
        {"lattice", "{sizes: [4, 5], wrap: [1, 0], generators: [[1, 0], [0, 1], [1, 1]]}", 5},
        {"hypercube", "{dimensions: 10}", 1},
        {"torus", "{sizes: [4, 6, 3]}", 1},
        {"king-torus", "{sizes: [4, 6]}", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        if (topology->orbits != rows[i].orbits)
            fail_msg("%s %s: %u orbits", rows[i].family, rows[i].parameters, topology->orbits);
        vef_topology_destroy(topology);
    }
}

/* Which directions are alike. Camara et al., sections 3.3 and 3.4: RTT and PDTT are edge-symmetric,
 * RT, PT and PTT are not; a diagonal torus of equal sides is an Eisenstein-Jacobi graph, whose six
 * directions are alike (Stafford et al., section 2). */
static void test_which_directions_are_alike(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t kinds;
    } rows[] = {
        {"rt", "{a: 5}", 2},
        {"rtt", "{a: 5}", 1},
        {"rtt", "{a: 6}", 1},
        {"pt", "{a: 3}", 2},
        {"ptt", "{a: 4}", 2},
        {"pdtt", "{a: 4}", 1},
        {"pdtt", "{a: 3}", 1},
        {"torus", "{sizes: [5, 5]}", 1},
        {"torus", "{sizes: [3, 4, 5]}", 3},
        {"torus", "{sizes: [3, 4, 3, 4, 3]}", 2},
        {"diagonal-torus", "{sizes: [5, 5]}", 1},
        {"diagonal-torus", "{sizes: [4, 4], diagonal: north-west}", 1},
        {"king-torus", "{sizes: [5, 5]}", 2},
        {"king-torus", "{sizes: [7, 5]}", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        uint32_t kinds = 0;
        bool seen[2 * VEF_MAX_GENERATORS] = {false};
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t kind = vef_topology_port_kind(topology, 0, port);
            kinds += !seen[kind];
            seen[kind] = true;
        }
        if (kinds != rows[i].kinds)
            fail_msg("%s %s: %u kinds", rows[i].family, rows[i].parameters, kinds);
        check_claims(topology);
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_of_every_sample),
        cmocka_unit_test(test_numbers_of_orbits),
        cmocka_unit_test(test_which_directions_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
