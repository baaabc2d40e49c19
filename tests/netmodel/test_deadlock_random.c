/* Routings made up at random, on small networks, proved and then run under more load than they can
 * take, on queues of one or two places: none that the proof accepts ever locks up, and whatever
 * locks up the proof rejects, with a cycle that packets do make. */
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* The rules of a made-up routing; what they leave open is drawn by place and destination. */
typedef struct rules {
    uint64_t seed;
    uint32_t *distance; /* [to * routers + from] */
    uint32_t channel_rule, ports_rule, escape_rule;
    bool bubble, ordered;
} rules;

/* The same number for the same arguments. */
static uint32_t drawn(const rules *r, uint32_t a, uint32_t b, uint32_t c, uint32_t below) {
    uint64_t hash = r->seed;
    const uint32_t total[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ (total[i] + 1)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 31;
    }
    return (uint32_t)(hash >> 8) % below;
}

enum { TO, HOPS };

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)routing;
    (void)draws;
    route->words[TO] = (int16_t)travel->to;
    route->words[HOPS] = 0;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)routing, (void)place, (void)port, (void)channel;
    route->words[HOPS]++;
}

static uint8_t channel_of(const vef_routing *routing, const vef_route *route, vef_place place,
                          uint32_t port) {
    const rules *r = routing->state;
    const uint32_t channels = routing->channels, hops = (uint32_t)route->words[HOPS];
    switch (r->channel_rule) {
    case 0: /* rising */
        return (uint8_t)(hops < channels ? hops : channels - 1);
    case 1: /* as drawn */
        return (uint8_t)drawn(r, place.router, port, (uint32_t)route->words[TO], channels);
    case 2: /* by direction */
        return (uint8_t)(port % channels);
    default: /* the same on, another after a turn */
        return (uint8_t)(place.in_port == (port ^ 1) ? place.in_channel : hops % channels);
    }
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const rules *r = routing->state;
    const vef_topology *topology = routing->topology;
    const uint32_t to = (uint32_t)route->words[TO];
    const uint32_t *distance = r->distance + (size_t)to * topology->routers;
    uint32_t count = 0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        const uint32_t next = topology->neighbour[(size_t)place.router * topology->ports + port];
        if (next == VEF_NO_ROUTER || distance[next] >= distance[place.router])
            continue;
        if (count > 0 && (r->ordered || drawn(r, place.router, port, to, 3) < r->ports_rule))
            continue;
        const uint8_t channel = channel_of(routing, route, place, port);
        const bool on = place.in_port == (port ^ 1) && place.in_channel == channel;
        offered[count++] = (vef_candidate){
            .port = (uint16_t)port,
            .channel = channel,
            .preference = (uint8_t)drawn(r, place.router, port, to + 100, 2),
            .slots_needed = r->bubble && !on ? 2 : 1,
            .escape = r->escape_rule == 0 || count == 0,
        };
    }
    if (r->escape_rule == 2 && drawn(r, place.router, 7, to, 20) == 0)
        offered[0].escape = false;
    return count;
}

static const vef_routing_algorithm made_up = {
    .name = "made-up",
    .begin = begin,
    .candidates = candidates,
    .advance = advance,
};

static vef_routing *make_routing(const vef_topology *topology, rules *r, vef_rng *rng) {
    r->seed = vef_rng_below(rng, UINT32_MAX);
    r->channel_rule = vef_rng_below(rng, 6) % 4;
    r->ports_rule = vef_rng_below(rng, 3);
    r->escape_rule = vef_rng_below(rng, 8);
    r->bubble = vef_rng_below(rng, 2);
    r->ordered = vef_rng_below(rng, 2);
    r->distance = malloc((size_t)topology->routers * topology->routers * sizeof *r->distance);
    for (uint32_t to = 0; to < topology->routers; to++)
        distances_from(topology, to, r->distance + (size_t)to * topology->routers);
    vef_routing *routing = calloc(1, sizeof *routing);
    routing->algorithm = &made_up;
    routing->topology = topology;
    routing->channels = 1 + vef_rng_below(rng, 4);
    routing->most_candidates = topology->ports;
    routing->least_queue_packets = 1;
    routing->traffic_classes = 1;
    routing->route_words = VEF_ROUTE_WORDS;
    routing->state = r;
    return routing;
}

