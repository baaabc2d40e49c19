/* Reading DUMPI (interchange/dumpi). The files are written here call by call, after the
 * description of the format in sst-dumpi (docs/traceformat.dox, common/dumpiio.c). What is expected
 * follows from the MPI standard: members of split communicators, sizes of datatypes, matching. */
#include "interchange/format.h"
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
#include <sys/stat.h>
#include <unistd.h>

/* Numbers of calls: their places in DUMPI's list of functions (common/funclabels.h). */
enum {
    SEND = 0,
    RECV = 1,
    ISEND = 8,
    IRECV = 12,
    WAIT = 13,
    WAITALL = 18,
    SEND_INIT = 26,
    START = 31,
    TYPE_VECTOR = 36,
    SENDRECV = 33,
    BCAST = 53,
    GATHER = 54,
    GATHERV = 55,
    SCATTER = 56,
    ALLGATHERV = 59,
    ALLTOALL = 60,
    ALLTOALLV = 61,
    COMM_GROUP = 72,
    GROUP_UNION = 73,
    GROUP_INTERSECTION = 74,
    GROUP_DIFFERENCE = 75,
    GROUP_INCL = 76,
    GROUP_EXCL = 77,
    GROUP_RANGE_INCL = 78,
    GROUP_RANGE_EXCL = 79,
    COMM_CREATE = 85,
    COMM_SPLIT = 86,
    CART_CREATE = 99,
    CART_SUB = 111,
    INIT = 124,
    FINALIZE = 125,
    ALLTOALLW = 155,
    FUNCTIONS = 290,
    END = 293,
};
enum { INT = 9, DOUBLE = 14, WORLD = 2 }; /* common/constants.h */

static FILE *file;
static uint32_t now_ns, clock_s; /* of the host's clock at 0 ns */
static const char *host = "node7";

static void put(unsigned bytes, uint64_t value) {
    while (bytes-- > 0)
        fputc((int)(value >> 8 * bytes & 0xff), file);
}
static void put_magic(void) {
    fwrite(
        "\xff\xaa\xdd"
        "DUMPI",
        1, 8, file);
}
/* A call of 10 ns, 100 ns after the last one: wall times, statuses, thread 0. */
static void call(unsigned id) {
    put(2, id);
    put(1, 8 | 3 | 64);
    put(2, 0);
    now_ns += 100;
    put(2, 0), put(4, now_ns);
    now_ns += 10;
    put(2, 0), put(4, now_ns);
}
static void ints(unsigned count, const int32_t *list) {
    put(4, count);
    for (unsigned i = 0; i < count; i++)
        put(4, (uint32_t)list[i]);
}
#define INTS(...)                                                                                  \
    ints(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t), (const int32_t[]){__VA_ARGS__})
static void status(uint32_t bytes, uint32_t source, uint32_t tag) {
    put(4, bytes), put(4, source), put(1, 0), put(1, 0), put(4, tag);
}
static void transfer(unsigned id, uint32_t count, unsigned type, int32_t peer, int32_t tag,
                     unsigned comm) {
    call(id);
    put(4, count), put(2, type), put(4, (uint32_t)peer), put(4, (uint32_t)tag), put(2, comm);
}

static char folder[1024];

static void open_file(const char *name) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    assert_non_null(file);
}
static void begin(uint32_t task) {
    char name[32];
    snprintf(name, sizeof name, "run-%04u.bin", task);
    open_file(name);
    now_ns = 0;
    put_magic();
    put(4, 0), put(4, clock_s); /* of processor and wall time */
    call(INIT);
    put(4, 1), put(4, 4), fwrite("./me", 1, 4, file);
}
/* Header, footer, sizes, index. `ignored`: counts of Finalize that the stream lacks. */
static void end(uint32_t ignored) {
    put(2, END);
    const long header = ftell(file);
    put(3, 0x010000), put(8, 1000), put(2, strlen(host)), fputs(host, file);
    put(2, 0), put(4, 0), put(4, 0);
    const long footer = ftell(file);
    put(8, 0xf007fee7);
    for (unsigned i = 0; i < 2 * (FUNCTIONS + 1); i++)
        put(4, i == FUNCTIONS + 1 + FINALIZE ? ignored : 0);
    const long keys = ftell(file);
    put(4, 0);
    const long sizes = ftell(file);
    put(4, 28);
    for (unsigned i = 0; i < 28; i++)
        put(4, i == INT ? 4 : i == DOUBLE ? 8 : 1);
    put_magic();
    put(8, (uint64_t)sizes), put(8, 0), put(8, 0), put(8, (uint64_t)header), put(8, 8);
    put(8, (uint64_t)footer), put(8, (uint64_t)keys);
    assert_int_equal(fclose(file), 0);
}
static void write_meta(unsigned tasks) {
    open_file("run.meta");
    fprintf(file, "hostname=node7\nnumprocs=%u\nusername=me\nstartime=1000\nfileprefix=dir/run\n",
            tasks);
    assert_int_equal(fclose(file), 0);
}

