/* Messages as packets with headers, against closed forms: packets, phits and times of a message,
 * payload that a link carries, sizes of phits by default and by a clock; and refused sizes. */
#include "netmodel/router/model.h"
#include "netmodel/traffic/traffic.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* A line of three routers, over which a message alone needs 2 cycles and one for each phit. */
static vef_netmodel *line_of(const char *model, const char *rest) {
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{model: %s, topology: {family: mesh, sizes: [3]}, routing: {algorithm: dor}, %s}",
             model, rest);
    return network_of(yaml);
}

/* Packets of 16 phits of 4 bytes with headers of 10 bytes have room for 54 bytes. The phits of a
 * packet of p bytes are (p + 10) / 4, rounded up. */
static void packets_of_messages(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes, packets, phits;
    } rows[] = {{0, 1, 3},   {1, 1, 3},   {2, 1, 3},    {3, 1, 4},        {53, 1, 16},
                {54, 1, 16}, {55, 2, 19}, {108, 2, 32}, {109, 3, 32 + 3}, {54 * 9, 9, 9 * 16}};
    static const char *const models[] = {"router", "flow"};
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            vef_netmodel *model = line_of(models[m], "packet: {phits: 16, header: 10 B}");
            assert_int_equal(send_alone(model, 0, 2, rows[i].bytes), 2 + rows[i].phits);
            vef_net_counts counts;
            model->kind->counts(model, &counts);
            assert_int_equal(counts.messages, 1);
            assert_int_equal(counts.packets, rows[i].packets);
            assert_int_equal(counts.phits, rows[i].phits);
            vef_netmodel_destroy(model);
        }
}

/* An MTU that does not fill the last phit: 4096 + 30 bytes are 64.5 phits of 64 bytes, but a
 * message of 4097 bytes takes two packets, the second of one phit. */
static void mtu_is_exact(void **state) {
    (void)state;
    vef_netmodel *model = line_of("router", "packet: {mtu: 4 KiB, header: 30 B}");
    assert_int_equal(model->phit_bytes, 64);
    assert_int_equal(model->packet_phits, 65);
    assert_int_equal(model->payload_bytes, 4096);
    assert_int_equal(send_alone(model, 0, 1, 4096), 1 + 65);
    const uint64_t begun = model->kind->now(model);
    assert_int_equal(send_alone(model, 0, 1, 4097) - begun, 1 + 65 + 1);
    vef_netmodel_destroy(model);
}

/* A stream of full packets fills a link: its payload is the share payload / (payload + header) of
 * the bandwidth, where both fill whole phits. */
static void payload_of_a_stream(void **state) {
    (void)state;
    static const struct {
        const char *model;
        uint32_t payload, header;
    } rows[] = {{"router", 56, 8}, {"router", 512, 32}, {"router", 32, 32},
                {"flow", 56, 8},   {"flow", 512, 32},   {"flow", 32, 32}};
    enum { PACKETS = 1000, PHIT = 8 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char rest[128];
        snprintf(rest, sizeof rest, "link: {phit: %d B}, packet: {mtu: %u B, header: %u B}", PHIT,
                 rows[i].payload, rows[i].header);
        vef_netmodel *model = line_of(rows[i].model, rest);
        const double bytes = (double)PACKETS * rows[i].payload;
        const double cycles = (double)send_alone(model, 0, 1, (uint64_t)bytes) - 1;
        assert_near(bytes / PHIT / cycles,
                    rows[i].payload / (double)(rows[i].payload + rows[i].header), 1e-12);
        vef_netmodel_destroy(model);
    }
}

/* ---- phits ---- */

/* The largest power of two of which the packet has at least 64 phits; with a clock, what a link
 * carries in its period. */
