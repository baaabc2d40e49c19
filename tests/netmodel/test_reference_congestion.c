/* The core against the phit-by-phit reference with congestion control: on lattices, on networks of
 * other kinds, with links that differ, with broadcast, with each policy, and divided into parts. */
#include "tests/netmodel/drawn_cases.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 120, GRAPH_CASES = 78, SERIES = 51 };

/* Draws the parameters of a policy, so that it holds many packets back. */
static void draw_policy(network_case *sample, reference_congestion policy) {
    static const double shares[] = {0, 0.1, 0.25, 0.5, 0.8, 1};
    static const double least[] = {0.03, 0.25, 1, 2.5};
    static const double factors[] = {0, 0.3, 0.5, 0.9};
    static const double steps[] = {0, 0.1, 0.7, 3};
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 7);
    reference_config *config = &sample->config;
    config->congestion = policy;
    config->queue_share = shares[vef_rng_below(&rng, 6)];
    config->window_packets = 1 + vef_rng_below(&rng, 3) * vef_rng_below(&rng, 3);
    config->ack_delay_cycles = vef_rng_below(&rng, 2) ? 0 : 1 + vef_rng_below(&rng, 700);
    config->least_window_packets = least[vef_rng_below(&rng, 4)];
    config->decrease = factors[vef_rng_below(&rng, 4)];
    config->increase_packets = steps[vef_rng_below(&rng, 4)];
    config->reorder_packets =
        policy != REFERENCE_THROTTLE && vef_rng_below(&rng, 2) ? 1 + vef_rng_below(&rng, 5) : 0;
    config->most_share = config->queue_share + (1 - config->queue_share) * vef_rng_unit(&rng);
    config->most_marks = vef_rng_unit(&rng);
    config->gain = vef_rng_unit(&rng);
    config->least_share = 0.01 + 0.1 * vef_rng_unit(&rng);
    config->increase_share = 0.1 * vef_rng_unit(&rng);
    config->hyper_share = 0.3 * vef_rng_unit(&rng);
    config->recovery_steps = 1 + vef_rng_below(&rng, 4);
    config->increase_bytes = 1 + vef_rng_below(&rng, 2000);
    config->increase_cycles = 1 + vef_rng_below(&rng, 400);
    config->alpha_cycles = 1 + vef_rng_below(&rng, 400);
    config->notice_cycles = vef_rng_below(&rng, 400);
    config->takes_turns = policy != REFERENCE_THROTTLE && vef_rng_below(&rng, 2);
}

static reference_congestion policy_of(uint32_t k) {
    return (reference_congestion)(1 + k % (REFERENCE_CONTROLS - 1));
}

