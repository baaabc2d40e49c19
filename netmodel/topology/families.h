/* The families of the topology table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_TOPOLOGY_FAMILIES_H
#define VEF_NETMODEL_TOPOLOGY_FAMILIES_H

#include "netmodel/topology/topology.h"

#define FAMILY(name) extern const vef_topology_family vef_topology_##name;
#include "netmodel/topology/families.def"
#undef FAMILY

#endif