static void phits_by_default(void **state) {
    (void)state;
    static const struct {
        const char *rest;
        uint32_t phit, phits;
        double cycle_ns;
    } rows[] = {
        {"packet: {phits: 20}", 4, 20, 32},
        {"link: {bandwidth: 8 Gbit/s}", 4, 16, 4},
        {"link: {bandwidth: 200 Gbit/s}, packet: {bytes: 4 KiB}", 64, 64, 2.56},
        {"link: {bandwidth: 200 Gbit/s}, packet: {bytes: 4095 B}", 64, 64, 2.56},
        {"link: {bandwidth: 200 Gbit/s}, packet: {bytes: 4032 B}", 32, 126, 1.28},
        {"link: {bandwidth: 200 Gbit/s}, packet: {mtu: 4032 B, header: 1 B}", 64, 64, 2.56},
        {"link: {bandwidth: 2 GB/s}, packet: {bytes: 64 B}", 1, 64, 0.5},
        {"link: {bandwidth: 2 GB/s}, packet: {bytes: 3 B}", 1, 3, 0.5},
        {"link: {bandwidth: 2 GB/s, clock: 500 MHz}, packet: {bytes: 544 B}", 4, 136, 2},
        {"link: {bandwidth: 6.8 GB/s, clock: 425 MHz}", 16, 16, 1 / 0.425},
        /* 10.42 bytes in a period become 10, and the period 0.8 ns. */
        {"link: {bandwidth: 100 Gbit/s, clock: 1.2 GHz}", 10, 16, 0.8},
        /* Of the fastest link. */
        {"link: {bandwidth: 1 GB/s, clock: 1 GHz, classes: {x: {bandwidth: 4 GB/s}}}", 4, 16, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *model = line_of("router", rows[i].rest);
        assert_int_equal(model->phit_bytes, rows[i].phit);
        assert_int_equal(model->packet_phits, rows[i].phits);
        assert_near(vef_netmodel_cycle_ns(model), rows[i].cycle_ns, 1e-12);
        vef_netmodel_destroy(model);
    }
}

/* The resolved configuration has the chosen phit and every packet, and reads back as the same. */
static void resolved_reads_back(void **state) {
    (void)state;
    char *text = resolved_of(
        "{topology: {family: mesh, sizes: [3]}, link: {bandwidth: 25 GB/s, clock: 1 GHz}, packet: "
        "{mtu: 4 KiB, header: 30 B}}");
    assert_non_null(strstr(text, "phit: 25 B\n"));
    assert_non_null(strstr(text, "phits: 166\n"));
    assert_non_null(strstr(text, "header: 30 B\n"));
    assert_non_null(strstr(text, "mtu: 4 KiB\n"));
    vef_netmodel *model = network_of(text);
    assert_int_equal(model->payload_bytes, 4096);
    vef_netmodel_destroy(model);
    free(text);
}

/* The command line overrides the file, whichever of the keys of a size each gives. */
static void command_line_overrides(void **state) {
    (void)state;
    static const struct {
        const char *packet, *set;
        uint64_t payload;
    } rows[] = {
        {"{phits: 16}", "packet.mtu=100 B", 100},    {"{bytes: 64 B}", "packet.mtu=100 B", 100},
        {"{mtu: 100 B}", "packet.bytes=64 B", 56},   {"{mtu: 100 B}", "packet.phits=4", 4 * 4 - 8},
        {"{mtu: 100 B}", "packet.header=16 B", 100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[256];
        vef_error error = {0};
        vef_netmodel *model = NULL;
        snprintf(yaml, sizeof yaml,
                 "{topology: {family: mesh, sizes: [3]}, packet: %s, link: {phit: 4 B}}",
                 rows[i].packet);
        const char *const overrides[] = {"packet.header=8 B", rows[i].set};
        if (vef_netmodel_open(yaml, overrides, 2, &model, &error) != VEF_OK)
            fail_msg("%s %s: %s", rows[i].packet, rows[i].set, error.message);
        assert_int_equal(model->payload_bytes, rows[i].payload);
        vef_netmodel_destroy(model);
    }
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"packet: {header: 64 B}",
         "net.yaml:2:18: packet.header: 64 B leaves no room for payload in packets of 64 B: "
         "expected at most 63 B"},
        {"packet: {phits: 16, mtu: 100 B}",
         "net.yaml:2:17: packet.mtu: a payload of 100 B and a header of 0 B make packets of 25 "
         "phits of 4 B, the given size is 16 phits"},
        {"link: {phit: 4 B}\npacket: {mtu: 1 MB}",
         "packet.mtu, with its header: 1 MB is 250000 phits of 4 B: out of range: expected at most "
         "65535 phits, which hold 262140 B, or a link.phit of at least 16 B"},
        {"link: {phit: 4 B}\npacket: {mtu: 262111 B, header: 30 B}",
         "expected at most 65535 phits, which hold 262110 B, or a link.phit of at least 5 B"},
        {"link: {delay: 10 s}",
         "link.delay: 10 s is 312500000 cycles of 32 ns: out of range: expected at most 1048576 "
         "cycles, 33554432 ns"},
        {"packet: {mtu: 0 B}", "mtu: expected a size such as 64 KiB from 1 B to 1 TB, or auto"},
        {"link: {phit: 4 B, clock: 1 GHz}", "phit and clock are both given"},
        {"link: {clock: 1 GHz}",
         "net.yaml:2:15: link.clock: in a cycle of 1 GHz a link of 1 Gbit/s carries less than a "
         "byte: expected at most 125 MHz"},
        {"link: {clock: 119 Hz}", "carries more than 1 MiB: expected at least 120 Hz"},
        {"packet: {payload: 100 B}", "did you mean mtu"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "topology: {family: mesh, sizes: [4]}\n%s\n", rows[i].yaml);
        assert_network_refused(yaml, rows[i].says);
    }
}

