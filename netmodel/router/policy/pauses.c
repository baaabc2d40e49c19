/* Pause frames instead of credits (netmodel/MODEL.md, "Pause frames"): priority flow control, IEEE
 * 802.1Qbb, with virtual channels as classes.
 *
 * The queues of links count their packets and send frames, which travel as credits do
 * (vef_network_send_frame). A sender has one credit for a channel, or none while it is paused; it
 * takes none for a packet. Bound: a queue never holds more than vef_pause.queue_packets. */
#include "netmodel/router/policy/install.h"

#include <assert.h>

/* A queue at the end of a link. */
struct vef_held {
    uint16_t packets; /* whose heads have arrived, and whose tails have not left */
    uint16_t pause_packets, resume_packets, places;
    bool pauses; /* its sender: its last frame is a pause */
};
typedef struct vef_held vef_held;

static vef_held *held_at(const vef_network *network, uint32_t router, uint32_t store) {
    return &network->policies.held[(size_t)router * network->shape.links + store];
}

static void arrive(vef_network *network, vef_partition *part, uint32_t router, uint32_t store,
                   uint32_t packet) {
    const vef_window_policy *windows = network->policies.moving.windows;
    vef_held *held = held_at(network, router, store);
    assert(held->packets < held->places); /* nothing is lost */
    held->packets++;
    if (windows)
        windows->arrive(network, part->now_cycles, router, store, packet, held->packets,
                        held->pause_packets);
    if (held->packets < held->pause_packets || held->pauses)
        return;
    held->pauses = true;
    vef_network_send_frame(network, part, router, store, true);
}

static void leave(vef_network *network, vef_partition *part, uint32_t router, uint32_t store) {
    vef_held *held = held_at(network, router, store);
    assert(held->packets > 0);
    if (--held->packets > held->resume_packets || !held->pauses)
        return;
    held->pauses = false;
    vef_network_send_frame(network, part, router, store, false);
}

static void set_held(vef_network *network, uint32_t router, uint32_t port) {
    const vef_topology *topology = network->topology;
    const size_t here = (size_t)router * network->shape.ports + port;
    const uint32_t sender = topology->neighbour[here];
    if (sender == VEF_NO_ROUTER)
        return;
    const uint32_t from = topology->reverse_port[here];
    const vef_pause pause = vef_buffers_pause(
        &network->queues.buffers, vef_links_rule(&network->links.plan, topology, sender, from));
    for (uint32_t channel = 0; channel < network->shape.channels; channel++)
        *held_at(network, router, port * network->shape.channels + channel) =
            (vef_held){.pause_packets = (uint16_t)pause.at_packets,
                       .resume_packets = (uint16_t)pause.resume_packets,
                       .places = (uint16_t)vef_buffers_places(&network->queues.buffers, sender,
                                                              from, channel)};
}

/* Whoever compares the places of queues has them kept. */
static vef_code refuse_places(const vef_network *network, vef_error *error) {
    const vef_policy_name *policy = network->settings.congestion.policy;
    const bool by_routing =
        network->queues.waiting != NULL || network->routing->algorithm->choice != NULL;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "router.backpressure: pause: not supported with %s %s, which compares the "
                    "places of queues: expected backpressure: credits",
                    by_routing ? "routing" : "congestion policy",
                    by_routing ? network->routing->algorithm->name : policy->name);
}

vef_code vef_pauses_install(vef_network *network, vef_error *error) {
    static const vef_pause_policy pauses = {arrive, leave};
    if (network->settings.backpressure != VEF_PAUSE)
        return VEF_OK;
    if (network->queues.places)
        return refuse_places(network, error);
    const uint32_t routers = network->topology->routers;
    network->policies.held = vef_arena_alloc(
        &network->arena, (uint64_t)routers * network->shape.links, sizeof *network->policies.held);
    for (uint32_t router = 0; router < routers; router++)
        for (uint32_t port = 0; port < network->shape.ports; port++)
            set_held(network, router, port);
    network->policies.full.pauses = &pauses;
    return VEF_OK;
}
