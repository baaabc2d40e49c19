/* The utilisation of every link of a network: its busy share of a time. */
#ifndef VEF_NETMODEL_UTILIZATION_H
#define VEF_NETMODEL_UTILIZATION_H

#include "common/report/result.h"
#include "netmodel/netmodel.h"

/* Allocates the busy shares of the last `cycles`, in which the figures were not reset: [router *
 * ports + port], 0 where there is no link. Free with free(). Fails (VEF_UNSUPPORTED) if the model
 * has no links. */
vef_code vef_utilization_find(const vef_netmodel *model, double cycles, double **utilization,
                              vef_error *error);

/* A table `per_link`, with a row for each directed link: router, port, to (the router where it
 * ends), utilization. Routers have their numbers in the network without failures. `first`: the head
 * of a column before them; NULL: none. */
vef_result *vef_utilization_table(vef_result *into, unsigned readers, const char *first);
void vef_utilization_add_rows(vef_result *table, const double *first, const vef_topology *topology,
                              const double *utilization);
/* The cells of one row, for the link [router * ports + port], which exists. */
void vef_utilization_add_link(vef_result *table, const vef_topology *topology,
                              const double *utilization, size_t link);

#endif
