/* The figures of a router network (vef_net_statistics). */
#include "netmodel/statistics.h"
#include "netmodel/router/core/network.h"

/* Remaining phits of a packet that is crossing an output; if links differ and its phits may arrive
 * unevenly, in proportion to the time. */
static uint64_t phits_to_come(const vef_network *network, uint32_t router, uint32_t number) {
    const vef_router_output *output =
        &vef_outputs_of(network, vef_router_at(network, router))[number];
    if (output->until_cycles <= network->now_cycles)
        return 0;
    uint64_t left = output->until_cycles - network->now_cycles;
    if (!network->policies.full.links || number >= network->shape.ports)
        return left;
    const vef_link_rule *rule =
        &network->links.plan.rules[(size_t)router * network->shape.ports + number];
    return (left * rule->passing_phits + rule->passing_cycles - 1) / rule->passing_cycles;
}

static uint64_t phits_here(const vef_network *network, uint32_t router, uint32_t port) {
    uint64_t granted = vef_outputs_of(network, vef_router_at(network, router))[port].phits;
    return granted - phits_to_come(network, router, port);
}

uint64_t vef_network_link_phits(const vef_netmodel *base, uint32_t router, uint32_t port) {
    const vef_network *network = (const vef_network *)base;
    return network->figures.link_phits
               ? network->figures.link_phits[(size_t)router * network->shape.ports + port]
               : phits_here(network, router, port);
}

static void gather_links(const vef_network *network) {
    const uint32_t ports = network->shape.ports;
    uint64_t *phits = network->figures.link_phits;
    const uint64_t count = (uint64_t)network->topology->routers * ports;
    for (uint64_t i = 0; phits && i < count; i++) {
        const uint32_t router = (uint32_t)(i / ports);
        phits[i] = vef_network_holds(network, router)
                       ? phits_here(network, router, (uint32_t)(i % ports))
                       : 0;
    }
    vef_net_sum(network->base.ranks, phits, count * sizeof *phits);
}

uint64_t vef_network_link_busy_cycles(const vef_netmodel *base, uint32_t router, uint32_t port) {
    const vef_network *network = (const vef_network *)base;
    uint64_t phits = vef_network_link_phits(base, router, port);
    if (!network->links.plan.rules)
        return phits;
    return phits *
           network->links.plan.rules[(size_t)router * network->shape.ports + port].cycles_per_phit;
}

void vef_network_counts(const vef_netmodel *base, vef_net_counts *out) {
    const vef_network *network = (const vef_network *)base;
    *out = (vef_net_counts){0};
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        const vef_partition *part = &network->partitions.parts[i];
        out->messages += part->delivered.message_latency->count;
        out->packets += part->delivered.latency->count;
        out->packet_hops += part->delivered.hops;
        out->phits += part->delivered.phits;
        out->latency_cycles += part->delivered.latency->sum;
    }
    vef_net_sum(base->ranks, out, sizeof *out);
}

void vef_network_begin_figures(vef_netmodel *base) {
    vef_network *network = (vef_network *)base;
    uint64_t now = network->now_cycles;
    network->figures.since_cycles = now;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        vef_partition *part = &network->partitions.parts[i];
        part->delivered.hops = part->delivered.phits = 0;
        *part->delivered.latency = (vef_latency){0};
        *part->delivered.message_latency = (vef_latency){0};
    }
    /* Of a packet that is crossing, the phits still to come. */
    for (uint32_t router = 0; router < network->topology->routers; router++) {
        vef_router_output *outputs = vef_outputs_of(network, vef_router_at(network, router));
        for (uint32_t i = 0; vef_network_holds(network, router) && i < network->shape.outputs; i++)
            outputs[i].phits = phits_to_come(network, router, i);
    }
}

static uint64_t bytes_of_policies(const vef_network *network) {
    const vef_policies *policies = &network->policies;
    return (policies->moving.broadcast ? policies->moving.broadcast->bytes(network) : 0) +
           (policies->moving.windows ? policies->moving.windows->bytes(network) : 0);
}

void vef_network_statistics(const vef_netmodel *base, vef_net_statistics *out) {
    const vef_network *network = (const vef_network *)base;
    const vef_latency *packets = network->figures.latency,
                      *messages = network->figures.message_latency;
    *network->figures.latency = *network->figures.message_latency = (vef_latency){0};
    uint64_t later_bytes = 0;
    for (uint32_t i = 0; i < network->partitions.count; i++) {
        const vef_partition *part = &network->partitions.parts[i];
        vef_latency_join(network->figures.latency, part->delivered.latency);
        vef_latency_join(network->figures.message_latency, part->delivered.message_latency);
        later_bytes += part->later.room * sizeof(vef_pending_item);
    }
    vef_net_sum(base->ranks, network->figures.latency, sizeof *packets);
    vef_net_sum(base->ranks, network->figures.message_latency, sizeof *messages);
    gather_links(network);
    vef_statistics_fill(base, network->figures.since_cycles, packets, messages, out);
    out->memory_bytes = sizeof *network + network->arena.held_bytes +
                        network->partitions.arena.held_bytes + network->topology->arena.held_bytes +
                        network->routing->arena.held_bytes +
                        vef_blocks_bytes(&network->pools.messages, sizeof(vef_message)) +
                        later_bytes + bytes_of_policies(network);
}
