/* Which message each receive matched: logs written by hand, with results derived from MPI's
 * rules. */
#include "tests/traces/trace_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const vef_operation *operation(const event_list *list, size_t event) {
    assert_true(event < list->count);
    assert_int_equal(list->events[event].operation_count, 1);
    return &list->events[event].operations[0];
}

static void assert_took(const event_list *list, size_t event, int32_t peer, int32_t tag,
                        uint64_t ordinal, uint64_t bytes) {
    const vef_operation *op = operation(list, event);
    assert_int_equal(op->peer, peer);
    assert_int_equal(op->tag, tag);
    assert_true(op->ordinal == ordinal);
    assert_true(op->bytes == bytes);
    assert_false(op->flags & (VEF_OP_UNMATCHED | VEF_OP_CANCELLED));
}

/* Task 0 sends tags 5, 6, 5 to task 1, which receives 6 first: ordinals count over tags in the
 * sender's order, so the receives took messages 1, 0, 2. */
static void test_tags_out_of_order(void **state) {
    (void)state;
    FOLDER("tags");
    vef_log *log = log_begin(folder, 0, 2);
    log_send(log, 1, 5, 0, 10);
    log_send(log, 1, 6, 0, 20);
    log_send(log, 1, 5, 0, 30);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_recv(log, 0, 6, 0, 20);
    log_recv(log, 0, 5, 0, 10);
    log_recv(log, 0, 5, 0, 30);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("tags.vef");
    vef_merge_summary summary = merge(folder, trace);
    assert_int_equal(summary.tasks, 2);
    assert_int_equal(summary.logs, 2);
    assert_int_equal(summary.cut_short, 0);
    assert_int_equal(summary.events, 6);
    event_list sends = read_task(trace, 0), receives = read_task(trace, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_took(&sends, i, 1, i == 1 ? 6 : 5, i, 10 * (i + 1));
    assert_took(&receives, 0, 0, 6, 1, 20);
    assert_took(&receives, 1, 0, 5, 0, 10);
    assert_took(&receives, 2, 0, 5, 2, 30);
    free_events(&sends);
    free_events(&receives);
}

/* Two wildcard receives are posted, and completed in the opposite order: posting counts. The first
 * completed as one from task 2, the second from task 0, and a third with the tag open. */
static void test_wildcards(void **state) {
    (void)state;
    FOLDER("wild");
    vef_log *log = log_begin(folder, 0, 3);
    log_send(log, 1, 1, 0, 11);
    log_send(log, 1, 2, 0, 12);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 3);
    log_irecv(log, VEF_ANY_SOURCE, 1, 0, 0);
    log_irecv(log, VEF_ANY_SOURCE, VEF_ANY_TAG, 0, 1);
    log_irecv(log, VEF_ANY_SOURCE, VEF_ANY_TAG, 0, 2);
    log_irecv(log, 2, 1, 0, 3);
    log_wait(log, 3, 2, 1, 23);
    log_wait(log, 2, 0, 2, 12);
    log_wait(log, 1, 2, 1, 22);
    log_wait(log, 0, 0, 1, 11);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 2, 3);
    log_send(log, 1, 1, 0, 22);
    log_send(log, 1, 1, 0, 23);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("wild.vef");
    merge(folder, trace);
    event_list list = read_task(trace, 1);
    assert_int_equal(list.count, 8);
    assert_took(&list, 0, 0, 1, 0, 11);
    assert_took(&list, 1, 2, 1, 0, 22);
    assert_took(&list, 2, 0, 2, 1, 12);
    assert_took(&list, 3, 2, 1, 1, 23);
    assert_true(operation(&list, 1)->flags & VEF_OP_ANY_SOURCE);
    assert_true(operation(&list, 1)->flags & VEF_OP_ANY_TAG);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(operation(&list, i)->request == i);
        assert_true(list.events[4 + i].completions[0].request == 3 - i);
        assert_int_equal(list.events[4 + i].completions[0].source, VEF_NO_TASK);
    }
    free_events(&list);
}