static vef_code import(vef_format_report *report, vef_error *error) {
    char meta[1100], path[1100];
    snprintf(meta, sizeof meta, "%s/run.meta", folder);
    snprintf(path, sizeof path, "%s/out.vef", folder);
    *error = (vef_error){0};
    return vef_dumpi_read(meta, path, report, error);
}
/* The text of the imported trace; a task that is cut short is a fault for the check. */
static char *text_of(const char *notes, uint64_t expected_faults) {
    char path[1100], *text = NULL;
    size_t bytes = 0;
    uint64_t faults = 0;
    vef_format_report report;
    vef_trace *trace = NULL;
    OK(import(&report, error));
    assert_string_equal(report.notes.text, notes);
    snprintf(path, sizeof path, "%s/out.vef", folder);
    OK(vef_trace_open(path, &trace, NULL, error));
    const vef_check_options options = {.limit = 8};
    OK(vef_check(trace, &options, &faults, error));
    assert_int_equal(faults, expected_faults);
    FILE *out = open_memstream(&text, &bytes);
    OK(vef_text_dump(trace, -1, out, error));
    fclose(out);
    vef_trace_close(trace);
    return text;
}
static void has(const char *text, const char *line) {
    if (!strstr(text, line))
        fail_msg("no '%s' in:\n%s", line, text);
}
static int clean(void **state) {
    (void)state;
    static const char *const names[] = {"run.meta",     "out.vef",      "run-0000.bin",
                                        "run-0001.bin", "run-0002.bin", "run-0003.bin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return 0;
}

/* Sends share a handle, as those that MPICH completes at once; a receive from any source; a vector
 * of 3 blocks of 2 integers: 24 bytes. Task 1 called Pcontrol(0) before it finalized. */
static void messages_and_requests(void **state) {
    (void)state;
    write_meta(2);
    begin(0);
    call(TYPE_VECTOR);
    put(4, 3), put(4, 2), put(4, 5), put(2, INT), put(2, 28);
    transfer(ISEND, 2, 28, 1, 7, WORLD), put(4, 2);
    transfer(ISEND, 1, DOUBLE, 1, 8, WORLD), put(4, 2);
    call(WAITALL);
    put(4, 2), INTS(2, 2), put(4, 0);
    transfer(SEND_INIT, 3, INT, 1, 9, WORLD), put(4, 5);
    for (int i = 0; i < 2; i++) {
        call(START), put(4, 5);
        call(WAIT), put(4, 5), put(4, 0);
    }
    call(FINALIZE);
    end(0);
    begin(1);
    transfer(IRECV, 100, INT, -1, -1, WORLD), put(4, 2);
    transfer(RECV, 100, INT, 0, 7, WORLD), put(4, 1), status(48, 0, 7);
    call(WAIT), put(4, 2), put(4, 1), status(8, 0, 8);
    transfer(RECV, 3, INT, 0, 9, WORLD), put(4, 0); /* MPI_STATUS_IGNORE */
    transfer(RECV, 3, INT, 0, 9, WORLD), put(4, 0);
    end(1);
    char *text = text_of("", 0);
    has(text, "Isend to=1 bytes=48 tag=7 ordinal=0 gap=200 outside=10 time=10");
    has(text, "Isend to=1 bytes=8 tag=8 ordinal=1");
    has(text, "Waitall requests=0-1 ");
    has(text, "Start to=1 bytes=12 tag=9 ordinal=2");
    has(text, "Wait requests=3 ");
    has(text, "Irecv from=0 bytes=8 tag=8 ordinal=1 flags=any-source,any-tag");
    has(text, "Recv from=0 bytes=48 tag=7 ordinal=0");
    has(text, "Recv from=0 bytes=12 tag=9 ordinal=3");
    assert_null(strstr(text, "end cut"));
    free(text);
}

/* Four tasks: a split by parity with keys that reverse the order, one of a group, a grid of 2 x 2
 * and its rows; a Gatherv in the split communicator. */
static void communicators(void **state) {
    (void)state;
    write_meta(4);
    for (uint32_t task = 0; task < 4; task++) {
        const bool odd = task % 2;
        begin(task);
        call(COMM_SPLIT), put(2, WORLD), put(4, odd), put(4, 4 - task), put(2, 4);
        call(COMM_GROUP), put(2, WORLD), put(2, 3);
        call(GROUP_INCL), put(2, 3), put(4, 2), INTS(3, 1), put(2, 4);
        call(COMM_CREATE), put(2, WORLD), put(2, 4), put(2, odd ? 5 : 1);
        call(CART_CREATE), put(2, WORLD), put(4, 2), INTS(2, 2), INTS(1, 0), put(4, 0), put(2, 6);
        call(CART_SUB), put(4, 2), put(2, 6), INTS(0, 1), put(2, 7);
        /* rank 0 of the split is the higher task */
        const uint32_t rank = task < 2;
        call(GATHERV), put(4, rank), put(4, 2), put(4, rank + 1), put(2, INT), put(4, 0), put(2, 4);
        if (rank == 0)
            INTS(1, 2), INTS(0, 1);
        put(2, INT);
        if (odd) {
            call(BCAST);
            put(4, 5), put(2, DOUBLE), put(4, 1), put(2, 5);
        }
        call(BCAST), put(4, 1), put(2, INT), put(4, 0), put(2, 7);
        call(FINALIZE);
        end(0);
    }
    char *text = text_of("", 0);
    has(text, "by=Comm_split members=2,0");
    has(text, "by=Comm_split members=3,1");
    has(text, "by=Comm_create members=3,1");
    has(text, "by=Cart_create members=0-3 grid=2px2");
    has(text, "by=Cart_sub members=0-1 grid=2");
    has(text, "by=Cart_sub members=2-3 grid=2");
    has(text, "Gatherv comm=1 bytes=8");
    has(text, "Gatherv comm=1 bytes=4 receives=4,8");
    has(text, "root=1 bytes=40");
    free(text);
}

/* A communicator of each group that MPI makes of others (MPI 4.0, section 7.3.2), in its order. */
static void groups(void **state) {
    static const uint32_t members[] = {0xd, 0xa, 0xf, 0x8, 0x5, 0xc}; /* bit t: task t */
    (void)state;
    write_meta(4);
    for (uint32_t task = 0; task < 4; task++) {
        begin(task);
        call(COMM_GROUP), put(2, WORLD), put(2, 3);
        call(GROUP_EXCL), put(2, 3), put(4, 1), INTS(1), put(2, 4);
        call(GROUP_RANGE_INCL), put(2, 3), put(4, 1), put(4, 1), INTS(3, 0, -2), put(2, 5);
        call(GROUP_UNION), put(2, 5), put(2, 4), put(2, 6);
        call(GROUP_INTERSECTION), put(2, 4), put(2, 5), put(2, 7);
        call(GROUP_DIFFERENCE), put(2, 4), put(2, 5), put(2, 8);
        call(GROUP_RANGE_EXCL), put(2, 3), put(4, 1), put(4, 1), INTS(0, 1, 1), put(2, 9);
        for (uint32_t i = 0; i < 6; i++)
            call(COMM_CREATE), put(2, WORLD), put(2, 4 + i),
                put(2, members[i] >> task & 1 ? 10 + i : 1);
        call(FINALIZE);
        end(0);
    }
    char *text = text_of("", 0);
    has(text, "by=Comm_create members=0,2-3\n");
    has(text, "by=Comm_create members=3,1\n");
    has(text, "by=Comm_create members=3,1,0,2\n");
    has(text, "by=Comm_create members=3\n");
    has(text, "by=Comm_create members=0,2\n");
    has(text, "by=Comm_create members=2-3\n");
    free(text);
}

/* Task 0 receives without statuses: from any source; from -2, Open MPI's MPI_PROC_NULL; from -1,
 * which is also MPICH's MPI_PROC_NULL: one returns before the only message of its tag is sent, one
 * has a tag of which there is none, one a status of MPI_PROC_NULL, one that of zeros which MPICH
 * gives it. The clock of task 2 is on another host, 1,000 s ahead: its first message is sent before
 * that of task 1. */
static void any_source(void **state) {
    (void)state;
    write_meta(3);
    begin(0);
    transfer(RECV, 9, INT, -1, 7, WORLD), put(4, 0);
    now_ns = 5000;
    transfer(RECV, 9, INT, -1, 5, WORLD), put(4, 0);
    transfer(RECV, 9, INT, -1, 5, WORLD), put(4, 0);
    transfer(RECV, 9, INT, 2, 5, WORLD), put(4, 0);
    transfer(RECV, 9, INT, -2, 5, WORLD), put(4, 0);
    transfer(IRECV, 9, INT, -1, -1, WORLD), put(4, 2);
    transfer(RECV, 9, INT, -1, 6, WORLD), put(4, 0);
    call(WAIT), put(4, 2), put(4, 0);
    transfer(IRECV, 9, INT, -1, 5, WORLD), put(4, 2);
    call(WAIT), put(4, 2), put(4, 1), status(0, UINT32_MAX, UINT32_MAX);
    transfer(IRECV, 9, INT, -1, 0, WORLD), put(4, 2);
    call(WAIT), put(4, 2), put(4, 1), status(0, 0, 0);
    transfer(SENDRECV, 1, INT, 1, 4, 0), fseek(file, -2, SEEK_CUR);
    put(4, 1), put(2, INT), put(4, UINT32_MAX), put(4, 4), put(2, WORLD), put(4, 0);
    call(FINALIZE);
    end(0);
    begin(1);
    now_ns = 300;
    transfer(SEND, 3, INT, 0, 5, WORLD);
    now_ns = 900;
    transfer(SEND, 5, INT, 0, 7, WORLD);
    transfer(RECV, 1, INT, 0, 4, WORLD), put(4, 0);
    call(FINALIZE);
    end(0);
    clock_s = 1000;
    host = "node8";
    begin(2);
    now_ns = 150;
    transfer(SEND, 1, INT, 0, 5, WORLD);
    now_ns = 600;
    transfer(SEND, 2, INT, 0, 5, WORLD);
    call(FINALIZE);
    end(0);
    clock_s = 0;
    host = "node7";
    char *text = text_of(
        "3 receives from any source or with any tag do not state their message: they get those "
        "that "
        "others leave over, in the order of time; 5 receives or probes from any source or with any "
        "tag do not state their message, and none is left over: they complete at once, as from "
        "MPI_PROC_NULL",
        0);
    has(text,
        "\nRecv from=none bytes=0 tag=7 ordinal=none gap=100 time=10\n"
        "Recv from=2 bytes=4 tag=5 ordinal=0 flags=any-source gap=");
    has(text,
        "\nRecv from=1 bytes=12 tag=5 ordinal=0 flags=any-source gap=100 time=10\n"
        "Recv from=2 bytes=8 tag=5 ordinal=1 gap=100 time=10\n"
        "Recv from=none bytes=0 tag=5 ordinal=none gap=100 time=10\n"
        "Irecv from=1 bytes=20 tag=7 ordinal=1 flags=any-source,any-tag gap=100 time=10\n"
        "Recv from=none bytes=0 tag=6 ordinal=none gap=100 time=10\n"
        "Wait requests=0 gap=100 time=10\n"
        "Irecv from=none bytes=0 tag=5 ordinal=none gap=100 time=10\n");
    has(text, "\nSendrecv to=1 bytes=4 tag=4 ordinal=0 from=none bytes=0 tag=4 ordinal=none gap=");
    free(text);
}

/* With MPI_IN_PLACE the send arguments, and the receive argument of the root of a Scatter, are
 * whatever the program left there: 0, or 77 bytes. What rank i exchanges with j in place is 4 (i +
 * j); a last Alltoallv is whole: i sends i bytes to each. */
static void in_place(void **state) {
    (void)state;
    for (int32_t left = 0; left < 78; left += 77) {
        write_meta(3);
        for (int32_t task = 0; task < 3; task++) {
            begin((uint32_t)task);
            call(ALLGATHERV), put(4, 3), put(4, (uint32_t)left), put(2, 2), INTS(1, 2, 3);
            INTS(0, 1, 3), put(2, INT), put(2, WORLD);
            call(ALLTOALL), put(4, (uint32_t)left), put(2, 2), put(4, 10), put(2, INT),
                put(2, WORLD);
            for (int root = 1; root >= 0; root--) { /* of a Gather, and of a Scatter */
                call(root ? GATHER : SCATTER), put(4, (uint32_t)task);
                put(4, task == root ? (uint32_t)left : 40), put(2, 2), put(4, (uint32_t)root);
                put(2, WORLD);
                if (task == root)
                    put(4, 10), put(2, INT);
            }
            call(ALLTOALLV), put(4, 3), INTS(left, left, left), INTS(0, 0, 0), put(2, 2);
            INTS(task, task + 1, task + 2), INTS(0, 0, 0), put(2, INT), put(2, WORLD);
            call(ALLTOALLW), put(4, 3), INTS(left, left, left), INTS(0, 0, 0);
            put(4, 3), put(2, 2), put(2, 2), put(2, 2);
            INTS(task, task + 1, task + 2), INTS(0, 0, 0);
            put(4, 3), put(2, INT), put(2, INT), put(2, INT), put(2, WORLD);
            call(ALLTOALLV), put(4, 3), INTS(task, task, task), INTS(0, 0, 0), put(2, 2);
            INTS(0, 1, 2), INTS(0, 0, 0), put(2, 2), put(2, WORLD);
            call(FINALIZE);
            end(0);
        }
        char *text = text_of("", 0);
        has(text,
            "task 1\nInit time=10\n"
            "Allgatherv bytes=8 receives=4,8,12 marks=in-place gap=100 time=10\n"
            "Alltoall bytes=40 marks=in-place gap=100 time=10\n"
            "Gather root=1 bytes=40 marks=in-place gap=100 time=10\n"
            "Scatter bytes=40 gap=100 time=10\n"
            "Alltoallv sends=4,8,12 receives=4,8,12 marks=in-place gap=100 time=10\n"
            "Alltoallw sends=4,8,12 receives=4,8,12 marks=in-place gap=100 time=10\n"
            "Alltoallv sends=1*3 receives=0,1,2 gap=100 time=10\n");
        has(text, "\nScatter bytes=40 marks=in-place");
        free(text);
    }
}

static void write_pair(void) {
    write_meta(2);
    begin(0);
    transfer(SEND, 1, INT, 1, 0, WORLD);
    call(FINALIZE);
    end(0);
    begin(1);
    transfer(RECV, 1, INT, 0, 0, WORLD), put(4, 0);
    call(FINALIZE);
    end(0);
}

static void overwrite(const char *name, long position, const char *bytes, size_t count) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *open = fopen(path, "r+b");
    assert_non_null(open);
    fseek(open, position, SEEK_SET);
    fwrite(bytes, 1, count, open);
    fclose(open);
}

