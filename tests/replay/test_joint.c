/* Several programs as one source, and replays of it: events are renumbered and nothing else,
 * programs without a common link take the times that they take alone, those with one take what the
 * link needs for both, and a start delays a program by exactly that. A cycle is 1 ns. */
#include "common/rng.h"
#include "replay/jobs/figures.h"
#include "replay/jobs/joint.h"
#include "replay/jobs/starts.h"
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static vef_netmodel *open_network(const char *yaml) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_config_parse(yaml, "test", &arena, &root, &error) ||
        vef_netmodel_create(root, &model, &error))
        fail_msg("%s\n%s", yaml, error.message);
    vef_arena_release(&arena);
    return model;
}

static vef_source *join(script *const *scripts, uint32_t count, uint32_t silent) {
    vef_joint_part parts[4];
    vef_source *joint = NULL;
    vef_error error = {0};
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (vef_joint_part){"part", &scripts[i]->source, silent >> i & 1};
    if (vef_joint_create(parts, count, &joint, &error) != VEF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(joint->restart(joint, &error), VEF_OK);
    return joint;
}

static vef_replay_result replay(vef_source *joint, const char *network, const uint32_t *mapping,
                                const vef_replay_options *options) {
    const vef_replay_options defaults = vef_replay_defaults();
    vef_replay_result result;
    vef_error error = {0};
    vef_netmodel *model = open_network(network);
    assert_int_equal(joint->restart(joint, &error), VEF_OK);
    if (vef_replay_source(joint, model, mapping, options ? options : &defaults, NULL, &result,
                          &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_netmodel_destroy(model);
    return result;
}

/* Three tasks that use every kind of call that names a task or a communicator. */
static script *every_kind(void) {
    script *s = script_new(3);
    const uint32_t two[] = {2, 1};
    const uint32_t part = script_comm(s, 2, two);
    say_send(s, 0, 5, 1, 100, 0);
    say_receive(s, 1, 6, 0);
    const uint64_t request = say_isend(s, 2, 1, 0, 70000, 0);
    say_wait(s, 2, 0, VEF_CALL_Wait, 1, &request);
    say_receive(s, 0, 3, 2);
    say_collective(s, 1, 2, VEF_CALL_Bcast, part, 1, 64);
    say_collective(s, 2, 2, VEF_CALL_Bcast, part, 1, 64);
    for (uint32_t task = 0; task < 3; task++)
        say_collective(s, task, 1, VEF_CALL_Allreduce, 0, -1, 8);
    vef_event none = {.call = VEF_CALL_Send, .operation_count = 1};
    vef_operation nobody = {.flags = VEF_OP_SEND,
                            .peer = VEF_NO_TASK,
                            .comm = part,
                            .ordinal = VEF_NO_ORDINAL,
                            .request = VEF_NO_REQUEST};
    none.operations = &nobody;
    say(s, 1, &none);
    say_finalize_all(s);
    return s;
}

/* What must be as in the part, but for the offsets of tasks and communicators. */
static void check_event(const vef_event *own, const vef_event *joint, uint32_t task_offset,
                        uint32_t comm_offset) {
    assert_int_equal(joint->call, own->call);
    assert_int_equal(joint->flags, own->flags);
    assert_int_equal(joint->gap_ns, own->gap_ns);
    assert_int_equal(joint->bytes, own->bytes);
    assert_int_equal(joint->root, own->root);
    assert_int_equal(joint->entered, own->entered);
    assert_int_equal(joint->operation_count, own->operation_count);
    assert_int_equal(joint->completion_count, own->completion_count);
    assert_int_equal(joint->peer_count, own->peer_count);
    const vef_kind kind = vef_call_kind(own->call);
    if (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM || kind == VEF_KIND_SYNC)
        assert_int_equal(joint->comm, own->comm + comm_offset);
    if (kind == VEF_KIND_COMM)
        assert_int_equal(joint->new_comm,
                         own->new_comm == VEF_NO_COMM ? VEF_NO_COMM : own->new_comm + comm_offset);
    for (uint32_t i = 0; i < own->operation_count; i++) {
        vef_operation expected = own->operations[i];
        expected.comm += comm_offset;
        if (expected.peer != VEF_NO_TASK)
            expected.peer += (int32_t)task_offset;
        assert_memory_equal(&joint->operations[i], &expected, sizeof expected);
    }
    for (uint32_t i = 0; i < own->completion_count; i++)
        assert_int_equal(joint->completions[i].request, own->completions[i].request);
    for (uint32_t i = 0; i < own->peer_count; i++)
        assert_int_equal(joint->peers[i],
                         own->peers[i] < 0 ? own->peers[i] : own->peers[i] + (int32_t)task_offset);
}

/* Reads all events of a part beside those of an equal script. */
static void check_part(vef_source *joint, uint32_t first, script *own, uint32_t comm_offset) {
    vef_error error = {0};
    assert_int_equal(own->source.restart(&own->source, &error), VEF_OK);
    for (uint32_t task = 0; task < own->source.tasks; task++)
        for (uint32_t thread = 0; thread < own->source.threads(&own->source, task); thread++) {
            const vef_event *expected, *event;
            do {
                assert_int_equal(own->source.next(&own->source, task, thread, &expected, &error),
                                 VEF_OK);
                assert_int_equal(joint->next(joint, first + task, thread, &event, &error), VEF_OK);
                assert_int_equal(event != NULL, expected != NULL);
                if (event)
                    check_event(expected, event, first, comm_offset);
            } while (event);
        }
}

static script *with_window(void) {
    script *s = script_new(2);
    const uint32_t both[] = {0, 1};
    const uint32_t window = script_comm(s, 2, both);
    s->comms[window].made_by = VEF_CALL_Win_create;
    const int32_t target[] = {1}, nobody[] = {VEF_NO_TASK};
    vef_event made = {.call = VEF_CALL_Win_create,
                      .comm = 0,
                      .new_comm = window,
                      .root = -1,
                      .request = VEF_NO_REQUEST};
    for (uint32_t task = 0; task < 2; task++)
        say(s, task, &made);
    say_sync(s, 0, 0, VEF_CALL_Win_lock, window, 1, target);
    say_one_sided(s, 0, 10, VEF_CALL_Put, window, 1, 400);
    say_sync(s, 0, 0, VEF_CALL_Win_unlock, window, 1, target);
    say_sync(s, 1, 0, VEF_CALL_Win_lock, window, 1, nobody);
    say_sync(s, 1, 0, VEF_CALL_Win_unlock, window, 1, nobody);
    vef_event idle = {.call = VEF_CALL_Comm_split,
                      .comm = 0,
                      .new_comm = VEF_NO_COMM,
                      .root = -1,
                      .request = VEF_NO_REQUEST};
    for (uint32_t task = 0; task < 2; task++)
        say(s, task, &idle);
    say_finalize_all(s);
    return s;
}

static void renumbers(void **state) {
    (void)state;
    script *parts[] = {every_kind(), with_window(), every_kind()};
    script *own[] = {every_kind(), with_window(), every_kind()};
    vef_source *joint = join(parts, 3, 0);
    assert_int_equal(joint->tasks, 3 + 2 + 3);
    assert_int_equal(joint->communicator_count, 2 + 2 + 2);
    const uint32_t first[] = {0, 3, 5}, comm[] = {0, 2, 4};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(vef_joint_first_task(joint, i), first[i]);
        assert_int_equal(vef_joint_part_of(joint, first[i]), i);
        check_part(joint, first[i], own[i], comm[i]);
    }
    const vef_communicator *pair = &joint->communicators[5];
    assert_int_equal(pair->parent, 4);
    assert_int_equal(pair->size, 2);
    assert_int_equal(pair->members[0], 5 + 2);
    assert_int_equal(pair->members[1], 5 + 1);
    assert_int_equal(joint->communicators[4].parent, VEF_NO_COMM);
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 3; i++) {
        script_free(parts[i]);
        script_free(own[i]);
    }
}

/* A task of another part must not be reachable by a peer that is out of range. */
static void refuses_strangers(void **state) {
    (void)state;
    script *parts[] = {script_new(2), script_new(2)};
    vef_error error = {0};
    const vef_event *event;
    operation_of(say_send(parts[0], 1, 0, 0, 8, 0), 0)->peer = 2;
    vef_source *joint = join(parts, 2, 0);
    assert_int_equal(joint->next(joint, 1, 0, &event, &error), VEF_CORRUPT);
    assert_string_equal(
        error.message,
        "part: task 1: MPI_Send: peer rank 2 is out of range (the trace has 2 tasks)");
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

static const char *const networks[] = {script_ideal, script_mesh, script_flow, script_rtt};

/* One part is the plain source. */
static void one_is_plain(void **state) {
    (void)state;
    script *s = every_kind();
    const uint32_t mapping[] = {0, 1, 2};
    vef_source *joint = join(&s, 1, 0);
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        vef_replay_result together = replay(joint, networks[n], mapping, NULL);
        vef_replay_result plain = replay_of(s, networks[n], NULL, mapping);
        assert_int_equal(together.time_ps, plain.time_ps);
        assert_memory_equal(together.task, plain.task, 3 * sizeof *plain.task);
        vef_replay_result_release(&together);
        vef_replay_result_release(&plain);
    }
    vef_joint_destroy(joint);
    script_free(s);
}

/* Communicators, requests and windows of a later part, with all threads of the first silent. */
static void second_is_plain(void **state) {
    (void)state;
    script *parts[] = {every_kind(), with_window(), every_kind()};
    const uint32_t mapping[] = {7, 6, 5, 0, 1, 2, 3, 4};
    for (size_t n = 0; n < 3; n++)
        for (uint32_t i = 0; i < 3; i++) {
            vef_source *joint = join(parts, 3, 7u & ~(1u << i));
            const uint32_t first = vef_joint_first_task(joint, i);
            vef_replay_result result = replay(joint, networks[n], mapping, NULL);
            vef_replay_result plain = replay_of(parts[i], networks[n], NULL, mapping + first);
            assert_int_equal(result.stall, VEF_STALL_NONE);
            assert_int_equal(result.time_ps, plain.time_ps);
            assert_memory_equal(result.task + first, plain.task,
                                parts[i]->source.tasks * sizeof *plain.task);
            vef_replay_result_release(&result);
            vef_replay_result_release(&plain);
            vef_joint_destroy(joint);
        }
    for (uint32_t i = 0; i < 3; i++)
        script_free(parts[i]);
}

static void say_traffic(script *s, uint64_t seed) {
    const uint32_t tasks = s->source.tasks;
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
    for (int round = 0; round < 20; round++) {
        const uint64_t bytes = 4 + vef_rng_below(&rng, 3000);
        for (uint32_t task = 0; task < tasks; task++)
            say_sendrecv(s, task, vef_rng_below(&rng, 200), (task + 1) % tasks, bytes,
                         (task + tasks - 1) % tasks);
        for (uint32_t task = 0; task < tasks; task++)
            say_collective(s, task, 0, VEF_CALL_Allreduce, 0, -1, 64);
    }
    say_finalize_all(s);
}

/* Of a mesh of 4 x 2 routers each has a row. */
static void disjoint_do_not_disturb(void **state) {
    (void)state;
    const uint32_t mapping[] = {0, 1, 2, 3, 7, 6, 5, 4};
    script *parts[] = {script_new(4), script_new(4)};
    for (uint32_t i = 0; i < 2; i++)
        say_traffic(parts[i], i);
    vef_source *joint = join(parts, 2, 0);
    for (size_t n = 1; n < 3; n++) {
        vef_replay_result together = replay(joint, networks[n], mapping, NULL);
        assert_int_equal(together.stall, VEF_STALL_NONE);
        for (uint32_t i = 0; i < 2; i++) {
            vef_replay_result alone = replay_of(parts[i], networks[n], NULL, mapping + 4 * i);
            assert_memory_equal(together.task + 4 * i, alone.task, 4 * sizeof *alone.task);
            vef_replay_result_release(&alone);
            vef_source *other = join(parts, 2, 1u << (1 - i));
            alone = replay(other, networks[n], mapping, NULL);
            assert_memory_equal(together.task + 4 * i, alone.task + 4 * i, 4 * sizeof *alone.task);
            assert_int_equal(ns_of(alone.task[4 - 4 * i].end_ps), 0);
            vef_joint_destroy(other);
            vef_replay_result_release(&alone);
        }
        vef_replay_result_release(&together);
    }
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

#define ROW                                                                                        \
    "topology: {family: mesh, sizes: [3]}\nendpoints_per_router: 2\n"                              \
    "routing: {algorithm: dor}\nlink: {bandwidth: 32 Gbit/s, phit: 4 B}\n"                         \
    "packet: {phits: 16}\nseed: 3\n"

/* Router 0 to 2 and router 1 to 2, each M phits: the link from 1 to 2 is busy from the first phit
 * of the nearer one on, and carries 2 M. Behind it both have the same way, so the last of both
 * arrives M cycles later than the nearer one alone; and each alone arrives as MODEL.md says. */
static void one_link_for_two(void **state) {
    (void)state;
    enum { PHITS = 16 * 500, BYTES = 4 * PHITS };
    const uint32_t mapping[] = {0, 4, 2, 5};
    script *parts[] = {script_new(2), script_new(2)};
    for (uint32_t i = 0; i < 2; i++) {
        say_send(parts[i], 0, 0, 1, BYTES, 0);
        say_receive(parts[i], 1, 0, 0);
    }
    vef_replay_options options = vef_replay_defaults();
    options.eager_bytes = BYTES;
    vef_source *joint = join(parts, 2, 0), *near = join(parts, 2, 1);
    vef_replay_result both = replay(joint, ROW, mapping, &options);
    vef_replay_result alone = replay(near, ROW, mapping, &options);
    const uint64_t a = ns_of(both.task[1].end_ps), b = ns_of(both.task[3].end_ps);
    assert_int_equal(a > b ? a : b, ns_of(alone.task[3].end_ps) + PHITS);
    vef_replay_result_release(&both);
    vef_replay_result_release(&alone);
    vef_joint_destroy(joint);
    vef_joint_destroy(near);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

/* A part that starts later takes its time from then on, on any network. */
static void starts_delay(void **state) {
    (void)state;
    enum { LATER = 123456 };
    const uint32_t mapping[] = {0, 1, 2, 3, 7, 6, 5, 4};
    script *parts[] = {script_new(4), script_new(4)};
    for (uint32_t i = 0; i < 2; i++)
        say_traffic(parts[i], i);
    vef_source *joint = join(parts, 2, 0);
    const vef_timed_start starts[] = {{LATER * VEF_PS_PER_NS, {4, 4}}, {7 * VEF_PS_PER_NS, {0, 4}}};
    for (size_t n = 0; n < 3; n++) {
        vef_job_starts gate;
        vef_replay_options options = vef_replay_defaults();
        vef_job_starts_begin(&gate, starts, 2, 8);
        options.gate = &gate.gate;
        vef_replay_result together = replay(joint, networks[n], mapping, &options);
        assert_int_equal(together.stall, VEF_STALL_NONE);
        for (uint32_t i = 0; i < 2; i++) {
            vef_replay_result alone = replay_of(parts[i], networks[n], NULL, mapping + 4 * i);
            for (uint32_t task = 0; task < 4; task++) {
                const vef_task_result *late = &together.task[4 * i + task];
                assert_int_equal(ns_of(late->start_ps), i ? LATER : 7);
                assert_int_equal(late->end_ps - late->start_ps, alone.task[task].end_ps);
                assert_int_equal(late->computing_ps, alone.task[task].computing_ps);
                assert_int_equal(late->waiting_ps, alone.task[task].waiting_ps);
            }
            vef_replay_result_release(&alone);
        }
        vef_replay_result_release(&together);
        vef_job_starts_release(&gate);
    }
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

/* The causes of a task's time add up to its end less its start. */
static void causes_begin_at_the_start(void **state) {
    (void)state;
    const uint32_t mapping[] = {0, 2, 4, 6, 1, 3, 5, 7};
    script *parts[] = {script_new(4), script_new(4)};
    for (uint32_t i = 0; i < 2; i++)
        say_traffic(parts[i], i);
    vef_source *joint = join(parts, 2, 0);
    const vef_timed_start starts[] = {{500 * VEF_PS_PER_NS, {0, 4}},
                                      {9000 * VEF_PS_PER_NS, {4, 4}}};
    for (size_t n = 1; n < 3; n++) {
        vef_job_starts gate;
        vef_time_record record;
        vef_replay_options options = vef_replay_defaults();
        vef_job_starts_begin(&gate, starts, 2, 8);
        vef_time_record_begin(&record);
        options.gate = &gate.gate;
        vef_time_record_listen(&record, &options.listeners);
        vef_replay_result result = replay(joint, networks[n], mapping, &options);
        for (uint32_t task = 0; task < 8; task++) {
            const vef_cause_ps *causes = &record.ends[task].ps;
            const vef_task_result *current = &result.task[task];
            assert_int_equal(vef_cause_sum(causes), current->end_ps - current->start_ps);
            assert_int_equal(causes->by_cause[VEF_CAUSE_COMPUTING], current->computing_ps);
            assert_int_equal(ns_of(current->start_ps), task < 4 ? 500 : 9000);
        }
        vef_time_record_release(&record);
        vef_replay_result_release(&result);
        vef_job_starts_release(&gate);
    }
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

/* A stall while others wait for their start names the tasks that are stuck, not those. */
static void stall_names_those_that_run(void **state) {
    (void)state;
    script *parts[] = {script_new(2), script_new(2)};
    say_finalize_all(parts[0]);
    say_receive(parts[1], 1, 0, 0);
    say_finalize_all(parts[1]);
    vef_source *joint = join(parts, 2, 0);
    const vef_timed_start starts[] = {{5 * VEF_PS_PER_NS, {2, 2}}}; /* and never the first part */
    const uint32_t mapping[] = {0, 1, 2, 3};
    vef_job_starts gate;
    vef_replay_options options = vef_replay_defaults();
    vef_job_starts_begin(&gate, starts, 1, 8);
    options.gate = &gate.gate;
    vef_replay_result result = replay(joint, script_mesh, mapping, &options);
    assert_int_equal(result.stall, VEF_STALL_NO_SEND);
    assert_non_null(strstr(result.stall_text, "task 3, event 0 (MPI_Recv)"));
    vef_replay_result_release(&result);
    vef_job_starts_release(&gate);
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

/* The phits of the jobs on each link are all that crossed it; the sharing follows from them. */
static void phits_add_up(void **state) {
    (void)state;
    script *parts[] = {script_new(4), script_new(4)};
    for (uint32_t i = 0; i < 2; i++)
        say_traffic(parts[i], i);
    const uint32_t mapping[] = {0, 2, 4, 6, 1, 3, 5, 7};
    vef_source *joint = join(parts, 2, 0);
    for (size_t n = 1; n < 4; n++) {
        vef_netmodel *model = open_network(networks[n]);
        vef_job_nodes nodes;
        vef_job_figures figures;
        vef_replay_options options = vef_replay_defaults();
        vef_replay_result result;
        vef_error error = {0};
        uint64_t sums[2] = {0}, shared[2] = {0}, links = 0;
        vef_job_nodes_make(&nodes, model, 0, 1, 1);
        for (uint32_t task = 0; task < 8; task++)
            vef_job_nodes_take(&nodes, mapping[task], task / 4);
        vef_job_figures_begin(&figures, 2, 2, &nodes, model, true);
        vef_listen(&options.listeners, &figures.listener);
        assert_int_equal(joint->restart(joint, &error), VEF_OK);
        assert_int_equal(vef_replay_source(joint, model, mapping, &options, NULL, &result, &error),
                         VEF_OK);
        for (uint32_t router = 0; router < model->topology->routers; router++)
            for (uint32_t port = 0; port < model->topology->ports; port++) {
                const size_t link = (size_t)router * model->topology->ports + port;
                const uint64_t *values = &figures.phits[2 * link];
                assert_int_equal(values[0] + values[1],
                                 model->kind->link_phits(model, router, port));
                for (int j = 0; j < 2; j++) {
                    sums[j] += values[j];
                    shared[j] += values[0] && values[1] ? values[j] : 0;
                }
                links += values[0] && values[1];
            }
        assert_true(sums[0] > 0 && sums[1] > 0 && links > 0);
        for (uint32_t j = 0; j < 2; j++) {
            const vef_job_sharing found = vef_job_figures_share(&figures, j, 1 - j);
            assert_int_equal(found.phits, sums[j]);
            assert_int_equal(found.shared_phits, shared[j]);
            assert_int_equal(found.shared_links, links);
        }
        vef_replay_result_release(&result);
        vef_job_figures_release(&figures);
        vef_job_nodes_release(&nodes);
        vef_netmodel_destroy(model);
    }
    vef_joint_destroy(joint);
    for (uint32_t i = 0; i < 2; i++)
        script_free(parts[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renumbers),
        cmocka_unit_test(refuses_strangers),
        cmocka_unit_test(one_is_plain),
        cmocka_unit_test(second_is_plain),
        cmocka_unit_test(disjoint_do_not_disturb),
        cmocka_unit_test(one_link_for_two),
        cmocka_unit_test(starts_delay),
        cmocka_unit_test(causes_begin_at_the_start),
        cmocka_unit_test(stall_names_those_that_run),
        cmocka_unit_test(phits_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
