/* Options: values, defaults and bounds of each kind, what is not given, required options, short
 * forms of keys, operands, options that need or exclude others, and the document of what differs
 * from the defaults. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct choices {
    bool flag, seed_given;
    int64_t faults;
    uint32_t threads;
    uint64_t seed, bytes;
    double precision, time_ns;
    int word, other_word;
    const char *output, *text;
    vef_texts set;
    const vef_report_format *format;
} choices;

enum { COLD, WARM };
static const char *const words[] = {[COLD] = "cold", [WARM] = "warm", NULL};

static const vef_option options[] = {
    VEF_GROUP("Some"),
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "File"),
    VEF_FLAG("flag", choices, flag, "Flag"),
    VEF_OPTION(INT, "faults", "N", choices, faults, "Faults", .fallback = "10",
               .maximum = INFINITY),
    VEF_OPTION(COUNT, "threads", "N", choices, threads, "Threads", .default_text = "one per core",
               .minimum = 1, .maximum = 64),
    {.param = VEF_OPTION_PARAM(UINT, "seed", choices, seed, "Seed"),
     .value = "N",
     .given = offsetof(choices, seed_given)},
    VEF_OPTION(BYTES, "bytes", "SIZE", choices, bytes, "Size", .word = "unlimited",
               .fallback = "unlimited"),
    VEF_OPTION(REAL, "precision", "X", choices, precision, "Precision", .fallback = "0.01",
               .maximum = INFINITY),
    VEF_OPTION(TIME, "time", "TIME", choices, time_ns, "Time"),
    VEF_CHOICE("word", words, choices, word, "Word", .fallback = "cold"),
    VEF_CHOICE("other-word", words, choices, other_word, "Word"),
    VEF_OPTION(STRING, "text", "TEXT", choices, text, "Text"),
    VEF_SET_OPTION(choices, set, "file"),
    VEF_SHORT("gap", "TIME", choices, set, "host.gap"),
    VEF_SHORT("no-outside", NULL, choices, set, "host.outside=false"),
    VEF_FORMAT_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {
    VEF_NEEDS("--time --text", "--flag --faults OPERAND"),
    VEF_NEEDS("--seed", "--json"),
    VEF_EXCLUDES("--word --gap --threads", "--word --gap --threads"),
    VEF_EXCLUDES("--precision", "--bytes", .when = VEF_TABLE_WORDS, .reason = "expected one"),
    VEF_EXCLUDES("--no-outside", "OPERAND"),
    {0},
};
static const vef_option_rule *obeyed; /* by read_line; NULL: no rules */

/* Reads the words of a command line; the error's message is empty if they are accepted. */
static choices read_line(const char *line, int most, int *operands, vef_error *error) {
    static char text[512];
    char *argv[32] = {"command"};
    int argc = 1;
    choices chosen;
    memset(&chosen, 0x55, sizeof chosen); /* what has no row is the caller's */
    chosen.set.count = 0;
    chosen.format = NULL;
    chosen.seed_given = false;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    const vef_syntax syntax = {options, obeyed, false, 0, most, "TRACE"};
    *error = (vef_error){0};
    vef_code code = vef_options_read(&syntax, argc, argv, &chosen, operands, error);
    assert_int_equal(code == VEF_OK, error->message[0] == '\0');
    *operands = argc - *operands;
    return chosen;
}

static void test_not_given(void **state) {
    vef_error error;
    int operands;
    (void)state;
    const choices chosen = read_line("-o x", 0, &operands, &error);
    assert_string_equal(error.message, "");
    assert_string_equal(chosen.output, "x");
    assert_false(chosen.flag);
    assert_false(chosen.seed_given);
    assert_int_equal(chosen.faults, 10);
    assert_int_equal(chosen.threads, 0);
    assert_int_equal(chosen.bytes, 0);
    assert_true(chosen.precision == 0.01);
    assert_true(chosen.time_ns < 0);
    assert_int_equal(chosen.word, COLD);
    assert_int_equal(chosen.other_word, VEF_NOT_GIVEN);
    assert_null(chosen.text);
    assert_null(chosen.format);
}

