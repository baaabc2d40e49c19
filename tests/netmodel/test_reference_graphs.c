/* The core against the phit-by-phit reference on networks of every family of the topology table,
 * and of a file with endpoints on some routers only, by every routing of the table that fits; and
 * again with failures, by every routing that goes round them. */
#include "tests/netmodel/agreement.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUTERS = 36 };

/* A network and a routing that fits it. */
typedef struct pair {
    char topology[512], routing[64], failures[128]; /* failures "": none */
    const vef_routing_algorithm *algorithm;
    vef_flow_control flow_control;
    uint32_t least_queue_packets;
    bool sees_all;
} pair;

static pair *pairs;
static uint32_t pair_count, pair_room;

static void try_routing(const vef_topology *topology, const char *yaml, const char *failures,
                        const vef_routing_algorithm *algorithm, vef_flow_control flow_control) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_routing *routing = NULL;
    if (pair_count == pair_room) {
        pair_room = 2 * pair_room + 512;
        pairs = realloc(pairs, pair_room * sizeof *pairs);
        assert_non_null(pairs);
    }
    pair *made = &pairs[pair_count];
    snprintf(made->topology, sizeof made->topology, "%s", yaml);
    snprintf(made->failures, sizeof made->failures, "%s", failures);
    snprintf(made->routing, sizeof made->routing, "{algorithm: %s}", algorithm->name);
    made->flow_control = flow_control;
    assert_int_equal(vef_config_parse(made->routing, "test", &arena, &node, &error), VEF_OK);
    /* Another row of the name may be the one for this topology. */
    if (vef_routing_create(node, topology, flow_control, &routing, &error) == VEF_OK &&
        routing->algorithm == algorithm) {
        made->algorithm = algorithm;
        made->least_queue_packets = routing->least_queue_packets;
        made->sees_all = routing->sees_all;
        pair_count++;
    }
    vef_routing_destroy(routing);
    vef_arena_release(&arena);
}

/* The same network with failures; destroys `topology`. */
static void add_damaged(vef_topology *topology, const char *yaml) {
    static uint32_t turn; /* every third routing on each network */
    const bool fits = topology->routers >= 8 && topology->routers <= MOST_ROUTERS;
    char failures[128];
    snprintf(failures, sizeof failures,
             "{link_share: 0.1, router_count: 1, seed: %u, disconnected: drop}", pair_count);
    damage(&topology, fits ? failures : NULL);
    for (size_t a = 0; fits && vef_routings[a]; a++)
        if (vef_routings[a]->around_failures || (vef_routings[a]->any_graph && turn++ % 3 == 0))
            try_routing(topology, yaml, failures, vef_routings[a], VEF_FLOW_VIRTUAL_CHANNELS);
    vef_topology_destroy(topology);
}

static void add_pairs(const char *family, const char *parameters) {
    char yaml[512];
    snprintf(yaml, sizeof yaml, "{family: %s, %s", family, parameters + 1);
    vef_topology *topology = topology_of(family, parameters, 1);
    for (size_t a = 0; topology->routers <= MOST_ROUTERS && vef_routings[a]; a++) {
        const uint32_t before = pair_count;
        try_routing(topology, yaml, "", vef_routings[a], VEF_FLOW_VIRTUAL_CHANNELS);
        const bool fits = pair_count > before;
        try_routing(topology, yaml, "", vef_routings[a], VEF_FLOW_BUBBLE);
        /* Without rings, flow control makes no difference. */
        if (fits && pair_count > before + 1 && pairs[pair_count - 1].least_queue_packets == 1)
            pair_count--;
    }
    add_damaged(topology, yaml);
}

/* Two triangles joined by a line, routers of which have three, two, one or no endpoints. */
static void add_uneven(void) {
    char path[256], parameters[300];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/uneven.txt", folder ? folder : "/tmp");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(
        "endpoints 0 3\nendpoints 2 0\nendpoints 4 2\nendpoints 6 0\n"
        "0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n5 6\n6 4\n",
        file);
    fclose(file);
    snprintf(parameters, sizeof parameters, "{file: %s}", path);
    add_pairs("edges", parameters);
}

