/* Weak references, by which programs and libraries find out whether MPI, threads or OpenMP are
 * there. Compiled with MPI (WITH_MPI) and without. */
#ifdef WITH_MPI
#include "harmless.h"
#else
#include <stdio.h>
#include <stdlib.h>
#endif
#include <dlfcn.h>

int MPI_Initialized(int *);
void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
int omp_get_num_threads(void);
int ucp_worker_progress(void *);
int opal_progress(void);
int ompi_mpi_abort(void *, int);
int MPIR_Err_return_comm(void *, const char *, int);
int VT_traceon(void);
int deflate(void *, int);
int yaml_parser_parse(void *, void *);
#pragma weak MPI_Initialized
#pragma weak GOMP_parallel
#pragma weak omp_get_num_threads
#pragma weak ucp_worker_progress
#pragma weak opal_progress
#pragma weak ompi_mpi_abort
#pragma weak MPIR_Err_return_comm
#pragma weak VT_traceon
#pragma weak deflate
#pragma weak yaml_parser_parse
#ifndef WITH_MPI
int MPI_Init(int *, char ***), PMPI_Init(int *, char ***), MPI_Finalize(void),
    MPI_Comm_rank(int, int *), MPI_Send_init(void);
#pragma weak MPI_Init
#pragma weak PMPI_Init
#pragma weak MPI_Finalize
#pragma weak MPI_Comm_rank
#pragma weak MPI_Send_init
#endif

#define SHOW(name) printf(#name " is %s\n", (void *)name != NULL ? "there" : "missing")

int main(int argc, char **argv) {
    int wrong = 0;
    SHOW(MPI_Initialized);
    SHOW(GOMP_parallel);
    SHOW(omp_get_num_threads);
    SHOW(VT_traceon);
    SHOW(deflate);
    SHOW(yaml_parser_parse);
    SHOW(ucp_worker_progress);
    SHOW(opal_progress);
    SHOW(ompi_mpi_abort);
    SHOW(MPIR_Err_return_comm);
#ifdef WITH_MPI
    wrong += MPI_Initialized == NULL;
    begin(&argc, &argv);
    int ready = 0;
    MPI_Initialized(&ready);
    check(ready, "a call by a weak reference");
    return finish() || wrong;
#else
    (void)argc;
    (void)argv;
    SHOW(MPI_Init);
    SHOW(PMPI_Init);
    SHOW(MPI_Finalize);
    SHOW(MPI_Comm_rank);
    SHOW(MPI_Send_init);
    wrong += MPI_Init != NULL || MPI_Initialized != NULL;
    if (MPI_Init != NULL) /* as libraries do that use MPI if there is one */
        MPI_Init(NULL, NULL);
    printf("dlsym: %s\n", dlsym(RTLD_DEFAULT, "MPI_Init") != NULL ? "there" : "missing");
    return wrong != 0;
#endif
}
