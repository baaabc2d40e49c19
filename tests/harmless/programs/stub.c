/* A serial MPI in a shared library (STUB), as many packages bring one, and a serial program that
 * uses it (TOOL). Not linked with an MPI library. */
#include <stdio.h>

int MPI_Init(int *, char ***), MPI_Comm_rank(int, int *), MPI_Comm_size(int, int *),
    MPI_Barrier(int), MPI_Finalize(void);

#ifdef STUB
int MPI_Init(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return 0;
}
int MPI_Comm_rank(int comm, int *rank) {
    (void)comm;
    *rank = 0;
    return 0;
}
int MPI_Comm_size(int comm, int *size) {
    (void)comm;
    *size = 1;
    return 0;
}
int MPI_Barrier(int comm) {
    (void)comm;
    return 0;
}
int MPI_Finalize(void) {
    return 0;
}
#endif
#ifdef PROFILED
int PMPI_Init(int *argc, char ***argv) {
    return MPI_Init(argc, argv);
}
int PMPI_Finalize(void) {
    return MPI_Finalize();
}
#endif

#ifdef TOOL
int main(int argc, char **argv) {
    int rank = -1, size = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(0, &rank);
    MPI_Comm_size(0, &size);
    MPI_Barrier(0);
    printf("serial tool: rank %d of %d\n", rank, size);
    MPI_Finalize();
    return rank != 0 || size != 1;
}
#endif
