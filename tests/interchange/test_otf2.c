/* Reading OTF2 (interchange/otf2). The archives are written here by libotf2, with the records
 * that Score-P's MPI adapter writes (src/adapters/mpi of its sources): a send at the entry of its
 * call, the communicator of a receive and what a non-blocking collective is at their completion,
 * bytes as its scorep_mpi_coll.inc.c counts them. What is expected follows from these and the MPI
 * standard. */
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

enum { TASKS = 3, WORLD = 0, SELF = 1, PAIR = 2, OLD = 3 }; /* communicators */
enum { TICKS_PER_NS = 2, OFFSET = 1000 };                   /* of the clock */

static OTF2_Archive *archive;
static OTF2_EvtWriter *to; /* of the current task */
static uint64_t now_ns;
static char folder[1024];

/* The regions of the archive: MPI calls, a function that a compiler instruments, a user's region.
 */
static const char *names[] = {
    "MPI_Init",           "MPI_Finalize",  "MPI_Send",      "MPI_Ssend",      "MPI_Recv",
    "MPI_Isend",          "MPI_Irecv",     "MPI_Waitall",   "MPI_Test",       "MPI_Sendrecv",
    "MPI_Allreduce",      "MPI_Bcast",     "MPI_Gatherv",   "MPI_Alltoallv",  "MPI_Iallreduce",
    "MPI_Comm_split",     "MPI_Comm_free", "MPI_Comm_rank", "MPI_File_open",  "MPI_Probe",
    "MPI_Reduce",         "MPI_Iprobe",    "MPI_Win_fence", "MPI_Allgatherv", "MPI_Scatterv",
    "MPI_Reduce_scatter", "main",          "solve"};
enum { REGIONS = sizeof names / sizeof *names };

static OTF2_RegionRef region(const char *name) {
    for (OTF2_RegionRef i = 0; i < REGIONS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("no region %s", name);
    return 0;
}

static uint64_t ticks(void) {
    return OFFSET + now_ns * TICKS_PER_NS;
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

static void collective(const char *name, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                       uint32_t root, uint64_t sent, uint64_t received) {
    enter(name);
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ticks());
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, ticks(), operation, comm, root, sent, received);
    leave(name);
}

/* MPI_Init makes the predefined communicators. */
static void begin(uint32_t task) {
    now_ns = 0;
    to = OTF2_Archive_GetEvtWriter(archive, task);
    enter("main");
    enter("MPI_Init");
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ticks());
    OTF2_EvtWriter_CommCreate(to, NULL, ticks(), WORLD);
    OTF2_EvtWriter_CommCreate(to, NULL, ticks(), SELF);
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, ticks(), OTF2_COLLECTIVE_OP_CREATE_HANDLE, WORLD,
                                    OTF2_UNDEFINED_UINT32, 0, 0);
    leave("MPI_Init");
}

