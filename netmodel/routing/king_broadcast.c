/* Broadcast in king networks. See king_broadcast.h. */
#include "netmodel/routing/king_broadcast.h"

#include "netmodel/routing/king.h"

#include <assert.h>

vef_code vef_king_broadcast_supports(const vef_topology *topology, vef_error *error) {
    return vef_king_supports(topology, VEF_FLOW_BUBBLE, NULL, error);
}

/* How far a copy goes in dimension d from coordinate `at` of the source, downwards and upwards. */
static void extents(const vef_lattice *lattice, uint32_t source, int d, int32_t *least,
                    int32_t *most) {
    const uint32_t width = (uint32_t)lattice->sizes[0];
    const int32_t at = (int32_t)(d == 0 ? source % width : source / width);
    const int32_t size = lattice->sizes[d];
    *least = lattice->wraps[d] ? -((size - 1) / 2) : -at;
    *most = lattice->wraps[d] ? size / 2 : size - 1 - at;
}

uint32_t vef_king_broadcast_reach(const vef_topology *topology, uint32_t source) {
    int32_t reach = 0;
    for (int d = 0; d < 2; d++) {
        int32_t least, most;
        extents(topology->lattice, source, d, &least, &most);
        reach = most > reach ? most : reach;
        reach = -least > reach ? -least : reach;
    }
    return (uint32_t)reach;
}

/* Where the router lies from the source, within the extents. */
static int32_t offset(const vef_lattice *lattice, uint32_t source, uint32_t router, int d) {
    const uint32_t width = (uint32_t)lattice->sizes[0];
    const int32_t from = (int32_t)(d == 0 ? source % width : source / width);
    const int32_t to = (int32_t)(d == 0 ? router % width : router / width);
    int32_t least, most;
    extents(lattice, source, d, &least, &most);
    const int32_t difference = to - from;
    return difference < least  ? difference + lattice->sizes[d]
           : difference > most ? difference - lattice->sizes[d]
                               : difference;
}

/* Whether a copy that came along `came` (direction and sign) goes on along `next`. */
static bool goes_on(const int32_t *came, const int32_t *next) {
    if (came[0] == next[0] && came[1] == next[1])
        return true;
    const bool straight = came[0] == 0 || came[1] == 0;
    const bool diagonal = next[0] != 0 && next[1] != 0;
    return straight && diagonal && (came[0] == next[0] || came[1] == next[1]);
}

uint32_t vef_king_broadcast_ports(const vef_topology *topology, uint32_t source, uint32_t router,
                                  uint16_t in_port, uint32_t time_to_live,
                                  uint16_t ports[VEF_KING_BROADCAST_PORTS]) {
    const vef_lattice *lattice = topology->lattice;
    uint16_t port[VEF_KING_DIRECTIONS][2];
    const bool king = vef_king_find_ports(lattice, port);
    assert(king);
    (void)king;
    if (time_to_live == 0)
        return 0;
    int32_t came[2] = {0, 0};
    for (int d = 0; d < VEF_KING_DIRECTIONS; d++)
        for (int minus = 0; minus < 2; minus++)
            if (in_port == port[d][minus]) /* it came the opposite way */
                for (int i = 0; i < 2; i++)
                    came[i] = (minus ? 1 : -1) * vef_king_step[d][i];
    uint32_t count = 0;
    for (int d = 0; d < VEF_KING_DIRECTIONS; d++)
        for (int minus = 0; minus < 2; minus++) {
            bool within = true;
            int32_t step[2];
            for (int i = 0; i < 2; i++) {
                step[i] = (minus ? -1 : 1) * vef_king_step[d][i];
                int32_t least, most;
                extents(lattice, source, i, &least, &most);
                const int32_t at = offset(lattice, source, router, i) + step[i];
                within = within && at >= least && at <= most;
            }
            if (within && (in_port == VEF_INJECTED || goes_on(came, step)))
                ports[count++] = port[d][minus];
        }
    return count;
}
