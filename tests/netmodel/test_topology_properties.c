/* What must hold of every family of the topology table, on each of its samples: ports and classes
 * agree from both ends of a link, the network is connected, what it says to be alike is alike, and
 * what the analysis makes of that equals what trying every pair of routers gives. A new family is
 * tested by having a row and samples. */
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/loads/link_load.h"
#include "tests/netmodel/drawn.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUTERS_FOR_LOADS = 144 }; /* every pair, arc by arc */

typedef struct sample {
    char name[256];
    const vef_topology *topology;
    vef_graph *graph;
    uint32_t routers;
    uint32_t *endpoints; /* on each router */
    uint32_t *hops;      /* [from * routers + to] */
} sample;

static uint32_t hops_of(const sample *net, uint32_t from, uint32_t to) {
    return net->hops[(size_t)from * net->routers + to];
}

static uint32_t neighbour(const sample *net, uint32_t router, uint32_t port) {
    return net->topology->neighbour[(size_t)router * net->topology->ports + port];
}

/* Runs `check` on every sample; it returns false for one that it leaves out, which it must not do
 * with all of a family. */
static void for_every_sample(bool (*check)(const sample *net)) {
    for (size_t f = 0; vef_topology_families[f]; f++) {
        const vef_topology_family *family = vef_topology_families[f];
        assert_non_null(family->samples);
        assert_non_null(family->samples[0]);
        bool checked = false;
        for (size_t s = 0; family->samples[s]; s++) {
            vef_topology *topology = topology_of(family->name, family->samples[s], 2);
            sample net = {
                .topology = topology, .graph = graph_of(topology), .routers = topology->routers};
            snprintf(net.name, sizeof net.name, "%s %s", family->name, family->samples[s]);
            net.endpoints = calloc(net.routers, sizeof *net.endpoints);
            net.hops = calloc((size_t)net.routers * net.routers, sizeof *net.hops);
            for (uint32_t e = 0; e < topology->endpoints; e++)
                net.endpoints[vef_topology_router_of(topology, e)]++;
            for (uint32_t r = 0; r < net.routers; r++)
                distances_from(topology, r, net.hops + (size_t)r * net.routers);
            checked = check(&net) || checked;
            free(net.endpoints);
            free(net.hops);
            vef_graph_destroy(net.graph);
            vef_topology_destroy(topology);
        }
        if (!checked)
            fail_msg("%s: no sample is small enough", family->name);
    }
}

/* ---- ports ---- */

static void check_link(const sample *net, uint32_t router, uint32_t port) {
    const vef_topology *topology = net->topology;
    const uint32_t other = neighbour(net, router, port);
    const uint32_t back = topology->reverse_port[(size_t)router * topology->ports + port];
    if (other >= net->routers || back >= topology->ports)
        fail_msg("%s: router %u port %u leads to router %u port %u", net->name, router, port, other,
                 back);
    if (other == router)
        fail_msg("%s: router %u port %u leads to itself", net->name, router, port);
    if (neighbour(net, other, back) != router ||
        topology->reverse_port[(size_t)other * topology->ports + back] != port)
        fail_msg("%s: router %u port %u: no link comes back", net->name, router, port);
    const uint32_t link_class = vef_topology_link_class(topology, router, port);
    if (link_class >= topology->link_classes ||
        link_class != vef_topology_link_class(topology, other, back))
        fail_msg("%s: router %u port %u: class %u of %u here and %u there", net->name, router, port,
                 link_class, topology->link_classes,
                 vef_topology_link_class(topology, other, back));
    if (topology->orbits > 0 && vef_topology_port_kind(topology, router, port) >= topology->ports)
        fail_msg("%s: router %u port %u: kind %u", net->name, router, port,
                 vef_topology_port_kind(topology, router, port));
}

