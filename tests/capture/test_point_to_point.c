/* Every point-to-point call under capture, against what tests/mpi/point_to_point.c asks for, by
 * hand. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const task_0[] = {
    "Init",
    "Send(>1 t11 world 12B #0)",
    "Bsend(>b1 t12 world 8B #1)",
    "Ssend(>s1 t13 world 5B #2)",
    "Barrier{world}",
    "Rsend(>r1 t14 world 28B #3)",
    "Send(>1 t15 world 96B #4)",
    "Send(>1 t16 world 0B #5)",
    "Send(>none t17 world 16B)",
    "Recv(<none t17 world 0B)",
    "Barrier{world}",
    "Isend(>1 t21 world 4B #6 r0)",
    "Ibsend(>b1 t22 world 8B #7 r1)",
    "Issend(>s1 t23 world 12B #8 r2)",
    "Irsend(>r1 t24 world 16B #9 r3)",
    "Waitall[r0 r1 r2 r3]",
    "Isend(>1 t30 world 0B #10 r4)",
    "Isend(>1 t31 world 4B #11 r5)",
    "Isend(>1 t32 world 8B #12 r6)",
    "Isend(>1 t33 world 12B #13 r7)",
    "Isend(>1 t34 world 16B #14 r8)",
    "Isend(>1 t35 world 20B #15 r9)",
    "Waitall[r4 r5 r6 r7 r8 r9]",
    "Barrier{world}",
    "Send_init",
    "Bsend_init",
    "Ssend_init",
    "Rsend_init",
    "Wait[]",
    "Barrier{world}",
    "Startall(>1 t41 world 4B #16 r10)(>b1 t42 world 8B #17 r11)(>s1 t43 world 12B #18 r12)"
    "(>r1 t44 world 16B #19 r13)",
    "Waitall[r10 r11 r12 r13]",
    "Start(>s1 t43 world 12B #20 r14)",
    "Wait[r14]",
    "Request_free[]",
    "Request_free[]",
    "Request_free[]",
    "Request_free[]",
    "Sendrecv(>1 t50 world 4B #21)(<*1 t51 world 8B #0)",
    "Sendrecv_replace(>1 t52 world 20B #22)(<1 t52 world 20B #1)",
    "Sendrecv(>none t53 world 4B)(<none t53 world 0B)",
    "Send(>1 t60 world 4B #23)",
    "Send(>1 t60 world 8B #24)",
    "Send(>1 t60 world 12B #25)",
    "Send(>1 t60 world 16B #26)",
    "Irecv(<!1 t71 world 0B r15)",
    "Cancel:15",
    "Wait[r15!]",
    "Isend(>1 t72 world 24B #27 r16)",
    "Request_free[r16]",
    "Finalize",
    NULL,
};

static const char *const task_1[] = {
    "Init",
    "Recv(<0 t11 world 12B #0)",
    "Recv(<*0 t*12 world 8B #1)",
    "Recv(<*0 t13 world 5B #2)",
    "Irecv(<0 t*14 world 28B #3 r0)",
    "Barrier{world}",
    "Wait[r0]",
    "Recv(<0 t15 world 96B #4)",
    "Recv(<0 t16 world 0B #5)",
    "Irecv(<*0 t24 world 16B #9 r1)",
    "Irecv(<*0 t23 world 12B #8 r2)",
    "Irecv(<*0 t22 world 8B #7 r3)",
    "Irecv(<*0 t21 world 4B #6 r4)",
    "Barrier{world}",
    "Waitall[r1 r2 r3 r4]",
    "Barrier{world}",
    "Irecv(<0 t30 world 0B #10 r5)",
    "Irecv(<0 t31 world 4B #11 r6)",
    "Irecv(<0 t32 world 8B #12 r7)",
    "Irecv(<0 t33 world 12B #13 r8)",
    "Irecv(<0 t34 world 16B #14 r9)",
    "Irecv(<0 t35 world 20B #15 r10)",
    "Test[r5]",
    "Waitany[r6]",
    "Waitsome[r7]",
    "Testany[r8]",
    "Testsome[r9]",
    "Testall[r10]",
    "Waitany[]",
    "Recv_init",
    "Recv_init",
    "Recv_init",
    "Recv_init",
    "Wait[]",
    "Startall(<0 t41 world 4B #16 r11)(<0 t42 world 8B #17 r12)(<0 t43 world 12B #18 r13)"
    "(<0 t44 world 16B #19 r14)",
    "Barrier{world}",
    "Waitall[r11 r12 r13 r14]",
    "Start(<0 t43 world 12B #20 r15)",
    "Wait[r15]",
    "Request_free[]",
    "Request_free[]",
    "Request_free[]",
    "Request_free[]",
    "Sendrecv(>0 t51 world 8B #0)(<*0 t50 world 4B #21)",
    "Sendrecv_replace(>0 t52 world 20B #1)(<0 t52 world 20B #22)",
    "Sendrecv(>none t53 world 4B)(<none t53 world 0B)",
    "Probe(<*0 t60 world 4B #23)",
    "Iprobe(<0 t*60 world 4B #23)",
    "Mprobe(<0 t60 world 4B #23)",
    "Recv(<0 t60 world 8B #24)",
    "Improbe(<*0 t*60 world 12B #25)",
    "Recv(<0 t60 world 16B #26)",
    "Imrecv(<*0 t*60 world 12B #25 r16)",
    "Mrecv(<0 t60 world 4B #23)",
    "Wait[r16]",
    "Irecv(<!0 t71 world 0B r17)",
    "Cancel:17",
    "Wait[r17!]",
    "Recv(<0 t72 world 24B #27)",
    "Finalize",
    NULL,
};

static void every_call_is_held(void **state) {
    (void)state;
    vef_test_compile("point_to_point.c", "", "point_to_point");
    assert_int_equal(vef_test_capture("point_to_point", 2, ""), 0);
    assert_true(vef_test_printed("point_to_point", "all received as sent"));
    vef_trace *trace = vef_test_open("point_to_point");
    vef_test_events(trace, 0, task_0);
    vef_test_events(trace, 1, task_1);
    vef_trace_close(trace);
    vef_test_check("point_to_point");
}

/* Probes that find nothing: five in a row about the same are one event (two or more where the
 * machine held the program up between them). */
