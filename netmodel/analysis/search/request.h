/* A request for a search: a family, keys of that family, and keys of the search itself, written
 * FAMILY KEY=VALUE…, as in "ibt sizes=30x30x36 L=3 at_most=3".
 *
 * A value is YAML ([30, 30, 36]); AxBxC abbreviates [A, B, C], a single number a list of one if the
 * key has a list, and L bypass_dimensions, as in the papers. */
#ifndef VEF_NETMODEL_ANALYSIS_SEARCH_REQUEST_H
#define VEF_NETMODEL_ANALYSIS_SEARCH_REQUEST_H

#include "netmodel/analysis/search/search.h"

/* Maximum number of keys of a request. */
enum { VEF_MOST_SEARCH_KEYS = 64 };

typedef struct vef_search_request {
    const vef_search_space *space;
    const vef_topology_family *family;
    vef_node *keys;   /* a mapping: the family's keys that were given */
    vef_node *limits; /* a mapping: the keys of space->limits that were given */
    char *fixed;      /* "family: ibt, sizes: [30, 30, 36], bypass_dimensions: 3" */
    vef_arena arena;  /* holds all of the above */
} vef_search_request;

/* Refuses (VEF_INVALID) a family without a search, an unknown key, and the key that the search
 * varies. */
vef_code vef_search_request_read(const char *text, vef_search_request *request, vef_error *error);
void vef_search_request_release(vef_search_request *request);

/* ---- for search spaces: space.c ---- */

/* Reads one key of the family into `value` (of the type in the family's schema;
 * lists are in `arena`), with the family's range and default. */
vef_code vef_search_read_key(const vef_search_request *request, const char *key, void *value,
                             vef_arena *arena, vef_error *error);

/* Writes numbers as YAML, "[6, 12]", to `text`; returns the length. */
size_t vef_search_write_list(char *text, size_t text_bytes, const int64_t *values, size_t count);

/* The rows of vef_search_spaces; each is defined in the file named beside it. */
extern const vef_search_space vef_search_space_ibt;        /* ibt.c */
extern const vef_search_space vef_search_space_twin_torus; /* twin.c */
extern const vef_search_space vef_search_space_lattice;    /* lattice.c */

/* The failure (VEF_INVALID) of a request with more than VEF_MOST_ENUMERATED networks, for search
 * spaces that know the number without enumeration. */
vef_code vef_search_fail_too_many(const vef_search_space *space, vef_error *error);

#endif
