/* A random legal MPI program of several threads per task (MPI_THREAD_MULTIPLE).
 *
 *     random_threads SEED STEPS FILL SHARED [TASK CALL]
 *
 * All tasks have the same number of threads. Thread t of each task belongs to lane t: a lane has
 * its own communicator, its own tags on the world, and a schedule of STEPS steps that its threads
 * draw from SEED. It is deadlock-free by construction: a step blocks only for threads of the same
 * lane in the same step. Later completions are made by any thread that finds the request complete,
 * and at the end by the first one. So calls of different lanes, including collectives, are
 * concurrent and in any order.
 *
 * SHARED makes lanes interact. In some steps, equal in all lanes, all threads of one task send
 * messages of different lengths with one tag on the world to another task, whose threads receive
 * equal shares of them in any order: by matched probes ("probes"), by receives ("receives");
 * "none": in no step. Sends do not block there, so a lane waits only for the other lanes.
 *
 * With TASK and CALL that task kills itself with SIGKILL at that call, counted over its threads.
 * FILL: kilobytes of marks that each step of lane 0 writes into the log. */
#include "../../capture/vef.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_LANES = 4,
    MOST_TASKS = 16,
    MOST_LEFT = 4096,
    LARGE = 150000, /* bytes: longer than any eager limit */
    BLOCK = 1 << 18,
    TAGS = 100000, /* of one lane */
};

/* What all threads of a task share. */
static struct {
    int task, tasks, lanes, steps, fill, kill_at;
    enum { NO_ENVELOPE, BY_PROBES, BY_RECEIVES } shared;
    uint64_t seed;
    atomic_int calls;
    pthread_mutex_t mutex; /* of the requests that are left for anyone */
    MPI_Request left[MOST_LEFT];
    void *buffer[MOST_LEFT];
    int left_count;
} process = {.mutex = PTHREAD_MUTEX_INITIALIZER};

typedef struct lane {
    int number, step;
    MPI_Comm comm;
    uint64_t common, own; /* random streams: that of the lane in all tasks, that of this thread */
    uint64_t meeting;     /* that of all lanes in all tasks */
    char *a, *b;          /* BLOCK bytes each */
} lane;

static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static int pick(lane *l, int n) {
    return (int)(next_random(&l->common) % (uint64_t)n);
}
static int own(lane *l, int n) {
    return (int)(next_random(&l->own) % (uint64_t)n);
}

