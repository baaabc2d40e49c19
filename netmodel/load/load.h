/* Open-loop measurement of a network under synthetic traffic: accepted load, latencies of packets
 * and messages, utilisation of links, fairness.
 *
 * A run is one network, one rate and one seed; a point is one rate and several seeds, its figures
 * the mean of theirs. A result depends only on settings, rate and seeds: every run has its own
 * network, whatever the number of threads. At a time the networks of the points under way exist: of
 * one point, or of more while there are threads without work. */
#ifndef VEF_NETMODEL_LOAD_LOAD_H
#define VEF_NETMODEL_LOAD_LOAD_H

#include "netmodel/load/steady.h"
#include "netmodel/sampling.h"
#include "netmodel/traffic/traffic.h"

typedef struct vef_load_settings {
    const char *network; /* a network file */
    /* The same network, opened and at time 0: the last run of all takes place in it if it has that
     * seed, and the caller still owns it. NULL: every run opens its own. */
    vef_netmodel *opened;
    const char *const *overrides;
    size_t override_count;
    /* All but rate, packets, traffic_classes and seed, which are set for each run. The pattern
     * is for a topology equal to the network's; several threads use it concurrently. */
    vef_traffic_settings traffic;
    double precision;      /* half the width of the confidence intervals, relative to the mean */
    bool throughput_alone; /* of the accepted load only, not of latencies */
    uint64_t most_cycles;  /* of a run, including its warm-up; at least VEF_LEAST_LOAD_CYCLES */
    bool gives_up;         /* whether a point ends when most_cycles cannot reach the precision */
    uint32_t seeds;        /* runs per point, at least 1 */
    /* Of the runs; NULL: first_seed, first_seed + 1, … */
    const uint64_t *seed_list;
    uint64_t first_seed;
    uint32_t threads; /* 0: one per core */
    /* Simulate every run together, one after another; `threads` is 1. Every one gets the results.
     * NULL: this process does. */
    const vef_net_ranks *ranks;
    bool per_link;          /* whether the utilisation of every link is kept */
    uint64_t sample_cycles; /* of the run with the first seed, from its beginning; 0: no samples */
} vef_load_settings;

enum { VEF_LEAST_LOAD_CYCLES = 4096 };

/* The seed of a run of each point. */
static inline uint64_t vef_load_seed(const vef_load_settings *settings, uint32_t run) {
    return settings->seed_list ? settings->seed_list[run] : settings->first_seed + run;
}

/* Of the sources of a group (vef_pattern_kind.groups): loads in phits per cycle, of all of them
 * together; latencies of their messages from generation to delivery. */
typedef struct vef_load_group {
    double offered_phits, accepted_phits;
    double messages; /* delivered */
    double latency_mean_cycles, latency_median_cycles, latency_p99_cycles, latency_p999_cycles;
} vef_load_group;

/* Figures of the time after the warm-up; loads in phits per cycle and endpoint, over all endpoints
 * including silent ones. */
typedef struct vef_load_figures {
    double offered_load;         /* the requested rate, times the share of endpoints that send */
    vef_estimate accepted_load;  /* headers included */
    double goodput;              /* payload alone, of the messages that arrived */
    double goodput_bytes_per_s;  /* goodput in bytes per second and endpoint */
    vef_estimate latency_cycles; /* of packets in the network: vef_net_statistics */
    double latency_median_cycles, latency_p99_cycles, latency_p999_cycles;
    /* Of messages, from the cycle of their generation, including the wait at their source. It has
     * no steady state if the source cannot keep up (`unbounded`). */
    vef_estimate message_latency_cycles;
    double message_latency_median_cycles, message_latency_p99_cycles, message_latency_p999_cycles;
    double average_hops;
    /* The busy share of directed links: of all, and by class (vef_topology_link_class). */
    double link_utilization_mean, link_utilization_max;
    double class_utilization_mean[VEF_MAX_LINK_CLASSES],
        class_utilization_max[VEF_MAX_LINK_CLASSES];
    vef_load_group groups[VEF_MOST_GROUPS];
    double held_share; /* of the senders, those whose source has a backlog at the end */
    double cycles, warm_up_cycles;
    double packets, messages, packet_hops; /* delivered in those cycles */
    double all_packet_hops, seconds;       /* of the whole run, including warm-up; wall-clock */
    double memory_bytes;
} vef_load_figures;

typedef struct vef_load_run {
    uint64_t seed;
    vef_load_figures figures;
    uint64_t *accepted_phits; /* [endpoints]: delivered, by source */
    uint32_t endpoints, senders;
    double *utilization; /* of every link (utilization.h), until those of the point are combined;
                            NULL: not kept */
    size_t links;        /* its length */
    vef_link_samples samples;
    uint64_t deadlock_cycle;
    char *deadlock; /* NULL: no deadlock; else its description, and no figures */
} vef_load_run;

typedef struct vef_load_point {
    double rate; /* requested, for the endpoints that send */
    vef_load_run *runs;
    uint32_t run_count, run_room;
    bool settled;             /* the end of the warm-up was detected */
    bool precise;             /* it was, and the means have the requested precision (measure.h) */
    bool saturated;           /* the network accepts less than is offered */
    bool unbounded;           /* the latency of messages grows with the length of the runs */
    double needed_cycles;     /* of a run, that the precision would take; 0: unknown */
    vef_load_figures figures; /* means over the runs; packets, messages, hops and seconds: sums */
    /* Over the endpoints that send: least accepted load over the mean, and Jain's index (sum x)^2 /
     * (n sum x^2), 1 if all are equal. */
    double fairness_min, fairness_jain;
    double *utilization;            /* of every link, the mean over the runs; NULL: not kept */
    const vef_load_run *deadlocked; /* the first deadlocked run; NULL: none */
} vef_load_point;

/* Receives the finished share (0 to 1) of the work; called from one thread at a time. */
typedef struct vef_load_watch {
    void (*report)(void *context, double share);
    void *context;
} vef_load_watch;

/* Refuses invalid settings and rates, with the reason and the accepted values. `model` is the
 * network, as the runs will open it. */
vef_code vef_load_check(const vef_load_settings *settings, const vef_netmodel *model,
                        const double *rates, size_t count, vef_error *error);

/* Measures `count` points into `points` (release them with vef_load_points_release even after a
 * failure). `watch` may be NULL. After a deadlock later points may be omitted (run_count 0). */
vef_code vef_load_points(const vef_load_settings *settings, const double *rates, size_t count,
                         const vef_load_watch *watch, vef_load_point *points, vef_error *error);
void vef_load_points_release(vef_load_point *points, size_t count);

#endif
