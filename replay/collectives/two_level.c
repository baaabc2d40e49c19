/* Hierarchical collectives: inside the nodes, and among one rank of each node (T. Kielmann et al.,
 * "MagPIe: MPI's collective communication operations for clustered wide area systems", PPoPP 1999),
 * as MPICH composes them (src/mpid/ch4/src/ch4_coll_impl.h of 4.0.2,
 * MPIDI_..._intra_composition_alpha and _beta): the lowest rank of each node is its leader,
 * whatever the root. Each part uses the algorithm that is chosen for a communicator of its size on
 * which every rank has a node of its own.
 *
 * Barrier, two-level: a barrier inside, one of the leaders, a bcast of one byte inside.
 * Bcast, two-level: the root sends to its leader, which starts a bcast of the leaders; then one
 * inside each node, the root included. two-level-root-first: inside the root's node from the root,
 * of the leaders, inside the other nodes.
 * Reduce, two-level: inside, of the leaders to that of rank 0, which sends to the root.
 * two-level-root-last: inside the other nodes, of the leaders to the root's, inside the root's node
 * to the root. For operations that commute, since nodes may hold any ranks.
 * Allreduce, two-level: a reduce inside, an allreduce of the leaders, a bcast inside.
 * Scan, two-level, on nodes of consecutive ranks: inside each node; the last rank of a node sends
 * its result to the leader; a scan of the leaders; each passes the total so far to the next; and a
 * bcast inside, first, unless the call is non-blocking, of whether anything comes before this node
 * (one int), then of that, which every rank adds. */
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
} levels;

static levels levels_of(const vef_collective *call, vef_plan *plan) {
    const vef_nodes *nodes = call->nodes;
    return (levels){call, plan, nodes, nodes->node_of[call->rank],
                    call->root >= 0 ? nodes->node_of[call->root] : 0};
}

static bool is_beside_root(const levels *here) {
    return here->node == here->root_node;
}

/* The ranks of a part as ranks of the communicator. */
static uint32_t leader(const levels *here, uint32_t node) {
    return here->nodes->ranks[here->nodes->first[node]];
}

static uint32_t rank_inside(const levels *here, uint32_t place) {
    return here->nodes->ranks[here->nodes->first[here->node] + place];
}

static bool leads(const levels *here) {
    return here->call->rank == leader(here, here->node);
}

static void add_part(const levels *here, vef_collective part,
                     uint32_t (*rank_of)(const levels *here, uint32_t number)) {
    const uint32_t first = vef_now(here->plan);
    part.nodes = NULL; /* one level alone */
    vef_add_noted(here->plan, &part);
    for (size_t i = first; i < here->plan->count; i++)
        here->plan->steps[i].peer = rank_of(here, here->plan->steps[i].peer);
}

static void among_leaders(const levels *here, uint16_t call) {
    vef_collective part = *here->call;
    if (!leads(here))
        return;
    part.call = call;
    part.rank = here->node;
    part.size = here->nodes->count;
    part.root = (int32_t)here->root_node;
    add_part(here, part, leader);
}

/* A part inside the own node, from or to the rank at a place of it. */
static void inside(const levels *here, uint16_t call, uint32_t root, uint64_t bytes) {
    vef_collective part = *here->call;
    part.call = call;
    part.bytes = bytes;
    part.rank = here->nodes->place[here->call->rank];
    part.size = vef_nodes_size(here->nodes, here->node);
    part.root = (int32_t)root;
    add_part(here, part, rank_inside);
}

/* A message with the whole buffer. */
static void pass(const levels *here, uint32_t from, uint32_t to) {
    const vef_parts whole = vef_parts_whole(here->call->bytes);
    if (from == to)
        return;
    if (here->call->rank == from)
        vef_add_parts(here->plan, VEF_STEP_SEND, to, &whole, 0, 1, vef_now(here->plan));
    else if (here->call->rank == to)
        vef_add_parts(here->plan, VEF_STEP_RECEIVE, from, &whole, 0, 1, vef_now(here->plan));
}

