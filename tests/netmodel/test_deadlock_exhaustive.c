/* What the proof of deadlock freedom leaves out changes nothing: on small networks it agrees with
 * an exploration of every packet by itself (every pair of endpoints, every outcome of every draw,
 * every candidate in every queue), which uses none of the declarations that shorten the proof:
 * translations and reflections of a topology, vef_routing.uniform, vef_routing_algorithm.input,
 * fold, legs and vef_routing.rising. The declarations are tested for every row of the two tables.
 */
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/two_phase/two_phase.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- translations ---- */

/* The translation that moves router `from` to `to`, if there is one: it preserves ports, so it is
 * known from one router on. */
static bool is_translation(const vef_topology *topology, uint32_t from, uint32_t to,
                           uint32_t *image, uint32_t *queue) {
    const uint32_t ports = topology->ports;
    memset(image, 0xff, topology->routers * sizeof *image);
    uint32_t count = 0;
    image[from] = to;
    queue[count++] = from;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < ports; port++) {
            const size_t link = (size_t)queue[i] * ports + port;
            const size_t moved = (size_t)image[queue[i]] * ports + port;
            const uint32_t next = topology->neighbour[link], there = topology->neighbour[moved];
            if ((next == VEF_NO_ROUTER) != (there == VEF_NO_ROUTER))
                return false;
            if (next == VEF_NO_ROUTER)
                continue;
            if (topology->reverse_port[link] != topology->reverse_port[moved])
                return false;
            if (image[next] == UINT32_MAX) {
                image[next] = there;
                queue[count++] = next;
            }
            if (image[next] != there)
                return false;
        }
    return count == topology->routers;
}

static uint32_t endpoints_on(const vef_topology *topology, uint32_t router) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < topology->endpoints; e++)
        count += vef_topology_router_of(topology, e) == router;
    return count;
}

static uint32_t check_translations(const vef_topology *topology) {
    const uint32_t classes = topology->translation_classes, routers = topology->routers;
    if (classes == 0)
        return 0;
    uint32_t *members = calloc(classes, sizeof *members);
    uint32_t *first = calloc(classes, sizeof *first);
    uint32_t *image = malloc(routers * sizeof *image), *queue = malloc(routers * sizeof *queue);
    for (uint32_t r = 0; r < routers; r++) {
        const uint32_t class = vef_topology_translation_class(topology, r);
        assert_in_range(class, 0, classes - 1);
        if (members[class]++ == 0)
            first[class] = r;
        assert_true(is_translation(topology, first[class], r, image, queue));
        assert_int_equal(endpoints_on(topology, r), endpoints_on(topology, first[class]));
    }
    for (uint32_t class = 0; class < classes; class ++)
        assert_int_equal(members[class], routers / classes);
    free(members);
    free(first);
    free(image);
    free(queue);
    return 1;
}

static void test_translations_are_symmetries(void **state) {
    (void)state;
    uint32_t checked = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 2);
            checked += check_translations(topology);
            vef_topology_destroy(topology);
        }
    assert_true(checked > 10);
}

/* ---- reflections ---- */

static uint32_t class_of(const vef_topology *topology, uint32_t router) {
    return topology->translation_classes ? vef_topology_translation_class(topology, router)
           : topology->turns             ? vef_topology_orbit(topology, router)
                                         : router;
}

static void check_reflected_links(const vef_topology *topology, uint32_t which, uint32_t router) {
    const vef_topology_family *family = topology->family;
    const uint32_t image = family->reflect(topology, which, router);
    for (uint32_t port = 0; port < topology->ports; port++) {
        const uint32_t there = family->reflect_port(topology, which, port);
        assert_in_range(there, 0, topology->ports - 1);
        assert_int_equal(family->reflect_port(topology, which, there), port);
        const size_t link = (size_t)router * topology->ports + port;
        const size_t moved = (size_t)image * topology->ports + there;
        const uint32_t next = topology->neighbour[link];
        assert_int_equal(topology->neighbour[moved], next == VEF_NO_ROUTER
                                                         ? VEF_NO_ROUTER
                                                         : family->reflect(topology, which, next));
        if (next != VEF_NO_ROUTER)
            assert_int_equal(topology->reverse_port[moved],
                             family->reflect_port(topology, which, topology->reverse_port[link]));
    }
}

