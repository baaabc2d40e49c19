/* Hierarchical collectives: inside the nodes, and among one rank of each node (T. Kielmann et al.,
 * "MagPIe: MPI's collective communication operations for clustered wide area systems", PPoPP 1999).
 *
 * two-level: a barrier, bcast, reduce or allreduce in the ranks of a node and one in the leaders,
 * the root for its node and the lowest rank for others. Each part uses the algorithm that is chosen
 * for a communicator of its size. A message crosses the network between nodes as often as it would
 * with one rank on each. For operations that commute, since nodes may hold any ranks. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"
#include "traces/event.h"

/* This call and rank; `root_node` has the root, or is node 0 without one. */
typedef struct levels {
    const vef_collective *call;
    vef_plan *plan;
    const vef_nodes *nodes;
    uint32_t node, root_node;
} levels;

static levels levels_of(const vef_collective *call, vef_plan *plan) {
    const vef_nodes *nodes = call->nodes;
    return (levels){call, plan, nodes, nodes->of[call->rank],
                    call->root >= 0 ? nodes->of[call->root] : 0};
}

static uint32_t leader(const levels *of, uint32_t node) {
    if (of->call->root >= 0 && node == of->root_node)
        return (uint32_t)of->call->root;
    return of->nodes->ranks[of->nodes->first[node]];
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
