/* Every key of a network file, as the schemas list them: a value within its bounds changes when
 * messages arrive, or the network is refused. So no key is ignored. Sections of other rooms (mpi,
 * host, plugins) are not the concern of a network. */
#include "netmodel/file/cables.h"
#include "netmodel/file/configuration.h"
#include "netmodel/flow/flow.h"
#include "netmodel/router/core/network.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 500, MOST_BYTES = 300, MOST_VALUES = 12, TEXT_BYTES = 2048 };

/* What a key needs to have an effect: assignments to the network, and values other than those that
 * follow from its kind. The first entry whose key begins that of the schema counts. */
typedef struct need {
    const char *key;
    const char *with;   /* assignments, separated by `;` */
    const char *values; /* likewise; NULL: from its kind */
    const char *form;   /* how key and value are assigned, with two %s; NULL: as its section */
} need;

/* For policies of rates: marks, and steps up and down, all the time. */
#define LIVELY                                                                                     \
    "topology={family: torus, sizes: [4]};"                                                        \
    "congestion.queue_share=0.1;"                                                                  \
    "congestion.most_share=0.3;"                                                                   \
    "congestion.most_marks=0.9;"                                                                   \
    "congestion.gain=0.3;"                                                                         \
    "congestion.notice_cycles=20;"                                                                 \
    "congestion.increase_time_cycles=40;"                                                          \
    "congestion.alpha_time_cycles=90;"                                                             \
    "congestion.increase_share=0.05;"                                                              \
    "congestion.recovery_steps=1;"                                                                 \
    "congestion.increase_bytes=100 B"

