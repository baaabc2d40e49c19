/* vef check on what MPI has beyond sends, receives and blocking collectives: programs without fault
 * that use it, and each fault that is planted in them. What is right is in the MPI standard 4.0:
 * the sections stand at each program. */
#include "tests/traces/trace_support.h"
#include "traces/check/check.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the program that is replaced, and what is said then; `from` NULL: nothing is. */
typedef struct planted {
    const char *from, *to, *says;
} planted;

/* The program itself has no fault, with each piece replaced it has the one that is planted. */
static void check_program(const char *program, const planted *faults, size_t count) {
    told notes;
    if (check_text(program, 20, &notes) != 0)
        fail_msg("the program without fault: %s", notes.text);
    for (size_t i = 0; i < count; i++) {
        const char *cursor = strstr(program, faults[i].from);
        if (!cursor)
            fail_msg("the program has no '%s'", faults[i].from);
        char *text = malloc(strlen(program) + strlen(faults[i].to) + 1);
        assert_non_null(text);
        sprintf(text, "%.*s%s%s", (int)(cursor - program), program, faults[i].to,
                cursor + strlen(faults[i].from));
        uint64_t found = check_text(text, 20, &notes);
        if (faults[i].says == NULL ? found != 0 : found == 0 || !strstr(notes.text, faults[i].says))
            fail_msg("%s → %s: %s", faults[i].from, faults[i].to, notes.text);
        free(text);
    }
}
#define CHECK(program, faults) check_program(program, faults, sizeof(faults) / sizeof *(faults))

/* Non-blocking collectives are started in one order by all and never match blocking ones (section
 * 6.12); persistent ones are made in that order too, but started in any (6.13). */
static void test_started_collectives(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 2\n"
        "task 0\nInit\n"
        "Ibcast root=1 bytes=8\n"
        "Iallreduce bytes=4 elements=1\n"
        "Waitall requests=1,0\n"
        "Bcast_init persistent=1 root=0 bytes=16\n"
        "Alltoallv_init persistent=2 sends=1,2 receives=1,3\n"
        "Bcast_init persistent=1 root=0 bytes=16 marks=started\n"
        "Alltoallv_init persistent=2 sends=1,2 receives=1,3 marks=started\n"
        "Waitall requests=2-3\n"
        "Bcast_init persistent=1 root=0 bytes=16 marks=started\n"
        "Wait requests=4\n"
        "Ibarrier\n"
        "Request_get_status requests=5\n"
        "Wait requests=5\n"
        "Finalize\n"
        "task 1\nInit\n"
        "Ibcast root=1 bytes=8\n"
        "Iallreduce bytes=4 elements=1\n"
        "Waitall requests=0-1\n"
        "Bcast_init persistent=1 root=0 bytes=16\n"
        "Alltoallv_init persistent=2 sends=3,4 receives=2,4\n"
        "Alltoallv_init persistent=2 sends=3,4 receives=2,4 marks=started\n"
        "Bcast_init persistent=1 root=0 bytes=16 marks=started\n"
        "Waitall requests=2-3\n"
        "Bcast_init persistent=1 root=0 bytes=16 marks=started\n"
        "Wait requests=4\n"
        "Ibarrier\n"
        "Request_free requests=5\n"
        "Finalize\n";
    static const planted faults[] = {
        {"Ibcast root=1 bytes=8\nIallreduce bytes=4 elements=1\n",
         "Iallreduce bytes=4 elements=1\nIbcast root=1 bytes=8\n",
         "the operation of collective 0 of communicator 0 differs"},
        {"Ibarrier\nRequest_get_status requests=5\nWait requests=5\n", "Barrier\n",
         "task 1, event 11 (MPI_Ibarrier): is collective 4 of communicator 0, which task 0, event "
         "11 calls as MPI_Barrier: blocking, non-blocking and persistent collectives never match"},
        {"Waitall requests=1,0\n", "Wait requests=1\n",
         "task 0, event 1: starts request 0, which is never completed"},
        {"Waitall requests=1,0\n", "Waitall requests=1,0,1\n", "completes request 1 a second time"},
        {"Ibcast root=1 bytes=8\n", "Ibcast root=1 bytes=8 marks=open-ended\n",
         "completes request 0, which is flagged as never completed"},
        {"Ibcast root=1 bytes=8\n", "Ibcast root=1 bytes=9\n", "the size of collective 0"},
        {"Ibcast root=1 bytes=8\n", "Ibcast root=1 bytes=8 request=1\n",
         "starts request 1: expected 0"},
        {"Request_get_status requests=5\nWait requests=5\n",
         "Wait requests=5\nRequest_get_status requests=5\n",
         "(MPI_Request_get_status): tests request 5, which is not active"},
        {"Bcast_init persistent=1 root=0 bytes=16 marks=started\nWait requests=4\nIbarrier\n"
         "Request_get_status requests=5\nWait requests=5\n",
         "Ibarrier\nWait requests=4\n",
         "start 1 of persistent collective 1 of communicator 0 is called by 1 of its 2 members"},
        {"marks=started\nWait requests=4\nIbarrier\nRequest_get",
         "marks=started elements=3\nWait requests=4\nIbarrier\nRequest_get",
         "the number of elements of start 1 of persistent collective 1 of communicator 0 differs"},
        {"sends=1,2 receives=1,3 marks=started", "sends=1,5 receives=1,3 marks=started",
         "in start 0 of persistent collective 2 of communicator 0 the counts that the members send "
         "and"},
        {"Alltoallv_init persistent=2 sends=1,2 receives=1,3 marks",
         "Alltoallv_init persistent=1 sends=1,2 receives=1,3 marks",
         "the operation of start 1 of persistent collective 1 of communicator 0 differs"},
        {"Bcast_init persistent=1 root=0 bytes=16\nAlltoallv_init persistent=2 sends=1,2 "
         "receives=1,3\n",
         "Alltoallv_init persistent=2 sends=1,2 receives=1,3\nBcast_init persistent=1 root=0 "
         "bytes=16\n",
         "the operation of collective 2 of communicator 0 differs"},
    };
    CHECK(program, faults);
}