static void test_given(void **state) {
    vef_error error;
    int operands;
    (void)state;
    choices chosen = read_line(
        "a --out=x --flag --faults 0 b --thr 64 --seed 18446744073709551615 "
        "--bytes 1.5KiB --precision 1e-3 --time 2us --word warm --other-word "
        "cold --text ~ --json",
        2, &operands, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(operands, 2);
    assert_true(chosen.flag);
    assert_true(chosen.seed_given);
    assert_int_equal(chosen.faults, 0);
    assert_int_equal(chosen.threads, 64);
    assert_true(chosen.seed == UINT64_MAX);
    assert_int_equal(chosen.bytes, 1536);
    assert_true(chosen.precision == 1e-3);
    assert_true(chosen.time_ns == 2000);
    assert_int_equal(chosen.word, WARM);
    assert_int_equal(chosen.other_word, COLD);
    assert_string_equal(chosen.text, "~"); /* not the null of YAML */
    assert_ptr_equal(chosen.format, &vef_report_json);
    chosen =
        read_line("-o x --bytes unlimited --set a=b --gap 5ns --no-outside", 0, &operands, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(chosen.bytes, 0);
    vef_arena arena = {0};
    vef_texts_join(&chosen.set, &arena);
    assert_int_equal(chosen.set.count, 3);
    assert_string_equal(chosen.set.text[0], "a=b");
    assert_string_equal(chosen.set.text[1], "host.gap=5ns");
    assert_string_equal(chosen.set.text[2], "host.outside=false");
    vef_arena_release(&arena);
}

static void test_refused(void **state) {
    static const char *const lines[][2] = {
        {"", "missing -o FILE"},
        {"-o=", NULL},
        {"--output=", "missing -o FILE"},
        {"-o", "-o: missing value"},
        {"-o x a", "unexpected operand 'a'"},
        {"-o x --threads 0", "--threads: expected a whole number from 1 to 64; found '0'"},
        {"-o x --threads 65", "--threads: expected a whole number from 1 to 64; found '65'"},
        {"-o x --threads two", "--threads: expected a whole number from 1 to 64; found 'two'"},
        {"-o x --faults -1", "--faults: expected a whole number of at least 0; found '-1'"},
        {"-o x --seed 18446744073709551616", "--seed: '18446744073709551616' is out of range"},
        {"-o x --precision nan", "--precision: expected a number of at least 0; found 'nan'"},
        {"-o x --bytes 5", "--bytes: '5' has no unit"},
        {"-o x --time 5s5", "--time: "},
        {"-o x --word hot", "unknown --word 'hot': expected one of cold, warm"},
        {"-o x --flag=yes", "--flag: expected no value"},
        {"-o x --flog", "unknown option '--flog': did you mean --flag?"},
        {"-o x --json --csv", "--json and --csv: not supported together"},
    };
    vef_error error;
    int operands;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        read_line(lines[i][0], 0, &operands, &error);
        if (!lines[i][1])
            assert_string_equal(error.message, "");
        else if (strncmp(error.message, lines[i][1], strlen(lines[i][1])) != 0)
            fail_msg("%s: %s", lines[i][0], error.message);
    }
}

static void test_rules(void **state) {
    static const char *const lines[][2] = {
        {"-o x", ""},
        {"-o x --time 1s", "--time: expected with --flag, --faults or OPERAND"},
        {"-o x --text a", "--text: expected with --flag, --faults or OPERAND"},
        {"-o x --time 1s --text a a", ""},
        {"-o x --faults 10 --time 1s", ""},
        {"-o x --seed 1 --csv", "--seed: expected with --json"},
        {"-o x --seed 1 --json", ""},
        {"-o x --word hot", "unknown --word 'hot': expected one of cold, warm"},
        {"-o x --word warm --word cold", ""},
        {"-o x --threads 2 --word warm", "--word and --threads: not supported together"},
        {"-o x --gap 1s --threads 2", "--gap and --threads: not supported together"},
        {"-o x --precision 1 --bytes 5B", ""},
        {"-o x --precision 1 --bytes 5B --json", ""},
        {"-o x --precision 1 --bytes 5B --csv",
         "--precision and --bytes: not supported together with --csv: expected one"},
        {"-o x --no-outside a", "--no-outside and OPERAND: not supported together"},
        {"-o x a", ""},
    };
    vef_error error;
    int operands;
    (void)state;
    obeyed = rules;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        read_line(lines[i][0], 1, &operands, &error);
        assert_string_equal(error.message, lines[i][1]);
    }
    obeyed = NULL;
}

