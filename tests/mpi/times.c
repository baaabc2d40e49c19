/* In turn, each task makes a call that is only counted and computes for 100 ms (in its
 * callback), between two barriers; the same with a callback that sleeps for 300 ms, as if it had
 * no core; then 500 sends to MPI_PROC_NULL, each after some computation, whose CPU time in ns it
 * writes to $TMPDIR/times.TASK. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long compute_for(long long ns) {
    long long start = cpu_ns(), now = start;
    while (now < start + ns)
        now = cpu_ns();
    return now - start;
}

static int forget(MPI_Datatype type, int key, void *value, void *extra) {
    if (value == NULL)
        compute_for(100000000);
    else
        nanosleep(&(struct timespec){0, 300000000}, NULL);
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    int me, key;
    long long computed = 0;
    MPI_Datatype type;
    char path[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &key, NULL);
    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_set_attr(type, key, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_delete_attr(type, key);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_set_attr(type, key, &key);
    MPI_Type_delete_attr(type, key);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 500; i++) {
        computed += compute_for(10007 + 13 * i);
        MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, i, MPI_COMM_WORLD);
    }
    snprintf(path, sizeof path, "%s/times.%d", getenv("TMPDIR"), me);
    FILE *file = fopen(path, "w");
    fprintf(file, "%lld\n", computed);
    fclose(file);
    MPI_Finalize();
    return 0;
}
