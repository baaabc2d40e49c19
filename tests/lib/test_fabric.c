/* vef/network.h: times by the closed form of MODEL.md, and what a program may not ask. */
#include <vef/network.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static vef_fabric *open_text(const char *network) {
    vef_failure failure;
    vef_fabric_options options = VEF_SIZED(vef_fabric_options);
    options.network = network;
    vef_fabric *fabric = NULL;
    if (vef_fabric_open(&options, &fabric, &failure) != VEF_FAILURE_NONE)
        fail_msg("%s", failure.text);
    return fabric;
}

/* Across 3 links of a line with router delay 0 and link delay 1: a packet of M phits arrives 3 + (M
 * - 1)
 * + 1 cycles after its injection. 64 bytes are 16 phits of 4 bytes. */
static void closed_form(void **state) {
    (void)state;
    vef_fabric *fabric = open_text(
        "{topology: {family: mesh, sizes: [4]}, endpoints_per_router: 1, "
        "router: {delay_cycles: 0}, link: {delay_cycles: 1, phit: 4 B, bandwidth: 32 "
        "Gbit/s}, packet: {phits: 16}}");
    uint64_t ps, parts;
    vef_fabric_cycle(fabric, &ps, &parts);
    assert_int_equal(ps, 1000);
    assert_int_equal(parts, 1);
    assert_int_equal(vef_fabric_endpoints(fabric), 4);
    assert_int_equal(vef_fabric_routers(fabric), 4);
    const vef_fabric_message message = {
        .id = 77, .time_cycles = 10, .bytes = 64, .source = 0, .destination = 3};
    assert_int_equal(vef_fabric_inject(fabric, &message, NULL), VEF_FAILURE_NONE);
    const vef_fabric_delivery *deliveries;
    size_t count;
    assert_int_equal(vef_fabric_advance(fabric, 20, &deliveries, &count, NULL), VEF_FAILURE_NONE);
    assert_int_equal(count, 0);
    assert_int_equal(vef_fabric_now(fabric), 20);
    assert_int_equal(vef_fabric_advance(fabric, VEF_NEVER, &deliveries, &count, NULL),
                     VEF_FAILURE_NONE);
    assert_int_equal(count, 1);
    assert_int_equal(deliveries[0].id, 77);
    assert_int_equal(deliveries[0].endpoint, 3);
    assert_int_equal(deliveries[0].time_cycles, 10 + 3 + 15 + 1);
    vef_fabric_figures figures = VEF_SIZED(vef_fabric_figures);
    assert_int_equal(vef_fabric_measure(fabric, &figures, NULL), VEF_FAILURE_NONE);
    assert_int_equal(figures.messages, 1);
    assert_int_equal(figures.packet_hops, 3);
    uint32_t links = 0, crossed = 0;
    for (uint32_t router = 0; router < 4; router++)
        for (uint32_t port = 0; port < vef_fabric_ports(fabric); port++) {
            vef_fabric_link link;
            if (!vef_fabric_get_link(fabric, router, port, &link))
                continue;
            links++;
            crossed += link.phits == 16 && link.to_router == router + 1;
        }
    assert_int_equal(links, 6);
    assert_int_equal(crossed, 3);
    vef_fabric_close(fabric);
}

/* Three messages wait in their source until they have left it; a reset forgets what has arrived. */
static void sources(void **state) {
    (void)state;
    vef_fabric *fabric = open_text("{topology: {family: mesh, sizes: [4]}}");
    const vef_fabric_delivery *deliveries;
    size_t count, arrived = 0;
    char text[64] = "?";
    for (uint64_t id = 0; id < 3; id++) {
        const vef_fabric_message message = {.id = id, .bytes = 4096, .source = 1, .destination = 2};
        assert_int_equal(vef_fabric_inject(fabric, &message, NULL), VEF_FAILURE_NONE);
    }
    assert_int_equal(vef_fabric_waiting(fabric, 1), 3);
    assert_int_equal(vef_fabric_waiting(fabric, 0), 0);
    assert_int_equal(vef_fabric_waiting(fabric, 4), 0);
    do {
        assert_int_equal(vef_fabric_advance(fabric, VEF_NEVER, &deliveries, &count, NULL),
                         VEF_FAILURE_NONE);
        arrived += count;
        assert_in_range(vef_fabric_waiting(fabric, 1), 0, 3 - arrived);
    } while (count > 0);
    assert_int_equal(arrived, 3);
    assert_false(vef_fabric_deadlock(fabric, text, sizeof text));
    assert_string_equal(text, "");
    vef_fabric_figures figures = VEF_SIZED(vef_fabric_figures);
    assert_int_equal(vef_fabric_measure(fabric, &figures, NULL), VEF_FAILURE_NONE);
    assert_int_equal(figures.messages, 3);
    vef_fabric_reset(fabric);
    assert_int_equal(vef_fabric_measure(fabric, &figures, NULL), VEF_FAILURE_NONE);
    assert_int_equal(figures.messages, 0);
    assert_int_equal(figures.since_cycles, vef_fabric_now(fabric));
    vef_fabric_close(fabric);
}

