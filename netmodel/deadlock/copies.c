/* The moves of copies of broadcast packets, by queue. See copies.h. */
#include "netmodel/deadlock/copies.h"
#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

/* A copy and its position. */
typedef struct copy {
    vef_route route;
    vef_place place;
} copy;

typedef struct spread {
    vef_moves *moves;
    const vef_broadcast *broadcast;
    const vef_routing *routing;
    const vef_deadlock_request *request;
    uint32_t queue_packets;
    copy *stack;
    uint32_t count;
    uint64_t copies;
    bool possible;
} spread;

/* Records the channels that a copy takes next, and pushes the copies at their other ends. */
static void send_on(spread *s, const copy *from) {
    const vef_topology *topology = s->routing->topology;
    vef_branch branches[VEF_MAX_BRANCHES];
    const uint32_t count =
        vef_broadcast_branches(s->broadcast, &from->route, from->place, branches);
    uint8_t *row =
        vef_moves_from(s->moves, from->place.router, vef_moves_place(s->moves, from->place));
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate to =
            vef_broadcast_escape(s->broadcast, s->routing, from->place, branches[i]);
        const bool one = s->request->without_bubble || to.slots_needed == 1;
        s->possible = s->possible && (one || to.slots_needed <= s->queue_packets);
        row[vef_moves_link(s->moves, to)] |=
            one ? VEF_MOVE_ONE | VEF_ESCAPE_ONE : VEF_MOVE_MORE | VEF_ESCAPE_MORE;
        assert(s->count < topology->routers);
        copy *next = &s->stack[s->count++];
        *next = (copy){from->route, vef_place_after(topology, from->place, to.port, to.channel)};
        vef_broadcast_advance(s->broadcast, &next->route, to.port);
        s->copies++;
    }
}

/* The moves of copies and contributions in the trees of all groups: from below, or from an
 * endpoint, to any link; from above to any link down. */
static uint64_t note_trees(vef_moves *moves, const vef_broadcast *broadcast) {
    const vef_topology *topology = moves->topology;
    const vef_climb *climb = broadcast->climb;
    uint64_t copies = 0;
    for (uint32_t class = 0; class < moves->classes; class ++) {
        const uint32_t router = moves->first[class];
        for (uint32_t from = 0; from <= topology->ports; from++) {
            const bool injected = from == topology->ports;
            if (!injected && vef_topology_next(topology, router, from) == VEF_NO_ROUTER)
                continue;
            const bool above = !injected && climb->is_up(topology, from);
            const vef_place place = {router, injected ? VEF_INJECTED : (uint16_t)from, 0};
            uint8_t *row = vef_moves_from(moves, router, vef_moves_place(moves, place));
            for (uint16_t port = 0; port < topology->ports; port++) {
                if (vef_topology_next(topology, router, port) == VEF_NO_ROUTER ||
                    (above && climb->is_up(topology, port)))
                    continue;
                const vef_candidate to = {.port = port};
                row[vef_moves_link(moves, to)] |= VEF_MOVE_ONE | VEF_ESCAPE_ONE;
                copies++;
            }
        }
    }
    return copies;
}

bool vef_copies_note(vef_moves *moves, const vef_broadcast *broadcast, const vef_routing *routing,
                     const vef_deadlock_request *request, uint32_t queue_packets,
                     uint64_t *copies) {
    if (broadcast->climb) {
        *copies = note_trees(moves, broadcast);
        return true;
    }
    const uint32_t routers = routing->topology->routers;
    spread s = {.moves = moves,
                .broadcast = broadcast,
                .routing = routing,
                .request = request,
                .queue_packets = queue_packets,
                .possible = true};
    /* Each router gets one copy, so the stack has no more. */
    s.stack = vef_malloc(routers * sizeof *s.stack);
    for (uint32_t class = 0; class < moves->classes; class ++) {
        const uint32_t source = moves->first[class];
        copy first = {.place = {source, VEF_INJECTED, 0}};
        vef_broadcast_begin(broadcast, 0, source, UINT32_MAX, &first.route);
        send_on(&s, &first);
        while (s.count > 0) {
            const copy next = s.stack[--s.count];
            send_on(&s, &next);
        }
    }
    free(s.stack);
    *copies = s.copies;
    return s.possible;
}
