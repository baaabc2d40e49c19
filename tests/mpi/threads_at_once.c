/* Threads that call MPI concurrently in every way that could confuse a recorder. Each counts its
 * calls, and task t writes the counts to $TMPDIR/threads_at_once.t, as lines "THREAD CALL TIMES". A
 * thread's first call is a send to MPI_PROC_NULL with its number as tag.
 *
 * Each of THREADS threads runs ROUNDS rounds with the same thread of other tasks: it sends to
 * the next task and receives from the previous one. Messages of one sender, tag and communicator
 * differ in length. Some requests are handed to the neighbour thread, which waits for them in
 * another variable. Then SHORT_LIVES threads each make a few calls, four threads at a time. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS 40
#endif
enum { THREADS = 4, SHORT_LIVES = 400, AT_ONCE = 4, DEPTH = 4, LENGTH = 4096 };

#define CALLS(row)                                                                                 \
    row(Send) row(Isend) row(Issend) row(Recv) row(Irecv) row(Sendrecv) row(Wait) row(Waitall)     \
        row(Waitany) row(Waitsome) row(Test) row(Testall) row(Iprobe) row(Mprobe) row(Mrecv)       \
            row(Allreduce) row(Barrier) row(Send_init) row(Start) row(Request_free)
#define ROW(name) COUNT_##name,
enum { CALLS(ROW) CALL_COUNT };
#undef ROW
#define ROW(name) #name,
static const char *const names[] = {CALLS(ROW)};
#undef ROW

typedef struct self {
    int number;
    uint64_t counts[CALL_COUNT];
    char out[DEPTH][LENGTH], in[DEPTH][LENGTH];
} self;

/* One place for a pair of requests that one thread hands to another. */
typedef struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    MPI_Request requests[2];
} mailbox;

static int me, tasks, next_task, task_before;
static MPI_Comm own[THREADS]; /* of the threads of one number */
static mailbox boxes[THREADS];
static pthread_barrier_t all_here;

#define CALL(name, ...) (by->counts[COUNT_##name]++, MPI_##name(__VA_ARGS__))
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                          \
        }                                                                                          \
    } while (0)

/* Of the i-th message of a thread: no two that could be taken for each other are alike. */
static int length_of(int i) {
    return 1 + i % (LENGTH - 1);
}

static void one_of_each(self *by, int round) {
    int tag = by->number, length = length_of(round), got;
    MPI_Request request;
    MPI_Status status;
    CALL(Irecv, by->in[0], LENGTH, MPI_CHAR, task_before, tag, MPI_COMM_WORLD, &request);
    CALL(Send, by->out[0], length, MPI_CHAR, next_task, tag, MPI_COMM_WORLD);
    CALL(Wait, &request, &status);
    MPI_Get_count(&status, MPI_CHAR, &got);
    MUST(got == length);
    CALL(Isend, by->out[0], length, MPI_CHAR, next_task, 100 + tag, MPI_COMM_WORLD, &request);
    CALL(Recv, by->in[0], LENGTH, MPI_CHAR, MPI_ANY_SOURCE, 100 + tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &got);
    MUST(got == length && status.MPI_SOURCE == task_before);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Sendrecv, by->out[0], length, MPI_CHAR, next_task, 200 + tag, by->in[0], LENGTH, MPI_CHAR,
         task_before, MPI_ANY_TAG, own[by->number], MPI_STATUS_IGNORE);
}

