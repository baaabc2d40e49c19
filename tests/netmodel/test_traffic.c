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
    const synthetic given = {pattern, process, "0.5:2,0.5:30", 0.4, 11, 3, NULL};
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
    synthetic given = {pattern, process, "0.5:2,0.5:30", 0.4, 5, 1, NULL};
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

/* Other senders, and their destinations, do not affect an endpoint. */
static void check_independence(const char *process) {
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *many = pattern_of("bit-complement", topology);
    vef_pattern *few = pattern_of("bit-reversal", topology); /* 4 of 16 are silent */
    synthetic given = {many, process, "0.5:2,0.5:30", 0.4, 5, 3, NULL};
    vef_net_message *of_many = take(&given, COMPARED);
    given.pattern = few;
    vef_net_message *of_few = take(&given, COMPARED);
    for (uint32_t source = 0; source < 16; source++) {
        const bool silent = source == 0 || source == 6 || source == 9 || source == 15;
        uint32_t compared = 0;
        for (uint32_t i = 0, j = 0; i < COMPARED && j < COMPARED; i++) {
            if (of_many[i].source != source)
                continue;
            while (j < COMPARED && of_few[j].source != source)
                j++;
            if (j == COMPARED)
                break;
            assert_int_equal(of_many[i].destination, 15 - source);
            of_few[j].destination = of_many[i].destination;
            same_message(&of_many[i], &of_few[j++]);
            compared++;
        }
        assert_true(silent ? compared == 0 : compared > 0);
    }
    free(of_many);
    free(of_few);
    vef_pattern_destroy(many);
    vef_pattern_destroy(few);
    vef_topology_destroy(topology);
}

static void endpoints_do_not_depend_on_others(void **state) {
    (void)state;
    for_each_process(check_independence);
}

