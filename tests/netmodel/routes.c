/* Following routes in tests. See routes.h. */
#include "tests/netmodel/routes.h"

#include "netmodel/routing/algorithms.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

uint32_t offers(const vef_routing *routing, const vef_route *route, vef_place place,
                vef_candidate *offered) {
    uint32_t count = routing->algorithm->candidates(routing, route, place, offered);
    assert_true(count <= routing->most_candidates);
    for (uint32_t i = 0; i < count; i++)
        assert_true(offered[i].channel < routing->channels);
    return count;
}

/* Fails unless the hop from `before` to `after` changed no more than route_words, and as the
 * routing's step says if it has steps. */
static void check_hop(const vef_routing *routing, uint16_t port, const vef_route *before,
                      const vef_route *after) {
    const size_t used = routing->route_words * sizeof *before->words;
    assert_in_range(routing->route_words, 1, VEF_ROUTE_WORDS);
    assert_memory_equal((const char *)before + used, (const char *)after + used,
                        sizeof *before - used);
    if (!routing->steps)
        return;
    const vef_route_step step = routing->steps[port];
    vef_route on = *before;
    on.words[step.word] = (int16_t)(on.words[step.word] + step.change);
    assert_memory_equal(&on, after, sizeof on);
    if (routing->signatures > 0)
        assert_int_equal(routing->algorithm->signature(routing, after),
                         routing->algorithm->signature(routing, before) -
                             (on.words[step.word] == 0 ? step.weight : 0u));
}

vef_place step(const vef_routing *routing, vef_route *route, vef_place place,
               vef_candidate chosen) {
    const vef_topology *topology = routing->topology;
    const size_t link = (size_t)place.router * topology->ports + chosen.port;
    assert_int_not_equal(topology->neighbour[link], VEF_NO_ROUTER);
    const vef_route before = *route;
    routing->algorithm->advance(routing, route, place, chosen.port, chosen.channel);
    check_hop(routing, chosen.port, &before, route);
    return (vef_place){topology->neighbour[link], topology->reverse_port[link], chosen.channel};
}

void check_burst(const char *topology, const char *routing, const char *flow_control,
                 uint32_t places) {
    enum { EACH = 60 };
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: %s, endpoints_per_router: 2, routing: %s, router: {flow_control: %s, "
             "queue_packets: %u, injection_queues: 2}, packet: {phits: 4}}",
             topology, routing, flow_control, places);
    vef_netmodel *model = network_of(yaml);
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    vef_error error = {0};
    for (uint32_t e = 0; e < model->endpoints; e++)
        for (uint32_t i = 0; i < EACH; i++) {
            vef_net_message message = {
                .source = e, .destination = vef_rng_below(&rng, model->endpoints), .bytes = 64};
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        }
    uint64_t delivered = 0;
    for (;;) {
        const vef_net_delivery *deliveries;
        size_t count;
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &deliveries, &count, &error),
                         VEF_OK);
        if (count == 0)
            break;
        delivered += count;
    }
    if (delivered != (uint64_t)EACH * model->endpoints) {
        char text[4096] = "";
        model->kind->deadlock(model, text, sizeof text);
        fail_msg("%s on %s: %llu delivered\n%s", routing, topology, (unsigned long long)delivered,
                 text);
    }
    vef_netmodel_destroy(model);
}

uint32_t careless_candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                             vef_candidate *offered) {
    const uint32_t count = vef_routing_dor.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].slots_needed = 1;
    return count;
}
