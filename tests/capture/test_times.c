/* The times of a capture, by clocks that do not mind how busy the host is: what computation is,
 * what passes outside of the calls that are held, and what `--times compute` keeps of it. The
 * program is tests/mpi/times.c. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 2, SENDS = 500, LEAST_NS = 100000000, ASLEEP_NS = 300000000 };

static uint64_t computed_ns(uint32_t task) {
    char path[4096];
    unsigned long long ns;
    snprintf(path, sizeof path, "%s/times.%u", getenv("TMPDIR"), task);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu", &ns), 1);
    fclose(file);
    return ns;
}

/* The program's 100 ms between the barriers are outside, not computation; that it slept in a call
 * that cannot block, as it would without a core, is neither; and what it computed
 * before its sends is computation, all of it. The gaps are of the CPU clock, as the program's own
 * figure is: they hold what it measured and its reading of the clock besides. */
static void check_times(uint64_t step_ns, bool durations) {
    vef_trace *trace = vef_test_open("times");
    for (uint32_t task = 0; task < TASKS; task++) {
        vef_error error;
        vef_stream *stream;
        const vef_event *event;
        uint64_t gaps_ns = 0;
        unsigned barriers = 0, sends = 0;
        assert_int_equal(vef_stream_open(trace, task, 0, &stream, &error), VEF_OK);
        while (vef_stream_next(stream, &event, &error) == VEF_OK && event != NULL) {
            assert_int_equal(event->gap_ns % step_ns, 0);
            assert_int_equal(event->outside_ns % step_ns, 0);
            if (!durations)
                assert_int_equal(event->duration_ns, 0);
            if (event->call == VEF_CALL_Barrier && ++barriers == 2) {
                assert_true(event->outside_ns >= LEAST_NS);
                assert_true(event->gap_ns < LEAST_NS);
            }
            if (event->call == VEF_CALL_Barrier && barriers == 3)
                assert_true(event->outside_ns < ASLEEP_NS);
            if (event->call == VEF_CALL_Send) {
                gaps_ns += event->gap_ns;
                sends++;
                assert_int_equal(event->outside_ns, 0);
            }
        }
        vef_stream_close(stream);
        assert_int_equal(sends, SENDS);
        assert_true(gaps_ns + step_ns > computed_ns(task));
    }
    assert_true(vef_trace_get_header(trace)->not_recorded_ns[VEF_CALL_Type_delete_attr] >=
                TASKS * (uint64_t)LEAST_NS);
    vef_trace_close(trace);
    vef_test_check("times");
}

static void counted_calls_are_outside(void **state) {
    (void)state;
    vef_test_compile("times.c", "", "times");
    assert_int_equal(vef_test_capture("times", TASKS, "--clock cpu"), 0);
    check_times(1, true);
}

static void computation_alone_is_kept_in_steps(void **state) {
    (void)state;
    vef_test_compile("times.c", "", "times");
    assert_int_equal(vef_test_capture("times", TASKS, "--clock cpu --times compute"), 0);
    check_times(100, false);
}

/* Computation of a task's other threads: the longest of those that work at a time, added up where
 * they fork and join. Tags say how long each stretch takes a task alone, in ms; it is less than
 * another step more. */
static void other_threads_compute(void **state) {
    (void)state;
    /* On a busy machine the kernel may account up to a tick of a thread to the stretch before. */
    enum { STEP_MS = 20, TICK_MS = 4, NS_PER_MS = 1000000, STRETCHES = 16 };
    vef_test_compile("workers.c", "-fopenmp -pthread", "workers");
    setenv("OMP_WAIT_POLICY", "passive", 1);
    assert_int_equal(vef_test_capture("workers", 1, "--clock cpu"), 0);
    vef_trace *trace = vef_test_open("workers");
    vef_error error;
    vef_stream *stream;
    const vef_event *event;
    unsigned stretches = 0;
    assert_int_equal(vef_stream_open(trace, 0, 0, &stream, &error), VEF_OK);
    while (vef_stream_next(stream, &event, &error) == VEF_OK && event != NULL) {
        if (event->call != VEF_CALL_Send)
            continue;
        uint64_t least_ns = (uint64_t)event->operations[0].tag * NS_PER_MS;
        stretches++;
        if (event->gap_ns + TICK_MS * NS_PER_MS < least_ns ||
            event->gap_ns >= least_ns + STEP_MS * NS_PER_MS)
            fail_msg("stretch %u of %d ms took %.3f ms", stretches, event->operations[0].tag,
                     (double)event->gap_ns / NS_PER_MS);
    }
    assert_int_equal(stretches, STRETCHES);
    vef_stream_close(stream);
    const vef_measured *measured = vef_trace_get_header(trace)->measured;
    assert_non_null(measured);
    assert_true(measured->cpu_clock == 1 && measured->cpu_ns <= measured->wall_ns);
    assert_true(measured->threads >= 3); /* the pool's, two that are made and joined */
    /* The counter is compared with CLOCK_MONOTONIC exactly where it is used; "kernel" names only
     * the readings of the CPU clock. */
    const char *options = vef_trace_get_header(trace)->options;
    if (strstr(options, "read from: kernel") == NULL)
        assert_true((measured->clock_compared_ns > 0) == (strstr(options, "TSC") != NULL));
    vef_trace_close(trace);
}

/* Whatever the gaps are, none of a step is lost or made: see tests/mpi/steps.c. */
static void steps_add_up(void **state) {
    (void)state;
    char command[4096];
    vef_test_compile("steps.c", "-std=c17 -D_GNU_SOURCE -I. -I\"$VEF_BUILD/$VEF_TEST_MPI\"",
                     "steps");
    snprintf(command, sizeof command, "'%s/steps'", getenv("TMPDIR"));
    assert_int_equal(system(command), 0);
}

/* The clocks of gaps, with restartable sequences where the host has them and without; and without
 * the time-stamp counter: see tests/mpi/gaps.c. */
static void gaps_agree_with_the_kernel(void **state) {
    (void)state;
    static const char *const forms[] = {
        "'%s/gaps' any /sys/devices/system/clocksource/clocksource0/current_clocksource",
        "GLIBC_TUNABLES=glibc.pthread.rseq=0 '%s/gaps' none /dev/null",
    };
    vef_test_compile("gaps.c",
                     "-std=c17 -D_GNU_SOURCE -I. capture/clock/gap.c capture/clock/clock.c "
                     "common/system/descriptor.c "
                     "capture/clock/moment.c capture/clock/rseq.c "
                     "capture/clock/workers.c",
                     "gaps");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char command[4096];
        snprintf(command, sizeof command, forms[i], getenv("TMPDIR"));
        assert_int_equal(system(command), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_calls_are_outside),
        cmocka_unit_test(computation_alone_is_kept_in_steps),
        cmocka_unit_test(other_threads_compute),
        cmocka_unit_test(steps_add_up),
        cmocka_unit_test(gaps_agree_with_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
