/* Parameters of the pattern `local`, for predictions of it. */
#ifndef VEF_NETMODEL_TRAFFIC_PATTERNS_LOCAL_H
#define VEF_NETMODEL_TRAFFIC_PATTERNS_LOCAL_H

#include "netmodel/traffic/grid.h"

/* Of a vef_pattern of kind vef_pattern_local. Its state is a vef_traffic_grid. */
typedef struct vef_local_parameters {
    double alpha;
    vef_int_list grid; /* as given; count 0: that of the routers */
    bool wrap, self;
} vef_local_parameters;

#endif
