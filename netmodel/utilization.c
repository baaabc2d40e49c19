/* The utilisation of every link of a network. See utilization.h. */
#include "netmodel/utilization.h"
#include "common/memory.h"

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

vef_result *vef_utilization_table(vef_result *into, unsigned readers, const char *first) {
    static const vef_column columns[] = {
        {.key = "router", .label = "router"},
        {.key = "port", .label = "port"},
        {.key = "to", .label = "to"},
        {.key = "utilization", .label = "utilization", .format = "%.6g"},
        {0}};
    vef_result *table = vef_put_table(
        into, "per_link", readers,
        first ? (const vef_column[]){{.key = first, .label = first, .format = "%.6g"}, {0}}
              : columns);
    for (const vef_column *column = columns; first && column->key; column++)
        vef_add_column(table, *column);
    return table;
}

void vef_utilization_add_link(vef_result *table, const vef_topology *topology,
                              const double *utilization, size_t link) {
    VEF_CELLS(table, vef_topology_router_number(topology, (uint32_t)(link / topology->ports)),
              link % topology->ports,
              vef_topology_router_number(topology, topology->neighbour[link]), utilization[link]);
}

void vef_utilization_add_rows(vef_result *table, const double *first, const vef_topology *topology,
                              const double *utilization) {
    for (size_t l = 0; l < (size_t)topology->routers * topology->ports; l++) {
        if (topology->neighbour[l] == VEF_NO_ROUTER)
            continue;
        if (first)
            VEF_CELLS(table, *first);
        vef_utilization_add_link(table, topology, utilization, l);
    }
}
