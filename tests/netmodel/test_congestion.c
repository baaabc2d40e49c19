/* Congestion control against closed forms: the throughput of a window, packets between which a
 * source waits, messages that a closed window does not hold back; and the section of network files.
 * (test_reference_congestion.c compares whole networks with the phit-level reference.) */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { ENDPOINTS = 8, PHITS = 16, PHIT_BYTES = 4, ROUTER_DELAY = 2, LINK_DELAY = 3 };
enum { HOP = ROUTER_DELAY + LINK_DELAY };

/* A row of routers, whose number is their position. */
static vef_netmodel *row_with(const char *congestion) {
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: {family: mesh, sizes: [%d]}, routing: {algorithm: dor}, router: "
             "{delay_cycles: %d}, link: {delay_cycles: %d, phit: %d B}, packet: {phits: %d}, "
             "congestion: %s}",
             ENDPOINTS, ROUTER_DELAY, LINK_DELAY, PHIT_BYTES, PHITS, congestion);
    return network_of(yaml);
}

/* When `packets` of the largest size, all ready at time 0, have arrived `hops` away. */
static uint64_t time_of(const char *congestion, uint32_t hops, uint32_t packets) {
    vef_netmodel *model = row_with(congestion);
    const uint64_t time = send_alone(model, 0, hops, (uint64_t)packets * PHITS * PHIT_BYTES);
    vef_netmodel_destroy(model);
    return time;
}

/* A window of W packets of L phits and a round trip of R cycles: packet k W + i is granted at k R +
 * i L, if W L <= R; else the link is always busy. So the load is min(1, W L / R). */
static void test_load_of_a_window(void **state) {
    (void)state;
    enum { TRIPS = 6 };
    for (uint32_t hops = 1; hops < ENDPOINTS; hops++)
        for (uint32_t window = 1; window <= 8; window++)
            for (uint32_t given = 0; given < 200; given = given ? given * 4 : 1) {
                char congestion[128], delay[16] = "auto";
                if (given > 0)
                    snprintf(delay, sizeof delay, "%u", given);
                snprintf(congestion, sizeof congestion,
                         "{policy: window, window_packets: %u, ack_delay_cycles: %s}", window,
                         delay);
                const uint64_t way = hops * HOP, trip = way + PHITS + (given ? given : way);
                const uint64_t last = window * PHITS <= trip
                                          ? (TRIPS - 1) * trip + (window - 1) * PHITS
                                          : (uint64_t)(TRIPS * window - 1) * PHITS;
                assert_int_equal(time_of(congestion, hops, TRIPS * window), last + way + PHITS);
            }
}

/* Every packet that crosses a link is marked. The window falls from 1 to 1/2 to 1/4, so the source
 * sends after twice and then after four times the round trip. */
static void test_waits_between_packets(void **state) {
    (void)state;
    for (uint32_t hops = 1; hops < ENDPOINTS; hops++)
        for (uint32_t packets = 3; packets < 7; packets++) {
            const uint64_t way = hops * HOP, trip = 2 * way + PHITS;
            const uint64_t last = trip * (2 + 4 * (packets - 2));
            assert_int_equal(time_of("{policy: ecn, queue_share: 0, window_packets: 1, decrease: "
                                     "0.5, least_window_packets: 0.25}",
                                     hops, packets),
                             last + way + PHITS);
        }
}

/* Rates, with marks on all packets, one packet on its way at once, and an estimate that stays 1:
 * each ack halves the rate, down to an eighth, and a packet waits L / R after the one before it. */
static void test_rates_fall(void **state) {
    (void)state;
    for (uint32_t hops = 1; hops <= 3; hops++) {
        const uint64_t trip = hops * HOP + PHITS + 1;
        uint64_t last = trip; /* the second packet, with half the rate */
        for (uint32_t packets = 3, wait = 2; packets < 8;
             packets++, wait = wait < 8 ? 2 * wait : 8) {
            last += wait * PHITS;
            assert_int_equal(time_of("{policy: dcqcn, queue_share: 0, most_share: 0, "
                                     "window_packets: 1, ack_delay_cycles: 1, notice_cycles: 0, "
                                     "least_share: 0.125}",
                                     hops, packets),
                             last + hops * HOP + PHITS);
        }
    }
}

/* One notice alone: half the rate for T cycles, then by fast recovery 3/4, 7/8, … of it, for which
 * L / R is less than the round trip. */
static void test_rates_recover(void **state) {
    (void)state;
    enum { STEP = 100 };
    for (uint32_t hops = 2; hops <= 3; hops++) {
        const uint64_t trip = hops * HOP + PHITS + 1; /* 27 or 32; L / R is 32, 22, 19, … */
        uint64_t last = trip;
        for (uint32_t packets = 3; packets < 12; packets++) {
            last += last - trip < STEP ? 2 * PHITS : trip;
            assert_int_equal(time_of("{policy: dcqcn, queue_share: 0, most_share: 0, "
                                     "window_packets: 1, ack_delay_cycles: 1, notice_cycles: "
                                     "1000000, increase_time_cycles: 100}",
                                     hops, packets),
                             last + hops * HOP + PHITS);
        }
    }
}

