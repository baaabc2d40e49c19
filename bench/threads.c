/* Measures one simulation on several threads, and the costs that its scaling follows from:
 *
 *   T(P) = W / P x (1 + sqrt(2 ln P / (h L / P))) + B(P) / L + x(P) / P x X     ns per cycle
 *
 * W: a cycle on one thread, sources and all, with h packet-hops. Partitions meet every L cycles: a
 * window, or the interval of a measurement. Hops of a partition vary about like a Poisson variable
 * of mean h L / P, and all wait for the greatest of P. B: a round of the pool (pool.h), measured as
 * far as there are cores, beyond them in proportion to P, as if its atomic additions were done one
 * after the other. x: heads and credits exchanged with other partitions, of cost X.
 *
 *   threads [NET.yaml LOAD CYCLES]   (default: 64x32x32 PDTT, half of saturation) */
#include "common/threads/pool.h"
#include "netmodel/load/run.h"
#include "netmodel/load/sources.h"
#include "netmodel/router/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARM_UP_PART = 2, ROUNDS = 50000 };

typedef struct cost {
    double all_ns, hops, parcels; /* per cycle */
    double window_cycles;         /* between meetings */
} cost;

static double now_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void stop(const char *why) {
    fprintf(stderr, "threads: %s\n", why);
    exit(2);
}

static vef_netmodel *open_network(const char *given) {
    vef_error error;
    vef_netmodel *model = NULL;
    if (vef_netmodel_open(given, NULL, 0, &model, &error))
        stop(error.message);
    return model;
}

/* Uniform traffic of largest packets, to be released with the pattern after it. */
static void open_sources(vef_sources *sources, vef_netmodel *model, double load,
                         vef_pattern **pattern, vef_arena *arena) {
    vef_error error;
    const vef_length_share length = {.share = 1, .phits = model->packet_phits};
    vef_traffic_settings traffic = {.lengths = &length,
                                    .length_count = 1,
                                    .rate = load,
                                    .traffic_classes = model->traffic_classes,
                                    .seed = 7};
    if (vef_pattern_create(NULL, NULL, model->topology, pattern, &error) ||
        vef_process_read(NULL, arena, &traffic.process, &traffic.process_parameters, &error))
        stop(error.message);
    traffic.pattern = *pattern;
    if (vef_sources_create(sources, model, &traffic, &error))
        stop(error.message);
}

/* As a measurement does, interval by interval. */
static void run(vef_sources *sources, uint64_t until_cycles) {
    vef_error error;
    for (uint64_t now; (now = vef_sources_now(sources)) < until_cycles;)
        if (vef_sources_run(sources, now + VEF_INTERVAL_CYCLES, &error))
            stop(error.message);
}

/* Links between partitions, as a share of all. */
static double cut(const vef_network *network) {
    const vef_topology *topology = network->topology;
    uint64_t links = 0, across = 0;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[(size_t)r * topology->ports + port];
            if (next == VEF_NO_ROUTER)
                continue;
            links++;
            across += vef_network_partition(network, r) != vef_network_partition(network, next);
        }
    return links > 0 ? (double)across / (double)links : 0;
}

static double meeting_cycles(const vef_network *network) {
    const uint64_t window = network->partitions.window_cycles;
    return window < VEF_INTERVAL_CYCLES ? (double)window : VEF_INTERVAL_CYCLES;
}

/* On one thread in its own time, so that a busy machine disturbs little. */
static cost measure(const char *given, double load, uint64_t cycles, uint32_t parts, bool threads) {
    vef_netmodel *model = open_network(given);
    vef_network *network = (vef_network *)model;
    vef_network_set_parts(network, parts);
    if (threads)
        network->partitions.crew = vef_pool_create(parts, parts);
    vef_pattern *pattern;
    vef_arena arena = {0};
    vef_sources sources;
    open_sources(&sources, model, load, &pattern, &arena);
    vef_net_counts before, after;
    run(&sources, cycles / WARM_UP_PART);
    model->kind->counts(model, &before);
    const clockid_t clock = threads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    const double began_ns = now_ns(clock);
    run(&sources, cycles / WARM_UP_PART + cycles);
    const double taken_ns = now_ns(clock) - began_ns;
    model->kind->counts(model, &after);
    const double hops = (double)(after.packet_hops - before.packet_hops) / (double)cycles;
    const cost found = {
        .all_ns = taken_ns / (double)cycles,
        .hops = hops,
        .parcels = 2 * hops * cut(network), /* a head and a credit */
        .window_cycles = meeting_cycles(network),
    };
    vef_sources_release(&sources);
    vef_pattern_destroy(pattern);
    vef_arena_release(&arena);
    vef_netmodel_destroy(model);
    return found;
}

