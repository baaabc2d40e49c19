/* Ranks by MPI: the only file of vef-mpi that knows it, in place of cli/ranks.c. A failure of MPI,
 * or of a process, ends all of them, as MPI does by default. */
#include "cli/ranks.h"

#include "common/containers/grow.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>

void vef_ranks_begin(int *argc, char ***argv) {
    int provided, rank;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *nothing = rank > 0 ? fopen("/dev/null", "w") : NULL;
    if (nothing)
        stdout = stderr = nothing;
}

/* Gives way to other processes meanwhile, which MPI does not: there may be more than cores. */
static void wait_for(MPI_Request *request) {
    for (int done = 0; !done;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
}

static void exchange(void *context, vef_net_peer *peers, uint32_t count) {
    MPI_Request sent[VEF_MOST_RANKS];
    (void)context;
    for (uint32_t i = 0; i < count; i++)
        MPI_Isend(peers[i].out, (int)peers[i].out_bytes, MPI_BYTE, (int)peers[i].rank, 0,
                  MPI_COMM_WORLD, &sent[i]);
    for (uint32_t i = 0; i < count; i++) {
        vef_net_peer *peer = &peers[i];
        MPI_Message message;
        MPI_Status status;
        int bytes, found = 0;
        while (MPI_Improbe((int)peer->rank, 0, MPI_COMM_WORLD, &found, &message, &status), !found)
            sched_yield();
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        peer->in_bytes = (size_t)bytes;
        vef_grow(&peer->in, &peer->in_room, peer->in_bytes, 1);
        MPI_Mrecv(peer->in, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
    for (uint32_t i = 0; i < count; i++)
        wait_for(&sent[i]);
}

static void reduce(uint64_t *values, size_t count, MPI_Op operation) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, operation, MPI_COMM_WORLD,
                   &request);
    wait_for(&request);
}

static void sum(void *context, uint64_t *values, size_t count) {
    (void)context;
    reduce(values, count, MPI_SUM);
}

static void least(void *context, uint64_t *values, size_t count) {
    (void)context;
    reduce(values, count, MPI_MIN);
}

const vef_net_ranks *vef_ranks_of_program(vef_net_ranks *ranks) {
    int rank, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *ranks = (vef_net_ranks){.rank = (uint32_t)rank,
                             .count = (uint32_t)count,
                             .exchange = exchange,
                             .sum = sum,
                             .least = least};
    return count > 1 ? ranks : NULL;
}

void vef_ranks_end(void) {
    MPI_Finalize();
}
