/* The utilisation of every link of a network. See utilization.h. */
#include "netmodel/utilization.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

vef_code vef_utilization_find(const vef_netmodel *model, double cycles, double **utilization,
                              vef_error *error) {
    const vef_topology *topology = model->topology;
    if (!topology || !model->kind->link_busy_cycles)
        return vef_fail(error, VEF_UNSUPPORTED, "networks of model %s have no links",
                        model->kind->name);
    const size_t links = (size_t)topology->routers * topology->ports;
    double *found = vef_calloc(links + 1, sizeof *found);
    for (size_t l = 0; l < links && cycles > 0; l++)
        if (topology->neighbour[l] != VEF_NO_ROUTER)
            found[l] = (double)model->kind->link_busy_cycles(model, (uint32_t)(l / topology->ports),
                                                             (uint32_t)(l % topology->ports)) /
                       cycles;
    *utilization = found;
    return VEF_OK;
}

vef_table *vef_utilization_table(const char *first) {
    static const char *const heads[] = {"router", "port", "to", "utilization"};
    vef_table *table = vef_table_new(&first, first ? 1 : 0);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        vef_table_head(table, heads[i]);
    return table;
}

void vef_utilization_add_link(vef_table *table, const vef_topology *topology,
                              const double *utilization, size_t link) {
    vef_table_number(table, "%" PRIu32,
                     vef_topology_router_number(topology, (uint32_t)(link / topology->ports)));
    vef_table_number(table, "%zu", link % topology->ports);
    vef_table_number(table, "%" PRIu32,
                     vef_topology_router_number(topology, topology->neighbour[link]));
    vef_table_number(table, "%.6g", utilization[link]);
}

void vef_utilization_add_rows(vef_table *table, const double *first, const vef_topology *topology,
                              const double *utilization) {
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        if (topology->neighbour[l] == VEF_NO_ROUTER)
            continue;
        if (first)
            vef_table_number(table, "%.6g", *first);
        vef_utilization_add_link(table, topology, utilization, l);
    }
}
