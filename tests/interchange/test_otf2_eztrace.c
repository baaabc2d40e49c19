/* Reading OTF2 as EZTrace 2.0 writes it (interchange/otf2/run.h): written here by libotf2,
 * with the records that otf2-print shows of programs under Debian's eztrace. What is expected
 * follows from the programs, which are in the comments, and the MPI standard. */
#ifdef VEF_HAVE_OTF2

#include "interchange/format.h"
#include "tests/traces/trace_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 3, WORLD = 0, LINE = 4 }; /* communicators */

/* Fortran programs call functions of other names. */
static const char *const names[] = {
    "EZTrace finalize", "Working",      "MPI_Irecv",    "mpi_send_",      "mpi_recv_",
    "MPI_Wait",         "MPI_Bcast",    "MPI_Reduce",   "MPI_Gather",     "MPI_Scatter",
    "MPI_Allgatherv",   "MPI_Scatterv", "MPI_Alltoall", "MPI_Allreduce",  "MPI_Reduce_scatter",
    "MPI_Cart_create",  "MPI_Sendrecv", "MPI_Barrier",  "MPI_Iallreduce", "MPI_Startall",
    "MPI_Allgather",    "MPI_Gatherv",  "MPI_Alltoallv"};
enum { REGIONS = sizeof names / sizeof *names };

static OTF2_Archive *archive;
static OTF2_EvtWriter *to;        /* of the current task */
static uint64_t now_ns, since_ns; /* the clocks of tasks begin at different times */
static char folder[1024];

static OTF2_RegionRef region(const char *name) {
    for (OTF2_RegionRef i = 0; i < REGIONS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("no region %s", name);
    return 0;
}

static uint64_t ticks(void) {
    return since_ns + now_ns;
}

/* 100 ns after the last one. */
static void enter(const char *name) {
    now_ns += 100;
    OTF2_EvtWriter_Enter(to, NULL, ticks(), region(name));
}
/* A call of 10 ns. */
static void leave(const char *name) {
    now_ns += 10;
    OTF2_EvtWriter_Leave(to, NULL, ticks(), region(name));
}
static void call(const char *name) {
    enter(name);
    leave(name);
}

/* A receive with a request, the address of its handle, and the call that completes it. */
static void irecv(uint64_t request) {
    enter("MPI_Irecv");
    OTF2_EvtWriter_MpiIrecvRequest(to, NULL, ticks(), request);
    leave("MPI_Irecv");
    call("MPI_Wait");
}
static void recv_by(const char *name, uint32_t peer, uint32_t tag, uint64_t bytes) {
    enter(name);
    OTF2_EvtWriter_MpiRecv(to, NULL, ticks(), peer, WORLD, tag, bytes);
    leave(name);
}
static void send_by(const char *name, uint32_t peer, uint32_t tag, uint64_t bytes) {
    enter(name);
    OTF2_EvtWriter_MpiSend(to, NULL, ticks(), peer, WORLD, tag, bytes);
    leave(name);
}

/* Sizes are those of the arguments. */
static void collective(const char *name, OTF2_CollectiveOp operation, uint32_t root, uint64_t sent,
                       uint64_t received) {
    enter(name);
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ticks());
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, ticks(), operation, WORLD, root, sent, received);
    leave(name);
}

