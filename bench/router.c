/* Measures the router core: simulated packet-hops per second (of CPU time on one thread, else of
 * elapsed time), the load that the network accepts, and the memory that it holds, under uniform
 * traffic from open-loop Bernoulli sources; then the time that a cycle without work takes, for two
 * sizes.
 *
 *   THREADS=N router    the table, each network on N threads (default 1)
 *   router NET.yaml LOAD [CYCLES [KEY=VALUE...]]   one network, LOAD in phits/cycle/endpoint */
#include "common/rng.h"
#include "netmodel/netmodel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW_CYCLES = 64, WARM_UP_PART = 4 };

typedef struct traffic {
    vef_netmodel *model;
    uint64_t *next_cycles; /* of each endpoint's next message */
    vef_rng *rng;
    uint64_t message_bytes;
    double log_of_silence; /* log of the probability that a cycle has no injection */
} traffic;

static uint32_t threads(void) {
    const char *given = getenv("THREADS");
    return given && atoi(given) > 1 ? (uint32_t)atoi(given) : 1;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(threads() > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void stop(const char *why) {
    fprintf(stderr, "router: %s\n", why);
    exit(2);
}

/* Cycles until the next injection of a source: geometric, at least 1. */
static uint64_t gap(traffic *t, uint32_t endpoint) {
    double silent = log(1 - vef_rng_unit(&t->rng[endpoint])) / t->log_of_silence;
    return 1 + (uint64_t)silent;
}

static void run(traffic *t, uint64_t until_cycles) {
    vef_error error;
    const vef_netmodel_kind *kind = t->model->kind;
    uint32_t endpoints = t->model->endpoints;
    for (uint64_t now = kind->now(t->model); now < until_cycles; now = kind->now(t->model)) {
        uint64_t end = now + WINDOW_CYCLES < until_cycles ? now + WINDOW_CYCLES : until_cycles;
        for (uint32_t e = 0; e < endpoints; e++)
            for (; t->next_cycles[e] < end; t->next_cycles[e] += gap(t, e)) {
                uint32_t other = vef_rng_below(&t->rng[e], endpoints - 1);
                vef_net_message message = {
                    .source = e,
                    .destination = other + (other >= e),
                    .bytes = t->message_bytes,
                    .time_cycles = t->next_cycles[e],
                };
                if (kind->inject(t->model, &message, &error))
                    stop(error.message);
            }
        const vef_net_delivery *deliveries;
        size_t count;
        while (kind->now(t->model) < end)
            if (kind->advance(t->model, end, &deliveries, &count, &error))
                stop(error.message);
    }
}

static void measure(const char *name, vef_netmodel *model, uint32_t packet_phits, double load,
                    uint64_t cycles) {
    traffic t = {
        .model = model,
        .next_cycles = calloc(model->endpoints, sizeof *t.next_cycles),
        .rng = calloc(model->endpoints, sizeof *t.rng),
        .message_bytes = (uint64_t)packet_phits * model->phit_bytes,
        .log_of_silence = log(1 - load / packet_phits),
    };
    if (!t.next_cycles || !t.rng)
        stop("out of memory");
    vef_netmodel_split(model, threads());
    for (uint32_t e = 0; e < model->endpoints; e++) {
        t.rng[e] = vef_rng_make(7, VEF_RNG_TEST, e);
        t.next_cycles[e] = gap(&t, e) - 1;
    }
    vef_net_statistics before, after;
    run(&t, cycles / WARM_UP_PART);
    model->kind->statistics(model, &before);
    double started = seconds();
    run(&t, cycles / WARM_UP_PART + cycles);
    double taken = seconds() - started;
    model->kind->statistics(model, &after);
    double hops = (double)(after.packet_hops - before.packet_hops);
    printf("%-36s %7.3f %9.5f %8.2f %8.1f %9.0f %7.2f\n", name, load,
           (double)(after.phits - before.phits) / (double)cycles / model->endpoints,
           hops / taken / 1e6, (double)after.memory_bytes / 1e6,
           (double)after.memory_bytes / model->topology->routers, taken);
    fflush(stdout);
    free(t.next_cycles);
    free(t.rng);
    vef_netmodel_destroy(model);
}

static vef_netmodel *parse(const char *yaml) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    vef_error error;
    if (vef_config_parse(yaml, "bench", &arena, &root, &error) ||
        vef_netmodel_create(root, &model, &error))
        stop(error.message);
    vef_arena_release(&arena);
    return model;
}

/* The time of a step of one cycle in which nothing is to be done: it must not depend on the size.
 */
static void measure_idle(const char *name, vef_netmodel *model) {
    enum { STEPS = 1000000 };
    const vef_net_delivery *deliveries;
    size_t count;
    vef_error error;
    double started = seconds();
    for (uint64_t now = 1; now <= STEPS; now++)
        if (model->kind->advance(model, now, &deliveries, &count, &error))
            stop(error.message);
    printf("%-36s %.1f ns per cycle\n", name, (seconds() - started) / STEPS * 1e9);
    vef_netmodel_destroy(model);
}

#define TORUS_16 "topology: {family: torus, sizes: [16, 16]}"
#define TORUS_64 "topology: {family: torus, sizes: [64, 64]}"
#define PDTT_16 "topology: {family: pdtt, a: 16}"
#define PDTT_32 "topology: {family: pdtt, a: 32}"

/* Uniform traffic; 16-phit packets, 2 adaptive channels and an escape (Camara et al., TPDS 2010,
 * section 6, whose Table 1 gives 0.24548, 0.36535, 0.41814 and 0.21153 phits/cycle/router for RT
 * 32x16, RTT 32x16, PDTT 32x16x16 and PDTT 64x32x32). Half of saturation is half of what the
 * bisection allows. */
static const struct {
    const char *name, *yaml;
    double load;
    uint64_t cycles;
} rows[] = {
    {"torus 16x16, half of saturation", TORUS_16, 0.25, 100000},
    {"torus 16x16, past saturation", TORUS_16, 1, 40000},
    {"torus 64x64, half of saturation", TORUS_64, 0.0625, 6000},
    {"torus 64x64, past saturation", TORUS_64, 0.25, 2500},
    {"rt 32x16, past saturation", "topology: {family: rt, a: 16}", 1, 20000},
    {"rtt 32x16, past saturation", "topology: {family: rtt, a: 16}", 1, 20000},
    {"pdtt 32x16x16, half of saturation", PDTT_16, 0.2143, 3000},
    {"pdtt 32x16x16, past saturation", PDTT_16, 0.6, 1500},
    {"pdtt 64x32x32, half of saturation", PDTT_32, 0.1071, 800},
    {"pdtt 64x32x32, past saturation", PDTT_32, 0.3, 500},
};

int main(int argc, char **argv) {
    printf("%-36s %7s %9s %8s %8s %9s %7s\n", "network", "load", "accepted", "Mhops/s", "MB",
           "B/router", "s");
    if (argc < 3) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            measure(rows[i].name, parse(rows[i].yaml), 16, rows[i].load, rows[i].cycles);
        measure_idle("torus 16x16, idle", parse(TORUS_16));
        measure_idle("pdtt 64x32x32, idle", parse(PDTT_32));
        return 0;
    }
    vef_error error;
    vef_netmodel *model = NULL;
    size_t overrides = argc > 4 ? (size_t)argc - 4 : 0;
    if (vef_netmodel_open(argv[1], (const char *const *)argv + 4, overrides, &model, &error))
        stop(error.message);
    uint64_t cycles = argc > 3 ? strtoull(argv[3], NULL, 10) : 20000;
    measure(argv[1], model, 16, atof(argv[2]), cycles);
    return 0;
}