static bool check_ports(const sample *net) {
    const vef_topology *topology = net->topology;
    assert_true(topology->link_classes >= 1 && topology->link_classes <= VEF_MAX_LINK_CLASSES);
    uint32_t most = 0, arcs = 0;
    for (uint32_t router = 0; router < net->routers; router++) {
        uint32_t degree = 0;
        for (uint32_t port = 0; port < topology->ports; port++)
            if (neighbour(net, router, port) != VEF_NO_ROUTER) {
                check_link(net, router, port);
                degree++;
            }
        if (degree == 0 && net->routers > 1)
            fail_msg("%s: router %u has no links", net->name, router);
        most = degree > most ? degree : most;
        arcs += degree;
        assert_int_equal(net->graph->first[router + 1] - net->graph->first[router], degree);
        for (uint32_t arc = net->graph->first[router]; arc < net->graph->first[router + 1]; arc++)
            assert_int_equal(neighbour(net, router, net->graph->port[arc]), net->graph->head[arc]);
    }
    assert_true(most <= topology->ports);
    assert_int_equal(net->graph->arcs, arcs);
    return true;
}

static void test_ports_and_link_classes(void **state) {
    (void)state;
    for_every_sample(check_ports);
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

static bool check_names(const sample *net) {
    const vef_topology *topology = net->topology;
    char(*names)[VEF_ROUTER_NAME_BYTES] = calloc(net->routers, sizeof *names);
    for (uint32_t r = 0; r < net->routers; r++) {
        vef_topology_router_name(topology, r, names[r], sizeof names[r]);
        assert_true(names[r][0] != 0);
    }
    qsort(names, net->routers, sizeof *names, compare_names);
    for (uint32_t r = 1; r < net->routers; r++)
        if (strcmp(names[r - 1], names[r]) == 0)
            fail_msg("%s: two routers are called %s", net->name, names[r]);
    free(names);
    char ports[2][VEF_PORT_NAME_BYTES], classes[2][VEF_CLASS_NAME_BYTES];
    for (uint32_t p = 0; p < topology->ports; p++) {
        vef_topology_port_name(topology, p, ports[p % 2], sizeof ports[0]);
        if (p > 0 && strcmp(ports[0], ports[1]) == 0)
            fail_msg("%s: two ports are called %s", net->name, ports[0]);
    }
    for (uint32_t c = 0; c < topology->link_classes; c++) {
        vef_topology_link_class_name(topology, c, classes[c % 2], sizeof classes[0]);
        if (c > 0 && strcmp(classes[0], classes[1]) == 0)
            fail_msg("%s: two classes are called %s", net->name, classes[0]);
    }
    return true;
}

static void test_names_tell_apart(void **state) {
    (void)state;
    for_every_sample(check_names);
}

/* ---- endpoints ---- */

static bool check_endpoints(const sample *net) {
    uint32_t sum = 0, most = 0;
    for (uint32_t r = 0; r < net->routers; r++) {
        assert_int_equal(net->graph->endpoints[r], net->endpoints[r]);
        sum += net->endpoints[r];
        most = net->endpoints[r] > most ? net->endpoints[r] : most;
    }
    assert_int_equal(sum, net->topology->endpoints);
    assert_int_equal(most, net->topology->endpoints_per_router);
    assert_true(sum > 0);
    return true;
}

static void test_endpoints(void **state) {
    (void)state;
    for_every_sample(check_endpoints);
}

/* ---- what is alike ---- */

/* What every router of an orbit must have in common: endpoints, how many routers and endpoints
 * there are at each distance, and how many links of each kind. (Not of each class: exchanging the
 * dimensions of a square mesh is a symmetry, and classes are by dimension.) */
typedef struct profile {
    uint32_t endpoints;
    uint32_t *routers_at, *endpoints_at; /* [routers] */
    uint32_t *links;                     /* [ports], by kind */
} profile;

static void take_profile(const sample *net, uint32_t router, profile *taken) {
    const vef_topology *topology = net->topology;
    taken->endpoints = net->endpoints[router];
    taken->routers_at = calloc(net->routers, sizeof *taken->routers_at);
    taken->endpoints_at = calloc(net->routers, sizeof *taken->endpoints_at);
    taken->links = calloc(topology->ports, sizeof *taken->links);
    for (uint32_t r = 0; r < net->routers; r++) {
        taken->routers_at[hops_of(net, router, r)]++;
        taken->endpoints_at[hops_of(net, router, r)] += net->endpoints[r];
    }
    for (uint32_t port = 0; port < topology->ports; port++)
        if (neighbour(net, router, port) != VEF_NO_ROUTER)
            taken->links[vef_topology_port_kind(topology, router, port)]++;
}

static bool is_alike(const sample *net, const profile *a, const profile *b) {
    return a->endpoints == b->endpoints &&
           memcmp(a->routers_at, b->routers_at, net->routers * sizeof *a->routers_at) == 0 &&
           memcmp(a->endpoints_at, b->endpoints_at, net->routers * sizeof *a->endpoints_at) == 0 &&
           memcmp(a->links, b->links, net->topology->ports * sizeof *a->links) == 0;
}

static void drop_profile(profile *taken) {
    free(taken->routers_at);
    free(taken->endpoints_at);
    free(taken->links);
}

static bool check_orbits(const sample *net) {
    const uint32_t orbits = net->topology->orbits;
    if (orbits == 0)
        return true;
    assert_true(orbits <= net->routers);
    profile *first = calloc(orbits, sizeof *first);
    for (uint32_t r = 0; r < net->routers; r++) {
        const uint32_t orbit = vef_topology_orbit(net->topology, r);
        if (orbit >= orbits)
            fail_msg("%s: router %u is of orbit %u of %u", net->name, r, orbit, orbits);
        if (!first[orbit].links) {
            take_profile(net, r, &first[orbit]);
            continue;
        }
        profile own;
        take_profile(net, r, &own);
        if (!is_alike(net, &first[orbit], &own))
            fail_msg("%s: router %u is not like the first of its orbit", net->name, r);
        drop_profile(&own);
    }
    for (uint32_t o = 0; o < orbits; o++) {
        if (!first[o].links)
            fail_msg("%s: no router is of orbit %u", net->name, o);
        drop_profile(&first[o]);
    }
    free(first);
    return true;
}

static void test_routers_of_an_orbit_are_alike(void **state) {
    (void)state;
    for_every_sample(check_orbits);
}

/* ---- translations and reflections ---- */

/* Whether a symmetry that preserves ports takes `from` to `to`: following equal ports from both
 * determines all of it. `image` and `queue` have room for all routers. */
static bool translates(const sample *net, uint32_t from, uint32_t to, uint32_t *image,
                       uint32_t *queue) {
    const vef_topology *topology = net->topology;
    memset(image, 0xff, net->routers * sizeof *image);
    image[from] = to;
    queue[0] = from;
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t r = queue[i];
        if (net->endpoints[r] != net->endpoints[image[r]])
            return false;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = neighbour(net, r, port), there = neighbour(net, image[r], port);
            if ((next == VEF_NO_ROUTER) != (there == VEF_NO_ROUTER))
                return false;
            if (next == VEF_NO_ROUTER)
                continue;
            if (topology->reverse_port[(size_t)r * topology->ports + port] !=
                topology->reverse_port[(size_t)image[r] * topology->ports + port])
                return false;
            if (image[next] == UINT32_MAX) {
                image[next] = there;
                queue[count++] = next;
            }
            if (image[next] != there)
                return false;
        }
    }
    return count == net->routers; /* onto: the image is closed under links; so one-to-one */
}

