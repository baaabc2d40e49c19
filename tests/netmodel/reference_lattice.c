/* Neighbours and minimal records of a lattice network, straight from the definition: a step adds a
 * generator; leaving a dimension that wraps subtracts its size and shifts the earlier coordinates
 * (Camara et al., TPDS 2010, section 2). Records are found by trying all of them, shortest first.
 */
#include "tests/netmodel/reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

reference_lattice reference_torus(uint32_t dimensions, const int *sizes) {
    reference_lattice lattice = {.dimensions = dimensions, .generators = dimensions};
    for (uint32_t d = 0; d < dimensions; d++) {
        lattice.size[d] = sizes[d];
        lattice.wraps[d] = true;
        lattice.generator[d][d] = 1;
    }
    return lattice;
}

reference_lattice reference_mesh(uint32_t dimensions, const int *sizes) {
    reference_lattice lattice = reference_torus(dimensions, sizes);
    memset(lattice.wraps, 0, sizeof lattice.wraps);
    return lattice;
}

reference_lattice reference_rt(int a) {
    return reference_torus(2, (const int[]){2 * a, a});
}

reference_lattice reference_rtt(int a) {
    reference_lattice lattice = reference_rt(a);
    lattice.shift[1][0] = a;
    return lattice;
}

uint32_t reference_routers(const reference_lattice *lattice) {
    uint32_t routers = 1;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        routers *= (uint32_t)lattice->size[d];
    return routers;
}

static void coordinates_of(const reference_lattice *lattice, uint32_t router, int *place) {
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        place[d] = (int)(router % (uint32_t)lattice->size[d]);
        router /= (uint32_t)lattice->size[d];
    }
}

/* The router at `place` after going round where it left the box; VEF_NO_ROUTER outside a mesh. */
static uint32_t router_at(const reference_lattice *lattice, const int *place) {
    int position[REFERENCE_DIMENSIONS];
    memcpy(position, place, sizeof position);
    for (uint32_t d = lattice->dimensions; d-- > 0;) {
        while (position[d] < 0 || position[d] >= lattice->size[d]) {
            if (!lattice->wraps[d])
                return VEF_NO_ROUTER;
            const int way = position[d] < 0 ? 1 : -1;
            position[d] += way * lattice->size[d];
            for (uint32_t e = 0; e < d; e++)
                position[e] -= way * lattice->shift[d][e];
        }
    }
    uint32_t router = 0;
    for (uint32_t d = lattice->dimensions; d-- > 0;)
        router = router * (uint32_t)lattice->size[d] + (uint32_t)position[d];
    return router;
}

uint32_t reference_neighbour(const reference_lattice *lattice, uint32_t router, uint32_t port) {
    int place[REFERENCE_DIMENSIONS] = {0};
    coordinates_of(lattice, router, place);
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        place[d] += (port % 2 == 0 ? 1 : -1) * lattice->generator[port / 2][d];
    return router_at(lattice, place);
}

typedef struct search {
    const reference_lattice *lattice;
    int start[REFERENCE_DIMENSIONS];
    uint32_t destination;
    int trial[REFERENCE_GENERATORS];
    int (*records)[REFERENCE_GENERATORS];
    uint32_t found;
} search;

/* Tries every record whose entries from `generator` on have absolute values that sum to `length`.
 */
static void try_records(search *s, uint32_t generator, int length) {
    if (generator + 1 < s->lattice->generators) {
        for (int steps = -length; steps <= length; steps++) {
            s->trial[generator] = steps;
            try_records(s, generator + 1, length - abs(steps));
        }
        return;
    }
    for (int way = -1; way <= (length == 0 ? -1 : 1); way += 2) {
        s->trial[generator] = way * length;
        int end[REFERENCE_DIMENSIONS];
        memcpy(end, s->start, sizeof end);
        for (uint32_t g = 0; g < s->lattice->generators; g++)
            for (uint32_t d = 0; d < s->lattice->dimensions; d++)
                end[d] += s->trial[g] * s->lattice->generator[g][d];
        if (router_at(s->lattice, end) != s->destination)
            continue;
        assert(s->found < REFERENCE_RECORDS);
        memcpy(s->records[s->found++], s->trial, sizeof s->trial);
    }
}

uint32_t reference_records(const reference_lattice *lattice, uint32_t source, uint32_t destination,
                           int records[REFERENCE_RECORDS][REFERENCE_GENERATORS]) {
    search s = {.lattice = lattice, .destination = destination, .records = records};
    coordinates_of(lattice, source, s.start);
    for (int length = 0; s.found == 0; length++)
        try_records(&s, 0, length);
    return s.found;
}
