/* Small programs by number, for 4 tasks: what the formats of other tools say least clearly of. The
 * messages and bytes of each are those of a capture, whatever tool traces it
 * (tests/cli/test_agreement.sh). */
#include <mpi.h>
#include <stdlib.h>

enum { MOST = 64, WORDS = 1000 };

static int me, size;
static int *data, *other;                                     /* of WORDS for each task */
static int equal[MOST], parts[MOST], pairs[MOST], left[MOST]; /* counts */
static int places[MOST], bytes[MOST];                         /* displacements */

static void spin(double seconds) {
    const double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < seconds)
        ;
}

static void in_place(MPI_Comm comm) {
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, WORDS, MPI_INT, comm);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, equal, places, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, WORDS, MPI_INT, comm);
    MPI_Alltoallv(MPI_IN_PLACE, equal, places, MPI_CHAR, data, equal, places, MPI_INT, comm);
    MPI_Allreduce(MPI_IN_PLACE, data, WORDS, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter(MPI_IN_PLACE, data, equal, MPI_INT, MPI_SUM, comm);
}

/* Parts differ, and the last is empty. */
static void unequal(MPI_Comm comm) {
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, parts, places, MPI_INT, comm);
    MPI_Alltoallv(MPI_IN_PLACE, equal, places, MPI_CHAR, data, pairs, places, MPI_INT, comm);
    MPI_Alltoallv(data, parts, places, MPI_INT, other,
                  (int[]){parts[me], parts[me], parts[me], parts[me]}, places, MPI_INT, comm);
    for (int root = 0; root < size; root++) {
        if (me == root)
            MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, data, parts, places, MPI_INT, root, comm);
        else
            MPI_Gatherv(data, parts[me], MPI_INT, NULL, parts, places, MPI_INT, root, comm);
        MPI_Scatterv(data, parts, places, MPI_INT, me == root ? MPI_IN_PLACE : other, parts[me],
                     MPI_INT, root, comm);
    }
}

/* Send arguments, which MPI ignores, are left from an earlier call. */
static void left_over(MPI_Comm comm) {
    MPI_Datatype words[MOST], chars[MOST];
    for (int i = 0; i < size; i++) {
        words[i] = MPI_INT;
        chars[i] = MPI_CHAR;
    }
    MPI_Allgather(MPI_IN_PLACE, 77, MPI_CHAR, data, WORDS, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, 77, MPI_CHAR, data, WORDS, MPI_INT, comm);
    MPI_Alltoallv(MPI_IN_PLACE, left, places, MPI_CHAR, data, pairs, places, MPI_INT, comm);
    MPI_Alltoallw(MPI_IN_PLACE, left, bytes, chars, data, pairs, bytes, words, comm);
    MPI_Gather(me ? data : MPI_IN_PLACE, me ? WORDS : 77, me ? MPI_INT : MPI_CHAR, data, WORDS,
               MPI_INT, 0, comm);
}

/* A ring, and calls in place, within the even and the odd tasks, in reversed order. */
static void parts_of_world(MPI_Comm comm) {
    MPI_Comm part;
    int rank, count;
    MPI_Comm_split(comm, me % 2, -me, &part);
    MPI_Comm_rank(part, &rank);
    MPI_Comm_size(part, &count);
    for (int i = 0; i < 3; i++) {
        MPI_Send(data, WORDS, MPI_INT, (rank + 1) % count, i, part);
        MPI_Recv(other, WORDS, MPI_INT, (rank + count - 1) % count, i, part, MPI_STATUS_IGNORE);
    }
    in_place(part);
    MPI_Comm_free(&part);
}

