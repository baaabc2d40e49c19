/* Keys, defaults and checks of a router network's file. See configuration.h. */
#include "netmodel/file/configuration.h"

#include "netmodel/file/buffers.h"
#include "netmodel/kinds.h"
#include "netmodel/routing/broadcast/broadcast.h"
#include "netmodel/topology/failures/failures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const switchings[] = {"virtual-cut-through", NULL};
static const char *const flow_controls[] = {
    [VEF_FLOW_BUBBLE] = "bubble", [VEF_FLOW_VIRTUAL_CHANNELS] = "virtual-channels", NULL};

static const char *const backpressures[] = {[VEF_CREDITS] = "credits", [VEF_PAUSE] = "pause", NULL};

enum { MOST_PHIT_BYTES = 1 << 20, LEAST_DEFAULT_PHITS = 64, USUAL_PHIT_BYTES = 4 };

/* Sections end with a row that names the schema of the whole file, for hints. */

/* clang-format off */
#define FIELD(kind_of, field) VEF_FIELD(kind_of, vef_network_settings, field)
#define ROW(name, field, kind_of, default_, min, max, text)                                        \
    {.key = #name, FIELD(kind_of, field), .fallback = default_, .minimum = min,                    \
     .maximum = max, .help = text}

static const vef_param buffer_schema[] = {
    ROW(unit_phits, unit_phits, COUNT, "0", 0, VEF_MOST_PLACES,
        "phits of a place: a packet occupies as many places as it needs and frees them one by one (0: a place holds a packet of any length)"),
    ROW(per_port_phits, per_port_phits, COUNT, "0", 0, UINT32_MAX,
        "buffer of a link's port, divided evenly among its queues; replaces queue_packets (0: unused)"),
    ROW(per_router_phits, per_router_phits, COUNT, "0", 0, UINT32_MAX,
        "buffer of a router, divided evenly among the queues of its links (0: unused)"),
    {.key = NULL, .section = vef_network_schema},
};

static const vef_param pause_schema[] = {
    {.key = "at", FIELD(COUNT, pause_at_packets), .fallback = "auto", .minimum = 2,
     .maximum = VEF_MOST_PLACES, .word = "auto", .aliases = "xoff threshold",
     .help = "packets in a queue that make it pause its sender; auto: resume + 2"},
    {.key = "resume", FIELD(COUNT, pause_resume_packets), .fallback = "auto", .minimum = 1,
     .maximum = VEF_MOST_PLACES, .word = "auto", .aliases = "xon",
     .help = "packets in a queue at which its sender resumes; auto: at - 2, or enough to send until the sender's next packet arrives (a guess)"},
    {.key = NULL, .section = vef_network_schema},
};

static const vef_param reduction_schema[] = {
    ROW(slots, reduction_slots, COUNT, "1024", 1, UINT32_MAX,
        "packets whose contributions a router holds, of all groups"),
    ROW(group_slots, reduction_group_slots, COUNT, "64", 1, VEF_MOST_PLACES,
        "of these, reserved for each group in the routers of its tree: packets of its reductions at a time"),
    {.key = NULL, .section = vef_network_schema},
};

