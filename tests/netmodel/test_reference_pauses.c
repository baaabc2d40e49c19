/* The core against the phit-by-phit reference with pause frames instead of credits: on lattices and
 * on other networks, with links that differ, token buckets, virtual output queues, arbiters that
 * match, windows and broadcast, and divided into parts; and the longest queue that there can be. */
#include "tests/netmodel/drawn_cases.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 132, GRAPH_CASES = 78, SERIES = 57 };

/* Thresholds that pause often, and delays of frames. One case in three has no delay, and so one
 * part (its seed says how many). Queues are as long as they have to be, or longer. */
static void draw_pauses(network_case *sample) {
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 11);
    reference_config *config = &sample->config;
    config->pauses = true;
    config->unit_phits = 0;
    config->queue_packets = 0;
    config->credit_delay_cycles = vef_rng_below(&rng, 3) * (1 + vef_rng_below(&rng, 30));
    config->pause_resume = vef_rng_below(&rng, 3);
    config->pause_at =
        vef_rng_below(&rng, 2) ? 0 : config->pause_resume + 1 + vef_rng_below(&rng, 3);
    if (config->pause_at == 1)
        config->pause_at = 2;
    if (vef_rng_below(&rng, 3) == 0)
        config->queue_packets = 400;
    bool delayed = config->credit_delay_cycles > 0;
    for (const link_rule *rule = sample->rules; rule && rule->name; rule++)
        delayed = delayed && rule->link.credit_delay_cycles > 0;
    if (!delayed)
        sample->seed = sample->seed / 20 * 20 + 4; /* one part, which no crew steps */
}

static network_case make_case(uint32_t k) {
    network_case made = draw_lattice_case(SERIES, k);
    made.flow_control = VEF_FLOW_VIRTUAL_CHANNELS;
    made.routing = k / 3 % 2 ? "{algorithm: dor}" : "{algorithm: adaptive, adaptive_channels: 1}";
    made.destinations = k % 2 ? 1 + k % 3 : 0;
    if (k % 3 == 2) {
        made.by_table = true;
        draw_rules(&made);
    }
    if (k % 4 == 1)
        draw_headers(&made);
    draw_pauses(&made);
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

/* Windows, or marks by the packets in a queue. */
static void draw_control(network_case *sample) {
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 12);
    reference_config *config = &sample->config;
    config->congestion = (reference_congestion)(REFERENCE_WINDOW + vef_rng_below(&rng, 3));
    config->window_packets = 1 + vef_rng_below(&rng, 5);
    config->queue_share = 0.6 * vef_rng_unit(&rng);
    config->least_window_packets = 0.1;
    config->decrease = 0.5;
    config->increase_packets = 0.3;
    config->most_share = 1;
    config->most_marks = vef_rng_unit(&rng);
    config->gain = 0.2;
    config->least_share = 0.05;
    config->increase_share = 0.05;
    config->hyper_share = 0.1;
    config->recovery_steps = 2;
    config->increase_bytes = 100;
    config->increase_cycles = 60;
    config->alpha_cycles = 100;
    config->notice_cycles = 30;
}

/* The drawn networks without bubble. */
static network_case make_graph_case(uint32_t k) {
    static const uint32_t without_bubble[] = {2, 5, 6, 7, 8, 9, 10, 11, 12};
    enum { WITHOUT = sizeof without_bubble / sizeof *without_bubble };
    network_case made =
        draw_case(SERIES + 1, k / WITHOUT * DRAWN_NETWORKS + without_bubble[k % WITHOUT]);
    made.flow_control = VEF_FLOW_VIRTUAL_CHANNELS;
    made.destinations = k % 3 == 0 ? 0 : 1 + k % 5;
    if (k % 5 == 0) {
        made.config.arbiter = k % 2 ? REFERENCE_TWO_STAGE : REFERENCE_ISLIP;
        made.config.iterations = 1 + k % 3;
    }
    made.config.virtual_output_queues = k % 4 == 1;
    if (k % 4 == 3)
        draw_control(&made);
    if (k % 3 == 2)
        draw_rules(&made);
    draw_pauses(&made);
    return made;
}

static void they_agree_on_other_networks(void **state) {
    (void)state;
    agree(GRAPH_CASES, make_graph_case);
}

