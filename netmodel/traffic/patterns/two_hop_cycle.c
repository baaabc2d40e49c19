/* Two-hop cycle: along a cycle through all routers, the endpoints of each router send to those of
 * the router two hops further on, one to one. Each router of the cycle is the only one between its
 * two neighbours on it, so minimal routes follow the cycle, and each of its links carries the
 * packets of two routers: with p endpoints on a router no minimal routing accepts more than 1 / (2
 * p) phits per cycle and endpoint.
 *
 * It is the worst case of minimal routing on networks of diameter 2 whose shortest paths are
 * unique, in the manner of the adversarial traffic of Besta and Hoefler, "Slim Fly: A Cost
 * Effective Low-Diameter Network Topology" (SC 2014, section 5), and of Wolfe et al., "Modeling a
 * Million-Node Slim Fly Network Using Parallel Discrete-Event Simulation" (PADS 2016), where pairs
 * of routers at distance 2 share a link. Here every router is on the cycle, so all endpoints send,
 * and equally; the limit is counted on this cycle.
 *
 * The cycle is found as Posa proposes ("Hamiltonian circuits in random graphs", Discrete
 * Mathematics 14, 1976): a path grows at its end; where it cannot, a link from the end to a router
 * of the path makes another end (rotation). It depends on network and seed alone. The search ends
 * after MOST_MOVES comparisons and moves, about a second; a network without such a cycle, such as
 * the Petersen graph or a torus, is refused. */
#include "common/containers/order.h"
#include "common/memory.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MOVES = 1 << 27, TRIES_OF_STARTS = 100 };

typedef struct parameters {
    uint64_t seed;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(UINT, parameters, seed), .fallback = "1", .help = "chooses one of the cycles"},
    {.key = NULL},
};

/* A search for the cycle. */
typedef struct search {
    uint32_t routers, ports;
    uint32_t *neighbour;       /* [router * ports + i]: in ascending order, VEF_NO_ROUTER last */
    uint32_t *path, *position; /* [routers]; VEF_NO_ROUTER: not on the path */
    uint32_t length;
    uint64_t moves;
    vef_rng rng;
} search;

VEF_ORDER_NUMBERS(ascending, uint32_t)

static const uint32_t *neighbours_of(const search *state, uint32_t router) {
    return state->neighbour + (size_t)router * state->ports;
}

/* Whether `from` and `to` are different, not linked, and joined by one path of two hops. */
static bool has_one_way(const search *state, uint32_t from, uint32_t to) {
    const uint32_t *a = neighbours_of(state, from), *b = neighbours_of(state, to);
    uint32_t ways = 0;
    for (uint32_t i = 0, j = 0; i < state->ports && a[i] != VEF_NO_ROUTER; i++) {
        if (a[i] == to)
            return false;
        while (j < state->ports && b[j] < a[i])
            j++;
        for (uint32_t same = j; same < state->ports && b[same] == a[i]; same++)
            ways++;
    }
    return from != to && ways == 1;
}

static void put(search *state, uint32_t place, uint32_t router) {
    state->path[place] = router;
    state->position[router] = place;
}

/* Reverses the path from `first` to its end. */
static void reverse(search *state, uint32_t first) {
    for (uint32_t i = first, j = state->length - 1; i < j; i++, j--) {
        const uint32_t router = state->path[i];
        put(state, i, state->path[j]);
        put(state, j, router);
    }
    state->moves += state->length - first;
}

/* Whether the end of the path may be followed by `next`. */
static bool may_follow(const search *state, uint32_t next) {
    return state->length < 2 || has_one_way(state, state->path[state->length - 2], next);
}

static bool extend(search *state) {
    const uint32_t *next = neighbours_of(state, state->path[state->length - 1]);
    const uint32_t first = vef_rng_below(&state->rng, state->ports);
    for (uint32_t i = 0; i < state->ports; i++) {
        const uint32_t router = next[(first + i) % state->ports];
        if (router == VEF_NO_ROUTER || state->position[router] != VEF_NO_ROUTER ||
            !may_follow(state, router))
            continue;
        put(state, state->length++, router);
        return true;
    }
    return false;
}

/* Makes the router behind a neighbour of the end the new end: of … a b c … y z with a link from z
 * to b, … a b z y … c. */
static bool rotate(search *state) {
    const uint32_t end = state->path[state->length - 1], *next = neighbours_of(state, end);
    const uint32_t first = vef_rng_below(&state->rng, state->ports);
    for (uint32_t i = 0; i < state->ports; i++) {
        const uint32_t router = next[(first + i) % state->ports];
        if (router == VEF_NO_ROUTER || state->position[router] == VEF_NO_ROUTER)
            continue;
        const uint32_t place = state->position[router];
        if (place + 2 >= state->length || !may_follow(state, router) ||
            (place > 0 && !has_one_way(state, state->path[place - 1], end)))
            continue;
        reverse(state, place + 1);
        return true;
    }
    return false;
}

