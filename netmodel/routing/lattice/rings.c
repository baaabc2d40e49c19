/* Rings of a lattice's generators. See rings.h. */
#include "netmodel/routing/lattice/rings.h"

#include "netmodel/topology/lattice/lattice.h"

#include <string.h>

/* Numbers the routers from `start` on along the plus direction of a generator. Returns their number
 * if they form a ring, 0 if they form a line. */
static uint32_t walk(const vef_topology *topology, uint32_t generator, uint32_t start,
                     uint32_t *position) {
    uint32_t router = start, steps = 0;
    do {
        position[router] = steps++;
        router = vef_topology_next(topology, router, 2 * generator);
    } while (router != start && router != VEF_NO_ROUTER);
    return router == start ? steps : 0;
}

static bool needs_datelines(const vef_routing *routing) {
    const vef_lattice *lattice = routing->topology->lattice;
    bool wraps = false;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        wraps = wraps || lattice->wraps[d];
    return wraps && routing->flow_control == VEF_FLOW_VIRTUAL_CHANNELS;
}

/* The most hops along a ring in a record: half of the longest ring, and no more than the diameter.
 */
static uint32_t most_hops(const vef_topology *topology, const uint32_t *length) {
    uint32_t most = 1, diameter = 0;
    for (uint32_t g = 0; g < topology->lattice->generators; g++)
        most = length[g] / 2 > most ? length[g] / 2 : most;
    for (uint32_t router = 0; topology->lattice->all_wrap && router < topology->routers; router++) {
        const uint32_t hops = vef_lattice_distance(topology, 0, router);
        diameter = hops > diameter ? hops : diameter;
    }
    return diameter > 0 && diameter < most ? diameter : most;
}

vef_rings *vef_rings_create(vef_routing *routing) {
    const vef_topology *topology = routing->topology;
    const uint32_t generators = topology->lattice->generators, routers = topology->routers;
    const size_t entries = (size_t)generators * routers;
    vef_rings *rings = vef_arena_alloc(&routing->arena, 1, sizeof *rings);
    rings->classes = 1;
    if (!needs_datelines(routing))
        return rings;
    uint32_t *position = vef_arena_alloc(&routing->arena, entries, sizeof *position);
    uint32_t *length = vef_arena_alloc(&routing->arena, generators, sizeof *length);
    memset(position, 0xff, entries * sizeof *position);
    for (uint32_t g = 0; g < generators; g++)
        for (uint32_t r = 0; r < routers; r++)
            if (position[(size_t)g * routers + r] == UINT32_MAX)
                length[g] = walk(topology, g, r, position + (size_t)g * routers);
    *rings = (vef_rings){.classes = routing->unrolled ? most_hops(topology, length) : 2,
                         .unrolled = routing->unrolled,
                         .routers = routers,
                         .position = position,
                         .length = length};
    return rings;
}

vef_code vef_rings_check_unrolled(const vef_routing *routing, int64_t channels, vef_error *error) {
    return routing->unrolled && channels > 1
               ? vef_fail(error, VEF_UNSUPPORTED, "several channels of each class")
               : VEF_OK;
}

uint8_t vef_rings_fold(const vef_rings *rings, const vef_rings *unrolled, uint32_t alike,
                       const vef_routing *form, uint32_t router, uint16_t port, uint8_t name) {
    const uint32_t in_blocks = form->channels - alike;
    const uint32_t block = name / unrolled->classes, hops = name % unrolled->classes + 1;
    if (name >= in_blocks)
        return (uint8_t)(in_blocks / unrolled->classes * rings->classes + name - in_blocks);
    return (uint8_t)(block * rings->classes + vef_rings_class(rings, router, port, hops));
}

vef_code vef_rings_set_channels(vef_routing *routing, const vef_rings *rings, int64_t each,
                                int64_t more, vef_error *error) {
    const int64_t channels = rings->classes * each + more;
    if (channels > (routing->unrolled ? UINT8_MAX : VEF_MAX_CHANNELS))
        return vef_fail(
            error, VEF_INVALID,
            "%lld virtual channels per link (of %u classes): out of range: expected at most %d",
            (long long)channels, rings->classes, VEF_MAX_CHANNELS);
    routing->channels = (uint32_t)channels;
    return VEF_OK;
}
