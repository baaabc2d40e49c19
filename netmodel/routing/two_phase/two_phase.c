/* Two-phase routes. See two_phase.h. */
#include "netmodel/routing/two_phase/two_phase.h"

#include <assert.h>
#include <string.h>

/* Words of the route after those of the leg: which variant the second leg is, or LAST_PHASE while
 * on it; and the destination. */
enum { VARIANT_WORD, DESTINATION_WORD, TAIL_WORDS = DESTINATION_WORD + 2 };
enum { LAST_PHASE = -1 };

/* The first kind that supports the topology. With none the last, for any topology, says why. */
static vef_code find_kind(const vef_topology *topology, const vef_leg_kind **kind,
                          vef_error *error) {
    vef_code code = VEF_UNSUPPORTED;
    for (size_t i = 0; vef_leg_kinds[i] && code == VEF_UNSUPPORTED; i++) {
        code = vef_leg_kinds[i]->supports(topology, VEF_FLOW_VIRTUAL_CHANNELS, NULL, error);
        *kind = vef_leg_kinds[i];
    }
    return code;
}

vef_code vef_two_phase_supports(const vef_topology *topology, vef_flow_control flow_control,
                                const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    const vef_leg_kind *kind = NULL;
    return find_kind(topology, &kind, error);
}

const vef_leg_kind *vef_two_phase_kind(const vef_topology *topology) {
    const vef_leg_kind *kind = NULL;
    return find_kind(topology, &kind, NULL) == VEF_OK ? kind : NULL;
}

const char *const vef_two_phase_middles[] = {
    [VEF_MIDDLE_AUTO] = "auto", [VEF_MIDDLE_GROUP] = "group", [VEF_MIDDLE_ROUTER] = "router", NULL};

static const vef_two_phase *state_of(const vef_routing *routing) {
    return routing->state;
}

static int16_t *variant_of(const vef_routing *routing, vef_route *route) {
    return &route->words[state_of(routing)->leg_words + VARIANT_WORD];
}

static bool in_last_phase(const vef_routing *routing, const vef_route *route) {
    return route->words[state_of(routing)->leg_words + VARIANT_WORD] == LAST_PHASE;
}

uint32_t vef_two_phase_destination(const vef_routing *routing, const vef_route *route) {
    return vef_route_uint32(route, state_of(routing)->leg_words + DESTINATION_WORD);
}

/* A route that has arrived at `to`. */
static void clear(const vef_routing *routing, vef_route *route, uint32_t to) {
    memset(route->words, 0, (state_of(routing)->leg_words + TAIL_WORDS) * sizeof *route->words);
    vef_route_set_uint32(route, state_of(routing)->leg_words + DESTINATION_WORD, to);
    *variant_of(routing, route) = LAST_PHASE;
}

static void begin_last_phase(const vef_routing *routing, uint32_t router, vef_route *route) {
    const uint32_t to = vef_two_phase_destination(routing, route);
    const uint32_t variant = (uint32_t)*variant_of(routing, route);
    clear(routing, route, to);
    if (router != to)
        state_of(routing)->kind->begin(routing, router, to, variant, route);
}

/* One of the legs between two routers. */
static uint32_t draw_variant(const vef_routing *routing, uint32_t from, uint32_t to,
                             vef_draws *draws) {
    const vef_leg_kind *kind = state_of(routing)->kind;
    const uint32_t variants = kind->variants ? kind->variants(routing, from, to) : 1;
    assert(variants <= INT16_MAX);
    return vef_draw_below(draws, variants);
}

void vef_two_phase_begin_minimal(const vef_routing *routing, const vef_travel *travel,
                                 vef_draws *draws, vef_route *route) {
    memset(route, 0, sizeof *route);
    clear(routing, route, travel->to);
    if (travel->from == travel->to)
        return;
    const uint32_t variant = draw_variant(routing, travel->from, travel->to, draws);
    state_of(routing)->kind->begin(routing, travel->from, travel->to, variant, route);
}

