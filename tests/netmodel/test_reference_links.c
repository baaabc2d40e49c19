/* The core against the phit-by-phit reference where links differ: classes of links with bandwidths
 * and delays of their own, drawn, on networks that have several classes. */
#include "tests/netmodel/drawn_cases.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 96 };

static network_case make_case(uint32_t k) {
    network_case made = draw_case(13, k);
    draw_rules(&made);
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

/* The default lengths of queues, which follow the round trip of each link: delays of up to a dozen
 * packets and more, other ones for each class of links. */
static network_case make_default_case(uint32_t k) {
    network_case made = draw_case(17, k);
    draw_rules(&made);
    vef_rng rng = vef_rng_make(made.seed, VEF_RNG_TEST, 2);
    made.config.queue_packets = made.config.per_port_phits = made.config.per_router_phits = 0;
    made.config.router_delay_cycles = vef_rng_below(&rng, 40);
    static link_rule longer_rules[MOST_RULES + 1];
    memcpy(longer_rules, made.rules, sizeof longer_rules);
    for (link_rule *rule = longer_rules; rule->name; rule++) {
        rule->link.delay_cycles += vef_rng_below(&rng, 60);
        rule->link.credit_delay_cycles += vef_rng_below(&rng, 60);
    }
    made.rules = longer_rules;
    made.config.burst_phits = 0;
    return made;
}

static void default_queues_agree(void **state) {
    (void)state;
    agree(CASES, make_default_case);
}

/* ---- the comparison notices ---- */

static void slower(reference_link *link) {
    link->cycles_per_phit++;
}
static void longer(reference_link *link) {
    link->delay_cycles++;
}
static void later_credits(reference_link *link) {
    link->credit_delay_cycles += 2;
}

static void wrong_rules_are_noticed(void **state) {
    (void)state;
    void (*const wrong[])(reference_link *) = {slower, longer, later_credits};
    enum { TRIED = 24 };
    both sides;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < TRIED; k++) {
            const network_case sample = make_case(k);
            link_rule others[MOST_RULES + 1];
            memcpy(others, sample.rules, sizeof others);
            wrong[w](&others[0].link);
            network_case told = sample;
            told.rules = others;
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("wrong rule %zu: noticed on %u of %u networks\n", w, noticed, (unsigned)TRIED);
        assert_true(noticed >= 8);
    }
}

/* ---- closed forms ---- */

/* Over one link of a cycles for a phit and one of b: the head of L phits is through after
 * (a - 1 + delay) + (b - 1 + delay), each other phit max(a, b) later, and the tail takes a cycle to
 * be consumed. */
static void latency_over_two_links(void **state) {
    (void)state;
    for (uint32_t a = 1; a <= 4; a++)
        for (uint32_t b = 1; b <= 4; b++)
            for (uint32_t phits = 1; phits <= 9; phits += 4) {
                char yaml[512];
                snprintf(yaml, sizeof yaml,
                         "{topology: {family: mesh, sizes: [2, 2, 2]}, routing: {algorithm: dor}, "
                         "link: {bandwidth: 12 Gbit/s, phit: 1 B, classes: {x: {bandwidth: %u "
                         "Mbit/s, delay_cycles: 3}, y: {bandwidth: %u Mbit/s}}}}",
                         12000 / a, 12000 / b);
                vef_netmodel *model = network_of(yaml);
                assert_int_equal(send_alone(model, 0, 3, phits),
                                 a + 2 + b + (phits - 1) * (a > b ? a : b) + 1);
                vef_netmodel_destroy(model);
            }
}

/* Phits of 3 cycles each keep a link busy three times as long as they are many; while a packet
 * crosses, those that have. */
