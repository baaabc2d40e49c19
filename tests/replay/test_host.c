/* The section `host` in a replay, by hand: what messages cost processors, searches for matches,
 * memory between tasks of a node, network interfaces, slower tasks and full buffers. A cycle is
 * 1 ns; on the ideal network messages take no time. */
#include "replay/collectives/plan.h"
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* Rounds and sizes are such that all times are whole. */
static vef_cost line(double fixed_ns, double per_byte_ns) {
    return vef_cost_of(fixed_ns, per_byte_ns);
}

/* Sends of 40 and 400 bytes, blocking and not, pay by size; so do their receives. */
static void overheads_by_size(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 0, 1, 40, 0);
    const uint64_t request = say_isend(s, 0, 0, 1, 400, 0);
    say_wait(s, 0, 0, VEF_CALL_Wait, 1, &request);
    say_receive(s, 1, 1000, 0);
    say_receive(s, 1, 1000, 0);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.send_overhead =
        (vef_cost){2, {{100, 10, 0.5}, {UINT64_MAX, 20, 0.25}}}; /* 30 and 120 */
    options.host.receive_overhead = line(3, 2);                  /* 83 and 803 */
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 30 + 120);
    assert_int_equal(ns_of(result.task[1].overhead_ps), 83 + 803);
    assert_int_equal(ns_of(result.task[1].end_ps), 2000 + 83 + 803);
    vef_replay_result_release(&result);
    options.host.isend_overhead = line(7, 0);
    result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 30 + 7);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Eager messages are copied at the sender, and at a receiver that was too late. */
static void copies(void **state) {
    (void)state;
    static const uint64_t posted[] = {0, 5000};
    for (int late = 0; late <= 1; late++)
        for (int eager = 0; eager <= 1; eager++) {
            script *s = script_new(2);
            say_send(s, 0, 100, 1, 400, 0);
            say_receive(s, 1, posted[late], 0);
            say_finalize_all(s);
            vef_replay_options options = vef_replay_defaults();
            options.host.send_copy_ns_per_byte = 0.25;
            options.host.receive_copy_ns_per_byte = 0.5;
            options.eager_bytes = eager ? 400 : 399;
            vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
            assert_int_equal(ns_of(result.task[0].overhead_ps), eager ? 100 : 0);
            assert_int_equal(ns_of(result.task[1].overhead_ps), eager && late ? 200 : 0);
            vef_replay_result_release(&result);
            script_free(s);
        }
}

/* A message passes over the receives that were posted before its own, and a receive over the
 * messages that came before its own; what finds nothing has passed over the whole list. */