/* Equal tags on two communicators do not mix, though the ordinals run over both. Task 1 is rank 0
 * of the second communicator, task 0 rank 1. */
static void test_two_communicators(void **state) {
    (void)state;
    const uint32_t swapped[] = {1, 0};
    FOLDER("comms");
    vef_log *log = log_begin(folder, 0, 2);
    log_comm(log, 0, 2, swapped);
    log_send(log, 1, 7, 0, 100);
    log_send(log, 0, 7, 2, 200);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_comm(log, 0, 2, swapped);
    log_recv(log, 1, 7, 2, 200);
    log_recv(log, 0, 7, 0, 100);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("comms.vef");
    merge(folder, trace);
    event_list list = read_task(trace, 1);
    assert_took(&list, 0, 0, 7, 1, 200);
    assert_took(&list, 1, 0, 7, 0, 100);
    assert_int_equal(operation(&list, 0)->comm, 1); /* self was not used: it has no number */
    free_events(&list);
}

/* A communicator is the same one for all its members, whatever each made before: task 0 splits off
 * {0,1} twice and {0} once between; task 1 makes the two {0,1} only. */
static void test_communicator_identity(void **state) {
    (void)state;
    const uint32_t both[] = {0, 1}, alone[] = {0}, last[] = {0, 1, 2};
    FOLDER("identity");
    vef_log *log = log_begin(folder, 0, 3);
    log_comm(log, 0, 2, both);  /* 2 */
    log_comm(log, 0, 1, alone); /* 3 */
    log_comm(log, 0, 2, both);  /* 4 */
    log_comm(log, 0, 3, last);  /* 5 */
    log_comm(log, 2, 2, both);  /* 6: of the first */
    log_send(log, 1, 0, 4, 1);
    log_send(log, 1, 0, 2, 2);
    log_send(log, 1, 0, 6, 3);
    log_send(log, 0, 0, 1, 4); /* to itself, on self */
    log_recv(log, 0, 0, 1, 4);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 3);
    log_comm(log, 0, 2, both); /* 2 */
    log_comm(log, 0, 2, both); /* 3 */
    log_comm(log, 0, 3, last); /* 4 */
    log_comm(log, 2, 2, both); /* 5 */
    log_recv(log, 0, 0, 5, 3);
    log_recv(log, 0, 0, 2, 2);
    log_recv(log, 0, 0, 3, 1);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 2, 3);
    log_comm(log, 0, 3, last); /* 2 */
    log_event(log, (vef_event){.call = VEF_CALL_Barrier, .comm = 2, .root = -1});
    log_end(log, VEF_LOG_FINALIZED);
    const char *path = scratch_path("identity.vef");
    merge(folder, path);
    event_list list = read_task(path, 1);
    assert_took(&list, 0, 0, 0, 2, 3);
    assert_took(&list, 1, 0, 0, 1, 2);
    assert_took(&list, 2, 0, 0, 0, 1);
    free_events(&list);
    event_list own = read_task(path, 0);
    assert_took(&own, 4, 0, 0, 0, 4);
    free_events(&own);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    const vef_trace_header *header = vef_trace_get_header(trace);
    /* world, {0,1}, {0}, {0,1} again, all, {0,1} of the first, self of task 0 */
    assert_int_equal(header->communicator_count, 7);
    assert_int_equal(header->communicators[0].size, 3);
    assert_string_equal(header->application, "./made by \"hand\"");
    assert_string_equal(header->command, "mpiexec -n 2 ./made");
    assert_string_equal(header->date, "2023-11-14T22:13:20Z");
    assert_true(header->messages == 4 && header->message_bytes == 10);
    vef_trace_close(trace);
}

static void log_probe(vef_log *log, uint16_t call, int32_t from, int32_t tag, uint64_t bytes,
                      uint64_t handle) {
    vef_operation op = {0, from, tag, 0, bytes, handle, VEF_NO_REQUEST};
    log_one(log, (vef_event){.call = call}, op);
}

