/* Explanations of replays, by hand. Between two neighbouring routers a message of F phits sent at t
 * is delivered at t + 1 + F when nothing interferes (netmodel/MODEL.md): 1 cycle of latency, F of
 * serialisation. A request or clearance has 8 phits: 9 cycles. That causes add up to the end of
 * each task, and the path to that of the last, is checked for every replay of every test by
 * script_record, as is that a record changes no result. */
#include "tests/replay/script.h"

#include "replay/explain/path.h"
#include "replay/explain/what_if.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

typedef struct expected {
    vef_cause cause;
    uint64_t cycles;
} expected;

/* All causes that are not 0, ended by one of 0 cycles. */
static void check_cycles(const vef_cause_ps *cycles, const expected *sums) {
    vef_cause_ps wanted = {{0}};
    for (; sums->cycles; sums++)
        wanted.by_cause[sums->cause] = sums->cycles * VEF_PS_PER_NS;
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        if (cycles->by_cause[cause] != wanted.by_cause[cause])
            fail_msg("%s: %llu cycles instead of %llu", vef_causes[cause].key,
                     (unsigned long long)cycles->by_cause[cause],
                     (unsigned long long)wanted.by_cause[cause]);
}

static void check_task(const vef_time_record *record, uint32_t task, const expected *sums) {
    check_cycles(&record->ends[task].ps, sums);
}

static void check_path(const vef_time_record *record, const expected *sums) {
    vef_path path;
    vef_path_find(record, &path);
    check_cycles(&path.ps, sums);
}

#define LIST(...)                                                                                  \
    (const expected[]) {                                                                           \
        __VA_ARGS__, {                                                                             \
            0, 0                                                                                   \
        }                                                                                          \
    }
#define COMPUTING(n)                                                                               \
    { VEF_CAUSE_COMPUTING, n }
#define OVERHEAD(n)                                                                                \
    { VEF_CAUSE_OVERHEAD, n }
#define LATE_SENDER(n)                                                                             \
    { VEF_CAUSE_LATE_SENDER, n }
#define LATE_RECEIVER(n)                                                                           \
    { VEF_CAUSE_LATE_RECEIVER, n }
#define COLLECTIVE(n)                                                                              \
    { VEF_CAUSE_COLLECTIVE, n }
#define HANDSHAKE(n)                                                                               \
    { VEF_CAUSE_HANDSHAKE, n }
#define INJECTION(n)                                                                               \
    { VEF_CAUSE_INJECTION, n }
#define SERIALISATION(n)                                                                           \
    { VEF_CAUSE_SERIALISATION, n }
#define LATENCY(n)                                                                                 \
    { VEF_CAUSE_LATENCY, n }
#define CONTENTION(n)                                                                              \
    { VEF_CAUSE_CONTENTION, n }
#define MEMORY(n)                                                                                  \
    { VEF_CAUSE_MEMORY, n }

/* A message of 100 phits, sent at 400 and delivered at 501, to a receiver that calls at `posted`.
 */
static void record_late_sender(uint64_t posted, vef_time_record *record) {
    script *s = script_new(2);
    say_send(s, 0, 400, 1, 400, 0);
    say_receive(s, 1, posted, 0);
    say_finalize_all(s);
    script_record(s, script_pair, NULL, NULL, record);
    script_free(s);
}

static void test_late_sender(void **state) {
    (void)state;
    vef_time_record record;
    record_late_sender(100, &record);
    check_task(&record, 0, LIST(COMPUTING(400)));
    check_task(&record, 1, LIST(COMPUTING(100), LATE_SENDER(300), LATENCY(1), SERIALISATION(100)));
    check_path(&record, LIST(COMPUTING(400), LATENCY(1), SERIALISATION(100)));
    vef_time_record_release(&record);
    /* A receiver that comes during the transfer is charged its end; the path has all of it. */
    record_late_sender(450, &record);
    check_task(&record, 1, LIST(COMPUTING(450), SERIALISATION(51)));
    check_path(&record, LIST(COMPUTING(400), LATENCY(1), SERIALISATION(100)));
    vef_time_record_release(&record);
    /* After the transfer there is nothing to wait for, and the path stays in the receiver. */
    record_late_sender(502, &record);
    check_task(&record, 1, LIST(COMPUTING(502)));
    check_path(&record, LIST(COMPUTING(502)));
    vef_time_record_release(&record);
}