/* On a ring, or a torus. */
static network_case make_broadcast_case(uint32_t k) {
    network_case made = make_case(k * reference_shape_count + k % 2 * 2);
    made.config.arbiter = (reference_arbiter)(k % REFERENCE_BY_OUTPUT);
    made.config.virtual_output_queues = false;
    made.to_all = 3;
    if (made.kind == CLOSED_LOOP)
        made.kind = STEP_BY_STEP;
    return made;
}

static void they_agree_with_broadcast(void **state) {
    (void)state;
    agree(12, make_broadcast_case);
}

/* ---- the comparison notices ---- */

static void change(reference_config *config, uint32_t which) {
    switch (which) {
    case 0:
        config->pauses = false;
        config->queue_packets = 4;
        break;
    case 1:
        config->pause_at++;
        break;
    case 2:
        config->pause_resume--;
        break;
    default:
        config->credit_delay_cycles++;
        break;
    }
}

static void wrong_rules_are_noticed(void **state) {
    (void)state;
    both sides;
    for (uint32_t which = 0; which < 4; which++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < 12; k++) {
            network_case sample = make_case(3 * k);
            sample.load = 2;
            sample.most_packets = 4;
            sample.destinations = 2;
            choose_messages(&sample);
            sample.config.pause_at = 4;
            sample.config.pause_resume = 2;
            sample.config.queue_packets = 400;
            network_case told = sample;
            change(&told.config, which);
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("change %u: noticed on %u of 12 networks\n", which, noticed);
        assert_true(noticed >= 6);
    }
}

/* ---- headroom ---- */

/* Three routers in a row. The endpoint of the first sends packets of one phit to that of the last,
 * which the middle one also sends packets to, first and preferred: its queue fills. */
static uint32_t most_held(uint32_t router_delay, uint32_t link_delay, uint32_t credit_delay,
                          uint32_t pause_at, uint32_t header_phits) {
    const int sizes[] = {3, 0};
    const reference_lattice line = reference_mesh(1, sizes);
    const reference_own_routing own = {.lattice = &line, .channels = 1};
    const reference_routing by = reference_route_alone(&own);
    const reference_config config = {
        .lattice = line,
        .endpoints_per_router = 1,
        .injection_queues = 1,
        .injection_queue_packets = 4,
        .ejection_ports = 1,
        .arbiter = REFERENCE_OLDEST, /* the one packet that is older than all */
        .router_delay_cycles = router_delay,
        .link_delay_cycles = link_delay,
        .credit_delay_cycles = credit_delay,
        .packet_phits = 2000,
        .phit_bytes = 4,
        .header_bytes = 4 * header_phits,
        .pauses = true,
        .pause_at = pause_at,
        .seed = 1,
    };
    reference *network = reference_new(&config, &by);
    reference_inject(network, 1, 2, reference_payload(&config), 0);
    for (uint32_t k = 0; k < 300; k++)
        reference_inject(network, 0, 2, 0, 0);
    while (reference_pending(network) > 0) {
        assert_true(reference_now(network) < 20000);
        reference_cycle(network);
    }
    const uint32_t held = reference_most_held(network, 1, 1, 0);
    reference_free(network);
    return held;
}

/* The bound of MODEL.md: the threshold, and a packet for each x of the H + D - 1 cycles after the
 * one in which the packet that reached it was granted. It is reached. */
static void queues_hold_the_headroom_and_no_more(void **state) {
    (void)state;
    assert_int_equal(most_held(0, 1, 0, 2, 0), 2);
    assert_int_equal(most_held(0, 1, 1, 2, 0), 2 + 1);
    assert_int_equal(most_held(2, 3, 10, 5, 0), 5 + 14);
    assert_int_equal(most_held(2, 3, 10, 5, 7), 5 + 2);
    assert_int_equal(most_held(1, 3, 10, 5, 7), 5 + 1);
    assert_int_equal(most_held(0, 50, 50, 3, 1), 3 + 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(they_agree_on_other_networks),
        cmocka_unit_test(they_agree_with_broadcast),
        cmocka_unit_test(wrong_rules_are_noticed),
        cmocka_unit_test(queues_hold_the_headroom_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
