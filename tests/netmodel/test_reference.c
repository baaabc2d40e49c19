/* The core (netmodel/router/, through netmodel.h) against the phit-by-phit reference: on small
 * networks and random workloads both must deliver every message at the same cycle. Most cases use
 * messages of one packet, so that agreement about messages is agreement about packets. Both use the
 * routing of netmodel/routing/, whose candidates test_reference_routing.c checks by themselves. */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CASES = 120,
    GREAT_CASES = 34,
    MOST_MESSAGES = 720,
    DEADLINE_CYCLES = 200000,
    SPAN_CYCLES = 3000
};

typedef enum workload_kind {
    OPEN_LOOP,    /* all messages handed over before the first cycle, in a mixed order */
    STEP_BY_STEP, /* each handed over when its time has come */
    CLOSED_LOOP,  /* whoever receives a message sends one at once */
} workload_kind;

/* One case: a network, as both sides are told, and a workload. */
typedef struct network_case {
    const char *topology, *routing;
    vef_flow_control flow_control;
    reference_config config;
    workload_kind kind;
    uint32_t messages;
    uint32_t most_packets; /* per message */
    double load;           /* phits per cycle and endpoint */
    uint64_t seed;
} network_case;

static const char *const routings[] = {
    "{algorithm: dor}",
    "{algorithm: adaptive, adaptive_channels: 1}",
    "{algorithm: dor, channels: 2}",
    "{algorithm: adaptive, adaptive_channels: 2}",
    "{algorithm: dor, channels: 3}",
    "{algorithm: adaptive, adaptive_channels: 2, return_to_adaptive: false}",
};
static const char *const arbiters[] = {"random", "round-robin", "oldest"};
static const double loads[] = {0.05, 0.3, 0.8, 2.0};
static const uint32_t packet_sizes[] = {1, 2, 5, 8, 16, 32};

static uint32_t endpoints(const network_case *of) {
    return reference_routers(&of->config.lattice) * of->config.endpoints_per_router;
}

static double mean_phits(const network_case *of) {
    return of->most_packets * of->config.packet_phits * 0.5 + 0.5;
}

/* Case k: shapes, routings, loads, arbiters and kinds of workload in turn, the rest drawn. */
static network_case make_case(uint32_t k) {
    vef_rng rng = vef_rng_make(11, VEF_RNG_TEST, k);
    const reference_shape *shape = &reference_shapes[k % reference_shape_count];
    network_case made = {
        .topology = shape->yaml,
        .routing = routings[k % (sizeof routings / sizeof *routings)],
        .kind = (workload_kind)(k / 2 % 3),
        .most_packets = k % 4 == 3 ? 4 : 1,
        .load = loads[(k + k / 4) % 4],
        .seed = k,
    };
    made.config = (reference_config){
        .lattice = shape->lattice,
        .endpoints_per_router = 1 + vef_rng_below(&rng, 2),
        .queue_packets = 2 + vef_rng_below(&rng, 3),
        .injection_queues = 1 + vef_rng_below(&rng, 3),
        .injection_queue_packets = 1 + vef_rng_below(&rng, 4),
        .ejection_ports = 1 + vef_rng_below(&rng, 2),
        .arbiter = (reference_arbiter)((k + k / 3) % 3),
        .transit_first = vef_rng_below(&rng, 2),
        .router_delay_cycles = vef_rng_below(&rng, 4),
        .link_delay_cycles = vef_rng_below(&rng, 4),
        .credit_delay_cycles = vef_rng_below(&rng, 4),
        .packet_phits = packet_sizes[vef_rng_below(&rng, 6)],
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .seed = vef_rng_next(&rng) >> 33,
    };
    const bool mesh = strstr(shape->yaml, "mesh") != NULL;
    if (mesh) {
        made.config.queue_packets = 1 + vef_rng_below(&rng, 3);
        made.flow_control = vef_rng_below(&rng, 2) ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS;
    }
    if (made.config.router_delay_cycles == 0 && made.config.link_delay_cycles == 0)
        made.config.link_delay_cycles = 1;
    const double most = made.load * endpoints(&made) * SPAN_CYCLES / mean_phits(&made);
    made.messages = 20 + (uint32_t)(most < 700 ? most : 700);
    return made;
}

