/* Calls MPI in a known sequence, and counts in a mapped file how many calls each task has begun and
 * how many have returned, so that a test that kills it knows the expected trace.
 *
 *     kill_target COUNTS STEPS runs that many steps; COUNTS: the file
 *     kill_target counts COUNTS TASK   prints "BEGUN RETURNED" of a task
 *     kill_target expect TASKS TASK N  prints the first N events like `vef dump`, without times
 *
 * The sequence is written twice: `run` makes the calls, `expect` lists them. */
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_TASKS = 64, MOST_BYTES = 4096 };

typedef struct counts {
    _Atomic long begun, returned;
    char apart[48];
} counts;

static counts *map_counts(const char *path) {
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, MOST_TASKS * sizeof(counts)) != 0)
        exit(3);
    void *address =
        mmap(NULL, MOST_TASKS * sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (address == MAP_FAILED)
        exit(3);
    return address;
}

/* What the tasks send in a step: different for each sender. */
static int ring_bytes(long step, int task) {
    return 1 + (int)((step * 7 + task * 131) % 1000);
}
static int skip_bytes(long step, int task) {
    return 1 + (int)((step * 5 + task * 57) % 3000);
}

/* ---- the calls ---- */

static char out[MOST_BYTES], in[MOST_BYTES];
static int me, tasks;

static void run_step(long step, counts *mine) {
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request both[2];
    int after = (me + 1) % tasks, before = (me + tasks - 1) % tasks;
    int two_after = (me + 2) % tasks;
#define CALL(call)                                                                                 \
    do {                                                                                           \
        mine->begun++;                                                                             \
        call;                                                                                      \
        mine->returned++;                                                                          \
    } while (0)
    switch (step % 4) {
    case 0:
        CALL(MPI_Sendrecv(out, ring_bytes(step, me), MPI_BYTE, after, 1, in, MOST_BYTES, MPI_BYTE,
                          before, 1, world, MPI_STATUS_IGNORE));
        break;
    case 1:
        CALL(MPI_Isend(out, skip_bytes(step, me), MPI_BYTE, two_after, 2, world, &both[0]));
        CALL(MPI_Irecv(in, MOST_BYTES, MPI_BYTE, MPI_ANY_SOURCE, 2, world, &both[1]));
        CALL(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
        break;
    case 2:
        CALL(MPI_Allreduce(out, in, 1 + (int)(step % 9), MPI_DOUBLE, MPI_SUM, world));
        break;
    default:
        CALL(MPI_Bcast(in, 1 + (int)(step % 50), MPI_BYTE, (int)(step % tasks), world));
    }
#undef CALL
    if (step % 64 == 0)
        usleep(1000);
}

static int run(int argc, char **argv, const char *path, long steps) {
    /* Hydra's rank, since MPI_Init is counted before it begins. */
    counts *mine = map_counts(path) + atoi(getenv("PMI_RANK"));
    mine->begun = 1;
    MPI_Init(&argc, &argv);
    mine->returned = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    for (long step = 0; step < steps; step++)
        run_step(step, mine);
    mine->begun++;
    MPI_Finalize();
    mine->returned++;
    return 0;
}

/* ---- what they are ---- */

static long printed, wanted;

/* Ends when enough has been printed. Ordinals count the messages of one sender to one receiver. */
static void print(const char *line) {
    puts(line);
    if (++printed >= wanted)
        exit(0);
}

static void expect_step(long step, int count, int task) {
    char line[256], root[32];
    static long sent[MOST_TASKS], received[MOST_TASKS];
    static long request;
    int after = (task + 1) % count, before = (task + count - 1) % count;
    int two_after = (task + 2) % count, two_before = (task + 2 * count - 2) % count;
    switch (step % 4) {
    case 0:
        snprintf(line, sizeof line,
                 "Sendrecv to=%d bytes=%d tag=1 ordinal=%ld from=%d bytes=%d tag=1 ordinal=%ld",
                 after, ring_bytes(step, task), sent[after]++, before, ring_bytes(step, before),
                 received[before]++);
        print(line);
        break;
    case 1:
        snprintf(line, sizeof line, "Isend to=%d bytes=%d tag=2 ordinal=%ld", two_after,
                 skip_bytes(step, task), sent[two_after]++);
        print(line);
        snprintf(line, sizeof line, "Irecv from=%d bytes=%d tag=2 ordinal=%ld flags=any-source",
                 two_before, skip_bytes(step, two_before), received[two_before]++);
        print(line);
        snprintf(line, sizeof line, "Waitall requests=%ld-%ld", request, request + 1);
        print(line);
        request += 2;
        break;
    case 2:
        snprintf(line, sizeof line, "Allreduce bytes=%ld elements=%ld", 8 * (1 + step % 9),
                 1 + step % 9);
        print(line);
        break;
    default:
        snprintf(root, sizeof root, step % count ? " root=%ld" : "", step % count);
        snprintf(line, sizeof line, "Bcast%s bytes=%ld", root, 1 + step % 50);
        print(line);
    }
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "counts") == 0) {
        const counts *numbers = map_counts(argv[2]) + atoi(argv[3]);
        printf("%ld %ld\n", numbers->begun, numbers->returned);
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "expect") == 0) {
        wanted = atol(argv[4]);
        if (wanted == 0)
            return 0;
        print("Init");
        for (long step = 0;; step++)
            expect_step(step, atoi(argv[2]), atoi(argv[3]));
    }
    return argc == 3 ? run(argc, argv, argv[1], atol(argv[2])) : 2;
}
