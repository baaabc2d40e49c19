/* Packets that can never move again are recognised while others go on for ever: within the bound
 * that netmodel/router/deadlock.c states, as the cycle they are in; and never where all moves. */
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* Dimension order on a torus whose rings are entered as if there were no bubble to keep. */
static vef_netmodel *careless_torus(const char *sizes, uint32_t queue_packets,
                                    uint32_t credit_delay_cycles, bool sorted,
                                    vef_routing_algorithm *algorithm) {
    vef_topology *topology = topology_of("torus", sizes, 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_BUBBLE);
    *algorithm = *routing->algorithm;
    algorithm->candidates = careless_candidates;
    routing->algorithm = algorithm;
    routing->least_queue_packets = 1;
    const vef_network_settings settings = {
        .queue_packets = queue_packets,
        .virtual_output_queues = sorted,
        .injection_queues = 1,
        .injection_queue_packets = 8,
        .ejection_ports = 1,
        .arbiter = vef_arbiters[0],
        .injection = vef_injections[0],
        .link.delay.cycles = 40, /* two packets have left before the first arrives */
        .link.credit_delay.cycles = credit_delay_cycles,
        .packet_phits = 16,
        .phit_bytes = 4,
        .link.bandwidth_bits_per_s = 1000000000,
        .seed = 1,
    };
    vef_network *network = NULL;
    vef_error error = {0};
    if (vef_network_create(&settings, topology, routing, &network, &error))
        fail_msg("%s", error.message);
    return &network->base;
}

static void inject(vef_netmodel *model, uint32_t source, uint32_t destination, uint64_t bytes) {
    vef_error error = {0};
    const vef_net_message message = {.source = source,
                                     .destination = destination,
                                     .bytes = bytes,
                                     .time_cycles = model->kind->now(model)};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
}

/* In the first of eight rows of five every router sends two routers on at once, so that the row's
 * ring is full and stuck after a few cycles. In the last row one packet at a time goes to and fro,
 * for ever. */
static void check_partial(uint32_t credit_delay_cycles, bool sorted, uint32_t parts) {
    const uint64_t bound = 4096 + 1000; /* of the text, and for all to have come to rest */
    vef_routing_algorithm algorithm;
    vef_netmodel *model =
        careless_torus("{sizes: [5, 8]}", 1, credit_delay_cycles, sorted, &algorithm);
    divide_network(model, parts, true);
    for (uint32_t x = 0; x < 5; x++)
        inject(model, x, (x + 2) % 5, 640);
    inject(model, 35, 36, 64);
    char text[2048] = "";
    uint64_t deliveries = 0;
    while (!model->kind->deadlock(model, text, sizeof text)) {
        const vef_net_delivery *got;
        size_t count;
        vef_error error = {0};
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
        assert_true(count > 0);
        assert_true(model->kind->now(model) <= bound);
        deliveries += count;
        inject(model, deliveries % 2 ? 36 : 35, deliveries % 2 ? 35 : 36, 64);
    }
    assert_true(deliveries > 10); /* the others did go on */
    uint32_t steps = 0;
    for (const char *cursor = text; (cursor = strstr(cursor, "  router (")); cursor++)
        steps++;
    assert_int_equal(steps, 5);
    for (int x = 0; x < 5; x++) {
        char name[32];
        snprintf(name, sizeof name, "  router (%d, 0): ", x);
        assert_non_null(strstr(text, name));
    }
    assert_non_null(strstr(text, "0 of 1 places free, it needs 1"));
    vef_netmodel_destroy(model);
}

static void test_a_stuck_row_is_recognised_while_another_goes_on(void **state) {
    (void)state;
    for (int sorted = 0; sorted <= 1; sorted++)
        for (uint32_t parts = 1; parts <= 9; parts += 4) { /* of rows, and across them */
            check_partial(0, sorted, parts);
            check_partial(300, sorted, parts); /* credits are under way while nothing moves */
        }
}

/* Runs to `limit` and looks for packets that are stuck, whether or not it is time to; there are
 * none. Returns how many messages arrived; another is sent for each if `rng` is given. */
static size_t look_at(vef_netmodel *model, uint64_t limit, vef_rng *rng) {
    vef_network *network = (vef_network *)model;
    const vef_net_delivery *got;
    size_t count, arrived = 0;
    do {
        vef_error error = {0};
        assert_int_equal(model->kind->advance(model, limit, &got, &count, &error), VEF_OK);
        for (size_t i = 0; i < count && rng; i++)
            inject(model, vef_rng_below(rng, model->endpoints),
                   vef_rng_below(rng, model->endpoints), 200);
        arrived += count;
    } while (count > 0);
    network->watch.last_packets = UINT64_MAX / 2;
    network->watch.last_cycles = 0;
    vef_network_watch(network);
    char text[256];
    assert_false(model->kind->deadlock(model, text, sizeof text));
    return arrived;
}

/* A full load, far past saturation, on the shortest queues that are free of deadlock. */
static void check_crowd(const char *yaml) {
    vef_netmodel *model = network_of(yaml);
    divide_network(model, 3, false);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 5);
    for (uint32_t i = 0; i < model->endpoints * 40; i++)
        inject(model, i % model->endpoints, vef_rng_below(&rng, model->endpoints), 200);
    size_t arrived = 0;
    for (uint64_t limit = 0; limit < 20000; limit += 7)
        arrived += look_at(model, limit, &rng);
    assert_true(arrived > 1000);
    vef_netmodel_destroy(model);
}

static void test_a_crowd_is_no_deadlock(void **state) {
    (void)state;
    check_crowd(
        "{topology: {family: torus, sizes: [4, 4]}, router: {queue_packets: 2, "
        "injection_queue_packets: 2}, packet: {phits: 5}, link: {credit_delay_cycles: 7}}");
    check_crowd(
        "{topology: {family: torus, sizes: [4, 4]}, router: {queue_packets: 2, arbiter: "
        "islip, virtual_output_queues: true, injection_queue_packets: 2}, packet: {phits: "
        "5}, link: {credit_delay_cycles: 7, delay_cycles: 3}}");
    check_crowd(
        "{topology: {family: mesh, sizes: [4, 4]}, routing: {algorithm: dor}, router: "
        "{flow_control: virtual-channels, queue_packets: 1, virtual_output_queues: true, "
        "injection_queue_packets: 2, buffer: {unit_phits: 2}}, packet: {phits: 5}, link: "
        "{credit_delay_cycles: 7, classes: {x: {bandwidth: 500 Mbit/s}}}}");
}

/* Four routers of a ring of five send two packets two routers on, the fifth sends one: nine places
 * of ten are taken, and for most of the time every packet waits while the credit for the tenth is
 * under way. */
static void test_a_credit_under_way_is_no_deadlock(void **state) {
    (void)state;
    vef_routing_algorithm algorithm;
    vef_netmodel *model = careless_torus("{sizes: [5]}", 2, 300, false, &algorithm);
    for (uint32_t x = 0; x < 5; x++)
        inject(model, x, (x + 2) % 5, x < 4 ? 128 : 64);
    size_t arrived = 0;
    for (uint64_t limit = 0; arrived < 5; limit += 7) {
        assert_true(limit < 20000);
        arrived += look_at(model, limit, NULL);
    }
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stuck_row_is_recognised_while_another_goes_on),
        cmocka_unit_test(test_a_crowd_is_no_deadlock),
        cmocka_unit_test(test_a_credit_under_way_is_no_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