/* Networks for routings that take none of the samples. */
static const char *const others[][2] = {
    {"twin-torus", "{sizes: [3, 3, 2], card0: [x+, x-, y-]}"},
};

static int list_pairs(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (const char *const *sample = vef_topology_families[f]->samples; *sample; sample++)
            add_pairs(vef_topology_families[f]->name, *sample);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_pairs(others[i][0], others[i][1]);
    add_uneven();
    return 0;
}

static int release_pairs(void **state) {
    (void)state;
    free(pairs);
    return 0;
}

static uint32_t endpoints_of(const pair *combination, uint32_t per_router) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_topology *topology = NULL;
    if (vef_config_parse(combination->topology, "test", &arena, &node, &error) ||
        vef_topology_create(node, per_router, &topology, &error))
        fail_msg("%s: %s", combination->topology, error.message);
    damage(&topology, combination->failures[0] ? combination->failures : NULL);
    const uint32_t endpoints = topology->endpoints;
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
    return endpoints;
}

/* Case k: pair k, the rest drawn. */
static network_case make_case(uint32_t k) {
    static const double loads[] = {0.1, 0.5, 2.0};
    vef_rng rng = vef_rng_make(12, VEF_RNG_TEST, k);
    const pair *combination = &pairs[k];
    network_case made = {
        .topology = combination->topology,
        .routing = combination->routing,
        .failures = combination->failures[0] ? combination->failures : NULL,
        .flow_control = combination->flow_control,
        .by_table = true,
        .kind = (workload_kind)vef_rng_below(&rng, 3),
        .most_packets = vef_rng_below(&rng, 4) == 0 ? 4 : 1,
        .load = loads[vef_rng_below(&rng, 3)],
        .seed = k,
    };
    made.config = (reference_config){
        .endpoints_per_router = 1 + vef_rng_below(&rng, 2),
        .queue_packets = combination->least_queue_packets + vef_rng_below(&rng, 3),
        .injection_queues = 1 + vef_rng_below(&rng, 2),
        .injection_queue_packets = 1 + vef_rng_below(&rng, 4),
        .ejection_ports = 1 + vef_rng_below(&rng, 2),
        .arbiter = (reference_arbiter)(vef_rng_below(&rng, REFERENCE_BY_OUTPUT)),
        .transit_first = vef_rng_below(&rng, 2),
        .router_delay_cycles = vef_rng_below(&rng, 3),
        .link_delay_cycles = 1 + vef_rng_below(&rng, 3),
        .credit_delay_cycles = vef_rng_below(&rng, 3),
        .packet_phits = 1 + vef_rng_below(&rng, 12),
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .ugal_global = combination->sees_all,
        .seed = vef_rng_next(&rng) >> 33,
    };
    made.endpoints = endpoints_of(combination, made.config.endpoints_per_router);
    choose_messages(&made);
    if (made.messages > 300)
        made.messages = 300;
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(pair_count, make_case);
}

/* Every family and every routing is among the pairs. */
static void pairs_cover_the_tables(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++) {
        char begins[64];
        snprintf(begins, sizeof begins, "{family: %s,", vef_topology_families[f]->name);
        uint32_t found = 0;
        for (uint32_t p = 0; p < pair_count; p++)
            found += strncmp(pairs[p].topology, begins, strlen(begins)) == 0;
        if (found == 0)
            fail_msg("no network of family %s", vef_topology_families[f]->name);
    }
    for (size_t a = 0; vef_routings[a]; a++) {
        uint32_t found = 0;
        for (uint32_t p = 0; p < pair_count; p++)
            found += pairs[p].algorithm == vef_routings[a];
        if (found == 0)
            fail_msg("no network for routing %s: put one of at most %d routers into `others`",
                     vef_routings[a]->name, MOST_ROUTERS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_cover_the_tables),
        cmocka_unit_test(core_and_reference_agree),
    };
    return cmocka_run_group_tests(tests, list_pairs, release_pairs);
}
