/* Lengths of links, against closed forms: times of messages alone, the round trip of credits,
 * layouts whose distances are known, cables by length; and what is refused. In the networks here a
 * phit has one byte and a cycle is a nanosecond, so that a metre is 5 cycles. */
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PHITS = 7 }; /* of the messages here, which are one packet */

static vef_netmodel *build(const char *model, const char *topology, const char *link) {
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "{model: %s, topology: %s, routing: {algorithm: minimal}, router: {flow_control: "
             "virtual-channels, delay_cycles: 3}, link: {bandwidth: 8 Gbit/s, phit: 1 B, %s}}",
             model, topology, link);
    return network_of(yaml);
}

/* Cycles that a message of PHITS takes. */
static uint64_t time_alone(vef_netmodel *model, uint32_t from, uint32_t to) {
    const uint64_t begun = vef_netmodel_cycles_at(model, model->kind->now(model));
    return send_alone(model, from, to, PHITS) - begun;
}

static void length_adds_to_the_delay(void **state) {
    (void)state;
    static const struct {
        const char *link;
        uint64_t delay, credit_delay;
    } rows[] = {
        {"length: 20 m", 1 + 100, 100},
        {"length: 20 m, delay_cycles: 0", 100, 100},
        {"length: 20 m, delay: 30 ns, credit_delay: 4 ns", 30 + 100, 4 + 100},
        {"length: 30 cm, delay_cycles: 0", 2, 2},
        {"length: 1 km, delay_per_metre: 4.5 ns", 1 + 4500, 4500},
        {"length: 20 m, classes: {x: {length: 3 m}}", 1 + 15, 15},
        {"length: 20 m, classes: {x: {delay_cycles: 9}}", 9 + 100, 100},
        {"length: 0 m", 1, 0},
    };
    static const char *const models[] = {"router", "flow"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t m = 0; m < 2; m++) {
            vef_netmodel *model = build(models[m], "{family: mesh, sizes: [5]}", rows[i].link);
            for (uint32_t hops = 1; hops < 5; hops++)
                assert_int_equal(time_alone(model, 0, hops), hops * (3 + rows[i].delay) + PHITS);
            if (m == 0) {
                const vef_net_timing *timing = &model->timing;
                assert_int_equal(timing->link_delay_cycles.least, rows[i].delay);
                assert_int_equal(timing->link_delay_cycles.most, rows[i].delay);
                assert_int_equal(timing->credit_delay_cycles.most, rows[i].credit_delay);
            }
            vef_netmodel_destroy(model);
        }
}

/* Of Q packets of L phits over a link of R cycles from grant to credit, Q go in max(Q L, R):
 * test_round_trip.c. Credits take the cable back. */
static void credits_take_the_cable_back(void **state) {
    (void)state;
    enum { L = 16, Q = 3, METRES = 10, R = L + 3 + 1 + 5 * METRES + 5 * METRES, ROUNDS = 6 };
    vef_netmodel *model = network_of(
        "{topology: {family: mesh, sizes: [2]}, routing: {algorithm: dor, channels: 1}, router: "
        "{queue_packets: 3, delay_cycles: 3, arbiter: oldest}, link: {bandwidth: 8 Gbit/s, phit: 1 "
        "B, length: 10 m}, packet: {phits: 16}}");
    const uint64_t last_grant = (ROUNDS - 1) * (uint64_t)R + (Q - 1) * L;
    assert_int_equal(send_alone(model, 0, 1, (uint64_t)ROUNDS * Q * L),
                     last_grant + 3 + 1 + 5 * METRES + L);
    vef_netmodel_destroy(model);
}

/* ---- layouts ---- */

/* A ring of 8 folded is 0 7 1 6 2 5 3 4: neighbours are two places apart, and one where it turns.
 * Unfolded they are one apart, and the wrap seven. Rows are twice as far apart as columns. */