/* A matched probe takes its message when it probes: two handles, received the other way round, with
 * a plain receive posted between that gets the message after both. A plain probe takes nothing. */
static void test_matched_probes(void **state) {
    (void)state;
    FOLDER("mprobe");
    vef_log *log = log_begin(folder, 0, 2);
    for (unsigned i = 0; i < 4; i++)
        log_send(log, 1, 9, 0, 100 + i);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_probe(log, VEF_CALL_Probe, 0, 9, 100, VEF_NO_ORDINAL);
    log_probe(log, VEF_CALL_Mprobe, 0, 9, 100, 0);
    log_probe(log, VEF_CALL_Improbe, 0, 9, 101, 1);
    log_recv(log, 0, 9, 0, 102);
    log_probe(log, VEF_CALL_Mrecv, 0, 9, 101, 1);
    vef_operation started = {0, 0, 9, 0, 0, 0, 0};
    log_one(log, (vef_event){.call = VEF_CALL_Imrecv}, started);
    log_wait(log, 0, 0, 9, 100);
    log_probe(log, VEF_CALL_Iprobe, 0, 9, 103, VEF_NO_ORDINAL);
    log_recv(log, 0, 9, 0, 103);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("mprobe.vef");
    merge(folder, trace);
    event_list list = read_task(trace, 1), sends = read_task(trace, 0);
    assert_took(&list, 0, 0, 9, 0, 100);
    assert_took(&list, 1, 0, 9, 0, 100);
    assert_took(&list, 2, 0, 9, 1, 101);
    assert_took(&list, 3, 0, 9, 2, 102);
    assert_took(&list, 4, 0, 9, 1, 101);
    assert_took(&list, 5, 0, 9, 0, 100);
    assert_took(&list, 7, 0, 9, 3, 103);
    assert_took(&list, 8, 0, 9, 3, 103);
    for (unsigned i = 0; i < 4; i++)
        assert_took(&sends, i, 1, 9, i, 100 + i);
    free_events(&list);
    free_events(&sends);
}

/* Messages that probes of the trace see and receives of the trace do not take: the first is
 * received while recording is off, the second by a matched probe whose receive is muted, the third
 * by nobody, and the fourth in the trace. The last probe of each of the first three is flagged,
 * unless it is muted itself. */
static void test_probes_without_receives(void **state) {
    (void)state;
    enum { UNMATCHED = VEF_OP_UNMATCHED, PROBED = VEF_OP_PROBED };
    FOLDER("unreceived");
    vef_log *log = log_begin(folder, 0, 2);
    for (int tag = 1; tag <= 5; tag++)
        log_send(log, 1, tag, 0, 100);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    vef_operation received = {0, 0, 1, 0, 100, VEF_NO_ORDINAL, VEF_NO_REQUEST};
    log_probe(log, VEF_CALL_Probe, 0, 1, 100, VEF_NO_ORDINAL);
    log_probe(log, VEF_CALL_Iprobe, 0, 1, 100, VEF_NO_ORDINAL);
    log_one(log, (vef_event){.call = VEF_CALL_Probe, .flags = VEF_EVENT_MUTED}, received);
    log_one(log, (vef_event){.call = VEF_CALL_Recv, .flags = VEF_EVENT_MUTED}, received);
    log_probe(log, VEF_CALL_Probe, 0, 2, 100, VEF_NO_ORDINAL);
    log_probe(log, VEF_CALL_Mprobe, 0, 2, 100, 0);
    received.tag = 2;
    received.ordinal = 0;
    log_one(log, (vef_event){.call = VEF_CALL_Mrecv, .flags = VEF_EVENT_MUTED}, received);
    log_probe(log, VEF_CALL_Probe, 0, 3, 100, VEF_NO_ORDINAL);
    log_probe(log, VEF_CALL_Probe, 0, 4, 100, VEF_NO_ORDINAL);
    log_recv(log, 0, 4, 0, 100);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("unreceived.vef");
    merge(folder, trace);
    event_list sends = read_task(trace, 0), probes = read_task(trace, 1);
    static const struct {
        uint64_t ordinal;
        unsigned flags;
    } wanted[] = {{0, 0}, {0, UNMATCHED}, {1, 0}, {1, UNMATCHED}, {2, UNMATCHED}, {3, 0}, {3, 0}};
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(operation(&probes, i)->ordinal, wanted[i].ordinal);
        assert_int_equal(operation(&probes, i)->flags, wanted[i].flags);
    }
    static const unsigned sent[] = {UNMATCHED | PROBED, UNMATCHED | PROBED, UNMATCHED | PROBED, 0,
                                    UNMATCHED};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(operation(&sends, i)->ordinal, i);
        assert_int_equal(operation(&sends, i)->flags, VEF_OP_SEND | sent[i]);
    }
    free_events(&sends);
    free_events(&probes);
}

