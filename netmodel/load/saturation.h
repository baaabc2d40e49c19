/* The maximum load that a network accepts. */
#ifndef VEF_NETMODEL_LOAD_SATURATION_H
#define VEF_NETMODEL_LOAD_SATURATION_H

#include "netmodel/load/load.h"

enum { VEF_MOST_SEARCHED = 32 };

/* The measured points, in the order of offered loads, and two of them: */
typedef struct vef_load_saturation {
    vef_load_point points[VEF_MOST_SEARCHED];
    size_t count;
    size_t full; /* at the full rate */
    size_t peak; /* the maximum accepted load */
} vef_load_saturation;

/* Measures at `full_rate` and searches below it for the offered load with the maximum accepted load
 * (saturation.c). Release with vef_load_saturation_release even after a failure; after a deadlock,
 * the last points may be missing, and an existing one reports it. */
vef_code vef_load_find_saturation(const vef_load_settings *settings, double full_rate,
                                  const vef_load_watch *watch, vef_load_saturation *saturation,
                                  vef_error *error);
void vef_load_saturation_release(vef_load_saturation *saturation);

#endif
