/* Places of the queues at the ends of links. See buffers.h. */
#include "netmodel/file/buffers.h"

#include <inttypes.h>

/* Channels by which packets can arrive at a port: those of the port at the other end. */
static uint32_t channels_into(const vef_buffers *buffers, uint32_t router, uint32_t port) {
    const vef_routing *routing = buffers->routing;
    const vef_topology *topology = buffers->topology;
    const size_t here = (size_t)router * topology->ports + port;
    if (topology->neighbour[here] == VEF_NO_ROUTER)
        return 0;
    return routing->port_channels ? routing->port_channels[topology->reverse_port[here]]
                                  : routing->channels;
}

/* Number of queues that share a port's buffer. */
static uint32_t sharers(const vef_buffers *buffers, uint32_t router, uint32_t port) {
    if (buffers->settings.per_port_phits > 0)
        return channels_into(buffers, router, port);
    uint32_t queues = 0;
    for (uint32_t p = 0; p < buffers->topology->ports; p++)
        queues += channels_into(buffers, router, p);
    return queues;
}

static bool shared(const vef_buffers *buffers) {
    return buffers->settings.per_port_phits > 0 || buffers->settings.per_router_phits > 0;
}

static uint32_t share_out(const vef_buffers *buffers) {
    return buffers->settings.per_port_phits > 0 ? buffers->settings.per_port_phits
                                                : buffers->settings.per_router_phits;
}

/* The link by which packets arrive at a connected port. */
static const vef_link_rule *rule_into(const vef_buffers *buffers, uint32_t router, uint32_t port) {
    const vef_topology *topology = buffers->topology;
    const size_t here = (size_t)router * topology->ports + port;
    return vef_links_rule(buffers->links, topology, topology->neighbour[here],
                          topology->reverse_port[here]);
}

uint64_t vef_buffers_round_trip_phits(const vef_buffers *buffers, const vef_link_rule *rule) {
    const uint64_t cycles = vef_links_round_trip(rule, buffers->settings.packet_phits);
    return (cycles + rule->cycles_per_phit - 1) / rule->cycles_per_phit;
}

/* The default: the packets of a round trip, plus the places that a packet needs to enter a ring
 * (bubble) or one, so that packets that are slightly late find credits. */
static uint64_t default_packets(const vef_buffers *buffers, const vef_link_rule *rule) {
    const uint64_t phits = buffers->settings.packet_phits;
    const uint64_t packets = (vef_buffers_round_trip_phits(buffers, rule) + phits - 1) / phits +
                             buffers->routing->least_queue_packets;
    const uint64_t most = VEF_MOST_PLACES / buffers->largest_places;
    if (packets > most)
        return most > 0 ? most : 1;
    return packets < VEF_LEAST_DEFAULT_PACKETS ? VEF_LEAST_DEFAULT_PACKETS : packets;
}

vef_pause vef_buffers_pause(const vef_buffers *buffers, const vef_link_rule *rule) {
    enum { APART_PACKETS = 2 };
    const vef_buffer_settings *given = &buffers->settings;
    const uint64_t trip = (uint64_t)rule->hop_cycles + rule->credit_delay_cycles;
    const uint64_t largest = (uint64_t)given->packet_phits * rule->cycles_per_phit;
    const uint64_t shortest = (uint64_t)given->least_phits * rule->cycles_per_phit;
    vef_pause pause = {given->pause_at_packets, given->pause_resume_packets, 0};
    if (pause.resume_packets == 0 && pause.at_packets > 0)
        pause.resume_packets =
            pause.at_packets > APART_PACKETS ? pause.at_packets - APART_PACKETS : 1;
    else if (pause.resume_packets == 0)
        pause.resume_packets = (trip + largest - 1) / largest;
    if (pause.at_packets == 0)
        pause.at_packets = pause.resume_packets + APART_PACKETS;
    pause.queue_packets = pause.at_packets + (trip - 1) / shortest;
    return pause;
}

/* Places of each queue of a receiving port. */
static uint64_t places_at(const vef_buffers *buffers, uint32_t router, uint32_t port) {
    if (!shared(buffers)) {
        const vef_link_rule *rule = rule_into(buffers, router, port);
        const uint64_t packets =
            buffers->settings.queue_packets > 0 ? buffers->settings.queue_packets
            : buffers->settings.pauses          ? vef_buffers_pause(buffers, rule).queue_packets
                                                : default_packets(buffers, rule);
        return packets * buffers->largest_places;
    }
    const uint32_t queues = sharers(buffers, router, port);
    return queues == 0 ? 0 : share_out(buffers) / buffers->place_phits / queues;
}

