/* Merging of calls other than sends and receives: communicators with a topology, windows,
 * requests of every kind, partitioned channels, muted and lost calls. Logs are written by hand;
 * each test states the MPI rules that give the result. */
#include "common/rng.h"
#include "tests/traces/trace_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One that lists one request as complete, without a status. */
static void log_done(vef_log *log, vef_event event, uint64_t request) {
    vef_completion done = {request, false, VEF_NO_TASK, 0, 0};
    event.completion_count = 1;
    event.completions = &done;
    log_event(log, event);
}

static vef_trace *open_trace(const char *path) {
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    return trace;
}

static void assert_ranks(const uint32_t *ranks, uint32_t count, const uint32_t *expected,
                         uint32_t expected_count) {
    assert_int_equal(count, expected_count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ranks[i], expected[i]);
}

/* A graph over three tasks whose ranks run backwards. Each task knows its own neighbours; task 1
 * has no log, so its lists are empty and that is said. An edge that stands twice stays twice. */
static void test_neighbours(void **state) {
    (void)state;
    FOLDER("graph");
    static const uint32_t backwards[] = {2, 1, 0}, in0[] = {1, 1, 0}, out0[] = {2, 1}, in2[] = {2};
    const vef_neighbours zero = {3, 2, in0, out0}, two = {1, 0, in2, NULL};
    vef_communicator graph = {.parent = 0,
                              .made_by = VEF_CALL_Dist_graph_create_adjacent,
                              .size = 3,
                              .members = backwards,
                              .neighbours = &zero};
    vef_log *log = log_begin(folder, 0, 3);
    log_communicator(log, graph);
    log_end(log, VEF_LOG_FINALIZED);
    graph.neighbours = &two;
    log = log_begin(folder, 2, 3);
    log_communicator(log, graph);
    log_end(log, VEF_LOG_FINALIZED);
    const char *path = scratch_path("graph.vef");
    vef_merge_summary summary = merge(folder, path);
    assert_int_equal(summary.without_neighbours, 1);
    vef_trace *trace = open_trace(path);
    const vef_trace_header *header = vef_trace_get_header(trace);
    assert_int_equal(header->communicator_count, 2);
    const vef_neighbours *lists = header->communicators[1].neighbours;
    assert_non_null(lists);
    assert_ranks(lists[2].in, lists[2].in_count, in0, 3); /* task 0 is rank 2 */
    assert_ranks(lists[2].out, lists[2].out_count, out0, 2);
    assert_ranks(lists[1].in, lists[1].in_count, NULL, 0);
    assert_ranks(lists[1].out, lists[1].out_count, NULL, 0);
    assert_ranks(lists[0].in, lists[0].in_count, in2, 1);
    assert_ranks(lists[0].out, lists[0].out_count, NULL, 0);
    assert_null(header->communicators[0].neighbours);
    vef_trace_close(trace);
}

/* A window is made on a communicator, has its ranks and stands apart from what else is made on it:
 * here task 0 makes a duplicate and then a window, task 1 a window and, of what its log has,
 * nothing else. The communicator's ranks are swapped, so a target of rank 0 is world task 1. A
 * communicator of a session has no parent. */