void vef_barrier_two_level(const vef_collective *call, vef_plan *plan) {
    const levels here = levels_of(call, plan);
    const bool note_blocks = plan->note_blocks;
    inside(&here, VEF_CALL_Barrier, 0, 0);
    among_leaders(&here, VEF_CALL_Barrier);
    plan->note_blocks = false;
    inside(&here, VEF_CALL_Bcast, 0, 1);
    plan->note_blocks = note_blocks;
}

void vef_bcast_two_level(const vef_collective *call, vef_plan *plan) {
    const levels here = levels_of(call, plan);
    pass(&here, (uint32_t)call->root, leader(&here, here.root_node));
    among_leaders(&here, VEF_CALL_Bcast);
    inside(&here, VEF_CALL_Bcast, 0, call->bytes);
}

void vef_bcast_two_level_root_first(const vef_collective *call, vef_plan *plan) {
    const levels here = levels_of(call, plan);
    const uint32_t root = here.nodes->place[call->root];
    if (is_beside_root(&here) && root > 0)
        inside(&here, VEF_CALL_Bcast, root, call->bytes);
    among_leaders(&here, VEF_CALL_Bcast);
    if (!is_beside_root(&here) || root == 0)
        inside(&here, VEF_CALL_Bcast, 0, call->bytes);
}

void vef_reduce_two_level(const vef_collective *call, vef_plan *plan) {
    levels here = levels_of(call, plan);
    inside(&here, VEF_CALL_Reduce, 0, call->bytes);
    here.root_node = here.nodes->node_of[0];
    among_leaders(&here, VEF_CALL_Reduce);
    pass(&here, 0, (uint32_t)call->root);
}

void vef_reduce_two_level_root_last(const vef_collective *call, vef_plan *plan) {
    const levels here = levels_of(call, plan);
    if (!is_beside_root(&here))
        inside(&here, VEF_CALL_Reduce, 0, call->bytes);
    among_leaders(&here, VEF_CALL_Reduce);
    if (is_beside_root(&here))
        inside(&here, VEF_CALL_Reduce, here.nodes->place[call->root], call->bytes);
}

void vef_allreduce_two_level(const vef_collective *call, vef_plan *plan) {
    const levels here = levels_of(call, plan);
    inside(&here, VEF_CALL_Reduce, 0, call->bytes);
    among_leaders(&here, VEF_CALL_Allreduce);
    inside(&here, VEF_CALL_Bcast, 0, call->bytes);
}

/* Records no blocks: a node's total and what comes before it are neither of a scan's pieces. */
void vef_scan_two_level(const vef_collective *call, vef_plan *plan) {
    const levels here = levels_of(call, plan);
    const uint32_t last = here.nodes->ranks[here.nodes->first[here.node + 1] - 1];
    const bool note_blocks = plan->note_blocks;
    plan->note_blocks = false;
    inside(&here, VEF_CALL_Scan, 0, call->bytes);
    pass(&here, last, leader(&here, here.node));
    among_leaders(&here, VEF_CALL_Scan);
    if (leads(&here) && here.node + 1 < here.nodes->count)
        pass(&here, call->rank, leader(&here, here.node + 1));
    if (leads(&here) && here.node > 0)
        pass(&here, leader(&here, here.node - 1), call->rank);
    if (!call->nonblocking)
        inside(&here, VEF_CALL_Bcast, 0, FLAG_BYTES);
    if (here.node > 0) {
        inside(&here, VEF_CALL_Bcast, 0, call->bytes);
        size_t received = plan->count;
        while (plan->steps[received - 1].kind != VEF_STEP_RECEIVE)
            received--;
        vef_add_step(plan, VEF_STEP_REDUCE, plan->steps[received - 1].peer, call->bytes,
                     vef_now(plan));
    }
    plan->note_blocks = note_blocks;
}
