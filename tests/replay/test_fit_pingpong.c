/* Fits of made-up measurements with a known truth. Each sample is the truth times 1 + u with u
 * uniform in ±2 %, and rare outliers. The median of 9 such samples has a standard deviation of
 * 0.04 / (2 sqrt(11)) = 0.6 % (order statistics of the uniform distribution). A fitted value of a
 * weighted least-squares line is off by at most as much in standard deviation (its leverage is at
 * most 1), so 4 deviations, 2.4 %, bound it; half a round trip adds no error of its own. The gap is
 * the difference of two measured times, so it is off by at most 2.4 % of both. */
#include "common/rng.h"
#include "replay/fit/pingpong.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the first four of the standard library above.
#include <cmocka.h>

enum { REPETITIONS = 9, EAGER = 8192, MOST = 1 << 20, CLOCK_NS = 20 };
static const double NOISE = 0.02, BOUND = 0.024;

typedef struct truth {
    vef_cost send, isend, receive, transfer, gap, copy;
} truth;

static const truth node = {
    .send = {3, {{128, 60, 0.1}, {EAGER, 200, 0.1}, {UINT64_MAX, 300, 0}}},
    .isend = {3, {{128, 50, 0.1}, {EAGER, 150, 0.08}, {UINT64_MAX, 300, 0}}},
    .receive = {2, {{EAGER, 150, 0.12}, {UINT64_MAX, 150, 0}}},
    .transfer = {2, {{EAGER, 400, 0.2}, {UINT64_MAX, 3000, 0.15}}},
    .gap = {2, {{EAGER, 200, 0.1}, {UINT64_MAX, 2000, 0.05}}},
    .copy = {2, {{16384, 90, 0.03}, {UINT64_MAX, 700, 0.1}}},
};

static double noisy(double ns, vef_rng *rng) {
    if (vef_rng_below(rng, 20) == 0)
        ns *= 1 + 20 * vef_rng_unit(rng); /* interrupted */
    return ns * (1 + NOISE * (2 * vef_rng_unit(rng) - 1));
}

static void add(vef_measurements *m, vef_sample_kind kind, uint64_t bytes, double ns,
                double delay_ns) {
    const vef_sample sample = {kind, bytes, ns, delay_ns};
    vef_measurements_add(m, &sample);
}

static double half_ns(const truth *t, uint64_t bytes) {
    const double handshake = bytes > EAGER ? 2 * vef_cost_ns(&t->transfer, 32) : 0;
    return vef_cost_ns(&t->send, bytes) + vef_cost_ns(&t->transfer, bytes) +
           vef_cost_ns(&t->receive, bytes) + handshake;
}

/* Every 10th of an octave from 1 B to 1 MiB. */
static vef_measurements make(const truth *t, uint64_t seed) {
    vef_measurements m = {.facts = {.cores = {2, 2},
                                    .wall_ns = {1000, 1000},
                                    .cpu_ns = {990, 995},
                                    .host = {"a", "a"},
                                    .library = "made up"}};
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
    uint64_t former = 0;
    for (int i = 0; i <= 200; i++) {
        const uint64_t bytes = (uint64_t)pow(2, i / 10.0);
        if (bytes == former)
            continue;
        former = bytes;
        for (int r = 0; r < REPETITIONS; r++) {
            add(&m, VEF_SAMPLE_ROUNDTRIP, bytes, CLOCK_NS + noisy(2 * half_ns(t, bytes), &rng), 0);
            add(&m, VEF_SAMPLE_ISEND, bytes, CLOCK_NS + noisy(vef_cost_ns(&t->isend, bytes), &rng),
                0);
            add(&m, VEF_SAMPLE_EXCHANGE, bytes,
                CLOCK_NS + noisy(half_ns(t, bytes) + vef_cost_ns(&t->gap, bytes), &rng), 0);
            add(&m, VEF_SAMPLE_COPY, bytes, CLOCK_NS + noisy(vef_cost_ns(&t->copy, bytes), &rng),
                0);
            if (bytes > EAGER)
                continue;
            add(&m, VEF_SAMPLE_SEND, bytes, CLOCK_NS + noisy(vef_cost_ns(&t->send, bytes), &rng),
                0);
            add(&m, VEF_SAMPLE_RECEIVE, bytes,
                CLOCK_NS + noisy(vef_cost_ns(&t->receive, bytes), &rng), 0);
        }
    }
    for (uint64_t bytes = EAGER - 2; bytes <= EAGER + 2; bytes++)
        for (int r = 0; r < 5; r++)
            add(&m, VEF_SAMPLE_BLOCKED, bytes, bytes > EAGER ? 2e6 : 900, 2e6);
    for (int r = 0; r < 9; r++)
        add(&m, VEF_SAMPLE_CLOCK, 0, CLOCK_NS, 0);
    vef_measurements_sort(&m);
    return m;
}

