/* The time limit and the progress of an optimiser. See clock.h. */
#include "mappings/optimisers/clock.h"

#include <time.h>

enum { STEPS_A_LOOK = 64 };

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

vef_optimiser_clock vef_optimiser_begin(const vef_mapping_view *view, const char *what) {
    if (view->progress)
        vef_progress_begin(view->progress, what);
    return (vef_optimiser_clock){view, view->limit_s > 0 ? now_s() + view->limit_s : 0, false};
}

bool vef_optimiser_is_over(vef_optimiser_clock *clock, uint64_t done, uint64_t total) {
    if (done % STEPS_A_LOOK != 0)
        return clock->over;
    if (clock->view->progress)
        vef_progress_update(clock->view->progress, done, total);
    if (clock->end_s > 0 && now_s() >= clock->end_s)
        clock->over = true;
    return clock->over;
}

void vef_optimiser_end(vef_optimiser_clock *clock) {
    if (clock->view->progress)
        vef_progress_end(clock->view->progress);
}
