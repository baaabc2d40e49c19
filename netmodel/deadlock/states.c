/* Enumerating states, depth first: from every route that can be drawn at every source, through
 * every candidate. A state is visited once per destination; reaching a state on the current path
 * again closes a cycle, and then paths are not bounded.
 *
 * The table of states uses 4 bytes per slot, where common/index.h uses 8: memory limits the size of
 * networks that can be proved. */
#include "netmodel/deadlock/states.h"

#include <stdlib.h>
#include <string.h>

enum { NEW, UNDER_WAY, DONE };

/* ---- memory ---- */

static vef_code fail_too_large(const vef_state_search *search, uint64_t bytes, vef_error *error) {
    return vef_fail(
        error, VEF_NO_MEMORY,
        "the states of packets to one router (%u so far) need more than the "
        "available %.3g GB of memory (%.3g GB): expected a smaller network of the same kind",
        search->count, (double)search->most_bytes / 1e9, (double)bytes / 1e9);
}

/* Grows `*array` until it has room for `needed`. */
static vef_code make_room(vef_state_search *search, void **array, uint64_t *room, uint64_t needed,
                          size_t size, vef_error *error) {
    if (needed <= *room)
        return VEF_OK;
    uint64_t wanted = *room ? *room : 1024;
    while (wanted < needed)
        wanted *= 2;
    const uint64_t held = search->held_bytes + (wanted - *room) * size;
    if (held > search->most_bytes || wanted >= UINT32_MAX)
        return fail_too_large(search, held, error);
    void *grown = realloc(*array, wanted * size);
    if (!grown)
        return fail_too_large(search, held, error);
    *array = grown;
    *room = wanted;
    search->held_bytes = held;
    return VEF_OK;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const vef_route *route, vef_place place) {
    static_assert(sizeof(vef_route) % sizeof(uint64_t) == 0, "whole words");
    uint64_t words[sizeof(vef_route) / sizeof(uint64_t)];
    memcpy(words, route, sizeof words);
    uint64_t hash = (uint64_t)place.router << 32 | (uint64_t)place.in_port << 8 | place.in_channel;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = mix(hash, words[i]);
    return mix(hash, hash >> 32);
}

static void put(vef_state_search *search, uint32_t number) {
    const vef_state *state = &search->states[number];
    uint64_t at = hash_of(&state->route, state->place) & (search->table_room - 1);
    while (search->table[at] != 0)
        at = (at + 1) & (search->table_room - 1);
    search->table[at] = number + 1;
}

static vef_code grow_table(vef_state_search *search, vef_error *error) {
    void *table = search->table;
    vef_code code = make_room(search, &table, &search->table_room,
                              2 * ((uint64_t)search->count + 1), sizeof *search->table, error);
    search->table = table;
    if (code != VEF_OK)
        return code;
    memset(search->table, 0, search->table_room * sizeof *search->table);
    for (uint32_t i = 0; i < search->count; i++)
        put(search, i);
    return VEF_OK;
}

/* The number of a state, created if new. */
static vef_code find(vef_state_search *search, const vef_route *route, vef_place place,
                     uint32_t *number, vef_error *error) {
    uint64_t at = hash_of(route, place) & (search->table_room - 1);
    for (; search->table[at] != 0; at = (at + 1) & (search->table_room - 1)) {
        const vef_state *state = &search->states[search->table[at] - 1];
        if (state->place.router == place.router && state->place.in_port == place.in_port &&
            state->place.in_channel == place.in_channel &&
            memcmp(&state->route, route, sizeof *route) == 0) {
            *number = search->table[at] - 1;
            return VEF_OK;
        }
    }
    void *states = search->states;
    vef_code code = make_room(search, &states, &search->state_room, (uint64_t)search->count + 1,
                              sizeof *search->states, error);
    search->states = states;
    if (code != VEF_OK)
        return code;
    *number = search->count++;
    search->states[*number] = (vef_state){.route = *route, .place = place, .course = NEW};
    search->table[at] = *number + 1;
    return 2 * (uint64_t)search->count > search->table_room ? grow_table(search, error) : VEF_OK;
}

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
    return topology->neighbour[(size_t)router * topology->ports + candidate.port] != VEF_NO_ROUTER;
}

