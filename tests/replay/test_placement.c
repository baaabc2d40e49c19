/* Placements of jobs on a torus of 4 x 4 routers, whose rows are the groups, and how far apart the
 * chosen nodes are. */
#include "replay/jobs/placement.h"
#include "replay/jobs/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

typedef struct machine {
    vef_netmodel *network;
    vef_job_nodes nodes;
    vef_arena arena;
} machine;

static machine open_machine(const char *yaml, uint32_t nics, uint32_t cores) {
    machine made = {0};
    vef_error error = {0};
    if (vef_netmodel_open(yaml, NULL, 0, &made.network, &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_job_nodes_make(&made.nodes, made.network, 12, nics, cores);
    return made;
}

static void close_machine(machine *self) {
    vef_job_nodes_release(&self->nodes);
    vef_netmodel_destroy(self->network);
    vef_arena_release(&self->arena);
}

static void choose(machine *self, const char *text, uint32_t wanted, uint32_t *chosen) {
    vef_job_placement placement;
    vef_error error = {0};
    if (vef_job_placement_read(text, &self->arena, &placement, &error) ||
        vef_job_placement_choose(&placement, &self->nodes, wanted, chosen, &error))
        fail_msg("%s", error.message);
}

static void check(machine *self, const char *text, uint32_t wanted, const uint32_t *expected) {
    uint32_t chosen[16];
    choose(self, text, wanted, chosen);
    for (uint32_t i = 0; i < wanted; i++)
        assert_int_equal(chosen[i], expected[i]);
}

#define TORUS "{topology: {family: torus, sizes: [4, 4]}}"

static void groups_fill_with_least_waste(void **state) {
    (void)state;
    machine torus = open_machine(TORUS, 1, 1);
    assert_int_equal(torus.nodes.groups, 4);
    /* Free: row 0 two, row 1 three, row 2 all, row 3 one. */
    const uint32_t taken[] = {0, 1, 5, 12, 13, 15};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        vef_job_nodes_take(&torus.nodes, taken[i], 0);
    check(&torus, "group", 1, (const uint32_t[]){14});
    check(&torus, "group", 2, (const uint32_t[]){2, 3});
    check(&torus, "group", 3, (const uint32_t[]){4, 6, 7});
    check(&torus, "group", 4, (const uint32_t[]){8, 9, 10, 11});
    /* The fullest row, then for one more node the tightest. */
    check(&torus, "group", 5, (const uint32_t[]){8, 9, 10, 11, 14});
    check(&torus, "group", 7, (const uint32_t[]){8, 9, 10, 11, 4, 6, 7});
    check(&torus, "contiguous", 4, (const uint32_t[]){2, 3, 4, 6});
    check(&torus, NULL, 1, (const uint32_t[]){2});
    close_machine(&torus);
}

static void random_is_a_choice(void **state) {
    (void)state;
    machine torus = open_machine(TORUS, 1, 1);
    uint32_t one[16], other[16];
    bool seen[16] = {false};
    vef_job_nodes_take(&torus.nodes, 3, 0);
    choose(&torus, "random(5)", 15, one);
    for (uint32_t i = 0; i < 15; i++) {
        assert_true(one[i] < 16 && one[i] != 3 && !seen[one[i]]);
        seen[one[i]] = true;
    }
    choose(&torus, "random(5)", 15, other);
    assert_memory_equal(one, other, 15 * sizeof *one);
    choose(&torus, "random(6)", 15, other);
    assert_memory_not_equal(one, other, 15 * sizeof *one);
    choose(&torus, "random", 4, one);
    choose(&torus, "random(1)", 4, other);
    assert_memory_equal(one, other, 4 * sizeof *one);
    close_machine(&torus);
}

/* What is a group on which network, and what a node is. */
static void groups_of_networks(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        uint32_t nics, nodes, groups;
    } cases[] = {
        {"{topology: {family: mesh, sizes: [6]}}", 1, 6, 6},
        {"{topology: {family: torus, sizes: [2, 3, 4]}}", 1, 24, 4},
        {"{topology: {family: mesh, sizes: [4]}, endpoints_per_router: 2}", 1, 8, 4},
        {"{topology: {family: mesh, sizes: [4]}, endpoints_per_router: 2}", 2, 4, 4},
        {"{topology: {family: dragonfly, a: 4, h: 2, endpoints_per_router: 2}}", 1, 72, 9},
        {"{topology: {family: kary-ntree, k: 4, n: 2}, endpoints_per_router: 1}", 1, 16, 4},
        {"{model: ideal}", 1, 12, 1},
        {"{model: ideal}", 3, 4, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine made = open_machine(cases[i].yaml, cases[i].nics, 1);
        assert_int_equal(made.nodes.count, cases[i].nodes);
        assert_int_equal(made.nodes.groups, cases[i].groups);
        close_machine(&made);
    }
}

/* Two corners and the middle between them, on a mesh and on a torus. */
static void hops_between_nodes(void **state) {
    (void)state;
    const uint32_t endpoints[] = {0, 4, 8, 4};
    vef_job_spread spread;
    machine mesh = open_machine("{topology: {family: mesh, sizes: [3, 3]}}", 1, 2);
    vef_job_spread_find(&mesh.nodes, endpoints, 4, &spread);
    assert_int_equal(spread.nodes, 3);
    assert_int_equal(spread.groups, 3);
    assert_true(spread.mean_hops == (2 + 2 + 4) / 3.0);
    close_machine(&mesh);
    machine torus = open_machine("{topology: {family: torus, sizes: [3, 3]}}", 1, 2);
    vef_job_spread_find(&torus.nodes, endpoints, 4, &spread);
    assert_true(spread.mean_hops == 2.0);
    vef_job_spread_find(&torus.nodes, endpoints, 1, &spread);
    assert_int_equal(spread.nodes, 1);
    assert_true(spread.mean_hops == 0);
    close_machine(&torus);
}

static void refuses(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"grup",
         "unknown placement 'grup': did you mean group? Expected one of contiguous, "
         "random, group, file"},
        {"scattered",
         "unknown placement 'scattered': did you mean random? Expected one of "
         "contiguous, random, group, file"},
        {"group(3)", "placement group(3): expected group"},
        {"file", "placement file: expected file(path)"},
        {"file()", "placement file(): expected file(path)"},
        {"random(x)", "the seed of a placement: expected"},
        {"random(3", "placement random(3: expected random"},
    };
    machine torus = open_machine(TORUS, 1, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_job_placement placement;
        vef_error error = {0};
        assert_int_equal(vef_job_placement_read(cases[i].text, &torus.arena, &placement, &error),
                         VEF_INVALID);
        if (strncmp(error.message, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%s: %s", cases[i].text, error.message);
    }
    close_machine(&torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_fill_with_least_waste),
        cmocka_unit_test(random_is_a_choice),
        cmocka_unit_test(groups_of_networks),
        cmocka_unit_test(hops_between_nodes),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
