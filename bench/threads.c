/* Measures one simulation on several threads, and the costs that its scaling follows from:
 *
 *   T(P) = S + W / P x (1 + sqrt(2 ln P / (h / P))) + 2 x B(P) + x(P) / P x X     ns per cycle
 *
 * S: generation, injection and delivery of messages, by one thread. W: everything else in a cycle
 * on one thread, with h packet-hops. Hops of a partition vary from cycle to cycle about like a
 * Poisson variable of mean h / P, and all wait for the greatest of P. B: a round of the pool
 * (pool.h), of which a cycle has two; measured as far as there are cores, beyond them in proportion
 * to P, as if its atomic additions were done one after the other. x: heads and credits exchanged
 * with other partitions, of cost X.
 *
 *   threads [NET.yaml LOAD CYCLES]   (default: 64x32x32 PDTT, half of saturation) */
#include "common/threads/pool.h"
#include "netmodel/router/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WINDOW_CYCLES = 16, WARM_UP_PART = 2, ROUNDS = 50000 };

typedef struct cost {
    double all_ns, serial_ns, hops, parcels; /* per cycle */
} cost;

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
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

/* Bernoulli sources, window by window. Adds the time outside of the network's steps to *serial_ns.
 */
static void run(vef_netmodel *model, vef_rng *rng, double load, uint64_t until_cycles,
                double *serial_ns) {
    vef_error error;
    const vef_netmodel_kind *kind = model->kind;
    const double rate = load / model->packet_phits * WINDOW_CYCLES;
    for (uint64_t now = kind->now(model); now < until_cycles; now += WINDOW_CYCLES) {
        const double began_ns = now_ns();
        for (uint32_t e = 0; e < model->endpoints; e++) {
            if (vef_rng_unit(rng) >= rate)
                continue;
            const uint32_t other = vef_rng_below(rng, model->endpoints - 1);
            const vef_net_message message = {
                .source = e,
                .destination = other + (other >= e),
                .bytes = (uint64_t)model->packet_phits * model->phit_bytes,
                .time_cycles = now + vef_rng_below(rng, WINDOW_CYCLES),
            };
            if (kind->inject(model, &message, &error))
                stop(error.message);
        }
        *serial_ns += now_ns() - began_ns;
        const vef_net_delivery *deliveries;
        size_t count;
        while (kind->now(model) < now + WINDOW_CYCLES)
            if (kind->advance(model, now + WINDOW_CYCLES, &deliveries, &count, &error))
                stop(error.message);
    }
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

static cost measure(const char *given, double load, uint64_t cycles, uint32_t parts, bool threads) {
    vef_netmodel *model = open_network(given);
    vef_network *network = (vef_network *)model;
    vef_network_set_parts(network, parts);
    if (threads)
        network->partitions.crew = vef_pool_create(parts, parts);
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 0);
    vef_net_counts before, after;
    double serial_ns = 0;
    run(model, &rng, load, cycles / WARM_UP_PART, &serial_ns);
    model->kind->counts(model, &before);
    serial_ns = 0;
    const double began_ns = now_ns();
    run(model, &rng, load, cycles / WARM_UP_PART + cycles, &serial_ns);
    const double taken_ns = now_ns() - began_ns;
    model->kind->counts(model, &after);
    const double hops = (double)(after.packet_hops - before.packet_hops) / (double)cycles;
    const cost found = {
        .all_ns = taken_ns / (double)cycles,
        .serial_ns = serial_ns / (double)cycles,
        .hops = hops,
        .parcels = 2 * hops * cut(network), /* a head and a credit */
    };
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
    const double began_ns = now_ns();
    vef_pool_run(pool, &job);
    const double taken_ns = (now_ns() - began_ns) / ROUNDS;
    vef_pool_destroy(pool);
    return taken_ns;
}

static double round_ns(uint32_t threads) {
    return fmax(time_round(threads) - time_round(1), 0);
}

static double median_of_three(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
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
#define MEDIAN(of, field) median_of_three(of[0].field, of[1].field, of[2].field)
    const double all_ns = MEDIAN(one, all_ns), serial_ns = MEDIAN(one, serial_ns);
    const double hops = one->hops, parcels = split->parcels;
    const double extra_ns = fmax(MEDIAN(split, all_ns) - all_ns, 0);
    const double parcel_ns = parcels > 0 ? extra_ns / parcels : 0;
    const double round_of_all_ns =
        median_of_three(round_ns(cores), round_ns(cores), round_ns(cores));
    printf(
        "one thread: %.0f ns per cycle, of which generation and injection %.0f; %.0f hops of "
        "%.0f ns\n",
        all_ns, serial_ns, hops, (all_ns - serial_ns) / hops);
    printf("%u partitions on one thread: %.0f parcels per cycle, %.1f ns each\n", cores, parcels,
           parcel_ns);
    printf("a round of %u threads: %.0f ns\n", cores, round_of_all_ns);
    printf("%u threads: %.2f times as fast as one\n", cores, all_ns / MEDIAN(side, all_ns));
    printf("\n%8s %14s %10s\n", "threads", "ns per cycle", "speed-up");
    for (uint32_t threads = 1; threads <= 64; threads *= 2) {
        const double most = 1 + sqrt(2 * log(threads) / (hops / threads));
        /* Slabs: every partition has the same two cuts. */
        const double per_part = parcels / cores;
        const double rounds_ns = threads == 1 ? 0 : 2 * round_of_all_ns * threads / cores;
        const double predicted_ns = serial_ns + (all_ns - serial_ns) / threads * most + rounds_ns +
                                    (threads > 1 ? per_part * parcel_ns : 0);
        printf("%8u %14.0f %10.2f\n", threads, predicted_ns, all_ns / predicted_ns);
    }
    return 0;
}