static void note(vef_state_search *search, vef_place place, vef_candidate candidate) {
    if (search->seen) {
        const vef_dependency dependency = dependency_of(search, place, candidate);
        search->seen(search->context, &dependency);
        return;
    }
    vef_moves *moves = search->moves;
    uint8_t how = candidate.slots_needed == 1 ? VEF_MOVE_ONE : VEF_MOVE_MORE;
    if (candidate.escape)
        how |= candidate.slots_needed == 1 ? VEF_ESCAPE_ONE : VEF_ESCAPE_MORE;
    vef_moves_add(vef_moves_from(moves, place.router, vef_moves_place(moves, place)),
                  vef_moves_link(moves, candidate), how);
}

/* Adds the successor state of a candidate to `following`, unless the packet has arrived. */
static vef_code follow(vef_state_search *search, const vef_state *from, vef_candidate candidate,
                       vef_error *error) {
    const vef_topology *topology = search->routing->topology;
    const size_t port = (size_t)from->place.router * topology->ports + candidate.port;
    if (topology->neighbour[port] == search->travel.to)
        return VEF_OK;
    vef_route route = from->route;
    search->routing->algorithm->advance(search->routing, &route, from->place, candidate.port,
                                        candidate.channel);
    const vef_place place = {topology->neighbour[port], topology->reverse_port[port],
                             candidate.channel};
    uint32_t number = 0;
    vef_code code = find(search, &route, place, &number, error);
    void *following = search->following;
    if (code == VEF_OK)
        code = make_room(search, &following, &search->following_room, search->following_count + 1,
                         sizeof *search->following, error);
    search->following = following;
    if (code == VEF_OK)
        search->following[search->following_count++] = number;
    return code;
}

/* Collects and checks the candidates of a state, and collects its successors. Candidates that need
 * more places than a queue has can never be taken. */
static vef_code look_at(vef_state_search *search, uint32_t number, vef_error *error) {
    const vef_routing *routing = search->routing;
    const vef_state state = search->states[number];
    const vef_candidate none = {0};
    vef_candidate *offered = search->candidates;
    const uint32_t count =
        routing->algorithm->candidates(routing, &state.route, state.place, offered);
    if (count == 0) {
        find_fault(search, VEF_DEADLOCK_LOST, state.place, none);
        return VEF_OK;
    }
    bool escapes = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_a_choice(search, state.place.router, offered[i])) {
            find_fault(search, VEF_DEADLOCK_NOT_A_CHOICE, state.place, offered[i]);
            return VEF_OK;
        }
        if (search->without_bubble)
            offered[i].slots_needed = 1;
        if (offered[i].slots_needed > search->queue_packets)
            continue;
        escapes = escapes || offered[i].escape;
        note(search, state.place, offered[i]);
        vef_code code = follow(search, &state, offered[i], error);
        if (code != VEF_OK)
            return code;
    }
    if (!escapes)
        find_fault(search, VEF_DEADLOCK_NO_ESCAPE, state.place, none);
    return VEF_OK;
}

/* ---- all states ---- */

static vef_code enter(vef_state_search *search, uint32_t number, vef_error *error) {
    void *frames = search->frames;
    vef_code code = make_room(search, &frames, &search->frame_room, search->frame_count + 1,
                              sizeof *search->frames, error);
    search->frames = frames;
    if (code != VEF_OK)
        return code;
    const uint32_t first = (uint32_t)search->following_count;
    search->states[number].course = UNDER_WAY;
    code = look_at(search, number, error);
    /* The next hop may be the last. */
    search->frames[search->frame_count++] =
        (vef_state_frame){.state = number, .first = first, .next = first, .height = 1};
    return code;
}

