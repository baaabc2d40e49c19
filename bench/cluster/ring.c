/* The work of nodes that share the cores of one machine: every task exchanges messages of 8 B with its neighbours in a ring, as fast
 * as it can. Task 0 prints the median time of a step in ns, over 20 batches. For fit.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 20, STEPS = 50 };

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int rank, tasks;
    double ns[BATCHES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    for (int batch = -1; batch < BATCHES; batch++) { /* the first one connects */
        MPI_Barrier(MPI_COMM_WORLD);
        const double begun = MPI_Wtime();
        for (int step = 0; step < STEPS; step++) {
            double sent = step, received;
            MPI_Sendrecv(&sent, 1, MPI_DOUBLE, (rank + 1) % tasks, 0, &received, 1, MPI_DOUBLE, (rank + tasks - 1) % tasks, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (batch >= 0)
            ns[batch] = (MPI_Wtime() - begun) * 1e9 / STEPS;
    }
    qsort(ns, BATCHES, sizeof *ns, compare);
    if (rank == 0)
        printf("%.0f\n", ns[BATCHES / 2]);
    MPI_Finalize();
    return 0;
}
