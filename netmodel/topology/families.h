/* The families of the topology table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_TOPOLOGY_FAMILIES_H
#define VEF_NETMODEL_TOPOLOGY_FAMILIES_H

#include "netmodel/topology/topology.h"

#define FAMILY(name) extern const vef_topology_family vef_topology_##name;
#include "netmodel/topology/families.def"
#undef FAMILY

/* Checks what a plug-in made, as the tests check the families of the table: refuses (VEF_INVALID)
 * links that do not lead back, endpoints at no router, a grid with another number of places, and
 * numbers of classes out of range. Symmetries are believed within their ranges. */
vef_code vef_topology_check_sound(const vef_topology *topology, vef_error *error);

#endif
