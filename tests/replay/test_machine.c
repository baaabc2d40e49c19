/* The sections `mpi` and `host` of a machine's file: defaults, every algorithm of every collective
 * by its name, what is written is read back, and what is refused with which words. */
#include "replay/machine.h"
#include "traces/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vef_code read_text(const char *text, vef_replay_options *options, vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    assert_int_equal(vef_config_parse(text, "machine.yaml", &arena, &root, error), VEF_OK);
    const vef_code code = vef_machine_read(root, options, &arena, error);
    vef_arena_release(&arena);
    return code;
}

static vef_replay_options read_right(const char *text) {
    vef_replay_options options = vef_replay_defaults();
    vef_error error;
    if (read_text(text, &options, &error) != VEF_OK)
        fail_msg("%s: %s", text, error.message);
    return options;
}

static void assert_same_cost(const vef_cost *a, const vef_cost *b) {
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->pieces[i].up_to_bytes, b->pieces[i].up_to_bytes);
        assert_true(a->pieces[i].fixed_ns == b->pieces[i].fixed_ns);
        assert_true(a->pieces[i].per_byte_ns == b->pieces[i].per_byte_ns);
    }
}

static void assert_same(const vef_replay_options *a, const vef_replay_options *b) {
    assert_int_equal(a->eager_bytes, b->eager_bytes);
    assert_int_equal(a->control_bytes, b->control_bytes);
    assert_true(a->host.compute_scale == b->host.compute_scale);
    assert_int_equal(a->host.outside, b->host.outside);
    assert_true(a->host.poll_gap_ns == b->host.poll_gap_ns);
    assert_same_cost(&a->host.send_overhead, &b->host.send_overhead);
    assert_same_cost(&a->host.isend_overhead, &b->host.isend_overhead);
    assert_same_cost(&a->host.receive_overhead, &b->host.receive_overhead);
    assert_true(a->host.reduce_ns_per_byte == b->host.reduce_ns_per_byte);
    assert_int_equal(a->limit_ps, b->limit_ps);
    assert_int_equal(a->choices.count, b->choices.count);
    for (size_t i = 0; i < a->choices.count; i++) {
        const vef_rule *one = &a->choices.rules[i], *other = &b->choices.rules[i];
        assert_ptr_equal(one->choice.algorithm, other->choice.algorithm);
        assert_int_equal(one->choice.tuning.segment_bytes, other->choice.tuning.segment_bytes);
        assert_int_equal(one->choice.tuning.degree, other->choice.tuning.degree);
        assert_int_equal(one->choice.tuning.protocol, other->choice.tuning.protocol);
        assert_int_equal(one->up_to_bytes, other->up_to_bytes);
        assert_int_equal(one->up_to_ranks, other->up_to_ranks);
    }
    const vef_preset *presets[] = {a->choices.preset, b->choices.preset};
    for (size_t i = 0; i < 2; i++)
        presets[i] = presets[i] ? presets[i] : vef_presets[0];
    assert_ptr_equal(presets[0], presets[1]);
}

static void nothing_written_is_the_defaults(void **state) {
    (void)state;
    const vef_replay_options defaults = vef_replay_defaults();
    static const char *const texts[] = {"{}", "{mpi: ~, host: ~}", "{mpi: {}, host: {}}",
                                        "{mpi: {preset: mpich, bcast: auto}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const vef_replay_options read = read_right(texts[i]);
        assert_same(&read, &defaults);
        assert_true(read.choices.preset == vef_presets[0]);
    }
    /* What a file does not say is not what an earlier one said. */
    vef_replay_options options = read_right("{mpi: {bcast: binomial}, host: {outside: false}}");
    assert_int_equal(read_text("{}", &options, NULL), VEF_OK);
    assert_same(&options, &defaults);
}

static void keys_set_what_they_name(void **state) {
    (void)state;
    const vef_replay_options read = read_right(
        "{mpi: {eager_threshold: 3 KiB, control_bytes: 5 B, reduce: binomial, alltoall: bruck}, "
        "host: {compute_scale: 0.25, outside: false, poll_gap: 7 ns, send_overhead: 1.5 us, "
        "receive_overhead: 2 us, reduce_cost: 0.125}}");
    const vef_replay_options wanted = {
        .eager_bytes = 3072,
        .control_bytes = 5,
        .host = {.compute_scale = 0.25,
                 .poll_gap_ns = 7,
                 .send_overhead = vef_cost_of(1500, 0),
                 .receive_overhead = vef_cost_of(2000, 0),
                 .reduce_ns_per_byte = 0.125},
        .limit_ps = VEF_FOREVER,
        .choices =
            {.rules = {vef_rule_always(vef_algorithm_find(VEF_CALL_Reduce, "binomial", false)),
                       vef_rule_always(vef_algorithm_find(VEF_CALL_Alltoall, "bruck", false))},
             .count = 2},
    };
    assert_same(&read, &wanted);
}