static const vef_param router_schema[] = {
    {.key = "switching", FIELD(CHOICE, switching),
     .fallback = "virtual-cut-through", .choices = switchings, .help = "switching technique"},
    {.key = "flow_control", FIELD(CHOICE, flow_control), .fallback = "bubble",
     .choices = flow_controls, .help = "how rings are kept free of deadlock"},
    {.key = "queue_packets", FIELD(COUNT, queue_packets), .fallback = "auto", .minimum = 1,
     .maximum = VEF_MOST_PLACES, .word = "auto", .aliases = "buffer_packets queue buffer_size",
     .help = "length of a virtual channel's queue in packets; auto: at least 4, and for each link enough for the round trip of credits"},
    ROW(injection_queues, injection_queues, COUNT, "1", 1, VEF_MOST_INPUTS, "per endpoint"),
    ROW(injection_queue_packets, injection_queue_packets, COUNT, "8", 1, VEF_MOST_PLACES,
        "length of an injection queue in packets"),
    ROW(injection, injection_name, STRING, "most-free", 0, 0,
        "which injection queue a packet joins: one of the injection policies below"),
    ROW(ejection_ports, ejection_ports, COUNT, "1", 1, VEF_MOST_EJECTION_PORTS, "per endpoint"),
    ROW(arbiter, arbiter_name, STRING, "random", 0, 0,
        "which of the requesting queues is granted: one of the arbiters below"),
    ROW(iterations, iterations, COUNT, "1", 1, VEF_MOST_ITERATIONS,
        "of the arbiter islip in a cycle"),
    ROW(transit_first, transit_first, BOOL, "true", 0, 0,
        "packets in transit before new injections"),
    ROW(virtual_output_queues, virtual_output_queues, BOOL, "false", 0, 0,
        "virtual output queueing: packets for different outputs do not block each other"),
    VEF_DELAY_ROWS(vef_network_settings, delay, router_delay, "0", NULL,
                   "cycles from grant to link, in addition to the link's delay", "latency"),
    {.key = "backpressure", FIELD(CHOICE, backpressure), .fallback = "credits",
     .choices = backpressures, .aliases = "pfc priority_flow_control lossless",
     .help = "what holds back the sender of a link: credits for places, or pause frames as in lossless Ethernet (priority flow control)"},
    {VEF_NESTED("pause", pause_schema), .help = "thresholds of backpressure: pause"},
    {VEF_NESTED("buffer", buffer_schema),
     .help = "unit of buffer space, and shared buffers"},
    {VEF_NESTED("reduction", reduction_schema),
     .help = "memory of reductions in the network, by the collective algorithms `hardware`"},
    {.key = NULL, .section = vef_network_schema},
};

static const vef_param link_schema[] = {
    {.key = "bandwidth", FIELD(BANDWIDTH, link.bandwidth_bits_per_s),
     .fallback = "1 Gbit/s", .minimum = 1, .maximum = 1e18, .aliases = "speed rate bw throughput",
     .help = "of a link"},
    {.key = "phit", FIELD(BYTES, phit_bytes), .fallback = "auto", .word = "auto",
     .minimum = 1, .maximum = MOST_PHIT_BYTES, .aliases = "flit width",
     .help = "what a link transmits in a cycle; auto: the largest power of two of which a largest packet given as a size has at least 64 phits, else 4 B"},
    {.key = "clock", FIELD(FREQUENCY, clock_hz), .minimum = 1, .maximum = 1e18,
     .instead_of = "phit", .aliases = "frequency",
     .help = "cycles per second: the phit is what the fastest link carries in a cycle, rounded to whole bytes"},
    VEF_DELAY_ROWS(vef_network_settings, delay, link.delay, "1", NULL,
                   "delay of a phit, besides that of the length", "latency"),
    VEF_DELAY_ROWS(vef_network_settings, credit_delay, link.credit_delay, "0", NULL,
                   "delay of a credit, besides that of the length", NULL),
    ROW(length, link.length_m, LENGTH, "0 m", 0, VEF_LONGEST_LINK_M,
        "of a cable: adds length x delay_per_metre to both delays"),
    ROW(delay_per_metre, delay_per_metre_ns, TIME, "5 ns", 0, 1e3,
        "of a cable; 5 ns is light in a fibre, 4 to 5 ns a signal in copper"),
    {.key = "burst", FIELD(BYTES, burst_bytes), .fallback = "0 B", .maximum = 1e12,
     .aliases = "bucket token_bucket tbf",
     .help = "token bucket of each link and ejection port: what passes at once when it was idle long enough, as with cloud networks and `tc tbf`"},
    {.key = "layout", .kind = VEF_PARAM_SECTION,
     .help = "places of the routers, whose distances are the lengths of links; see below"},
    {.key = "cables", .kind = VEF_PARAM_SECTION,
     .help = "cables by length with their own bandwidth and delays, a list; see below"},
    {.key = "classes", .kind = VEF_PARAM_SECTION,
     .help = "classes of links with their own bandwidth, delays and length; see below"},
    {.key = NULL, .section = vef_network_schema},
};

