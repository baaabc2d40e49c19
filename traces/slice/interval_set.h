/* Sets of numbers that mostly follow each other, kept as runs: what is counted up, with pieces left
 * out. Numbers may be added in any order; memory is that of the runs, merged as they are added. */
#ifndef VEF_TRACES_SLICE_INTERVAL_SET_H
#define VEF_TRACES_SLICE_INTERVAL_SET_H

#include "common/status.h"

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

vef_code vef_runs_add(vef_runs *runs, uint64_t number, vef_error *error);

/* Sorts and merges. Needed after adding, before any of the following. */
void vef_runs_settle(vef_runs *runs);

/* Whether it is in the set; `rank` (may be NULL) is how many lesser ones are. */
bool vef_runs_has(const vef_runs *runs, uint64_t number, uint64_t *rank);

/* Keeps what is in both. */
vef_code vef_runs_intersect(vef_runs *runs, const vef_runs *with, vef_error *error);
/* Adds what is in `with` and below `limit`. */
vef_code vef_runs_unite(vef_runs *runs, const vef_runs *with, uint64_t limit, vef_error *error);

#endif