/* clang-format off */
static const need needs[] = {
    {"model", "", "flow", NULL},
    {"endpoints_per_router", "", "2", NULL},
    {"rails", "", "2;4", NULL},
    {"pods", "rails=2", "2", NULL},
    {"endpoint_order", "", "[1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]", NULL},
    {"failures.links", "", "[[0, 1]]", NULL},
    {"failures.routers", "", "[3]", NULL},
    {"failures.seed", "failures.link_count=2", NULL, NULL},
    {"failures.disconnected", "failures.links=[[0, 1], [0, 3], [0, 4], [0, 12]]", "drop", NULL},
    {"router.injection_queue", "", NULL, NULL},
    {"router.injection", "router.injection_queues=4", "dimension-order", NULL},
    {"router.arbiter", "", "fifo", NULL},
    {"router.iterations", "router.arbiter=islip;router.injection_queues=4", NULL, NULL},
    {"router.backpressure", "router.flow_control=virtual-channels", NULL, NULL},
    {"router.pause", "router.flow_control=virtual-channels;router.backpressure=pause", "3;5", NULL},
    {"router.buffer.unit_phits", "router.flow_control=virtual-channels", NULL, NULL},
    {"router.buffer", "", "100;2000", NULL},
    {"link.clock", "", "8 MHz", NULL},
    {"link.delay_per_metre", "link.length=100 m", NULL, NULL},
    {"link.layout.name", "link.layout={name: grid, pitch: 100 m}", "folded", NULL},
    {"link.layout.metric", "topology={family: king-torus, sizes: [4, 4]};link.layout={name: grid, pitch: 100 m}", NULL, NULL},
    {"link.layout", "link.layout={name: grid, pitch: 100 m}", NULL, NULL},
    {"packet.mtu", "", "20 B", NULL},
    {"flow.paths", "model=flow", NULL, NULL},
    {"link.burst", "model=flow", "1 KiB", NULL},
    {"flow", "model=flow", NULL, NULL},
    {"cables.up_to", "link.cables=[{up_to: 110 m, delay_cycles: 30}, {}]", "130 m", "link.cables=[{%s: %s, delay_cycles: 30}, {}]"},
    {"ecn.queue_share", "congestion.window_packets=2", "0", NULL},
    {"ecn.window", "", NULL, NULL},
    {"dcqcn.gain", LIVELY, NULL, NULL},
    {"dcqcn.least_share", LIVELY, "0.8", NULL},
    {"dcqcn.increase_share", LIVELY, NULL, NULL},
    {"dcqcn.hyper_share", LIVELY, "0.5", NULL},
    {"dcqcn.recovery_steps", LIVELY, NULL, NULL},
    {"dcqcn.alpha_time_cycles", LIVELY, NULL, NULL},
    {"dcqcn.alpha_time", LIVELY, "1 us", NULL},
    {"dcqcn.notice_cycles", LIVELY, NULL, NULL},
    {"dcqcn.notice", LIVELY, "9 us", NULL},
    {"ecn.ack", "congestion.window_packets=1", NULL, NULL},
    {"ecn.increase", "topology={family: torus, sizes: [4]};congestion.queue_share=0.3;congestion.decrease=0.1;congestion.window_packets=4", NULL, NULL},
    {"ecn", "congestion.queue_share=0;congestion.decrease=0.1;congestion.window_packets=2", NULL, NULL},
    {"window.ack", "congestion.window_packets=1", NULL, NULL},
    {"router.reduction", "topology={family: star, endpoints: 4}", NULL, NULL},
    {"topology lattice.shifts", "", "[[], [2]]", NULL},
    {"topology lattice.generators", "topology.shifts=[]", "[[1, 0], [0, 1], [1, 1]]", NULL},
    {"topology lattice.wrap", "topology.shifts=[]", "[1, 0]", NULL},
    {"topology twin-torus.card0", "", "[x+, y+, z+];[x+, x-, y+]", NULL},
    {"topology kary-ntree.alpha", "topology.inner_links=1", "[[0, 2, 4, 6]];[[0, 1, 2, 4]]", NULL},
    {"topology xgft.links", "", "[1, 2]", NULL},
    {"topology edges.file", "", "examples/networks/leaf-spine.txt", NULL},
    {"topology dragonfly.endpoints", "", "3", NULL},
    {"topology megafly.endpoints", "", "3", NULL},
    {"topology hyperx.endpoints", "", "3", NULL},
    {"topology cascade.endpoints", "", "3", NULL},
    {"topology hyperx.weights", "", "[2, 1]", NULL},
    {"topology hammingmesh.spines", "topology.leaf_boards=2", "2", NULL},
    {"topology hammingmesh.links", "topology.leaf_boards=2", "1", NULL},
    {"topology planes.nodes_per_router", "", "2", NULL},
    {"topology nodes.pods", "topology.of={family: torus, sizes: [4, 4]}", "2", NULL},
    {"routing planes.nic", "topology={family: nodes, accelerators: 4, of: {family: torus, sizes: [4, 4]}}", NULL, NULL},
    {"topology rail-only.spines", "topology.leaf_domains=2", "2", NULL},
    {"topology rdt.upper_tori", "topology.assignment=[]", "2", NULL},
    {"topology rdt.assignment", "", "[[2, 1], [1, 2]]", NULL},
    {"routing eknaive.share", "", "[1, 3]", NULL},
    {"routing dort.unsafe", "routing.inner_channels=1", NULL, NULL},
    {"routing minimal-adaptive.root", "", "3;5", NULL},
    {"routing polarized-adaptive.root", "", "3;5", NULL},
    {"routing up-down.root", "", "3;5", NULL},
    {"routing valiant.intermediate", "topology={family: dragonfly, a: 4, h: 2}", "router", NULL},
    {"routing ugal.intermediate", "topology={family: dragonfly, a: 4, h: 2}", "router", NULL},
    {"routing ugal-l.intermediate", "topology={family: dragonfly, a: 4, h: 2}", "router", NULL},
    {"routing ugal-g.intermediate", "topology={family: dragonfly, a: 4, h: 2}", "router", NULL},
    {"routing dort.inner_channels", "", "6", NULL},
    {"routing minimal.channels", "", "9", NULL},
    {"routing polarized.channels", "", "20", NULL},
    {"routing dort-adaptive.low_places", "topology.sizes=[4, 4, 4];routing.selection=round-robin;link.classes={inner: {delay_cycles: 200}};packet.header=56 B", NULL, NULL},
};
/* clang-format on */

/* ---- results ---- */

