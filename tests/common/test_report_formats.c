/* Results as text, CSV and JSON. */
#include "common/report/json.h"
#include "common/report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct capture {
    FILE *out;
    char *text;
    size_t length;
} capture;

static void begin(capture *c) {
    *c = (capture){0};
    c->out = open_memstream(&c->text, &c->length);
    assert_non_null(c->out);
}

static void assert_written(capture *c, const char *expected) {
    fclose(c->out);
    assert_string_equal(c->text, expected);
    free(c->text);
}

static void add_sample(vef_result *root) {
    static const vef_column columns[] = {
        {.key = "program"}, {.key = "calls", .format = "%.2f"}, {.key = "note"}, {0}};
    vef_result *table = vef_put_table(root, "rows", VEF_EVERYONE, columns);
    VEF_CELLS(table, "cg", 12345, "a, \"b\"");
    VEF_CELLS(table, "h\xc3\xa9lice", 0.5, "", "two\nlines");
    vef_cell_printed(table, "n/a");
    VEF_CELLS(table, "");
}

static void assert_result(vef_result *root, void (*write)(const vef_result *, FILE *),
                          const char *expected) {
    capture c;
    begin(&c);
    write(root, c.out);
    vef_result_free(root);
    assert_written(&c, expected);
}

static const char sample_text[] =
    "program    calls  note\n"
    "cg         12345  a, \"b\"\n"
    "h\xc3\xa9lice      0.50\n"
    "two lines    n/a\n";
static const char sample_csv[] =
    "program,calls,note\n"
    "cg,12345,\"a, \"\"b\"\"\"\n"
    "h\xc3\xa9lice,0.50,\n"
    "\"two\nlines\",n/a,\n";

static void test_tables(void **state) {
    (void)state;
    static const struct {
        vef_reader reader;
        void (*write)(const vef_result *, FILE *);
        const char *expected;
    } readers[] = {
        {VEF_PEOPLE, vef_write_text, sample_text},
        {VEF_TABLES, vef_write_csv, sample_csv},
        {VEF_DOCUMENTS, vef_write_json,
         "{\n  \"rows\": [{\n"
         "      \"program\": \"cg\",\n      \"calls\": 12345,\n      \"note\": \"a, \\\"b\\\"\"\n"
         "    }, {\n"
         "      \"program\": \"h\xc3\xa9lice\",\n      \"calls\": 0.50,\n      \"note\": \"\"\n"
         "    }, {\n"
         "      \"program\": \"two\\nlines\",\n      \"calls\": \"n/a\",\n      \"note\": \"\"\n"
         "    }]\n}\n"},
    };
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        vef_result *root = vef_result_new(readers[i].reader);
        add_sample(root);
        assert_result(root, readers[i].write, readers[i].expected);
    }
}

/* Names, units and precision for each reader; a member that only documents have. */
static void test_columns(void **state) {
    (void)state;
    static const vef_column columns[] = {
        {.key = "task"},
        {.key = "time_ns", .label = "time (ms)", .format = "%.3f", .scale = 1e-6},
        {.key = "share", .label = "share", .format = "%.0f %%", .exact = "%.2f", .scale = 100},
        {.key = "set", .readers = VEF_TABLES},
        {.label = "note"},
        {0}};
    static const char *const set[] = {"a=1", "b=2"};
    static const struct {
        vef_reader reader;
        void (*write)(const vef_result *, FILE *);
        const char *expected;
    } readers[] = {
        {VEF_PEOPLE, vef_write_text,
         "2 rows\ntime (ms)  share  note\n    1.500   33 %  seen\n      n/a    n/a\n"},
        {VEF_TABLES, vef_write_csv, "task,time_ns,share,set\n0,1500000,0.33,a=1; b=2\n1,,,\n"},
        {VEF_DOCUMENTS, vef_write_json,
         "{\n  \"task\": [{\n      \"task\": 0,\n      \"time_ns\": 1500000,\n"
         "      \"share\": 0.3333333333333333,\n      \"ends\": {\n        \"at\": 7\n      }\n"
         "    }, {\n      \"task\": 1,\n      \"time_ns\": null,\n      \"share\": null\n    "
         "}]\n}\n"},
    };
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        vef_result *root = vef_result_new(readers[i].reader);
        vef_say(root, "%d rows\n", 2);
        vef_result *table = vef_put_table(root, "task", VEF_EVERYONE | VEF_FULL_PRECISION, columns);
        VEF_CELLS(table, 0, UINT64_C(1500000), 1.0 / 3);
        vef_cell_texts(table, set, 2);
        VEF_CELLS(table, "seen");
        VEF_PUT(vef_put_group(table, "ends"), "at", 7);
        VEF_CELLS(table, 1, VEF_UNKNOWN, (double)NAN, VEF_NO_VALUE, VEF_NO_VALUE);
        assert_result(root, readers[i].write, readers[i].expected);
    }
}

