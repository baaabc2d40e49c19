/* The machines of examples/machines beside published figures: the latency of short messages, the
 * bandwidth of long ones, the injection of a node; and of whole machines, endpoints, switches,
 * links and bandwidths of cuts. Each row is the one of its README.md, and what vef gives follows
 * from the machine's file by hand (`expected`). */
#include "netmodel/file/structure.h"
#include "netmodel/netmodel.h"
#include "replay/machine.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct machine {
    vef_netmodel *model;
    vef_replay_options options;
    double cycle_ns;
} machine;

/* The file of a machine; `key`: one that is set (NULL: none). */
static vef_node *read_machine(const char *name, const char *key, vef_replay_options *options,
                              vef_arena *arena) {
    char path[256];
    vef_node *root = NULL;
    vef_error error = {0};
    snprintf(path, sizeof path, "examples/machines/%s.yaml", name);
    if (vef_machine_open(path, &key, key ? 1 : 0, arena, &root, options, &error))
        fail_msg("%s", error.message);
    return root;
}

static machine open_machine(const char *name) {
    machine made = {.options = vef_replay_defaults()};
    vef_arena arena = {0};
    vef_error error = {0};
    if (vef_netmodel_create(read_machine(name, NULL, &made.options, &arena), &made.model, &error))
        fail_msg("%s", error.message);
    vef_arena_release(&arena);
    made.cycle_ns = vef_netmodel_cycle_ns(made.model);
    return made;
}

static void inject(vef_netmodel *model, uint32_t from, uint32_t to, uint64_t bytes, uint64_t time) {
    vef_error error = {0};
    const vef_net_message message = {
        .source = from, .destination = to, .bytes = bytes, .time_cycles = time};
    if (model->kind->inject(model, &message, &error))
        fail_msg("%s", error.message);
}

/* Runs until all has arrived, and returns how long that took from `begun` on, in ns. */
static double finish(const machine *entry, uint64_t begun) {
    const vef_net_delivery *got;
    size_t count;
    uint64_t last = begun;
    vef_error error = {0};
    do {
        if (entry->model->kind->advance(entry->model, VEF_FOREVER, &got, &count, &error))
            fail_msg("%s", error.message);
        last = count > 0 ? got[0].time_cycles : last;
    } while (count > 0);
    return (double)(last - begun) * entry->cycle_ns;
}

static double alone_ns(const machine *entry, uint32_t from, uint32_t to, uint64_t bytes) {
    const uint64_t begun = entry->model->kind->now(entry->model);
    inject(entry->model, from, to, bytes, begun);
    return finish(entry, begun);
}

/* The first endpoint of the router at a step along one dimension from router 0. */
static uint32_t at_step(const machine *entry, uint32_t dimension, uint32_t steps) {
    const vef_topology *topology = entry->model->topology;
    uint32_t coordinates[VEF_MAX_DIMENSIONS] = {0};
    coordinates[dimension] = steps;
    return vef_topology_router_at(topology, coordinates) * topology->endpoints_per_router;
}

/* The overheads of both processors for a message of 8 bytes. */
static double host_ns(const machine *entry) {
    const vef_host *host = &entry->options.host;
    return vef_cost_ns(&host->send_overhead, 8) + vef_cost_ns(&host->receive_overhead, 8);
}

/* A message of 8 bytes over `hops` links, with the overheads of both processors. The delay of a hop
 * is what a second one adds. */
static double latency_ns(const machine *entry, uint32_t hops) {
    const double near_ns = alone_ns(entry, 0, at_step(entry, 0, 1), 8);
    const double more_ns = alone_ns(entry, 0, at_step(entry, 0, 2), 8) - near_ns;
    return host_ns(entry) + near_ns + (hops - 1) * more_ns;
}

/* Bytes per ns of a long message from endpoint 0: what 600 packets more add. */
static double bandwidth(const machine *entry, uint32_t to) {
    const uint64_t payload = entry->model->payload_bytes;
    const double more = 600.0 * (double)payload;
    return more / (alone_ns(entry, 0, to, 1000 * payload) - alone_ns(entry, 0, to, 400 * payload));
}