static uint64_t mix(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (hash ^ bits) * UINT64_C(0x100000001b3);
}

/* How many groups a network takes. */
static uint32_t count_groups(vef_netmodel *model) {
    static const uint32_t members[] = {0, 1};
    uint32_t groups = 0, number;
    vef_error error = {0};
    while (groups < 40 && !vef_netmodel_add_group(model, members, 2, true, &number, &error))
        groups++;
    return groups;
}

/* The network of a file after assignments, reduced to its endpoints, traffic classes, groups and
 * virtual channels, when messages arrive, in ns, and how long packets were in it. False: it is
 * refused. */
static bool result_of(const char *yaml, const char *assignments, uint64_t *result) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_error error = {0};
    vef_netmodel *model = NULL;
    char text[TEXT_BYTES], *rest = text;
    snprintf(text, sizeof text, "%s", assignments);
    vef_code code = vef_config_parse(yaml, "net.yaml", &arena, &root, &error);
    for (char *one; code == VEF_OK && (one = strsep(&rest, ";"));)
        if (*one)
            code = vef_config_set(root, one, &arena, &error);
    assert_int_equal(code, VEF_OK);
    code = vef_netmodel_create(root, &model, &error);
    if (code == VEF_OK) {
        const traffic given = {
            .messages = MESSAGES, .most_bytes = MOST_BYTES, .spread_cycles = 200, .seed = 7};
        uint64_t *times = run_random(model, &given);
        const double unit = model->exact ? 1e-3 : model->timing.cycle_ns;
        vef_net_counts counts;
        model->kind->counts(model, &counts);
        *result = mix(model->endpoints, (double)counts.latency_cycles);
        *result = mix(*result, model->traffic_classes);
        *result = mix(*result, count_groups(model));
        *result = mix(*result, model->exact ? 0 : ((vef_network *)model)->shape.channels);
        for (int i = 0; i < MESSAGES; i++)
            *result = mix(*result, (double)times[i] * unit);
        free(times);
        vef_netmodel_destroy(model);
    } else {
        assert_true(error.message[0] != '\0');
    }
    vef_arena_release(&arena);
    return code == VEF_OK;
}

/* ---- values of a key ---- */

typedef struct values {
    char text[MOST_VALUES][96];
    int count;
} values;

static void add(values *list, const char *format, double number) {
    if (list->count < MOST_VALUES)
        snprintf(list->text[list->count++], sizeof *list->text, format, number);
}

static void add_number(values *list, const vef_param *row, const char *format, double number) {
    const bool bounded = row->minimum != 0 || row->maximum != 0;
    if (!bounded || (number >= row->minimum && number <= row->maximum))
        add(list, format, number);
}

static void add_numbers(values *list, const vef_param *row, double now) {
    static const double factors[] = {2, 0.5, 3, 0.25};
    const bool whole = row->kind != VEF_PARAM_REAL;
    add_number(list, row, "%.9g", whole ? now + 1 : now + 0.1);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        add_number(list, row, "%.9g", whole ? round(now * factors[i]) : now * factors[i]);
    add_number(list, row, "%.9g", row->minimum);
    add_number(list, row, "%.9g", whole ? now - 1 : now - 0.1);
}

/* A list of integers with one of them greater by 1. */
static void add_lists(values *list, const vef_node *now) {
    for (size_t changed = 0; now && changed < now->count && list->count < MOST_VALUES; changed++) {
        char *text = list->text[list->count++];
        size_t used = 0;
        for (size_t i = 0; i < now->count && now->items[i]->kind == VEF_NODE_SCALAR; i++)
            used += (size_t)snprintf(text + used, sizeof *list->text - used, "%s%d", i ? ", " : "[",
                                     atoi(now->items[i]->scalar) + (i == changed));
        snprintf(text + used, sizeof *list->text - used, "]");
    }
}

/* Values of a kind that differ from the present one (NULL: none is given), which may be one of
 * them.
 */
