/* PolarFly: the Erdős-Rényi polarity graphs ER_q, of diameter 2.
 *
 * Erdős, Rényi: "On a problem in the theory of graphs", 1962; Brown: "On graphs that do not contain
 * a Thomsen graph", Canad. Math. Bull. 9, 1966; as a network: Lakhotia et al.: "PolarFly: A
 * Cost-Effective and Flexible Low-Diameter Topology", SC 2022. Routers are the q^2 + q + 1 points
 * of the projective plane over GF(q): vectors whose first coordinate other than 0 is 1. Two are
 * linked if their dot product is 0.
 *
 * The q + 1 neighbours of a point are the points of a line. On q + 1 lines the point itself is one
 * of them: it has q links, and is called a quadric. Any two points have one common neighbour, the
 * cross product, so the distance of points that are not linked is 2.
 *
 * Points are numbered (1, a, b), then (0, 1, a), then (0, 0, 1), the last coordinate running
 * fastest. The ports of a router are in the order of its neighbours' numbers; the last port of a
 * quadric is unconnected.
 *
 * Symmetries: linear maps that preserve the dot product up to a factor. Dickson's groups act on
 * three classes.
 * - Odd q: W, the q + 1 quadrics, are a conic; the group, PGL(2, q), takes any three of them to any
 * three. V1, points linked to two quadrics, are the pairs of quadrics. V2, linked to none, are the
 * conjugate pairs over GF(q^2). All of a class are equivalent, and a point's stabiliser, a dihedral
 * group in the case of V1 and V2, takes all its neighbours of a class to each other.
 * - Even q: W is the line of (1, 1, 1), since x^2 + y^2 + z^2 = (x + y + z)^2. V2 is the point (1,
 * 1, 1) alone, which is linked to all of W. V1 are the others, (1, 1, 1) + w for vectors w of that
 * line, each linked to one quadric. The group, SL(2, q), takes all w to each other. It takes the
 * neighbours (1, 1, 1) + cw of a quadric w to each other, and, by transvections, the q neighbours
 * in V1 of (1, 1, 1) + w: the loop at w aside. So links out of routers of a class are of the same
 * kind if they lead to the same class. */
#include "netmodel/topology/algebraic/polarfly.h"
#include "common/memory.h"
#include "netmodel/topology/families.h"

#include <stdlib.h>

enum { MAX_Q = 317 }; /* the greatest prime power within VEF_MAX_ROUTER_PORTS */
enum { W, V1, V2, CLASSES };

typedef struct parameters {
    int64_t q;
} parameters;

typedef struct polarfly {
    vef_galois field;
    uint8_t *class; /* [router] */
} polarfly;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, q), .minimum = 2, .maximum = MAX_Q,
     .help = "a prime power; there are q^2 + q + 1 routers of q + 1 links, of q if quadrics"},
    {.key = NULL},
};

typedef struct point {
    uint32_t coordinate[3];
} point;

static point point_of(const vef_galois *field, uint32_t router) {
    const uint32_t q = field->q;
    if (router < q * q)
        return (point){{1, router / q, router % q}};
    if (router < q * q + q)
        return (point){{0, 1, router - q * q}};
    return (point){{0, 0, 1}};
}

static uint32_t dot(const polarfly *fly, uint32_t a, uint32_t b) {
    const point u = point_of(&fly->field, a), v = point_of(&fly->field, b);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; i++)
        sum = vef_galois_add(&fly->field, sum,
                             vef_galois_multiply(&fly->field, u.coordinate[i], v.coordinate[i]));
    return sum;
}

/* The b with a + bc = 0, c not 0. */
static uint32_t solve(const vef_galois *field, uint32_t a, uint32_t c) {
    return vef_galois_multiply(field, field->negative[a], field->inverse[c]);
}

