/* Noise, ps by ps: what vef_noise_stretch computes in steps is compared with a walk over all ps;
 * random noise has the share that its parameters imply; files are read and refused. */
#include "replay/host/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static vef_noise read_noise(const char *text, vef_arena *arena) {
    vef_node *root;
    vef_noise noise;
    vef_error error;
    if (vef_config_parse(text, "noise.yaml", arena, &root, &error) != VEF_OK ||
        vef_config_read(root, "noise", vef_noise_schema, NULL, &noise, arena, &error) != VEF_OK ||
        vef_noise_prepare(root, &noise, arena, &error) != VEF_OK)
        fail_msg("%s: %s", text, error.message);
    return noise;
}

/* Is that ps one of noise? */
typedef bool is_noise(uint64_t moment);

static bool in_period(uint64_t moment) {
    return moment % 50 < 7;
}

static const vef_noise_interval listed[] = {{10, 20}, {20, 21}, {40, 44}};
static bool in_list(uint64_t moment) {
    for (size_t i = 0; i < 3; i++)
        if (moment / 1000 % 44 >= listed[i].begin && moment / 1000 % 44 < listed[i].end)
            return true;
    return false;
}

/* Chunks of less than `most` ps of work with pauses between them. */
static void compare(const vef_noise *noise, is_noise *noisy, uint64_t threads, uint32_t most) {
    for (uint64_t thread = 0; thread < threads; thread++) {
        vef_noise_stream stream = vef_noise_begin(noise, thread);
        const uint64_t offset = stream.offset_ps;
        vef_rng rng = vef_rng_make(thread, VEF_RNG_TEST, 0);
        uint64_t time = 0;
        for (int chunk = 0; chunk < 100; chunk++) {
            const uint64_t work = vef_rng_below(&rng, most);
            uint64_t end = time;
            for (uint64_t left = work; left > 0; end++)
                left -= !noisy(offset + end);
            assert_int_equal(vef_noise_stretch(noise, &stream, time, work), end - time);
            time = end + vef_rng_below(&rng, 3) * vef_rng_below(&rng, 2 * most);
        }
    }
}

static void periodic(void **state) {
    (void)state;
    vef_arena arena = {0};
    const vef_noise noise =
        read_noise("{kind: periodic, period: 0.05 ns, duration: 0.007 ns, seed: 3}", &arena);
    compare(&noise, in_period, 60, 120);
    vef_arena_release(&arena);
}

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static char path[4096];

static void from_file(void **state) {
    (void)state;
    char text[5000];
    vef_arena arena = {0};
    write_file(path, "# begin duration\n10 10\n\n  20,1\n40\t4\n");
    snprintf(text, sizeof text, "{kind: file, file: \"%s\"}", path);
    const vef_noise noise = read_noise(text, &arena);
    assert_int_equal(noise.interval_count, 3);
    assert_int_equal(noise.length_ns, 44);
    compare(&noise, in_list, 6, 30000);
    vef_arena_release(&arena);
}

/* Time lost per work: duration / period, within five standard errors of its mean over many
 * interruptions: of each, the duration and the time to the next have their means as deviations. */
static void exponential(void **state) {
    (void)state;
    vef_arena arena = {0};
    const vef_noise noise =
        read_noise("{kind: exponential, period: 10 ns, duration: 2 ns, seed: 9}", &arena);
    vef_noise_stream stream = vef_noise_begin(&noise, 0);
    const uint64_t work = 400000000;
    const double interruptions = (double)work / 10000;
    const uint64_t lasts = vef_noise_stretch(&noise, &stream, 0, work);
    const double share = (double)(lasts - work) / (double)work;
    assert_true(fabs(share - 0.2) < 5 * 0.2 * sqrt(2 / interruptions));
    vef_arena_release(&arena);
}

/* The same at once and in pieces: the result depends on the seed alone. */
static void pieces_add_up(void **state) {
    (void)state;
    static const char *const texts[] = {"{kind: periodic, period: 10 ns, duration: 3 ns}",
                                        "{kind: exponential, period: 10 ns, duration: 3 ns}"};
    for (size_t i = 0; i < 2; i++) {
        vef_arena arena = {0};
        const vef_noise noise = read_noise(texts[i], &arena);
        vef_noise_stream whole = vef_noise_begin(&noise, 4), cut = whole;
        const uint64_t lasts = vef_noise_stretch(&noise, &whole, 0, 1000000);
        uint64_t time = 0;
        for (int piece = 0; piece < 1000; piece++)
            time += vef_noise_stretch(&noise, &cut, time, 1000);
        assert_int_equal(time, lasts);
        vef_noise_stream other = vef_noise_begin(&noise, 5);
        assert_true(memcmp(&other.rng, &whole.rng, sizeof other.rng) != 0);
        vef_arena_release(&arena);
    }
}

static void refused(const char *text, const char *words) {
    vef_arena arena = {0};
    vef_node *root;
    vef_noise noise;
    vef_error error;
    assert_int_equal(vef_config_parse(text, "noise.yaml", &arena, &root, &error), VEF_OK);
    vef_code code = vef_config_read(root, "noise", vef_noise_schema, NULL, &noise, &arena, &error);
    if (code == VEF_OK)
        code = vef_noise_prepare(root, &noise, &arena, &error);
    assert_int_equal(code, VEF_INVALID);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not hold '%s'", error.message, words);
    vef_arena_release(&arena);
}

static void refused_file(const char *content, const char *words) {
    char text[5000];
    write_file(path, content);
    snprintf(text, sizeof text, "{kind: file, file: \"%s\"}", path);
    refused(text, words);
}

static void bad_input(void **state) {
    (void)state;
    refused("{kind: brown}", "unknown kind 'brown'");
    refused("{kind: periodic, period: 1 us, duration: 1 us}", "would never compute");
    refused("{kind: periodic, period: 0 ns, duration: 0 ns}", "would never compute");
    refused("{kind: file}", "noise.yaml:1:1: noise: missing key file");
    refused("{kind: file, file: /nonexistent/noise}", "/nonexistent/noise: No such file");
    refused_file("", "no interruptions");
    refused_file("# nothing\n", "no interruptions");
    refused_file("1 2\n5\n", ":2: expected when an interruption begins");
    refused_file("1 2\n-5 1\n", ":2: expected when");
    refused_file("1 2 x\n", ":1: expected when");
    refused_file("99999999999999999999 1\n", ":1: expected when");
    refused_file("1 5\n3 1\n", ":2: the interruption begins before the end");
    refused_file("0 5\n5 2\n", "no time between them");
}

int main(void) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/noise.%ld", folder ? folder : "/tmp", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periodic),      cmocka_unit_test(from_file), cmocka_unit_test(exponential),
        cmocka_unit_test(pieces_add_up), cmocka_unit_test(bad_input),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