static uint32_t check_reflections(const vef_topology *topology) {
    const vef_topology_family *family = topology->family;
    for (uint32_t which = 0; which < topology->reflections; which++)
        for (uint32_t r = 0; r < topology->routers; r++) {
            const uint32_t image = family->reflect(topology, which, r);
            assert_in_range(image, 0, topology->routers - 1);
            assert_int_equal(family->reflect(topology, which, image), r);
            assert_int_equal(endpoints_on(topology, image), endpoints_on(topology, r));
            check_reflected_links(topology, which, r);
            for (uint32_t other = 0; other < which; other++)
                assert_int_equal(
                    family->reflect(topology, other, image),
                    family->reflect(topology, which, family->reflect(topology, other, r)));
            for (uint32_t s = 0; s < r; s++)
                if (class_of(topology, s) == class_of(topology, r))
                    assert_int_equal(class_of(topology, family->reflect(topology, which, s)),
                                     class_of(topology, image));
        }
    return topology->reflections;
}

static void test_reflections_are_symmetries(void **state) {
    (void)state;
    uint32_t checked = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 2);
            checked += check_reflections(topology);
            vef_topology_destroy(topology);
        }
    assert_true(checked > 30);
}

/* Whether a router is the lowest of those that translations and reflections map onto it. */
static bool is_lowest(const vef_topology *topology, uint32_t router) {
    for (uint32_t which = 0; which < 1u << topology->reflections; which++) {
        uint32_t image = router;
        for (uint32_t i = 0; i < topology->reflections; i++)
            if (which >> i & 1)
                image = topology->family->reflect(topology, i, image);
        for (uint32_t r = 0; r < router; r++)
            if (class_of(topology, r) == class_of(topology, image))
                return false;
    }
    return true;
}

/* ---- packets one by one ---- */

typedef struct position {
    vef_place place;
    vef_route route;
    uint32_t hash;
    uint32_t height; /* hops of the longest path from here; 0: not known yet */
    bool open;       /* on the current path */
} position;

typedef struct explored {
    const vef_routing *routing;
    uint32_t queue_packets, links;
    uint8_t *escapes; /* [(router * (links + 1) + from) * links + to] */
    uint8_t *entered; /* [router * links + queue] */
    uint64_t *states; /* of packets to each router */
    uint64_t queues, dependencies;
    uint32_t longest_hops;
    /* of the packets to one endpoint */
    position *position;
    uint32_t *slot; /* 0: empty, else number + 1 */
    uint32_t slots; /* a power of two, at least twice as many as positions */
    uint32_t count;
} explored;

enum { MOST_POSITIONS = 1 << 20, FEWEST_SLOTS = 1 << 10 };

