/* Broadcast in king networks: by which ports a router forwards the copy that it got.
 *
 * Stafford et al. ("Assessing the Suitability of King Topologies for Interconnection Networks"),
 * section 3.3.4, Figure 7. The source sends a copy to all its neighbours, with a time to live. A
 * router that gets one consumes it and takes one off its time to live; while some is left, a copy
 * that came along x or y goes on in its direction and in the two diagonal directions beside it, one
 * that came diagonally goes on in its direction alone. Every router within the time to live gets
 * one copy, over as many hops as it is away: its way is the one that goes straight first, then
 * diagonally. As copies turn from x and y to diagonals alone, the broadcast follows the dimension
 * order of the escape (king.h).
 *
 * On a torus of even size the rule as printed, with the diameter as time to live, would bring two
 * copies to routers half a ring away, one from each side. Here a copy is not forwarded beyond half
 * the ring upwards, nor as far as that downwards, so there is one. The paper gives max(x, s - x, y,
 * s - y) as the time to live that covers a mesh of side s; one less is enough on its far sides.
 *
 * This is the rule of the routers alone, a function of the topology: the router simulator has no
 * packets that leave by several ports, and nothing sends broadcasts yet.
 *
 * Example: on a king mesh a copy from (2, 2) that comes to (3, 2) along x goes on to (4, 2), (4, 3)
 * and (4, 1); the one that comes to (3, 3) goes on to (4, 4). */
#ifndef VEF_NETMODEL_ROUTING_KING_BROADCAST_H
#define VEF_NETMODEL_ROUTING_KING_BROADCAST_H

#include "netmodel/routing/routing.h"

enum { VEF_KING_BROADCAST_PORTS = 8 };

/* Refuses (VEF_UNSUPPORTED) what is no king mesh or torus. */
vef_code vef_king_broadcast_supports(const vef_topology *topology, vef_error *error);

/* The least time to live that reaches every router from `source`, in hops. */
uint32_t vef_king_broadcast_reach(const vef_topology *topology, uint32_t source);

/* The ports by which a router sends copies of a broadcast from `source` on; returns how many.
 * `in_port`: where it came in, VEF_INJECTED at the source itself. `time_to_live`: the hops that it
 * may still go, that by which it came taken off. */
uint32_t vef_king_broadcast_ports(const vef_topology *topology, uint32_t source, uint32_t router,
                                  uint16_t in_port, uint32_t time_to_live,
                                  uint16_t ports[VEF_KING_BROADCAST_PORTS]);

#endif
