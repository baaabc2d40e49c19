/* Unknown keys and words: what was probably meant, other names of keys, keys of other sections;
 * other forms of a key, and numbers of 64 bits. */
#include "tests/common/config_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_unknown(void **state) {
    config_fixture *f = *state;
    const char *const names[] = {"torus", "rt", "rtt", "mesh"};
    assert_int_equal(vef_fail_unknown(&f->error, "topology", "tours", names, 4), VEF_INVALID);
    assert_string_equal(f->error.message,
                        "unknown topology 'tours': did you mean torus? Expected one of torus, rt, "
                        "rtt, mesh");
    vef_fail_unknown(&f->error, "topology", "RTT", names, 4);
    assert_has(f->error.message, "did you mean rtt?");
    vef_fail_unknown(&f->error, "topology", "to", names, 4);
    assert_has(f->error.message, "did you mean torus?");
    vef_fail_unknown(&f->error, "topology", "hypercube", names, 4);
    assert_null(strstr(f->error.message, "did you mean"));
    vef_fail_unknown(&f->error, "topology", "x", names, 0);
    assert_has(f->error.message, "there are none");
    /* A list too long for a message is cut between names. */
    static char names_of_many[200][24];
    const char *many[200] = {"a-rather-long-name"};
    for (size_t i = 1; i < 200; i++) {
        snprintf(names_of_many[i], sizeof names_of_many[i], "something-else-%03zu", i);
        many[i] = names_of_many[i];
    }
    vef_fail_unknown(&f->error, "call", "a-rather-long-nam", many, 200);
    assert_has(f->error.message, "did you mean a-rather-long-name? Expected one of a-rather-");
    const char *end = f->error.message + strlen(f->error.message);
    assert_string_equal(end - 5, ", ...");
    assert_memory_equal(end - 23, "something-else-", 15); /* a whole name */
    /* Several things of one name are listed once. */
    const char *const twice[] = {"one", "two", "one"};
    vef_fail_unknown(&f->error, "thing", "x", twice, 3);
    assert_has(f->error.message, "expected one of one, two");
    assert_null(strstr(f->error.message, "two, one"));
    /* Names that differ in case alone are as likely as each other. */
    const char *const units[] = {"GB/s", "Gb/s"};
    vef_fail_unknown(&f->error, "unit", "gb/s", units, 2);
    assert_has(f->error.message, "did you mean GB/s or Gb/s?");
}

/* Other words for a name, and for a key somewhere else in the file. */
static void test_aliases(void **state) {
    config_fixture *f = *state;
    const vef_known known[] = {{"torus", "ring k-ary-n-cube"}, {"kary-ntree", "fat-tree clos"}};
    static const char *const words[][2] = {{"ring", "torus"},
                                           {"fat-tree", "kary-ntree"},
                                           {"FatTree", "kary-ntree"},
                                           {"Kary_nTree", "kary-ntree"},
                                           {"k_ary_n_cube", "torus"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        vef_fail_unknown_of(&f->error, "family", words[i][0], known, 2);
        char expected[64];
        snprintf(expected, sizeof expected, "did you mean %s? Exp", words[i][1]);
        assert_has(f->error.message, expected);
    }
    vef_fail_unknown_of(&f->error, "family", "cube", known,
                        2); /* a part of an alias does not match */
    assert_null(strstr(f->error.message, "did you mean"));
}

static void test_keys_elsewhere(void **state) {
    config_fixture *f = *state;
    struct link {
        int64_t delay;
    } link;
    vef_param root[3] = {{.key = NULL}};
    const vef_param schema[] = {{.key = "delay",
                                 .kind = VEF_PARAM_INT,
                                 .offset = offsetof(struct link, delay),
                                 .fallback = "1",
                                 .aliases = "latency"},
                                {.key = NULL, .section = root}};
    root[0] = (vef_param){.key = "link", .kind = VEF_PARAM_SECTION, .section = schema};
    root[1] = (vef_param){.key = "router", .kind = VEF_PARAM_SECTION};
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"latency: 1",
         "net.yaml:1:1: network: unknown key 'latency': did you mean link.delay? "
         "Expected one of link, router"},
        {"link: {}\ndelai: 1",
         "net.yaml:2:1: network: unknown key 'delai': did you mean link.delay?"},
        {"x: 1", "net.yaml:1:1: network: unknown key 'x': expected one of link, router"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_node *node = config_parsed(f, rows[i].text);
        config_reads(f, VEF_INVALID, node, "network", root, NULL);
        assert_has(f->error.message, rows[i].says);
    }
    vef_node *node = config_parsed(f, "rooter: 1");
    config_reads(f, VEF_INVALID, node, "link", schema, &link);
    assert_has(f->error.message, "unknown key 'rooter': did you mean router?");
}

