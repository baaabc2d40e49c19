/* The selection of MPICH 4.0.2: its built-in table (maint/tuning/coll/mpir/generic.json), whose
 * limits are the defaults of these control variables:
 *
 * Bcast                  MPIR_CVAR_BCAST_MIN_PROCS, _SHORT_MSG_SIZE and _LONG_MSG_SIZE; limits that
 *                        still count as short or medium
 * Reduce                 MPIR_CVAR_REDUCE_SHORT_MSG_SIZE
 * Allreduce              8 bytes; the 2,048 bytes of Thakur et al. 2005 and of
 *                        MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE no longer rule there
 * Allgather, Allgatherv  MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE and _LONG_MSG_SIZE, of all blocks
 * Alltoall               MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE, from 8 ranks on, and _MEDIUM_MSG_SIZE,
 *                        of a block
 * Reduce_scatter(_block) MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE, of all blocks
 * Gather, Scatter        between two groups MPIR_CVAR_GATHER_INTER_SHORT_MSG_SIZE and _SCATTER_, in
 *                        all
 *
 * MPICH divides the buffers of reductions only for built-in operations; here commutative operations
 * count as built-in, since a trace does not distinguish them. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/choices.h"
#include "replay/collectives/patterns.h"

enum {
    BCAST_MIN_PROCS = 8,
    BCAST_SHORT_BYTES = 12288,
    BCAST_LONG_BYTES = 524288,
    REDUCE_SHORT_BYTES = 2048,
    ALLREDUCE_SHORT_BYTES = 8,
    ALLGATHER_SHORT_BYTES = 81920,
    ALLGATHER_LONG_BYTES = 524288,
    ALLTOALL_MIN_PROCS = 8,
    ALLTOALL_SHORT_BYTES = 256,
    ALLTOALL_MEDIUM_BYTES = 32768,
    REDUCE_SCATTER_LONG_BYTES = 524288,
    BETWEEN_SHORT_BYTES = 2048,
};

static bool bcast_is_short(const vef_collective *call) {
    return call->size < BCAST_MIN_PROCS || call->bytes <= BCAST_SHORT_BYTES;
}

static bool bcast_is_medium(const vef_collective *call) {
    return call->bytes <= BCAST_LONG_BYTES;
}

static bool reduce_is_long(const vef_collective *call) {
    return call->commutative && call->bytes > REDUCE_SHORT_BYTES;
}

static bool allreduce_is_long(const vef_collective *call) {
    return call->commutative && call->bytes > ALLREDUCE_SHORT_BYTES;
}

static uint64_t all_blocks(const vef_collective *call) {
    const uint64_t *bytes = vef_blocks_of(call);
    if (!bytes)
        return call->bytes * call->size;
    uint64_t total = 0;
    for (uint32_t i = 0; i < call->size; i++)
        total += bytes[i];
    return total;
}

static bool allgather_takes_doubling(const vef_collective *call) {
    return all_blocks(call) < ALLGATHER_LONG_BYTES;
}

static bool allgather_takes_bruck(const vef_collective *call) {
    return !vef_is_power(call->size) && all_blocks(call) < ALLGATHER_SHORT_BYTES;
}

static bool alltoall_is_short(const vef_collective *call) {
    return call->size >= ALLTOALL_MIN_PROCS && call->bytes <= ALLTOALL_SHORT_BYTES;
}

static bool alltoall_is_medium(const vef_collective *call) {
    return call->bytes <= ALLTOALL_MEDIUM_BYTES;
}

static bool reduce_scatter_is_short(const vef_collective *call) {
    return all_blocks(call) < REDUCE_SCATTER_LONG_BYTES;
}

static bool keeps_order(const vef_collective *call) {
    return !call->commutative;
}

static bool between_is_short(const vef_collective *call) {
    return vef_between_rooted_bytes(call) < BETWEEN_SHORT_BYTES;
}

#define ROW(name) VEF_CALL_##name

static const vef_preference preferences[] = {
    {ROW(Bcast), "binomial", bcast_is_short},
    {ROW(Bcast), "scatter-doubling", bcast_is_medium},
    {ROW(Bcast), "scatter-ring", NULL},
    {ROW(Reduce), "reduce-scatter-gather", reduce_is_long},
    {ROW(Reduce), "binomial", NULL},
    {ROW(Allreduce), "reduce-scatter-allgather", allreduce_is_long},
    {ROW(Allreduce), "recursive-doubling", NULL},
    {ROW(Allgather), "recursive-doubling", allgather_takes_doubling},
    {ROW(Allgather), "bruck", allgather_takes_bruck},
    {ROW(Allgather), "ring", NULL},
    {ROW(Allgatherv), "recursive-doubling", allgather_takes_doubling},
    {ROW(Allgatherv), "bruck", allgather_takes_bruck},
    {ROW(Allgatherv), "ring", NULL},
    {ROW(Alltoall), "bruck", alltoall_is_short},
    {ROW(Alltoall), "scattered", alltoall_is_medium},
    {ROW(Alltoall), "pairwise", NULL},
    {ROW(Reduce_scatter), "recursive-halving", reduce_scatter_is_short},
    {ROW(Reduce_scatter), "pairwise", NULL},
    {ROW(Reduce_scatter), "butterfly", keeps_order},
    {ROW(Reduce_scatter), "recursive-doubling", NULL},
    {ROW(Reduce_scatter_block), "recursive-halving", reduce_scatter_is_short},
    {ROW(Reduce_scatter_block), "pairwise", NULL},
    {ROW(Reduce_scatter_block), "butterfly", keeps_order},
    {ROW(Reduce_scatter_block), "recursive-doubling", NULL},
    {ROW(Gather), "between-groups-short", between_is_short},
    {ROW(Gather), "between-groups-linear", NULL},
    {ROW(Scatter), "between-groups-short", between_is_short},
    {ROW(Scatter), "between-groups-linear", NULL},
    {0, NULL, NULL},
};

const vef_preset vef_preset_mpich = {
    .name = "mpich",
    .summary = "the selection table of MPICH 4.0.2, by size, ranks and operation",
    .preferences = preferences,
};
