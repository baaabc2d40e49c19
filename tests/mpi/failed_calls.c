/* Failed calls, after which the program continues: two tasks, errors returned.
 *
 * Messages of 44 bytes that exceed their receives, each followed by one of 4 bytes; a broadcast
 * with different lengths, so that task 1's part fails; frees of a communicator and of a window
 * that MPI refuses, after which both are used; a send, a probe and an Isend to an invalid rank,
 * whose errors a handler ignores. */
#include <mpi.h>
#include <stdio.h>

static int me;

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                          \
        }                                                                                          \
    } while (0)

static int class_of(int code) {
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

static void take_too_long(void) {
    char text[44] = "";
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Message message;
    if (me == 1) {
        for (int i = 0; i < 4; i++) {
            MPI_Send(text, 44, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
            MPI_Send(text, 4, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
        }
        return;
    }
    MUST(class_of(MPI_Recv(text, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) ==
         MPI_ERR_TRUNCATE);
    MUST(MPI_Recv(text, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Irecv(text, 10, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    MUST(class_of(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    MUST(MPI_Recv(text, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Irecv(text, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(text, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &requests[1]);
    MUST(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
    MPI_Mprobe(1, 5, MPI_COMM_WORLD, &message, &statuses[0]);
    MUST(class_of(MPI_Mrecv(text, 10, MPI_CHAR, &message, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    MUST(MPI_Recv(text, 10, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void collect(void) {
    int numbers[10] = {0}, sum = 0;
    const int result = MPI_Bcast(numbers, me == 0 ? 1 : 10, MPI_INT, 0, MPI_COMM_WORLD);
    MUST(me == 0 || result != MPI_SUCCESS);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MUST(sum == 1);
}

static void free_early(void) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Win window;
    MPI_Group everyone;
    int place = 0, got = 0;
    MUST(MPI_Comm_free(&world) != MPI_SUCCESS);
    MPI_Win_create(&place, sizeof place, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Win_post(everyone, 0, window);
    MPI_Win_start(everyone, 0, window);
    MPI_Get(&got, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, window);
    MUST(MPI_Win_free(&window) != MPI_SUCCESS);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MUST(MPI_Win_free(&window) == MPI_SUCCESS);
    MPI_Group_free(&everyone);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void take_back(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    *code = MPI_SUCCESS;
}

static void name_wrong_ranks(void) {
    MPI_Errhandler handler;
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 1;
    MPI_Comm_create_errhandler(take_back, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&flag, 1, MPI_INT, 2, 6, MPI_COMM_WORLD);
    MPI_Isend(&flag, 1, MPI_INT, 5, 6, MPI_COMM_WORLD, &request);
    MPI_Iprobe(2, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    take_too_long();
    collect();
    name_wrong_ranks();
    free_early();
    MPI_Finalize();
    return 0;
}
