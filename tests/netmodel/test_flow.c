/* The flow model: a message alone arrives as in the router model, to 1 ps; few messages by closed
 * forms; and what holds for many: everything arrives, links carry what their paths say, and a seed
 * gives one result. */
#include "netmodel/clock.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* Times are in cycles. */
static void send(vef_netmodel *model, uint32_t source, uint32_t destination, uint64_t bytes,
                 uint64_t time_cycles, uint64_t id) {
    vef_error error = {0};
    const vef_net_message message = {.source = source,
                                     .destination = destination,
                                     .bytes = bytes,
                                     .time_cycles = vef_netmodel_time_of(model, time_cycles),
                                     .id = id};
    if (model->kind->inject(model, &message, &error))
        fail_msg("%s", error.message);
}

/* The next deliveries, at least one; returns their number. */
static size_t receive(vef_netmodel *model, const vef_net_delivery **got) {
    vef_error error = {0};
    size_t count = 0;
    if (model->kind->advance(model, VEF_FOREVER, got, &count, &error))
        fail_msg("%s", error.message);
    return count;
}

/* The cycle of the next delivery, which must be that one alone. */
static uint64_t arrival(vef_netmodel *model, uint64_t id) {
    const vef_net_delivery *got;
    assert_int_equal(receive(model, &got), 1);
    assert_int_equal(got[0].id, id);
    const double cycles = vef_netmodel_cycles_in(model, got[0].time_cycles);
    assert_true(cycles == floor(cycles));
    return (uint64_t)cycles;
}

/* ---- alone ---- */

/* Both models get the same messages, each long after the one before has arrived: of one packet
 * each, or of several. (The packets of one message wait for each other in the router model, which
 * is not latency in the other.) */
static void compare_alone(const char *network, bool one_packet) {
    char yaml[1024];
    snprintf(yaml, sizeof yaml, "{model: flow, %s", network + 1);
    vef_netmodel *router = network_of(network), *flow = network_of(yaml);
    assert_int_equal(flow->endpoints, router->endpoints);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    uint64_t begin = 0;
    for (uint64_t id = 0; id < 40; id++) {
        static const uint64_t sizes[] = {0, 1, 4, 63, 64, 65, 300, 1024, 5000};
        const uint64_t bytes = sizes[vef_rng_below(&rng, one_packet ? 5 : 9)];
        const uint32_t source = vef_rng_below(&rng, flow->endpoints);
        const uint32_t destination = vef_rng_below(&rng, flow->endpoints);
        send(router, source, destination, bytes, begin, id);
        send(flow, source, destination, bytes, begin, id);
        const uint64_t expected = arrival(router, id), found = arrival(flow, id);
        if (found != expected)
            fail_msg("%s: %u to %u, %d B: arrived after %d cycles instead of %d", network, source,
                     destination, (int)bytes, (int)(found - begin), (int)(expected - begin));
        begin = expected + 100000;
    }
    vef_net_counts counts[2];
    router->kind->counts(router, &counts[0]);
    flow->kind->counts(flow, &counts[1]);
    if (!one_packet)
        counts[0].latency_cycles = counts[1].latency_cycles = 0;
    assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
    vef_netmodel_destroy(router);
    vef_netmodel_destroy(flow);
}

static void test_alone_on_every_family(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            char network[512];
            snprintf(network, sizeof network,
                     "{topology: {family: %s, %s, endpoints_per_router: 2, router: {delay_cycles: "
                     "2}, link: {delay_cycles: 3, credit_delay_cycles: 1}}",
                     vef_topology_families[f]->name, vef_topology_families[f]->samples[s] + 1);
            compare_alone(network, true);
            compare_alone(network, false);
        }
}

/* With links that differ, adaptive packets of one message might choose between fast and slow ones,
 * so these are deterministic. */
