/* The rows of vef_patterns and vef_processes, each in a file of its own. */
#ifndef VEF_NETMODEL_TRAFFIC_KINDS_H
#define VEF_NETMODEL_TRAFFIC_KINDS_H

#include "netmodel/traffic/traffic.h"

extern const vef_pattern_kind vef_pattern_uniform;

extern const vef_process_kind vef_process_bernoulli;

#endif
