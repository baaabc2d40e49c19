/* Numbers and quantities: every unit by its definition, exactness, refusals, and that what is
 * written reads back as the same value. */
#include "common/units.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct whole_case {
    const char *text;
    uint64_t value;
} whole_case;

static void test_bytes(void **state) {
    (void)state;
    static const whole_case CASES[] = {
        {"0 B", 0},
        {"1 B", 1},
        {"1 kB", 1000},
        {"1 MB", 1000000},
        {"1 GB", 1000000000},
        {"1 TB", 1000000000000},
        {"1 KiB", 1024},
        {"1 MiB", 1048576},
        {"1 GiB", 1073741824},
        {"1 TiB", 1099511627776},
        {"64KiB", 65536},
        {"64 \t KiB", 65536},
        {"1.5 KiB", 1536},
        {"0.0009765625 KiB", 1},
        {"1.000 B", 1},
        {"2e3 B", 2000},
        {"2.5e+1 B", 25},
        {"20e-1 B", 2},
        {"0e99999 B", 0},
        {"007 B", 7},
        {"18446744073709551615 B", UINT64_MAX},
        {"18446744073709551.615 kB", UINT64_MAX},
        {"00000000000000000000000000000001.00000000000000000000000000000 B", 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint64_t value = 77;
        vef_error error = {0};
        if (vef_parse_bytes(CASES[i].text, "size", &value, &error) != VEF_OK)
            fail_msg("%s: %s", CASES[i].text, error.message);
        assert_int_equal(value, CASES[i].value);
    }
}

static void test_bandwidth(void **state) {
    (void)state;
    static const whole_case CASES[] = {
        {"1 bit/s", 1},
        {"100 Gb/s", UINT64_C(100000000000)},
        {"100 Gbps", UINT64_C(100000000000)},
        {"100Gbit/s", UINT64_C(100000000000)},
        {"100 GB/s", UINT64_C(800000000000)},
        {"100 GBps", UINT64_C(800000000000)},
        {"1 Mb/s", 1000000},
        {"1 kbps", 1000},
        {"1 b/s", 1},
        {"1 B/s", 8},
        {"1 Bps", 8},
        {"1 kBps", 8000},
        {"1.6 Tbps", UINT64_C(1600000000000)},
        {"1 kbit/s", 1000},
        {"1 Mbit/s", 1000000},
        {"1 Gbit/s", 1000000000},
        {"1 Tbit/s", 1000000000000},
        {"1 B/s", 8},
        {"1 kB/s", 8000},
        {"1 MB/s", 8000000},
        {"1 GB/s", 8000000000},
        {"1 KiB/s", 8192},
        {"1 MiB/s", 8388608},
        {"1 GiB/s", 8589934592},
        {"12.5 GB/s", 100000000000},
        {"0.125 B/s", 1},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint64_t value = 77;
        assert_int_equal(vef_parse_bandwidth(CASES[i].text, "rate", &value, NULL), VEF_OK);
        assert_int_equal(value, CASES[i].value);
    }
}

static void test_time(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double time_ns;
    } CASES[] = {
        {"1 ns", 1},          {"0.25 ns", 0.25}, {"1 us", 1e3},  {"1 \xc2\xb5s", 1e3},
        {"1 \xce\xbcs", 1e3}, {"1.5 ms", 1.5e6}, {"2 s", 2e9},   {"0 s", 0},
        {"0.1 us", 100},      {"0.3 us", 300},   {"1e-3 us", 1}, {"0.000000007 s", 7},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double time_ns = -1;
        assert_int_equal(vef_parse_time_ns(CASES[i].text, "t", &time_ns, NULL), VEF_OK);
        assert_true(time_ns == CASES[i].time_ns);
    }
}

static void test_frequency(void **state) {
    (void)state;
    static const whole_case CASES[] = {
        {"1 Hz", 1}, {"1.2 GHz", 1200000000}, {"850 MHz", 850000000}, {"33.5kHz", 33500}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint64_t value = 77;
        assert_int_equal(vef_parse_frequency(CASES[i].text, "clock", &value, NULL), VEF_OK);
        assert_int_equal(value, CASES[i].value);
    }
}

static void test_length(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double length_m;
    } CASES[] = {{"1 m", 1},      {"5 m", 5},        {"60 cm", 0.6}, {"0.3 m", 0.3},
                 {"1 mm", 0.001}, {"30000 mm", 30},  {"2 km", 2000}, {"0 m", 0},
                 {"1e-1 m", 0.1}, {"0.0025 km", 2.5}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double length_m = -1;
        assert_int_equal(vef_parse_length_m(CASES[i].text, "length", &length_m, NULL), VEF_OK);
        assert_true(length_m == CASES[i].length_m);
    }
}

typedef vef_code (*whole_parser)(const char *, const char *, uint64_t *, vef_error *);

