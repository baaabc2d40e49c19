/* Hop-by-hop routing of king networks, and its two-step form (2S).
 *
 * Stafford et al. ("Assessing the Suitability of King Topologies for Interconnection Networks"),
 * section 3.3.3. The source fixes no record: every router offers all ports that lead nearer to the
 * destination, so every minimal path is possible (max(|dx|, |dy|) hops). Hop by hop takes any of
 * them; 2S prefers the directions of Knaive (the ones of Figure 6); it takes the others (the twos,
 * all diagonal) only if all adaptive channels of the ones are full, and the escape if those of the
 * twos are full too. With wait_for_busy a packet waits for a busy port with room behind it
 * (vef_routing.patient), the literal meaning of "full"; without, it takes another at once. Only the
 * latter reproduces the paper: 2S is as good as Knaive under uniform traffic and far better under
 * tornado, where with waiting packets at their source wait for one link while others idle
 * (docs/results/validation.md has both). Knaive's directions are the orthogonal port that leads
 * nearer, and diagonals that reduce both differences.
 *
 * The escape is the first port that is a one, in the order x+ x- y+ y- z+ z- t+ t-, as in the paper
 * for both forms: the escape of king.h, with x+ and y+ for half a ring, where freedom from deadlock
 * is proved. The paper draws an adaptive port, then checks whether it is free; here the router
 * chooses among free ones (netmodel/MODEL.md).
 *
 * Virtual channels per link: 1 + adaptive_channels, on tori under virtual-channels 2 +.
 *
 * Example: from (0, 0) to (3, 0) inside a king mesh x+, z+ and t- (south-east) lead nearer; x+
 * is Knaive's, and the escape. From (0, 0) to (3, 2) they are x+ and z+, both Knaive's. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/lattice/king.h"

#include <stdlib.h>
#include <string.h>

typedef struct parameters_2s {
    vef_king_parameters common; /* first: shared with king.c */
    bool wait_for_busy;
} parameters_2s;

static const vef_param schema[] = {VEF_KING_SCHEMA(1), {.key = NULL}};

static const vef_param schema_2s[] = {
    VEF_KING_SCHEMA(1),
    {VEF_KEY(BOOL, parameters_2s, wait_for_busy), .fallback = "false",
     .help = "whether a packet waits for a busy link of Knaive's that has room downstream; false: "
             "it takes another link at once"},
    {.key = NULL},
};

/* Words of the route: the difference in x and in y, on a torus from 0 to size - 1. */

static vef_code create(vef_routing *routing, vef_error *error) {
    vef_code code = vef_king_create(routing, 2 * VEF_KING_DIRECTIONS, error);
    if (code != VEF_OK)
        return code;
    const vef_king *king = routing->state;
    routing->uniform = vef_rings_are_uniform(king->rings);
    return VEF_OK;
}

static vef_code create_2s(vef_routing *routing, vef_error *error) {
    routing->patient = ((const parameters_2s *)routing->parameters)->wait_for_busy;
    return create(routing, error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    int32_t difference[2];
    vef_king_difference(routing->state, travel->from, travel->to, difference);
    memset(route, 0, sizeof *route);
    route->words[0] = (int16_t)difference[0];
    route->words[1] = (int16_t)difference[1];
}

/* Brings a difference in dimension d to where it is kept. */
static int32_t reduced(const vef_king *king, int d, int32_t difference) {
    if (!king->wraps)
        return difference;
    const int32_t size = king->sizes[d];
    return difference < 0 ? difference + size : difference >= size ? difference - size : difference;
}

/* Hops that a difference in dimension d takes. */
static int32_t hops_of(const vef_king *king, int d, int32_t difference) {
    const int32_t hops = abs(reduced(king, d, difference));
    return king->wraps && king->sizes[d] - hops < hops ? king->sizes[d] - hops : hops;
}

typedef struct worth {
    bool nearer, knaive;
} worth;

/* Rates a step of a packet with differences x and y, of `hops` hops each. */
static worth worth_of(const vef_king *king, const vef_route *route, const int32_t *hops,
                      int direction, int32_t sign) {
    int32_t after[2];
    for (int d = 0; d < 2; d++)
        after[d] = hops_of(king, d, route->words[d] - sign * vef_king_step[direction][d]);
    const int32_t before = hops[0] > hops[1] ? hops[0] : hops[1];
    const bool nearer = (after[0] > after[1] ? after[0] : after[1]) < before;
    const bool orthogonal = direction == VEF_KING_X || direction == VEF_KING_Y;
    return (worth){nearer, nearer && (orthogonal || (after[0] < hops[0] && after[1] < hops[1]))};
}

static uint32_t offer(const vef_routing *routing, const vef_route *route, vef_place place,
                      bool two_step, vef_candidate *offered) {
    const vef_king *king = routing->state;
    const int32_t hops[2] = {hops_of(king, 0, route->words[0]), hops_of(king, 1, route->words[1])};
    if (hops[0] == 0 && hops[1] == 0)
        return 0;
    const bool adaptive = vef_king_is_adaptive(routing, place);
    uint32_t count = 0, straight = 0;
    int escape = -1;
    for (int i = 0; i < 2 * VEF_KING_DIRECTIONS; i++) {
        const int direction = i / 2, minus = i % 2;
        const worth found = worth_of(king, route, hops, direction, minus ? -1 : 1);
        const uint16_t port = king->port[direction][minus];
        if (found.knaive && escape < 0) {
            escape = port;
            straight = direction == VEF_KING_X || direction == VEF_KING_Y
                           ? (uint32_t)abs(hops[0] - hops[1])
                           : (uint32_t)hops[0];
        }
        if (adaptive && found.nearer && vef_king_has_link(king, place.router, port))
            count += vef_king_offer(routing, port, two_step && !found.knaive, offered + count);
    }
    return count + vef_king_offer_escape(routing, place, (uint16_t)escape, straight,
                                         two_step ? 2 : 1, offered + count);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    return offer(routing, route, place, false, offered);
}

static uint32_t candidates_2s(const vef_routing *routing, const vef_route *route, vef_place place,
                              vef_candidate *offered) {
    return offer(routing, route, place, true, offered);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)place, (void)channel;
    const vef_king *king = routing->state;
    for (int direction = 0; direction < VEF_KING_DIRECTIONS; direction++)
        for (int minus = 0; minus < 2; minus++)
            for (int d = 0; king->port[direction][minus] == port && d < 2; d++) {
                const int32_t step = (minus ? -1 : 1) * vef_king_step[direction][d];
                route->words[d] = (int16_t)reduced(king, d, route->words[d] - step);
            }
}

const vef_routing_algorithm vef_routing_hop_by_hop = {
    .name = "hop-by-hop",
    .summary = "king networks: adaptive along every minimal path",
    VEF_PARAMETERS(schema, vef_king_parameters),
    .supports = vef_king_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = vef_king_input,
    .advance = advance,
    .fold = vef_king_fold,
    .straight = &vef_king_straight,
};

const vef_routing_algorithm vef_routing_hop_by_hop_2s = {
    .name = "hop-by-hop-2s",
    .summary = "king networks: along every minimal path, by preference along Knaive's",
    VEF_PARAMETERS(schema_2s, parameters_2s),
    .supports = vef_king_supports,
    .create = create_2s,
    .begin = begin,
    .candidates = candidates_2s,
    .input = vef_king_input,
    .advance = advance,
    .fold = vef_king_fold,
    .straight = &vef_king_straight,
};
