/* One run of an open-loop measurement: a network at one rate with one seed, which advances as far
 * as its point wants it (measure.h). For points.c. */
#ifndef VEF_NETMODEL_LOAD_RUN_H
#define VEF_NETMODEL_LOAD_RUN_H

#include "netmodel/load/load.h"
#include "netmodel/load/measure.h"

/* Of a run, and of the samples that it adds. */
enum { VEF_INTERVAL_CYCLES = 16 };

typedef struct vef_running vef_running;

/* Opens the network of `settings` with `seed` and its sources at `rate`, to be simulated by that
 * many threads; `last`: in the network that is open (vef_load_settings.opened), if it has that
 * seed. NULL on failure. */
vef_running *vef_running_open(const vef_load_settings *settings, double rate, uint64_t seed,
                              bool last, uint32_t threads, vef_error *error);
/* The same on one thread on an open network with that seed, at time 0, which it then owns, even on
 * failure, unless it is vef_load_settings.opened. */
vef_running *vef_running_open_on(const vef_load_settings *settings, double rate, uint64_t seed,
                                 vef_netmodel *model, vef_error *error);
void vef_running_close(vef_running *running); /* NULL is fine */

/* Advances by `intervals`, adding each to `measure` as run `number`; fewer after a deadlock, which
 * is then in the result. */
vef_code vef_running_advance(vef_running *running, uint64_t intervals, vef_measure *measure,
                             uint32_t number, vef_error *error);
bool vef_running_is_dead(const vef_running *running);

/* The wall-clock time that it has spent advancing; 0 for NULL. */
double vef_running_seconds(const vef_running *running);

/* The figures begin now. */
void vef_running_begin_figures(vef_running *running);

/* Fills in `run` at the end of the measurement, or after a deadlock; release it with
 * vef_load_run_release, even after a failure. Once for a run. */
vef_code vef_running_finish(vef_running *running, const vef_measure *measure, uint32_t number,
                            vef_load_run *run, vef_error *error);
void vef_load_run_release(vef_load_run *run);

#endif
