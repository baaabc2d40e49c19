/* Routings on HyperX networks: dor, dimwar, omniwar and dal, and two-phase routes by dimension
 * order.
 *
 * Every packet is followed through every candidate, against rules written here from coordinates
 * (router / stride modulo size) alone: dimensions, deroutes, channels, longest paths. Their choice
 * is tested on views made up by hand, and in networks under dimension complement. */
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/view.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 4 };

typedef struct grid {
    const char *family, *parameters;
    uint32_t dimensions, sizes[MOST_DIMENSIONS], weights[MOST_DIMENSIONS];
} grid;

static const grid grids[] = {
    {"hyperx", "{sizes: [4, 4]}", 2, {4, 4}, {1, 1}},
    {"hyperx", "{sizes: [3, 4, 2]}", 3, {3, 4, 2}, {1, 1, 1}},
    {"hyperx", "{sizes: [5, 3], weights: [1, 2]}", 2, {5, 3}, {1, 2}},
    {"hyperx", "{sizes: [2, 3, 2, 2], weights: [3, 1, 1, 2]}", 4, {2, 3, 2, 2}, {3, 1, 1, 2}},
    {"complete", "{routers: 6}", 1, {6}, {1}},
};
enum { GRIDS = sizeof grids / sizeof *grids };

static uint32_t coordinate(const grid *shape, uint32_t router, uint32_t dimension) {
    for (uint32_t d = 0; d < dimension; d++)
        router /= shape->sizes[d];
    return router % shape->sizes[dimension];
}

static uint32_t differing(const grid *shape, uint32_t a, uint32_t b) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < shape->dimensions; d++)
        count += coordinate(shape, a, d) != coordinate(shape, b, d);
    return count;
}

/* The dimension of a hop: the only one in which its ends differ. */
static uint32_t moved(const grid *shape, uint32_t from, uint32_t to) {
    assert_int_equal(differing(shape, from, to), 1);
    uint32_t d = 0;
    while (coordinate(shape, from, d) == coordinate(shape, to, d))
        d++;
    return d;
}

/* ---- every packet ---- */

/* What a packet has done so far. */
typedef struct history {
    uint32_t hops, deroutes;
    uint32_t derouted[MOST_DIMENSIONS]; /* deroutes in each dimension */
    uint32_t last_dimension;
    bool last_derouted;
} history;

typedef struct rules {
    const grid *shape;
    const vef_routing *routing;
    uint32_t deroutes; /* omniwar's */
    uint32_t to;
} rules;

static bool named(const rules *by, const char *name) {
    return strcmp(by->routing->algorithm->name, name) == 0;
}

/* Whether a packet may deroute in a dimension. */
static bool may_deroute(const rules *by, const history *past, uint32_t d) {
    if (named(by, "dimwar"))
        return !past->last_derouted;
    if (named(by, "omniwar"))
        return past->deroutes < by->deroutes;
    return named(by, "dal") && past->derouted[d] == 0;
}

/* The number of hops that a packet may take at a router: K to each allowed neighbour. */
static uint32_t expected_hops(const rules *by, const history *past, uint32_t router) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < by->shape->dimensions; d++) {
        if (coordinate(by->shape, router, d) == coordinate(by->shape, by->to, d))
            continue;
        const uint32_t neighbours = may_deroute(by, past, d) ? by->shape->sizes[d] - 1 : 1;
        count += neighbours * by->shape->weights[d];
        if (named(by, "dor") || named(by, "dimwar"))
            break; /* the first dimension left alone */
    }
    return count;
}

static uint32_t expected_channel(const rules *by, const history *past) {
    if (named(by, "dor"))
        return 0;
    return named(by, "dimwar") ? past->last_derouted : past->hops;
}

