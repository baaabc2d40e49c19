/* How long MPI calls take: loops of tiny calls, and a ping-pong between two tasks. Task 0 prints
 * one line per loop: its name and the ns per MPI call, the median of several rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15, CALLS = 20000, DEPTH = 8 };

static int rank;
static char byte[DEPTH];

static void send_to_proc_null(void) {
    for (int i = 0; i < CALLS; i++)
        MPI_Send(byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF);
}

static void probe_self(void) {
    int flag;
    for (int i = 0; i < CALLS; i++)
        MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void exchange_with_self(void) {
    MPI_Request requests[2];
    for (int i = 0; i < CALLS / 3; i++) {
        MPI_Irecv(byte, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(byte + 1, 1, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void exchange_many_with_self(void) {
    MPI_Request requests[2 * DEPTH];
    for (int i = 0; i < CALLS / (2 * DEPTH + 1); i++) {
        for (int k = 0; k < DEPTH; k++) {
            MPI_Irecv(byte, 1, MPI_BYTE, 0, k, MPI_COMM_SELF, &requests[2 * k]);
            MPI_Isend(byte + 1, 1, MPI_BYTE, 0, k, MPI_COMM_SELF, &requests[2 * k + 1]);
        }
        MPI_Waitall(2 * DEPTH, requests, MPI_STATUSES_IGNORE);
    }
}

static void reduce_alone(void) {
    double in = 1, out;
    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void ping_pong(void) {
    for (int i = 0; i < CALLS / 2; i++) {
        if (rank == 0)
            MPI_Send(byte, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(byte, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(byte, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*loop)(void), int calls, int with_peer) {
    double ns[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        if (with_peer)
            MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        loop();
        ns[round] = (MPI_Wtime() - start) * 1e9 / calls;
    }
    qsort(ns, ROUNDS, sizeof *ns, ascending);
    if (rank == 0)
        printf("%s %.1f\n", name, ns[ROUNDS / 2]);
}

int main(int argc, char **argv) {
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        measure("Send-to-nobody", send_to_proc_null, CALLS, 0);
        measure("Iprobe-self", probe_self, CALLS, 0);
        measure("Irecv-Isend-Waitall", exchange_with_self, CALLS / 3 * 3, 0);
        measure("8-Irecv-8-Isend-Waitall", exchange_many_with_self,
                CALLS / (2 * DEPTH + 1) * (2 * DEPTH + 1), 0);
        measure("Allreduce-self", reduce_alone, CALLS, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (size == 2)
        measure("ping-pong", ping_pong, CALLS, 1);
    MPI_Finalize();
    return 0;
}
