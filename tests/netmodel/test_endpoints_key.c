/* endpoints_per_router: the key of the network and that of families that define it. */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *yaml, *set; /* a file, and what the command line sets; NULL: nothing */
    uint32_t each;          /* endpoints of a router; 0: refused */
} row;

static const row rows[] = {
    {"topology: {family: dragonfly, a: 2, h: 1}", NULL, 1},
    {"{topology: {family: dragonfly, a: 2, h: 1}, endpoints_per_router: 3}", NULL, 3},
    {"topology: {family: dragonfly, a: 2, h: 1, endpoints_per_router: 3}", NULL, 3},
    {"topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}", NULL, 3},
    {"topology: {family: megafly, leaves: 2, h: 1, endpoints_per_router: 3}", NULL, 3},
    {"{topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}, endpoints_per_router: 3}",
     NULL, 3},
    {"{topology: {family: hyperx, sizes: [3], endpoints_per_router: auto}, endpoints_per_router: "
     "2}",
     NULL, 2},
    {"{topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}, endpoints_per_router: 2}",
     NULL, 0},
    {"{topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}, endpoints_per_router: 1}",
     NULL, 0},
    /* The command line overrides the file. */
    {"topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}", "endpoints_per_router=2",
     2},
    {"{topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}, endpoints_per_router: 3}",
     "endpoints_per_router=2", 2},
    {"{topology: {family: hyperx, sizes: [3], endpoints_per_router: 3}, endpoints_per_router: 3}",
     "topology.endpoints_per_router=2", 2},
    {"{topology: {family: hyperx, sizes: [3]}, endpoints_per_router: 3}",
     "topology.endpoints_per_router=2", 2},
    /* Other families have no such key. */
    {"topology: {family: torus, sizes: [3], endpoints_per_router: 3}", NULL, 0},
};

static vef_code make(const row *entry, vef_netmodel **model, vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = vef_config_parse(entry->yaml, "net.yaml", &arena, &root, error);
    if (code == VEF_OK && entry->set)
        code = vef_config_set(root, entry->set, &arena, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, model, error);
    vef_arena_release(&arena);
    return code;
}

/* The network of the resolved configuration has as many endpoints. */
static void check_resolved(const vef_netmodel *model) {
    char text[8192] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    vef_netmodel_write_config(model, out);
    fclose(out);
    vef_netmodel *again = network_of(text);
    assert_int_equal(again->endpoints, model->endpoints);
    vef_netmodel_destroy(again);
}

static void test_either_key(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_netmodel *model = NULL;
        vef_error error = {0};
        const vef_code code = make(&rows[i], &model, &error);
        if (rows[i].each == 0) {
            assert_int_equal(code, VEF_INVALID);
            assert_non_null(strstr(error.message, "endpoints_per_router"));
            assert_non_null(strstr(error.message, "net.yaml:1:"));
            continue;
        }
        if (code != VEF_OK)
            fail_msg("%s: %s", rows[i].yaml, error.message);
        assert_int_equal(model->topology->endpoints_per_router, rows[i].each);
        check_resolved(model);
        vef_netmodel_destroy(model);
    }
}

static void test_both_keys_refused_by_number(void **state) {
    (void)state;
    assert_topology_refused("{family: dragonfly, a: 2, h: 1, endpoints_per_router: 3}", 2,
                            "endpoints_per_router: 3, but 2 outside `topology`: expected one of "
                            "the two keys, or the same number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_either_key),
        cmocka_unit_test(test_both_keys_refused_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
