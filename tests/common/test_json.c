/* JSON into a tree: what RFC 8259 allows and what it does not, values, places of errors, and
 * members that are only checked. */
#include "common/config/json.h"
#include "tests/common/config_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static vef_code parse(config_fixture *f, const char *text, const char *const *wanted,
                      vef_node **root) {
    f->error = (vef_error){0};
    return vef_json_parse(text, strlen(text), "a.json", wanted, &f->arena, root, &f->error);
}

/* The value of the key v. */
static const vef_node *value_of(config_fixture *f, const char *value) {
    char text[256];
    vef_node *root = NULL;
    snprintf(text, sizeof text, "{\"v\": %s}", value);
    return parse(f, text, NULL, &root) == VEF_OK ? vef_node_get(root, "v") : NULL;
}

/* RFC 8259, sections 3, 6 and 7; of strings and numbers the text is kept. */
static void test_scalars(void **state) {
    config_fixture *f = *state;
    static const struct {
        const char *json, *text;
        bool quoted;
    } rows[] = {
        {"0", "0", false},
        {"-0", "-0", false},
        {"1.50", "1.50", false},
        {"2.5e+10", "2.5e+10", false},
        {"1E-3", "1E-3", false},
        {"18446744073709551616", "18446744073709551616", false},
        {"true", "true", false},
        {"false", "false", false},
        {"null", "null", false},
        {"\"null\"", "null", true},
        {"\"\"", "", true},
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "a\"\\/\b\f\n\r\t", true},
        {"\"\\u00e9\\u20AC\"", "\xc3\xa9\xe2\x82\xac", true},
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", true}, /* a surrogate pair: U+1F600 */
        {"\"# no: {comment}\"", "# no: {comment}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const vef_node *value = value_of(f, rows[i].json);
        assert_non_null(value);
        assert_string_equal(value->scalar, rows[i].text);
        assert_int_equal(value->quoted, rows[i].quoted);
    }
    assert_true(vef_node_is_null(value_of(f, "null")));
    assert_false(vef_node_is_null(value_of(f, "\"null\"")));
}

/* Not in the grammar of RFC 8259, section by section; YAML has a meaning for most of them. */
static void test_refused(void **state) {
    config_fixture *f = *state;
    static const char *const values[] = {
        "",         "01",      "-",         "-01",     "+1",          ".5",      "1.",
        "1.e1",     "1e",      "[00]",      "0x10",    "NaN",         "nan",     "-Infinity",
        "True",     "nul",     "~",         "yes",     "'a'",         "a",       "\"a\nb\"",
        "\"a\tb\"", "\"\\x\"", "\"\\u12\"", "\"a",     "\"\xff\"",    "[1,]",    "[,1]",
        "[1 2]",    "[1",      "1]",        "{a: 1}",  "{\"a\": 1,}", "{\"a\"}", "{\"a\" 1}",
        "1 # x",    "&a 1",    "/* */ 1",   "[1,\v2]", "\f1",         "1, 2",    "\"a\\u0000b\"",
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (value_of(f, values[i]))
            fail_msg("accepted: %s", values[i]);
        else
            assert_has(f->error.message, "a.json:");
    static const char *const documents[] = {"",     " ",    "1",    "\"a\"",
                                            "[{}]", "{}{}", "{} x", "---\n{}"};
    vef_node *root;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        assert_int_equal(parse(f, documents[i], NULL, &root), VEF_INVALID);
        assert_null(root);
    }
}

static void test_places(void **state) {
    config_fixture *f = *state;
    static const char *const wrong[][2] = {
        {"{\"a\": 1,\n  \"b\": [1,\n\t 00]}", "a.json:3:4: not JSON: "},
        {"{\"a\": 1,\n \"a\": 2}", "a.json:2:2: duplicate key"},
        {"{\n\n  \"a\": \"x\ty\"}", "a.json:3:8: not JSON: "},
        {"[1]", "a.json:1:1: not a document: expected '{'"},
        {"{\"a\": [1,\n 2", "a.json:2:2: not JSON: parse error: premature EOF"},
    };
    vef_node *root;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(parse(f, wrong[i][0], NULL, &root), VEF_INVALID);
        assert_has(f->error.message, wrong[i][1]);
    }
    assert_int_equal(parse(f, "{\"a\": {\n  \"b\\u0041\" : [true,\n 7]}}", NULL, &root), VEF_OK);
    const vef_node *list = vef_node_get(vef_node_get(root, "a"), "bA");
    assert_int_equal(list->count, 2);
    assert_int_equal(list->line, 2);
    assert_int_equal(list->column, 15);
    assert_int_equal(list->key_line, 2);
    assert_int_equal(list->key_column, 3);
    assert_int_equal(list->items[1]->line, 3);
    assert_int_equal(list->items[1]->column, 2);
    assert_string_equal(list->items[1]->origin, "a.json");
}

/* 64 levels are the limit of configurations, too. */
static void test_depth(void **state) {
    config_fixture *f = *state;
    for (int depth = 63; depth <= 65; depth++) {
        char text[256] = "{\"a\":";
        size_t used = strlen(text);
        memset(text + used, '[', (size_t)depth - 1);
        memset(text + used + depth - 1, ']', (size_t)depth - 1);
        strcpy(text + used + 2 * ((size_t)depth - 1), "}");
        vef_node *root;
        assert_int_equal(parse(f, text, NULL, &root), depth <= 64 ? VEF_OK : VEF_INVALID);
        if (depth > 64)
            assert_has(f->error.message, "nested deeper than 64 levels");
    }
}

/* Of 8 MiB in members that are not wanted nothing is kept, and all is checked. */
static void test_unwanted(void **state) {
    config_fixture *f = *state;
    static const char *const wanted[] = {"c", NULL};
    enum { ROWS = 200000 };
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fputs("{\"a\": [", out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "%s{\"router\": %d, \"c\": [\"x\", null, 1.5]}", i ? ", " : "", i);
    fputs("], \"b\": \"text\", \"c\": {\"a\": 1}, \"d\": {\"c\": {\"c\": 2}}, \"e\": true}", out);
    fclose(out);
    assert_true(bytes > 8 << 20);
    vef_node *root;
    assert_int_equal(parse(f, text, wanted, &root), VEF_OK);
    assert_int_equal(root->count, 5);
    assert_string_equal(vef_node_get(vef_node_get(root, "c"), "a")->scalar, "1");
    for (size_t i = 0; i < root->count; i++)
        if (strcmp(root->keys[i], "c") != 0) {
            assert_int_equal(root->items[i]->count, 0);
            assert_string_equal(root->items[i]->scalar, "");
        }
    assert_true(f->arena.held_bytes < 1 << 20);
    *strrchr(text, '2') = '-';
    assert_int_equal(parse(f, text, wanted, &root), VEF_INVALID);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scalars, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_refused, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_places, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_depth, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_unwanted, config_set_up, config_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