static void count_call(void) {
    if (atomic_fetch_add(&process.calls, 1) + 1 == process.kill_at)
        kill(getpid(), SIGKILL);
}
static void expect_success(const char *call, int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "task %d: %s: %s\n", process.task, call, text);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
#define DO(call) (count_call(), expect_success(#call, (call)))
#define UNTIL(done, call)                                                                          \
    do {                                                                                           \
        count_call();                                                                              \
        while (!(done))                                                                            \
            expect_success(#call, (call));                                                         \
    } while (0)

/* ---- requests that anyone completes ---- */

/* The buffer is freed with the request. */
static void leave(MPI_Request request, void *buffer) {
    pthread_mutex_lock(&process.mutex);
    if (process.left_count == MOST_LEFT)
        MPI_Abort(MPI_COMM_WORLD, 4);
    process.buffer[process.left_count] = buffer;
    process.left[process.left_count++] = request;
    pthread_mutex_unlock(&process.mutex);
}

/* Takes one, so that no other thread has it meanwhile, and tests it. */
static void test_one(lane *l) {
    MPI_Request request = MPI_REQUEST_NULL;
    void *buffer = NULL;
    int done = 0;
    pthread_mutex_lock(&process.mutex);
    if (process.left_count > 0) {
        int position = own(l, process.left_count);
        request = process.left[position];
        buffer = process.buffer[position];
        process.left[position] = process.left[--process.left_count];
        process.buffer[position] = process.buffer[process.left_count];
    }
    pthread_mutex_unlock(&process.mutex);
    if (request == MPI_REQUEST_NULL)
        return;
    DO(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done)
        free(buffer);
    else
        leave(request, buffer);
}

static void complete_left(void) {
    DO(MPI_Waitall(process.left_count, process.left, MPI_STATUSES_IGNORE));
    for (int i = 0; i < process.left_count; i++)
        free(process.buffer[i]);
}

static void finish(lane *l, MPI_Request *request) {
    int done = 0, index;
    switch (own(l, 4)) {
    case 0:
        DO(MPI_Waitall(1, request, MPI_STATUSES_IGNORE));
        return;
    case 1:
        DO(MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE));
        return;
    case 2:
        UNTIL(done, MPI_Test(request, &done, MPI_STATUS_IGNORE));
        return;
    default:
        DO(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
}

/* ---- messages of a lane ---- */

static int pick_bytes(lane *l) {
    int kind = pick(l, 8);
    return kind == 0 ? 0 : kind == 1 ? LARGE : 1 + pick(l, 500);
}

static void pick_two(lane *l, int *from, int *to) {
    *from = pick(l, process.tasks);
    *to = (*from + 1 + pick(l, process.tasks - 1)) % process.tasks;
}

/* The lane's own communicator, or the world with a tag of the lane. */
static MPI_Comm pick_envelope(lane *l, int *tag) {
    *tag = l->step;
    if (pick(l, 2))
        return l->comm;
    *tag += l->number * TAGS;
    return MPI_COMM_WORLD;
}

static void send(lane *l, MPI_Comm comm, int to, int tag, int bytes, int how) {
    MPI_Request request;
    switch (how) {
    case 0:
        DO(MPI_Ssend(l->a, bytes, MPI_BYTE, to, tag, comm));
        return;
    case 1:
        DO(MPI_Isend(l->a, bytes, MPI_BYTE, to, tag, comm, &request));
        finish(l, &request);
        return;
    case 2: {
        char *buffer = malloc(LARGE);
        DO(MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, comm, &request));
        leave(request, buffer);
        return;
    }
    default:
        DO(MPI_Send(l->a, bytes, MPI_BYTE, to, tag, comm));
    }
}

static void receive(lane *l, MPI_Comm comm, int from, int tag, int how) {
    MPI_Request request;
    MPI_Message message;
    int found = 0;
    if (own(l, 3) == 0)
        from = MPI_ANY_SOURCE;
    switch (how) {
    case 0:
        DO(MPI_Mprobe(from, tag, comm, &message, MPI_STATUS_IGNORE));
        DO(MPI_Mrecv(l->b, LARGE, MPI_BYTE, &message, MPI_STATUS_IGNORE));
        return;
    case 1:
        UNTIL(found, MPI_Improbe(from, tag, comm, &found, &message, MPI_STATUS_IGNORE));
        DO(MPI_Imrecv(l->b, LARGE, MPI_BYTE, &message, &request));
        finish(l, &request);
        return;
    case 2:
        DO(MPI_Probe(from, tag, comm, MPI_STATUS_IGNORE));
        break;
    case 3:
        UNTIL(found, MPI_Iprobe(from, tag, comm, &found, MPI_STATUS_IGNORE));
        break;
    case 4: {
        char *buffer = malloc(LARGE);
        DO(MPI_Irecv(buffer, LARGE, MPI_BYTE, from, tag, comm, &request));
        leave(request, buffer);
        return;
    }
    default:
        break;
    }
    DO(MPI_Recv(l->b, LARGE, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE));
}

static void exchange(lane *l) {
    int tag, from, to, bytes = pick_bytes(l), how = pick(l, 5), taken = pick(l, 8);
    MPI_Comm comm = pick_envelope(l, &tag);
    pick_two(l, &from, &to);
    if (process.task == from)
        send(l, comm, to, tag, bytes, how);
    else if (process.task == to)
        receive(l, comm, from, tag, taken);
}

static void ring(lane *l) {
    int tag, bytes = pick_bytes(l), shift = 1 + pick(l, process.tasks - 1);
    MPI_Comm comm = pick_envelope(l, &tag);
    DO(MPI_Sendrecv(l->a, bytes, MPI_BYTE, (process.task + shift) % process.tasks, tag, l->b, LARGE,
                    MPI_BYTE, (process.task - shift + process.tasks) % process.tasks, tag, comm,
                    MPI_STATUS_IGNORE));
}

/* ---- collectives of a lane ---- */

static void collective(lane *l) {
    int root = pick(l, process.tasks), count = 1 + pick(l, 500), how = pick(l, 10);
    MPI_Request request = MPI_REQUEST_NULL;
    switch (how) {
    case 0:
        DO(MPI_Barrier(l->comm));
        return;
    case 1:
        DO(MPI_Bcast(l->a, count, MPI_INT, root, l->comm));
        return;
    case 2:
        DO(MPI_Allreduce(l->a, l->b, count, MPI_INT, MPI_SUM, l->comm));
        return;
    case 3:
        DO(MPI_Reduce(l->a, l->b, count, MPI_INT, MPI_SUM, root, l->comm));
        return;
    case 4:
        DO(MPI_Alltoall(l->a, count, MPI_INT, l->b, count, MPI_INT, l->comm));
        return;
    case 5:
        DO(MPI_Allgather(l->a, count, MPI_INT, l->b, count, MPI_INT, l->comm));
        return;
    case 6:
        DO(MPI_Ibarrier(l->comm, &request));
        break;
    case 7:
        DO(MPI_Ibcast(l->a, count, MPI_INT, root, l->comm, &request));
        break;
    case 8:
        DO(MPI_Iallreduce(l->a, l->b, count, MPI_INT, MPI_SUM, l->comm, &request));
        break;
    default:
        DO(MPI_Igather(l->a, count, MPI_INT, l->b, count, MPI_INT, root, l->comm, &request));
    }
    finish(l, &request);
}

/* Communicators and windows that are made while other lanes make theirs. */
static void make(lane *l) {
    MPI_Comm made;
    MPI_Win window;
    char *base = NULL, byte = 1;
    int how = pick(l, 3), to = pick(l, process.tasks);
    if (how < 2) {
        if (how == 0)
            DO(MPI_Comm_dup(l->comm, &made));
        else
            DO(MPI_Comm_split(l->comm, process.task % 2, process.task, &made));
        DO(MPI_Allreduce(l->a, l->b, 3, MPI_INT, MPI_SUM, made));
        DO(MPI_Comm_free(&made));
        return;
    }
    DO(MPI_Win_allocate(64, 1, MPI_INFO_NULL, l->comm, &base, &window));
    DO(MPI_Win_fence(0, window));
    DO(MPI_Put(&byte, 1, MPI_BYTE, to, process.task, 1, MPI_BYTE, window));
    DO(MPI_Win_fence(0, window));
    DO(MPI_Win_free(&window));
}

/* ---- lanes that meet ---- */

/* Every thread of `to` takes as many messages as one thread of `from` sends; which ones is open. */
static void meet(lane *l) {
    int from = (int)(next_random(&l->meeting) % (uint64_t)process.tasks);
    int to = (int)(next_random(&l->meeting) % (uint64_t)(process.tasks - 1));
    int count = 1 + (int)(next_random(&l->meeting) % 4);
    int large = next_random(&l->meeting) % 4 == 0, tag = MOST_LANES * TAGS + l->step;
    to += to >= from;
    for (int i = 0; i < count && process.task == from; i++) {
        MPI_Request request;
        char *buffer = malloc(LARGE);
        int bytes = large ? LARGE - own(l, 1000) : own(l, 1000);
        DO(MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request));
        leave(request, buffer);
    }
    for (int i = 0; i < count && process.task == to; i++) {
        int source = own(l, 2) ? from : MPI_ANY_SOURCE;
        MPI_Message message;
        if (process.shared == BY_PROBES) {
            DO(MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
            DO(MPI_Mrecv(l->b, LARGE, MPI_BYTE, &message, MPI_STATUS_IGNORE));
        } else {
            DO(MPI_Recv(l->b, LARGE, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    }
}

/* ---- the schedule ---- */

static void mark(lane *l) {
    char name[1000];
    for (int i = 0; l->number == 0 && i < process.fill; i++) {
        for (size_t k = 0; k < sizeof name - 1; k++)
            name[k] = (char)('!' + own(l, 90));
        name[sizeof name - 1] = '\0';
        vef_mark(name);
    }
}

static void run_step(lane *l) {
    static const char *const names[] = {"a", "b", "c"};
    int inside = own(l, 3) == 0;
    const char *name = names[own(l, 3)];
    mark(l);
    if (inside)
        vef_region_begin(name);
    if (next_random(&l->meeting) % 5 == 0 && process.shared != NO_ENVELOPE)
        meet(l);
    switch (pick(l, 8)) {
    case 0:
    case 1:
        collective(l);
        break;
    case 2:
        ring(l);
        break;
    case 3:
        make(l);
        break;
    default:
        exchange(l);
    }
    if (own(l, 2))
        test_one(l);
    if (inside)
        vef_region_end(name);
}

static void *run_lane(void *argument) {
    lane *l = argument;
    for (l->step = 0; l->step < process.steps; l->step++)
        run_step(l);
    return NULL;
}

static void run_lanes(void) {
    static lane lanes[MOST_LANES];
    pthread_t threads[MOST_LANES];
    for (int i = 0; i < process.lanes; i++) {
        lane *l = &lanes[i];
        l->number = i;
        l->meeting = process.seed;
        l->common = (process.seed + 1) * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)i;
        l->own = l->common * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)process.task;
        l->a = calloc(1, BLOCK);
        l->b = calloc(1, BLOCK);
        DO(MPI_Comm_dup(MPI_COMM_WORLD, &l->comm));
    }
    for (int i = 1; i < process.lanes; i++)
        pthread_create(&threads[i], NULL, run_lane, &lanes[i]);
    run_lane(&lanes[0]);
    for (int i = 1; i < process.lanes; i++)
        pthread_join(threads[i], NULL);
    complete_left();
    for (int i = 0; i < process.lanes; i++)
        DO(MPI_Comm_free(&lanes[i].comm));
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &process.task);
    MPI_Comm_size(MPI_COMM_WORLD, &process.tasks);
    if (argc < 5 || process.tasks > MOST_TASKS || process.tasks < 2 ||
        provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 2);
    process.seed = strtoull(argv[1], NULL, 10);
    process.steps = atoi(argv[2]);
    process.fill = atoi(argv[3]);
    process.shared = strcmp(argv[4], "probes") == 0     ? BY_PROBES
                     : strcmp(argv[4], "receives") == 0 ? BY_RECEIVES
                                                        : NO_ENVELOPE;
    if (argc > 6 && atoi(argv[5]) == process.task)
        process.kill_at = atoi(argv[6]);
    process.lanes = 2 + (int)(process.seed / 7 % (MOST_LANES - 1));
    run_lanes();
    MPI_Finalize();
    if (process.task == 0)
        printf("%d tasks of %d threads, %d calls of task 0\n", process.tasks, process.lanes,
               atomic_load(&process.calls));
    return 0;
}