static void record_rendezvous(uint64_t posted, vef_time_record *record) {
    script *s = script_new(2);
    say_send(s, 0, 0, 1, 400, VEF_OP_SYNCHRONOUS);
    say_receive(s, 1, posted, 0);
    say_finalize_all(s);
    script_record(s, script_pair, NULL, NULL, record);
    script_free(s);
}

/* The request arrives at 9. The clearance leaves then, or when the receive is posted, and takes 9;
 * then the data take 101. */
static void test_late_receiver(void **state) {
    (void)state;
    vef_time_record record;
    record_rendezvous(500, &record);
    check_task(&record, 0, LIST(LATE_RECEIVER(500), HANDSHAKE(9), LATENCY(1), SERIALISATION(100)));
    check_task(&record, 1, LIST(COMPUTING(500), HANDSHAKE(9), LATENCY(1), SERIALISATION(100)));
    check_path(&record, LIST(COMPUTING(500), HANDSHAKE(9), LATENCY(1), SERIALISATION(100)));
    vef_time_record_release(&record);
    record_rendezvous(4, &record);
    check_task(&record, 0, LIST(LATE_RECEIVER(4), HANDSHAKE(14), LATENCY(1), SERIALISATION(100)));
    check_task(&record, 1, LIST(COMPUTING(4), HANDSHAKE(14), LATENCY(1), SERIALISATION(100)));
    /* It was the request that the clearance waited for, and so the sender. */
    check_path(&record, LIST(HANDSHAKE(18), LATENCY(1), SERIALISATION(100)));
    vef_time_record_release(&record);
}

/* Tasks are at the routers 0, 1, 2, 3 of a row, and at 4 to 7 of the next one. */
static void test_injection(void **state) {
    (void)state;
    vef_time_record record;
    script *s = script_new(3);
    say_send(s, 0, 0, 1, 400, 0); /* 100 phits */
    say_send(s, 0, 0, 2, 40, 0);  /* 10 phits, over two links */
    say_receive(s, 1, 0, 0);
    say_receive(s, 2, 0, 0);
    say_finalize_all(s);
    script_record(s, script_mesh, NULL, NULL, &record);
    check_task(&record, 1, LIST(LATENCY(1), SERIALISATION(100)));
    check_task(&record, 2, LIST(INJECTION(100), LATENCY(2), SERIALISATION(10)));
    vef_time_record_release(&record);
    script_free(s);
}

/* The packets of the tasks 0 and 1, 16 phits each, want the link from router 1 to router 2. That of
 * task 1 crosses it in the cycles 0 … 15; that of task 0 has been there from 1 on, and waits
 * for 15. */
static void test_contention(void **state) {
    (void)state;
    vef_time_record record;
    script *s = script_new(3);
    say_send(s, 0, 0, 2, 64, 0);
    say_send(s, 1, 0, 2, 64, 0);
    say_receive(s, 2, 0, 0);
    say_receive(s, 2, 0, 1);
    say_finalize_all(s);
    script_record(s, script_mesh, NULL, NULL, &record);
    check_task(&record, 2, LIST(LATENCY(2), SERIALISATION(16), CONTENTION(15)));
    check_path(&record, LIST(LATENCY(2), SERIALISATION(16), CONTENTION(15)));
    vef_time_record_release(&record);
    /* Who comes at 10 to a message that is there at 33, and would have been there at 18 without the
     * other one, is charged 8 cycles of the transfer that it saw last, and the contention before.
     */
    script_free(s);
    s = script_new(3);
    say_send(s, 0, 0, 2, 64, 0);
    say_send(s, 1, 0, 2, 64, 0);
    say_receive(s, 2, 10, 0);
    say_receive(s, 2, 0, 1);
    say_finalize_all(s);
    script_record(s, script_mesh, NULL, NULL, &record);
    check_task(&record, 2, LIST(COMPUTING(10), SERIALISATION(16), LATENCY(2), CONTENTION(5)));
    vef_time_record_release(&record);
    script_free(s);
}

