/* Injection policies: by free places, or by the ports that the packet's route may take (see
 * injection.h).
 *
 * The policies other than the default are those of FSIN (Navaridas, Miguel-Alonso, Pascual and
 * Ridruejo, "Simulating and evaluating interconnection networks with INSEE", Simulation Modelling
 * Practice and Theory 19(1), 2011): dor, dsh, shp and lpath. With a queue for each link, packets
 * that wait for one link do not block those for another. */
#include "netmodel/router/policy/injection.h"

/* Port p of P has the queues p Q / P … (p + 1) Q / P - 1 of Q, and at least the first of these. */
static uint32_t freest_of_port(const vef_entrant *packet, uint32_t port) {
    const uint32_t first = (uint32_t)((uint64_t)port * packet->queues / packet->ports);
    const uint32_t end = (uint32_t)((port + UINT64_C(1)) * packet->queues / packet->ports);
    return vef_injection_freest(packet->free, first, end > first ? end : first + 1, packet->places);
}

static uint32_t choose_dimension_order(const vef_entrant *packet) {
    const vef_candidate *escape = packet->candidates;
    while (!escape->escape && escape < packet->candidates + packet->count - 1)
        escape++;
    return freest_of_port(packet, escape->port);
}

static uint32_t choose_dimension_order_first(const vef_entrant *packet) {
    const uint32_t queue = choose_dimension_order(packet);
    return queue != VEF_NO_QUEUE
               ? queue
               : vef_injection_freest(packet->free, 0, packet->queues, packet->places);
}

static uint32_t choose_shortest_profitable(const vef_entrant *packet) {
    const uint16_t *free = packet->free;
    uint32_t best = VEF_NO_QUEUE;
    for (uint32_t i = 0; i < packet->count; i++) {
        const uint32_t queue = freest_of_port(packet, packet->candidates[i].port);
        if (queue != VEF_NO_QUEUE && (best == VEF_NO_QUEUE || free[queue] > free[best] ||
                                      (free[queue] == free[best] && queue < best)))
            best = queue;
    }
    return best;
}

static uint32_t choose_longest_path(const vef_entrant *packet) {
    uint32_t longest = 0;
    int most = 0;
    for (uint32_t port = 0; port < packet->ports; port++) {
        const vef_route_step step = packet->routing->steps[port];
        const int hops = packet->route->words[step.word] / -step.change;
        if (hops > most) {
            most = hops;
            longest = port;
        }
    }
    return freest_of_port(packet, longest);
}

static const vef_injection most_free = {.choose = NULL};
static const vef_injection dimension_order = {.choose = choose_dimension_order};
static const vef_injection dimension_order_first = {.choose = choose_dimension_order_first};
static const vef_injection shortest_profitable = {.choose = choose_shortest_profitable};
static const vef_injection longest_path = {.choose = choose_longest_path, .by_hops = true};

static const vef_injection *const injections[] = {
#define INJECTION(id, name, aliases, summary) &id,
#include "netmodel/file/policies.def"
};

const vef_injection *vef_injection_of(const vef_policy_name *name) {
    return injections[name->number];
}

vef_code vef_injection_check(const vef_policy_name *policy, const vef_routing *routing,
                             vef_error *error) {
    if (!vef_injection_of(policy)->by_hops || routing->steps)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "router.injection: %s not supported with routing %s, which does not count the "
                    "hops of each direction: expected routing dor or adaptive, or another policy",
                    policy->name, routing->algorithm->name);
}