static void rings(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        double inside, turns;
    } rows[] = {{"folded", 2, 1}, {"grid", 1, 7}};
    for (size_t i = 0; i < 2; i++) {
        char link[256];
        snprintf(link, sizeof link,
                 "delay_cycles: 0, layout: {name: %s, pitch: 2 m, row_pitch: 4 m, slack: 1 m}",
                 rows[i].layout);
        vef_netmodel *model = build("router", "{family: torus, sizes: [8, 8]}", link);
        for (uint32_t here = 0; here < 8; here++) {
            const bool turn = here == 7 || (here == 3 && i == 0);
            const double places = turn ? rows[i].turns : rows[i].inside;
            assert_int_equal(time_alone(model, here, (here + 1) % 8),
                             3 + 5 * (1 + 2 * (uint64_t)places) + PHITS);
            assert_int_equal(time_alone(model, 8 * here, 8 * ((here + 1) % 8)),
                             3 + 5 * (1 + 4 * (uint64_t)places) + PHITS);
        }
        vef_netmodel_destroy(model);
    }
}

/* A diagonal link over 3 m along x and 4 m along y. */
static void metrics(void **state) {
    (void)state;
    static const struct {
        const char *metric;
        uint64_t length;
    } rows[] = {{"straight", 5}, {"manhattan", 7}};
    for (size_t i = 0; i < 2; i++) {
        char link[256];
        snprintf(link, sizeof link,
                 "delay_cycles: 0, layout: {name: grid, pitch: 3 m, row_pitch: 4 m, metric: %s}",
                 rows[i].metric);
        vef_netmodel *model = build("router", "{family: king-mesh, sizes: [3, 3]}", link);
        assert_int_equal(time_alone(model, 0, 4), 3 + 5 * rows[i].length + PHITS);
        assert_int_equal(time_alone(model, 0, 1), 3 + 15 + PHITS);
        assert_int_equal(time_alone(model, 0, 3), 3 + 20 + PHITS);
        vef_netmodel_destroy(model);
    }
}

/* The length of a file's link goes before that of its class, that before the layout, and that
 * before link.length. */
static void order_of_lengths(void **state) {
    (void)state;
    vef_netmodel *model =
        build("router", "{family: mesh, sizes: [3, 3]}",
              "delay_cycles: 0, length: 50 m, classes: {y: {length: 8 m}}, layout: {name: grid, "
              "pitch: 3 m}");
    assert_int_equal(time_alone(model, 0, 1), 3 + 15 + PHITS);
    assert_int_equal(time_alone(model, 0, 3), 3 + 40 + PHITS);
    vef_netmodel_destroy(model);
    static const char file[] = "0 1 6 m\n1 2 7 m 30 ns\n2 3\n";
    char topology[sizeof own_file_path + 32];
    own_file_write(file, sizeof file - 1);
    snprintf(topology, sizeof topology, "{family: edges, file: '%s'}", own_file_path);
    model = build("router", topology, "delay_cycles: 2, length: 50 m");
    assert_int_equal(time_alone(model, 0, 1), 3 + 2 + 30 + PHITS);
    assert_int_equal(time_alone(model, 1, 2), 3 + 30 + 35 + PHITS);
    assert_int_equal(time_alone(model, 2, 3), 3 + 2 + 250 + PHITS);
    vef_netmodel_destroy(model);
}

/* ---- cables ---- */

/* In a grid of 4 routers 2 m apart the wrap has 6 m. A link of half the bandwidth takes 2 cycles
 * for a phit: 1 more for the first, and 1 for each other one. */
