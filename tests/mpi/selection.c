/* Two tasks, two rounds, with regions marked by vef.h. Compiles as C and C++. */
#include "capture/vef.h"

#include <mpi.h>
#include <stdio.h>

static int me, number;

static void exchange(int tag) {
    MPI_Sendrecv_replace(&number, 1, MPI_INT, 1 - me, tag, 1 - me, tag, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    vef_region_begin("before MPI"); /* not recorded, and no harm */
    vef_region_end("before MPI");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    exchange(1);
    if (me == 0) /* received inside a region, sent outside */
        MPI_Send(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    for (int round = 0; round < 2; round++) {
        vef_region_begin("round");
        exchange(3);
        vef_region_begin("inner \"x\"");
        exchange(4);
        vef_region_end("inner \"x\"");
        vef_mark("turn");
        vef_region_end("round");
        exchange(5);
    }
    vef_region_begin("last");
    if (me == 1)
        MPI_Recv(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    vef_region_end("last");
    MPI_Finalize();
    if (me == 0)
        puts("ran");
    return 0;
}