static uint32_t hash_of(vef_place place, const vef_route *route) {
    uint64_t hash = (uint64_t)place.router << 32 | (uint64_t)place.in_port << 8 | place.in_channel;
    uint64_t words[sizeof *route / sizeof(uint64_t)];
    static_assert(sizeof words == sizeof *route, "a route is a number of words");
    memcpy(words, route, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* Twice the slots. */
static void grow(explored *search) {
    search->slots *= 2;
    memset(search->slot, 0, search->slots * sizeof *search->slot);
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t here = search->position[i].hash % search->slots;
        while (search->slot[here] != 0)
            here = (here + 1) % search->slots;
        search->slot[here] = i + 1;
    }
}

/* The number of a position, added if new. */
static uint32_t number_of(explored *search, vef_place place, const vef_route *route) {
    const uint32_t hash = hash_of(place, route);
    uint32_t here = hash % search->slots;
    for (; search->slot[here] != 0; here = (here + 1) % search->slots) {
        const position *other = &search->position[search->slot[here] - 1];
        if (other->hash == hash && other->place.router == place.router &&
            other->place.in_port == place.in_port && other->place.in_channel == place.in_channel &&
            memcmp(&other->route, route, sizeof *route) == 0)
            return search->slot[here] - 1;
    }
    assert_true(search->count < MOST_POSITIONS);
    search->position[search->count] = (position){.place = place, .route = *route, .hash = hash};
    search->slot[here] = ++search->count;
    if (search->count > search->slots / 2)
        grow(search);
    return search->count - 1;
}

/* Returns the hops of the longest path from a position. */
static uint32_t explore(explored *search, uint32_t to, uint32_t number) {
    const vef_topology *topology = search->routing->topology;
    const position current = search->position[number];
    assert_false(current.open); /* all routings of the table have bounded paths */
    if (current.height > 0)
        return current.height;
    search->position[number].open = true;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = search->routing->algorithm->candidates(search->routing, &current.route,
                                                                  current.place, offered);
    const uint32_t from =
        current.place.in_port == VEF_INJECTED
            ? search->links
            : current.place.in_port * search->routing->channels + current.place.in_channel;
    uint32_t height = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (offered[i].slots_needed > search->queue_packets)
            continue;
        const size_t port = (size_t)current.place.router * topology->ports + offered[i].port;
        const uint32_t link = offered[i].port * search->routing->channels + offered[i].channel;
        const vef_place next = {topology->neighbour[port], topology->reverse_port[port],
                                offered[i].channel};
        const size_t row = (size_t)current.place.router * (search->links + 1) + from;
        search->escapes[row * search->links + link] |= offered[i].escape;
        search->entered[(size_t)next.router * search->links +
                        next.in_port * search->routing->channels + next.in_channel] = 1;
        vef_route route = current.route;
        search->routing->algorithm->advance(search->routing, &route, current.place, offered[i].port,
                                            offered[i].channel);
        if (vef_routing_arrived(search->routing, &route, next.router, to))
            continue;
        const uint32_t hops = 1 + explore(search, to, number_of(search, next, &route));
        height = hops > height ? hops : height;
    }
    search->position[number].open = false;
    search->position[number].height = height;
    return height;
}

/* All packets to an endpoint. */
static void explore_to(explored *search, uint32_t destination) {
    const vef_topology *topology = search->routing->topology;
    const uint32_t to = vef_topology_router_of(topology, destination);
    search->count = 0;
    memset(search->slot, 0, search->slots * sizeof *search->slot);
    for (uint32_t source = 0; source < topology->endpoints; source++)
        for (uint32_t class = 0; class < search->routing->traffic_classes; class ++) {
            const vef_travel travel = {
                source, destination, vef_topology_router_of(topology, source), to, (uint8_t) class};
            vef_draws draws = {0};
            do {
                vef_route route = {0};
                if (travel.from == to)
                    break;
                vef_routing_begin(search->routing, &travel, &draws, NULL, &route);
                const vef_place place = {travel.from, VEF_INJECTED, 0};
                const uint32_t hops = explore(search, to, number_of(search, place, &route));
                search->longest_hops = hops > search->longest_hops ? hops : search->longest_hops;
            } while (vef_draws_next(&draws));
        }
    search->states[to] += search->count;
}

static void explore_all(explored *search) {
    const vef_topology *topology = search->routing->topology;
    search->links = topology->ports * search->routing->channels;
    search->queue_packets = search->routing->least_queue_packets;
    const size_t queues = (size_t)topology->routers * search->links;
    const size_t rows = (size_t)topology->routers * (search->links + 1);
    search->states = calloc(topology->routers, sizeof *search->states);
    search->escapes = calloc(rows * search->links, 1);
    search->entered = calloc(queues, 1);
    search->position = malloc(MOST_POSITIONS * sizeof *search->position);
    search->slots = FEWEST_SLOTS;
    search->slot = malloc(4 * (size_t)MOST_POSITIONS * sizeof *search->slot);
    assert_true(search->states && search->escapes && search->entered && search->position &&
                search->slot);
    for (uint32_t e = 0; e < topology->endpoints; e++)
        explore_to(search, e);
    for (size_t q = 0; q < queues; q++)
        search->queues += search->entered[q];
    for (size_t row = 0; row < rows; row++)
        for (size_t l = 0; l < search->links && row % (search->links + 1) < search->links; l++)
            search->dependencies += search->escapes[row * search->links + l];
    free(search->escapes);
    free(search->entered);
    free(search->position);
    free(search->slot);
}

