/* Changing and comparing events by roles: every field that names a task, a communicator, a request
 * or a message is offered once, with what the event does with it; what a hook refuses leaves; and
 * the first field in which two events differ is found. */
#include "traces/rewrite/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Each hook adds another number to its values. add_task and add_request refuse the value at
 * `context`. */
static bool add_task(void *context, const vef_field_place *place, int32_t *task) {
    (void)place;
    *task += 10;
    return *task - 10 != *(const int32_t *)context;
}

static bool add_comm(void *context, const vef_field_place *place, uint32_t *comm) {
    (void)context;
    (void)place;
    *comm += 100;
    return true;
}

static bool add_request(void *context, const vef_field_place *place, vef_use use,
                        uint64_t *request) {
    (void)place;
    *request += 1000 * (1 + (uint64_t)use);
    return *request % 1000 != (uint64_t) * (const int32_t *)context;
}

static bool add_ordinal(void *context, const vef_field_place *place, uint64_t *ordinal) {
    (void)context;
    *ordinal += (uint64_t)place->operation->peer; /* of the original */
    return true;
}

static const vef_operation operations[] = {
    {.flags = VEF_OP_SEND, .peer = 1, .tag = 5, .comm = 2, .bytes = 8, .ordinal = 3, .request = 4},
    {.peer = VEF_NO_TASK, .comm = 2, .ordinal = VEF_NO_ORDINAL, .request = VEF_NO_REQUEST}};
static const vef_completion completions[] = {{.request = 6, .source = VEF_NO_TASK},
                                             {.request = 7, .source = VEF_NO_TASK}};
static const int32_t peers[] = {1, VEF_NO_TASK, 2};
static const vef_event startall = {
    .call = VEF_CALL_Startall, .operation_count = 2, .operations = operations};
static const vef_event waitall = {
    .call = VEF_CALL_Waitall, .completion_count = 2, .completions = completions};
static const vef_event post = {
    .call = VEF_CALL_Win_post, .comm = 3, .peer_count = 3, .peers = peers};
static const vef_event ibcast = {.call = VEF_CALL_Ibcast, .comm = 3, .request = 9, .bytes = 64};

static void test_rewrite(void **unused) {
    (void)unused;
    int32_t refused = 99;
    vef_event_room room = {0};
    const vef_rewriter rewriter = {.context = &refused,
                                   .task = add_task,
                                   .comm = add_comm,
                                   .request = add_request,
                                   .ordinal = add_ordinal,
                                   .room = &room};
    vef_event event;
    assert_true(vef_rewrite(&rewriter, &startall, &event));
    assert_int_equal(event.operations[0].peer, 11);
    assert_int_equal(event.operations[0].comm, 102);
    assert_int_equal(event.operations[0].request, 1004);
    assert_int_equal(event.operations[0].ordinal, 4);
    assert_int_equal(event.operations[0].bytes, 8);
    assert_int_equal(event.operations[1].peer, VEF_NO_TASK);
    assert_true(event.operations[1].request == VEF_NO_REQUEST);
    assert_true(vef_rewrite(&rewriter, &ibcast, &event));
    assert_int_equal(event.comm, 103);
    assert_int_equal(event.request, 1009);
    const vef_event cancel = {.call = VEF_CALL_Cancel, .argument = 4};
    assert_true(vef_rewrite(&rewriter, &cancel, &event));
    assert_int_equal(event.argument, 3004);
    refused = 7; /* an entry of a list */
    assert_true(vef_rewrite(&rewriter, &waitall, &event));
    assert_int_equal(event.completion_count, 1);
    assert_int_equal(event.completions[0].request, 2006);
    refused = 2;
    assert_true(vef_rewrite(&rewriter, &post, &event));
    assert_int_equal(event.peer_count, 2);
    assert_int_equal(event.peers[0], 11);
    assert_int_equal(event.peers[1], VEF_NO_TASK);
    refused = 1; /* a field of the event itself */
    assert_false(vef_rewrite(&rewriter, &startall, &event));
    vef_event_room_free(&room);
}

static void assert_differs(const vef_event *event, const vef_event *other, vef_role role) {
    const vef_event_comparison whole = {0};
    uint32_t operation;
    assert_int_equal(vef_event_compare(event, other, &whole, &operation), role);
    assert_int_equal(vef_event_hash(event) == vef_event_hash(other), role == VEF_ROLES);
    const vef_event_comparison without = {.ignored = 1u << role};
    if (role != VEF_ROLE_CALL)
        assert_int_equal(vef_event_compare(event, other, &without, &operation), VEF_ROLES);
}

static void test_compare(void **unused) {
    (void)unused;
    vef_event other = ibcast;
    other.gap_ns = other.entered = other.duration_ns = 5;
    assert_differs(&ibcast, &other, VEF_ROLES);
    other.bytes++;
    assert_differs(&ibcast, &other, VEF_ROLE_BYTES);
    other = ibcast;
    other.comm++;
    assert_differs(&ibcast, &other, VEF_ROLE_COMM);
    other = ibcast;
    other.request++;
    assert_differs(&ibcast, &other, VEF_ROLE_REQUEST);
    other = ibcast;
    other.call = VEF_CALL_Bcast;
    assert_differs(&ibcast, &other, VEF_ROLE_CALL);
    vef_operation changed[] = {operations[0], operations[1]};
    other = startall;
    other.operations = changed;
    assert_differs(&startall, &other, VEF_ROLES);
    changed[1].ordinal = 0;
    assert_differs(&startall, &other, VEF_ROLE_ORDINAL);
    other.operation_count = 1;
    assert_differs(&startall, &other, VEF_ROLE_OPERATIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rewrite),
                                       cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
