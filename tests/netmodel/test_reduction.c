/* Groups of endpoints and reductions in the network, netmodel/MODEL.md "Groups" and "Reduction", on
 * stars and fat trees. Alone in the network, a reduction of m phits to whose group all contribute
 * at one time is delivered 2 h x (router + link delay) + m cycles later, where h is the number of
 * levels from the members' switches to the root of their tree, by arithmetic on the numbers of
 * terminals; every link of the tree carries each packet once up and once down, or down only towards
 * the one receiver. Several groups at once share switches and links and complete all; slots run out
 * where they must; what is refused. */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t add_group(vef_netmodel *model, const uint32_t *endpoints, uint32_t count) {
    uint32_t group = 0;
    vef_error error = {0};
    if (vef_netmodel_add_group(model, endpoints, count, true, &group, &error))
        fail_msg("add_group: %s", error.message);
    return group;
}

static void inject(vef_netmodel *model, vef_net_message message) {
    vef_error error = {0};
    if (model->kind->inject(model, &message, &error))
        fail_msg("inject: %s", error.message);
}

/* All members contribute at a time, for one endpoint or all (VEF_TO_ALL). */
static void contribute(vef_netmodel *model, uint32_t group, const uint32_t *members, uint32_t count,
                       uint32_t receiver, uint64_t bytes, uint64_t time, uint64_t id) {
    for (uint32_t i = 0; i < count; i++)
        inject(model, (vef_net_message){.source = members[i],
                                        .destination = receiver,
                                        .bytes = bytes,
                                        .time_cycles = time,
                                        .id = id,
                                        .group = group,
                                        .contribution = true});
}

static size_t advance(vef_netmodel *model, const vef_net_delivery **got) {
    size_t count = 0;
    vef_error error = {0};
    if (model->kind->advance(model, VEF_FOREVER, got, &count, &error))
        fail_msg("advance: %s", error.message);
    return count;
}

/* ---- shapes, by arithmetic: terminal t of a k-ary tree is below switch t / k^l of level l ---- */

typedef struct shape {
    const char *topology;
    uint32_t k, levels; /* 0 levels: a star */
} shape;

static const shape shapes[] = {
    {"{family: star, endpoints: 72}", 72, 0},
    {"{family: kary-ntree, k: 4, n: 2}", 4, 2},
    {"{family: kary-ntree, k: 4, n: 3}", 4, 3},
    {"{family: xgft, m: [4, 4], w: [1, 2]}", 4, 2},
    {"{family: xgft, m: [4, 4, 4], w: [1, 2, 2], links: [1, 2, 1]}", 4, 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The subtrees of k^level terminals in which members are. */
static uint32_t subtrees(const shape *drawn, uint32_t level, const uint32_t *members,
                         uint32_t count) {
    uint32_t width = 1, found = 0;
    for (uint32_t i = 0; i < level; i++)
        width *= drawn->k;
    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        for (uint32_t j = 0; j < i; j++)
            known = known || members[j] / width == members[i] / width;
        found += !known;
    }
    return found;
}

/* The levels that the members' switches are below the root, and the links between. */
static uint32_t climb_of(const shape *drawn, const uint32_t *members, uint32_t count,
                         uint32_t *links) {
    uint32_t level = 1;
    *links = 0;
    for (; drawn->levels > 0 && subtrees(drawn, level, members, count) > 1; level++)
        *links += subtrees(drawn, level, members, count);
    return level - 1;
}

static uint32_t draw_members(vef_rng *rng, const vef_netmodel *model, uint32_t *members) {
    const uint32_t one_in = 1 + vef_rng_below(rng, 8);
    uint32_t count = 0;
    for (uint32_t e = 0; e < model->endpoints; e++)
        if (vef_rng_below(rng, one_in) == 0)
            members[count++] = e;
    while (count < 2)
        members[count] = count, count++;
    return count;
}

enum { MOST = 128, PHITS = 8, HOP_CYCLES = 5 };

static vef_netmodel *network_on(const shape *drawn, const char *rest) {
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: %s, packet: {phits: %d}, link: {phit: 4 B, delay_cycles: 3, "
             "credit_delay_cycles: 1}, router: {delay_cycles: 2%s}}",
             drawn->topology, PHITS, rest);
    return network_of(yaml);
}

/* How many links up, and down, carried phits: each `phits`. */
static void count_links(const vef_netmodel *model, uint64_t phits, uint32_t *up, uint32_t *down) {
    const vef_topology *topology = model->topology;
    *up = *down = 0;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = vef_topology_next(topology, r, port);
            const uint64_t crossed =
                next != VEF_NO_ROUTER ? model->kind->link_phits(model, r, port) : 0;
            if (crossed == 0)
                continue;
            assert_int_equal(crossed, phits);
            ++*(next > r ? up : down); /* routers are numbered level by level */
        }
}

