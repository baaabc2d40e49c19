/* Following a routing without routers. See paths.h. */
#include "netmodel/flow/paths.h"

#include "common/containers/grow.h"
#include "netmodel/routing/view.h"

#include <string.h>

/* Weight of the flows on the link out of a router, relative to its bandwidth. */
static double load_of(const vef_flow_paths *paths, uint32_t router, uint32_t port) {
    const size_t link = (size_t)router * paths->topology->ports + port;
    const vef_share_resource *resource = &paths->shares->resources[link];
    return resource->weight / resource->capacity;
}

static vef_occupancy look(const vef_view *view, uint32_t router, uint32_t port, uint32_t channel) {
    const vef_flow_paths *paths = view->network;
    (void)channel;
    const double flows = load_of(paths, router, port), places = paths->queue_places;
    const double taken = flows > 1 ? places * (flows - 1) / flows : 0;
    return (vef_occupancy){(uint32_t)(taken + 0.5), paths->queue_places};
}

/* Flows do not wait: they share links. */
static uint32_t waiting(const vef_view *view, uint32_t router, uint32_t port) {
    (void)view;
    (void)router;
    (void)port;
    return 0;
}

static void add(vef_flow_paths *paths, uint32_t resource) {
    *VEF_NEW_ITEM(paths->resources, paths->count, paths->room) = resource;
}

/* The least preference value among the first `count` candidates. */
static uint8_t least_preference(const vef_candidate *candidates, uint32_t count) {
    uint8_t preference = UINT8_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (candidates[i].preference < preference)
            preference = candidates[i].preference;
    return preference;
}

/* Keeps the candidates of least cost, if the routing weighs them: of all, or of those of the least
 * preference value. Returns their number. */
static uint32_t keep_least(vef_flow_paths *paths, const vef_route *route, vef_place place,
                           uint32_t count, vef_view view) {
    const vef_routing *routing = paths->routing;
    if (routing->selection != VEF_SELECT_COST && routing->selection != VEF_SELECT_ONCE)
        return count;
    vef_candidate *candidates = paths->candidates;
    const uint8_t most =
        routing->selection == VEF_SELECT_ONCE ? UINT8_MAX : least_preference(candidates, count);
    uint64_t least = UINT64_MAX;
    uint32_t equals = 0, weighed = 0;
    view.router = place.router;
    for (uint32_t i = 0; i < count; i++) {
        if (candidates[i].preference > most)
            continue;
        weighed++;
        const uint64_t cost =
            routing->algorithm->weigh(routing, route, place, candidates[i], &view);
        if (cost < least)
            equals = 0;
        if (cost <= least) {
            least = cost;
            candidates[equals++] = candidates[i];
        }
    }
    paths->chosen = paths->chosen || weighed > 1;
    return equals;
}

/* One of the candidates of the least preference value on the least loaded port. */
static vef_candidate choose(vef_flow_paths *paths, uint32_t router, uint32_t count, vef_rng *rng) {
    const vef_candidate *candidates = paths->candidates;
    const uint8_t preference = least_preference(candidates, count);
    uint32_t equal = 0, ports = 0;
    double least = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (candidates[i].preference != preference)
            continue;
        bool again = false; /* another channel of a port */
        for (uint32_t j = 0; j < equal && !again; j++)
            again = candidates[paths->least_loaded[j]].port == candidates[i].port;
        if (again)
            continue;
        ports++;
        const double load = load_of(paths, router, candidates[i].port);
        if (equal > 0 && load > least)
            continue;
        if (load < least)
            equal = 0;
        least = load;
        paths->least_loaded[equal++] = i;
    }
    paths->chosen = paths->chosen || ports > 1;
    return candidates[paths->least_loaded[equal > 1 ? vef_rng_below(rng, equal) : 0]];
}

static void cross(vef_flow_paths *paths, uint32_t router, uint32_t port) {
    const size_t link = (size_t)router * paths->topology->ports + port;
    const vef_link_rule *rule = vef_links_rule(paths->links, paths->topology, router, port);
    paths->hops++;
    paths->delay_cycles += rule->hop_cycles;
    if (rule->cycles_per_phit > paths->slowest_cycles_per_phit)
        paths->slowest_cycles_per_phit = rule->cycles_per_phit;
    if (paths->seen[link] == paths->stamp)
        return;
    paths->seen[link] = paths->stamp;
    add(paths, (uint32_t)link);
}

static vef_code walk(vef_flow_paths *paths, const vef_travel *travel, vef_rng *rng,
                     vef_error *error) {
    const vef_topology *topology = paths->topology;
    const vef_routing *routing = paths->routing;
    const vef_view view = {
        .network = paths,
        .router = travel->from,
        .channels = routing->channels,
        .everywhere = routing->sees_all,
        .look = look,
        .waiting = waiting,
    };
    vef_draws draws = vef_draws_from(rng);
    vef_route route = {{0}};
    const uint64_t drawn = rng->counter;
    vef_routing_begin(routing, travel, &draws, &view, &route);
    paths->chosen =
        rng->counter != drawn || (routing->alternatives > 1 && travel->from != travel->to);
    vef_place place = {travel->from, VEF_INJECTED, 0};
    while (!vef_routing_arrived(routing, &route, place.router, travel->to)) {
        const uint32_t count =
            routing->algorithm->candidates(routing, &route, place, paths->candidates);
        if (count == 0 || paths->hops == VEF_LONGEST_PATH)
            return vef_fail(error, VEF_INVALID,
                            "routing %s does not lead from router %u to router %u within %d hops",
                            routing->algorithm->name,
                            vef_topology_router_number(topology, travel->from),
                            vef_topology_router_number(topology, travel->to), VEF_LONGEST_PATH);
        const uint32_t kept = keep_least(paths, &route, place, count, view);
        const vef_candidate taken = choose(paths, place.router, kept, rng);
        cross(paths, place.router, taken.port);
        routing->algorithm->advance(routing, &route, place, taken.port, taken.channel);
        place = vef_place_after(topology, place, taken.port, taken.channel);
    }
    return VEF_OK;
}

vef_code vef_flow_paths_find(vef_flow_paths *paths, const vef_travel *travel, vef_rng *rng,
                             vef_error *error) {
    paths->count = paths->hops = 0;
    paths->delay_cycles = 0;
    paths->slowest_cycles_per_phit = 1;
    if (++paths->stamp == 0) { /* all numbers have been used */
        const size_t links = (size_t)paths->topology->routers * paths->topology->ports;
        memset(paths->seen, 0, links * sizeof *paths->seen);
        paths->stamp = 1;
    }
    add(paths, paths->first_injection + travel->source);
    vef_code code = walk(paths, travel, rng, error);
    if (code == VEF_OK)
        add(paths, paths->first_ejection + travel->destination);
    return code;
}