/* Recording begins in MPI_Init and ends in MPI_Finalize. */
static void begin(uint32_t task) {
    now_ns = 0;
    since_ns = 1000000 * (TASKS - task);
    to = OTF2_Archive_GetEvtWriter(archive, task);
    OTF2_EvtWriter_ThreadBegin(to, NULL, ticks(), OTF2_UNDEFINED_COMM, 0);
    OTF2_EvtWriter_Enter(to, NULL, ticks(), region("Working"));
}
static void end(void) {
    enter("EZTrace finalize");
    OTF2_EvtWriter_Leave(to, NULL, ticks(), region("Working"));
    OTF2_EvtWriter_ThreadEnd(to, NULL, ticks(), OTF2_UNDEFINED_COMM, 0);
    leave("EZTrace finalize");
    OTF2_Archive_CloseEvtWriter(archive, to);
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void open_archive(void) {
    static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};
    archive = OTF2_Archive_Open(folder, "eztrace_log", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 22,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
}

static void define_comm(OTF2_GlobalDefWriter *writer, OTF2_CommRef self, OTF2_CommRef parent,
                        uint32_t size, const uint64_t *members) {
    OTF2_GlobalDefWriter_WriteGroup(writer, self, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, size, members);
    OTF2_GlobalDefWriter_WriteComm(writer, self, 0, self, parent, OTF2_COMM_FLAG_NONE);
}

/* Both groups of the world have one number, all regions the paradigm USER. */
static void close_archive(void) {
    static const uint64_t total[] = {0, 1, 2};
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_StringRef string = 0;
    OTF2_GlobalDefWriter_WriteString(writer, string++, "program");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < TASKS; i++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(writer, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(writer, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 2, i);
    }
    OTF2_GlobalDefWriter_WriteGroup(writer, WORLD, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, TASKS, total);
    define_comm(writer, WORLD, OTF2_UNDEFINED_COMM, TASKS, total);
    for (OTF2_RegionRef i = 0; i < REGIONS; i++) {
        OTF2_GlobalDefWriter_WriteString(writer, string, names[i]);
        OTF2_GlobalDefWriter_WriteRegion(writer, i, string, string, string,
                                         OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                         OTF2_REGION_FLAG_NONE, 0, 0, 0);
        string++;
    }
    OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, 10000,
                                              OTF2_UNDEFINED_TIMESTAMP);
    define_comm(writer, LINE, WORLD, TASKS, total);
    OTF2_Archive_CloseGlobalDefWriter(archive, writer);
    OTF2_Archive_Close(archive);
}

/* The imported trace as text, without faults. The notes begin and end with these. */
static char *text_of(const char *first_notes, const char *last_notes) {
    char anchor[1100];
    vef_format_report report;
    snprintf(anchor, sizeof anchor, "%s/eztrace_log.otf2", folder);
    OK(vef_otf2_read(anchor, scratch_path("eztrace.vef"), &report, error));
    assert_memory_equal(report.notes.text, first_notes, strlen(first_notes));
    assert_in_range(strlen(report.notes.text), strlen(last_notes), sizeof report.notes.text);
    assert_string_equal(report.notes.text + strlen(report.notes.text) - strlen(last_notes),
                        last_notes);
    return sound_text(scratch_path("eztrace.vef"));
}

static int clean(void **state) {
    (void)state;
    remove_folder(folder);
    unlink(scratch_path("eztrace.vef"));
    return 0;
}

/* The tasks are a line: each receives from the one below, if there is one, and sends to the one
 * above, the last to MPI_PROC_NULL of Open MPI. In the middle a receive with a request is posted.
 */
static void put_messages(bool requests) {
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++) {
        begin(task);
        call("MPI_Cart_create");
        if (task > 0)
            recv_by("mpi_recv_", task - 1, 1, 9 + task);
        if (requests && task == 1)
            irecv(4096);
        send_by("mpi_send_", task + 1 < TASKS ? task + 1 : UINT32_MAX - 1, 1, 10 + task);
        end();
    }
    close_archive();
}

static void messages(void **state) {
    (void)state;
    put_messages(false);
    char *text = text_of(
        "3 calls that make or free communicators are left out: the archive does not say which, and "
        "its communicators are there from the beginning",
        "");
    has_task(text, 0,
             "Init\n"
             "Send to=1 bytes=10 tag=1 ordinal=0 gap=200 time=10\n"
             "Finalize gap=100\n");
    has_task(text, 1,
             "Init\n"
             "Recv from=0 bytes=10 tag=1 ordinal=0 gap=200 time=10\n"
             "Send to=2 bytes=11 tag=1 ordinal=0 gap=100 time=10\n"
             "Finalize gap=100\n");
    has_task(text, 2,
             "Init\n"
             "Recv from=1 bytes=11 tag=1 ordinal=0 gap=200 time=10\n"
             "Send to=none bytes=0 ordinal=none gap=100 time=10\n"
             "Finalize gap=100\n");
    free(text);
}

