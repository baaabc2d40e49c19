/* What is common to all routings. See routing.h; create.c builds them. */
#include "netmodel/routing/routing.h"

#include "common/plugin/library.h"

#include "netmodel/routing/view.h"

#include <stdlib.h>

const char *const vef_queues_words[] = {
    [VEF_QUEUES_CHANNELS] = "channels", [VEF_QUEUES_PORT] = "port", NULL};

uint64_t vef_routing_weigh_occupied(const vef_routing *routing, const vef_route *route,
                                    vef_place place, vef_candidate candidate,
                                    const vef_view *view) {
    enum { QUEUE_BITS = 16 }; /* the second in the order of comparison */
    (void)routing, (void)route;
    const uint64_t port = (uint64_t)vef_view_taken(view, place.router, candidate.port) +
                          vef_view_waiting(view, place.router, candidate.port);
    return port << QUEUE_BITS |
           vef_view_queue(view, place.router, candidate.port, candidate.channel).taken;
}

void vef_routing_destroy(vef_routing *routing) {
    if (!routing)
        return;
    vef_routing_destroy(routing->part);
    vef_arena_release(&routing->arena);
    vef_library_close(routing->library);
    free(routing);
}

void vef_routing_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                       const vef_view *view, vef_route *route) {
    const vef_choice *choice = routing->algorithm->choice;
    if (!choice) {
        routing->algorithm->begin(routing, travel, draws, route);
        return;
    }
    const uint32_t alternatives = travel->from == travel->to ? 1 : routing->alternatives;
    if (!view || alternatives == 1) {
        const uint32_t any = vef_draw_below(draws, alternatives);
        choice->begin(routing, travel, any, draws, route);
        return;
    }
    vef_route routes[VEF_MAX_ALTERNATIVES];
    for (uint32_t i = 0; i < alternatives; i++)
        choice->begin(routing, travel, i, draws, &routes[i]);
    *route = routes[choice->choose(routing, travel, routes, view)];
}

vef_code vef_routing_check_candidates(uint32_t channels, uint32_t ports, vef_error *error) {
    if ((uint64_t)channels * ports <= VEF_MAX_CANDIDATES)
        return VEF_OK;
    if (ports > VEF_MAX_CANDIDATES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u ports give a packet too many candidates: expected at most %d", ports,
                        VEF_MAX_CANDIDATES);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "channels: %u on %u ports give a packet too many candidates: expected at most "
                    "%u",
                    channels, ports, VEF_MAX_CANDIDATES / ports);
}

uint32_t vef_routing_any_input(const vef_routing *routing, const vef_route *route,
                               vef_place place) {
    (void)routing, (void)route, (void)place;
    return 0;
}

void vef_routing_keep_route(const vef_routing *routing, vef_route *route, vef_place place,
                            uint16_t port, uint8_t channel) {
    (void)routing, (void)route, (void)place, (void)port, (void)channel;
}

static void put_as(const vef_routing *routing, vef_node *section) {
    vef_config_put(section, "algorithm", routing->algorithm->name);
    vef_config_put_schema(section, routing->algorithm->schema, routing->parameters);
    if (routing->part)
        put_as(routing->part, vef_config_section(section, VEF_PART_KEY));
}

void vef_routing_put(const vef_routing *routing, vef_node *into) {
    put_as(routing, vef_config_section(into, "routing"));
}
