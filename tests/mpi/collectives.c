/* Three tasks make every blocking collective with distinct arguments;
 * tests/capture/test_collectives.c has the expected trace. */
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 3 };

static int me;
static int in[64], out[64];
static double real_in[64], real_out[64];
static const MPI_Comm world = MPI_COMM_WORLD;

/* Keeps what is in place: the left operand. Associative, but does not commute. */
static void left(void *a, void *b, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)b)[i] = ((int *)a)[i];
}

static void reductions(void) {
    MPI_Op leftmost;
    int counts[] = {1, 2, 3};
    MPI_Op_create(left, 0, &leftmost);
    MPI_Reduce(real_in, real_out, 6, MPI_DOUBLE, MPI_SUM, 2, world);
    MPI_Reduce(me == 0 ? MPI_IN_PLACE : real_in, real_out, 2, MPI_DOUBLE, MPI_SUM, 0, world);
    MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_INT, MPI_MAX, world);
    in[0] = me + 7;
    MPI_Allreduce(in, out, 2, MPI_INT, leftmost, world);
    if (out[0] != 7)
        MPI_Abort(world, 3);
    MPI_Scan(in, out, 4, MPI_INT, MPI_SUM, world);
    MPI_Exscan(MPI_IN_PLACE, out, 5, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(in, out, 4, MPI_INT, MPI_SUM, world);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Op_free(&leftmost);
}

static void gathers(void) {
    int growing[] = {1, 2, 3}, mixed[] = {3, 1, 2}, places[] = {0, 8, 16};
    MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, 1, world);
    MPI_Gather(me == 0 ? MPI_IN_PLACE : real_in, 1, MPI_DOUBLE, real_out, 1, MPI_DOUBLE, 0, world);
    MPI_Gatherv(in, me + 1, MPI_INT, out, growing, places, MPI_INT, 2, world);
    MPI_Gatherv(me == 0 ? MPI_IN_PLACE : in, mixed[me], MPI_INT, out, mixed, places, MPI_INT, 0,
                world);
    MPI_Scatter(in, 3, MPI_INT, out, 3, MPI_INT, 0, world);
    MPI_Scatter(in, 1, MPI_INT, me == 2 ? MPI_IN_PLACE : out, 1, MPI_INT, 2, world);
    MPI_Scatterv(real_in, growing, places, MPI_DOUBLE, real_out, me + 1, MPI_DOUBLE, 1, world);
    MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, real_out, 1, MPI_DOUBLE, world);
    MPI_Allgatherv(in, mixed[me], MPI_INT, out, mixed, places, MPI_INT, world);
}

static void exchanges(void) {
    MPI_Datatype types[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE}, mine[TASKS];
    int to[TASKS], from[TASKS], same[TASKS], rising[] = {1, 2, 3}, alike[TASKS];
    int places[] = {0, 8, 16}, byte_places[] = {0, 32, 64};
    for (int j = 0; j < TASKS; j++) {
        to[j] = me + 2 * j;
        from[j] = j + 2 * me;
        same[j] = me + j + 1;
        mine[j] = types[me];
        alike[j] = me + 1;
    }
    MPI_Alltoall(real_in, 2, MPI_DOUBLE, real_out, 2, MPI_DOUBLE, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 1, MPI_INT, world);
    MPI_Alltoallv(in, to, places, MPI_INT, out, from, places, MPI_INT, world);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, same, places, MPI_INT, world);
    MPI_Alltoallw(in, rising, byte_places, types, out, alike, byte_places, mine, world);
    MPI_Alltoall(in, 0, MPI_INT, out, 0, MPI_INT, world);
}

int main(int argc, char **argv) {
    MPI_Datatype columns; /* 3 blocks of 2 doubles: 48 bytes */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    MPI_Barrier(world);
    MPI_Bcast(in, 5, MPI_INT, 1, world);
    MPI_Bcast(real_in, 2, columns, 0, world);
    MPI_Bcast(NULL, 0, MPI_INT, 2, world);
    reductions();
    gathers();
    exchanges();
    MPI_Type_free(&columns);
    MPI_Finalize();
    return 0;
}
