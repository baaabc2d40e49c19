/* Task 0 probes messages of task 1 whose receives may be missing in the trace.
 *
 *     unreceived ROUNDS
 *
 * In each round task 1 sends task 0 one message per kind of probe. Task 0 receives it at once,
 * with recording off, or at the end by a receive for any tag. */
#include <mpi.h>
#include <stdlib.h>

enum { WAYS = 6, LARGE = 40000 };

static int buffer[LARGE];

static void probe(int source, int tag, int blocking, MPI_Status *status) {
    int found = 0;
    if (blocking)
        MPI_Probe(source, tag, MPI_COMM_WORLD, status);
    else
        while (!found)
            MPI_Iprobe(source, tag, MPI_COMM_WORLD, &found, status);
}

static void receive(int source, int tag) {
    MPI_Recv(buffer, LARGE, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Sees a message, matched or not, and receives it. */
static void take(int way, int tag) {
    MPI_Status status;
    MPI_Message message;
    int found = 0;
    switch (way) {
    case 0: /* received at once, maybe by a call that is left out */
        probe(MPI_ANY_SOURCE, tag, 1, &status);
        receive(status.MPI_SOURCE, tag);
        break;
    case 1: /* received while nothing is recorded */
        probe(1, tag, 0, &status);
        probe(1, tag, 1, &status);
        MPI_Pcontrol(0);
        receive(1, tag);
        MPI_Pcontrol(1);
        break;
    case 2: /* seen while nothing is recorded too */
        probe(1, tag, 1, &status);
        MPI_Pcontrol(0);
        probe(1, tag, 1, &status);
        receive(1, tag);
        MPI_Pcontrol(1);
        break;
    case 3:
        MPI_Mprobe(1, tag, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(buffer, LARGE, MPI_INT, &message, &status);
        break;
    case 4:
        while (!found)
            MPI_Improbe(1, tag, MPI_COMM_WORLD, &found, &message, &status);
        MPI_Pcontrol(0);
        MPI_Mrecv(buffer, LARGE, MPI_INT, &message, &status);
        MPI_Pcontrol(1);
        break;
    default: /* received at the end */
        probe(1, tag, 0, &status);
    }
}

int main(int argc, char **argv) {
    int me, rounds = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int round = 0; round < rounds; round++)
        for (int way = 0; way < WAYS; way++) {
            const int tag = round * WAYS + way, large = way < WAYS - 1 && round % 2;
            if (me == 0)
                take(way, tag);
            else if (me == 1)
                MPI_Send(buffer, large ? LARGE : 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    MPI_Pcontrol(0);
    for (int round = 0; round < rounds && me == 0; round++)
        receive(1, MPI_ANY_TAG);
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}
