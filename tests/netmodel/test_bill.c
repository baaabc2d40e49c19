/* Bills of networks: counts of switches, ports and cables against the closed forms of fat trees,
 * dragonflies and tori; lengths on floors that are small enough to draw; prices and power summed
 * here from the price list; that every key of the section `cost` changes a bill; what is refused.
 */
#include "netmodel/file/prices.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A price list that is easy to sum: at the default bandwidth of links, cables of whole metres. */
#define LIST                                                                                       \
    "cost: {bandwidth: 1 Gbit/s, switch: {price: 100, port_price: 10, power_w: 20, port_power_w: " \
    "2}, nic: {price: 7, power_w: 1}, copper: {price: 1, price_per_metre: 2, power_w: 0}, "        \
    "optical: {price: 50, price_per_metre: 3, power_w: 4}, floor: {lengths: [1]}}"

typedef struct billed {
    vef_arena arena;
    vef_topology *topology;
    vef_prices prices;
    vef_bill bill;
} billed;

static vef_code make(billed *made, const char *yaml, const char *const *sets, size_t count,
                     vef_error *error) {
    vef_node *root = NULL;
    uint64_t bandwidth = 0;
    *made = (billed){0};
    vef_code code = vef_netmodel_read(yaml, sets, count, &made->arena, &root, error);
    if (code == VEF_OK)
        code = vef_netmodel_create_topology(root, &made->topology, &bandwidth, error);
    if (code == VEF_OK)
        code =
            vef_prices_bill(root, made->topology, &made->arena, &made->prices, &made->bill, error);
    return code;
}

static void release(billed *made) {
    vef_bill_release(&made->bill);
    vef_topology_destroy(made->topology);
    vef_arena_release(&made->arena);
}

static billed bill_of(const char *yaml) {
    billed made;
    vef_error error = {0};
    if (make(&made, yaml, NULL, 0, &error) != VEF_OK)
        fail_msg("%s: %s", yaml, error.message);
    return made;
}

/* The cables of a class (NULL: of all), of a medium (AUTO: any) and a length (0: any). */
static uint64_t cables(const billed *made, const char *class, vef_medium medium, double length_m) {
    uint64_t sum = 0;
    for (size_t i = 0; i < made->bill.row_count; i++) {
        const vef_bill_row *row = &made->bill.rows[i];
        char name[VEF_CLASS_NAME_BYTES];
        vef_bill_class_name(made->topology, row->link_class, name, sizeof name);
        if ((!class || strcmp(class, name) == 0) && (!medium || medium == row->medium) &&
            (length_m <= 0 || fabs(length_m - row->length_m) < 1e-9))
            sum += row->cables;
    }
    return sum;
}

static void assert_sum(double value, double wanted) {
    if (fabs(value - wanted) > 1e-9 * fabs(wanted))
        fail_msg("%.12g instead of %.12g", value, wanted);
}

/* A fat tree of switches of k ports: 5k^2/4 switches, k^3/4 endpoints, as many links on each level.
 * All of it in one rack, with cables of 2 m: 1 + 2 x 2. */
static void test_fat_tree(void **state) {
    (void)state;
    billed made = bill_of("{topology: {family: xgft, m: [4, 4, 8], w: [1, 4, 4]}, " LIST "}");
    const int k = 8, switches = 5 * k * k / 4, endpoints = k * k * k / 4;
    assert_int_equal(made.bill.switches, switches);
    assert_int_equal(made.bill.endpoints, endpoints);
    assert_int_equal(made.bill.ports, switches * k);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 0), 3 * endpoints);
    assert_int_equal(cables(&made, "endpoint", VEF_MEDIUM_COPPER, 2), endpoints);
    release(&made);
    made = bill_of("{topology: {family: xgft, m: [4, 4, 8], w: [1, 4, 4]}, " LIST
                   ", link: {length: 2 m}}");
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_COPPER, 2), 3 * endpoints);
    assert_sum(made.bill.price, switches * (100 + 10 * k) + endpoints * 7 + 3 * endpoints * 5);
    assert_sum(made.bill.power_w, switches * (20 + 2 * k) + endpoints * 1);
    release(&made);
}

