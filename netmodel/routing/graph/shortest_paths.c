/* Common functions of routings on arbitrary graphs. See shortest_paths.h. */
#include "netmodel/routing/graph/shortest_paths.h"

vef_code vef_shortest_paths_supports(const vef_topology *topology, vef_flow_control flow_control,
                                     const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    if (topology->ports > VEF_MAX_CANDIDATES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "routers have %u ports: out of range: expected at most %d", topology->ports,
                        VEF_MAX_CANDIDATES);
    return VEF_OK;
}

uint32_t vef_shortest_paths_most_links(const vef_topology *topology) {
    uint32_t most = 0;
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint32_t links = 0;
        for (uint32_t port = 0; port < topology->ports; port++)
            links += vef_topology_next(topology, r, port) != VEF_NO_ROUTER;
        most = links > most ? links : most;
    }
    return most;
}

vef_code vef_shortest_paths_fill(vef_routing *routing, vef_shortest_paths *paths,
                                 vef_error *error) {
    routing->route_words = VEF_SHORTEST_PATHS_WORD + 1;
    paths->most_links = vef_shortest_paths_most_links(routing->topology);
    return vef_hops_create(routing->topology, &routing->arena, &paths->hops, error);
}

vef_code vef_shortest_paths_create(vef_routing *routing, vef_shortest_paths **made,
                                   vef_error *error) {
    vef_shortest_paths *paths = vef_arena_alloc(&routing->arena, 1, sizeof *paths);
    routing->state = *made = paths;
    return vef_shortest_paths_fill(routing, paths, error);
}

uint32_t vef_shortest_paths_most(const vef_shortest_paths *paths, uint32_t channels) {
    uint32_t most = 1;
    for (uint32_t hops = 1; hops <= paths->hops.diameter; hops++)
        most = paths->hops.nearer[hops] > most ? paths->hops.nearer[hops] : most;
    return most * channels;
}

uint32_t vef_shortest_paths_most_rising(const vef_shortest_paths *paths, uint32_t classes,
                                        uint32_t each) {
    uint32_t most = 1;
    for (uint32_t hops = 1; hops <= paths->hops.diameter; hops++) {
        const uint32_t here = paths->hops.nearer[hops] * (classes + 1 - hops) * each;
        most = here > most ? here : most;
    }
    return most;
}

vef_code vef_shortest_paths_check_candidates(const vef_routing *routing, vef_error *error) {
    if (routing->most_candidates <= VEF_MAX_CANDIDATES)
        return VEF_OK;
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "a packet may take up to %u pairs of a link and one of its %u virtual channels: "
        "out of range: expected at most %d",
        routing->most_candidates, routing->channels, VEF_MAX_CANDIDATES);
}

uint32_t vef_shortest_paths_offer(const vef_shortest_paths *paths, uint32_t target, uint32_t router,
                                  uint32_t first, uint32_t end, bool escape,
                                  vef_candidate *offered) {
    const vef_topology *topology = paths->hops.topology;
    const uint32_t *neighbours = topology->neighbour + (size_t)router * topology->ports;
    const uint32_t here = vef_hops_to(&paths->hops, target, router);
    uint32_t count = 0;
    for (uint32_t port = 0; port < topology->ports && here > 0; port++) {
        if (neighbours[port] == VEF_NO_ROUTER ||
            vef_hops_to(&paths->hops, target, neighbours[port]) + 1 != here)
            continue;
        for (uint32_t c = first; c < end; c++)
            offered[count++] = (vef_candidate){
                .port = (uint16_t)port, .channel = (uint8_t)c, .slots_needed = 1, .escape = escape};
    }
    return count;
}

void vef_shortest_paths_begin(const vef_routing *routing, const vef_travel *travel,
                              vef_draws *draws, vef_route *route) {
    (void)draws;
    const vef_shortest_paths *paths = routing->state;
    vef_shortest_paths_set_target(route, paths->hops.target_of[travel->to]);
}