static void end(void) {
    call("MPI_Finalize");
    leave("main");
    OTF2_Archive_CloseEvtWriter(archive, to);
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void open_archive(void) {
    static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};
    archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 22,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    assert_non_null(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_SetCreator(archive, "Score-P 8.0");
    OTF2_Archive_OpenEvtFiles(archive);
}

static void define_group(OTF2_GlobalDefWriter *writer, OTF2_GroupRef self, OTF2_GroupType type,
                         uint32_t count, const uint64_t *members) {
    OTF2_GlobalDefWriter_WriteGroup(writer, self, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                    count, members);
}

static void close_archive(void) {
    static const uint64_t total[] = {0, 1, 2}, pair[] = {2, 0}, old[] = {1, 2};
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000ull * TICKS_PER_NS, OFFSET, 10000,
                                              1000000000000000000);
    OTF2_StringRef string = 0;
    OTF2_GlobalDefWriter_WriteString(writer, string++, "");
    for (OTF2_RegionRef i = 0; i < REGIONS; i++) {
        OTF2_GlobalDefWriter_WriteString(writer, string, names[i]);
        OTF2_GlobalDefWriter_WriteRegion(writer, i, string, string, 0, OTF2_REGION_ROLE_FUNCTION,
                                         strncmp(names[i], "MPI_", 4) == 0 ? OTF2_PARADIGM_MPI
                                         : strcmp(names[i], "main") == 0   ? OTF2_PARADIGM_COMPILER
                                                                           : OTF2_PARADIGM_USER,
                                         OTF2_REGION_FLAG_NONE, 0, 0, 0);
        string++;
    }
    OTF2_GlobalDefWriter_WriteString(writer, string++, "node");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, string - 1,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < TASKS; i++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(writer, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(writer, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 100, i);
    }
    define_group(writer, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, 3, total);
    define_group(writer, 1, OTF2_GROUP_TYPE_COMM_GROUP, 3, total);
    define_group(writer, 2, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
    define_group(writer, 3, OTF2_GROUP_TYPE_COMM_GROUP, 2, pair);
    define_group(writer, 4, OTF2_GROUP_TYPE_COMM_GROUP, 2, old);
    OTF2_GlobalDefWriter_WriteComm(writer, WORLD, 0, 1, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    OTF2_GlobalDefWriter_WriteComm(writer, SELF, 0, 2, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    OTF2_GlobalDefWriter_WriteComm(writer, PAIR, 0, 3, WORLD, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    OTF2_GlobalDefWriter_WriteComm(writer, OLD, 0, 4, WORLD, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive, writer);
    OTF2_Archive_Close(archive);
}

static vef_code import(vef_format_report *report, vef_error *problem) {
    char anchor[1100];
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
    *problem = (vef_error){0};
    return vef_otf2_read(anchor, scratch_path("otf2.vef"), report, problem);
}

/* The imported trace as text, without faults. */
static char *text_of(const char *notes) {
    vef_format_report report;
    OK(import(&report, error));
    assert_string_equal(report.notes.text, notes);
    return sound_text(scratch_path("otf2.vef"));
}

static int clean(void **state) {
    (void)state;
    remove_folder(folder);
    unlink(scratch_path("otf2.vef"));
    return 0;
}

/* Task 0 sends on the world, with MPI_PROC_NULL as further peer, which leaves no record. Task 1
 * sends on a communicator without an event of its creation, as in archives before Score-P 7; it is
 * rank 0 there (and the second further communicator of the archive). Task 2 receives both with
 * requests, whose messages are known at their completion.
 */
static void messages(void **state) {
    (void)state;
    open_archive();
    begin(0);
    call("MPI_Comm_rank");
    enter("solve");
    enter("MPI_Ssend");
    OTF2_EvtWriter_MpiSend(to, NULL, ticks(), 1, WORLD, 7, 40);
    leave("MPI_Ssend");
    enter("MPI_Isend");
    OTF2_EvtWriter_MpiIsend(to, NULL, ticks(), 2, WORLD, 1, 8, 5);
    leave("MPI_Isend");
    call("MPI_Isend");
    enter("MPI_Waitall");
    OTF2_EvtWriter_MpiIsendComplete(to, NULL, ticks(), 5);
    leave("MPI_Waitall");
    leave("solve");
    enter("MPI_Sendrecv");
    OTF2_EvtWriter_MpiSend(to, NULL, ticks(), 1, WORLD, 3, 16);
    leave("MPI_Sendrecv");
    end();
    begin(1);
    call("MPI_Probe");
    enter("MPI_Recv");
    OTF2_EvtWriter_MpiRecv(to, NULL, ticks(), 0, WORLD, 7, 40);
    leave("MPI_Recv");
    enter("MPI_Recv");
    OTF2_EvtWriter_MpiRecv(to, NULL, ticks(), 0, WORLD, 3, 16);
    leave("MPI_Recv");
    enter("MPI_Send");
    OTF2_EvtWriter_MpiSend(to, NULL, ticks(), 1, OLD, 9, 24);
    leave("MPI_Send");
    end();
    begin(2);
    for (uint64_t request = 8; request <= 9; request++) {
        enter("MPI_Irecv");
        OTF2_EvtWriter_MpiIrecvRequest(to, NULL, ticks(), request);
        leave("MPI_Irecv");
    }
    for (int i = 0; i < 2; i++) {
        enter("MPI_Test");
        OTF2_EvtWriter_MpiRequestTest(to, NULL, ticks(), 8);
        leave("MPI_Test");
    }
    call("MPI_File_open");
    enter("MPI_Waitall");
    OTF2_EvtWriter_MpiIrecv(to, NULL, ticks(), 0, OLD, 9, 24, 8);
    OTF2_EvtWriter_MpiIrecv(to, NULL, ticks(), 0, WORLD, 1, 8, 9);
    leave("MPI_Waitall");
    end();
    close_archive();
    char *text = text_of(
        "1 calls of MPI_Probe and MPI_Mprobe are left out: OTF2 has no record of "
        "the message that they saw");
    assert_non_null(strstr(text, "\nlibrary \"Score-P 8.0\"\n"));
    assert_non_null(strstr(text, "\ndate \"2001-09-09T01:46:40Z\"\n"));
    assert_non_null(strstr(text, "\nnot_recorded File_open 1 time=10\n"));
    /* The compiler's `main` is computation; so is MPI_Comm_rank, as after a capture. */
    has_task(
        text, 0,
        "Init time=10\n"
        "Region_begin name=\"solve\" gap=210\n"
        "Ssend to=1 bytes=40 tag=7 ordinal=0 gap=100 time=10\n"
        "Isend to=2 bytes=8 tag=1 ordinal=0 gap=100 time=10\n"
        "Isend to=none bytes=0 ordinal=none gap=100 time=10\n"
        "Waitall requests=0-1 gap=100 time=10\n"
        "Region_end name=\"solve\" gap=10\n"
        "Sendrecv to=1 bytes=16 tag=3 ordinal=1 from=none bytes=0 ordinal=none gap=100 time=10\n"
        "Finalize gap=100 time=10\n");
    has_task(text, 1,
             "Init time=10\n"
             "Recv from=0 bytes=40 tag=7 ordinal=0 gap=200 time=10\n"
             "Recv from=0 bytes=16 tag=3 ordinal=1 gap=100 time=10\n"
             "Send to=2 bytes=24 tag=9 comm=2 ordinal=0 gap=100 time=10\n"
             "Finalize gap=100 time=10\n");
    has_task(text, 2,
             "Init time=10\n"
             "Irecv from=1 bytes=24 tag=9 comm=2 ordinal=0 gap=100 time=10\n"
             "Irecv from=0 bytes=8 tag=1 ordinal=0 gap=100 time=10\n"
             "Test marks=poll repeats=2 gap=200 time=20\n"
             "Waitall requests=0-1 gap=200 outside=10 time=10\n"
             "Finalize gap=100 time=10\n");
    free(text);
}

enum { CALLS_WITH_COUNTS = 2 };
/* Sums of the members of two Alltoallv. The first divides by its total, 90: 30 bytes to members
 * that receive 45, 30 and 15 of 90. In the second no byte can be shared: the rests fill the members
 * in their order. */
static const uint64_t exchanged[CALLS_WITH_COUNTS][TASKS][2] = {{{30, 45}, {0, 30}, {60, 15}},
                                                                {{1, 1}, {1, 1}, {1, 1}}};

static void put_collectives(uint32_t task) {
    const OTF2_CollectiveOp together = OTF2_COLLECTIVE_OP_ALLREDUCE;
    begin(task);
    collective("MPI_Allreduce", together, WORLD, OTF2_UNDEFINED_UINT32, 3 * 8, 3 * 8);
    collective("MPI_Allreduce", together, WORLD, OTF2_UNDEFINED_UINT32, 2 * 16, 2 * 16);
    collective("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, WORLD, 1, task == 1 ? 300 : 0, 100);
    collective("MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE, WORLD, 0, task == 0 ? 0 : 24,
               task == 0 ? 48 : 0);
    collective("MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, WORLD, 2, 5 + task,
               task == 2 ? 5 + 6 + 7 : 0);
    for (int i = 0; i < CALLS_WITH_COUNTS; i++)
        collective("MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, WORLD, OTF2_UNDEFINED_UINT32,
                   exchanged[i][task][0], exchanged[i][task][1]);
    enter("MPI_Iallreduce");
    OTF2_EvtWriter_NonBlockingCollectiveRequest(to, NULL, ticks(), 70);
    leave("MPI_Iallreduce");
    enter("MPI_Comm_split");
    OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ticks());
    if (task != 1)
        OTF2_EvtWriter_CommCreate(to, NULL, ticks(), PAIR);
    OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, ticks(), OTF2_COLLECTIVE_OP_CREATE_HANDLE, WORLD,
                                    OTF2_UNDEFINED_UINT32, 0, 0);
    leave("MPI_Comm_split");
    if (task != 1)
        collective("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, PAIR, 0, task == 2 ? 8 : 0, 4);
    enter("MPI_Waitall");
    OTF2_EvtWriter_NonBlockingCollectiveComplete(to, NULL, ticks(), together, WORLD,
                                                 OTF2_UNDEFINED_UINT32, 3 * 4, 3 * 4, 70);
    leave("MPI_Waitall");
    if (task != 1) {
        enter("MPI_Comm_free");
        OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, ticks());
        OTF2_EvtWriter_CommDestroy(to, NULL, ticks(), PAIR);
        OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, ticks(), OTF2_COLLECTIVE_OP_DESTROY_HANDLE, PAIR,
                                        OTF2_UNDEFINED_UINT32, 0, 0);
        leave("MPI_Comm_free");
    }
    call("MPI_Win_fence");
    end();
}

/* In place, parts of 400, 800 and 1,600 bytes: a task sends its own to the two others, and receives
 * theirs; a Reduce_scatter the other way round. The root of a Gatherv or Scatterv has no part of
 * its own in the archive. Each sends each other one 1,000 bytes of an Alltoallv. */
static void in_place(void **state) {
    static const uint64_t parts[TASKS] = {400, 800, 1600}, sum = 2800;
    const uint32_t none = OTF2_UNDEFINED_UINT32;
    (void)state;
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++) {
        const uint64_t part = parts[task];
        begin(task);
        collective("MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, WORLD, none, 2 * part,
                   sum - part);
        collective("MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, WORLD, none, sum - part,
                   2 * part);
        collective("MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, WORLD, 2, task == 2 ? 0 : part,
                   task == 2 ? sum - part : 0);
        collective("MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, WORLD, 0,
                   task == 0 ? sum - part : 0, task == 0 ? 0 : part);
        collective("MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, WORLD, none, 2000, 2000);
        end();
    }
    close_archive();
    char *text = text_of(
        "3 calls of Alltoallv and Alltoallw have the counts for each rank in "
        "proportion to the sums of the members: the archive has only these");
    has_task(text, 2,
             "Init time=10\n"
             "Allgatherv bytes=1600 receives=400,800,1600 marks=in-place gap=100 time=10\n"
             "Reduce_scatter bytes=1600 elements=350 receives=400,800,1600 marks=in-place gap=100 "
             "time=10\n"
             "Gatherv root=2 receives=400,800,0 gap=100 time=10\n"
             "Scatterv bytes=1600 gap=100 time=10\n"
             "Alltoallv sends=1000*3 receives=1000*3 marks=in-place gap=100 time=10\n"
             "Finalize gap=100 time=10\n");
    assert_non_null(strstr(text, "\nScatterv sends=0,800,1600 gap=100"));
    free(text);
}

static void collectives(void **state) {
    (void)state;
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++)
        put_collectives(task);
    close_archive();
    /* An Allreduce that sends 24 bytes has 8 of each member, or 12 of each other one. */
    char *text = text_of(
        "6 calls of Alltoallv and Alltoallw have the counts for each rank in proportion to the "
        "sums "
        "of the members: the archive has only these; 3 calls of collectives may have been in "
        "place, and "
        "then "
        "of more bytes; 3 calls of one-sided communication are left out");
    assert_non_null(strstr(text, "by=Comm_split members=2,0\n"));
    has_task(text, 0,
             "Init time=10\n"
             "Allreduce bytes=8 elements=1 gap=100 time=10\n"
             "Allreduce bytes=16 elements=2 marks=in-place gap=100 time=10\n"
             "Bcast root=1 bytes=100 gap=100 time=10\n"
             "Reduce bytes=24 elements=3 marks=in-place gap=100 time=10\n"
             "Gatherv root=2 bytes=5 gap=100 time=10\n"
             "Alltoallv sends=15,10,5 receives=15,0,30 gap=100 time=10\n"
             "Alltoallv sends=1,0*2 receives=1,0*2 gap=100 time=10\n"
             "Iallreduce bytes=4 elements=1 gap=100 time=10\n"
             "Comm_split new=1 gap=100 time=10\n"
             "Bcast comm=1 bytes=4 gap=100 time=10\n"
             "Waitall requests=0 gap=100 time=10\n"
             "Comm_free comm=1 gap=100 time=10\n"
             "Finalize gap=200 time=10\n");
    assert_non_null(strstr(text, "\nComm_split gap=100 time=10\nWaitall requests=0 gap=100"));
    assert_non_null(strstr(text, "\nGatherv root=2 bytes=7 receives=5,6,7 gap=100"));
    assert_non_null(strstr(text, "\nAlltoallv sends=30,20,10 receives=5,0,10 gap=100"));
    free(text);
}

static void refused(const char *why) {
    vef_format_report report;
    vef_error problem;
    assert_int_not_equal(import(&report, &problem), VEF_OK);
    if (!strstr(problem.message, why))
        fail_msg("'%s' does not say '%s'", problem.message, why);
}

/* Requests are started, and not completed, in an archive of a tool that completes them. */
static void without_completions(void **state) {
    (void)state;
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++) {
        begin(task);
        enter("MPI_Irecv");
        OTF2_EvtWriter_MpiIrecvRequest(to, NULL, ticks(), 1);
        leave("MPI_Irecv");
        call("MPI_Waitall");
        end();
    }
    close_archive();
    refused("traces.otf2: none of its 3 requests of messages is completed");
}