/* Some microseconds, so that every thread takes its piece. */
static void some_work(void *context, uint32_t step, uint32_t piece) {
    (void)context;
    volatile uint64_t value = step + piece;
    for (uint32_t i = 0; i < 1000; i++)
        value = value * 3 + 1;
}

static uint32_t count_down(void *context, uint32_t step) {
    uint32_t *left = context;
    return --*left == 0 ? (uint32_t)VEF_POOL_DONE : step;
}

/* The time of a round with a piece for each thread. */
static double time_round(uint32_t threads) {
    uint32_t left = ROUNDS;
    vef_pool *pool = threads > 1 ? vef_pool_create(threads, threads) : NULL;
    if (threads > 1 && !pool)
        stop("out of memory");
    const vef_pool_job job = {&left, threads, 0, some_work, count_down};
    const double began_ns = now_ns(CLOCK_MONOTONIC);
    vef_pool_run(pool, &job);
    const double taken_ns = (now_ns(CLOCK_MONOTONIC) - began_ns) / ROUNDS;
    vef_pool_destroy(pool);
    return taken_ns;
}

static double round_ns(uint32_t threads) {
    return fmax(time_round(threads) - time_round(1), 0);
}

static double median_of_three(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Of as many threads as partitions. */
static double predict_ns(vef_network *network, uint32_t threads, const cost *one, double cycles,
                         double parcel_ns, double round_ns_each) {
    if (threads == 1)
        return one->all_ns;
    vef_network_set_parts(network, threads);
    const double hops = one->hops * cycles / threads;
    return one->all_ns / threads * (1 + sqrt(2 * log(threads) / hops)) +
           round_ns_each * threads / cycles + 2 * one->hops * cut(network) / threads * parcel_ns;
}

int main(int argc, char **argv) {
    const char *given = argc > 3 ? argv[1] : "{topology: {family: pdtt, a: 32}}";
    const double load = argc > 3 ? atof(argv[2]) : 0.1071;
    const uint64_t cycles = argc > 3 ? strtoull(argv[3], NULL, 10) : 160;
    const uint32_t cores = vef_workers_for(VEF_MOST_WORKERS);
    cost one[3], split[3], side[3];
    for (uint32_t i = 0; i < 3; i++) { /* alternately, since machines are noisy */
        one[i] = measure(given, load, cycles, 1, false);
        split[i] = measure(given, load, cycles, cores, false);
        side[i] = measure(given, load, cycles, cores, true);
    }
#define MEDIAN(costs) median_of_three(costs[0].all_ns, costs[1].all_ns, costs[2].all_ns)
    one->all_ns = MEDIAN(one);
    const double parcels = split->parcels, extra_ns = fmax(MEDIAN(split) - one->all_ns, 0);
    const double parcel_ns = parcels > 0 ? extra_ns / parcels : 0;
    const double round_of_all_ns =
        median_of_three(round_ns(cores), round_ns(cores), round_ns(cores));
    printf("one thread: %.0f ns per cycle; %.0f hops of %.0f ns\n", one->all_ns, one->hops,
           one->all_ns / one->hops);
    printf("%u partitions on one thread: %.0f parcels per cycle, %.1f ns each\n", cores, parcels,
           parcel_ns);
    printf("a round of %u threads: %.0f ns, every %.0f cycles\n", cores, round_of_all_ns,
           split->window_cycles);
    printf("%u threads: %.2f times as fast as one\n", cores, one->all_ns / MEDIAN(side));
    printf("\n%8s %14s %10s\n", "threads", "ns per cycle", "speed-up");
    vef_netmodel *model = open_network(given);
    for (uint32_t threads = 1; threads <= 64; threads *= 2) {
        const double predicted_ns =
            predict_ns((vef_network *)model, threads, one, split->window_cycles, parcel_ns,
                       round_of_all_ns / cores);
        printf("%8u %14.0f %10.2f\n", threads, predicted_ns, one->all_ns / predicted_ns);
    }
    vef_netmodel_destroy(model);
    return 0;
}