/* ---- synthetic traffic ---- */

/* Lengths of messages in phits include headers: 16 phits are one packet of 54 bytes, 19 a second
 * one of 2 bytes more. Sizes are payload. */
static void lengths_of_messages(void **state) {
    (void)state;
    static const struct {
        const char *lengths;
        uint64_t bytes; /* 0: refused */
        const char *says;
    } rows[] = {
        {"16", 54, NULL},
        {"3", 2, NULL},
        {"4", 6, NULL},
        {"19", 54 + 2, NULL},
        {"32", 108, NULL},
        {"1 KiB", 1024, NULL},
        {"2", 0, "no room for more than its header of 10 bytes: expected 3 phits"},
        {"18", 0, "expected 16 or 19 phits"},
    };
    vef_netmodel *model = line_of("router", "packet: {phits: 16, header: 10 B}");
    vef_arena arena = {0};
    vef_error error = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_traffic_settings settings = {.rate = 0.5,
                                         .packets = vef_netmodel_packets(model),
                                         .traffic_classes = 1,
                                         .process = vef_processes[0]};
        vef_pattern *pattern = NULL;
        vef_traffic *stream = NULL;
        assert_int_equal(vef_pattern_create(NULL, NULL, model->topology, &pattern, &error), VEF_OK);
        assert_int_equal(vef_lengths_read(rows[i].lengths, &arena, &settings.lengths,
                                          &settings.length_count, &error),
                         VEF_OK);
        assert_int_equal(
            vef_process_read(NULL, &arena, &settings.process, &settings.process_parameters, &error),
            VEF_OK);
        settings.pattern = pattern;
        const vef_code code = vef_traffic_create(&settings, &stream, &error);
        if (rows[i].bytes > 0) {
            vef_net_message message;
            assert_int_equal(code, VEF_OK);
            vef_traffic_next(stream, &message);
            assert_int_equal(message.bytes, rows[i].bytes);
        } else {
            assert_int_equal(code, VEF_INVALID);
            if (!strstr(error.message, rows[i].says))
                fail_msg("%s: %s", rows[i].lengths, error.message);
        }
        vef_traffic_destroy(stream);
        vef_pattern_destroy(pattern);
    }
    vef_arena_release(&arena);
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_messages),
        cmocka_unit_test(mtu_is_exact),
        cmocka_unit_test(payload_of_a_stream),
        cmocka_unit_test(phits_by_default),
        cmocka_unit_test(resolved_reads_back),
        cmocka_unit_test(command_line_overrides),
        cmocka_unit_test(refused),
        cmocka_unit_test(lengths_of_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