void vef_two_phase_begin_over(const vef_routing *routing, const vef_travel *travel,
                              vef_draws *draws, vef_route *route) {
    const vef_leg_kind *kind = state_of(routing)->kind;
    memset(route, 0, sizeof *route);
    clear(routing, route, travel->to);
    if (travel->from == travel->to)
        return;
    const uint32_t middle = kind->draw_middle ? kind->draw_middle(routing, travel, draws)
                                              : vef_draw_below(draws, routing->topology->routers);
    const uint32_t variant = draw_variant(routing, travel->from, middle, draws);
    *variant_of(routing, route) = (int16_t)draw_variant(routing, middle, travel->to, draws);
    if (middle != travel->from)
        kind->begin(routing, travel->from, middle, variant, route);
    if (middle == travel->from || kind->ended(routing, route, travel->from))
        begin_last_phase(routing, travel->from, route);
}

void vef_two_phase_go_over(const vef_routing *routing, vef_route *route, uint32_t router,
                           uint32_t middle) {
    const vef_two_phase *state = state_of(routing);
    memset(route->words, 0, state->leg_words * sizeof *route->words);
    *variant_of(routing, route) = 0;
    state->kind->begin(routing, router, middle, 0, route);
    if (state->kind->ended(routing, route, router))
        begin_last_phase(routing, router, route);
}

/* A first leg is a first phase whose packet is also bound for the router drawn: it does not pass
 * its destination before. */
static void begin_leg(const vef_routing *routing, const vef_travel *travel, uint32_t leg,
                      vef_draws *draws, vef_route *route) {
    vef_two_phase_begin_minimal(routing, travel, draws, route);
    if (leg == 0 && !state_of(routing)->kind->ended(routing, route, travel->from))
        *variant_of(routing, route) = 0;
}

static const vef_legs legs = {begin_leg, in_last_phase};

vef_code vef_two_phase_create(vef_routing *routing, const vef_two_phase_request *request,
                              vef_error *error) {
    vef_two_phase *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    routing->state = made;
    routing->passes = !request->early && !request->one;
    routing->legs = request->one ? NULL : &legs;
    vef_code code = find_kind(routing->topology, &made->kind, error);
    if (code == VEF_OK && routing->unrolled && !made->kind->fold)
        return vef_fail(error, VEF_UNSUPPORTED, "its channels do not depend on datelines");
    if (code == VEF_OK && request->middle == VEF_MIDDLE_GROUP && !made->kind->groups)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "intermediate: group: topology %s has no groups: expected router, or auto",
                        routing->topology->family->name);
    if (code == VEF_OK)
        code = made->kind->create(routing, request, made, error);
    if (code != VEF_OK)
        return code;
    assert(made->leg_words <= VEF_TWO_PHASE_LEG_WORDS);
    routing->route_words = made->leg_words + TAIL_WORDS;
    return VEF_OK;
}

bool vef_two_phase_leaves(const vef_routing *routing, const vef_route *route) {
    return in_last_phase(routing, route);
}

uint32_t vef_two_phase_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_candidate *offered) {
    return state_of(routing)->kind->offer(routing, in_last_phase(routing, route), route, place,
                                          offered);
}

uint32_t vef_two_phase_input(const vef_routing *routing, const vef_route *route, vef_place place) {
    const vef_leg_kind *kind = state_of(routing)->kind;
    return kind->input ? kind->input(routing, in_last_phase(routing, route), route, place)
                       : vef_routing_any_input(routing, route, place);
}

uint8_t vef_two_phase_fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                           uint16_t port, uint8_t name) {
    return state_of(routing)->kind->fold(routing, unrolled, router, port, name);
}

uint32_t vef_two_phase_signature(const vef_routing *routing, const vef_route *route) {
    return 2 * state_of(routing)->kind->signature(routing, route) + in_last_phase(routing, route);
}

void vef_two_phase_advance(const vef_routing *routing, vef_route *route, vef_place place,
                           uint16_t port, uint8_t channel) {
    const vef_topology *topology = routing->topology;
    const vef_leg_kind *kind = state_of(routing)->kind;
    kind->advance(routing, route, place, port, channel);
    if (in_last_phase(routing, route))
        return;
    const uint32_t next = vef_topology_next(topology, place.router, port);
    if (next == vef_two_phase_destination(routing, route) && !routing->passes)
        clear(routing, route, next);
    else if (kind->ended(routing, route, next))
        begin_last_phase(routing, next, route);
}