static char *write_machine(const vef_replay_options *options) {
    char *written = NULL;
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    assert_non_null(out);
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    vef_machine_put(options, config);
    vef_node_write_yaml(config, out);
    fclose(out);
    vef_arena_release(&arena);
    return written;
}

/* Every other key of the host, written and read again. */
static void hosts_are_written(void **state) {
    (void)state;
    const vef_replay_options read = read_right(
        "{mpi: {eager_buffer: 1 MiB}, host: {isend_overhead: {fixed: 1 ns, per_byte: 0.001 ns}, "
        "send_copy: 0.25, receive_copy: 0.5, match_cost: 12 ns, memory_time: 300 ns, "
        "memory_gap: 70 ns, local_copy: {fixed: 9 ns, per_byte: 0.5 ns}, cores: 8, nics: 2, nic: "
        "in-turn, gap: 50 ns, noise: {kind: periodic, period: 1 ms, duration: 3 us, "
        "synchronous: true, seed: 5}, stragglers: {3: 1.5, 8-15: 2}}}");
    const vef_host *host = &read.host;
    assert_int_equal(read.eager_buffer_bytes, 1 << 20);
    assert_true(vef_cost_ns(&host->isend_overhead, 1000) == 2);
    assert_true(host->send_copy_ns_per_byte == 0.25 && host->receive_copy_ns_per_byte == 0.5);
    assert_true(host->match_ns == 12 && host->gap_ns == 50);
    assert_true(vef_cost_ns(&host->memory_time, 77) == 300);
    assert_true(vef_cost_ns(&host->memory_gap, 77) == 70);
    assert_true(vef_cost_ns(&host->local_copy, 100) == 59);
    assert_int_equal(host->cores, 8);
    assert_int_equal(host->nics, 2);
    assert_int_equal(host->nic, VEF_NIC_IN_TURN);
    assert_true(host->noise.period_ns == 1e6 && host->noise.duration_ns == 3000);
    assert_true(host->noise.synchronous && host->noise.seed == 5);
    assert_true(vef_host_scale(host, 2) == 1 && vef_host_scale(host, 3) == 1.5);
    assert_true(vef_host_scale(host, 8) == 2 && vef_host_scale(host, 16) == 1);
    char *written = write_machine(&read);
    const vef_replay_options again = read_right(written);
    char *rewritten = write_machine(&again);
    assert_string_equal(rewritten, written);
    assert_same(&again, &read);
    free(written);
    free(rewritten);
}

/* A time, a line, or a line for each range of sizes; what is written is read again. */
static void costs_depend_on_sizes(void **state) {
    (void)state;
    const vef_replay_options read = read_right(
        "{host: {send_overhead: [{up_to: 1 KiB, fixed: 200 ns, per_byte: 0.5 ns}, {up_to: 4 KiB, "
        "fixed: 1 us}, {per_byte: 0.25 ns}], receive_overhead: {fixed: 3 ns, per_byte: 2 ns}}}");
    const vef_cost *send = &read.host.send_overhead;
    assert_true(vef_cost_ns(send, 0) == 200);
    assert_true(vef_cost_ns(send, 1024) == 712);
    assert_true(vef_cost_ns(send, 1025) == 1000);
    assert_true(vef_cost_ns(send, 4096) == 1000);
    assert_true(vef_cost_ns(send, 8192) == 2048);
    assert_true(vef_cost_ns(&read.host.receive_overhead, 10) == 23);
    assert_int_equal(read.host.isend_overhead.count, 0);
    char *written = write_machine(&read);
    const vef_replay_options again = read_right(written);
    assert_same(&again, &read);
    free(written);
}

/* Each row of the table for one group can be chosen by the names of its call and its own; what is
 * then written chooses it again. */
