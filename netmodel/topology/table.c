/* The rows of families.def. */
#include "netmodel/topology/families.h"

const vef_topology_family *const vef_topology_families[] = {
#define FAMILY(name) &vef_topology_##name,
#include "netmodel/topology/families.def"
#undef FAMILY
    NULL,
};