static const vef_param packet_schema[] = {
    ROW(phits, packet_phits, COUNT, "16", 1, VEF_MOST_PLACES,
        "of the largest packet, its header included"),
    {.key = "bytes", FIELD(BYTES, packet_bytes),
     .minimum = 1, .maximum = 1e12, .instead_of = "phits", .aliases = "size length packet_size",
     .help = "the same as a size, rounded up to whole phits"},
    {.key = "header", FIELD(BYTES, header_bytes), .fallback = "0 B",
     .maximum = MOST_PHIT_BYTES, .aliases = "headers header_bytes overhead",
     .help = "bytes of each packet that are not payload: headers, checksums, gaps"},
    {.key = "mtu", FIELD(BYTES, mtu_bytes), .fallback = "auto", .word = "auto",
     .minimum = 1, .maximum = 1e12, .aliases = "payload payload_bytes maximum_transmission_unit",
     .help = "largest payload of a packet; without phits and bytes it also sets the size, mtu + header (auto: all that the header leaves)"},
    {.key = NULL, .section = vef_network_schema},
};

const vef_param vef_network_schema[] = {
    ROW(model, model, STRING, "router", 0, 0, "the kind of network model"),
    {.key = "topology", .kind = VEF_PARAM_SECTION, .help = "family and its parameters; required",
     .aliases = "network family sizes size shape dims dimensions nodes hosts routers switches"},
    {.key = "endpoints_per_router", FIELD(COUNT, endpoints_per_router), .fallback = "1", .minimum = 1,
     .maximum = VEF_MOST_INPUTS, .help = "concentration",
     .aliases = "concentration endpoints terminals nodes_per_router hosts_per_router"},
    ROW(rails, rails, COUNT, "1", 1, UINT32_MAX,
        "equal parts of each pod: of this many consecutive endpoints, a node, each is on its own"),
    ROW(pods, pods, COUNT, "1", 1, UINT32_MAX,
        "equal parts of the network with nodes and rails of their own"),
    {.key = "endpoint_order", FIELD(INT_LIST, endpoint_order), .fallback = "[]", .minimum = 0,
     .maximum = UINT32_MAX, .aliases = "nics numbering attach",
     .help = "endpoints in any other order, such as the interfaces of each node: their numbers in the order of the family (default: that order)"},
    {.key = "failures", .kind = VEF_PARAM_SECTION, .section = vef_failure_schema,
     .help = "links and routers that are down", .aliases = "failure faults faulty failed broken down"},
    {.key = "routing", .kind = VEF_PARAM_SECTION,
     .help = "algorithm (default: the first below that fits) and its parameters",
     .aliases = "algorithm"},
    {.key = "router", .kind = VEF_PARAM_SECTION, .section = router_schema,
     .help = "queues, arbitration, delay", .aliases = "switch"},
    {.key = "link", .kind = VEF_PARAM_SECTION, .section = link_schema,
     .help = "bandwidth, phit, delays, lengths", .aliases = "links cable"},
    {.key = "packet", .kind = VEF_PARAM_SECTION, .section = packet_schema,
     .help = "the largest packet, headers", .aliases = "packets"},
    {.key = "congestion", .kind = VEF_PARAM_SECTION,
     .help = "policy of congestion control and its parameters; see below (default: none)",
     .aliases = "ecn throttle throttling window windows congestion_control"},
    ROW(seed, seed, UINT, "1", 0, 0, "seed of all random numbers"),
    {.key = "flow", .kind = VEF_PARAM_SECTION, .aliases = "fluid", .help = "for the model flow alone; see below"},
    VEF_OTHER_SECTIONS,
    {.key = NULL},
};
/* clang-format on */

