/* The core against the phit-by-phit reference with copies to groups and reductions among other
 * messages: stars and fat trees, all their routings, groups that share switches, short queues,
 * links of different speed. */
#include "tests/netmodel/agreement.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct choice {
    const char *topology, *routing;
    uint32_t endpoints; /* with one for each terminal */
} choice;

static const choice choices[] = {
    {"{family: star, endpoints: 12}", "{algorithm: minimal}", 12},
    {"{family: kary-ntree, k: 2, n: 3}", "{algorithm: d-mod-k}", 8},
    {"{family: kary-ntree, k: 3, n: 2}", "{algorithm: nca-adaptive, channels: 2}", 9},
    {"{family: kary-ntree, k: 2, n: 4}", "{algorithm: destro}", 16},
    {"{family: kary-ntree, k: 4, n: 2}", "{algorithm: tree-adaptive, channels: 2}", 16},
    {"{family: xgft, m: [4, 3], w: [1, 2]}", "{algorithm: nca-random}", 12},
    {"{family: xgft, m: [3, 2, 2], w: [1, 2, 2], links: [1, 2, 1]}", "{algorithm: s-mod-k}", 12},
};

static network_case make_case(uint32_t k) {
    static const double loads[] = {0.03, 0.1, 0.4};
    vef_rng rng = vef_rng_make(22, VEF_RNG_TEST, k);
    const choice *drawn = &choices[vef_rng_below(&rng, sizeof choices / sizeof *choices)];
    network_case made = {
        .topology = drawn->topology,
        .routing = drawn->routing,
        .flow_control = VEF_FLOW_VIRTUAL_CHANNELS,
        .by_table = true,
        .kind = vef_rng_below(&rng, 2) == 0 ? OPEN_LOOP : STEP_BY_STEP,
        .most_packets = vef_rng_below(&rng, 3) == 0 ? 4 : 1,
        .load = loads[vef_rng_below(&rng, 3)],
        .to_all = 1 + vef_rng_below(&rng, 6) * vef_rng_below(&rng, 6),
        .groups = 1 + vef_rng_below(&rng, 4),
        .reductions = 2 + vef_rng_below(&rng, 8),
        .seed = k,
    };
    made.config = (reference_config){
        .endpoints_per_router = 1 + vef_rng_below(&rng, 3) % 2,
        .queue_packets = 1 + vef_rng_below(&rng, 3),
        .injection_queues = 1 + vef_rng_below(&rng, 2),
        .injection_queue_packets = 1 + vef_rng_below(&rng, 4),
        .ejection_ports = 1 + vef_rng_below(&rng, 2),
        .arbiter = (reference_arbiter)(vef_rng_below(&rng, REFERENCE_BY_OUTPUT)),
        .transit_first = vef_rng_below(&rng, 2),
        .router_delay_cycles = vef_rng_below(&rng, 3),
        .link_delay_cycles = 1 + vef_rng_below(&rng, 3),
        .credit_delay_cycles = vef_rng_below(&rng, 3),
        .packet_phits = 1 + vef_rng_below(&rng, 12),
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .seed = vef_rng_next(&rng) >> 33,
    };
    made.endpoints = drawn->endpoints * made.config.endpoints_per_router;
    made.messages = 20 + vef_rng_below(&rng, 60);
    return made;
}

static void core_and_reference_agree(void **unused) {
    (void)unused;
    agree(200, make_case);
}

/* Trees whose levels differ in speed and delay. */
static network_case make_slow_case(uint32_t k) {
    static const link_rule slow[][3] = {{{"level 1-2", {1, 2, 1}}, {"level 2-3", {3, 1, 0}}, {0}},
                                        {{"level 1-2", {2, 1, 2}}, {"level 2-3", {1, 3, 0}}, {0}}};
    network_case made = make_case(1000 + k);
    made.topology = "{family: xgft, m: [3, 2, 2], w: [1, 2, 2], links: [1, 2, 1]}";
    made.routing = k % 3 ? "{algorithm: nca-adaptive, channels: 2}" : "{algorithm: d-mod-k}";
    made.endpoints = 12 * made.config.endpoints_per_router;
    made.rules = slow[k % 2];
    return made;
}

static void links_that_differ(void **unused) {
    (void)unused;
    agree(60, make_slow_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(links_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
