/* Links whose bandwidth and delay are their own. See links.h and netmodel/MODEL.md.
 *
 * When phits cross: a phit begins to cross when the one before it has crossed and it is there. Say
 * that phit i of a packet comes in at the greatest of some lines b + i x s, one for each pace s of
 * the links behind it (its source: none), and that its head is granted a link of pace S at time t,
 * when the head is there. Then phit i begins to cross at the greatest of t + i x S and those lines
 * with s > S: each phit waits for the one before it or for its own arrival, and a line that is not
 * steeper than S, and not above t at i = 0, never is later. So one line for each pace tells all
 * times, and crossing a link changes the lines by a rule that does not look at single phits. */
#include "netmodel/router/network.h"

#include <inttypes.h>
#include <math.h>

static const int64_t no_line = INT64_MIN / 2; /* that no phit number makes the greatest */

static uint64_t bandwidth_of(const vef_network *network, size_t link) {
    const uint64_t *own = network->topology->bandwidth_bits_per_s;
    return own && own[link] ? own[link] : network->settings.bandwidth_bits_per_s;
}

static bool connected(const vef_network *network, size_t link) {
    return network->topology->neighbour[link] != VEF_NO_ROUTER;
}

/* The bandwidth next to `own`, above or below, of which `fastest` is a multiple. */
static uint64_t next_bandwidth(uint64_t fastest, uint64_t own, bool above) {
    uint64_t divisor = fastest / own + !above;
    while (divisor > 1 && fastest % divisor != 0)
        divisor = above ? divisor - 1 : divisor + 1;
    return fastest / divisor;
}

static vef_code fail_ratio(const vef_network *network, size_t link, uint64_t own,
                           vef_error *error) {
    const uint64_t fastest = network->base.bandwidth_bits_per_s;
    char text[4][VEF_QUANTITY_TEXT_BYTES];
    vef_format_bandwidth(text[0], own);
    vef_format_bandwidth(text[1], fastest);
    vef_format_bandwidth(text[2], next_bandwidth(fastest, own, false));
    vef_format_bandwidth(text[3], next_bandwidth(fastest, own, true));
    const uint32_t router = (uint32_t)(link / network->ports);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "the link from router %u to router %u carries %s where the fastest carries "
                    "%s; a link needs a whole number of that one's cycles for a phit, at most %d: "
                    "%s or %s would do",
                    router, network->topology->neighbour[link], text[0], text[1],
                    VEF_MOST_CYCLES_PER_PHIT, text[2], text[3]);
}

/* The number of a pace in the table of paces, added if need be; VEF_MOST_PACES: it is full. */
static uint16_t find_pace(vef_network *network, uint16_t cycles_per_phit) {
    uint32_t i = 0;
    while (i < network->pace_count && network->paces[i] != cycles_per_phit)
        i++;
    if (i == network->pace_count && i < VEF_MOST_PACES)
        network->paces[network->pace_count++] = cycles_per_phit;
    return (uint16_t)i;
}

static vef_code set_delays(const vef_network *network, size_t link, const vef_link_class *class,
                           vef_link_rule *rule, vef_error *error) {
    const vef_router_settings *settings = &network->settings;
    uint64_t delay = settings->link_delay_cycles;
    rule->credit_delay_cycles = settings->credit_delay_cycles;
    if (class && class->named) {
        delay = (uint64_t) class->is.delay_cycles;
        rule->credit_delay_cycles = (uint32_t) class->is.credit_delay_cycles;
    }
    const double own_ns = network->topology->delay_ns ? network->topology->delay_ns[link] : 0;
    if (own_ns > 0) {
        const double cycles = ceil(own_ns / vef_netmodel_cycle_ns(&network->base) * (1 - 1e-12));
        if (cycles > VEF_LONGEST_DELAY)
            return vef_fail(error, VEF_INVALID,
                            "the link from router %u to router %u has a delay of %g cycles; at "
                            "most %d would do",
                            (uint32_t)(link / network->ports), network->topology->neighbour[link],
                            cycles, VEF_LONGEST_DELAY);
        delay = (uint64_t)cycles;
    }
    if (settings->router_delay_cycles + delay < 1)
        return vef_fail(error, VEF_INVALID,
                        "router.delay_cycles and link.delay_cycles are both 0; together they are "
                        "at least 1");
    rule->hop_cycles = settings->router_delay_cycles + (uint32_t)delay + rule->cycles_per_phit - 1u;
    return VEF_OK;
}

