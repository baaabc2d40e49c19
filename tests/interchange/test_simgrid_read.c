/* Reading SimGrid's time-independent traces. The expected calls follow from what the actions mean
 * in SimGrid's replay: counts times the sizes of datatypes, which are those of C; a wait completes
 * the oldest request of its sender, receiver and tag. SimGrid 3.32 replays the text `actions`. */
#include "interchange/format.h"
#include "tests/traces/trace_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static const char actions[] =
    "# a comment\n"
    "0 init\n"
    "1 init\n"
    "2 init\n"
    "\n"
    "0 compute 1e3\n"
    "0 send 1 7 100\n"
    "1 recv 0 7 100\n"
    "1 sleep 2e-6\n"
    "1\tisend 2 3 5 1\n"
    "2 irecv 1 3 5 1\n"
    "0 isend 2 3 5 1\n"
    "2 irecv 0 3 -1\n"
    "2 wait 0 2 3\n"
    "2 wait 1 2 3\n"
    "0 sendRecv 4 1 4 2 1 1\n"
    "1 sendRecv 4 2 4 0 1 1\n"
    "2 sendRecv 4 0 4 1 1 1\n"
    "0 comm_size 3\n"
    "0 comm_split 1 1\n"
    "0 comm_dup 1\n"
    "0 location a.c 12\n"
    "0 barrier\n"
    "1 barrier\n"
    "2 barrier\n"
    "0 bcast 10 2 0\n"
    "1 bcast 10 2 0\n"
    "2 bcast 10 2 0\n"
    "0 reduce 5 500 1 1\n"
    "1 reduce 5 500 1 1\n"
    "2 reduce 5 500 1 1\n"
    "0 allreduce 5 0 1\n"
    "1 allreduce 5 0 1\n"
    "2 allreduce 5 0 1\n"
    "0 scan 3 0\n"
    "1 scan 3 0\n"
    "2 scan 3 0\n"
    "0 exscan 3 0\n"
    "1 exscan 3 0\n"
    "2 exscan 3 0\n"
    "0 reducescatter 1 2 3 10 1\n"
    "1 reducescatter 1 2 3 10 1\n"
    "2 reducescatter 1 2 3 10 1\n"
    "0 alltoall 6 6 1 1\n"
    "1 alltoall 6 6 1 1\n"
    "2 alltoall 6 6 1 1\n"
    "0 alltoallv 9 1 2 3 9 1 4 7 1 1\n"
    "1 alltoallv 9 4 5 6 9 2 5 8 1 1\n"
    "2 alltoallv 9 7 8 9 9 3 6 9 1 1\n"
    "0 gather 2 8 1 1 6\n"
    "1 gather 0 8 1 1 6\n"
    "2 gather 2 8 1 1 6\n"
    "0 gatherv 1 1 2 3 0 1 1\n"
    "1 gatherv 2 0 0 0 0 1 1\n"
    "2 gatherv 3 0 0 0 0 1 1\n"
    "0 scatter 4 9 0 1 6\n"
    "1 scatter 9 16 0 1 6\n"
    "2 scatter 9 16 0 1 6\n"
    "0 scatterv 0 0 0 1 2 1 1\n"
    "1 scatterv 0 0 0 2 2 1 1\n"
    "2 scatterv 1 2 3 9 2 1 1\n"
    "0 allgather 8 8\n"
    "1 allgather 8 8\n"
    "2 allgather 8 8\n"
    "0 allgatherv 1 1 2 3 1 1\n"
    "1 allgatherv 2 1 2 3 1 1\n"
    "2 allgatherv 3 1 2 3 1 1\n"
    "0 allgatherv 1 1 2 3 0 1 3\n"
    "1 allgatherv 2 1 2 3 0 1 3\n"
    "2 allgatherv 3 1 2 3 0 1 3\n"
    "0 allgatherv 1 1 2 3 1 1 0 1 3\n"
    "1 allgatherv 2 1 2 3 1 1 0 1 3\n"
    "2 allgatherv 3 1 2 3 1 1 0 1 3\n"
    "0 finalize\n"
    "1 finalize\n"
    "2 finalize\n";

