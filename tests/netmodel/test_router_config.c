/* Network files of the router model: defaults, everything that is refused and where it says so, the
 * resolved configuration; and the report of a network that can no longer move. */
#include "netmodel/kinds.h"
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define TORUS "topology:\n  family: torus\n  sizes: [4, 4]\n" /* three lines */

/* The defaults of Camara et al. (TPDS 2010, section 6.1), and of the network file of the design. */
static void test_defaults(void **state) {
    (void)state;
    vef_netmodel *model = network_of(TORUS);
    const vef_network *network = (const vef_network *)model;
    assert_string_equal(model->kind->name, "router");
    assert_int_equal(model->endpoints, 16);
    assert_int_equal(network->routing->channels, 3);
    assert_int_equal(network->queues.buffers.least, 4);
    assert_int_equal(network->queues.buffers.most, 4);
    assert_int_equal(network->settings.injection_queues, 1);
    assert_int_equal(network->settings.injection_queue_packets, 8);
    assert_int_equal(network->settings.ejection_ports, 1);
    assert_string_equal(network->settings.arbiter->name, "random");
    assert_true(network->settings.transit_first);
    assert_int_equal(network->settings.router_delay.cycles, 0);
    assert_int_equal(network->settings.link.delay.cycles, 1);
    assert_int_equal(network->settings.link.credit_delay.cycles, 0);
    assert_int_equal(network->settings.packet_phits, 16);
    assert_int_equal(network->settings.seed, 1);
    assert_near(vef_netmodel_cycle_ns(model), 32, 1e-9);
    vef_netmodel_destroy(model);
}

typedef struct refusal {
    const char *yaml, *place, *says;
} refusal;

static void check_refusals(const refusal *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        vef_error error = {0};
        vef_code code = network_refused(rows[i].yaml, &error);
        if ((code != VEF_INVALID && code != VEF_UNSUPPORTED) || code != error.code ||
            !strstr(error.message, rows[i].says) ||
            strncmp(error.message, rows[i].place, strlen(rows[i].place)) != 0)
            fail_msg("%s gave %d: %s", rows[i].yaml, (int)code, error.message);
    }
}

static void test_unknown_keys_and_wrong_values(void **state) {
    (void)state;
    static const refusal rows[] = {
        {"{}", "net.yaml:1:", "missing key topology"},
        {"seed: 1\n", "net.yaml:1:", "missing key topology"},
        {TORUS "sede: 1\n", "net.yaml:4:", "sede"},
        {TORUS "seed: -1\n", "net.yaml:4:", "seed"},
        {TORUS "seed: 1.5\n", "net.yaml:4:", "seed"},
        {TORUS "endpoints_per_router: 0\n", "net.yaml:4:", "endpoints_per_router"},
        {TORUS "model: toy\n", "net.yaml:4:", "xpected one of router, ideal, loggp"},
        {TORUS "router:\n  queues: 3\n", "net.yaml:5:", "queues"},
        {TORUS "router:\n  switching: wormhole\n", "net.yaml:5:", "virtual-cut-through"},
        {TORUS "router:\n  flow_control: buble\n", "net.yaml:5:", "bubble"},
        {TORUS "router:\n  queue_packets: 0\n", "net.yaml:5:", "queue_packets"},
        {TORUS "router:\n  queue_packets: 70000\n", "net.yaml:5:", "queue_packets"},
        {TORUS "router:\n  queue_packets: four\n", "net.yaml:5:", "queue_packets"},
        {TORUS "router:\n  injection_queues: 0\n", "net.yaml:5:", "injection_queues"},
        {TORUS "router:\n  injection_queue_packets: 0\n", "net.yaml:5:", "injection_queue_packets"},
        {TORUS "router:\n  ejection_ports: 33\n", "net.yaml:5:", "ejection_ports"},
        {TORUS "router:\n  arbiter: rendom\n", "net.yaml:5:", "did you mean random"},
        {TORUS "router:\n  transit_first: perhaps\n", "net.yaml:5:", "transit_first"},
        {TORUS "router:\n  iterations: 0\n", "net.yaml:5:", "iterations"},
        {TORUS "router:\n  virtual_output_queues: 3\n", "net.yaml:5:", "virtual_output_queues"},
        {TORUS "router:\n  buffer: {per_port_phits: 900, per_router_phits: 900}\n",
         "net.yaml:5:", "expected one of them"},
        {TORUS "router:\n  buffer: 64\n", "net.yaml:5:", "buffer"},
        {TORUS "router:\n  buffer: {unit: 2}\n", "net.yaml:5:", "unit_phits"},
        {TORUS "router:\n  delay_cycles: -1\n", "net.yaml:5:", "delay_cycles"},
        {TORUS "router: fast\n", "net.yaml:4:", "router"},
        {TORUS "link:\n  bandwidth: 1 Gbyte\n", "net.yaml:5:", "bandwidth"},
        {TORUS "link:\n  bandwidth: 1\n", "net.yaml:5:", "bandwidth"},
        {TORUS "link:\n  phit: 4 bits\n", "net.yaml:5:", "phit"},
        {TORUS "link:\n  delay_cycles: 1 ns\n", "net.yaml:5:", "delay_cycles"},
        {TORUS "link:\n  length: 3\n", "net.yaml:5:", "length"},
        {TORUS "packet:\n  phits: 0\n", "net.yaml:5:", "phits"},
        {TORUS "packet:\n  phits: 65536\n", "net.yaml:5:", "phits"},
        {TORUS "packet:\n  bytes: 64\n", "net.yaml:5:", "bytes"},
        {TORUS "routing:\n  algorithm: dorr\n", "net.yaml:5:", "did you mean dor"},
        {TORUS "routing:\n  adaptive_channels: 0\n", "net.yaml:5:", "adaptive_channels"},
        {TORUS "routing:\n  channels: 2\n", "net.yaml:5:", "channels"},
        {"topology:\n  family: torus\n  sizes: [4, 1]\n", "net.yaml:3:", "sizes"},
        {"topology:\n  family: torus\n", "net.yaml:2:", "sizes"},
        {"topology: torus\n", "net.yaml:1:", "mapping"},
        {"topology: {sizes: [4, 4]}\n",
         "net.yaml:1:11:", "missing key family: expected one of torus"},
        {"topology: {family: [x]}\n",
         "net.yaml:1:20:", "missing key family: expected one of torus"},
        {TORUS "routing:\n  algorithm: [dor]\n", "net.yaml:5:14:", "expected a name"},
    };
    check_refusals(rows, sizeof rows / sizeof rows[0]);
}

