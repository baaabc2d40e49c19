/* Deadlock freedom of a routing on a concrete network.
 *
 * The network: queues of `queue_packets` places, first come first served; a packet leaves its queue
 * when one of its candidates is free and has the needed places; from then on it has a place in the
 * next queue and reaches it without stopping (virtual cut-through). No packet waits for an
 * injection queue, and packets waiting at the sources hold nothing. A packet at its destination is
 * always consumed.
 *
 * A deadlock is a set of non-empty queues whose front packets are not at their destinations and
 * whose candidates all lead to queues of the set that lack the needed places. Those packets never
 * move, since only they could free places in the set. (With virtual cut-through a blocked packet
 * fits into one queue, so it has no dependencies on the queues behind it, unlike with wormhole
 * switching. Duato: "A Necessary and Sufficient Condition for Deadlock-Free Routing in Cut-Through
 * and Store-and-Forward Networks", TPDS 1996.)
 *
 * Conditions, checked over every state that a packet can reach through any candidate:
 *
 *  1. Before its destination every state has an escape candidate that needs no more places than a
 *     queue has.
 *  2. Let there be an edge from queue q to queue t when some packet in q has an escape to t. Every
 *     strongly connected component of that graph is
 *      a. a single queue without an edge to itself, or
 *      b. a ring: each queue has an edge to exactly one other of the component; escapes along it
 *         need one place; and every packet that enters one of its queues from outside, by any
 *         candidate, from injection or another queue, needs at least two.
 *
 * Theorem. Then no deadlock can occur. Proof. Suppose that there is one, and let all packets in
 * flight arrive. Each front packet of the set has an escape (1), which leads to a queue of the set;
 * with the edges of these escapes each queue of the set has a successor in the set. Following
 * successors leads to a set of queues S that are mutually reachable and, by these edges, lead
 * nowhere else: S lies in one component, which is not of kind a, so it is of kind b, and since each
 * queue of a ring has one edge that stays in it, S is the whole ring. All escapes of the front
 * packets of S lead along the ring and need one place, and are blocked: every queue of the ring is
 * full. But a ring is never full. Count a packet in the queue where it took its last place. Moving
 * from a queue of the ring to the next preserves the number of packets in the ring, and leaving
 * reduces it. A packet that enters from outside finds two places free in its queue (the sender's
 * credits never exceed the free places; one sender feeds a queue, so no two packets see the same
 * places): the ring has a free place afterwards. It has one at the beginning. So it always has one,
 * a contradiction.
 *
 * If packets of one queue may pass each other (virtual output queues on the same places), read
 * "front packets" for "front packet": in a deadlocked set all of them wait, and nothing else
 * changes. Places smaller than a packet would fragment the free space of rings; without rings the
 * argument needs only that a queue holds the largest packet.
 *
 * If queues pause their senders instead of giving credits, read "pauses its sender" for "lacks the
 * needed places": such a queue holds a packet, and pauses until packets leave it. There are no
 * rings, since senders cannot know of two places (netmodel/MODEL.md, "Pause frames").
 *
 * Each of several escapes of a state counts as an edge: the front packet waits for all of them, so
 * one that can move would suffice, and requiring all of them to be harmless is conservative. A
 * routing should mark only the necessary ones. Costs by which packets choose at each hop
 * (vef_routing_algorithm.weigh) do not matter: a front packet takes any candidate rather than none.
 * Only if packets commit to a candidate (VEF_SELECT_ONCE) do they wait for that one, whichever that
 * is: condition 1 then requires that all of its candidates are escapes, and the successor in the
 * proof is the queue that it waits for. A patient packet waits for a busy port only while the queue
 * behind it has room, so it does not wait in a deadlock.
 *
 *  3. In addition, the states of one packet, with an edge to each that a candidate leads to,
 *     contain no cycle. Then paths are bounded and, without deadlock, all packets inside arrive in
 *     bounded time once injection stops, whatever the arbitration. With a cycle nothing is
 *     deadlocked, but a packet could move for ever (livelock); that is reported and is not a
 *     failure.
 *
 * Broadcast packets (netmodel/routing/broadcast/broadcast.c), if the routing supports them. A
 * router keeps one at the front of its queue until every copy has left by its branch, so all
 * branches must become free eventually, not just one. The graph gets an edge for each branch, from
 * the packet's queue to the one where the copy takes a place, and condition 2 is checked again;
 * branches must fit into a queue. The theorem still holds. Let each stuck front packet lead to the
 * queues for which it waits for ever: a broadcast packet, to those of its branches that were not
 * granted. Again a set S whose queues all lead to each other and nowhere else is a whole ring. In
 * it a broadcast packet whose copy along the ring has left is called spent. A packet moving along
 * the ring adds one and makes one spent or gone, so packets from outside, which find two places
 * free, leave at most places - 1 packets that are not spent. Only front packets can be spent, and
 * those of S wait for the ring, so none is; all places of the ring are taken (each waits for one),
 * a contradiction.
 *
 * Where copies take trees of groups (tree.h), the graph gets an edge for each pair of links that a
 * copy, a contribution or a result of any group can take one after the other. Contributions wait
 * for no more than copies do: those that are combined with others in a switch leave its queues at
 * once.
 *
 * Not claimed: that every packet arrives under unlimited traffic; a source or a packet that needs
 * two places may starve if the arbiter always prefers others.
 *
 * A failure means that the argument does not hold. If packets have no choice (and the states on the
 * cycle can coincide), the network can deadlock; with adaptive candidates besides the escapes it
 * may still be deadlock-free.
 *
 * Cost. States are enumerated for each destination router, by several threads: in total about
 * routers^2 times the variety of routes at a router (states.c). If the routing is uniform
 * (routing.h) and the topology has translations (topology.h), one destination of each class of
 * routers suffices: a translation maps the states of packets to one router of a class onto those to
 * another, and preserves ports, so the moves of all packets at the routers of a class are those of
 * the packets to the first router of any class, at all routers of that class. If the topology has
 * reflections, one of the classes that they map onto each other suffices (reflections.c). If it has
 * turns, the same holds for the routers of an orbit: a symmetry maps the states of packets to one
 * of them onto those to another, and moves at a router onto those at any other of its orbit, with
 * the ports of both turned alike. So the moves of an orbit are those found at any of its routers,
 * in all turns. */
