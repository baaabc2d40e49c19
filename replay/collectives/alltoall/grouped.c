/* Alltoall and Alltoallv as NCCL's grouped sends and receives, `degree` of either at a time
 * (ncclP2pSchedule in src/init.cc; NCCL has 8 in each of 32 channels).
 *
 * The peers of a rank are those of its own node, then of other nodes, at distances 0, 1, 3, 6, 10,
 * …, i(i+1)/2 modulo the next power of two of the number of nodes; distances that are no nodes are
 * left out. So the first peers are all over the network. On each node they begin with the one at
 * the same place. Where nodes are unknown, or not all of one size, every rank is a node. Ranks that
 * have nothing to exchange send nothing; NCCL's chunks of 128 KiB to one peer are one message. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"

/* The ranks of a node, if all nodes have as many. */
static uint32_t node_size(const vef_nodes *nodes) {
    const uint32_t size = nodes ? vef_nodes_size(nodes, 0) : 1;
    for (uint32_t node = 1; nodes && node < nodes->count; node++)
        if (vef_nodes_size(nodes, node) != size)
            return 1;
    return size;
}

/* The rank at a place of a node. */
static uint32_t rank_of(const vef_nodes *nodes, uint32_t size, uint32_t node, uint32_t place) {
    return size > 1 ? nodes->ranks[nodes->first[node] + place] : node;
}

/* The peers in order, which are sent to in list[2 i] and received from in list[2 i + 1]. */
static const uint64_t *peers_of(const vef_collective *call, vef_plan *plan) {
    const vef_nodes *nodes = call->nodes;
    const uint32_t size = node_size(nodes), count = call->size / size;
    const uint32_t node = size > 1 ? nodes->node_of[call->rank] : call->rank;
    const uint32_t place = size > 1 ? nodes->place[call->rank] : 0;
    uint64_t *list = vef_plan_scratch(plan, 2 * (size_t)call->size), *next = list;
    const uint32_t below = vef_power_below(count);
    const uint64_t mask = (below == count ? below : 2 * (uint64_t)below) - 1;
    for (uint64_t step = 0, distance = 0; step <= mask; distance = (distance + ++step) & mask)
        for (uint32_t i = 0; i < size && distance < count; i++) {
            const uint32_t ahead = (uint32_t)((node + distance) % count);
            const uint32_t behind = (uint32_t)((node + count - distance) % count);
            *next++ = rank_of(nodes, size, ahead, (place + i) % size);
            *next++ = rank_of(nodes, size, behind, (place + size - i) % size);
        }
    return list;
}

void vef_alltoall_grouped(const vef_collective *call, vef_plan *plan) {
    const uint64_t *peers = peers_of(call, plan);
    for (uint32_t i = 1, now = 0; i < call->size; i++) {
        const uint32_t to = (uint32_t)peers[2 * i], from = (uint32_t)peers[2 * i + 1];
        if ((i - 1) % plan->tuning.degree == 0)
            now = vef_now(plan);
        vef_add_pair(call, plan, VEF_STEP_RECEIVE, from, false, now);
        vef_add_pair(call, plan, VEF_STEP_SEND, to, false, now);
    }
}