/* The link along y needs 4 cycles for a phit: 10 phits over one of each take 1 + (1 + 3) cycles of
 * delays and 9 x 4 + 1 of serialisation, with routers as with flows. */
static void test_links_that_differ(void **state) {
    (void)state;
    static const char *const networks[] = {
        "topology: {family: mesh, sizes: [2, 2]}\nrouting: {algorithm: dor}\n"
        "link: {bandwidth: 32 Gbit/s, phit: 4 B, classes: {y: {bandwidth: 8 Gbit/s}}}\n",
        "model: flow\ntopology: {family: mesh, sizes: [2, 2]}\nrouting: {algorithm: dor}\n"
        "link: {bandwidth: 32 Gbit/s, phit: 4 B, classes: {y: {bandwidth: 8 Gbit/s}}}\n"};
    for (size_t i = 0; i < 2; i++) {
        vef_time_record record;
        script *s = script_new(4);
        say_send(s, 0, 0, 3, 40, 0);
        say_receive(s, 3, 0, 0);
        say_finalize_all(s);
        script_record(s, networks[i], NULL, NULL, &record);
        check_task(&record, 3, LIST(LATENCY(5), SERIALISATION(37)));
        vef_time_record_release(&record);
        script_free(s);
    }
}

/* Two flows of 1000 phits share the link to router 2 evenly: both are out of their sources at 2000,
 * 1000 later than one alone. */
static void test_contention_of_flows(void **state) {
    (void)state;
    vef_time_record record;
    script *s = script_new(3);
    say_send(s, 0, 0, 2, 4000, 0);
    say_send(s, 1, 0, 2, 4000, 0);
    say_receive(s, 2, 0, 0);
    say_receive(s, 2, 0, 1);
    say_finalize_all(s);
    script_record(s,
                  "model: flow\ntopology: {family: mesh, sizes: [4, 2]}\n"
                  "routing: {algorithm: dor}\nlink: {bandwidth: 32 Gbit/s, phit: 4 B}\n",
                  NULL, NULL, &record);
    check_task(&record, 2, LIST(LATENCY(2), SERIALISATION(1000), CONTENTION(1000)));
    vef_time_record_release(&record);
    script_free(s);
}

/* A barrier of two tasks is a message of no bytes each way: one phit. */
static void test_collective(void **state) {
    (void)state;
    vef_time_record record;
    script *s = script_new(2);
    say_collective(s, 0, 300, VEF_CALL_Barrier, 0, -1, 0);
    say_collective(s, 1, 0, VEF_CALL_Barrier, 0, -1, 0);
    say_finalize_all(s);
    script_record(s, script_pair, NULL, NULL, &record);
    check_task(&record, 0, LIST(COMPUTING(300)));
    check_task(&record, 1, LIST(COLLECTIVE(300), LATENCY(1), SERIALISATION(1)));
    check_path(&record, LIST(COMPUTING(300), LATENCY(1), SERIALISATION(1)));
    vef_time_record_release(&record);
    script_free(s);
}

/* Overheads of both sides; messages within a node. */
static void test_hosts(void **state) {
    (void)state;
    vef_time_record record;
    vef_replay_options options = vef_replay_defaults();
    options.host.send_overhead = vef_cost_of(20, 0);
    options.host.receive_overhead = vef_cost_of(30, 0);
    options.host.memory_time = vef_cost_of(70, 0);
    script *s = script_new(2);
    say_send(s, 0, 0, 1, 40, 0);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    script_record(s, script_pair, &options, NULL, &record);
    check_task(&record, 0, LIST(OVERHEAD(20)));
    check_task(&record, 1, LIST(LATE_SENDER(20), LATENCY(1), SERIALISATION(10), OVERHEAD(30)));
    check_path(&record, LIST(LATENCY(1), SERIALISATION(10), OVERHEAD(50)));
    vef_time_record_release(&record);
    script_record(s, script_pair, &options, (const uint32_t[]){1, 1}, &record);
    check_task(&record, 1, LIST(LATE_SENDER(20), MEMORY(70), OVERHEAD(30)));
    vef_time_record_release(&record);
    script_free(s);
}

/* Task 0 computes 50 and sends; task 1 computes 30, receives at 50 + 11, computes 20, and sends
 * back: 81 + 11. */
