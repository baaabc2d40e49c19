/* What vef checks of a pattern that a plug-in made; the tests check the rows of the table. */
#ifndef VEF_NETMODEL_TRAFFIC_SOUND_H
#define VEF_NETMODEL_TRAFFIC_SOUND_H

#include "netmodel/traffic/traffic.h"

/* Refuses (VEF_INVALID) destinations that are no endpoints and shares that do not add up to 1, of
 * up to 1,024 sources. */
vef_code vef_pattern_check_sound(const vef_pattern *pattern, vef_error *error);

#endif