static void one_reduction(const shape *drawn, uint64_t seed, uint64_t phits, bool to_one) {
    vef_netmodel *model = network_on(drawn, "");
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 1);
    uint32_t members[MOST], links, up, down;
    const uint32_t count = draw_members(&rng, model, members);
    const uint32_t climb = climb_of(drawn, members, count, &links);
    const uint32_t receiver = to_one ? members[vef_rng_below(&rng, count)] : VEF_TO_ALL;
    for (uint32_t skipped = vef_rng_below(&rng, 4); skipped > 0; skipped--)
        add_group(model, members, count); /* others have other roots */
    contribute(model, add_group(model, members, count), members, count, receiver, phits * 4, 7,
               seed);
    const vef_net_delivery *got;
    const size_t deliveries = advance(model, &got);
    assert_int_equal(deliveries, to_one ? 1 : count);
    bool has[MOST] = {false};
    for (size_t i = 0; i < deliveries; i++) {
        assert_false(has[got[i].endpoint]);
        has[got[i].endpoint] = true;
        assert_int_equal(got[i].id, seed);
        assert_int_equal(got[i].bytes, phits * 4);
        assert_int_equal(got[i].time_cycles, 7 + 2 * climb * HOP_CYCLES + phits);
        assert_int_equal(got[i].path_cycles, 2 * climb * HOP_CYCLES);
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(has[members[i]] == (!to_one || members[i] == receiver));
    assert_int_equal(advance(model, &got), 0);
    count_links(model, phits, &up, &down);
    assert_int_equal(up, links);
    assert_int_equal(down, to_one ? climb : links);
    vef_netmodel_destroy(model);
}

static void test_alone_a_tree_is_crossed_up_and_down(void **unused) {
    (void)unused;
    for (size_t s = 0; s < SHAPES; s++)
        for (uint64_t seed = 1; seed <= 12; seed++)
            for (uint64_t phits = 1; phits <= 64 * PHITS; phits = phits * 3 + 1) {
                one_reduction(&shapes[s], seed, phits, false);
                one_reduction(&shapes[s], seed, phits, true);
            }
}

/* A message to a group goes to each other member by the shortest way, over each link of the tree
 * once: those from the source up, and the others down. */
static void test_copies_to_a_group(void **unused) {
    (void)unused;
    for (size_t s = 0; s < SHAPES; s++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            vef_netmodel *model = network_on(&shapes[s], "");
            vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 2);
            uint32_t members[MOST], links, pair_links, up, down;
            const uint32_t count = draw_members(&rng, model, members);
            const uint32_t climb = climb_of(&shapes[s], members, count, &links);
            const uint32_t source = members[vef_rng_below(&rng, count)];
            const uint64_t phits = 1 + vef_rng_below(&rng, 100);
            inject(model, (vef_net_message){.source = source,
                                            .destination = VEF_TO_ALL,
                                            .bytes = phits * 4,
                                            .group = add_group(model, members, count)});
            const vef_net_delivery *got;
            uint32_t delivered = 0;
            for (size_t n; (n = advance(model, &got)) > 0; delivered += (uint32_t)n)
                for (size_t i = 0; i < n; i++) {
                    const uint32_t pair[] = {source, got[i].endpoint};
                    const uint32_t hops = 2 * climb_of(&shapes[s], pair, 2, &pair_links);
                    assert_int_not_equal(got[i].endpoint, source);
                    assert_int_equal(got[i].time_cycles, hops * HOP_CYCLES + phits);
                }
            assert_int_equal(delivered, count - 1);
            count_links(model, phits, &up, &down);
            assert_int_equal(up, climb);
            assert_int_equal(down, links - climb);
            vef_netmodel_destroy(model);
        }
}

