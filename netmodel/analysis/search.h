/* Searching for the best network: every value of the parameters that a description leaves open, the
 * networks ranked by a figure. What can be left open is a family's own matter: one file and one row
 * of vef_openings each (search_*.c): bypass lengths of an ibt, card ports of a twin torus, twists
 * of a lattice. */
#ifndef VEF_NETMODEL_ANALYSIS_SEARCH_H
#define VEF_NETMODEL_ANALYSIS_SEARCH_H

#include "netmodel/topology/topology.h"

/* What is ranked by; less is better, and equals are told apart by the next ones in the order of
 * the table, then by the order in which they were enumerated. */
typedef enum vef_rank_by { VEF_BY_AVERAGE, VEF_BY_DIAMETER, VEF_BY_INNER_USE } vef_rank_by;

typedef struct vef_opening {
    const char *family;  /* of the topology table */
    const char *leaves;  /* the key that may be left open, for help: "lengths" */
    const char *example; /* "ibt sizes=30x30x36 L=3" */
    vef_rank_by usual;
    /* Calls `found` with the YAML of each network that fits the keys given (`request`, a mapping
     * without those left open), until it fails. */
    vef_code (*enumerate)(const vef_node *request,
                          vef_code (*found)(void *context, const char *yaml, vef_error *error),
                          void *context, vef_error *error);
} vef_opening;

extern const vef_opening *const vef_openings[]; /* ended by NULL */

typedef struct vef_candidate_network {
    char *yaml; /* {family: ibt, sizes: [30, 30, 36], …} */
    double average;
    uint32_t diameter;
    uint64_t inner_crossing; /* 0 where there are no inner links */
} vef_candidate_network;

typedef struct vef_ranking {
    vef_candidate_network *networks; /* best first */
    size_t count;
    size_t refused; /* enumerated, but not to be built (not connected, …) */
} vef_ranking;

/* `text`: a family and keys, as in "ibt sizes=30x30x36 L=3" (L is short for bypass_dimensions, and
 * AxBxC for [A, B, C]), "twin-torus sizes=4x4x4", "lattice sizes=16x8". `progress` is called now
 * and then with what has been done (may be NULL). */
vef_code vef_search(const char *text, const vef_rank_by *by,
                    void (*progress)(void *context, uint64_t done), void *context,
                    vef_ranking *ranking, vef_error *error);
void vef_ranking_release(vef_ranking *ranking);

#endif