/* Without marks a window of one packet stays: every packet is sent after a round trip. */
static void test_no_marks(void **state) {
    (void)state;
    assert_int_equal(time_of("{policy: ecn, queue_share: 1, window_packets: 1}", 3, 5),
                     4 * (6 * HOP + PHITS) + 3 * HOP + PHITS);
}

/* A packet to its own router crosses no link: its source knows a cycle after the delivery. */
static void test_own_router(void **state) {
    (void)state;
    assert_int_equal(time_of("{policy: window, window_packets: 1}", 0, 4), 3 * (PHITS + 1) + PHITS);
}

static void inject(vef_netmodel *model, uint32_t destination, uint32_t packets, uint64_t id) {
    vef_error error;
    const vef_net_message message = {.source = 0,
                                     .destination = destination,
                                     .bytes = (uint64_t)packets * PHITS * PHIT_BYTES,
                                     .id = id};
    if (model->kind->inject(model, &message, &error))
        fail_msg("%s", error.message);
}

/* A message whose window is closed does not hold back one to another destination, which enters
 * right behind its first packet; of one destination the messages keep their order. */
static void test_messages_pass_those_that_wait(void **state) {
    (void)state;
    enum { FAR = 7, NEAR = 2, MANY = 5 };
    vef_netmodel *model = row_with("{policy: window, window_packets: 1}");
    inject(model, FAR, MANY, 0);
    inject(model, FAR, 1, 1);
    inject(model, NEAR, 1, 2);
    uint64_t times[3];
    for (uint32_t left = 3; left > 0;) {
        const vef_net_delivery *got;
        size_t count;
        vef_error error;
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++, left--)
            times[got[i].id] = got[i].time_cycles;
    }
    const uint64_t trip = 2 * FAR * HOP + PHITS;
    assert_int_equal(times[2], PHITS + NEAR * HOP + PHITS);
    assert_int_equal(times[0], (MANY - 1) * trip + FAR * HOP + PHITS);
    assert_int_equal(times[1], MANY * trip + FAR * HOP + PHITS);
    assert_int_equal(model->kind->waiting(model, 0), 0);
    vef_netmodel_destroy(model);
}

/* Everything arrives with any policy, even where it admits only to an idle neighbourhood. */
static void test_everything_arrives(void **state) {
    (void)state;
    static const char *const policies[] = {
        "{policy: throttle, queue_share: 0}",
        "{policy: throttle}",
        "{policy: window}",
        "{policy: window, window_packets: 1, ack_delay: 100 us}",
        "{policy: ecn}",
        "{policy: ecn, queue_share: 0, decrease: 0, increase_packets: 0}",
        "{policy: dcqcn}",
        "{policy: dcqcn, queue_share: 0, most_share: 0, increase_share: 0, notice_cycles: 0}",
    };
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{topology: {family: torus, sizes: [4, 4]}, congestion: %s}",
                 policies[i]);
        vef_netmodel *model = network_of(yaml);
        const traffic load = {
            .messages = 2000, .spread_cycles = 2000, .most_bytes = 300, .seed = i};
        free(run_random(model, &load));
        vef_netmodel_destroy(model);
        free(resolved_of(yaml));
    }
}

#define TORUS "topology: {family: torus, sizes: [4, 4]}"

static void test_refusals(void **state) {
    (void)state;
    assert_network_refused("{" TORUS ", congestion: {policy: dctcp}}", "did you mean ecn?");
    assert_network_refused("{" TORUS ", congestion: {window_packets: 3}}", "missing policy");
    assert_network_refused("{" TORUS ", congestion: {policy: window, queue_share: 0.5}}",
                           "queue_share");
    assert_network_refused("{" TORUS
                           ", packet: {mtu: 4 KiB}, congestion: {policy: window, "
                           "window: 4095 B}}",
                           "expected 4 KiB");
    assert_network_refused("{" TORUS
                           ", congestion: {policy: window, window: 1 KiB, "
                           "window_packets: 3}}",
                           "expected one of them");
    assert_network_refused("{" TORUS ", congestion: {policy: window, window_packets: 0}}",
                           "congestion policy window");
    assert_network_refused("{" TORUS ", congestion: {policy: window, ack_delay: 1 s}}",
                           "congestion.ack_delay");
    assert_network_refused("{" TORUS
                           ", congestion: {policy: window, ack_delay: 1 us, ack_delay_cycles: 3}}",
                           "ack_delay");
    assert_network_refused("{" TORUS
                           ", congestion: {policy: ecn}, router: {injection: dimension-order}}",
                           "expected most-free");
    assert_network_refused("{model: flow, " TORUS ", congestion: {policy: window}}",
                           "congestion: not supported with model: flow: expected model: router");
    assert_network_refused("{model: ideal, congestion: {policy: window}}", "congestion");
    assert_network_refused("{model: loggp, congestion: {policy: window}}", "congestion");
    vef_netmodel_destroy(network_of(
        "{" TORUS ", congestion: {policy: throttle}, router: {injection: dimension-order}}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load_of_a_window),
        cmocka_unit_test(test_waits_between_packets),
        cmocka_unit_test(test_rates_fall),
        cmocka_unit_test(test_rates_recover),
        cmocka_unit_test(test_no_marks),
        cmocka_unit_test(test_own_router),
        cmocka_unit_test(test_messages_pass_those_that_wait),
        cmocka_unit_test(test_everything_arrives),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
