/* Legal MPI that resembles errors: one-sided calls with MPI_PROC_NULL, persistent collectives
 * that each task starts in another order and at other points among its collectives, graphs with
 * asymmetric and repeated edges, and intercommunicators with the same groups that are duplicated
 * in different orders. argv[1]: rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { KINDS = 4 };
static int me, tasks, errors;

static void expect(int given, int wanted) {
    errors += given != wanted;
}

static void proc_null_windows(void) {
    int memory[2] = {me, 0}, x = 7, y = 3, z = 1;
    MPI_Win window;
    MPI_Request requests[2];
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window);
    MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    MPI_Get(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    MPI_Win_flush(MPI_PROC_NULL, window);
    MPI_Win_flush_local(MPI_PROC_NULL, window);
    MPI_Win_unlock(MPI_PROC_NULL, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, MPI_MODE_NOCHECK, window);
    MPI_Accumulate(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[0]);
    MPI_Rget(&y, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock(MPI_PROC_NULL, window);
    /* together with a lock on a task */
    MPI_Win_lock(MPI_LOCK_SHARED, (me + 1) % tasks, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window);
    MPI_Put(&z, 1, MPI_INT, (me + 1) % tasks, 1, 1, MPI_INT, window);
    MPI_Win_flush(MPI_PROC_NULL, window);
    MPI_Win_unlock(MPI_PROC_NULL, window);
    MPI_Win_unlock((me + 1) % tasks, window);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&x, &y, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, window);
    MPI_Compare_and_swap(&x, &x, &y, MPI_INT, MPI_PROC_NULL, 0, window);
    MPI_Win_flush(MPI_PROC_NULL, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    expect(x, 7);
    expect(y, 3);
    expect(memory[0], me);
    expect(memory[1], 1);
}

/* Each task starts KINDS persistent collectives in an order of its own, some before and some after
 * a barrier; every third round makes new ones. */
static void persistent_orders(int rounds) {
    int root = tasks - 1, sum = 0, value = 0, gathered[64], order[KINDS];
    MPI_Request requests[KINDS];
    for (int round = 0; round < rounds; round++) {
        if (round % 3 == 0) {
            MPI_Bcast_init(&value, 1, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
            MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
            MPI_Allreduce_init(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &requests[2]);
            MPI_Allgather_init(&me, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &requests[3]);
        }
        value = me == root ? round : -1;
        for (int i = 0; i < KINDS; i++)
            order[i] = (me + round + (me % 2 ? i : KINDS - i)) % KINDS;
        int early = (me + round) % (KINDS + 1);
        for (int i = 0; i < early; i++)
            MPI_Start(&requests[order[i]]);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = early; i < KINDS; i++)
            MPI_Start(&requests[order[i]]);
        MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
        expect(value, round);
        expect(sum, tasks * (tasks - 1) / 2);
        for (int i = 0; i < tasks; i++)
            expect(gathered[i], i);
        for (int i = 0; i < KINDS && round % 3 == 2; i++)
            MPI_Request_free(&requests[i]);
    }
}

/* Task 0 names every other task twice and the others name nobody; then the same with edges back,
 * which collectives on neighbours may use. */
static void graphs(void) {
    int indices[64], edges[256], count = 0, found = 0, sent[64], got[64];
    MPI_Comm graph;
    for (int task = 0; task < tasks; task++) {
        for (int other = 1; other < tasks && task == 0; other++) {
            edges[count++] = other;
            edges[count++] = other;
        }
        indices[task] = count;
    }
    MPI_Graph_create(MPI_COMM_WORLD, tasks, indices, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, me, &found);
    expect(found, me == 0 ? 2 * (tasks - 1) : 0);
    MPI_Barrier(graph);
    MPI_Comm_free(&graph);
    for (int task = 1; task < tasks; task++) {
        edges[count++] = 0;
        edges[count++] = 0;
        indices[task] = count;
    }
    MPI_Graph_create(MPI_COMM_WORLD, tasks, indices, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, me, &found);
    for (int i = 0; i < found; i++)
        sent[i] = me;
    MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, graph);
    for (int i = 0; i < found; i++)
        expect(got[i], me == 0 ? 1 + i / 2 : 0);
    MPI_Comm_free(&graph);
}

/* Two intercommunicators with the same groups, duplicated at once in another order by each task. */
static void intercommunicators(void) {
    MPI_Comm local, between[2], copies[2];
    MPI_Request requests[2];
    MPI_Comm_split(MPI_COMM_WORLD, me == 0, 0, &local);
    for (int i = 0; i < 2; i++)
        MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me == 0, 10 + i, &between[i]);
    for (int i = 0; i < 2; i++)
        MPI_Comm_idup(between[(me + i) % 2], &copies[(me + i) % 2], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Ibarrier(copies[i], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(copies[0]);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_free(&copies[i]);
        MPI_Comm_free(&between[i]);
    }
    MPI_Comm_free(&local);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    proc_null_windows();
    persistent_orders(argc > 1 ? atoi(argv[1]) : 6);
    graphs();
    intercommunicators();
    MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0)
        printf("%d errors\n", errors);
    MPI_Finalize();
    return errors > 0;
}
