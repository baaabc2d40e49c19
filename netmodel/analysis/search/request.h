/* A request for a search: a family, keys of that family, and keys of the search itself, written
 * FAMILY KEY=VALUE…, as in "ibt sizes=30x30x36 L=3 at_most=3".
 *
 * A value is YAML ([30, 30, 36]); AxBxC is short for [A, B, C], a number alone for a list of one
 * where the key takes a list, and L for bypass_dimensions, as the papers write them. */
#ifndef VEF_NETMODEL_ANALYSIS_SEARCH_REQUEST_H
#define VEF_NETMODEL_ANALYSIS_SEARCH_REQUEST_H

#include "netmodel/analysis/search/search.h"

typedef struct vef_search_request {
    const vef_search_space *space;
    const vef_topology_family *family;
    vef_node *keys;   /* a mapping: the family's keys that were given */
    vef_node *limits; /* a mapping: the keys of space->limits that were given */
    char *fixed;      /* "family: ibt, sizes: [30, 30, 36], bypass_dimensions: 3" */
    vef_arena arena;  /* holds all of the above */
} vef_search_request;

/* Refuses (VEF_INVALID) a family that leaves nothing open, a key that neither the family nor its
 * search has, and one that is to be left open, with what would do. */
vef_code vef_search_request_read(const char *text, vef_search_request *request, vef_error *error);
void vef_search_request_release(vef_search_request *request);

/* For search spaces: reads one key of the family into `value` (of the kind that the family's schema
 * has; what it lists lives in `arena`), with the family's own range and default. */
vef_code vef_search_read_key(const vef_search_request *request, const char *key, void *value,
                             vef_arena *arena, vef_error *error);

/* Writes numbers as YAML, "[6, 12]", into `text`; returns the length. */
size_t vef_search_write_list(char *text, size_t text_bytes, const int64_t *values, size_t count);

/* The rows of vef_search_spaces; each is defined in the file named beside it. */
extern const vef_search_space vef_search_space_ibt;        /* ibt.c */
extern const vef_search_space vef_search_space_twin_torus; /* twin.c */
extern const vef_search_space vef_search_space_lattice;    /* lattice.c */

/* The failure (VEF_INVALID) of a request that leaves more than VEF_MOST_ENUMERATED networks open,
 * for a search space that knows it without enumerating them. */
vef_code vef_search_fail_too_many(const vef_search_space *space, vef_error *error);

#endif
