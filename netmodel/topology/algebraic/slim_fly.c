/* Slim Fly: the graphs of McKay, Miller and Širáň, of diameter 2.
 *
 * McKay, Miller, Širáň: "A Note on Large Graphs of Diameter Two and Given Maximum Degree", J. Comb.
 * Theory B 74, 1998; in the form of Hafner: "Geometric realisation of the graphs of
 * McKay-Miller-Širáň", ibid. 90, 2004; as a network: Besta, Hoefler: "Slim Fly: A Cost Effective
 * Low-Diameter Network Topology", SC 2014.
 *
 * q = 4w + d is a prime power, d in {1, -1, 0}. Routers (0, x, y) and (1, m, c), all of GF(q),
 * numbered in this order, the last coordinate running fastest. Links: (0, x, y) and (0, x, y'), if
 * y - y' is in X_0; (1, m, c) and (1, m, c'), if c - c' is in X_1; (0, x, y) and (1, m, c), if y =
 * mx + c. X_0 and X_1 are 2w powers of a primitive element each: exponents 0, 2, 4, … and 1, 3, 5,
 * … for d = 1 and d = 0; for d = -1 the last w of them are lowered by 1. So the degree is 2w + q =
 * (3q - d) / 2.
 *
 * Diameter 2. (0, x, y) and (0, x', y'), x not x', have one common neighbour, of m = (y - y') / (x
 * - x'). (0, x, y) and (1, m, c) have one if y - mx - c is in X_0 or X_1, which together are all
 * elements but 0. With the same x, a z that is not in X = X_0 must be the sum of two that are: X
 * and z - X must meet. For d = 1, X are the squares, and z is the sum of two in w ways. For d = -1,
 * X and z - X have q + 1 elements. For d = 0 they have q, so if they did not meet, 0 would be in z
 * - X, and z in X. Likewise for X_1, which is X_0 times the primitive element.
 *
 * Ports 0 … 2w - 1 add an element of X_0 or X_1, in this order, to the last coordinate; port 2w + j
 * leads to the other half, where the second coordinate is j more.
 *
 * Symmetries.
 * - Translations: for any s and t, (0, x, y) to (0, x + s, y + sx + ss + t) and (1, m, c) to
 *   (1, m + s, c - ms + t) preserve links and, since differences of second coordinates and of last
 *   coordinates within a group stay as they are, ports. They map all routers of a half onto each
 * other.
 * - x to x + s alone, with c to c - ms, and m to m + s alone, with y to y + sx, preserve links too;
 * the latter fixes (0, 0, y) and maps its links to the other half onto each other.
 * - Multiplying y, c and m by an element b that maps X_0 and X_1 onto themselves: for d = 1 all
 * even powers, so that all links within a half are alike; for d = -1 there is -1, which relates
 * element i to i + w.
 * - For d = 1, (0, x, y) to (1, x, by) and (1, m, c) to (0, -bm, bc), b primitive, exchanges the
 * halves. */
#include "netmodel/topology/algebraic/galois.h"
#include "netmodel/topology/families.h"

enum { MAX_Q = 223 }; /* the greatest prime power with 3 q^3 ports, within VEF_MAX_ROUTER_PORTS */

typedef struct parameters {
    int64_t q;
} parameters;

typedef struct slim_fly {
    vef_galois field;
    int d;
    uint32_t generators; /* 2w */
    uint16_t *generator[2];
    bool *is_generator[2]; /* [element] */
} slim_fly;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, q), .minimum = 3, .maximum = MAX_Q,
     .help = "a prime power; there are 2 q^2 routers of (3q - d) / 2 links, d = 1, -1 or 0 the "
             "remainder of q modulo 4"},
    {.key = NULL},
};

typedef struct place {
    uint32_t half, x, y; /* or 1, m, c */
} place;

static place place_of(const slim_fly *fly, uint32_t router) {
    const uint32_t q = fly->field.q;
    return (place){router / (q * q), router / q % q, router % q};
}

static uint32_t router_at(const slim_fly *fly, place position) {
    return (position.half * fly->field.q + position.x) * fly->field.q + position.y;
}

/* mx + c: the y of the link between groups x and m. */
static uint32_t line(const slim_fly *fly, uint32_t m, uint32_t x, uint32_t c) {
    return vef_galois_add(&fly->field, vef_galois_multiply(&fly->field, m, x), c);
}

/* The port whose generator is the negative. */
static uint32_t opposite(const slim_fly *fly, uint32_t port) {
    return fly->d == 0 ? port : (port + fly->generators / 2) % fly->generators;
}