/* Bytes per ns that a node sends to its neighbours, by packets to each in turn. */
static double injection(const machine *entry, uint32_t rounds) {
    const vef_topology *topology = entry->model->topology;
    const uint64_t payload = entry->model->payload_bytes;
    const uint64_t begun = entry->model->kind->now(entry->model);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < rounds; i++)
        for (uint32_t port = 0; port < topology->ports; port++)
            if (topology->neighbour[port] != VEF_NO_ROUTER) {
                inject(entry->model, 0, topology->neighbour[port] * topology->endpoints_per_router,
                       payload, begun);
                sent++;
            }
    return (double)(sent * payload) / finish(entry, begun);
}

/* What a message of 8 bytes to endpoint `to` takes more than one to `near`. */
static double hop_ns(const machine *entry, uint32_t near, uint32_t to) {
    return alone_ns(entry, 0, to, 8) - alone_ns(entry, 0, near, 8);
}

/* ---- whole machines ---- */

typedef struct whole {
    vef_topology *topology;
    uint64_t bandwidth_bits_per_s;
} whole;

static whole open_whole(const char *name, const char *key) {
    whole made = {0};
    vef_arena arena = {0};
    vef_error error = {0};
    vef_replay_options options = vef_replay_defaults();
    vef_node *root = read_machine(name, key, &options, &arena);
    if (vef_structure_create_topology(root, &made.topology, &made.bandwidth_bits_per_s, &error))
        fail_msg("%s", error.message);
    vef_arena_release(&arena);
    return made;
}

static double bytes_per_ns(const whole *machine_sum, size_t link) {
    const uint64_t *own = machine_sum->topology->bandwidth_bits_per_s;
    return (double)(own && own[link] ? own[link] : machine_sum->bandwidth_bits_per_s) / 8e9;
}

/* Bytes per ns out of the routers with endpoints, over links of the last class, per endpoint. */
static double exit_bandwidth(const whole *machine_sum) {
    const vef_topology *topology = machine_sum->topology;
    const uint32_t last = vef_topology_router_of(topology, topology->endpoints - 1);
    double sum = 0;
    for (uint32_t router = 0; router <= last; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t link = (size_t)router * topology->ports + port;
            if (topology->neighbour[link] != VEF_NO_ROUTER &&
                vef_topology_link_class(topology, router, port) == topology->link_classes - 1)
                sum += bytes_per_ns(machine_sum, link);
        }
    return sum / topology->endpoints;
}

/* TB/s across the narrowest axis, in both directions. */
static double bisection(const whole *machine_sum) {
    const vef_topology *topology = machine_sum->topology;
    double least = INFINITY;
    for (uint32_t axis = 0; axis < topology->axes; axis++) {
        double sum = 0;
        for (size_t link = 0; link < (size_t)topology->routers * topology->ports; link++) {
            const uint32_t router = (uint32_t)(link / topology->ports);
            const uint32_t other = topology->neighbour[link];
            if (other != VEF_NO_ROUTER && vef_topology_far_side(topology, axis, router) !=
                                              vef_topology_far_side(topology, axis, other))
                sum += bytes_per_ns(machine_sum, link) / 1000;
        }
        least = fmin(least, sum);
    }
    return least;
}

static double count_links(const vef_topology *topology) {
    uint64_t ports = 0;
    for (size_t link = 0; link < (size_t)topology->routers * topology->ports; link++)
        ports += topology->neighbour[link] != VEF_NO_ROUTER;
    return (double)ports / 2;
}

/* The most hops from the routers of the first group: groups are alike by rotation. */
static double diameter(const vef_topology *topology) {
    const uint32_t group = topology->routers / topology->sizes[topology->dimensions - 1];
    uint32_t *distance = malloc(topology->routers * sizeof *distance), most = 0;
    assert_non_null(distance);
    for (uint32_t router = 0; router < group; router++) {
        distances_from(topology, router, distance);
        for (uint32_t other = 0; other < topology->routers; other++)
            most = distance[other] > most ? distance[other] : most;
    }
    free(distance);
    return most;
}

/* ---- the figures ---- */

