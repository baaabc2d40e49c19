/* vef check: a trace without fault has none, and each planted fault is found and named. */
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

static const char sound[] =
    "vef-trace 1\n"
    "tasks 2\n"
    "comm 1 parent=0 by=Comm_dup members=0-1\n"
    "task 0\n"
    "Init\n"
    "Comm_dup new=1\n"
    "Isend to=1 bytes=100 tag=1\n"
    "Irecv from=1\n"
    "Waitall requests=0-1\n"
    "Send to=1 bytes=7 comm=1\n"
    "Probe from=1\n"
    "Recv from=1\n"
    "Barrier comm=1\n"
    "Bcast root=1 bytes=8\n"
    "Allreduce bytes=16 elements=2\n"
    "Alltoallv sends=1,2 receives=1,3\n"
    "Gatherv root=0 bytes=5 receives=5,6\n"
    "Scatterv root=1 bytes=7\n"
    "Allgatherv bytes=1 receives=1,2\n"
    "Comm_free comm=1\n"
    "Finalize\n"
    "end finalized\n"
    "task 1\n"
    "Init\n"
    "Comm_dup new=1\n"
    "Recv from=0 tag=1\n"
    "Send to=0 bytes=50\n"
    "Recv from=0 comm=1\n"
    "Send to=0 bytes=51\n"
    "Barrier comm=1\n"
    "Bcast root=1 bytes=8\n"
    "Allreduce bytes=16 elements=2\n"
    "Alltoallv sends=3,4 receives=2,4\n"
    "Gatherv root=0 bytes=6\n"
    "Scatterv root=1 bytes=9 sends=7,9\n"
    "Allgatherv bytes=2 receives=1,2\n"
    "Comm_free comm=1\n"
    "Finalize\n"
    "end finalized\n";

static void test_sound(void **state) {
    (void)state;
    told notes;
    if (check_text(sound, 10, &notes) != 0)
        fail_msg("%s", notes.text);
}

/* `sound` with one piece of text replaced. */
static char *with(const char *from, const char *to) {
    const char *cursor = strstr(sound, from);
    assert_non_null(cursor);
    char *text = malloc(sizeof sound + strlen(to));
    assert_non_null(text);
    sprintf(text, "%.*s%s%s", (int)(cursor - sound), sound, to, cursor + strlen(from));
    return text;
}

