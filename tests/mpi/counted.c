/* Two tasks call what traces do not hold: one-sided communication, non-blocking collectives, files
 * and neighbourhoods. Each makes every one of these calls as often as stands beside it, and nothing
 * of what MPICH calls inside them may show. argv[1]: a file to write. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int me, value = 1, sum, both[2], next;
    char path[4096];
    MPI_Win window;
    MPI_Request request, requests[2];
    MPI_File file;
    MPI_Comm ring, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    next = 1 - me;

    MPI_Win_create(both, sizeof both, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* 1 */
    MPI_Win_fence(0, window);                                                               /* 2 */
    MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, window);                               /* 3 */
    MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, window);
    MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window); /* 1 */

    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* 1 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++) { /* 4, waited for together with messages */
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(both, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(&me, 1, MPI_INT, next, 8, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (sum != 2)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }

    snprintf(path, sizeof path, "%s/counted.data", getenv("TMPDIR"));
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);                                                       /* 1 */
    MPI_File_set_view(file, me * 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); /* 1 */
    MPI_File_write_all(file, &me, 1, MPI_INT, MPI_STATUS_IGNORE);               /* 1 */
    MPI_File_close(&file);                                                      /* 1 */

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &next, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, both, 1, MPI_INT, ring); /* 1 */
    MPI_Comm_free(&ring);

    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request); /* 1; what happens on it is not held either */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);    /* 1 */
    MPI_Comm_free(&copy); /* 1 */
    MPI_Finalize();
    return 0;
}
