/* The core against the reference: one network and workload run on both. See agreement.h. */
#include "tests/netmodel/agreement.h"

#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEADLINE_CYCLES = 400000 };

static double mean_phits(const network_case *sample) {
    return sample->most_packets * sample->config.packet_phits * 0.5 + 0.5;
}

void choose_messages(network_case *sample) {
    const double most = sample->load * sample->endpoints * SPAN_CYCLES / mean_phits(sample);
    sample->messages = 20 + (uint32_t)(most < 700 ? most : 700);
}

/* ---- workloads, the same for both sides ---- */

typedef struct planned {
    uint32_t source, destination;
    uint64_t bytes, time_cycles;
    uint8_t traffic_class;
    uint32_t group;    /* 0: none */
    bool contribution; /* of all members; else of the source alone, which is one */
} planned;

/* Whether an endpoint is a member of a group, numbered from 1. Each has at least two. */
static bool is_member(const network_case *sample, uint32_t group, uint32_t endpoint) {
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 900 + group);
    const uint32_t first = vef_rng_below(&rng, sample->endpoints),
                   one_in = 1 + vef_rng_below(&rng, 5);
    vef_rng each = vef_rng_make(sample->seed, VEF_RNG_TEST, 100000 + group * 1000 + endpoint);
    return endpoint == first || endpoint == (first + 1) % sample->endpoints ||
           vef_rng_below(&each, one_in) == 0;
}

/* A member of a group: the first from an endpoint on. */
static uint32_t member_from(const network_case *sample, uint32_t group, uint32_t endpoint) {
    while (!is_member(sample, group, endpoint))
        endpoint = (endpoint + 1) % sample->endpoints;
    return endpoint;
}

/* Message k of a workload: endpoints uniform, sizes from nothing to the most, times uniform over as
 * long as the load says. In a closed loop the first few start it, and the time and source of the
 * others come from the delivery that sets them off. */
static planned plan(const network_case *sample, uint32_t k) {
    vef_rng rng = vef_rng_make(sample->seed, VEF_RNG_TEST, 1000 + k);
    const reference_config *c = &sample->config;
    const uint32_t most_bytes = sample->most_packets * c->packet_phits * c->phit_bytes;
    const bool to_all = sample->to_all > 0 && vef_rng_below(&rng, sample->to_all) == 0;
    const uint32_t destinations = sample->destinations ? sample->destinations : sample->endpoints;
    const double span = sample->messages * mean_phits(sample) / sample->load / sample->endpoints;
    planned made = {.source = vef_rng_below(&rng, sample->endpoints),
                    .destination = to_all ? VEF_TO_ALL : vef_rng_below(&rng, destinations),
                    .bytes = vef_rng_below(&rng, most_bytes + 1),
                    .time_cycles = (uint64_t)(vef_rng_unit(&rng) * span),
                    .traffic_class =
                        (uint8_t)(sample->traffic_classes ? k % sample->traffic_classes : 0)};
    if (sample->groups == 0)
        return made;
    made.contribution = sample->reductions > 0 && vef_rng_below(&rng, sample->reductions) == 0;
    if (made.contribution || (made.destination == VEF_TO_ALL && vef_rng_below(&rng, 2) == 0))
        made.group = 1 + vef_rng_below(&rng, sample->groups);
    if (made.group > 0)
        made.source = member_from(sample, made.group, made.source);
    if (made.contribution && made.destination != VEF_TO_ALL && k % 3 > 0)
        made.destination = VEF_TO_ALL;
    else if (made.contribution)
        made.destination = member_from(sample, made.group, made.destination % sample->endpoints);
    return made;
}

/* How many endpoints message k is for. */
static uint32_t receivers(const network_case *sample, const planned *p) {
    uint32_t members = 0;
    for (uint32_t e = 0; e < sample->endpoints && p->destination == VEF_TO_ALL; e++)
        members += p->group == 0 || is_member(sample, p->group, e);
    return p->destination != VEF_TO_ALL ? 1 : members - !p->contribution;
}

/* When a member contributes. */
static uint64_t contributes_at(const planned *p, uint32_t k, uint32_t endpoint) {
    vef_rng rng = vef_rng_make(k, VEF_RNG_TEST, endpoint);
    return p->time_cycles + vef_rng_below(&rng, 2) * vef_rng_below(&rng, 60);
}