/* Follows every candidate; returns the hops of the longest path. */
static uint32_t follow(const rules *by, const vef_route *route, vef_place place, history past) {
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = offers(by->routing, route, place, offered);
    if (place.router == by->to) {
        assert_int_equal(count, 0);
        return 0;
    }
    assert_int_equal(count, expected_hops(by, &past, place.router));
    const uint32_t left = differing(by->shape, place.router, by->to);
    uint32_t longest = 0;
    bool taken[1024] = {false};
    for (uint32_t i = 0; i < count; i++) {
        assert_false(taken[offered[i].port]);
        taken[offered[i].port] = true;
        assert_true(offered[i].escape);
        assert_int_equal(offered[i].slots_needed, 1);
        assert_int_equal(offered[i].channel, expected_channel(by, &past));
        vef_route after = *route;
        const vef_place next = step(by->routing, &after, place, offered[i]);
        const uint32_t d = moved(by->shape, place.router, next.router);
        const bool deroutes = differing(by->shape, next.router, by->to) == left;
        assert_int_not_equal(coordinate(by->shape, place.router, d),
                             coordinate(by->shape, by->to, d));
        assert_true(!deroutes || may_deroute(by, &past, d));
        assert_int_equal(offered[i].preference, deroutes);
        history on = past;
        on.hops++;
        on.deroutes += deroutes;
        on.derouted[d] += deroutes;
        on.last_dimension = d;
        on.last_derouted = deroutes;
        if (named(by, "dor") || named(by, "dimwar"))
            assert_true(past.hops == 0 || d > past.last_dimension ||
                        (d == past.last_dimension && past.last_derouted));
        const uint32_t hops = 1 + follow(by, &after, next, on);
        longest = hops > longest ? hops : longest;
    }
    return longest;
}

/* Two hops in each dimension to change where a deroute is possible; or all deroutes in one. */
static uint32_t expected_longest(const rules *by, uint32_t from) {
    uint32_t hops = 0, wide = 0;
    for (uint32_t d = 0; d < by->shape->dimensions; d++) {
        const bool differs = coordinate(by->shape, from, d) != coordinate(by->shape, by->to, d);
        hops += differs;
        wide += differs && by->shape->sizes[d] > 2;
    }
    if (named(by, "dor"))
        return hops;
    return named(by, "omniwar") ? hops + (wide > 0 ? by->deroutes : 0) : hops + wide;
}

static void check_every_packet(const grid *shape, const char *yaml, uint32_t deroutes,
                               uint32_t channels) {
    vef_topology *topology = topology_of(shape->family, shape->parameters, 1);
    vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_VIRTUAL_CHANNELS);
    assert_int_equal(routing->channels, channels);
    for (uint32_t to = 0; to < topology->routers; to++)
        for (uint32_t from = 0; from < topology->routers; from++) {
            const rules by = {shape, routing, deroutes, to};
            vef_route route;
            begin_route(routing, from, to, NULL, &route);
            const vef_place place = {from, VEF_INJECTED, 0};
            assert_int_equal(follow(&by, &route, place, (history){0}), expected_longest(&by, from));
        }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_every_packet_keeps_the_rules(void **state) {
    (void)state;
    for (size_t g = 0; g < GRIDS; g++) {
        const uint32_t dimensions = grids[g].dimensions;
        uint32_t wide = 0;
        for (uint32_t d = 0; d < dimensions; d++)
            wide += grids[g].sizes[d] > 2;
        check_every_packet(&grids[g], "{algorithm: dor}", 0, 1);
        check_every_packet(&grids[g], "{algorithm: dimwar}", 0, 2);
        check_every_packet(&grids[g], "{algorithm: dal}", 0, dimensions + wide);
        check_every_packet(&grids[g], "{algorithm: omniwar}", dimensions, 2 * dimensions);
        check_every_packet(&grids[g], "{algorithm: omniwar, deroutes: 0}", 0, dimensions);
        check_every_packet(&grids[g], "{algorithm: omniwar, deroutes: 1}", 1, dimensions + 1);
    }
}

