/* The figures of a router network (vef_net_statistics). */
#include "netmodel/router/network.h"

/* Phits that have crossed an output: those granted, less those still to come. */
static uint64_t phits_crossed(const vef_network *network, const vef_output *output) {
    uint64_t left =
        output->until_cycles > network->now_cycles ? output->until_cycles - network->now_cycles : 0;
    return output->phits - left;
}

static void add_links(const vef_network *network, vef_net_statistics *out) {
    const vef_topology *topology = network->topology;
    uint64_t links = 0, sum = 0, most = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < network->ports; port++) {
            if (topology->neighbour[(size_t)router * network->ports + port] == VEF_NO_ROUTER)
                continue;
            uint64_t phits = phits_crossed(
                network, &network->outputs_state[(size_t)router * network->outputs + port]);
            links++;
            sum += phits;
            if (phits > most) {
                most = phits;
                out->busiest_router = router;
                out->busiest_port = port;
            }
        }
    if (network->now_cycles == 0 || links == 0)
        return;
    double run = (double)network->now_cycles;
    out->link_utilization_mean = (double)sum / (double)links / run;
    out->link_utilization_max = (double)most / run;
}

void vef_network_statistics(const vef_netmodel *base, vef_net_statistics *out) {
    const vef_network *network = (const vef_network *)base;
    double packets = (double)network->delivered_packets;
    double messages = (double)network->delivered_messages;
    *out = (vef_net_statistics){
        .messages = network->delivered_messages,
        .packets = network->delivered_packets,
        .packet_hops = network->delivered_hops,
        .phits = network->delivered_phits,
        .average_hops = packets > 0 ? (double)network->delivered_hops / packets : 0,
        .latency_mean_cycles = vef_latency_mean(network->latency),
        .latency_p99_cycles = vef_latency_percentile(network->latency, 0.99),
        .message_latency_mean_cycles =
            messages > 0 ? (double)network->message_latency_sum / messages : 0,
        .memory_bytes = sizeof *network + network->arena.held_bytes +
                        network->topology->arena.held_bytes + network->routing->arena.held_bytes +
                        network->message_room * (sizeof(vef_message) + sizeof(vef_net_delivery)) +
                        network->later.room * sizeof(vef_pending_item),
    };
    add_links(network, out);
}
