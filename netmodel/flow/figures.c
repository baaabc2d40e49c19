/* Figures of the flow model (vef_net_statistics).
 *
 * Phits cross all links of their path at the time when they are through the source. Packets are
 * counted although the model has none: of a part, they enter and arrive evenly in its time. */
#include "netmodel/flow/flow.h"
#include "netmodel/statistics.h"

#include <math.h>

double vef_flow_sent(const vef_flow_network *flow, uint32_t number) {
    const vef_flow_part *part = &flow->traffic.parts[number];
    const double ps = (double)(flow->now_ps - part->since_ps);
    const double left = part->left - ps * part->rate;
    return (double)part->phits - fmax(left, 0);
}

void vef_flow_count_part(vef_flow_network *flow, uint32_t number) {
    const vef_flow_part *part = &flow->traffic.parts[number];
    const vef_share_flow *path = &flow->shares.flows[number];
    for (uint32_t i = 0; i < path->hop_count; i++) {
        const uint32_t link = path->hops[i].resource;
        if (link >= flow->paths.first_injection)
            continue;
        flow->figures.link_phits[link] += part->phits;
        if (flow->watch)
            flow->watch->crosses(flow->watch->context, link / flow->topology->ports,
                                 link % flow->topology->ports,
                                 flow->traffic.messages[part->message].id, part->phits);
    }
    /* From the entry of a packet's head to the cycle that consumes its tail: as in the router model
     * where the message is alone. */
    const double cycles_per_phit =
        (double)(flow->now_ps - part->begun_ps) / flow->cycle_ps / (double)part->phits;
    const uint64_t whole = flow->settings.packet_phits;
    const uint64_t last = part->phits - (part->packets - 1) * whole;
    const double path_cycles = (double)part->tail_cycles - 1;
    vef_latency_add_all(flow->figures.latency,
                        (uint64_t)(path_cycles + (double)whole * cycles_per_phit + 0.5),
                        part->packets - 1);
    vef_latency_add(flow->figures.latency,
                    (uint64_t)(path_cycles + (double)last * cycles_per_phit + 0.5));
    flow->figures.delivered_hops += part->packets * part->hops;
}

/* Since the beginning. */
static uint64_t crossed(const vef_flow_network *flow, size_t link) {
    const vef_share_resource *resource = &flow->shares.resources[link];
    double sent = 0;
    for (uint32_t i = 0; i < resource->count; i++)
        sent += vef_flow_sent(flow, resource->members[i].flow);
    return flow->figures.link_phits[link] + (uint64_t)sent;
}

uint64_t vef_flow_link_phits(const vef_netmodel *base, uint32_t router, uint32_t port) {
    const vef_flow_network *flow = (const vef_flow_network *)base;
    const size_t link = (size_t)router * flow->topology->ports + port;
    return crossed(flow, link) - flow->figures.link_since[link];
}

uint64_t vef_flow_link_busy_cycles(const vef_netmodel *base, uint32_t router, uint32_t port) {
    const vef_flow_network *flow = (const vef_flow_network *)base;
    return vef_flow_link_phits(base, router, port) *
           vef_links_rule(&flow->links, flow->topology, router, port)->cycles_per_phit;
}

void vef_flow_counts(const vef_netmodel *base, vef_net_counts *out) {
    const vef_flow_network *flow = (const vef_flow_network *)base;
    *out = (vef_net_counts){
        .messages = flow->figures.message_latency->count,
        .packets = flow->figures.latency->count,
        .packet_hops = flow->figures.delivered_hops,
        .phits = flow->figures.delivered_phits,
        .latency_cycles = flow->figures.latency->sum,
    };
}

void vef_flow_begin_figures(vef_netmodel *base) {
    vef_flow_network *flow = (vef_flow_network *)base;
    flow->figures.since_ps = flow->now_ps;
    flow->figures.delivered_phits = flow->figures.delivered_hops =
        flow->figures.message_latency_ps = 0;
    *flow->figures.latency = *flow->figures.message_latency = (vef_latency){0};
    for (uint32_t link = 0; link < flow->paths.first_injection; link++)
        flow->figures.link_since[link] = crossed(flow, link);
}

void vef_flow_statistics(const vef_netmodel *base, vef_net_statistics *out) {
    const vef_flow_network *flow = (const vef_flow_network *)base;
    const vef_shares *shares = &flow->shares;
    vef_statistics_fill(base, flow->figures.since_ps, flow->figures.latency,
                        flow->figures.message_latency, out);
    if (flow->figures.message_latency->count > 0)
        out->message_latency_mean_cycles = (double)flow->figures.message_latency_ps /
                                           flow->cycle_ps /
                                           (double)flow->figures.message_latency->count;
    out->memory_bytes =
        sizeof *flow + flow->arena.held_bytes + flow->topology->arena.held_bytes +
        flow->routing->arena.held_bytes +
        flow->traffic.message_room * sizeof *flow->traffic.messages +
        flow->traffic.part_room * sizeof *flow->traffic.parts +
        shares->resource_count * (sizeof *shares->resources + sizeof *shares->waiting) +
        shares->flow_room * (sizeof *shares->flows + sizeof *shares->changed) + shares->held_bytes +
        flow->finishes.room * sizeof *flow->finishes.heap +
        flow->finishes.place_room * sizeof *flow->finishes.place +
        (flow->later.room + flow->arriving.room) * sizeof(vef_pending_item) +
        flow->handed_room * sizeof *flow->handed;
}
