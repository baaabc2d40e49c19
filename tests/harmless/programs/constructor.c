/* MPI that begins and ends outside main: in the constructor of a library (LIBRARY), of the program
 * (OWN), in a static object, in a preloaded library, or in an exit function (argv[1] "exit"). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined LIBRARY || defined OWN
__attribute__((constructor)) static void construct(void) {
    MPI_Init(NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}
__attribute__((destructor)) static void destruct(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
#endif

#ifdef LIBRARY
int constructor_library(void) {
    return 1;
}
#else
static void finalize(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    puts("finalized by an exit function");
}

int constructor_library(void);
int main(int argc, char **argv) {
    int rank, size, one = 1, sum = 0;
#ifdef LINKED
    constructor_library();
#elif !defined OWN
    MPI_Init(&argc, &argv);
#endif
    if (argc > 1 && strcmp(argv[1], "exit") == 0)
        atexit(finalize);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("task %d: sum %d\n", rank, sum);
    fflush(stdout);
    exit(sum != size);
}
#endif