/* A balanced dragonfly, a = 2p = 2h: g = a h + 1 groups, a (a - 1) / 2 local cables in each, g (g -
 * 1) / 2 global ones. */
static void test_dragonfly(void **state) {
    (void)state;
    const int h = 2, p = h, a = 2 * h, g = a * h + 1;
    billed made = bill_of(
        "{topology: {family: dragonfly, a: 4, h: 2}, endpoints_per_router: 2, "
        "cost: {bandwidth: 1 Gbit/s, switch: {price: 100, port_price: 10}, nic: "
        "{price: 7}, copper: {price: 1, price_per_metre: 2}, optical: {price: "
        "50, price_per_metre: 3, power_w: 4}, floor: {lengths: [1]}, classes: "
        "{global: {length: 20 m}, local: {length: 1 m}}}}");
    assert_int_equal(made.bill.switches, a * g);
    assert_int_equal(made.bill.ports, a * g * (p + a - 1 + h));
    assert_int_equal(cables(&made, "local", VEF_MEDIUM_COPPER, 1), g * a * (a - 1) / 2);
    assert_int_equal(cables(&made, "global", VEF_MEDIUM_OPTICAL, 20), g * (g - 1) / 2);
    assert_int_equal(cables(&made, "endpoint", VEF_MEDIUM_COPPER, 2), p * a * g);
    assert_sum(made.bill.price, a * g * (100 + 10 * (p + a - 1 + h)) + p * a * g * 7 +
                                    g * a * (a - 1) / 2 * (1 + 2 * 1) +
                                    g * (g - 1) / 2 * (50 + 3 * 20) + p * a * g * (1 + 2 * 2));
    release(&made);
}

static void test_torus(void **state) {
    (void)state;
    billed made = bill_of("{topology: {family: torus, sizes: [4, 6, 8]}, " LIST "}");
    const int n = 4 * 6 * 8;
    assert_int_equal(made.bill.switches, n);
    assert_int_equal(made.bill.ports, 7 * n);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 0) -
                         cables(&made, "endpoint", VEF_MEDIUM_AUTO, 0),
                     3 * n);
    release(&made);
}

/* A ring of 8 folded is 0 7 1 6 2 5 3 4. In racks of two: 0-7 and 3-4 within, the others to the
 * next rack. */
static void test_racks_of_a_ring(void **state) {
    (void)state;
    billed made = bill_of(
        "{topology: {family: torus, sizes: [8]}, cost: {floor: {rack_endpoints: 2, rack_length: 1 "
        "m, pitch: 0.5 m, row_pitch: 90 m, slack: 3.5 m, lengths: [1]}}}");
    assert_int_equal(cables(&made, "x", VEF_MEDIUM_COPPER, 1), 2);
    assert_int_equal(cables(&made, "x", VEF_MEDIUM_OPTICAL, 4), 6);
    assert_int_equal(cables(&made, "endpoint", VEF_MEDIUM_COPPER, 1), 8);
    release(&made);
}

/* Any graph: by number. A complete graph of 9 routers in racks of one on a floor of 3 x 3, pitch 1
 * m and row pitch 10 m: 9 pairs in a row (6 neighbours, 3 two apart), as many in a column, and of
 * the 18 others, by rows and columns apart, 8 of 1 and 1, 4 of 1 and 2, 4 of 2 and 1, 2 of 2 and
 * 2. */
static void test_racks_by_number(void **state) {
    (void)state;
    static const struct {
        double length_m;
        uint64_t links;
    } wanted[] = {{1, 6}, {2, 3}, {10, 6}, {20, 3}, {11, 8}, {12, 4}, {21, 4}, {22, 2}};
    billed made = bill_of(
        "{topology: {family: complete, routers: 9}, cost: {floor: "
        "{rack_endpoints: 1, pitch: 1 m, row_pitch: 10 m, slack: 0 m, lengths: "
        "[1]}}}");
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const uint64_t ends = wanted[i].length_m < 3 && wanted[i].length_m > 1 ? 9 : 0;
        assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, wanted[i].length_m),
                         wanted[i].links + ends);
        sum += wanted[i].links;
    }
    assert_int_equal(sum, 36);
    /* Three in a rack: 9 links within, 9 between each two of the three racks, which lie in two
     * rows: 0 and 1 beside each other, 2 below 0. */
    release(&made);
    made = bill_of(
        "{topology: {family: complete, routers: 9}, cost: {floor: {rack_endpoints: 3, "
        "rack_length: 3 m, pitch: 5 m, row_pitch: 10 m, slack: 0 m, lengths: [1]}}}");
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 3), 9 + 9);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 5), 9);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 10), 9);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 15), 9);
    release(&made);
}

