/* Support for the tests of the proof of freedom from deadlock. See proofs.h. */
#include "tests/netmodel/proofs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

vef_deadlock prove(const vef_routing *routing, uint32_t queue_packets, bool every) {
    vef_deadlock found;
    vef_error error = {0};
    const vef_deadlock_request request = {.queue_packets = queue_packets,
                                          .every_destination = every};
    if (vef_deadlock_prove(routing, &request, &found, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return found;
}

static void print_dependency(const vef_routing *routing, const vef_dependency *dependency) {
    char text[VEF_DEPENDENCY_BYTES];
    vef_deadlock_describe_dependency(routing, dependency, text, sizeof text);
    print_error("  %s\n", text);
}

void assert_free(const vef_routing *routing, const vef_deadlock *found, const char *what) {
    if (found->verdict == VEF_DEADLOCK_FREE && found->broadcast && !found->broadcast_free)
        fail_msg("%s: routing %s is not free of deadlock with packets to all", what,
                 routing->algorithm->name);
    if (found->verdict == VEF_DEADLOCK_FREE)
        return;
    char text[VEF_DEADLOCK_BYTES];
    vef_deadlock_describe_verdict(routing, found, text, sizeof text);
    print_error("%s: %s\n", what, text);
    for (size_t i = 0; i < found->cycle_length; i++)
        print_dependency(routing, &found->cycle[i]);
    if (found->verdict == VEF_DEADLOCK_CYCLE && found->uncovered == VEF_UNCOVERED_ENTRY)
        print_dependency(routing, &found->entry);
    fail_msg("routing %s is not free of deadlock", routing->algorithm->name);
}

/* Whether a packet from `place` can come to where the dependency is, and is offered it there. */
static bool can_make(const vef_routing *routing, const vef_dependency *wanted, vef_route route,
                     vef_place place) {
    const vef_topology *topology = routing->topology;
    if (vef_routing_arrived(routing, &route, place.router,
                            vef_topology_router_of(topology, wanted->destination)))
        return false;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = routing->algorithm->candidates(routing, &route, place, offered);
    const bool there =
        memcmp(&place, &wanted->place, sizeof place) == 0 ||
        (place.router == wanted->place.router && place.in_port == wanted->place.in_port &&
         place.in_channel == wanted->place.in_channel);
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate c = offered[i];
        if (there && c.port == wanted->candidate.port && c.channel == wanted->candidate.channel &&
            c.slots_needed == wanted->candidate.slots_needed &&
            c.escape == wanted->candidate.escape)
            return true;
        vef_route on = route;
        routing->algorithm->advance(routing, &on, place, c.port, c.channel);
        const size_t port = (size_t)place.router * topology->ports + c.port;
        const vef_place next = {topology->neighbour[port], topology->reverse_port[port], c.channel};
        if (can_make(routing, wanted, on, next))
            return true;
    }
    return false;
}

static void check_dependency(const vef_routing *routing, const vef_dependency *d) {
    const vef_topology *topology = routing->topology;
    const vef_travel travel = {d->source, d->destination,
                               vef_topology_router_of(topology, d->source),
                               vef_topology_router_of(topology, d->destination), d->traffic_class};
    const vef_place place = {travel.from, VEF_INJECTED, 0};
    vef_draws draws = {0};
    do {
        vef_route route = {0};
        vef_routing_begin(routing, &travel, &draws, NULL, &route);
        if (can_make(routing, d, route, place))
            return;
    } while (vef_draws_next(&draws));
    print_dependency(routing, d);
    fail_msg("no such packet does that");
}

void check_cycle(const vef_routing *routing, const vef_deadlock *found) {
    const vef_topology *topology = routing->topology;
    assert_int_equal(found->verdict, VEF_DEADLOCK_CYCLE);
    assert_true(found->cycle_length > 0);
    for (size_t i = 0; i < found->cycle_length; i++) {
        const vef_dependency *d = &found->cycle[i];
        const vef_dependency *next = &found->cycle[(i + 1) % found->cycle_length];
        const size_t port = (size_t)d->place.router * topology->ports + d->candidate.port;
        assert_true(d->candidate.escape);
        assert_int_equal(topology->neighbour[port], next->place.router);
        assert_int_equal(topology->reverse_port[port], next->place.in_port);
        assert_int_equal(d->candidate.channel % found->channels,
                         next->place.in_channel % found->channels);
        check_dependency(routing, d);
    }
    if (found->uncovered == VEF_UNCOVERED_ENTRY) {
        assert_int_equal(found->entry.candidate.slots_needed, 1);
        check_dependency(routing, &found->entry);
    }
}