/* As case k, with more than 64 channels or queues at a router where it has 6 ports, long packets
 * and long delays: beyond what a machine word or a short table of coming events could hold. */
static network_case make_great_case(uint32_t k) {
    static const char *const many[] = {"{algorithm: dor, channels: 11}",
                                       "{algorithm: adaptive, adaptive_channels: 10}"};
    network_case made = make_case(k);
    made.routing = many[k % 2];
    made.config.endpoints_per_router = k % 3 == 0 ? 7 : 2;
    made.config.injection_queues = k % 3 == 0 ? 10 : 1;
    made.config.link_delay_cycles = 40 * (k % 4);
    made.config.router_delay_cycles = 1 + 30 * (k % 3);
    made.config.credit_delay_cycles = 45 * (k % 5);
    if (k % 5 < 2)
        made.config.packet_phits = 150;
    made.messages = 200;
    return made;
}

static void write_yaml(const network_case *of, char *text, size_t bytes) {
    const reference_config *c = &of->config;
    snprintf(text, bytes,
             "topology: %s\n"
             "endpoints_per_router: %u\n"
             "routing: %s\n"
             "router: {flow_control: %s, queue_packets: %u, injection_queues: %u, "
             "injection_queue_packets: %u, ejection_ports: %u, arbiter: %s, transit_first: %s, "
             "delay_cycles: %u}\n"
             "link: {bandwidth: 1 Gbit/s, phit: %u B, delay_cycles: %u, credit_delay_cycles: %u}\n"
             "packet: {phits: %u}\n"
             "seed: %llu\n",
             of->topology, c->endpoints_per_router, of->routing,
             of->flow_control == VEF_FLOW_BUBBLE ? "bubble" : "virtual-channels", c->queue_packets,
             c->injection_queues, c->injection_queue_packets, c->ejection_ports,
             arbiters[c->arbiter], c->transit_first ? "true" : "false", c->router_delay_cycles,
             c->phit_bytes, c->link_delay_cycles, c->credit_delay_cycles, c->packet_phits,
             (unsigned long long)c->seed);
}

/* ---- workloads, the same for both sides ---- */

typedef struct planned {
    uint32_t source, destination;
    uint64_t bytes, time_cycles;
} planned;

/* Message k of a workload: endpoints uniform, sizes from nothing to the most, times uniform over as
 * long as the load says. In a closed loop the first few start it, and the time and source of the
 * others come from the delivery that sets them off. */
static planned plan(const network_case *of, uint32_t k) {
    vef_rng rng = vef_rng_make(of->seed, VEF_RNG_TEST, 1000 + k);
    const reference_config *c = &of->config;
    const uint32_t most_bytes = of->most_packets * c->packet_phits * c->phit_bytes;
    const double span = of->messages * mean_phits(of) / of->load / endpoints(of);
    return (planned){.source = vef_rng_below(&rng, endpoints(of)),
                     .destination = vef_rng_below(&rng, endpoints(of)),
                     .bytes = vef_rng_below(&rng, most_bytes + 1),
                     .time_cycles = (uint64_t)(vef_rng_unit(&rng) * span)};
}

/* How many messages start a closed loop: with the load, from one or two to several per endpoint. */
static uint32_t starters(const network_case *of) {
    const uint32_t count = (uint32_t)(of->load * 2 * endpoints(of)) + 2;
    return count < of->messages ? count : of->messages;
}

typedef struct timed {
    uint64_t time_cycles;
    uint32_t number;
} timed;
static int by_time(const void *a, const void *b) {
    const timed *s = a, *t = b;
    if (s->time_cycles != t->time_cycles)
        return s->time_cycles < t->time_cycles ? -1 : 1;
    return (s->number > t->number) - (s->number < t->number);
}

/* The messages in the order of their planned times. */
static timed *in_order_of_time(const network_case *of) {
    timed *order = malloc(of->messages * sizeof *order);
    assert_non_null(order);
    for (uint32_t k = 0; k < of->messages; k++)
        order[k] = (timed){plan(of, k).time_cycles, k};
    qsort(order, of->messages, sizeof *order, by_time);
    return order;
}

