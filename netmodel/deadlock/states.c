/* Enumerating states, depth first: from every route that can be drawn at every source, through
 * every candidate. A state is visited once per destination; reaching a state on the current path
 * again closes a cycle, and then paths are not bounded. The states in which packets begin are
 * numbered before any is visited: most states are among them, and so lie in the order of routers,
 * in which neighbours share cache lines.
 *
 * The positions of a state are the input queues of one router that offer packets of its route the
 * same candidates, as the routing declares (vef_routing_algorithm.input). It is visited once for
 * all of them, and in the end each gets the state's moves. This changes nothing: what a packet does
 * from there on does not depend on its queue, so the packets of all these queues reach the same
 * states and paths of the same length, and can revisit a state if any of them can.
 *
 * Where channels rise hop by hop (vef_routing.rising), a state stands for all first channels that a
 * packet may still take: it is visited with the first of all, and in the end each of its queues
 * gets the moves to channels above its own. Every state is one of packets from its router, which
 * may take all channels, so a packet in a queue can reach no other states; and its longest path is
 * as long, since no port is ever excluded.
 *
 * Routes of two legs (vef_legs) are enumerated leg by leg, so that the number of states does not
 * grow with the number of pairs of an intermediate router and a destination. The result is the
 * same: every state of a first leg to a router is one of packets bound for that router, and a
 * packet over router m to router d
 *  - has on its first leg the states of a packet to m, up to the router d if it passes that;
 *  - has on its second leg the states of one injected where its first leg ended (at m, or on the
 *    way to m), except in the queue where it ended. Whichever queue that is, the packet came from
 *    the neighbour at that port, and one that is injected at the neighbour goes this last hop too
 *    (vef_legs). If d is this neighbour, the packet has arrived there, or it passed d, on a first
 *    leg that began before the last hop; otherwise there is such a packet. So the second legs to d
 *    begin at every router, injected and in each queue where first legs end, except those of links
 *    from d in which packets that pass d do not arrive. */
#include "netmodel/deadlock/states.h"
#include "netmodel/deadlock/state_moves.h"

#include <stdlib.h>
#include <string.h>

enum { NEW, UNDER_WAY, DONE };

/* ---- one state ---- */

static vef_dependency dependency_of(const vef_state_search *search, vef_place place,
                                    vef_candidate candidate) {
    return (vef_dependency){place, candidate, search->travel.source, search->travel.destination,
                            search->travel.traffic_class};
}

static void find_fault(vef_state_search *search, vef_deadlock_verdict verdict, vef_place place,
                       vef_candidate candidate) {
    search->verdict = verdict;
    search->fault = dependency_of(search, place, candidate);
}

/* Whether a router has this output. */
static bool is_a_choice(const vef_state_search *search, uint32_t router, vef_candidate candidate) {
    const vef_routing *routing = search->routing;
    const vef_topology *topology = routing->topology;
    if (candidate.port >= topology->ports || candidate.channel >= routing->channels ||
        candidate.slots_needed == 0)
        return false;
    if (routing->port_channels && candidate.channel >= routing->port_channels[candidate.port])
        return false;
    return vef_topology_next(topology, router, candidate.port) != VEF_NO_ROUTER;
}

/* Lists the candidates of a packet that a queue has places for; those that need more can never be
 * taken. FREE, or LOST without candidates, or NOT_A_CHOICE with an impossible one as the last. */
static vef_deadlock_verdict list_candidates(const vef_state_search *search, const vef_route *route,
                                            vef_place place, vef_candidate *listed,
                                            uint32_t *count) {
    const vef_routing *routing = search->routing;
    const uint32_t candidates = routing->algorithm->candidates(routing, route, place, listed);
    *count = 0;
    for (uint32_t i = 0; i < candidates; i++) {
        if (!is_a_choice(search, place.router, listed[i])) {
            listed[(*count)++] = listed[i];
            return VEF_DEADLOCK_NOT_A_CHOICE;
        }
        if (search->without_bubble)
            listed[i].slots_needed = 1;
        if (listed[i].slots_needed > search->queue_packets)
            continue;
        if (*count < i)
            listed[*count] = listed[i];
        (*count)++;
    }
    return candidates == 0 ? VEF_DEADLOCK_LOST : VEF_DEADLOCK_FREE;
}

/* The word of the first channel that a packet of a rising routing may take. */
static int16_t *first_channel(const vef_state_search *search, vef_route *route) {
    return &route->words[search->routing->route_words - 1];
}