static void every_algorithm_can_be_chosen(void **state) {
    (void)state;
    vef_choosable list[VEF_MOST_CHOOSABLE];
    const size_t collectives = vef_choices_list(list);
    size_t chosen = 0;
    for (size_t i = 0; i < collectives; i++)
        for (const vef_algorithm *row = vef_algorithms; row->name; row++) {
            if (row->call != list[i].call || row->between)
                continue;
            char text[128];
            snprintf(text, sizeof text, "{mpi: {%s: %s}}", list[i].key, row->name);
            const vef_replay_options read = read_right(text);
            assert_int_equal(read.choices.count, 1);
            assert_ptr_equal(read.choices.rules[0].choice.algorithm, row);
            char *written = write_machine(&read);
            const vef_replay_options again = read_right(written);
            assert_same(&again, &read);
            free(written);
            chosen++;
        }
    size_t rows = 0;
    for (const vef_algorithm *row = vef_algorithms; row->name; row++)
        rows += !row->between && vef_call_kind(row->call) == VEF_KIND_COLLECTIVE;
    assert_int_equal(chosen, rows);
    assert_true(collectives >= 22);
}

/* Rules with tuning and limits are kept in order, and read again as written. */
static void rules_are_read_and_written(void **state) {
    (void)state;
    const vef_replay_options read = read_right(
        "{mpi: {preset: openmpi, bcast: {algorithm: chain, segment: 4 KiB, degree: 3}, allreduce: "
        "[{algorithm: recursive-doubling, protocol: ll, up_to: 2 KiB, up_to_ranks: 64}, ring], "
        "reduce: {algorithm: chain, segment: 0 B}, alltoall: auto}}");
    const vef_rule *rules = read.choices.rules;
    assert_string_equal(read.choices.preset->name, "openmpi");
    assert_int_equal(read.choices.count, 4);
    assert_int_equal(rules[0].choice.algorithm->call, VEF_CALL_Bcast);
    assert_int_equal(rules[0].choice.tuning.segment_bytes, 4096);
    assert_int_equal(rules[0].choice.tuning.degree, 3);
    assert_int_equal(rules[0].up_to_bytes, UINT64_MAX);
    assert_true(rules[1].choice.tuning.segment_bytes == VEF_WHOLE);
    assert_int_equal(rules[1].choice.algorithm->call, VEF_CALL_Reduce);
    assert_string_equal(rules[2].choice.algorithm->name, "recursive-doubling");
    assert_int_equal(rules[2].choice.tuning.protocol, VEF_PROTOCOL_LL);
    assert_int_equal(rules[2].up_to_bytes, 2048);
    assert_int_equal(rules[2].up_to_ranks, 64);
    assert_string_equal(rules[3].choice.algorithm->name, "ring");
    assert_int_equal(rules[3].up_to_ranks, UINT32_MAX);
    char *written = write_machine(&read);
    const vef_replay_options again = read_right(written);
    assert_same(&again, &read);
    free(written);
}