/* A document has what differs from the defaults, as a command line takes it. */
static void test_document(void **state) {
    static const char *const lines[][2] = {
        {"-o x --faults 10 --precision 0.01 --bytes unlimited --word cold",
         "{\n  \"options\": {\n    \"output\": \"x\"\n  }\n}\n"},
        {"-o 7 --flag --faults 3 --threads 2 --seed 0 --bytes 64KiB --precision 0.5 --time 1us "
         "--word warm --set a=b",
         "{\n  \"options\": {\n    \"output\": \"7\",\n    \"flag\": true,\n    \"faults\": 3,\n"
         "    \"threads\": 2,\n    \"seed\": 0,\n    \"bytes\": \"64 KiB\",\n"
         "    \"precision\": 0.5,\n    \"time\": \"1 us\",\n    \"word\": \"warm\"\n  }\n}\n"},
    };
    vef_error error;
    int operands;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const choices chosen = read_line(lines[i][0], 0, &operands, &error);
        assert_string_equal(error.message, "");
        vef_result *root = vef_result_new(VEF_DOCUMENTS);
        vef_options_put(options, &chosen, "options", root);
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        vef_write_json(root, out);
        fclose(out);
        vef_result_free(root);
        assert_string_equal(text, lines[i][1]);
        free(text);
    }
}

/* The network, whether it is an operand or an option, is the last operand. */
static void test_network(void **state) {
    static const vef_option network[] = {
        VEF_NET_OPTION(choices, flag),
        VEF_FLAG("seed", choices, seed_given, "Flag"),
        VEF_END_OF_OPTIONS,
    };
    static const char *const lines[][6] = {
        {"replay", "a", "b"},
        {"replay", "a", "--net", "b"},
        {"replay", "--net=b", "--seed", "a"},
        {"replay", "--net", "b", "--", "a"},
    };
    const vef_syntax syntax = {network, NULL, false, 1, 2, "TRACE NET.yaml"};
    vef_error error = {0};
    int operands;
    choices chosen;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *argv[7] = {NULL};
        int argc = 0;
        for (; argc < 6 && lines[i][argc]; argc++)
            argv[argc] = (char *)lines[i][argc];
        chosen = (choices){0};
        assert_int_equal(vef_options_read(&syntax, argc, argv, &chosen, &operands, &error), VEF_OK);
        assert_int_equal(argc - operands, 2);
        assert_string_equal(argv[operands], "a");
        assert_string_equal(argv[argc - 1], "b");
        assert_int_equal(chosen.flag, i > 0);
    }
    char *none[] = {"replay", NULL};
    assert_int_equal(vef_options_read(&syntax, 1, none, &chosen, &operands, &error), VEF_INVALID);
    assert_string_equal(error.message,
                        "missing NET.yaml: expected a network file, or the network "
                        "itself: '{topology: \u2026}'");
    char *many[] = {"replay", "a", "b", "--net", "c", NULL};
    assert_int_equal(vef_options_read(&syntax, 5, many, &chosen, &operands, &error), VEF_INVALID);
    assert_string_equal(error.message, "unexpected operand 'c': expected at most 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_given), cmocka_unit_test(test_given),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_rules),
        cmocka_unit_test(test_document),  cmocka_unit_test(test_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
