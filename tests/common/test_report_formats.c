/* Tables as text, CSV and parts of documents, and documents as JSON. */
#include "common/report/doc.h"
#include "common/report/report.h"
#include "common/report/table.h"

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

static vef_table *sample(void) {
    const char *const heads[] = {"program", "calls", "note"};
    vef_table *table = vef_table_new(heads, 3);
    assert_non_null(table);
    vef_table_text(table, "cg");
    vef_table_number(table, "%d", 12345);
    vef_table_text(table, "a, \"b\"");
    vef_table_text(table, "h\xc3\xa9lice");
    vef_table_number(table, "%.2f", 0.5);
    vef_table_text(table, "");
    vef_table_text(table, "two\nlines");
    vef_table_number(table, "n/a");
    vef_table_text(table, "");
    return table;
}

static void test_text(void **state) {
    (void)state;
    vef_table *table = sample();
    capture c;
    begin(&c);
    vef_table_write(table, NULL, c.out);
    assert_written(&c,
                   "program    calls  note\n"
                   "cg         12345  a, \"b\"\n"
                   "h\xc3\xa9lice      0.50\n"
                   "two lines    n/a\n");
}

static void test_csv(void **state) {
    (void)state;
    vef_table *table = sample();
    capture c;
    begin(&c);
    vef_table_write(table, vef_csv, c.out);
    assert_written(&c,
                   "program,calls,note\n"
                   "cg,12345,\"a, \"\"b\"\"\"\n"
                   "h\xc3\xa9lice,0.50,\n"
                   "\"two\nlines\",n/a,\n");
}

static void test_rows_as_json(void **state) {
    (void)state;
    vef_table *table = sample();
    capture c;
    begin(&c);
    vef_doc doc;
    vef_doc_begin(&doc, &vef_json, c.out);
    vef_table_write_doc(table, &doc, "rows");
    vef_doc_end(&doc);
    assert_written(
        &c,
        "{\n  \"rows\": [{\n"
        "      \"program\": \"cg\",\n      \"calls\": 12345,\n      \"note\": \"a, \\\"b\\\"\"\n"
        "    }, {\n"
        "      \"program\": \"h\xc3\xa9lice\",\n      \"calls\": 0.50,\n      \"note\": \"\"\n"
        "    }, {\n"
        "      \"program\": \"two\\nlines\",\n      \"calls\": \"n/a\",\n      \"note\": \"\"\n"
        "    }]\n}\n");
}

