/* The core against the phit-by-phit reference with the features of the router: allocators that
 * match input ports to outputs, virtual output queues, places of a few phits, shared buffers. One
 * case in three also has links that differ. */
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
    made.config.arbiter = (reference_arbiter)(k / 8 % REFERENCE_ARBITERS);
    made.config.iterations = 1 + k % 2;
    return with_rules(made, k);
}

/* Packets that take as many places as they need, of networks without bubble. */
static network_case make_in_units(uint32_t k) {
    static const uint32_t without_bubble[] = {2, 5, 6, 7, 8, 9, 10, 11, 12};
    enum { WITHOUT = sizeof without_bubble / sizeof *without_bubble };
    network_case made = draw_case(16, k / WITHOUT * DRAWN_NETWORKS + without_bubble[k % WITHOUT]);
    made.config.unit_phits = 1 + k / 4 % 7;
    if (k % 4 == 0)
        made.config.arbiter = k % 8 == 0 ? REFERENCE_TWO_STAGE : REFERENCE_ISLIP;
    made.config.iterations = 2;
    made.config.virtual_output_queues = k % 4 == 1;
    return with_rules(made, k);
}

/* Room of a port or a router shared out, on networks whose ports have different channels too. */
static network_case make_shared(uint32_t k) {
    static const struct {
        const char *topology, *routing;
    } uneven[] = {
        {"{family: twin-torus, sizes: [3, 3, 3]}", "{algorithm: dort}"},
        {"{family: kary-ntree, k: 4, n: 2, inner_links: 1}", "{algorithm: destro}"},
        {"{family: kary-ntree, k: 4, n: 2, inner_links: 1}", "{algorithm: tree-adaptive}"},
    };
    network_case made = draw_case(17, k);
    uint32_t channels = made.traffic_classes > 1 ? 12 : 4;
    if (k % 2 == 0) {
        made.topology = uneven[k / 2 % 3].topology;
        made.routing = uneven[k / 2 % 3].routing;
        made.failures = NULL;
        made.flow_control = VEF_FLOW_VIRTUAL_CHANNELS;
        made.by_table = true;
        made.traffic_classes = 1;
        count_endpoints(&made);
        choose_messages(&made);
        made.messages = made.messages < 300 ? made.messages : 300;
        made.config.unit_phits = k % 6;
    }
    const uint32_t phits = made.config.packet_phits + 5, extra = k * 37 % 50;
    if (k / 2 % 2 == 0)
        made.config.per_port_phits = 2 * channels * phits + extra;
    else
        made.config.per_router_phits = 2 * 12 * channels * phits + extra;
    return with_rules(made, k);
}

static void shared_buffers_agree(void **state) {
    (void)state;
    agree(CASES, make_shared);
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

static void more_room(reference_config *config) {
    if (config->per_port_phits)
        config->per_port_phits += 4 * config->packet_phits;
    else
        config->per_router_phits += 48 * config->packet_phits;
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
        {make_shared, more_room, 4},
    };
    enum { TRIED = 24 };
    both sides;
    for (size_t w = 0; w < sizeof rows / sizeof *rows; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < TRIED; k++) {
            network_case sample = rows[w].make(k);
            sample.load = 2;
            sample.kind = OPEN_LOOP;
            choose_messages(&sample);
            network_case told = sample;
            rows[w].wrong(&told.config);
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("wrong rule %zu: noticed on %u of %u networks\n", w, noticed, (unsigned)TRIED);
        assert_true(noticed >= rows[w].least);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arbiters_that_match_agree), cmocka_unit_test(virtual_output_queues_agree),
        cmocka_unit_test(places_of_units_agree),     cmocka_unit_test(shared_buffers_agree),
        cmocka_unit_test(wrong_rules_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
