/* Freedom from deadlock of a routing on a concrete network.
 *
 * The network: queues of `queue_packets` places, first come first served; a packet leaves its queue
 * when one of its candidates is free and has the places that it needs; from then on it has a place
 * in the next queue and never stops before it is there (virtual cut-through). Injection queues are
 * queues that nobody waits for; what waits at the sources holds nothing. A packet at its
 * destination is always consumed.
 *
 * A deadlock is a set of queues, none empty, whose front packets are short of their destinations
 * and each of whose candidates lead to queues of the set that lack the places needed. Those packets
 * stay for ever, as places in the set come free by them alone. (That all of a blocked packet sits
 * in one queue is what virtual cut-through gives: dependencies of a packet on the queues behind
 * it, as with wormholes, there are none. Duato: "A Necessary and Sufficient Condition for
 * Deadlock-Free Routing in Cut-Through and Store-and-Forward Networks", TPDS 1996.)
 *
 * What is checked, over every state that a packet can come into by whatever it is offered:
 *
 *  1. Short of the destination there is an escape candidate that needs no more places than a
 *     queue has.
 *  2. Let there be an edge from queue q to queue t when some packet in q has an escape to t. Every
 *     strongly connected component of that graph is
 *      a. a single queue without an edge to itself, or
 *      b. a ring: each queue has an edge to one other of the component alone; escapes along it
 *         need one place; and whatever comes into one of its queues from outside, by any
 *         candidate, escape or not, from injection or from another queue, needs at least two.
 *
 * Theorem. Then no deadlock can come about. Proof. Suppose that there is one, and let everything
 * on its way arrive. Each of its front packets has an escape (1), which leads to a queue of the
 * set; with the edges of these escapes each queue of the set has a way on inside it. Going on for
 * ever one comes into a set of queues S that all lead to each other and, by these edges, nowhere
 * else: S lies in one component, it is not of kind a, so it is of kind b, and since from each queue
 * of a ring one edge stays in it, S is the whole ring. All escapes of the front packets of S lead
 * along the ring and need one place, and are blocked: every queue of the ring is full. But a ring
 * is never full. Count a packet in the queue where it took its last place. Going on from a queue
 * of the ring to another leaves the number of packets in the ring as it is, and leaving it
 * lessens it. A packet that comes in from outside finds two places free in the queue that it takes
 * one of (the sender's credits never say more than there are; one sender feeds a queue, so no two
 * packets see the same places): the ring has a place free afterwards. It has at the beginning. So
 * it always has one, a contradiction.
 *
 * Where packets of one queue may pass each other (virtual output queues on the same places), read
 * "front packets" for "front packet": a set that is stuck has all of them waiting, and nothing else
 * changes. Places that hold less than a packet are another matter for rings, whose free room they
 * break into pieces; without rings the argument needs only that a queue holds the largest packet.
 *
 * Of several escapes in one state each counts as an edge: the front packet waits for all of them,
 * so one that can move would do, and asking all of them to be harmless is on the safe side. A
 * routing should mark those that it needs.
 *
 *  3. Besides: the states of one packet, with an edge to each that a candidate leads to, contain no
 *     circle. Then paths are bounded and, with no deadlock, whatever is inside arrives in bounded
 *     time once injection ceases, however arbitration decides. Where there is a circle, nothing is
 *     deadlocked, but a packet could wander without end (livelock); that is told, and is no
 *     failure.
 *
 * Packets to all (netmodel/routing/broadcast/broadcast.c), where the routing carries them. A router
 * keeps one at the front of its queue until every copy of it has gone on by its branch, so all
 * branches have to be free sooner or later, not one. The graph gets an edge for each branch, from
 * the queue where the packet stands to the one that the copy takes a place of, and condition 2 is
 * asked of it again; branches have to fit into a queue. The theorem holds then as well. Let each
 * stuck front packet lead to the queues that it waits for for ever: of a packet to all, those of
 * one or more of its branches, the others having been granted, and once more a set S that all lead
 * to each other and nowhere else is a whole ring. In it a packet to all whose copy along the ring
 * has gone is called spent. A packet going on along the ring adds one and lets one be spent or
 * gone, so what came from outside, finding two places free, leaves at most places - 1 packets that
 * are not spent. Only front packets can be spent, and those of S wait for the ring, so none is; all
 * places of the ring are taken (each waits for one), a contradiction.
 *
 * Not claimed: that every packet arrives under traffic that never ceases; a source or a packet
 * that wants two places may starve where the arbiter always prefers others.
 *
 * A failure means that the argument does not hold. Where a packet has no choice (and the states on
 * the cycle can come together) it can deadlock; with adaptive candidates beside the escapes, it may
 * be that it cannot.
 *
 * Cost. States are enumerated for each destination router by itself, shared out among threads: in
 * all about routers^2 x queues of a router, times what routes carry beside. Where the routing says
 * that it is uniform (routing.h) and the topology is a lattice that wraps all around, those of
 * destination 0 tell all: taking every router x to x + t is a symmetry of the lattice that keeps
 * ports, and of the routing. */
