/* Collectives between two groups, and on neighbours, in a replay, by hand: on two neighbouring
 * routers a message of F phits takes 1 + F cycles (see test_replay_messages.c). Which group's rank
 * 0 sends first is seen in who ends when: the first group in Barrier and Allgather, the second in
 * Allgatherv and Reduce_scatter_block, as in MPICH 4.0.2. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static uint64_t flight(uint64_t bytes) {
    return 1 + (bytes ? (bytes + 3) / 4 : 1);
}

static const uint32_t first[] = {0}, second[] = {1};

/* Two groups of one task each. */
static uint32_t between(script *s) {
    uint32_t comm = script_comm(s, 1, first);
    s->comms[comm].made_by = VEF_CALL_Intercomm_create;
    s->comms[comm].remote_size = 1;
    s->comms[comm].remote_members = second;
    return comm;
}

static void ends(script *s, uint64_t end0, uint64_t end1) {
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    assert_int_equal(ns_of(result.task[0].end_ps), end0);
    assert_int_equal(ns_of(result.task[1].end_ps), end1);
    vef_replay_result_release(&result);
    script_free(s);
}

static void both(script *s, vef_call call, uint32_t comm, const int32_t roots[2],
                 const uint64_t bytes[2]) {
    for (uint32_t task = 0; task < 2; task++) {
        vef_event *event = say_collective(s, task, 0, call, comm, roots[task], bytes[task]);
        if (call != VEF_CALL_Allgatherv)
            continue;
        uint64_t *kept = vef_arena_alloc(&s->arena, 1, sizeof *kept);
        assert_non_null(kept);
        *kept = bytes[1 - task];
        event->receive_count = 1;
        event->receive_bytes = kept;
    }
}

static void who_sends_first(void **state) {
    (void)state;
    static const int32_t none[] = {-1, -1};
    script *s = script_new(2);
    both(s, VEF_CALL_Barrier, between(s), none, (const uint64_t[]){0, 0});
    ends(s, 2 * flight(1), flight(1));

    s = script_new(2);
    both(s, VEF_CALL_Allgather, between(s), none, (const uint64_t[]){400, 400});
    ends(s, 2 * flight(400), flight(400));

    s = script_new(2);
    both(s, VEF_CALL_Allgatherv, between(s), none, (const uint64_t[]){400, 4000});
    ends(s, flight(4000), flight(4000) + flight(400));

    s = script_new(2);
    both(s, VEF_CALL_Reduce_scatter_block, between(s), none, (const uint64_t[]){400, 400});
    ends(s, flight(400), 2 * flight(400));

    s = script_new(2); /* both at once */
    both(s, VEF_CALL_Allreduce, between(s), none, (const uint64_t[]){400, 400});
    ends(s, flight(400), flight(400));
}

static void roots(void **state) {
    (void)state;
    static const int32_t in_first[] = {VEF_ROOT_HERE, 0}, in_second[] = {0, VEF_ROOT_HERE};
    static const uint64_t bytes[] = {400, 400};
    script *s = script_new(2);
    both(s, VEF_CALL_Bcast, between(s), in_first, bytes);
    ends(s, 0, flight(400));
    s = script_new(2);
    both(s, VEF_CALL_Bcast, between(s), in_second, bytes);
    ends(s, flight(400), 0);
    s = script_new(2);
    both(s, VEF_CALL_Reduce, between(s), in_first, bytes);
    ends(s, flight(400), 0);
    s = script_new(2);
    both(s, VEF_CALL_Scatter, between(s), in_second, bytes);
    ends(s, flight(400), 0);
}

/* Around a ring of two each is below and above the other: two messages at once, one after the other
 * on the link. */
static void ring_of_two(void **state) {
    (void)state;
    static const uint32_t members[] = {0, 1}, extents[] = {2};
    static const uint8_t periodic[] = {1};
    for (int started = 0; started < 2; started++) {
        script *s = script_new(2);
        uint32_t comm = script_comm(s, 2, members);
        s->comms[comm].dimensions = 1;
        s->comms[comm].extents = extents;
        s->comms[comm].periodic = periodic;
        for (uint32_t task = 0; task < 2; task++) {
            vef_call call = started ? VEF_CALL_Ineighbor_alltoall : VEF_CALL_Neighbor_alltoall;
            vef_event *event = say_collective(s, task, 0, call, comm, -1, 400);
            if (!started)
                continue;
            event->request = s->task[task].requests++;
            say_wait(s, task, 50, VEF_CALL_Wait, 1, &event->request);
        }
        ends(s, 1 + 2 * 100, 1 + 2 * 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_sends_first),
        cmocka_unit_test(roots),
        cmocka_unit_test(ring_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
