/* The selection of NCCL 2.30.7 (src/graph/tuning.cc, src/enqueue.cc): the algorithm and
 * protocol for which its model, latency + bytes / bandwidth, predicts the least time, among rings,
 * double trees and PAT, and LL, LL128 and Simple; then the number of channels and the size of
 * chunks.
 *
 * The model is that of one machine, nodes like a DGX H100: accelerators of compute capability 9.0,
 * processors of Intel, one NIC of 400 Gbit/s for each accelerator, all NICs of a node on one switch
 * of NVLink. NCCL's search finds a ring for each NIC of 48 GB/s (sm90SpeedArrayInter), and in a
 * single node 12 of 30 GB/s; the library then doubles the channels (8 NICs: 16, one node: 24), and
 * twice with at most 4 NICs (ncclTopoDupChannels). The results of the search are not in the source:
 * they are what it reports on such machines.
 *
 * Where nodes are not known, or hold one rank each, every rank is a node with one NIC; PAT is only
 * used there, as in NCCL. Without: NVLS and CollNet (reduction in the network), tuners, registered
 * buffers. Bytes of all blocks count, of Allgather and Reduce_scatter. NCCL has no operations that
 * do not commute: those are as in MPICH. */
#include "replay/collectives/nodes.h"
#include "replay/collectives/patterns.h"
#include "replay/collectives/presets/presets.h"

#include <math.h>

typedef enum algorithm { TREE, RING, PAT } algorithm;
enum { PROTOCOLS = 3, MOST_CHANNELS = 32, SINGLE_NODE_RINGS = 12, CORRECTIONS = 23 };
static const double single_node_gbs = 30.0, nic_gbs = 48.0;

/* By protocol: LL, LL128, Simple (the order of NCCL's tables). */
static const vef_protocol protocols[PROTOCOLS] = {VEF_PROTOCOL_LL, VEF_PROTOCOL_LL128,
                                                  VEF_PROTOCOL_SIMPLE};
static const double base_us[][PROTOCOLS] = {
    [TREE] = {6.8, 14.0, 8.4}, [RING] = {6.6, 14.0, 8.4}, [PAT] = {8.0, 8.0, 8.0}};
static const double nvlink_us[][PROTOCOLS] = {
    [TREE] = {0.6, 1.25, 4.0}, [RING] = {0.6, 1.9, 3.4}, [PAT] = {0, 0, 4.0}};
static const double net_us[][PROTOCOLS] = {
    [TREE] = {5.0, 8.5, 14.0}, [RING] = {2.7, 4.0, 14.0}, [PAT] = {0, 0, 14.0}};
/* Of 1, 2 and more nodes, GB/s: LL in all; of a channel. */
static const double ll_gbs[] = {141.0, 39.0, 20.4};
static const double tree_gbs[] = {38.7, 41.4, 36.0}, tree_ll128_gbs[] = {36.7, 36.7, 29.0};
static const double ring_ll128_gbs = 36.7, net_overhead_us = 1.0;
/* How much of its bandwidth a tree reaches at 64 B, 128 B, … */
static const double tree_corrections[PROTOCOLS][CORRECTIONS] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}};
static const uint64_t threads[PROTOCOLS] = {512, 640, 512}, bytes_of_thread[PROTOCOLS] = {8, 8, 64};

/* ---- the machine ---- */

static uint64_t bytes_of(const vef_collective *call) {
    const bool each = vef_blocks_of(call) || call->call == VEF_CALL_Allgather ||
                      call->call == VEF_CALL_Reduce_scatter_block;
    return each ? vef_all_blocks_bytes(call) : call->bytes;
}

static uint32_t nodes_of(const vef_collective *call) {
    return call->nodes ? call->nodes->count : call->size;
}

static uint32_t rings_of(const vef_collective *call) {
    const uint32_t nodes = nodes_of(call), each = call->size / nodes;
    const uint32_t rings = nodes == 1 ? SINGLE_NODE_RINGS : each > 4 ? each : 2 * each;
    return rings < MOST_CHANNELS / 2 ? rings : MOST_CHANNELS / 2;
}