static void choose_generators(slim_fly *fly, vef_arena *arena) {
    const uint32_t q = fly->field.q;
    fly->d = q % 4 == 3 ? -1 : (int)(q % 4);
    fly->generators = (uint32_t)((int)q - fly->d) / 2;
    for (uint32_t half = 0; half < 2; half++) {
        fly->generator[half] =
            vef_arena_alloc(arena, fly->generators, sizeof *fly->generator[half]);
        fly->is_generator[half] = vef_arena_alloc(arena, q, sizeof *fly->is_generator[half]);
        for (uint32_t i = 0; i < fly->generators; i++) {
            const uint32_t lowered = fly->d == -1 && i >= fly->generators / 2;
            const uint16_t element = fly->field.power[(half + 2 * i - lowered) % (q - 1)];
            fly->generator[half][i] = element;
            fly->is_generator[half][element] = true;
        }
    }
}

static void join(const slim_fly *fly, vef_topology *topology) {
    const vef_galois *field = &fly->field;
    for (uint32_t router = 0; router < topology->routers; router++) {
        const place position = place_of(fly, router);
        for (uint32_t i = 0; i < fly->generators; i++) {
            place next = position;
            next.y = vef_galois_add(field, position.y, fly->generator[position.half][i]);
            vef_topology_join(topology, router, i, router_at(fly, next), opposite(fly, i));
        }
        for (uint32_t j = 0; j < field->q && position.half == 0; j++) {
            place next = {.half = 1, .x = vef_galois_add(field, position.x, j)};
            next.y = vef_galois_subtract(field, position.y,
                                         vef_galois_multiply(field, next.x, position.x));
            vef_topology_join(topology, router, fly->generators + j, router_at(fly, next),
                              fly->generators + field->negative[j]);
        }
    }
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const slim_fly *fly = topology->details;
    if (from == to)
        return 0;
    const place a = place_of(fly, from < to ? from : to), b = place_of(fly, from < to ? to : from);
    if (a.half != b.half)
        return a.y == line(fly, b.x, a.x, b.y) ? 1 : 2;
    const uint32_t apart = vef_galois_subtract(&fly->field, a.y, b.y);
    return a.x == b.x && fly->is_generator[a.half][apart] ? 1 : 2;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t q = (uint32_t)((const parameters *)given)->q;
    slim_fly *fly = vef_arena_alloc(&topology->arena, 1, sizeof *fly);
    topology->details = fly;
    if (vef_galois_make(q, &topology->arena, &fly->field, error) != VEF_OK)
        return vef_fail_within(error, "q");
    choose_generators(fly, &topology->arena);
    topology->routers = 2 * q * q;
    topology->ports = fly->generators + q;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(fly, topology);
    topology->link_classes = 3;
    topology->orbits = fly->d == 1 ? 1 : 2;
    topology->translation_classes = 2;
    topology->distance = distance;
    return VEF_OK;
}

/* ---- symmetries ---- */

static uint32_t half_of(const vef_topology *topology, uint32_t router) {
    return router / (topology->routers / 2);
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)router;
    const slim_fly *fly = topology->details;
    const uint32_t kinds = fly->d == 1 ? 1 : fly->d == -1 ? fly->generators / 2 : fly->generators;
    return port < fly->generators ? port % kinds : kinds;
}

/* ---- names ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const uint32_t generators = ((const slim_fly *)topology->details)->generators;
    if (port < generators)
        snprintf(text, text_bytes, "group %u", port);
    else
        snprintf(text, text_bytes, "across %u", port - generators);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const place position = place_of(topology->details, router);
    snprintf(text, text_bytes, "(%u, %u, %u)", position.half, position.x, position.y);
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    return port < ((const slim_fly *)topology->details)->generators ? half_of(topology, router) : 2;
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    (void)topology;
    static const char *const names[] = {"groups of half 0", "groups of half 1", "between halves"};
    snprintf(text, text_bytes, "%s", names[link_class]);
}

const vef_topology_family vef_topology_slim_fly = {
    .name = "slim-fly",
    .aliases = "slimfly mms mckay-miller-siran hoffman-singleton",
    .summary = "Slim Fly: McKay-Miller-Širáň graphs of diameter 2",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = half_of,
    .port_kind = port_kind,
    .translation_class = half_of,
    .samples = VEF_LIST("{q: 5}", "{q: 3}", "{q: 4}", "{q: 7}", "{q: 8}"),
    .larger = "{q: 13}",
};
