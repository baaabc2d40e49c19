/* vef/replay.h: the messages that a simulator gets, and the reports that are refused. A cycle is 1
 * ns; the times follow from the program above each test. */
#include <vef/replay.h>

#include "tests/traces/trace_support.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Task 0 computes 100 ns and sends 40 bytes to task 1, which answers with 8 after 7 ns. */
enum { NS = 1000 };

static const char ping_pong[] =
    "vef-trace 1\n"
    "tasks 2\n"
    "task 0\n"
    "Init\n"
    "Send to=1 bytes=40 gap=100\n"
    "Recv from=1 bytes=8 ordinal=0\n"
    "Finalize gap=5\n"
    "end finalized\n"
    "task 1\n"
    "Init\n"
    "Recv from=0 bytes=40 ordinal=0\n"
    "Send to=0 bytes=8 gap=7\n"
    "Finalize\n"
    "end finalized\n";

/* Task 0 receives what task 1 never sends. */
static const char no_send[] =
    "vef-trace 1\n"
    "tasks 2\n"
    "task 0\n"
    "Init\n"
    "Recv from=1 bytes=8 ordinal=0\n"
    "Finalize\n"
    "end finalized\n"
    "task 1\n"
    "Init\n"
    "Finalize gap=3\n"
    "end finalized\n";

static vef_feed_options options_for(const char *text) {
    const char *path = scratch_path("feed.vef");
    OK(vef_text_assemble(text, strlen(text), "text", path, error));
    vef_feed_options options = VEF_SIZED(vef_feed_options);
    options.trace = path;
    options.cycle_ps = 1000;
    options.endpoints = 2;
    return options;
}

static vef_feed *open_text(const char *text) {
    vef_failure failure;
    const vef_feed_options options = options_for(text);
    vef_feed *feed = NULL;
    if (vef_feed_open(&options, &feed, &failure) != VEF_FAILURE_NONE)
        fail_msg("%s", failure.text);
    return feed;
}

static int run(vef_feed *feed, uint64_t until_cycles) {
    int ended = 0;
    vef_failure failure;
    if (vef_feed_run(feed, until_cycles, &ended, &failure) != VEF_FAILURE_NONE)
        fail_msg("%s", failure.text);
    return ended;
}

static void refused(int code, const vef_failure *failure, const char *words) {
    assert_int_equal(code, VEF_FAILURE_INVALID);
    assert_int_equal(failure->code, code);
    if (!strstr(failure->text, words))
        fail_msg("expected '%s' in: %s", words, failure->text);
}

/* The message arrives at 1000, so the answer leaves at 1007; it arrives at 2000. */
static void ping_and_pong(void **state) {
    (void)state;
    vef_feed *feed = open_text(ping_pong);
    vef_feed_message message, none;
    uint64_t end_ps;
    assert_int_equal(vef_feed_tasks(feed), 2);
    assert_int_equal(vef_feed_endpoint(feed, 1), 1);
    assert_int_equal(vef_feed_endpoint(feed, 2), UINT32_MAX);
    assert_false(run(feed, 99));
    assert_false(vef_feed_take(feed, &message));
    assert_int_equal(vef_feed_next(feed), 100);
    assert_false(run(feed, 150));
    assert_true(vef_feed_take(feed, &message));
    assert_false(vef_feed_take(feed, &none));
    assert_int_equal(message.time_cycles, 100);
    assert_int_equal(message.bytes, 40);
    assert_int_equal(message.source, 0);
    assert_int_equal(message.destination, 1);
    assert_int_equal(message.kind, VEF_FEED_DATA);
    assert_int_equal(vef_feed_under_way(feed), 1);
    assert_int_equal(vef_feed_next(feed), VEF_NEVER);
    assert_int_equal(vef_feed_deliver(feed, message.id, 1000, NULL), VEF_FAILURE_NONE);
    assert_int_equal(vef_feed_under_way(feed), 0);
    assert_int_equal(vef_feed_next(feed), 1000);
    assert_false(run(feed, 1006));
    assert_false(vef_feed_take(feed, &message));
    assert_false(run(feed, 1007));
    assert_true(vef_feed_take(feed, &message));
    assert_int_equal(message.time_cycles, 1007);
    assert_int_equal(message.bytes, 8);
    assert_true(vef_feed_task_ended(feed, 1, &end_ps));
    assert_int_equal(end_ps, 1007 * NS);
    assert_false(vef_feed_task_ended(feed, 0, &end_ps));
    assert_int_equal(vef_feed_deliver(feed, message.id, 2000, NULL), VEF_FAILURE_NONE);
    assert_true(run(feed, 5000));
    assert_int_equal(vef_feed_next(feed), VEF_NEVER);

    vef_feed_result result = VEF_SIZED(vef_feed_result);
    vef_feed_task times;
    assert_int_equal(vef_feed_finish(feed, &result, NULL), VEF_FAILURE_NONE);
    assert_true(result.complete);
    assert_string_equal(result.stall, "");
    assert_int_equal(result.time_ps, 2005 * NS);
    assert_int_equal(result.messages, 2);
    assert_int_equal(result.bytes, 48);
    assert_int_equal(vef_feed_task_times(feed, 0, &times, NULL), VEF_FAILURE_NONE);
    assert_int_equal(times.end_ps, 2005 * NS);
    assert_int_equal(times.computing_ps, 105 * NS);
    /* Up to 1007 the answer had not left. */
    assert_int_equal(times.waiting_ps, 907 * NS);
    assert_int_equal(times.communicating_ps, 993 * NS);
    vef_feed_close(feed);
}