static bool check_translations(const sample *net) {
    const uint32_t classes = net->topology->translation_classes;
    if (classes == 0)
        return true;
    uint32_t *first = calloc(classes, sizeof *first), *size = calloc(classes, sizeof *size);
    uint32_t *image = calloc(net->routers, sizeof *image);
    uint32_t *queue = calloc(net->routers, sizeof *queue);
    for (uint32_t r = 0; r < net->routers; r++) {
        const uint32_t class = vef_topology_translation_class(net->topology, r);
        if (class >= classes)
            fail_msg("%s: router %u is of class %u of %u", net->name, r, class, classes);
        if (size[class]++ == 0)
            first[class] = r;
        if (!translates(net, first[class], r, image, queue))
            fail_msg("%s: no translation takes router %u to %u", net->name, first[class], r);
    }
    for (uint32_t c = 0; c < classes; c++)
        assert_int_equal(size[c], net->routers / classes);
    free(first);
    free(size);
    free(image);
    free(queue);
    return true;
}

static void test_translations_preserve_ports(void **state) {
    (void)state;
    for_every_sample(check_translations);
}

/* The image of a link is a link, and ends where it should. */
static void check_image(const sample *net, uint32_t which, uint32_t router, uint32_t port) {
    const vef_topology *topology = net->topology;
    const vef_topology_family *family = topology->family;
    const uint32_t next = neighbour(net, router, port);
    const uint32_t here = family->reflect(topology, which, router);
    const uint32_t out = family->reflect_port(topology, which, port);
    const uint32_t there = neighbour(net, here, out);
    assert_int_equal(family->reflect_port(topology, which, out), port);
    if (next == VEF_NO_ROUTER) {
        assert_int_equal(there, VEF_NO_ROUTER);
        return;
    }
    if (there != family->reflect(topology, which, next) ||
        topology->reverse_port[(size_t)here * topology->ports + out] !=
            family->reflect_port(topology, which,
                                 topology->reverse_port[(size_t)router * topology->ports + port]))
        fail_msg("%s: reflection %u: router %u port %u", net->name, which, router, port);
}

