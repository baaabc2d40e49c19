/* Calls of MPI from known places: tests/capture/test_sites.sh looks for lines with a comment
 * "at NAME". The function of sites_library.c is in a library. With an argument, task 0 waits for a
 * message that is never sent. */
#include <mpi.h>
#include <stdio.h>

void in_library(int me);

/* Twice in one line. */
#define REDUCE MPI_Reduce(&value, &least, 1, MPI_INT, MPI_MIN, 0, world)

static MPI_Comm world;
static MPI_Status *const none = MPI_STATUS_IGNORE;

static inline __attribute__((always_inline)) void exchange(int *value, int other) {
    MPI_Sendrecv_replace(value, 1, MPI_INT, other, 3, other, 3, world, none); /* at inlined */
}

static inline __attribute__((always_inline)) void relay(int *value, int other) {
    exchange(value, other); /* at relay */
}

static __attribute__((noinline)) void by_pointer(int (*barrier)(MPI_Comm)) {
    barrier(world);                    /* at pointer */
    __asm__ volatile("" ::: "memory"); /* so it is no tail call */
}

static __attribute__((noinline)) void hang(int me) {
    int value;
    if (me == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 99, world, none); /* at hang */
    else
        MPI_Barrier(world);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv) {
    int me, value = 1, sum, least;
    MPI_Init(&argc, &argv); /* at init */
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &me);
    for (int i = 0; i < 3; i++) {
        relay(&value, 1 - me);                                   /* at caller */
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world); /* at allreduce */
    }
    REDUCE, REDUCE; /* at twice */
    by_pointer(MPI_Barrier);
    in_library(me);
    if (argc > 1)
        hang(me);   /* at hung */
    MPI_Finalize(); /* at finalize */
    printf("%d\n", sum);
    return 0;
}