static void test_regions_and_calls(void **state) {
    (void)state;
    vef_time_record record;
    vef_path path;
    script *s = script_new(2);
    say_local(s, 0, 0, VEF_CALL_Init);
    say(s, 0, &(vef_event){.call = VEF_CALL_Region_begin, .name = "solve"});
    say_send(s, 0, 50, 1, 40, 0);
    say(s, 0, &(vef_event){.call = VEF_CALL_Region_end, .name = "solve"});
    say_receive(s, 0, 0, 1);
    say_receive(s, 1, 30, 0);
    say_send(s, 1, 20, 0, 40, 0);
    say_finalize_all(s);
    script_record(s, script_pair, NULL, NULL, &record);
    vef_path_find(&record, &path);
    check_cycles(&path.ps, LIST(COMPUTING(70), LATENCY(2), SERIALISATION(20)));
    assert_int_equal(path.messages, 2);
    assert_int_equal(path.call_count, 1);
    assert_int_equal(path.calls[0].number, VEF_CALL_Recv);
    assert_int_equal(ns_of(path.calls[0].ps), 22);
    assert_int_equal(path.region_count, 2);
    assert_int_equal(path.regions[0].number, 1);
    assert_int_equal(ns_of(path.regions[0].ps), 50);
    assert_string_equal(record.regions[0], "solve");
    assert_int_equal(path.regions[1].number, 0);
    assert_int_equal(ns_of(path.regions[1].ps), 42);
    assert_int_equal(path.task_count, 2);
    assert_int_equal(path.tasks[0].number, 0);
    assert_int_equal(ns_of(path.tasks[0].ps), 50 + 11);

    vef_what_if what_if[VEF_CHANGES];
    vef_what_if_predict(&path, what_if);
    assert_true(what_if[VEF_CHANGE_IDEAL].predicted_ns == 70);
    assert_true(what_if[VEF_CHANGE_BANDWIDTH].predicted_ns == 82);
    assert_true(what_if[VEF_CHANGE_LATENCY].predicted_ns == 91);
    assert_true(what_if[VEF_CHANGE_CPU].predicted_ns == 57);
    vef_time_record_release(&record);
    script_free(s);
}

/* Parts of replays that stop, and tasks without messages. */
static void test_little(void **state) {
    (void)state;
    vef_time_record record;
    script *s = script_new(1);
    say_local(s, 0, 7, VEF_CALL_Finalize);
    script_record(s, script_pair, NULL, NULL, &record);
    check_task(&record, 0, LIST(COMPUTING(7)));
    check_path(&record, LIST(COMPUTING(7)));
    vef_time_record_release(&record);
    script_free(s);

    s = script_new(2);
    script_record(s, script_pair, NULL, NULL, &record);
    check_task(&record, 0, LIST({0, 0}));
    vef_time_record_release(&record);
    say_receive(s, 0, 5, 1); /* never sent */
    say_local(s, 1, 9, VEF_CALL_Finalize);
    script_record(s, script_pair, NULL, NULL, &record);
    check_task(&record, 0, LIST(COMPUTING(5)));
    check_path(&record, LIST(COMPUTING(9)));
    vef_time_record_release(&record);
    script_free(s);

    /* Stopped at 60, in the middle of a computation and of a message. */
    vef_replay_options options = vef_replay_defaults();
    options.limit_ps = 60 * VEF_PS_PER_NS;
    s = script_new(2);
    say_send(s, 0, 10, 1, 4000, 0);
    say_local(s, 0, 100, VEF_CALL_Finalize);
    say_receive(s, 1, 20, 0);
    say_local(s, 1, 0, VEF_CALL_Finalize);
    script_record(s, script_pair, &options, NULL, &record);
    check_task(&record, 0, LIST(COMPUTING(60)));
    check_task(&record, 1, LIST(COMPUTING(20)));
    check_path(&record, LIST(COMPUTING(60)));
    vef_time_record_release(&record);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_sender),       cmocka_unit_test(test_late_receiver),
        cmocka_unit_test(test_injection),         cmocka_unit_test(test_contention),
        cmocka_unit_test(test_links_that_differ), cmocka_unit_test(test_contention_of_flows),
        cmocka_unit_test(test_collective),        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_regions_and_calls), cmocka_unit_test(test_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