static void fill(const void *count, vef_result *table) {
    for (int i = 0; i < *(const int *)count; i++)
        VEF_CELLS(table, i, "text");
}

static void test_stream(void **state) {
    (void)state;
    static const vef_column columns[] = {{.key = "i"}, {.key = "t"}, {0}};
    const int count = 2;
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    vef_put_stream(root, "m", VEF_EVERYONE, columns, fill, &count);
    assert_result(root, vef_write_json,
                  "{\n  \"m\": [{\n      \"i\": 0,\n      \"t\": \"text\"\n    }, {\n"
                  "      \"i\": 1,\n      \"t\": \"text\"\n    }]\n}\n");
    root = vef_result_new(VEF_TABLES);
    vef_put_stream(root, "m", VEF_EVERYONE, columns, fill, &count);
    assert_result(root, vef_write_csv, "i,t\n0,text\n1,text\n");
}

static void test_many_rows(void **state) {
    (void)state;
    vef_result *root = vef_result_new(VEF_TABLES);
    vef_result *table =
        vef_put_table(root, NULL, VEF_TABLES, (const vef_column[]){{.key = "i"}, {0}});
    for (int i = 0; i < 10000; i++)
        VEF_CELLS(table, i);
    capture c;
    begin(&c);
    vef_write_csv(root, c.out);
    vef_result_free(root);
    fclose(c.out);
    const char *line = c.text;
    for (int i = -1; i < 10000; i++) {
        if (i >= 0)
            assert_int_equal(atoi(line), i);
        line = strchr(line, '\n') + 1;
    }
    assert_int_equal(*line, '\0');
    free(c.text);
}

/* ---- reports ---- */

static void build(const void *report, vef_result *root) {
    vef_say(root, "%s", (const char *)report);
    if (vef_result_is_for(root, VEF_TABLES))
        add_sample(root);
    VEF_PUT(root, "text", (const char *)report);
}

static void assert_reported(const vef_report_format *format, const char *expected) {
    capture c;
    begin(&c);
    assert_int_equal(vef_report_write(format, build, "words", c.out, NULL), VEF_OK);
    assert_written(&c, expected);
}

static void test_report(void **state) {
    (void)state;
    assert_reported(NULL, "words");
    assert_reported(&vef_report_csv, sample_csv);
    assert_reported(&vef_report_json, "{\n  \"text\": \"words\"\n}\n");
}