/* How many messages start a closed loop: with the load, from one or two to several per endpoint. */
static uint32_t starters(const network_case *sample) {
    const uint32_t count = (uint32_t)(sample->load * 2 * sample->endpoints) + 2;
    return count < sample->messages ? count : sample->messages;
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
static timed *in_order_of_time(const network_case *sample) {
    timed *order = malloc(sample->messages * sizeof *order);
    assert_non_null(order);
    for (uint32_t k = 0; k < sample->messages; k++)
        order[k] = (timed){plan(sample, k).time_cycles, k};
    qsort(order, sample->messages, sizeof *order, by_time);
    return order;
}

/* What is noted of a message to all: a sum over its deliveries that all of them change. */
static uint64_t digest(uint32_t endpoint, uint64_t time_cycles) {
    return time_cycles * (2 * (uint64_t)endpoint + 1);
}

static uint64_t digest_of(const network_case *sample, const reference_message *message) {
    if (message->destination != VEF_TO_ALL)
        return message->delivered_cycles;
    uint64_t sum = 0;
    for (uint32_t e = 0; e < sample->endpoints; e++)
        if (message->copy_cycles[e] > 0)
            sum += digest(e, message->copy_cycles[e]);
    return sum;
}

/* ---- the reference's side: times[k] is when message k was delivered ---- */

static reference *reference_of(const network_case *sample, const both *sides) {
    const reference_routing by = reference_route_by(sides->routing);
    reference_config config = sample->config;
    if (sample->by_table)
        config.topology = sides->topology;
    if (sample->rules)
        config.links = sides->links;
    config.trees = sample->groups > 0;
    reference *network = reference_new(&config, &by);
    for (uint32_t g = 1; g <= sample->groups; g++) {
        bool members[REFERENCE_RECORDS];
        assert_true(sample->endpoints <= REFERENCE_RECORDS);
        for (uint32_t e = 0; e < sample->endpoints; e++)
            members[e] = is_member(sample, g, e);
        reference_add_group(network, members);
    }
    return network;
}

static uint32_t reference_send(const network_case *sample, reference *network, const planned *p,
                               uint32_t k, uint64_t time) {
    if (p->group == 0)
        return reference_inject(network, p->source, p->destination, p->bytes, time);
    if (!p->contribution)
        return reference_inject_to_group(network, p->source, p->group, p->bytes, time);
    uint32_t result = 0;
    for (uint32_t e = 0; e < sample->endpoints; e++)
        if (is_member(sample, p->group, e))
            result = reference_contribute(network, e, p->group, k, p->destination, p->bytes,
                                          contributes_at(p, k, e));
    return result;
}

/* In how many cycles phits crossed links, over all links. */
static uint64_t busy_cycles(const reference *network, const vef_topology *topology) {
    uint64_t busy = 0;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t port = 0; port < topology->ports; port++)
            busy += reference_busy_cycles(network, r, port);
    return busy;
}

/* Returns in how many cycles a link was busy, on average. */
static double run_reference(const network_case *sample, const both *sides, uint64_t *times) {
    reference *network = reference_of(sample, sides);
    timed *order = in_order_of_time(sample);
    uint32_t *id_of = malloc(sample->messages * sizeof *id_of); /* in the network, of a message */
    bool *answered = calloc(sample->messages, sizeof *answered);
    assert_true(id_of != NULL && answered != NULL);
    uint32_t sent = 0;
    const uint32_t at_first = sample->kind == CLOSED_LOOP ? starters(sample) : sample->messages;
    for (; sent < at_first; sent++) {
        const uint32_t k = sample->kind == STEP_BY_STEP ? order[sent].number : sent;
        const planned p = plan(sample, k);
        id_of[k] =
            reference_send(sample, network, &p, k, sample->kind == CLOSED_LOOP ? 0 : p.time_cycles);
        reference_set_class(network, id_of[k], p.traffic_class);
    }
    while (reference_pending(network) > 0 && reference_now(network) < DEADLINE_CYCLES) {
        reference_cycle(network);
        const uint32_t so_far = sent;
        for (uint32_t id = 0; sample->kind == CLOSED_LOOP && id < so_far; id++) {
            const reference_message *m = reference_get(network, id);
            if (m->delivered < m->packets || answered[id] || sent == sample->messages)
                continue;
            const planned p = plan(sample, sent);
            answered[id] = true;
            const uint32_t new = id_of[sent] = reference_inject(
                network, m->destination, p.destination, p.bytes, reference_now(network));
            reference_set_class(network, new, p.traffic_class);
            sent++;
        }
    }
    assert_int_equal(reference_pending(network), 0);
    for (uint32_t k = 0; k < sample->messages; k++)
        times[k] = digest_of(sample, reference_get(network, id_of[k]));
    const double busy = (double)busy_cycles(network, sides->topology);
    free(order);
    free(id_of);
    free(answered);
    reference_free(network);
    uint64_t links = 0;
    for (size_t i = 0; i < (size_t)sides->topology->routers * sides->topology->ports; i++)
        links += sides->topology->neighbour[i] != VEF_NO_ROUTER;
    return links == 0 ? 0 : busy / (double)links;
}