/* All endpoints, without a group. */
static void test_copies_to_all(void **unused) {
    (void)unused;
    for (size_t s = 0; s < SHAPES; s++) {
        vef_netmodel *model = network_on(&shapes[s], "");
        uint32_t total[MOST], links, up, down;
        for (uint32_t e = 0; e < model->endpoints; e++)
            total[e] = e;
        climb_of(&shapes[s], total, model->endpoints, &links);
        inject(model, (vef_net_message){.source = 5, .destination = VEF_TO_ALL, .bytes = 100});
        const vef_net_delivery *got;
        uint32_t delivered = 0;
        for (size_t n; (n = advance(model, &got)) > 0;)
            delivered += (uint32_t)n;
        assert_int_equal(delivered, model->endpoints - 1);
        count_links(model, 25, &up, &down);
        assert_int_equal(up + down, links);
        vef_netmodel_destroy(model);
    }
}

/* ---- several at once ---- */

/* Groups that share switches, each with reductions whose members contribute at different times, and
 * messages between pairs: everybody has everything once, and slots are free again. */
static void crowd(const shape *drawn, uint64_t seed, const char *router) {
    enum { GROUPS = 6, REDUCTIONS = 40, BYTES = 3 * PHITS * 4 - 5 };
    vef_netmodel *model = network_on(drawn, router);
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 3);
    static uint32_t members[GROUPS][MOST];
    uint32_t count[GROUPS], group[GROUPS], open[GROUPS] = {0}, begun[GROUPS] = {0};
    static uint32_t left[GROUPS][REDUCTIONS];
    for (uint32_t g = 0; g < GROUPS; g++) {
        count[g] = draw_members(&rng, model, members[g]);
        group[g] = add_group(model, members[g], count[g]);
    }
    uint32_t to_come = GROUPS * REDUCTIONS;
    while (to_come > 0) {
        for (uint32_t g = 0; g < GROUPS; g++)
            for (; open[g] < 2 && begun[g] < REDUCTIONS; begun[g]++, open[g]++) {
                const uint32_t receiver =
                    begun[g] % 3 == 2 ? members[g][vef_rng_below(&rng, count[g])] : VEF_TO_ALL;
                left[g][begun[g]] = receiver == VEF_TO_ALL ? count[g] : 1;
                for (uint32_t i = 0; i < count[g]; i++) {
                    const uint64_t time = model->kind->now(model) + vef_rng_below(&rng, 60);
                    contribute(model, group[g], &members[g][i], 1, receiver, BYTES, time,
                               g * REDUCTIONS + begun[g]);
                    inject(model, (vef_net_message){.source = members[g][i],
                                                    .destination = members[g][(i + 1) % count[g]],
                                                    .bytes = 64,
                                                    .time_cycles = time,
                                                    .id = GROUPS * REDUCTIONS});
                }
            }
        const vef_net_delivery *got;
        const size_t n = advance(model, &got);
        if (n == 0)
            fail_msg("%s: nothing moves with %u reductions to come", drawn->topology, to_come);
        for (size_t i = 0; i < n; i++) {
            if (got[i].id == GROUPS * REDUCTIONS)
                continue;
            const uint32_t g = (uint32_t)got[i].id / REDUCTIONS;
            uint32_t *more = &left[g][got[i].id % REDUCTIONS];
            assert_true(*more > 0);
            if (--*more == 0) {
                open[g]--;
                to_come--;
            }
        }
    }
    vef_netmodel_destroy(model);
}

