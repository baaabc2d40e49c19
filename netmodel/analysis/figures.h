/* Every figure of a network in one struct, measured by one function, and the table of those figures
 * that are one number: what prints them (`vef topology`, tables of published values) takes their
 * names, units and order from there. What each means: docs/topology.md. */
#ifndef VEF_NETMODEL_ANALYSIS_FIGURES_H
#define VEF_NETMODEL_ANALYSIS_FIGURES_H

#include "netmodel/analysis/bisection.h"
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/loads/inner_link.h"
#include "netmodel/analysis/loads/link_load.h"

/* Stands for a count that a network does not have; NAN for a real number. */
#define VEF_NO_COUNT UINT64_MAX

/* Loads can only disprove a symmetry; what proves it is how the network is built. */
typedef enum vef_symmetry {
    VEF_SYMMETRY_NOT_REFUTED,     /* all loads are alike, and the family claims nothing */
    VEF_SYMMETRY_BY_CONSTRUCTION, /* the family says so: one orbit (vef_topology.orbits) */
    VEF_SYMMETRY_REFUTED,         /* degrees, endpoints or loads differ */
    VEF_SYMMETRY_UNKNOWN,         /* nothing claimed, loads (by sharing `paths`) not measured */
} vef_symmetry;

/* What to measure beside what every network has: zero-initialised is the usual. */
typedef struct vef_figures_request {
    bool without_loads;          /* no link loads and nothing that follows from them: they take the
                                    most time where nothing in a network is alike */
    bool with_partition;         /* the partitioner's cut also where there are axes */
    const vef_sharing *sharing;  /* of link loads; NULL: the best */
    uint64_t nominal_bits_per_s; /* of links that do not say their own; 0: all links are alike */
    vef_graph_watch watch;       /* is told how far long steps are */
} vef_figures_request;

typedef struct vef_figures {
    /* ---- one number each: rows of vef_figure_table ---- */
    uint64_t routers, endpoints;
    uint64_t degree_min, degree_max; /* connected ports of a router */
    uint64_t links;
    uint64_t diameter;
    double average_distance;                /* a router itself counted as 0 */
    double average_distance_without_itself; /* pairs of one router left out */
    double stddev_distance;
    uint64_t network_cost; /* degree_max x diameter */
    double link_utilization, throughput_bound, capacity_bound;
    uint64_t axis_bisection_links;      /* none without axes */
    uint64_t partition_bisection_links; /* none where not asked for, or without the partitioner */
    double effective_bisection; /* of the smaller of the cuts measured, of equals the one across an
                                   axis; links */
    uint64_t inner_link_paths, inner_link_crossing; /* none without inner links */
    double inner_link_share;

    /* ---- the rest ---- */
    vef_symmetry vertex_symmetry, edge_symmetry;
    vef_distances distances;
    vef_link_load load; /* `sharing` NULL: not measured */
    vef_cut axis_cut;   /* meaningful where axis_bisection_links is a count */
    vef_cut partition;  /* likewise */
    char without_partition[VEF_MESSAGE_BYTES]; /* why there is none though wanted; else "" */
    struct vef_graph *graph;                   /* to which load.load belongs; owned */
} vef_figures;

/* Refuses (VEF_FAILED) a network whose endpoints do not reach each other. `topology` must outlive
 * the figures. On failure nothing is held. */
vef_code vef_figures_measure(const vef_topology *topology, const vef_figures_request *request,
                             vef_figures *figures, vef_error *error);
void vef_figures_release(vef_figures *figures);

typedef enum vef_figure_group {
    VEF_FIGURES_OF_SIZE,
    VEF_FIGURES_OF_DISTANCE,
    VEF_FIGURES_OF_LOAD,
    VEF_FIGURES_OF_CUT,
    VEF_FIGURES_OF_INNER_LINK,
} vef_figure_group;

typedef struct vef_figure {
    const char *key;   /* in JSON and CSV */
    const char *label; /* for people */
    const char *unit;  /* and what it is, in a few words */
    vef_figure_group group;
    bool whole;    /* a uint64_t, else a double */
    size_t offset; /* in vef_figures */
} vef_figure;

extern const vef_figure vef_figure_table[]; /* ended by a row whose key is NULL */

/* The value of a figure as a number; false where the network has none. */
bool vef_figure_value(const vef_figures *figures, const vef_figure *figure, double *value);

#endif