#include "common/memory.h"
#include "common/threads/pool.h"
#include "netmodel/deadlock/copies.h"
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/deadlock/reflections.h"
#include "netmodel/deadlock/states.h"
#include "netmodel/deadlock/unrolled.h"
#include "netmodel/deadlock/witness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The findings of a worker at its lowest destination with any. */
typedef struct finding {
    uint32_t destination; /* UINT32_MAX: nothing yet */
    vef_deadlock_verdict verdict;
    vef_dependency dependency;
    vef_code code;
    vef_error error;
} finding;

typedef struct job {
    const vef_deadlock_request *request;
    struct member *members;
    const vef_moves *moves;
    uint32_t *visited;     /* the classes whose first router is visited as a destination */
    uint32_t destinations; /* number of them */
    uint32_t legs;         /* 1, or 2 */
    uint32_t leg;          /* the current one */
    atomic_uint_least32_t done;
    atomic_uint_least32_t worst;  /* the lowest destination with a fault or failure */
    vef_longest_legs *first_legs; /* [classes]: to the first router of each; NULL: no legs */
} job;

typedef struct member {
    vef_state_search search;
    job *job;
    uint32_t longest_hops;
    uint64_t states;
    finding fault, circle;
    vef_longest_legs *second_legs; /* [classes]: from the first router of each; NULL: no legs */
} member;

static uint64_t machine_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
}

static void report_state(void *context, uint32_t state, uint32_t states) {
    const member *worker = context;
    const job *proof = worker->job;
    enum { SHARES = 1 << 16 }; /* of a destination */
    const uint64_t share = (state + UINT64_C(1)) * SHARES / states;
    proof->request->watch(proof->request->context,
                          (uint64_t)atomic_load(&proof->done) * SHARES + share,
                          (uint64_t)proof->legs * proof->destinations * SHARES);
}

/* Keeps the lengths of the legs of the last search. */
static void keep_legs(member *worker, uint32_t destination) {
    const job *proof = worker->job;
    const uint32_t *hops = worker->search.leg_hops;
    if (proof->leg == 1) {
        vef_longest_legs_add_second(proof->moves, destination, hops, worker->second_legs);
        return;
    }
    vef_longest_legs *to = &proof->first_legs[vef_moves_class(proof->moves, destination)];
    for (uint32_t router = 0; router < proof->moves->topology->routers; router++)
        vef_longest_legs_add(to, hops[router], router);
}

/* All packets to the first router of a class, or a leg of all. Visits all lower destinations and
 * reports the lowest with a fault, so that results do not depend on the threads. */