/* A single switch has cables to its endpoints alone. */
static void test_single_switch(void **state) {
    (void)state;
    billed made = bill_of("{topology: {family: star, endpoints: 16}, " LIST "}");
    assert_int_equal(made.bill.switches, 1);
    assert_int_equal(made.bill.ports, 16);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 0), 16);
    assert_sum(made.bill.price, 100 + 16 * 10 + 16 * 7 + 16 * 5);
    release(&made);
}

/* Lengths are those that are sold, and beyond the last its multiples. */
static void test_lengths(void **state) {
    (void)state;
    static const char *const given[] = {"0.3 m", "1 m", "1.1 m", "99 m", "101 m", "250 m"};
    static const double sold[] = {1, 1, 2, 100, 200, 300};
    for (size_t i = 0; i < sizeof sold / sizeof *sold; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{topology: {family: torus, sizes: [4]}, link: {length: %s}}",
                 given[i]);
        billed made = bill_of(yaml);
        assert_int_equal(
            cables(&made, "x", sold[i] > 3 ? VEF_MEDIUM_OPTICAL : VEF_MEDIUM_COPPER, sold[i]), 4);
        release(&made);
    }
}

/* The order of lengths: class of the price list, then the network's own, then the floor. */
static void test_lengths_of_the_network(void **state) {
    (void)state;
    billed made = bill_of(
        "{topology: {family: torus, sizes: [4, 4]}, link: {classes: {x: {length: "
        "7 m}}, layout: {name: folded, pitch: 1 m, slack: 1 m}}, cost: {floor: "
        "{lengths: [1]}}}");
    assert_int_equal(cables(&made, "x", VEF_MEDIUM_OPTICAL, 7), 16);
    /* Folded rings of 4: two links of 2 places, two of 1. */
    assert_int_equal(cables(&made, "y", VEF_MEDIUM_COPPER, 3), 8);
    assert_int_equal(cables(&made, "y", VEF_MEDIUM_COPPER, 2), 8);
    release(&made);
    made = bill_of(
        "{topology: {family: torus, sizes: [4, 4]}, link: {classes: {x: {length: 7 m}}}, "
        "cost: {classes: {x: {length: 2 m, medium: optical}, y: {medium: board}}}}");
    assert_int_equal(cables(&made, "x", VEF_MEDIUM_OPTICAL, 2), 16);
    assert_int_equal(cables(&made, "y", VEF_MEDIUM_BOARD, 0), 16);
    assert_sum(made.bill.rows[1].price, 0); /* no cable */
    release(&made);
}

/* Slim Fly for q = 5: 50 routers of degree 7; its routers have 350.4 k - 892.3 $ (k ports) and 2.8
 * W for each port, copper 40 (0.5771 + 0.4079 x) $. */
static void test_slim_fly(void **state) {
    (void)state;
    const int p = 4, k = 7 + p;
    billed made = bill_of(
        "{topology: {family: slim-fly, q: 5}, endpoints_per_router: 4, link: "
        "{bandwidth: 40 Gbit/s, length: 1 m}, cost: {nic: {price: 0, power_w: "
        "0}, classes: {endpoint: {medium: board}}}}");
    assert_sum(made.bill.switch_price, 50 * (350.4 * k - 892.3));
    assert_sum(made.bill.price, 50 * (350.4 * k - 892.3) + 50 * 7 / 2 * 40 * (0.5771 + 0.4079));
    assert_sum(made.bill.power_w, 50 * k * 2.8);
    release(&made);
    made = bill_of(
        "{topology: {family: slim-fly, q: 5}, endpoints_per_router: 4, link: "
        "{bandwidth: 40 Gbit/s, length: 20 m}, cost: {nic: {price: 0, power_w: 0}, "
        "classes: {endpoint: {medium: board}}}}");
    assert_sum(made.bill.price,
               50 * (350.4 * k - 892.3) + 50 * 7 / 2 * 40 * (7.2745 + 0.0919 * 20));
    release(&made);
}