static void expect_cost(const vef_cost *found, const vef_cost *wanted, uint64_t most) {
    for (uint64_t bytes = 1; bytes <= most; bytes += 1 + bytes / 7) {
        const double truth_ns = vef_cost_ns(wanted, bytes), ns = vef_cost_ns(found, bytes);
        bool near_break = false; /* between the two sizes measured around a breakpoint */
        for (uint32_t i = 0; i + 1 < wanted->count; i++) {
            const double limit = (double)wanted->pieces[i].up_to_bytes;
            near_break =
                near_break || ((double)bytes > limit / 1.08 && (double)bytes < limit * 1.08);
        }
        /* 0.1 ns: rounding */
        if (!near_break && fabs(ns - truth_ns) > BOUND * truth_ns + 0.1)
            fail_msg("%llu B: %g ns, truth %g ns", (unsigned long long)bytes, ns, truth_ns);
    }
}

static void test_truth(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        vef_measurements m = make(&node, seed);
        vef_pingpong_fit fit;
        vef_error error;
        assert_int_equal(vef_pingpong_fit_to(&m, NULL, &fit, &error), VEF_OK);
        assert_string_equal(fit.doubt, "");
        assert_true(fit.one_node);
        assert_int_equal(fit.eager_bytes, EAGER);
        expect_cost(&fit.parts[VEF_FIT_SEND].cost, &node.send, MOST);
        expect_cost(&fit.parts[VEF_FIT_ISEND].cost, &node.isend, MOST);
        expect_cost(&fit.parts[VEF_FIT_RECEIVE].cost, &node.receive, MOST);
        expect_cost(&fit.parts[VEF_FIT_COPY].cost, &node.copy, MOST);
        /* The truths have jumps of more than the noise at these sizes. */
        assert_int_equal(fit.parts[VEF_FIT_SEND].cost.pieces[0].up_to_bytes, 128);
        assert_int_equal(fit.parts[VEF_FIT_SEND].cost.pieces[1].up_to_bytes, EAGER);
        for (uint64_t bytes = 1; bytes <= MOST; bytes += 1 + bytes / 7) {
            const double truth_ns = half_ns(&node, bytes);
            const double ns = vef_pingpong_fit_ns(&fit, VEF_FIT_HALF, bytes);
            const bool near_break = (bytes > 118 && bytes < 138) || (bytes > 7600 && bytes < 8900);
            assert_true(near_break || fabs(ns - truth_ns) <= BOUND * truth_ns);
            const double gap_ns = vef_cost_ns(&node.gap, bytes);
            const double off_ns = vef_cost_ns(&fit.parts[VEF_FIT_EXCHANGE].cost, bytes) - gap_ns;
            assert_true(near_break || fabs(off_ns) <= BOUND * (2 * truth_ns + gap_ns));
            const double both_ns = vef_pingpong_fit_ns(&fit, VEF_FIT_EXCHANGE, bytes);
            assert_true(fabs(both_ns - ns - gap_ns - off_ns) < 1e-6 * both_ns);
        }
        vef_pingpong_fit_free(&fit);
        vef_measurements_free(&m);
    }
}