static bool check_reflections(const sample *net) {
    const vef_topology *topology = net->topology;
    const vef_topology_family *family = topology->family;
    const uint32_t classes = topology->translation_classes;
    uint32_t *class_image = calloc(classes + 1u, sizeof *class_image);
    for (uint32_t which = 0; which < topology->reflections; which++) {
        memset(class_image, 0xff, classes * sizeof *class_image);
        for (uint32_t r = 0; r < net->routers; r++) {
            const uint32_t image = family->reflect(topology, which, r);
            assert_true(image < net->routers);
            assert_int_equal(family->reflect(topology, which, image), r);
            assert_int_equal(net->endpoints[r], net->endpoints[image]);
            for (uint32_t other = 0; other < which; other++)
                assert_int_equal(
                    family->reflect(topology, other, image),
                    family->reflect(topology, which, family->reflect(topology, other, r)));
            for (uint32_t port = 0; port < topology->ports; port++)
                check_image(net, which, r, port);
            if (classes == 0)
                continue;
            uint32_t *to = &class_image[vef_topology_translation_class(topology, r)];
            const uint32_t class = vef_topology_translation_class(topology, image);
            *to = *to == UINT32_MAX ? class : *to;
            assert_int_equal(*to, class);
        }
    }
    free(class_image);
    return true;
}

static void test_reflections_are_symmetries(void **state) {
    (void)state;
    for_every_sample(check_reflections);
}

/* ---- distances ---- */

static bool check_distances(const sample *net) {
    const vef_topology *topology = net->topology;
    uint64_t sum = 0, squares = 0, pairs = 0, same = 0;
    uint32_t diameter = 0;
    for (uint32_t a = 0; a < net->routers; a++)
        for (uint32_t b = 0; b < net->routers; b++) {
            const uint64_t weight = (uint64_t)net->endpoints[a] * net->endpoints[b];
            const uint64_t hops = hops_of(net, a, b);
            if (hops == UINT32_MAX)
                fail_msg("%s: router %u does not reach %u", net->name, a, b);
            if (topology->distance && topology->distance(topology, a, b) != hops)
                fail_msg("%s: from %u to %u are %u hops, by formula %u", net->name, a, b,
                         (unsigned)hops, topology->distance(topology, a, b));
            sum += weight * hops;
            squares += weight * hops * hops;
            pairs += weight;
            same += a == b ? weight : 0;
            if (weight && hops > diameter)
                diameter = (uint32_t)hops;
        }
    vef_distances distances;
    vef_error error = {0};
    if (vef_distances_measure(net->graph, &distances, &error))
        fail_msg("%s: %s", net->name, error.message);
    const double mean = (double)sum / (double)pairs;
    if (distances.diameter != diameter || fabs(distances.average - mean) > 1e-12)
        fail_msg("%s: diameter %u and average %.15g, by all pairs %u and %.15g", net->name,
                 distances.diameter, distances.average, diameter, mean);
    if (pairs > same)
        assert_near(distances.average_without, (double)sum / (double)(pairs - same), 1e-12);
    else
        assert_true(isnan(distances.average_without));
    assert_near(distances.deviation * distances.deviation,
                (double)squares / (double)pairs - mean * mean, 1e-9);
    double at_distance = 0, ends = 0;
    for (uint32_t d = 0; d <= diameter; d++) {
        at_distance += d * distances.distribution[d];
        ends += distances.distribution[d];
    }
    assert_near(at_distance / ends, mean, 1e-12);
    vef_distances_release(&distances);
    return true;
}