static void work(void *context, uint32_t worker, uint32_t number) {
    job *proof = context;
    member *part = &proof->members[worker];
    const uint32_t destination = proof->moves->first[proof->visited[number]];
    if (destination > atomic_load(&proof->worst))
        return;
    vef_error error = {0};
    vef_state_search *search = &part->search;
    if (search->leg_hops)
        memset(search->leg_hops, 0, proof->moves->topology->routers * sizeof *search->leg_hops);
    vef_code code = vef_states_search(search, proof->leg, destination, &error);
    if (code == VEF_OK && search->leg_hops)
        keep_legs(part, destination);
    part->states += search->count;
    if (part->longest_hops < search->longest_hops)
        part->longest_hops = search->longest_hops;
    if (!search->bounded && destination < part->circle.destination)
        part->circle = (finding){.destination = destination, .dependency = search->unbounded};
    if ((code != VEF_OK || search->verdict != VEF_DEADLOCK_FREE) &&
        destination < part->fault.destination) {
        part->fault = (finding){destination, search->verdict, search->fault, code, error};
        uint32_t worst = atomic_load(&proof->worst);
        while (destination < worst &&
               !atomic_compare_exchange_weak(&proof->worst, &worst, destination))
            continue;
    }
    atomic_fetch_add(&proof->done, 1);
}

/* The longest route of two legs. */
static void join_legs(const job *proof, uint32_t workers, uint32_t *longest) {
    const vef_moves *moves = proof->moves;
    vef_longest_legs *second = proof->members[0].second_legs;
    for (uint32_t class = 0; class < moves->classes; class ++)
        for (uint32_t i = 1; i < workers; i++)
            for (uint32_t j = 0; j < 2; j++)
                vef_longest_legs_add(&second[class], proof->members[i].second_legs[class].hops[j],
                                     proof->members[i].second_legs[class].router[j]);
    /* A longest route has an image that ends at a visited destination: second legs need no images.
     */
    vef_reflections_add_legs(moves, proof->first_legs);
    for (uint32_t class = 0; class < moves->classes; class ++) {
        const uint32_t here = vef_longest_legs_join(&proof->first_legs[class], &second[class]);
        *longest = here > *longest ? here : *longest;
    }
}

/* Combines the results of the workers. */
static vef_code gather(const job *proof, uint32_t workers, vef_deadlock *deadlock,
                       vef_error *error) {
    const finding *fault = &proof->members[0].fault, *circle = &proof->members[0].circle;
    for (uint32_t i = 0; i < workers; i++) {
        const member *one = &proof->members[i];
        deadlock->states += one->states;
        if (deadlock->longest_hops < one->longest_hops)
            deadlock->longest_hops = one->longest_hops;
        if (one->fault.destination < fault->destination)
            fault = &one->fault;
        if (one->circle.destination < circle->destination)
            circle = &one->circle;
    }
    deadlock->bounded = circle->destination == UINT32_MAX;
    deadlock->unbounded = circle->dependency;
    deadlock->destinations = proof->destinations;
    if (fault->destination == UINT32_MAX) {
        if (proof->legs > 1)
            join_legs(proof, workers, &deadlock->longest_hops);
        return VEF_OK;
    }
    deadlock->verdict = fault->verdict;
    deadlock->fault = fault->dependency;
    if (fault->code != VEF_OK && error)
        *error = fault->error;
    return fault->code;
}

static void make_members(job *proof, uint32_t workers, const vef_routing *routing, vef_moves *moves,
                         uint64_t most_bytes, const vef_deadlock *deadlock, vef_arena *arena) {
    const vef_deadlock_request *request = proof->request;
    const uint32_t routers = moves->topology->routers;
    proof->members = vef_arena_alloc(arena, workers, sizeof *proof->members);
    if (proof->legs > 1)
        proof->first_legs = vef_arena_alloc(arena, moves->classes, sizeof *proof->first_legs);
    for (uint32_t i = 0; i < workers; i++) {
        member *one = &proof->members[i];
        one->job = proof;
        one->fault.destination = one->circle.destination = UINT32_MAX;
        one->search.routing = routing;
        one->search.queue_packets = deadlock->queue_packets;
        one->search.without_bubble = request->without_bubble;
        one->search.moves = moves;
        one->search.most_bytes = most_bytes / workers;
        one->search.context = one;
        one->search.after_state = i == 0 && request->watch ? report_state : NULL;
        if (proof->legs == 1)
            continue;
        one->second_legs = vef_arena_alloc(arena, moves->classes, sizeof *one->second_legs);
        one->search.leg_hops = vef_arena_alloc(arena, routers, sizeof *one->search.leg_hops);
    }
}

