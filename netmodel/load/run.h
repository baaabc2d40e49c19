/* One run of an open-loop measurement; for points.c. */
#ifndef VEF_NETMODEL_LOAD_RUN_H
#define VEF_NETMODEL_LOAD_RUN_H

#include "netmodel/load/load.h"

/* Runs the network at `rate` with `seed`. `watch` (may be NULL) receives the finished share. Fills
 * in `run`; release it with vef_load_run_release even after a failure. */
vef_code vef_load_run_once(const vef_load_settings *settings, double rate, uint64_t seed,
                           const vef_load_watch *watch, vef_load_run *run, vef_error *error);
void vef_load_run_release(vef_load_run *run);

/* The same on an open network with that seed, at time 0; the caller keeps it. */
vef_code vef_load_run_on(const vef_load_settings *settings, double rate, vef_netmodel *model,
                         uint64_t seed, const vef_load_watch *watch, vef_load_run *run,
                         vef_error *error);

/* The network of a run with that seed. */
vef_code vef_load_open_network(const vef_load_settings *settings, uint64_t seed,
                               vef_netmodel **model, vef_error *error);

#endif
