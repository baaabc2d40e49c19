/* Creating and freeing windows, as in MPICH 4.0.2 (src/mpid/ch4/src/mpidig_win.c; the address
 * exchange: win_allgather in src/mpid/ch4/netmod/ucx/ucx_win.c, the device of Debian's package).
 *
 * All except Win_free begin with win_init, which duplicates the communicator (the allreduce of
 * vef_comm_agree) and reduces a flag, and end with a barrier.
 * create: an allgather of each rank's key length, address and unit (16 bytes). The memory keys,
 * whose length depends on the transport, are left out.
 * allocate: first reduces a flag: whether the same address is available everywhere. The search for
 * it, only for sizes of whole pages, is left out.
 * share: an allgather of sizes, units and addresses (24 bytes) in the node, which is the
 * communicator; the same flag.
 * dynamic: nothing more; attaching memory is local.
 * free: a barrier, with which a fence ends too (MPIDIG_mpi_win_fence, whatever its assertions). */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/patterns.h"

enum { FLAG_BYTES = 1, KEY_LENGTH_BYTES = 8, ADDRESS_BYTES = 16, SHARE_BYTES = 24 };

static void begin(const vef_collective *call, vef_plan *plan) {
    vef_comm_agree(call, plan);
    vef_add_phase(plan, call, VEF_CALL_Allreduce, FLAG_BYTES, 1);
}

static void exchange_addresses(const vef_collective *call, vef_plan *plan) {
    vef_add_phase(plan, call, VEF_CALL_Allgather, KEY_LENGTH_BYTES, 0);
    vef_add_phase(plan, call, VEF_CALL_Allgather, ADDRESS_BYTES, 0);
}

void vef_window_create(const vef_collective *call, vef_plan *plan) {
    begin(call, plan);
    exchange_addresses(call, plan);
    vef_window_free(call, plan);
}

void vef_window_allocate(const vef_collective *call, vef_plan *plan) {
    begin(call, plan);
    vef_add_phase(plan, call, VEF_CALL_Allreduce, FLAG_BYTES, 1);
    exchange_addresses(call, plan);
    vef_window_free(call, plan);
}

void vef_window_share(const vef_collective *call, vef_plan *plan) {
    begin(call, plan);
    vef_add_phase(plan, call, VEF_CALL_Allgather, SHARE_BYTES, 0);
    vef_add_phase(plan, call, VEF_CALL_Allreduce, FLAG_BYTES, 1);
    vef_window_free(call, plan);
}

void vef_window_dynamic(const vef_collective *call, vef_plan *plan) {
    begin(call, plan);
    vef_window_free(call, plan);
}

void vef_window_free(const vef_collective *call, vef_plan *plan) {
    vef_add_phase(plan, call, VEF_CALL_Barrier, 0, 0);
}
