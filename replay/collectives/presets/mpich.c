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
 *                        Also on exactly 8 ranks blocks of any size are not short: a comparison of
 *                        csel.c, which is meant to be "below", is "at most" after the test of
 *                        MPI_IN_PLACE
 * Gather, Scatter        between two groups MPIR_CVAR_GATHER_INTER_SHORT_MSG_SIZE and _SCATTER_, in
 *                        all
 *
 * With several ranks on a node its ch4 device comes first (maint/tuning/coll/ch4/generic.json): the
 * rows "two-level...", whose parts are chosen by the first table again.
 *
 * MPICH divides the buffers of reductions only for built-in operations; here commutative operations
 * count as built-in, since a trace does not distinguish them. */
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"
#include "replay/collectives/presets/presets.h"

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
    IALLREDUCE_SHORT_BYTES = 2048,
    IALLTOALL_SHORT_BYTES = 2048,
    REDUCE_SCATTER_LONG_BYTES = 524288,
    BETWEEN_SHORT_BYTES = 2048,
};

static bool bcast_of_nodes_is_short(const vef_collective *call) {
    return call->size < BCAST_MIN_PROCS || call->bytes < BCAST_SHORT_BYTES;
}

static bool bcast_of_nodes_is_medium(const vef_collective *call) {
    return vef_is_power(call->size) && call->bytes < BCAST_LONG_BYTES;
}

static bool reduce_of_nodes_is_short(const vef_collective *call) {
    return call->bytes <= REDUCE_SHORT_BYTES;
}

static bool has_several_nodes(const vef_collective *call) {
    return call->nodes && call->nodes->count > 1 && !call->nonblocking;
}

/* Non-blocking calls, the rows of that table with an "i": their limits. */

static bool begins_short_bcast(const vef_collective *call) {
    return call->nonblocking && (call->size < BCAST_MIN_PROCS || call->bytes < BCAST_SHORT_BYTES);
}

static bool begins_medium_bcast(const vef_collective *call) {
    return call->nonblocking && call->bytes < BCAST_LONG_BYTES;
}

static bool begins_short_allreduce(const vef_collective *call) {
    return call->nonblocking && call->bytes <= IALLREDUCE_SHORT_BYTES;
}

static bool begins_short_alltoall(const vef_collective *call) {
    return call->nonblocking && call->size > ALLTOALL_MIN_PROCS &&
           call->bytes <= IALLTOALL_SHORT_BYTES;
}

static bool blocks(const vef_collective *call) {
    return !call->nonblocking;
}

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

static bool allgather_takes_doubling(const vef_collective *call) {
    return vef_all_blocks_bytes(call) < ALLGATHER_LONG_BYTES;
}

static bool allgather_takes_bruck(const vef_collective *call) {
    return !vef_is_power(call->size) && vef_all_blocks_bytes(call) < ALLGATHER_SHORT_BYTES;
}

static bool alltoall_is_short(const vef_collective *call) {
    return call->size > ALLTOALL_MIN_PROCS && call->bytes <= ALLTOALL_SHORT_BYTES;
}

static bool alltoall_is_medium(const vef_collective *call) {
    return call->bytes <= ALLTOALL_MEDIUM_BYTES;
}

/* Of a non-blocking Reduce_scatter_block csel.c takes the bytes of one block. */
static bool reduce_scatter_is_short(const vef_collective *call) {
    if (call->nonblocking && call->call == VEF_CALL_Reduce_scatter_block)
        return call->bytes < REDUCE_SCATTER_LONG_BYTES;
    return vef_all_blocks_bytes(call) < REDUCE_SCATTER_LONG_BYTES;
}

static bool between_is_short(const vef_collective *call) {
    return vef_between_rooted_bytes(call) < BETWEEN_SHORT_BYTES;
}

static const vef_preference preferences[] = {
    STEP(Barrier, "two-level", .when = blocks),
    STEP(Barrier, "dissemination"),
    STEP(Bcast, "two-level", .when = begins),
    STEP(Bcast, "binomial", .when = begins_short_bcast),
    STEP(Bcast, "scatter-doubling", .when = begins_medium_bcast),
    STEP(Bcast, "scatter-ring", .when = begins),
    STEP(Bcast, "two-level", .when = bcast_of_nodes_is_short),
    STEP(Bcast, "two-level-root-first", .when = bcast_of_nodes_is_medium),
    STEP(Bcast, "binomial", .when = bcast_is_short),
    STEP(Bcast, "scatter-doubling", .when = bcast_is_medium),
    STEP(Bcast, "scatter-ring"),
    STEP(Reduce, "two-level-root-last", .when = begins),
    STEP(Reduce, "two-level-root-last", .when = reduce_of_nodes_is_short),
    STEP(Reduce, "two-level"),
    STEP(Reduce, "reduce-scatter-gather", .when = reduce_is_long),
    STEP(Reduce, "binomial"),
    STEP(Allreduce, "recursive-doubling", .when = begins_short_allreduce),
    STEP(Allreduce, "two-level", .when = has_several_nodes),
    STEP(Allreduce, "reduce-scatter-allgather", .when = allreduce_is_long),
    STEP(Allreduce, "recursive-doubling"),
    STEP(Allgather, "recursive-doubling", .when = allgather_takes_doubling),
    STEP(Allgather, "bruck", .when = allgather_takes_bruck),
    STEP(Allgather, "ring"),
    STEP(Allgatherv, "recursive-doubling", .when = allgather_takes_doubling),
    STEP(Allgatherv, "bruck", .when = allgather_takes_bruck),
    STEP(Allgatherv, "ring"),
    STEP(Scan, "two-level"),
    STEP(Scan, "recursive-doubling"),
    STEP(Alltoall, "pairs-in-place", .when = is_in_place),
    STEP(Alltoallv, "pairs-in-place", .when = is_in_place),
    STEP(Alltoallv, "scattered"),
    STEP(Alltoallw, "pairs-in-place", .when = is_in_place),
    STEP(Alltoallw, "scattered"),
    STEP(Alltoall, "bruck", .when = begins_short_alltoall),
    STEP(Alltoall, "bruck", .when = alltoall_is_short),
    STEP(Alltoall, "scattered", .when = alltoall_is_medium),
    STEP(Alltoall, "pairwise"),
    STEP(Reduce_scatter, "recursive-halving", .when = reduce_scatter_is_short),
    STEP(Reduce_scatter, "pairwise"),
    STEP(Reduce_scatter, "butterfly", .when = keeps_order),
    STEP(Reduce_scatter, "recursive-doubling"),
    STEP(Reduce_scatter_block, "recursive-halving", .when = reduce_scatter_is_short),
    STEP(Reduce_scatter_block, "pairwise"),
    STEP(Reduce_scatter_block, "butterfly", .when = keeps_order),
    STEP(Reduce_scatter_block, "recursive-doubling"),
    STEP(Gather, "between-groups-short", .when = between_is_short),
    STEP(Gather, "between-groups-linear"),
    STEP(Scatter, "between-groups-short", .when = between_is_short),
    STEP(Scatter, "between-groups-linear"),
    END_OF_STEPS,
};

const vef_preset vef_preset_mpich = {
    .name = "mpich",
    .summary = "the selection table of MPICH 4.0.2, by size, ranks and operation",
    .preferences = preferences,
};
