/* Messages to all through the router simulator, netmodel/MODEL.md "Broadcast". Alone in the
 * network, a message of m phits in all from a source d hops away is delivered d x (router + link
 * delay) + m cycles after its injection: every router sends all its copies on in the cycle in which
 * the head arrives, and packets follow each other without a gap. Besides: every endpoint but the
 * source has it once, whatever else goes on; nothing locks up; what is refused. */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void inject(vef_netmodel *model, uint32_t source, uint32_t destination, uint64_t bytes,
                   uint64_t time, uint64_t id) {
    vef_error error = {0};
    const vef_net_message message = {.source = source,
                                     .destination = destination,
                                     .bytes = bytes,
                                     .time_cycles = time,
                                     .id = id};
    if (model->kind->inject(model, &message, &error))
        fail_msg("inject: %s", error.message);
}

static size_t advance(vef_netmodel *model, const vef_net_delivery **got) {
    size_t count = 0;
    vef_error error = {0};
    if (model->kind->advance(model, VEF_FOREVER, got, &count, &error))
        fail_msg("advance: %s", error.message);
    return count;
}

/* ---- alone: closed form ---- */

typedef struct alone {
    const char *topology, *rest; /* of the network file */
    uint32_t per_router, packet_phits, hop_cycles;
} alone;

/* A message of `phits` from every endpoint in turn; they are far enough apart. */
static void each_source_alone(const alone *single, uint64_t phits) {
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "{topology: %s, endpoints_per_router: %u, packet: {phits: %u}, link: {phit: 4 B, "
             "delay_cycles: %u}, %s}",
             single->topology, single->per_router, single->packet_phits, single->hop_cycles - 1,
             single->rest);
    vef_netmodel *model = network_of(yaml);
    const uint32_t endpoints = model->endpoints;
    uint32_t *distance = malloc(model->topology->routers * sizeof *distance);
    bool *has = malloc(endpoints);
    assert_true(distance && has);
    uint64_t start = 5, hops = 0;
    for (uint32_t source = 0; source < endpoints; source++, start += 4000) {
        distances_from(model->topology, source / single->per_router, distance);
        memset(has, 0, endpoints);
        inject(model, source, VEF_TO_ALL, 4 * phits, start, source);
        for (uint32_t left = endpoints - 1; left > 0;) {
            const vef_net_delivery *got;
            const size_t count = advance(model, &got);
            assert_true(count > 0 && count <= left);
            for (size_t i = 0; i < count; i++) {
                const uint32_t to = got[i].endpoint, away = distance[to / single->per_router];
                assert_int_equal(got[i].id, source);
                assert_true(to < endpoints && to != source && !has[to]);
                has[to] = true;
                hops += away * ((phits + single->packet_phits - 1) / single->packet_phits);
                const uint64_t expected = start + (uint64_t)away * single->hop_cycles + phits;
                if (got[i].time_cycles != expected)
                    fail_msg("%s: from %u to %u at %llu, not %llu", yaml, source, to,
                             (unsigned long long)got[i].time_cycles, (unsigned long long)expected);
            }
            left -= (uint32_t)count;
        }
    }
    vef_net_statistics statistics;
    model->kind->statistics(model, &statistics);
    assert_int_equal(statistics.messages, (uint64_t)endpoints * (endpoints - 1));
    assert_int_equal(statistics.phits, phits * endpoints * (endpoints - 1));
    assert_int_equal(statistics.packet_hops, hops);
    free(distance);
    free(has);
    vef_netmodel_destroy(model);
}

