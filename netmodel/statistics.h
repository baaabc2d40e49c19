/* What the statistics of models with links have in common. */
#ifndef VEF_NETMODEL_STATISTICS_H
#define VEF_NETMODEL_STATISTICS_H

#include "netmodel/latency.h"
#include "netmodel/netmodel.h"

/* Fills in what counts() knows, the means and percentiles of these latencies, and the utilization
 * of links since `since_cycles`. The model has a topology. */
void vef_statistics_fill(const vef_netmodel *model, uint64_t since_cycles,
                         const vef_latency *packets, const vef_latency *messages,
                         vef_net_statistics *out);

#endif
