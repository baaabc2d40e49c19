/* Placing tasks on the cores of nodes as launchers do: shared by the mappings by position.
 *
 * A node has `cores` places and `nics` consecutive endpoints; the cores of a node are divided
 * evenly among its endpoints, in order. The tasks take as few nodes as have room for them. */
#ifndef VEF_MAPPINGS_PLACES_LAUNCH_H
#define VEF_MAPPINGS_PLACES_LAUNCH_H

#include "mappings/mapping.h"

/* Refuses (VEF_UNSUPPORTED) more tasks than endpoints. */
vef_code vef_mapping_check_room(uint32_t tasks, const vef_topology *topology, vef_error *error);

/* The number of tasks that the nodes have room for, without several on a core; refuses
 * (VEF_UNSUPPORTED) more tasks. */
vef_code vef_mapping_check_places(const vef_mapping_view *view, uint64_t *places, vef_error *error);

/* The endpoint of a core. */
uint32_t vef_mapping_core(const vef_mapping_view *view, uint32_t node, uint32_t core);

/* Deals the tasks in blocks of `block` tasks to the nodes in turn; a node takes no more than it has
 * cores. `nodes`: their order; NULL: by number. VEF_UNSUPPORTED if the network has too few nodes.
 */
vef_code vef_mapping_deal(const vef_mapping_view *view, uint32_t block, const uint32_t *nodes,
                          uint32_t *endpoint, vef_error *error);

/* The endpoints by router: those of router r are list[first[r]] … list[first[r + 1] - 1]. */
typedef struct vef_mapping_attached {
    uint32_t *first, *list;
} vef_mapping_attached;
vef_mapping_attached vef_mapping_gather(const vef_topology *topology);
void vef_mapping_attached_release(vef_mapping_attached *endpoints);

/* Fills the routers in an order (NULL: by number). Nodes of several cores or interfaces are filled
 * one after the other, by their first endpoints. Else routers are filled evenly: the first few
 * endpoints of each, as few as possible. Some routers may have no endpoints (switches of a tree).
 */
vef_code vef_mapping_fill(const vef_mapping_view *view, const uint32_t *routers, uint32_t *endpoint,
                          vef_error *error);

#endif