static vef_code search_states(const vef_routing *routing, const vef_deadlock_request *request,
                              vef_moves *moves, uint64_t most_bytes, vef_deadlock *deadlock,
                              vef_error *error) {
    vef_arena arena = {0};
    job proof = {.request = request, .moves = moves, .legs = routing->legs ? 2 : 1};
    atomic_init(&proof.done, 0);
    atomic_init(&proof.worst, UINT32_MAX);
    proof.visited = vef_arena_alloc(&arena, moves->classes, sizeof *proof.visited);
    proof.destinations = vef_reflections_choose(moves, proof.visited);
    const uint32_t workers = vef_workers_for(proof.destinations);
    make_members(&proof, workers, routing, moves, most_bytes, deadlock, &arena);
    for (; proof.leg < proof.legs && atomic_load(&proof.worst) == UINT32_MAX; proof.leg++) {
        vef_workers_run(workers, proof.destinations, work, &proof);
        if (proof.leg == 0 && proof.legs > 1)
            vef_reflections_add_arrivals(moves);
    }
    vef_reflections_add_moves(moves);
    vef_turns_add_moves(moves);
    const vef_code code = gather(&proof, workers, deadlock, error);
    for (uint32_t i = 0; i < workers; i++)
        vef_states_release(&proof.members[i].search);
    vef_arena_release(&arena);
    return code;
}

/* The first router of each class. */
static void find_first(vef_moves *moves) {
    memset(moves->first, 0xff, moves->classes * sizeof *moves->first);
    for (uint32_t router = moves->topology->routers; router-- > 0;)
        moves->first[vef_moves_class(moves, router)] = router;
}

/* What routes of two legs need in addition. */
static void add_legs(const vef_topology *topology, vef_moves *moves) {
    const size_t arrivals = (size_t)moves->classes * moves->arrival_queues;
    moves->arrivals = vef_calloc(arrivals + 1, sizeof *moves->arrivals);
    moves->endpoint = vef_calloc(topology->routers, sizeof *moves->endpoint);
    for (uint32_t e = topology->endpoints; e-- > 0;)
        moves->endpoint[vef_topology_router_of(topology, e)] = e;
}

static vef_code make_moves(const vef_routing *routing, uint32_t channels, const uint8_t *queue_of,
                           bool symmetric, uint64_t most_bytes, vef_moves *moves,
                           vef_error *error) {
    const vef_topology *topology = routing->topology;
    const bool turned = symmetric && topology->turns > 0 && topology->translation_classes == 0;
    const bool uniform = turned || (symmetric && topology->translation_classes > 0);
    const uint64_t links = (uint64_t)topology->ports * channels, words = (links + 7) / 8;
    const uint32_t classes = turned    ? topology->orbits
                             : uniform ? topology->translation_classes
                                       : topology->routers;
    const double bytes = (double)classes * (double)(links + 1) * (double)words * 8;
    if ((double)topology->routers * (double)links >= (double)UINT32_MAX ||
        bytes > (double)most_bytes / 2)
        return vef_fail(
            error, VEF_NO_MEMORY,
            "%u routers with %llu virtual channels each: the table of moves between channels needs "
            "%.3g GB: out of range, at most %.3g GB: expected a smaller network of the same kind",
            topology->routers, (unsigned long long)links, bytes / 1e9, (double)most_bytes / 2e9);
    *moves = (vef_moves){.topology = topology,
                         .channels = channels,
                         .links = (uint32_t)links,
                         .routing_channels = routing->channels,
                         .queue_of = queue_of,
                         .words = (uint32_t)words,
                         .uniform = uniform,
                         .turned = turned,
                         .reflections = symmetric ? topology->reflections : 0,
                         .classes = classes,
                         .arrival_queues = topology->ports * routing->channels};
    moves->how = vef_calloc((size_t)bytes / 8 + 1, sizeof *moves->how);
    moves->first = vef_malloc(classes * sizeof *moves->first);
    find_first(moves);
    if (routing->legs)
        add_legs(topology, moves);
    return VEF_OK;
}

static void release_moves(vef_moves *moves) {
    free((void *)moves->how);
    free(moves->first);
    free(moves->arrivals);
    free(moves->endpoint);
    *moves = (vef_moves){0};
}

/* All moves of packets, and what is found on the way. */
static vef_code find_moves(const vef_routing *routing, const vef_deadlock_request *request,
                           uint32_t channels, const uint8_t *queue_of, uint64_t most_bytes,
                           vef_moves *moves, vef_deadlock *deadlock, vef_error *error) {
    const bool symmetric = routing->uniform && !request->every_destination;
    const vef_code code =
        make_moves(routing, channels, queue_of, symmetric, most_bytes, moves, error);
    return code == VEF_OK ? search_states(routing, request, moves, most_bytes / 2, deadlock, error)
                          : code;
}

/* The same by the unrolled form of the routing, which is uniform. False: there is none, or it has a
 * fault, which is described in the routing's own terms after a full enumeration. */
