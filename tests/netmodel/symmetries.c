/* Symmetries that a test knows. See symmetries.h. */
#include "tests/netmodel/symmetries.h"
#include "tests/netmodel/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

static uint32_t root_of(uint32_t *parent, uint32_t a) {
    while (parent[a] != a)
        a = parent[a] = parent[parent[a]];
    return a;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b) {
    parent[root_of(parent, a)] = root_of(parent, b);
}

static uint32_t *numbers(uint32_t count) {
    uint32_t *list = malloc(count * sizeof *list);
    assert_non_null(list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = i;
    return list;
}

symmetries symmetries_of(const vef_topology *topology) {
    return (symmetries){topology, numbers(topology->routers), numbers(topology->routers),
                        numbers(topology->routers * topology->ports)};
}

void release_symmetries(symmetries *known) {
    free(known->image);
    free(known->router);
    free(known->link);
}

/* The first port from `port` on that leads to `next`; `ports` if none does. */
static uint32_t find_port(const vef_topology *topology, uint32_t router, uint32_t next,
                          uint32_t port) {
    while (port < topology->ports && neighbour_of(topology, router, port) != next)
        port++;
    return port;
}

static uint32_t *count_endpoints(const vef_topology *topology) {
    uint32_t *on = calloc(topology->routers, sizeof *on);
    assert_non_null(on);
    for (uint32_t e = 0; e < topology->endpoints; e++)
        on[vef_topology_router_of(topology, e)]++;
    return on;
}

void add_symmetry(symmetries *known, bool translation) {
    const vef_topology *topology = known->topology;
    const uint32_t ports = topology->ports;
    bool *hit = calloc(topology->routers, sizeof *hit);
    uint32_t *on = count_endpoints(topology);
    for (uint32_t a = 0; a < topology->routers; a++) {
        const uint32_t to = known->image[a];
        assert_true(to < topology->routers && !hit[to]);
        hit[to] = true;
        assert_int_equal(on[to], on[a]);
        assert_int_equal(vef_topology_orbit(topology, to), vef_topology_orbit(topology, a));
        unite(known->router, a, to);
        if (translation)
            assert_int_equal(vef_topology_translation_class(topology, to),
                             vef_topology_translation_class(topology, a));
        for (uint32_t port = 0; port < ports; port++) {
            const uint32_t next = neighbour_of(topology, a, port);
            if (next == VEF_NO_ROUTER)
                continue;
            const uint32_t next_to = known->image[next];
            const uint32_t port_to = translation ? port : find_port(topology, to, next_to, 0);
            assert_true(port_to < ports);
            assert_int_equal(neighbour_of(topology, to, port_to), next_to);
            assert_int_equal(count_links(topology, to, next_to), count_links(topology, a, next));
            assert_int_equal(vef_topology_port_kind(topology, to, port_to),
                             vef_topology_port_kind(topology, a, port));
            unite(known->link, a * ports + port, to * ports + port_to);
            unite(known->link, a * ports + port, a * ports + find_port(topology, a, next, 0));
        }
    }
    free(on);
    free(hit);
}

void check_claims(const symmetries *known) {
    const vef_topology *topology = known->topology;
    const uint32_t ports = topology->ports;
    assert_true(topology->orbits > 0);
    uint32_t *first = malloc(topology->orbits * sizeof *first); /* router of the orbit */
    uint32_t *kind = malloc((size_t)topology->orbits * ports * sizeof *kind); /* link of the kind */
    assert_true(first && kind);
    for (uint32_t i = 0; i < topology->orbits * ports; i++)
        kind[i] = UINT32_MAX;
    for (uint32_t a = topology->routers; a-- > 0;)
        first[vef_topology_orbit(topology, a)] = a;
    for (uint32_t a = 0; a < topology->routers; a++) {
        const uint32_t orbit = vef_topology_orbit(topology, a);
        assert_int_equal(root_of(known->router, a), root_of(known->router, first[orbit]));
        for (uint32_t port = 0; port < ports; port++) {
            if (neighbour_of(topology, a, port) == VEF_NO_ROUTER)
                continue;
            const uint32_t link = root_of(known->link, a * ports + port);
            uint32_t *alike = &kind[orbit * ports + vef_topology_port_kind(topology, a, port)];
            if (*alike == UINT32_MAX)
                *alike = link;
            assert_int_equal(link, *alike);
        }
    }
    free(first);
    free(kind);
}