/* ---- the core's side ---- */

static void core_inject(vef_netmodel *model, const planned *p, uint32_t source, uint64_t time,
                        uint32_t id) {
    vef_error error = {0};
    const vef_net_message message = {.source = source,
                                     .destination = p->destination,
                                     .bytes = p->bytes,
                                     .time_cycles = time,
                                     .id = id,
                                     .traffic_class = p->traffic_class,
                                     .group = p->group,
                                     .contribution = p->contribution};
    if (model->kind->inject(model, &message, &error))
        fail_msg("inject: %s", error.message);
}

/* A message of the workload, or all contributions of a reduction. */
static void core_send(const network_case *sample, vef_netmodel *model, const planned *p,
                      uint64_t time, uint32_t k) {
    if (!p->contribution)
        core_inject(model, p, p->source, time, k);
    for (uint32_t e = 0; p->contribution && e < sample->endpoints; e++)
        if (is_member(sample, p->group, e))
            core_inject(model, p, e, contributes_at(p, k, e), k);
}

static void add_groups(const network_case *sample, vef_netmodel *model) {
    for (uint32_t g = 1; g <= sample->groups; g++) {
        uint32_t members[REFERENCE_RECORDS], count = 0, number = 0;
        vef_error error = {0};
        for (uint32_t e = 0; e < sample->endpoints; e++)
            if (is_member(sample, g, e))
                members[count++] = e;
        if (vef_netmodel_add_group(model, members, count, true, &number, &error))
            fail_msg("add_group: %s", error.message);
        assert_int_equal(number, g);
    }
}

