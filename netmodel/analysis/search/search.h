/* Searching for the best network: tries every value of one parameter, and ranks the networks by a
 * figure. Each family's search is one file and one row of vef_search_spaces (search_*.c): bypass
 * lengths of an ibt, card ports of a twin torus, twists of a lattice. */
#ifndef VEF_NETMODEL_ANALYSIS_SEARCH_SEARCH_H
#define VEF_NETMODEL_ANALYSIS_SEARCH_SEARCH_H

#include "netmodel/analysis/loads/inner_link.h"
#include "netmodel/topology/topology.h"

/* The figure of the ranking; less is better. Ties are resolved by the other figures in this order,
 * then by the number of link kinds if counted, then by the order of enumeration. */
typedef enum vef_rank_by {
    VEF_BY_AVERAGE,
    VEF_BY_DIAMETER,
    VEF_BY_INNER_USE,
    VEF_RANKS_BY, /* number of figures */
} vef_rank_by;

extern const char *const vef_rank_names[]; /* "average", "diameter", "inner"; terminated by NULL */

struct vef_search_request;

/* Called with each value, as YAML, of the searched parameter. */
typedef vef_code (*vef_search_found)(void *context, const char *value, vef_error *error);

typedef struct vef_search_space {
    const char *family;      /* in the topology table */
    const char *leaves;      /* the searched key: "lengths" */
    const char *summary;     /* one line: what is enumerated, and which networks are listed once */
    const char *example;     /* "ibt sizes=30x30x36 L=3" */
    const char *fewer;       /* advice if there are too many */
    const vef_param *limits; /* keys of the search itself: a schema, or NULL */
    vef_rank_by usual;
    /* Whether to count the kinds of links. Networks of equal distances may use their links more or
     * less evenly; those with one kind use all equally: the twist a of 2a x a is edge-symmetric,
     * the twist a - 1 has the same distances but is not. */
    bool link_kinds;
    /* Counts the paths over the inner links of a network (inner_link.h); NULL if it has none, and
     * then VEF_BY_INNER_USE is not available. */
    vef_code (*inner_use)(const vef_topology *topology, vef_inner_use *use, vef_error *error);
    /* Calls `found` with each value that fits the given keys, until it fails. The order is fixed.
     * Building the network decides whether it is valid. */
    vef_code (*enumerate)(const struct vef_search_request *request, vef_search_found found,
                          void *context, vef_error *error);
} vef_search_space;

extern const vef_search_space *const vef_search_spaces[]; /* terminated by NULL */

/* Maximum number of values of one search. */
enum { VEF_MOST_ENUMERATED = 200000 };

typedef struct vef_candidate_network {
    const char *value; /* of the searched parameter, as YAML: "[6, 12]" */
    double average;    /* as vef_distances: a router itself counted as 0 */
    double deviation;
    uint32_t diameter;
    uint32_t degree;     /* maximum number of connected ports of a router */
    uint32_t link_kinds; /* 1: edge-symmetric; 0: not counted, or not claimed by the family */
    /* Paths inside a router that cross its inner link, and all paths; 0 if there are none. */
    uint64_t inner_crossing, inner_paths;
} vef_candidate_network;

typedef struct vef_ranking {
    const vef_search_space *space;
    vef_rank_by by;
    const char *fixed;               /* the request as YAML: "family: ibt, sizes: …" */
    vef_candidate_network *networks; /* best first */
    size_t count;
    size_t enumerated;   /* count + refused */
    size_t refused;      /* enumerated, but invalid or not connected */
    const char *refusal; /* reason for the first of those: "lengths [2]: …"; NULL if none */
    vef_arena arena;     /* owns the texts and the networks */
} vef_ranking;

/* `text`: a family and keys, as in "ibt sizes=30x30x36 L=3" (request.h); `by` NULL: the family's
 * default figure. `progress` (may be NULL) is called after each network with the numbers of
 * finished and of all networks. Memory: the figures of all networks, and one network at a time.
 *
 * Refuses (VEF_INVALID) an invalid request, one with more than VEF_MOST_ENUMERATED values, and one
 * without a valid network; (VEF_UNSUPPORTED) a figure that the family does not have. */
vef_code vef_search(const char *text, const vef_rank_by *by,
                    void (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                    vef_ranking *ranking, vef_error *error);
void vef_ranking_release(vef_ranking *ranking);

/* Whether two networks are equal in the ranking. */
bool vef_ranking_equal(const vef_candidate_network *a, const vef_candidate_network *b);

/* For help: a line or two per search space. */
void vef_search_spaces_describe(FILE *out, int indent);

#endif
