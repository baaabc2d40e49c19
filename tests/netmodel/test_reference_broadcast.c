/* The core against the phit-by-phit reference with messages to all among others: random networks
 * that have a broadcast, all their routings, short queues, links of different speed. */
#include "tests/netmodel/agreement.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct choice {
    const char *topology, *routing;
    uint32_t routers;
} choice;

static const choice choices[] = {
    {"{family: king-torus, sizes: [4, 4]}", "{algorithm: hop-by-hop-2s}", 16},
    {"{family: king-torus, sizes: [5, 3]}", "{algorithm: hop-by-hop}", 15},
    {"{family: king-torus, sizes: [3, 3]}", "{algorithm: adaptive, adaptive_channels: 1}", 9},
    {"{family: king-torus, sizes: [2, 5]}", "{algorithm: dor}", 10},
    {"{family: king-torus, sizes: [5, 4]}", "{algorithm: knaive, adaptive_channels: 0}", 20},
    {"{family: king-mesh, sizes: [4, 5]}", "{algorithm: hop-by-hop-2s}", 20},
    {"{family: king-mesh, sizes: [5, 2]}", "{algorithm: eknaive, return_to_adaptive: false}", 10},
    {"{family: king-mesh, sizes: [3, 3]}", "{algorithm: knaive}", 9},
    {"{family: torus, sizes: [4, 4]}", "{algorithm: adaptive}", 16},
    {"{family: torus, sizes: [3, 2, 3]}", "{algorithm: dor, channels: 2}", 18},
    {"{family: mesh, sizes: [4, 3]}", "{algorithm: dor}", 12},
    {"{family: mesh, sizes: [3, 2, 2]}", "{algorithm: adaptive, adaptive_channels: 1}", 12},
    {"{family: lattice, sizes: [4, 3], wrap: [0, 1]}", "{algorithm: adaptive}", 12},
};

static const link_rule slow[] = {
    {"x", {1, 2, 1}}, {"y", {3, 1, 0}}, {"(1,1)", {2, 1, 2}}, {"(-1,1)", {1, 3, 0}}, {0}};

static network_case make_case(uint32_t k) {
    static const double loads[] = {0.03, 0.1, 0.4};
    vef_rng rng = vef_rng_make(21, VEF_RNG_TEST, k);
    const choice *drawn = &choices[vef_rng_below(&rng, sizeof choices / sizeof *choices)];
    network_case made = {
        .topology = drawn->topology,
        .routing = drawn->routing,
        .flow_control = (vef_flow_control)vef_rng_below(&rng, 2),
        .by_table = true,
        .kind = vef_rng_below(&rng, 2) == 0 ? OPEN_LOOP : STEP_BY_STEP,
        .most_packets = vef_rng_below(&rng, 3) == 0 ? 4 : 1,
        .load = loads[vef_rng_below(&rng, 3)],
        .to_all = 1 + vef_rng_below(&rng, 6) * vef_rng_below(&rng, 6),
        .seed = k,
    };
    made.config = (reference_config){
        .endpoints_per_router = 1 + vef_rng_below(&rng, 3) % 2,
        .queue_packets = 2 + vef_rng_below(&rng, 3),
        .injection_queues = 1 + vef_rng_below(&rng, 2),
        .injection_queue_packets = 1 + vef_rng_below(&rng, 4),
        .ejection_ports = 1 + vef_rng_below(&rng, 2),
        .arbiter = (reference_arbiter)(vef_rng_below(&rng, REFERENCE_BY_OUTPUT)),
        .transit_first = vef_rng_below(&rng, 2),
        .burst_phits = k % 5 == 2 ? 1 + k % 23 : 0,
        .router_delay_cycles = vef_rng_below(&rng, 3),
        .link_delay_cycles = 1 + vef_rng_below(&rng, 3),
        .credit_delay_cycles = vef_rng_below(&rng, 3),
        .packet_phits = 1 + vef_rng_below(&rng, 12),
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .seed = vef_rng_next(&rng) >> 33,
    };
    made.config.injection = (reference_injection_policy)(k % REFERENCE_BY_ANY_ROUTE);
    made.endpoints = drawn->routers * made.config.endpoints_per_router;
    made.messages = 20 + vef_rng_below(&rng, 100);
    return made;
}

static void core_and_reference_agree(void **unused) {
    (void)unused;
    agree(150, make_case);
}

/* King networks whose classes of links differ in speed and delay. */
static network_case make_slow_case(uint32_t k) {
    network_case made = make_case(1000 + k);
    made.topology =
        k % 2 ? "{family: king-torus, sizes: [4, 3]}" : "{family: king-mesh, sizes: [4, 3]}";
    made.routing = k % 3 ? "{algorithm: hop-by-hop-2s}" : "{algorithm: knaive}";
    made.endpoints = 12 * made.config.endpoints_per_router;
    made.rules = slow;
    made.config.burst_phits = 0;
    return made;
}

static void links_that_differ(void **unused) {
    (void)unused;
    agree(40, make_slow_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(links_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
