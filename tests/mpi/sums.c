/* Two recorded stretches, with thousands of unrecorded messages in between: blocking, started
 * and waited for, by wildcards, cancelled, to MPI_PROC_NULL. The length of message i of an
 * envelope identifies i, so that its bytes show a wrong match. A receive is posted before each
 * border and completed after it. */
#include <mpi.h>
#include <string.h>

enum { ROUNDS = 4000, FIRST = 50, LAST = 50, LONGEST = 97 };

static char out[LONGEST + 1], in[LONGEST + 1];
static int me, other;

static int length_of(int i) {
    return 1 + i % LONGEST;
}

/* Message i in both directions, in one of several ways. */
static void exchange(int i) {
    MPI_Request requests[4];
    MPI_Status status;
    int tag = i % 7;
    if (i % 3 == 0) {
        MPI_Sendrecv(out, length_of(i), MPI_CHAR, other, tag, in, LONGEST, MPI_CHAR, other, tag,
                     MPI_COMM_WORLD, &status);
    } else if (i % 3 == 1) {
        MPI_Irecv(in, LONGEST, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, length_of(i), MPI_CHAR, other, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(in, LONGEST, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Irecv(in, LONGEST, MPI_CHAR, other, 99, MPI_COMM_WORLD, &requests[3]);
        MPI_Cancel(&requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else if (me == 0) {
        MPI_Send(out, length_of(i), MPI_CHAR, other, tag, MPI_COMM_WORLD);
        MPI_Probe(other, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(in, LONGEST, MPI_CHAR, other, status.MPI_TAG, MPI_COMM_WORLD, &status);
    } else {
        MPI_Recv(in, LONGEST, MPI_CHAR, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, length_of(i), MPI_CHAR, other, tag, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    MPI_Request across;
    static char early[LONGEST + 1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    other = 1 - me;
    for (int i = 0; i < ROUNDS; i++) {
        if (i == FIRST || i == ROUNDS - LAST) {
            /* The tag of the exchanges beside it: this receive takes the message before theirs. */
            MPI_Irecv(early, LONGEST, MPI_CHAR, MPI_ANY_SOURCE, i % 7, MPI_COMM_WORLD, &across);
            MPI_Send(out, length_of(11 + i), MPI_CHAR, other, i % 7, MPI_COMM_WORLD);
            MPI_Pcontrol(i != FIRST);
            MPI_Wait(&across, MPI_STATUS_IGNORE);
        }
        exchange(i);
    }
    MPI_Finalize();
    return 0;
}
