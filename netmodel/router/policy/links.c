/* When the phits of a packet cross links that are not equally fast (netmodel/MODEL.md, "Links that
 * differ").
 *
 * When phits cross: a phit begins to cross when the previous one has crossed and it has arrived.
 * Suppose that phit i of a packet arrives at the maximum of some lines b + i x s, one for each pace
 * s of the links behind it (at its source: none), and that its head is granted a link of pace S at
 * time t, when the head is there. Then phit i begins to cross at the maximum of t + i x S and those
 * lines with s > S: each phit waits for the previous one or for its own arrival, and a line that is
 * not steeper than S, and not above t at i = 0, is never later. So one line per pace determines all
 * times, and crossing a link changes the lines by a rule that does not depend on single phits.
 *
 * Token buckets (link.burst): an output that was idle lets a burst of B phits pass at once. The
 * bucket of an output is the time f at which it will be full again. A packet of L phits that is
 * granted at t has the line b = max(f, t) - B, which may lie before t, beside the lines of its
 * arrival, and f becomes max(f, t) + L: phits cross in cycle t as long as no line is later, and one
 * by one after that. All links have pace 1 then. */
#include "netmodel/router/policy/install.h"

static const int64_t no_line = INT64_MIN / 2; /* that no phit number makes the greatest */

static int64_t *lines_of(const vef_network *network, uint32_t number) {
    return network->links.lines + (size_t)number * network->links.plan.pace_count;
}

static void enter(vef_network *network, uint32_t number) {
    for (uint32_t k = 0; k < network->links.plan.pace_count; k++)
        lines_of(network, number)[k] = no_line;
}

static void copy(vef_network *network, uint32_t made, uint32_t number) {
    for (uint32_t k = 0; k < network->links.plan.pace_count; k++)
        lines_of(network, made)[k] = lines_of(network, number)[k];
}

/* NULL: the output is an ejection port. */
static vef_link_rule *rule_of(const vef_network *network, uint32_t router, uint32_t output) {
    return output < network->shape.ports
               ? &network->links.plan.rules[(size_t)router * network->shape.ports + output]
               : NULL;
}

/* The line of a packet that is granted an output with a bucket. */
static int64_t take_tokens(const vef_network *network, uint64_t now_cycles, uint32_t phits,
                           uint64_t *full_cycles) {
    const uint64_t from = *full_cycles > now_cycles ? *full_cycles : now_cycles;
    *full_cycles = from + phits;
    return (int64_t)from - (int64_t)(network->settings.burst_bytes / network->settings.phit_bytes);
}

static uint64_t crossed(const vef_network *network, uint64_t now_cycles, uint32_t router,
                        uint32_t output, uint32_t number, uint32_t phit) {
    const vef_link_rule *rule = rule_of(network, router, output);
    const int64_t *lines = lines_of(network, number);
    int64_t begins = (int64_t)now_cycles;
    for (uint32_t k = 0; k < network->links.plan.pace_count; k++) {
        const int64_t line = lines[k] + (int64_t)phit * network->links.plan.paces[k];
        if (line > begins)
            begins = line;
    }
    return (uint64_t)begins + network->links.plan.paces[rule ? rule->pace : 0];
}

static uint64_t cross(vef_network *network, uint64_t now_cycles, uint32_t router, uint32_t output,
                      uint32_t number) {
    const uint32_t phits = vef_packet_at(network, number)->phits;
    vef_link_rule *rule = rule_of(network, router, output);
    const uint32_t pace = rule ? rule->pace : 0;
    int64_t *lines = lines_of(network, number);
    if (network->links.buckets) {
        const int64_t line =
            take_tokens(network, now_cycles, phits,
                        &network->links.buckets[(size_t)router * network->shape.outputs + output]);
        lines[pace] = line > lines[pace] ? line : lines[pace];
    } else {
        for (uint32_t k = 0; k < network->links.plan.pace_count; k++)
            if (network->links.plan.paces[k] <= network->links.plan.paces[pace])
                lines[k] = no_line;
        lines[pace] = (int64_t)now_cycles;
    }
    const uint64_t end = crossed(network, now_cycles, router, output, number, phits - 1);
    if (rule) {
        rule->passing_phits = phits;
        rule->passing_cycles = (uint32_t)(end - now_cycles);
    }
    return end;
}

static void depart(vef_network *network, uint32_t router, uint32_t port, uint32_t number) {
    const vef_link_rule *rule = rule_of(network, router, port);
    vef_way *way = &network->links.ways[number];
    if (rule->cycles_per_phit > way->cycles_per_phit)
        way->cycles_per_phit = rule->cycles_per_phit;
    for (uint32_t k = 0; k < network->links.plan.pace_count; k++)
        lines_of(network, number)[k] += rule->hop_cycles;
}

/* Links of one speed that differ in their delays alone need no policy. */
void vef_links_install(vef_network *network) {
    static const vef_link_policy links = {enter, copy, cross, crossed, depart};
    if (network->links.plan.pace_count > 1 || network->settings.burst_bytes > 0)
        network->policies.full.links = &links;
}