/* A mapping of the pattern's endpoints only renames sources and destinations. */
static void places_rename(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    uint32_t places[16];
    for (uint32_t e = 0; e < 16; e++)
        places[e] = (5 * e + 3) % 16;
    synthetic given = {pattern, "poisson", "0.5:2,0.5:30", 0.4, 5, 3, NULL};
    vef_net_message *here = take(&given, COMPARED);
    given.places = places;
    vef_net_message *there = take(&given, COMPARED);
    for (uint32_t i = 0; i < COMPARED; i++) {
        here[i].source = (5 * here[i].source + 3) % 16;
        here[i].destination = (5 * here[i].destination + 3) % 16;
        same_message(&here[i], &there[i]);
    }
    free(here);
    free(there);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

/* Messages that are put off are made at the same times and are the same, endpoint by endpoint. */
static void check_putting_off(const char *process) {
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    const synthetic given = {pattern, process, "0.5:2,0.5:30", 0.4, 5, 3, NULL};
    vef_net_message *prompt = take(&given, COMPARED);
    vef_arena arena = {0};
    vef_traffic *late = stream_of(&given, &arena);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    uint32_t index[16] = {0}; /* in `prompt`, what has been compared of each source */
    uint64_t now = 0;
    for (uint32_t i = 0; i < COMPARED / 4; i++) {
        while (vef_rng_below(&rng, 3) > 0)
            vef_traffic_put_off(late, vef_traffic_time(late) + vef_rng_below(&rng, 50));
        const uint64_t time = vef_traffic_time(late);
        const uint32_t source = vef_traffic_source(late);
        vef_net_message message;
        vef_traffic_next(late, &message);
        assert_int_equal(message.source, source);
        assert_true(time >= now && message.time_cycles <= time);
        now = time;
        while (prompt[index[source]].source != source)
            assert_true(++index[source] < COMPARED);
        same_message(&prompt[index[source]++], &message);
    }
    free(prompt);
    vef_traffic_destroy(late);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void putting_off_changes_no_message(void **state) {
    (void)state;
    for_each_process(check_putting_off);
}

/* ---- the load that is offered ---- */

/* Counts the phits of many endpoints in the first `cycles`. The standard error is that of the mean
 * over the endpoints, which are independent of each other, taken from the data. */
static void check_load(const char *process, const char *lengths, double rate,
                       const char *parameters, double cycles) {
    vef_topology *topology = topology_of("torus", parameters, 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    const uint32_t endpoints = topology->endpoints;
    vef_arena arena = {0};
    const synthetic given = {pattern, process, lengths, rate, 77, 1, NULL};
    vef_traffic *traffic = stream_of(&given, &arena);
    double *phits = calloc(endpoints, sizeof *phits), sum = 0, squares = 0;
    assert_non_null(phits);
    while ((double)vef_traffic_time(traffic) < cycles) {
        vef_net_message message;
        vef_traffic_next(traffic, &message);
        phits[message.source] += (double)message.bytes / 4 / cycles;
    }
    for (uint32_t e = 0; e < endpoints; e++) {
        sum += phits[e];
        squares += phits[e] * phits[e];
    }
    const double mean = sum / endpoints;
    const double error = sqrt((squares / endpoints - mean * mean) / (endpoints - 1));
    if (!(fabs(mean - rate) <= 6 * error))
        fail_msg("%s, %s: %g instead of %g (standard error %g)", process, lengths, mean, rate,
                 error);
    free(phits);
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void check_loads(const char *process) {
    static const char some[] = "{sizes: [20, 20]}", many[] = "{sizes: [128, 128]}";
    check_load(process, "1", 0.4, some, 10000);
    check_load(process, "16", 0.4, some, 10000);
    check_load(process, "16", 0.01, some, 10000);
    check_load(process, "0.7:8,0.3:64", 0.4, some, 10000);
    check_load(process, "0.25:1,0.5:2,0.25:100", 0.05, some, 10000);
    /* so from the first cycle on: the beginning is like any other time */
    check_load(process, "1", 0.4, many, 1);
    check_load(process, "16", 0.4, many, 1);
    check_load(process, "16", 0.4, many, 20);
    check_load(process, "0.7:8,0.3:64", 0.1, many, 50);
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
    const synthetic given = {pattern, NULL, "0.7:8,0.3:64", 0.4, 3, 1, NULL};
    vef_net_message *messages = take(&given, MESSAGES);
    double shorts = 0;
    for (uint32_t i = 0; i < MESSAGES; i++)
        shorts += messages[i].bytes == 32;
    assert_near(shorts, 0.7 * MESSAGES, 6 * sqrt(0.7 * 0.3 * MESSAGES));
    free(messages);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

/* ---- the processes ---- */

/* How many of `messages` gaps between the messages of one endpoint are `gap` cycles long. */
static void count_gaps(const char *process, const char *lengths, double rate, uint32_t messages,
                       uint32_t *count, uint32_t longest) {
    vef_topology *topology = topology_of("torus", "{sizes: [2]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    vef_arena arena = {0};
    const synthetic given = {pattern, process, lengths, rate, 9, 1, NULL};
    vef_traffic *traffic = stream_of(&given, &arena);
    uint64_t last = VEF_FOREVER;
    for (uint32_t i = 0; i < messages;) {
        vef_net_message message;
        vef_traffic_next(traffic, &message);
        if (message.source != 1)
            continue;
        if (last != VEF_FOREVER) {
            const uint64_t gap = message.time_cycles - last;
            count[gap < longest ? gap : longest]++;
            i++;
        }
        last = message.time_cycles;
    }
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void assert_share(uint32_t count, uint32_t owner, double p) {
    assert_near(count, p * owner, 6 * sqrt(p * (1 - p) * owner));
}

/* Geometric gaps; in every cycle at rate 1. */
static void bernoulli_sends_once_a_cycle(void **state) {
    (void)state;
    enum { MESSAGES = 200000 };
    uint32_t count[11] = {0}, always[3] = {0};
    count_gaps("bernoulli", "2", 0.6, MESSAGES, count, 10);
    assert_int_equal(count[0], 0);
    double left = 1;
    for (uint32_t gap = 1; gap < 10; gap++, left *= 0.7)
        assert_share(count[gap], MESSAGES, 0.3 * left);
    count_gaps("bernoulli", "8", 8, 1000, always, 2);
    assert_int_equal(always[1], 1000);
}

/* The number of messages in a cycle is Poisson distributed. */
static void poisson_is_poisson(void **state) {
    (void)state;
    enum { CYCLES = 200000, MOST = 8 };
    static const double rates[] = {0.2, 1.5};
    vef_topology *topology = topology_of("torus", "{sizes: [2]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    for (size_t r = 0; r < 2; r++) {
        vef_arena arena = {0};
        const synthetic given = {pattern, "poisson", "3", 3 * rates[r], 9, 1, NULL};
        vef_traffic *traffic = stream_of(&given, &arena);
        uint32_t count[MOST + 1] = {0};
        vef_net_message message;
        vef_traffic_next(traffic, &message);
        for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
            uint32_t messages = 0;
            for (; message.time_cycles == cycle; vef_traffic_next(traffic, &message))
                messages += message.source == 0;
            count[messages < MOST ? messages : MOST]++;
        }
        double p = exp(-rates[r]);
        for (uint32_t k = 0; k < MOST; p *= rates[r] / ++k)
            assert_share(count[k], CYCLES, p);
        vef_traffic_destroy(traffic);
        vef_arena_release(&arena);
    }
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

/* Messages of 16 phits at a peak of 2 follow each other by 8 cycles; every fifth ends its burst,
 * and is followed by a time off of 5 x (1 / rate - 8) cycles on average, distributed exponentially.
 */
static void bursts_are_dense(void **state) {
    (void)state;
    enum { MESSAGES = 200000, LONGEST = 2000 };
    static uint32_t count[LONGEST + 1];
    const double off = 5 * (16 / 0.1 - 8); /* 760 cycles */
    memset(count, 0, sizeof count);
    count_gaps("{process: bursts, messages: 5, peak: 2}", "16", 0.1, MESSAGES, count, LONGEST);
    for (uint32_t gap = 0; gap < 8; gap++)
        assert_int_equal(count[gap], 0);
    uint32_t behind = 0; /* gaps of more than 8 cycles and a fraction */
    for (uint32_t gap = 9; gap <= LONGEST; gap++)
        behind += count[gap];
    /* A time off below one cycle may not show, which is one of 760; fewer than that are missing. */
    const double sure = 0.2 * exp(-1 / off);
    assert_true(behind > sure * MESSAGES - 6 * sqrt(0.2 * 0.8 * MESSAGES));
    assert_true(behind < 0.2 * MESSAGES + 6 * sqrt(0.2 * 0.8 * MESSAGES));
    const double low = 0.2 * exp(-(LONGEST + 1 - 8) / off),
                 high = 0.2 * exp(-(LONGEST - 1 - 8) / off);
    const double deviations = 6 * sqrt(high * (1 - high) * MESSAGES);
    assert_true(count[LONGEST] > low * MESSAGES - deviations);
    assert_true(count[LONGEST] < high * MESSAGES + deviations);
}

/* ---- no endpoint sends ---- */

static void silence(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    vef_pattern *pattern = pattern_of("uniform", topology);
    vef_arena arena = {0};
    const synthetic given = {pattern, NULL, "16", 0, 3, 1, NULL};
    vef_traffic *traffic = stream_of(&given, &arena);
    assert_true(vef_traffic_time(traffic) == VEF_FOREVER);
    assert_int_equal(vef_traffic_senders(traffic), 16);
    vef_traffic_destroy(traffic);
    vef_pattern *reversal = pattern_of("bit-reversal", topology);
    const synthetic reversed = {reversal, NULL, "16", 0.5, 3, 1, NULL};
    traffic = stream_of(&reversed, &arena);
    assert_int_equal(vef_traffic_senders(traffic), 12);
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(reversal);
    const synthetic hardly = {pattern, NULL, "16", 1e-300,
                              3,       1,    NULL}; /* beyond all numbers of cycles */
    traffic = stream_of(&hardly, &arena);
    assert_true(vef_traffic_time(traffic) == VEF_FOREVER);
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
        {"bursts", "8", 1.01, "expected at most 1, or a greater peak"},
        {"{process: bursts, peak: 0.25}", "0.5:8,0.5:64", 0.26, "expected at most 0.25"},
        {"{process: bursts, messages: 0.5}", "8", 0.1, "messages"},
        {"bernouli", "8", 0.5, "did you mean bernoulli?"},
        {"[bernoulli]", "8", 0.5, "expected a name such as bernoulli"},
        {"{proces: bernoulli}", "8", 0.5, "expected a name such as bernoulli"},
        {"{process: bernoulli, rate: 3}", "8", 0.5, "unknown key 'rate'"},
        {NULL, "8", -0.1, "expected at least 0"},
        {NULL, "8", INFINITY, "expected at least 0"},
        {NULL, "8", NAN, "expected at least 0"},
        {NULL, "", 0.1, "'' is not a length"},
        {NULL, "0", 0.1, "a message of 0 phits"},
        {NULL, "-3", 0.1, "a message of -3 phits"},
        {NULL, "8 phits", 0.1, "'8 phits' is not a length"},
        {NULL, "8,64", 0.1, "'8' has no share"},
        {NULL, "0.7:8,0.2:64", 0.1, "the shares add up to 0.9"},
        {NULL, "0.7:8,0.3", 0.1, "'0.3' has no share"},
        {NULL, "0.7:8,0.3:64,", 0.1, "'' has no share"},
        {NULL, "1.5:8,-0.5:64", 0.1, "has a share of 1.5"},
        {NULL, "x:8,0.5:64", 0.1, "'x:8' is not a length"},
        {NULL, "nan:8,0.5:64", 0.1, "not a length"},
        {NULL, "0.5:8:9,0.5:64", 0.1, "'0.5:8:9' is not a length"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const synthetic given = {pattern, rows[i].process, rows[i].lengths, rows[i].rate, 1, 1,
                                 NULL};
        check_refused(&given, rows[i].words);
    }
    const synthetic classes = {pattern, NULL, "8", 0.1, 1, 257, NULL};
    check_refused(&classes, "1 to 256");
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_never_go_back),
        cmocka_unit_test(same_seed_same_stream),
        cmocka_unit_test(endpoints_do_not_depend_on_others),
        cmocka_unit_test(places_rename),
        cmocka_unit_test(putting_off_changes_no_message),
        cmocka_unit_test(offered_load_is_the_rate),
        cmocka_unit_test(lengths_have_their_shares),
        cmocka_unit_test(bernoulli_sends_once_a_cycle),
        cmocka_unit_test(poisson_is_poisson),
        cmocka_unit_test(bursts_are_dense),
        cmocka_unit_test(silence),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
