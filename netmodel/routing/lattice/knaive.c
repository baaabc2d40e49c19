/* Routing of king networks by record: Knaive and EKnaive.
 *
 * Stafford et al. ("Assessing the Suitability of King Topologies for Interconnection Networks"),
 * sections 3.3.1 and 3.3.2. Paths are minimal: max(|dx|, |dy|) hops.
 *
 * Knaive: the difference (dx, dy) to the destination is that of the mesh or torus without diagonals
 * (random if half a ring is possible either way); min(|dx|, |dy|) pairs of an x and a y step become
 * steps of one diagonal. At most two components.
 *
 * EKnaive: in addition, two remaining orthogonal steps can become one of each diagonal. A share of
 * the orthogonal steps is exchanged, two thirds by default; if that is not a whole number of pairs,
 * one of the two nearest is drawn so that the mean is correct (the paper does not define the
 * rounding). A single step remains.
 *
 * Adaptive channels may be used along every remaining component, except out of a mesh: at its
 * border another component is possible, since the destination is inside. The escape and freedom
 * from deadlock are those of king.h; if it takes an orthogonal step that the record no longer has,
 * two diagonal steps become orthogonal again. With adaptive_channels: 0 Knaive is its escape alone,
 * dimension order.
 *
 * Virtual channels per link: 1 + adaptive_channels, on tori under virtual-channels 2 +.
 *
 * Example: from (0, 0) to (5, 2) Knaive's record is x 3, z 2; with one pair exchanged EKnaive's
 * is x 1, z 3, t -1: 5 hops too. On a mesh t- leads out of (0, 0), so z or x comes first. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/lattice/king.h"
#include "netmodel/routing/lattice/record.h"

#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    vef_king_parameters common; /* first: shared with king.c */
    vef_int_list share;         /* of eknaive only */
} parameters;

/* Words of the route: the steps left in each direction. */
#define X VEF_KING_X
#define Y VEF_KING_Y
#define Z VEF_KING_Z
#define T VEF_KING_T

static const vef_param knaive_schema[] = {VEF_KING_SCHEMA(0), {.key = NULL}};

static const vef_param eknaive_schema[] = {
    VEF_KING_SCHEMA(1),
    {VEF_KEY(INT_LIST, parameters, share), .fallback = "[2, 3]", .minimum = 0, .maximum = 1000,
     .help = "share of the orthogonal steps that become diagonal ones: [2, 3] is two thirds"},
    {.key = NULL},
};

static vef_code eknaive_supports(const vef_topology *topology, vef_flow_control flow_control,
                                 const void *given, vef_error *error) {
    const vef_int_list *share = &((const parameters *)given)->share;
    if (share->count != 2 || share->values[1] == 0 || share->values[0] > share->values[1])
        return vef_fail(error, VEF_INVALID,
                        "share: expected a part and a whole that is at least the part and not 0, "
                        "such as [2, 3] for two thirds");
    return vef_king_supports(topology, flow_control, given, error);
}

static vef_code create(vef_routing *routing, vef_error *error) {
    enum { MOST_COMPONENTS = 3 };
    vef_code code = vef_king_create(routing, MOST_COMPONENTS, error);
    if (code != VEF_OK)
        return code;
    const vef_king *king = routing->state;
    /* On a mesh the border matters too, and with datelines the place on the ring. */
    if (king->wraps)
        vef_record_set_signatures(routing, king->rings);
    routing->uniform = vef_rings_are_uniform(king->rings);
    return VEF_OK;
}

/* The shorter way round, either one where they are equal. */
static void shorten(const vef_king *king, vef_draws *draws, int32_t *difference) {
    for (int d = 0; king->wraps && d < 2; d++) {
        const int32_t twice = 2 * difference[d], size = king->sizes[d];
        if (twice > size || (twice == size && vef_draw_below(draws, 2) == 1))
            difference[d] -= size;
    }
}

static void begin_knaive(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                         vef_route *route) {
    int32_t difference[2];
    vef_king_difference(routing->state, travel->from, travel->to, difference);
    shorten(routing->state, draws, difference);
    const int32_t x = difference[0], y = difference[1];
    const int32_t diagonal = (abs(x) < abs(y) ? abs(x) : abs(y)) * (y < 0 ? -1 : 1);
    const int which = (x < 0) == (y < 0) ? Z : T;
    memset(route, 0, sizeof *route);
    route->words[which] = (int16_t)diagonal;
    route->words[X] = (int16_t)(x - diagonal * vef_king_step[which][0]);
    route->words[Y] = (int16_t)(y - diagonal);
}