static void test_alone_it_takes_the_distance_and_the_length(void **unused) {
    (void)unused;
    static const alone rows[] = {
        {"{family: king-torus, sizes: [5, 5]}",
         "routing: {algorithm: hop-by-hop-2s}, router: "
         "{delay_cycles: 1}",
         1, 8, 2},
        {"{family: king-torus, sizes: [4, 4]}",
         "routing: {algorithm: knaive}, router: "
         "{delay_cycles: 1, arbiter: round-robin}",
         1, 16, 4},
        {"{family: king-torus, sizes: [6, 4]}", "router: {delay_cycles: 1, arbiter: oldest}", 2, 4,
         2},
        {"{family: king-torus, sizes: [5, 4]}",
         "routing: {algorithm: hop-by-hop}, router: {delay_cycles: 1, flow_control: "
         "virtual-channels}",
         1, 8, 2},
        {"{family: king-mesh, sizes: [5, 5]}", "router: {delay_cycles: 1}", 1, 8, 3},
        {"{family: king-mesh, sizes: [6, 3]}",
         "routing: {algorithm: eknaive}, router: {delay_cycles: 1, ejection_ports: 2}", 3, 8, 2},
        {"{family: king-mesh, sizes: [2, 7]}",
         "router: {delay_cycles: 1}, routing: {adaptive_channels: 12}", 1, 8, 2},
        {"{family: torus, sizes: [4, 3, 2]}", "router: {delay_cycles: 1}", 1, 8, 2},
        {"{family: torus, sizes: [6, 5]}",
         "routing: {algorithm: dor, channels: 2}, router: "
         "{delay_cycles: 1, flow_control: virtual-channels}",
         1, 8, 2},
        {"{family: mesh, sizes: [4, 3, 2]}", "router: {delay_cycles: 1}", 1, 8, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t most = rows[i].packet_phits;
        each_source_alone(&rows[i], 1);
        each_source_alone(&rows[i], most);
        each_source_alone(&rows[i], 5 * most + 3);
    }
}

/* ---- among others ---- */

/* Every endpoint sends `rounds` messages to all and as many to some endpoint, all at time 0; each
 * must come once to whom it is for. */
static void everybody_to_all(const char *yaml, uint32_t rounds) {
    vef_netmodel *model = network_of(yaml);
    const uint32_t endpoints = model->endpoints, messages = 2 * rounds * endpoints;
    uint8_t *has = calloc((size_t)messages * endpoints, 1);
    assert_non_null(has);
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 0);
    uint64_t left = 0;
    for (uint32_t id = 0; id < messages; id++) {
        const bool to_all = id % 2 == 0;
        const uint32_t source = id / 2 % endpoints;
        inject(model, source, to_all ? VEF_TO_ALL : vef_rng_below(&rng, endpoints),
               vef_rng_below(&rng, 200), 0, id);
        left += to_all ? endpoints - 1 : 1;
    }
    while (left > 0) {
        const vef_net_delivery *got;
        const size_t count = advance(model, &got);
        if (count == 0)
            fail_msg("%s: nothing moves with %llu deliveries to come", yaml,
                     (unsigned long long)left);
        for (size_t i = 0; i < count; i++) {
            assert_true(got[i].endpoint < endpoints && got[i].id < messages);
            assert_int_equal(has[got[i].id * endpoints + got[i].endpoint]++, 0);
            assert_true(got[i].id % 2 != 0 || got[i].endpoint != got[i].id / 2 % endpoints);
        }
        left -= count;
    }
    char text[256];
    assert_false(model->kind->deadlock(model, text, sizeof text));
    free(has);
    vef_netmodel_destroy(model);
}

/* Far past what the links can carry, with the shortest queues that bubble allows. */
static void test_nothing_locks_up(void **unused) {
    (void)unused;
    static const char *const topologies[] = {
        "{family: king-torus, sizes: [4, 4]}, routing: {algorithm: hop-by-hop-2s}",
        "{family: king-torus, sizes: [5, 3]}, routing: {algorithm: knaive, adaptive_channels: 0}",
        "{family: king-torus, sizes: [3, 3]}, routing: {algorithm: dor}",
        "{family: king-torus, sizes: [2, 6]}, routing: {algorithm: adaptive}",
        "{family: king-mesh, sizes: [4, 4]}, routing: {algorithm: eknaive}",
        "{family: torus, sizes: [5, 5]}, routing: {algorithm: dor}",
        "{family: torus, sizes: [3, 3, 2]}, routing: {algorithm: adaptive}",
        "{family: mesh, sizes: [4, 5]}, routing: {algorithm: adaptive}",
    };
    static const char *const routers[] = {
        "{queue_packets: 2, injection_queue_packets: 2}",
        "{queue_packets: 2, flow_control: virtual-channels, arbiter: oldest, injection_queues: 3}",
        "{queue_packets: 3, arbiter: round-robin, transit_first: false, ejection_ports: 3}",
    };
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (size_t k = 0; k < sizeof routers / sizeof *routers; k++)
            for (int per_router = 1; per_router <= 2; per_router++) {
                char yaml[512];
                snprintf(yaml, sizeof yaml,
                         "{topology: %s, router: %s, endpoints_per_router: %d, packet: {phits: 8}}",
                         topologies[i], routers[k], per_router);
                everybody_to_all(yaml, 4);
            }
}

