/* Exact loads of links under uniform traffic with minimal routing, and the throughput that the most
 * loaded one allows.
 *
 * Where there are several minimal paths the loads depend on how traffic is shared among them. Each
 * way of sharing is a row of vef_sharings (sharing_*.c); every one of them is minimal routing, so
 * the best one (whose most loaded link carries least) is what minimal routing can reach at least,
 * and its name stands beside the figures. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_LINK_LOAD_H
#define VEF_NETMODEL_ANALYSIS_LOADS_LINK_LOAD_H

#include "netmodel/analysis/graph/graph.h"

typedef struct vef_sharing {
    const char *name;
    const char *summary; /* one line */
    bool (*applies)(const vef_topology *topology);
    /* Fills in load[arc]: phits per cycle over each arc when every endpoint sends 1 phit per cycle,
     * to every endpoint alike (itself included). */
    vef_code (*spread)(const vef_graph *graph, double *load, vef_error *error);
} vef_sharing;

/* Ended by NULL; the first, `paths`, applies to every topology: all minimal paths of a pair carry
 * the same. Its work is sources x arcs of the graph. */
extern const vef_sharing *const vef_sharings[];
extern const vef_sharing vef_sharing_paths;    /* sharing_paths.c */
extern const vef_sharing vef_sharing_records;  /* sharing_records.c */
extern const vef_sharing vef_sharing_straight; /* sharing_records.c */

/* The sharing of that name; VEF_INVALID names those that there are. */
vef_code vef_sharing_find(const char *name, const vef_sharing **sharing, vef_error *error);

/* Sources x arcs above which vef_link_load_measure leaves `paths` out where another row applies:
 * some 1 to 5 s of one core. */
#define VEF_MOST_PATHS_WORK UINT64_C(1000000000)

typedef struct vef_link_load {
    const vef_sharing *sharing; /* the best, to which all but the last two lines belong */
    double *load;               /* [arcs], as by its `spread`; owned */
    double utilization;         /* LU: mean load of a link over that of the most loaded one */
    double throughput_bound;    /* phits/cycle/endpoint: where the most loaded link is full */
    double capacity_bound;      /* where all of them would be: no minimal routing exceeds it */
    uint32_t busiest_router, busiest_port;
    /* Of each link class: hops of the class in a mean path (a router itself counted as 0, so that
     * they add up to the average distance), links, and mean load over the most loaded link's. */
    uint32_t classes;
    double average_distance[VEF_MAX_LINK_CLASSES];
    uint64_t links[VEF_MAX_LINK_CLASSES];
    double class_utilization[VEF_MAX_LINK_CLASSES];
    /* From the loads of `paths`, which symmetries of the network keep: whether all links carry the
     * same, and all routers forward the same, over links as fast. What differs disproves edge and
     * vertex symmetry. Both false and without meaning where `paths` was left out for its work. */
    bool links_alike, routers_alike;
    bool paths_left_out;
} vef_link_load;

/* Measures by every sharing that applies, or by `sharing` alone where it is not NULL (refused with
 * VEF_UNSUPPORTED where it does not apply). A load over a link that says its own bandwidth counts
 * `nominal_bits_per_s` / that bandwidth times (0: all links are alike). Refuses (VEF_INVALID) a
 * network whose endpoints do not reach each other, or all hang on one router. */
vef_code vef_link_load_measure(const vef_graph *graph, const vef_sharing *sharing,
                               uint64_t nominal_bits_per_s, vef_link_load *load, vef_error *error);
void vef_link_load_release(vef_link_load *load);

#endif