static void refused(vef_fabric *fabric, vef_fabric_message message, const char *words) {
    vef_failure failure = {0};
    assert_int_equal(vef_fabric_inject(fabric, &message, &failure), VEF_FAILURE_INVALID);
    if (!strstr(failure.text, words))
        fail_msg("expected '%s' in: %s", words, failure.text);
}

static void wrong_messages(void **state) {
    (void)state;
    vef_fabric *fabric = open_text("{topology: {family: torus, sizes: [4, 4]}}");
    const vef_fabric_delivery *deliveries;
    size_t count;
    assert_int_equal(vef_fabric_advance(fabric, 100, &deliveries, &count, NULL), VEF_FAILURE_NONE);
    assert_int_equal(count, 0);
    refused(fabric, (vef_fabric_message){.destination = 16, .time_cycles = 100},
            "endpoint 16: out of range: the network has 16");
    refused(fabric, (vef_fabric_message){.source = UINT32_MAX, .time_cycles = 100}, "out of range");
    refused(fabric, (vef_fabric_message){.destination = 1, .time_cycles = 99}, "reached cycle 100");
    refused(fabric, (vef_fabric_message){.destination = 1, .time_cycles = VEF_NEVER},
            "out of range");
    refused(fabric,
            (vef_fabric_message){.destination = 1, .time_cycles = 100, .traffic_class = 300},
            "traffic class 300");
    vef_fabric_figures small = {.size = 8};
    assert_int_equal(vef_fabric_measure(fabric, &small, NULL), VEF_FAILURE_INVALID);
    vef_fabric_close(fabric);
    vef_fabric_close(NULL);
}

static void wrong_networks(void **state) {
    (void)state;
    vef_failure failure = {0};
    vef_fabric *fabric = NULL;
    vef_fabric_options options = VEF_SIZED(vef_fabric_options);
    assert_int_equal(vef_fabric_open(&options, &fabric, &failure), VEF_FAILURE_INVALID);
    options.network = "{topology: {family: tours}}";
    assert_int_equal(vef_fabric_open(&options, &fabric, &failure), VEF_FAILURE_INVALID);
    assert_non_null(strstr(failure.text, "did you mean torus?"));
    options.network = "/no/such/file.yaml";
    assert_int_equal(vef_fabric_open(&options, &fabric, &failure), VEF_FAILURE_IO);
    assert_null(fabric);
}

/* 4 bytes at 56 Gbit/s take 4000/7 ps; an odd bandwidth is met to within 10^-8. Models without
 * routers have cycles of 1 ps. */
static void cycles(void **state) {
    (void)state;
    uint64_t ps, parts;
    vef_fabric *fabric = open_text(
        "{topology: {family: torus, sizes: [3]}, link: {bandwidth: 56 Gbit/s, phit: 4 B}}");
    vef_fabric_cycle(fabric, &ps, &parts);
    assert_int_equal(ps, 4000);
    assert_int_equal(parts, 7);
    vef_fabric_close(fabric);
    fabric = open_text(
        "{topology: {family: torus, sizes: [3]}, link: {bandwidth: 12345678901 bit/s, phit: 4 B}}");
    vef_fabric_cycle(fabric, &ps, &parts);
    const double exact_ps = 32e12 / 12345678901.0, found_ps = (double)ps / (double)parts;
    assert_true(found_ps > exact_ps * (1 - 1e-8) && found_ps < exact_ps * (1 + 1e-8));
    assert_true(ps <= 1000000000 && parts <= 100000);
    vef_fabric_close(fabric);
    fabric = open_text("{model: ideal, link: {bandwidth: 56 Gbit/s, phit: 4 B}}");
    vef_fabric_cycle(fabric, &ps, &parts);
    assert_int_equal(ps, 1);
    assert_int_equal(parts, 1);
    vef_fabric_close(fabric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_form),    cmocka_unit_test(sources),
        cmocka_unit_test(wrong_messages), cmocka_unit_test(wrong_networks),
        cmocka_unit_test(cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