/* Prices and power follow the bandwidth of each link, those of switches their fastest. */
static void test_bandwidths(void **state) {
    (void)state;
    billed one = bill_of("{topology: {family: torus, sizes: [4, 4]}, " LIST "}");
    billed four = bill_of(
        "{topology: {family: torus, sizes: [4, 4]}, link: {bandwidth: 4 Gbit/s}, " LIST "}");
    assert_sum(four.bill.price, 4 * one.bill.price);
    assert_sum(four.bill.power_w, 4 * one.bill.power_w);
    release(&four);
    const char *const sets[] = {"link.bandwidth=4 Gbit/s", "cost.price_exponent=0.5",
                                "cost.power_exponent=0"};
    vef_error error;
    assert_int_equal(
        make(&four, "{topology: {family: torus, sizes: [4, 4]}, " LIST "}", sets, 3, &error),
        VEF_OK);
    assert_sum(four.bill.price, 2 * one.bill.price);
    assert_sum(four.bill.power_w, one.bill.power_w);
    release(&four);
    /* x twice as fast: the fixed part and two of the five ports double, and half of the links. */
    four = bill_of(
        "{topology: {family: torus, sizes: [4, 4]}, link: {classes: {x: {bandwidth: 2 "
        "Gbit/s}}}, " LIST "}");
    assert_sum(four.bill.switch_price, 16 * (2 * 100 + (2 * 2 + 3) * 10));
    assert_sum(four.bill.price, four.bill.switch_price + 16 * 7 + 16 * 5 * (2 + 1 + 1));
    assert_sum(four.bill.power_w, 16 * (2 * 20 + (2 * 2 + 3) * 2 + 1));
    release(&four);
    release(&one);
}

/* Switches of a fixed number of ports cost all of these; cheap ones never less than nothing. */
static void test_switches(void **state) {
    (void)state;
    billed made = bill_of(
        "{topology: {family: mesh, sizes: [2, 2]}, cost: {bandwidth: 1 Gbit/s, "
        "switch: {price: 100, port_price: 10, ports: 36}}}");
    assert_int_equal(made.bill.ports, 4 * 36);
    assert_sum(made.bill.switch_price, 4 * 460);
    release(&made);
    made = bill_of(
        "{topology: {family: mesh, sizes: [2, 2]}, cost: {switch: {price: -100, "
        "port_price: 10}}}");
    assert_sum(made.bill.switch_price, 0);
    release(&made);
}

/* What fails was bought. */
static void test_failures(void **state) {
    (void)state;
    billed whole = bill_of("{topology: {family: torus, sizes: [4, 4]}, " LIST "}");
    billed made = bill_of(
        "{topology: {family: torus, sizes: [4, 4]}, failures: {routers: [3], "
        "links: [[0, 1]]}, " LIST "}");
    assert_int_equal(made.bill.endpoints, 16);
    assert_sum(made.bill.price, whole.bill.price);
    release(&made);
    release(&whole);
}

/* ---- keys ---- */

static bool same_bill(const billed *a, const billed *b) {
    bool same = a->bill.row_count == b->bill.row_count &&
                strcmp(a->prices.currency, b->prices.currency) == 0 &&
                fabs(a->bill.price - b->bill.price) < 1e-9 &&
                fabs(a->bill.power_w - b->bill.power_w) < 1e-9;
    for (size_t i = 0; same && i < a->bill.row_count; i++)
        same = a->bill.rows[i].medium == b->bill.rows[i].medium &&
               fabs(a->bill.rows[i].length_m - b->bill.rows[i].length_m) < 1e-9;
    return same;
}