/* Every endpoint sends many packets anywhere; returns whether all arrive. */
static bool all_arrive(vef_netmodel *model, vef_rng *rng) {
    enum { EACH = 60 };
    vef_error error = {0};
    uint64_t id = 0, arrived = 0;
    for (uint32_t i = 0; i < EACH * model->endpoints; i++) {
        const vef_net_message message = {.source = i % model->endpoints,
                                         .destination = vef_rng_below(rng, model->endpoints),
                                         .bytes = 4 + 4ull * vef_rng_below(rng, 6),
                                         .id = id++};
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    }
    const vef_net_delivery *got;
    size_t count;
    do {
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
        arrived += count;
    } while (count > 0);
    char text[256];
    assert_int_equal(model->kind->deadlock(model, text, sizeof text), arrived < id);
    return arrived == id;
}

typedef struct tally {
    uint32_t accepted, with_rings, rejected, locked;
} tally;

static void try_one(const char *family, const char *parameters, vef_rng *rng, tally *seen) {
    vef_topology *topology = topology_of(family, parameters, 1);
    rules r;
    vef_routing *routing = make_routing(topology, &r, rng);
    const vef_network_settings settings = {
        .queue_packets = r.bubble ? 2 : 1 + vef_rng_below(rng, 2),
        .injection_queues = 1,
        .injection_queue_packets = 2,
        .ejection_ports = 1,
        .arbiter = vef_arbiters[0],
        .injection = vef_injections[0],
        .link.delay.cycles = 1 + vef_rng_below(rng, 3),
        .link.credit_delay.cycles = vef_rng_below(rng, 3),
        .packet_phits = 2,
        .phit_bytes = 4,
        .link.bandwidth_bits_per_s = 1000000000,
        .seed = vef_rng_below(rng, 1000),
    };
    vef_deadlock found = prove(routing, settings.queue_packets, true);
    const bool accepted = found.verdict == VEF_DEADLOCK_FREE;
    if (found.verdict == VEF_DEADLOCK_CYCLE)
        check_cycle(routing, &found);
    seen->with_rings += accepted && found.rings > 0;
    vef_deadlock_release(&found);
    vef_network *network = NULL;
    vef_error error = {0};
    if (vef_network_create(&settings, topology, routing, &network, &error))
        fail_msg("%s", error.message);
    const bool locked = !all_arrive(&network->base, rng);
    if (accepted && locked)
        fail_msg("accepted on %s %s, and locks up: seed %llu", family, parameters,
                 (unsigned long long)r.seed);
    seen->accepted += accepted;
    seen->rejected += !accepted;
    seen->locked += locked;
    vef_network_destroy(network);
    free(r.distance);
}

static void test_what_locks_up_is_rejected(void **state) {
    (void)state;
    static const char *const networks[][2] = {
        {"torus", "{sizes: [4]}"},        {"torus", "{sizes: [5]}"}, {"torus", "{sizes: [4, 3]}"},
        {"mesh", "{sizes: [3, 3]}"},      {"rtt", "{a: 2}"},         {"complete", "{routers: 5}"},
        {"king-mesh", "{sizes: [3, 3]}"},
    };
    const size_t count = sizeof networks / sizeof *networks;
    tally seen = {0};
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 77);
    for (uint32_t i = 0; i < 1400; i++)
        try_one(networks[i % count][0], networks[i % count][1], &rng, &seen);
    print_message(
        "%u accepted, of which %u with bubble rings; %u rejected, of which %u locked up\n",
        seen.accepted, seen.with_rings, seen.rejected, seen.locked);
    /* Neither side is empty. */
    assert_true(seen.accepted > 100);
    assert_true(seen.with_rings > 10);
    assert_true(seen.locked > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_locks_up_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
