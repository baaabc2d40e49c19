/* The core against the phit-by-phit reference with the features of the router: allocators that
 * match input ports to outputs. One case in three also has links that differ. */
#include "tests/netmodel/drawn_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 64 };

static network_case with_rules(network_case made, uint32_t k) {
    if (k % 3 == 2)
        draw_rules(&made);
    return made;
}

static network_case make_matched(uint32_t k) {
    network_case made = draw_case(14, k);
    made.config.arbiter = k / 8 % 3 == 0 ? REFERENCE_TWO_STAGE : REFERENCE_ISLIP;
    made.config.iterations = 1 + k % 3;
    return with_rules(made, k);
}

/* With virtual output queues, under any arbiter. */
static network_case make_sorted(uint32_t k) {
    network_case made = draw_case(15, k);
    made.config.virtual_output_queues = true;
    made.config.arbiter = (reference_arbiter)(k / 8 % 5);
    made.config.iterations = 1 + k % 2;
    return with_rules(made, k);
}

/* Packets that take as many places as they need, of networks without bubble. */
static network_case make_in_units(uint32_t k) {
    static const uint32_t without_bubble[] = {2, 5, 6, 7};
    network_case made = draw_case(16, k / 4 * 8 + without_bubble[k % 4]);
    made.config.unit_phits = 1 + k / 4 % 7;
    if (k % 5 == 0)
        made.config.arbiter = k % 2 == 0 ? REFERENCE_TWO_STAGE : REFERENCE_ISLIP;
    made.config.iterations = 2;
    made.config.virtual_output_queues = k % 4 == 1;
    return with_rules(made, k);
}

static void virtual_output_queues_agree(void **state) {
    (void)state;
    agree(CASES, make_sorted);
}

static void places_of_units_agree(void **state) {
    (void)state;
    agree(CASES, make_in_units);
}

static void arbiters_that_match_agree(void **state) {
    (void)state;
    agree(CASES, make_matched);
}

/* ---- the comparison notices ---- */

static void another_arbiter(reference_config *config) {
    config->arbiter =
        config->arbiter == REFERENCE_TWO_STAGE ? REFERENCE_ISLIP : REFERENCE_TWO_STAGE;
}
static void another_iteration(reference_config *config) {
    config->iterations++;
}

static void no_virtual_output_queues(reference_config *config) {
    config->virtual_output_queues = false;
}
static void greater_units(reference_config *config) {
    config->unit_phits++;
}

static void wrong_rules_are_noticed(void **state) {
    (void)state;
    static const struct {
        network_case (*make)(uint32_t);
        void (*wrong)(reference_config *);
        uint32_t least;
    } rows[] = {
        {make_matched, another_arbiter, 8},
        {make_matched, another_iteration, 2}, /* of no use where a port has one channel */
        {make_sorted, no_virtual_output_queues, 8},
        {make_in_units, greater_units, 8},
    };
    enum { TRIED = 24 };
    both sides;
    for (size_t w = 0; w < sizeof rows / sizeof *rows; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < TRIED; k++) {
            network_case of = rows[w].make(k);
            of.load = 2;
            of.kind = OPEN_LOOP;
            choose_messages(&of);
            network_case told = of;
            rows[w].wrong(&told.config);
            noticed += disagreements(&of, &told, &sides) > 0;
        }
        printf("wrong rule %zu: noticed on %u of %u networks\n", w, noticed, (unsigned)TRIED);
        assert_true(noticed >= rows[w].least);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arbiters_that_match_agree),
        cmocka_unit_test(virtual_output_queues_agree),
        cmocka_unit_test(places_of_units_agree),
        cmocka_unit_test(wrong_rules_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
