/* Memory of a recorder: CALLS calls (or as many as its argument says) of one task to itself and to
 * MPI_PROC_NULL, in messages of varying lengths and tags, with the resident size in KiB before
 * them, after a hundredth of them and after all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 50000000, DEPTH = 8, IN_A_ROUND = 2 * DEPTH + 4, LENGTH = 1024 };

static long resident_kib(void) {
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib;
}

static void rounds(long from, long until) {
    static char out[DEPTH][LENGTH], in[DEPTH][LENGTH];
    MPI_Request requests[2 * DEPTH];
    double one = 1, sum;
    int flag;
    for (long round = from; round < until; round++) {
        for (int i = 0; i < DEPTH; i++) {
            int tag = (int)(round * 7 + i) % 1000, length = (int)((round * 31 + i) % LENGTH);
            MPI_Irecv(in[i], LENGTH, MPI_CHAR, 0, tag, MPI_COMM_SELF, &requests[2 * i]);
            MPI_Isend(out[i], length, MPI_CHAR, 0, tag, MPI_COMM_SELF, &requests[2 * i + 1]);
        }
        MPI_Waitall(2 * DEPTH, requests, MPI_STATUSES_IGNORE);
        MPI_Send(out[0], (int)(round % LENGTH), MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    long count = (argc > 1 ? atol(argv[1]) : CALLS) / IN_A_ROUND;
    long before = resident_kib();
    rounds(0, count / 100);
    long early = resident_kib();
    rounds(count / 100, count);
    printf("%ld calls: resident %ld KiB before them, %ld after a hundredth, %ld after all\n",
           count * IN_A_ROUND, before, early, resident_kib());
    MPI_Finalize();
    return 0;
}