/* Between two groups (section 6.2.3): {0, 1} and {2}. The root's group says MPI_ROOT and
 * MPI_PROC_NULL, the other its rank there; what goes from one to the other need not be as much as
 * comes back; vectors have the other group's length. */
static void test_between_two_groups(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 3\n"
        "comm 1 by=Intercomm_create members=0-1 remote=2\n"
        "task 0\n"
        "Bcast comm=1 root=beside\n"
        "Allgather comm=1 bytes=8\n"
        "Alltoallv comm=1 sends=5 receives=6\n"
        "Gatherv comm=1 root=0 bytes=3\n"
        "Allgatherv comm=1 bytes=10 receives=12\n"
        "Reduce comm=1 root=beside\n"
        "Ibarrier comm=1\nWait requests=0\n"
        "task 1\n"
        "Bcast comm=1 root=here bytes=4\n"
        "Allgather comm=1 bytes=8\n"
        "Alltoallv comm=1 sends=7 receives=9\n"
        "Gatherv comm=1 root=0 bytes=2\n"
        "Allgatherv comm=1 bytes=11 receives=12\n"
        "Reduce comm=1 root=here bytes=8 elements=2\n"
        "Ibarrier comm=1\nWait requests=0\n"
        "task 2\n"
        "Bcast comm=1 root=1 bytes=4\n"
        "Allgather comm=1 bytes=100\n"
        "Alltoallv comm=1 sends=6,9 receives=5,7\n"
        "Gatherv comm=1 root=here receives=3,2\n"
        "Allgatherv comm=1 bytes=12 receives=10,11\n"
        "Reduce comm=1 root=1 bytes=8 elements=2\n"
        "Ibarrier comm=1\nWait requests=0\n";
    static const planted faults[] = {
        {"root=here bytes=4", "root=beside bytes=4", "has no root: no task calls it with MPI_ROOT"},
        {"root=1 bytes=4", "root=0 bytes=4", "the root of collective 0 of communicator 1 differs"},
        {"root=1 bytes=4", "root=here bytes=4", "the root of collective 0"},
        {"root=1 bytes=4", "root=1 bytes=5", "the size of collective 0"},
        {"task 1\nBcast comm=1 root=here bytes=4\nAllgather comm=1 bytes=8",
         "task 1\nBcast comm=1 root=here bytes=4\nAllgather comm=1 bytes=9",
         "task 1, event 1 (MPI_Allgather): the size of collective 1"},
        {"sends=6,9", "sends=6,8",
         "in collective 2 of communicator 1 the counts that the members send and"},
        {"sends=7 receives=9", "sends=7,1 receives=9", "has 2 counts of bytes sent: expected 1"},
        {"receives=3,2", "receives=2,3",
         "in collective 3 of communicator 1 the counts that the members send"},
        {"bytes=12 receives=10,11", "bytes=12 receives=11,11", "in collective 4 of communicator 1"},
        {"root=1 bytes=8 elements=2", "root=1 bytes=8 elements=1",
         "the number of elements of collective 5"},
        {"Gatherv comm=1 root=0 bytes=3", "Gatherv comm=1 root=1 bytes=3",
         "root 1 is out of range of its group"},
    };
    CHECK(program, faults);
}

