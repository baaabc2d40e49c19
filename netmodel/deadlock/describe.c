/* Findings of the proof in words. */
#include "netmodel/deadlock/deadlock.h"

static void describe_place(const vef_routing *routing, vef_place place, char *text,
                           size_t text_bytes) {
    if (place.in_port == VEF_INJECTED) {
        snprintf(text, text_bytes, " just injected");
        return;
    }
    char port[VEF_PORT_NAME_BYTES];
    vef_topology_port_name(routing->topology, place.in_port, port, sizeof port);
    snprintf(text, text_bytes, " in the queue of %s, channel %u,", port, place.in_channel);
}

/* "router (0, 1): a packet from endpoint 1 to endpoint 7 in the queue of x-, channel 0," */
static int describe_packet(const vef_routing *routing, const vef_dependency *dependency, char *text,
                           size_t text_bytes) {
    char here[VEF_ROUTER_NAME_BYTES], place[VEF_PORT_NAME_BYTES + 64], class[32] = "";
    vef_topology_router_name(routing->topology, dependency->place.router, here, sizeof here);
    describe_place(routing, dependency->place, place, sizeof place);
    if (routing->traffic_classes > 1)
        snprintf(class, sizeof class, " of class %u", dependency->traffic_class);
    return snprintf(text, text_bytes, "router %s: a packet%s from endpoint %u to endpoint %u%s",
                    here, class, dependency->source, dependency->destination, place);
}

static void describe_candidate(const vef_routing *routing, const vef_dependency *dependency,
                               char *text, size_t text_bytes) {
    const vef_topology *topology = routing->topology;
    const vef_candidate candidate = dependency->candidate;
    char there[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    const uint32_t next = vef_topology_next(topology, dependency->place.router, candidate.port);
    vef_topology_router_name(topology, next, there, sizeof there);
    vef_topology_port_name(topology, candidate.port, port, sizeof port);
    snprintf(text, text_bytes, "%s, channel %u, to router %s (it needs %u place%s)", port,
             candidate.channel, there, candidate.slots_needed,
             candidate.slots_needed == 1 ? "" : "s");
}

void vef_deadlock_describe_dependency(const vef_routing *routing, const vef_dependency *dependency,
                                      char *text, size_t text_bytes) {
    char packet[VEF_DEPENDENCY_BYTES], candidate[VEF_DEPENDENCY_BYTES];
    describe_packet(routing, dependency, packet, sizeof packet);
    describe_candidate(routing, dependency, candidate, sizeof candidate);
    snprintf(text, text_bytes, "%s waits for %s", packet, candidate);
}

void vef_deadlock_describe_verdict(const vef_routing *routing, const vef_deadlock *deadlock,
                                   char *text, size_t text_bytes) {
    char packet[VEF_DEPENDENCY_BYTES] = "";
    const vef_candidate candidate = deadlock->fault.candidate;
    describe_packet(routing, &deadlock->fault, packet, sizeof packet);
    switch (deadlock->verdict) {
    case VEF_DEADLOCK_FREE:
        snprintf(text, text_bytes, "%s", "");
        break;
    case VEF_DEADLOCK_NO_ESCAPE:
        snprintf(text, text_bytes, "%s has no escape that queues of %u place%s could ever accept",
                 packet, deadlock->queue_packets, deadlock->queue_packets == 1 ? "" : "s");
        break;
    case VEF_DEADLOCK_LOST:
        snprintf(text, text_bytes, "%s has no candidates and is not at its destination", packet);
        break;
    case VEF_DEADLOCK_NOT_A_CHOICE:
        snprintf(text, text_bytes,
                 "%s has the candidate port %u, channel %u, with %u places, which the router does "
                 "not have",
                 packet, candidate.port, candidate.channel, candidate.slots_needed);
        break;
    case VEF_DEADLOCK_CYCLE:
        if (deadlock->uncovered == VEF_UNCOVERED_PAUSES) {
            snprintf(text, text_bytes,
                     "a cyclic buffer dependency: each queue pauses its sender while its packets "
                     "wait for the next");
            break;
        }
        snprintf(text, text_bytes,
                 "a cycle of virtual channels whose packets wait for each other%s",
                 deadlock->uncovered == VEF_UNCOVERED_BRANCHES ? ""
                 : deadlock->uncovered == VEF_UNCOVERED_PLACES
                     ? " (a ring in which a hop may take more than one place)"
                     : " (a ring that packets enter when one place is free)");
        break;
    }
}
