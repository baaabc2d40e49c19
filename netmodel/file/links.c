/* Links with different bandwidths and delays. See links.h and netmodel/MODEL.md. */
#include "netmodel/file/links.h"

#include <inttypes.h>
#include <math.h>

/* Working data of the planning. */
typedef struct plan {
    const vef_network_settings *settings;
    const vef_topology *topology;
    vef_links *links;
} plan;

static uint64_t bandwidth_of(const vef_topology *topology, uint64_t others, size_t link) {
    const uint64_t *bandwidths = topology->bandwidth_bits_per_s;
    return bandwidths && bandwidths[link] ? bandwidths[link] : others;
}

static bool connected(const vef_topology *topology, size_t link) {
    return topology->neighbour[link] != VEF_NO_ROUTER;
}

/* The numbers of the routers of a link, for messages. */
static uint32_t from_number(const vef_topology *topology, size_t link) {
    return vef_topology_router_number(topology, (uint32_t)(link / topology->ports));
}

static uint32_t to_number(const vef_topology *topology, size_t link) {
    return vef_topology_router_number(topology, topology->neighbour[link]);
}

uint64_t vef_links_fastest(const vef_topology *topology, uint64_t others_bits_per_s) {
    topology = vef_topology_whole(topology);
    const size_t links = (size_t)topology->routers * topology->ports;
    uint64_t fastest = others_bits_per_s;
    for (size_t i = 0; i < links && topology->bandwidth_bits_per_s; i++) {
        const uint64_t bandwidth = bandwidth_of(topology, others_bits_per_s, i);
        if (connected(topology, i) && bandwidth > fastest)
            fastest = bandwidth;
    }
    return fastest;
}

/* The bandwidth next to `bandwidth`, above or below, of which `fastest` is a multiple. */
static uint64_t next_bandwidth(uint64_t fastest, uint64_t bandwidth, bool above) {
    uint64_t divisor = fastest / bandwidth + !above;
    while (divisor > 1 && fastest % divisor != 0)
        divisor = above ? divisor - 1 : divisor + 1;
    return fastest / divisor;
}

static vef_code fail_ratio(const plan *work, size_t link, uint64_t bandwidth, vef_error *error) {
    const uint64_t fastest = work->links->fastest_bits_per_s;
    char text[4][VEF_QUANTITY_TEXT_BYTES];
    vef_format_bandwidth(text[0], bandwidth);
    vef_format_bandwidth(text[1], fastest);
    vef_format_bandwidth(text[2], next_bandwidth(fastest, bandwidth, false));
    vef_format_bandwidth(text[3], next_bandwidth(fastest, bandwidth, true));
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "the link from router %u to router %u carries %s, the fastest link %s: expected a phit to "
        "need a whole number of cycles of the fastest link, at most %d: %s or %s",
        from_number(work->topology, link), to_number(work->topology, link), text[0], text[1],
        VEF_MOST_CYCLES_PER_PHIT, text[2], text[3]);
}

/* The index of a pace in the table of paces, added if new; VEF_MOST_PACES: the table is full. */
static uint16_t find_pace(vef_links *links, uint16_t cycles_per_phit) {
    uint32_t i = 0;
    while (i < links->pace_count && links->paces[i] != cycles_per_phit)
        i++;
    if (i == links->pace_count && i < VEF_MOST_PACES)
        links->paces[links->pace_count++] = cycles_per_phit;
    return (uint16_t)i;
}

/* What the file says of a link: `link`, its class, its cable. */
static vef_link_parameters parameters_of(const vef_network_settings *settings,
                                         const vef_topology *topology, size_t link) {
    vef_link_parameters given = settings->link;
    if (settings->link_classes) {
        const uint32_t class = vef_topology_link_class(topology, (uint32_t)(link / topology->ports),
                                                       (uint32_t)(link % topology->ports));
        if (settings->link_classes[class].named)
            given = settings->link_classes[class].parameters;
    }
    given.length_m = vef_cable_lengths_of(topology, &settings->link, link);
    const vef_cable *cable = vef_cables_find(&settings->cables, given.length_m);
    if (cable)
        vef_cable_apply(cable, &given);
    return given;
}

/* Cycles that a phit or a credit spends on a link, given those of `link`. */
static vef_code add_delays(const plan *work, size_t link, const vef_link_parameters *given,
                           vef_link_rule *rule, vef_error *error) {
    const vef_network_settings *settings = work->settings;
    const double cycle_ns =
        (double)settings->phit_bytes * 8e9 / (double)work->links->fastest_bits_per_s;
    const double own_ns = work->topology->delay_ns ? work->topology->delay_ns[link] : 0;
    const double along = vef_cycles_of_ns(given->length_m * settings->delay_per_metre_ns, cycle_ns);
    const double delay =
        along + (own_ns > 0 ? vef_cycles_of_ns(own_ns, cycle_ns) : given->delay.cycles);
    const double credit_delay = along + given->credit_delay.cycles;
    if (fmax(delay, credit_delay) > VEF_LONGEST_DELAY)
        return vef_fail(error, VEF_INVALID,
                        "the link from router %u to router %u has a delay of %.0f cycles: out of "
                        "range: expected at most %d",
                        from_number(work->topology, link), to_number(work->topology, link),
                        fmax(delay, credit_delay), VEF_LONGEST_DELAY);
    if (settings->router_delay.cycles + delay < 1)
        return vef_fail(
            error, VEF_INVALID,
            "router.delay_cycles and link.delay_cycles are both 0: expected a sum of at least 1");
    rule->hop_cycles = settings->router_delay.cycles + (uint32_t)delay + rule->cycles_per_phit - 1u;
    rule->credit_delay_cycles = (uint32_t)credit_delay;
    return VEF_OK;
}

