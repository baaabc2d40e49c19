/* One-sided communication in every kind of epoch, neighbourhood collectives on a grid and a
 * graph, and collectives on intercommunicators, blocking and not; at least 2 tasks. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size;

static void windows(void) {
    double *base, buffer[64] = {0}, old = 0, one = 1;
    MPI_Win win;
    MPI_Win_allocate(64 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(buffer, 64, MPI_DOUBLE, (rank + 1) % size, 0, 64, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Get(buffer, 64, MPI_DOUBLE, (rank + 1) % size, 0, 64, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Fetch_and_op(&one, &old, MPI_DOUBLE, 0, 1, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Request request;
    MPI_Rget(buffer, 64, MPI_DOUBLE, (rank + 2) % size, 0, 64, MPI_DOUBLE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    for (int k = 0; k < 4; k++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, k % size, 0, win);
        MPI_Put(buffer, 8, MPI_DOUBLE, k % size, 0, 8, MPI_DOUBLE, win);
        MPI_Win_unlock(k % size, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group everyone, to, from;
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Group_incl(everyone, 1, &right, &to);
    MPI_Group_incl(everyone, 1, &left, &from);
    for (int k = 0; k < 3; k++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(buffer, 64, MPI_DOUBLE, right, 0, 64, MPI_DOUBLE, win);
        MPI_Win_complete(win);
        if (k < 2) {
            MPI_Win_wait(win);
            continue;
        }
        for (int done = 0; !done;)
            MPI_Win_test(win, &done);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&everyone);
    MPI_Win_free(&win);
}

static void neighbours(void) {
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    MPI_Comm grid, graph;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    char in[4 * 100], out[4 * 100];
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (char)i;
    MPI_Neighbor_alltoall(out, 100, MPI_CHAR, in, 100, MPI_CHAR, grid);
    MPI_Neighbor_allgather(out, 100, MPI_CHAR, in, 100, MPI_CHAR, grid);
    MPI_Request request;
    MPI_Ineighbor_alltoall(out, 100, MPI_CHAR, in, 100, MPI_CHAR, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int counts[4] = {10, 10, 10, 10}, displacements[4] = {0, 100, 200, 300};
    MPI_Neighbor_alltoallv(out, counts, displacements, MPI_CHAR, in, counts, displacements,
                           MPI_CHAR, grid);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(out, 100, MPI_CHAR, in, 100, MPI_CHAR, graph);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&grid);
}

static void groups(void) {
    MPI_Comm half, between, merged, copy;
    int high = rank >= (size + 1) / 2;
    MPI_Comm_split(MPI_COMM_WORLD, high, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : (size + 1) / 2, 7, &between);
    int own, mine;
    MPI_Comm_size(between, &own); /* of the own group */
    MPI_Comm_rank(between, &mine);
    double *in = calloc(1000 * (size_t)size, 8), *out = calloc(1000 * (size_t)size, 8);
    int *counts = calloc((size_t)size, sizeof(int)),
        *displacements = calloc((size_t)size, sizeof(int));
    MPI_Barrier(between);
    int root = high ? 0 : mine == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(out, 100, MPI_DOUBLE, root, between);
    MPI_Reduce(out, in, 100, MPI_DOUBLE, MPI_SUM, root, between);
    MPI_Gather(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, root, between);
    MPI_Scatter(out, 400, MPI_DOUBLE, in, 400, MPI_DOUBLE, root, between);
    for (int i = 0; i < size; i++) {
        counts[i] = 5 + i;
        displacements[i] = 100 * i;
    }
    MPI_Gatherv(out, 5 + mine, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, root, between);
    MPI_Scatterv(out, counts, displacements, MPI_DOUBLE, in, 5 + mine, MPI_DOUBLE, root, between);
    MPI_Allreduce(out, in, 100, MPI_DOUBLE, MPI_SUM, between);
    MPI_Allgather(out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE, between);
    MPI_Allgatherv(out, 5 + mine, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, between);
    MPI_Alltoall(out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE, between);
    for (int i = 0; i < size; i++)
        counts[i] = 5;
    MPI_Alltoallv(out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE,
                  between);
    MPI_Reduce_scatter_block(out, in, high ? (size + 1) / 2 : size / 2, MPI_DOUBLE, MPI_SUM,
                             between);
    for (int i = 0; i < own; i++)
        counts[i] = i ? 0 : 60;
    MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, between);
    MPI_Request request;
    MPI_Iallreduce(out, in, 100, MPI_DOUBLE, MPI_SUM, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(between, &copy);
    MPI_Intercomm_merge(between, high, &merged);
    MPI_Barrier(merged);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    free(in);
    free(out);
    free(counts);
    free(displacements);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    windows();
    neighbours();
    groups();
    MPI_Finalize();
    return 0;
}