/* A key and its other form: one of them, and the command line's before the file's. */
static void test_other_forms(void **state) {
    config_fixture *f = *state;
    struct router {
        int64_t cycles;
        double ns;
    } read;
    const vef_param schema[] = {{.key = "delay_cycles",
                                 .kind = VEF_PARAM_INT,
                                 .offset = offsetof(struct router, cycles),
                                 .fallback = "auto",
                                 .minimum = 1,
                                 .maximum = 9,
                                 .word = "auto"},
                                {.key = "delay",
                                 .kind = VEF_PARAM_TIME,
                                 .offset = offsetof(struct router, ns),
                                 .instead_of = "delay_cycles"},
                                {.key = NULL}};
    static const struct {
        const char *text, *set;
        int64_t cycles;
        double ns;
    } rows[] = {
        {"{}", NULL, 0, VEF_NOT_GIVEN_NS},
        {"delay_cycles: auto", NULL, 0, VEF_NOT_GIVEN_NS},
        {"delay_cycles: 3", NULL, 3, VEF_NOT_GIVEN_NS},
        {"delay: 3 us", NULL, 0, 3000},
        {"delay_cycles: 3", "delay=5 ns", 3, 5},
        {"delay: 3 us", "delay_cycles=5", 5, VEF_NOT_GIVEN_NS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_node *node = config_parsed(f, rows[i].text);
        if (rows[i].set)
            assert_int_equal(vef_config_set(node, rows[i].set, &f->arena, &f->error), VEF_OK);
        config_reads(f, VEF_OK, node, "router", schema, &read);
        assert_int_equal(read.cycles, rows[i].cycles);
        assert_true(read.ns == rows[i].ns);
    }
    static const char *const both = "delay_cycles: 3\ndelay: 3 us";
    vef_node *node = config_parsed(f, both);
    config_reads(f, VEF_INVALID, node, "router", schema, &read);
    assert_string_equal(f->error.message,
                        "net.yaml:2:8: router: delay_cycles and delay are both "
                        "given: expected one of them");
    node = config_parsed(f, "delay_cycles: 0");
    config_reads(f, VEF_INVALID, node, "router", schema, &read);
    assert_has(f->error.message, "a whole number from 1 to 9, or auto; found '0'");
}

static void test_unsigned(void **state) {
    config_fixture *f = *state;
    uint64_t seed;
    const vef_param schema[] = {{.key = "seed", .kind = VEF_PARAM_UINT, .fallback = "1"},
                                {.key = NULL}};
    static const struct {
        const char *text;
        uint64_t seed;
    } rows[] = {{"{}", 1}, {"seed: 0", 0}, {"seed: 18446744073709551615", UINT64_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_node *node = config_parsed(f, rows[i].text);
        config_reads(f, VEF_OK, node, "network", schema, &seed);
        assert_true(seed == rows[i].seed);
    }
    static const char *const wrong[] = {"seed: 18446744073709551616", "seed: -1", "seed: 1.0",
                                        "seed: '1'", "seed:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vef_node *node = config_parsed(f, wrong[i]);
        config_reads(f, VEF_INVALID, node, "network", schema, &seed);
        assert_has(f->error.message, "net.yaml:1:");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unknown, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_aliases, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_keys_elsewhere, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_other_forms, config_set_up, config_tear_down),
        cmocka_unit_test_setup_teardown(test_unsigned, config_set_up, config_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