/* The archive does not have which message the receive got. */
static void requests(void **state) {
    (void)state;
    char anchor[1100];
    vef_format_report report;
    vef_error problem;
    put_messages(true);
    snprintf(anchor, sizeof anchor, "%s/eztrace_log.otf2", folder);
    assert_int_equal(vef_otf2_read(anchor, scratch_path("eztrace.vef"), &report, &problem),
                     VEF_UNSUPPORTED);
    assert_non_null(
        strstr(problem.message,
               "EZTrace does not record what becomes of requests: which message each of "
               "the 1 requests"));
    assert_non_null(
        strstr(problem.message, "record the program with vef capture, or with Score-P"));
    assert_int_not_equal(access(scratch_path("eztrace.vef"), F_OK), 0);
}

/* Of an intercommunicator the archive has a communicator of either group. The root is MPI_ROOT. */
static void intercommunicator(void **state) {
    (void)state;
    char anchor[1100];
    vef_format_report report;
    vef_error problem;
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++) {
        begin(task);
        collective("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, task ? UINT32_MAX : UINT32_MAX - 2, 8, 8);
        end();
    }
    close_archive();
    snprintf(anchor, sizeof anchor, "%s/eztrace_log.otf2", folder);
    assert_int_equal(vef_otf2_read(anchor, scratch_path("eztrace.vef"), &report, &problem),
                     VEF_UNSUPPORTED);
    assert_non_null(strstr(problem.message, "the other group of an intercommunicator"));
}

/* Sizes are those of the arguments: of one part, or with counts for each rank their sum. Calls
 * without the record of their end, and MPI_Sendrecv, have no sizes at all. */