/* Each row of the list is a format of one kind, under its own name. */
static void test_formats(void **state) {
    (void)state;
#define ASSERT_FORMAT(word, title, reads, ...)                                                     \
    assert_string_equal(vef_report_##word.name, #word);                                            \
    assert_int_equal(vef_report_##word.reader, reads);
    VEF_TABLE_FORMATS(ASSERT_FORMAT, )
    VEF_DOC_FORMATS(ASSERT_FORMAT, )
}

static void test_full_disk(void **state) {
    (void)state;
    const vef_report_format *const formats[] = {NULL, &vef_report_csv, &vef_report_json};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        vef_error error;
        assert_int_equal(vef_report_write(formats[i], build, "words", full, &error), VEF_IO);
        assert_non_null(strstr(error.message, "No space left"));
        fclose(full);
    }
}

/* ---- documents ---- */

static void test_json(void **state) {
    (void)state;
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    VEF_PUT(root, "u", UINT64_MAX);
    VEF_PUT(root, "i", INT64_MIN);
    VEF_PUT(root, "b", vef_value_bool(true));
    VEF_PUT(root, "n", VEF_NO_VALUE);
    VEF_PUT(root, "s", (const char *)NULL);
    vef_put_group(root, "o");
    VEF_PUT(vef_put_group(root, "p"), "x", 0.1);
    vef_result *rows = vef_put_list(root, "m");
    for (int i = 0; i < 2; i++) {
        vef_result *row = vef_put_list(rows, NULL);
        VEF_PUT(row, NULL, 1);
        VEF_PUT(row, NULL, 2.5);
    }
    vef_put_group(rows, NULL);
    assert_result(root, vef_write_json,
                  "{\n"
                  "  \"u\": 18446744073709551615,\n"
                  "  \"i\": -9223372036854775808,\n"
                  "  \"b\": true,\n"
                  "  \"n\": null,\n"
                  "  \"s\": null,\n"
                  "  \"o\": {},\n"
                  "  \"p\": {\n    \"x\": 0.1\n  },\n"
                  "  \"m\": [[1, 2.5], [1, 2.5], {}]\n"
                  "}\n");
}

/* The one string value of the object that is written for `text`. */
static void assert_escaped(const char *text, const char *expected) {
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    VEF_PUT(root, text, text); /* keys are escaped as values are */
    char line[400];
    snprintf(line, sizeof line, "{\n  \"%s\": \"%s\"\n}\n", expected, expected);
    assert_result(root, vef_write_json, line);
}

static void test_strings(void **state) {
    (void)state;
    assert_escaped("", "");
    assert_escaped("a\"b\\c/d", "a\\\"b\\\\c/d");
    assert_escaped("\n\t\r\x01\x1f\x7f", "\\n\\t\\u000d\\u0001\\u001f\\u007f");
    assert_escaped("\xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e",
                   "\xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e");
    /* Not UTF-8: a stray continuation, a cut character at the end, overlong, a surrogate, beyond
     * U+10FFFF. Each bad byte becomes U+FFFD. */
    assert_escaped("a\x80z", "a\xef\xbf\xbdz");
    assert_escaped("\xc3", "\xef\xbf\xbd");
    assert_escaped("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped("\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_reals(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } CASES[] = {
        {0, "0"},
        {1e15, "1e+15"},
        {123456789, "123456789"},
        {0.1 + 0.2, "0.30000000000000004"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
        {NAN, "null"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        vef_result *root = vef_result_new(VEF_DOCUMENTS);
        VEF_PUT(root, "x", CASES[i].value);
        char line[100];
        snprintf(line, sizeof line, "{\n  \"x\": %s\n}\n", CASES[i].text);
        assert_result(root, vef_write_json, line);
    }
}

/* The grammar of RFC 8259, section 6. */
static void test_is_number(void **state) {
    (void)state;
    const char *const yes[] = {"0", "-0", "10", "0.50", "1e5", "1E+5", "-1.5e-10"};
    const char *const no[] = {"",   "-",   "01",  "+1", ".5",  "1.",
                              "1e", "1e+", "nan", "1 ", "0x1", "12 %"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(vef_json_is_number(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(vef_json_is_number(no[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_stream),    cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_report),
        cmocka_unit_test(test_formats),   cmocka_unit_test(test_json),
        cmocka_unit_test(test_strings),   cmocka_unit_test(test_reals),
        cmocka_unit_test(test_is_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
