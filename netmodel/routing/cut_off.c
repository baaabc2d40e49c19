/* Pairs that a routing would cut off. See algorithms.h.
 *
 * Packets are followed through the candidates of the routing on the network without failures, over
 * links that are up, until one is at a router where all its candidates are down. The search begins
 * at the failures: for every link that is down, from the nearest routers before it to all
 * endpoints, the nearest behind it first. It is bounded; a pair that may take the link, though it
 * has another way, is second best. */
#include "netmodel/routing/algorithms.h"

#include "netmodel/topology/failures/failures.h"

#include <string.h>

enum { MOST_STEPS_OF_PAIR = 1 << 12, MOST_STEPS = 1 << 22 };

typedef struct state {
    vef_route route;
    vef_place place;
} state;

/* A pair and the port of the link that is down. `stuck`: one of its packets has no candidate. */
typedef struct pair {
    vef_travel travel;
    size_t port;
    bool found, stuck;
} pair;

typedef struct walk {
    const vef_routing *routing;
    const vef_topology *topology, *whole;
    /* Endpoints of routers that are up: those of router r of `whole` are endpoint[first[r]] …
     * endpoint[first[r + 1] - 1]. */
    uint32_t *first, *endpoint;
    uint32_t *before, *behind; /* [whole->routers]: the routers by their distance from a link */
    uint8_t *seen;             /* [whole->routers] */
    vef_candidate *candidates;
    state *stack; /* [MOST_STEPS_OF_PAIR] */
    uint32_t held, steps_of_pair, steps;
} walk;

/* The routers that can be reached from `from` without failures, nearest first; how many. */
static uint32_t sort_by_distance(walk *visit, uint32_t from, uint32_t *order) {
    const vef_topology *whole = visit->whole;
    uint32_t count = 1;
    memset(visit->seen, 0, whole->routers);
    visit->seen[from] = 1;
    order[0] = from;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < whole->ports; port++) {
            const uint32_t next = vef_topology_next(whole, order[i], port);
            if (next == VEF_NO_ROUTER || visit->seen[next])
                continue;
            visit->seen[next] = 1;
            order[count++] = next;
        }
    visit->steps += count;
    return count;
}

static void push(walk *visit, const vef_route *route, vef_place place) {
    if (visit->held + visit->steps_of_pair < MOST_STEPS_OF_PAIR)
        visit->stack[visit->held++] = (state){*route, place};
}

/* Follows the candidates of one state; notes a link that is down. */
static void follow(walk *visit, const state *here, pair *noted) {
    const vef_routing *routing = visit->routing;
    const vef_topology *whole = visit->whole;
    const uint32_t count =
        routing->algorithm->candidates(routing, &here->route, here->place, visit->candidates);
    uint32_t up = 0;
    size_t lost = SIZE_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate *taken = &visit->candidates[i];
        const size_t port = (size_t)here->place.router * whole->ports + taken->port;
        if (vef_port_is_lost(visit->topology, port)) {
            lost = port;
            continue;
        }
        state next = {here->route,
                      vef_place_after(whole, here->place, taken->port, taken->channel)};
        routing->algorithm->advance(routing, &next.route, here->place, taken->port, taken->channel);
        push(visit, &next.route, next.place);
        up++;
    }
    if (lost == SIZE_MAX || (up > 0 && noted->found))
        return;
    noted->found = true;
    noted->stuck = up == 0;
    noted->port = lost;
}

/* All packets of a pair, as far as the steps go. */
static void walk_pair(walk *visit, pair *noted) {
    const uint32_t to = noted->travel.to;
    vef_draws draws = {0};
    visit->held = visit->steps_of_pair = 0;
    do {
        vef_route route = {0};
        vef_routing_begin(visit->routing, &noted->travel, &draws, NULL, &route);
        push(visit, &route, (vef_place){noted->travel.from, VEF_INJECTED, 0});
        while (visit->held > 0 && !noted->stuck) {
            const state here = visit->stack[--visit->held];
            visit->steps_of_pair++;
            if (here.place.router != to)
                follow(visit, &here, noted);
        }
    } while (!noted->stuck && visit->steps_of_pair < MOST_STEPS_OF_PAIR && vef_draws_next(&draws));
    visit->steps += visit->steps_of_pair;
}

/* From one endpoint to those of another router. */
static void search_between(walk *visit, uint32_t source, uint32_t from, uint32_t to, pair *best) {
    for (uint32_t i = visit->first[to]; i < visit->first[to + 1] && !best->stuck; i++) {
        pair tried = {
            .travel = {
                .source = source, .destination = visit->endpoint[i], .from = from, .to = to}};
        walk_pair(visit, &tried);
        if (tried.stuck || (tried.found && !best->found))
            *best = tried;
    }
}

/* The pairs on both sides of a link that is down, out of one of its ports. Packets from the
 * endpoints of one router begin alike, unless the routing is by_source. */