static bool find_moves_unrolled(const vef_routing *routing, const vef_deadlock_request *request,
                                uint64_t most_bytes, vef_moves *moves, vef_deadlock *deadlock) {
    vef_routing *unrolled = NULL;
    vef_error unheard = {0};
    if (routing->uniform || request->every_destination ||
        routing->topology->translation_classes == 0 ||
        vef_routing_unroll(routing, &unrolled, &unheard) != VEF_OK)
        return false;
    vef_moves named = {0};
    vef_deadlock found = *deadlock;
    const bool fits = unrolled->uniform &&
                      find_moves(unrolled, request, unrolled->channels, NULL, most_bytes, &named,
                                 &found, &unheard) == VEF_OK &&
                      found.verdict == VEF_DEADLOCK_FREE && found.bounded &&
                      make_moves(routing, deadlock->channels, request->queue_of, false, most_bytes,
                                 moves, &unheard) == VEF_OK;
    if (fits) {
        vef_unrolled_fold(routing, unrolled, &named, moves);
        *deadlock = found;
    }
    release_moves(&named);
    vef_routing_destroy(unrolled);
    return fits;
}

/* Condition 2 again, including broadcast packets. */
static void judge_broadcast(const vef_routing *routing, const vef_deadlock_request *request,
                            vef_moves *moves, vef_deadlock *deadlock) {
    vef_broadcast broadcast;
    vef_error unheard = {0};
    deadlock->broadcast = vef_broadcast_set(&broadcast, routing->topology, &unheard) == VEF_OK &&
                          vef_broadcast_check(&broadcast, routing, &unheard) == VEF_OK;
    if (!deadlock->broadcast)
        return;
    vef_deadlock with = {.queue_packets = deadlock->queue_packets, .channels = deadlock->channels};
    const bool possible = vef_copies_note(moves, &broadcast, routing, request,
                                          deadlock->queue_packets, &deadlock->copies);
    vef_components_judge(moves, &with);
    deadlock->broadcast_free = possible && with.verdict == VEF_DEADLOCK_FREE;
    vef_deadlock_release(&with);
}

static vef_code prove(const vef_routing *routing, const vef_deadlock_request *request,
                      vef_deadlock *deadlock, vef_error *error) {
    const uint64_t most_bytes = request->most_bytes ? request->most_bytes : machine_bytes() / 4 * 3;
    *deadlock = (vef_deadlock){
        .queue_packets = request->pauses          ? 1
                         : request->queue_packets ? request->queue_packets
                                                  : routing->least_queue_packets,
        .channels = request->channels && request->channels < routing->channels ? request->channels
                                                                               : routing->channels};
    vef_moves moves = {0};
    vef_code code = VEF_OK;
    if (!find_moves_unrolled(routing, request, most_bytes, &moves, deadlock))
        code = find_moves(routing, request, deadlock->channels, request->queue_of, most_bytes,
                          &moves, deadlock, error);
    if (code == VEF_OK && deadlock->verdict == VEF_DEADLOCK_FREE)
        vef_components_judge(&moves, deadlock);
    if (code == VEF_OK && deadlock->verdict == VEF_DEADLOCK_FREE)
        judge_broadcast(routing, request, &moves, deadlock);
    if (request->pauses)
        deadlock->uncovered = VEF_UNCOVERED_PAUSES;
    if (code == VEF_OK && deadlock->verdict == VEF_DEADLOCK_CYCLE)
        code = vef_witness_find(routing, request, &moves, most_bytes / 2, deadlock, error);
    release_moves(&moves);
    if (code != VEF_OK)
        vef_deadlock_release(deadlock);
    return code;
}

/* The tests check what rows of the tables claim of themselves, and nobody what plug-ins do: the
 * proof then makes no use of it and visits everything. */
vef_code vef_deadlock_prove(const vef_routing *routing, const vef_deadlock_request *request,
                            vef_deadlock *deadlock, vef_error *error) {
    if (!routing->library && !vef_topology_whole(routing->topology)->library)
        return prove(routing, request, deadlock, error);
    vef_routing_algorithm algorithm = *routing->algorithm;
    vef_routing unclaimed = *routing;
    algorithm.input = NULL;
    algorithm.fold = NULL;
    unclaimed.algorithm = &algorithm;
    unclaimed.uniform = unclaimed.rising = false;
    unclaimed.legs = NULL;
    return prove(&unclaimed, request, deadlock, error);
}

void vef_deadlock_release(vef_deadlock *deadlock) {
    free(deadlock->cycle);
    deadlock->cycle = NULL;
    deadlock->cycle_length = 0;
}