/* Whether the path has all routers, and its end leads to its start. */
static bool is_closed(const search *state) {
    if (state->length < state->routers || state->routers < 5)
        return false;
    const uint32_t *path = state->path, end = path[state->length - 1];
    const uint32_t *next = neighbours_of(state, end);
    bool linked = false;
    for (uint32_t i = 0; i < state->ports; i++)
        linked = linked || next[i] == path[0];
    return linked && may_follow(state, path[0]) && has_one_way(state, end, path[1]);
}

/* Grows one path until it is the cycle or neither of its ends can go on. */
static bool grow(search *state) {
    for (uint32_t i = 0; i < state->length; i++)
        state->position[state->path[i]] = VEF_NO_ROUTER;
    state->length = 0;
    put(state, state->length++, vef_rng_below(&state->rng, state->routers));
    for (uint32_t stuck = 0; stuck < 2 && state->moves < MOST_MOVES;) {
        if (is_closed(state))
            return true;
        state->moves += state->ports;
        if (extend(state) || rotate(state)) {
            stuck = 0;
            continue;
        }
        reverse(state, 0);
        stuck++;
    }
    return false;
}

/* Finds the cycle, and sets the router two hops further on of each router. */
static bool find_cycle(search *state, uint32_t *two_on) {
    bool found = false;
    for (uint32_t start = 0; !found && start < TRIES_OF_STARTS && state->moves < MOST_MOVES;
         start++)
        found = grow(state);
    for (uint32_t i = 0; found && i < state->routers; i++)
        two_on[state->path[i]] = state->path[(i + 2) % state->routers];
    return found;
}

static void begin(const vef_pattern *pattern, search *state) {
    const vef_topology *topology = pattern->topology;
    const size_t ports = (size_t)topology->routers * topology->ports;
    *state = (search){
        .routers = topology->routers,
        .ports = topology->ports,
        .neighbour = vef_malloc(ports * sizeof *state->neighbour),
        .path = vef_malloc(topology->routers * sizeof *state->path),
        .position = vef_malloc(topology->routers * sizeof *state->position),
        .rng = vef_rng_make(((const parameters *)pattern->parameters)->seed, VEF_RNG_TRAFFIC,
                            UINT64_MAX),
    };
    memcpy(state->neighbour, topology->neighbour, ports * sizeof *state->neighbour);
    for (uint32_t router = 0; router < state->routers; router++) {
        qsort(state->neighbour + (size_t)router * state->ports, state->ports,
              sizeof *state->neighbour, ascending);
        state->position[router] = VEF_NO_ROUTER;
    }
}

static void end(search *state) {
    free(state->neighbour);
    free(state->path);
    free(state->position);
}

/* Sends each endpoint to that of the same place on the router of `two_on`. */
static void send_on(const vef_pattern *pattern, const uint32_t *two_on, uint32_t *to) {
    const vef_topology *topology = pattern->topology;
    const uint32_t each = topology->endpoints_per_router;
    uint32_t *on = vef_malloc(pattern->endpoints * sizeof *on);
    uint32_t *count = vef_calloc(topology->routers, sizeof *count);
    for (uint32_t e = 0; e < pattern->endpoints; e++) {
        const uint32_t router = vef_topology_router_of(topology, e);
        on[router * each + count[router]++] = e;
    }
    for (uint32_t i = 0; i < pattern->endpoints; i++)
        to[on[i]] = on[two_on[i / each] * each + i % each];
    free(on);
    free(count);
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const vef_topology *topology = pattern->topology;
    if (pattern->endpoints != topology->routers * topology->endpoints_per_router)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%s does not have equally many endpoints on all routers: expected a direct "
                        "network, such as slim-fly",
                        topology->family->name);
    uint32_t *two_on = vef_malloc(topology->routers * sizeof *two_on);
    search state;
    begin(pattern, &state);
    vef_code code = VEF_OK;
    if (find_cycle(&state, two_on))
        send_on(pattern, two_on, vef_permute_create(pattern));
    else
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "no cycle found through all %u routers of %s on which each is the only "
                        "router between its neighbours: expected a network of unique shortest "
                        "paths, such as slim-fly or polarfly, or another seed",
                        topology->routers, topology->family->name);
    end(&state);
    free(two_on);
    return code;
}

static const char *const samples[] = {NULL}; /* a torus has no such cycle: tested by itself */

const vef_pattern_kind vef_pattern_two_hop_cycle = {
    .name = "two-hop-cycle",
    .aliases = "worst-case slim-fly-worst-case perm2hop hamiltonian",
    .summary =
        "to the router two hops further on along a cycle through all: the worst case of "
        "minimal routing on slim-fly and polarfly",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    VEF_PERMUTE_HOOKS,
    .samples = samples,
};
