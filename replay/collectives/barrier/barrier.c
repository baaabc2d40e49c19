/* Barrier: messages without data (p ranks).
 *
 * dissemination: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization",
 * Int. J. Parallel Programming 17(1), 1988: in round k a rank signals the one 2^k further and waits
 * for the one 2^k before; after ceil(log2 p) rounds it has heard, through others, from all.
 * recursive-doubling: ranks at distance 1, 2, 4, … exchange messages: log2 p rounds. Where p is no
 * power of two, the ranks above it report to the lower ones first and hear from them last: two
 * rounds more.
 * tree: binomial, up to rank 0 and back: 2 ceil(log2 p) rounds, 2(p-1) messages, the fewest
 * possible.
 * linear: all others report to rank 0, which answers one after the other: p rounds.
 * double-ring: a message goes round the ring of ranks twice: 2p rounds. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

static void receive(vef_plan *plan, uint32_t from) {
    vef_add_step(plan, VEF_STEP_RECEIVE, from, 0, vef_now(plan));
}

static void send(vef_plan *plan, uint32_t to) {
    vef_add_step(plan, VEF_STEP_SEND, to, 0, vef_now(plan));
}

static void exchange(vef_plan *plan, uint32_t from, uint32_t to) {
    const uint32_t now = vef_now(plan);
    vef_add_step(plan, VEF_STEP_RECEIVE, from, 0, now);
    vef_add_step(plan, VEF_STEP_SEND, to, 0, now);
}

void vef_barrier_dissemination(const vef_collective *call, vef_plan *plan) {
    for (uint32_t distance = 1; distance < call->size; distance *= 2)
        exchange(plan, vef_rank_behind(call, distance), vef_rank_ahead(call, distance));
}

void vef_barrier_doubling(const vef_collective *call, vef_plan *plan) {
    const uint32_t power = vef_power_below(call->size), rank = call->rank;
    const uint32_t extra = call->size - power;
    if (rank >= power) {
        send(plan, rank - power);
        receive(plan, rank - power);
        return;
    }
    if (rank < extra)
        receive(plan, rank + power);
    for (uint32_t distance = 1; distance < power; distance *= 2)
        exchange(plan, rank ^ distance, rank ^ distance);
    if (rank < extra)
        send(plan, rank + power);
}

void vef_barrier_tree(const vef_collective *call, vef_plan *plan) {
    const uint32_t size = call->size, rank = call->rank, span = vef_tree_span(rank, size);
    for (uint32_t half = 1; half < span && rank + half < size; half *= 2)
        receive(plan, rank + half);
    if (rank > 0) {
        send(plan, rank - span);
        receive(plan, rank - span);
    }
    for (uint32_t half = span / 2; half > 0; half /= 2)
        if (rank + half < size)
            send(plan, rank + half);
}

void vef_barrier_linear(const vef_collective *call, vef_plan *plan) {
    if (call->rank > 0) {
        send(plan, 0);
        receive(plan, 0);
        return;
    }
    for (uint32_t from = 1; from < call->size; from++)
        vef_add_step(plan, VEF_STEP_RECEIVE, from, 0, 0);
    for (uint32_t to = 1; to < call->size; to++)
        send(plan, to);
}

void vef_barrier_double_ring(const vef_collective *call, vef_plan *plan) {
    const uint32_t right = vef_rank_ahead(call, 1), left = vef_rank_behind(call, 1);
    for (int turn = 0; turn < 2; turn++) {
        if (call->rank > 0)
            receive(plan, left);
        send(plan, right);
        if (call->rank == 0)
            receive(plan, left);
    }
}