/* Along the edges of a graph (section 8.6) what one sends is what the other receives: here 0 → 1
 * twice, 1 → 2, 2 → 0; of two edges between the same ranks the first goes with the first. */
static void test_graph(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 3\n"
        "comm 1 parent=0 by=Dist_graph_create members=0-2\n"
        "neighbours 0 in=2 out=1,1\n"
        "neighbours 1 in=0,0 out=2\n"
        "neighbours 2 in=1 out=0\n"
        "task 0\n"
        "Neighbor_alltoallv comm=1 sends=5,6 receives=8\n"
        "Ineighbor_allgatherv comm=1 bytes=3 receives=1\nWait requests=0\n"
        "Neighbor_alltoall comm=1 bytes=100\n"
        "task 1\n"
        "Neighbor_alltoallv comm=1 sends=7 receives=5,6\n"
        "Ineighbor_allgatherv comm=1 bytes=2 receives=3,3\nWait requests=0\n"
        "Neighbor_alltoall comm=1 bytes=10\n"
        "task 2\n"
        "Neighbor_alltoallv comm=1 sends=8 receives=7\n"
        "Ineighbor_allgatherv comm=1 bytes=1 receives=2\nWait requests=0\n"
        "Neighbor_alltoall comm=1 bytes=10\n";
    static const planted faults[] = {
        {"receives=5,6", "receives=6,5",
         "in collective 0 of communicator 1 the counts that the members send"},
        {"receives=5,6", "receives=5,7",
         "in collective 0 of communicator 1 the counts that the members send"},
        {"receives=3,3", "receives=3,2",
         "in collective 1 of communicator 1 the counts that the members send"},
        {"receives=5,6", "receives=11", "has 1 counts of bytes received: expected 2"},
        {"neighbours 1 in=0,0 out=2\n", "neighbours 1 in=0,2 out=2\n",
         "communicator 1 (MPI_Dist_graph_create): the neighbours that its ranks send to and"},
        {"neighbours 2 in=1 out=0\n", "neighbours 2 in=1 out=0,0\n",
         "the neighbours that its ranks send to and receive from differ"},
        {"Neighbor_alltoall comm=1 bytes=100", "Neighbor_alltoall bytes=100",
         "communicator 0 has no topology"},
    };
    CHECK(program, faults);
}

/* The neighbours of MPI_Graph_create need not be symmetric and may stand several times (section
 * 8.5.3): here 0 → 1 twice and 1 → 2. Only what sends along the edges needs both their ends. */
