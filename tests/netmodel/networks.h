/* What the tests of netmodel/ share: building topologies from YAML text, and distances by search.
 */
#ifndef VEF_TESTS_NETMODEL_NETWORKS_H
#define VEF_TESTS_NETMODEL_NETWORKS_H

#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"

/* Builds from YAML text; the test fails when that fails. */
vef_topology *topology_of(const char *family, const char *parameters, uint32_t per_router);
/* Replaces a topology by one with the failures of a section ({links: [[0, 1]]}; NULL: none). */
void damage(vef_topology **topology, const char *failures);
vef_routing *routing_of(const char *yaml, const vef_topology *topology,
                        vef_flow_control flow_control);
vef_netmodel *network_of(const char *yaml);

/* The resolved configuration of a network, for the caller to free: the test fails unless the
 * network that it describes resolves to the same text. */
char *resolved_of(const char *yaml);

/* Divides a network of the core into parts, each with a thread or all on one. */
void divide_network(vef_netmodel *model, uint32_t parts, bool threads);

/* Begins the route of a packet between two routers, as if each had one endpoint of its number. */
void begin_route(const vef_routing *routing, uint32_t from, uint32_t to, vef_rng *rng,
                 vef_route *route);

/* The code and message of building what should be refused (VEF_OK when it was built). */
vef_code network_refused(const char *yaml, vef_error *error);

/* Fails unless building the network is refused with a message that holds `says`. */
void assert_network_refused(const char *yaml, const char *says);

/* Fails unless building the topology `yaml` ({family: …}) is refused as VEF_INVALID, with a message
 * that begins with the place in the file and holds `says`. */
void assert_topology_refused(const char *yaml, uint32_t per_router, const char *says);

/* Hops from `source` to every router by breadth-first search; UINT32_MAX: not reached. */
void distances_from(const vef_topology *topology, uint32_t source, uint32_t *distance);

/* Mean distance over all ordered pairs, a router itself counted as 0, and the greatest. */
double average_distance(const vef_topology *topology, uint32_t *diameter);

/* Fails unless the two differ by at most `tolerance` (cmocka's own compares as float). */
void assert_near(double value, double expected, double tolerance);

#endif
