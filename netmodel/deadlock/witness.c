/* Finding packets that make the steps of a cycle: enumerates the states once more, beginning with
 * the packets to the cycle's own routers, until each step has been found. */
#include "netmodel/deadlock/witness.h"
#include "netmodel/deadlock/states.h"

#include <stdlib.h>

typedef struct wanted {
    const vef_routing *routing;
    vef_deadlock *deadlock;
    const vef_moves *moves;
    bool *found; /* of each step; then of the entry */
    size_t missing;
} wanted;

/* Both in one queue. A step has the number of a queue in place of a channel, until it is found. */
static bool same_place(const vef_moves *moves, vef_place step, vef_place seen) {
    return step.router == seen.router && step.in_port == seen.in_port &&
           (seen.in_port == VEF_INJECTED ||
            step.in_channel == vef_moves_channel(moves, seen.in_port, seen.in_channel));
}

/* Whether a move is the step. A step that needs more than one place for some packets must be shown
 * by one of those. */
static bool is_step(const vef_moves *moves, const vef_dependency *step,
                    const vef_dependency *seen) {
    return same_place(moves, step->place, seen->place) &&
           step->candidate.port == seen->candidate.port &&
           step->candidate.channel ==
               vef_moves_channel(moves, seen->candidate.port, seen->candidate.channel) &&
           (seen->candidate.escape || !step->candidate.escape) &&
           (step->candidate.slots_needed > 1) == (seen->candidate.slots_needed > 1);
}

/* Whether a first leg goes on over `hops` routers into the queue `last`. */
static bool leads_on(const vef_routing *routing, const vef_route *route, vef_place place,
                     const uint32_t *over, uint32_t hops, vef_place last) {
    const vef_topology *topology = routing->topology;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    if (hops == 0)
        return place.in_port == last.in_port && place.in_channel == last.in_channel;
    if (routing->legs->second(routing, route))
        return false;
    const uint32_t count = routing->algorithm->candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate by = offered[i];
        const size_t link = (size_t)place.router * topology->ports + by.port;
        const vef_place next = {over[0], topology->reverse_port[link], by.channel};
        vef_route on = *route;
        if (topology->neighbour[link] != over[0])
            continue;
        routing->algorithm->advance(routing, &on, place, by.port, by.channel);
        if (leads_on(routing, &on, next, over + 1, hops - 1, last))
            return true;
    }
    return false;
}

/* A packet that turns back to its destination, which it has passed with its last hop: of its
 * sources, names one that is two hops away. */
static void name_source(const wanted *all, vef_dependency *step) {
    const vef_routing *routing = all->routing;
    const vef_topology *topology = routing->topology;
    const uint32_t to = vef_topology_router_of(topology, step->destination);
    if (!routing->passes || vef_topology_router_of(topology, step->source) != to)
        return;
    for (uint32_t port = 0; port < topology->ports; port++) {
        const uint32_t from = topology->neighbour[(size_t)to * topology->ports + port];
        if (from == VEF_NO_ROUTER || from == step->place.router)
            continue;
        const uint32_t endpoint = all->moves->endpoint[from];
        const vef_travel travel = {endpoint, step->destination, from, step->place.router, 0};
        vef_draws draws = {0};
        do {
            vef_route route = {0};
            const vef_place place = {from, VEF_INJECTED, 0};
            const uint32_t over[] = {to, step->place.router};
            routing->legs->begin(routing, &travel, 0, &draws, &route);
            if (leads_on(routing, &route, place, over, 2, step->place)) {
                step->source = endpoint;
                return;
            }
        } while (vef_draws_next(&draws));
    }
}

static void see(void *context, const vef_dependency *seen) {
    wanted *all = context;
    const size_t steps = all->deadlock->cycle_length;
    for (size_t i = 0; i <= steps; i++) {
        vef_dependency *step = i < steps ? &all->deadlock->cycle[i] : &all->deadlock->entry;
        if (all->found[i] || !is_step(all->moves, step, seen))
            continue;
        *step = *seen;
        name_source(all, step);
        all->found[i] = true;
        all->missing--;
    }
}

static vef_code look_among(vef_state_search *search, wanted *all, vef_error *error) {
    const vef_deadlock *deadlock = all->deadlock;
    const size_t steps = deadlock->cycle_length;
    const size_t searches = steps + search->routing->topology->routers;
    const uint32_t legs = search->routing->legs ? 2 : 1;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < searches; i++)
        for (uint32_t leg = 0; leg < legs && all->missing > 0 && code == VEF_OK; leg++)
            code = vef_states_search(
                search, leg, i < steps ? deadlock->cycle[i].place.router : (uint32_t)(i - steps),
                error);
    return code;
}

vef_code vef_witness_find(const vef_routing *routing, const vef_deadlock_request *request,
                          vef_moves *moves, uint64_t most_bytes, vef_deadlock *deadlock,
                          vef_error *error) {
    const size_t steps = deadlock->cycle_length;
    wanted all = {.routing = routing, .deadlock = deadlock, .moves = moves, .missing = steps};
    all.found = calloc(steps + 1, sizeof *all.found);
    vef_state_search *search = calloc(1, sizeof *search);
    vef_code code = VEF_OK;
    if (!all.found || !search) {
        code = vef_fail_memory(error, "a search of states", sizeof *search + steps + 1);
    } else {
        if (deadlock->uncovered == VEF_UNCOVERED_ENTRY)
            all.missing++;
        else
            all.found[steps] = true;
        search->routing = routing;
        search->queue_packets = deadlock->queue_packets;
        search->without_bubble = request->without_bubble;
        search->moves = moves;
        search->most_bytes = most_bytes;
        search->seen = see;
        search->context = &all;
        code = look_among(search, &all, error);
        vef_states_release(search);
    }
    free(search);
    free(all.found);
    return code;
}
