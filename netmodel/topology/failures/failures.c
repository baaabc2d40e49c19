/* The section `failures` of a network file, from its keys to a network without what is down. See
 * failures.h. */
#include "netmodel/topology/failures/failures.h"
#include "common/memory.h"

#include <string.h>

enum { MOST_DRAWS = 1000 };

/* clang-format off */
const vef_param vef_failure_schema[] = {
    {VEF_KEY(TEXT_TABLE, vef_failure_settings, links), .fallback = "[]",
     .help = "links that are down: [router, router] (all links between them), [router, router, number] (one of several) or [router, port]; a router is a number, its coordinates or its name"},
    {VEF_KEY(TEXT_LIST, vef_failure_settings, routers), .fallback = "[]",
     .help = "routers that are down, with their links and endpoints"},
    {VEF_KEY(REAL, vef_failure_settings, link_share), .fallback = "0", .minimum = 0, .maximum = 1, .aliases = "random_links",
     .help = "share of all links that are down at random, in addition to the list"},
    {VEF_KEY(COUNT, vef_failure_settings, link_count), .fallback = "0", .minimum = 0, .maximum = UINT32_MAX,
     .help = "the same as a number"},
    {VEF_KEY(REAL, vef_failure_settings, router_share), .fallback = "0", .minimum = 0, .maximum = 1, .aliases = "random_routers",
     .help = "share of all routers that are down at random, in addition to the list"},
    {VEF_KEY(COUNT, vef_failure_settings, router_count), .fallback = "0", .minimum = 0, .maximum = UINT32_MAX,
     .help = "the same as a number"},
    {VEF_KEY(UINT, vef_failure_settings, seed), .fallback = "1",
     .help = "of the random failures; with one seed, more failures include fewer"},
    {VEF_KEY(CHOICE, vef_failure_settings, disconnected), .fallback = "refuse", .choices = VEF_LIST([VEF_DISCONNECTED_REFUSE] = "refuse",                                                 [VEF_DISCONNECTED_REDRAW] = "redraw",                                                 [VEF_DISCONNECTED_DROP] = "drop"), .aliases = "connected keep_connected partitioned",
     .help = "when endpoints are cut off from each other: refuse the network, draw random failures again, or drop all but the largest connected part"},
    {.key = NULL},
};
/* clang-format on */

static bool has_random(const vef_failure_settings *settings) {
    return settings->link_share > 0 || settings->link_count > 0 || settings->router_share > 0 ||
           settings->router_count > 0;
}

static vef_code check(const vef_node *node, const vef_failure_settings *settings,
                      vef_error *error) {
    if (settings->link_share > 0 && settings->link_count > 0)
        return vef_node_fail(vef_node_get(node, "link_count"), error,
                             "failures: link_share and link_count are both given: expected one of "
                             "them");
    if (settings->router_share > 0 && settings->router_count > 0)
        return vef_node_fail(vef_node_get(node, "router_count"), error,
                             "failures: router_share and router_count are both given: expected one "
                             "of them");
    return VEF_OK;
}

/* Names an endpoint of the largest part and one outside it. */
static vef_code fail_apart(const vef_down *down, const vef_network_parts *parts,
                           const char *expected, vef_error *error) {
    const vef_topology *whole = down->whole;
    uint32_t ends[2] = {whole->endpoints, whole->endpoints}; /* within, without */
    for (uint32_t e = whole->endpoints; e-- > 0;) {
        const uint32_t router = vef_topology_router_of(whole, e);
        if (!down->router[router])
            ends[parts->part[router] != parts->largest] = e;
    }
    char names[2][VEF_ROUTER_NAME_BYTES];
    for (int i = 0; i < 2; i++)
        vef_topology_router_name(whole, vef_topology_router_of(whole, ends[i]), names[i],
                                 sizeof names[i]);
    return vef_fail(
        error, VEF_INVALID,
        "endpoint %u at router %.80s is cut off from endpoint %u at router %.80s: %u of "
        "%u endpoints remain connected: expected %s",
        ends[1], names[1], ends[0], names[0], parts->endpoints[parts->largest], whole->endpoints,
        expected);
}

/* Takes down what is not in the largest part: routers without endpoints or, with `drop`, all. */
static void keep_largest(const vef_network_parts *parts, vef_down *down) {
    for (uint32_t r = 0; r < down->whole->routers; r++)
        if (!down->router[r] && parts->part[r] != parts->largest)
            down->router[r] = 1;
}

