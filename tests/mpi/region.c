/* Two tasks turn recording off from Pcontrol(0) to Pcontrol(1); messages cross both borders. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    const MPI_Comm world = MPI_COMM_WORLD;
    int me, numbers[8] = {0};
    MPI_Request before, inside;
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    if (me == 0) {
        MPI_Isend(numbers, 1, MPI_INT, 1, 1, world, &before); /* received inside */
        MPI_Pcontrol(0);
        MPI_Send(numbers, 2, MPI_INT, 1, 2, world); /* both sides inside */
        MPI_Bcast(numbers, 3, MPI_INT, 0, world);
        MPI_Comm_dup(world, &made); /* used afterwards */
        MPI_Isend(numbers, 4, MPI_INT, 1, 4, world,
                  &inside); /* received and waited for afterwards */
        MPI_Pcontrol(1);
    } else {
        MPI_Pcontrol(0);
        MPI_Recv(numbers, 8, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
        MPI_Recv(numbers, 8, MPI_INT, MPI_ANY_SOURCE, 2, world, MPI_STATUS_IGNORE);
        MPI_Bcast(numbers, 3, MPI_INT, 0, world);
        MPI_Comm_dup(world, &made);
        MPI_Pcontrol(1);
        MPI_Recv(numbers, 8, MPI_INT, 0, 4, world, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(numbers, 5, MPI_INT, 1 - me, 5, numbers, 5, MPI_INT, 1 - me, 5, made,
                 MPI_STATUS_IGNORE);
    if (me == 0) {
        MPI_Wait(&before, MPI_STATUS_IGNORE);
        MPI_Wait(&inside, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&made);
    MPI_Finalize();
    return 0;
}
