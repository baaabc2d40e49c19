/* Libraries that wrap MPI, as tools and couplers do, compiled with one of: HALVES: each program
 * gets half of the tasks as its world; COUNTER: counts calls by the profiling interface, and prints
 * them at MPI_Finalize; NEXT: passes calls on to the next definition; LIBC: wraps functions of the
 * C library by dlsym(RTLD_NEXT). */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HALVES
static MPI_Comm half = MPI_COMM_NULL;
static MPI_Comm replace(MPI_Comm comm) {
    return comm == MPI_COMM_WORLD && half != MPI_COMM_NULL ? half : comm;
}
int MPI_Init(int *argc, char ***argv) {
    int rank, code = PMPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    return code;
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) {
    return PMPI_Comm_rank(replace(comm), rank);
}
int MPI_Comm_size(MPI_Comm comm, int *size) {
    return PMPI_Comm_size(replace(comm), size);
}
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    return PMPI_Allreduce(in, out, count, type, op, replace(comm));
}
int MPI_Sendrecv(const void *out, int outs, MPI_Datatype out_type, int to, int out_tag, void *in,
                 int ins, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status *status) {
    return PMPI_Sendrecv(out, outs, out_type, to, out_tag, in, ins, in_type, from, in_tag,
                         replace(comm), status);
}
int MPI_Barrier(MPI_Comm comm) {
    return PMPI_Barrier(replace(comm));
}
#endif

#ifdef COUNTER
static int sends, receives, waits, others;
int MPI_Isend(const void *out, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    sends++;
    return PMPI_Isend(out, count, type, to, tag, comm, request);
}
int MPI_Recv(void *in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status) {
    receives++;
    return PMPI_Recv(in, count, type, from, tag, comm, status);
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    waits++;
    return PMPI_Wait(request, status);
}
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    others++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}
int MPI_Finalize(void) {
    printf("counted: %d sends, %d receives, %d waits, %d reductions\n", sends, receives, waits,
           others);
    fflush(stdout);
    return PMPI_Finalize();
}
#endif

#ifdef NEXT
static int calls;
int MPI_Recv(void *in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status) {
    int (*next)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) =
        (int (*)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *))dlsym(RTLD_NEXT,
                                                                                    "MPI_Recv");
    calls++;
    return next(in, count, type, from, tag, comm, status);
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    int (*next)(MPI_Request *, MPI_Status *) =
        (int (*)(MPI_Request *, MPI_Status *))dlsym(RTLD_NEXT, "MPI_Wait");
    calls++;
    return next(request, status);
}
int MPI_Finalize(void) {
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
    printf("library %d: passed on %d calls\n", NEXT, calls);
    fflush(stdout);
    return next();
}
#endif

#ifdef LIBC
static int creations, forks;
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *data) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    Dl_info info;
    if (dladdr((void *)body, &info) != 0 && strstr(info.dli_fname, "/threads") != NULL)
        creations++;
    return next(thread, attributes, body, data);
}
pid_t fork(void) {
    pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    forks++;
    return next();
}
__attribute__((destructor)) static void report(void) {
    Dl_info info;
    char path[4096] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) > 0 &&
        (strstr(path, "/threads") != NULL || strstr(path, "/forks") != NULL)) {
        printf("wrapped: %d threads of the program, %d forks\n", creations, forks);
        fflush(stdout);
    }
    (void)info;
}
#endif
