/* The machines of examples/machines beside published figures: the latency of short messages, the
 * bandwidth of long ones, the injection of a node. Each row is the one of its README.md, and what
 * vef gives follows from the machine's file by hand (`expected`). */
#include "netmodel/netmodel.h"
#include "replay/machine.h"

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

static machine open_machine(const char *name) {
    machine made = {.options = vef_replay_defaults()};
    char path[256];
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_error error = {0};
    snprintf(path, sizeof path, "examples/machines/%s.yaml", name);
    if (vef_machine_open(path, NULL, 0, &arena, &root, &made.options, &error) ||
        vef_netmodel_create(root, &made.model, &error))
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
static double finish(const machine *of, uint64_t begun) {
    const vef_net_delivery *got;
    size_t count;
    uint64_t last = begun;
    vef_error error = {0};
    do {
        if (of->model->kind->advance(of->model, VEF_FOREVER, &got, &count, &error))
            fail_msg("%s", error.message);
        last = count > 0 ? got[0].time_cycles : last;
    } while (count > 0);
    return (double)(last - begun) * of->cycle_ns;
}

static double alone_ns(const machine *of, uint32_t from, uint32_t to, uint64_t bytes) {
    const uint64_t begun = of->model->kind->now(of->model);
    inject(of->model, from, to, bytes, begun);
    return finish(of, begun);
}

/* The first endpoint of the router at a step along one dimension from router 0. */
static uint32_t at_step(const machine *of, uint32_t dimension, uint32_t steps) {
    const vef_topology *topology = of->model->topology;
    uint32_t coordinates[VEF_MAX_DIMENSIONS] = {0};
    coordinates[dimension] = steps;
    return vef_topology_router_at(topology, coordinates) * topology->endpoints_per_router;
}

/* A message of 8 bytes over `hops` links, with the overheads of both processors. The delay of a hop
 * is what a second one adds. */
static double latency_ns(const machine *of, uint32_t hops) {
    const vef_host *host = &of->options.host;
    const double near_ns = alone_ns(of, 0, at_step(of, 0, 1), 8);
    const double hop_ns = alone_ns(of, 0, at_step(of, 0, 2), 8) - near_ns;
    return vef_cost_ns(&host->send_overhead, 8) + vef_cost_ns(&host->receive_overhead, 8) +
           near_ns + (hops - 1) * hop_ns;
}

/* Bytes per ns of a long message to a neighbour along a dimension: what 600 packets more add. */
static double bandwidth(const machine *of, uint32_t dimension) {
    const uint32_t to = at_step(of, dimension, 1);
    const uint64_t payload = of->model->payload_bytes;
    const double more = 600.0 * (double)payload;
    return more / (alone_ns(of, 0, to, 1000 * payload) - alone_ns(of, 0, to, 400 * payload));
}

/* Bytes per ns that a node sends to its neighbours, by packets to each in turn. */
static double injection(const machine *of, uint32_t rounds) {
    const vef_topology *topology = of->model->topology;
    const uint64_t payload = of->model->payload_bytes;
    const uint64_t begun = of->model->kind->now(of->model);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < rounds; i++)
        for (uint32_t port = 0; port < topology->ports; port++)
            if (topology->neighbour[port] != VEF_NO_ROUTER) {
                inject(of->model, 0, topology->neighbour[port], payload, begun);
                sent++;
            }
    return (double)(sent * payload) / finish(of, begun);
}

typedef enum figure { LATENCY_NS, BANDWIDTH_GB_S, INJECTION_GB_S } figure;

static const struct {
    const char *machine, *title;
    figure kind;
    uint32_t argument; /* hops, or the dimension */
    double published, expected, tolerance;
} rows[] = {
    /* 34 + 9 cycles of 1 / 425 MHz for the hop, 9 for 136 bytes in phits of 16. */
    {"fugaku", "put of 8 bytes to a neighbour", LATENCY_NS, 1, 490, 2 * 184 + 52 / 0.425, 1e-6},
    {"fugaku", "bandwidth of a put", BANDWIDTH_GB_S, 0, 6.35, 6.8 * 1920 / 2048, 1e-6},
    /* As much over six of its ten links; the last packets leave some links idle. */
    {"fugaku", "injection of a node", INJECTION_GB_S, 0, 38.1, 6 * 6.8 * 1920 / 2048, 0.5},
    /* 40 + 16 ns for the hop, 24 ns for 48 bytes at 2 GB/s. 16 x 12 x 16 x 16 x 2 routers are at
     * most 8 + 6 + 8 + 8 + 1 hops apart. */
    {"bluegene-q", "to a neighbour, hardware", LATENCY_NS, 1, 80, 80, 1e-6},
    {"bluegene-q", "across 96 racks, hardware", LATENCY_NS, 31, 3000, 31 * 56 + 24, 1e-6},
    {"bluegene-q", "payload of a link", BANDWIDTH_GB_S, 0, 1.8, 2.0 * 512 / 552, 1e-6},
    /* 329 cycles of 0.32 ns for the hop, 17 for 49 bytes in phits of 3. 17 x 8 x 24 routers are at
     * most 8 + 4 + 12 hops apart. */
    {"hopper", "MPI to a neighbour", LATENCY_NS, 1, 1270, 2 * 580 + 346 * 0.32, 1e-6},
    {"hopper", "MPI, farthest nodes", LATENCY_NS, 24, 3880, 2 * 580 + (24 * 329 + 17) * 0.32, 1e-6},
    {"hopper", "MPI bandwidth along x", BANDWIDTH_GB_S, 0, 5.8, 9.375 * 64 / 105, 1e-6},
    {"hopper", "MPI bandwidth along y", BANDWIDTH_GB_S, 1, 2.9, 4.6875 * 64 / 105, 1e-6},
};
enum { ROWS = sizeof rows / sizeof *rows };

static double measure(const machine *of, size_t row) {
    switch (rows[row].kind) {
    case LATENCY_NS:
        return latency_ns(of, rows[row].argument);
    case BANDWIDTH_GB_S:
        return bandwidth(of, rows[row].argument);
    case INJECTION_GB_S:
        return injection(of, 400);
    }
    return NAN;
}

/* The row of README.md: "| fugaku | bandwidth of a put | 6.35 GB/s | 6.37 GB/s | +0.4 % |". */
static void write_row(size_t row, double value, char *text, size_t bytes) {
    const bool latency = rows[row].kind == LATENCY_NS;
    const char *const form = latency ? "| %s | %s | %.0f ns | %.0f ns | %+.1f %% |"
                                     : "| %s | %s | %.2f GB/s | %.2f GB/s | %+.1f %% |";
    snprintf(text, bytes, form, rows[row].machine, rows[row].title, rows[row].published, value,
             100 * (value / rows[row].published - 1));
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
        machine of = open_machine(rows[i].machine);
        const double value = measure(&of, i);
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
        vef_netmodel_destroy(of.model);
    }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(machines_and_published_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