static void slow_links_are_busy_longer(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{topology: {family: mesh, sizes: [2, 2]}, routing: {algorithm: "
        "dor}, link: {bandwidth: 3 Gbit/s, phit: 1 B, classes: {x: "
        "{bandwidth: 1 Gbit/s}}}}");
    send_alone(model, 0, 1, 4);
    assert_int_equal(model->kind->link_phits(model, 0, 0), 4);
    assert_int_equal(model->kind->link_busy_cycles(model, 0, 0), 12);
    send_alone(model, 0, 2, 4);
    assert_int_equal(model->kind->link_busy_cycles(model, 0, 2), 4);
    const uint64_t begun = model->kind->now(model);
    const vef_net_message message = {
        .source = 0, .destination = 1, .bytes = 4, .time_cycles = begun};
    const vef_net_delivery *got;
    size_t count;
    vef_error error = {0};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    assert_int_equal(model->kind->advance(model, begun + 6, &got, &count, &error), VEF_OK);
    assert_int_equal(model->kind->link_phits(model, 0, 0), 4 + 2);
    vef_netmodel_destroy(model);
}

/* In examples/networks/leaf-spine.txt a cycle is 32 bit / 40 Gbit/s = 0.8 ns: 50 ns are 62.5
 * cycles, 250 ns 312.5. Over the first spine (to which ties go in order) or over the second. */
static void delays_in_ns_are_rounded_up(void **state) {
    (void)state;
    static const char yaml[] =
        "{topology: {family: edges, file: examples/networks/leaf-spine.txt}, routing: {algorithm: "
        "minimal}, router: {flow_control: virtual-channels, arbiter: oldest}}";
    vef_netmodel *model = network_of(yaml);
    assert_near(vef_netmodel_cycle_ns(model), 0.8, 1e-12);
    assert_int_equal(send_alone(model, 0, 4, 4), 2 * 63 + 1);
    /* A message of 40 packets of 16 phits fills the queues of the first spine, and spills over. */
    const uint64_t begun = model->kind->now(model);
    assert_true(send_alone(model, 0, 4, 40ull * 64) > begun + 2 * 313);
    vef_netmodel_destroy(model);
}

static void networks_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *link, *says;
    } rows[] = {
        {"{classes: {z: {}}}", "unknown class of links 'z': expected one of x, y"},
        {"{classes: [x]}", "expected a mapping"},
        {"{classes: {x: {speed: 3}}}", "speed"},
        {"{classes: {x: {delay_cycles: -1}}}", "delay_cycles"},
        {"{classes: {x: {bandwidth: 7 Gbit/s}, y: {bandwidth: 10 Gbit/s}}}",
         "5 Gbit/s or 10 Gbit/s"},
        {"{bandwidth: 3 Gbit/s, classes: {x: {bandwidth: 10 Gbit/s}}}", "2500 Mbit/s or 5 Gbit/s"},
        {"{classes: {x: {bandwidth: 100 kbit/s}}}", "at most 4096"},
        {"{delay_cycles: 3, classes: {x: {delay_cycles: 0}}}", "at least 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "topology: {family: torus, sizes: [4, 4]}\nlink: %s\n",
                 rows[i].link);
        vef_error error = {0};
        network_refused(yaml, &error);
        if (error.code == VEF_OK || !strstr(error.message, rows[i].says) ||
            strncmp(error.message, "net.yaml:", 9) != 0)
            fail_msg("%s: %s", rows[i].link, error.message);
    }
    vef_error error = {0};
    network_refused(
        "{topology: {family: edges, file: examples/networks/leaf-spine.txt}, link: "
        "{classes: {all: {delay_cycles: 2}}}}",
        &error);
    assert_non_null(strstr(error.message, "sets the attributes of its links"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),   cmocka_unit_test(default_queues_agree),
        cmocka_unit_test(wrong_rules_are_noticed),    cmocka_unit_test(latency_over_two_links),
        cmocka_unit_test(slow_links_are_busy_longer), cmocka_unit_test(delays_in_ns_are_rounded_up),
        cmocka_unit_test(networks_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