void vef_polarity_line(const vef_galois *field, uint32_t router, uint32_t *points) {
    const uint32_t q = field->q;
    const point v = point_of(field, router);
    for (uint32_t i = 0; i < q; i++) {
        if (v.coordinate[2] > 0) {
            const uint32_t rest = vef_galois_add(field, v.coordinate[0],
                                                 vef_galois_multiply(field, v.coordinate[1], i));
            points[i] = i * q + solve(field, rest, v.coordinate[2]);
        } else if (v.coordinate[1] > 0)
            points[i] = solve(field, v.coordinate[0], v.coordinate[1]) * q + i;
        else
            points[i] = q * q + i;
    }
    points[q] = q * q + (v.coordinate[2] > 0 ? solve(field, v.coordinate[1], v.coordinate[2]) : q);
}

static void join(const polarfly *fly, vef_topology *topology) {
    const uint32_t q = fly->field.q;
    uint32_t *points = vef_malloc((q + 1) * sizeof *points);
    uint16_t *joined = vef_calloc(topology->routers, sizeof *joined);
    /* Lesser neighbours have joined theirs before, in their order. */
    for (uint32_t router = 0; router < topology->routers; router++) {
        vef_polarity_line(&fly->field, router, points);
        for (uint32_t i = 0; i <= q; i++)
            if (points[i] > router)
                vef_topology_join(topology, router, joined[router]++, points[i],
                                  joined[points[i]]++);
    }
    free(points);
    free(joined);
}

static void classify(const polarfly *fly, const vef_topology *topology) {
    for (uint32_t router = 0; router < topology->routers; router++) {
        uint32_t quadrics = 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = vef_topology_next(topology, router, port);
            quadrics += next != VEF_NO_ROUTER && dot(fly, next, next) == 0;
        }
        fly->class[router] = dot(fly, router, router) == 0    ? W
                             : quadrics == 1 || quadrics == 2 ? V1
                                                              : V2;
    }
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    if (from == to)
        return 0;
    return dot(topology->details, from, to) == 0 ? 1 : 2;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t q = (uint32_t)((const parameters *)given)->q;
    polarfly *fly = vef_arena_alloc(&topology->arena, 1, sizeof *fly);
    topology->details = fly;
    if (vef_galois_make(q, &topology->arena, &fly->field, error) != VEF_OK)
        return vef_fail_within(error, "q");
    topology->routers = q * q + q + 1;
    topology->ports = q + 1;
    fly->class = vef_arena_alloc(&topology->arena, topology->routers, sizeof *fly->class);
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(fly, topology);
    classify(fly, topology);
    topology->link_classes = q % 2 == 1 ? 4 : 3;
    topology->orbits = CLASSES;
    topology->distance = distance;
    return VEF_OK;
}

/* ---- symmetries ---- */

static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    return ((const polarfly *)topology->details)->class[router];
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    return orbit(topology, vef_topology_next(topology, router, port));
}

/* ---- names ---- */

void vef_polarity_name(const vef_galois *field, uint32_t router, char *text, size_t text_bytes) {
    const point place = point_of(field, router);
    snprintf(text, text_bytes, "(%u, %u, %u)", place.coordinate[0], place.coordinate[1],
             place.coordinate[2]);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    vef_polarity_name(&((const polarfly *)topology->details)->field, router, text, text_bytes);
}

/* By the classes of both ends: W-V1, V1-V1, then V1-V2 and V2-V2 for odd q, W-V2 for even q. */
static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const uint32_t a = orbit(topology, router), b = port_kind(topology, router, port);
    const uint32_t least = a < b ? a : b, most = a < b ? b : a;
    return most == V1 ? least : least == V2 ? 3 : 2;
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    static const char *const odd[] = {"W-V1", "V1-V1", "V1-V2", "V2-V2"};
    static const char *const even[] = {"W-V1", "V1-V1", "W-V2"};
    const uint32_t q = ((const polarfly *)topology->details)->field.q;
    snprintf(text, text_bytes, "%s", (q % 2 == 1 ? odd : even)[link_class]);
}

const vef_topology_family vef_topology_polarfly = {
    .name = "polarfly",
    .aliases = "polar-fly erdos-renyi polarity-graph brown er",
    .summary = "PolarFly: Erdős-Rényi polarity graphs of diameter 2",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = orbit,
    .port_kind = port_kind,
    .samples = VEF_LIST("{q: 3}", "{q: 2}", "{q: 4}", "{q: 5}", "{q: 9}"),
    .larger = "{q: 16}",
};
