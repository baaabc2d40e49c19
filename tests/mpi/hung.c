/* Four tasks that never end: task 0 receives a message that is never sent, task 1 waits for
 * three requests, task 2 is alone in a barrier, and task 3 computes after its last call. */
#include <mpi.h>
#include <vef.h>

int main(int argc, char **argv) {
    int me, in[2];
    MPI_Comm half;
    MPI_Request requests[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_split(MPI_COMM_WORLD, me / 2, 0,
                   &half); /* communicator 1 of the trace: tasks 0 and 1 */
    vef_region_begin("solver");
    vef_region_begin("exchange \"x\"");
    switch (me) {
    case 0:
        MPI_Recv(in, 1, MPI_INT, 1, 7, half, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Irecv(&in[0], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Ibarrier(half, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        break;
    case 2:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    default:
        for (volatile double sum = 0;;)
            sum = sum + 1;
    }
    MPI_Finalize();
    return 0;
}