#include "common/workers.h"
#include "netmodel/deadlock/copies.h"
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/deadlock/states.h"
#include "netmodel/deadlock/witness.h"
#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a worker found at the lowest destination where there was something. */
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
    uint32_t destinations, endpoints;
    atomic_uint_least32_t done;
    atomic_uint_least32_t worst; /* the lowest destination with a fault or failure */
} job;

typedef struct member {
    vef_state_search search;
    job *job;
    uint32_t longest_hops;
    uint64_t states;
    finding fault, circle;
} member;

static uint64_t machine_bytes(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
}

static void tell(void *context, uint32_t source) {
    const member *self = context;
    const job *all = self->job;
    const uint64_t before = (uint64_t)atomic_load(&all->done) * all->endpoints;
    all->request->watch(all->request->context, before + source + 1,
                        (uint64_t)all->destinations * all->endpoints);
}

/* All packets to one router. The lowest destination with something wrong is told, whoever comes
 * upon it first, so that answers do not depend on the threads: those below it are all looked at. */
static void work(void *context, uint32_t worker, uint32_t destination) {
    job *all = context;
    member *self = &all->members[worker];
    if (destination > atomic_load(&all->worst))
        return;
    vef_error error = {0};
    vef_state_search *search = &self->search;
    const vef_code code = vef_states_search(search, destination, &error);
    self->states += search->count;
    if (self->longest_hops < search->longest_hops)
        self->longest_hops = search->longest_hops;
    if (!search->bounded && destination < self->circle.destination)
        self->circle = (finding){.destination = destination, .dependency = search->unbounded};
    if ((code != VEF_OK || search->verdict != VEF_DEADLOCK_FREE) &&
        destination < self->fault.destination) {
        self->fault = (finding){destination, search->verdict, search->fault, code, error};
        uint32_t worst = atomic_load(&all->worst);
        while (destination < worst &&
               !atomic_compare_exchange_weak(&all->worst, &worst, destination))
            continue;
    }
    atomic_fetch_add(&all->done, 1);
}