static void test_combinations_that_cannot_work(void **state) {
    (void)state;
    static const refusal rows[] = {
        {TORUS "router:\n  queue_packets: 1\n", "net.yaml:5:", "expected at least 2"},
        {"topology: {family: ibt, sizes: [12], bypass_dimensions: 1, lengths: [4]}\nrouting:\n  "
         "algorithm: ibt\nrouter:\n  flow_control: virtual-channels\n",
         "net.yaml:", "flow_control: bubble"},
        {TORUS "link:\n  delay_cycles: 0\n", "net.yaml:", "at least 1"},
        {TORUS "router:\n  buffer: {unit_phits: 4}\n", "net.yaml:5:", "a routing without bubbles"},
        {TORUS "endpoints_per_router: 40\nrouter:\n  virtual_output_queues: true\n  "
               "injection_queues: 3\n",
         "net.yaml:", "each for every output"},
        {"topology: {family: mesh, sizes: [4, 4]}\nrouter: {flow_control: virtual-channels, "
         "queue_packets: 5000, buffer: {unit_phits: 1}}\n",
         "net.yaml:2:", "a greater router.buffer.unit_phits"},
        {TORUS "endpoints_per_router: 4000\nrouter:\n  injection_queues: 2\n",
         "net.yaml:", "at most 4096"},
        {"topology:\n  family: torus\n  sizes: [1000, 1000]\nrouter:\n  queue_packets: 1000\n",
         "net.yaml:", "too many"},
        {TORUS "routing: {algorithm: valiant}\nrouter:\n  injection: longest-path\n",
         "net.yaml:6:", "longest-path not supported with routing valiant"},
    };
    check_refusals(rows, sizeof rows / sizeof rows[0]);
    /* What they ask for instead is accepted. */
    vef_netmodel_destroy(
        network_of("{topology: {family: mesh, sizes: [4, 4]}, router: "
                   "{flow_control: virtual-channels, queue_packets: 1}}"));
    vef_netmodel_destroy(
        network_of("{topology: {family: torus, sizes: [4, 4]}, router: "
                   "{queue_packets: 2, delay_cycles: 1}, link: {delay_cycles: "
                   "0}}"));
}