static void polls_in_a_row_are_one_event(void **state) {
    (void)state;
    vef_error error;
    vef_trace *trace = vef_test_open("point_to_point");
    vef_stream *stream;
    const vef_event *event;
    uint64_t polls = 0, events = 0;
    assert_int_equal(vef_stream_open(trace, 1, 0, &stream, &error), VEF_OK);
    do {
        assert_int_equal(vef_stream_next(stream, &event, &error), VEF_OK);
        bool poll = event && event->call == VEF_CALL_Iprobe && event->flags & VEF_EVENT_POLL;
        events += poll;
        polls += poll ? event->repeats : 0;
    } while (event);
    assert_int_equal(polls, 5);
    assert_in_range(events, 1, 4);
    vef_stream_close(stream);
    vef_trace_close(trace);
}

/* A task that computes for some 2 ms (by its own CPU clock) before each row of 1,000 tight probes:
 * the computation stays apart from the spinning. */
static void work_before_a_row_is_kept_apart(void **state) {
    (void)state;
    vef_error error;
    vef_test_compile("polling.c", "", "polling");
    assert_int_equal(vef_test_capture("polling", 1, "--clock cpu"), 0);
    vef_trace *trace = vef_test_open("polling");
    vef_stream *stream;
    const vef_event *event;
    unsigned working = 0;
    uint64_t polls = 0;
    assert_int_equal(vef_stream_open(trace, 0, 0, &stream, &error), VEF_OK);
    do {
        assert_int_equal(vef_stream_next(stream, &event, &error), VEF_OK);
        if (!event || !(event->flags & VEF_EVENT_POLL))
            continue;
        polls += event->repeats;
        working += event->gap_ns / event->repeats > 1000000;
    } while (event);
    assert_int_equal(polls, 3 * 1000);
    assert_true(working >= 3);
    vef_stream_close(stream);
    vef_trace_close(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_held),
        cmocka_unit_test(polls_in_a_row_are_one_event),
        cmocka_unit_test(work_before_a_row_is_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