/* What the members found, put together. */
static vef_code gather(const job *all, uint32_t workers, vef_deadlock *deadlock, vef_error *error) {
    const finding *fault = &all->members[0].fault, *circle = &all->members[0].circle;
    for (uint32_t i = 0; i < workers; i++) {
        const member *one = &all->members[i];
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
    if (fault->destination == UINT32_MAX)
        return VEF_OK;
    deadlock->verdict = fault->verdict;
    deadlock->fault = fault->dependency;
    if (fault->code != VEF_OK && error)
        *error = fault->error;
    return fault->code;
}

static vef_code search_states(const vef_routing *routing, const vef_deadlock_request *request,
                              vef_moves *moves, uint64_t most_bytes, vef_deadlock *deadlock,
                              vef_error *error) {
    const uint32_t destinations = moves->uniform ? 1 : routing->topology->routers;
    const uint32_t workers = vef_workers_for(destinations);
    job all = {.request = request,
               .destinations = destinations,
               .endpoints = routing->topology->endpoints};
    atomic_init(&all.done, 0);
    atomic_init(&all.worst, UINT32_MAX);
    all.members = calloc(workers, sizeof *all.members);
    if (!all.members)
        return vef_fail_memory(error, "searches of states", workers * sizeof *all.members);
    for (uint32_t i = 0; i < workers; i++) {
        member *one = &all.members[i];
        one->job = &all;
        one->fault.destination = one->circle.destination = UINT32_MAX;
        one->search.routing = routing;
        one->search.queue_packets = deadlock->queue_packets;
        one->search.without_bubble = request->without_bubble;
        one->search.moves = moves;
        one->search.most_bytes = most_bytes / workers;
        one->search.context = one;
        one->search.after_source = i == 0 && request->watch ? tell : NULL;
    }
    vef_workers_run(workers, destinations, work, &all);
    vef_code code = gather(&all, workers, deadlock, error);
    deadlock->destinations = destinations;
    for (uint32_t i = 0; i < workers; i++)
        vef_states_release(&all.members[i].search);
    free(all.members);
    return code;
}

static vef_code make_moves(const vef_routing *routing, uint32_t channels, bool uniform,
                           uint64_t most_bytes, vef_moves *moves, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const uint64_t links = (uint64_t)topology->ports * channels;
    const uint64_t routers = uniform ? 1 : topology->routers;
    const double bytes = (double)routers * (double)(links + 1) * (double)links;
    if ((double)topology->routers * (double)links >= (double)UINT32_MAX ||
        bytes > (double)most_bytes / 2)
        return vef_fail(error, VEF_NO_MEMORY,
                        "%u routers with %llu virtual channels each: how packets go on from each "
                        "to each takes %.3g GB, and there are %.3g; a smaller network of the same "
                        "kind would do",
                        topology->routers, (unsigned long long)links, bytes / 1e9,
                        (double)most_bytes / 2e9);
    *moves = (vef_moves){
        .topology = topology, .channels = channels, .links = (uint32_t)links, .uniform = uniform};
    moves->how = calloc((size_t)bytes + 1, sizeof *moves->how);
    return moves->how ? VEF_OK : vef_fail_memory(error, "moves of packets", (uint64_t)bytes);
}

/* Condition 2 once more, with packets to all among the others. */
static vef_code judge_broadcast(const vef_routing *routing, const vef_deadlock_request *request,
                                vef_moves *moves, vef_deadlock *deadlock, vef_error *error) {
    vef_broadcast broadcast;
    vef_error unheard = {0};
    deadlock->broadcast = vef_broadcast_set(&broadcast, routing->topology, &unheard) == VEF_OK &&
                          vef_broadcast_check(&broadcast, routing, &unheard) == VEF_OK;
    if (!deadlock->broadcast)
        return VEF_OK;
    bool possible = false;
    vef_deadlock with = {.queue_packets = deadlock->queue_packets, .channels = deadlock->channels};
    vef_code code = vef_copies_note(moves, &broadcast, routing, request, deadlock->queue_packets,
                                    &deadlock->copies, &possible, error);
    if (code == VEF_OK)
        code = vef_components_judge(moves, &with, error);
    deadlock->broadcast_free = possible && with.verdict == VEF_DEADLOCK_FREE;
    vef_deadlock_release(&with);
    return code;
}

vef_code vef_deadlock_prove(const vef_routing *routing, const vef_deadlock_request *request,
                            vef_deadlock *deadlock, vef_error *error) {
    const vef_lattice *lattice = routing->topology->lattice;
    const bool uniform =
        routing->uniform && !request->every_destination && lattice && lattice->all_wrap;
    const uint64_t most_bytes = request->most_bytes ? request->most_bytes : machine_bytes() / 4 * 3;
    *deadlock = (vef_deadlock){
        .queue_packets =
            request->queue_packets ? request->queue_packets : routing->least_queue_packets,
        .channels = request->channels && request->channels < routing->channels ? request->channels
                                                                               : routing->channels};
    vef_moves moves = {0};
    vef_code code = make_moves(routing, deadlock->channels, uniform, most_bytes, &moves, error);
    if (code == VEF_OK)
        code = search_states(routing, request, &moves, most_bytes / 2, deadlock, error);
    if (code == VEF_OK && deadlock->verdict == VEF_DEADLOCK_FREE)
        code = vef_components_judge(&moves, deadlock, error);
    if (code == VEF_OK && deadlock->verdict == VEF_DEADLOCK_FREE)
        code = judge_broadcast(routing, request, &moves, deadlock, error);
    if (code == VEF_OK && deadlock->verdict == VEF_DEADLOCK_CYCLE)
        code = vef_witness_find(routing, request, most_bytes / 2, deadlock, error);
    free((void *)moves.how);
    if (code != VEF_OK)
        vef_deadlock_release(deadlock);
    return code;
}

void vef_deadlock_release(vef_deadlock *deadlock) {
    free(deadlock->cycle);
    deadlock->cycle = NULL;
    deadlock->cycle_length = 0;
}
