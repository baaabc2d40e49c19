/* The core against the phit-by-phit reference with the selections of routing adaptive, by credits
 * and by cost, and with a patient routing that weighs its candidates: which of the eligible
 * channels a packet asks for, with every arbiter, with several kinds of queues. The candidates of
 * adaptive are compared with the definition in test_reference_routing.c. */
#include "tests/netmodel/drawn_cases.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 220 };

static const char *const routings[] = {
    "{algorithm: adaptive, selection: random}",
    "{algorithm: adaptive, selection: straight}",
    "{algorithm: adaptive, selection: longest}",
    "{algorithm: adaptive, selection: least-occupied}",
    "{algorithm: adaptive, selection: random, adaptive_channels: 1, return_to_adaptive: false}",
    "{algorithm: adaptive, selection: straight, return_to_adaptive: false}",
    "{algorithm: adaptive, selection: longest, adaptive_channels: 3}",
    "{algorithm: adaptive, selection: least-occupied, adaptive_channels: 3}",
    "{algorithm: polarized-adaptive}",
    "{algorithm: polarized-adaptive, adaptive_channels: 1, penalty: 0}",
};
enum { ROUTINGS = sizeof routings / sizeof *routings };

/* Case k: shapes, routings and arbiters in turn, the rest drawn. Every fifth has queues of default
 * lengths, every seventh virtual output queues. */
static network_case make_case(uint32_t k) {
    network_case made = draw_lattice_case(31, k);
    made.routing = routings[(k + k / reference_shape_count) % ROUTINGS];
    made.config.queue_packets = k % 5 == 0 ? 0 : made.config.queue_packets;
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

/* A reference with another selection delivers some messages at other times, on most networks where
 * there is a choice and much traffic. */
static void another_selection_is_noticed(void **state) {
    (void)state;
    static const char *const selections[] = {
        "{algorithm: adaptive, selection: most-credits}",
        "{algorithm: adaptive, selection: random}",
        "{algorithm: adaptive, selection: straight}",
        "{algorithm: adaptive, selection: longest}",
        "{algorithm: adaptive, selection: least-occupied}",
    };
    enum { SELECTIONS = sizeof selections / sizeof *selections };
    both sides;
    for (uint32_t a = 0; a < SELECTIONS; a++)
        for (uint32_t b = 0; b < SELECTIONS; b++) {
            uint32_t noticed = 0;
            for (uint32_t k = 0; k < 4; k++) {
                network_case sample = make_case(2 + k * reference_shape_count); /* a torus */
                sample.routing = selections[a];
                sample.load = 2.0;
                sample.messages = 300;
                network_case told = sample;
                told.routing = selections[b];
                noticed += disagreements(&sample, &told, &sides) > 0;
            }
            assert_true(a == b ? noticed == 0 : noticed >= 3);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(another_selection_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
