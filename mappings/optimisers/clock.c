/* The time limit and the progress of an optimiser. See clock.h. */
#include "mappings/optimisers/clock.h"

#include "common/clock.h"

enum { STEPS_A_LOOK = 64 };

static double now_s(const vef_mapping_view *view) {
    return view->now_s ? view->now_s(view->clock) : vef_now_s();
}

vef_optimiser_clock vef_optimiser_begin(const vef_mapping_view *view, const char *what) {
    const double begin_s = view->limit_s > 0 ? now_s(view) : 0;
    if (view->progress)
        vef_progress_begin(view->progress, what);
    return (vef_optimiser_clock){.view = view, .begin_s = begin_s};
}

bool vef_optimiser_look(vef_optimiser_clock *clock, uint64_t done, uint64_t total) {
    const double limit_s = clock->view->limit_s;
    if (clock->view->progress)
        vef_progress_update(clock->view->progress, done, total);
    if (limit_s > 0)
        clock->share = (now_s(clock->view) - clock->begin_s) / limit_s;
    clock->over = clock->share >= 1;
    return clock->over;
}

bool vef_optimiser_is_over(vef_optimiser_clock *clock, uint64_t done, uint64_t total) {
    return done % STEPS_A_LOOK ? clock->over : vef_optimiser_look(clock, done, total);
}

void vef_optimiser_end(vef_optimiser_clock *clock) {
    if (clock->view->progress)
        vef_progress_end(clock->view->progress);
    if (clock->over && clock->view->limited)
        *clock->view->limited = true;
}