static void assert_refused(whole_parser parse, const char *text, const char *part) {
    uint64_t value = 77;
    vef_error error = {0};
    assert_int_equal(parse(text, "phit", &value, &error), VEF_INVALID);
    assert_int_equal(value, 77);
    if (strncmp(error.message, "phit: ", 6) != 0 || !strstr(error.message, part))
        fail_msg("expected 'phit: … %s …' for '%s', not: %s", part, text, error.message);
}

static void test_refused(void **state) {
    (void)state;
    assert_refused(vef_parse_bytes, "4", "has no unit");
    assert_refused(vef_parse_bytes, "4 ", "has no unit");
    assert_refused(vef_parse_bytes, "", "a number and a unit");
    assert_refused(vef_parse_bytes, "B", "such as '64 KiB'");
    assert_refused(vef_parse_bytes, "-4 B", "a number and a unit");
    assert_refused(vef_parse_bytes, "+4 B", "a number and a unit");
    assert_refused(vef_parse_bytes, ".5 KiB", "a number and a unit");
    assert_refused(vef_parse_bytes, "4 KB", "unknown unit 'KB'");
    assert_refused(vef_parse_bytes, "4 KB", "did you mean kB?");
    assert_refused(vef_parse_bytes, "4 Kib", "did you mean KiB?");
    assert_refused(vef_parse_bytes, "4. B", "unknown unit '. B'");
    assert_refused(vef_parse_bytes, "4 B B", "unknown unit 'B B'");
    assert_refused(vef_parse_bytes, "1e B", "unknown unit 'e B'");
    assert_refused(vef_parse_bytes, "1 Gbit/s", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
    assert_refused(vef_parse_bytes, "1.5 B", "not a whole number of bytes");
    assert_refused(vef_parse_bytes, "0.1 KiB", "not a whole number of bytes");
    assert_refused(vef_parse_bytes, "1e-99999 B", "not a whole number of bytes");
    assert_refused(vef_parse_bytes, "18446744073709551616 B", "too large");
    assert_refused(vef_parse_bytes, "18446744073709551615.5 B", "not a whole number");
    assert_refused(vef_parse_bytes, "16777216 TiB", "expected at most 18446744073709551615 B");
    assert_refused(vef_parse_bytes, "1e99999 B", "too large");
    assert_refused(vef_parse_bandwidth, "1 GB", "did you mean GB/s or GBps?");
    assert_refused(vef_parse_bandwidth, "0.1 bit/s", "not a whole number of bit/s");
    assert_refused(vef_parse_frequency, "1.2 Ghz", "did you mean GHz?");
    assert_refused(vef_parse_frequency, "0.5 Hz", "not a whole number of Hz");

    vef_error error = {0};
    double real = 77;
    int64_t whole = 77;
    assert_int_equal(vef_parse_time_ns("100", "t", &real, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "t: '100' has no unit"));
    assert_int_equal(vef_parse_length_m("5 ft", "l", &real, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "l: unknown unit 'ft'"));
    assert_int_equal(vef_parse_time_ns("1e400 s", "t", &real, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "too large"));
    const char *const no_real[] = {"", "x", "1x", "inf", "nan", "0x10", "1e400", "1 ", "--1", "1e"};
    for (size_t i = 0; i < sizeof no_real / sizeof *no_real; i++)
        assert_int_equal(vef_parse_real(no_real[i], "r", &real, &error), VEF_INVALID);
    const char *const no_int[] = {"", "-", "x", "1.0", "1e3", " 1", "0x1", "9223372036854775808"};
    for (size_t i = 0; i < sizeof no_int / sizeof *no_int; i++)
        assert_int_equal(vef_parse_int(no_int[i], "n", &whole, &error), VEF_INVALID);
    assert_true(real == 77);
    assert_int_equal(whole, 77);
    assert_int_equal(vef_parse_int("-9223372036854775808", "n", &whole, &error), VEF_OK);
    assert_true(whole == INT64_MIN);
    assert_int_equal(vef_parse_real("-1.25e-2", "r", &real, &error), VEF_OK);
    assert_true(real == -0.0125);
}

/* A number of random magnitude: uniform bits shifted by a uniform amount. */
static uint64_t draw(vef_rng *rng) {
    return vef_rng_next(rng) >> vef_rng_below(rng, 64);
}

static void test_written_reads_back(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    char text[VEF_QUANTITY_TEXT_BYTES];
    for (int i = 0; i < 20000; i++) {
        uint64_t whole = draw(&rng), back = 0;
        if (i % 3 == 0)
            whole = whole % 1000 * 1000000;
        assert_int_equal(vef_parse_bytes(vef_format_bytes(text, whole), "w", &back, NULL), VEF_OK);
        assert_true(back == whole);
        assert_int_equal(vef_parse_bandwidth(vef_format_bandwidth(text, whole), "w", &back, NULL),
                         VEF_OK);
        assert_true(back == whole);
        double real = (double)draw(&rng) / (double)(draw(&rng) | 1), real_back = -1;
        assert_int_equal(vef_parse_real(vef_format_real(text, real), "r", &real_back, NULL),
                         VEF_OK);
        assert_true(real_back == real);
        assert_int_equal(vef_parse_time_ns(vef_format_time_ns(text, real), "t", &real_back, NULL),
                         VEF_OK);
        assert_true(real_back == real);
        assert_int_equal(vef_parse_length_m(vef_format_length_m(text, real), "l", &real_back, NULL),
                         VEF_OK);
        assert_true(real_back == real);
        assert_int_equal(vef_parse_frequency(vef_format_frequency(text, whole), "f", &back, NULL),
                         VEF_OK);
        assert_true(back == whole);
    }
}

static void test_written_is_short(void **state) {
    (void)state;
    char text[VEF_QUANTITY_TEXT_BYTES];
    assert_string_equal(vef_format_real(text, 0.1), "0.1");
    assert_string_equal(vef_format_real(text, 30), "30");
    assert_string_equal(vef_format_real(text, -2), "-2");
    assert_string_equal(vef_format_real(text, 1e300), "1e+300");
    assert_string_equal(vef_format_real(text, 1.0 / 3), "0.3333333333333333");
    assert_string_equal(vef_format_bytes(text, 4), "4 B");
    assert_string_equal(vef_format_bytes(text, 65536), "64 KiB");
    assert_string_equal(vef_format_bytes(text, 1500000), "1500 kB");
    assert_string_equal(vef_format_bytes(text, 0), "0 B");
    assert_string_equal(vef_format_bandwidth(text, 200000000), "200 Mbit/s");
    assert_string_equal(vef_format_time_ns(text, 100), "100 ns");
    assert_string_equal(vef_format_time_ns(text, 1500), "1.5 us");
    assert_string_equal(vef_format_time_ns(text, 2e9), "2 s");
    assert_string_equal(vef_format_time_ns(text, 0), "0 ns");
    assert_string_equal(vef_format_time_ns(text, 0.25), "0.25 ns");
    assert_string_equal(vef_format_frequency(text, 1250000000), "1250 MHz");
    assert_string_equal(vef_format_length_m(text, 5), "5 m");
    assert_string_equal(vef_format_length_m(text, 0.6), "60 cm");
    assert_string_equal(vef_format_length_m(text, 1500), "1.5 km");
    assert_string_equal(vef_format_length_m(text, 0), "0 m");
}

/* Ranges: the values of 0.1:0.5:0.1 are five although 0.1 is no binary fraction. */
static void test_ranges(void **state) {
    static const struct {
        const char *text;
        unsigned parts;
        size_t count;
        double first, last, step;
    } rows[] = {
        {"0.3", 1, 1, 0.3, 0.3, 1},
        {"1:5", 2, 5, 1, 5, 1},
        {"-2:2", 2, 5, -2, 2, 1},
        {"0.1:0.5:0.1", 3, 5, 0.1, 0.5, 0.1},
        {"0.05:1.0:0.05", 3, 20, 0.05, 1, 0.05},
        {"1:2:0.7", 3, 2, 1, 2, 0.7},
        {"5:5", 2, 1, 5, 5, 1},
        {"5:4", 2, 0, 5, 4, 1},
        {"1:5:0", 3, 0, 1, 5, 0},
        {"1:5:-1", 3, 0, 1, 5, -1},
        {"0:1e300:1e-300", 3, SIZE_MAX, 0, 1e300, 1e-300},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_range range;
        assert_true(vef_range_scan(rows[i].text, &range));
        assert_int_equal(range.parts, rows[i].parts);
        assert_int_equal(range.count, rows[i].count);
        assert_true(range.first == rows[i].first && range.last == rows[i].last &&
                    range.step == rows[i].step);
    }
    static const char *const wrong[] = {"",        ":",    "1:",    ":1",    "a",    "1:b",
                                        "1:2:3:4", "1 :2", "nan:1", "1:inf", "0x1:2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(vef_range_scan(wrong[i], &(vef_range){0}));
}

/* Names are those of figures of studies; the unit of each is on the axis. */
static void test_figure_words(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"time_ns", "time"},
                                          {"latency_mean_cycles", "latency mean"},
                                          {"power_per_endpoint_w", "power per endpoint"},
                                          {"cable_length_m", "cable length"},
                                          {"diameter", "diameter"},
                                          {"cycles", "cycles"},
                                          {"link_load_max", "link load max"}};
    char text[VEF_FIGURE_WORDS_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(vef_figure_words(text, rows[i][0]), rows[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_frequency),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_written_reads_back),
        cmocka_unit_test(test_written_is_short),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_figure_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