static void test_planted_faults(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        /* a message more, or less, than is received */
        {"Probe from=1\n", "Send to=1 bytes=3\n",
         "task 0, event 6: sends message 2 to task 1 (3 bytes, tag 0), which is never received"},
        {"Recv from=0 tag=1\n", "Recv from=0 tag=1\nRecv from=0\n",
         "task 1, event 3 (MPI_Recv): receives message 2 from task 0, which does not send it"},
        {"Recv from=0 tag=1\n", "Recv from=0 tag=1 ordinal=none bytes=0\n",
         "task 1, event 2 (MPI_Recv): a receive from task 0 without a message"},
        {"Recv from=0 comm=1\n", "Recv from=0 comm=1 ordinal=0\n",
         "task 1, event 4 (MPI_Recv): receives message 0 from task 0 a second time"},
        {"Recv from=0 tag=1\n", "Recv from=0 tag=1 bytes=99\n",
         "message 0 from task 0 has 99 bytes here, 100 there"},
        {"Recv from=0 comm=1\n", "Recv from=0 comm=0 ordinal=1 bytes=7\n",
         "tag 0 and communicator 0 here, tag 0 and communicator 1 there"},
        {"Isend to=1 bytes=100 tag=1\n", "Isend to=1 bytes=100 tag=1 flags=unmatched\n",
         "flagged as received outside the trace, but it is received in the trace"},
        {"Recv from=0 tag=1\n",
         "Iprobe from=0 tag=1 ordinal=0 flags=unmatched\nRecv from=0 tag=1\n",
         "message 0 to task 1, flagged as only probed, but it is received"},
        {"Send to=0 bytes=50\n",
         "Send to=0 bytes=50\nSend to=0 bytes=1 tag=2 flags=unmatched,probed\n",
         "message 1 to task 0, flagged as probed, but no probe is flagged as its last"},
        /* requests */
        {"Waitall requests=0-1\n", "Wait requests=0\n",
         "task 0, event 3: starts request 1, which is never completed"},
        {"Waitall requests=0-1\n", "Waitall requests=0-1,0\n",
         "task 0, event 4 (MPI_Waitall): completes request 0 a second time"},
        {"Irecv from=1\n", "Irecv from=1 flags=open-ended\n",
         "completes request 1, which is flagged as never completed"},
        {"Irecv from=1\n", "Irecv from=1 request=5\n", "starts request 5: expected 1"},
        /* collectives */
        {"Barrier comm=1\nBcast root=1 bytes=8\n", "Bcast root=1 bytes=8 comm=1\nBarrier\n",
         "the operation of collective 0 of communicator 1 differs"},
        {"Bcast root=1 bytes=8\n", "Bcast root=0 bytes=8\n",
         "the root of collective 1 of communicator 0 differs"},
        {"Bcast root=1 bytes=8\n", "Bcast root=1 bytes=9\n",
         "the size of collective 1 of communicator 0 differs"},
        {"Allreduce bytes=16 elements=2\n", "Allreduce bytes=16 elements=4\n",
         "the number of elements of collective 2 of communicator 0 differs"},
        {"sends=3,4 receives=2,4", "sends=5,4 receives=2,4",
         "(MPI_Alltoallv): in collective 3 of communicator 0 the counts that the members send and "
         "receive differ"},
        {"Gatherv root=0 bytes=6", "Gatherv root=0 bytes=8", "(MPI_Gatherv): in collective 4"},
        {"bytes=9 sends=7,9", "bytes=9 sends=8,9", "(MPI_Scatterv): in collective 5"},
        {"Allgatherv bytes=2 receives=1,2\n", "Allgatherv bytes=2 receives=1,3\n",
         "(MPI_Allgatherv): in collective 6"},
        {"Allgatherv bytes=2 receives=1,2\n", "",
         "(MPI_Allgatherv): collective 6 of communicator 0 is called by 1 of its 2 members"},
        /* communicators */
        {"Comm_dup new=1\n", "Comm_dup\n",
         "communicator 1 (MPI_Comm_dup) is created by 1 of its 2"},
        {"Comm_dup new=1\n", "Comm_split new=1\n",
         "but in the header MPI_Comm_dup creates it from 0"},
        {"by=Comm_dup members=0-1", "by=Comm_dup members=1",
         "task 0, event 1 (MPI_Comm_dup): creates communicator 1, of which this task is not a "
         "member"},
        {"by=Comm_dup members=0-1", "by=Comm_dup members=1",
         "task 0, event 8 (MPI_Barrier): called on communicator 1, of which this task is not a"},
        /* tasks */
        {"end finalized\ntask 1", "end cut\ntask 1", "task 0 is cut short after 17 events"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        told notes;
        char *text = with(cases[i].from, cases[i].to);
        uint64_t faults = check_text(text, 10, &notes);
        if (faults == 0 || !strstr(notes.text, cases[i].says))
            fail_msg("%s → %s: %s", cases[i].from, cases[i].to, notes.text);
        free(text);
    }
}

/* What merge flags as outside the trace is no fault. */
static void test_flagged(void **state) {
    (void)state;
    told notes;
    uint64_t faults = check_text(
        "vef-trace 1\n"
        "tasks 2\n"
        "task 0\n"
        "Send to=1 bytes=3 flags=unmatched\n"
        "Irecv from=1 flags=unmatched,open-ended\n"
        "Irecv from=none flags=unmatched,any-source\n"
        "Isend to=1 flags=cancelled\n"
        "Waitall requests=1,2!\n"
        "Recv from=none\n",
        10, &notes);
    if (faults != 0)
        fail_msg("%s", notes.text);
}

/* Only that many are reported, but all are counted. */
static void test_limit(void **state) {
    (void)state;
    char text[8192] = "vef-trace 1\ntasks 2\ntask 0\n";
    for (unsigned i = 0; i < 25; i++)
        strcat(text, "Send to=1\n");
    told notes;
    unsigned lines = 0;
    assert_int_equal(check_text(text, 10, &notes), 25);
    for (const char *cursor = notes.text; (cursor = strchr(cursor, '\n')); cursor++)
        lines++;
    assert_int_equal(lines, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_planted_faults),
        cmocka_unit_test(test_flagged),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