uint32_t vef_buffers_places(const vef_buffers *buffers, uint32_t router, uint32_t port,
                            uint32_t channel) {
    const vef_topology *topology = buffers->topology;
    const size_t here = (size_t)router * topology->ports + port;
    if (topology->neighbour[here] == VEF_NO_ROUTER ||
        (buffers->routing->port_channels && channel >= buffers->routing->port_channels[port]))
        return 0;
    return (uint32_t)places_at(buffers, topology->neighbour[here], topology->reverse_port[here]);
}

static vef_code fail_short(const vef_buffers *buffers, vef_error *error) {
    const vef_routing *routing = buffers->routing;
    const uint32_t packets = routing->least_queue_packets;
    const uint32_t queues = buffers->sharers;
    const uint64_t least =
        (uint64_t)queues * packets * buffers->largest_places * buffers->place_phits;
    const bool per_port = buffers->settings.per_port_phits > 0;
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "router.buffer.%s: %u, divided among %u queues, is out of range: each needs %u packet%s of "
        "%u phits for routing %s to be free of deadlock on topology %s: expected at least %" PRIu64,
        per_port ? "per_port_phits" : "per_router_phits", share_out(buffers), queues, packets,
        packets == 1 ? "" : "s", buffers->settings.packet_phits, routing->algorithm->name,
        buffers->topology->family->name, least);
}

vef_code vef_buffers_check(const vef_buffers *buffers, vef_error *error) {
    const vef_routing *routing = buffers->routing;
    const uint32_t packets = routing->least_queue_packets;
    if (buffers->least >= (uint64_t)packets * buffers->largest_places)
        return VEF_OK;
    if (shared(buffers))
        return fail_short(buffers, error);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "router.queue_packets: %u is out of range for routing %s on topology %s: "
                    "expected at least %u (bubble flow control keeps a place free)",
                    buffers->settings.queue_packets, routing->algorithm->name,
                    buffers->topology->family->name, packets);
}

bool vef_buffers_differ_by_default(const vef_buffers *buffers) {
    return !shared(buffers) && buffers->settings.queue_packets == 0 &&
           buffers->least != buffers->most && !buffers->settings.pauses;
}

bool vef_buffers_warn(const vef_buffers *buffers, char *text) {
    const uint64_t has = buffers->throttled_phits, needs = buffers->throttled_round_trip_phits;
    if (has >= needs || buffers->settings.pauses)
        return false;
    const uint32_t packet = buffers->settings.packet_phits;
    char router[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    vef_topology_router_name(buffers->topology, buffers->throttled_router, router, sizeof router);
    vef_topology_port_name(buffers->topology, buffers->throttled_port, port, sizeof port);
    const char *key = buffers->settings.per_port_phits > 0     ? "buffer.per_port_phits"
                      : buffers->settings.per_router_phits > 0 ? "buffer.per_router_phits"
                                                               : "queue_packets";
    snprintf(text, VEF_BUFFERS_WARNING_BYTES,
             "router.%s: a queue of %" PRIu64
             " phits is shorter than the round trip of credits, %" PRIu64
             " phits (router %s, %s), which limits a virtual channel to %.3g %% of the link's "
             "bandwidth: expected at least %" PRIu64 " packets of %" PRIu32 " phits",
             key, has, needs, router, port, 100.0 * (double)has / (double)needs,
             (needs + packet - 1) / packet, packet);
    return true;
}

/* Records the round trip of the link into a port, whose queues have that many places each. */
static void note_round_trip(vef_buffers *buffers, uint32_t router, uint32_t port, uint64_t places) {
    const uint64_t needs = vef_buffers_round_trip_phits(buffers, rule_into(buffers, router, port));
    const uint64_t has =
        places * buffers->place_phits < needs ? places * buffers->place_phits : needs;
    if (buffers->least_round_trip_phits == 0 || needs < buffers->least_round_trip_phits)
        buffers->least_round_trip_phits = (uint32_t)needs;
    if (needs > buffers->most_round_trip_phits)
        buffers->most_round_trip_phits = (uint32_t)needs;
    if (buffers->throttled_round_trip_phits == 0 ||
        has * buffers->throttled_round_trip_phits < buffers->throttled_phits * needs) {
        const size_t here = (size_t)router * buffers->topology->ports + port;
        buffers->throttled_phits = (uint32_t)has;
        buffers->throttled_round_trip_phits = (uint32_t)needs;
        buffers->throttled_router = buffers->topology->neighbour[here];
        buffers->throttled_port = buffers->topology->reverse_port[here];
    }
}

/* Refuses what pauses do not support, and thresholds without them. */
static vef_code check_pauses(const vef_buffers *buffers, vef_error *error) {
    const vef_buffer_settings *given = &buffers->settings;
    const uint32_t pause = given->pause_at_packets, resume = given->pause_resume_packets;
    if (!given->pauses && (pause > 0 || resume > 0))
        return vef_fail(error, VEF_INVALID,
                        "router.pause: not supported with router.backpressure: credits: expected "
                        "backpressure: pause");
    if (!given->pauses)
        return VEF_OK;
    if (pause > 0 && pause <= resume)
        return vef_fail(error, VEF_INVALID,
                        "router.pause.at: %u is out of range: expected more than "
                        "router.pause.resume, %u",
                        pause, resume);
    if (given->unit_phits > 0 || shared(buffers))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.buffer.%s: not supported with router.backpressure: pause: expected "
                        "queue_packets",
                        given->unit_phits > 0       ? "unit_phits"
                        : given->per_port_phits > 0 ? "per_port_phits"
                                                    : "per_router_phits");
    if (buffers->routing->least_queue_packets > 1)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.backpressure: pause: not supported with routing %s on topology %s, "
                        "whose bubbles senders count: expected router.flow_control: "
                        "virtual-channels, or a routing without bubbles",
                        buffers->routing->algorithm->name, buffers->topology->family->name);
    return VEF_OK;
}

