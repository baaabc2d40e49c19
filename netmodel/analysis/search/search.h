/* Searching for the best network: every value of the parameter that a request leaves open, the
 * networks ranked by a figure. What can be left open is a family's own matter: one file and one row
 * of vef_search_spaces each (search_*.c): bypass lengths of an ibt, card ports of a twin torus,
 * twists of a lattice. */
#ifndef VEF_NETMODEL_ANALYSIS_SEARCH_SEARCH_H
#define VEF_NETMODEL_ANALYSIS_SEARCH_SEARCH_H

#include "netmodel/analysis/loads/inner_link.h"
#include "netmodel/topology/topology.h"

/* What is ranked by; less is better. Equals are told apart by the others in this order, then by
 * kinds of links where they are counted, then they stand in the order in which they were
 * enumerated. */
typedef enum vef_rank_by {
    VEF_BY_AVERAGE,
    VEF_BY_DIAMETER,
    VEF_BY_INNER_USE,
    VEF_RANKS_BY, /* how many there are */
} vef_rank_by;

extern const char *const vef_rank_names[]; /* "average", "diameter", "inner"; ended by NULL */

struct vef_search_request;

/* Called with the value, as YAML, of the parameter left open. */
typedef vef_code (*vef_search_found)(void *context, const char *value, vef_error *error);

typedef struct vef_search_space {
    const char *family;      /* of the topology table */
    const char *leaves;      /* the key that is left open, and what it is: "lengths" */
    const char *summary;     /* one line: what is enumerated, and what is listed once */
    const char *example;     /* "ibt sizes=30x30x36 L=3" */
    const char *fewer;       /* what to ask for where there are too many */
    const vef_param *limits; /* keys of the search itself: a schema, or NULL */
    vef_rank_by usual;
    /* Whether to count the kinds of links that symmetries tell apart. Networks of the same
     * distances may use their links more or less evenly, and those with one kind use all alike: the
     * twist a of 2a x a is edge-symmetric, the twist a - 1 has the same distances but is not. */
    bool link_kinds;
    /* Counts what crosses the inner links of a network (inner_link.h); NULL where there are none,
     * and VEF_BY_INNER_USE is nothing to rank by. */
    vef_code (*inner_use)(const vef_topology *topology, vef_inner_use *use, vef_error *error);
    /* Calls `found` with each value that fits the keys given, until it fails. The order is always
     * the same. Whether the network can be built is found out by building it. */
    vef_code (*enumerate)(const struct vef_search_request *request, vef_search_found found,
                          void *context, vef_error *error);
} vef_search_space;

extern const vef_search_space *const vef_search_spaces[]; /* ended by NULL */

/* Values enumerated in one search, at the most. */
enum { VEF_MOST_ENUMERATED = 200000 };

typedef struct vef_candidate_network {
    const char *value; /* of the parameter left open, as YAML: "[6, 12]" */
    double average;    /* as vef_distances: a router itself counted as 0 */
    double deviation;
    uint32_t diameter;
    uint32_t degree;     /* connected ports of the router that has most */
    uint32_t link_kinds; /* 1: edge-symmetric; 0: not counted, or the family does not say */
    /* Paths inside a router that cross its inner link, and all of them; 0 where there are none. */
    uint64_t inner_crossing, inner_paths;
} vef_candidate_network;

typedef struct vef_ranking {
    const vef_search_space *space;
    vef_rank_by by;
    const char *fixed;               /* what was asked for, as YAML: "family: ibt, sizes: …" */
    vef_candidate_network *networks; /* best first */
    size_t count;
    size_t enumerated;   /* count + refused */
    size_t refused;      /* enumerated, but not to be built, or not connected */
    const char *refusal; /* why, of the first of those: "lengths [2]: …"; NULL if none */
    vef_arena arena;     /* holds the texts and the networks */
} vef_ranking;

/* `text`: a family and keys, as in "ibt sizes=30x30x36 L=3" (request.h); `by` NULL: the
 * family's usual figure. `progress` (may be NULL) is called after each network with how many are
 * done and how many there are. Memory: the figures of all networks, and one network at a time.
 *
 * Refuses (VEF_INVALID) what it cannot understand, a request with more than VEF_MOST_ENUMERATED
 * values, and one of which no network can be built; (VEF_UNSUPPORTED) a figure that the family does
 * not have. */
vef_code vef_search(const char *text, const vef_rank_by *by,
                    void (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                    vef_ranking *ranking, vef_error *error);
void vef_ranking_release(vef_ranking *ranking);

/* Whether two networks differ in nothing that the ranking goes by. */
bool vef_ranking_equal(const vef_candidate_network *a, const vef_candidate_network *b);

/* For help: a line or two for each search space. */
void vef_search_spaces_describe(FILE *out, int indent);

#endif