vef_code vef_configuration_read_links(const vef_node *root, vef_network_settings *settings,
                                      vef_arena *arena, vef_error *error) {
    *settings = (vef_network_settings){.router_delay.ns = VEF_NOT_GIVEN_NS,
                                       .congestion.parameters.ack_delay.ns = VEF_NOT_GIVEN_NS};
    vef_code code =
        vef_config_read(root, "network", vef_network_schema, NULL, settings, arena, error);
    settings->model = "router";
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(root, "link"), "link", link_schema, NULL, settings,
                               arena, error);
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(root, "packet"), "packet", packet_schema, NULL,
                               settings, arena, error);
    return code;
}

vef_code vef_configuration_read(const vef_node *root, vef_network_settings *settings,
                                vef_arena *arena, vef_error *error) {
    const vef_node *router = vef_node_get(root, "router");
    vef_code code = vef_configuration_read_links(root, settings, arena, error);
    if (code == VEF_OK)
        code = vef_config_read(router, "router", router_schema, NULL, settings, arena, error);
    if (code == VEF_OK)
        code = vef_policy_read(router, "arbiter", vef_arbiters, &settings->arbiter_name,
                               &settings->arbiter, error);
    if (code == VEF_OK)
        code = vef_policy_read(router, "injection", vef_injections, &settings->injection_name,
                               &settings->injection, error);
    if (code == VEF_OK)
        code = vef_congestion_read(vef_node_get(root, "congestion"), &settings->congestion, arena,
                                   error);
    return code;
}

/* ---- times and sizes in cycles and phits: the only place of these conversions ---- */

/* The key that gives the size of packets: phits, bytes or mtu; NULL: the default. A size on the
 * command line replaces one of another key in the file; otherwise mtu and a size are two facts,
 * which check_payload compares. */
static const vef_node *choose_size(const vef_node *packet, vef_network_settings *settings) {
    const vef_node *mtu = settings->mtu_bytes > 0 ? vef_node_get(packet, "mtu") : NULL;
    const vef_node *size = vef_node_get(packet, settings->packet_bytes > 0 ? "bytes" : "phits");
    if (!mtu || !size)
        return size ? size : mtu;
    if (mtu->line == 0 && size->line != 0) {
        settings->packet_bytes = 0;
        return mtu;
    }
    if (size->line == 0 && mtu->line != 0)
        settings->mtu_bytes = 0;
    return size;
}

/* The size of a largest packet in bytes, header included; 0: it is given in phits. */
static uint64_t size_in_bytes(const vef_node *packet, const vef_node *size,
                              const vef_network_settings *settings) {
    if (size && size == vef_node_get(packet, "mtu"))
        return settings->mtu_bytes + settings->header_bytes;
    return settings->packet_bytes;
}

/* What the fastest link carries in a period of the clock. */
static vef_code phit_of_clock(const vef_node *link, vef_network_settings *settings,
                              uint64_t fastest, vef_error *error) {
    const uint64_t most_hz = fastest / 8;
    const uint64_t least_hz = (most_hz + MOST_PHIT_BYTES - 1) / MOST_PHIT_BYTES;
    settings->phit_bytes = (uint64_t)llround((double)fastest / 8 / (double)settings->clock_hz);
    const bool fast = settings->clock_hz > most_hz;
    if (!fast && settings->clock_hz >= least_hz)
        return VEF_OK;
    char text[3][VEF_QUANTITY_TEXT_BYTES];
    return vef_node_fail(vef_node_get(link, "clock"), error,
                         "link.clock: in a cycle of %s a link of %s carries %s: expected at %s %s",
                         vef_format_frequency(text[0], settings->clock_hz),
                         vef_format_bandwidth(text[1], fastest),
                         fast ? "less than a byte" : "more than 1 MiB", fast ? "most" : "least",
                         vef_format_frequency(text[2], fast ? most_hz : least_hz));
}

