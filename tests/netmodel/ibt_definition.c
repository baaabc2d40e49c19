/* See ibt_definition.h. */
#include "tests/netmodel/ibt_definition.h"

vef_topology *ibt_of(const char *sizes, unsigned bypass_dimensions, const char *lengths) {
    char parameters[128];
    snprintf(parameters, sizeof parameters, "{sizes: [%s], bypass_dimensions: %u, lengths: [%s]}",
             sizes, bypass_dimensions, lengths);
    return topology_of("ibt", parameters, 1);
}

vef_topology *ibt_network_by(const ibt_definition *of) {
    char sizes[64] = "", lengths[64] = "";
    for (uint32_t d = 0, used = 0; d < of->n; d++)
        used += (uint32_t)snprintf(sizes + used, sizeof sizes - used, "%s%u", d ? ", " : "",
                                   of->sizes[d]);
    for (uint32_t h = 0, used = 0; h < of->k; h++)
        used += (uint32_t)snprintf(lengths + used, sizeof lengths - used, "%s%u", h ? ", " : "",
                                   of->lengths[h]);
    return ibt_of(sizes, of->m, lengths);
}

uint32_t ibt_moved(const ibt_definition *of, uint32_t router, uint32_t dimension, uint32_t by) {
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dimension; d++)
        stride *= of->sizes[d];
    uint32_t at = router / stride % of->sizes[dimension];
    return router - at * stride + (at + by) % of->sizes[dimension] * stride;
}

uint32_t ibt_coordinate_sum(const ibt_definition *of, uint32_t router) {
    uint32_t sum = 0;
    for (uint32_t d = 0; d < of->m; d++) {
        sum += router % of->sizes[d];
        router /= of->sizes[d];
    }
    return sum;
}

uint32_t ibt_bypass_length(const ibt_definition *of, uint32_t router) {
    return of->lengths[ibt_coordinate_sum(of, router) % (of->m * of->k) / of->m];
}
