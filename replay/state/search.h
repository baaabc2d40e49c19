/* The two lists that MPI searches for a match: receives that wait for a message, and messages that
 * wait for a receive, of each task, in order of their time. Counts the entries that each search
 * passes over, as a library does whose lists are not hashed (`host.match_cost`). */
#ifndef VEF_REPLAY_STATE_SEARCH_H
#define VEF_REPLAY_STATE_SEARCH_H

#include "common/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum vef_search_list { VEF_POSTED, VEF_UNEXPECTED, VEF_SEARCH_LISTS } vef_search_list;

/* The neighbours of a message's record in its list. */
typedef struct vef_search_link {
    uint32_t next, previous; /* UINT32_MAX: none */
    uint64_t passed;         /* entries that searches for it have passed over */
} vef_search_link;

typedef struct vef_search_ends {
    uint32_t first, last; /* UINT32_MAX: the list is empty */
    uint32_t length;
} vef_search_ends;

typedef struct vef_match_search {
    vef_store *store;       /* of the lists */
    vef_search_link *links; /* by record */
    size_t room;
    vef_search_ends *ends; /* VEF_SEARCH_LISTS for each task */
} vef_match_search;        /* zero-initialised: not in use */

void vef_search_init(vef_match_search *search, vef_store *store, uint32_t tasks);

/* A record that has no match yet is appended to a list of its task, after a search of the whole
 * other list. */
void vef_search_miss(vef_match_search *search, vef_search_list list, uint32_t task,
                     uint32_t record);
/* A search finds a record in a list: it leaves it. */
void vef_search_hit(vef_match_search *search, vef_search_list list, uint32_t task, uint32_t record);

#endif