static vef_code resolve_phit(const vef_node *link, vef_network_settings *settings,
                             uint64_t packet_bytes, uint64_t fastest, vef_error *error) {
    vef_code code = VEF_OK;
    if (settings->clock_hz > 0)
        code = phit_of_clock(link, settings, fastest, error);
    else if (settings->phit_bytes == 0) {
        settings->phit_bytes = packet_bytes > 0 ? 1 : USUAL_PHIT_BYTES;
        /* More than 63 phits are at least 64. */
        while (packet_bytes > 2 * settings->phit_bytes * (LEAST_DEFAULT_PHITS - 1) &&
               settings->phit_bytes < MOST_PHIT_BYTES)
            settings->phit_bytes *= 2;
    }
    settings->clock_hz = 0;
    return code;
}

/* Names the largest packet of these phits, and the least phit for this packet. */
static vef_code fail_phits(const vef_node *size, const vef_node *packet, uint64_t bytes,
                           uint64_t phits, const vef_network_settings *settings, vef_error *error) {
    const bool mtu = size == vef_node_get(packet, "mtu");
    const uint64_t most = VEF_MOST_PLACES * settings->phit_bytes;
    const uint64_t header = mtu ? settings->header_bytes : 0;
    const uint64_t least_phit = (bytes - 1) / VEF_MOST_PLACES + 1;
    char text[4][VEF_QUANTITY_TEXT_BYTES], phit[VEF_QUANTITY_TEXT_BYTES + 32] = "";
    if (least_phit <= MOST_PHIT_BYTES)
        snprintf(phit, sizeof phit, ", or a link.phit of at least %s",
                 vef_format_bytes(text[3], least_phit));
    return vef_node_fail(size, error,
                         "packet.%s: %s is %" PRIu64
                         " phits of %s: out of range: expected at most %d phits%s%s%s",
                         mtu ? "mtu, with its header" : "bytes", vef_format_bytes(text[0], bytes),
                         phits, vef_format_bytes(text[1], settings->phit_bytes), VEF_MOST_PLACES,
                         most > header ? ", which hold " : "",
                         most > header ? vef_format_bytes(text[2], most - header) : "", phit);
}

/* Checks the payload of the largest packet: there is some, and, where it is given beside a size, it
 * makes packets of that size. */
static vef_code check_payload(const vef_node *packet, const vef_node *size,
                              const vef_network_settings *settings, vef_error *error) {
    const uint64_t bytes = settings->packet_phits * settings->phit_bytes;
    char text[3][VEF_QUANTITY_TEXT_BYTES];
    if (settings->header_bytes >= bytes)
        return vef_node_fail(vef_node_get(packet, "header"), error,
                             "packet.header: %s leaves no room for payload in packets of %s: "
                             "expected at most %s",
                             vef_format_bytes(text[0], settings->header_bytes),
                             vef_format_bytes(text[1], bytes),
                             vef_format_bytes(text[2], bytes - 1));
    if (settings->mtu_bytes == 0)
        return VEF_OK;
    const vef_packets packets = vef_settings_packets(settings);
    const uint64_t phits = vef_packets_phits_with(&packets, settings->mtu_bytes);
    if (phits == settings->packet_phits)
        return VEF_OK;
    return vef_node_fail(size, error,
                         "packet.mtu: a payload of %s and a header of %s make packets of %" PRIu64
                         " phits of %s, the given size is %" PRIu32
                         " phits: expected only one of mtu and a size",
                         vef_format_bytes(text[0], settings->mtu_bytes),
                         vef_format_bytes(text[1], settings->header_bytes), phits,
                         vef_format_bytes(text[2], settings->phit_bytes), settings->packet_phits);
}

