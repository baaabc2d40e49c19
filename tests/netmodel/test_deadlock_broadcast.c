/* The proof of freedom from deadlock with packets to all: it holds where the network carries them,
 * and copies that leave out the bubble or the dateline, or that need more than a queue has, are
 * found out, though packets to one destination are free all the same. */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

static const struct {
    const char *family, *parameters, *routing;
    vef_flow_control flow_control;
} rows[] = {
    {"king-torus", "{sizes: [6, 5]}", "{algorithm: hop-by-hop-2s}", VEF_FLOW_BUBBLE},
    {"king-torus", "{sizes: [5, 5]}", "{algorithm: dor}", VEF_FLOW_BUBBLE},
    {"torus", "{sizes: [5, 5]}", "{algorithm: adaptive}", VEF_FLOW_BUBBLE},
    {"king-torus", "{sizes: [6, 5]}", "{algorithm: knaive}", VEF_FLOW_VIRTUAL_CHANNELS},
    {"torus", "{sizes: [5, 5, 2]}", "{algorithm: dor, channels: 2}", VEF_FLOW_VIRTUAL_CHANNELS},
};
enum { ROWS = sizeof rows / sizeof *rows, WITH_BUBBLE = 3 };

static void test_free_with_packets_to_all(void **unused) {
    (void)unused;
    for (size_t i = 0; i < ROWS; i++)
        for (int every = 0; every < 2; every++) {
            vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
            vef_routing *routing = routing_of(rows[i].routing, topology, rows[i].flow_control);
            vef_deadlock found = prove(routing, 0, every);
            assert_free(routing, &found, rows[i].routing);
            assert_true(found.broadcast && found.broadcast_free);
            /* One copy to each other router, from one router of each class of translations. */
            const bool classes = !every && routing->uniform && topology->translation_classes > 0;
            const uint64_t sources = classes ? topology->translation_classes : topology->routers;
            const uint64_t others = topology->routers - 1;
            assert_int_equal(found.copies, sources * others);
            vef_deadlock_release(&found);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* Trees: the moves of the copies of all groups. From endpoints and children by any link, from
 * parents by any link down: in a tree of two levels of k x k switches k for each leaf and k^2 for
 * each root, besides k from the endpoints that roots might have. */
static void test_free_with_groups(void **unused) {
    (void)unused;
    static const char *const routings[] = {
        "{algorithm: d-mod-k}",    "{algorithm: s-mod-k}",
        "{algorithm: nca-random}", "{algorithm: nca-adaptive, channels: 2}",
        "{algorithm: destro}",     "{algorithm: tree-adaptive}"};
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++)
        for (int every = 0; every < 2; every++)
            for (uint32_t k = 2; k <= 4; k++) {
                char size[32];
                snprintf(size, sizeof size, "{k: %u, n: 2}", k);
                vef_topology *topology = topology_of("kary-ntree", size, 1);
                vef_routing *routing = routing_of(routings[i], topology, VEF_FLOW_VIRTUAL_CHANNELS);
                vef_deadlock found = prove(routing, 0, every);
                assert_true(found.verdict == VEF_DEADLOCK_FREE && found.broadcast);
                assert_true(found.broadcast_free);
                const uint64_t all_routers = k * (k + k + k * k);
                assert_true(every ? found.copies == all_routers : found.copies <= all_routers);
                vef_deadlock_release(&found);
                vef_routing_destroy(routing);
                vef_topology_destroy(topology);
            }
}

static const vef_straight *right;

static vef_candidate without_bubble(const vef_routing *routing, vef_place place, uint16_t port,
                                    uint32_t hops) {
    vef_candidate escape = right->escape(routing, place, port, hops);
    escape.slots_needed = 1;
    return escape;
}

static vef_candidate without_dateline(const vef_routing *routing, vef_place place, uint16_t port,
                                      uint32_t hops) {
    vef_candidate escape = right->escape(routing, place, port, hops);
    escape.channel = 0;
    return escape;
}

static vef_candidate too_many_places(const vef_routing *routing, vef_place place, uint16_t port,
                                     uint32_t hops) {
    vef_candidate escape = right->escape(routing, place, port, hops);
    escape.slots_needed = 5;
    return escape;
}

static bool any_turn(const vef_routing *routing, uint16_t along, uint16_t port) {
    (void)routing, (void)along, (void)port;
    return true;
}

/* Proves a routing whose copies take `escape`. */
static void found_out(size_t row,
                      vef_candidate (*escape)(const vef_routing *, vef_place, uint16_t, uint32_t)) {
    vef_topology *topology = topology_of(rows[row].family, rows[row].parameters, 1);
    vef_routing *routing = routing_of(rows[row].routing, topology, rows[row].flow_control);
    right = routing->algorithm->straight;
    const vef_straight wrong = {any_turn, escape};
    vef_routing_algorithm algorithm = *routing->algorithm;
    algorithm.straight = &wrong;
    routing->algorithm = &algorithm;
    vef_deadlock found = prove(routing, 4, false);
    assert_int_equal(found.verdict, VEF_DEADLOCK_FREE);
    assert_true(found.broadcast);
    assert_false(found.broadcast_free);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_faults_are_found_out(void **unused) {
    (void)unused;
    for (size_t i = 0; i < ROWS; i++) {
        found_out(i, i < WITH_BUBBLE ? without_bubble : without_dateline);
        found_out(i, too_many_places);
    }
}

static void test_networks_without(void **unused) {
    (void)unused;
    vef_topology *topology = topology_of("rtt", "{a: 3}", 1);
    vef_routing *routing = routing_of("{algorithm: adaptive}", topology, VEF_FLOW_BUBBLE);
    vef_deadlock found = prove(routing, 0, false);
    assert_false(found.broadcast);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_with_packets_to_all),
        cmocka_unit_test(test_free_with_groups),
        cmocka_unit_test(test_faults_are_found_out),
        cmocka_unit_test(test_networks_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
