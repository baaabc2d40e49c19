/* The core against the phit-by-phit reference with injection policies that queue packets by the
 * ports of their routes: on lattices, on networks of other kinds, with links that differ, and for
 * routings whose packets choose their routes by the state of queues. */
#include "tests/netmodel/drawn_cases.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 100, GRAPH_CASES = 72 };

static const char *const routings[] = {
    "{algorithm: adaptive, adaptive_channels: 1}",
    "{algorithm: dor}",
    "{algorithm: adaptive, adaptive_channels: 2, selection: longest}",
    "{algorithm: adaptive, selection: random}",
    "{algorithm: dor, channels: 3}",
    "{algorithm: adaptive, adaptive_channels: 2, selection: straight}",
    "{algorithm: ugal}",
    "{algorithm: valiant}",
};
enum { ROUTINGS = sizeof routings / sizeof *routings, BY_RECORD = 6 };

/* Case k: shapes, routings and policies in turn; one injection queue, fewer than ports, as many,
 * and more. */
static network_case make_case(uint32_t k) {
    network_case made = draw_lattice_case(41, k);
    const uint32_t which = (k + k / reference_shape_count) % ROUTINGS;
    made.routing = routings[which];
    made.config.injection = (reference_injection_policy)(k % REFERENCE_POLICIES);
    if (which >= BY_RECORD && made.config.injection == REFERENCE_LONGEST_PATH)
        made.config.injection = REFERENCE_SHORTEST_PROFITABLE;
    made.config.injection_queues = 1 + (k + k / 9) % 9;
    if (made.flow_control == VEF_FLOW_VIRTUAL_CHANNELS && k % 4 == 0)
        made.config.unit_phits = 1 + k / 4 % 3;
    if (k % 3 == 2) {
        made.by_table = true;
        draw_rules(&made);
    }
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

static network_case make_graph_case(uint32_t k) {
    network_case made = draw_case(42, k);
    made.config.injection = (reference_injection_policy)(k / 9 % REFERENCE_BY_ANY_ROUTE);
    made.config.injection_queues = 1 + k * 5 % 8;
    return made;
}

static void they_agree_on_other_networks(void **state) {
    (void)state;
    agree(GRAPH_CASES, make_graph_case);
}

/* A reference with the next policy must disagree: on tori, with a queue for each port. */
static void wrong_policies_are_noticed(void **state) {
    (void)state;
    both sides;
    for (int policy = 0; policy < REFERENCE_POLICIES; policy++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < 8; k++) {
            network_case sample = make_case(2 + k * reference_shape_count);
            sample.routing = routings[0];
            sample.config.injection = (reference_injection_policy)policy;
            sample.config.injection_queues = 4;
            sample.config.injection_queue_packets = 2;
            sample.load = 0.4;
            network_case told = sample;
            told.config.injection = (reference_injection_policy)((policy + 1) % REFERENCE_POLICIES);
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("policy %d: noticed on %u of 8 networks\n", policy, noticed);
        assert_true(noticed >= 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(they_agree_on_other_networks),
        cmocka_unit_test(wrong_policies_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