static void cables_by_length(void **state) {
    (void)state;
    static const struct {
        const char *cables;
        uint64_t near_one, far_one; /* delays, without those of the length */
        uint64_t far_bandwidth;
    } rows[] = {
        {"[{up_to: 2 m}, {delay: 60 ns}]", 1, 60, 8},
        {"[{up_to: 199 cm}, {delay: 60 ns}]", 60, 60, 8},
        {"[{up_to: 2 m, delay: 9 ns}, {up_to: 5 m, delay: 60 ns}]", 9, 1, 8},
        {"[{up_to: 1 m, delay: 8 ns}, {up_to: 6 m, delay: 60 ns}, {delay: 70 ns}]", 60, 60, 8},
        {"[{up_to: 3 m}, {delay: 60 ns, bandwidth: 4 Gbit/s}]", 1, 60, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char link[256];
        snprintf(link, sizeof link, "layout: {name: grid, pitch: 2 m}, cables: %s", rows[i].cables);
        vef_netmodel *model = build("router", "{family: torus, sizes: [4]}", link);
        const bool slow = rows[i].far_bandwidth == 4;
        assert_int_equal(time_alone(model, 0, 1), 3 + rows[i].near_one + 10 + PHITS);
        assert_int_equal(time_alone(model, 0, 3),
                         3 + rows[i].far_one + 30 + PHITS + (slow ? PHITS : 0));
        /* For the analysis. */
        for (uint32_t router = 0; router < 4; router++)
            for (uint32_t port = 0; port < 2; port++) {
                const uint32_t other = model->topology->neighbour[2 * router + port];
                const bool wrap = (router == 0 && other == 3) || (router == 3 && other == 0);
                assert_int_equal(model->topology->bandwidth_bits_per_s[2 * router + port],
                                 (wrap ? rows[i].far_bandwidth : 8) * UINT64_C(1000000000));
            }
        vef_netmodel_destroy(model);
    }
}

/* Classes of links give lengths where there is no layout, and cables take what they lack from the
 * class. */
static void cables_of_classes(void **state) {
    (void)state;
    vef_netmodel *model = build(
        "router", "{family: mesh, sizes: [3, 3]}",
        "classes: {x: {length: 1 m, delay_cycles: 4}, y: {length: 30 m, credit_delay: 2 ns}}, "
        "cables: [{up_to: 3 m}, {delay: 60 ns}]");
    assert_int_equal(time_alone(model, 0, 1), 3 + 4 + 5 + PHITS);
    assert_int_equal(time_alone(model, 0, 3), 3 + 60 + 150 + PHITS);
    assert_int_equal(model->timing.credit_delay_cycles.least, 5);
    assert_int_equal(model->timing.credit_delay_cycles.most, 2 + 150);
    vef_netmodel_destroy(model);
}

/* ---- networks with their own classes of links, whole and with failures ---- */

/* Links of a class, as the family's definition gives their number, and the length given to it. */
typedef struct class_of_links {
    const char *name;
    uint32_t links, metres;
} class_of_links;

enum { MOST_CLASSES = 4 };

static const struct {
    const char *topology;
    class_of_links classes[MOST_CLASSES];
} modern[] = {
    /* 9 groups of 4 routers; a link for each pair of groups. */
    {"{family: dragonfly, a: 4, h: 2}", {{"local", 9 * 6, 2}, {"global", 9 * 8 / 2, 30}}},
    /* 10 groups of 3 leaves and 3 spines. */
    {"{family: megafly, leaves: 3, h: 3}", {{"local", 10 * 9, 2}, {"global", 10 * 9 / 2, 40}}},
    {"{family: hyperx, sizes: [4, 3], weights: [1, 2]}", {{"x", 3 * 6, 1}, {"y", 4 * 3 * 2, 12}}},
    /* q = 5, d = 1: two halves of 5 groups, in which a router has (q - d) / 2 neighbours; each
     * router has q in the other half. */
    {"{family: slim-fly, q: 5}",
     {{"groups of half 0", 5 * 5, 3}, {"groups of half 1", 5 * 5, 4}, {"between halves", 125, 9}}},
    /* 4 x 2 leaves with 2 parents of 2 links each, and these 2 x 2 with 2 parents. */
    {"{family: xgft, m: [4, 4, 2], w: [1, 2, 2], links: [1, 2, 1]}",
     {{"level 1-2", 8 * 2 * 2, 3}, {"level 2-3", 4 * 2, 50}}},
    /* 5 groups of 4 x 2 routers; 8 global ports each. */
    {"{family: cascade, sizes: [4, 2], weights: [1, 3], h: 1, groups: 5}",
     {{"x", 5 * 2 * 6, 1}, {"y", 5 * 4 * 3, 3}, {"global", 5 * 8 / 2, 15}}},
};

static vef_netmodel *modern_network(size_t i, const char *failures) {
    char yaml[1024], classes[512];
    size_t used = 0;
    for (size_t c = 0; c < MOST_CLASSES && modern[i].classes[c].name; c++)
        used +=
            (size_t)snprintf(classes + used, sizeof classes - used, "%s'%s': {length: %u m}",
                             c ? ", " : "", modern[i].classes[c].name, modern[i].classes[c].metres);
    snprintf(yaml, sizeof yaml,
             "{topology: %s, failures: %s, routing: {algorithm: minimal-adaptive}, router: "
             "{delay_cycles: 3}, link: {bandwidth: 8 Gbit/s, phit: 1 B, classes: {%s}, cables: "
             "[{up_to: 5 m}, {delay: 60 ns, bandwidth: 4 Gbit/s}]}, packet: {mtu: 100 B, header: "
             "26 B}}",
             modern[i].topology, failures, classes);
    return network_of(yaml);
}

/* Fails unless every link has the delay of its class and cable: 5 cycles for a metre, and 1, or 60
 * and the second cycle of a phit over 5 m. `whole`: whether all links are there. */
static void check_links(const vef_netmodel *model, const class_of_links *classes, bool whole) {
    const vef_network *network = (const vef_network *)model;
    const vef_topology *topology = model->topology;
    uint32_t ends[MOST_CLASSES] = {0};
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t link = (size_t)router * topology->ports + port;
            char name[VEF_CLASS_NAME_BYTES];
            if (topology->neighbour[link] == VEF_NO_ROUTER)
                continue;
            const uint32_t class = vef_topology_link_class(topology, router, port);
            vef_topology_link_class_name(topology, class, name, sizeof name);
            assert_string_equal(name, classes[class].name);
            const uint32_t along = 5 * classes[class].metres;
            const bool optical = classes[class].metres > 5;
            const vef_link_rule *rule =
                vef_links_rule(&network->links.plan, topology, router, port);
            assert_int_equal(rule->hop_cycles, 3 + along + (optical ? 60 + 1 : 1));
            assert_int_equal(rule->credit_delay_cycles, along);
            assert_int_equal(rule->cycles_per_phit, optical ? 2 : 1);
            ends[class]++;
        }
    for (uint32_t c = 0; c < topology->link_classes; c++)
        if (whole)
            assert_int_equal(ends[c], 2 * classes[c].links);
        else
            assert_in_range(ends[c], 1, 2 * classes[c].links);
    /* The table of vef topology --resolved says the same. */
    for (size_t row = 0; row < model->timing.link_count; row++) {
        const vef_net_links *links = &model->timing.links[row];
        assert_int_equal(links->links, ends[links->link_class] / 2);
        assert_near(links->least_m, classes[links->link_class].metres, 0);
        assert_near(links->most_m, classes[links->link_class].metres, 0);
    }
    assert_int_equal(model->timing.packet_phits, 126);
    assert_int_equal(model->payload_bytes, 100);
}