static vef_code resolve_sizes(const vef_node *root, vef_network_settings *settings,
                              uint64_t fastest, vef_error *error) {
    const vef_node *packet = vef_node_get(root, "packet");
    const vef_node *size = choose_size(packet, settings);
    const uint64_t bytes = size_in_bytes(packet, size, settings);
    vef_code code = resolve_phit(vef_node_get(root, "link"), settings, bytes, fastest, error);
    if (code != VEF_OK)
        return code;
    if (bytes > 0) {
        const uint64_t phits = (bytes - 1) / settings->phit_bytes + 1;
        if (phits > VEF_MOST_PLACES)
            return fail_phits(size, packet, bytes, phits, settings, error);
        settings->packet_phits = (uint32_t)phits;
        settings->packet_bytes = 0;
    }
    return check_payload(packet, size, settings, error);
}

static vef_code resolve_delay(const vef_node *section, vef_delay *delay, double cycle_ns,
                              const char *key, vef_error *error) {
    vef_code code = vef_delay_resolve(delay, cycle_ns, key, error);
    return code == VEF_OK ? code
                          : vef_node_within(vef_node_get(section, strchr(key, '.') + 1), error);
}

/* The largest payload of a packet. */
static uint64_t payload_of(const vef_network_settings *settings) {
    return settings->mtu_bytes > 0
               ? settings->mtu_bytes
               : settings->packet_phits * settings->phit_bytes - settings->header_bytes;
}

vef_code vef_configuration_resolve(const vef_node *root, vef_network_settings *settings,
                                   const vef_topology *topology, vef_error *error) {
    const uint64_t fastest = vef_links_fastest(topology, settings->link.bandwidth_bits_per_s);
    const vef_node *router = vef_node_get(root, "router"), *link = vef_node_get(root, "link");
    vef_link_parameters *links = &settings->link;
    vef_link_class *classes = settings->link_classes;
    vef_code code = resolve_sizes(root, settings, fastest, error);
    const double cycle_ns = (double)settings->phit_bytes * 8e9 / (double)fastest;
    if (code == VEF_OK)
        code = resolve_delay(router, &settings->router_delay, cycle_ns, "router.delay", error);
    if (code == VEF_OK)
        code = resolve_delay(link, &links->delay, cycle_ns, "link.delay", error);
    if (code == VEF_OK)
        code = resolve_delay(link, &links->credit_delay, cycle_ns, "link.credit_delay", error);
    if (code == VEF_OK && vef_link_classes_resolve(topology, classes, cycle_ns, error) != VEF_OK)
        code = vef_node_within(vef_node_get(link, "classes"), error);
    if (code == VEF_OK && vef_cables_resolve(&settings->cables, cycle_ns, error) != VEF_OK)
        code = vef_node_within(vef_node_get(link, "cables"), error);
    if (code == VEF_OK)
        code = vef_congestion_resolve(vef_node_get(root, "congestion"), &settings->congestion,
                                      cycle_ns, payload_of(settings), error);
    return code;
}

/* Describes where broadcast and reduction are supported, and with which routings. */
static void describe_broadcast(FILE *out) {
    fprintf(out, "broadcast in the network, by routers that copy packets, is supported on\n");
    for (size_t i = 0; vef_broadcast_rules[i]; i++)
        fprintf(out, "  %s (rule %s)\n", vef_broadcast_rules[i]->summary,
                vef_broadcast_rules[i]->name);
    fprintf(out, "  in the escape channels of");
    const char *separator = " ";
    for (size_t i = 0; vef_routings[i]; i++)
        if (vef_routings[i]->straight) {
            fprintf(out, "%s%s", separator, vef_routings[i]->name);
            separator = ", ";
        }
    fprintf(out, "\nand, with reduction and groups of endpoints, on\n");
    for (size_t i = 0; vef_climbs[i]; i++)
        fprintf(out, "  %s (rule %s)\n", vef_climbs[i]->summary, vef_climbs[i]->name);
    fprintf(out, "  in the first channel of");
    separator = " ";
    for (size_t i = 0; vef_routings[i]; i++)
        if (vef_routings[i]->climbs) {
            fprintf(out, "%s%s", separator, vef_routings[i]->name);
            separator = ", ";
        }
    fprintf(out, "\n");
}