static char *written(const vef_pingpong_fit *fit) {
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    vef_pingpong_fit_write(fit, out);
    fclose(out);
    return text;
}

/* Files of older measuring programs have no exchanges and copies; all else is the same. */
static void test_without_options(void **state) {
    (void)state;
    vef_pingpong_fit fits[2];
    char *text[2];
    vef_error error;
    for (int without = 0; without <= 1; without++) {
        vef_measurements m = make(&node, 6);
        for (size_t i = 0; without && i < m.count; i++)
            if (m.samples[i].kind == VEF_SAMPLE_EXCHANGE || m.samples[i].kind == VEF_SAMPLE_COPY)
                m.samples[i--] = m.samples[--m.count];
        vef_measurements_sort(&m);
        assert_int_equal(vef_pingpong_fit_to(&m, NULL, &fits[without], &error), VEF_OK);
        text[without] = written(&fits[without]);
        assert_int_equal(strstr(text[without], "memory_gap") == NULL, without);
        assert_int_equal(strstr(text[without], "local_copy") == NULL, without);
        vef_measurements_free(&m);
    }
    for (uint64_t bytes = 1; bytes <= MOST; bytes += 1 + bytes / 7)
        assert_true(vef_pingpong_fit_ns(&fits[0], VEF_FIT_HALF, bytes) ==
                    vef_pingpong_fit_ns(&fits[1], VEF_FIT_HALF, bytes));
    for (int without = 0; without <= 1; without++) {
        vef_pingpong_fit_free(&fits[without]);
        free(text[without]);
    }
}