static void classes_and_cables_of_modern_networks(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof modern / sizeof *modern; i++) {
        vef_netmodel *model = modern_network(i, "{}");
        check_links(model, modern[i].classes, true);
        vef_netmodel_destroy(model);
        model = modern_network(i, "{link_share: 0.1, router_count: 1, disconnected: redraw}");
        assert_non_null(model->topology->failures);
        check_links(model, modern[i].classes, false);
        vef_netmodel_destroy(model);
    }
}

/* Routers stay where they are when others are down: in a square of 4 columns, a link from number r
 * to number s has the length of their places, whatever the routers are called in what is left. */
static void layouts_with_failures(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{topology: {family: megafly, leaves: 2, h: 1}, failures: {routers: [0, 5]}, routing: "
        "{algorithm: minimal-adaptive}, link: {bandwidth: 8 Gbit/s, phit: 1 B, delay_cycles: 0, "
        "layout: {name: square, pitch: 1 m, metric: manhattan}}}");
    const vef_network *network = (const vef_network *)model;
    const vef_topology *topology = model->topology;
    assert_int_equal(topology->routers, 3 * 4 - 2);
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t other = topology->neighbour[router * topology->ports + port];
            if (other == VEF_NO_ROUTER)
                continue;
            const int32_t from = (int32_t)vef_topology_router_number(topology, router);
            const int32_t to = (int32_t)vef_topology_router_number(topology, other);
            const int32_t places = abs(from % 4 - to % 4) + abs(from / 4 - to / 4);
            assert_int_equal(
                vef_links_rule(&network->links.plan, topology, router, port)->hop_cycles,
                5 * places);
        }
    vef_netmodel_destroy(model);
}