static void test_windows_and_sessions(void **state) {
    (void)state;
    FOLDER("window");
    static const uint32_t swapped[] = {1, 0}, both[] = {0, 1};
    for (uint32_t task = 0; task < 2; task++) {
        vef_communicator comm = {
            .parent = 0, .made_by = VEF_CALL_Comm_split, .size = 2, .members = swapped};
        vef_log *log = log_begin(folder, task, 2);
        log_communicator(log, comm); /* 2 */
        comm.parent = 2;
        comm.made_by = VEF_CALL_Comm_dup;
        if (task == 0)
            log_communicator(log, comm); /* 3 of task 0 */
        comm.made_by = VEF_CALL_Win_create;
        log_communicator(log, comm); /* 4 of task 0, 3 of task 1 */
        comm = (vef_communicator){.parent = VEF_NO_COMM,
                                  .made_by = VEF_CALL_Comm_create_from_group,
                                  .size = 2,
                                  .members = both};
        log_communicator(log, comm);
        uint32_t window = task == 0 ? 4 : 3;
        const int32_t peers[] = {1, 0};
        log_event(log, (vef_event){.call = VEF_CALL_Win_start,
                                   .comm = window,
                                   .root = -1,
                                   .argument = 1024,
                                   .peer_count = 2,
                                   .peers = peers});
        log_one(log, (vef_event){.call = VEF_CALL_Get},
                (vef_operation){0, 0, 0, window, 80, VEF_NO_ORDINAL, VEF_NO_REQUEST});
        log_one(log, (vef_event){.call = VEF_CALL_Rput},
                (vef_operation){0, (int32_t)task, 0, window, 8, VEF_NO_ORDINAL, 0});
        log_done(log, (vef_event){.call = VEF_CALL_Wait}, 0);
        log_event(log, (vef_event){.call = VEF_CALL_Win_post,
                                   .comm = window,
                                   .root = -1,
                                   .argument = 1024,
                                   .peer_count = 2,
                                   .peers = peers});
        log_end(log, VEF_LOG_FINALIZED);
    }
    const char *path = scratch_path("window.vef");
    merge(folder, path);
    vef_trace *trace = open_trace(path);
    const vef_trace_header *header = vef_trace_get_header(trace);
    /* the world, the swapped one, its duplicate, the window, that of the session */
    assert_int_equal(header->communicator_count, 5);
    assert_int_equal(header->communicators[3].made_by, VEF_CALL_Win_create);
    assert_int_equal(header->communicators[3].parent, 1);
    assert_int_equal(header->communicators[4].made_by, VEF_CALL_Comm_create_from_group);
    assert_true(header->communicators[4].parent == VEF_NO_COMM);
    vef_trace_close(trace);
    for (uint32_t task = 0; task < 2; task++) {
        event_list list = read_task(path, task);
        assert_int_equal(list.count, 5);
        assert_int_equal(list.events[0].comm, 3);
        assert_int_equal(list.events[0].peer_count, 2);
        assert_int_equal(list.events[0].peers[0], 0); /* rank 1 */
        assert_int_equal(list.events[0].peers[1], 1);
        assert_true(list.events[0].argument == 1024);
        assert_int_equal(list.events[1].operations[0].peer, 1);
        assert_int_equal(list.events[1].operations[0].comm, 3);
        assert_int_equal(list.events[1].operations[0].flags, 0);
        assert_int_equal(list.events[2].operations[0].peer, 1 - (int)task);
        assert_true(list.events[2].operations[0].request == 0);
        assert_true(list.events[2].operations[0].ordinal == VEF_NO_ORDINAL);
        assert_true(list.events[3].completions[0].request == 0);
        free_events(&list);
    }
}

/* Requests 0 Ibcast, 1 Ibarrier (muted), 2 Comm_idup, 3 a started Allreduce_init, 4 Rget, never
 * completed, like 5, an Ireduce. The trace has no request 1, so the others are 0, 1, 2, 3, 4. */