static void collectives(void **state) {
    (void)state;
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++) {
        const uint64_t own = 8 * (task + 1), total = 8 + 16 + 24;
        const uint32_t none = OTF2_UNDEFINED_UINT32;
        begin(task);
        collective("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 1, 24, 24);
        collective("MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, 1, 40, 40);
        collective("MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, 1, 16, 16);
        collective("MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER, 2, 32, 32);
        collective("MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, none, own, total);
        collective("MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, 1, total, own);
        collective("MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, none, 12, 12);
        collective("MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, none, 0, 96); /* in place */
        collective("MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, none, 88, 88);
        collective("MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, none, 80, 80);
        enter("MPI_Iallreduce");
        OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ticks());
        leave("MPI_Iallreduce");
        call("MPI_Wait");
        call("MPI_Sendrecv");
        collective("MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, none, 0, 0);
        end();
    }
    close_archive();
    char *text = text_of(
        "",
        "3 calls of Reduce_scatter, or of Allgatherv in place, have equal parts: the archive has "
        "their sum only; 3 calls of MPI_Sendrecv are left out: the archive does not have their "
        "messages; 3 collectives and "
        "calls on communicators without the record of their end are left out");
    has_task(text, 1,
             "Init\n"
             "Bcast root=1 bytes=24 gap=100 time=10\n"
             "Reduce root=1 bytes=40 elements=5 gap=100 time=10\n"
             "Gather root=1 bytes=16 gap=100 time=10\n"
             "Scatter root=2 bytes=32 gap=100 time=10\n"
             "Allgatherv bytes=16 receives=8,16,24 gap=100 time=10\n"
             "Scatterv root=1 bytes=16 sends=8,16,24 gap=100 time=10\n"
             "Alltoall bytes=12 gap=100 time=10\n"
             "Alltoall bytes=96 marks=in-place gap=100 time=10\n"
             "Allreduce bytes=88 elements=11 gap=100 time=10\n"
             "Reduce_scatter bytes=27 elements=10 receives=27*2,26 gap=100 time=10\n"
             "Wait gap=200 time=10\n"
             "Barrier gap=200 time=10\n"
             "Finalize gap=100\n");
    free(text);
}

/* All in place. Of send arguments, and of the receive argument of the root of a Scatter, EZTrace
 * states what the program left there: 0, or 77 bytes of an earlier call. Rank i of the Alltoallv
 * exchanges 12 bytes with each: 36; the Gatherv has parts of 8, 16, 24. */
static void in_place(void **state) {
    (void)state;
    for (uint64_t left = 0; left < 2; left++) {
        const uint64_t stale = 77 * left;
        open_archive();
        for (uint32_t task = 0; task < TASKS; task++) {
            const uint32_t none = OTF2_UNDEFINED_UINT32;
            const bool root = task == 1;
            begin(task);
            collective("MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, none, stale, 40);
            collective("MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, none, stale, 120);
            collective("MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, none, stale, 40);
            collective("MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, none, 3 * stale, 36);
            collective("MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, 1, root ? stale : 40, 40);
            collective("MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER, 1, 40, root ? stale : 40);
            collective("MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, 1, root ? stale : 8 * (task + 1),
                       48);
            collective("MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, 1, 48,
                       root ? stale : 8 * (task + 1));
            end();
        }
        close_archive();
        char *text = text_of("",
                             "3 calls of Reduce_scatter, or of Allgatherv in place, have equal "
                             "parts: the archive has their sum only");
        has_task(text, 1,
                 "Init\n"
                 "Allgather bytes=40 marks=in-place gap=100 time=10\n"
                 "Allgatherv bytes=40 receives=40*3 marks=in-place gap=100 time=10\n"
                 "Alltoall bytes=40 marks=in-place gap=100 time=10\n"
                 "Alltoallv sends=12*3 receives=12*3 marks=in-place gap=100 time=10\n"
                 "Gather root=1 bytes=40 marks=in-place gap=100 time=10\n"
                 "Scatter root=1 bytes=40 marks=in-place gap=100 time=10\n"
                 "Gatherv root=1 bytes=16 receives=8,16,24 marks=in-place gap=100 time=10\n"
                 "Scatterv root=1 bytes=16 sends=8,16,24 marks=in-place gap=100 time=10\n"
                 "Finalize gap=100\n");
        free(text);
        remove_folder(folder);
    }
}

/* Each file with one of its bytes changed: an error, or a trace. */
static void damaged(void **state) {
    static const char *const files[] = {"eztrace_log.def", "eztrace_log/0.evt"};
    static char whole[1 << 16];
    char anchor[1100];
    (void)state;
    put_messages(false);
    snprintf(anchor, sizeof anchor, "%s/eztrace_log.otf2", folder);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        const size_t bytes = fread(whole, 1, sizeof whole, file);
        fclose(file);
        for (size_t position = 20; position < bytes; position += bytes / 40) {
            vef_format_report report;
            vef_error problem = {0};
            whole[position] = (char)(whole[position] ^ 0x05);
            spill(path, whole, bytes);
            if (vef_otf2_read(anchor, scratch_path("eztrace.vef"), &report, &problem) != VEF_OK)
                assert_true(problem.message[0]);
            whole[position] = (char)(whole[position] ^ 0x05);
        }
        spill(path, whole, bytes);
    }
    free(text_of("3 calls that make", ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(messages, clean),
        cmocka_unit_test_teardown(requests, clean),
        cmocka_unit_test_teardown(intercommunicator, clean),
        cmocka_unit_test_teardown(collectives, clean),
        cmocka_unit_test_teardown(in_place, clean),
        cmocka_unit_test_teardown(damaged, clean),
    };
    snprintf(folder, sizeof folder, "%s", scratch_path("eztrace"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void) {
    puts("skipped: otf2: vef was built without it");
    return 0;
}

#endif
