/* Placing tasks on the cores of nodes as launchers do: shared by block, cyclic and plane.
 *
 * A node has `cores` places and `nics` consecutive endpoints; the cores of a node are divided
 * evenly among its endpoints, in order. The tasks take as few nodes as have room for them. */
#ifndef VEF_MAPPINGS_LAUNCH_H
#define VEF_MAPPINGS_LAUNCH_H

#include "mappings/mapping.h"

/* Deals the tasks in blocks of `block` tasks to the nodes in turn; a node takes no more than it has
 * cores. VEF_UNSUPPORTED if the network has too few nodes. */
vef_code vef_mapping_deal(const vef_mapping_view *view, uint32_t block, uint32_t *endpoint,
                          vef_error *error);

#endif
