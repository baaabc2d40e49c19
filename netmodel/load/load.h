/* Open-loop measurement: a network under synthetic traffic that does not wait for it. How much it
 * accepts, how long packets and messages take, which links are busy, who gets how much.
 *
 * A run is one network, one rate and one seed; a point is one rate and several seeds, its figures
 * the mean of theirs. A result depends on settings, rate and seed alone: every run builds a network
 * of its own, whatever the number of threads. */
#ifndef VEF_NETMODEL_LOAD_LOAD_H
#define VEF_NETMODEL_LOAD_LOAD_H

#include "netmodel/load/steady.h"
#include "netmodel/traffic/traffic.h"

typedef struct vef_load_settings {
    const char *network; /* a network file */
    const char *const *overrides;
    size_t override_count;
    /* All but rate, phit_bytes, traffic_classes and seed, which are set for each run. The pattern
     * is of a topology equal to the network's; several threads use it at once. */
    vef_traffic_settings traffic;
    double precision;      /* half the width of the confidence intervals, relative to the mean */
    bool throughput_alone; /* of the accepted load, whatever that of latencies */
    uint64_t most_cycles;  /* of a run, its warm-up among them; VEF_LEAST_LOAD_CYCLES at least */
    uint32_t seeds;        /* runs of a point, from 1: first_seed, first_seed + 1, … */
    uint64_t first_seed;
    uint32_t threads; /* 0: one per core */
} vef_load_settings;

enum { VEF_LEAST_LOAD_CYCLES = 4096 };

/* Figures of the time after the warm-up; loads in phits per cycle and endpoint, all endpoints
 * counted, also those that send nothing. */
typedef struct vef_load_figures {
    double offered_load; /* the rate asked for, times the share of endpoints that send */
    vef_estimate accepted_load;
    vef_estimate latency_cycles; /* of packets in the network: vef_net_statistics */
    double latency_median_cycles, latency_p99_cycles, latency_p999_cycles;
    /* Of messages, from the cycle in which they were made, waiting at their source included. It has
     * no steady state where the source cannot keep up (`saturated`). */
    vef_estimate message_latency_cycles;
    double message_latency_median_cycles, message_latency_p99_cycles, message_latency_p999_cycles;
    double average_hops;
    /* The busy share of directed links: over all, and by class (vef_topology_link_class). */
    double link_utilization_mean, link_utilization_max;
    double class_utilization_mean[VEF_MAX_LINK_CLASSES],
        class_utilization_max[VEF_MAX_LINK_CLASSES];
    double held_share; /* of the senders, those whose source is behind at the end */
    double cycles, warm_up_cycles;
    double packets, messages, packet_hops; /* delivered in those cycles */
    double all_packet_hops, seconds;       /* of the whole run, warm-up included; wall-clock */
    double memory_bytes;
} vef_load_figures;

typedef struct vef_load_run {
    uint64_t seed;
    bool settled; /* the end of the warm-up was seen */
    bool precise; /* the precision asked for was reached */
    vef_load_figures figures;
    uint64_t *accepted_phits; /* [endpoints]: delivered, by source */
    uint32_t endpoints, senders;
    uint64_t deadlock_cycle;
    char
        *deadlock; /* NULL: there was none; else why packets can never move again, and no figures */
} vef_load_run;

typedef struct vef_load_point {
    double rate; /* asked for, of the endpoints that send */
    vef_load_run *runs;
    uint32_t run_count, run_room;
    bool settled, precise;    /* all runs are, and the mean of them */
    bool saturated;           /* the network accepts less than it is offered */
    vef_load_figures figures; /* means over the runs; packets, messages, hops and seconds: sums */
    /* Between the endpoints that send: least accepted load over the mean, and Jain's index
     * (sum x)^2 / (n sum x^2), 1 when all are alike. */
    double fairness_min, fairness_jain;
    const vef_load_run *deadlocked; /* the first run that was; NULL: none */
} vef_load_point;

/* Told the share (0 to 1) of the work that is done; only from one thread at a time. */
typedef struct vef_load_watch {
    void (*tell)(void *context, double share);
    void *context;
} vef_load_watch;

/* Refuses settings and rates that cannot be run, with the reason and what would do. `model` is the
 * network, as the runs will open it. */
vef_code vef_load_check(const vef_load_settings *settings, const vef_netmodel *model,
                        const double *rates, size_t count, vef_error *error);

/* The greatest rate that an endpoint of the network can send: phits per cycle; infinite where
 * nothing bounds it. */
double vef_load_most_rate(const vef_netmodel *model);

/* Measures `count` points into `points` (released by vef_load_points_release also after a failure).
 * `watch` may be NULL. After a deadlock later points may be left out (run_count 0). */
vef_code vef_load_points(const vef_load_settings *settings, const double *rates, size_t count,
                         const vef_load_watch *watch, vef_load_point *points, vef_error *error);
void vef_load_points_release(vef_load_point *points, size_t count);

#endif