/* Whether a probe saw a message that was cancelled after it, or the next with the same envelope, is
 * not known: it sees neither. */
static void test_probe_of_cancelled(void **state) {
    (void)state;
    FOLDER("probe_cancelled");
    vef_completion cancelled = {0, true, VEF_NO_TASK, 0, 0};
    vef_log *log = log_begin(folder, 0, 2);
    log_isend(log, 1, 3, 0, 50, 0);
    log_event(log,
              (vef_event){.call = VEF_CALL_Wait, .completion_count = 1, .completions = &cancelled});
    log_send(log, 1, 3, 0, 50);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_probe(log, VEF_CALL_Probe, 0, 3, 50, VEF_NO_ORDINAL);
    log_recv(log, 0, 3, 0, 50);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("probe_cancelled.vef");
    merge(folder, trace);
    event_list sees = read_task(trace, 1);
    assert_true(operation(&sees, 0)->ordinal == VEF_NO_ORDINAL);
    assert_int_equal(operation(&sees, 0)->flags, VEF_OP_UNMATCHED);
    assert_took(&sees, 1, 0, 3, 0, 50);
    free_events(&sees);
}

/* A cancelled receive takes nothing and a cancelled send is no message; both keep their flag. */
static void test_cancelled(void **state) {
    (void)state;
    FOLDER("cancel");
    vef_completion cancelled = {0, true, VEF_NO_TASK, 0, 0};
    vef_log *log = log_begin(folder, 0, 2);
    log_isend(log, 1, 3, 0, 50, 0);
    log_event(log, (vef_event){.call = VEF_CALL_Cancel, .argument = 0});
    log_event(log,
              (vef_event){.call = VEF_CALL_Wait, .completion_count = 1, .completions = &cancelled});
    log_send(log, 1, 3, 0, 60);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_irecv(log, VEF_ANY_SOURCE, VEF_ANY_TAG, 0, 0);
    log_event(log, (vef_event){.call = VEF_CALL_Cancel, .argument = 0});
    log_event(log,
              (vef_event){.call = VEF_CALL_Wait, .completion_count = 1, .completions = &cancelled});
    log_irecv(log, 0, 3, 0, 1); /* cancelled, then freed */
    log_event(log, (vef_event){.call = VEF_CALL_Cancel, .argument = 1});
    log_wait(log, 1, VEF_NO_TASK, 0, 0);
    log_recv(log, 0, 3, 0, 60);
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("cancel.vef");
    merge(folder, trace);
    event_list sends = read_task(trace, 0), receives = read_task(trace, 1);
    assert_true(operation(&sends, 0)->flags & VEF_OP_CANCELLED);
    assert_true(operation(&sends, 0)->ordinal == VEF_NO_ORDINAL);
    assert_true(sends.events[2].completions[0].cancelled);
    assert_took(&sends, 3, 1, 3, 0, 60);
    assert_true(operation(&receives, 0)->flags & VEF_OP_CANCELLED);
    assert_true(operation(&receives, 3)->flags & VEF_OP_CANCELLED);
    assert_took(&receives, 6, 0, 3, 0, 60);
    vef_trace *opened = NULL;
    OK(vef_trace_open(trace, &opened, NULL, error));
    assert_true(vef_trace_get_header(opened)->messages == 1);
    vef_trace_close(opened);
    free_events(&sends);
    free_events(&receives);
}

