/* Two tasks make every point-to-point call with distinct arguments;
 * tests/capture/test_point_to_point.c has the expected trace. Checks the received data, to show
 * that capture does not change them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int me;
static int numbers[64];

static void must(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "task %d: %s does not hold\n", me, what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}
#define MUST(condition) must(condition, #condition)

static const MPI_Comm world = MPI_COMM_WORLD;

static void blocking(void) {
    static char attached[4096];
    MPI_Datatype columns; /* 3 blocks of 2 doubles: 48 bytes */
    double grid[24] = {0};
    MPI_Status status;
    void *detached;
    int size, count;
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    if (me == 0) {
        MPI_Buffer_attach(attached, sizeof attached);
        MPI_Send(numbers, 3, MPI_INT, 1, 11, world);
        MPI_Bsend(grid, 1, MPI_DOUBLE, 1, 12, world);
        MPI_Ssend("five", 5, MPI_CHAR, 1, 13, world);
        MPI_Barrier(world);
        MPI_Rsend(numbers, 7, MPI_INT, 1, 14, world);
        MPI_Send(grid, 2, columns, 1, 15, world);
        MPI_Send(NULL, 0, MPI_INT, 1, 16, world);
        MPI_Send(numbers, 4, MPI_INT, MPI_PROC_NULL, 17, world);
        MPI_Recv(numbers, 4, MPI_INT, MPI_PROC_NULL, 17, world, &status);
        MUST(status.MPI_SOURCE == MPI_PROC_NULL);
        MPI_Buffer_detach(&detached, &size);
    } else {
        MPI_Request early;
        MPI_Recv(numbers, 10, MPI_INT, 0, 11, world, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MUST(count == 3 && status.MPI_SOURCE == 0 && status.MPI_TAG == 11);
        MPI_Recv(grid, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
        MPI_Recv(grid, 8, MPI_CHAR, MPI_ANY_SOURCE, 13, world, MPI_STATUS_IGNORE);
        MPI_Irecv(numbers, 7, MPI_INT, 0, MPI_ANY_TAG, world, &early);
        MPI_Barrier(world);
        MPI_Wait(&early, &status);
        MUST(early == MPI_REQUEST_NULL && status.MPI_TAG == 14);
        MPI_Recv(grid, 12, MPI_DOUBLE, 0, 15, world, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_INT, 0, 16, world, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&columns);
}

/* Task 0 sends 8 ints in the four modes; task 1's receives are complete when it waits. */
static void immediate(void) {
    static char attached[4096];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    void *detached;
    int size;
    if (me == 0) {
        MPI_Buffer_attach(attached, sizeof attached);
        MPI_Barrier(world);
        MPI_Isend(numbers, 1, MPI_INT, 1, 21, world, &requests[0]);
        MPI_Ibsend(numbers, 2, MPI_INT, 1, 22, world, &requests[1]);
        MPI_Issend(numbers, 3, MPI_INT, 1, 23, world, &requests[2]);
        MPI_Irsend(numbers, 4, MPI_INT, 1, 24, world, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Buffer_detach(&detached, &size);
    } else {
        for (int i = 0; i < 4; i++) /* in the opposite order of the sends */
            MPI_Irecv(numbers + 8 * i, 8, MPI_INT, MPI_ANY_SOURCE, 24 - i, world, &requests[i]);
        MPI_Barrier(world);
        MPI_Waitall(4, requests, statuses);
        MUST(statuses[3].MPI_TAG == 21 && statuses[0].MPI_TAG == 24);
    }
}

/* Each of the other completing calls once; task 0 sends all before task 1 looks. */
static void completing(void) {
    MPI_Request requests[6];
    int index, flag = 0, count, indices[6];
    if (me == 0) {
        for (int i = 0; i < 6; i++)
            MPI_Isend(numbers, i, MPI_INT, 1, 30 + i, world, &requests[i]);
        MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(world);
        return;
    }
    MPI_Barrier(world);
    for (int i = 0; i < 6; i++)
        MPI_Irecv(numbers, 8, MPI_INT, 0, 30 + i, world, &requests[i]);
    while (!flag)
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(1, &requests[1], &index, MPI_STATUS_IGNORE);
    MUST(index == 0);
    MPI_Waitsome(1, &requests[2], &count, indices, MPI_STATUSES_IGNORE);
    MUST(count == 1 && indices[0] == 0);
    for (flag = 0; !flag;)
        MPI_Testany(1, &requests[3], &index, &flag, MPI_STATUS_IGNORE);
    for (count = 0; count == 0;)
        MPI_Testsome(1, &requests[4], &count, indices, MPI_STATUSES_IGNORE);
    for (flag = 0; !flag;)
        MPI_Testall(2, &requests[4], &flag, MPI_STATUSES_IGNORE); /* the first is null by now */
    MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
    MUST(index == MPI_UNDEFINED);
}

static void persistent(void) {
    static char attached[4096];
    MPI_Request requests[4], idle;
    void *detached;
    int size;
    if (me == 0) {
        MPI_Buffer_attach(attached, sizeof attached);
        MPI_Send_init(numbers, 1, MPI_INT, 1, 41, world, &requests[0]);
        MPI_Bsend_init(numbers, 2, MPI_INT, 1, 42, world, &requests[1]);
        MPI_Ssend_init(numbers, 3, MPI_INT, 1, 43, world, &requests[2]);
        MPI_Rsend_init(numbers, 4, MPI_INT, 1, 44, world, &requests[3]);
    } else {
        for (int i = 0; i < 4; i++)
            MPI_Recv_init(numbers, 8, MPI_INT, 0, 41 + i, world, &requests[i]);
    }
    idle = requests[0];
    MPI_Wait(&idle, MPI_STATUS_IGNORE); /* inactive: completes nothing */
    if (me == 1)
        MPI_Startall(4, requests);
    MPI_Barrier(world);
    if (me == 0)
        MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[2]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    if (me == 0)
        MPI_Buffer_detach(&detached, &size);
}

static void both_ways(void) {
    MPI_Status status;
    MPI_Sendrecv(numbers, 1 + me, MPI_INT, 1 - me, 50 + me, numbers + 8, 8, MPI_INT, MPI_ANY_SOURCE,
                 51 - me, world, &status);
    MUST(status.MPI_SOURCE == 1 - me);
    MPI_Sendrecv_replace(numbers, 5, MPI_INT, 1 - me, 52, 1 - me, 52, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv(numbers, 1, MPI_INT, MPI_PROC_NULL, 53, numbers, 1, MPI_INT, MPI_PROC_NULL, 53,
                 world, MPI_STATUS_IGNORE);
}

static void probing(void) {
    MPI_Message taken, next;
    MPI_Request request;
    MPI_Status status;
    int flag;
    if (me == 0) {
        for (int i = 1; i <= 4; i++) /* 1 to 4 ints, all with the same tag */
            MPI_Send(numbers, i, MPI_INT, 1, 60, world);
        return;
    }
    for (int i = 0; i < 5; i++)
        MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); /* finds nothing */
    MPI_Probe(MPI_ANY_SOURCE, 60, world, &status);
    MUST(status.MPI_SOURCE == 0);
    for (flag = 0; !flag;)
        MPI_Iprobe(0, MPI_ANY_TAG, world, &flag, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 60, world, &taken, &status);            /* the first */
    MPI_Recv(numbers, 8, MPI_INT, 0, 60, world, &status); /* the second */
    MPI_Get_count(&status, MPI_INT, &flag);
    MUST(flag == 2);
    for (flag = 0; !flag;)
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &next,
                    MPI_STATUS_IGNORE);                             /* the third */
    MPI_Recv(numbers, 8, MPI_INT, 0, 60, world, MPI_STATUS_IGNORE); /* the fourth */
    MPI_Imrecv(numbers, 8, MPI_INT, &next, &request);
    MPI_Mrecv(numbers, 8, MPI_INT, &taken, &status);
    MPI_Get_count(&status, MPI_INT, &flag);
    MUST(flag == 1);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &flag);
    MUST(flag == 3);
}

static void ending_early(void) {
    MPI_Request request;
    MPI_Status status;
    int cancelled;
    MPI_Irecv(numbers, 8, MPI_INT, 1 - me, 71, world, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MUST(cancelled);
    if (me == 0) {
        MPI_Isend(numbers, 6, MPI_INT, 1, 72, world, &request);
        MPI_Request_free(&request);
    } else {
        MPI_Recv(numbers, 6, MPI_INT, 0, 72, world, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    blocking();
    immediate();
    completing();
    persistent();
    both_ways();
    probing();
    ending_early();
    MPI_Finalize();
    if (me == 0)
        puts("all received as sent");
    return 0;
}