static void wrong_arrivals(void **state) {
    (void)state;
    vef_feed *feed = open_text(ping_pong);
    vef_failure failure;
    vef_feed_message message;
    int ended;
    assert_false(run(feed, 100));
    refused(vef_feed_deliver(feed, 1, 200, &failure), &failure, "no such message");
    refused(vef_feed_deliver(feed, UINT64_C(1) << 32, 200, &failure), &failure, "not taken");
    assert_true(vef_feed_take(feed, &message));
    refused(vef_feed_deliver(feed, message.id + (UINT64_C(1) << 32), 200, &failure), &failure,
            "no such message");
    refused(vef_feed_deliver(feed, message.id, 99, &failure), &failure, "has reached 100");
    refused(vef_feed_deliver(feed, message.id, VEF_NEVER, &failure), &failure, "out of range");
    refused(vef_feed_run(feed, 50, &ended, &failure), &failure, "has reached 100");
    refused(vef_feed_run(feed, VEF_NEVER, &ended, &failure), &failure, "out of range");
    assert_int_equal(vef_feed_deliver(feed, message.id, 100, &failure), VEF_FAILURE_NONE);
    refused(vef_feed_deliver(feed, message.id, 200, &failure), &failure, "has arrived before");
    assert_false(run(feed, 107));
    refused(vef_feed_deliver(feed, message.id, 200, &failure), &failure, "has arrived before");
    /* The answer has the same place, and another id. */
    vef_feed_message answer;
    assert_true(vef_feed_take(feed, &answer));
    assert_int_not_equal(answer.id, message.id);
    refused(vef_feed_deliver(feed, message.id, 200, &failure), &failure, "has arrived before");
    assert_int_equal(vef_feed_deliver(feed, answer.id, 300, &failure), VEF_FAILURE_NONE);
    assert_true(run(feed, 305));
    vef_feed_close(feed);
}

/* What arrives never is named; so is that the caller stopped. */
static void ends_early(void **state) {
    (void)state;
    vef_feed *feed = open_text(ping_pong);
    vef_feed_message message;
    vef_feed_result result = VEF_SIZED(vef_feed_result);
    vef_failure failure;
    vef_feed_task times;
    int ended;
    assert_false(run(feed, 100));
    assert_true(vef_feed_take(feed, &message));
    assert_false(run(feed, 100000));
    refused(vef_feed_task_times(feed, 0, &times, &failure), &failure, "vef_feed_finish");
    assert_int_equal(vef_feed_finish(feed, &result, NULL), VEF_FAILURE_NONE);
    assert_false(result.complete);
    assert_non_null(strstr(result.stall, "1 messages have not arrived"));
    assert_non_null(strstr(result.stall, "40 bytes from endpoint 0 to 1, left at cycle 100"));
    refused(vef_feed_finish(feed, &result, &failure), &failure, "once");
    refused(vef_feed_run(feed, 200000, &ended, &failure), &failure, "finished");
    vef_feed_close(feed);

    feed = open_text(ping_pong);
    assert_false(run(feed, 60));
    result = VEF_SIZED(vef_feed_result);
    assert_int_equal(vef_feed_finish(feed, &result, NULL), VEF_FAILURE_NONE);
    assert_false(result.complete);
    assert_non_null(strstr(result.stall, "stopped at cycle 60"));
    vef_feed_close(feed);
}