static void test_requests_of_every_kind(void **state) {
    (void)state;
    FOLDER("requests");
    vef_log *log = log_begin(folder, 0, 1);
    uint32_t self = 0;
    vef_communicator made = {
        .parent = 0, .made_by = VEF_CALL_Comm_idup, .size = 1, .members = &self};
    log_communicator(log, made);
    made.made_by = VEF_CALL_Win_allocate;
    log_communicator(log, made);
    log_event(log, (vef_event){.call = VEF_CALL_Ibcast, .root = 0, .bytes = 4, .request = 0});
    log_event(
        log,
        (vef_event){.call = VEF_CALL_Ibarrier, .flags = VEF_EVENT_MUTED, .root = -1, .request = 1});
    log_event(log,
              (vef_event){.call = VEF_CALL_Comm_idup, .new_comm = 2, .root = -1, .request = 2});
    log_event(log, (vef_event){.call = VEF_CALL_Allreduce_init,
                               .root = -1,
                               .bytes = 8,
                               .elements = 1,
                               .request = VEF_NO_REQUEST});
    log_event(log, (vef_event){.call = VEF_CALL_Allreduce_init,
                               .flags = VEF_EVENT_STARTED,
                               .root = -1,
                               .bytes = 8,
                               .elements = 1,
                               .request = 3});
    log_one(log, (vef_event){.call = VEF_CALL_Rget},
            (vef_operation){0, 0, 0, 3, 16, VEF_NO_ORDINAL, 4});
    log_event(log, (vef_event){.call = VEF_CALL_Ireduce, .root = 0, .bytes = 4, .request = 5});
    vef_completion done[4];
    for (uint32_t i = 0; i < 4; i++)
        done[i] = (vef_completion){i, false, VEF_NO_TASK, 0, 0};
    log_event(log,
              (vef_event){.call = VEF_CALL_Waitall, .completion_count = 4, .completions = done});
    log_end(log, VEF_LOG_EXITED);
    const char *path = scratch_path("requests.vef");
    merge(folder, path);
    event_list list = read_task(path, 0);
    assert_int_equal(list.count, 7);
    assert_true(list.events[0].request == 0 && list.events[0].flags == 0);
    assert_int_equal(list.events[1].call, VEF_CALL_Comm_idup);
    assert_true(list.events[1].request == 1 && list.events[1].flags == 0);
    assert_int_equal(list.events[2].flags, 0);
    assert_true(list.events[3].request == 2 && list.events[3].flags == VEF_EVENT_STARTED);
    assert_true(list.events[4].operations[0].request == 3);
    assert_int_equal(list.events[4].operations[0].flags, VEF_OP_OPEN_ENDED);
    assert_true(list.events[5].request == 4 && list.events[5].flags == VEF_EVENT_OPEN_ENDED);
    assert_int_equal(list.events[6].completion_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(list.events[6].completions[i].request == i);
    free_events(&list);
}

/* MPI_Request_get_status reports a request complete and leaves it active: its status already shows
 * the message of a wildcard receive, MPI_Wait lists it again. Of two such receives the first is
 * only examined while the task runs, so it received its message all the same. */
static void test_request_get_status(void **state) {
    (void)state;
    FOLDER("status");
    vef_log *log = log_begin(folder, 0, 2);
    log_send(log, 1, 3, 0, 30);
    log_send(log, 1, 4, 0, 40);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_irecv(log, VEF_ANY_SOURCE, VEF_ANY_TAG, 0, 0);
    log_irecv(log, VEF_ANY_SOURCE, VEF_ANY_TAG, 0, 1);
    for (uint64_t i = 0; i < 2; i++) {
        vef_completion seen = {i, false, 0, i ? 3 : 4, i ? 30 : 40};
        log_event(log, (vef_event){.call = VEF_CALL_Request_get_status,
                                   .completion_count = 1,
                                   .completions = &seen});
    }
    log_wait(log, 1, 0, 3, 30);
    log_end(log, VEF_LOG_ABORTED);
    const char *path = scratch_path("status.vef");
    merge(folder, path);
    event_list list = read_task(path, 1);
    assert_int_equal(list.count, 5);
    const vef_operation *first = list.events[0].operations, *second = list.events[1].operations;
    assert_true(first->tag == 4 && first->ordinal == 1 && first->bytes == 40);
    assert_false(first->flags & VEF_OP_OPEN_ENDED); /* a call sees it complete */
    assert_true(second->tag == 3 && second->ordinal == 0 && second->bytes == 30);
    assert_false(second->flags & (VEF_OP_OPEN_ENDED | VEF_OP_UNMATCHED));
    for (uint32_t i = 2; i < 5; i++)
        assert_true(list.events[i].completion_count == 1 &&
                    list.events[i].completions[0].request == (i == 2 ? 0 : 1));
    free_events(&list);
}

/* MPI_Isendrecv has two operations and one request, in the trace as well, also where numbers move;
 * the status is that of its receive. */
static void test_isendrecv(void **state) {
    (void)state;
    FOLDER("isendrecv");
    for (uint32_t task = 0; task < 2; task++) {
        vef_log *log = log_begin(folder, task, 2);
        int32_t other = 1 - (int32_t)task;
        log_event(log, (vef_event){.call = VEF_CALL_Ibarrier,
                                   .flags = VEF_EVENT_MUTED,
                                   .root = -1,
                                   .request = 0});
        vef_operation pair[] = {{VEF_OP_SEND, other, 1, 0, 10 + task, VEF_NO_ORDINAL, 1},
                                {VEF_OP_ANY_SOURCE, VEF_ANY_SOURCE, 1, 0, 0, VEF_NO_ORDINAL, 1}};
        log_event(
            log, (vef_event){.call = VEF_CALL_Isendrecv, .operation_count = 2, .operations = pair});
        vef_completion done[] = {{0, false, VEF_NO_TASK, 0, 0}, {1, false, other, 1, 11 - task}};
        log_event(
            log, (vef_event){.call = VEF_CALL_Waitall, .completion_count = 2, .completions = done});
        log_end(log, VEF_LOG_FINALIZED);
    }
    const char *path = scratch_path("isendrecv.vef");
    merge(folder, path);
    for (uint32_t task = 0; task < 2; task++) {
        event_list list = read_task(path, task);
        assert_int_equal(list.count, 2);
        const vef_operation *pair = list.events[0].operations;
        assert_true(pair[0].request == 0 && pair[1].request == 0);
        assert_true(pair[0].ordinal == 0 && pair[1].ordinal == 0);
        assert_int_equal(pair[1].peer, 1 - (int)task);
        assert_true(pair[1].bytes == 11 - task);
        assert_int_equal(pair[0].flags, VEF_OP_SEND);
        assert_int_equal(pair[1].flags, VEF_OP_ANY_SOURCE);
        assert_int_equal(list.events[1].completion_count, 1);
        assert_true(list.events[1].completions[0].request == 0);
        free_events(&list);
    }
}

static void log_start(vef_log *log, bool send, int32_t peer, uint64_t channel, uint64_t bytes,
                      uint64_t request, unsigned flags) {
    log_one(log, (vef_event){.call = VEF_CALL_Start, .flags = (uint16_t)flags},
            (vef_operation){(uint16_t)(VEF_OP_PARTITIONED | (send ? VEF_OP_SEND : 0)), peer, 5, 0,
                            bytes, channel, request});
}

/* Two partitioned sends and receives with equal peer, tag and communicator match as they were made
 * (MPI 4.0, section 4.2.1), not as they are started, and never with an ordinary message: the sender
 * starts the second (200 bytes), then the first (100 bytes) twice, the receiver the first, the
 * second, the first, with an ordinary message of the same tag before all of it. So the receiver's
 * starts take ordinals 2, 1, 3. */
static void test_partitioned_channels(void **state) {
    (void)state;
    FOLDER("partitioned");
    static const uint64_t channels[] = {1, 0, 0}, wanted[] = {0, 1, 0}, ordinals[] = {2, 1, 3};
    vef_log *log = log_begin(folder, 0, 2);
    log_send(log, 1, 5, 0, 7);
    for (uint64_t i = 0; i < 3; i++) {
        log_start(log, true, 1, channels[i], channels[i] ? 200 : 100, i, 0);
        log_event(log, (vef_event){.call = VEF_CALL_Pready, .argument = (int64_t)i});
        log_event(log, (vef_event){.call = VEF_CALL_Pready_range,
                                   .flags = VEF_EVENT_LAST,
                                   .argument = (int64_t)i});
        log_done(log, (vef_event){.call = VEF_CALL_Wait}, i);
    }
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    for (uint64_t i = 0; i < 3; i++) {
        log_start(log, false, 0, wanted[i], wanted[i] ? 200 : 100, i, 0);
        log_done(log, (vef_event){.call = VEF_CALL_Parrived}, i);
        log_wait(log, i, 0, 5, wanted[i] ? 200 : 100);
    }
    log_recv(log, 0, 5, 0, 7);
    log_end(log, VEF_LOG_FINALIZED);
    const char *path = scratch_path("partitioned.vef");
    merge(folder, path);
    event_list sends = read_task(path, 0), receives = read_task(path, 1);
    assert_int_equal(sends.count, 13);
    assert_int_equal(receives.count, 10);
    for (uint32_t i = 0; i < 3; i++) {
        const vef_operation *send = sends.events[1 + 4 * i].operations;
        const vef_operation *receive = receives.events[3 * i].operations;
        assert_true(send->ordinal == i + 1);
        assert_int_equal(send->flags, VEF_OP_SEND | VEF_OP_PARTITIONED);
        assert_true(receive->ordinal == ordinals[i]);
        assert_int_equal(receive->flags, VEF_OP_PARTITIONED);
        assert_true(receive->bytes == (wanted[i] ? 200 : 100));
        assert_true(sends.events[2 + 4 * i].argument == (int64_t)i);
        assert_true(receives.events[3 * i + 1].completions[0].request == i);
        assert_true(receives.events[3 * i + 2].completions[0].request == i);
    }
    assert_true(receives.events[9].operations[0].ordinal == 0);
    free_events(&sends);
    free_events(&receives);
}

/* While nothing is recorded the last partition of a send that is in the trace gets ready, and a
 * generalised request is completed: both stay, and take no time, since a replay would wait for
 * them. What belongs to requests that are not in the trace goes. A send whose last partition is
 * nowhere in the log is one as any other, so the trace lacks its other partitions too. */
static void test_muted_releases(void **state) {
    (void)state;
    FOLDER("releases");
    vef_log *log = log_begin(folder, 0, 2);
    vef_operation general = {VEF_OP_GENERALISED, VEF_NO_TASK, 0, 0, 0, VEF_NO_ORDINAL, 2};
    log_start(log, true, 1, 0, 100, 0, VEF_EVENT_MUTED);
    log_start(log, true, 1, 0, 100, 1, 0);
    log_one(log, (vef_event){.call = VEF_CALL_Grequest_start}, general);
    log_start(log, true, 1, 1, 100, 3, 0);
    for (int64_t request = 0; request < 2; request++) {
        log_event(log, (vef_event){.call = VEF_CALL_Pready,
                                   .flags = VEF_EVENT_MUTED,
                                   .argument = request,
                                   .gap_ns = 500});
        log_event(log, (vef_event){.call = VEF_CALL_Pready,
                                   .flags = VEF_EVENT_MUTED | VEF_EVENT_LAST,
                                   .argument = request,
                                   .gap_ns = 500,
                                   .outside_ns = 400,
                                   .duration_ns = 50});
    }
    log_event(log, (vef_event){.call = VEF_CALL_Grequest_complete,
                               .flags = VEF_EVENT_MUTED,
                               .argument = 2,
                               .gap_ns = 500});
    log_event(log, (vef_event){.call = VEF_CALL_Pready, .argument = 0, .gap_ns = 9});
    log_event(log, (vef_event){.call = VEF_CALL_Pready, .argument = 3});
    vef_completion done[4];
    for (uint32_t i = 0; i < 4; i++)
        done[i] = (vef_completion){i, false, VEF_NO_TASK, 0, 0};
    log_event(log,
              (vef_event){.call = VEF_CALL_Waitall, .completion_count = 4, .completions = done});
    log_end(log, VEF_LOG_FINALIZED);
    const char *path = scratch_path("releases.vef");
    merge(folder, path);
    event_list list = read_task(path, 0);
    assert_int_equal(list.count, 6);
    assert_true(list.events[0].operations[0].request == 0);
    assert_true(list.events[0].operations[0].flags & VEF_OP_PARTITIONED);
    assert_true(list.events[1].operations[0].request == 1);
    assert_int_equal(list.events[1].operations[0].flags, VEF_OP_GENERALISED);
    assert_true(list.events[2].operations[0].request == 2);
    assert_int_equal(list.events[2].operations[0].flags, VEF_OP_SEND | VEF_OP_UNMATCHED);
    assert_int_equal(list.events[3].call, VEF_CALL_Pready);
    assert_int_equal(list.events[3].flags, VEF_EVENT_LAST);
    assert_true(list.events[3].argument == 0);
    assert_true(list.events[3].gap_ns + list.events[3].outside_ns + list.events[3].duration_ns ==
                0);
    assert_int_equal(list.events[4].call, VEF_CALL_Grequest_complete);
    assert_int_equal(list.events[4].flags, 0);
    assert_true(list.events[4].argument == 1);
    assert_int_equal(list.events[5].completion_count, 3);
    free_events(&list);
}

/* One thread enters MPI_Wait before another says that the last partition is ready, or completes the
 * generalised request: the releases still name the requests that they release, also where numbers
 * move. */
static void test_wait_before_release(void **state) {
    (void)state;
    FOLDER("threads");
    vef_log *log = log_begin(folder, 0, 2);
    vef_operation general = {VEF_OP_GENERALISED, VEF_NO_TASK, 0, 0, 0, VEF_NO_ORDINAL, 2};
    log_event(log, (vef_event){.call = VEF_CALL_Ibarrier,
                               .flags = VEF_EVENT_MUTED,
                               .root = -1,
                               .request = 0,
                               .entered = 0,
                               .left = 1});
    log_one(log, (vef_event){.call = VEF_CALL_Start, .entered = 2, .left = 3},
            (vef_operation){VEF_OP_SEND | VEF_OP_PARTITIONED, 1, 5, 0, 64, 0, 1});
    log_one(log, (vef_event){.call = VEF_CALL_Grequest_start, .entered = 4, .left = 5}, general);
    vef_completion done[] = {{1, false, VEF_NO_TASK, 0, 0}, {2, false, VEF_NO_TASK, 0, 0}};
    log_event(log, (vef_event){.call = VEF_CALL_Waitall,
                               .completion_count = 2,
                               .completions = done,
                               .entered = 6,
                               .left = 11});
    log_event(log, (vef_event){.call = VEF_CALL_Pready,
                               .flags = VEF_EVENT_LAST,
                               .thread = 1,
                               .argument = 1,
                               .entered = 7,
                               .left = 8});
    log_event(log, (vef_event){.call = VEF_CALL_Grequest_complete,
                               .thread = 1,
                               .argument = 2,
                               .entered = 9,
                               .left = 10});
    log_end(log, VEF_LOG_FINALIZED);
    const char *path = scratch_path("threads.vef");
    vef_merge_summary summary = merge(folder, path);
    assert_int_equal(summary.events, 5);
    vef_trace *trace = open_trace(path);
    unsigned releases = 0;
    for (uint32_t thread = 0; thread < vef_trace_get_header(trace)->task[0].threads; thread++) {
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        OK(vef_stream_open(trace, 0, thread, &stream, error));
        do {
            OK(vef_stream_next(stream, &event, error));
            if (event && event->call == VEF_CALL_Pready)
                releases += event->argument == 0;
            if (event && event->call == VEF_CALL_Grequest_complete)
                releases += event->argument == 1;
            if (event && event->call == VEF_CALL_Start)
                assert_true(event->operations[0].flags & VEF_OP_PARTITIONED);
        } while (event);
        vef_stream_close(stream);
    }
    assert_int_equal(releases, 2);
    vef_trace_close(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_windows_and_sessions),
        cmocka_unit_test(test_requests_of_every_kind),
        cmocka_unit_test(test_request_get_status),
        cmocka_unit_test(test_isendrecv),
        cmocka_unit_test(test_partitioned_channels),
        cmocka_unit_test(test_muted_releases),
        cmocka_unit_test(test_wait_before_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
