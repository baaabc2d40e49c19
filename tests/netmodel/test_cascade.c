/* Cascades: links within groups against the definition, global links against those of a dragonfly
 * of as many routers in a group. */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST_DIMENSIONS = 3 };

typedef struct network {
    const char *sizes, *weights; /* as lists */
    uint32_t dimensions, size[MOST_DIMENSIONS], weight[MOST_DIMENSIONS];
    const char *global;
    uint32_t h, groups;
} network;

static const network networks[] = {
    {"[4, 2]", "[1, 3]", 2, {4, 2}, {1, 3}, "h: 1, groups: 5", 1, 5},
    {"[3, 2]", "[]", 2, {3, 2}, {1, 1}, "h: 2, arrangement: absolute", 2, 13},
    {"[2, 3, 2]", "[2, 1, 1]", 3, {2, 3, 2}, {2, 1, 1}, "h: 1, groups: 4", 1, 4},
    {"[5]", "[2]", 1, {5}, {2}, "h: 2, groups: 3, arrangement: circulant", 2, 3},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static uint32_t routers_of_group(const network *net) {
    uint32_t routers = 1;
    for (uint32_t d = 0; d < net->dimensions; d++)
        routers *= net->size[d];
    return routers;
}

static uint32_t local_ports(const network *net) {
    uint32_t ports = 0;
    for (uint32_t d = 0; d < net->dimensions; d++)
        ports += (net->size[d] - 1) * net->weight[d];
    return ports;
}

static vef_topology *build(const network *net) {
    char parameters[256];
    snprintf(parameters, sizeof parameters, "{sizes: %s, weights: %s, %s}", net->sizes,
             net->weights, net->global);
    return topology_of("cascade", parameters, 1);
}

/* Links between two routers of a group: the weight of the one dimension in which they differ. */
static uint32_t expected(const network *net, uint32_t a, uint32_t b) {
    uint32_t differing = 0, links = 0;
    for (uint32_t d = 0; d < net->dimensions; a /= net->size[d], b /= net->size[d], d++)
        if (a % net->size[d] != b % net->size[d]) {
            differing++;
            links = net->weight[d];
        }
    return differing == 1 ? links : 0;
}

static void links_of_groups(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const uint32_t a = routers_of_group(&networks[i]), local = local_ports(&networks[i]);
        vef_topology *topology = build(&networks[i]);
        assert_int_equal(topology->routers, a * networks[i].groups);
        assert_int_equal(topology->ports, local + networks[i].h);
        for (uint32_t from = 0; from < topology->routers; from++)
            for (uint32_t to = from - from % a; to < from - from % a + a; to++) {
                uint32_t links = 0;
                for (uint32_t port = 0; port < local; port++)
                    links += topology->neighbour[from * topology->ports + port] == to;
                assert_int_equal(links, expected(&networks[i], from % a, to % a));
            }
        vef_topology_destroy(topology);
    }
}

/* The same ends as in a dragonfly, router by router and global port by global port. */
static void global_links(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const uint32_t a = routers_of_group(&networks[i]), local = local_ports(&networks[i]);
        char parameters[256];
        snprintf(parameters, sizeof parameters, "{a: %u, %s}", a, networks[i].global);
        vef_topology *dragonfly = topology_of("dragonfly", parameters, 1);
        vef_topology *topology = build(&networks[i]);
        for (uint32_t router = 0; router < topology->routers; router++)
            for (uint32_t k = 0; k < networks[i].h; k++) {
                const uint32_t here = router * topology->ports + local + k;
                const uint32_t there = router * dragonfly->ports + a - 1 + k;
                assert_int_equal(topology->neighbour[here], dragonfly->neighbour[there]);
                assert_int_equal(topology->reverse_port[here] - local,
                                 dragonfly->reverse_port[there] - (a - 1));
                assert_int_equal(vef_topology_link_class(topology, router, local + k),
                                 networks[i].dimensions);
            }
        vef_topology_destroy(dragonfly);
        vef_topology_destroy(topology);
    }
}

static void bad_parameters(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{family: cascade, sizes: [4, 1], h: 1}", "sizes: expected a list"},
        {"{family: cascade, sizes: [4, 2], weights: [1], h: 1}",
         "weights: 1 numbers for 2 dimensions: expected one for each, or none"},
        {"{family: cascade, sizes: [4, 2], h: 1, groups: 10}",
         "groups: 10 groups of 8 global ports (routers of a group x h): out of range: expected 2 "
         "to 9"},
        {"{family: cascade, sizes: [4, 2]}", "key 'h' is missing"},
        {"{family: cascade, sizes: [4, 2], h: 1, rows: 6}", "unknown key 'rows'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_topology_refused(rows[i].yaml, 1, rows[i].says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_groups),
        cmocka_unit_test(global_links),
        cmocka_unit_test(bad_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
