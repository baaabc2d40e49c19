/* A plug-in for loading.c, compiled several times with other macros: PLAIN: without MPI; OPENMP:
 * with -fopenmp; CONSTRUCTOR: a constructor and a destructor that call MPI; MISSING: a function
 * that nobody defines; OPENS: opens libdeep.so by its bare name and by $ORIGIN; TLS: static
 * thread-local storage; DEEP: libdeep.so; GOMP: defines the entry of OpenMP itself, as other OpenMP
 * libraries do, with that number of "threads". */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if !defined PLAIN && !defined OPENMP && !defined DEEP && !defined GOMP
#include <mpi.h>
#endif

static int calls;
int plugin_calls(void) {
    return ++calls;
}

#ifdef OPENMP
long plugin_sum(long n) {
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 1; i <= n; i++)
        sum += i;
    return sum;
}
#elif defined GOMP
static int thread_number;
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
    (void)threads;
    (void)flags;
    for (thread_number = 0; thread_number < GOMP; thread_number++)
        body(data);
}
int omp_get_thread_num(void) {
    return thread_number;
}
int omp_get_num_threads(void) {
    return GOMP;
}
long plugin_sum(long n) {
    long sum = 0;
#pragma omp parallel
    sum += n;
    return sum;
}
#elif defined PLAIN || defined DEEP
long plugin_sum(long n) {
    return n * (n + 1) / 2;
}
#else
long plugin_sum_by(long n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    long sum = 0;
    MPI_Allreduce(&n, &sum, 1, type, op, comm);
    return sum;
}
long plugin_sum(long n) {
    return plugin_sum_by(n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}
void *plugin_send(void) {
    return (void *)MPI_Send;
}
#endif

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void construct(void) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("constructor: sum %d\n", sum);
    fflush(stdout);
}
__attribute__((destructor)) static void destruct(void) {
    int gone = 0;
    MPI_Finalized(&gone);
    if (!gone)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("destructor: MPI has %s\n", gone ? "ended" : "not ended");
    fflush(stdout);
}
#endif

#ifdef MISSING
void no_such_function_anywhere(void);
void plugin_missing(void) {
    no_such_function_anywhere();
}
#endif

#ifdef OPENS
/* The loader looks in the RUNPATH of the library that calls dlopen, and replaces $ORIGIN by its
 * folder. */
int plugin_opens(const char *name, char *why, size_t bytes) {
    void *library = dlopen(name, RTLD_NOW);
    if (library == NULL) {
        snprintf(why, bytes, "%s", dlerror());
        return 0;
    }
    long (*sum)(long) = (long (*)(long))dlsym(library, "plugin_sum");
    int right = sum != NULL && sum(10) == 55;
    dlclose(library);
    return right;
}
void *plugin_next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}
#endif

#ifdef TLS
__attribute__((tls_model("initial-exec"))) __thread char plugin_tls[TLS];
int plugin_store(int value) {
    memset(plugin_tls, value, sizeof plugin_tls);
    return plugin_tls[TLS - 1];
}
#endif
