/* Two tasks, argv[1] rounds of everything that a ring must match: tags and communicators in
 * changing order, distinct lengths, receives that complete late and in another order, wildcards,
 * matched probes, persistent requests, collectives in between. One task makes more calls than
 * the other. No call depends on time. */
#include <mpi.h>
#include <stdlib.h>

enum { LATE = 5, MOST = 1 << 10 };
static char out[MOST], in[LATE + 2][MOST];

static unsigned mix(unsigned round, unsigned what) {
    unsigned x = round * 2654435761u + what * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

int main(int argc, char **argv) {
    int me, rounds = atoi(argv[1]), other;
    MPI_Comm comms[3], split;
    MPI_Request late[LATE], kept, always;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    other = 1 - me;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &split); /* ranks the other way round */
    comms[2] = split;
    MPI_Recv_init(in[LATE], MOST, MPI_CHAR, other, 77, MPI_COMM_WORLD, &always);
    MPI_Irecv(in[LATE + 1], MOST, MPI_CHAR, MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &kept);
    for (int i = 0; i < LATE; i++)
        late[i] = MPI_REQUEST_NULL;
    for (int round = 0; round < rounds; round++) {
        MPI_Comm comm = comms[mix(round, 1) % 3];
        int peer = comm == split ? me : other, tag = mix(round, 2) % 5;
        int length = mix(round, 3 + me) % MOST, slot = mix(round, 9) % LATE;
        MPI_Request send;
        MPI_Wait(&late[slot], MPI_STATUS_IGNORE); /* of some earlier round */
        if (mix(round, 5) % 2)
            MPI_Irecv(in[slot], MOST, MPI_CHAR, peer, tag, comm, &late[slot]);
        else
            MPI_Irecv(in[slot], MOST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &late[slot]);
        MPI_Isend(out, length, MPI_CHAR, peer, tag, comm, &send);
        if (mix(round, 6) % 4 == 0) {
            MPI_Message message;
            MPI_Status status;
            MPI_Sendrecv(out, length / 2, MPI_CHAR, other, 50, in[LATE + 1], MOST, MPI_CHAR, other,
                         50, comms[1], MPI_STATUS_IGNORE);
            MPI_Start(&always);
            MPI_Send(out, length / 3, MPI_CHAR, other, 77, MPI_COMM_WORLD);
            MPI_Wait(&always, MPI_STATUS_IGNORE);
            MPI_Bsend(out, 0, MPI_CHAR, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
            MPI_Request matched;
            MPI_Isend(out, length / 5, MPI_CHAR, other, 60, comms[1], &matched);
            MPI_Mprobe(other, 60, comms[1], &message, &status);
            MPI_Mrecv(in[LATE + 1], MOST, MPI_CHAR, &message, MPI_STATUS_IGNORE);
            MPI_Wait(&matched, MPI_STATUS_IGNORE);
        }
        for (int extra = 0; me == 1 && extra < 3; extra++) /* so that the logs fill unevenly */
            MPI_Send(out, length, MPI_CHAR, MPI_PROC_NULL, round % 1000, MPI_COMM_WORLD);
        if (mix(round, 7) % 16 == 0)
            MPI_Bcast(out, (int)(mix(round, 8) % 100), MPI_CHAR, round % 2, comms[1]);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(LATE, late, MPI_STATUSES_IGNORE);
    MPI_Send(out, 123, MPI_CHAR, other, 999, MPI_COMM_WORLD);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Request_free(&always);
    MPI_Comm_free(&split);
    MPI_Finalize();
    return 0;
}