static void test_asymmetric_graph(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 3\n"
        "comm 1 parent=0 by=Graph_create members=0-2\n"
        "neighbours 0 in=1,1 out=1,1\n"
        "neighbours 1 in=2 out=2\n"
        "task 0\nGraph_create new=1\nBarrier comm=1\nBarrier\n"
        "task 1\nGraph_create new=1\nBarrier comm=1\nBarrier\n"
        "task 2\nGraph_create new=1\nBarrier comm=1\nBarrier\n";
    static const planted faults[] = {
        {"Barrier comm=1\nBarrier\ntask 1\nGraph_create new=1\nBarrier comm=1\nBarrier\n"
         "task 2\nGraph_create new=1\nBarrier comm=1\nBarrier\n",
         "Neighbor_alltoall comm=1 bytes=4\n"
         "task 1\nGraph_create new=1\nNeighbor_alltoall comm=1 bytes=4\n"
         "task 2\nGraph_create new=1\nNeighbor_alltoall comm=1 bytes=4\n",
         "communicator 1 (MPI_Graph_create): the neighbours that its ranks send to and"},
        {"Graph_create members", "Dist_graph_create_adjacent members",
         "communicator 1 (MPI_Dist_graph_create_adjacent): the neighbours that its ranks send to"},
    };
    CHECK(program, faults);
}

/* A grid of 3 x 2, open downwards, closed sideways, where with two columns left and right are the
 * same task: neighbours below, above, left, right, MPI_PROC_NULL where the grid ends (section 8.6).
 * Task 2 r + c sends 10 r + c downwards and 100 + 10 r + c upwards, sideways 7. */
static void test_grid(void **state) {
    (void)state;
    char program[4096] =
        "vef-trace 1\ntasks 6\n"
        "comm 1 parent=0 by=Cart_create members=0-5 grid=3x2p\n";
    for (int task = 0; task < 6; task++) {
        int row = task / 2, column = task % 2;
        int from_below = row > 0 ? 100 + 10 * (row - 1) + column : 0; /* what went upwards there */
        int from_above = row < 2 ? 10 * (row + 1) + column : 0;
        char line[200];
        snprintf(line, sizeof line,
                 "task %d\nNeighbor_alltoallw comm=1 sends=%d,%d,7,7 receives=%d,%d,7,7\n", task,
                 row > 0 ? 10 * row + column : 0, row < 2 ? 100 + 10 * row + column : 0, from_below,
                 from_above);
        strcat(program, line);
    }
    static const planted faults[] = {
        {"task 3\nNeighbor_alltoallw comm=1 sends=11,",
         "task 3\nNeighbor_alltoallw comm=1 sends=12,",
         "in collective 0 of communicator 1 the counts that the members send and receive differ"},
        {"7,7 receives", "7,8 receives", "in collective 0 of communicator 1"},
        /* what is not sent beyond the border is not looked at */
        {"task 0\nNeighbor_alltoallw comm=1 sends=0", "task 0\nNeighbor_alltoallw comm=1 sends=9",
         NULL},
    };
    CHECK(program, faults);
}

/* Windows (section 12.5): what reaches a target lies in an epoch for it; MPI_Win_start finds a
 * MPI_Win_post that names the origin; fences are called by all. */