static void search_at(walk *visit, size_t port, pair *best) {
    const uint32_t sources =
        sort_by_distance(visit, (uint32_t)(port / visit->whole->ports), visit->before);
    const uint32_t targets = sort_by_distance(visit, visit->whole->neighbour[port], visit->behind);
    for (uint32_t s = 0; s < sources; s++) {
        const uint32_t from = visit->before[s], first = visit->first[from];
        const uint32_t others = visit->first[from + 1] - first;
        const uint32_t count = visit->routing->by_source || others == 0 ? others : 1;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t t = 0; t < targets && !best->stuck && visit->steps < MOST_STEPS; t++)
                if (visit->behind[t] != from)
                    search_between(visit, visit->endpoint[first + i], from, visit->behind[t], best);
    }
}

static bool is_up(const walk *visit, uint32_t router) {
    return vef_topology_router_numbered(visit->topology, router) != VEF_NO_ROUTER;
}

/* `first` and `endpoint`. */
static void list_endpoints(walk *visit) {
    const vef_topology *whole = visit->whole;
    for (uint32_t e = 0; e < whole->endpoints; e++)
        visit->first[vef_topology_router_of(whole, e) + 1]++;
    for (uint32_t r = 0; r < whole->routers; r++)
        visit->first[r + 1] = visit->first[r] + (is_up(visit, r) ? visit->first[r + 1] : 0);
    for (uint32_t e = whole->endpoints; e-- > 0;) {
        const uint32_t router = vef_topology_router_of(whole, e);
        if (is_up(visit, router)) /* from the last endpoint to the first */
            visit->endpoint[--visit->first[router + 1]] = e;
    }
    for (uint32_t r = 0; r < whole->routers; r++) /* each end has become the beginning */
        visit->first[r] = visit->first[r + 1];
    visit->first[whole->routers] = visit->topology->endpoints;
}

static void search(walk *visit, pair *best) {
    const vef_topology *whole = visit->whole;
    const size_t ports = (size_t)whole->routers * whole->ports;
    list_endpoints(visit);
    for (size_t port = 0; port < ports && !best->stuck && visit->steps < MOST_STEPS; port++)
        if (whole->neighbour[port] != VEF_NO_ROUTER && vef_port_is_lost(visit->topology, port))
            search_at(visit, port, best);
}

/* "endpoint 5 at (1, 1)"; endpoints that are left are numbered without gaps. */
enum { END_BYTES = VEF_ROUTER_NAME_BYTES + 32 };
static void name_end(const walk *visit, uint32_t endpoint, uint32_t router, char *text) {
    char name[VEF_ROUTER_NAME_BYTES];
    uint32_t number = 0;
    for (uint32_t e = 0; e < endpoint; e++)
        number += is_up(visit, vef_topology_router_of(visit->whole, e));
    vef_topology_router_name(visit->whole, router, name, sizeof name);
    snprintf(text, END_BYTES, "endpoint %u at %s", number, name);
}

static vef_code refuse(const walk *visit, const pair *found, vef_error *error) {
    const vef_topology *whole = visit->whole;
    if (!found->found)
        return vef_fail(error, VEF_UNSUPPORTED, "does not go round links that are down");
    const uint32_t router = (uint32_t)(found->port / whole->ports);
    const uint32_t next = whole->neighbour[found->port];
    char from[END_BYTES], to[END_BYTES], by[VEF_PORT_NAME_BYTES];
    char here[VEF_ROUTER_NAME_BYTES], there[VEF_ROUTER_NAME_BYTES];
    char what[2 * VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 32];
    name_end(visit, found->travel.source, found->travel.from, from);
    name_end(visit, found->travel.destination, found->travel.to, to);
    vef_topology_router_name(whole, router, here, sizeof here);
    vef_topology_router_name(whole, next, there, sizeof there);
    vef_topology_port_name(whole, (uint32_t)(found->port % whole->ports), by, sizeof by);
    if (vef_topology_router_numbered(visit->topology, next) == VEF_NO_ROUTER)
        snprintf(what, sizeof what, "router %s", there);
    else
        snprintf(what, sizeof what, "the link from %s by %s to %s", here, by, there);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "not supported with these failures: %.120s is down, and packets from %.80s to "
                    "%.80s %s",
                    what, from, to, found->stuck ? "have no other way" : "may take it");
}

vef_code vef_routing_refuse_failures(const vef_routing *routing, const vef_topology *topology,
                                     vef_error *error) {
    vef_arena arena = {0};
    const vef_topology *whole = routing->topology;
    walk visit = {
        .routing = routing,
        .topology = topology,
        .whole = whole,
        .first = vef_arena_alloc(&arena, whole->routers + 1u, sizeof *visit.first),
        .endpoint = vef_arena_alloc(&arena, whole->endpoints, sizeof *visit.endpoint),
        .before = vef_arena_alloc(&arena, whole->routers, sizeof *visit.before),
        .behind = vef_arena_alloc(&arena, whole->routers, sizeof *visit.behind),
        .seen = vef_arena_alloc(&arena, whole->routers, 1),
        .candidates =
            vef_arena_alloc(&arena, routing->most_candidates + 1u, sizeof *visit.candidates),
        .stack = vef_arena_alloc(&arena, MOST_STEPS_OF_PAIR, sizeof *visit.stack),
    };
    pair best = {0};
    search(&visit, &best);
    const vef_code code = refuse(&visit, &best, error);
    vef_arena_release(&arena);
    return code;
}