static vef_deadlock proof_of(const vef_routing *routing, bool every, const char *what) {
    vef_deadlock found;
    vef_error error = {0};
    const vef_deadlock_request request = {.every_destination = every};
    if (vef_deadlock_prove(routing, &request, &found, &error) != VEF_OK)
        fail_msg("%s: %s", what, error.message);
    if (found.verdict != VEF_DEADLOCK_FREE)
        fail_msg("%s: not free of deadlock", what);
    return found;
}

/* Whether the routing has an unrolled form for the proof. */
static bool is_unrolled(const vef_routing *routing) {
    vef_routing *unrolled = NULL;
    vef_error error = {0};
    const bool has = vef_routing_unroll(routing, &unrolled, &error) == VEF_OK && unrolled->uniform;
    vef_routing_destroy(unrolled);
    return has && routing->topology->translation_classes > 0;
}

static void check_routing(const vef_routing *routing, const char *what) {
    const vef_topology *topology = routing->topology;
    explored search = {.routing = routing};
    explore_all(&search);
    const bool symmetric = routing->uniform || is_unrolled(routing);
    for (int every = 0; every < 2; every++) {
        const vef_deadlock found = proof_of(routing, every, what);
        if (found.queues != search.queues || found.dependencies != search.dependencies ||
            found.longest_hops != search.longest_hops)
            fail_msg("%s: %llu queues, %llu dependencies, %u hops; packet by packet %llu, %llu, %u",
                     what, (unsigned long long)found.queues, (unsigned long long)found.dependencies,
                     found.longest_hops, (unsigned long long)search.queues,
                     (unsigned long long)search.dependencies, search.longest_hops);
        assert_true(found.bounded);
        uint32_t destinations = 0;
        uint64_t states = 0;
        for (uint32_t r = 0; r < topology->routers; r++)
            if (every || !symmetric || is_lowest(topology, r)) {
                destinations++;
                states += search.states[r];
            }
        assert_int_equal(found.destinations, destinations);
        if (!routing->legs && topology->endpoints_per_router == 1)
            assert_int_equal(found.states, states);
    }
    free(search.states);
}

enum { MOST_OF_TWO_PHASES = 20 }; /* routers */

/* Returns 1, or 0 where the routing refuses the topology, is another row of the name than `row`
 * (NULL: any), or the network is too large. */
static uint32_t check_sample(const char *yaml, const vef_routing_algorithm *row,
                             const vef_topology *topology, const char *sample,
                             vef_flow_control flow_control) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_routing *routing = NULL;
    vef_error error = {0};
    assert_int_equal(vef_config_parse(yaml, "test", &arena, &node, &error), VEF_OK);
    const vef_code code = vef_routing_create(node, topology, flow_control, &routing, &error);
    vef_arena_release(&arena);
    if (code == VEF_UNSUPPORTED || code == VEF_INVALID)
        return 0;
    assert_int_equal(code, VEF_OK);
    char what[512];
    snprintf(what, sizeof what, "%s on %s %s, %s", yaml, topology->family->name, sample,
             flow_control == VEF_FLOW_BUBBLE ? "bubble" : "virtual channels");
    /* Packet by packet, routes of two phases are as many as pairs of routers times routers. */
    const bool two_phases = routing->algorithm->supports == vef_two_phase_supports;
    const bool checked = (!row || routing->algorithm == row) &&
                         (!two_phases || topology->routers <= MOST_OF_TWO_PHASES);
    if (checked)
        check_routing(routing, what);
    vef_routing_destroy(routing);
    return checked;
}

/* Networks where queues, translations and legs matter beside the samples: rings of five and of four
 * routers, twists, dimensions that do not wrap, several classes of translations. */