static void write_text(const char *path, const char *text) {
    spill(path, text, strlen(text));
}

/* The trace of what is at `path`, as text; its notes. */
static char *imported(const char *path, const char *notes) {
    const char *trace = scratch_path("imported.vef");
    vef_format_report report;
    unlink(trace);
    OK(vef_simgrid_read(path, trace, &report, error));
    assert_string_equal(report.notes.text, notes);
    return sound_text(trace);
}

static void actions_are_calls(void **state) {
    (void)state;
    const char *path = scratch_path("actions.ti");
    write_text(path, actions);
    char *text = imported(path, "");
    has_task(text, 0,
             "Init\nSend to=1 bytes=100 tag=7 ordinal=0 gap=1000\n"
             "Isend to=2 bytes=20 tag=3 ordinal=0\n"
             "Sendrecv to=1 bytes=16 ordinal=1 from=2 bytes=16 ordinal=0\n"
             "Barrier\nBcast root=2 bytes=80\nReduce root=1 bytes=20 elements=5\n"
             "Allreduce bytes=20 elements=5 gap=500\nScan bytes=3 elements=3\n"
             "Exscan bytes=3 elements=3\nReduce_scatter bytes=4 elements=6 receives=4,8,12\n"
             "Alltoall bytes=24 gap=10\nAlltoallv sends=4,8,12 receives=4,16,28\n"
             "Gather root=1 bytes=8\nGatherv bytes=4 receives=4,8,12\nScatter bytes=16\n"
             "Scatterv root=2 bytes=4\nAllgather bytes=8\nAllgatherv bytes=4 receives=4,8,12\n"
             "Allgatherv bytes=1 receives=1,2,3\nAllgatherv bytes=4 receives=4,8,12\n"
             "Waitall requests=0\nFinalize\n");
    begins_task(text, 1,
                "Init\nRecv from=0 bytes=100 tag=7 ordinal=0\n"
                "Isend to=2 bytes=20 tag=3 ordinal=0 gap=2000\n");
    has_task(text, 2,
             "Init\nIrecv from=1 bytes=20 tag=3 ordinal=0\n"
             "Irecv from=0 bytes=20 tag=3 ordinal=0\nWait requests=1\nWait requests=0\n"
             "Sendrecv to=0 bytes=16 ordinal=0 from=1 bytes=16 ordinal=1\n"
             "Barrier\nBcast root=2 bytes=80\nReduce root=1 bytes=20 elements=5\n"
             "Allreduce bytes=20 elements=5 gap=500\nScan bytes=3 elements=3\n"
             "Exscan bytes=3 elements=3\nReduce_scatter bytes=12 elements=6 receives=4,8,12\n"
             "Alltoall bytes=24 gap=10\nAlltoallv sends=28,32,36 receives=12,24,36\n"
             "Gather root=1 bytes=8\nGatherv bytes=12\nScatter bytes=16\n"
             "Scatterv root=2 bytes=12 sends=4,8,12\nAllgather bytes=8\n"
             "Allgatherv bytes=12 receives=4,8,12\nAllgatherv bytes=3 receives=1,2,3\n"
             "Allgatherv bytes=12 receives=4,8,12\nFinalize\n");
    free(text);
}

/* Requests of one key complete in their order; a waitall and the end of the task complete the rest.
 * A test need not have succeeded. Files of a list lie beside it, their lines may name another rank;
 * the `init` of rank 0 counts for all. */