static void leave(vef_state_search *search) {
    const vef_state_frame *done = &search->frames[--search->frame_count];
    search->following_count = done->first;
    search->states[done->state].height = done->height;
    search->states[done->state].course = DONE;
    if (search->frame_count > 0) {
        vef_state_frame *before = &search->frames[search->frame_count - 1];
        if (before->height < done->height + 1)
            before->height = done->height + 1;
    } else if (search->longest_hops < done->height) {
        search->longest_hops = done->height;
    }
}

/* Visits everything reachable from one state. */
static vef_code search_from(vef_state_search *search, uint32_t number, vef_error *error) {
    if (search->states[number].course != NEW)
        return VEF_OK;
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
        const vef_state *state = &search->states[next];
        if (state->course == NEW) {
            code = enter(search, next, error);
        } else if (state->course == DONE) {
            if (top->height < state->height + 1)
                top->height = state->height + 1;
        } else if (search->bounded) {
            search->bounded = false;
            search->unbounded = dependency_of(search, state->place, (vef_candidate){0});
        }
    }
    return code;
}

/* Every route that a packet may start with at its source. */
static vef_code search_travel(vef_state_search *search, vef_error *error) {
    const vef_routing *routing = search->routing;
    const vef_place place = {search->travel.from, VEF_INJECTED, 0};
    vef_code code = VEF_OK;
    vef_draws draws = {0};
    do {
        vef_route route = {0};
        uint32_t number = 0;
        vef_routing_begin(routing, &search->travel, &draws, NULL, &route);
        code = find(search, &route, place, &number, error);
        if (code == VEF_OK)
            code = search_from(search, number, error);
    } while (code == VEF_OK && search->verdict == VEF_DEADLOCK_FREE && vef_draws_next(&draws));
    return code;
}

static vef_code search_source(vef_state_search *search, uint32_t source, uint32_t router,
                              vef_error *error) {
    const uint32_t from = vef_topology_router_of(search->routing->topology, source);
    const uint32_t classes = search->routing->traffic_classes;
    for (uint32_t i = 0; i < search->target_count * classes && from != router; i++) {
        search->travel = (vef_travel){source, search->targets[i / classes], from, router,
                                      (uint8_t)(i % classes)};
        vef_code code = search_travel(search, error);
        if (code != VEF_OK || search->verdict != VEF_DEADLOCK_FREE)
            return code;
    }
    return VEF_OK;
}

/* The endpoints of a router. */
static vef_code list_targets(vef_state_search *search, uint32_t router, vef_error *error) {
    const vef_topology *topology = search->routing->topology;
    search->target_count = 0;
    for (uint32_t endpoint = 0; endpoint < topology->endpoints; endpoint++) {
        if (vef_topology_router_of(topology, endpoint) != router)
            continue;
        void *targets = search->targets;
        vef_code code =
            make_room(search, &targets, &search->target_room, (uint64_t)search->target_count + 1,
                      sizeof *search->targets, error);
        search->targets = targets;
        if (code != VEF_OK)
            return code;
        search->targets[search->target_count++] = endpoint;
    }
    return VEF_OK;
}

vef_code vef_states_search(vef_state_search *search, uint32_t router, vef_error *error) {
    search->count = 0;
    search->longest_hops = 0;
    search->bounded = true;
    search->verdict = VEF_DEADLOCK_FREE;
    vef_code code = list_targets(search, router, error);
    if (search->table_room == 0 && code == VEF_OK)
        code = grow_table(search, error);
    else if (search->table_room > 0)
        memset(search->table, 0, search->table_room * sizeof *search->table);
    const uint32_t endpoints = search->routing->topology->endpoints;
    for (uint32_t source = 0; source < endpoints && code == VEF_OK; source++) {
        code = search_source(search, source, router, error);
        if (search->verdict != VEF_DEADLOCK_FREE)
            break;
        if (search->after_source)
            search->after_source(search->context, source);
    }
    return code;
}

void vef_states_release(vef_state_search *search) {
    free(search->states);
    free(search->table);
    free(search->frames);
    free(search->following);
    free(search->targets);
}