static void test_deterministic(void **state) {
    (void)state;
    char *text[2];
    for (int i = 0; i < 2; i++) {
        vef_measurements m = make(&node, 3);
        if (i == 1) { /* the order of samples does not matter */
            for (size_t a = 0, b = m.count - 1; a < b; a++, b--) {
                const vef_sample sample = m.samples[a];
                m.samples[a] = m.samples[b];
                m.samples[b] = sample;
            }
            vef_measurements_sort(&m);
        }
        vef_pingpong_fit fit;
        vef_error error;
        assert_int_equal(vef_pingpong_fit_to(&m, NULL, &fit, &error), VEF_OK);
        text[i] = written(&fit);
        vef_pingpong_fit_free(&fit);
        vef_measurements_free(&m);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* On two nodes: o = 700 + 0.1 s at each side, L = 1500, G = 0.2. Above the threshold a
 * send does not copy, and the request and the clearance take 2 L more: LogGP's one line cannot have
 * both, so the truth is eager only. */
static void test_two_nodes(void **state) {
    (void)state;
    const truth t = {.send = {1, {{UINT64_MAX, 700, 0.1}}},
                     .isend = {1, {{UINT64_MAX, 700, 0.1}}},
                     .receive = {1, {{UINT64_MAX, 700, 0.1}}},
                     .transfer = {1, {{UINT64_MAX, 1500, 0.2}}}};
    vef_measurements m = make(&t, 9), eager = {0};
    vef_pingpong_fit fit;
    vef_error error;
    for (size_t i = 0; i < m.count; i++)
        if (m.samples[i].bytes <= EAGER)
            add(&eager, m.samples[i].kind, m.samples[i].bytes, m.samples[i].ns,
                m.samples[i].delay_ns);
    eager.facts = m.facts;
    strcpy(eager.facts.host[1], "b");
    vef_measurements_sort(&eager);
    assert_int_equal(vef_pingpong_fit_to(&eager, NULL, &fit, &error), VEF_OK);
    assert_false(fit.one_node);
    assert_int_equal(fit.eager_bytes, UINT64_MAX);
    /* Fixed parts: 0.6 % of 2.9 us / sqrt(100 points) and, from both overheads, as much: 10 ns
     * would be 4 deviations. Slopes: at 8 KiB the sum is 6.2 us, of which 2.4 % are 0.02 ns/B. */
    assert_true(fabs(fit.loggp.overhead_ns - 700) <= 10);
    assert_true(fabs(fit.loggp.latency_ns - 1500) <= 20);
    assert_true(fabs(fit.loggp.overhead_per_byte_ns - 0.1) <= 0.02);
    assert_true(fabs(fit.loggp.gap_per_byte_ns - 0.2) <= 0.02);
    vef_pingpong_fit_free(&fit);
    vef_measurements_free(&m);
    vef_measurements_free(&eager);
}

/* Sizes `from` … `to`, of which those above `threshold` block, but for one size with a wrong
 * majority. */
static void expect_threshold(uint64_t from, uint64_t to, uint64_t threshold, uint64_t wrong,
                             uint64_t wanted, size_t wanted_contradictions) {
    vef_measurements m = {0};
    vef_error error;
    uint64_t found;
    size_t contradictions;
    for (uint64_t bytes = from; bytes <= to; bytes++)
        for (int r = 0; r < 5; r++) {
            const bool blocks = (bytes > threshold) != (bytes == wrong);
            const bool outlier = r == 4; /* one of five samples is always wrong */
            add(&m, VEF_SAMPLE_BLOCKED, bytes, blocks != outlier ? 2.1e6 : 1e5, 2e6);
        }
    vef_measurements_sort(&m);
    assert_int_equal(vef_measurements_threshold(&m, &found, &contradictions, &error), VEF_OK);
    assert_int_equal(found, wanted);
    assert_int_equal(contradictions, wanted_contradictions);
    vef_measurements_free(&m);
}

static void test_threshold(void **state) {
    (void)state;
    vef_measurements none = {0};
    vef_error error;
    uint64_t found;
    size_t contradictions;
    expect_threshold(10, 30, 20, 0, 20, 0);
    expect_threshold(10, 30, 10, 0, 10, 0);
    expect_threshold(10, 30, 20, 13, 20, 1);
    expect_threshold(10, 30, 20, 27, 20, 1);
    expect_threshold(10, 30, 5, 0, 0, 0);
    expect_threshold(10, 30, 30, 0, UINT64_MAX, 0);
    expect_threshold(10, 30, 30, 20, UINT64_MAX, 1);
    assert_int_equal(vef_measurements_threshold(&none, &found, &contradictions, &error),
                     VEF_FAILED);
}

/* Each change of good measurements is refused or doubted for its reason. */
static void test_doubts(void **state) {
    (void)state;
    vef_pingpong_fit fit;
    vef_error error;
    for (int change = 0; change < 4; change++) {
        vef_measurements m = make(&node, 4);
        vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 1);
        if (change == 0)
            m.facts.cpu_ns[1] = 500;
        if (change == 1)
            m.facts.cores[0] = 1;
        for (size_t i = 0; change == 2 && i < m.count; i++)
            if (m.samples[i].kind == VEF_SAMPLE_ROUNDTRIP)
                m.samples[i].ns *= 1 + 50 * vef_rng_unit(&rng);
        for (size_t i = 0; change == 3 && i < m.count; i++) /* only two sizes above the threshold */
            if (m.samples[i].kind != VEF_SAMPLE_BLOCKED && m.samples[i].bytes > 10000)
                m.samples[i--] = m.samples[--m.count];
        vef_measurements_sort(&m);
        const vef_code code = vef_pingpong_fit_to(&m, NULL, &fit, &error);
        assert_int_equal(code, change == 3 ? VEF_FAILED : VEF_OK);
        static const char *const says[] = {"50 %", "one core", "busy", "too few"};
        if (!strstr(change == 3 ? error.message : fit.doubt, says[change]))
            fail_msg("change %d: %s", change, change == 3 ? error.message : fit.doubt);
        vef_pingpong_fit_free(&fit);
        vef_measurements_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),         cmocka_unit_test(test_without_options),
        cmocka_unit_test(test_deterministic), cmocka_unit_test(test_two_nodes),
        cmocka_unit_test(test_threshold),     cmocka_unit_test(test_doubts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
