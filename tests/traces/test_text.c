/* The text form: exact round trip, what may be left out, and errors that name their line. */
#include "tests/traces/random_events.h"
#include "tests/traces/trace_support.h"
#include "traces/file/writer.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vef_code assemble(const char *text, const char *path, vef_error *error) {
    return vef_text_assemble(text, strlen(text), "hand.txt", path, error);
}

static char *dump(const char *path, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    OK(vef_text_dump(trace, -1, out, error));
    vef_trace_close(trace);
    fclose(out);
    return text;
}

/* The same dump; of tasks with one thread each the same bytes too. */
static void assert_round_trip(const char *path, bool bytes) {
    const char *again = scratch_path("again.vef");
    size_t size, again_size, first_size, second_size;
    char *text = dump(path, &size);
    OK(vef_text_assemble(text, size, "dump", again, error));
    char *text_again = dump(again, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(text, text_again, size);
    free(text_again);
    if (!bytes) {
        free(text);
        return;
    }
    unsigned char *first = slurp(path, &first_size), *second = slurp(again, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    free(first);
    free(second);
    free(text);
}

enum { RANDOM_TASKS = 7, RANDOM_COMMS = 7 };

/* One of every shape. */
static void make_communicators(vef_communicator comms[RANDOM_COMMS]) {
    static const uint32_t total[] = {0, 1, 2, 3, 4, 5, 6}, odd[] = {5, 3, 1},
                          mixed[] = {0, 2, 4, 6, 1}, left[] = {0, 1}, right[] = {6};
    static const uint32_t extents[] = {4, 2}, in[] = {2, 2, 0}, out[] = {0, 1, 2};
    static const uint8_t periodic[] = {1, 0};
    static const vef_neighbours graph[] = {{3, 2, in, out}, {0, 0, NULL, NULL}, {0, 3, NULL, out}};
    static const vef_neighbours nobody[] = {{0, 0, NULL, NULL}, {0, 0, NULL, NULL}};
    const vef_communicator list[RANDOM_COMMS] = {
        {.parent = VEF_NO_COMM, .made_by = VEF_CALL_Init, .size = RANDOM_TASKS, .members = total},
        {.parent = 0,
         .made_by = VEF_CALL_Dist_graph_create,
         .size = 3,
         .members = odd,
         .neighbours = graph},
        {.parent = 0,
         .made_by = VEF_CALL_Cart_create,
         .size = 5,
         .members = mixed,
         .dimensions = 2,
         .extents = extents,
         .periodic = periodic},
        {.parent = 1,
         .made_by = VEF_CALL_Intercomm_create,
         .size = 2,
         .members = left,
         .remote_size = 1,
         .remote_members = right},
        {.parent = 1, .made_by = VEF_CALL_Win_allocate, .size = 3, .members = odd},
        {.parent = 0,
         .made_by = VEF_CALL_Graph_create,
         .size = 2,
         .members = left,
         .neighbours = nobody},
        {.parent = VEF_NO_COMM,
         .made_by = VEF_CALL_Comm_create_from_group,
         .size = 1,
         .members = right},
    };
    memcpy(comms, list, sizeof list);
}

static void write_random(const char *path, uint32_t threads) {
    vef_communicator comms[RANDOM_COMMS];
    make_communicators(comms);
    vef_trace_header header = {.tasks = RANDOM_TASKS,
                               .application = "./a b",
                               .command = "mpiexec \"-n\" 7 \\x\n\x80\xe2\x82\xac #",
                               .library = "lib",
                               .clock = "cpu",
                               .times = threads ? "compute" : "all",
                               .options = "\t",
                               .date = "2026-01-02T03:04:05Z",
                               .exit_status = 137,
                               .communicator_count = RANDOM_COMMS,
                               .communicators = comms};
    vef_writer *writer = NULL;
    OK(vef_writer_open(path, &header, &writer, error));
    for (uint32_t i = 0; i < RANDOM_TASKS; i++) {
        random_task task = {.rng = vef_rng_make(11, VEF_RNG_TEST, i),
                            .tasks = RANDOM_TASKS,
                            .comms = RANDOM_COMMS,
                            .threads = threads};
        for (unsigned k = 0; k < 700 * i; k++) {
            vef_event event = *random_event(&task);
            /* The text form takes numbers below 2^63 where MPI has counts. */
            event.bytes >>= 1;
            event.elements >>= 1;
            for (uint32_t j = 0; j < event.operation_count; j++)
                task.operations[j].bytes >>= 1;
            for (uint32_t j = 0; j < event.send_count; j++)
                task.sends[j] >>= 1;
            for (uint32_t j = 0; j < event.receive_count; j++)
                task.receives[j] >>= 1;
            OK(vef_writer_event(writer, i, &event, error));
        }
        if (i == 2)
            vef_writer_skipped(writer, i, 12345);
        OK(vef_writer_end_task(writer, i, (vef_log_end)(i % 4), error));
    }
    vef_writer_not_recorded(writer, VEF_CALL_File_open, 5, 3400);
    vef_writer_not_recorded(writer, VEF_CALL_Win_fence, UINT64_MAX, 0);
    vef_writer_left_out(writer, VEF_CALL_Test, 12, 3000);
    vef_writer_left_out(writer, VEF_CALL_Wait, UINT64_MAX, UINT64_MAX);
    vef_writer_measured(writer, 1, &(vef_measured){1, 2, 3, 4, 1, 6, 7, UINT64_MAX, 9, 10, 11});
    OK(vef_writer_finish(writer, error));
}

/* Random events of every call that traces hold and with every field, with texts that need escapes
 * and communicators of every shape; of one thread a task, and of three. */
static void test_random_round_trip(void **state) {
    (void)state;
    const char *path = scratch_path("random.vef");
    write_random(path, 0);
    assert_round_trip(path, true);
    write_random(path, 3);
    assert_round_trip(path, false);
    size_t size;
    char *text = dump(path, &size);
    for (const char *const *word =
             (const char *const[]){
                 "\nthread 2\n",
                 "\nneighbours 0 in=2,2,0 out=0-1\n",
                 "\ntimes \"compute\"\n",
                 "\ntask 2 skipped=12345\n",
                 "\nnot_recorded File_open 5 time=3400\n",
                 "\nleft_out Test 12 time=3000\n",
                 "\nmeasured 1 run_ns=1 wall_ns=2 cpu_ns=3 core_wait_ns=4 cpu_clock=1 threads=6 "
                 "host_tasks=7 host_cores=18446744073709551615 clock_compared_ns=9 "
                 "clock_error_ns=10 clock_jumps=11\n",
                 " entered=",
                 " left=",
                 " outside=",
                 "name=\"a \\\"b\\\" # c\"",
                 " root=here",
                 " root=beside",
                 " peers=none",
                 " assertion=",
                 "exclusive",
                 "partitioned",
                 "generalised",
                 " target=none",
                 NULL};
         *word; word++)
        if (!strstr(text, *word))
            fail_msg("the dump never has '%s'", *word);
    /* Every call that a trace holds is in it. */
    for (size_t call = 0; call < vef_call_count(); call++) {
        char line[80];
        snprintf(line, sizeof line, "\n%s ",
                 vef_call_is_held((uint16_t)call) ? vef_call_name((uint16_t)call) : "thread");
        if (!strstr(text, line))
            fail_msg("the dump has no '%s'", line);
    }
    free(text);
}

/* A trace of few words: tags default to 0, bytes of receives and all ordinals come from matching.
 * The second receive wants tag 5, the second message; the third gets the first. */
static void test_defaults(void **state) {
    (void)state;
    const char *path = scratch_path("hand.vef");
    OK(
        assemble("vef-trace 1\n"
                 "tasks 2\n"
                 "comm 1 parent=0 by=Comm_split members=1,0\n"
                 "\n"
                 "task 1\n"
                 "  Irecv from=0 comm=1   # the message on the other communicator\n"
                 "Recv from=0 tag=5\n"
                 "Recv from=0 gap=10 time=20\n"
                 "Wait requests=0\n"
                 "Issend to=0\n"
                 "Recv from=none\n"
                 "task 0\n"
                 "Send to=1 bytes=100\n"
                 "Send to=1 bytes=200 tag=5\n"
                 "Send to=1 bytes=300 comm=1\n"
                 "Recv from=1\n"
                 "Bcast bytes=8\n"
                 "Alltoallv sends=1*2 receives=3,4\n",
                 path, error));
    event_list zero = read_task(path, 0), one = read_task(path, 1);
    const uint64_t ordinals[] = {2, 1, 0}, bytes[] = {300, 200, 100};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(one.events[i].operations[0].ordinal == ordinals[i]);
        assert_true(one.events[i].operations[0].bytes == bytes[i]);
        assert_true(zero.events[i].operations[0].ordinal == i);
        assert_int_equal(zero.events[i].operations[0].flags, VEF_OP_SEND);
    }
    assert_true(one.events[0].operations[0].request == 0);
    assert_true(one.events[1].operations[0].request == VEF_NO_REQUEST);
    assert_true(one.events[2].gap_ns == 10 && one.events[2].duration_ns == 20);
    assert_int_equal(one.events[4].operations[0].flags, VEF_OP_SEND | VEF_OP_SYNCHRONOUS);
    assert_true(one.events[4].operations[0].request == 1);
    assert_int_equal(one.events[5].operations[0].peer, VEF_NO_TASK);
    assert_true(zero.events[3].operations[0].ordinal == 0);
    assert_int_equal(zero.events[4].root, 0);
    assert_true(zero.events[5].send_bytes[1] == 1 && zero.events[5].receive_bytes[1] == 4);
    free_events(&zero);
    free_events(&one);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    assert_int_equal(vef_trace_get_header(trace)->task[0].end, VEF_LOG_FINALIZED);
    assert_int_equal(vef_trace_get_header(trace)->communicators[1].members[0], 1);
    vef_trace_close(trace);
    /* Its tasks stand in another order in the file than in a dump: the same dump comes of both. */
    const char *again = scratch_path("ordered.vef");
    size_t size, again_size;
    char *text = dump(path, &size);
    OK(vef_text_assemble(text, size, "dump", again, error));
    char *text_again = dump(again, &again_size);
    assert_string_equal(text, text_again);
    assert_round_trip(again, true);
    free(text);
    free(text_again);
}

/* What may be left out of the other kinds of calls: requests follow each other over all of them, an
 * Isendrecv has one; ticks of each thread go on from the call above; a started collective's request
 * is its own, the making of a persistent one has none. */
static void test_defaults_of_calls(void **state) {
    (void)state;
    const char *path = scratch_path("calls.vef");
    OK(
        assemble("vef-trace 1\n"
                 "tasks 2\n"
                 "times \"compute\"\n"
                 "comm 1 parent=0 by=Win_create members=0-1\n"
                 "comm 2 parent=0 by=Graph_create members=1,0\n"
                 "neighbours 1 out=0,0\n"
                 "task 0\n"
                 "Ibcast bytes=4\n"
                 "Isendrecv to=1 bytes=5 from=1\n"
                 "Bcast_init bytes=4\n"
                 "Bcast_init bytes=4 marks=started outside=9\n"
                 "Grequest_start\n"
                 "thread 2 # there is no thread 1\n"
                 "Rput target=1 bytes=8 comm=1 left=7\n"
                 "Win_lock comm=1 peers=1,0 assertion=-3 marks=exclusive\n"
                 "Waitall requests=0-4 entered=20\n"
                 "Region_begin name=\"a # b=c\"   # remark\n"
                 "Comm_idup new=1\n"
                 "Start to=1 flags=partitioned\n"
                 "Send to=1 bytes=6\n"
                 "task 1\n"
                 "Isendrecv from=0 to=0\n"
                 "Recv from=0\n"
                 "Start from=0 flags=partitioned\n",
                 path, error));
    event_list zero = read_task(path, 0), one = read_task(path, 1);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    const vef_trace_header *header = vef_trace_get_header(trace);
    assert_string_equal(header->times, "compute");
    assert_int_equal(header->task[0].threads, 3);
    const vef_neighbours *graph = header->communicators[2].neighbours;
    assert_int_equal(graph[0].in_count + graph[0].out_count + graph[1].in_count, 0);
    assert_int_equal(graph[1].out_count, 2);
    assert_int_equal(graph[1].out[1], 0);
    assert_true(zero.events[0].request == 0);
    assert_true(zero.events[1].operations[0].request == 1);
    assert_true(zero.events[1].operations[1].request == 1);
    assert_true(zero.events[2].flags == 0 && zero.events[3].flags == VEF_EVENT_STARTED);
    assert_true(zero.events[3].request == 2 && zero.events[3].outside_ns == 9);
    assert_true(zero.events[4].operations[0].request == 3);
    assert_int_equal(zero.events[4].operations[0].flags, VEF_OP_GENERALISED);
    assert_true(zero.events[4].entered == 8 && zero.events[4].left == 9);
    vef_stream *stream = NULL;
    const vef_event *event;
    OK(vef_stream_open(trace, 0, 2, &stream, error));
    OK(vef_stream_next(stream, &event, error));
    assert_true(event->operations[0].request == 4 && event->operations[0].peer == 1);
    assert_int_equal(event->operations[0].flags, 0);
    assert_true(event->entered == 0 && event->left == 7);
    OK(vef_stream_next(stream, &event, error));
    assert_true(event->entered == 8 && event->left == 9 && event->argument == -3);
    assert_int_equal(event->flags, VEF_EVENT_EXCLUSIVE);
    assert_int_equal(event->peer_count, 2);
    assert_true(event->peers[0] == 1 && event->peers[1] == 0);
    OK(vef_stream_next(stream, &event, error));
    assert_true(event->entered == 20 && event->left == 21 && event->completion_count == 5);
    OK(vef_stream_next(stream, &event, error));
    assert_string_equal(event->name, "a # b=c");
    OK(vef_stream_next(stream, &event, error));
    assert_true(event->request == 5);
    vef_stream_close(stream);
    vef_trace_close(trace);
    /* The partitioned pair is matched apart, though it was started before the ordinary message. */
    assert_true(one.events[0].operations[0].bytes == 5 && one.events[0].operations[0].ordinal == 0);
    assert_true(one.events[1].operations[0].bytes == 6 && one.events[1].operations[0].ordinal == 2);
    assert_true(one.events[2].operations[0].ordinal == 1);
    free_events(&zero);
    free_events(&one);
}

/* What can be read once only is read all the same. */
static void test_pipe(void **state) {
    (void)state;
    const char *path = scratch_path("pipe.vef");
    FILE *in = popen(
        "printf 'vef-trace 1\ntasks 2\ntask 1\nRecv from=0\ntask 0\nSend to=1 "
        "bytes=77'",
        "r");
    assert_non_null(in);
    OK(vef_text_assemble_file(in, "pipe", path, error));
    pclose(in);
    event_list one = read_task(path, 1);
    assert_true(one.events[0].operations[0].bytes == 77);
    free_events(&one);
}

/* A receive without a message is kept, waiting for the one after the last: a replay will stall on
 * it. */
static void test_message_that_never_comes(void **state) {
    (void)state;
    const char *path = scratch_path("never.vef");
    OK(
        assemble("vef-trace 1\ntasks 2\ntask 0\nSend to=1\ntask 1\nRecv from=0 tag=9\nRecv from=0\n"
                 "Recv from=0\n",
                 path, error));
    event_list one = read_task(path, 1);
    assert_true(one.events[0].operations[0].ordinal == 1);
    assert_true(one.events[1].operations[0].ordinal == 0);
    assert_true(one.events[2].operations[0].ordinal == 2);
    assert_int_equal(one.events[0].operations[0].flags, 0);
    free_events(&one);
}

static void test_errors(void **state) {
    (void)state;
#define BEGIN "vef-trace 1\ntasks 2\ntask 0\n"
    static const struct {
        const char *text, *line, *says;
    } cases[] = {
        {"", "hand.txt: empty", "vef-trace 1"},
        {"tasks 2\n", "hand.txt:1:", "vef-trace 1"},
        {"vef-trace 1\n", "hand.txt:1:", "missing 'tasks N'"},
        {"vef-trace 1\ntasks 0\n", "hand.txt:2:", "at least 1"},
        {"vef-trace 1\ntasks two\n", "hand.txt:2:", "'two': expected a whole number"},
        {"vef-trace 1\ntasks 2\ntasks 2\n", "hand.txt:3:", "duplicate"},
        {"vef-trace 1\ntasks 2\ncolour \"red\"\n", "hand.txt:3:", "unknown line 'colour'"},
        {"vef-trace 1\ntasks 2\nclock wall\n", "hand.txt:3:", "double quotes"},
        {"vef-trace 1\ntasks 2\nclock \"wall\n", "hand.txt:3:", "double quotes"},
        {"vef-trace 1\ntasks 2\ncomm 2 members=0\n", "hand.txt:3:", "expected number 0"},
        {"vef-trace 1\ntasks 2\ncomm 1 members=0-7\n", "hand.txt:3:", "from 0 to 1"},
        {"vef-trace 1\ntasks 2\ncomm 1 by=Elsewhere members=0\n", "hand.txt:3:", "Elsewhere"},
        {"vef-trace 1\ntasks 2\ncomm 1 parent=3 members=0\n", "hand.txt:3:", "parent 3"},
        {"vef-trace 1\ntasks 2\nSend to=1\n", "hand.txt:3:", "before the first 'task'"},
        {BEGIN "# remark\n\nSent to=1\n", "hand.txt:6:", "unknown MPI call 'Sent'"},
        {BEGIN "Send_c\n", "hand.txt:4:", "unknown MPI call 'Send_c'"},
        {BEGIN "Send\n", "hand.txt:4:", "Send: missing to=TASK"},
        {BEGIN "Send to=2\n", "hand.txt:4:", "task 2 is out of range"},
        {BEGIN "Send to=1 bites=8\n", "hand.txt:4:", "Send: unknown key 'bites'"},
        {BEGIN "Send to=1 8\n", "hand.txt:4:", "'8': expected key=value"},
        {BEGIN "Send to=1 bytes=-8\n", "hand.txt:4:", "'-8': expected a whole number"},
        {BEGIN "Send to=1 comm=1\n", "hand.txt:4:", "communicator 1 is out of range"},
        {BEGIN "Send to=1 flags=fast\n", "hand.txt:4:", "unknown flag 'fast'"},
        {BEGIN "Wait requests=0\n", "hand.txt:4:", "request 0 was not started"},
        {BEGIN "Wait requests=1\nthread 1\nIsend to=1\n",
         "hand.txt:4:", "request 1 was not started by any thread"},
        {BEGIN "thread 1\nthread 1\n",
         "hand.txt:5:", "thread 1: expected more than 1, the thread before it"},
        {BEGIN "end cut\nthread 1\n", "hand.txt:5:", "expected 'task N' before 'thread'"},
        {BEGIN "Put bytes=8\n", "hand.txt:4:", "Put: unknown key 'bytes'"},
        {BEGIN "Put\n", "hand.txt:4:", "Put: missing target=TASK"},
        {BEGIN "Put target=2\n", "hand.txt:4:", "task 2 is out of range"},
        {BEGIN "Put to=1\n", "hand.txt:4:", "Put: unknown key 'to'"},
        {BEGIN "Win_lock peers=2\n", "hand.txt:4:", "task 2 is out of range"},
        {BEGIN "Win_lock peers=,\n", "hand.txt:4:", "peers: '': expected"},
        {BEGIN "Win_lock comm=1\n", "hand.txt:4:", "communicator 1 is out of range"},
        {BEGIN "Bcast request=0\n", "hand.txt:4:", "Bcast starts no request"},
        {BEGIN "Bcast_init request=0\n", "hand.txt:4:", "without marks=started starts no request"},
        {BEGIN "Bcast root=nowhere\n", "hand.txt:4:", "'nowhere': expected a whole number"},
        {BEGIN "Mark name=x\n", "hand.txt:4:", "name: expected a text in double quotes"},
        {BEGIN "Mark name=\"x\n", "hand.txt:4:", "name: expected a text in double quotes"},
        {BEGIN "Neighbor_alltoallv sends=1,2,3\n", "hand.txt:4:", "one count per rank: 2"},
        {"vef-trace 1\ntasks 2\nneighbours 0 in=1\n", "hand.txt:3:", "below its communicator"},
        {"vef-trace 1\ntasks 2\ncomm 0 members=0-1\nneighbours 2 in=1\n",
         "hand.txt:4:", "from 0 to 1"},
        {"vef-trace 1\ntasks 2\ncomm 0 members=0-1\nneighbours 0 in=0-2\n",
         "hand.txt:4:", "from 0 to 1"},
        {"vef-trace 1\ntasks 2\ncomm 0 members=0-1\nneighbours 0 by=1\n",
         "hand.txt:4:", "'by=1': expected in=RANKS or out=RANKS"},
        {"vef-trace 1\ntasks 2\nnot_recorded Put 3 times=4\n",
         "hand.txt:3:", "unexpected 'times=4'"},
        {"vef-trace 1\ntasks 2\nleft_out Pet 3\n", "hand.txt:3:", "the name of an MPI call"},
        {"vef-trace 1\nmeasured 0 run_ns=4\n", "hand.txt:2:", "expected 'tasks N' before"},
        {"vef-trace 1\ntasks 2\nmeasured 2 run_ns=4\n", "hand.txt:3:", "from 0 to 1"},
        {"vef-trace 1\ntasks 2\nmeasured 1 run=4\n", "hand.txt:3:", "unknown word 'run=4'"},
        {"vef-trace 1\ntasks 2\nmeasured 1 run_ns=x\n", "hand.txt:3:", "run_ns"},
        {BEGIN "Wait requests=3-1\n", "hand.txt:4:", "is descending"},
        {BEGIN "Bcast root=2\n", "hand.txt:4:", "root 2 is out of range"},
        {BEGIN "Alltoallv sends=1,2,3\n", "hand.txt:4:", "one count per rank: 2"},
        {BEGIN "end\n", "hand.txt:4:", "finalized, aborted, exited, cut or full"},
        {BEGIN "end cut\nInit\n", "hand.txt:5:", "expected 'task N' before an event"},
        {BEGIN "task 0\n", "hand.txt:4:", "duplicate task 0"},
        {BEGIN "task 2\n", "hand.txt:4:", "from 0 to 1"},
        {BEGIN "task 1 x\n", "hand.txt:4:", "unexpected 'x'"},
    };
#undef BEGIN
    const char *path = scratch_path("error.vef");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_error error = {0};
        assert_int_equal(assemble(cases[i].text, path, &error), VEF_INVALID);
        if (!strstr(error.message, cases[i].line) || !strstr(error.message, cases[i].says))
            fail_msg("'%s' gave: %s", cases[i].text, error.message);
    }
    vef_error error;
    assert_int_equal(assemble("vef-trace 2\n", path, &error), VEF_VERSION);
    FILE *none = fopen(path, "rb");
    assert_null(none); /* nothing was left behind */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_round_trip),        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_defaults_of_calls),        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_message_that_never_comes), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