/* ---- the reference's side: times[k] is when message k was delivered ---- */

static reference *reference_of(const network_case *of, const vef_routing *routing) {
    const reference_routing by = reference_route_by(routing);
    return reference_new(&of->config, &by);
}

static void run_reference(const network_case *of, const vef_routing *routing, uint64_t *times) {
    reference *network = reference_of(of, routing);
    timed *order = in_order_of_time(of);
    uint32_t *number = malloc(of->messages * sizeof *number); /* in the workload, of message id */
    bool *answered = calloc(of->messages, sizeof *answered);
    assert_true(number != NULL && answered != NULL);
    uint32_t sent = 0;
    const uint32_t at_first = of->kind == CLOSED_LOOP ? starters(of) : of->messages;
    for (; sent < at_first; sent++) {
        const uint32_t k = of->kind == STEP_BY_STEP ? order[sent].number : sent;
        const planned p = plan(of, k);
        number[sent] = k;
        reference_inject(network, p.source, p.destination, p.bytes,
                         of->kind == CLOSED_LOOP ? 0 : p.time_cycles);
    }
    while (reference_pending(network) > 0 && reference_now(network) < DEADLINE_CYCLES) {
        reference_cycle(network);
        const uint32_t so_far = sent;
        for (uint32_t id = 0; of->kind == CLOSED_LOOP && id < so_far; id++) {
            const reference_message *m = reference_get(network, id);
            if (m->delivered < m->packets || answered[id] || sent == of->messages)
                continue;
            const planned p = plan(of, sent);
            answered[id] = true;
            number[sent] = sent;
            sent++;
            reference_inject(network, m->destination, p.destination, p.bytes,
                             reference_now(network));
        }
    }
    assert_int_equal(reference_pending(network), 0);
    for (uint32_t id = 0; id < of->messages; id++)
        times[number[id]] = reference_get(network, id)->delivered_cycles;
    free(order);
    free(number);
    free(answered);
    reference_free(network);
}

/* ---- the core's side ---- */

static void core_inject(vef_netmodel *model, const planned *p, uint32_t source, uint64_t time,
                        uint32_t id) {
    vef_error error = {0};
    const vef_net_message message = {.source = source,
                                     .destination = p->destination,
                                     .bytes = p->bytes,
                                     .time_cycles = time,
                                     .id = id};
    if (model->kind->inject(model, &message, &error))
        fail_msg("inject: %s", error.message);
}

