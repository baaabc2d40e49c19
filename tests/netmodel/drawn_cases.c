/* Networks and workloads drawn for tests. See drawn_cases.h. */
#include "tests/netmodel/drawn_cases.h"

#include "tests/netmodel/networks.h"
#include "tests/netmodel/reference_shapes.h"

#include <stdio.h>

typedef struct network {
    const char *topology, *routing, *failures;
    vef_flow_control flow_control;
    uint32_t traffic_classes;
} network;

static const network networks[] = {
    {"{family: torus, sizes: [4, 3]}", "{algorithm: dor}", NULL, VEF_FLOW_BUBBLE, 1},
    {"{family: torus, sizes: [3, 4, 2]}", "{algorithm: adaptive}", NULL, VEF_FLOW_BUBBLE, 1},
    {"{family: mesh, sizes: [4, 4]}", "{algorithm: dor}", NULL, VEF_FLOW_VIRTUAL_CHANNELS, 1},
    {"{family: rtt, a: 3}", "{algorithm: adaptive, adaptive_channels: 2}", NULL, VEF_FLOW_BUBBLE,
     1},
    {"{family: king-torus, sizes: [4, 3]}", "{algorithm: adaptive}", NULL, VEF_FLOW_BUBBLE, 1},
    {"{family: kary-ntree, k: 2, n: 3}", "{algorithm: up-down}", NULL, VEF_FLOW_VIRTUAL_CHANNELS,
     1},
    {"{family: hypercube, dimensions: 3}", "{algorithm: minimal}", NULL, VEF_FLOW_VIRTUAL_CHANNELS,
     1},
    {"{family: twin-torus, sizes: [3, 3, 3]}", "{algorithm: minimal-adaptive}", NULL,
     VEF_FLOW_VIRTUAL_CHANNELS, 1},
    {"{family: twin-torus, sizes: [3, 3, 2], card0: [x+, x-, y-]}",
     "{algorithm: ts-dor, traffic_classes: 3}", NULL, VEF_FLOW_VIRTUAL_CHANNELS, 3},
    {"{family: torus, sizes: [4, 3]}", "{algorithm: minimal-adaptive}",
     "{routers: [5], links: [[0, x+]], link_count: 2}", VEF_FLOW_BUBBLE, 1},
    {"{family: king-torus, sizes: [4, 4]}", "{algorithm: minimal}",
     "{router_count: 2, link_share: 0.2, seed: 3}", VEF_FLOW_VIRTUAL_CHANNELS, 1},
    {"{family: kary-ntree, k: 2, n: 3}", "{algorithm: up-down}", "{routers: [8], link_count: 1}",
     VEF_FLOW_VIRTUAL_CHANNELS, 1},
    {"{family: twin-torus, sizes: [3, 3, 2], card0: [x+, x-, y-]}", "{algorithm: minimal-adaptive}",
     "{link_count: 5, disconnected: drop}", VEF_FLOW_VIRTUAL_CHANNELS, 1},
};
_Static_assert(sizeof networks / sizeof *networks == DRAWN_NETWORKS, "as the header says");

/* The network as the case has it, settings aside. */
static vef_netmodel *network_alone(const network_case *sample) {
    char yaml[768];
    snprintf(yaml, sizeof yaml,
             "{topology: %s, endpoints_per_router: %u, failures: %s, routing: %s, router: "
             "{flow_control: %s}}",
             sample->topology, sample->config.endpoints_per_router,
             sample->failures ? sample->failures : "{}", sample->routing,
             sample->flow_control == VEF_FLOW_BUBBLE ? "bubble" : "virtual-channels");
    return network_of(yaml);
}

/* The rules of the case made last. */
static link_rule rules[MOST_RULES + 1];
static char names[MOST_RULES][VEF_CLASS_NAME_BYTES];

static reference_link draw_link(vef_rng *rng) {
    static const uint32_t paces[] = {1, 1, 2, 3, 5, 12};
    return (reference_link){paces[vef_rng_below(rng, 6)], 1 + vef_rng_below(rng, 4),
                            vef_rng_below(rng, 4)};
}

