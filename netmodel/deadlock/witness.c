/* Finding packets that make the steps of a cycle: enumerates the states once more, beginning with
 * the packets to the cycle's own routers, until each step has been found. */
#include "netmodel/deadlock/witness.h"
#include "common/memory.h"
#include "netmodel/deadlock/states.h"

#include <stdlib.h>

typedef struct wanted {
    const vef_topology *topology;
    bool any_source;
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

static void see(void *context, const vef_dependency *seen) {
    wanted *sought = context;
    const size_t steps = sought->deadlock->cycle_length;
    const vef_topology *topology = sought->topology;
    /* A packet that turns back to its destination, which it has passed: its source is not known. */
    if (!sought->any_source && vef_topology_router_of(topology, seen->source) ==
                                   vef_topology_router_of(topology, seen->destination))
        return;
    for (size_t i = 0; i <= steps; i++) {
        vef_dependency *step = i < steps ? &sought->deadlock->cycle[i] : &sought->deadlock->entry;
        if (sought->found[i] || !is_step(sought->moves, step, seen))
            continue;
        *step = *seen;
        sought->found[i] = true;
        sought->missing--;
    }
}

static vef_code look_among(vef_state_search *search, wanted *sought, vef_error *error) {
    const vef_deadlock *deadlock = sought->deadlock;
    const size_t steps = deadlock->cycle_length;
    const size_t searches = steps + search->routing->topology->routers;
    const uint32_t legs = search->routing->legs ? 2 : 1;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < searches; i++)
        for (uint32_t leg = 0; leg < legs && sought->missing > 0 && code == VEF_OK; leg++)
            code = vef_states_search(
                search, leg, i < steps ? deadlock->cycle[i].place.router : (uint32_t)(i - steps),
                error);
    return code;
}

vef_code vef_witness_find(const vef_routing *routing, const vef_deadlock_request *request,
                          vef_moves *moves, uint64_t most_bytes, vef_deadlock *deadlock,
                          vef_error *error) {
    const size_t steps = deadlock->cycle_length;
    wanted sought = {
        .topology = routing->topology, .deadlock = deadlock, .moves = moves, .missing = steps};
    sought.found = vef_calloc(steps + 1, sizeof *sought.found);
    vef_state_search *search = vef_calloc(1, sizeof *search);
    vef_code code = VEF_OK;
    if (deadlock->uncovered == VEF_UNCOVERED_ENTRY)
        sought.missing++;
    else
        sought.found[steps] = true;
    search->routing = routing;
    search->queue_packets = deadlock->queue_packets;
    search->without_bubble = request->without_bubble;
    search->moves = moves;
    search->most_bytes = most_bytes;
    search->seen = see;
    search->context = &sought;
    code = look_among(search, &sought, error);
    sought.any_source = true; /* steps that no other packet makes */
    code = code == VEF_OK ? look_among(search, &sought, error) : code;
    vef_states_release(search);

    free(search);
    free(sought.found);
    return code;
}
