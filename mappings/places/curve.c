/* Placing tasks along a curve. See curve.h. */
#include "mappings/places/curve.h"

#include "common/memory.h"
#include "mappings/places/launch.h"

#include <stdlib.h>

void vef_curve_interleave(vef_curve_place *place, const uint32_t *coordinates, uint32_t dimensions,
                          uint32_t bits) {
    for (uint32_t b = bits; b-- > 0;)
        for (uint32_t d = dimensions; d-- > 0;)
            vef_curve_append(place, coordinates[d] >> b);
}

typedef struct stop {
    vef_curve_place place;
    uint32_t router;
} stop;

static int compare(const void *a, const void *b) {
    const stop *p = a, *q = b;
    for (int w = 0; w < VEF_CURVE_WORDS; w++)
        if (p->place.word[w] != q->place.word[w])
            return p->place.word[w] < q->place.word[w] ? -1 : 1;
    return p->router < q->router ? -1 : 1;
}

static uint32_t bits_of(const vef_topology *topology) {
    uint32_t bits = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++)
        while (topology->sizes[d] > 1u << bits)
            bits++;
    return bits;
}

/* The routers in the order of the curve. */
static uint32_t *order_of(const vef_topology *topology, vef_curve *curve) {
    stop *stops = vef_calloc(topology->routers, sizeof *stops);
    uint32_t *order = vef_calloc(topology->routers, sizeof *order);
    uint32_t position[VEF_MAX_DIMENSIONS];
    const uint32_t bits = bits_of(topology);
    for (uint32_t r = 0; r < topology->routers; r++) {
        vef_topology_coordinates(topology, r, position);
        stops[r].router = r;
        curve(topology, position, bits, &stops[r].place);
    }
    qsort(stops, topology->routers, sizeof *stops, compare);
    for (uint32_t r = 0; r < topology->routers; r++)
        order[r] = stops[r].router;
    free(stops);
    return order;
}

vef_code vef_mapping_along(const vef_mapping_view *view, vef_curve *curve, uint32_t *endpoint,
                           vef_error *error) {
    const vef_topology *topology = view->topology;
    if (topology->dimensions == 0)
        return vef_fail(error, VEF_UNSUPPORTED, "topology %s has no grid of routers: expected one",
                        topology->family->name);
    uint32_t *order = order_of(topology, curve);
    const vef_code code = vef_mapping_fill(view, order, endpoint, error);
    free(order);
    return code;
}