static uint32_t log2_of(uint64_t number) {
    uint32_t result = 0;
    while (number >>= 1)
        result++;
    return result;
}

static bool is_rooted(const vef_collective *call) {
    return call->call == VEF_CALL_Bcast || call->call == VEF_CALL_Reduce;
}

/* ---- the model ---- */

static double bandwidth_gbs(const vef_collective *call, algorithm choice, int protocol) {
    const uint32_t nodes = nodes_of(call), rings = rings_of(call), i = nodes > 2 ? 2 : nodes - 1;
    const uint32_t each = call->size / nodes, p = call->size;
    double bus = nodes == 1 ? SINGLE_NODE_RINGS * single_node_gbs : each * nic_gbs;
    if (choice == PAT)
        return bus * .75;
    if (choice == TREE) {
        bus = fmin(bus * .92, rings * tree_gbs[i]);
        if (protocol == 0)
            bus = fmin(bus / 3.8, ll_gbs[i]);
        if (protocol == 1)
            bus = fmin(bus * (nodes == 1 ? 7.0 / 9 : 120.0 / 128), rings * tree_ll128_gbs[i]);
        return bus * .5;
    }
    if (protocol == 0)
        bus = fmin(bus * .5, ll_gbs[i]);
    if (protocol == 1)
        bus = fmin(bus * .92, rings * ring_ll128_gbs);
    const double steps = call->call == VEF_CALL_Allreduce ? 2.0 * (p - 1) : p - 1.0;
    return is_rooted(call) ? bus : bus * p / steps;
}

static double ring_us(const vef_collective *call, int protocol, double intra_us, double inter_us) {
    const uint32_t nodes = nodes_of(call), p = call->size;
    const bool alike = nodes == 1 || nodes == p; /* all channels have the same order of ranks */
    const double overhead_us = nodes == 1 ? 0 : net_overhead_us * (protocol == 2 ? 3 : 1);
    if (is_rooted(call)) {
        const algorithm of_hop = protocol == 2 && !alike ? TREE : RING;
        return (nodes == 1 ? nvlink_us : net_us)[of_hop][protocol] * (alike ? 1.0 : p);
    }
    const double turns = call->call == VEF_CALL_Allreduce ? 2 : 1;
    return turns * ((p - nodes) * fmax(intra_us, overhead_us) + (nodes - 1.0) * inter_us);
}

static double latency_us(const vef_collective *call, algorithm choice, int protocol) {
    const uint32_t nodes = nodes_of(call), p = call->size;
    const double intra_us = nvlink_us[choice][protocol];
    const double inter_us = net_us[nodes == p ? TREE : choice][protocol];
    double us = base_us[choice][protocol];
    if (choice == RING)
        us += ring_us(call, protocol, intra_us, inter_us);
    if (choice == TREE)
        us += 2 * ((p / nodes - 1) * intra_us + log2_of(nodes) * inter_us);
    if (choice == PAT)
        us += log2_of(nodes) * inter_us / 3.5 + p * 2.8;
    return us;
}

static double time_us(const vef_collective *call, algorithm choice, int protocol) {
    const uint64_t bytes = bytes_of(call);
    const uint32_t size = log2_of(bytes >> 6);
    double gbs = bandwidth_gbs(call, choice, protocol), us = latency_us(call, choice, protocol);
    if (choice == TREE && bytes >= 64 && size < CORRECTIONS)
        gbs *= tree_corrections[protocol][size];
    const uint64_t of_ring = 2 * (uint64_t)rings_of(call) * call->size;
    if (choice == RING && protocol == 2 && nodes_of(call) > 1 && call->call == VEF_CALL_Allreduce &&
        bytes / of_ring >= 64)
        us *= 1.4;
    return us + (double)bytes / (1000 * gbs);
}

