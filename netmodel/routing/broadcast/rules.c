/* Rules of broadcast in the network (broadcast.h).
 *
 * On meshes and tori: the tree of dimension order.
 *
 * The king paper's section 3.3.4 for networks without diagonals: a copy that came along dimension d
 * goes straight on, and both ways along every dimension after d. A router so gets its copy on the
 * way that dimension order takes from the source, sum(|d_i|) hops long. Time to live: the sum of
 * how far the network reaches in each dimension, to the farther end of a mesh, half way round a
 * torus.
 *
 * Example: 4 x 4 torus from (0, 0): copies go to (1, 0), (2, 0) and (3, 0), and from each of the
 * four routers of that row to the others of its column.
 *
 * On king meshes and tori (king paper, section 3.3.4 and Figure 7).
 *
 * A source sends to all its neighbours. A copy that came along an orthogonal link goes on in that
 * direction and in the two diagonal ones beside it; one that came along a diagonal link goes
 * straight on. A router at (dx, dy) from the source so gets its copy by ||dx| - |dy|| orthogonal
 * hops and then diagonal ones, max(|dx|, |dy|) in all.
 *
 * Time to live: in a king mesh of side s, from (x, y), max(x, s - 1 - x, y, s - 1 - y) with
 * coordinates from 0; the paper prints s - x and s - y, a hop more than the farthest router is
 * away, which at the border does nothing. In a king torus the diameter, half the side rounded down.
 * Where the sides differ each has its own.
 *
 * Example: 5 x 5 mesh from (1, 2): 3 hops. (4, 3) gets it along x+, x+, then z+ (north-east). */
#include "netmodel/routing/broadcast/broadcast.h"
#include "netmodel/topology/lattice/lattice.h"

/* ---- dimension order ---- */

static bool order_fits(const vef_topology *topology) {
    const vef_lattice *lattice = topology->lattice;
    if (!lattice || !lattice->unit_generators)
        return false;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        for (uint32_t e = 0; e < d; e++)
            if (lattice->wraps[d] && lattice->shifts[d][e] % lattice->sizes[e] != 0)
                return false;
    return true;
}

static bool order_goes_on(const vef_topology *topology, uint16_t along, uint16_t port) {
    (void)topology;
    return port == along || port / 2 > along / 2;
}

static uint32_t order_farthest(const uint32_t *reach, uint32_t dimensions) {
    uint32_t hops = 0;
    for (uint32_t d = 0; d < dimensions; d++)
        hops += reach[d];
    return hops;
}

const vef_broadcast_rule vef_broadcast_dimension_order = {
    .name = "dimension-order",
    .summary = "meshes and tori without twist: straight on, and along every later dimension",
    .fits = order_fits,
    .goes_on = order_goes_on,
    .farthest = order_farthest,
};

/* ---- king networks ---- */

/* Where a link of a port leads. */
static void step_of(const vef_topology *topology, uint16_t port, int32_t step[2]) {
    const int32_t sign = port % 2 == 0 ? 1 : -1;
    for (int d = 0; d < 2; d++)
        step[d] = sign * topology->lattice->generator[port / 2][d];
}

static bool king_fits(const vef_topology *topology) {
    const vef_lattice *lattice = topology->lattice;
    if (!lattice || lattice->dimensions != 2 || lattice->generators != 4 ||
        lattice->shifts[1][0] != 0)
        return false;
    /* Eight ports go eight ways: to each of the squares around. */
    uint32_t ways = 0;
    for (uint16_t port = 0; port < 8; port++) {
        int32_t step[2];
        step_of(topology, port, step);
        for (int d = 0; d < 2; d++)
            if (step[d] < -1 || step[d] > 1)
                return false;
        ways |= 1u << (step[0] + 1 + 3 * (step[1] + 1));
    }
    return ways == 0x1ef; /* all but (0, 0) */
}

static bool king_goes_on(const vef_topology *topology, uint16_t along, uint16_t port) {
    int32_t before[2], after[2];
    step_of(topology, along, before);
    step_of(topology, port, after);
    const bool diagonal = before[0] != 0 && before[1] != 0;
    if (diagonal)
        return along == port;
    const int d = before[0] != 0 ? 0 : 1;
    return before[d] == after[d];
}

static uint32_t king_farthest(const uint32_t *reach, uint32_t dimensions) {
    (void)dimensions;
    return reach[0] > reach[1] ? reach[0] : reach[1];
}

const vef_broadcast_rule vef_broadcast_king = {
    .name = "king",
    .summary =
        "king-mesh and king-torus: straight on, and from orthogonal links by the two "
        "diagonals beside",
    .fits = king_fits,
    .goes_on = king_goes_on,
    .farthest = king_farthest,
};