static const char *const more[][2] = {
    {"torus", "{sizes: [5, 4]}"},
    {"torus", "{sizes: [5]}"},
    {"mesh", "{sizes: [4, 3]}"},
    {"mesh", "{sizes: [3, 2, 3]}"},
    {"lattice", "{sizes: [5, 3], wrap: [1, 0]}"},
    {"lattice", "{sizes: [3, 4], wrap: [0, 1]}"},
    {"lattice", "{sizes: [5, 4], shifts: [[], [2]]}"},
    {"king-torus", "{sizes: [5, 4]}"},
    {"king-mesh", "{sizes: [4, 3]}"},
    {"diagonal-mesh", "{sizes: [4, 3]}"},
    {"diagonal-torus", "{sizes: [4, 5]}"},
    {"ibt", "{sizes: [8, 4], bypass_dimensions: 1, lengths: [4, 2]}"},
    {"rtt", "{a: 3}"},
};

static uint32_t check_everywhere(const char *yaml, const vef_routing_algorithm *row,
                                 uint32_t most_routers, uint32_t per_router, bool failures) {
    uint32_t checked = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            const vef_topology_family *family = vef_topology_families[f];
            vef_topology *topology = topology_of(family->name, family->samples[s], per_router);
            if (failures && topology->routers >= 8)
                damage(&topology, "{link_count: 1, disconnected: drop}");
            for (int f_c = 0; f_c < 2 && topology->routers <= most_routers; f_c++)
                checked += check_sample(yaml, row, topology, family->samples[s],
                                        f_c ? VEF_FLOW_VIRTUAL_CHANNELS : VEF_FLOW_BUBBLE);
            vef_topology_destroy(topology);
        }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        vef_topology *topology = topology_of(more[i][0], more[i][1], per_router);
        for (int f_c = 0; f_c < 2 && topology->routers <= most_routers; f_c++)
            checked += check_sample(yaml, row, topology, more[i][1],
                                    f_c ? VEF_FLOW_VIRTUAL_CHANNELS : VEF_FLOW_BUBBLE);
        vef_topology_destroy(topology);
    }
    return checked;
}

static void test_every_routing_packet_by_packet(void **state) {
    (void)state;
    for (size_t r = 0; vef_routings[r]; r++) {
        char yaml[128];
        snprintf(yaml, sizeof yaml, "{algorithm: %s}", vef_routings[r]->name);
        if (check_everywhere(yaml, vef_routings[r], 40, 1, false) == 0 &&
            check_everywhere(yaml, vef_routings[r], 40, 1, true) == 0)
            fail_msg("routing %s was checked on no network", vef_routings[r]->name);
    }
}

/* Parameters on which the queue of a packet, or the destination endpoint, bears. */
static void test_parameters_packet_by_packet(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        uint32_t most_routers, per_router;
    } rows[] = {
        {"{algorithm: dor, channels: 2}", 20, 1},
        {"{algorithm: dor}", 12, 3},
        {"{algorithm: adaptive, return_to_adaptive: false}", 20, 1},
        {"{algorithm: adaptive, selection: straight}", 20, 1},
        {"{algorithm: adaptive, selection: longest}", 20, 1},
        {"{algorithm: valiant, channels: 2}", 16, 1},
        {"{algorithm: valiant}", 12, 2},
        {"{algorithm: valiant, early_exit: true}", 16, 1},
        {"{algorithm: ugal, detours: 2}", 12, 1},
        {"{algorithm: ugal, early_exit: true}", 12, 2},
        {"{algorithm: hop-by-hop, return_to_adaptive: false}", 20, 1},
        {"{algorithm: knaive, return_to_adaptive: false}", 20, 1},
        {"{algorithm: ts-dor, traffic_classes: 2}", 40, 1},
        {"{algorithm: tree-adaptive}", 32, 2},
        {"{algorithm: destro}", 32, 2},
        {"{algorithm: minimal}", 20, 2},
        {"{algorithm: up-down, channels: 2}", 20, 1},
        {"{algorithm: dal, channels: 2}", 12, 1},
        {"{algorithm: dimwar, channels: 2}", 20, 1},
        {"{algorithm: omniwar, deroutes: 1}", 20, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (check_everywhere(rows[i].yaml, NULL, rows[i].most_routers, rows[i].per_router, false) ==
            0)
            fail_msg("routing %s was checked on no network", rows[i].yaml);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translations_are_symmetries),
        cmocka_unit_test(test_reflections_are_symmetries),
        cmocka_unit_test(test_every_routing_packet_by_packet),
        cmocka_unit_test(test_parameters_packet_by_packet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