static void bad_contents(void **state) {
    (void)state;
    refused("No such file");
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++) {
        begin(task);
        enter("MPI_Send");
        OTF2_EvtWriter_MpiSend(to, NULL, ticks(), 3, WORLD, 0, 8);
        leave("MPI_Send");
        end();
    }
    close_archive();
    refused("rank 3: expected one below 3");
}

/* Every file cut at some of its bytes, and with some of them changed: an error, or a trace. */
static void damaged(void **state) {
    static const char *const files[] = {"traces.otf2", "traces.def", "traces/0.evt"};
    static char whole[1 << 16];
    vef_format_report report;
    vef_error problem;
    (void)state;
    open_archive();
    for (uint32_t task = 0; task < TASKS; task++)
        put_collectives(task);
    close_archive();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        FILE *file = fopen(path, "r");
        const size_t bytes = fread(whole, 1, sizeof whole, file);
        fclose(file);
        assert_in_range(bytes, 50, sizeof whole - 1);
        for (size_t position = 0; position < bytes - 2; position += bytes / 20) {
            file = fopen(path, "w");
            fwrite(whole, 1, position, file);
            fclose(file);
            assert_int_not_equal(import(&report, &problem), VEF_OK);
            file = fopen(path, "w");
            whole[position] = (char)(whole[position] ^ 0x81);
            fwrite(whole, 1, bytes, file);
            fclose(file);
            if (import(&report, &problem) != VEF_OK)
                assert_true(problem.message[0]);
            whole[position] = (char)(whole[position] ^ 0x81);
        }
        file = fopen(path, "w");
        fwrite(whole, 1, bytes, file);
        fclose(file);
    }
    OK(import(&report, error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(messages, clean),
        cmocka_unit_test_teardown(in_place, clean),
        cmocka_unit_test_teardown(collectives, clean),
        cmocka_unit_test_teardown(without_completions, clean),
        cmocka_unit_test_teardown(bad_contents, clean),
        cmocka_unit_test_teardown(damaged, clean),
    };
    snprintf(folder, sizeof folder, "%s", scratch_path("otf2"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void) {
    puts("skipped: otf2: vef was built without it");
    return 0;
}

#endif
