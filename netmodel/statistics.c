/* Statistics of a network from its histograms and links. See statistics.h. */
#include "netmodel/statistics.h"

#include "netmodel/clock.h"

static void add_links(const vef_netmodel *model, vef_net_statistics *out) {
    const vef_topology *topology = model->topology;
    uint64_t links = 0, sum = 0, most = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            if (vef_topology_next(topology, router, port) == VEF_NO_ROUTER)
                continue;
            const uint64_t busy = model->kind->link_busy_cycles(model, router, port);
            links++;
            sum += busy;
            if (busy > most) {
                most = busy;
                out->busiest_router = router;
                out->busiest_port = port;
            }
        }
    const double cycles =
        vef_netmodel_cycles_in(model, model->kind->now(model) - out->since_cycles);
    if (cycles <= 0 || links == 0)
        return;
    out->link_utilization_mean = (double)sum / (double)links / cycles;
    out->link_utilization_max = (double)most / cycles;
}

void vef_statistics_fill(const vef_netmodel *model, uint64_t since_cycles,
                         const vef_latency *packets, const vef_latency *messages,
                         vef_net_statistics *out) {
    vef_net_counts counts;
    model->kind->counts(model, &counts);
    *out = (vef_net_statistics){
        .since_cycles = since_cycles,
        .messages = counts.messages,
        .packets = counts.packets,
        .packet_hops = counts.packet_hops,
        .phits = counts.phits,
        .average_hops =
            counts.packets > 0 ? (double)counts.packet_hops / (double)counts.packets : 0,
        .latency_mean_cycles = vef_latency_mean(packets),
        .latency_median_cycles = vef_latency_percentile(packets, 0.5),
        .latency_p99_cycles = vef_latency_percentile(packets, 0.99),
        .latency_p999_cycles = vef_latency_percentile(packets, 0.999),
        .message_latency_mean_cycles = vef_latency_mean(messages),
        .message_latency_median_cycles = vef_latency_percentile(messages, 0.5),
        .message_latency_p99_cycles = vef_latency_percentile(messages, 0.99),
        .message_latency_p999_cycles = vef_latency_percentile(messages, 0.999),
    };
    add_links(model, out);
}