static int by_id(const void *a, const void *b) {
    const vef_net_delivery *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Runs the core up to the next deliveries, notes them, and hands them out in order of id. */
static size_t core_advance(vef_netmodel *model, uint64_t limit, vef_net_delivery *got,
                           uint64_t *times) {
    const vef_net_delivery *deliveries = NULL;
    size_t count = 0;
    vef_error error = {0};
    if (model->kind->advance(model, limit, &deliveries, &count, &error))
        fail_msg("advance: %s", error.message);
    assert_true(count <= MOST_MESSAGES);
    for (size_t k = 0; k < count; k++) {
        assert_true(deliveries[k].time_cycles == deliveries[0].time_cycles);
        assert_true(times[deliveries[k].id] == VEF_FOREVER);
        times[deliveries[k].id] = deliveries[k].time_cycles;
        got[k] = deliveries[k];
    }
    if (count > 1)
        qsort(got, count, sizeof *got, by_id);
    return count;
}

static void run_core(const network_case *of, vef_netmodel *model, uint64_t *times) {
    vef_net_delivery *got = malloc(MOST_MESSAGES * sizeof *got);
    timed *order = in_order_of_time(of);
    assert_non_null(got);
    for (uint32_t k = 0; k < of->messages; k++)
        times[k] = VEF_FOREVER;
    uint32_t sent = 0, delivered = 0;
    const uint32_t at_first = of->kind == OPEN_LOOP     ? of->messages
                              : of->kind == CLOSED_LOOP ? starters(of)
                                                        : 0;
    for (; sent < at_first; sent++) {
        const planned p = plan(of, sent);
        core_inject(model, &p, p.source, of->kind == CLOSED_LOOP ? 0 : p.time_cycles, sent);
    }
    while (delivered < of->messages) {
        uint64_t limit = VEF_FOREVER;
        if (of->kind == STEP_BY_STEP && sent < of->messages) {
            limit = order[sent].time_cycles;
            if (limit <= model->kind->now(model)) {
                const planned p = plan(of, order[sent].number);
                core_inject(model, &p, p.source, limit, order[sent].number);
                sent++;
                continue;
            }
        }
        const size_t count = core_advance(model, limit, got, times);
        if (count == 0 && limit == VEF_FOREVER)
            fail_msg("the core stopped with %u of %u messages delivered", delivered, of->messages);
        delivered += (uint32_t)count;
        for (size_t k = 0; of->kind == CLOSED_LOOP && k < count && sent < of->messages; k++) {
            const planned p = plan(of, sent);
            const uint32_t receiver = plan(of, (uint32_t)got[k].id).destination;
            core_inject(model, &p, receiver, got[k].time_cycles, sent);
            sent++;
        }
    }
    free(order);
    free(got);
}

/* ---- agreement ---- */

typedef struct both {
    vef_topology *topology;
    vef_routing *routing;
    uint64_t reference_times[MOST_MESSAGES], core_times[MOST_MESSAGES];
} both;

/* The routing that the reference uses. */
static void both_begin(both *sides, const network_case *of) {
    vef_arena arena = {0};
    vef_node *topology = NULL, *routing = NULL;
    vef_error error = {0};
    memset(sides, 0, sizeof *sides);
    if (vef_config_parse(of->topology, "test", &arena, &topology, &error) ||
        vef_topology_create(topology, of->config.endpoints_per_router, &sides->topology, &error) ||
        vef_config_parse(of->routing, "test", &arena, &routing, &error) ||
        vef_routing_create(routing, sides->topology, of->flow_control, &sides->routing, &error))
        fail_msg("%s: %s", of->topology, error.message);
    vef_arena_release(&arena);
}

static void both_end(both *sides) {
    vef_routing_destroy(sides->routing);
    vef_topology_destroy(sides->topology);
}

/* Runs the case on the core, and on the reference as `told` (the same, or a wrong one). Returns how
 * many messages they deliver at different times. */
static uint32_t disagreements(const network_case *of, const network_case *told, both *sides) {
    char yaml[1024];
    write_yaml(of, yaml, sizeof yaml);
    both_begin(sides, of);
    vef_netmodel *model = network_of(yaml);
    run_core(of, model, sides->core_times);
    run_reference(told, sides->routing, sides->reference_times);
    uint32_t differ = 0;
    for (uint32_t k = 0; k < of->messages; k++)
        differ += sides->core_times[k] != sides->reference_times[k];
    vef_netmodel_destroy(model);
    both_end(sides);
    return differ;
}

/* The first message, by the reference's time, that the two deliver differently. */
static void show(const network_case *of, const both *sides) {
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < of->messages; k++)
        if (sides->core_times[k] != sides->reference_times[k] &&
            (first == UINT32_MAX || sides->reference_times[k] < sides->reference_times[first]))
            first = k;
    char yaml[1024];
    write_yaml(of, yaml, sizeof yaml);
    const planned p = plan(of, first);
    fprintf(stderr,
            "%s# workload %d, load %g, %u messages of up to %u packets\n"
            "# first: message %u, %u -> %u, %llu bytes, planned at %llu: reference %llu, core "
            "%llu\n",
            yaml, of->kind, of->load, of->messages, of->most_packets, first, p.source,
            p.destination, (unsigned long long)p.bytes, (unsigned long long)p.time_cycles,
            (unsigned long long)sides->reference_times[first],
            (unsigned long long)sides->core_times[first]);
}