static void files_of_a_list_are_tasks(void **state) {
    (void)state;
    char list[1024];
    snprintf(list, sizeof list, "%s", scratch_path("list.ti"));
    write_text(list, "one.txt\n\n  two.txt\r\n");
    write_text(scratch_path("one.txt"),
               "0 init 1\n0 isend 1 0 4\n0 isend 1 0 5 6\n0 wait 0 1 0\n"
               "1 compute 5\n0 isend 1 1 1\n0 wait 0 1 8\n0 waitall\n"
               "0 waitall\n0 isend 1 2 1\n0 finalize");
    write_text(scratch_path("two.txt"),
               "# version: 1.0\n1 recv 0 0 4\n1 irecv 0 0 5\n1 test 0 1 0\n"
               "1 recv -555 -444 1\n1 recv 0 2 1 -1\n1 send -333 0 3\n");
    char *text =
        imported(list,
                 "1 tests are left out: the format does not state whether they succeeded; "
                 "1 waits name no request under way and are left out; "
                 "1 lines name another rank than that of their file and are left out; "
                 "1 receives from any source or with any tag complete at once: the format does not "
                 "name their message; "
                 "1 derived datatypes are taken as 0 bytes: their size is not known");
    has_task(text, 0,
             "Init\nIsend to=1 bytes=32 ordinal=0\nIsend to=1 bytes=5 ordinal=1\n"
             "Wait requests=0\nIsend to=1 bytes=8 tag=1 ordinal=2 flags=unmatched\n"
             "Waitall requests=1-2\nIsend to=1 bytes=8 tag=2 ordinal=3\n"
             "Waitall requests=3\nFinalize\n");
    has_task(text, 1,
             "Init\nRecv from=0 bytes=32 ordinal=0\nIrecv from=0 bytes=5 ordinal=1\n"
             "Recv from=none bytes=0 tag=-1 ordinal=none flags=any-source,any-tag,unmatched\n"
             "Recv from=0 bytes=8 tag=2 ordinal=3\nSend to=none bytes=24 ordinal=none\n"
             "Waitall requests=0\nFinalize\n");
    free(text);
}

/* One file for all tasks, named by a list of one line. */
static void a_list_of_one_names_the_file_of_all(void **state) {
    (void)state;
    char list[1024];
    snprintf(list, sizeof list, "%s", scratch_path("single.ti"));
    write_text(list, "all.txt\n");
    write_text(scratch_path("all.txt"), "2 init\n2 send 0 0 9\n0 recv 2 0 9\n");
    char *text = imported(list, "");
    has_task(text, 0, "Init\nRecv from=2 bytes=9 ordinal=0\nFinalize\n");
    has_task(text, 1, "Init\nFinalize\n");
    has_task(text, 2, "Init\nSend to=0 bytes=9 ordinal=0\nFinalize\n");
    free(text);
}