static void log_muted(vef_log *log, bool send, int32_t peer, uint64_t bytes, uint64_t request) {
    vef_operation op = {send ? VEF_OP_SEND : 0, peer, 4, 0, bytes, VEF_NO_ORDINAL, request};
    uint16_t call = send                        ? VEF_CALL_Send
                    : request == VEF_NO_REQUEST ? VEF_CALL_Recv
                                                : VEF_CALL_Irecv;
    log_one(log, (vef_event){.call = call, .flags = VEF_EVENT_MUTED, .gap_ns = 1000}, op);
}

/* Sends 0 recorded, 1 muted, 2 and 3 recorded; receives: 0 and 1 recorded, 2 muted, 3 recorded. All
 * take part in matching: the second receive took the muted message and the third message's receive
 * is muted, so both are flagged; ordinals count recorded messages only: 0, 1, 2. */
static void test_muted(void **state) {
    (void)state;
    FOLDER("muted");
    vef_log *log = log_begin(folder, 0, 2);
    log_send(log, 1, 4, 0, 10);
    log_event(log, (vef_event){.call = VEF_CALL_Pcontrol, .argument = 0});
    log_muted(log, true, 1, 11, VEF_NO_REQUEST);
    log_event(log, (vef_event){.call = VEF_CALL_Pcontrol, .argument = 1});
    log_send(log, 1, 4, 0, 12);
    log_send(log, 1, 4, 0, 13);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_recv(log, 0, 4, 0, 10);
    log_irecv(log, 0, 4, 0, 0);
    log_event(log, (vef_event){.call = VEF_CALL_Pcontrol, .argument = 0});
    log_muted(log, false, 0, 0, 1);
    vef_completion inside = {1, false, 0, 4, 12};
    log_event(log, (vef_event){.call = VEF_CALL_Wait,
                               .flags = VEF_EVENT_MUTED,
                               .completion_count = 1,
                               .completions = &inside});
    log_muted(log, false, VEF_NO_TASK, 0, 2);
    log_event(log, (vef_event){.call = VEF_CALL_Pcontrol, .argument = 1});
    log_irecv(log, 0, 4, 0, 3);
    vef_completion whole[] = {
        {0, false, 0, 4, 11}, {2, false, VEF_NO_TASK, 0, 0}, {3, false, 0, 4, 13}};
    log_event(log,
              (vef_event){.call = VEF_CALL_Waitall, .completion_count = 3, .completions = whole});
    log_end(log, VEF_LOG_FINALIZED);
    const char *trace = scratch_path("muted.vef");
    vef_merge_summary summary = merge(folder, trace);
    assert_int_equal(summary.events, 5 + 6);
    event_list sends = read_task(trace, 0), receives = read_task(trace, 1);
    assert_took(&sends, 0, 1, 4, 0, 10);
    assert_int_equal(sends.events[2].call, VEF_CALL_Pcontrol);
    assert_true(operation(&sends, 3)->ordinal == 1);
    assert_true(operation(&sends, 3)->flags & VEF_OP_UNMATCHED);
    assert_took(&sends, 4, 1, 4, 2, 13);
    assert_took(&receives, 0, 0, 4, 0, 10);
    assert_true(operation(&receives, 1)->flags & VEF_OP_UNMATCHED);
    assert_true(operation(&receives, 1)->bytes == 11);
    assert_true(operation(&receives, 1)->request == 0);
    assert_took(&receives, 4, 0, 4, 2, 13);
    assert_true(operation(&receives, 4)->request == 1); /* 1 and 2 are not in the trace */
    assert_int_equal(receives.events[5].completion_count, 2);
    assert_true(receives.events[5].completions[0].request == 0);
    assert_true(receives.events[5].completions[1].request == 1);
    free_events(&sends);
    free_events(&receives);
}