static void list_values(const vef_param *row, const char *now, values *list) {
    switch (row->kind) {
    case VEF_PARAM_INT:
    case VEF_PARAM_COUNT:
    case VEF_PARAM_UINT:
    case VEF_PARAM_REAL:
        add_numbers(list, row, now ? atof(now) : 1);
        break;
    case VEF_PARAM_BOOL:
        add(list, now && strcmp(now, "true") == 0 ? "false" : "true", 0);
        break;
    case VEF_PARAM_CHOICE:
        for (int i = 0; row->choices[i]; i++)
            if (!now || strcmp(now, row->choices[i]) != 0)
                add(list, row->choices[i], 0);
        break;
    case VEF_PARAM_BYTES:
        add(list, "8 B", 0);
        add(list, "64 B", 0);
        break;
    case VEF_PARAM_BANDWIDTH:
        add(list, "500 Mbit/s", 0);
        break;
    case VEF_PARAM_TIME:
        add(list, "300 ns", 0);
        break;
    case VEF_PARAM_LENGTH:
        add(list, "150 m", 0);
        break;
    default:
        break;
    }
}

static const need *need_of(const char *key) {
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strncmp(needs[i].key, key, strlen(needs[i].key)) == 0)
            return &needs[i];
    return NULL;
}

/* ---- keys ---- */

static uint32_t ignored; /* keys */

/* Counts a key as ignored unless one of the values changes the result, or all are refused. `form`
 * is the assignment of a value (%s). */
static void check_key(const char *yaml, const char *key, const char *form, const char *with,
                      const values *list) {
    uint64_t before = 0, after = 0;
    const bool was_built = result_of(yaml, with, &before);
    int accepted = 0;
    for (int i = 0; i < list->count; i++) {
        char set[TEXT_BYTES], both_keys[2 * TEXT_BYTES];
        snprintf(set, sizeof set, form, list->text[i]);
        snprintf(both_keys, sizeof both_keys, "%s;%s", with, set);
        const bool built = result_of(yaml, both_keys, &after);
        accepted += built;
        if (built && (!was_built || after != before))
            return;
    }
    if (accepted == 0 && list->count > 0 && was_built)
        return;
    print_error("%s: no value changes the result with '%s' (%d tried, %d accepted)\n", key, with,
                list->count, accepted);
    ignored++;
}

/* All keys of a schema. `form`: how a key and its value are assigned, with two %s; `section`: the
 * name of the section in keys of `needs`; `extra`: assignments that the section needs. `given`: the
 * present values; may be NULL. */
static void check_schema(const char *yaml, const char *section, const char *form, const char *extra,
                         const vef_param *schema, const vef_node *given) {
    for (const vef_param *row = schema; row->key; row++) {
        char key[256], with[TEXT_BYTES], assign[TEXT_BYTES];
        snprintf(key, sizeof key, "%s%s%s", section, *section ? "." : "", row->key);
        if (row->kind == VEF_PARAM_SECTION) {
            snprintf(assign, sizeof assign, "%s.%%s=%%s", key);
            if (row->section)
                check_schema(yaml, key, assign, extra, row->section, NULL);
            continue;
        }
        const need *of_key = need_of(key);
        const vef_node *node = vef_node_get(given, row->key);
        values list = {0};
        if (of_key && of_key->values) {
            char text[TEXT_BYTES], *rest = text;
            snprintf(text, sizeof text, "%s", of_key->values);
            for (char *one; (one = strsep(&rest, ";"));)
                snprintf(list.text[list.count++], sizeof *list.text, "%s", one);
        } else {
            list_values(row, node ? node->scalar : row->fallback, &list);
            if (row->kind == VEF_PARAM_INT_LIST)
                add_lists(&list, node);
        }
        if (row->kind == VEF_PARAM_CHOICE && list.count == 0)
            continue; /* it has one value only */
        snprintf(with, sizeof with, "%s;%s", extra, of_key ? of_key->with : "");
        snprintf(assign, sizeof assign, of_key && of_key->form ? of_key->form : form, row->key,
                 "%s");
        check_key(yaml, key, assign, with, &list);
    }
}

static const char torus[] =
    "{topology: {family: torus, sizes: [4, 4]}, packet: {phits: 8}, link: {bandwidth: 1 Gbit/s}}";

