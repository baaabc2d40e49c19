/* Pause frames instead of credits: what is refused, and with which number; thresholds and lengths
 * of queues; cyclic buffer dependencies, proved and simulated, and none where there is none; and
 * shares of links that follow from what is paused: the parking lot, and a victim. The rules cycle
 * by cycle are those of test_reference_pauses.c. */
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/router/core/network.h"
#include "netmodel/router/model.h"
#include "netmodel/routing/graph/shortest_paths.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

static void test_what_needs_credits_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *keys, *says;
    } rows[] = {
        {"routing: {algorithm: dor}, router: {backpressure: pause}",
         "routing dor on topology torus"},
        {"router: {backpressure: pause, flow_control: virtual-channels, buffer: {unit_phits: 2}}",
         "router.buffer.unit_phits: not supported with router.backpressure: pause"},
        {"router: {backpressure: pause, flow_control: virtual-channels, buffer: {per_port_phits: "
         "900}}",
         "router.buffer.per_port_phits: not supported with router.backpressure: pause"},
        {"router: {backpressure: pause, flow_control: virtual-channels}, routing: {algorithm: "
         "ugal}",
         "routing ugal, which compares the places of queues"},
        {"router: {backpressure: pause, flow_control: virtual-channels}, routing: {algorithm: "
         "adaptive, selection: least-occupied}",
         "routing adaptive, which compares the places of queues"},
        {"router: {backpressure: pause, flow_control: virtual-channels}, congestion: {policy: "
         "throttle}",
         "congestion policy throttle, which compares the places of queues"},
        {"router: {pause: {at: 5}}",
         "router.pause: not supported with router.backpressure: credits"},
        {"router: {backpressure: pause, flow_control: virtual-channels, pause: {at: 5, resume: 5}}",
         "router.pause.at: 5 is out of range: expected more than router.pause.resume, 5"},
        {"model: flow, router: {backpressure: pause}",
         "router.backpressure: pause: not supported with model: flow"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "{topology: {family: torus, sizes: [4, 4]}, %s}", rows[i].keys);
        assert_network_refused(yaml, rows[i].says);
    }
}

/* A cable of H = 2 + 3 and D = 10 cycles: 14 packets of one phit arrive after the one that reaches
 * the threshold; with headers of 28 B, 7 phits, two. */
static void test_headroom_is_required(void **state) {
    (void)state;
    static const char network[] =
        "{topology: {family: mesh, sizes: [4]}, link: {delay_cycles: 3, credit_delay_cycles: 10}, "
        "packet: {phits: 16, header: %s}, router: {delay_cycles: 2, backpressure: pause, "
        "queue_packets: %s, pause: {at: %s}}}";
    static const struct {
        const char *header, *pause_packets, *fits;
        uint64_t places;
    } rows[] = {{"0 B", "6", "20", 20}, {"28 B", "6", "8", 8}, {"29 B", "6", "7", 7}};
    char yaml[512], says[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char less[16];
        snprintf(less, sizeof less, "%u", (unsigned)rows[i].places - 1);
        snprintf(yaml, sizeof yaml, network, rows[i].header, less, rows[i].pause_packets);
        snprintf(says, sizeof says, "expected at least %s, or auto", rows[i].fits);
        assert_network_refused(yaml, says);
        snprintf(yaml, sizeof yaml, network, rows[i].header, rows[i].fits, rows[i].pause_packets);
        vef_netmodel_destroy(network_of(yaml));
        snprintf(yaml, sizeof yaml, network, rows[i].header, "auto", rows[i].pause_packets);
        vef_netmodel *model = network_of(yaml);
        assert_int_equal(((vef_network *)model)->queues.buffers.least, rows[i].places);
        vef_netmodel_destroy(model);
    }
}

/* 16 phits and H + D = 200 cycles: 13 packets are sent until the next one arrives. */
static void test_default_thresholds(void **state) {
    (void)state;
    static const struct {
        const char *pause, *resolved;
        uint32_t places;
    } rows[] = {
        {"{}", "at: 15\n    resume: 13", 15 + 199},
        {"{at: 6}", "at: 6\n    resume: 4", 6 + 199},
        {"{at: 2}", "at: 2\n    resume: 1", 2 + 199},
        {"{resume: 7}", "at: 9\n    resume: 7", 9 + 199},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512], queue[64];
        snprintf(yaml, sizeof yaml,
                 "{topology: {family: mesh, sizes: [4, 4]}, link: {delay_cycles: 100, "
                 "credit_delay_cycles: 100}, packet: {phits: 16}, router: {backpressure: pause, "
                 "pause: %s}}",
                 rows[i].pause);
        char *resolved = resolved_of(yaml);
        snprintf(queue, sizeof queue, "queue_packets: %u\n", rows[i].places);
        if (!strstr(resolved, rows[i].resolved) || !strstr(resolved, queue))
            fail_msg("%s: %s", rows[i].pause, resolved);
        free(resolved);
    }
}