/* Refuses queues that could overflow; `needed`: the length of the longest. */
static vef_code check_headroom(const vef_buffers *buffers, uint64_t needed, vef_error *error) {
    const uint32_t packets = buffers->settings.queue_packets;
    if (packets == 0 || packets >= needed)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "router.queue_packets: %u is out of range with router.backpressure: pause: "
                    "expected at least %" PRIu64
                    ", or auto: router.pause.at, and the packets that "
                    "arrive before the sender is paused",
                    packets, needed);
}

vef_code vef_buffers_plan(const vef_buffer_settings *settings, const vef_topology *topology,
                          const vef_routing *routing, const vef_links *links, vef_buffers *buffers,
                          vef_error *error) {
    const uint32_t unit = settings->unit_phits, phits = settings->packet_phits;
    *buffers = (vef_buffers){
        .settings = *settings,
        .topology = topology,
        .routing = routing,
        .links = links,
        .place_phits = unit > 0 ? unit : phits,
        .largest_places = unit > 0 ? (phits + unit - 1) / unit : 1,
    };
    if (settings->per_port_phits > 0 && settings->per_router_phits > 0)
        return vef_fail(error, VEF_INVALID,
                        "router.buffer.per_port_phits and per_router_phits: expected one of them");
    if (unit > 0 && routing->least_queue_packets > 1)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.buffer.unit_phits: %u is not supported with routing %s, whose "
                        "bubbles are places for whole packets, not places of %u phits: expected no "
                        "unit_phits, or a routing without bubbles",
                        unit, routing->algorithm->name, unit);
    if (check_pauses(buffers, error) != VEF_OK)
        return VEF_INVALID;
    uint64_t least = UINT64_MAX, most = 0, needed = 0;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t channels = channels_into(buffers, r, port);
            if (channels == 0)
                continue;
            const uint64_t places = places_at(buffers, r, port);
            buffers->total += channels * places;
            note_round_trip(buffers, r, port, places);
            const uint64_t length =
                settings->pauses
                    ? vef_buffers_pause(buffers, rule_into(buffers, r, port)).queue_packets
                    : 0;
            needed = length > needed ? length : needed;
            if (places < least) {
                least = places;
                buffers->sharers = sharers(buffers, r, port);
            }
            most = places > most ? places : most;
        }
    if (least == UINT64_MAX) /* there are no links */
        least = most = (uint64_t)(settings->queue_packets > 0 ? settings->queue_packets
                                                              : VEF_LEAST_DEFAULT_PACKETS) *
                       buffers->largest_places;
    if (most > VEF_MOST_PLACES)
        return vef_fail(
            error, VEF_INVALID,
            "a queue has %" PRIu64
            " places of %u phits: out of range: expected at most %d: a smaller router.buffer or "
            "router.queue_packets, or a greater router.buffer.unit_phits",
            most, buffers->place_phits, VEF_MOST_PLACES);
    buffers->least = (uint32_t)least;
    buffers->most = (uint32_t)most;
    return check_headroom(buffers, needed, error);
}