/* Each router gets one copy, by one link: routers - 1 links are crossed, whatever the source. */
static void test_a_tree_of_links_is_crossed(void **unused) {
    (void)unused;
    static const char *const topologies[] = {
        "{family: king-torus, sizes: [6, 4]}",
        "{family: king-mesh, sizes: [5, 5]}",
        "{family: torus, sizes: [4, 4, 2]}",
    };
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{topology: %s, endpoints_per_router: 2, packet: {phits: 8}}",
                 topologies[i]);
        vef_netmodel *model = network_of(yaml);
        const vef_topology *topology = model->topology;
        for (uint32_t source = 0; source < model->endpoints; source++)
            inject(model, source, VEF_TO_ALL, 4 * 20, 0, source);
        const vef_net_delivery *got;
        while (advance(model, &got) > 0)
            continue;
        uint64_t crossed = 0;
        for (uint32_t router = 0; router < topology->routers; router++)
            for (uint32_t port = 0; port < topology->ports; port++)
                if (topology->neighbour[(size_t)router * topology->ports + port] != VEF_NO_ROUTER)
                    crossed += model->kind->link_phits(model, router, port);
        assert_int_equal(crossed, 20ull * model->endpoints * (topology->routers - 1));
        vef_netmodel_destroy(model);
    }
}

/* ---- refused; ideal ---- */

static void test_what_is_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{topology: {family: rtt, a: 4}}", "king-mesh and king-torus"},
        {"{topology: {family: diagonal-torus, sizes: [4, 4]}}", "king-mesh and king-torus"},
        {"{topology: {family: complete, routers: 4}}", "meshes and tori without twist"},
        {"{topology: {family: king-mesh, sizes: [4, 4]}, routing: {algorithm: up-down}, router: "
         "{flow_control: virtual-channels}}",
         "hop-by-hop-2s"},
        {"{topology: {family: king-torus, sizes: [4, 4]}, router: {arbiter: islip}}",
         "fifo, arrival or longest"},
        {"{topology: {family: king-torus, sizes: [4, 4]}, router: {arbiter: two-stage}}",
         "fifo, arrival or longest"},
        {"{topology: {family: king-torus, sizes: [4, 4]}, router: {virtual_output_queues: true}}",
         "virtual_output_queues"},
        {"{topology: {family: king-torus, sizes: [4, 4]}, router: {flow_control: virtual-channels, "
         "buffer: {unit_phits: 4}}}",
         "unit_phits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *model = network_of(rows[i].yaml);
        const vef_net_message message = {.source = 1, .destination = VEF_TO_ALL, .bytes = 4};
        vef_error asked = {0}, injected = {0};
        assert_int_equal(vef_netmodel_can_broadcast(model, &asked), VEF_UNSUPPORTED);
        assert_int_equal(model->kind->inject(model, &message, &injected), VEF_UNSUPPORTED);
        assert_string_equal(asked.message, injected.message);
        if (!strstr(asked.message, rows[i].says))
            fail_msg("%s: %s", rows[i].yaml, asked.message);
        /* Nothing is left of it. */
        inject(model, 0, 2, 4, 0, 7);
        const vef_net_delivery *got;
        assert_int_equal(advance(model, &got), 1);
        assert_int_equal(got[0].id, 7);
        assert_int_equal(got[0].endpoint, 2);
        vef_netmodel_destroy(model);
    }
}

/* Endless many endpoints have it at once: one delivery says so. */
static void test_ideal(void **unused) {
    (void)unused;
    vef_netmodel *model = network_of("{model: ideal}");
    vef_error error = {0};
    assert_int_equal(vef_netmodel_can_broadcast(model, &error), VEF_OK);
    inject(model, 3, VEF_TO_ALL, 1000, 20, 1);
    inject(model, 3, 9, 1000, 0, 2);
    inject(model, 3, 8, 1000, 20, 3);
    const vef_net_delivery *got;
    assert_int_equal(advance(model, &got), 1);
    assert_int_equal(got[0].endpoint, 9);
    assert_int_equal(advance(model, &got), 2);
    assert_int_equal(got[0].endpoint, VEF_TO_ALL);
    assert_int_equal(got[0].id, 1);
    assert_int_equal(got[0].time_cycles, 20);
    assert_int_equal(got[1].endpoint, 8);
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_it_takes_the_distance_and_the_length),
        cmocka_unit_test(test_nothing_locks_up),
        cmocka_unit_test(test_a_tree_of_links_is_crossed),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_ideal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
