/* Two tasks spawn another and connect to each other by a port, if their MPI can: MPICH 4.0.2
 * with UCX reports that it cannot. Either way these calls, and calls on their communicators, are
 * counted, and the rest of the trace is complete. */
#include <mpi.h>
#include <stdio.h>

static int value, sum;

static void meet(MPI_Comm others) {
    MPI_Comm merged;
    MPI_Barrier(others);
    MPI_Intercomm_merge(others, 0, &merged);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&others);
}

int main(int argc, char **argv) {
    int me, failed;
    MPI_Comm others;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_get_parent(&others);
    if (others != MPI_COMM_NULL) {
        meet(others);
        return MPI_Finalize();
    }
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    failed = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                            MPI_ERRCODES_IGNORE); /* once */
    if (!failed)
        meet(others);
    char port[1024] = ""; /* of any library: MPI_MAX_PORT_NAME is 256 or 1024 */
    failed = me == 0 ? MPI_Open_port(MPI_INFO_NULL, port) : 0;
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    failed = failed || (me == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others)
                                : MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others));
    if (!failed)
        MPI_Comm_disconnect(&others);
    MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    printf("sum %d of task %d\n", sum, me);
    return MPI_Finalize();
}