static int by_id(const void *a, const void *b) {
    const vef_net_delivery *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool to_all(const network_case *sample, uint64_t k) {
    const planned p = plan(sample, (uint32_t)k);
    return p.destination == VEF_TO_ALL || p.contribution;
}

/* Runs the core up to the next deliveries, notes them, and hands them out in order of id. */
static size_t core_advance(const network_case *sample, vef_netmodel *model, uint64_t limit,
                           vef_net_delivery *got, uint64_t *times) {
    const vef_net_delivery *deliveries = NULL;
    size_t count = 0;
    vef_error error = {0};
    if (model->kind->advance(model, limit, &deliveries, &count, &error))
        fail_msg("advance: %s", error.message);
    assert_true(count <= MOST_MESSAGES);
    for (size_t k = 0; k < count; k++) {
        assert_true(deliveries[k].time_cycles == deliveries[0].time_cycles);
        uint64_t *time = &times[deliveries[k].id];
        got[k] = deliveries[k];
        if (to_all(sample, deliveries[k].id)) {
            const uint64_t one = digest(deliveries[k].endpoint, deliveries[k].time_cycles);
            *time = *time == VEF_FOREVER ? one : *time + one;
            continue;
        }
        assert_true(*time == VEF_FOREVER);
        *time = deliveries[k].time_cycles;
    }
    if (count > 1)
        qsort(got, count, sizeof *got, by_id);
    return count;
}

static void run_core(const network_case *sample, vef_netmodel *model, uint64_t *times) {
    vef_net_delivery *got = malloc(MOST_MESSAGES * sizeof *got);
    timed *order = in_order_of_time(sample);
    assert_non_null(got);
    for (uint32_t k = 0; k < sample->messages; k++)
        times[k] = VEF_FOREVER;
    uint32_t sent = 0, delivered = 0;
    const uint32_t at_first = sample->kind == OPEN_LOOP     ? sample->messages
                              : sample->kind == CLOSED_LOOP ? starters(sample)
                                                            : 0;
    for (; sent < at_first; sent++) {
        const planned p = plan(sample, sent);
        core_send(sample, model, &p, sample->kind == CLOSED_LOOP ? 0 : p.time_cycles, sent);
    }
    uint32_t expected = 0;
    for (uint32_t k = 0; k < sample->messages; k++) {
        const planned p = plan(sample, k);
        expected += receivers(sample, &p);
    }
    while (delivered < expected) {
        uint64_t limit = VEF_FOREVER;
        if (sample->kind == STEP_BY_STEP && sent < sample->messages) {
            limit = order[sent].time_cycles;
            if (limit <= model->kind->now(model)) {
                const planned p = plan(sample, order[sent].number);
                core_send(sample, model, &p, limit, order[sent].number);
                sent++;
                continue;
            }
        }
        const size_t count = core_advance(sample, model, limit, got, times);
        if (count == 0 && limit == VEF_FOREVER)
            fail_msg("the core stopped with %u of %u deliveries", delivered, expected);
        delivered += (uint32_t)count;
        for (size_t k = 0; sample->kind == CLOSED_LOOP && k < count && sent < sample->messages;
             k++) {
            const planned p = plan(sample, sent);
            const uint32_t receiver = plan(sample, (uint32_t)got[k].id).destination;
            core_inject(model, &p, receiver, got[k].time_cycles, sent);
            sent++;
        }
    }
    free(order);
    free(got);
}

/* ---- the core's side with an agent, which injects in windows ---- */

typedef struct plan_agent {
    const network_case *sample;
    timed *order;      /* of all messages */
    uint32_t *part_of; /* [endpoint] */
    uint32_t next[4];  /* [part]: the place in `order` from which to look for its messages */
    uint32_t delivered[4];
    uint64_t *times;
} plan_agent;

/* The next message of a part, as a place in the order; of->messages: none. */
static uint32_t next_of(plan_agent *agent, uint32_t part) {
    uint32_t *next = &agent->next[part];
    while (*next < agent->sample->messages &&
           agent->part_of[plan(agent->sample, agent->order[*next].number).source] != part)
        ++*next;
    return *next;
}

static uint64_t next_time(plan_agent *agent, uint32_t part) {
    const uint32_t next = next_of(agent, part);
    return next < agent->sample->messages ? agent->order[next].time_cycles : VEF_FOREVER;
}

static uint64_t act(void *context, vef_netmodel *model, uint32_t part, uint64_t now) {
    plan_agent *agent = context;
    while (next_time(agent, part) <= now) {
        const uint32_t k = agent->order[agent->next[part]++].number;
        const planned p = plan(agent->sample, k);
        assert_true(now == 0 || p.time_cycles == now); /* asked for neither early nor late */
        core_inject(model, &p, p.source, p.time_cycles, k);
    }
    return next_time(agent, part);
}

static uint64_t receive(void *context, uint32_t part, const vef_net_delivery *deliveries,
                        size_t count) {
    plan_agent *agent = context;
    for (size_t i = 0; i < count; i++) {
        const planned p = plan(agent->sample, (uint32_t)deliveries[i].id);
        assert_true(agent->times[deliveries[i].id] == VEF_FOREVER);
        assert_int_equal(agent->part_of[deliveries[i].endpoint], part);
        assert_int_equal(deliveries[i].endpoint, p.destination);
        assert_int_equal(deliveries[i].source, p.source);
        assert_int_equal(deliveries[i].bytes, p.bytes);
        agent->times[deliveries[i].id] = deliveries[i].time_cycles;
    }
    agent->delivered[part] += (uint32_t)count;
    return next_time(agent, part);
}

/* Windows also end every few cycles, as in measurements. */
static void run_core_with_agent(const network_case *sample, vef_netmodel *model, uint64_t *times) {
    enum { STEP_CYCLES = 150 };
    plan_agent agent = {.sample = sample, .order = in_order_of_time(sample), .times = times};
    const vef_net_agent by_part = {.context = &agent, .act = act, .receive = receive};
    agent.part_of = calloc(model->endpoints, sizeof *agent.part_of);
    assert_non_null(agent.part_of);
    const uint32_t parts = model->kind->parts(model, agent.part_of);
    assert_true(parts <= 4);
    for (uint32_t k = 0; k < sample->messages; k++)
        times[k] = VEF_FOREVER;
    model->kind->attend(model, &by_part);
    const vef_net_delivery *deliveries;
    size_t count;
    vef_error error = {0};
    uint32_t delivered = 0;
    while (delivered < sample->messages) {
        const uint64_t now = model->kind->now(model);
        assert_int_equal(
            model->kind->advance(model, now + STEP_CYCLES, &deliveries, &count, &error), VEF_OK);
        assert_int_equal(count, 0);
        assert_int_equal(model->kind->now(model), now + STEP_CYCLES);
        delivered = 0;
        for (uint32_t part = 0; part < parts; part++)
            delivered += agent.delivered[part];
        if (now > DEADLINE_CYCLES)
            fail_msg("the core stopped with %u of %u deliveries", delivered, sample->messages);
    }
    free(agent.order);
    free(agent.part_of);
}

/* ---- agreement ---- */

/* What the rules say of each link. */
static void set_links(both *sides, const network_case *sample) {
    const vef_topology *topology = sides->topology;
    const size_t ports = (size_t)topology->routers * topology->ports;
    sides->links = calloc(ports, sizeof *sides->links);
    assert_non_null(sides->links);
    for (size_t i = 0; i < ports; i++) {
        sides->links[i] =
            (reference_link){unnamed_links_pace(sample), sample->config.link_delay_cycles,
                             sample->config.credit_delay_cycles};
        if (topology->neighbour[i] == VEF_NO_ROUTER)
            continue;
        char name[VEF_CLASS_NAME_BYTES];
        const uint32_t class = vef_topology_link_class(topology, (uint32_t)(i / topology->ports),
                                                       (uint32_t)(i % topology->ports));
        vef_topology_link_class_name(topology, class, name, sizeof name);
        for (const link_rule *rule = sample->rules; rule && rule->name; rule++)
            if (strcmp(rule->name, name) == 0)
                sides->links[i] = rule->link;
    }
}

/* The routing that the reference uses. */
static void both_begin(both *sides, const network_case *sample, const network_case *told) {
    vef_arena arena = {0};
    vef_node *topology = NULL, *routing = NULL;
    vef_error error = {0};
    memset(sides, 0, sizeof *sides);
    if (vef_config_parse(sample->topology, "test", &arena, &topology, &error) ||
        vef_topology_create(topology, sample->config.endpoints_per_router, &sides->topology,
                            &error))
        fail_msg("%s: %s", sample->topology, error.message);
    damage(&sides->topology, sample->failures);
    if (vef_config_parse(told->routing, "test", &arena, &routing, &error) ||
        vef_routing_create(routing, sides->topology, sample->flow_control, &sides->routing, &error))
        fail_msg("%s %s: %s", sample->topology, told->routing, error.message);
    set_links(sides, told);
    vef_arena_release(&arena);
}

static void both_end(both *sides) {
    free(sides->links);
    vef_routing_destroy(sides->routing);
    vef_topology_destroy(sides->topology);
}

uint32_t disagreements(const network_case *sample, const network_case *told, both *sides) {
    char yaml[2048];
    write_network_file(sample, yaml, sizeof yaml);
    both_begin(sides, sample, told);
    vef_netmodel *model = network_of(yaml);
    divide_network(model, 1 + (uint32_t)(sample->seed % 4), sample->seed % 5 == 0);
    add_groups(sample, model);
    if (sample->kind != CLOSED_LOOP && sample->to_all == 0 && sample->seed % 3 > 0)
        run_core_with_agent(sample, model, sides->core_times);
    else
        run_core(sample, model, sides->core_times);
    vef_net_statistics statistics;
    model->kind->statistics(model, &statistics);
    const double now = (double)model->kind->now(model);
    const double busy = run_reference(told, sides, sides->reference_times);
    uint32_t differ = 0;
    for (uint32_t k = 0; k < sample->messages; k++)
        differ += sides->core_times[k] != sides->reference_times[k];
    if (differ == 0 && fabs(busy - statistics.link_utilization_mean * now) > 1e-9 * now)
        differ = 1;
    vef_netmodel_destroy(model);
    both_end(sides);
    return differ;
}

/* The first message, by the reference's time, that the two deliver differently. */
static void show(const network_case *sample, const both *sides) {
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; k < sample->messages; k++)
        if (sides->core_times[k] != sides->reference_times[k] &&
            (first == UINT32_MAX || sides->reference_times[k] < sides->reference_times[first]))
            first = k;
    if (first == UINT32_MAX)
        first = 0; /* all times agree, the links' use does not */
    char yaml[2048];
    write_network_file(sample, yaml, sizeof yaml);
    const planned p = plan(sample, first);
    fprintf(stderr,
            "%s# workload %d, load %g, %u messages of up to %u packets\n"
            "# first: message %u, %u -> %u, %llu bytes, planned at %llu: reference %llu, core "
            "%llu\n",
            yaml, sample->kind, sample->load, sample->messages, sample->most_packets, first,
            p.source, p.destination, (unsigned long long)p.bytes, (unsigned long long)p.time_cycles,
            (unsigned long long)sides->reference_times[first],
            (unsigned long long)sides->core_times[first]);
}

void agree(uint32_t count, network_case (*make)(uint32_t)) {
    both sides;
    uint32_t messages = 0, failed = 0;
    for (uint32_t k = 0; k < count; k++) {
        const network_case sample = make(k);
        const uint32_t differ = disagreements(&sample, &sample, &sides);
        messages += sample.messages;
        if (differ == 0)
            continue;
        failed++;
        fprintf(stderr, "case %u: %u of %u messages differ\n", k, differ, sample.messages);
        show(&sample, &sides);
    }
    printf("%u messages on %u networks\n", messages, count);
    assert_int_equal(failed, 0);
}