static void test_windows(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 2\n"
        "comm 1 parent=0 by=Win_create members=0-1\n"
        "task 0\nInit\nWin_create new=1\n"
        "Win_fence comm=1\n"
        "Win_fence comm=1\n"
        "Win_free comm=1\nFinalize\n"
        "task 1\nInit\nWin_create new=1\n"
        "Win_fence comm=1\n"
        "Put target=0 bytes=8 comm=1\n"
        "Win_fence comm=1\n"
        "Win_free comm=1\nFinalize\n";
    static const planted faults[] = {
        {"Win_fence comm=1\nPut target=0 bytes=8 comm=1\n",
         "Put target=0 bytes=8 comm=1\nWin_fence comm=1\n",
         "task 1, event 2 (MPI_Put): accesses task 0 through window 1 outside an epoch"},
        {"Put target=0 bytes=8 comm=1\nWin_fence comm=1\n", "Put target=0 bytes=8 comm=1\n",
         "the operation of collective 1 of communicator 1 differs"},
        {"Put target=0 bytes=8 comm=1", "Put target=0 bytes=8", "communicator 0 is not a window"},
        /* a task whose beginning is not in the trace may have had its epoch before */
        {"task 1\nInit\nWin_create new=1\n"
         "Win_fence comm=1\n"
         "Put target=0 bytes=8 comm=1\n",
         "task 1\nWin_create new=1\nPut target=0 bytes=8 comm=1\nWin_fence comm=1\n", NULL},
    };
    CHECK(program, faults);
    static const char general[] =
        "vef-trace 1\ntasks 3\n"
        "comm 1 parent=0 by=Win_allocate members=0-2\n"
        "task 0\nInit\nWin_allocate new=1\n"
        "Win_start comm=1 peers=1,2\n"
        "Rput target=1 bytes=8 comm=1\n"
        "Wait requests=0\n"
        "Get target=2 bytes=8 comm=1\n"
        "Win_complete comm=1 peers=1,2\n"
        "Win_lock comm=1 peers=2 marks=exclusive\n"
        "Fetch_and_op target=2 bytes=8 comm=1\n"
        "Win_flush comm=1 peers=2\n"
        "Win_unlock comm=1 peers=2\n"
        "Win_lock_all comm=1\n"
        "Put target=1 bytes=8 comm=1\n"
        "Win_flush_all comm=1\n"
        "Win_unlock_all comm=1\n"
        "Finalize\n"
        "task 1\nInit\nWin_allocate new=1\n"
        "Win_post comm=1 peers=0\n"
        "Win_wait comm=1 peers=0\n"
        "Finalize\n"
        "task 2\nInit\nWin_allocate new=1\n"
        "Win_post comm=1 peers=0\n"
        "Win_test comm=1 marks=poll repeats=3\n"
        "Win_test comm=1 peers=0\n"
        "Finalize\n";
    static const planted wrong[] = {
        {"task 2\nInit\nWin_allocate new=1\nWin_post comm=1 peers=0\n",
         "task 2\nInit\nWin_allocate new=1\nWin_post comm=1 peers=1\n",
         "window 1: task 0 starts access to task 2 1 times, which posts exposure to it 0 times"},
        {"Win_start comm=1 peers=1,2", "Win_start comm=1 peers=1",
         "window 1: task 0 starts access to task 2 0 times, which posts exposure to it 1 times"},
        {"Win_complete comm=1 peers=1,2\n", "",
         "task 0: an access epoch on window 1 is never closed"},
        {"Win_wait comm=1 peers=0\n", "", "task 1: an exposure epoch on window 1 is never closed"},
        {"Win_unlock comm=1 peers=2\n", "", "task 0: task 2 is never unlocked on window 1"},
        {"Win_lock comm=1 peers=2 marks=exclusive", "Win_lock comm=1 peers=1",
         "(MPI_Fetch_and_op): accesses task 2 through window 1 outside an epoch"},
        {"Win_lock comm=1 peers=2 marks=exclusive\n", "",
         "(MPI_Win_unlock): task 2 is not locked on window 1"},
        {"Win_flush comm=1 peers=2", "Win_flush comm=1 peers=1",
         "(MPI_Win_flush): task 1 is not locked on window 1"},
        {"Win_lock_all comm=1\n", "", "(MPI_Win_unlock_all): all of window 1 is not locked"},
        {"Win_unlock_all comm=1\n", "", "task 0: window 1 is never unlocked"},
        {"Wait requests=0\n", "", "starts request 0, which is never completed"},
        {"Win_post comm=1 peers=0\nWin_wait comm=1 peers=0\n",
         "Win_wait comm=1 peers=0\nWin_post comm=1 peers=0\n",
         "(MPI_Win_wait): window 1 has no exposure epoch open"},
        /* MPI_PROC_NULL is in no epoch and needs none */
        {"Win_flush_all comm=1\nWin_unlock_all comm=1\n",
         "Win_flush_all comm=1\nWin_unlock_all comm=1\nPut target=none bytes=8 comm=1\n"
         "Win_lock comm=1 peers=none\nWin_flush comm=1 peers=none\nWin_unlock comm=1 peers=none\n",
         NULL},
    };
    CHECK(general, wrong);
}

