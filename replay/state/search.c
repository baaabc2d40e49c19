/* Lists of receives and messages without a match: see search.h. */
#include "replay/state/search.h"

enum { NONE = UINT32_MAX };

void vef_search_init(vef_match_search *search, vef_store *store, uint32_t tasks) {
    search->store = store;
    search->ends = vef_store_take(store, (size_t)tasks * VEF_SEARCH_LISTS, sizeof *search->ends);
    for (size_t i = 0; i < (size_t)tasks * VEF_SEARCH_LISTS; i++)
        search->ends[i] = (vef_search_ends){NONE, NONE, 0};
}

void vef_search_miss(vef_match_search *search, vef_search_list list, uint32_t task,
                     uint32_t record) {
    vef_store_grow(search->store, &search->links, &search->room, record + 1ull,
                   sizeof *search->links);
    vef_search_ends *lists = &search->ends[(size_t)task * VEF_SEARCH_LISTS];
    vef_search_ends *ends = &lists[list];
    const uint32_t other = lists[list == VEF_POSTED ? VEF_UNEXPECTED : VEF_POSTED].length;
    search->links[record] = (vef_search_link){NONE, ends->last, other};
    if (ends->last == NONE)
        ends->first = record;
    else
        search->links[ends->last].next = record;
    ends->last = record;
    ends->length++;
}

void vef_search_hit(vef_match_search *search, vef_search_list list, uint32_t task,
                    uint32_t record) {
    vef_search_ends *ends = &search->ends[(size_t)task * VEF_SEARCH_LISTS + list];
    vef_search_link *link = &search->links[record];
    for (uint32_t next = ends->first; next != record; next = search->links[next].next)
        link->passed++;
    if (link->previous == NONE)
        ends->first = link->next;
    else
        search->links[link->previous].next = link->next;
    if (link->next == NONE)
        ends->last = link->previous;
    else
        search->links[link->next].previous = link->previous;
    ends->length--;
}
