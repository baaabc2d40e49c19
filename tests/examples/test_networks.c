/* The networks of examples/networks are the ones their names say: a message between every pair of
 * endpoints, one at a time, must meet the mean distance that the papers give (RT(4) 3.0, RTT(4)
 * 2.625: Camara et al., TPDS 2010, section 3; a mesh of 8x4: (8^2 - 1) / (3 8) + (4^2 - 1) / (3 4)
 * = 3.875; all count a router's own distance, 0; so the torus of 8x3 has 8 / 4 + 2 / 3) and the
 * latency of an idle network: a cycle a link, and one for each further phit. */
#include "netmodel/netmodel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct expectation {
    const char *path;
    uint32_t endpoints, packet_phits;
    double mean_hops;
} expectation;

static const expectation expectations[] = {
    {"examples/networks/mesh-8x4.yaml", 32, 64, 3.875},
    {"examples/networks/rt-4.yaml", 32, 64, 3.0},
    {"examples/networks/rtt-4.yaml", 32, 64, 2.625},
    {"examples/networks/mesh-8x4-c2.yaml", 64, 64, 3.875},
    {"examples/networks/rt-4-c2.yaml", 64, 64, 3.0},
    {"examples/networks/rtt-4-c2.yaml", 64, 64, 2.625},
    {"examples/networks/all-keys.yaml", 24, 16, 2 + 2.0 / 3},
};

static vef_netmodel *open_with(const char *path, const char *const *overrides, size_t count) {
    vef_error error;
    vef_netmodel *model = NULL;
    if (vef_netmodel_open(path, overrides, count, &model, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return model;
}

static vef_netmodel *open_network(const char *path) {
    return open_with(path, NULL, 0);
}

/* Sends one packet of `bytes` from each endpoint to each, alone; returns how many there were. */
static uint64_t send_all_pairs(vef_netmodel *model, uint64_t bytes) {
    uint64_t count = 0;
    for (uint32_t from = 0; from < model->endpoints; from++)
        for (uint32_t to = 0; to < model->endpoints; to++) {
            const vef_net_message message = {.source = from,
                                             .destination = to,
                                             .bytes = bytes,
                                             .time_cycles = model->kind->now(model),
                                             .id = count++};
            const vef_net_delivery *deliveries;
            size_t delivered;
            vef_error error;
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
            assert_int_equal(
                model->kind->advance(model, VEF_FOREVER, &deliveries, &delivered, &error), VEF_OK);
            assert_int_equal(delivered, 1);
            assert_int_equal(deliveries[0].id, message.id);
        }
    return count;
}

static void test_distances_and_latency(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        vef_netmodel *model = open_network(expectations[i].path);
        assert_int_equal(model->endpoints, expectations[i].endpoints);
        assert_float_equal(vef_netmodel_cycle_ns(model), 32.0, 1e-9); /* 4 bytes at 1 Gbit/s */
        const uint32_t phits = expectations[i].packet_phits;          /* of 4 bytes */
        const uint64_t pairs = send_all_pairs(model, 4 * phits);
        vef_net_statistics statistics;
        model->kind->statistics(model, &statistics);
        assert_int_equal(statistics.packets, pairs);
        assert_int_equal(statistics.phits, phits * pairs);
        assert_float_equal(statistics.average_hops, expectations[i].mean_hops, 1e-9);
        const double idle_cycles = expectations[i].mean_hops + phits - 1;
        assert_float_equal(statistics.latency_mean_cycles, idle_cycles, 1e-9);
        vef_netmodel_destroy(model);
    }
}

/* By minimal routes. Dragonfly: over one global link, of 35 other routers 5 are at one hop, 12 at
 * two and 18 at three. Megafly: of 30 leaves 2 are at two hops and 27 at three. HyperX: each
 * coordinate differs with probability 1 - 1 / S. */
static void test_high_radix_networks(void **state) {
    (void)state;
    static const expectation rows[] = {
        {"examples/networks/dragonfly.yaml", 72, 0, (5 + 2 * 12 + 3 * 18) / 36.0},
        {"examples/networks/megafly.yaml", 90, 0, (2 * 2 + 3 * 27) / 30.0},
        {"examples/networks/hyperx.yaml", 72, 0, 3 / 4.0 + 5 / 6.0},
    };
    static const char *const overrides[] = {"routing.algorithm=minimal"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *model = open_with(rows[i].path, overrides, 1);
        assert_int_equal(model->endpoints, rows[i].endpoints);
        vef_net_statistics statistics;
        send_all_pairs(model, 64);
        model->kind->statistics(model, &statistics);
        assert_float_equal(statistics.average_hops, rows[i].mean_hops, 1e-9);
        vef_netmodel_destroy(model);
    }
}

/* Shortest paths. A router has k others at 1 hop and the rest at 2: k = 7 of 50; 448 / 57 of 57, as
 * 8 of them have 7 links and 49 have 8. In the tree, 12 endpoints are below another leaf of the pod
 * and 48 in other pods. In a ring
 * of 8, to itself included, the mean distance is 2. */
static void test_diameter_two_and_trees(void **state) {
    (void)state;
    static const expectation rows[] = {
        {"examples/networks/slim-fly.yaml", 200, 0, (7 + 2 * 42) / 50.0},
        {"examples/networks/polarfly.yaml", 228, 0, (2 * 56 - 448 / 57.0) / 57},
        {"examples/networks/fat-tree.yaml", 64, 0, (2 * 12 + 4 * 48) / 64.0},
        {"examples/networks/congestion.yaml", 64, 0, 2 * 2},
        {"examples/networks/jellyfish.yaml", 256, 0, 0}, /* depends on the seed */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *model = open_network(rows[i].path);
        assert_int_equal(model->endpoints, rows[i].endpoints);
        vef_net_statistics statistics;
        const uint64_t pairs = send_all_pairs(model, 64);
        model->kind->statistics(model, &statistics);
        assert_int_equal(statistics.packets, pairs);
        if (rows[i].mean_hops > 0)
            assert_float_equal(statistics.average_hops, rows[i].mean_hops, 1e-9);
        vef_netmodel_destroy(model);
    }
}

static void test_ideal(void **state) {
    (void)state;
    vef_netmodel *model = open_network("examples/networks/ideal.yaml");
    assert_float_equal(vef_netmodel_cycle_ns(model), 32.0, 1e-9);
    const vef_net_message message = {.source = 0, .destination = 31, .bytes = 1 << 30};
    const vef_net_delivery *deliveries;
    size_t delivered;
    vef_error error;
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    assert_int_equal(model->kind->advance(model, VEF_FOREVER, &deliveries, &delivered, &error),
                     VEF_OK);
    assert_int_equal(delivered, 1);
    assert_int_equal(deliveries[0].time_cycles, 0);
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_and_latency),
        cmocka_unit_test(test_high_radix_networks),
        cmocka_unit_test(test_diameter_two_and_trees),
        cmocka_unit_test(test_ideal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