static vef_code set_rule(vef_network *network, size_t link, vef_link_rule *rule, vef_error *error) {
    const uint64_t own = bandwidth_of(network, link), fastest = network->base.bandwidth_bits_per_s;
    if (fastest % own != 0 || fastest / own > VEF_MOST_CYCLES_PER_PHIT)
        return fail_ratio(network, link, own, error);
    rule->cycles_per_phit = (uint16_t)(fastest / own);
    rule->pace = find_pace(network, rule->cycles_per_phit);
    if (rule->pace == VEF_MOST_PACES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "links are of more than %d different bandwidths; fewer would do",
                        VEF_MOST_PACES);
    const uint64_t passage = (uint64_t)rule->cycles_per_phit * network->settings.packet_phits;
    if (passage > VEF_LONGEST_PASSAGE)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "a packet of %u phits needs %" PRIu64
                        " cycles over the slowest link; at "
                        "most %d would do, with smaller packets or faster links",
                        network->settings.packet_phits, passage, VEF_LONGEST_PASSAGE);
    const vef_link_class *class = network->settings.link_classes;
    if (class)
        class += vef_topology_link_class(network->topology, (uint32_t)(link / network->ports),
                                         (uint32_t)(link % network->ports));
    return set_delays(network, link, class, rule, error);
}

static bool same_rule(const vef_link_rule *a, const vef_link_rule *b) {
    return a->hop_cycles == b->hop_cycles && a->credit_delay_cycles == b->credit_delay_cycles &&
           a->cycles_per_phit == b->cycles_per_phit;
}

vef_code vef_links_set(vef_network *network, vef_error *error) {
    const vef_topology *topology = network->topology;
    const size_t links = (size_t)topology->routers * topology->ports;
    const bool may_differ =
        topology->bandwidth_bits_per_s || topology->delay_ns || network->settings.link_classes;
    uint64_t fastest = 0;
    for (size_t i = 0; i < links && may_differ; i++)
        if (connected(network, i) && bandwidth_of(network, i) > fastest)
            fastest = bandwidth_of(network, i);
    network->base.phit_bytes = network->settings.phit_bytes;
    network->base.bandwidth_bits_per_s = fastest ? fastest : network->settings.bandwidth_bits_per_s;
    network->paces[0] = 1; /* that of endpoints */
    network->pace_count = 1;
    vef_link_rule *rules = NULL;
    if (may_differ && !(rules = vef_arena_alloc(&network->arena, links, sizeof *rules)))
        return vef_fail_memory(error, "links that differ", links * sizeof *rules);
    vef_link_rule alike = {.cycles_per_phit = 1};
    vef_code code = VEF_OK;
    if (!may_differ)
        code = set_delays(network, 0, NULL, &alike, error);
    bool differ = false, first = true;
    for (size_t i = 0; i < links && may_differ && code == VEF_OK; i++) {
        if (!connected(network, i))
            continue;
        code = set_rule(network, i, &rules[i], error);
        if (first)
            alike = rules[i];
        differ = differ || !same_rule(&rules[i], &alike);
        first = false;
    }
    network->hop_cycles = alike.hop_cycles;
    network->credit_delay_cycles = alike.credit_delay_cycles;
    network->rules = differ ? rules : NULL;
    return code;
}

static int64_t *lines_of(const vef_network *network, uint32_t number) {
    return network->lines + (size_t)number * network->pace_count;
}

void vef_links_begin(vef_network *network, uint32_t number) {
    for (uint32_t k = 0; k < network->pace_count; k++)
        lines_of(network, number)[k] = no_line;
}

void vef_links_copy(vef_network *network, uint32_t copy, uint32_t number) {
    for (uint32_t k = 0; k < network->pace_count; k++)
        lines_of(network, copy)[k] = lines_of(network, number)[k];
}

uint64_t vef_links_cross(vef_network *network, uint32_t number, uint32_t pace) {
    int64_t *lines = lines_of(network, number);
    for (uint32_t k = 0; k < network->pace_count; k++)
        if (network->paces[k] <= network->paces[pace])
            lines[k] = no_line;
    lines[pace] = (int64_t)network->now_cycles;
    return vef_links_crossed(network, number, pace, network->packets[number].phits - 1u);
}

void vef_links_forward(vef_network *network, uint32_t number, uint32_t hop_cycles) {
    for (uint32_t k = 0; k < network->pace_count; k++)
        lines_of(network, number)[k] += hop_cycles;
}

uint64_t vef_links_crossed(const vef_network *network, uint32_t number, uint32_t pace,
                           uint32_t phit) {
    const int64_t *lines = lines_of(network, number);
    int64_t begins = 0;
    for (uint32_t k = 0; k < network->pace_count; k++) {
        const int64_t line = lines[k] + (int64_t)phit * network->paces[k];
        if (line > begins)
            begins = line;
    }
    return (uint64_t)begins + network->paces[pace];
}