/* Rules for some classes of links, or all; the fastest, or endpoints, take a cycle for a phit. */
void draw_rules(network_case *sample) {
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 1);
    vef_netmodel *model = network_alone(sample);
    const vef_topology *topology = model->topology;
    uint32_t count = 0;
    for (uint32_t c = 0; c < topology->link_classes && count < MOST_RULES; c++) {
        if (topology->link_classes > 1 && vef_rng_below(&rng, 4) == 0)
            continue;
        vef_topology_link_class_name(topology, c, names[count], sizeof names[count]);
        rules[count] = (link_rule){names[count], draw_link(&rng)};
        count++;
    }
    rules[count] = (link_rule){0};
    sample->rules = rules;
    sample->config.burst_phits = 0;
    sample->others_cycles_per_phit = 1;
    if (count > 0) {
        rules[vef_rng_below(&rng, count)].link.cycles_per_phit = 1;
        sample->others_cycles_per_phit = 1 + vef_rng_below(&rng, 3);
    }
    if (count == topology->link_classes && vef_rng_below(&rng, 3) == 0) {
        for (uint32_t rule = 0; rule < count; rule++)
            rules[rule].link.cycles_per_phit *= 2;
        sample->others_cycles_per_phit = 1; /* endpoints only */
    }
    vef_netmodel_destroy(model);
}

void draw_headers(network_case *sample) {
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 3);
    reference_config *config = &sample->config;
    config->packet_phits += 2; /* so that there are phits without a header */
    const uint32_t phit = config->phit_bytes, bytes = config->packet_phits * phit;
    config->header_bytes = 1 + vef_rng_below(&rng, bytes * (1 + vef_rng_below(&rng, 3)) / 4);
    const uint32_t payload = bytes - config->header_bytes;
    /* One that leaves less than a phit of the largest packet empty. */
    config->mtu_bytes = 0;
    if (vef_rng_below(&rng, 2))
        config->mtu_bytes = payload - vef_rng_below(&rng, phit < payload ? phit : payload);
}

void count_endpoints(network_case *sample) {
    vef_netmodel *model = network_alone(sample);
    sample->endpoints = model->endpoints;
    vef_netmodel_destroy(model);
}

network_case draw_case(uint64_t series, uint32_t k) {
    static const double loads[] = {0.05, 0.3, 2.0};
    vef_rng rng = vef_rng_make(series, VEF_RNG_TEST, k);
    const network *net = &networks[k % DRAWN_NETWORKS];
    network_case made = {
        .topology = net->topology,
        .routing = net->routing,
        .failures = net->failures,
        .flow_control = net->flow_control,
        .traffic_classes = net->traffic_classes,
        .by_table = true,
        .kind = (workload_kind)vef_rng_below(&rng, 3),
        .most_packets = vef_rng_below(&rng, 4) == 0 ? 4 : 1,
        .load = loads[vef_rng_below(&rng, 3)],
        .seed = series * 100000 + k,
    };
    made.config = (reference_config){
        .endpoints_per_router = 1 + vef_rng_below(&rng, 2),
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
        .packet_phits = 1 + vef_rng_below(&rng, 20),
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .seed = vef_rng_next(&rng) >> 33,
    };

    count_endpoints(&made);
    choose_messages(&made);
    if (made.messages > 300)
        made.messages = 300;
    return made;
}

network_case draw_lattice_case(uint64_t stream, uint32_t k) {
    static const double loads[] = {0.1, 0.4, 2.0};
    vef_rng rng = vef_rng_make(stream, VEF_RNG_TEST, k);
    const reference_shape *shape = &reference_shapes[k % reference_shape_count];
    network_case made = {
        .topology = shape->yaml,
        .flow_control = vef_rng_below(&rng, 2) ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS,
        .kind = (workload_kind)vef_rng_below(&rng, 3),
        .most_packets = vef_rng_below(&rng, 4) == 0 ? 4 : 1,
        .load = loads[vef_rng_below(&rng, 3)],
        .seed = k,
    };
    made.config = (reference_config){
        .lattice = shape->lattice,
        .endpoints_per_router = 1 + vef_rng_below(&rng, 2),
        .queue_packets = 2 + vef_rng_below(&rng, 5),
        .injection_queues = 1 + vef_rng_below(&rng, 3),
        .injection_queue_packets = 1 + vef_rng_below(&rng, 4),
        .ejection_ports = 1 + vef_rng_below(&rng, 2),
        .arbiter = (reference_arbiter)(k % REFERENCE_ARBITERS),
        .iterations = 1 + vef_rng_below(&rng, 2),
        .transit_first = vef_rng_below(&rng, 2),
        .burst_phits = k % 5 == 2 ? 1 + k % 23 : 0,
        .virtual_output_queues = k % 7 == 0,
        .router_delay_cycles = vef_rng_below(&rng, 3),
        .link_delay_cycles = 1 + vef_rng_below(&rng, 3),
        .credit_delay_cycles = vef_rng_below(&rng, 3),
        .packet_phits = 1 + vef_rng_below(&rng, 20),
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .seed = vef_rng_next(&rng) >> 33,
    };
    made.endpoints = reference_routers(&shape->lattice) * made.config.endpoints_per_router;
    choose_messages(&made);
    if (made.messages > 400)
        made.messages = 400;
    return made;
}