typedef enum figure {
    LATENCY_NS,
    LATENCY_TO_NS,
    HOP_NS,
    BANDWIDTH_GB_S,
    PORT_GB_S,
    INJECTION_GB_S,
    /* Of whole machines: */
    EXIT_GB_S,
    BISECTION_TB_S,
    ENDPOINTS,
    SWITCHES,
    LINKS,
    DIAMETER,
} figure;

static const char *const units[] = {
    [LATENCY_NS] = " ns",  [LATENCY_TO_NS] = " ns",
    [HOP_NS] = " ns",      [BANDWIDTH_GB_S] = " GB/s",
    [PORT_GB_S] = " GB/s", [INJECTION_GB_S] = " GB/s",
    [EXIT_GB_S] = " GB/s", [BISECTION_TB_S] = " TB/s",
    [ENDPOINTS] = "",      [SWITCHES] = "",
    [LINKS] = "",          [DIAMETER] = " hops",
};

static const struct {
    const char *machine, *title;
    figure kind;
    uint32_t argument, to; /* hops, the dimension, or endpoints */
    double published, expected, tolerance;
    const char *whole; /* the key that makes it whole */
} rows[] = {
    /* 34 + 9 cycles of 1 / 425 MHz for the hop, 9 for 136 bytes in phits of 16. */
    {"fugaku", "put of 8 bytes to a neighbour", LATENCY_NS, 1, 0, 490, 2 * 184 + 52 / 0.425, 1e-6,
     NULL},
    {"fugaku", "bandwidth of a put", BANDWIDTH_GB_S, 0, 0, 6.35, 6.8 * 1920 / 2048, 1e-6, NULL},
    /* As much over six of its ten links; the last packets leave some links idle. */
    {"fugaku", "injection of a node", INJECTION_GB_S, 0, 0, 38.1, 6 * 6.8 * 1920 / 2048, 0.5, NULL},
    /* 40 + 16 ns for the hop, 24 ns for 48 bytes at 2 GB/s. 16 x 12 x 16 x 16 x 2 routers are at
     * most 8 + 6 + 8 + 8 + 1 hops apart. */
    {"bluegene-q", "to a neighbour, hardware", LATENCY_NS, 1, 0, 80, 80, 1e-6, NULL},
    {"bluegene-q", "across 96 racks, hardware", LATENCY_NS, 31, 0, 3000, 31 * 56 + 24, 1e-6, NULL},
    {"bluegene-q", "payload of a link", BANDWIDTH_GB_S, 0, 0, 1.8, 2.0 * 512 / 552, 1e-6, NULL},
    /* 329 cycles of 0.32 ns for the hop, 17 for 49 bytes in phits of 3. 17 x 8 x 24 routers are at
     * most 8 + 4 + 12 hops apart. */
    {"hopper", "MPI to a neighbour", LATENCY_NS, 1, 0, 1270, 2 * 580 + 346 * 0.32, 1e-6, NULL},
    {"hopper", "MPI, farthest nodes", LATENCY_NS, 24, 0, 3880, 2 * 580 + (24 * 329 + 17) * 0.32,
     1e-6, NULL},
    {"hopper", "MPI bandwidth along x", BANDWIDTH_GB_S, 0, 0, 5.8, 9.375 * 64 / 105, 1e-6, NULL},
    {"hopper", "MPI bandwidth along y", BANDWIDTH_GB_S, 1, 0, 2.9, 4.6875 * 64 / 105, 1e-6, NULL},
    /* 24 x 23 x 24 x 2 x 3 x 2; the machine has 432 racks of 384 or 192 nodes. */
    {"fugaku", "nodes", ENDPOINTS, 0, 0, 158976, 158976, 0, "topology.sizes=[24, 23, 24, 2, 3, 2]"},
    /* 12 x 16 x 16 x 2 rings of 16 are cut twice, in both directions. */
    {"bluegene-q", "bisection of 96 racks", BISECTION_TB_S, 0, 0, 49, 6144 * 2 * 2 * 2e-3, 1e-6,
     "topology.sizes=[16, 12, 16, 16, 2]"},
    /* 266 + 8 cycles of 1.28 ns: 340 and 10 ns, rounded up. */
    {"frontier", "hop, switch and copper cable", HOP_NS, 1, 16, 350, 274 * 1.28, 1e-6, NULL},
    /* 66 phits of 32 B. */
    {"frontier", "payload of a port", PORT_GB_S, 1, 0, 24.3, 25.0 * 2048 / 2112, 1e-6, NULL},
    {"frontier", "interfaces of 74 groups", ENDPOINTS, 0, 0, 37888, 74 * 512, 0,
     "topology.groups=74"},
    {"frontier", "hops of 74 groups", DIAMETER, 0, 0, 3, 3, 0, "topology.groups=74"},
    /* 4 x 73 links of 200 Gbit/s from a group of 512 interfaces; 9 x 32 in the file. */
    {"frontier", "global links, per interface", EXIT_GB_S, 0, 0, 14.26, 288 * 25 / 512.0, 1e-9,
     "topology.groups=74"},
    /* 65 phits of 64 B. */
    {"frontera", "MPI bandwidth of a node", PORT_GB_S, 1, 0, 12.3, 12.5 * 4096 / 4160, 1e-6, NULL},
    {"frontera", "nodes", ENDPOINTS, 0, 0, 8008, 182 * 44, 0, "topology.m=[44, 182]"},
    /* 18 links of 200 Gbit/s for 44 nodes. */
    {"frontera", "links to the core, per node", EXIT_GB_S, 0, 0, 10.23, 18 * 25 / 44.0, 1e-9,
     "topology.m=[44, 182]"},
    {"superpod", "adapters of four units", ENDPOINTS, 0, 0, 1024, 1024, 0, "topology.m=[32, 32]"},
    {"superpod", "switches of four units", SWITCHES, 0, 0, 48, 48, 0, "topology.m=[32, 32]"},
    {"superpod", "cables between them", LINKS, 0, 0, 1024, 1024, 0, "topology.m=[32, 32]"},
    /* Half of the adapters sends, at 50 GB/s, and half receives; and the reverse. */
    {"superpod", "bisection of four units", BISECTION_TB_S, 0, 0, 51.2, 51.2, 1e-6,
     "topology.m=[32, 32]"},
    /* 65 phits of 64 B; one link into the switch, by an adapter, and of the mesh. */
    {"dgx-h100", "GPU to GPU of a node", PORT_GB_S, 1, 0, 450, 450.0 * 4096 / 4160, 1e-6, NULL},
    {"dgx-h100", "GPU to that of the next node", PORT_GB_S, 8, 0, 50, 50.0 * 4096 / 4160, 1e-6,
     NULL},
    {"dgx-h100", "GPUs of four units", ENDPOINTS, 0, 0, 1024, 1024, 0, "topology.of.m=[32, 32]"},
    {"gb200-nvl72", "GPU to GPU of a rack", PORT_GB_S, 71, 0, 900, 900.0 * 4096 / 4160, 1e-6, NULL},
    {"mi300x", "GPU to GPU of a node", PORT_GB_S, 1, 0, 64, 63.0 * 4096 / 4160, 1e-6, NULL},
    {"tpu-v4", "link", BANDWIDTH_GB_S, 0, 0, 50, 50.0 * 1008 / 1024, 1e-6, NULL},
    /* The last packets leave some links idle. */
    {"tpu-v4", "injection of a chip", INJECTION_GB_S, 0, 0, 300, 300.0 * 1008 / 1024, 6, NULL},
    {"tpu-v4", "chips", ENDPOINTS, 0, 0, 4096, 4096, 0, "topology.sizes=[16, 16, 16]"},
    /* 149 + 8 cycles of 0.64 ns for the hop along a chassis, 12 for 34 bytes in phits of 3. */
    {"cray-xc", "put of 8 bytes", LATENCY_TO_NS, 4, 0, 800, 2 * 346 + 169 * 0.64, 1e-6, NULL},
    {"cray-xc", "hop along a chassis", HOP_NS, 1, 4, 100, 157 * 0.64, 1e-6, NULL},
    /* 64 B of 90 over three ports; the last packets leave some idle. */
    {"cray-xc", "injection of a node", INJECTION_GB_S, 0, 0, 10.2, 3 * 4.6875 * 64 / 90, 0.2, NULL},
    {"cray-xc", "nodes of 241 groups", ENDPOINTS, 0, 0, 92544, 241 * 96 * 4, 0,
     "topology.groups=241"},
    {"cray-xc", "hops of 241 groups", DIAMETER, 0, 0, 5, 5, 0, "topology.groups=241"},
    /* Ten links of 4.7 GB/s for four nodes. */
    {"cray-xc", "global links, per node", EXIT_GB_S, 0, 0, 11.75, 10 * 4.6875 / 4, 1e-9,
     "topology.groups=241"},
    /* 89.718 cycles of 1 / 650 MHz over 5 hops in the mean. */
    {"extoll-twin", "hop", HOP_NS, 2, 4, 27.6, 18 / 0.65, 1e-6, NULL},
    {"extoll-twin", "cards", ENDPOINTS, 0, 0, 1024, 1024, 0, "topology.sizes=[4, 4, 2, 4, 4]"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static double measure(const machine *entry, size_t row) {
    switch (rows[row].kind) {
    case LATENCY_NS:
        return latency_ns(entry, rows[row].argument);
    case LATENCY_TO_NS:
        return host_ns(entry) + alone_ns(entry, 0, rows[row].argument, 8);
    case HOP_NS:
        return hop_ns(entry, rows[row].argument, rows[row].to);
    case BANDWIDTH_GB_S:
        return bandwidth(entry, at_step(entry, rows[row].argument, 1));
    case PORT_GB_S:
        return bandwidth(entry, rows[row].argument);
    case INJECTION_GB_S:
        return injection(entry, 400);
    default:
        return NAN;
    }
}

static double measure_whole(const whole *machine_sum, size_t row) {
    switch (rows[row].kind) {
    case EXIT_GB_S:
        return exit_bandwidth(machine_sum);
    case BISECTION_TB_S:
        return bisection(machine_sum);
    case ENDPOINTS:
        return machine_sum->topology->endpoints;
    case SWITCHES:
        return machine_sum->topology->routers;
    case LINKS:
        return count_links(machine_sum->topology);
    case DIAMETER:
        return diameter(machine_sum->topology);
    default:
        return NAN;
    }
}

static double value_of(size_t row) {
    double value;
    if (rows[row].whole) {
        whole machine_sum = open_whole(rows[row].machine, rows[row].whole);
        value = measure_whole(&machine_sum, row);
        vef_topology_destroy(machine_sum.topology);
    } else {
        machine machine_sum = open_machine(rows[row].machine);
        value = measure(&machine_sum, row);
        vef_netmodel_destroy(machine_sum.model);
    }
    return value;
}

/* The row of README.md: "| fugaku | bandwidth of a put | 6.35 GB/s | 6.37 GB/s | +0.4 % |". */
static void write_row(size_t row, double value, char *text, size_t bytes) {
    const char *const unit = units[rows[row].kind];
    const int digits = strstr(unit, "B/s") ? 2 : 0;
    const double deviation = round(1000 * (value / rows[row].published - 1)) / 10;
    snprintf(text, bytes, "| %s | %s | %.*f%s | %.*f%s | %+.1f %% |", rows[row].machine,
             rows[row].title, digits, rows[row].published, unit, digits, value, unit,
             deviation + 0.0); /* no -0 */
}

static char *read_page(void) {
    FILE *in = fopen("examples/machines/README.md", "r");
    static char page[1 << 16];
    assert_non_null(in);
    page[fread(page, 1, sizeof page - 1, in)] = '\0';
    fclose(in);
    return page;
}

static void machines_and_published_figures(void **state) {
    (void)state;
    const char *page = read_page();
    uint32_t missing = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const double value = value_of(i);
        char text[256];
        write_row(i, value, text, sizeof text);
        printf("%s\n", text);
        if (!(fabs(value - rows[i].expected) <= rows[i].tolerance))
            fail_msg("%s, %s: %.9g is not %.9g", rows[i].machine, rows[i].title, value,
                     rows[i].expected);
        if (!strstr(page, text)) {
            fprintf(stderr, "not in examples/machines/README.md: %s\n", text);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(machines_and_published_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
