/* Rings of a lattice's generators. See rings.h. */
#include "netmodel/routing/lattice/rings.h"

#include "netmodel/topology/lattice/lattice.h"

#include <string.h>

/* Numbers the routers from `start` on along the plus direction of a generator. Returns their number
 * if they form a ring, 0 if they form a line. */
static uint32_t walk(const vef_topology *topology, uint32_t generator, uint32_t start,
                     uint32_t *position) {
    uint32_t at = start, steps = 0;
    do {
        position[at] = steps++;
        at = topology->neighbour[(size_t)at * topology->ports + 2 * generator];
    } while (at != start && at != VEF_NO_ROUTER);
    return at == start ? steps : 0;
}

static bool needs_datelines(const vef_routing *routing) {
    const vef_lattice *lattice = routing->topology->lattice;
    bool wraps = false;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        wraps = wraps || lattice->wraps[d];
    return wraps && routing->flow_control == VEF_FLOW_VIRTUAL_CHANNELS;
}

vef_code vef_rings_create(vef_routing *routing, vef_rings **made, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const uint32_t generators = topology->lattice->generators, routers = topology->routers;
    const size_t entries = (size_t)generators * routers;
    vef_rings *rings = vef_arena_alloc(&routing->arena, 1, sizeof *rings);
    if (!rings)
        return vef_fail_memory(error, "the rings of a lattice", sizeof *rings);
    rings->classes = 1;
    *made = rings;
    if (!needs_datelines(routing))
        return VEF_OK;
    uint32_t *position = vef_arena_alloc(&routing->arena, entries, sizeof *position);
    uint32_t *length = vef_arena_alloc(&routing->arena, generators, sizeof *length);
    if (!position || !length)
        return vef_fail_memory(error, "the datelines of a lattice", entries * sizeof *position);
    memset(position, 0xff, entries * sizeof *position);
    for (uint32_t g = 0; g < generators; g++)
        for (uint32_t r = 0; r < routers; r++)
            if (position[(size_t)g * routers + r] == UINT32_MAX)
                length[g] = walk(topology, g, r, position + (size_t)g * routers);
    *rings = (vef_rings){.classes = 2, .routers = routers, .position = position, .length = length};
    return VEF_OK;
}

vef_code vef_rings_set_channels(vef_routing *routing, const vef_rings *rings, int64_t each,
                                int64_t more, vef_error *error) {
    const int64_t channels = rings->classes * each + more;
    if (channels > VEF_MAX_CHANNELS)
        return vef_fail(
            error, VEF_INVALID,
            "%lld virtual channels per link (of %u classes): out of range: expected at most %d",
            (long long)channels, rings->classes, VEF_MAX_CHANNELS);
    routing->channels = (uint32_t)channels;
    return VEF_OK;
}
