/* Exact loads of links under uniform traffic with minimal routing, and the throughput bound of the
 * most loaded link.
 *
 * With several minimal paths the loads depend on the distribution of traffic among them. Each
 * distribution is a row of vef_sharings (sharing_*.c); each is minimal routing, so the best one
 * (with the least load on the most loaded link) is a lower bound of what minimal routing can reach,
 * and its name is reported with the figures. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_LINK_LOAD_H
#define VEF_NETMODEL_ANALYSIS_LOADS_LINK_LOAD_H

#include "netmodel/analysis/graph/distances.h"

typedef struct vef_sharing {
    const char *name;
    const char *summary; /* one line */
    bool (*applies)(const vef_topology *topology);
    /* Fills in load[arc]: phits per cycle over each arc when every endpoint sends 1 phit per cycle,
     * uniformly to every endpoint (including itself). */
    void (*spread)(const vef_graph *graph, double *load);
} vef_sharing;

/* Terminated by NULL; the first, `paths`, supports every topology: all minimal paths of a pair have
 * equal load. Its work is sources x arcs of the graph. */
extern const vef_sharing *const vef_sharings[];
extern const vef_sharing vef_sharing_paths;    /* sharing_paths.c */
extern const vef_sharing vef_sharing_records;  /* sharing_records.c */
extern const vef_sharing vef_sharing_straight; /* sharing_records.c */

/* The sharing of that name; VEF_INVALID lists all. */
vef_code vef_sharing_find(const char *name, const vef_sharing **sharing, vef_error *error);

/* Sources x arcs above which vef_link_load_measure omits `paths` if another row is supported: some
 * 1 to 5 s of one core. */
#define VEF_MOST_PATHS_WORK UINT64_C(1000000000)

typedef struct vef_link_load {
    const vef_sharing *sharing; /* the best one; all fields except the last two lines are its */
    double *load;               /* [arcs], as by its `spread`; owned. NULL with few links */
    uint32_t few_links; /* only that many were measured, and the figures of the most loaded link are
                           those of the most loaded of these; 0: all were */
    double utilization; /* LU: mean load of a link over that of the most loaded one */
    double throughput_bound; /* phits/cycle/endpoint at which the most loaded link is full */
    double capacity_bound;   /* at which all links would be full: no minimal routing exceeds it */
    uint32_t busiest_router, busiest_port;
    /* For each link class: hops of the class in a mean path (a router itself counted as 0, so that
     * they add up to the average distance), links, and mean load relative to the most loaded
     * link's. */
    uint32_t classes;
    double average_distance[VEF_MAX_LINK_CLASSES];
    uint64_t links[VEF_MAX_LINK_CLASSES];
    double class_utilization[VEF_MAX_LINK_CLASSES];
    /* From the loads of `paths`, which are invariant under symmetries: whether all links, of equal
     * speed, have equal load, and all routers forward equally much. Differences disprove edge and
     * vertex symmetry. Both false and meaningless if `paths` was omitted. */
    bool links_alike, routers_alike;
    bool paths_left_out;
} vef_link_load;

/* Measures with every supported sharing, or with `sharing` alone if not NULL (VEF_UNSUPPORTED if
 * not supported). The load of a link with its own bandwidth counts `nominal_bits_per_s` / that
 * bandwidth times (0: all links are equal). Refuses (VEF_INVALID) a disconnected network, or one
 * with all endpoints on one router. */
vef_code vef_link_load_measure(const vef_graph *graph, const vef_sharing *sharing,
                               uint64_t nominal_bits_per_s, vef_link_load *load, vef_error *error);
void vef_link_load_release(vef_link_load *load);

/* The same by `paths`, from the loads of few links that promise the greatest, for networks of more
 * searches x links than VEF_LIMIT_LOADS: utilization and throughput_bound are upper bounds of the
 * exact figures, capacity_bound is exact. False: it does not apply, since symmetries make all loads
 * cheap, links have their own bandwidths, or even one link takes many searches. */
bool vef_link_load_measure_few(const vef_graph *graph, const vef_sharing *sharing,
                               const vef_distances *distances, vef_link_load *load);

/* few_links.c: returns the number of links, and stores the greatest load, and whose it is. */
uint32_t vef_few_links_measure(const vef_graph *graph, const vef_distances *distances, double *most,
                               uint32_t *router, uint32_t *port);

#endif