static void test_a_crowd_completes(void **unused) {
    (void)unused;
    static const char *const routers[] = {
        ", queue_packets: 1, injection_queue_packets: 1, flow_control: virtual-channels, "
        "reduction: {slots: 36, group_slots: 6}",
        ", queue_packets: 2, injection_queues: 3, arbiter: oldest, ejection_ports: 2, "
        "flow_control: virtual-channels, reduction: {slots: 36, group_slots: 6}",
    };
    for (size_t s = 0; s < SHAPES; s++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            crowd(&shapes[s], seed, routers[seed % 2]);
}

/* ---- refused ---- */

static void test_slots_run_out(void **unused) {
    (void)unused;
    /* Three groups of 4 fit into 14 slots. A switch that the fourth does not need may have one. */
    vef_netmodel *model = network_on(&shapes[1], ", reduction: {slots: 14, group_slots: 4}");
    const uint32_t low[] = {0, 1}, high[] = {14, 15};
    uint32_t group = 0;
    for (int i = 0; i < 3; i++)
        group = add_group(model, low, 2);
    vef_error error = {0};
    assert_int_equal(vef_netmodel_add_group(model, low, 2, true, &group, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "have taken 12 of 14 slots of router 0"));
    assert_int_equal(vef_netmodel_add_group(model, low, 2, false, &group, &error), VEF_OK);
    group = add_group(model, high, 2);
    /* Its reductions have at most 4 packets together, until they are complete. */
    contribute(model, group, high, 1, VEF_TO_ALL, 3 * PHITS * 4, 0, 1);
    const vef_net_message more = {.source = 14,
                                  .destination = VEF_TO_ALL,
                                  .bytes = 2 * PHITS * 4,
                                  .id = 2,
                                  .group = group,
                                  .contribution = true};
    assert_int_equal(model->kind->inject(model, &more, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "3 of 4 slots"));
    contribute(model, group, high + 1, 1, VEF_TO_ALL, 3 * PHITS * 4, 0, 1);
    const vef_net_delivery *got;
    while (advance(model, &got) > 0)
        continue;
    contribute(model, group, high, 2, VEF_TO_ALL, 4 * PHITS * 4, model->kind->now(model), 2);
    assert_int_equal(advance(model, &got), 2);
    vef_netmodel_destroy(model);
}

static void test_what_is_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{topology: {family: torus, sizes: [4, 4]}}", "expected a star: in its switch; fat trees"},
        {"{topology: {family: rtt, a: 4}}", "meshes and tori without twist"},
        {"{topology: {family: kary-ntree, k: 2, n: 3}, routing: {algorithm: up-down}}", "d-mod-k"},
        {"{topology: {family: kary-ntree, k: 2, n: 3}, failures: {links: [[0, 4]]}}",
         "without failures"},
        {"{topology: {family: star, endpoints: 8}, router: {arbiter: islip}}", "islip"},
        {"{topology: {family: star, endpoints: 8}, link: {burst: 64 B}}", "link.burst"},
        {"{topology: {family: star, endpoints: 8}, congestion: {policy: window}}", "windows"},
        {"{model: ideal}", "expected model router"},
        {"{model: flow, topology: {family: star, endpoints: 8}}", "expected model router"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *model = network_of(rows[i].yaml);
        const uint32_t members[] = {0, 1};
        uint32_t group = 0;
        for (uint32_t count = 0; count <= 2; count += 2) {
            vef_error error = {0};
            assert_int_equal(vef_netmodel_add_group(model, members, count, true, &group, &error),
                             VEF_UNSUPPORTED);
            if (!strstr(error.message, rows[i].says))
                fail_msg("%s: %s", rows[i].yaml, error.message);
        }
        vef_netmodel_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_a_tree_is_crossed_up_and_down),
        cmocka_unit_test(test_copies_to_a_group),
        cmocka_unit_test(test_copies_to_all),
        cmocka_unit_test(test_a_crowd_completes),
        cmocka_unit_test(test_slots_run_out),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
