/* A network that somebody else simulates: it keeps the messages of a replay until the simulator has
 * taken them, and hands on the arrivals that it reports. */
#ifndef VEF_LIB_FEED_NETWORK_H
#define VEF_LIB_FEED_NETWORK_H

#include "netmodel/netmodel.h"
#include <vef/replay.h>

enum { VEF_FEED_MOST_PS = 1000000000, VEF_FEED_MOST_PARTS = 100000 };

/* A network with cycles of `cycle_ps` / `cycle_parts` ps, up to these bounds. The topology may be
 * NULL; it must outlive the network, as what mappings see. vef_netmodel_destroy frees it. */
vef_netmodel *vef_feed_network_create(uint32_t cycle_ps, uint32_t cycle_parts, uint32_t endpoints,
                                      const vef_topology *topology);

/* The next message that leaves up to `until_cycles`; false: there is none. */
bool vef_feed_network_take(vef_netmodel *model, uint64_t until_cycles, vef_feed_message *message);
/* A message has arrived at a time; VEF_INVALID for a wrong id, or a time before it left. */
vef_code vef_feed_network_arrive(vef_netmodel *model, uint64_t id, uint64_t time_cycles,
                                 vef_error *error);
/* The time of the first message that was not taken, and of the first arrival that the replay has
 * not seen; VEF_FOREVER: none. */
uint64_t vef_feed_network_leaves(const vef_netmodel *model);
uint64_t vef_feed_network_arrives(const vef_netmodel *model);
/* Messages that were taken and have not arrived. */
uint64_t vef_feed_network_under_way(const vef_netmodel *model);
/* The one of these that left first. */
void vef_feed_network_first_missing(const vef_netmodel *model, vef_feed_message *message);

#endif
