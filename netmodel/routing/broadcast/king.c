/* Broadcast on king meshes and tori (king paper, section 3.3.4 and Figure 7).
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

/* Where a link of a port leads. */
static void step_of(const vef_topology *topology, uint16_t port, int32_t step[2]) {
    const int32_t sign = port % 2 == 0 ? 1 : -1;
    for (int d = 0; d < 2; d++)
        step[d] = sign * topology->lattice->generator[port / 2][d];
}

static bool fits(const vef_topology *topology) {
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

static bool goes_on(const vef_topology *topology, uint16_t along, uint16_t port) {
    int32_t before[2], after[2];
    step_of(topology, along, before);
    step_of(topology, port, after);
    const bool diagonal = before[0] != 0 && before[1] != 0;
    if (diagonal)
        return along == port;
    const int d = before[0] != 0 ? 0 : 1;
    return before[d] == after[d];
}

static uint32_t farthest(const uint32_t *reach, uint32_t dimensions) {
    (void)dimensions;
    return reach[0] > reach[1] ? reach[0] : reach[1];
}

const vef_broadcast_rule vef_broadcast_king = {
    .name = "king",
    .summary =
        "king-mesh and king-torus: straight on, and from orthogonal links by the two "
        "diagonals beside",
    .fits = fits,
    .goes_on = goes_on,
    .farthest = farthest,
};
