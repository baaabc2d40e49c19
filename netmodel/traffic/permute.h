/* Common functions of patterns that send every message of an endpoint to one destination.
 *
 * An endpoint that a permutation maps to itself is silent: its messages would load no link. The
 * papers do not define this case; their loads are per node of the network, silent or not, so silent
 * ones reduce the load offered to a network (vef_traffic_senders). */
#ifndef VEF_NETMODEL_TRAFFIC_PERMUTE_H
#define VEF_NETMODEL_TRAFFIC_PERMUTE_H

#include "netmodel/traffic/traffic.h"

/* Sets the state of `pattern`: a table of destinations, [endpoints], for vef_permute_destination,
 * initially the identity. Returns the table. */
uint32_t *vef_permute_create(vef_pattern *pattern);
uint32_t vef_permute_destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng);
#define VEF_PERMUTE_HOOKS .destination = vef_permute_destination, .permutation = true

#endif
