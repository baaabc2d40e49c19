/* What vef checks of a topology that a plug-in built; the tests check the families of the table. */
#ifndef VEF_NETMODEL_TOPOLOGY_SOUND_H
#define VEF_NETMODEL_TOPOLOGY_SOUND_H

#include "netmodel/topology/topology.h"

/* Refuses (VEF_INVALID) links that do not lead back, endpoints at no router, a grid with another
 * number of places, and numbers of classes out of range. Symmetries are believed within their
 * ranges. */
vef_code vef_topology_check_sound(const vef_topology *topology, vef_error *error);

#endif