/* Task 0 serves whoever asks first; the number of the task is in the message. */
static void any_source(MPI_Comm comm) {
    int task = me;
    for (int i = 0; i < 10 * (size - 1) && me == 0; i++) {
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
        spin(0.0002);
        MPI_Send(data, 10, MPI_INT, task, 2, comm);
    }
    for (int i = 0; i < 10 && me > 0; i++) {
        spin(0.001);
        MPI_Send(&task, 1, MPI_INT, 0, 1, comm);
        MPI_Recv(data, 10, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
    }
}

/* A line of tasks, with MPI_PROC_NULL at its ends. */
static void line(MPI_Comm comm) {
    const int up = me + 1 < size ? me + 1 : MPI_PROC_NULL, down = me > 0 ? me - 1 : MPI_PROC_NULL;
    for (int i = 0; i < 5; i++) {
        MPI_Send(data, WORDS, MPI_INT, up, 1, comm);
        MPI_Recv(other, WORDS, MPI_INT, down, 1, comm, MPI_STATUS_IGNORE);
        MPI_Ssend(data, 5, MPI_INT, down, 1, comm);
        MPI_Recv(other, 5, MPI_INT, up, 1, comm, MPI_STATUS_IGNORE);
    }
}

/* Messages to both sides at once. */
static void shifts(MPI_Comm comm) {
    const int up = me + 1 < size ? me + 1 : MPI_PROC_NULL, down = me > 0 ? me - 1 : MPI_PROC_NULL;
    for (int i = 0; i < 5; i++) {
        MPI_Sendrecv(data, WORDS, MPI_INT, up, 1, other, WORDS, MPI_INT, down, 1, comm,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(data, 10, MPI_INT, (me + 1) % size, 2, (me + size - 1) % size, 2, comm,
                             MPI_STATUS_IGNORE);
    }
}

/* The even against the odd tasks, beside calls on the world. */
static void between(MPI_Comm comm) {
    MPI_Comm part, across;
    const int root = me == 0 ? MPI_ROOT : me % 2 == 0 ? MPI_PROC_NULL : 0;
    MPI_Comm_split(comm, me % 2, me, &part);
    MPI_Intercomm_create(part, 0, comm, 1 - me % 2, 9, &across);
    MPI_Bcast(data, WORDS, MPI_INT, root, across);
    MPI_Allgather(data, WORDS, MPI_INT, other, WORDS, MPI_INT, across);
    MPI_Gather(data, WORDS, MPI_INT, other, WORDS, MPI_INT, root, across);
    MPI_Barrier(across);
    if (me % 2 == 0)
        MPI_Send(data, WORDS, MPI_INT, me / 2, 3, across);
    else
        MPI_Recv(data, WORDS, MPI_INT, me / 2, 3, across, MPI_STATUS_IGNORE);
    MPI_Comm_free(&across);
    in_place(comm);
}

/* 10 rows of 3 of 7 words, sent as a vector and received as words. */
static void datatypes(MPI_Comm comm) {
    MPI_Datatype rows, block;
    MPI_Type_vector(10, 3, 7, MPI_INT, &rows);
    MPI_Type_contiguous(3, MPI_INT, &block);
    MPI_Type_commit(&rows);
    MPI_Type_commit(&block);
    MPI_Send(data, 2, rows, (me + 1) % size, 1, comm);
    MPI_Recv(other, 60, MPI_INT, (me + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
    MPI_Gather(data, 1, rows, other, 10, block, 1, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 10, block, comm);
    MPI_Alltoall(data, 10, block, other, 30, MPI_INT, comm);
    MPI_Bcast(data, 1, rows, 2, comm);
    MPI_Type_free(&rows);
    MPI_Type_free(&block);
}

/* Every root, in place and not. */
static void roots(MPI_Comm comm) {
    for (int root = 0; root < size; root++) {
        const int here = me == root;
        MPI_Bcast(data, WORDS, MPI_INT, root, comm);
        MPI_Reduce(data, other, WORDS, MPI_INT, MPI_SUM, root, comm);
        MPI_Gather(here ? MPI_IN_PLACE : data, WORDS, MPI_INT, data, WORDS, MPI_INT, root, comm);
        MPI_Scatter(data, WORDS, MPI_INT, here ? MPI_IN_PLACE : other, WORDS, MPI_INT, root, comm);
        MPI_Gather(data, WORDS, MPI_INT, other, WORDS, MPI_INT, root, comm);
    }
    MPI_Reduce(me ? data : MPI_IN_PLACE, data, WORDS, MPI_INT, MPI_SUM, 0, comm);
    MPI_Reduce_scatter(data, other, parts, MPI_INT, MPI_SUM, comm);
}

/* Receives from any source with requests, whose statuses are ignored, and persistent ones. */
static void requests(MPI_Comm comm) {
    MPI_Request list[2 * MOST];
    for (int i = 0; i < 5; i++) {
        int count = 0;
        for (int k = 0; k < size; k++) {
            MPI_Irecv(other + k * WORDS, WORDS, MPI_INT, MPI_ANY_SOURCE, i, comm, &list[count++]);
            MPI_Isend(data, 10 + me, MPI_INT, k, i, comm, &list[count++]);
        }
        MPI_Waitall(count, list, MPI_STATUSES_IGNORE);
    }
    MPI_Send_init(data, 10, MPI_INT, (me + 1) % size, 9, comm, &list[0]);
    MPI_Recv_init(other, 10, MPI_INT, MPI_ANY_SOURCE, 9, comm, &list[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, list);
        MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&list[0]);
    MPI_Request_free(&list[1]);
}

int main(int count, char **words) {
    static void (*const programs[])(MPI_Comm) = {in_place,   unequal, left_over, parts_of_world,
                                                 any_source, line,    shifts,    between,
                                                 datatypes,  roots,   requests};
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    data = calloc(2 * WORDS * MOST, sizeof *data);
    other = data + WORDS * MOST;
    for (int i = 0; i < size; i++) {
        equal[i] = WORDS;
        parts[i] = 100 * (size - 1 - i);
        pairs[i] = 10 + 10 * ((me + i) % 3);
        left[i] = 77;
        places[i] = WORDS * i;
        bytes[i] = (int)sizeof *data * WORDS * i;
    }
    programs[count > 1 ? atoi(words[1]) : 0](MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