static vef_code set_rule(const plan *work, size_t link, vef_link_rule *rule, vef_error *error) {
    const vef_topology *topology = work->topology;
    const uint64_t bandwidth =
        bandwidth_of(topology, work->settings->link.bandwidth_bits_per_s, link);
    const uint64_t fastest = work->links->fastest_bits_per_s;
    if (fastest % bandwidth != 0 || fastest / bandwidth > VEF_MOST_CYCLES_PER_PHIT)
        return fail_ratio(work, link, bandwidth, error);
    rule->cycles_per_phit = (uint16_t)(fastest / bandwidth);
    rule->pace = find_pace(work->links, rule->cycles_per_phit);
    if (rule->pace == VEF_MOST_PACES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "too many different bandwidths of links: expected at most %d",
                        VEF_MOST_PACES);
    const uint64_t passage = (uint64_t)rule->cycles_per_phit * work->settings->packet_phits;
    if (passage > VEF_LONGEST_PASSAGE)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "a packet of %u phits needs %" PRIu64
                        " cycles over the slowest link: out of range: expected at most %d, with "
                        "smaller packets or faster links",
                        work->settings->packet_phits, passage, VEF_LONGEST_PASSAGE);
    const vef_link_parameters given = parameters_of(work->settings, topology, link);
    return add_delays(work, link, &given, rule, error);
}

static bool same_rule(const vef_link_rule *a, const vef_link_rule *b) {
    return a->hop_cycles == b->hop_cycles && a->credit_delay_cycles == b->credit_delay_cycles &&
           a->cycles_per_phit == b->cycles_per_phit;
}

/* A rule per link; kept only if they differ, or from endpoints. */
static vef_code set_rules(const plan *work, vef_link_rule *rules, vef_error *error) {
    const size_t ports = (size_t)work->topology->routers * work->topology->ports;
    bool differ = false, first = true;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < ports && code == VEF_OK; i++) {
        if (!connected(work->topology, i))
            continue;
        code = set_rule(work, i, &rules[i], error);
        if (first)
            work->links->alike = rules[i];
        differ = differ || !same_rule(&rules[i], &work->links->alike);
        first = false;
    }
    differ = differ || work->links->alike.cycles_per_phit > 1;
    work->links->rules = differ || work->settings->burst_bytes > 0 ? rules : NULL;
    return code;
}

static vef_code check_attributes(const vef_node *link, const vef_topology *topology,
                                 vef_error *error) {
    static const char *const keys[] = {"classes", "cables"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const vef_node *node = vef_node_get(link, keys[i]);
        if (node && !vef_node_is_null(node) &&
            (topology->bandwidth_bits_per_s || topology->delay_ns))
            return vef_node_fail(node, error,
                                 "link.%s: not supported with topology %s, which sets the "
                                 "attributes of its links: expected one of them",
                                 keys[i], topology->family->name);
    }
    return VEF_OK;
}

static vef_code read_cables(const vef_node *link, vef_network_settings *settings,
                            vef_topology *topology, vef_error *error) {
    vef_code code = vef_cables_read(link, &settings->cables, &topology->arena, error);
    if (code == VEF_OK && settings->cables.count > 0 && !topology->length_m &&
        settings->link.length_m <= 0)
        code = vef_node_fail(vef_node_get(link, "cables"), error,
                             "link.cables: no link has a length: expected link.length, "
                             "link.layout, or the length of a class of links");
    return code;
}

/* The analysis takes the bandwidth of links from the topology. */
static void note_bandwidths(const vef_network_settings *settings, vef_topology *topology) {
    const size_t ports = (size_t)topology->routers * topology->ports;
    uint64_t *bandwidths = vef_arena_alloc(&topology->arena, ports, sizeof *bandwidths);
    for (size_t i = 0; i < ports; i++)
        if (connected(topology, i))
            bandwidths[i] = parameters_of(settings, topology, i).bandwidth_bits_per_s;
    topology->bandwidth_bits_per_s = bandwidths;
}

vef_code vef_links_read(const vef_node *link, vef_network_settings *settings,
                        vef_topology *topology, vef_error *error) {
    vef_code code = check_attributes(link, topology, error);
    if (code == VEF_OK)
        code =
            vef_link_classes_read(link, &settings->link, topology, &settings->link_classes, error);
    if (code == VEF_OK)
        code = vef_cable_lengths_read(link, &settings->link, settings->link_classes, topology,
                                      &settings->layout, error);
    if (code == VEF_OK)
        code = read_cables(link, settings, topology, error);
    if (code == VEF_OK && (settings->link_classes || settings->cables.count > 0))
        note_bandwidths(settings, topology);
    return code;
}

vef_code vef_links_plan(const vef_network_settings *settings, const vef_topology *topology,
                        vef_arena *arena, vef_links *links, vef_error *error) {
    *links = (vef_links){
        .fastest_bits_per_s = vef_links_fastest(topology, settings->link.bandwidth_bits_per_s),
        .alike = {.cycles_per_phit = 1},
        .paces = {1},
        .pace_count = 1,
    };
    const plan work = {settings, topology, links};
    if (!topology->bandwidth_bits_per_s && !topology->delay_ns && !topology->length_m &&
        !settings->link_classes && settings->cables.count == 0 && settings->burst_bytes == 0)
        return add_delays(&work, 0, &settings->link, &links->alike, error);
    const size_t ports = (size_t)topology->routers * topology->ports;
    vef_link_rule *rules = vef_arena_alloc(arena, ports, sizeof *rules);
    return set_rules(&work, rules, error);
}