static void show(vef_state_search *search, const vef_route *given, vef_place place) {
    uint32_t count;
    vef_route route = *given;
    if (search->rising && place.in_port != VEF_INJECTED)
        *first_channel(search, &route) = (int16_t)(place.in_channel + 1);
    if (list_candidates(search, &route, place, search->shown, &count) != VEF_DEADLOCK_FREE)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const vef_dependency dependency = dependency_of(search, place, search->shown[i]);
        search->seen(search->context, &dependency);
    }
}

/* Adds a queue to those of a state. */
static inline void add_queue(vef_state_search *search, uint32_t number, const vef_route *route,
                             vef_place place) {
    const uint32_t queue = vef_state_queue_of(search->routing, place.in_port, place.in_channel);
    const uint64_t bit = UINT64_C(1) << queue % 64;
    uint64_t *queues = vef_state_queues(&search->table, vef_state_at(&search->table, number));
    if (queues[queue / 64] & bit)
        return;
    queues[queue / 64] |= bit;
    search->count++;
    if (search->seen)
        show(search, route, place);
}

static uint32_t input_of(const vef_routing *routing, const vef_route *route, vef_place place) {
    return routing->algorithm->input ? routing->algorithm->input(routing, route, place)
                                     : vef_routing_own_input(place);
}

/* A first leg ends in this queue, from the current state. */
static vef_code arrive(vef_state_search *search, vef_place place, vef_error *error) {
    void *ends = search->ends;
    const vef_code code = vef_state_table_grow(&search->table, &ends, &search->end_room,
                                               search->end_count + 1, sizeof *search->ends, error);
    search->ends = ends;
    if (code == VEF_OK)
        search->ends[search->end_count++] =
            (vef_leg_end){search->frames[search->frame_count - 1].state, place};
    return code;
}

/* Whether the route is past the leg that the search is about. */
static bool is_past_leg(const vef_state_search *search, const vef_route *route) {
    const vef_legs *legs = search->routing->legs;
    return legs && search->leg == 0 && legs->second(search->routing, route);
}

