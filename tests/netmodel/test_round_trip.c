/* Queues and the round trip of credits: throughput of a link against its closed form, default
 * lengths, warnings; and the parameters that are times and sizes instead of cycles and phits. */
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const vef_network *core_of(const vef_netmodel *model) {
    return (const vef_network *)model;
}

/* ---- throughput ---- */

/* Over one link with queues of Q packets of L phits a packet is granted L cycles after the one
 * before it, and not before the place of the one Q before it is back: R = L + hop + credit delay
 * after that one was granted. */
static void link_throughput(void **state) {
    (void)state;
    enum {
        L = 16,
        ROUTER = 50,
        LINK = 30,
        CREDIT = 20,
        R = L + ROUTER + LINK + CREDIT,
        ROUNDS = 9
    };
    for (unsigned Q = 1; Q <= 10; Q++) {
        char yaml[512];
        snprintf(
            yaml, sizeof yaml,
            "{topology: {family: mesh, sizes: [2]}, routing: {algorithm: dor, channels: 1}, "
            "router: {queue_packets: %u, delay_cycles: %d, arbiter: oldest}, link: {phit: 1 B, "
            "delay_cycles: %d, credit_delay_cycles: %d}, packet: {phits: %d}}",
            Q, ROUTER, LINK, CREDIT, L);
        vef_netmodel *model = network_of(yaml);
        const uint64_t round = Q * L > R ? Q * L : R;
        const uint64_t last_grant = (ROUNDS - 1) * round + (Q - 1) * L;
        assert_int_equal(send_alone(model, 0, 1, (uint64_t)ROUNDS * Q * L),
                         last_grant + ROUTER + LINK + L);
        assert_int_equal(model->warnings.count, Q * L < R);
        if (Q * L < R) {
            char has[32], needs[32];
            snprintf(has, sizeof has, "of %u phits", Q * L);
            snprintf(needs, sizeof needs, "%d phits", R);
            assert_non_null(strstr(model->warnings.values[0], has));
            assert_non_null(strstr(model->warnings.values[0], needs));
            assert_non_null(strstr(model->warnings.values[0], "router.queue_packets"));
        }
        vef_netmodel_destroy(model);
    }
}

/* Packets go on by turns over two links that take 2 cycles for a phit, after one that takes 1. A
 * queue passes on one packet at a time: packet k leaves it from `leaves`[k], when it has come and
 * the packet before it has left over its link, which takes 2 L cycles; then its place is free.
 * Packet k is granted L cycles after packet k - 1, and not before the place of packet k - Q is
 * back. From (0, 1) on a mesh of 2 by 3, to (1, 0) and (1, 2). */
static void next_link_throughput(void **state) {
    (void)state;
    enum { L = 16, ROUTER = 20, LINK = 8, CREDIT = 9, PACKETS = 48, MOST = 6 };
    for (unsigned Q = 1; Q <= MOST; Q++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "{topology: {family: mesh, sizes: [2, 3]}, routing: {algorithm: dor}, router: "
                 "{queue_packets: %u, delay_cycles: %d, arbiter: oldest}, link: {phit: 1 B, "
                 "bandwidth: 2 Gbit/s, delay_cycles: %d, credit_delay_cycles: %d, classes: {y: "
                 "{bandwidth: 1 Gbit/s}}}, packet: {phits: %d}}",
                 Q, ROUTER, LINK, CREDIT, L);
        vef_netmodel *model = network_of(yaml);
        vef_error error = {0};
        const vef_net_delivery *got;
        size_t count, delivered = 0;
        uint64_t last = 0;
        for (unsigned i = 0; i < PACKETS; i++) {
            const vef_net_message message = {
                .source = 2, .destination = i % 2 ? 5 : 1, .bytes = L, .id = i};
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        }
        while (delivered < PACKETS) {
            assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error),
                             VEF_OK);
            assert_true(count > 0);
            delivered += count;
            last = got[count - 1].time_cycles;
        }
        uint64_t granted = 0, leaves[PACKETS];
        for (unsigned k = 0; k < PACKETS; k++) {
            const uint64_t back = k < Q ? 0 : leaves[k - Q] + 2 * L + CREDIT;
            granted = k == 0 ? 0 : granted + L > back ? granted + L : back;
            leaves[k] = granted + ROUTER + LINK;
            if (k > 0 && leaves[k] < leaves[k - 1] + 2 * L)
                leaves[k] = leaves[k - 1] + 2 * L;
        }
        assert_int_equal(last, leaves[PACKETS - 1] + ROUTER + LINK + 2 * L);
        /* One round trip for each place, R = 2 L + hop + credit delay, or one packet in 2 L. */
        const uint64_t spacing = leaves[PACKETS - 1] - leaves[PACKETS - 1 - Q];
        const uint64_t R = 2 * L + ROUTER + LINK + CREDIT;
        assert_int_equal(spacing, Q * 2 * L > R ? Q * 2 * L : R);
        vef_netmodel_destroy(model);
    }
}

