/* Programs that use MPI by sessions: the tasks are those of mpi://WORLD, communicators are made
 * from groups, and the recording goes from the first session to the last, with or without MPI_Init.
 */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>

static void sessions_alone(void **state) {
    (void)state;
    vef_test_compile("sessions.c", "", "sessions");
    assert_int_equal(vef_test_capture("sessions", 3, ""), 0);
    assert_true(vef_test_printed("sessions", "3 tasks by sessions"));
    vef_test_check("sessions");
    vef_trace *trace = vef_test_open("sessions");
    const char *expected[] = {"Session_init",
                              "Comm_create_from_group{world = Comm_create_from_group(0,1,2)}",
                              "Allreduce{Comm_create_from_group(0,1,2) 4B e1}",
                              "Comm_free{Comm_create_from_group(0,1,2)}",
                              "Session_finalize",
                              NULL};
    assert_int_equal(vef_trace_get_header(trace)->tasks, 3);
    for (uint32_t task = 0; task < 3; task++) {
        vef_test_events(trace, task, expected);
        assert_int_equal(vef_trace_get_header(trace)->task[task].end, VEF_LOG_FINALIZED);
    }
    vef_trace_close(trace);
}

#define ALL "Comm_create_from_group(0,1,2)"
#define PAIR "Comm_create_from_group(0,2)"
#define USE_BEGIN "Comm_create_from_group{world = " ALL "}", "Allreduce{" ALL " 4B e1}"
#define USE_END "Comm_free{" ALL "}"
#define USE USE_BEGIN, USE_END
#define USE_PAIR(number)                                                                           \
    USE_BEGIN, "Comm_create_from_group{world = " PAIR "}",                                         \
        "Sendrecv_replace(>2 t7 " PAIR " 4B #" number ")(<2 t7 " PAIR " 4B #" number ")",          \
        "Comm_free{" PAIR "}", USE_END

static void sessions_beside_each_other_and_init(void **state) {
    (void)state;
    vef_test_compile("sessions_both.c", "", "sessions_both");
    assert_int_equal(vef_test_capture("sessions_both", 3, ""), 0);
    vef_test_check("sessions_both");
    vef_trace *trace = vef_test_open("sessions_both");
    const char *first[] = {"Session_init", USE_PAIR("0"), "Session_init",     "Session_finalize",
                           USE_PAIR("1"),  "Init",        "Barrier{world}",   USE_PAIR("2"),
                           "Finalize",     USE_PAIR("3"), "Session_finalize", NULL};
    const char *second[] = {"Session_init",
                            USE,
                            "Session_init",
                            "Session_finalize",
                            USE,
                            "Init",
                            "Barrier{world}",
                            USE,
                            "Finalize",
                            USE,
                            "Session_finalize",
                            NULL};
    vef_test_events(trace, 0, first);
    vef_test_events(trace, 1, second);
    for (uint32_t task = 0; task < 3; task++)
        assert_int_equal(vef_trace_get_header(trace)->task[task].end, VEF_LOG_FINALIZED);
    vef_trace_close(trace);
}

int main(void) {
    if (!vef_test_has_mpi_4()) {
        puts("skipped: sessions: they need MPI 4.0");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_alone),
        cmocka_unit_test(sessions_beside_each_other_and_init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