static void resolved_reads_back(void **state) {
    (void)state;
    char *text = resolved_of(
        "{topology: {family: torus, sizes: [4, 6]}, link: {bandwidth: 8 Gbit/s, phit: 1 B, delay: "
        "2.5 ns, length: 2 m, delay_per_metre: 4.9 ns, layout: {name: folded, pitch: 60 cm, "
        "metric: "
        "manhattan}, classes: {y: {length: 3 m}}, cables: [{up_to: 1 m}, {up_to: 3 m, "
        "credit_delay: 7 ns}, {delay: 33.3 ns, bandwidth: 2 Gbit/s}]}}");
    /* The second and the third cable, in their order. */
    const char *rest = text;
    static const char *const keys[] = {"up_to: 3 m", "credit_delay_cycles: 7",
                                       "bandwidth: 2 Gbit/s", "delay_cycles: 34"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(rest = strstr(rest, keys[i]));
    /* 2.5 ns are 3 cycles, and so are 2.94 ns for 60 cm. */
    vef_netmodel *model = network_of(text);
    assert_int_equal(model->timing.link_delay_cycles.least, 3 + 3);
    vef_netmodel_destroy(model);
    free(text);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *topology, *link, *says;
    } rows[] = {
        {"{family: mesh, sizes: [4]}", "{length: 5}", "link: length: '5' has no unit"},
        {"{family: mesh, sizes: [4]}", "{length: 1001 km}", "from 0 m to 1000 km"},
        {"{family: mesh, sizes: [4]}", "{length: 1000 km, bandwidth: 8 Gbit/s, phit: 1 B}",
         "has a delay of 5000001 cycles"},
        {"{family: mesh, sizes: [4]}", "{layout: folded}", "link.layout: expected keys and values"},
        {"{family: mesh, sizes: [4]}", "{layout: {name: folded}}", "key 'pitch' is missing"},
        {"{family: mesh, sizes: [4]}", "{layout: {name: fold, pitch: 1 m}}",
         "net.yaml:2:23: unknown layout 'fold'"},
        {"{family: mesh, sizes: [4]}", "{layout: {name: trellis, pitch: 1 m}}",
         "net.yaml:2:16: layout trellis supports rectangular twisted tori"},
        {"{family: kary-ntree, k: 2, n: 3}", "{layout: {name: grid, pitch: 1 m}}",
         "expected for this kary-ntree of 12 routers one of: square"},
        {"{family: mesh, sizes: [4]}", "{cables: [{up_to: 3 m}]}",
         "net.yaml:2:16: link.cables: no link has a length"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: {up_to: 3 m}}",
         "expected a list of cables"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: []}", "expected a list of cables"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: [{}, {up_to: 4 m}]}",
         "the entry before this one has no up_to"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: [{up_to: 4 m}, {up_to: 4 m}]}",
         "net.yaml:2:52: link.cables: up_to: expected more than 4 m, that of the entry before"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: [{up_to: 0 m}]}",
         "up_to: expected more than 0 m"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: [{speed: 4 m}]}", "unknown key"},
        {"{family: mesh, sizes: [4]}", "{length: 3 m, cables: [{delay: 1 s}]}",
         "link.cables: delay: 1 s is"},
        {"{family: mesh, sizes: [4, 4]}",
         "{classes: {x: {length: 3 m}}, cables: [{bandwidth: 300 Mbit/s}]}",
         "expected a phit to need a whole number of cycles"},
        {"{family: edges, file: examples/networks/leaf-spine.txt}",
         "{length: 3 m, cables: [{delay: 3 ns}]}", "sets the attributes of its links"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "topology: %s\nlink: %s\n", rows[i].topology, rows[i].link);
        assert_network_refused(yaml, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(length_adds_to_the_delay),
        cmocka_unit_test(credits_take_the_cable_back),
        cmocka_unit_test(rings),
        cmocka_unit_test(metrics),
        cmocka_unit_test(order_of_lengths),
        cmocka_unit_test(cables_by_length),
        cmocka_unit_test(cables_of_classes),
        cmocka_unit_test(classes_and_cables_of_modern_networks),
        cmocka_unit_test(layouts_with_failures),
        cmocka_unit_test(resolved_reads_back),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
