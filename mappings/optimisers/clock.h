/* The time limit and the progress of an optimiser. Without a limit results depend on the input
 * alone. The limit includes the tables that an optimiser makes first, which it completes. */
#ifndef VEF_MAPPINGS_OPTIMISERS_CLOCK_H
#define VEF_MAPPINGS_OPTIMISERS_CLOCK_H

#include "mappings/mapping.h"

typedef struct vef_optimiser_clock {
    const vef_mapping_view *view;
    double begin_s;
    double share; /* of the limit, at the last look */
    bool over;
} vef_optimiser_clock;

/* Before the optimiser allocates anything. `what` is shown as progress, and not copied. */
vef_optimiser_clock vef_optimiser_begin(const vef_mapping_view *view, const char *what);
/* Whether the time is over, for long steps; vef_optimiser_is_over looks only at every 64th `done`,
 * for short ones. `done` of `total` (0: unknown) steps are complete. */
bool vef_optimiser_look(vef_optimiser_clock *clock, uint64_t done, uint64_t total);
bool vef_optimiser_is_over(vef_optimiser_clock *clock, uint64_t done, uint64_t total);
/* The share of the time limit that was over at the last look; 0 without a limit. */
static inline double vef_optimiser_share(const vef_optimiser_clock *clock) {
    return clock->share;
}
/* Notes in the view if the limit ended the optimiser. */
void vef_optimiser_end(vef_optimiser_clock *clock);

#endif