/* A log that stops without its end, and one that is not there: the rest is merged, the summary and
 * the header say so, and what lost its other side is flagged. */
static void test_cut_short(void **state) {
    (void)state;
    FOLDER("cut");
    vef_log *log = log_begin(folder, 0, 3);
    log_send(log, 1, 0, 0, 1);
    log_send(log, 1, 0, 0, 2);
    log_send(log, 2, 0, 0, 3);
    log_irecv(log, VEF_ANY_SOURCE, 0, 0, 0);
    log_irecv(log, 2, 0, 0, 1);
    log_end(log, VEF_LOG_ABORTED);
    log = log_begin(folder, 1, 3);
    log_recv(log, 0, 0, 0, 1);
    OK(vef_log_flush(log, error));
    log_recv(log, 0, 0, 0, 2);
    log_end(log, VEF_LOG_FINALIZED);
    char path[1100];
    snprintf(path, sizeof path, "%s/task-000001.vlog", folder);
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    /* The end record is a header of 64 bytes and one byte, the block before it at least 65. */
    spill(path, bytes, size - 65 - 1);
    free(bytes);
    const char *trace = scratch_path("cut.vef");
    vef_merge_summary summary = merge(folder, trace);
    assert_int_equal(summary.tasks, 3);
    assert_int_equal(summary.logs, 2);
    assert_int_equal(summary.cut_short, 2);
    event_list sends = read_task(trace, 0), receives = read_task(trace, 1);
    assert_int_equal(receives.count, 1);
    assert_took(&receives, 0, 0, 0, 0, 1);
    assert_took(&sends, 0, 1, 0, 0, 1);
    assert_true(operation(&sends, 1)->flags & VEF_OP_UNMATCHED);
    assert_true(operation(&sends, 2)->flags & VEF_OP_UNMATCHED);
    assert_true(operation(&sends, 3)->flags & VEF_OP_UNMATCHED);
    assert_true(operation(&sends, 3)->flags & VEF_OP_OPEN_ENDED);
    assert_int_equal(operation(&sends, 3)->peer, VEF_NO_TASK);
    assert_true(operation(&sends, 4)->flags & VEF_OP_UNMATCHED);
    assert_int_equal(operation(&sends, 4)->peer, 2);
    vef_trace *opened = NULL;
    OK(vef_trace_open(trace, &opened, NULL, error));
    const vef_trace_header *header = vef_trace_get_header(opened);
    assert_int_equal(header->task[0].end, VEF_LOG_ABORTED);
    assert_int_equal(header->task[1].end, VEF_LOG_CUT);
    assert_int_equal(header->task[1].events, 1);
    assert_int_equal(header->task[2].end, VEF_LOG_CUT);
    vef_trace_close(opened);
    free_events(&sends);
    free_events(&receives);
}

/* Counts of what is not held, or left out by choice, add up over tasks; how times were measured
 * stays each task's own; a folder without logs, and logs of runs of
 * different sizes, are refused. */
