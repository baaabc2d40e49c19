/* The greedy mapping: what it optimises, bytes x hops, against the optimum where that is known, and
 * against random mappings; hops here are by the breadth-first search of the tests. */
#include "common/rng.h"
#include "tests/mappings/traffic.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes x hops of a mapping; fails when tasks share an endpoint. */
static uint64_t cost_of(const char *text, const matrix *self, const vef_topology *topology) {
    vef_mapping *mapping = map_by(text, self, topology, 1);
    bool *taken = calloc(topology->endpoints, sizeof *taken);
    assert_non_null(taken);
    for (uint32_t t = 0; t < self->tasks; t++) {
        assert_true(mapping->endpoint[t] < topology->endpoints && !taken[mapping->endpoint[t]]);
        taken[mapping->endpoint[t]] = true;
    }
    const uint64_t cost = (uint64_t)hop_bytes_of(self, mapping, topology);
    free(taken);
    vef_mapping_destroy(mapping);
    return cost;
}

/* The numbers 0 … count-1 in a random order. */
static void shuffle(uint32_t *order, uint32_t count, uint64_t seed) {
    vef_rng rng = vef_rng_make(seed, VEF_RNG_MAPPING, 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = vef_rng_below(&rng, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

/* A ring of tasks in any order on a ring of as many routers: every message goes one hop, since the
 * tasks placed are always an arc of both. */
static void ring_on_ring(void **state) {
    (void)state;
    for (uint32_t n = 3; n <= 17; n += 2)
        for (uint64_t seed = 0; seed < 8; seed++) {
            char sizes[32];
            uint32_t order[MOST_TASKS];
            matrix ring = {.tasks = n};
            shuffle(order, n, seed);
            for (uint32_t i = 0; i < n; i++)
                ring.bytes[order[i]][order[(i + 1) % n]] = 1000;
            snprintf(sizes, sizeof sizes, "{sizes: [%u]}", n);
            vef_topology *topology = topology_of("torus", sizes, 1);
            assert_int_equal(cost_of("greedy", &ring, topology), 1000 * n);
            vef_topology_destroy(topology);
        }
}

/* Pairs that exchange much, each on one router of two endpoints, and little to the next pair. */
static void pairs_share_a_router(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 2);
    uint32_t order[32];
    matrix pairs = {.tasks = 32};
    shuffle(order, 32, 5);
    for (uint32_t p = 0; p < 16; p++)
        pairs.bytes[order[2 * p + 1]][order[2 * p]] = 1000000;
    assert_int_equal(cost_of("greedy", &pairs, topology), 0);
    vef_topology_destroy(topology);
}

/* A hub with eight leaves on a king mesh has all of them one hop away only where it is no border
 * router: the first task takes a centre. */
static void first_task_takes_a_centre(void **state) {
    (void)state;
    vef_topology *topology = topology_of("king-mesh", "{sizes: [5, 5]}", 1);
    matrix star = {.tasks = 9};
    for (uint32_t leaf = 0; leaf < 9; leaf++)
        if (leaf != 4)
            star.bytes[leaf][4] = 10;
    assert_int_equal(cost_of("greedy", &star, topology), 8 * 10);
    vef_topology_destroy(topology);
}

/* On sparse random traffic it is better than random mappings, whatever the network; also with
 * endpoints left over. */
static void better_than_random(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t per_router, tasks;
    } networks[] = {{"torus", "{sizes: [4, 4]}", 1, 16},
                    {"torus", "{sizes: [4, 4, 2]}", 2, 50},
                    {"mesh", "{sizes: [7, 5]}", 1, 30},
                    {"rtt", "{a: 4}", 2, 64},
                    {"kary-ntree", "{k: 4, n: 3}", 1, 64}};
    for (size_t k = 0; k < sizeof networks / sizeof *networks; k++) {
        vef_topology *topology =
            topology_of(networks[k].family, networks[k].parameters, networks[k].per_router);
        for (uint64_t seed = 0; seed < 5; seed++) {
            matrix sparse = {.tasks = networks[k].tasks};
            vef_rng rng = vef_rng_make(seed, VEF_RNG_MAPPING, 2);
            for (uint32_t i = 0; i < 3 * sparse.tasks; i++) {
                const uint32_t s = vef_rng_below(&rng, sparse.tasks);
                const uint32_t d = vef_rng_below(&rng, sparse.tasks);
                sparse.bytes[s][d] += 1 + vef_rng_below(&rng, 1000);
            }
            const uint64_t greedy = cost_of("greedy", &sparse, topology);
            for (uint32_t other = 0; other < 10; other++) {
                char text[32];
                snprintf(text, sizeof text, "random(%u)", other);
                assert_true(greedy <= cost_of(text, &sparse, topology));
            }
        }
        vef_topology_destroy(topology);
    }
}

/* Without traffic it is refused; without routers every task has its own number. */
static void what_it_needs(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_mapping_request request = {.text = "greedy", .tasks = 16};
    vef_mapping *mapping = NULL;
    vef_error error;
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "mapping greedy: "));
    assert_non_null(strstr(error.message, "expected a trace"));
    vef_traffic_matrix traffic;
    traffic_of(&(matrix){.tasks = 15}, &traffic);
    request.traffic = &traffic;
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), VEF_INVALID);
    vef_traffic_matrix_free(&traffic);
    request.traffic = NULL;
    assert_int_equal(vef_mapping_create(&request, NULL, &mapping, &error), VEF_OK);
    for (uint32_t t = 0; t < 16; t++)
        assert_int_equal(mapping->endpoint[t], t);
    vef_mapping_destroy(mapping);
    request.text = "greedy . transpose";
    assert_int_equal(vef_mapping_create(&request, topology, &mapping, &error), VEF_INVALID);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_on_ring),
        cmocka_unit_test(pairs_share_a_router),
        cmocka_unit_test(first_task_takes_a_centre),
        cmocka_unit_test(better_than_random),
        cmocka_unit_test(what_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