static bool same_route(const vef_route *a, const vef_route *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Has a state visited after the current one, unless it has been. */
static vef_code visit_later(vef_state_search *search, uint32_t number, vef_error *error) {
    vef_state_frame *top = &search->frames[search->frame_count - 1];
    const vef_state *state = vef_state_at(&search->table, number);
    if (state->course == DONE) {
        if (top->height < state->height + 1)
            top->height = state->height + 1;
        return VEF_OK;
    }
    if (search->following_count == search->following_room) {
        void *following = search->following;
        const vef_code code =
            vef_state_table_grow(&search->table, &following, &search->following_room,
                                 search->following_count + 1, sizeof *search->following, error);
        search->following = following;
        if (code != VEF_OK)
            return code;
    }
    search->following[search->following_count++] = number;
    return VEF_OK;
}

/* The route after a candidate, of its state. */
static void advance(const vef_state_search *search, vef_route *route, vef_place place,
                    vef_candidate candidate) {
    const vef_routing *routing = search->routing;
    routing->algorithm->advance(routing, route, place, candidate.port, candidate.channel);
    if (search->rising)
        *first_channel(search, route) = 0;
}

/* Finds the successor state of a candidate, unless the packet has arrived. `last` is the previous
 * candidate's: those of several channels of a link often lead to one state. */
static vef_code follow(vef_state_search *search, const vef_route *from, vef_place here,
                       vef_candidate candidate, vef_state_step *last, vef_error *error) {
    const vef_routing *routing = search->routing;
    const vef_place place =
        vef_place_after(routing->topology, here, candidate.port, candidate.channel);
    const bool there = place.router == search->travel.to;
    if (there && routing->legs && search->leg == 0)
        return arrive(search, place, error);
    if (there && (!routing->passes || routing->legs))
        return VEF_OK;
    if (search->rising && last->port == candidate.port) {
        add_queue(search, last->number, &last->route, place);
        return VEF_OK;
    }
    vef_route route = *from;
    advance(search, &route, here, candidate);
    if (vef_routing_arrived(routing, &route, place.router, search->travel.to))
        return VEF_OK;
    if (is_past_leg(search, &route))
        return arrive(search, place, error);
    const uint32_t input = input_of(routing, &route, place);
    if (last->port == candidate.port && last->input == input && same_route(&last->route, &route)) {
        add_queue(search, last->number, &route, place);
        return VEF_OK;
    }
    last->port = candidate.port;
    last->input = input;
    last->route = route;
    const vef_code code =
        vef_state_table_find(&search->table, place.router, input, &route, &last->number, error);
    if (code != VEF_OK)
        return code;
    add_queue(search, last->number, &route, place);
    return visit_later(search, last->number, error);
}

static uint8_t how_of(vef_candidate candidate) {
    const uint8_t how = candidate.slots_needed == 1 ? VEF_MOVE_ONE : VEF_MOVE_MORE;
    const uint8_t escape = candidate.slots_needed == 1 ? VEF_ESCAPE_ONE : VEF_ESCAPE_MORE;
    return candidate.escape ? how | escape : how;
}

/* A packet of a state: its route, and the first queue where it can be. */
static vef_place packet_of(const vef_state_search *search, uint32_t number, vef_route *route) {
    vef_state *state = vef_state_at(&search->table, number);
    const uint64_t *queues = vef_state_queues(&search->table, state);
    uint32_t first = 0;
    while (queues[first] == 0)
        first++;
    *route = (vef_route){0};
    for (uint32_t i = 0; i < search->table.route_words; i++)
        memcpy(route->words + 4 * i, state->words + i, sizeof *state->words);
    return vef_state_place_of(search, state->router,
                              64 * first + (uint32_t)__builtin_ctzll(queues[first]));
}

/* Collects and checks the candidates of the state of the last frame, and its successors. */
static vef_code look_at(vef_state_search *search, uint32_t number, vef_error *error) {
    uint32_t count = 0;
    vef_route route;
    const vef_place place = packet_of(search, number, &route);
    const vef_deadlock_verdict verdict =
        list_candidates(search, &route, place, search->candidates, &count);
    if (verdict != VEF_DEADLOCK_FREE) {
        find_fault(search, verdict, place,
                   count > 0 ? search->candidates[count - 1] : (vef_candidate){0});
        return VEF_OK;
    }
    /* A packet that commits to a candidate may wait for any of them alone. */
    const bool commits = search->routing->selection == VEF_SELECT_ONCE;
    bool escapes = commits;
    uint8_t *moves = (uint8_t *)search->row;
    vef_state_step last = {.port = VEF_INJECTED};
    for (uint32_t i = 0; i < search->moves->words; i++)
        search->row[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate candidate = search->candidates[i];
        escapes = commits ? escapes && candidate.escape : escapes || candidate.escape;
        moves[search->links[vef_state_queue_of(search->routing, candidate.port,
                                               candidate.channel)]] |= how_of(candidate);
        const vef_code code = follow(search, &route, place, candidate, &last, error);
        if (code != VEF_OK)
            return code;
    }
    if (!escapes)
        find_fault(search, VEF_DEADLOCK_NO_ESCAPE, place, (vef_candidate){0});
    uint64_t *kept = vef_state_moves(&search->table, vef_state_at(&search->table, number));
    for (uint32_t i = 0; i < search->moves->words; i++)
        kept[i] = search->row[i];
    return VEF_OK;
}

/* ---- all states ---- */

static vef_code enter(vef_state_search *search, uint32_t number, vef_error *error) {
    void *frames = search->frames;
    const vef_code code =
        vef_state_table_grow(&search->table, &frames, &search->frame_room, search->frame_count + 1,
                             sizeof *search->frames, error);
    search->frames = frames;
    if (code != VEF_OK)
        return code;
    const uint32_t first = (uint32_t)search->following_count;
    vef_state_at(&search->table, number)->course = UNDER_WAY;
    /* The next hop may be the last. */
    search->frames[search->frame_count++] =
        (vef_state_frame){.state = number, .first = first, .next = first, .height = 1};
    return look_at(search, number, error);
}

static void leave(vef_state_search *search) {
    const vef_state_frame *done = &search->frames[--search->frame_count];
    vef_state *state = vef_state_at(&search->table, done->state);
    search->following_count = done->first;
    state->height = done->height;
    state->course = DONE;
    if (search->frame_count > 0) {
        vef_state_frame *before = &search->frames[search->frame_count - 1];
        if (before->height < done->height + 1)
            before->height = done->height + 1;
    }
}

/* The packet may come from state `from` to `again`, where it has been: notes in which queue. */
static void find_circle(vef_state_search *search, uint32_t from, uint32_t again) {
    const vef_topology *topology = search->routing->topology;
    const vef_state *state = vef_state_at(&search->table, again);
    vef_route route;
    const vef_place place = packet_of(search, from, &route);
    uint32_t count = 0;
    list_candidates(search, &route, place, search->candidates, &count);
    search->bounded = false;
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate by = search->candidates[i];
        const vef_place next = vef_place_after(topology, place, by.port, by.channel);
        vef_route on = route;
        advance(search, &on, place, by);
        if (next.router != state->router ||
            memcmp(&on, state->words, search->table.route_words * sizeof *state->words) != 0)
            continue;
        search->unbounded = dependency_of(search, next, (vef_candidate){0});
        return;
    }
}