static void searches(void **state) {
    (void)state;
    enum { OTHERS = 5, COST = 10 };
    uint64_t requests[OTHERS];
    vef_replay_options options = vef_replay_defaults();
    options.host.match_ns = COST;
    script *s = script_new(3);
    for (int i = 0; i < OTHERS; i++)
        requests[i] = say_ireceive(s, 1, 0, 2);
    say_receive(s, 1, 0, 0);
    say_send(s, 0, 100, 1, 4, 0);
    for (int i = 0; i < OTHERS; i++)
        say_send(s, 2, i ? 0 : 1000, 1, 4, 0);
    say_wait(s, 1, 0, VEF_CALL_Waitall, OTHERS, requests);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[1].overhead_ps), OTHERS * COST);
    assert_int_equal(ns_of(result.task[1].end_ps), 1000);
    vef_replay_result_release(&result);
    script_free(s);
    /* The five messages of task 2 are there first: the receive from task 0 finds its message after
     * them; one that is posted before task 0 sends passes over them as well, and its message over
     * no receive. */
    for (int early = 0; early <= 1; early++) {
        s = script_new(3);
        for (int i = 0; i < OTHERS; i++)
            say_send(s, 2, 0, 1, 4, 0);
        say_send(s, 0, early ? 2000 : 500, 1, 4, 0);
        say_receive(s, 1, 1000, 0);
        for (int i = 0; i < OTHERS; i++)
            say_receive(s, 1, i ? 0 : 5000, 2);
        say_finalize_all(s);
        result = replay_of(s, script_ideal, &options, NULL);
        assert_int_equal(ns_of(result.task[1].overhead_ps), OTHERS * COST);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* Between tasks of one node: eager one transfer, rendezvous three. */
static void memory(void **state) {
    (void)state;
    static const uint32_t together[] = {0, 0};
    for (int eager = 0; eager <= 1; eager++) {
        script *s = script_new(2);
        for (int round = 0; round < 3; round++) {
            say_send(s, 0, 0, 1, 400, 0);
            say_receive(s, 1, 0, 0);
            say_send(s, 1, 0, 0, 400, 0);
            say_receive(s, 0, 0, 1);
        }
        say_finalize_all(s);
        vef_replay_options options = vef_replay_defaults();
        options.eager_bytes = eager ? 400 : 399;
        options.control_bytes = 32;
        options.host.memory_time = line(100, 0.5);
        vef_replay_result result = replay_of(s, script_pair, &options, together);
        assert_int_equal(ns_of(result.time_ps), 6 * (300 + (eager ? 0 : 2 * 116)));
        assert_int_equal(result.local_messages, 6);
        assert_int_equal(result.network.messages, 0);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* Messages that cross, or leave one task, begin a gap apart: 150 ns for 400 bytes, which take 300;
 * requests and clearances of 32 bytes (116 ns) and messages of other tasks do not wait. */
static void memory_gaps(void **state) {
    (void)state;
    static const struct {
        uint32_t count, from[2], to[2];
        bool eager;
        uint64_t time;
    } cases[] = {
        {2, {0, 1}, {1, 0}, true, 150 + 300},        {2, {0, 0}, {1, 2}, true, 150 + 300},
        {2, {0, 1}, {2, 2}, true, 150 + 300},        {2, {0, 2}, {1, 3}, true, 300},
        {2, {0, 1}, {1, 0}, false, 232 + 150 + 300}, {1, {0}, {1}, true, 300},
    };
    static const uint32_t together[4] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        script *s = script_new(4);
        uint64_t requests[2];
        for (uint32_t m = 0; m < cases[i].count; m++)
            requests[m] = say_isend(s, cases[i].from[m], 0, cases[i].to[m], 400, 0);
        for (uint32_t m = 0; m < cases[i].count; m++)
            say_receive(s, cases[i].to[m], 0, cases[i].from[m]);
        for (uint32_t m = 0; m < cases[i].count; m++)
            say_wait(s, cases[i].from[m], 0, VEF_CALL_Wait, 1, &requests[m]);
        say_finalize_all(s);
        vef_replay_options options = vef_replay_defaults();
        options.eager_bytes = cases[i].eager ? 400 : 399;
        options.control_bytes = 32;
        options.host.memory_time = line(100, 0.5);
        options.host.memory_gap = line(50, 0.25);
        vef_replay_result result = replay_of(s, script_pair, &options, together);
        if (ns_of(result.time_ps) != cases[i].time)
            fail_msg("case %zu: %llu cycles", i, (unsigned long long)ns_of(result.time_ps));
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* The bytes that rank 1 of three copies to itself, of 400 or of the vectors. The root is 1. */
static void own_data(void **state) {
    (void)state;
    static const uint64_t sent[] = {1, 20, 300}, received[] = {4, 50, 600};
    static const struct {
        vef_call call;
        uint64_t at_root, elsewhere;
    } cases[] = {
        {VEF_CALL_Barrier, 0, 0},           {VEF_CALL_Bcast, 0, 0},
        {VEF_CALL_Gather, 400, 0},          {VEF_CALL_Gatherv, 400, 0},
        {VEF_CALL_Scatter, 400, 0},         {VEF_CALL_Scatterv, 20, 0},
        {VEF_CALL_Reduce, 400, 400},        {VEF_CALL_Allreduce, 400, 400},
        {VEF_CALL_Scan, 400, 400},          {VEF_CALL_Allgather, 400, 400},
        {VEF_CALL_Allgatherv, 400, 400},    {VEF_CALL_Alltoall, 400, 400},
        {VEF_CALL_Alltoallv, 20, 20},       {VEF_CALL_Reduce_scatter, 654, 654},
        {VEF_CALL_Alltoallw, 20, 20},       {VEF_CALL_Reduce_scatter_block, 1200, 1200},
        {VEF_CALL_Neighbor_alltoall, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int32_t root = 0; root <= 1; root++) {
            const uint16_t call = (uint16_t)cases[i].call;
            const vef_collective own = {
                .call = call,
                .rank = 1,
                .size = 3,
                .root = vef_call_has(call, VEF_FACT_ROOTED) ? root : -1,
                .bytes = 400,
                .send_bytes = vef_call_has(call, VEF_FACT_SENDS_EACH) ? sent : NULL,
                .receive_bytes = vef_call_has(call, VEF_FACT_RECEIVES_EACH) ? received : NULL};
            const uint64_t wanted = root == 1 ? cases[i].at_root : cases[i].elsewhere;
            if ((vef_call_has(call, VEF_FACT_ROOTED) || root == 1) && vef_own_bytes(&own) != wanted)
                fail_msg("%s, root %d: %llu", vef_call_name(call), root,
                         (unsigned long long)vef_own_bytes(&own));
        }
}

/* Each task copies its own 400 bytes in 200 ns before its messages leave; a collective beside the
 * task does it then; one in place copies nothing. */
static void own_copies(void **state) {
    (void)state;
    enum { BLOCKING, BESIDE, IN_PLACE, ALONE, KINDS };
    static const uint64_t times[KINDS] = {200 + 300, 200 + 300, 300, 200};
    static const uint32_t together[2] = {0}, members[] = {0, 1};
    for (int kind = 0; kind < KINDS; kind++) {
        script *s = script_new(2);
        const uint32_t comm = script_comm(s, kind == ALONE ? 1 : 2, members);
        for (uint32_t task = 0; task < (kind == ALONE ? 1 : 2); task++) {
            if (kind == BESIDE) {
                const uint64_t request =
                    say_icollective(s, task, 0, VEF_CALL_Ialltoall, comm, -1, 400);
                say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
            } else {
                vef_event *event = say_collective(s, task, 0, VEF_CALL_Alltoall, comm, -1, 400);
                event->flags |= kind == IN_PLACE ? VEF_EVENT_IN_PLACE : 0;
            }
        }
        /* A creation of a communicator without this task copies nothing. */
        say_collective(s, 0, 0, VEF_CALL_Comm_create_group, comm, -1, 0);
        say_finalize_all(s);
        vef_replay_options options = vef_replay_defaults();
        options.host.memory_time = line(100, 0.5);
        options.host.local_copy = line(100, 0.25);
        vef_replay_result result = replay_of(s, script_pair, &options, together);
        if (ns_of(result.time_ps) != times[kind])
            fail_msg("kind %d: %llu cycles", kind, (unsigned long long)ns_of(result.time_ps));
        assert_int_equal(ns_of(result.task[0].overhead_ps),
                         kind == IN_PLACE || kind == BESIDE ? 0 : 200);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* Operations on windows take the same way. */
static void memory_of_windows(void **state) {
    (void)state;
    static const uint32_t together[] = {0, 0};
    script *s = script_new(2);
    const uint32_t both[] = {0, 1};
    const uint32_t window = script_comm(s, 2, both);
    for (uint32_t task = 0; task < 2; task++)
        say_sync(s, task, 0, VEF_CALL_Win_lock_all, window, 0, NULL);
    say_one_sided(s, 0, 0, VEF_CALL_Get, window, 1, 1000);
    for (uint32_t task = 0; task < 2; task++)
        say_sync(s, task, 0, VEF_CALL_Win_unlock_all, window, 0, NULL);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    assert_int_equal(time_of(s, script_pair, &options) > 0, true);
    vef_replay_result result = replay_of(s, script_pair, &options, together);
    assert_int_equal(ns_of(result.time_ps), 0);
    vef_replay_result_release(&result);
    options.control_bytes = 32;
    options.host.memory_time = line(100, 0.5);
    result = replay_of(s, script_pair, &options, together);
    assert_true(ns_of(result.time_ps) >= 116 + 600); /* the request, and the data */
    assert_int_equal(result.network.messages, 0);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Messages to one task follow each other; one the other way does not wait for them. */
static void receive_gaps(void **state) {
    (void)state;
    static const uint32_t together[] = {0, 0};
    vef_replay_options options = vef_replay_defaults();
    options.host.memory_time = line(100, 0.5);
    options.host.memory_receive_gap = line(0, 0.75);
    script *s = script_new(2);
    uint64_t requests[3];
    for (int i = 0; i < 3; i++)
        requests[i] = say_isend(s, 0, 0, 1, 400, 0);
    say_receive(s, 0, 0, 1);
    say_wait(s, 0, 0, VEF_CALL_Waitall, 3, requests);
    say_send(s, 1, 0, 0, 400, 0);
    for (int i = 0; i < 3; i++)
        say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, &options, together);
    assert_int_equal(ns_of(result.task[0].end_ps), 300);
    assert_int_equal(ns_of(result.task[1].end_ps), 300 + 2 * 300);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Inside a node the origin moves the data itself: it pays, and they are there. Elsewhere they
 * travel. */
static void windows_of_one_node(void **state) {
    (void)state;
    static const vef_call calls[] = {VEF_CALL_Put, VEF_CALL_Get, VEF_CALL_Accumulate};
    static const uint32_t together[] = {0, 0}, apart[] = {0, 1};
    static const uint64_t costs_ns[] = {100 + 500, 300 + 2000, 7 + 4000};
    vef_replay_options options = vef_replay_defaults();
    options.control_bytes = 32;
    options.host.memory_time = line(100, 0.5);
    options.host.put_time = line(100, 0.5);
    options.host.get_time = line(300, 2);
    options.host.accumulate_time = line(7, 4);
    options.host.flush_time = line(50, 0.1);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        script *s = script_new(2);
        const uint32_t both[] = {0, 1};
        const uint32_t window = script_comm(s, 2, both);
        for (int n = 0; n < 3; n++)
            say_one_sided(s, 0, 0, calls[i], window, 1, 1000);
        say_sync(s, 0, 0, VEF_CALL_Win_flush_all, window, 0, NULL);
        say_finalize_all(s);
        vef_replay_result result = replay_of(s, script_pair, &options, together);
        assert_int_equal(ns_of(result.task[0].overhead_ps), 3 * costs_ns[i] + 150);
        assert_int_equal(ns_of(result.time_ps), 3 * costs_ns[i] + 150);
        assert_int_equal(result.local_messages, 3);
        vef_replay_result_release(&result);
        result = replay_of(s, script_pair, &options, apart);
        assert_int_equal(ns_of(result.task[0].overhead_ps), 0);
        assert_true(result.time_ps > 0);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* An interface sends a message per gap, and receives one per gap. */
static void gaps(void **state) {
    (void)state;
    enum { MESSAGES = 4, GAP = 50 };
    vef_replay_options options = vef_replay_defaults();
    options.host.gap_ns = GAP;
    script *s = script_new(2);
    for (int i = 0; i < MESSAGES; i++) {
        say_send(s, 0, 0, 1, 4, 0);
        say_receive(s, 1, 0, 0);
    }
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_ideal, &options), (MESSAGES - 1) * GAP);
    script_free(s);
    s = script_new(MESSAGES + 1);
    for (uint32_t task = 1; task <= MESSAGES; task++) {
        say_send(s, task, 0, 0, 4, 0);
        say_receive(s, 0, 0, task);
    }
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_ideal, &options), (MESSAGES - 1) * GAP);
    script_free(s);
}

/* Two nodes at one router: two messages of a task leave one after the other through its own
 * interface, and beside each other through both. */
static void interfaces_in_turn(void **state) {
    (void)state;
    static const char network[] =
        "{topology: {family: mesh, sizes: [2]}, routing: {algorithm: dor}, endpoints_per_router: "
        "4, link: {bandwidth: 32 Gbit/s, phit: 4 B}, router: {injection_queues: 1}}";
    static const uint32_t mapping[] = {0, 2};
    enum { BYTES = 4000 };
    uint64_t requests[2], times[2];
    for (int in_turn = 0; in_turn <= 1; in_turn++) {
        script *s = script_new(2);
        for (int i = 0; i < 2; i++)
            say_send(s, 0, 0, 1, BYTES, 0);
        for (int i = 0; i < 2; i++)
            requests[i] = say_ireceive(s, 1, 0, 0);
        say_wait(s, 1, 0, VEF_CALL_Waitall, 2, requests);
        say_finalize_all(s);
        vef_replay_options options = vef_replay_defaults();
        options.host.nics = 2;
        options.host.nic = in_turn ? VEF_NIC_IN_TURN : VEF_NIC_OWN;
        vef_replay_result result = replay_of(s, network, &options, mapping);
        times[in_turn] = ns_of(result.time_ps);
        vef_replay_result_release(&result);
        script_free(s);
    }
    assert_int_equal(times[0] - times[1], BYTES / 4);
}

/* Tasks at different endpoints of one node do not use the network. */
static void interfaces_of_one_node(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 0, 1, 400, 0);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    assert_true(time_of(s, script_pair, &options) > 0);
    options.host.nics = 2;
    assert_int_equal(time_of(s, script_pair, &options), 0);
    options.host.memory_time = line(70, 0);
    assert_int_equal(time_of(s, script_pair, &options), 70);
    options.host.nics = 3;
    vef_netmodel *network = NULL;
    vef_replay_result result;
    vef_error error;
    vef_arena arena = {0};
    vef_node *root;
    assert_int_equal(vef_config_parse(script_pair, "pair", &arena, &root, &error), VEF_OK);
    assert_int_equal(vef_netmodel_create(root, &network, &error), VEF_OK);
    static const uint32_t mapping[] = {0, 1};
    assert_int_equal(replay_on(s, network, &options, mapping, &result, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "host.nics 3: the network has 2 endpoints"));
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
    script_free(s);
}

static void stragglers(void **state) {
    (void)state;
    script *s = script_new(4);
    for (uint32_t task = 0; task < 4; task++)
        say_local(s, task, 1000, VEF_CALL_Pcontrol);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.compute_scale = 0.5;
    options.host.stragglers[0] = (vef_straggler){1, 2, 3};
    options.host.straggler_count = 1;
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    for (uint32_t task = 0; task < 4; task++)
        assert_int_equal(ns_of(result.task[task].computing_ps),
                         task == 1 || task == 2 ? 1500 : 500);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Two of three messages fit in the buffer of the receiver; the third waits for its receive. */
static void full_buffers(void **state) {
    (void)state;
    for (int fits = 0; fits <= 1; fits++) {
        script *s = script_new(2);
        for (int i = 0; i < 3; i++)
            say_send(s, 0, 0, 1, 400, 0);
        for (int i = 0; i < 3; i++)
            say_receive(s, 1, i ? 0 : 10000, 0);
        say_finalize_all(s);
        vef_replay_options options = vef_replay_defaults();
        options.eager_buffer_bytes = fits ? 1200 : 1199;
        vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
        assert_int_equal(result.refused_messages, !fits);
        assert_int_equal(ns_of(result.task[0].end_ps), fits ? 0 : 10000);
        vef_replay_result_release(&result);
        script_free(s);
    }
    /* Received messages leave room for others. */
    script *s = script_new(2);
    for (int i = 0; i < 9; i++) {
        say_send(s, 0, 0, 1, 400, 0);
        say_receive(s, 1, 0, 0);
        say_send(s, 1, 0, 0, 4, 0);
        say_receive(s, 0, 0, 1);
    }
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.eager_buffer_bytes = 400;
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(result.refused_messages, 0);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Five tasks on two cores compute for 100, 10, 20, 5 and 5 ns, then 1 ns each, in the order of
 * their numbers where they are ready at once: cores are free at 100 and 10, so task 2 ends at 30, 3
 * at 35 and 4 at 40. The second computations are ready at 10 (task 1: after those of 2, 3 and 4,
 * which have waited since 0), 30, 35, 40, 100 and each takes the first core that is free: 40 to 41
 * (task 1), 41 to 42, 42 to 43, 43 to 44, and 100 to 101. */
static void shared_cores(void **state) {
    (void)state;
    static const uint64_t first[] = {100, 10, 20, 5, 5}, ends[] = {101, 41, 42, 43, 44};
    script *s = script_new(5);
    for (uint32_t task = 0; task < 5; task++) {
        say_local(s, task, first[task], VEF_CALL_Pcontrol);
        say_local(s, task, 1, VEF_CALL_Pcontrol);
    }
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.shared_cores = 2;
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    for (uint32_t task = 0; task < 5; task++) {
        assert_int_equal(ns_of(result.task[task].end_ps), ends[task]);
        assert_int_equal(ns_of(result.task[task].computing_ps), ends[task]);
    }
    vef_replay_result_release(&result);
    script_free(s);
    /* So do overheads: four tasks that send at 0, each for 10 ns, on one core. */
    s = script_new(8);
    for (uint32_t task = 0; task < 4; task++) {
        say_send(s, task, 0, 4 + task, 8, 0);
        say_receive(s, 4 + task, 0, task);
    }
    say_finalize_all(s);
    options.host.shared_cores = 1;
    options.host.send_overhead = vef_cost_of(10, 0);
    result = replay_of(s, script_ideal, &options, NULL);
    for (uint32_t task = 0; task < 4; task++)
        assert_int_equal(ns_of(result.task[task].end_ps), 10 * (task + 1));
    vef_replay_result_release(&result);
    script_free(s);
}

/* Noise lengthens computation by what the result says, and waiting hides it. */
static void noise(void **state) {
    (void)state;
    script *s = script_new(2);
    for (uint32_t task = 0; task < 2; task++)
        for (int i = 0; i < 100; i++)
            say_local(s, task, 1000, VEF_CALL_Pcontrol);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.noise = (vef_noise){.kind = 1, .period_ns = 500, .duration_ns = 100, .seed = 7};
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    uint64_t lengthened = 0;
    for (uint32_t task = 0; task < 2; task++) {
        /* 100,000 cycles of work in periods with 400 of them free: 250 interruptions, or one fewer
         * or more, or part of one at each end. */
        assert_in_range(ns_of(result.task[task].computing_ps), 100000 + 249 * 100,
                        100000 + 251 * 100);
        lengthened += ns_of(result.task[task].computing_ps) - 100000;
    }
    assert_int_equal(ns_of(result.noise_ps), lengthened);
    vef_replay_result_release(&result);
    options.host.noise.synchronous = true;
    result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[0].computing_ps), ns_of(result.task[1].computing_ps));
    vef_replay_result_release(&result);
    script_free(s);
    /* Noise of a task that only waits costs nothing. */
    s = script_new(2);
    say_local(s, 0, 100000, VEF_CALL_Pcontrol);
    say_send(s, 0, 0, 1, 4, 0);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[0].end_ps), ns_of(result.task[1].end_ps));
    assert_int_equal(ns_of(result.task[1].computing_ps), 0);
    vef_replay_result_release(&result);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overheads_by_size),
        cmocka_unit_test(copies),
        cmocka_unit_test(searches),
        cmocka_unit_test(memory),
        cmocka_unit_test(memory_gaps),
        cmocka_unit_test(own_data),
        cmocka_unit_test(own_copies),
        cmocka_unit_test(memory_of_windows),
        cmocka_unit_test(receive_gaps),
        cmocka_unit_test(windows_of_one_node),
        cmocka_unit_test(gaps),
        cmocka_unit_test(interfaces_in_turn),
        cmocka_unit_test(interfaces_of_one_node),
        cmocka_unit_test(stragglers),
        cmocka_unit_test(full_buffers),
        cmocka_unit_test(shared_cores),
        cmocka_unit_test(noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