/* Exchanges 2 x `pairs` steps in orthogonal direction `which` for as many diagonal ones: (2,0)
 * is (1,1) - (-1,1), and (0,2) is (1,1) + (-1,1). */
static void exchange(vef_route *route, int which, int32_t pairs) {
    route->words[which] = (int16_t)(route->words[which] - 2 * pairs);
    route->words[Z] = (int16_t)(route->words[Z] + pairs);
    route->words[T] = (int16_t)(route->words[T] + (which == X ? -pairs : pairs));
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void begin_eknaive(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                          vef_route *route) {
    begin_knaive(routing, travel, draws, route);
    const int64_t *share = ((const parameters *)routing->parameters)->share.values;
    const int which = route->words[X] != 0 ? X : Y;
    const int64_t steps = abs(route->words[which]);
    /* The mean number of pairs is steps x part / (2 x whole); its fraction is drawn. */
    const int64_t parts = steps * share[0], whole = 2 * share[1];
    const int64_t divisor = common_divisor(whole, parts % whole);
    int64_t pairs = parts / whole;
    if (2 * pairs + 2 <= steps)
        pairs += vef_draw_below(draws, (uint32_t)(whole / divisor)) < parts % whole / divisor;
    exchange(route, which, (int32_t)(route->words[which] < 0 ? -pairs : pairs));
}

static uint16_t port_of(const vef_king *king, int direction, bool minus) {
    return king->port[direction][minus];
}

/* Knaive's next step in dimension order for the sum of the record: the port, and the hops in its
 * direction. */
static uint16_t escape(const vef_king *king, const int16_t *words, uint32_t *hops) {
    const int z = words[Z], t = words[T];
    const int pairs = abs(z) < abs(t) ? abs(z) : abs(t);
    if (words[X] != 0 || words[Y] != 0) {
        const int which = words[X] != 0 ? X : Y;
        *hops = (uint32_t)(abs(words[which]) + 2 * pairs);
        return port_of(king, which, words[which] < 0);
    }
    if (pairs > 0) {
        *hops = (uint32_t)(2 * pairs);
        return port_of(king, (z < 0) == (t < 0) ? Y : X, z < 0);
    }
    *hops = (uint32_t)(abs(z) + abs(t));
    return port_of(king, z != 0 ? Z : T, z < 0 || t < 0);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_king *king = routing->state;
    const bool adaptive = vef_king_is_adaptive(routing, place);
    uint32_t count = 0;
    bool any = false;
    for (int d = 0; d < VEF_KING_DIRECTIONS; d++) {
        if (route->words[d] == 0)
            continue;
        const uint16_t port = port_of(king, d, route->words[d] < 0);
        any = true;
        if (adaptive && vef_king_has_link(king, place.router, port))
            count += vef_king_offer(routing, port, 0, offered + count);
    }
    if (!any)
        return 0;
    uint32_t hops;
    const uint16_t port = escape(king, route->words, &hops);
    return count + vef_king_offer_escape(routing, place, port, hops, 1, offered + count);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)place, (void)channel;
    const vef_king *king = routing->state;
    for (int d = 0; d < VEF_KING_DIRECTIONS; d++)
        for (int minus = 0; minus < 2; minus++) {
            if (king->port[d][minus] != port)
                continue;
            const int sign = minus ? -1 : 1;
            if (route->words[d] == 0) /* the escape goes straight where two diagonals are left */
                exchange(route, d, -sign);
            route->words[d] = (int16_t)(route->words[d] - sign);
        }
}

/* clang-format off */
#define KING_RECORD                                                                                \
    .parameter_bytes = sizeof(parameters),                                                         \
    .create = create,                                                                              \
    .candidates = candidates,                                                                      \
    .input = vef_king_input,                                                                       \
    .signature = vef_record_signature,                                                             \
    .advance = advance,                                                                            \
    .fold = vef_king_fold,                                                                         \
    .straight = &vef_king_straight
/* clang-format on */

const vef_routing_algorithm vef_routing_knaive = {
    .name = "knaive",
    .summary = "king networks: adaptive by a record of one orthogonal and one diagonal component",
    .schema = knaive_schema,
    .supports = vef_king_supports,
    .begin = begin_knaive,
    KING_RECORD,
};

const vef_routing_algorithm vef_routing_eknaive = {
    .name = "eknaive",
    .summary = "king networks: Knaive, a share of its orthogonal steps made diagonal",
    .schema = eknaive_schema,
    .supports = eknaive_supports,
    .begin = begin_eknaive,
    KING_RECORD,
};