static vef_replay_options read_file(const char *path, uint32_t endpoints) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *network = NULL;
    vef_replay_options options = vef_replay_defaults();
    vef_error error;
    if (vef_machine_open(path, NULL, 0, &arena, &root, &options, &error) != VEF_OK ||
        vef_netmodel_create(root, &network, &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_arena_release(&arena);
    assert_int_equal(network->endpoints, endpoints);
    vef_netmodel_destroy(network);
    return options;
}

static void examples_are_what_they_say(void **state) {
    (void)state;
    const vef_replay_options cluster = read_file("examples/networks/cluster.yaml", 64);
    assert_int_equal(cluster.eager_bytes, 16384);
    assert_true(cluster.host.compute_scale == 0.5);
    assert_int_equal(cluster.choices.count, 1);
    assert_int_equal(cluster.choices.rules[0].choice.algorithm->call, VEF_CALL_Bcast);
    assert_string_equal(cluster.choices.rules[0].choice.algorithm->name, "binomial");
    const vef_replay_options all_keys = read_file("examples/networks/all-keys.yaml", 24);
    const vef_replay_options defaults = vef_replay_defaults();
    assert_same(&all_keys, &defaults);
}

static void refused(const char *text, const char *words) {
    vef_replay_options options = vef_replay_defaults();
    vef_error error;
    assert_int_equal(read_text(text, &options, &error), VEF_INVALID);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not hold '%s'", error.message, words);
}

static void wrong_sections_are_refused(void **state) {
    (void)state;
    refused("mpi:\n  allreduce: none",
            "machine.yaml:2:14: mpi: unknown allreduce 'none': expected one of auto, ");
    refused("mpi:\n  alreduce: auto",
            "machine.yaml:2:3: mpi: unknown key 'alreduce': did you mean "
            "allreduce");
    refused("{mpi: {preset: none}}", "machine.yaml:1:16: mpi: unknown preset 'none'");
    refused("{mpi: {send_overhead: 1 ns}}", "did you mean host.send_overhead");
    refused("{mpi: {bcast: {segment: 1 KiB}}}",
            "machine.yaml:1:15: bcast: key 'algorithm' is missing");
    refused("{mpi: {bcast: {algorithm: none}}}",
            "unknown algorithm 'none': expected one of binomial,");
    refused("{mpi: {bcast: {algorithm: chain, segments: 1 KiB}}}", "did you mean segment");
    refused("{mpi: {bcast: {algorithm: binomial, segment: 1 KiB}}}",
            "machine.yaml:1:46: segment: binomial of MPI_Bcast has no segments: expected one of "
            "binomial-pipelined, k-nomial, chain, binary, split-binary");
    refused("{mpi: {scan: {algorithm: linear, degree: 2}}}", "linear of MPI_Scan has no degree");
    refused("{mpi: {bcast: {algorithm: chain, degree: 0}}}", "whole number from 1 to");
    refused("{mpi: {alltoallv: {algorithm: linear, up_to: 1 KiB}}}", "expected up_to_ranks");
    refused("{mpi: {bcast: []}}", "bcast: an empty list");
    refused("{mpi: {bcast: [chain, [chain]]}}", "expected keys and values");
    refused("{mpi: [1]}", "expected keys and values");
    refused("{host: {speed: 1}}", "did you mean compute_scale");
    refused("{host: {compute_scale: -1}}", "at least 0");
    refused("{host: {send_overhead: 5}}", "unit");
    refused("{host: {outside: 0}}", "true | false");
    refused("{host: {send_overhead: -1 ns}}",
            "machine.yaml:1:24: host: send_overhead: expected a number and a unit");
    refused("{host: {nics: 0}}", "whole number from 1 to 1024");
    refused("{host: {cores: -1}}", "whole number from 1 to");
    refused("{host: {nic: all}}", "unknown nic 'all': expected one of own, in-turn");
    refused("{host: {gap: -1 us}}", "gap: expected a number and a unit");
    refused("{host: {match_cost: 1}}", "unit");
    refused("{host: {send_copy: -1}}", "at least 0");
    refused("{host: {noise: {kind: white}}}",
            "machine.yaml:1:23: host.noise: unknown kind 'white'");
    refused("{host: {stragglers: [1]}}", "machine.yaml:1:21: stragglers: expected keys and values");
    refused("{host: {stragglers: {a: 1}}}", "stragglers: 'a': expected a task or a range of tasks");
    refused("{host: {stragglers: {3-1: 1}}}", "'3-1': expected a task or a range");
    refused("{host: {stragglers: {3: -1}}}", "factor of at least 0");
    refused("{host: {stragglers: {3: x}}}", "factor of at least 0");
    refused("{host: {stragglers: {3-5: 1, 5: 2}}}", "ascending ranges that do not overlap");
    refused("{host: {send_overhead: ~}}", "expected a time, or times by size");
    refused("{host: {send_overhead: []}}", "send_overhead: an empty list");
    refused("{host: {send_overhead: {fix: 1 ns}}}", "did you mean fixed");
    refused("{host: {send_overhead: {fixed: -1 ns}}}", "fixed: expected a number and a unit");
    refused("{host: {send_overhead: {up_to: 1 B, fixed: 1 ns}}}", "the last entry has up_to");
    refused("{host: {send_overhead: [{fixed: 1 ns}, {fixed: 2 ns}]}}",
            "machine.yaml:1:40: send_overhead: the entry before this one has no up_to");
    refused("{host: {send_overhead: [{up_to: 2 B}, {up_to: 2 B}, {fixed: 2 ns}]}}",
            "expected more than in the entry before");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_written_is_the_defaults),
        cmocka_unit_test(keys_set_what_they_name),
        cmocka_unit_test(costs_depend_on_sizes),
        cmocka_unit_test(hosts_are_written),
        cmocka_unit_test(every_algorithm_can_be_chosen),
        cmocka_unit_test(rules_are_read_and_written),
        cmocka_unit_test(examples_are_what_they_say),
        cmocka_unit_test(wrong_sections_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