/* One draw. `*connected`: whether the endpoints are, after what `disconnected: drop` does. */
static vef_code try(const vef_failure_settings *settings, uint64_t attempt, vef_down *down,
                    vef_arena *scratch, bool *connected, vef_error *error) {
    vef_code code = vef_failures_draw(settings, attempt, down, error);
    if (code != VEF_OK)
        return code;
    const vef_network_parts parts = vef_network_parts_find(down, scratch);
    if (parts.all_endpoints == 0)
        return vef_fail(error, VEF_INVALID, "no endpoint is left: expected fewer routers down");
    *connected = parts.endpoints[parts.largest] == parts.all_endpoints ||
                 settings->disconnected == VEF_DISCONNECTED_DROP;
    if (*connected)
        keep_largest(&parts, down);
    else
        fail_apart(down, &parts,
                   has_random(settings)
                       ? "fewer failures, another seed, or disconnected: redraw or drop"
                       : "fewer failures, or disconnected: drop",
                   error);
    return VEF_OK;
}

static vef_down make_down(vef_arena *arena, const vef_topology *whole) {
    const size_t routers = whole->routers, ports = routers * whole->ports;
    return (vef_down){
        .whole = whole,
        .router = vef_arena_alloc(arena, routers, 1),
        .port = vef_arena_alloc(arena, ports, 1),
    };
}

/* Adds the random failures to the listed ones. */
static vef_code draw(const vef_failure_settings *settings, const vef_down *listed, vef_down *down,
                     vef_error *error) {
    const size_t routers = listed->whole->routers, ports = routers * listed->whole->ports;
    const bool redraws = settings->disconnected == VEF_DISCONNECTED_REDRAW && has_random(settings);
    const uint64_t draws = redraws ? MOST_DRAWS : 1;
    vef_code code = VEF_OK;
    bool connected = false;
    for (uint64_t attempt = 0; attempt < draws && code == VEF_OK && !connected; attempt++) {
        vef_arena scratch = {0};
        memcpy(down->router, listed->router, routers);
        memcpy(down->port, listed->port, ports);
        code = try(settings, attempt, down, &scratch, &connected, error);
        vef_arena_release(&scratch);
    }
    if (code != VEF_OK || connected)
        return code;
    if (redraws)
        vef_fail_within(error, "no connected network in %d draws; in the last one", MOST_DRAWS);
    return VEF_INVALID;
}

/* Fills in `damaged`, in whose arena the settings are. */
static vef_code damage(const vef_node *node, const vef_topology *whole, vef_failures *failures,
                       vef_topology *damaged, vef_arena *scratch, vef_error *error) {
    vef_down listed = make_down(scratch, whole), down = make_down(scratch, whole);
    vef_code code = vef_failures_read_lists(node, &failures->settings, &listed, error);
    if (code != VEF_OK)
        return code;
    code = draw(&failures->settings, &listed, &down, error);
    if (code == VEF_OK)
        code = vef_failures_build(&down, failures, damaged, error);
    if (code == VEF_OK)
        return code;
    vef_fail_within(error, "failures");
    return vef_node_within(node, error);
}

vef_code vef_failures_apply(const vef_node *node, vef_topology **topology, vef_error *error) {
    if (!node || vef_node_is_null(node))
        return VEF_OK;
    vef_topology *damaged = vef_calloc(1, sizeof *damaged);
    vef_failures *failures = vef_arena_alloc(&damaged->arena, 1, sizeof *failures);
    vef_code code = vef_config_read(node, "failures", vef_failure_schema, NULL, &failures->settings,
                                    &damaged->arena, error);
    if (code == VEF_OK)
        code = check(node, &failures->settings, error);
    if (code == VEF_OK) {
        vef_arena scratch = {0};
        code = damage(node, *topology, failures, damaged, &scratch, error);
        vef_arena_release(&scratch);
    }
    if (code == VEF_OK && failures->links + failures->routers > 0) {
        damaged->failures = failures;
        damaged->whole = *topology;
        *topology = damaged;
        return VEF_OK;
    }
    vef_topology_destroy(damaged); /* not the whole network, which it does not own yet */
    return code;
}