/* Shares of what a port or a router has: the least that does is one packet, or two where there are
 * bubble rings, of 16 phits for each queue. On a torus each of 4 ports has 3 channels; DORT uses 2
 * of each of three external links and 4 of the inner one. A phit less is refused with that number.
 */
static void test_shared_buffers(void **state) {
    (void)state;
    static const char torus[] = "topology: {family: torus, sizes: [4, 4]}\n";
    static const char twin[] =
        "topology: {family: twin-torus, sizes: [4, 4, 4]}\nrouting: "
        "{algorithm: dort}\n";
    static const struct {
        const char *network, *flow_control, *key;
        uint32_t least;
    } rows[] = {
        {torus, "bubble", "per_port_phits", 3 * 2 * 16},
        {torus, "bubble", "per_router_phits", 4 * 3 * 2 * 16},
        {twin, "virtual-channels", "per_port_phits", 4 * 16},
        {twin, "virtual-channels", "per_router_phits", (3 * 2 + 4) * 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t less = 0; less <= 1; less++) {
            char yaml[512], says[64];
            snprintf(yaml, sizeof yaml, "%srouter: {flow_control: %s, buffer: {%s: %u}}\n",
                     rows[i].network, rows[i].flow_control, rows[i].key, rows[i].least - less);
            if (less == 0) {
                vef_netmodel_destroy(network_of(yaml));
                continue;
            }
            snprintf(says, sizeof says, "expected at least %u", rows[i].least);
            const refusal row = {yaml, "net.yaml:", says};
            check_refusals(&row, 1);
        }
    /* 479 phits for 10 queues are two packets of 16 in each, and 15.9 phits of no use. */
    vef_netmodel *model = network_of(
        "{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort}, "
        "router: {flow_control: virtual-channels, injection_queue_packets: 3, buffer: "
        "{per_router_phits: 479}}}");
    const vef_network *network = (const vef_network *)model;
    assert_int_equal(network->pools.packets_needed, 128 * (10 * 2 + 3));
    vef_netmodel_destroy(model);
}

static void test_resolved_configuration_reads_back(void **state) {
    (void)state;
    static const char *const files[] = {
        TORUS,
        "{topology: {family: rtt, a: 4}, endpoints_per_router: 3, routing: {algorithm: dor, "
        "channels: 2}, router: {queue_packets: 5, injection_queues: 2, injection_queue_packets: 3, "
        "ejection_ports: 4, arbiter: oldest, iterations: 3, transit_first: false, delay_cycles: "
        "2}, link: "
        "{bandwidth: 12.5 GB/s, phit: 16 B, delay_cycles: 3, credit_delay_cycles: 4}, packet: "
        "{phits: 9}, seed: 77}",
        "{topology: {family: hypercube, dimensions: 3}, routing: {algorithm: dor}, router: "
        "{flow_control: virtual-channels, arbiter: islip, iterations: 3, virtual_output_queues: "
        "true, buffer: {unit_phits: 5, per_router_phits: 1000}}}",
        "{topology: {family: torus, sizes: [4, 4]}, link: {bandwidth: 3 Gbit/s, delay_cycles: 5, "
        "classes: {y: {bandwidth: 6 Gbit/s}, x: {delay_cycles: 2, credit_delay_cycles: 1}}}}",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char text[2][4096] = {"", ""};
        for (int pass = 0; pass < 2; pass++) {
            vef_netmodel *model = network_of(pass == 0 ? files[i] : text[0]);
            FILE *out = fmemopen(text[pass], sizeof text[pass], "w");
            vef_netmodel_write_config(model, out);
            fclose(out);
            vef_netmodel_destroy(model);
        }
        assert_string_equal(text[0], text[1]);
    }
    vef_netmodel *model = network_of(files[1]);
    const vef_network *network = (const vef_network *)model;
    assert_int_equal(network->settings.link.credit_delay.cycles, 4);
    assert_string_equal(network->settings.arbiter->name, "oldest");
    assert_near(vef_netmodel_cycle_ns(model), 1.28, 1e-9);
    vef_netmodel_destroy(model);
}

/* 128 cards with an endpoint each, and as many places of a cell as two packets of 32 have. Uniform
 * traffic far past saturation goes through. */
static void test_example_of_extoll(void **state) {
    (void)state;
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_netmodel_open("examples/networks/twin-torus-extoll.yaml", NULL, 0, &model, &error))
        fail_msg("%s", error.message);
    const vef_network *network = (const vef_network *)model;
    assert_int_equal(model->endpoints, 128);
    assert_int_equal(network->queues.buffers.least, 64);
    assert_int_equal(network->routing->channels, 8);
    assert_string_equal(network->settings.arbiter->name, "islip");
    const traffic crowd = {.messages = 4000, .most_bytes = 1500, .seed = 3};
    free(run_random(model, &crowd));
    vef_netmodel_destroy(model);
}