/* On 4 x 4 routers ports 0 to 2 are x+1 to x+3, 3 to 5 are y+1 to y+3. */
static void test_paths_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        uint32_t from, to, hops;
        struct {
            uint16_t port;
            uint8_t channel;
        } hop[4];
    } rows[] = {
        {"{algorithm: dor}", 4, 14, 2, {{1, 0}, {4, 0}}},
        {"{algorithm: dimwar}", 4, 14, 3, {{0, 0}, {0, 1}, {4, 0}}},
        {"{algorithm: omniwar, deroutes: 1}", 4, 14, 3, {{4, 0}, {2, 1}, {2, 2}}},
        {"{algorithm: dal}", 4, 14, 4, {{0, 0}, {3, 1}, {0, 2}, {3, 3}}},
    };
    vef_topology *topology = topology_of("hyperx", "{sizes: [4, 4]}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_routing *routing = routing_of(rows[i].routing, topology, VEF_FLOW_BUBBLE);
        vef_route route;
        begin_route(routing, rows[i].from, rows[i].to, NULL, &route);
        vef_place place = {rows[i].from, VEF_INJECTED, 0};
        for (uint32_t hop = 0; hop < rows[i].hops; hop++) {
            vef_candidate offered[VEF_MAX_CANDIDATES];
            const uint32_t count = offers(routing, &route, place, offered);
            uint32_t k = 0;
            while (k < count && (offered[k].port != rows[i].hop[hop].port ||
                                 offered[k].channel != rows[i].hop[hop].channel))
                k++;
            assert_true(k < count);
            place = step(routing, &route, place, offered[k]);
        }
        assert_int_equal(place.router, rows[i].to);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* With `channels` each class has several: all of them are offered on each link, and no others. From
 * (0, 0) to (1, 1), with 2 links in y; the first hop is of the first class. */
static void test_channels_of_a_class(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        uint32_t channels, each, links; /* in all, of a class, links offered */
    } rows[] = {
        {"{algorithm: dor, channels: 3}", 3, 3, 1},
        {"{algorithm: dimwar, channels: 3}", 6, 3, 4},
        {"{algorithm: dal, channels: 2}", 8, 2, 4 + 2 * 2},
        {"{algorithm: omniwar, channels: 2, deroutes: 0}", 4, 2, 1 + 2},
    };
    vef_topology *topology = topology_of("hyperx", "{sizes: [5, 3], weights: [1, 2]}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_routing *routing = routing_of(rows[i].routing, topology, VEF_FLOW_BUBBLE);
        assert_int_equal(routing->channels, rows[i].channels);
        vef_route route;
        begin_route(routing, 0, 6, NULL, &route);
        vef_candidate offered[VEF_MAX_CANDIDATES];
        const uint32_t count = offers(routing, &route, (vef_place){0, VEF_INJECTED, 0}, offered);
        uint32_t channels_of[8] = {0}, links = 0; /* by port: a bit for each channel */
        for (uint32_t k = 0; k < count; k++) {
            assert_true(offered[k].port < 8 && offered[k].channel < rows[i].each);
            links += channels_of[offered[k].port] == 0;
            channels_of[offered[k].port] |= 1u << offered[k].channel;
        }
        assert_int_equal(links, rows[i].links);
        assert_int_equal(count, links * rows[i].each);
        for (uint32_t port = 0; port < 8; port++)
            assert_true(channels_of[port] == 0 || channels_of[port] == (1u << rows[i].each) - 1);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* The candidates of minimal are at most those of h links in each of h dimensions left, with D + 1 -
 * h of D channels: a network's memory grows with them. */
static void test_minimal_offers_few(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t most;
    } rows[] = {
        {"{sizes: [4, 4]}", 2},                  /* 1 x 2, 2 x 1 */
        {"{sizes: [3, 4, 2]}", 4},               /* 2 x 2 */
        {"{sizes: [3, 3, 3, 3]}", 6},            /* 2 x 3, 3 x 2 */
        {"{sizes: [5, 3], weights: [1, 2]}", 4}, /* a dimension of 2 links, 2 channels */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_topology *topology = topology_of("hyperx", rows[i].parameters, 1);
        vef_routing *routing = routing_of("{algorithm: minimal}", topology, VEF_FLOW_BUBBLE);
        assert_int_equal(routing->channels, topology->dimensions);
        assert_int_equal(routing->most_candidates, rows[i].most);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* ---- two phases ---- */

/* From (0, 1) over (3, 2) to (2, 2): x+3 and y+1 on channel 0, x+3 on channel 1. */
static void test_two_phases(void **state) {
    (void)state;
    vef_topology *topology = topology_of("hyperx", "{sizes: [4, 4]}", 1);
    static const char *const names[] = {"valiant", "ugal", "ugal-l", "ugal-g"};
    for (size_t i = 0; i < 4; i++) {
        char yaml[64];
        snprintf(yaml, sizeof yaml, "{algorithm: %s}", names[i]);
        vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_BUBBLE);
        assert_int_equal(routing->channels, 2);
        static const uint16_t ports[] = {2, 3, 2};
        const vef_travel travel = {4, 10, 4, 10, 0};
        vef_draws draws = {.count = 1, .digits = {11}, .bounds = {16}};
        vef_route route;
        if (routing->algorithm->choice)
            routing->algorithm->choice->begin(routing, &travel, 1, &draws, &route);
        else
            routing->algorithm->begin(routing, &travel, &draws, &route);
        vef_place place = {4, VEF_INJECTED, 0};
        for (uint32_t hop = 0; hop < 3; hop++) {
            vef_candidate offered[VEF_MAX_CANDIDATES];
            assert_int_equal(offers(routing, &route, place, offered), 1);
            assert_int_equal(offered[0].port, ports[hop]);
            assert_int_equal(offered[0].channel, hop == 2);
            place = step(routing, &route, place, offered[0]);
        }
        assert_int_equal(place.router, 10);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* ---- freedom from deadlock ---- */

/* Queues of a link, and the longest path for D dimensions of three or more routers. */
static const struct {
    const char *routing;
    uint32_t channels[2], longest[2]; /* for D = 2 and D = 3 */
} ladders[] = {
    {"{algorithm: dor}", {1, 1}, {2, 3}},
    {"{algorithm: dimwar}", {2, 2}, {4, 6}},
    {"{algorithm: dal}", {4, 6}, {4, 6}},
    {"{algorithm: omniwar}", {4, 6}, {4, 6}},
    {"{algorithm: omniwar, deroutes: 1}", {3, 4}, {3, 4}},
    {"{algorithm: valiant}", {2, 2}, {4, 6}},
    {"{algorithm: ugal}", {2, 2}, {4, 6}},
};

static void test_they_are_proved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ladders / sizeof *ladders; i++)
        for (int three = 0; three < 2; three++) {
            vef_topology *topology =
                topology_of("hyperx", three ? "{sizes: [3, 4, 3]}" : "{sizes: [5, 4]}", 1);
            vef_routing *routing = routing_of(ladders[i].routing, topology, VEF_FLOW_BUBBLE);
            vef_deadlock found = prove(routing, 1, false);
            assert_free(routing, &found, ladders[i].routing);
            assert_true(found.bounded);
            assert_int_equal(found.channels, ladders[i].channels[three]);
            assert_int_equal(found.longest_hops, ladders[i].longest[three]);
            assert_int_equal(found.destinations, 1);
            vef_deadlock_release(&found);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* With one queue of a link fewer, which channels share, each of them has a cycle. */
static void test_one_channel_fewer_deadlocks(void **state) {
    (void)state;
    vef_topology *topology = topology_of("hyperx", "{sizes: [4, 4]}", 1);
    for (size_t i = 1; i < sizeof ladders / sizeof *ladders; i++) {
        vef_routing *routing = routing_of(ladders[i].routing, topology, VEF_FLOW_BUBBLE);
        vef_deadlock found;
        vef_error error = {0};
        const vef_deadlock_request request = {.channels = routing->channels - 1};
        assert_int_equal(vef_deadlock_prove(routing, &request, &found, &error), VEF_OK);
        if (found.verdict != VEF_DEADLOCK_CYCLE)
            fail_msg("%s needs fewer channels", ladders[i].routing);
        check_cycle(routing, &found);
        vef_deadlock_release(&found);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* ---- the choice ---- */

/* Places of the router of the choice: taken by port and channel, waiting by port. */
typedef struct made_up {
    uint32_t taken[6][8], waiting[6];
} made_up;

static vef_occupancy look(const vef_view *view, uint32_t router, uint32_t port, uint32_t channel) {
    const made_up *queues = view->network;
    assert_int_equal(router, view->router);
    return (vef_occupancy){queues->taken[port][channel], 8};
}

static uint32_t waiting(const vef_view *view, uint32_t router, uint32_t port) {
    const made_up *queues = view->network;
    assert_int_equal(router, view->router);
    return queues->waiting[port];
}

/* The candidates of least cost of a packet from (0, 0) to (2, 3) of 4 x 4 routers, by port x 10 +
 * channel, ascending; returns their number. */
static uint32_t kept(const char *yaml, const made_up *queues, uint32_t least[8]) {
    vef_topology *topology = topology_of("hyperx", "{sizes: [4, 4]}", 1);
    vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_BUBBLE);
    const vef_view view = {
        .network = queues, .channels = routing->channels, .look = look, .waiting = waiting};
    vef_route route;
    begin_route(routing, 0, 14, NULL, &route);
    const vef_place place = {0, VEF_INJECTED, 0};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = offers(routing, &route, place, offered);
    uint64_t cost = UINT64_MAX;
    uint32_t equals = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t here = routing->algorithm->weigh(routing, &route, place, offered[i], &view);
        if (here < cost)
            equals = 0;
        if (here > cost)
            continue;
        cost = here;
        assert_true(equals < 8);
        least[equals++] = offered[i].port * 10u + offered[i].channel;
    }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
    return equals;
}

static void assert_kept(const char *yaml, const made_up *queues, uint32_t count,
                        const uint32_t *expected) {
    uint32_t least[8];
    const uint32_t found = kept(yaml, queues, least);
    if (found != count || memcmp(least, expected, count * sizeof *least) != 0)
        fail_msg("%s: %u candidates of least cost, the first by port %u", yaml, found,
                 least[0] / 10);
}
#define KEPT(yaml, queues, ...)                                                                    \
    assert_kept(yaml, queues, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                \
                (const uint32_t[]){__VA_ARGS__})

/* Two dimensions are left: a minimal hop is 2 hops from the destination, a deroute 3. */
static void test_choice(void **state) {
    (void)state;
    enum { X1, X2, X3, Y1, Y2, Y3 }; /* x+2 and y+3 are minimal */
    made_up queues = {0};
    KEPT("{algorithm: dimwar}", &queues, 10 * X2);
    KEPT("{algorithm: omniwar}", &queues, 10 * X2, 10 * Y3); /* drawn */
    KEPT("{algorithm: dal}", &queues, 10 * X2, 10 * Y3);
    queues.taken[X2][0] = 1; /* 1 x 2 against 0 x 3 */
    KEPT("{algorithm: dimwar}", &queues, 10 * X1, 10 * X3);
    KEPT("{algorithm: dimwar, threshold: 1}", &queues, 10 * X1, 10 * X3);
    KEPT("{algorithm: dimwar, threshold: 2}", &queues, 10 * X2);
    KEPT("{algorithm: dal}", &queues, 10 * Y3);
    queues.taken[X2][0] = 3; /* 3 x 2 against 2 x 3: as much, so minimal */
    queues.taken[X1][0] = 2;
    queues.taken[X3][0] = 4;
    KEPT("{algorithm: dimwar}", &queues, 10 * X2);
    queues.taken[X1][0] = 1;
    KEPT("{algorithm: dimwar}", &queues, 10 * X1);
    queues.waiting[X1] = 1; /* as if taken */
    KEPT("{algorithm: dimwar}", &queues, 10 * X2);
    queues.taken[X1][1] = 5; /* in the other class */
    queues.waiting[X1] = 0;
    KEPT("{algorithm: dimwar}", &queues, 10 * X1);
    KEPT("{algorithm: dimwar, queues: port}", &queues, 10 * X2);
    for (uint32_t y = Y1; y <= Y3; y++)
        queues.waiting[y] = 9;
    KEPT("{algorithm: omniwar}", &queues, 10 * X1);
    KEPT("{algorithm: omniwar, deroutes: 0}", &queues, 10 * X2);
    queues.waiting[Y2] = 0;
    KEPT("{algorithm: omniwar}", &queues, 10 * Y2);
}

/* The places of all channels of the class count; of a link's, the emptiest is taken. */
static void test_choice_among_channels(void **state) {
    (void)state;
    made_up queues = {0};
    KEPT("{algorithm: dimwar, channels: 2}", &queues, 10, 11);
    queues.taken[1][0] = 2; /* x+2: 2 x 2 against 1 x 3 */
    queues.taken[0][1] = queues.taken[2][0] = queues.taken[2][1] = 1;
    KEPT("{algorithm: dimwar, channels: 2}", &queues, 0);
    queues.taken[0][0] = 1; /* 2 x 3 */
    KEPT("{algorithm: dimwar, channels: 2}", &queues, 11);
}

/* ---- in networks ---- */

static void test_bursts_arrive(void **state) {
    (void)state;
    static const char *const networks[] = {
        "{family: hyperx, sizes: [4, 4]}",
        "{family: hyperx, sizes: [3, 4, 2], weights: [2, 1, 1]}",
        "{family: complete, routers: 7}",
    };
    static const char *const routings[] = {
        "{algorithm: dor}",
        "{algorithm: dimwar}",
        "{algorithm: omniwar}",
        "{algorithm: dal}",
        "{algorithm: dal, channels: 2, queues: port}",
        "{algorithm: valiant}",
        "{algorithm: ugal-g}",
    };
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t r = 0; r < sizeof routings / sizeof *routings; r++)
            check_burst(networks[n], routings[r], "virtual-channels", 1);
}

/* Phits per cycle and endpoint of 4 x 4 routers with 4 endpoints each that send as much as the
 * network takes to the router with complemented coordinates. */
static double complement_load(const char *routing) {
    enum { EACH = 300, WARM_UP_CYCLES = 2000, CYCLES = 8000, ENDPOINTS = 64 };
    char yaml[256];
    snprintf(yaml, sizeof yaml,
             "{topology: {family: hyperx, sizes: [4, 4]}, endpoints_per_router: 4, routing: %s}",
             routing);
    vef_netmodel *model = network_of(yaml);
    vef_error error;
    const vef_net_delivery *got;
    size_t count;
    for (uint32_t i = 0; i < EACH * ENDPOINTS; i++) {
        const uint32_t source = i % ENDPOINTS;
        const vef_net_message message = {.source = source,
                                         .destination = (15 - source / 4) * 4 + source % 4,
                                         .bytes = 64,
                                         .id = i};
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    }
    vef_net_counts counts[2];
    for (int part = 0; part < 2; part++) {
        const uint64_t until = part == 0 ? WARM_UP_CYCLES : WARM_UP_CYCLES + CYCLES;
        while (model->kind->now(model) < until)
            assert_int_equal(model->kind->advance(model, until, &got, &count, &error), VEF_OK);
        model->kind->counts(model, &counts[part]);
    }
    assert_true(counts[1].messages < EACH * ENDPOINTS); /* sources never ran dry */
    vef_netmodel_destroy(model);
    return (double)(counts[1].phits - counts[0].phits) / ENDPOINTS / CYCLES;
}

/* Dimension order sends the packets of the 4 endpoints of a router by one link: 1/4 each. A router
 * has 6 links, and packets take at least two hops: no routing gives more than 6 / (4 x 2). */
static void test_dimension_complement(void **state) {
    (void)state;
    static const char *const adaptive[] = {"{algorithm: dimwar}", "{algorithm: omniwar}",
                                           "{algorithm: dal}"};
    assert_near(complement_load("{algorithm: dor}"), 0.25, 0.002);
    for (size_t i = 0; i < 3; i++) {
        const double load = complement_load(adaptive[i]);
        print_message("dimension complement: %s %.4f\n", adaptive[i], load);
        assert_true(load > 1.5 * 0.25 && load < 0.75);
    }
}

static void test_refused(void **state) {
    (void)state;
    assert_network_refused(
        "{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: dimwar}}",
        "expected topology hyperx or complete, not torus; expected for this network one of: "
        "adaptive, dor, ");
    assert_network_refused(
        "{topology: {family: hyperx, sizes: [4, 4]}, routing: {algorithm: dal, channels: 17}}",
        "4 classes of channels, of 17 each: out of range: expected at most 64 virtual channels");
    assert_network_refused(
        "{topology: {family: hyperx, sizes: [4, 4]}, routing: {algorithm: "
        "omniwar, deroutes: 63}}",
        "65 classes of channels");
    assert_network_refused(
        "{topology: {family: complete, routers: 600}, routing: {algorithm: "
        "dimwar, channels: 2}}",
        "channels: 2 on 599 ports give a packet too many candidates: expected "
        "at most 1");
    assert_network_refused(
        "{topology: {family: hyperx, sizes: [2], weights: [40]}, routing: "
        "{algorithm: dor, channels: 26}}",
        "expected at most 25");
}

/* dor is two rows: where names are listed, it is named once. */
static void test_names_are_listed_once(void **state) {
    (void)state;
    vef_error error = {0};
    assert_int_equal(network_refused("{topology: {family: hyperx, sizes: [4, 4]}, routing: "
                                     "{algorithm: dimension-order}}",
                                     &error),
                     VEF_INVALID);
    assert_non_null(strstr(error.message, "did you mean dor?"));
    const char *first = strstr(error.message, ", dor,");
    assert_non_null(first);
    assert_null(strstr(first + 2, " dor,"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_packet_keeps_the_rules),
        cmocka_unit_test(test_paths_by_hand),
        cmocka_unit_test(test_channels_of_a_class),
        cmocka_unit_test(test_minimal_offers_few),
        cmocka_unit_test(test_two_phases),
        cmocka_unit_test(test_they_are_proved),
        cmocka_unit_test(test_one_channel_fewer_deadlocks),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_choice_among_channels),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_dimension_complement),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names_are_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
