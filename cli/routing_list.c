/* Topologies that each routing supports. See routing_list.h. Generated: each routing of the table
 * is tried on the example of each family, under either flow control. */
#include "cli/routing_list.h"

#include "common/config/config.h"
#include "common/report/result.h"
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/routing/hops.h"

#include <inttypes.h>

static const char *const flow_controls[] = {
    [VEF_FLOW_BUBBLE] = "bubble",
    [VEF_FLOW_VIRTUAL_CHANNELS] = "virtual-channels",
};
enum { FLOW_CONTROLS = sizeof flow_controls / sizeof *flow_controls };

static bool reads_a_file(const vef_topology_family *family) {
    for (const vef_param *row = family->schema; row->key; row++)
        if (row->kind == VEF_PARAM_PATH)
            return true;
    return false;
}

/* A sample of the family; NULL: invalid. The caller destroys it. */
static vef_topology *build(const vef_topology_family *family, const char *sample) {
    char text[512];
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_topology *topology = NULL;
    snprintf(text, sizeof text, "{family: %s, %s", family->name, sample + 1);
    if (vef_config_parse(text, "example", &arena, &node, NULL) == VEF_OK)
        vef_topology_create(node, 0, &topology, NULL);
    vef_arena_release(&arena);
    return topology;
}

/* The first of the samples that is neither trivial nor slow to prove; else the first of all. */
enum { LEAST_ROUTERS = 24, MOST_ROUTERS = 100 };
static vef_topology *example_of(const vef_topology_family *family, const char **sample) {
    for (size_t i = 0; family->samples[i]; i++) {
        vef_topology *topology = build(family, family->samples[i]);
        *sample = family->samples[i];
        if (topology && topology->routers >= LEAST_ROUTERS && topology->routers <= MOST_ROUTERS)
            return topology;
        vef_topology_destroy(topology);
    }
    *sample = family->samples[0];
    return build(family, *sample);
}

/* NULL: the routing refuses it, or another row of its name is for this topology. The caller
 * destroys it. */
static vef_routing *routing_on(const vef_topology *topology, size_t which,
                               vef_flow_control flow_control) {
    char text[128];
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_routing *routing = NULL;
    snprintf(text, sizeof text, "{algorithm: %s}", vef_routings[which]->name);
    if (vef_config_parse(text, "example", &arena, &node, NULL) == VEF_OK)
        vef_routing_create(node, topology, flow_control, &routing, NULL);
    vef_arena_release(&arena);
    if (!routing || routing->algorithm == vef_routings[which])
        return routing;
    vef_routing_destroy(routing);
    return NULL;
}

/* Channels of a link, "1 (inner 3)" if some ports have a different number. */
static void put_channels(vef_result *table, const vef_routing *routing) {
    uint32_t least = routing->channels, ports = routing->topology->ports;
    for (uint32_t p = 0; p < ports && routing->port_channels; p++)
        if (routing->port_channels[p] > 0 && routing->port_channels[p] < least)
            least = routing->port_channels[p];
    if (least == routing->channels)
        VEF_CELLS(table, least);
    else
        vef_cell_printed(table, "%" PRIu32 " to %" PRIu32, least, routing->channels);
}

static void put_longest(vef_result *table, const vef_routing *routing) {
    vef_deadlock_request request = {0};
    vef_deadlock proof = {0};
    if (vef_deadlock_prove(routing, &request, &proof, NULL) == VEF_OK && proof.bounded &&
        proof.verdict == VEF_DEADLOCK_FREE)
        VEF_CELLS(table, proof.longest_hops);
    else
        VEF_CELLS(table, "no bound");
    vef_deadlock_release(&proof);
}

static void put_rows(vef_result *table, const vef_topology *topology, size_t which) {
    vef_routing *made[FLOW_CONTROLS];
    const vef_routing *any = NULL;
    for (size_t f = 0; f < FLOW_CONTROLS; f++) {
        made[f] = routing_on(topology, which, (vef_flow_control)f);
        any = any ? any : made[f];
    }
    if (any) {
        VEF_CELLS(table, vef_routings[which]->name);
        for (size_t f = 0; f < FLOW_CONTROLS; f++) {
            if (made[f]) {
                put_channels(table, made[f]);
                VEF_CELLS(table, made[f]->least_queue_packets);
            } else {
                VEF_CELLS(table, "-", "-");
            }
        }
        put_longest(table, any);
    }
    for (size_t f = 0; f < FLOW_CONTROLS; f++)
        vef_routing_destroy(made[f]);
}

static void list_family(const vef_topology_family *family, FILE *out) {
    static const vef_column columns[] = {{.key = "routing"},
                                         {.key = "channels"},
                                         {.key = "places"},
                                         {.key = "channels"},
                                         {.key = "places"},
                                         {.key = "longest path"},
                                         {0}};
    const char *sample;
    vef_topology *topology = example_of(family, &sample);
    vef_arena arena = {0};
    vef_hops hops = {0};
    if (topology && vef_hops_create(topology, &arena, &hops, NULL) == VEF_OK) {
        fprintf(out, "\ntopology: {family: %s, %s   (%" PRIu32 " hops at most between endpoints)\n",
                family->name, sample + 1, hops.diameter);
        vef_result *root = vef_result_new(VEF_PEOPLE);
        vef_result *table = vef_put_table(root, NULL, VEF_PEOPLE, columns);
        for (size_t r = 0; vef_routings[r]; r++)
            put_rows(table, topology, r);
        vef_write_text(root, out);
        vef_result_free(root);
    }
    vef_arena_release(&arena);
    vef_topology_destroy(topology);
}

void vef_list_routings(FILE *out) {
    for (size_t r = 0; vef_routings[r]; r++)
        fprintf(out, "%-18s %s\n", vef_routings[r]->name, vef_routings[r]->summary);
    for (int own = 0; own < 2; own++) {
        const char *before = own ? "\nWith failures, on their own topologies: "
                                 : "\nOn any graph, also with failures: ";
        for (size_t r = 0; vef_routings[r]; r++)
            if (own ? vef_routings[r]->around_failures : vef_routings[r]->any_graph) {
                fprintf(out, "%s%s", before, vef_routings[r]->name);
                before = ", ";
            }
    }
    fprintf(
        out,
        "\n\nSupported topologies. For the example of each topology, by default: virtual channels "
        "per link and\nminimum queue length in packets, under flow control by %s and by %s (-: "
        "not\nsupported), and the longest path of a packet in hops, as proved by vef verify.\n",
        flow_controls[VEF_FLOW_BUBBLE], flow_controls[VEF_FLOW_VIRTUAL_CHANNELS]);
    for (size_t i = 0; vef_topology_families[i]; i++) {
        const vef_topology_family *family = vef_topology_families[i];
        if (reads_a_file(family))
            fprintf(out,
                    "\ntopology: {family: %s, %s\nAny graph: the routings of topology complete.\n",
                    family->name, family->samples[0] + 1);
        else
            list_family(family, out);
    }
}