/* The protocol with which the algorithm is fastest, and how fast. */
static int best_protocol(const vef_collective *call, algorithm choice, double *us) {
    int best = 2;
    *us = time_us(call, choice, best);
    for (int protocol = 1; choice != PAT && protocol >= 0; protocol--) {
        const double other_us = time_us(call, choice, protocol);
        if (other_us <= *us) {
            *us = other_us;
            best = protocol;
        }
    }
    return best;
}

static bool is_faster(const vef_collective *call, algorithm choice) {
    double us, ring;
    best_protocol(call, choice, &us);
    best_protocol(call, RING, &ring);
    return us <= ring;
}

static bool takes_tree(const vef_collective *call) {
    return call->size > 1 && is_faster(call, TREE);
}

static bool takes_pat(const vef_collective *call) {
    return call->size > 1 && nodes_of(call) == call->size && is_faster(call, PAT);
}

/* ---- channels and chunks ---- */

static void tune(const vef_collective *call, algorithm choice, vef_tuning *tuning) {
    static const uint64_t chunks[PROTOCOLS] = {32768, 576000, 524288};
    double us;
    const int protocol = call->size > 1 ? best_protocol(call, choice, &us) : 2;
    const uint64_t bytes = bytes_of(call), most = 2 * (uint64_t)rings_of(call);
    uint64_t least = threads[protocol] * bytes_of_thread[protocol], chunk = chunks[protocol];
    if (choice == RING && protocol == 0)
        least *= call->size;
    const uint64_t channels = bytes / least < 1 ? 1 : bytes / least < most ? bytes / least : most;
    if (choice == RING && protocol == 2 && !is_rooted(call))
        chunk *= 4;
    if (choice == TREE && protocol == 1) {
        const uint32_t nodes = nodes_of(call);
        const double each = (double)call->size / nodes, steps = 1 + log2_of(nodes) + .1 * each;
        while ((double)(bytes / (channels * chunk)) < steps * 64 / each && chunk > 131072)
            chunk /= 2;
        while ((double)(bytes / (channels * chunk)) < steps * 16 / each && chunk > 32768)
            chunk /= 2;
        chunk -= chunk % 1920;
    }
    *tuning = (vef_tuning){chunk, (uint32_t)channels, protocols[protocol]};
}

static void tune_tree(const vef_collective *call, vef_tuning *tuning) {
    tune(call, TREE, tuning);
}

static void tune_rings(const vef_collective *call, vef_tuning *tuning) {
    tune(call, RING, tuning);
}

static const vef_preference preferences[] = {
    STEP(Allreduce, "double-tree", .when = takes_tree, .tune = tune_tree),
    STEP(Allreduce, "channel-rings", .tune = tune_rings),
    STEP(Allreduce, "recursive-doubling"),
    STEP(Bcast, "channel-rings", .tune = tune_rings),
    STEP(Reduce, "channel-rings", .tune = tune_rings),
    STEP(Reduce, "binomial"),
    STEP(Allgather, "pat", .when = takes_pat),
    STEP(Allgather, "channel-rings", .tune = tune_rings),
    STEP(Allgatherv, "pat", .when = takes_pat),
    STEP(Allgatherv, "channel-rings", .tune = tune_rings),
    STEP(Reduce_scatter, "pat", .when = takes_pat),
    STEP(Reduce_scatter, "channel-rings", .tune = tune_rings),
    STEP(Reduce_scatter, "recursive-doubling"),
    STEP(Reduce_scatter_block, "pat", .when = takes_pat),
    STEP(Reduce_scatter_block, "channel-rings", .tune = tune_rings),
    STEP(Reduce_scatter_block, "recursive-doubling"),
    STEP(Alltoall, "grouped", .tuning = {.protocol = VEF_PROTOCOL_SIMPLE}),
    STEP(Alltoallv, "grouped", .tuning = {.protocol = VEF_PROTOCOL_SIMPLE}),
    STEP(Gather, "linear"),
    STEP(Scatter, "linear"),
    END_OF_STEPS,
};

const vef_preset vef_preset_nccl = {
    .name = "nccl",
    .summary = "the tuning model of NCCL on nodes like a DGX H100, by size, ranks and nodes",
    .preferences = preferences,
};