/* Shares of a port's room are shorter than a round trip of 26 phits where a queue gets 20. */
static void shares_are_warned_of(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{topology: {family: mesh, sizes: [2]}, routing: {algorithm: dor, channels: 2}, "
        "router: {delay_cycles: 15, buffer: {per_port_phits: 40}}, packet: {phits: 10}}");
    assert_int_equal(model->warnings.count, 1);
    assert_non_null(strstr(model->warnings.values[0], "router.buffer.per_port_phits"));
    assert_non_null(strstr(model->warnings.values[0], "20 phits"));
    assert_non_null(strstr(model->warnings.values[0], "26 phits"));
    vef_netmodel_destroy(model);
}

/* ---- default lengths ---- */

/* 79 cycles of router and 1 of link beside packets of 32 phits: 112 / 32 = 3.5, so 4 packets; and
 * the 2 that a packet needs to enter a ring, or 1 where no ring keeps a bubble. */
static void default_lengths(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        uint32_t least, most;
    } rows[] = {
        {"{topology: {family: torus, sizes: [8]}, routing: {algorithm: dor}, "
         "router: {delay_cycles: 79}, packet: {phits: 32}}",
         6, 6},
        {"{topology: {family: mesh, sizes: [8]}, routing: {algorithm: dor}, "
         "router: {delay_cycles: 79}, packet: {phits: 32}}",
         5, 5},
        /* The defaults of the papers: 1 + 16 cycles are 2 packets of 16 phits; with 2 more, 4. */
        {"{topology: {family: torus, sizes: [8, 8]}}", 4, 4},
        {"{topology: {family: mesh, sizes: [8, 8]}}", 4, 4},
        /* x: 16 + 1 cycles. y: 16 + 64 are 5 packets. */
        {"{topology: {family: mesh, sizes: [4, 4]}, routing: {algorithm: dor}, "
         "link: {classes: {y: {delay_cycles: 40, credit_delay_cycles: 24}}}}",
         4, 6},
        /* y: 16 + 46 cycles are 4 packets of 16, and 1. x takes 3 cycles for a phit: its head comes
         * 2 later, but 48 + 48 cycles are 2 packets of 48, and 4 is the least. */
        {"{topology: {family: mesh, sizes: [4, 4]}, routing: {algorithm: dor}, link: {bandwidth: 3 "
         "Gbit/s, delay_cycles: 46, classes: {x: {bandwidth: 1 Gbit/s}}}}",
         4, 5},
        /* Parts of packets: places are phits. 10 + 30 are 4 packets of 10. */
        {"{topology: {family: mesh, sizes: [4]}, routing: {algorithm: dor}, packet: {phits: 10}, "
         "router: {flow_control: virtual-channels, buffer: {unit_phits: 1}}, link: {delay_cycles: "
         "30}}",
         50, 50},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *model = network_of(rows[i].yaml);
        assert_int_equal(core_of(model)->buffers.least, rows[i].least);
        assert_int_equal(core_of(model)->buffers.most, rows[i].most);
        assert_int_equal(model->warnings.count, 0);
        vef_netmodel_destroy(model);
    }
}

/* Queues of long links have more places, which is no reason to prefer long links: of two paths that
 * are free the first offered is taken, whichever has the longer queues. */
static void long_links_are_not_preferred(void **state) {
    (void)state;
    static const char *const classes[] = {"x", "y"};
    uint64_t took[2];
    for (int i = 0; i < 2; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "{topology: {family: mesh, sizes: [2, 2]}, routing: {algorithm: minimal}, router: "
                 "{arbiter: oldest}, link: {classes: {%s: {delay_cycles: 500}}}}",
                 classes[i]);
        vef_netmodel *model = network_of(yaml);
        send_alone(model, 0, 3, 4);
        took[i] = model->kind->link_phits(model, 0, 0);
        vef_netmodel_destroy(model);
    }
    assert_int_equal(took[0], took[1]);
}

