/* Hierarchical collectives: inside the nodes, and among one rank of each node (T. Kielmann et al.,
 * "MagPIe: MPI's collective communication operations for clustered wide area systems", PPoPP 1999).
 *
 * two-level: a barrier, bcast, reduce or allreduce in the ranks of a node and one in the leaders,
 * the root for its node and the lowest rank for others. Each part uses the algorithm that is chosen
 * for a communicator of its size. A message crosses the network between nodes as often as it would
 * with one rank on each. For operations that commute, since nodes may hold any ranks.
 *
 * smp: what MPICH does with several ranks on a node, from the compositions of its ch4 device
 * (src/mpid/ch4/src/ch4_coll_impl.h of 4.0.2, MPIDI_..._intra_composition_...): there the lowest
 * rank of each node is its leader, whatever the root. Barrier (alpha): a barrier inside, one of the
 * leaders, a bcast of one byte inside. Bcast: smp (alpha): the root sends to its leader, which
 * starts a bcast of the leaders; then one inside each node, the root included. smp-root-first
 * (beta): inside the root's node from the root, of the leaders, inside the other nodes. Reduce: smp
 * (alpha): inside, of the leaders to that of rank 0, which sends to the root. smp-root-last (beta):
 * inside the other nodes, of the leaders to the root's, inside the root's node to the root. Scan
 * (alpha), on nodes of consecutive ranks: inside each node; the last rank of a node sends its
 * result to the leader; a scan of the leaders; each passes the total so far to the next; and a
 * bcast inside, first of whether anything comes before this node (one int), then of that, which
 * every rank adds. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

enum { FLAG_BYTES = 4 };

/* This call and rank; `root_node` has the root, or is node 0 without one. */
typedef struct levels {
    const vef_collective *call;
    vef_plan *plan;
    const vef_nodes *nodes;
    uint32_t node, root_node;
    bool lowest_lead; /* the lowest rank of a node is its leader, even where the root is */
} levels;

static levels levels_of(const vef_collective *call, vef_plan *plan) {
    const vef_nodes *nodes = call->nodes;
    return (levels){
        call, plan, nodes, nodes->of[call->rank], call->root >= 0 ? nodes->of[call->root] : 0,
        false};
}

static uint32_t lowest(const levels *of, uint32_t node) {
    return of->nodes->ranks[of->nodes->first[node]];
}

static uint32_t leader(const levels *of, uint32_t node) {
    if (!of->lowest_lead && of->call->root >= 0 && node == of->root_node)
        return (uint32_t)of->call->root;
    return lowest(of, node);
}

/* The ranks of a part as ranks of the communicator. */
static uint32_t rank_of_leader(const levels *of, uint32_t number) {
    return leader(of, number);
}

static uint32_t rank_inside(const levels *of, uint32_t number) {
    return of->nodes->ranks[of->nodes->first[of->node] + number];
}

static void add_part(const levels *of, vef_collective part,
                     uint32_t (*rank_of)(const levels *of, uint32_t number)) {
    const uint32_t first = vef_now(of->plan);
    part.nodes = NULL; /* one level alone */
    vef_add_noted(of->plan, &part);
    for (size_t i = first; i < of->plan->count; i++)
        of->plan->steps[i].peer = rank_of(of, of->plan->steps[i].peer);
}

static void among_leaders(const levels *of, uint16_t call) {
    vef_collective part = *of->call;
    if (of->call->rank != leader(of, of->node))
        return;
    part.call = call;
    part.rank = of->node;
    part.size = of->nodes->count;
    part.root = (int32_t)of->root_node;
    add_part(of, part, rank_of_leader);
}

static void inside(const levels *of, uint16_t call) {
    vef_collective part = *of->call;
    part.call = call;
    part.rank = of->nodes->place[of->call->rank];
    part.size = vef_nodes_size(of->nodes, of->node);
    part.root = (int32_t)of->nodes->place[leader(of, of->node)];
    add_part(of, part, rank_inside);
}

/* Messages without data between the leader of the node and its other ranks, all at once. */
static void signal_inside(const levels *of, bool to_leader) {
    const uint32_t now = vef_now(of->plan), head = leader(of, of->node);
    const vef_step_kind at_leader = to_leader ? VEF_STEP_RECEIVE : VEF_STEP_SEND;
    if (of->call->rank != head) {
        vef_add_step(of->plan, to_leader ? VEF_STEP_SEND : VEF_STEP_RECEIVE, head, 0, now);
        return;
    }
    for (uint32_t i = 0; i < vef_nodes_size(of->nodes, of->node); i++)
        if (rank_inside(of, i) != head)
            vef_add_step(of->plan, at_leader, rank_inside(of, i), 0, now);
}

void vef_barrier_two_level(const vef_collective *call, vef_plan *plan) {
    const levels of = levels_of(call, plan);
    signal_inside(&of, true);
    among_leaders(&of, VEF_CALL_Barrier);
    signal_inside(&of, false);
}

void vef_bcast_two_level(const vef_collective *call, vef_plan *plan) {
    const levels of = levels_of(call, plan);
    among_leaders(&of, VEF_CALL_Bcast);
    inside(&of, VEF_CALL_Bcast);
}