static void test_description_names_every_row(void **state) {
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    vef_netmodel_router.describe(out);
    fclose(out);
    for (size_t i = 0; vef_topology_families[i]; i++)
        assert_non_null(strstr(text, vef_topology_families[i]->name));
    for (size_t i = 0; vef_routings[i]; i++)
        assert_non_null(strstr(text, vef_routings[i]->name));
    for (size_t i = 0; vef_arbiters[i]; i++)
        assert_non_null(strstr(text, vef_arbiters[i]->name));
    for (size_t i = 0; vef_injections[i]; i++)
        assert_non_null(strstr(text, vef_injections[i]->name));
    assert_non_null(strstr(text, "injection_queue_packets"));
    free(text);
}

/* ---- deadlock ---- */

/* Every router of a ring of five sends two routers on, where each queue has room for one packet:
 * all queues of the ring fill in the first cycle, and each packet waits for the next. With one
 * place more and bubble flow control all arrive. */
static vef_netmodel *ring_of_five(bool careless, uint32_t queue_packets,
                                  vef_routing_algorithm *algorithm) {
    vef_topology *topology = topology_of("torus", "{sizes: [5]}", 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_BUBBLE);
    *algorithm = *routing->algorithm;
    if (careless) {
        algorithm->candidates = careless_candidates;
        routing->algorithm = algorithm;
        routing->least_queue_packets = 1;
    }
    vef_network_settings settings = {
        .queue_packets = queue_packets,
        .injection_queues = 1,
        .injection_queue_packets = 8,
        .ejection_ports = 1,
        .arbiter = vef_arbiters[0],
        .injection = vef_injections[0],
        .link.delay.cycles = 1,
        .packet_phits = 16,
        .phit_bytes = 4,
        .link.bandwidth_bits_per_s = 1000000000,
        .seed = 1,
    };
    vef_network *network = NULL;
    vef_error error = {0};
    if (vef_network_create(&settings, topology, routing, &network, &error))
        fail_msg("%s", error.message);
    for (uint32_t r = 0; r < 5; r++) {
        vef_net_message message = {.source = r, .destination = (r + 2) % 5, .bytes = 640, .id = r};
        assert_int_equal(vef_network_inject(&network->base, &message, &error), VEF_OK);
    }
    return &network->base;
}

static void test_deadlock_is_named(void **state) {
    (void)state;
    vef_routing_algorithm algorithm;
    vef_netmodel *model = ring_of_five(true, 1, &algorithm);
    const vef_net_delivery *got;
    size_t count;
    vef_error error = {0};
    char text[2048] = "?";
    assert_false(model->kind->deadlock(model, text, sizeof text));
    assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
    assert_int_equal(count, 0);
    assert_true(model->kind->deadlock(model, text, sizeof text));
    for (int r = 0; r < 5; r++) { /* all five routers, each once */
        char name[32];
        snprintf(name, sizeof name, "  router %d: ", r);
        const char *step = strstr(text, name);
        assert_non_null(step);
        assert_null(strstr(step + 1, name));
    }
    assert_non_null(strstr(text, "waits for x+, channel 0"));
    assert_non_null(strstr(text, "0 of 1 places free, it needs 1"));
    assert_true(model->kind->deadlock(model, text, 20)); /* a short text is cut, not overrun */
    assert_true(strlen(text) < 20);
    vef_netmodel_destroy(model);

    model = ring_of_five(false, 2, &algorithm);
    for (uint32_t arrived = 0; arrived < 5; arrived += (uint32_t)count) {
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
        assert_true(count > 0);
    }
    assert_false(model->kind->deadlock(model, text, sizeof text));
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_unknown_keys_and_wrong_values),
        cmocka_unit_test(test_combinations_that_cannot_work),
        cmocka_unit_test(test_shared_buffers),
        cmocka_unit_test(test_resolved_configuration_reads_back),
        cmocka_unit_test(test_example_of_extoll),
        cmocka_unit_test(test_description_names_every_row),
        cmocka_unit_test(test_deadlock_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
