/* Sets of numbers that are mostly consecutive, as runs. Numbers may be added in any order; runs are
 * merged while adding. */
#ifndef VEF_COMMON_CONTAINERS_INTERVAL_SET_H
#define VEF_COMMON_CONTAINERS_INTERVAL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_run {
    uint64_t first, end; /* first … end-1 */
    uint64_t before;     /* numbers in the runs before this one; once settled */
} vef_run;

typedef struct vef_runs {
    vef_run *run;
    size_t count, capacity;
} vef_runs; /* zero-initialised is empty and ready */

void vef_runs_free(vef_runs *runs);

/* Adds the numbers from `first` up to, but not including, `end`; and one number. */
void vef_runs_add_run(vef_runs *runs, uint64_t first, uint64_t end);
static inline void vef_runs_add(vef_runs *runs, uint64_t number) {
    vef_runs_add_run(runs, number, number + 1);
}

/* Sorts and merges. Required after adding, before the following functions. */
void vef_runs_settle(vef_runs *runs);

/* Whether it is in the set; `rank` (may be NULL) is the number of smaller members. */
bool vef_runs_has(const vef_runs *runs, uint64_t number, uint64_t *rank);

/* Intersection. */
void vef_runs_intersect(vef_runs *runs, const vef_runs *with);
/* Adds the members of `with` below `limit`. */
void vef_runs_unite(vef_runs *runs, const vef_runs *with, uint64_t limit);

#endif