static void test_keys_of_networks(void **state) {
    (void)state;
    check_schema(torus, "", "%s=%s", "", vef_network_schema, NULL);
    check_schema(torus, "flow", "flow.%s=%s", "", vef_flow_schema, NULL);
    check_schema(torus, "link.layout", "link.layout.%s=%s", "", vef_link_layout_schema, NULL);
    assert_int_equal(ignored, 0);
}

static void test_keys_of_cables_and_classes(void **state) {
    (void)state;
    check_schema(torus, "cables", "link.cables=[{up_to: 1 m}, {%s: %s}]", "link.length=120 m",
                 vef_cable_schema, NULL);
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4]}", 1);
    char name[VEF_CLASS_NAME_BYTES], form[TEXT_BYTES];
    vef_topology_link_class_name(topology, 0, name, sizeof name);
    vef_topology_destroy(topology);
    snprintf(form, sizeof form, "link.classes={'%s': {%%s: %%s}}", name);
    check_schema(torus, "classes", form, "", vef_link_class_schema, NULL);
    assert_int_equal(ignored, 0);
}

static void test_keys_of_congestion(void **state) {
    (void)state;
    for (size_t i = 0; vef_congestion_policies[i]; i++) {
        char extra[128];
        snprintf(extra, sizeof extra, "congestion={policy: %s}", vef_congestion_policies[i]->name);
        check_schema(torus, vef_congestion_policies[i]->name, "congestion.%s=%s", extra,
                     vef_congestion_policies[i]->schema, NULL);
    }
    assert_int_equal(ignored, 0);
}

static void test_keys_of_topologies(void **state) {
    (void)state;
    for (size_t i = 0; vef_topology_families[i]; i++) {
        const vef_topology_family *family = vef_topology_families[i];
        char yaml[TEXT_BYTES], section[64];
        assert_null(vef_schema_lacks(family->schema, family->parameter_bytes));
        snprintf(yaml, sizeof yaml, "{topology: {family: %s, %s}", family->name,
                 family->samples[0] + 1);
        snprintf(section, sizeof section, "topology %s", family->name);
        vef_arena arena = {0};
        vef_node *root = NULL;
        vef_error error;
        assert_int_equal(vef_config_parse(yaml, "net.yaml", &arena, &root, &error), VEF_OK);
        check_schema(yaml, section, "topology.%s=%s", "", family->schema,
                     vef_node_get(root, "topology"));
        vef_arena_release(&arena);
    }
    assert_int_equal(ignored, 0);
}

/* A network whose topology supports a routing; with a failure, if the routing goes round it. */
static void network_for(const vef_routing_algorithm *algorithm, char *yaml, size_t bytes) {
    uint64_t result;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            snprintf(yaml, bytes, "{topology: {family: %s, %s, routing: {algorithm: %s}%s}",
                     vef_topology_families[f]->name, vef_topology_families[f]->samples[s] + 1,
                     algorithm->name,
                     algorithm->around_failures ? ", failures: {link_count: 1}" : "");
            if (result_of(yaml, "", &result))
                return;
        }
    fail_msg("no sample network for routing %s", algorithm->name);
}

static void test_keys_of_routings(void **state) {
    (void)state;
    for (size_t i = 0; vef_routings[i]; i++) {
        char yaml[TEXT_BYTES], section[64];
        const vef_param *schema = vef_routings[i]->schema;
        assert_null(vef_schema_lacks(schema, vef_routings[i]->parameter_bytes));
        if (!schema->key)
            continue;
        network_for(vef_routings[i], yaml, sizeof yaml);
        snprintf(section, sizeof section, "routing %s", vef_routings[i]->name);
        check_schema(yaml, section, "routing.%s=%s", "", schema, NULL);
    }
    assert_int_equal(ignored, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_of_networks),
        cmocka_unit_test(test_keys_of_cables_and_classes),
        cmocka_unit_test(test_keys_of_congestion),
        cmocka_unit_test(test_keys_of_topologies),
        cmocka_unit_test(test_keys_of_routings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