static void test_many_rows(void **state) {
    (void)state;
    const char *const heads[] = {"i"};
    vef_table *table = vef_table_new(heads, 1);
    for (int i = 0; i < 10000; i++)
        vef_table_number(table, "%d", i);
    capture c;
    begin(&c);
    vef_table_write(table, vef_csv, c.out);
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

static vef_table *tabulate(const void *report) {
    (void)report;
    return sample();
}

static void write_text(const void *report, FILE *out) {
    fputs(report, out);
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    vef_doc_string(doc, "text", report);
    return *(const char *)report ? VEF_OK : vef_fail(error, VEF_FAILED, "empty");
}

static void assert_reported(const vef_report_format *format, const vef_report_parts *parts,
                            const char *expected) {
    capture c;
    begin(&c);
    assert_int_equal(vef_report_write(format, parts, "words", c.out, NULL), VEF_OK);
    assert_written(&c, expected);
}

static void test_report(void **state) {
    (void)state;
    const vef_report_parts parts = {.text = write_text, .table = tabulate, .doc = write_doc};
    const vef_report_parts table = {.table = tabulate, .doc = write_doc};
    assert_reported(NULL, &parts, "words");
    assert_reported(&vef_report_csv, &parts,
                    "program,calls,note\n"
                    "cg,12345,\"a, \"\"b\"\"\"\n"
                    "h\xc3\xa9lice,0.50,\n"
                    "\"two\nlines\",n/a,\n");
    assert_reported(&vef_report_json, &parts, "{\n  \"text\": \"words\"\n}\n");
    assert_reported(NULL, &table,
                    "program    calls  note\n"
                    "cg         12345  a, \"b\"\n"
                    "h\xc3\xa9lice      0.50\n"
                    "two lines    n/a\n");
    vef_error error;
    capture c;
    begin(&c);
    assert_int_equal(vef_report_write(&vef_report_json, &parts, "", c.out, &error), VEF_FAILED);
    assert_string_equal(error.message, "empty");
    fclose(c.out);
    free(c.text);
}

/* Each row of the list is a format of one kind, under its own name. */
static void test_formats(void **state) {
    (void)state;
#define ASSERT_FORMAT(word, title, kind)                                                           \
    assert_string_equal(vef_report_##word.name, #word);                                            \
    assert_non_null(vef_report_##word.kind);                                                       \
    assert_true(!vef_report_##word.row != !vef_report_##word.doc);
    VEF_TABLE_FORMATS(ASSERT_FORMAT, row)
    VEF_DOC_FORMATS(ASSERT_FORMAT, doc)
}

static void test_full_disk(void **state) {
    (void)state;
    const vef_report_parts parts = {.text = write_text, .table = tabulate, .doc = write_doc};
    const vef_report_format *const formats[] = {NULL, &vef_report_csv, &vef_report_json};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        vef_error error;
        assert_int_equal(vef_report_write(formats[i], &parts, "words", full, &error), VEF_IO);
        assert_non_null(strstr(error.message, "No space left"));
        fclose(full);
    }
}

/* ---- documents ---- */

static void test_json(void **state) {
    (void)state;
    capture c;
    begin(&c);
    vef_doc doc;
    vef_doc_begin(&doc, &vef_json, c.out);
    vef_doc_uint(&doc, "u", UINT64_MAX);
    vef_doc_int(&doc, "i", INT64_MIN);
    vef_doc_bool(&doc, "b", true);
    vef_doc_null(&doc, "n");
    vef_doc_string(&doc, "s", NULL);
    vef_doc_open_map(&doc, "o");
    vef_doc_close(&doc);
    vef_doc_open_map(&doc, "p");
    vef_doc_real(&doc, "x", 0.1);
    vef_doc_close(&doc);
    vef_doc_open_list(&doc, "m");
    for (int i = 0; i < 2; i++) {
        vef_doc_open_list(&doc, NULL);
        vef_doc_uint(&doc, NULL, 1);
        vef_doc_real(&doc, NULL, 2.5);
        vef_doc_close(&doc);
    }
    vef_doc_open_map(&doc, NULL);
    vef_doc_close(&doc);
    vef_doc_close(&doc);
    vef_doc_end(&doc);
    assert_written(&c,
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
    capture c;
    begin(&c);
    vef_doc doc;
    vef_doc_begin(&doc, &vef_json, c.out);
    vef_doc_string(&doc, text, text); /* keys are escaped as values are */
    vef_doc_end(&doc);
    char line[400];
    snprintf(line, sizeof line, "{\n  \"%s\": \"%s\"\n}\n", expected, expected);
    assert_written(&c, line);
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
        capture c;
        begin(&c);
        vef_doc doc;
        vef_doc_begin(&doc, &vef_json, c.out);
        vef_doc_real(&doc, "x", CASES[i].value);
        vef_doc_end(&doc);
        char line[100];
        snprintf(line, sizeof line, "{\n  \"x\": %s\n}\n", CASES[i].text);
        assert_written(&c, line);
    }
}

/* The grammar of RFC 8259, section 6. */
static void test_is_number(void **state) {
    (void)state;
    const char *const yes[] = {"0", "-0", "10", "0.50", "1e5", "1E+5", "-1.5e-10"};
    const char *const no[] = {"",   "-",   "01",  "+1", ".5",  "1.",
                              "1e", "1e+", "nan", "1 ", "0x1", "12 %"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(vef_doc_is_number(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(vef_doc_is_number(no[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),         cmocka_unit_test(test_csv),
        cmocka_unit_test(test_rows_as_json), cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_full_disk),    cmocka_unit_test(test_report),
        cmocka_unit_test(test_formats),      cmocka_unit_test(test_json),
        cmocka_unit_test(test_strings),      cmocka_unit_test(test_reals),
        cmocka_unit_test(test_is_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