/* ---- cyclic buffer dependencies: proofs ---- */

static vef_deadlock prove_pauses(const vef_routing *routing, uint32_t channels) {
    const vef_deadlock_request request = {.queue_packets = 9, .pauses = true, .channels = channels};
    vef_deadlock found;
    vef_error error = {0};
    if (vef_deadlock_prove(routing, &request, &found, &error))
        fail_msg("%s", error.message);
    return found;
}

/* Each packet of the cycle waits for the queue of the next. Returns how many there are. */
static size_t check_cycle_of(const vef_routing *routing, const vef_deadlock *found) {
    const vef_topology *topology = routing->topology;
    char text[VEF_DEADLOCK_BYTES];
    assert_int_equal(found->verdict, VEF_DEADLOCK_CYCLE);
    vef_deadlock_describe_verdict(routing, found, text, sizeof text);
    assert_non_null(strstr(text, "cyclic buffer dependency"));
    for (size_t i = 0; i < found->cycle_length; i++) {
        const vef_dependency *from = &found->cycle[i],
                             *to = &found->cycle[(i + 1) % found->cycle_length];
        const size_t link = (size_t)from->place.router * topology->ports + from->candidate.port;
        assert_int_equal(topology->neighbour[link], to->place.router);
        assert_int_equal(topology->reverse_port[link], to->place.in_port);
    }
    return found->cycle_length;
}

/* Two channels with a dateline are free; the same hops on one channel go round a ring of five. */
static void test_rings_of_a_torus(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [5, 5]}", 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    vef_deadlock found = prove_pauses(routing, 0);
    assert_int_equal(found.verdict, VEF_DEADLOCK_FREE);
    vef_deadlock_release(&found);
    found = prove_pauses(routing, 1);
    assert_int_equal(check_cycle_of(routing, &found), 5);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Every shortest path on one channel, as in plain Ethernet. */
static uint32_t on_one_channel(const vef_routing *routing, const vef_route *route, vef_place place,
                               vef_candidate *offered) {
    return vef_shortest_paths_offer(routing->state, vef_shortest_paths_target(route), place.router,
                                    0, 1, true, offered);
}

static void go_on(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                  uint8_t channel) {
    (void)routing, (void)route, (void)place, (void)port, (void)channel;
}

/* Four leaves and two spines. With the failures of `damaged`, leaf 2 has only the second spine, and
 * leaf 3 the first: packets between the two go up from leaf 0 or 1 after they have gone down to
 * it. */
static vef_routing *clos_routing(vef_topology **topology, bool damaged,
                                 vef_routing_algorithm *algorithm) {
    *topology = topology_of("xgft", "{m: [2, 4], w: [1, 2]}", 1);
    damage(topology, damaged ? "{links: [[2, 4], [3, 5]]}" : NULL);
    vef_routing *routing = routing_of("{algorithm: minimal}", *topology, VEF_FLOW_BUBBLE);
    *algorithm = *routing->algorithm;
    algorithm->candidates = on_one_channel;
    algorithm->advance = go_on;
    routing->algorithm = algorithm;
    routing->channels = 1;
    routing->uniform = routing->rising = false;
    return routing;
}

/* Hu et al.: up and then down is free; down and up again makes a cycle of two leaves and two
 * spines. Routes that turn by a root (up-down) stay free on the same links. */
