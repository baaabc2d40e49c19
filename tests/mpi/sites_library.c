/* A library that calls MPI: see sites.c. */
#include <mpi.h>

void in_library(int me);
void in_library(int me) {
    int value = me;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); /* at bcast */
    __asm__ volatile("" ::: "memory");                /* not a tail call */
}