/* Visits everything reachable from one state. */
static vef_code visit(vef_state_search *search, uint32_t number, vef_error *error) {
    search->frame_count = search->following_count = 0;
    vef_code code = enter(search, number, error);
    while (code == VEF_OK && search->verdict == VEF_DEADLOCK_FREE && search->frame_count > 0) {
        vef_state_frame *top = &search->frames[search->frame_count - 1];
        /* The successors of deeper states on the path have been removed already. */
        if (top->next == search->following_count) {
            leave(search);
            continue;
        }
        const uint32_t next = search->following[top->next++];
        vef_state *state = vef_state_at(&search->table, next);
        if (state->course == NEW) {
            code = enter(search, next, error);
        } else if (state->course == DONE) {
            if (top->height < state->height + 1)
                top->height = state->height + 1;
        } else if (search->bounded) {
            find_circle(search, top->state, next);
        }
    }
    return code;
}

/* A packet that begins with this route at this place. */
static vef_code begin_at(vef_state_search *search, const vef_route *route, vef_place place,
                         vef_error *error) {
    const uint32_t before = search->table.count;
    uint32_t number = 0;
    vef_code code =
        vef_state_table_find(&search->table, place.router, input_of(search->routing, route, place),
                             route, &number, error);
    if (code != VEF_OK)
        return code;
    add_queue(search, number, route, place);
    if (number < before)
        return VEF_OK;
    void *begun = search->begun;
    code = vef_state_table_grow(&search->table, &begun, &search->begun_room, (uint64_t)number + 1,
                                sizeof *search->begun, error);
    search->begun = begun;
    if (code == VEF_OK)
        search->begun[number] = search->travel;
    return code;
}

/* Visits all states in which packets begin, which are the first of the table. */
static vef_code visit_all(vef_state_search *search, vef_error *error) {
    const uint32_t begun = search->table.count;
    for (uint32_t number = 0; number < begun; number++) {
        search->travel = search->begun[number];
        if (vef_state_at(&search->table, number)->course == NEW) {
            const vef_code code = visit(search, number, error);
            if (code != VEF_OK || search->verdict != VEF_DEADLOCK_FREE)
                return code;
        }
        const vef_state *state = vef_state_at(&search->table, number);
        if (search->longest_hops < state->height)
            search->longest_hops = state->height;
        if (search->leg_hops && search->leg_hops[state->router] < state->height)
            search->leg_hops[state->router] = state->height;
        if (search->after_state)
            search->after_state(search->context, number, begun);
    }
    return VEF_OK;
}

/* A second leg out of the queues where first legs end. */
static vef_code begin_on(vef_state_search *search, const vef_route *route, vef_error *error) {
    const vef_routing *routing = search->routing;
    const vef_topology *topology = routing->topology;
    const vef_travel travel = search->travel;
    const uint8_t *arrivals = vef_moves_arrivals(search->moves, travel.from);
    const uint32_t queues = topology->ports * routing->channels;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < queues && code == VEF_OK; i++) {
        const vef_place place = vef_state_place_of(search, travel.from, i);
        const uint32_t before = vef_topology_next(topology, travel.from, place.in_port);
        if (!arrivals[i] ||
            (before == travel.to && !(routing->passes && arrivals[i] & VEF_ARRIVES_FROM_FAR)))
            continue;
        search->travel.source = search->moves->endpoint[before];
        code = begin_at(search, route, place, error);
    }
    search->travel = travel;
    return code;
}