static void test_clos_with_detours(void **state) {
    (void)state;
    vef_topology *topology;
    vef_routing_algorithm algorithm;
    for (int damaged = 0; damaged <= 1; damaged++) {
        vef_routing *routing = clos_routing(&topology, damaged, &algorithm);
        vef_deadlock found = prove_pauses(routing, 0);
        if (damaged)
            assert_int_equal(check_cycle_of(routing, &found), 4);
        else
            assert_int_equal(found.verdict, VEF_DEADLOCK_FREE);
        vef_deadlock_release(&found);
        vef_routing_destroy(routing);
        routing = routing_of("{algorithm: up-down}", topology, VEF_FLOW_BUBBLE);
        found = prove_pauses(routing, 0);
        assert_int_equal(found.verdict, VEF_DEADLOCK_FREE);
        vef_deadlock_release(&found);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* ---- the same in simulations ---- */

static vef_netmodel *network_with(vef_topology *topology, vef_routing *routing,
                                  uint32_t delay_cycles, bool sorted) {
    const vef_network_settings settings = {
        .backpressure = VEF_PAUSE,
        .pause_at_packets = 3,
        .virtual_output_queues = sorted,
        .injection_queues = 1,
        .injection_queue_packets = 8,
        .ejection_ports = 1,
        .arbiter = vef_arbiters[0],
        .injection = vef_injections[0],
        .link.delay.cycles = 1 + delay_cycles,
        .link.credit_delay.cycles = delay_cycles,
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

/* Runs until all of `messages` have arrived (true), or a deadlock, which goes to `text`. */
static bool runs_through(vef_netmodel *model, size_t messages, char *text, size_t text_bytes) {
    size_t arrived = 0;
    while (!model->kind->deadlock(model, text, text_bytes) && arrived < messages) {
        const vef_net_delivery *got;
        size_t count;
        vef_error error = {0};
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
        arrived += count;
        assert_true(count > 0 || model->kind->deadlock(model, text, text_bytes));
    }
    return arrived == messages;
}

static uint32_t steps_of(const char *text) {
    uint32_t steps = 0;
    for (const char *next = text; (next = strstr(next, "  router ")); next++)
        steps++;
    return steps;
}

/* A ring of five that dimension order enters without a bubble: each router sends two routers on. */
static void test_a_ring_stops(void **state) {
    (void)state;
    for (uint32_t delay = 0; delay <= 60; delay += 20)
        for (uint32_t parts = 1; parts <= 3; parts += 2) {
            char text[2048];
            vef_topology *topology = topology_of("torus", "{sizes: [5]}", 1);
            vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_BUBBLE);
            vef_routing_algorithm algorithm = *routing->algorithm;
            algorithm.candidates = careless_candidates;
            routing->algorithm = &algorithm;
            routing->least_queue_packets = 1;
            vef_netmodel *model = network_with(topology, routing, delay, delay == 20);
            if (delay > 0)
                divide_network(model, parts, parts > 1);
            for (uint32_t x = 0; x < 5; x++)
                inject(model, x, (x + 2) % 5, 64 * 200);
            assert_false(runs_through(model, 5, text, sizeof text));
            assert_non_null(strstr(text, "cyclic buffer dependency"));
            assert_non_null(strstr(text, "(paused)"));
            assert_int_equal(steps_of(text), 5);
            vef_netmodel_destroy(model);
        }
}

/* All leaves send to all others, four packets a message: the damaged network stops in the cycle of
 * the proof, and the whole one delivers everything. */
static void test_a_clos_stops_by_detours_only(void **state) {
    (void)state;
    for (int damaged = 0; damaged <= 1; damaged++) {
        char text[2048];
        vef_topology *topology;
        vef_routing_algorithm algorithm;
        vef_routing *routing = clos_routing(&topology, damaged, &algorithm);
        vef_netmodel *model = network_with(topology, routing, 10, false);
        size_t messages = 0;
        for (uint32_t round = 0; round < 300; round++)
            for (uint32_t e = 0; e < 8; e++) {
                const uint32_t to = (e + 2 + round * 2) % 8;
                if (to / 2 == e / 2)
                    continue;
                inject(model, e, to, 64 * 4);
                messages++;
            }
        const bool through = runs_through(model, messages, text, sizeof text);
        assert_int_equal(through, !damaged);
        if (damaged)
            assert_int_equal(steps_of(text), 4);
        vef_netmodel_destroy(model);
    }
}

/* ---- shares of links: Zhu et al., section 2.2 ---- */

enum { FLOW_BYTES = 64 * 4000, FROM_CYCLES = 10000, CYCLES = 40000 };

/* The share of its interface's link that each endpoint of `sources` uses, in the long run. */
static void find_shares(vef_netmodel *model, const uint32_t *sources, uint32_t count,
                        double *shares) {
    uint64_t before[16] = {0};
    for (int end = 0; end <= 1; end++) {
        const vef_net_delivery *got;
        size_t arrived;
        vef_error error = {0};
        const uint64_t limit = end ? FROM_CYCLES + CYCLES : FROM_CYCLES;
        assert_int_equal(model->kind->advance(model, limit, &got, &arrived, &error), VEF_OK);
        assert_int_equal(arrived, 0);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t nic = vef_topology_router_of(model->topology, sources[i]);
            uint64_t phits = 0;
            for (uint32_t port = 0; port < model->topology->ports; port++)
                phits += model->kind->link_phits(model, nic, port);
            shares[i] = (double)(phits - before[i]) / CYCLES;
            before[i] = phits;
        }
    }
}

/* A tree of three levels of switches, with an interface as a router before each endpoint: 8
 * endpoints to a switch of the first level, which come to each other by one of two ways up. */
static vef_netmodel *tree_of(const char *router, const char *link) {
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: {family: xgft, m: [1, 8, 2, 2], w: [1, 1, 2, 2]}, routing: {algorithm: "
             "d-mod-k}, packet: {phits: 16}, link: {%s}, router: {arbiter: round-robin, "
             "transit_first: false, %s}}",
             link, router);
    return network_of(yaml);
}

static const char *const backpressures[] = {
    "backpressure: pause", "backpressure: pause, virtual_output_queues: true", "queue_packets: 30",
    "queue_packets: 30, virtual_output_queues: true"};

/* Endpoint 24 receives from 0, 1 and 2, which come by one way, and from `local` endpoints of its
 * own switch. The switch pauses all inputs in turn, so each of the local ones has as much as all
 * that come from far: 1 / (local + 1) of the link. */
static void test_parking_lot(void **state) {
    (void)state;
    static const uint32_t sources[] = {0, 1, 2, 25, 26, 27};
    for (size_t b = 0; b < sizeof backpressures / sizeof *backpressures; b++)
        for (uint32_t local = 1; local <= 3; local++) {
            vef_netmodel *model =
                tree_of(backpressures[b], "delay_cycles: 20, credit_delay_cycles: 20");
            double shares[6];
            for (uint32_t i = 0; i < 3 + local; i++)
                inject(model, sources[i], 24, FLOW_BYTES);
            find_shares(model, sources, 3 + local, shares);
            for (uint32_t i = 0; i < 3 + local; i++)
                assert_near(shares[i], (i < 3 ? 1.0 / 3 : 1) / (local + 1), 0.01);
            vef_netmodel_destroy(model);
        }
}

/* Endpoints 0 to 3 send to 24, and 4, the victim, to 8: these share the link up from their switch,
 * which takes all of them, 1 / 5 each. Endpoints at the receiver's own switch that join slow the
 * others to 1 / (local + 1) of its link, so the link up is paused, and the victim has no more than
 * each of those that it shares the link with, though none of its own links has too much to do. */
static void test_victim(void **state) {
    (void)state;
    static const uint32_t sources[] = {0, 1, 2, 3, 4, 25, 26, 27};
    for (size_t b = 0; b < sizeof backpressures / sizeof *backpressures; b++)
        for (uint32_t local = 0; local <= 3; local++) {
            vef_netmodel *model =
                tree_of(backpressures[b], "delay_cycles: 20, credit_delay_cycles: 20");
            double shares[8];
            for (uint32_t i = 0; i < 5 + local; i++)
                inject(model, sources[i], i == 4 ? 8 : 24, FLOW_BYTES);
            find_shares(model, sources, 5 + local, shares);
            const double expected = local > 0 ? 1.0 / 4 / (local + 1) : 1.0 / 5;
            for (uint32_t i = 0; i < 5; i++)
                assert_near(shares[i], expected, 0.01);
            vef_netmodel_destroy(model);
        }
}

/* Phits that the switch of endpoint 0 has sent to it. */
static uint64_t received(const vef_netmodel *model) {
    const vef_topology *topology = model->topology;
    const uint32_t nic = vef_topology_router_of(topology, 0);
    uint32_t port = 0;
    while (topology->neighbour[(size_t)nic * topology->ports + port] == VEF_NO_ROUTER)
        port++;
    const size_t link = (size_t)nic * topology->ports + port;
    return model->kind->link_phits(model, topology->neighbour[link], topology->reverse_port[link]);
}

/* An incast of `count` endpoints of one switch to another of it: the share of the link to it that
 * is used, of which each has as much. It is never idle with the default thresholds. Queues that
 * resume their sender with one packet left run empty before the next one has come, by cables that
 * hold many. */
static double incast(uint32_t count, const char *router, const char *link) {
    static const uint32_t sources[] = {1, 2, 3, 4, 5, 6, 7};
    vef_netmodel *model = tree_of(router, link);
    double shares[7];
    for (uint32_t i = 0; i < count; i++)
        inject(model, sources[i], 0, FLOW_BYTES);
    find_shares(model, sources, count, shares);
    const double share = (double)received(model) / (FROM_CYCLES + CYCLES);
    for (uint32_t i = 0; i < count; i++)
        assert_near(shares[i], share / count, 0.02);
    vef_netmodel_destroy(model);
    return share;
}

static void test_incast(void **state) {
    (void)state;
    static const char cable[] = "delay_cycles: 200, credit_delay_cycles: 200";
    for (uint32_t count = 2; count <= 7; count++)
        assert_near(incast(count, backpressures[0], cable), 1, 0.01);
    assert_true(incast(2, "backpressure: pause, pause: {at: 2, resume: 1}", cable) < 0.9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_needs_credits_is_refused),
        cmocka_unit_test(test_headroom_is_required),
        cmocka_unit_test(test_default_thresholds),
        cmocka_unit_test(test_rings_of_a_torus),
        cmocka_unit_test(test_clos_with_detours),
        cmocka_unit_test(test_a_ring_stops),
        cmocka_unit_test(test_a_clos_stops_by_detours_only),
        cmocka_unit_test(test_parking_lot),
        cmocka_unit_test(test_victim),
        cmocka_unit_test(test_incast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