/* A partitioned send goes when all its partitions are ready (section 4.2), a generalised request is
 * complete when its program says so (section 13.2); another thread may do either while the first is
 * waiting. */
static void test_releases(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 2\n"
        "task 0\n"
        "Start to=1 bytes=64 flags=partitioned\n"
        "Grequest_start\n"
        "Pready value=0\n"
        "Waitall requests=0-1 entered=6 left=11\n"
        "thread 1\n"
        "Pready_range value=0 marks=last entered=7\n"
        "Grequest_complete value=1\n"
        "task 1\n"
        "Start from=0 flags=partitioned\n"
        "Parrived marks=poll\n"
        "Parrived requests=0\n"
        "Wait requests=0\n";
    static const planted faults[] = {
        {"Pready_range value=0 marks=last entered=7\n", "Pready_range value=0 entered=7\n",
         "task 0: request 0 is completed, but its partitions were not all marked ready"},
        {"Grequest_complete value=1\n", "", "task 0: request 1 is completed, but its partitions"},
        {"marks=last entered=7\n", "marks=last entered=12\n",
         "task 0, thread 1, event 0 (MPI_Pready_range): releases request 0, which was already "
         "completed"},
        {"Pready value=0\n", "Pready value=1\n",
         "names request 1, which is not a partitioned send"},
        {"Pready value=0\n", "Pready value=7\n", "names request 7, which is not active"},
    };
    CHECK(program, faults);
}

/* Regions of each thread lie inside each other; calls of a thread follow each other; what one
 * thread starts another may complete, once. */
static void test_threads_and_regions(void **state) {
    (void)state;
    static const char program[] =
        "vef-trace 1\ntasks 2\n"
        "task 0\nInit\n"
        "Region_begin name=\"outer\"\n"
        "Isend to=1 request=1\n"
        "Region_begin name=\"in ner\"\n"
        "Region_end name=\"in ner\"\n"
        "Region_end name=\"outer\"\n"
        "Finalize\n"
        "thread 1\n"
        "Isend to=1 request=0 entered=2\n"
        "Region_begin name=\"outer\"\n"
        "Region_end name=\"outer\"\n"
        "Mark name=\"done\"\n"
        "Waitall requests=0-1\n"
        "task 1\nRecv from=0\nRecv from=0\nIsendrecv to=1 from=1\n"
        "Wait requests=0\n";
    static const planted faults[] = {
        {"Region_end name=\"in ner\"\n", "",
         "ends region \"outer\", but \"in ner\" is the innermost"},
        {"Region_begin name=\"in ner\"\nRegion_end name=\"in ner\"\nRegion_end name=\"outer\"\n",
         "", "task 0: region \"outer\" is never ended"},
        {"Region_begin name=\"in ner\"\n", "Region_end name=\"outer\"\n",
         "task 0, event 4 (MPI_Region_end): ends region \"in ner\", which has not begun"},
        {"Mark name=\"done\"", "Mark name=\"done\" entered=3",
         "task 0, thread 1, event 3 (MPI_Mark): is entered at tick 3, before the previous call"},
        {"Mark name=\"done\"", "Mark name=\"done\" entered=30 left=20",
         "returns at tick 20, before"},
        {"Isend to=1 request=0", "Isend to=1 request=1", "starts request 1 a second time"},
        {"Isend to=1 request=1\n", "Isend to=1 request=1 entered=40\n",
         "task 0, thread 1, event 4 (MPI_Waitall): completes request 1 before it was started"},
        {"Wait requests=0\n", "Wait requests=0\nWait requests=0\n",
         "completes request 0 a second time"},
    };
    CHECK(program, faults);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_started_collectives),
        cmocka_unit_test(test_between_two_groups),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_asymmetric_graph),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_threads_and_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
