/* Every figure of a network in one struct, measured by one function, and the table of the scalar
 * figures: their names, units and order for printing (`vef topology`, tables of published values).
 * docs/topology.md defines them. */
#ifndef VEF_NETMODEL_ANALYSIS_FIGURES_H
#define VEF_NETMODEL_ANALYSIS_FIGURES_H

#include "netmodel/analysis/bisection.h"
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/layout/bill.h"
#include "netmodel/analysis/loads/inner_link.h"
#include "netmodel/analysis/loads/link_load.h"

/* The value of a count that a network does not have; NAN for a real number. */
#define VEF_NO_COUNT UINT64_MAX

/* Loads can only disprove a symmetry; only the construction of the network proves it. */
typedef enum vef_symmetry {
    VEF_SYMMETRY_NOT_REFUTED,     /* all loads are equal, and the family claims nothing */
    VEF_SYMMETRY_BY_CONSTRUCTION, /* claimed by the family: one orbit (vef_topology.orbits) */
    VEF_SYMMETRY_REFUTED,         /* degrees, endpoints or loads differ */
    VEF_SYMMETRY_UNKNOWN,         /* nothing claimed, loads (by sharing `paths`) not measured */
} vef_symmetry;

/* Options; zero-initialised for the default measurements. */
typedef struct vef_figures_request {
    bool without_loads;  /* without link loads and figures derived from them, which take the most
                            time on networks without symmetries */
    bool with_partition; /* the partitioner's cut also where there are axes */
    const vef_sharing *sharing;  /* of link loads; NULL: the best */
    const vef_prices *prices;    /* NULL: no bill */
    uint64_t nominal_bits_per_s; /* of links without their own bandwidth; 0: all links are equal */
    vef_graph_watch watch;       /* receives the progress of long steps */
} vef_figures_request;

typedef struct vef_figures {
    /* ---- one number each: rows of vef_figure_table ---- */
    uint64_t routers, endpoints;
    uint64_t switches;               /* none where all routers are switches */
    uint64_t degree_min, degree_max; /* connected ports of a router */
    uint64_t links;
    uint64_t diameter;
    double average_distance;                /* a router itself counted as 0 */
    double average_distance_without_itself; /* without pairs of the same router */
    double stddev_distance;
    uint64_t network_cost; /* degree_max x diameter */
    double link_utilization, throughput_bound, capacity_bound;
    uint64_t axis_bisection_links;      /* none unless the middle of an axis is that of endpoints */
    uint64_t unequal_axis_cut_links;    /* none unless it has fewer links */
    uint64_t partition_bisection_links; /* exact in small networks; else none unless requested, or
                                           without the partitioner */
    double effective_bisection; /* the smaller of the measured cuts, of equals the one across an
                                   axis; links */
    uint64_t inner_link_paths, inner_link_crossing; /* none without inner links */
    double inner_link_share;
    vef_bill bill; /* its numbers: none without prices */

    /* ---- other figures ---- */
    vef_symmetry vertex_symmetry, edge_symmetry;
    vef_distances distances;
    vef_link_load load;                        /* `sharing` NULL: not measured */
    vef_cut axis_cut;                          /* valid if axis_bisection_links is a count */
    vef_cut unequal_cut;                       /* valid if unequal_axis_cut_links is a count */
    vef_cut partition;                         /* valid if partition_bisection_links is a count */
    bool exact;                                /* `partition` is the bisection */
    char without_partition[VEF_MESSAGE_BYTES]; /* why a requested figure is missing; else "" */
    struct vef_graph *graph;                   /* the graph of load.load; owned */
} vef_figures;

/* Refuses (VEF_FAILED) a network that is not connected. `topology` must outlive the figures. On
 * failure the caller has nothing to free. */
vef_code vef_figures_measure(const vef_topology *topology, const vef_figures_request *request,
                             vef_figures *figures, vef_error *error);
void vef_figures_release(vef_figures *figures);

typedef enum vef_figure_group {
    VEF_FIGURES_OF_SIZE,
    VEF_FIGURES_OF_DISTANCE,
    VEF_FIGURES_OF_LOAD,
    VEF_FIGURES_OF_CUT,
    VEF_FIGURES_OF_INNER_LINK,
    VEF_FIGURES_OF_COST,
} vef_figure_group;

typedef struct vef_figure {
    const char *key;   /* in JSON and CSV */
    const char *label; /* for people */
    const char *unit;  /* a short description */
    vef_figure_group group;
    bool whole;    /* a uint64_t, else a double */
    size_t offset; /* offset in vef_figures */
} vef_figure;

extern const vef_figure vef_figure_table[]; /* terminated by a row whose key is NULL */

/* The value of a figure as a number; false if the network has none. */
bool vef_figure_value(const vef_figures *figures, const vef_figure *figure, double *value);

#endif