/* ---- times and sizes ---- */

/* A phit of 4 B at 100 Gbit/s: 0.32 ns. 100 ns are 312.5 cycles, 50 ns 156.25, 16 ns 50. */
static void times_become_cycles(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{topology: {family: mesh, sizes: [4, 4]}, routing: {algorithm: dor}, router: {delay: 100 "
        "ns}, link: {bandwidth: 100 Gbps, phit: 4 B, delay: 50 ns, credit_delay: 16 ns, classes: "
        "{y: {delay: "
        "0.1 us}}}, packet: {bytes: 510 B}}");
    const vef_net_timing *timing = &model->timing;
    assert_true(fabs(timing->cycle_ns - 0.32) < 1e-12);
    assert_int_equal(timing->router_delay_cycles, 313);
    assert_int_equal(timing->link_delay_cycles.least, 157);
    assert_int_equal(timing->link_delay_cycles.most, 313);
    assert_int_equal(timing->credit_delay_cycles.least, 50);
    assert_int_equal(timing->credit_delay_cycles.most, 50);
    assert_int_equal(timing->packet_phits, 128);
    assert_int_equal(timing->round_trip_phits.least, 128 + 313 + 157 + 50);
    assert_int_equal(timing->round_trip_phits.most, 128 + 313 + 313 + 50);
    vef_netmodel_destroy(model);
}

/* A cycle is that of the fastest link, whichever section gives its bandwidth. */
static void cycles_are_of_the_fastest_link(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{topology: {family: mesh, sizes: [4, 4]}, router: {delay: 10 ns}, link: "
        "{bandwidth: 10 Gb/s, phit: 5 B, classes: {x: {bandwidth: 40 Gb/s}}}}");
    assert_true(fabs(model->timing.cycle_ns - 1) < 1e-12);
    assert_int_equal(model->timing.router_delay_cycles, 10);
    vef_netmodel_destroy(model);
}

/* The resolved configuration is in cycles and phits, and reads back as the same. */
static void resolved_reads_back(void **state) {
    (void)state;
    char *text = resolved_of(
        "{topology: {family: mesh, sizes: [4, 4]}, router: {delay: 100 ns}, link: {bandwidth: 100 "
        "Gbit/s, phit: 4 B, delay: 50 ns, classes: {y: {credit_delay: 5 ns}}}, packet: {bytes: 512 "
        "B}}");
    assert_non_null(strstr(text, "delay_cycles: 313\n"));
    assert_non_null(strstr(text, "delay_cycles: 157\n"));
    assert_non_null(strstr(text, "phits: 128\n"));
    assert_null(strstr(text, "delay: "));
    free(text);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"router: {delay_cycles: 3,\n  delay: 100 ns}",
         "net.yaml:3:10: router: delay_cycles and delay are both given"},
        {"packet: {bytes: 64 B, phits: 3}", "net.yaml:2:30: packet: phits and bytes are both"},
        {"link: {delay: 1}", "delay: '1' has no unit"},
        {"link: {delay: 1 s}", "net.yaml:2:15: link.delay: 1 s is 31250000 cycles of 32 ns"},
        {"link: {classes: {x: {delay: 1 s}}}", "link.classes: x: delay: 1 s is 31250000 cycles"},
        {"link: {phit: 4 B}\npacket: {bytes: 1 MB}",
         "net.yaml:3:17: packet.bytes: 1 MB is 250000 phits of 4 B"},
        {"packet: {bytes: 0 B}", "bytes: expected a size"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512];
        vef_error error = {0};
        snprintf(yaml, sizeof yaml, "topology: {family: mesh, sizes: [4]}\n%s\n", rows[i].yaml);
        assert_int_equal(network_refused(yaml, &error), VEF_INVALID);
        if (!strstr(error.message, rows[i].says))
            fail_msg("%s gave: %s", rows[i].yaml, error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_throughput),
        cmocka_unit_test(next_link_throughput),
        cmocka_unit_test(shares_are_warned_of),
        cmocka_unit_test(default_lengths),
        cmocka_unit_test(long_links_are_not_preferred),
        cmocka_unit_test(times_become_cycles),
        cmocka_unit_test(cycles_are_of_the_fastest_link),
        cmocka_unit_test(resolved_reads_back),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
