/* The time limit and the progress of an optimiser. Without a limit results depend on the input
 * alone. */
#ifndef VEF_MAPPINGS_OPTIMISERS_CLOCK_H
#define VEF_MAPPINGS_OPTIMISERS_CLOCK_H

#include "mappings/mapping.h"

typedef struct vef_optimiser_clock {
    const vef_mapping_view *view;
    double end_s; /* 0: no limit */
    bool over;
} vef_optimiser_clock;

/* `what` is shown as progress, and not copied. */
vef_optimiser_clock vef_optimiser_begin(const vef_mapping_view *view, const char *what);
/* Whether the time is over; cheap. `done` of `total` (0: unknown) steps are complete. */
bool vef_optimiser_is_over(vef_optimiser_clock *clock, uint64_t done, uint64_t total);
void vef_optimiser_end(vef_optimiser_clock *clock);

#endif
