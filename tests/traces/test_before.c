/* What a ring keeps of the events that it drops (traces/log/ring_summary.h): which requests are
 * under way. */
#include "tests/traces/trace_support.h"
#include "traces/log/ring_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void start(vef_before *before, uint16_t call, uint32_t count, vef_operation *operations) {
    const vef_event event = {
        .call = call, .root = -1, .operation_count = count, .operations = operations};
    OK(vef_before_event(before, &event, error));
}

static void complete(vef_before *before, uint64_t request, int32_t source) {
    vef_completion completion = {.request = request, .source = source, .tag = 5};
    const vef_event event = {
        .call = VEF_CALL_Wait, .root = -1, .completion_count = 1, .completions = &completion};
    OK(vef_before_event(before, &event, error));
}

static uint64_t messages(const vef_before *before, bool send) {
    uint64_t count = 0;
    for (size_t i = 0; i < before->message_count; i++)
        count += before->messages[i].send == send ? before->messages[i].count : 0;
    return count;
}

/* The two operations of a send-receive have one request, in either order; others are started before
 * and after it and complete in every order. */
static void send_receives_complete_once(void **state) {
    (void)state;
    static const uint64_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (unsigned i = 0; i < 12; i++) {
        vef_before before = {0};
        vef_operation first = {.peer = 1, .tag = 5, .ordinal = VEF_NO_ORDINAL};
        vef_operation both[2] = {first, first}, last = first;
        both[i < 6].flags = VEF_OP_SEND;
        both[0].request = both[1].request = 1;
        last.request = 2;
        start(&before, VEF_CALL_Irecv, 1, &first);
        start(&before, VEF_CALL_Isendrecv, 2, both);
        start(&before, VEF_CALL_Irecv, 1, &last);
        assert_int_equal(before.request_count, 3);
        assert_int_equal(messages(&before, true), 1);
        assert_int_equal(messages(&before, false), 0);
        for (unsigned k = 0; k < 3; k++) {
            complete(&before, orders[i % 6][k], 1);
            assert_int_equal(before.request_count, 2 - k);
            assert_int_equal(messages(&before, false), k + 1);
        }
        assert_int_equal(messages(&before, true), 1);
        vef_before_free(&before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(send_receives_complete_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
