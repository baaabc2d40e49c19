/* Common functions of routings on twin tori. See twin.h. */
#include "netmodel/routing/twin/twin.h"

#include "netmodel/topology/families.h"

vef_code vef_twin_supports(const vef_topology *topology, vef_flow_control flow_control,
                           const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    if (vef_twin_torus_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it routes between the cards of a twin torus: expected topology %s, not %s",
                    vef_topology_twin_torus.name, topology->family->name);
}

/* Assigns the channels of inner links (twin.h): type 1 by runs, type 2 by dimension, type 3. */
static void share_out(vef_twin_plan *plan) {
    const vef_twin_torus *twin = plan->twin;
    uint8_t runs[2] = {0}, most = 0;
    uint32_t last = 2; /* the card of the dimension before; 2: none, or it was split */
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        vef_twin_dimension *dimension = &plan->dimension[d];
        const uint32_t card = vef_twin_card_of_port(twin, 2 * d);
        dimension->size = twin->sizes[d];
        dimension->split = vef_twin_card_of_port(twin, 2 * d + 1) != card;
        if (dimension->split) {
            last = 2;
            continue;
        }
        if (card != last)
            runs[card]++;
        dimension->inner = (uint8_t)(runs[card] - 1);
        most = runs[card] > most ? runs[card] : most;
        last = card;
    }
    const uint8_t each = plan->bubble ? 1 : 2;
    uint8_t next = most;
    for (uint32_t d = 0; d < twin->dimensions; d++)
        if (plan->dimension[d].split) {
            plan->dimension[d].inner = next;
            next = (uint8_t)(next + each);
        }
    plan->external = each;
    plan->arrival = next;
    plan->needed = plan->inner = (uint8_t)(next + 1);
}

vef_twin_plan *vef_twin_plan_create(vef_routing *routing) {
    const vef_twin_torus *twin = vef_twin_torus_of(routing->topology);
    const size_t nodes = routing->topology->routers / 2, n = twin->dimensions;
    vef_twin_plan *plan = vef_arena_alloc(&routing->arena, 1, sizeof *plan);
    uint32_t *coordinates = vef_arena_alloc(&routing->arena, nodes * n, sizeof *coordinates);
    for (uint32_t node = 0; node < nodes; node++)
        vef_twin_coordinates(twin, node, coordinates + node * n);
    *plan = (vef_twin_plan){.twin = twin,
                            .coordinates = coordinates,
                            .bubble = routing->flow_control == VEF_FLOW_BUBBLE};
    share_out(plan);
    routing->least_queue_packets = plan->bubble ? 2 : 1;
    routing->route_words = VEF_TWIN_WORD + 1;
    return plan;
}

vef_code vef_twin_set_channels(vef_routing *routing, uint32_t external, uint32_t inner,
                               vef_error *error) {
    const uint32_t ports = routing->topology->ports;
    routing->channels = external > inner ? external : inner;
    if (routing->channels > VEF_MAX_CHANNELS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u virtual channels on external links and %u on inner links: out of "
                        "range: expected at most %d",
                        external, inner, VEF_MAX_CHANNELS);
    uint8_t *channels = vef_arena_alloc(&routing->arena, ports, sizeof *channels);
    memset(channels, (int)external, ports);
    channels[vef_twin_inner_port(vef_twin_torus_of(routing->topology))] = (uint8_t)inner;
    routing->port_channels = channels;
    return VEF_OK;
}

void vef_twin_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                    vef_route *route) {
    (void)routing, (void)draws;
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, VEF_TWIN_TARGET_WORD, travel->to);
}

/* Whether a packet at `place` that will leave the node by `port` of dimension d is already in that
 * ring: in the queue of the previous link, which in a split dimension may be the inner one. */
static bool goes_on(const vef_twin_plan *plan, vef_place place, uint32_t port) {
    const vef_twin_dimension *dimension = &plan->dimension[port / 2];
    if (place.in_port == vef_twin_inner_port(plan->twin))
        return dimension->split && place.in_channel == dimension->inner % plan->inner;
    return place.in_port == (port ^ 1) && place.in_channel == 0;
}

vef_candidate vef_twin_dort(const vef_twin_plan *plan, vef_place place, uint32_t target) {
    const vef_twin_torus *twin = plan->twin;
    const uint32_t *here = vef_twin_at(plan, place.router), *to = vef_twin_at(plan, target);
    const uint16_t inner_port = (uint16_t)vef_twin_inner_port(twin);
    uint32_t d = 0;
    while (d < twin->dimensions && here[d] == to[d])
        d++;
    if (d == twin->dimensions)
        return (vef_candidate){.port = inner_port,
                               .channel = plan->arrival % plan->inner,
                               .slots_needed = 1,
                               .escape = true};
    const vef_twin_dimension *dimension = &plan->dimension[d];
    const bool minus = 2 * vef_twin_ahead(plan, d, here, to) > dimension->size;
    const uint8_t lower = !plan->bubble && to[d] < here[d] ? 1 : 0;
    const uint16_t port = (uint16_t)(2 * d + minus);
    const bool across = vef_twin_card_of_port(twin, port) != vef_twin_card(place.router);
    const bool ring = plan->bubble && (!across || dimension->split);
    vef_candidate candidate = {.port = port, .channel = lower, .slots_needed = 1, .escape = true};
    if (across) {
        candidate.port = inner_port;
        candidate.channel =
            (uint8_t)((dimension->inner + (dimension->split ? lower : 0)) % plan->inner);
    }
    if (ring && !goes_on(plan, place, port))
        candidate.slots_needed = 2;
    return candidate;
}