/* Many requests, completed in different ways, and tests that find nothing yet. */
static void many(self *by, int round) {
    MPI_Request requests[2 * DEPTH];
    int flag = 0, left = 2 * DEPTH, some, indices[2 * DEPTH], tag = by->number;
    for (int i = 0; i < DEPTH; i++)
        CALL(Irecv, by->in[i], LENGTH, MPI_CHAR, task_before, 300 + tag, MPI_COMM_WORLD,
             &requests[i]);
    for (int i = 0; i < DEPTH; i++) {
        int length = length_of(DEPTH * round + i);
        if (i % 2 == 0)
            CALL(Isend, by->out[i], length, MPI_CHAR, next_task, 300 + tag, MPI_COMM_WORLD,
                 &requests[DEPTH + i]);
        else
            CALL(Issend, by->out[i], length, MPI_CHAR, next_task, 300 + tag, MPI_COMM_WORLD,
                 &requests[DEPTH + i]);
    }
    switch (round % 4) {
    case 0:
        CALL(Waitall, 2 * DEPTH, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        while (!flag)
            CALL(Testall, 2 * DEPTH, requests, &flag, MPI_STATUSES_IGNORE);
        break;
    case 2:
        for (; left > 0; left--)
            CALL(Waitany, 2 * DEPTH, requests, &some, MPI_STATUS_IGNORE);
        break;
    default:
        for (; left > 0; left -= some)
            CALL(Waitsome, 2 * DEPTH, requests, &some, indices, MPI_STATUSES_IGNORE);
    }
}

static void probe(self *by, int round) {
    int flag = 0, got, tag = by->number, length = length_of(round);
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    CALL(Isend, by->out[0], length, MPI_CHAR, next_task, 400 + tag, MPI_COMM_WORLD, &request);
    while (!flag)
        CALL(Iprobe, MPI_ANY_SOURCE, 400 + tag, MPI_COMM_WORLD, &flag, &status);
    CALL(Mprobe, MPI_ANY_SOURCE, 400 + tag, MPI_COMM_WORLD, &message, &status);
    CALL(Mrecv, by->in[0], LENGTH, MPI_CHAR, &message, &status);
    MPI_Get_count(&status, MPI_CHAR, &got);
    MUST(got == length);
    for (flag = 0; !flag;)
        CALL(Test, &request, &flag, MPI_STATUS_IGNORE);
}

static void put_into(mailbox *box, const MPI_Request *requests) {
    pthread_mutex_lock(&box->lock);
    while (box->full)
        pthread_cond_wait(&box->changed, &box->lock);
    box->requests[0] = requests[0];
    box->requests[1] = requests[1];
    box->full = 1;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

static void take_out(mailbox *box, MPI_Request *requests) {
    pthread_mutex_lock(&box->lock);
    while (!box->full)
        pthread_cond_wait(&box->changed, &box->lock);
    requests[0] = box->requests[0];
    requests[1] = box->requests[1];
    box->full = 0;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

/* Started here, completed by the neighbour thread, in another variable. */
static void hand_on(self *by, int round) {
    MPI_Request mine[2], theirs[2];
    int tag = by->number;
    CALL(Irecv, by->in[1], LENGTH, MPI_CHAR, task_before, 500 + tag, MPI_COMM_WORLD, &mine[0]);
    CALL(Isend, by->out[1], length_of(round), MPI_CHAR, next_task, 500 + tag, MPI_COMM_WORLD,
         &mine[1]);
    put_into(&boxes[by->number ^ 1], mine);
    take_out(&boxes[by->number], theirs);
    CALL(Wait, &theirs[1], MPI_STATUS_IGNORE);
    CALL(Wait, &theirs[0], MPI_STATUS_IGNORE);
}

static void together(self *by, int round) {
    double in[8] = {1}, out[8];
    CALL(Allreduce, in, out, 1 + round % 8, MPI_DOUBLE, MPI_SUM, own[by->number]);
    if (round % 8 == 0)
        CALL(Barrier, own[by->number]);
}

static void *work(void *argument) {
    self *by = argument;
    CALL(Send, NULL, 0, MPI_CHAR, MPI_PROC_NULL, by->number, MPI_COMM_WORLD);
    pthread_barrier_wait(&all_here);
    for (int round = 0; round < ROUNDS; round++) {
        one_of_each(by, round);
        many(by, round);
        probe(by, round);
        hand_on(by, round);
        together(by, round);
    }
    pthread_barrier_wait(&all_here);
    return NULL;
}

/* A persistent send to itself, and gone. */
static void *live_shortly(void *argument) {
    self *by = argument;
    MPI_Request request;
    int got = -1;
    CALL(Send_init, &by->number, 1, MPI_INT, me, 1000 + by->number, MPI_COMM_WORLD, &request);
    CALL(Start, &request);
    CALL(Recv, &got, 1, MPI_INT, me, 1000 + by->number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MUST(got == by->number);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    CALL(Request_free, &request);
    return NULL;
}

static void leave_counts(const self *shared, const uint64_t *short_lives) {
    char path[4096];
    snprintf(path, sizeof path, "%s/threads_at_once.%d", getenv("TMPDIR"), me);
    FILE *file = fopen(path, "w");
    MUST(file != NULL);
    for (int thread = 0; thread < THREADS; thread++)
        for (int call = 0; call < CALL_COUNT; call++)
            if (shared[thread].counts[call] > 0)
                fprintf(file, "%d %s %llu\n", thread, names[call],
                        (unsigned long long)shared[thread].counts[call]);
    for (int call = 0; call < CALL_COUNT; call++)
        if (short_lives[call] > 0)
            fprintf(file, "-1 %s %llu\n", names[call], (unsigned long long)short_lives[call]);
    fclose(file);
}

int main(int argc, char **argv) {
    static self shared[THREADS], lives[AT_ONCE];
    uint64_t short_lives[CALL_COUNT] = {0};
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MUST(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    next_task = (me + 1) % tasks;
    task_before = (me + tasks - 1) % tasks;
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
        pthread_mutex_init(&boxes[i].lock, NULL);
        pthread_cond_init(&boxes[i].changed, NULL);
        shared[i].number = i;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &shared[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int made = 0; made < SHORT_LIVES; made += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) {
            lives[i].number = made + i;
            pthread_create(&threads[i], NULL, live_shortly, &lives[i]);
        }
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < AT_ONCE; i++)
        for (int call = 0; call < CALL_COUNT; call++)
            short_lives[call] += lives[i].counts[call];
    leave_counts(shared, short_lives);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    MPI_Finalize();
    return 0;
}