static void refused(const char *why) {
    vef_error error;
    vef_format_report report;
    assert_int_not_equal(import(&report, &error), VEF_OK);
    if (!strstr(error.message, why))
        fail_msg("'%s' does not say '%s'", error.message, why);
}

static void bad_files(void **state) {
    (void)state;
    char path[1100];
    write_pair();
    snprintf(path, sizeof path, "%s/run-0001.bin", folder);
    /* Cut after the receive: 16 bytes, Init of 29, 17 of the call's head, 20 of its arguments. */
    assert_int_equal(truncate(path, 16 + 29 + 17 + 20 + 5), 0);
    char *text = text_of(
        "1 of 2 tasks end before MPI_Finalize; "
        "1 files are cut short: their calls are read as far as they go",
        1);
    has(text, "Recv from=0 bytes=4 ordinal=0");
    free(text);
    assert_int_equal(truncate(path, 0), 0);
    refused("run-0001.bin: not a DUMPI file: 0 bytes");
    unlink(path);
    text = text_of("1 of 2 tasks end before MPI_Finalize; 1 tasks have no file", 1);
    free(text);
}

static void bad_contents(void **state) {
    (void)state;
    write_pair();
    overwrite("run-0000.bin", 0, "IPMUD\xdd\xaa\xff", 8);
    refused("little-endian");
    overwrite("run-0000.bin", 0, "OTF2", 4);
    refused("run-0000.bin: not a DUMPI file: expected ff aa dd DUMPI");
    write_pair();
    overwrite("run-0000.bin", 16 + 29, "\x12\x34", 2);
    refused("offset 45: call 4660: expected a number of an MPI call (0 to 289)");
    write_pair();
    overwrite("run-0000.bin", 16 + 29 + 17 + 6, "\0\0\0\x9", 4);
    refused("offset 45: Send: rank 9: expected a rank below 2");
    write_meta(9);
    refused("run.meta: 2 of 9 files run-NNNN.bin are beside it");
    write_meta(0);
    refused("numprocs=0: expected 1 to 10000000");
    open_file("run.meta");
    fclose(file);
    refused("expected lines numprocs=N and fileprefix=NAME");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(messages_and_requests, clean),
        cmocka_unit_test_teardown(communicators, clean),
        cmocka_unit_test_teardown(groups, clean),
        cmocka_unit_test_teardown(any_source, clean),
        cmocka_unit_test_teardown(in_place, clean),
        cmocka_unit_test_teardown(bad_files, clean),
        cmocka_unit_test_teardown(bad_contents, clean),
    };
    snprintf(folder, sizeof folder, "%s", scratch_path("dumpi"));
    mkdir(folder, 0777);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