static void test_distances_are_those_of_all_pairs(void **state) {
    (void)state;
    for_every_sample(check_distances);
}

/* ---- loads ---- */

/* paths[a * routers + b]: minimal paths from a to b, by adding up over b's neighbours that are one
 * hop nearer to a. */
static double *count_paths(const sample *net) {
    double *paths = calloc((size_t)net->routers * net->routers, sizeof *paths);
    for (uint32_t a = 0; a < net->routers; a++)
        for (uint32_t d = 0; d < net->routers; d++)
            for (uint32_t b = 0; b < net->routers; b++) {
                if (hops_of(net, a, b) != d)
                    continue;
                double *count = &paths[(size_t)a * net->routers + b];
                *count = d == 0;
                for (uint32_t port = 0; port < net->topology->ports; port++) {
                    const uint32_t near = neighbour(net, b, port);
                    if (near != VEF_NO_ROUTER && hops_of(net, a, near) + 1 == d)
                        *count += paths[(size_t)a * net->routers + near];
                }
            }
    return paths;
}

/* The load over a link from `tail` to `head`: for every pair the part of its minimal paths that
 * take it. */
static double load_by_pairs(const sample *net, const double *paths, uint32_t tail, uint32_t head) {
    const size_t n = net->routers;
    double load = 0;
    for (uint32_t a = 0; a < n; a++) {
        if (net->endpoints[a] == 0 || hops_of(net, a, tail) + 1 != hops_of(net, a, head))
            continue;
        double part = 0;
        for (uint32_t b = 0; b < n; b++)
            if (hops_of(net, a, head) + hops_of(net, head, b) == hops_of(net, a, b))
                part += net->endpoints[b] * paths[head * n + b] / paths[a * n + b];
        load += part * net->endpoints[a] * paths[a * n + tail];
    }
    return load / net->topology->endpoints;
}

static bool check_loads(const sample *net) {
    const vef_graph *graph = net->graph;
    if (net->routers > MOST_ROUTERS_FOR_LOADS)
        return false;
    if (graph->arcs == 0)
        return true; /* nothing has a load */
    double *paths = count_paths(net), total = 0;
    vef_link_load load;
    vef_error error = {0};
    if (vef_link_load_measure(graph, &vef_sharing_paths, 0, &load, &error))
        fail_msg("%s: %s", net->name, error.message);
    for (uint32_t r = 0; r < net->routers; r++)
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++) {
            const double expected = load_by_pairs(net, paths, r, graph->head[arc]);
            total += expected;
            if (fabs(load.load[arc] - expected) > 1e-9)
                fail_msg("%s: load %.12g over router %u port %u, by all pairs %.12g", net->name,
                         load.load[arc], r, graph->port[arc], expected);
        }
    double average = 0;
    uint64_t links = 0;
    for (uint32_t c = 0; c < load.classes; c++) {
        average += load.average_distance[c];
        links += load.links[c];
    }
    assert_near(average, total / net->topology->endpoints, 1e-9);
    assert_int_equal(links * 2, graph->arcs);
    assert_near(load.throughput_bound, load.utilization * load.capacity_bound, 1e-9);
    vef_link_load_release(&load);
    free(paths);
    return true;
}

static void test_loads_are_those_of_all_pairs(void **state) {
    (void)state;
    for_every_sample(check_loads);
}

/* However traffic is shared, its hops are those of minimal paths, and no bound is beyond that of
 * all links together. */
