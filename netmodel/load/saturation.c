/* Searching for the maximum load that a network accepts.
 *
 * Papers give as throughput what is accepted under full load, or the peak of the curve; below full
 * load the two differ where a network that is pushed accepts less. The accepted load A(x) at an
 * offered load x is at most x, so no x below A(full) can reach A(full): the peak lies in [A(full),
 * full]. Two loads somewhat above A(full) say about where; then both sides of the best so far are
 * halved, as for a function with one peak, until its neighbours are within 2 RESOLUTION or accept
 * as much within the confidence of the measurement (a plateau has no peak to find). A curve with
 * several peaks may hide one; `vef load --rate` draws it. */
#include "netmodel/load/saturation.h"

#include "common/containers/order.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 6 };
static const double RESOLUTION = 0.01;
static const double first_steps[] = {1.08, 1.3};
enum { FIRST_STEPS = sizeof first_steps / sizeof *first_steps };

/* Converts the share of one part of the search to that of the whole. */
typedef struct part {
    const vef_load_watch *watch;
    double from, to;
} part;

static void report_share(void *context, double share) {
    const part *now = context;
    now->watch->report(now->watch->context, now->from + share * (now->to - now->from));
}

VEF_ORDER_BY(by_rate, vef_load_point, rate)

static bool stopped(const vef_load_saturation *found) {
    for (size_t i = 0; i < found->count; i++)
        if (found->points[i].deadlocked)
            return true;
    return false;
}

static double accepted(const vef_load_saturation *found, size_t point) {
    return found->points[point].figures.accepted_load.mean;
}

/* Measures more points and updates the two; the last is the one at the full rate. */
static vef_code measure(const vef_load_settings *settings, const double *rates, size_t count,
                        const part *now, vef_load_saturation *found, vef_error *error) {
    vef_load_watch watch = {report_share, (void *)(uintptr_t)now};
    vef_code code = vef_load_points(settings, rates, count, now->watch ? &watch : NULL,
                                    found->points + found->count, error);
    found->count += count;
    if (code != VEF_OK || stopped(found))
        return code;
    qsort(found->points, found->count, sizeof *found->points, by_rate);
    found->full = found->count - 1;
    found->peak = 0;
    for (size_t i = 1; i < found->count; i++)
        if (accepted(found, i) > accepted(found, found->peak))
            found->peak = i;
    return VEF_OK;
}

static vef_code look_around(const vef_load_settings *settings, double full_rate, const part *now,
                            vef_load_saturation *found, vef_error *error) {
    const vef_load_point *full = &found->points[0];
    double from = accepted(found, 0) * full->rate / full->figures.offered_load;
    double rates[FIRST_STEPS];
    size_t count = 0;
    for (; count < FIRST_STEPS; count++) {
        rates[count] = from * first_steps[count];
        if (!(rates[count] > 0) || rates[count] > full_rate * (1 - RESOLUTION))
            break;
    }
    return count > 0 ? measure(settings, rates, count, now, found, error) : VEF_OK;
}

/* Whether the point accepts clearly less than the peak. */
static bool is_below(const vef_load_saturation *found, size_t point) {
    const vef_load_figures *peak = &found->points[found->peak].figures;
    const vef_load_figures *other = &found->points[point].figures;
    double uncertain =
        hypot(vef_half_width(&peak->accepted_load), vef_half_width(&other->accepted_load));
    return peak->accepted_load.mean - other->accepted_load.mean > uncertain;
}

/* The loads to measure next: halfway to the neighbours that are clearly lower and not yet near.
 * Below the first of all, possible peaks begin at its accepted load, unless a plateau begins there.
 */
static size_t next_rates(const vef_load_saturation *found, double *rates) {
    size_t count = 0;
    const vef_load_point *peak = &found->points[found->peak];
    double rate = peak->rate;
    double below = accepted(found, found->peak) * rate / peak->figures.offered_load;
    bool look = found->count == 1;
    if (found->peak > 0) {
        below = found->points[found->peak - 1].rate;
        look = is_below(found, found->peak - 1);
    } else if (found->count > 1) {
        look = is_below(found, 1);
    }
    if (look && rate > below * (1 + 2 * RESOLUTION))
        rates[count++] = 0.5 * (rate + below);
    if (found->peak + 1 < found->count && is_below(found, found->peak + 1) &&
        found->points[found->peak + 1].rate > rate * (1 + 2 * RESOLUTION))
        rates[count++] = 0.5 * (rate + found->points[found->peak + 1].rate);
    return count;
}

vef_code vef_load_find_saturation(const vef_load_settings *given, double full_rate,
                                  const vef_load_watch *watch, vef_load_saturation *found,
                                  vef_error *error) {
    *found = (vef_load_saturation){0};
    vef_load_settings throughput = *given;
    const vef_load_settings *settings = &throughput;
    throughput.throughput_alone = true; /* just below the peak latencies take long to measure */
    throughput.opened = NULL;           /* no run is known to be the last */
    part now = {watch, 0, 0.25};
    vef_code code = measure(settings, &full_rate, 1, &now, found, error);
    if (code != VEF_OK || stopped(found) || !found->points[0].saturated)
        return code;
    now = (part){watch, 0.25, 0.6};
    code = look_around(settings, full_rate, &now, found, error);
    for (int round = 0; round < MOST_ROUNDS && code == VEF_OK && !stopped(found); round++) {
        double rates[2];
        size_t count = next_rates(found, rates);
        if (count == 0)
            break;
        now = (part){watch, now.to, now.to + 0.5 * (1 - now.to)};
        code = measure(settings, rates, count, &now, found, error);
    }
    return code;
}

void vef_load_saturation_release(vef_load_saturation *found) {
    vef_load_points_release(found->points, found->count);
    found->count = 0;
}
