/* MPI that is not linked but loaded by dlopen and called by pointers, as interpreters and
 * foreign-function interfaces do. argv[1]: the library; argv[2]: local, global, deep; argv[3]:
 * handle, default. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION(name)                                                                             \
    __typeof__(name) *p##name = (__typeof__(name) *)dlsym(handle, #name);                          \
    if (p##name == NULL) {                                                                         \
        printf("%s\n", dlerror());                                                                 \
        return 3;                                                                                  \
    }

int main(int argc, char **argv) {
    int mode = strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL
               : strcmp(argv[2], "deep") == 0 ? RTLD_LOCAL | RTLD_DEEPBIND
                                              : RTLD_LOCAL;
    void *handle = dlopen(argv[1], RTLD_NOW | mode);
    if (handle == NULL) {
        printf("%s\n", dlerror());
        return 2;
    }
    if (argc > 3 && strcmp(argv[3], "default") == 0)
        handle = RTLD_DEFAULT;
    FUNCTION(MPI_Init)
    FUNCTION(MPI_Comm_rank)
    FUNCTION(MPI_Send)
    FUNCTION(MPI_Recv)
    FUNCTION(MPI_Barrier)
    FUNCTION(MPI_Finalize)
#ifdef OPEN_MPI
    MPI_Comm world = (MPI_Comm)dlsym(handle, "ompi_mpi_comm_world");
    MPI_Datatype type = (MPI_Datatype)dlsym(handle, "ompi_mpi_byte");
#else
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Datatype type = MPI_BYTE;
#endif
    int rank = -1, wrong = 0;
    char bytes[100];
    pMPI_Init(NULL, NULL);
    pMPI_Comm_rank(world, &rank);
    for (int i = 0; i < 50; i++) {
        memset(bytes, rank == 0 ? i : 0, sizeof bytes);
        if (rank == 0)
            pMPI_Send(bytes, sizeof bytes, type, 1, i, world);
        else
            pMPI_Recv(bytes, sizeof bytes, type, 0, i, world, MPI_STATUS_IGNORE);
        wrong += bytes[99] != i;
    }
    pMPI_Barrier(world);
    printf("task %d: %s\n", rank, wrong == 0 ? "right" : "WRONG");
    fflush(stdout);
    pMPI_Finalize();
    return wrong != 0;
}