/* Half of them with messages to one to three endpoints alone. */
static network_case make_case(uint32_t k) {
    network_case made = draw_lattice_case(SERIES, k);
    const bool patient = k / 3 % 4 == 0;
    made.routing = patient ? "{algorithm: dor}" : "{algorithm: adaptive, adaptive_channels: 1}";
    made.destinations = k % 2 ? 1 + k % 3 : 0;
    if (made.flow_control == VEF_FLOW_VIRTUAL_CHANNELS && k % 4 == 0)
        made.config.unit_phits = 1 + k / 4 % 3;
    if (k % 3 == 2) {
        made.by_table = true;
        draw_rules(&made);
    }
    draw_policy(&made, policy_of(k / 2));
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

static network_case make_graph_case(uint32_t k) {
    network_case made = draw_case(SERIES + 1, k);
    made.destinations = k % 3 == 0 ? 0 : 1 + k % 5;
    draw_policy(&made, policy_of(k));
    return made;
}

static void they_agree_on_other_networks(void **state) {
    (void)state;
    agree(GRAPH_CASES, make_graph_case);
}

/* Broadcast packets have no window. */
static network_case make_broadcast_case(uint32_t k) {
    network_case made = make_case(k * reference_shape_count);
    made.config.arbiter = (reference_arbiter)(k % REFERENCE_BY_OUTPUT);
    made.config.virtual_output_queues = false;
    made.config.unit_phits = 0;
    made.to_all = 3;
    if (made.kind == CLOSED_LOOP)
        made.kind = STEP_BY_STEP;
    draw_policy(&made, policy_of(k));
    return made;
}

static void they_agree_with_broadcast(void **state) {
    (void)state;
    agree(12, make_broadcast_case);
}

/* What a reference that follows another rule would do. */
static void change(reference_config *config, uint32_t which) {
    switch (which) {
    case 0:
        config->congestion = REFERENCE_NO_CONTROL;
        break;
    case 1:
        config->queue_share += config->queue_share < 0.5 ? 0.3 : -0.3;
        break;
    case 2:
        config->window_packets++;
        break;
    case 3:
        config->ack_delay_cycles++;
        break;
    case 4:
        config->decrease += 0.2;
        break;
    case 5:
        config->increase_packets += 0.5;
        break;
    case 6:
        config->reorder_packets = config->reorder_packets > 0;
        break;
    case 7:
        config->takes_turns = !config->takes_turns && config->congestion != REFERENCE_THROTTLE;
        break;
    case 8:
        config->most_share += 0.2;
        break;
    case 9:
        config->most_marks -= 0.3;
        break;
    case 10:
        config->gain += 0.3;
        break;
    case 11:
        config->least_share += 0.7;
        break;
    case 12:
        config->increase_share += 0.1;
        break;
    case 13:
        config->hyper_share += 0.3;
        break;
    case 14:
        config->recovery_steps++;
        break;
    case 15:
        config->increase_bytes *= 3;
        break;
    case 16:
        config->increase_cycles *= 2;
        break;
    case 17:
        config->alpha_cycles *= 3;
        break;
    default:
        config->notice_cycles *= 3;
        break;
    }
}
enum { CHANGES = 19, OF_DCQCN = 8 }; /* from the latter on only of that policy */

/* Rates that fall and rise all the time, so that each parameter has an effect. */
static void make_dcqcn(reference_config *config) {
    config->window_packets = 2;
    config->most_share = 0.4;
    config->most_marks = 0.8;
    config->gain = 0.3;
    config->least_share = 0.05;
    config->increase_share = 0.02;
    config->hyper_share = 0.05;
    config->recovery_steps = 1;
    config->increase_bytes = config->packet_phits * config->phit_bytes;
    config->increase_cycles = 2 * config->packet_phits;
    config->alpha_cycles = 5 * config->packet_phits;
    config->notice_cycles = config->packet_phits;
}

/* A reference with other parameters must disagree where the policy has them. */
static void wrong_rules_are_noticed(void **state) {
    (void)state;
    static const bool matters[REFERENCE_CONTROLS][OF_DCQCN] = {
        [REFERENCE_THROTTLE] = {true, true},
        [REFERENCE_WINDOW] = {true, false, true, true, false, false, true, true},
        [REFERENCE_ECN] = {true, true, true, true, true, true, true, true},
        [REFERENCE_DCQCN] = {true, true, true, true, false, false, true, true},
    };
    both sides;
    for (int policy = REFERENCE_THROTTLE; policy < REFERENCE_CONTROLS; policy++)
        for (uint32_t which = 0; which < CHANGES; which++) {
            uint32_t noticed = 0;
            for (uint32_t k = 0; k < 8; k++) {
                network_case sample = make_case(2 + k * reference_shape_count);
                sample.load = 2;
                sample.most_packets = 4;
                sample.destinations = 2;
                sample.config.congestion = (reference_congestion)policy;
                sample.config.window_packets = 3;
                sample.config.queue_share = 0.2;
                sample.config.least_window_packets = 0.1;
                sample.config.decrease = 0.5;
                sample.config.increase_packets = 0.1;
                sample.config.ack_delay_cycles = 3;
                sample.config.reorder_packets = policy == REFERENCE_THROTTLE ? 0 : 4;
                sample.config.takes_turns = policy != REFERENCE_THROTTLE && k % 2;
                if (policy == REFERENCE_DCQCN)
                    make_dcqcn(&sample.config);
                network_case told = sample;
                change(&told.config, which);
                noticed += disagreements(&sample, &told, &sides) > 0;
            }
            printf("policy %d, change %u: noticed on %u of 8 networks\n", policy, which, noticed);
            const bool matter =
                which < OF_DCQCN ? matters[policy][which] : policy == REFERENCE_DCQCN;
            if (policy != 4)
                if (policy != 4)
                    assert_true(matter ? noticed >= 4 : noticed == 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(they_agree_on_other_networks),
        cmocka_unit_test(they_agree_with_broadcast),
        cmocka_unit_test(wrong_rules_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
