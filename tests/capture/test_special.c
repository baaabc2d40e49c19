/* Captures that are not just one call after another: regions of interest, calls that
 * traces do not hold, sessions. The programs are tests/mpi/NAME.c. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static const char *const region_0[] = {
    "Init",
    "Isend(>?1 t1 world 4B #0 r0)",
    "Pcontrol:0",
    "Pcontrol:1",
    "Sendrecv(>1 t5 Comm_dup(0,1) 20B #1)(<1 t5 Comm_dup(0,1) 20B #0)",
    "Wait[r0]",
    "Wait[]",
    "Comm_free{Comm_dup(0,1)}",
    "Finalize",
    NULL,
};

static const char *const region_1[] = {
    "Init",
    "Pcontrol:0",
    "Pcontrol:1",
    "Recv(<?0 t4 world 16B)",
    "Sendrecv(>0 t5 Comm_dup(0,1) 20B #0)(<0 t5 Comm_dup(0,1) 20B #1)",
    "Comm_free{Comm_dup(0,1)}",
    "Finalize",
    NULL,
};

/* What happens while recording is off is left out, and what it touches outside says so. */
static void a_region_is_left_out(void **state) {
    (void)state;
    vef_test_compile("region.c", "", "region");
    assert_int_equal(vef_test_capture("region", 2, ""), 0);
    vef_trace *trace = vef_test_open("region");
    vef_test_events(trace, 0, region_0);
    vef_test_events(trace, 1, region_1);
    vef_trace_close(trace);
    vef_test_check("region");
}

static const char *const region_requests[] = {
    "Init",
    "Pcontrol:0",
    "Pcontrol:1",
    "Wait[]",
    "Bcast_init{world root1 4B r0 started}",
    "Iallreduce{world 4B e1 r1}",
    "Put(1 Win_create(0,1) 4B)",
    "Win_complete{Win_create(0,1) 1}",
    "Win_wait{Win_create(0,1) 1}",
    "Pcontrol:0",
    "Pcontrol:1",
    "Wait[]",
    "Request_free[]",
    "Win_free{Win_create(0,1)}",
    "Finalize",
    NULL,
};

/* What began while recording was off, and what ends while it is. */
static void requests_cross_the_ends_of_a_region(void **state) {
    (void)state;
    if (!vef_test_has_mpi_4())
        skip();
    vef_test_compile("region_requests.c", "", "region_requests");
    assert_int_equal(vef_test_capture("region_requests", 2, ""), 0);
    vef_trace *trace = vef_test_open("region_requests");
    vef_test_events(trace, 0, region_requests);
    vef_trace_close(trace);
    vef_test_check("region_requests");
}

/* Of each start of a partitioned send one call says that it made the last partition ready, and it
 * was entered before the wait for that send returned. */
static void threads_share_partitions(void **state) {
    (void)state;
    if (!vef_test_has_mpi_4())
        skip();
    enum { THREADS = 5, ROUNDS = 150 };
    vef_test_compile("partitions_by_threads.c", "", "partitions");
    assert_int_equal(vef_test_capture("partitions", 2, ""), 0);
    vef_trace *trace = vef_test_open("partitions");
    for (uint32_t task = 0; task < 2; task++) {
        uint64_t last_of[2 * ROUNDS] = {0}, entered[2 * ROUNDS] = {0}, waited[2 * ROUNDS] = {0};
        uint64_t calls = 0, sends = 0;
        bool is_send[2 * ROUNDS] = {false};
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            vef_error error;
            vef_stream *stream;
            const vef_event *event;
            assert_int_equal(vef_stream_open(trace, task, thread, &stream, &error), VEF_OK);
            while (vef_stream_next(stream, &event, &error) == VEF_OK && event != NULL) {
                if (event->call == VEF_CALL_Start &&
                    (event->operations[0].flags & VEF_OP_SEND) != 0) {
                    assert_int_equal(event->operations[0].bytes, 64);
                    is_send[event->operations[0].request] = true;
                    sends++;
                }
                if (event->call == VEF_CALL_Wait)
                    waited[event->completions[0].request] = event->left;
                if (event->call != VEF_CALL_Pready && event->call != VEF_CALL_Pready_range)
                    continue;
                calls++;
                assert_true(event->argument >= 0 && event->argument < 2 * ROUNDS);
                if ((event->flags & VEF_EVENT_LAST) != 0) {
                    last_of[event->argument]++;
                    entered[event->argument] = event->entered;
                }
            }
            vef_stream_close(stream);
        }
        assert_int_equal(sends, ROUNDS);
        assert_int_equal(calls, 2 * 4 * ROUNDS);
        for (int i = 0; i < 2 * ROUNDS; i++) {
            assert_int_equal(last_of[i], is_send[i]);
            if (is_send[i])
                assert_true(entered[i] < waited[i]);
        }
    }
    vef_trace_close(trace);
    vef_test_check("partitions");
}

/* Both tasks of tests/mpi/counted.c do the same but for the peer: files are counted, and nothing
 * that MPICH calls by MPI's names meanwhile is. */
