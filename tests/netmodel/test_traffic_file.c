/* Permutations read from a file: what they say, and what is refused, with the line. */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"
#include "tests/netmodel/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *yaml(const char *more) {
    static char text[400];
    snprintf(text, sizeof text, "{pattern: permutation, file: '%s'%s}", own_file_path, more);
    return text;
}

/* The destinations of 6 endpoints. */
static void says(const char *text, const char *more, const uint32_t *expected) {
    vef_topology *topology = topology_of("torus", "{sizes: [3, 2]}", 1);
    own_file_write(text, strlen(text));
    vef_pattern *pattern = pattern_of(yaml(more), topology);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (uint32_t e = 0; e < 6; e++)
        assert_int_equal(pattern->kind->destination(pattern, e, &rng), expected[e]);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

static void reads_what_is_written(void **state) {
    (void)state;
    static const uint32_t turned[] = {1, 2, 3, 4, 5, 0};
    says("0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n", "", turned);
    says("# a ring\n5\t0\r\n\n  4 5 # the last but one\n3 4\n1 2\n0 1\n2 3", "", turned);
    static const uint32_t some[] = {VEF_SILENT, 4, VEF_SILENT, VEF_SILENT, 1, VEF_SILENT};
    says("1 4\n4 1\n3 3\n", "", some);
    static const uint32_t all_to_one[] = {2, 2, VEF_SILENT, VEF_SILENT, 2, VEF_SILENT};
    says("0 2\n1 2\n2 2\n4 2\n", ", shared: true", all_to_one);
}

/* In a file, a name is relative to that file's folder. */
static void stands_beside_the_network(void **state) {
    (void)state;
    static const char line[] = "2 1\n";
    own_file_write(line, strlen(line));
    const char *name = strrchr(own_file_path, '/') + 1;
    char text[400], origin[300];
    snprintf(text, sizeof text, "{pattern: permutation, file: '%s'}", name);
    snprintf(origin, sizeof origin, "%.*s/net.yaml", (int)(name - 1 - own_file_path),
             own_file_path);
    vef_topology *topology = topology_of("torus", "{sizes: [3, 2]}", 1);
    vef_arena arena = {0};
    vef_node *node;
    vef_pattern *pattern;
    vef_error error;
    assert_int_equal(vef_config_parse(text, origin, &arena, &node, &error), VEF_OK);
    assert_int_equal(vef_pattern_create(node, NULL, topology, &pattern, &error), VEF_OK);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    assert_int_equal(pattern->kind->destination(pattern, 2, &rng), 1);
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "no sources"},
        {"# 0 1\n\n", "no sources"},
        {"0 1\n1\n", ":2: '1' is not a pair of endpoints"},
        {"0 1 2\n", ":1: '0 1 2' is not a pair"},
        {"0,1\n", ":1: '0,1' is not a pair"},
        {"0 -1\n", ":1: '0 -1' is not a pair"},
        {"\n\n1 x\n", ":3: '1 x' is not a pair"},
        {"0 1\n1 6\n", ":2: endpoint 6 is out of range: expected 0 to 5"},
        {"99999999999999999999999 1\n", ":1: endpoint"},
        {"4294967296 1\n", ":1: endpoint 4294967296 is out of range"},
        {"0 1\n\n0 2\n", ":3: duplicate source 0: first in line 1"},
        {"0 1\n2 1\n", ":2: duplicate destination 1: first in line 1"},
    };
    vef_topology *topology = topology_of("torus", "{sizes: [3, 2]}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        own_file_write(rows[i].text, strlen(rows[i].text));
        pattern_refused(yaml(""), topology, VEF_INVALID, rows[i].words);
        pattern_refused(yaml(""), topology, VEF_INVALID, own_file_path);
    }
    own_file_write("0 1\n\0 2\n", 8);
    pattern_refused(yaml(""), topology, VEF_INVALID, "it holds a NUL byte");
    pattern_refused("permutation", topology, VEF_INVALID, "key 'file' is missing");
    pattern_refused("{pattern: permutation, file: /nowhere/p.txt}", topology, VEF_IO,
                    "/nowhere/p.txt");
    pattern_refused("{pattern: permutation, file: tests}", topology, VEF_IO, "tests");
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_written),
        cmocka_unit_test(stands_beside_the_network),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
