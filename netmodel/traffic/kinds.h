/* The rows of vef_patterns and vef_processes, each in a file of its own. */
#ifndef VEF_NETMODEL_TRAFFIC_KINDS_H
#define VEF_NETMODEL_TRAFFIC_KINDS_H

#include "netmodel/traffic/traffic.h"

#define PATTERN(name) extern const vef_pattern_kind vef_pattern_##name;
#include "netmodel/traffic/patterns.def"
#undef PATTERN

#define PROCESS(name) extern const vef_process_kind vef_process_##name;
#include "netmodel/traffic/processes.def"
#undef PROCESS

/* Checks what a plug-in made, as the tests check the rows of the table: refuses (VEF_INVALID)
 * destinations that are no endpoints and shares that do not add up to 1, of up to 1,024 sources. */
vef_code vef_pattern_check_sound(const vef_pattern *pattern, vef_error *error);

#endif