static size_t check_keys(const char *yaml, const char *prefix, const vef_param *schema) {
    const billed usual = bill_of(yaml);
    size_t keys = 0;
    for (const vef_param *row = schema; row->key; row++) {
        char set[128];
        const char *value = row->kind == VEF_PARAM_REAL        ? "3.5"
                            : row->kind == VEF_PARAM_COUNT     ? "16"
                            : row->kind == VEF_PARAM_BANDWIDTH ? "3 Gbit/s"
                            : row->kind == VEF_PARAM_LENGTH    ? "9 m"
                            : row->kind == VEF_PARAM_INT_LIST  ? "[1, 70]"
                                                               : "grid";
        if (row->kind == VEF_PARAM_SECTION) {
            snprintf(set, sizeof set, "%s%s.", prefix, row->key);
            if (row->section)
                keys += check_keys(yaml, set, row->section);
            continue;
        }
        snprintf(set, sizeof set, "%s%s=%s", prefix, row->key, value);
        billed made;
        vef_error error = {0};
        const char *const sets[] = {set};
        if (make(&made, yaml, sets, 1, &error) != VEF_OK)
            fail_msg("%s: %s", set, error.message);
        if (same_bill(&usual, &made))
            fail_msg("%s changes nothing", set);
        release(&made);
        keys++;
    }
    release(&(billed){usual.arena, usual.topology, usual.prices, usual.bill});
    return keys;
}

static void test_keys(void **state) {
    (void)state;
    /* Two racks and both media; the fixed part of switches is not negative. */
    const size_t keys = check_keys(
        "{topology: {family: torus, sizes: [24, 24]}, cost: {switch: "
        "{price: 1}}}",
        "cost.", vef_cost_schema);
    assert_int_equal(keys, 4 + 5 + 2 + 4 + 3 + 7);
}

/* ---- what is refused ---- */

static void refused(const char *yaml, const char *says) {
    billed made;
    vef_error error = {0};
    assert_int_not_equal(make(&made, yaml, NULL, 0, &error), VEF_OK);
    if (!strstr(error.message, says))
        fail_msg("%s: '%s' instead of '%s'", yaml, error.message, says);
    release(&made);
}

static void test_refused(void **state) {
    (void)state;
#define TORUS "{topology: {family: torus, sizes: [4, 4]}, cost: "
    refused(TORUS "{switchs: {}}}", "did you mean switch?");
    refused(TORUS "{switch: {ports: 4}}}",
            "router (0, 0) needs 5 ports, with those of its endpoints");
    refused(TORUS "{nic: {price: -1}}}", "price");
    refused(TORUS "{classes: {w: {medium: copper}}}}", "expected one of x, y, endpoint");
    refused(TORUS "{classes: [x]}}", "expected a mapping from classes of links");
    refused(TORUS "{classes: {x: {medium: wood}}}}", "auto, copper, optical, board");
    refused(TORUS "{floor: {layout: trellis}}}", "rectangular twisted tori");
    refused(TORUS "{floor: {layout: circle}}}", "unknown layout 'circle'");
    refused(TORUS "{floor: {lengths: [5, 2]}}}", "ascending");
    refused(TORUS "{floor: {lengths: []}}}", "ascending");
}

/* Two planes of a switch for three nodes of four accelerators with two interfaces: twelve ports of
 * interfaces at 7 for 1 Gbit/s, at twice the bandwidth; accelerators have no cable. A domain of
 * rail-only has an interface for each accelerator. */
static void test_nodes(void **state) {
    (void)state;
    billed made = bill_of("{topology: {family: nodes, accelerators: 4, nics: 2, planes: 2, of: "
                          "{family: star, endpoints: 6}}, link: {bandwidth: 8 Gbit/s, classes: "
                          "{node: {bandwidth: 2 Gbit/s}}}, " LIST "}");
    assert_sum(made.bill.nic_price, 12 * 7 * 2);
    assert_int_equal(cables(&made, NULL, VEF_MEDIUM_AUTO, 0), 12);
    assert_int_equal(made.bill.switches, 2);
    release(&made);
    made = bill_of("{topology: {family: rail-only, rails: 4, domains: 3}, " LIST "}");
    assert_sum(made.bill.nic_price, 12 * 7);
    release(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fat_tree),
        cmocka_unit_test(test_dragonfly),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_racks_of_a_ring),
        cmocka_unit_test(test_racks_by_number),
        cmocka_unit_test(test_single_switch),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_lengths_of_the_network),
        cmocka_unit_test(test_slim_fly),
        cmocka_unit_test(test_bandwidths),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