static void agree(uint32_t count, network_case (*make)(uint32_t)) {
    both sides;
    uint32_t messages = 0, failed = 0;
    for (uint32_t k = 0; k < count; k++) {
        const network_case of = make(k);
        const uint32_t differ = disagreements(&of, &of, &sides);
        messages += of.messages;
        if (differ == 0)
            continue;
        failed++;
        fprintf(stderr, "case %u: %u of %u messages differ\n", k, differ, of.messages);
        show(&of, &sides);
    }
    printf("%u messages on %u networks\n", messages, count);
    assert_int_equal(failed, 0);
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

static void they_agree_on_great_numbers(void **state) {
    (void)state;
    agree(GREAT_CASES, make_great_case);
}

/* The cases are what they are meant to be: every shape, routing, arbiter, load, size of packets and
 * kind of workload, with deterministic and random arbitration of each routing. */
static void cases_cover_the_ground(void **state) {
    (void)state;
    uint32_t shapes = 0, by_arbiter[3] = {0}, kinds = 0, sizes = 0, delays = 0, concentrations = 0;
    for (uint32_t k = 0; k < CASES; k++) {
        const network_case of = make_case(k);
        for (uint32_t s = 0; s < reference_shape_count; s++)
            shapes |= (uint32_t)(of.topology == reference_shapes[s].yaml) << s;
        for (uint32_t r = 0; r < 6; r++)
            by_arbiter[of.config.arbiter] |= (uint32_t)(of.routing == routings[r]) << r;
        for (uint32_t l = 0; l < 4; l++)
            kinds |= (uint32_t)(of.load >= loads[l] && of.load <= loads[l]) << (4 * of.kind + l);
        for (uint32_t p = 0; p < 6; p++)
            sizes |= (uint32_t)(of.config.packet_phits == packet_sizes[p]) << p;
        delays |= 1U << of.config.router_delay_cycles << (4 * of.config.credit_delay_cycles);
        concentrations |= 1U << of.config.endpoints_per_router << (4 * (of.most_packets - 1));
        assert_true(of.messages <= MOST_MESSAGES);
    }
    assert_int_equal(shapes, (1U << reference_shape_count) - 1);
    for (int arbiter = 0; arbiter < 3; arbiter++)
        assert_int_equal(by_arbiter[arbiter], 0x3f);
    assert_int_equal(kinds, 0xfff);
    assert_int_equal(sizes, 0x3f);
    assert_int_equal(delays, 0xffff);
    assert_int_equal(concentrations, 0x6006);
}

/* ---- the comparison notices ---- */

static void slower_router(reference_config *config) {
    config->router_delay_cycles++;
}
static void slower_credits(reference_config *config) {
    config->credit_delay_cycles++;
}
static void longer_queues(reference_config *config) {
    config->queue_packets++;
}
static void longer_injection_queues(reference_config *config) {
    config->injection_queue_packets++;
}
static void another_injection_queue(reference_config *config) {
    config->injection_queues++;
}
static void another_ejection_port(reference_config *config) {
    config->ejection_ports++;
}
static void other_turn(reference_config *config) {
    config->transit_first = !config->transit_first;
}
static void other_arbiter(reference_config *config) {
    config->arbiter = (reference_arbiter)((config->arbiter + 1) % 3);
}
static void other_seed(reference_config *config) {
    config->seed++;
}

/* A reference told something slightly else about the network must disagree, each thing by itself;
 * a slower router on every network. */
static void wrong_rules_are_noticed(void **state) {
    (void)state;
    void (*const wrong[])(reference_config *) = {
        slower_router,
        slower_credits,
        longer_queues,
        longer_injection_queues,
        another_injection_queue,
        another_ejection_port,
        other_turn,
        other_arbiter,
        other_seed,
    };
    enum { TRIED = 16 };
    both sides;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < TRIED; k++) {
            const network_case of = make_case(CASES - 1 - k);
            network_case told = of;
            wrong[w](&told.config);
            noticed += disagreements(&of, &told, &sides) > 0;
        }
        printf("wrong rule %zu: noticed on %u of %u networks\n", w, noticed, (unsigned)TRIED);
        assert_true(noticed >= (w == 0 ? TRIED : 3));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_cover_the_ground),
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(they_agree_on_great_numbers),
        cmocka_unit_test(wrong_rules_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