void vef_topologies_describe(FILE *out) {
    for (size_t i = 0; vef_topology_families[i]; i++) {
        const vef_topology_family *family = vef_topology_families[i];
        fprintf(out, "topology: family: %s   %s\n", family->name, family->summary);
        vef_config_describe(out, 2, family->schema);
        fprintf(out, "  example: {family: %s, %s\n", family->name, family->samples[0] + 1);
    }
}

void vef_configuration_describe(FILE *out) {
    vef_config_describe(out, 0, vef_network_schema);
    vef_topologies_describe(out);
    fprintf(out, "failures:\n");
    vef_config_describe(out, 2, vef_failure_schema);
    for (size_t i = 0; vef_routings[i]; i++) {
        fprintf(out, "routing: algorithm: %s   %s\n", vef_routings[i]->name,
                vef_routings[i]->summary);
        vef_config_describe(out, 2, vef_routings[i]->schema);
    }
    describe_broadcast(out);
    fprintf(out, "router:\n");
    vef_config_describe(out, 2, router_schema);
    for (size_t i = 0; vef_arbiters[i]; i++)
        fprintf(out, "  arbiter: %-13s  %s\n", vef_arbiters[i]->name, vef_arbiters[i]->summary);
    for (size_t i = 0; vef_injections[i]; i++)
        fprintf(out, "  injection: %-21s  %s\n", vef_injections[i]->name,
                vef_injections[i]->summary);
    fprintf(out, "link:\n");
    vef_config_describe(out, 2, link_schema);
    vef_cables_describe(out, 2);
    vef_link_classes_describe(out, 2);
    fprintf(out, "packet:\n");
    vef_config_describe(out, 2, packet_schema);
    vef_congestion_describe(out);
}

/* The first topology and the first routing of the tables represent all. */
void vef_configuration_example(FILE *out) {
    const vef_topology_family *family = vef_topology_families[0];
    fprintf(out,
            "# All keys of a network of routers, with their defaults. `vef list networks` has the "
            "other topologies and routings.\n");
    vef_config_example(out, 0, vef_network_schema);
    fprintf(out, "topology: {family: %s, %s  # %s\n", family->name, family->samples[0] + 1,
            family->summary);
    fprintf(out, "failures:\n");
    vef_config_example(out, 2, vef_failure_schema);
    fprintf(out, "routing:\n  algorithm: %s  # %s\n", vef_routings[0]->name,
            vef_routings[0]->summary);
    vef_config_example(out, 2, vef_routings[0]->schema);
    fprintf(out, "router:\n");
    vef_config_example(out, 2, router_schema);
    fprintf(out, "  # arbiters:");
    for (size_t i = 0; vef_arbiters[i]; i++)
        fprintf(out, "%s %s", i ? "," : "", vef_arbiters[i]->name);
    fprintf(out, "\n  # injection policies:");
    for (size_t i = 0; vef_injections[i]; i++)
        fprintf(out, "%s %s", i ? "," : "", vef_injections[i]->name);
    fprintf(out, "\nlink:\n");
    vef_config_example(out, 2, link_schema);
    vef_cables_example(out, 2);
    vef_link_classes_example(out, 2);
    fprintf(out, "packet:\n");
    vef_config_example(out, 2, packet_schema);
    vef_congestion_example(out);
}

void vef_configuration_put(const vef_network_settings *settings, const vef_topology *topology,
                           const vef_routing *routing, vef_node *into) {
    vef_config_put_schema(into, vef_network_schema, settings);
    vef_topology_put(topology, into);
    vef_failures_put(topology, into);
    vef_routing_put(routing, into);
    vef_config_put_schema(vef_config_section(into, "router"), router_schema, settings);
    vef_node *link = vef_config_section(into, "link");
    vef_config_put_schema(link, link_schema, settings);
    vef_cables_put(&settings->layout, &settings->cables, link);
    vef_link_classes_put(topology, settings->link_classes, link);
    vef_config_put_schema(vef_config_section(into, "packet"), packet_schema, settings);
    vef_congestion_put(&settings->congestion, into);
}