static void test_counts_and_refusals(void **state) {
    (void)state;
    FOLDER("counts");
    for (uint32_t task = 0; task < 2; task++) {
        vef_log *log = log_begin(folder, task, 2);
        vef_log_count(log, VEF_CALL_File_open, 3 + task, 10);
        vef_log_left_out(log, VEF_CALL_Test, 5 + task, 100);
        vef_log_measured(log, &(vef_measured){.run_ns = 70 + task, .threads = 2});
        log_end(log, VEF_LOG_FINALIZED);
    }
    const char *path = scratch_path("counts.vef");
    merge(folder, path);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    assert_true(vef_trace_get_header(trace)->not_recorded[VEF_CALL_File_open] == 7);
    assert_true(vef_trace_get_header(trace)->not_recorded_ns[VEF_CALL_File_open] == 20);
    assert_true(vef_trace_get_header(trace)->left_out.calls[VEF_CALL_Test] == 11);
    assert_true(vef_trace_get_header(trace)->left_out.ns[VEF_CALL_Test] == 200);
    for (uint32_t task = 0; task < 2; task++) {
        const vef_measured *measured = &vef_trace_get_header(trace)->measured[task];
        assert_true(measured->run_ns == 70 + task && measured->threads == 2);
        assert_true(measured->wall_ns == 0);
    }
    vef_trace_close(trace);
    vef_log *log = log_begin(folder, 1, 5);
    log_end(log, VEF_LOG_FINALIZED);
    vef_error error;
    assert_int_equal(vef_merge(folder, path, NULL, NULL, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "another run"));
    assert_int_equal(vef_merge(scratch_path("nowhere"), path, NULL, NULL, &error), VEF_IO);
}

/* Sites of the same file and offset are one, whatever path the file has and whatever number the
 * site has in a task; a ring that drops events keeps all sites; sites without events leave. */
static void test_sites(void **state) {
    (void)state;
    enum { MANY = 200000 };
    FOLDER("sites");
    const vef_site first[] = {{"/here/app", "abcd", 100, "", "", "", 0, 0},
                              {"/here/app", "abcd", 200, "", "", "", 0, 0},
                              {"/lib/a.so", "", 100, "", "", "", 0, 0}};
    const vef_site second[] = {{"/there/app", "abcd", 200, "", "", "", 0, 0},
                               {"/lib/b.so", "", 100, "", "", "", 0, 0},
                               {"/there/app", "abcd", 100, "", "", "", 0, 0}};
    for (uint32_t task = 0; task < 2; task++) {
        vef_log *log = log_begin_with_sites(folder, task, 2);
        OK(vef_log_limit(log, VEF_LOG_LEAST_BYTES, true, error));
        OK(vef_log_sites(log, task ? second : first, 3, error));
        for (uint32_t i = 0; i < MANY; i++) {
            vef_event event = {.call = VEF_CALL_Pcontrol,
                               .root = -1,
                               .site = task    ? 1 + i % 3
                                       : i % 3 ? 2
                                               : 3,
                               .gap_ns = i * UINT64_C(0x123456789),
                               .entered = 2 * i,
                               .left = 2 * i + 1};
            OK(vef_log_event(log, &event, error));
        }
        log_end(log, VEF_LOG_FINALIZED);
    }
    const char *path = scratch_path("sites.vef");
    merge(folder, path);
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    const vef_trace_header *header = vef_trace_get_header(trace);
    assert_int_equal(header->site_count, 4); /* of task 0 without its first */
    for (uint32_t task = 0; task < 2; task++) {
        const vef_site *sites = task ? second : first;
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        uint64_t number = header->task[task].skipped;
        assert_true(number > 0 && number < MANY);
        OK(vef_stream_open(trace, task, 0, &stream, error));
        for (;; number++) {
            OK(vef_stream_next(stream, &event, error));
            if (!event)
                break;
            const vef_site *due = &sites[task ? number % 3 : number % 3 ? 1 : 2];
            const vef_site *site = vef_trace_site(header, event->site);
            assert_true(site->offset == due->offset);
            assert_string_equal(site->build_id, due->build_id);
            if (!*due->build_id)
                assert_string_equal(site->module, due->module);
        }
        assert_int_equal(number, MANY);
        vef_stream_close(stream);
    }
    vef_trace_close(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags_out_of_order),
        cmocka_unit_test(test_wildcards),
        cmocka_unit_test(test_two_communicators),
        cmocka_unit_test(test_communicator_identity),
        cmocka_unit_test(test_matched_probes),
        cmocka_unit_test(test_probes_without_receives),
        cmocka_unit_test(test_probe_of_cancelled),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_muted),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_counts_and_refusals),
        cmocka_unit_test(test_sites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