static void what_is_not_held_is_counted(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint64_t times;
    } counts[] = {
        {"File_open", 1},     {"File_set_view", 1},      {"File_write_all", 1},
        {"File_close", 1},    {"Type_vector", 2},        {"Type_free", 2},
        {"Comm_set_attr", 1}, {"Comm_create_keyval", 1}, {"Keyval_create", 1},
        {"Keyval_free", 1},   {"Attr_put", 1},
    };
    const char *expected[] = {
        "Init",
        "Send(>none t1 world 4B)",
        "Comm_dup{world = Comm_dup(0,1)}",
        "Comm_dup{self = Comm_dup(0)}",
        "Comm_free{Comm_dup(0)}",
        "Comm_free{Comm_dup(0,1)}",
        "Finalize",
        NULL,
    };
    uint64_t sum = 0;
    vef_test_compile("counted.c", "", "counted");
    assert_int_equal(vef_test_capture("counted", 2, ""), 0);
    vef_trace *trace = vef_test_open("counted");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (vef_test_not_recorded(trace, counts[i].name) != 2 * counts[i].times)
            fail_msg("%s: counted %llu times", counts[i].name,
                     (unsigned long long)vef_test_not_recorded(trace, counts[i].name));
    for (size_t call = 0; call < vef_call_count(); call++)
        sum += vef_trace_get_header(trace)->not_recorded[call];
    assert_int_equal(sum, 2 * 13); /* and nothing else */
    vef_test_events(trace, 0, expected);
    assert_true(vef_test_printed("counted", "only counted, with their time (calls): MPI_File_"));
    assert_true(vef_test_printed("counted", "MPI_File_open 2"));
    assert_false(vef_test_printed("counted", "does not hold"));
    vef_trace_close(trace);
    vef_test_check("counted");
}

static const char *const spawning[] = {
    "Init",
    "Bcast{world root0 4B}",
    "Bcast{world root0 4B}",
    "Bcast{world root0 1024B}",
    "Reduce{world root1 4B e1}",
    "Finalize",
    NULL,
};

/* What has tasks outside the world is named, and harms nothing. */
static void other_programs_are_named(void **state) {
    (void)state;
    vef_test_compile("spawned.c", "", "spawned");
    assert_int_equal(vef_test_capture("spawned", 2, ""), 0);
    assert_true(vef_test_printed("spawned", "sum 1 of task 1"));
    assert_true(vef_test_printed("spawned", "communication not recorded in the trace (calls): "));
    assert_true(vef_test_printed("spawned", "MPI_Comm_spawn 2"));
    vef_trace *trace = vef_test_open("spawned");
    assert_int_equal(vef_test_not_recorded(trace, "Comm_spawn"), 2);
    assert_int_equal(vef_test_not_recorded(trace, "Open_port"), 1);
    vef_test_events(trace, 0, spawning);
    vef_test_events(trace, 1, spawning);
    vef_trace_close(trace);
    vef_test_check("spawned");
}

/* Every request is completed once (vef check), and every message is received, wherever the program
 * keeps its handles. */
static void handles_may_be_copied(void **state) {
    (void)state;
    vef_test_compile("copied_handles.c", "", "copied_handles");
    assert_int_equal(vef_test_capture("copied_handles", 2, ""), 0);
    vef_trace *trace = vef_test_open("copied_handles");
    const vef_trace_header *header = vef_trace_get_header(trace);
    assert_int_equal(header->messages, 2 * 500);
    assert_int_equal(header->message_bytes, 2 * 500 * 4);
    assert_int_equal(header->task[0].requests, 1000);
    for (uint32_t task = 0; task < 2; task++) {
        vef_error error;
        vef_stream *stream;
        const vef_event *event;
        uint64_t completed = 0;
        bool seen[1000] = {false};
        assert_int_equal(vef_stream_open(trace, task, 0, &stream, &error), VEF_OK);
        while (vef_stream_next(stream, &event, &error) == VEF_OK && event != NULL) {
            for (uint32_t i = 0; i < event->operation_count; i++)
                assert_int_equal(
                    event->operations[i].flags & (VEF_OP_UNMATCHED | VEF_OP_OPEN_ENDED), 0);
            for (uint32_t i = 0; i < event->completion_count; i++, completed++) {
                assert_false(seen[event->completions[i].request]);
                seen[event->completions[i].request] = true;
            }
        }
        assert_int_equal(completed, 1000);
        vef_stream_close(stream);
    }
    vef_trace_close(trace);
    vef_test_check("copied_handles");
}

/* Without MPI_Init the sessions identify the tasks. */
static void sessions_are_recorded(void **state) {
    (void)state;
    if (!vef_test_has_mpi_4())
        skip();
    vef_test_compile("sessions.c", "", "sessions");
    assert_int_equal(vef_test_capture("sessions", 2, ""), 0);
    assert_true(vef_test_printed("sessions", "2 tasks by sessions"));
    vef_test_check("sessions");
    vef_trace *trace = vef_test_open("sessions");
    assert_int_equal(vef_trace_get_header(trace)->tasks, 2);
    for (uint32_t task = 0; task < 2; task++)
        assert_int_equal(vef_trace_get_header(trace)->task[task].end, VEF_LOG_FINALIZED);
    vef_trace_close(trace);
}

/* As on an oversubscribed host: idle tasks yield, and computation is measured by the CPU clock. */
static void crowded_tasks_yield(void **state) {
    (void)state;
    vef_test_compile("yields.c", "", "yields");
    assert_int_equal(vef_test_capture("yields", 2, "--clock cpu --oversubscribe on"), 0);
    assert_true(vef_test_printed("yields", "waits in MPI_Recv"));
    vef_trace *trace = vef_test_open("yields");
    assert_string_equal(vef_trace_get_header(trace)->clock, "cpu");
    assert_int_equal(vef_trace_get_header(trace)->messages, 4);
    assert_non_null(strstr(vef_trace_get_header(trace)->options, "yield: yes"));
    vef_trace_close(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_is_left_out),
        cmocka_unit_test(requests_cross_the_ends_of_a_region),
        cmocka_unit_test(threads_share_partitions),
        cmocka_unit_test(what_is_not_held_is_counted),
        cmocka_unit_test(other_programs_are_named),
        cmocka_unit_test(handles_may_be_copied),
        cmocka_unit_test(sessions_are_recorded),
        cmocka_unit_test(crowded_tasks_yield),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