static bool check_sharings(const sample *net) {
    if (net->graph->arcs == 0)
        return true;
    vef_distances distances;
    vef_error error = {0};
    assert_int_equal(vef_distances_measure(net->graph, &distances, &error), VEF_OK);
    double best = 0;
    vef_link_load load;
    for (size_t i = 0; vef_sharings[i]; i++) {
        if (!vef_sharings[i]->applies(net->topology))
            continue;
        if (vef_link_load_measure(net->graph, vef_sharings[i], 0, &load, &error))
            fail_msg("%s: %s", net->name, error.message);
        double hops = 0;
        for (uint32_t arc = 0; arc < net->graph->arcs; arc++)
            hops += load.load[arc] / net->topology->endpoints;
        if (fabs(hops - distances.average) > 1e-9)
            fail_msg("%s: %.12g hops by %s, %.12g by distances", net->name, hops,
                     vef_sharings[i]->name, distances.average);
        assert_near(load.capacity_bound,
                    net->graph->arcs / distances.average / net->topology->endpoints, 1e-9);
        assert_true(load.throughput_bound <= load.capacity_bound * (1 + 1e-9));
        best = fmax(best, load.throughput_bound);
        vef_link_load_release(&load);
    }
    if (vef_link_load_measure(net->graph, NULL, 0, &load, &error))
        fail_msg("%s: %s", net->name, error.message);
    assert_near(load.throughput_bound, best, 1e-8 * best);
    vef_link_load_release(&load);
    vef_distances_release(&distances);
    return true;
}

static void test_sharings(void **state) {
    (void)state;
    for_every_sample(check_sharings);
}

/* ---- halves ---- */

/* Halves are equal, or differ by one s-th of the routers for an odd size s: that of the axis. Where
 * the family has axes of its own, by no more than that of some dimension, or one router; copies of
 * a network, each by one. */
static bool is_explained(const vef_topology *topology, uint32_t axis, uint32_t difference) {
    if (!topology->family->far_side) {
        const uint32_t size = topology->sizes[axis];
        return difference == (size % 2 ? topology->routers / size : 0);
    }
    const vef_topology *part = topology->part;
    uint32_t most =
        part ? topology->routers / part->routers * (part->routers % 2) : topology->routers % 2;
    for (uint32_t d = 0; d < topology->dimensions; d++)
        if (topology->sizes[d] % 2 == 1 && topology->routers / topology->sizes[d] > most)
            most = topology->routers / topology->sizes[d];
    return difference <= most;
}

static bool check_halves(const sample *net) {
    const vef_topology *topology = net->topology;
    for (uint32_t axis = 0; axis < topology->axes; axis++) {
        uint32_t far = 0, links = 0;
        for (uint32_t r = 0; r < net->routers; r++) {
            const bool side = vef_topology_far_side(topology, axis, r);
            far += side;
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = neighbour(net, r, port);
                links +=
                    next != VEF_NO_ROUTER && side != vef_topology_far_side(topology, axis, next);
            }
        }
        const uint32_t near = net->routers - far;
        const uint32_t difference = near > far ? near - far : far - near;
        if (far == 0 || near == 0 || links == 0 || !is_explained(topology, axis, difference))
            fail_msg("%s: axis %u: %u routers and %u, %u links between them", net->name, axis, near,
                     far, links / 2);
    }
    return true;
}

static void test_halves(void **state) {
    (void)state;
    for_every_sample(check_halves);
}

/* Larger examples are defined, and of a size that proofs of all their routings can bear. */
static void test_larger_examples(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++) {
        const vef_topology_family *family = vef_topology_families[f];
        if (!family->larger)
            continue;
        vef_topology *first = topology_of(family->name, family->samples[0], 1);
        vef_topology *larger = topology_of(family->name, family->larger, 1);
        if (larger->routers <= first->routers || larger->routers < 100 || larger->routers > 4096)
            fail_msg("%s %s: %u routers", family->name, family->larger, larger->routers);
        vef_topology_destroy(first);
        vef_topology_destroy(larger);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports_and_link_classes),
        cmocka_unit_test(test_names_tell_apart),
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_routers_of_an_orbit_are_alike),
        cmocka_unit_test(test_translations_preserve_ports),
        cmocka_unit_test(test_reflections_are_symmetries),
        cmocka_unit_test(test_distances_are_those_of_all_pairs),
        cmocka_unit_test(test_loads_are_those_of_all_pairs),
        cmocka_unit_test(test_sharings),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_larger_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
