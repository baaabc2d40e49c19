/* See ibt_definition.h. */
#include "tests/netmodel/ibt_definition.h"

vef_topology *ibt_of(const char *sizes, unsigned bypass_dimensions, const char *lengths) {
    char parameters[128];
    snprintf(parameters, sizeof parameters, "{sizes: [%s], bypass_dimensions: %u, lengths: [%s]}",
             sizes, bypass_dimensions, lengths);
    return topology_of("ibt", parameters, 1);
}

vef_topology *ibt_network_by(const ibt_definition *definition) {
    char sizes[64] = "", lengths[64] = "";
    for (uint32_t d = 0, used = 0; d < definition->n; d++)
        used += (uint32_t)snprintf(sizes + used, sizeof sizes - used, "%s%u", d ? ", " : "",
                                   definition->sizes[d]);
    for (uint32_t h = 0, used = 0; h < definition->k; h++)
        used += (uint32_t)snprintf(lengths + used, sizeof lengths - used, "%s%u", h ? ", " : "",
                                   definition->lengths[h]);
    return ibt_of(sizes, definition->m, lengths);
}

uint32_t ibt_moved(const ibt_definition *definition, uint32_t router, uint32_t dimension,
                   uint32_t by) {
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dimension; d++)
        stride *= definition->sizes[d];
    uint32_t here = router / stride % definition->sizes[dimension];
    return router - here * stride + (here + by) % definition->sizes[dimension] * stride;
}

uint32_t ibt_coordinate_sum(const ibt_definition *definition, uint32_t router) {
    uint32_t sum = 0;
    for (uint32_t d = 0; d < definition->m; d++) {
        sum += router % definition->sizes[d];
        router /= definition->sizes[d];
    }
    return sum;
}

uint32_t ibt_bypass_length(const ibt_definition *definition, uint32_t router) {
    return definition->lengths[ibt_coordinate_sum(definition, router) %
                               (definition->m * definition->k) / definition->m];
}