static void datatypes_have_the_sizes_of_c(void **state) {
    (void)state;
    const size_t sizes[] = {sizeof(double),
                            sizeof(int),
                            1,
                            sizeof(short),
                            sizeof(long),
                            sizeof(float),
                            1,
                            sizeof(long long),
                            1,
                            1,
                            sizeof(short),
                            sizeof(unsigned),
                            sizeof(long),
                            sizeof(long long),
                            sizeof(long double),
                            sizeof(wchar_t),
                            sizeof(bool),
                            1,
                            2,
                            4,
                            8,
                            1,
                            2,
                            4,
                            8,
                            sizeof(float complex),
                            sizeof(double complex),
                            sizeof(long double complex),
                            sizeof(ptrdiff_t),
                            sizeof(long long),
                            sizeof(struct {
                                float a;
                                int b;
                            }),
                            sizeof(struct {
                                long a;
                                int b;
                            }),
                            sizeof(struct {
                                double a;
                                int b;
                            }),
                            sizeof(struct {
                                short a;
                                int b;
                            }),
                            sizeof(int[2]),
                            sizeof(float[2]),
                            sizeof(double[2]),
                            sizeof(long[2]),
                            sizeof(float),
                            sizeof(float),
                            sizeof(double),
                            sizeof(long double),
                            sizeof(float[2]),
                            sizeof(double[2]),
                            sizeof(double[2]),
                            sizeof(int),
                            2,
                            4,
                            8,
                            16,
                            sizeof(struct {
                                long double a;
                                int b;
                            }),
                            sizeof(bool),
                            sizeof(float complex),
                            sizeof(double complex),
                            sizeof(long double complex),
                            0,
                            0,
                            1,
                            sizeof(void *),
                            sizeof(long long)};
    char text[8192] = "", expected[8192] = "Init\n";
    const char *path = scratch_path("types.ti");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sprintf(text + strlen(text), "0 bcast 10 0 %zu\n", i);
        if (sizes[i])
            sprintf(expected + strlen(expected), "Bcast bytes=%zu\n", 10 * sizes[i]);
        else
            strcat(expected, "Bcast\n");
    }
    write_text(path, text);
    strcat(expected, "Finalize\n");
    char *dumped = imported(path, "");
    has_task(dumped, 0, expected);
    free(dumped);
    sprintf(text, "0 bcast 10 0 %zu\n", sizeof sizes / sizeof *sizes);
    write_text(path, text);
    vef_error error;
    vef_format_report report;
    assert_int_equal(vef_simgrid_read(path, scratch_path("types.vef"), &report, &error),
                     VEF_INVALID);
    assert_non_null(
        strstr(error.message, "types.ti:1: the datatype: expected a number from -1 to 59"));
}

static void wrong_text_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "wrong.ti: empty"},
        {"# only a comment\n", "wrong.ti: empty"},
        {"no-such-file\n", "no-such-file"},
        {"0 init\nx init\n", ":2: the rank: expected a number from 0"},
        {"0 init\n\n0 waitAny 2\n", ":3: expected an action that SimGrid replays, found 'waitAny'"},
        {"0 init\n0\n", ":2: expected an action that SimGrid replays, found ''"},
        {"0 Isend 1 4 1\n", "found 'Isend'"},
        {"0 send 1 1\n", ":1: the rank: expected a number from -2147483648 to 0, found '1'"},
        {"0 send 0 1\n", ":1: the count: expected a number from 0 to"},
        {"0 send 0 1 -1\n", ":1: the count: expected a number from 0 to"},
        {"0 send 0 1 nan\n", ":1: the count: expected a number from 0 to"},
        {"0 send 0 1 1e30\n", ":1: the count: expected a number from 0 to"},
        {"0 compute\n", ":1: the flops or seconds: expected a number from 0 to"},
        {"0 compute 5x\n", "found '5x'"},
        {"0 bcast 5 1\n", ":1: the root: expected a number from 0 to 0"},
        {"1 init\n0 gatherv 5 1\n", ":2: the count of a sending rank: expected"},
        {"0 barrier\n1 barrier\n1 bcast 5\n0 barrier\n",
         ":3: collective 1 of rank 1 is bcast, of rank 0 barrier: expected the same in all ranks"},
        {"0 barrier\n1 init\n", "collective 0 of rank 1 is missing, of rank 0 barrier"},
        {"0 init\n1 barrier\n", "collective 0 of rank 1 is barrier, of rank 0 missing"},
        {"2000000000 init\n", "tasks"},
    };
    const char *path = scratch_path("wrong.ti"), *trace = scratch_path("wrong.vef");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_error error = {0};
        vef_format_report report;
        write_text(path, cases[i].text);
        assert_int_not_equal(vef_simgrid_read(path, trace, &report, &error), VEF_OK);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' gave: %s", cases[i].text, error.message);
        assert_null(fopen(trace, "rb"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_are_calls),
        cmocka_unit_test(files_of_a_list_are_tasks),
        cmocka_unit_test(a_list_of_one_names_the_file_of_all),
        cmocka_unit_test(datatypes_have_the_sizes_of_c),
        cmocka_unit_test(wrong_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
