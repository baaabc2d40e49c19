/* Streams of synthetic traffic, for every row of the table of processes: the load that is offered
 * in the mean, the order of messages, what a stream depends on, and what is refused. What is
 * expected is the definition of the processes, not their draws. */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void same_message(const vef_net_message *a, const vef_net_message *b) {
    assert_int_equal(a->source, b->source);
    assert_int_equal(a->destination, b->destination);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->time_cycles, b->time_cycles);
    assert_int_equal(a->traffic_class, b->traffic_class);
}

static void write_process(char *text, size_t bytes, const vef_process_kind *kind,
                          const char *sample) {
    snprintf(text, bytes, "{process: %s%s%s", kind->name, sample[1] == '}' ? "" : ", ", sample + 1);
}

/* Calls `check` with the text of every sample of every process. */
static void for_each_process(void (*check)(const char *process)) {
    for (size_t i = 0; vef_processes[i]; i++) {
        assert_non_null(vef_processes[i]->samples[0]);
        for (const char *const *sample = vef_processes[i]->samples; *sample; sample++) {
            char text[256];
            write_process(text, sizeof text, vef_processes[i], *sample);
            check(text);
        }
    }
}

/* ---- order ---- */

static void check_order(const char *process) {
    vef_topology *topology = topology_of("torus", "{sizes: [5, 3]}", 3);
    vef_pattern *pattern = pattern_of("uniform", topology);
    vef_arena arena = {0};
    const synthetic given = {pattern, process, "0.5:2,0.5:30", 0.4, 11, 3};
    vef_traffic *traffic = stream_of(&given, &arena);
    assert_int_equal(vef_traffic_senders(traffic), 45);
    uint32_t of_source[45] = {0}, last_source = 0;
    uint64_t last_time = 0;
    for (uint64_t id = 0; id < 20000; id++) {
        vef_net_message message;
        const uint64_t time = vef_traffic_time(traffic);
        vef_traffic_next(traffic, &message);
        assert_int_equal(message.time_cycles, time);
        assert_int_equal(message.id, id);
        assert_true(message.source < 45 && message.destination < 45);
        assert_true(message.source != message.destination);
        assert_true(message.bytes == 8 || message.bytes == 120);
        assert_true(time > last_time || (time == last_time && message.source >= last_source));
        /* classes take turns, beginning anywhere */
        const uint32_t turn = of_source[message.source]++ + message.source;
        assert_int_equal(message.traffic_class, turn % 3);
        last_time = time;
        last_source = message.source;
    }
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void times_never_go_back(void **state) {
    (void)state;
    for_each_process(check_order);
}

/* ---- what a stream depends on ---- */

enum { COMPARED = 3000 };

static vef_net_message *take(const synthetic *given, uint32_t count) {
    vef_arena arena = {0};
    vef_traffic *traffic = stream_of(given, &arena);
    vef_net_message *messages = calloc(count, sizeof *messages);
    assert_non_null(messages);
    for (uint32_t i = 0; i < count; i++)
        vef_traffic_next(traffic, &messages[i]);
    vef_traffic_destroy(traffic);
    vef_arena_release(&arena);
    return messages;
}

static void check_seeds(const char *process) {
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    synthetic given = {pattern, process, "0.5:2,0.5:30", 0.4, 5, 1};
    vef_net_message *first = take(&given, COMPARED), *again = take(&given, COMPARED);
    given.seed = 6;
    vef_net_message *other = take(&given, COMPARED);
    uint32_t alike = 0;
    for (uint32_t i = 0; i < COMPARED; i++) {
        same_message(&first[i], &again[i]);
        alike += first[i].source == other[i].source &&
                 first[i].destination == other[i].destination &&
                 first[i].time_cycles == other[i].time_cycles;
    }
    assert_true(alike < COMPARED / 4);
    free(first);
    free(again);
    free(other);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static void same_seed_same_stream(void **state) {
    (void)state;
    for_each_process(check_seeds);
}

/* ---- the load that is offered ---- */

/* Counts phits of many endpoints over a time. The standard error is that of the mean over the
 * endpoints, which are independent of each other, taken from the data. */
static void check_load(const char *process, const char *lengths, double rate) {
    enum { ENDPOINTS = 400, CYCLES = 10000 };
    vef_topology *topology = topology_of("torus", "{sizes: [20, 20]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    vef_arena arena = {0};
    const synthetic given = {pattern, process, lengths, rate, 77, 1};
    vef_traffic *traffic = stream_of(&given, &arena);
    double phits[ENDPOINTS] = {0}, sum = 0, squares = 0;
    while (vef_traffic_time(traffic) < CYCLES) {
        vef_net_message message;
        vef_traffic_next(traffic, &message);
        phits[message.source] += (double)message.bytes / 4 / CYCLES;
    }
    for (uint32_t e = 0; e < ENDPOINTS; e++) {
        sum += phits[e];
        squares += phits[e] * phits[e];
    }
    const double mean = sum / ENDPOINTS;
    const double error = sqrt((squares / ENDPOINTS - mean * mean) / (ENDPOINTS - 1));
    if (fabs(mean - rate) > 6 * error + 1e-12)
        fail_msg("%s, %s: %g instead of %g (standard error %g)", process, lengths, mean, rate,
                 error);
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void check_loads(const char *process) {
    check_load(process, "1", 0.4);
    check_load(process, "16", 0.4);
    check_load(process, "16", 0.01);
    check_load(process, "0.7:8,0.3:64", 0.4);
    check_load(process, "0.25:1,0.5:2,0.25:100", 0.05);
}

static void offered_load_is_the_rate(void **state) {
    (void)state;
    for_each_process(check_loads);
}

/* The shares of lengths, within 6 standard deviations of a binomial. */
static void lengths_have_their_shares(void **state) {
    (void)state;
    enum { MESSAGES = 100000 };
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    const synthetic given = {pattern, NULL, "0.7:8,0.3:64", 0.4, 3, 1};
    vef_net_message *messages = take(&given, MESSAGES);
    double shorts = 0;
    for (uint32_t i = 0; i < MESSAGES; i++)
        shorts += messages[i].bytes == 32;
    assert_near(shorts, 0.7 * MESSAGES, 6 * sqrt(0.7 * 0.3 * MESSAGES));
    free(messages);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

/* ---- nobody sends ---- */

static void silence(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    vef_arena arena = {0};
    const synthetic given = {pattern, NULL, "16", 0, 3, 1};
    vef_traffic *traffic = stream_of(&given, &arena);
    assert_true(vef_traffic_time(traffic) == VEF_FOREVER);
    assert_int_equal(vef_traffic_senders(traffic), 16);
    vef_traffic_destroy(traffic);
    vef_traffic_destroy(NULL);
    vef_pattern_destroy(NULL);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

/* ---- refused ---- */

static void check_refused(const synthetic *given, const char *words) {
    vef_arena arena = {0};
    vef_traffic *traffic = NULL;
    vef_error error = {0};
    assert_int_equal(try_stream(given, &arena, &traffic, &error), VEF_INVALID);
    assert_null(traffic);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not hold '%s'", error.message, words);
    vef_arena_release(&arena);
}

static void what_is_refused(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    static const struct {
        const char *process, *lengths;
        double rate;
        const char *words;
    } rows[] = {
        {"bernoulli", "8", 8.5, "at most 8 phits"},
        {"bernoulli", "0.5:1,0.5:3", 2.001, "at most 2 phits"},
        {"bernouli", "8", 0.5, "did you mean bernoulli?"},
        {"[bernoulli]", "8", 0.5, "expected a name such as bernoulli"},
        {"{proces: bernoulli}", "8", 0.5, "expected a name such as bernoulli"},
        {"{process: bernoulli, rate: 3}", "8", 0.5, "unknown key 'rate'"},
        {NULL, "8", -0.1, "a rate from 0"},
        {NULL, "8", INFINITY, "a rate from 0"},
        {NULL, "8", NAN, "a rate from 0"},
        {NULL, "", 0.1, "'' is no length"},
        {NULL, "0", 0.1, "a message of 0 phits"},
        {NULL, "-3", 0.1, "a message of -3 phits"},
        {NULL, "8 phits", 0.1, "'8 phits' is no length"},
        {NULL, "8,64", 0.1, "'8' has no share"},
        {NULL, "0.7:8,0.2:64", 0.1, "the shares add up to 0.9"},
        {NULL, "0.7:8,0.3", 0.1, "'0.3' has no share"},
        {NULL, "0.7:8,0.3:64,", 0.1, "'' has no share"},
        {NULL, "1.5:8,-0.5:64", 0.1, "has a share of 1.5"},
        {NULL, "x:8,0.5:64", 0.1, "'x:8' is no length"},
        {NULL, "nan:8,0.5:64", 0.1, "no length"},
        {NULL, "0.5:8:9,0.5:64", 0.1, "'0.5:8:9' is no length"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const synthetic given = {pattern, rows[i].process, rows[i].lengths, rows[i].rate, 1, 1};
        check_refused(&given, rows[i].words);
    }
    const synthetic classes = {pattern, NULL, "8", 0.1, 1, 257};
    check_refused(&classes, "1 to 256");
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_never_go_back),
        cmocka_unit_test(same_seed_same_stream),
        cmocka_unit_test(offered_load_is_the_rate),
        cmocka_unit_test(lengths_have_their_shares),
        cmocka_unit_test(silence),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
