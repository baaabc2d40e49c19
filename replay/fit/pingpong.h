/* Fitting the keys of a machine file to measurements of vefpingpong. docs/fit.md has the
 * derivation.
 *
 * Half a round trip of s bytes is send_overhead(s) + transfer(s) + receive_overhead(s). The
 * overheads are fitted to times inside single calls, the transfer time to what remains of half a
 * round trip, so that no copy is counted twice. Where the network between two nodes is known, the
 * transfer time is that of the network, and what remains is the receive overhead. */
#ifndef VEF_REPLAY_FIT_PINGPONG_H
#define VEF_REPLAY_FIT_PINGPONG_H

#include "common/config/cost.h"
#include "netmodel/netmodel.h"
#include "replay/fit/measurements.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum vef_fit_part {
    VEF_FIT_SEND,
    VEF_FIT_ISEND,
    VEF_FIT_RECEIVE,
    VEF_FIT_TRANSFER, /* the rest: host.memory_time, or of a known network host.receive_overhead */
    VEF_FIT_EXCHANGE, /* both directions at once; its cost is host.memory_gap */
    VEF_FIT_COPY,     /* host.local_copy */
    VEF_FIT_PUT,      /* host.put_time, and so on */
    VEF_FIT_GET,
    VEF_FIT_ACCUMULATE,
    VEF_FIT_FLUSH,  /* host.flush_time */
    VEF_FIT_TRAIN,  /* host.memory_receive_gap */
    VEF_FIT_REDUCE, /* host.reduce_cost: its time per byte */
    VEF_FIT_HALF,   /* half a round trip: the sum; it has points, but no cost of its own */
    VEF_FIT_PARTS,
} vef_fit_part;

enum { VEF_FIT_DECADES = 10 };

/* Relative residuals |fitted - measured| / measured of the sizes 10^d … 10^(d+1) - 1. */
typedef struct vef_fit_residuals {
    size_t count;
    double median, p95;
} vef_fit_residuals;

typedef struct vef_fit_quantity {
    vef_size_times *sizes; /* measured; of TRANSFER: what remains, in the median */
    size_t count;
    vef_cost cost;
    vef_fit_residuals residuals[VEF_FIT_DECADES], overall;
} vef_fit_quantity;

/* What a message takes between the nodes of the two tasks, without other traffic. */
typedef struct vef_fit_network {
    vef_packets packets;
    double cycle_ns; /* 0: the network is not known */
    uint32_t path_cycles, cycles_per_phit;
} vef_fit_network;

/* The one line of LogGP between two nodes (netmodel loggp). */
typedef struct vef_fit_loggp {
    double latency_ns, gap_per_byte_ns, overhead_ns, overhead_per_byte_ns;
} vef_fit_loggp;

typedef struct vef_pingpong_fit {
    vef_sample_facts facts;
    bool one_node;
    uint64_t eager_bytes; /* UINT64_MAX: no measured size blocks */
    uint64_t most_bytes;
    vef_fit_quantity parts[VEF_FIT_PARTS];
    vef_fit_network network;
    vef_fit_loggp loggp; /* unless one_node, or the network is known */
    size_t negative;     /* sizes whose overheads exceed half a round trip: transfer time 0 */
    double spread;       /* median over sizes of the quartile range of round trips, relative */
    double cpu_share;    /* CPU time per wall time, of the task with less; 1 if not stated */
    char doubt[256];     /* why the measurements should not be used; "": none */
} vef_pingpong_fit;

static inline bool vef_fit_knows_network(const vef_pingpong_fit *fit) {
    return fit->network.cycle_ns > 0;
}

/* The way from endpoint 0 to endpoint 1, by a message. VEF_UNSUPPORTED: a model without links. */
vef_code vef_fit_network_of(vef_netmodel *model, vef_fit_network *network, vef_error *error);

/* Fits; `network` is that between the tasks, or NULL. VEF_FAILED: too few sizes or samples, or a
 * network between tasks of one node. Same measurements, same result. Free it even on failure. */
vef_code vef_pingpong_fit_to(const vef_measurements *measurements, const vef_fit_network *network,
                             vef_pingpong_fit *fit, vef_error *error);
void vef_pingpong_fit_free(vef_pingpong_fit *fit);

/* The fitted time of a part, or of half a round trip, including the network and the rendezvous of
 * the replay. */
double vef_pingpong_fit_ns(const vef_pingpong_fit *fit, vef_fit_part part, uint64_t bytes);

/* Writes the machine file, residuals as comments; of a known network only `mpi` and `host`. */
void vef_pingpong_fit_write(const vef_pingpong_fit *fit, FILE *out);

#endif
