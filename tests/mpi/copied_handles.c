/* Copied request handles: two tasks start MANY sends and receives into one variable each, copy
 * the handles into arrays, and complete them from there, longest arrays first, in the opposite
 * order, and some by Waitsome. MPICH gives many of the sends the same handle. */
#include <mpi.h>
#include <stdlib.h>

enum { MANY = 500 };

int main(int argc, char **argv) {
    static int numbers[MANY], values[MANY];
    MPI_Request sends[MANY], receives[MANY], last;
    int me, left = MANY, count, indices[MANY];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < MANY; i++) {
        MPI_Irecv(&numbers[i], 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD, &last);
        receives[MANY - 1 - i] = last;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MANY; i++) {
        values[i] = i;
        MPI_Isend(&values[i], 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD, &last);
        sends[MANY - 1 - i] = last;
    }
    MPI_Waitall(MANY, sends, MPI_STATUSES_IGNORE);
    while (left > 0) {
        MPI_Waitsome(MANY, receives, &count, indices, MPI_STATUSES_IGNORE);
        left -= count;
    }
    for (int i = 0; i < MANY; i++)
        if (numbers[i] != i)
            MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