void vef_reduce_two_level(const vef_collective *call, vef_plan *plan) {
    const levels of = levels_of(call, plan);
    inside(&of, VEF_CALL_Reduce);
    among_leaders(&of, VEF_CALL_Reduce);
}

void vef_allreduce_two_level(const vef_collective *call, vef_plan *plan) {
    const levels of = levels_of(call, plan);
    inside(&of, VEF_CALL_Reduce);
    among_leaders(&of, VEF_CALL_Allreduce);
    inside(&of, VEF_CALL_Bcast);
}

/* ---- MPICH's ---- */

static levels smp_of(const vef_collective *call, vef_plan *plan) {
    levels of = levels_of(call, plan);
    of.lowest_lead = true;
    return of;
}

static bool leads(const levels *of) {
    return of->call->rank == leader(of, of->node);
}

static bool is_beside_root(const levels *of) {
    return of->node == of->root_node;
}

/* A part inside the own node, from or to one of its places. */
static void inside_from(const levels *of, uint16_t call, uint32_t root, uint64_t bytes) {
    vef_collective part = *of->call;
    part.call = call;
    part.bytes = bytes;
    part.rank = of->nodes->place[of->call->rank];
    part.size = vef_nodes_size(of->nodes, of->node);
    part.root = (int32_t)root;
    add_part(of, part, rank_inside);
}

/* A message with the whole buffer. */
static void pass(const levels *of, uint32_t from, uint32_t to) {
    const vef_parts whole = vef_parts_whole(of->call->bytes);
    if (from == to)
        return;
    if (of->call->rank == from)
        vef_add_parts(of->plan, VEF_STEP_SEND, to, &whole, 0, 1, vef_now(of->plan));
    else if (of->call->rank == to)
        vef_add_parts(of->plan, VEF_STEP_RECEIVE, from, &whole, 0, 1, vef_now(of->plan));
}

void vef_barrier_smp(const vef_collective *call, vef_plan *plan) {
    const levels of = smp_of(call, plan);
    const bool note_blocks = plan->note_blocks;
    inside(&of, VEF_CALL_Barrier);
    among_leaders(&of, VEF_CALL_Barrier);
    plan->note_blocks = false;
    inside_from(&of, VEF_CALL_Bcast, 0, 1);
    plan->note_blocks = note_blocks;
}

void vef_bcast_smp(const vef_collective *call, vef_plan *plan) {
    const levels of = smp_of(call, plan);
    pass(&of, (uint32_t)call->root, leader(&of, of.root_node));
    among_leaders(&of, VEF_CALL_Bcast);
    inside_from(&of, VEF_CALL_Bcast, 0, call->bytes);
}

void vef_bcast_smp_root_first(const vef_collective *call, vef_plan *plan) {
    const levels of = smp_of(call, plan);
    const uint32_t root = of.nodes->place[call->root];
    if (is_beside_root(&of) && root > 0)
        inside_from(&of, VEF_CALL_Bcast, root, call->bytes);
    among_leaders(&of, VEF_CALL_Bcast);
    if (!is_beside_root(&of) || root == 0)
        inside_from(&of, VEF_CALL_Bcast, 0, call->bytes);
}

void vef_reduce_smp(const vef_collective *call, vef_plan *plan) {
    levels of = smp_of(call, plan);
    inside_from(&of, VEF_CALL_Reduce, 0, call->bytes);
    of.root_node = of.nodes->of[0];
    among_leaders(&of, VEF_CALL_Reduce);
    pass(&of, 0, (uint32_t)call->root);
}

void vef_reduce_smp_root_last(const vef_collective *call, vef_plan *plan) {
    const levels of = smp_of(call, plan);
    if (!is_beside_root(&of))
        inside_from(&of, VEF_CALL_Reduce, 0, call->bytes);
    among_leaders(&of, VEF_CALL_Reduce);
    if (is_beside_root(&of))
        inside_from(&of, VEF_CALL_Reduce, of.nodes->place[call->root], call->bytes);
}

/* Records no blocks: a node's total and what comes before it are neither of a scan's pieces. */
void vef_scan_smp(const vef_collective *call, vef_plan *plan) {
    const levels of = smp_of(call, plan);
    const uint32_t last = of.nodes->ranks[of.nodes->first[of.node + 1] - 1];
    const bool note_blocks = plan->note_blocks;
    plan->note_blocks = false;
    inside(&of, VEF_CALL_Scan);
    pass(&of, last, leader(&of, of.node));
    among_leaders(&of, VEF_CALL_Scan);
    if (leads(&of) && of.node + 1 < of.nodes->count)
        pass(&of, call->rank, leader(&of, of.node + 1));
    if (leads(&of) && of.node > 0)
        pass(&of, leader(&of, of.node - 1), call->rank);
    if (!call->nonblocking)
        inside_from(&of, VEF_CALL_Bcast, 0, FLAG_BYTES);
    if (of.node > 0) {
        inside_from(&of, VEF_CALL_Bcast, 0, call->bytes);
        size_t received = plan->count;
        while (plan->steps[received - 1].kind != VEF_STEP_RECEIVE)
            received--;
        vef_add_step(plan, VEF_STEP_REDUCE, plan->steps[received - 1].peer, call->bytes,
                     vef_now(plan));
    }
    plan->note_blocks = note_blocks;
}