/* Every route that a packet may start with at its source, or a leg of it. */
static vef_code begin_travel(vef_state_search *search, vef_error *error) {
    const vef_routing *routing = search->routing;
    const vef_legs *legs = routing->legs;
    const vef_place place = {search->travel.from, VEF_INJECTED, 0};
    vef_code code = VEF_OK;
    vef_draws draws = {0};
    do {
        vef_route route = {0};
        if (legs)
            legs->begin(routing, &search->travel, search->leg, &draws, &route);
        else
            vef_routing_begin(routing, &search->travel, &draws, NULL, &route);
        if (is_past_leg(search, &route))
            continue;
        code = begin_at(search, &route, place, error);
        if (code == VEF_OK && legs && search->leg == 1)
            code = begin_on(search, &route, error);
    } while (code == VEF_OK && vef_draws_next(&draws));
    return code;
}

/* Packets from a router, which has the endpoint `source`. */
static vef_code begin_source(vef_state_search *search, uint32_t source, uint32_t from,
                             uint32_t router, vef_error *error) {
    const uint32_t classes = search->routing->traffic_classes;
    for (uint32_t i = 0; i < search->target_count * classes && from != router; i++) {
        search->travel = (vef_travel){source, search->targets[i / classes], from, router,
                                      (uint8_t)(i % classes)};
        const vef_code code = begin_travel(search, error);
        if (code != VEF_OK)
            return code;
    }
    return VEF_OK;
}

/* The endpoints of a router. */
static vef_code list_targets(vef_state_search *search, uint32_t router, vef_error *error) {
    const vef_topology *topology = search->routing->topology;
    const bool in_order = !topology->endpoint_router;
    const uint32_t each = topology->endpoints_per_router;
    const uint32_t end = in_order ? (router + 1) * each : topology->endpoints;
    search->target_count = 0;
    for (uint32_t endpoint = in_order ? router * each : 0; endpoint < end; endpoint++) {
        if (vef_topology_router_of(topology, endpoint) != router)
            continue;
        void *targets = search->targets;
        vef_code code = vef_state_table_grow(&search->table, &targets, &search->target_room,
                                             (uint64_t)search->target_count + 1,
                                             sizeof *search->targets, error);
        search->targets = targets;
        if (code != VEF_OK)
            return code;
        search->targets[search->target_count++] = endpoint;
        if (search->moves->turned) /* the others are alike */
            break;
    }
    return VEF_OK;
}

static vef_code begin(vef_state_search *search, uint32_t leg, uint32_t router, vef_error *error) {
    const vef_routing *routing = search->routing;
    search->leg = leg;
    search->count = search->end_count = 0;
    search->longest_hops = 0;
    search->bounded = true;
    search->verdict = VEF_DEADLOCK_FREE;
    search->table.routers = routing->topology->routers;
    search->table.route_words = (routing->route_words + 3) / 4;
    search->table.queue_words = (routing->topology->ports * routing->channels + 64) / 64;
    search->table.move_words = search->moves->words;
    search->table.most_bytes = search->most_bytes;
    void *row = search->row;
    vef_code code = vef_state_table_grow(&search->table, &row, &search->row_room,
                                         search->moves->words, sizeof *search->row, error);
    search->row = row;
    search->rising =
        routing->rising && search->moves->channels == routing->channels && !search->moves->queue_of;
    vef_states_list_queues(search);
    if (code == VEF_OK)
        code = vef_state_table_clear(&search->table, error);
    return code == VEF_OK ? list_targets(search, router, error) : code;
}

vef_code vef_states_search(vef_state_search *search, uint32_t leg, uint32_t router,
                           vef_error *error) {
    const vef_topology *topology = search->routing->topology;
    vef_code code = begin(search, leg, router, error);
    uint32_t last = VEF_NO_ROUTER;
    for (uint32_t source = 0; source < topology->endpoints && code == VEF_OK; source++) {
        const uint32_t from = vef_topology_router_of(topology, source);
        /* The endpoints of a router follow each other, or begin alike twice. */
        if (from != last || search->routing->by_source)
            code = begin_source(search, source, from, router, error);
        last = from;
    }
    if (code == VEF_OK)
        code = visit_all(search, error);
    vef_states_note_arrivals(search);
    vef_place stuck;
    if (code == VEF_OK && search->verdict == VEF_DEADLOCK_FREE && !search->seen &&
        !vef_states_record(search, &stuck))
        find_fault(search, VEF_DEADLOCK_NO_ESCAPE, stuck, (vef_candidate){0});
    return code;
}

void vef_states_release(vef_state_search *search) {
    vef_state_table_release(&search->table);
    free(search->begun);
    free(search->frames);
    free(search->following);
    free(search->ends);
    free(search->targets);
    free(search->row);
    free(search->places);
    free(search->higher);
    free(search->links);
}