/* The readable part of a trace that was cut is replayed, with a warning. */
static void cut_short(void **state) {
    (void)state;
    vef_feed_options options = options_for(ping_pong);
    vef_feed *feed = NULL;
    assert_int_equal(vef_feed_open(&options, &feed, NULL), VEF_FAILURE_NONE);
    assert_string_equal(vef_feed_warnings(feed), "");
    vef_feed_close(feed);
    struct stat file;
    assert_int_equal(stat(options.trace, &file), 0);
    assert_int_equal(truncate(options.trace, file.st_size - 20), 0);
    feed = NULL;
    assert_int_equal(vef_feed_open(&options, &feed, NULL), VEF_FAILURE_NONE);
    assert_non_null(strstr(vef_feed_warnings(feed), "index"));
    vef_feed_close(feed);
}

static void stalls(void **state) {
    (void)state;
    vef_feed *feed = open_text(no_send);
    vef_feed_result result = VEF_SIZED(vef_feed_result);
    assert_true(run(feed, 10));
    assert_int_equal(vef_feed_finish(feed, &result, NULL), VEF_FAILURE_NONE);
    assert_false(result.complete);
    assert_non_null(strstr(result.stall, "task 0, event 1 (MPI_Recv)"));
    vef_feed_close(feed);
}

static void refuse_options(const vef_feed_options *options, const char *words) {
    vef_failure failure = {0};
    vef_feed *feed = NULL;
    assert_int_not_equal(vef_feed_open(options, &feed, &failure), VEF_FAILURE_NONE);
    assert_null(feed);
    if (!strstr(failure.text, words))
        fail_msg("expected '%s' in: %s", words, failure.text);
}

static void wrong_options(void **state) {
    (void)state;
    const vef_feed_options good = options_for(ping_pong);
    const uint32_t outside[] = {0, 2};
    const char *const wrong_override[] = {"mpi.bcst=ring"};
    vef_feed_options options = good;
    options.size--;
    refuse_options(&options, "a size of");
    options = good;
    options.cycle_ps = 0;
    refuse_options(&options, "cycle_ps of 1");
    options = good;
    options.trace = "no such file";
    refuse_options(&options, "no such file");
    options = good;
    options.endpoint = outside;
    refuse_options(&options, "task 1 is mapped to endpoint 2");
    options = good;
    options.mapping = "nearby";
    refuse_options(&options, "unknown mapping");
    options = good;
    options.machine = "{mpi: {eager: 3}}";
    refuse_options(&options, "unknown key 'eager'");
    options = good;
    options.machine = "{topology: {family: torus, sizes: [4, 4]}}";
    refuse_options(&options, "the topology of the machine has 16");
    options = good;
    options.overrides = wrong_override;
    options.override_count = 1;
    refuse_options(&options, "bcst");
}

/* With an eager threshold of 8 bytes the message of 40 has a rendezvous: a request, its answer,
 * then the data. With a cycle of 100/3 ns, 100 ns are 3 cycles. */
static void machine(void **state) {
    (void)state;
    vef_feed_options options = options_for(ping_pong);
    const char *const override[] = {"mpi.eager_threshold=8 B"};
    const uint32_t swapped[] = {1, 0};
    options.overrides = override;
    options.override_count = 1;
    options.endpoint = swapped;
    options.cycle_ps = 100000;
    options.cycle_parts = 3;
    vef_feed *feed = NULL;
    assert_int_equal(vef_feed_open(&options, &feed, NULL), VEF_FAILURE_NONE);
    static const struct {
        vef_feed_kind kind;
        uint32_t source;
        uint64_t time_cycles;
    } expected[] = {{VEF_FEED_REQUEST, 1, 3}, {VEF_FEED_CLEARANCE, 0, 13}, {VEF_FEED_DATA, 1, 23}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        vef_feed_message message;
        assert_false(run(feed, expected[i].time_cycles));
        assert_true(vef_feed_take(feed, &message));
        assert_int_equal(message.kind, expected[i].kind);
        assert_int_equal(message.source, expected[i].source);
        assert_int_equal(message.destination, 1 - expected[i].source);
        assert_int_equal(message.time_cycles, expected[i].time_cycles);
        assert_int_equal(message.bytes, message.kind == VEF_FEED_DATA ? 40 : 32);
        assert_int_equal(vef_feed_deliver(feed, message.id, message.time_cycles + 10, NULL),
                         VEF_FAILURE_NONE);
    }
    vef_feed_close(feed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ping_and_pong), cmocka_unit_test(wrong_arrivals),
        cmocka_unit_test(ends_early),    cmocka_unit_test(stalls),
        cmocka_unit_test(wrong_options), cmocka_unit_test(cut_short),
        cmocka_unit_test(machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