static void test_alone_in_other_ways(void **state) {
    (void)state;
    static const char *const networks[] = {
        "{topology: {family: torus, sizes: [6, 5]}, routing: {algorithm: dor}}",
        "{topology: {family: kary-ntree, k: 3, n: 3}, routing: {algorithm: destro}}",
        "{topology: {family: torus, sizes: [7, 5]}, routing: {algorithm: dor}, link: {classes: {y: "
        "{bandwidth: 5Gbit/s, "
        "delay_cycles: 7}}}}",
        "{topology: {family: mesh, sizes: [4, 4]}, link: {delay_cycles: 0, classes: {x: "
        "{bandwidth: 3Gbit/s}, y: {bandwidth: 6Gbit/s}}}, router: {delay_cycles: 1}, routing: "
        "{algorithm: dor}}",
        "{topology: {family: torus, sizes: [5, 5]}, packet: {phits: 5}, router: {ejection_ports: "
        "2}}",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        compare_alone(networks[i], false);
}

/* ---- a few ---- */

/* Routers 0, 1 and 2 in a line; a hop takes 3 cycles, a phit has 4 B. */
#define LINE                                                                                       \
    "{model: flow, topology: {family: mesh, sizes: [3]}, link: {delay_cycles: 3}, "                \
    "router: {queue_packets: 1}, packet: {phits: 1}}"

/* A long message (1000 phits, 0 to 2) and a short one (100, 1 to 2) share the last link until the
 * short one is through, at 200. The long one has then sent 100 and needs 900 more. */
static void test_two_share_a_link(void **state) {
    (void)state;
    vef_netmodel *model = network_of(LINE);
    send(model, 0, 2, 4000, 0, 1);
    send(model, 1, 2, 400, 0, 2);
    assert_int_equal(arrival(model, 2), 200 + 3);
    assert_int_equal(arrival(model, 1), 1100 + 6);
    assert_int_equal(model->kind->link_phits(model, 1, 0) + model->kind->link_phits(model, 1, 1),
                     1100);
    vef_netmodel_destroy(model);
}

/* The short one comes at 500: half of the long one is through. */
static void test_a_later_one(void **state) {
    (void)state;
    vef_netmodel *model = network_of(LINE);
    send(model, 0, 2, 4000, 0, 1);
    send(model, 1, 2, 400, 500, 2);
    assert_int_equal(arrival(model, 2), 700 + 3);
    assert_int_equal(arrival(model, 1), 1100 + 6);
    vef_netmodel_destroy(model);
}

/* Messages of one source go one after another, also to different places. */
static void test_one_source(void **state) {
    (void)state;
    vef_netmodel *model = network_of(LINE);
    send(model, 1, 2, 400, 0, 1);
    send(model, 1, 0, 800, 0, 2);
    send(model, 1, 2, 4, 10, 3);
    assert_int_equal(model->kind->waiting(model, 1), 3);
    assert_int_equal(arrival(model, 1), 100 + 3);
    assert_int_equal(model->kind->waiting(model, 1), 2);
    assert_int_equal(arrival(model, 2), 300 + 3);
    assert_int_equal(arrival(model, 3), 301 + 3);
    assert_int_equal(model->kind->waiting(model, 1), 0);
    vef_netmodel_destroy(model);
}

/* By destination: two messages of 100 and 200 phits to 2 and 0 have half of the way out of their
 * endpoint each, until the first is through, at 200. Of two more to 2, of a phit each, one begins
 * then, and the other when that one is through, at 202; both have half of the way. So they are
 * through at 202 and 204, and the message of 200 phits, of which 98 are left then, at 302. */
static void test_by_destination(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{model: flow, topology: {family: mesh, sizes: [3]}, link: {delay_cycles: 3}, "
        "router: {queue_packets: 1}, packet: {phits: 1}, flow: {sources: by-destination}}");
    send(model, 1, 2, 400, 0, 1);
    send(model, 1, 0, 800, 0, 2);
    send(model, 1, 2, 4, 10, 3);
    send(model, 1, 2, 4, 20, 4);
    assert_int_equal(arrival(model, 1), 200 + 3);
    assert_int_equal(arrival(model, 3), 202 + 3);
    assert_int_equal(arrival(model, 4), 204 + 3);
    assert_int_equal(arrival(model, 2), 302 + 3);
    assert_int_equal(model->kind->waiting(model, 1), 0);
    send(model, 1, 2, 400, 1000, 5); /* the pair is free again */
    assert_int_equal(arrival(model, 5), 1100 + 3);
    vef_netmodel_destroy(model);
}

/* Token buckets of 10 phits: of 100 phits after a pause 10 pass at once. At 95 the bucket holds 10
 * - 100 + 95 = 5, more than the 3 of 4 phits that may pass. At 2090, when 100 more are through,
 * those of the last link and of the endpoint are empty, and a message that the first link would let
 * pass waits. */
static void test_bursts(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{model: flow, topology: {family: mesh, sizes: [3]}, link: {delay_cycles: 3, burst: "
        "40 B}, router: {queue_packets: 1}, packet: {phits: 1}}");
    send(model, 1, 2, 400, 0, 1);
    assert_int_equal(arrival(model, 1), 90 + 3);
    send(model, 1, 2, 16, 95, 2);
    assert_int_equal(arrival(model, 2), 95 + 1 + 3);
    send(model, 1, 2, 400, 2000, 3);
    assert_int_equal(arrival(model, 3), 2090 + 3);
    vef_netmodel_destroy(model);
    model = network_of(
        "{model: flow, topology: {family: mesh, sizes: [3]}, link: {delay_cycles: 3, burst: "
        "40 B}, router: {queue_packets: 1}, packet: {phits: 1}}");
    send(model, 1, 2, 400, 2000, 1);
    send(model, 0, 2, 200, 2090, 2);
    assert_int_equal(arrival(model, 1), 2090 + 3);
    assert_int_equal(arrival(model, 2), 2090 + 50 + 6);
    vef_netmodel_destroy(model);
}

/* Two messages of 300 phits share the link from 1 to 2, and each has a queue of 160 there for its
 * last phits. So the first has left its source at 300, as if it were alone, with 150 phits still to
 * come. The next one, of 40 phits, has the other half of the way out of its endpoint. */
static void test_queues_hold_the_rest(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{model: flow, topology: {family: mesh, sizes: [3]}, link: {delay_cycles: 3}, "
        "routing: {algorithm: dor}, router: {queue_packets: 160}, packet: {phits: 1}}");
    send(model, 1, 2, 1200, 0, 1);
    send(model, 0, 2, 1200, 0, 2);
    send(model, 1, 0, 160, 0, 3);
    assert_int_equal(arrival(model, 3), 300 + 80 + 3);
    assert_int_equal(arrival(model, 1), 600 + 3);
    assert_int_equal(arrival(model, 2), 600 + 6);
    vef_netmodel_destroy(model);
}

/* ---- many ---- */

typedef struct outcome {
    uint64_t digest, last_cycles;
    vef_net_counts counts;
} outcome;

/* Random messages of random sizes; who receives one sends another. */
static outcome run(const char *yaml, uint64_t messages) {
    vef_netmodel *model = network_of(yaml);
    vef_rng rng = vef_rng_make(9, VEF_RNG_TEST, 0);
    uint64_t sent = 0, phits = 0;
    outcome found = {0};
    for (uint64_t got = 0; got < messages;) {
        const uint64_t wanted = sent == 0 ? 2 * model->endpoints : got + 2 * model->endpoints;
        for (; sent < messages && sent < wanted; sent++) {
            const uint64_t bytes = vef_rng_below(&rng, 9000);
            phits += bytes ? (bytes + 3) / 4 : 1;
            send(model, vef_rng_below(&rng, model->endpoints),
                 vef_rng_below(&rng, model->endpoints), bytes,
                 vef_netmodel_cycles_at(model, model->kind->now(model)) + vef_rng_below(&rng, 50),
                 sent);
        }
        const vef_net_delivery *arrived;
        const size_t count = receive(model, &arrived);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++)
            found.digest = (found.digest ^ arrived[i].id) * UINT64_C(0x9e3779b97f4a7c15) +
                           arrived[i].time_cycles;
        found.last_cycles = arrived[0].time_cycles;
        got += count;
    }
    model->kind->counts(model, &found.counts);
    assert_int_equal(found.counts.messages, messages);
    assert_int_equal(found.counts.phits, phits);
    vef_netmodel_destroy(model);
    return found;
}

#define TORUS(more) "{model: flow, topology: {family: torus, sizes: [4, 4]}" more "}"

static void test_a_seed_gives_one_result(void **state) {
    (void)state;
    const outcome one = run(TORUS(""), 2000), again = run(TORUS(""), 2000);
    const outcome other = run(TORUS(", seed: 2"), 2000);
    assert_memory_equal(&one, &again, sizeof one);
    assert_true(one.digest != other.digest);
    assert_int_equal(one.counts.packet_hops, other.counts.packet_hops); /* paths are minimal */
}

/* Neither tolerance nor the number of paths loses anything; Valiant's paths may cross a link
 * twice. */
static void test_everything_arrives(void **state) {
    (void)state;
    run(TORUS(", flow: {tolerance: 0.2}"), 1000);
    run(TORUS(", flow: {paths: 64}, router: {injection_queues: 3}"), 1000);
    run(TORUS(", routing: {algorithm: valiant}"), 1000);
    run(TORUS(", routing: {algorithm: ugal, view: global}"), 1000);
}

/* The phits of all links are those of the messages times their hops, at any time after them. */
static void test_links_carry_the_paths(void **state) {
    (void)state;
    vef_netmodel *model = network_of(TORUS(", packet: {phits: 1}"));
    for (uint32_t e = 0; e < 16; e++)
        send(model, e, (e * 7 + 3) % 16, 400, 0, e);
    const vef_net_delivery *got;
    for (uint32_t left = 16; left > 0;)
        left -= (uint32_t)receive(model, &got);
    vef_net_counts counts;
    model->kind->counts(model, &counts);
    uint64_t crossed = 0;
    for (uint32_t router = 0; router < 16; router++)
        for (uint32_t port = 0; port < 4; port++)
            crossed += model->kind->link_phits(model, router, port);
    assert_int_equal(counts.phits, 1600);
    assert_int_equal(crossed, counts.packet_hops); /* packets of one phit */
    model->kind->begin_figures(model);
    assert_int_equal(model->kind->link_phits(model, 0, 0), 0);
    vef_netmodel_destroy(model);
}

static void test_refusals(void **state) {
    (void)state;
    assert_network_refused(TORUS(", flow: {paths: 0}"), "net.yaml:1");
    assert_network_refused(TORUS(", flow: {paths: 65}"), "64");
    assert_network_refused(TORUS(", flow: {tolerance: 0.6}"), "0.5");
    assert_network_refused(TORUS(", flow: {tolerence: 0.1}"), "tolerance");
    assert_network_refused(TORUS(", routing: {algorithm: destro}"), "destro");
    assert_network_refused("{model: flow}", "topology");
    vef_netmodel *model = network_of(TORUS(""));
    vef_error error = {0};
    vef_net_message message = {.source = 0, .destination = VEF_TO_ALL, .bytes = 1};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_UNSUPPORTED);
    message.destination = 16;
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_INVALID);
    message.destination = 1;
    message.traffic_class = 1;
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_INVALID);
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_on_every_family),
        cmocka_unit_test(test_alone_in_other_ways),
        cmocka_unit_test(test_two_share_a_link),
        cmocka_unit_test(test_a_later_one),
        cmocka_unit_test(test_one_source),
        cmocka_unit_test(test_by_destination),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_queues_hold_the_rest),
        cmocka_unit_test(test_a_seed_gives_one_result),
        cmocka_unit_test(test_everything_arrives),
        cmocka_unit_test(test_links_carry_the_paths),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
