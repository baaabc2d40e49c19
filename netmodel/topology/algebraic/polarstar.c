/* PolarStar: star products of a polarity graph and a small supernode, of diameter 3.
 *
 * Lakhotia, Monroe, Isham, Besta, Blach, Hoefler, Petrini: "PolarStar: Expanding the Horizon of
 * Diameter-3 Networks", SPAA 2024 (arXiv 2302.07217). Each point of ER_q (polarfly.c) becomes a
 * copy of the supernode, a graph of degree d'; where two points are linked, router a of one
 * supernode is linked with router f(a) of the other, for a bijection f. So routers have at most q +
 * 1 + d' links.
 *
 * - Inductive-quad: 2 d' + 2 routers in pairs {a, f(a)}, for d' = 0 or 3 modulo 4. Of any two a, b
 * of different pairs, a and b or f(a) and f(b) are linked (property R*). Such a graph is a
 * tournament of the n = d' + 1 pairs: of two pairs one wins, and one of its two routers is linked
 * with both of the other. Degrees are equal if each pair wins an even number of times, half by
 * each router. The n pairs, or all but the last, lie on a circle, and each wins over the next half
 * of them, and over the last. (The paper adds four pairs at a time; property and size are the
 * same.) A quadric has its own loop: a is linked with f(a) there.
 * - Paley: the residues of GF(2 d' + 1), for even d', linked if they differ by a square; f
 * multiplies by a primitive element, from the point of the lower number to the other. Quadrics have
 * one link less.
 *
 * Routers: (q^2 + q + 1) (2 d' + 2) or (q^2 + q + 1) (2 d' + 1). `degree` alone gives the q, d' and
 * supernode with the most routers.
 *
 * Diameter: two points have a path of two links, counting the loops of quadrics, or one; along it a
 * supernode is entered at f(f(a)) = a or f(a), and one more hop within a supernode reaches the
 * rest. */
#include "common/memory.h"
#include "netmodel/topology/algebraic/polarfly.h"
#include "netmodel/topology/families.h"

#include <stdlib.h>

enum { AUTO, INDUCTIVE_QUAD, PALEY };
enum { MAX_DEGREE = 512 };
enum { SUPERNODE_LINKS, POLARITY_LINKS };

typedef struct parameters {
    int64_t degree;
    uint32_t q;
    int supernode;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, degree), .aliases = "radix links d", .minimum = 2,
     .maximum = MAX_DEGREE, .help = "links of a router, q + 1 + d'"},
    {VEF_KEY(COUNT, parameters, q), .fallback = "auto", .word = "auto", .minimum = 2,
     .maximum = MAX_DEGREE, .help = "a prime power, of the polarity graph; auto: for most routers"},
    {VEF_KEY(CHOICE, parameters, supernode), .fallback = "auto",
     .choices = VEF_LIST([AUTO] = "auto", [INDUCTIVE_QUAD] = "inductive-quad", [PALEY] = "paley"),
     .help =
         "inductive-quad, where d' is 0 or 3 modulo 4, or paley, where d' is even and 2 d' + 1 a "
         "prime power; auto: for most routers"},
    {.key = NULL},
};

typedef struct polarstar {
    vef_galois field;
    uint32_t points;
    uint32_t inside; /* d' */
    uint32_t size;   /* routers of a supernode */
    bool quad;       /* inductive-quad, else paley */
    uint16_t *image; /* [size]: f */
    bool *linked;    /* [size * size] */
} polarstar;

/* ---- the split of the degree ---- */

/* Routers of a supernode; 0: no supernode has that kind and degree. */
static uint32_t size_of(int kind, uint32_t inside) {
    if (kind == INDUCTIVE_QUAD)
        return inside % 4 == 0 || inside % 4 == 3 ? 2 * inside + 2 : 0;
    return inside > 0 && inside % 2 == 0 && vef_galois_exists(2 * inside + 1) ? 2 * inside + 1 : 0;
}

static vef_code split(const parameters *given, polarstar *star, vef_error *error) {
    const uint32_t degree = (uint32_t)given->degree;
    uint64_t most = 0;
    for (uint32_t q = 2; q < degree; q++)
        for (int kind = INDUCTIVE_QUAD; kind <= PALEY; kind++) {
            const uint32_t inside = degree - 1 - q, size = size_of(kind, inside);
            const uint64_t routers = ((uint64_t)q * q + q + 1) * size;
            if (routers <= most || !vef_galois_exists(q) || (given->q != 0 && given->q != q) ||
                (given->supernode != AUTO && given->supernode != kind))
                continue;
            most = routers;
            star->field.q = q;
            star->inside = inside;
            star->size = size;
            star->quad = kind == INDUCTIVE_QUAD;
        }
    if (most == 0)
        return vef_fail(
            error, VEF_INVALID,
            "degree: %u: there is no such network: expected q + 1 + d', where q is a "
            "prime power, and d' 0 or 3 modulo 4 (inductive-quad), or even and 2 d' + 1 "
            "a prime power (paley)",
            degree);
    return VEF_OK;
}

/* ---- supernodes ---- */

static void link_inside(const polarstar *star, uint32_t a, uint32_t b) {
    star->linked[a * star->size + b] = star->linked[b * star->size + a] = true;
}

static bool wins(uint32_t circle, uint32_t pair, uint32_t other) {
    if (pair < circle && other < circle) {
        const uint32_t ahead = (other + circle - pair) % circle;
        return ahead >= 1 && ahead <= (circle - 1) / 2;
    }
    return pair < circle && other >= circle;
}

static void make_quad(const polarstar *star) {
    const uint32_t pairs = star->size / 2, circle = pairs % 2 == 1 ? pairs : pairs - 1;
    for (uint32_t pair = 0; pair < pairs; pair++) {
        uint32_t won = 0;
        star->image[2 * pair] = (uint16_t)(2 * pair + 1);
        star->image[2 * pair + 1] = (uint16_t)(2 * pair);
        for (uint32_t other = 0; other < pairs; other++)
            if (wins(circle, pair, other)) {
                link_inside(star, 2 * pair + won % 2, 2 * other);
                link_inside(star, 2 * pair + won % 2, 2 * other + 1);
                won++;
            }
    }
}

static vef_code make_paley(const polarstar *star, vef_arena *arena, vef_error *error) {
    vef_galois field;
    const vef_code code = vef_galois_make(star->size, arena, &field, error);
    for (uint32_t a = 0; code == VEF_OK && a < star->size; a++) {
        star->image[a] = (uint16_t)vef_galois_multiply(&field, a, field.power[1]);
        for (uint32_t i = 0; i + 1 < star->size; i += 2)
            link_inside(star, a, vef_galois_add(&field, a, field.power[i]));
    }
    return code;
}

/* ---- building ---- */

/* Ports of all routers of a supernode that are joined are equally many, beyond those inside. */
static void join(const polarstar *star, vef_topology *topology) {
    const uint32_t size = star->size, q = star->field.q;
    uint32_t *line = vef_malloc((q + 1) * sizeof *line);
    uint32_t *joined = vef_malloc(star->points * sizeof *joined);
    uint32_t *used = vef_malloc(size * sizeof *used);
    for (uint32_t point = 0; point < star->points; point++) {
        joined[point] = star->inside;
        for (uint32_t a = 0; a < size; a++)
            used[a] = 0;
        for (uint32_t a = 0; a < size; a++)
            for (uint32_t b = a + 1; b < size; b++)
                if (star->linked[a * size + b])
                    vef_topology_join(topology, point * size + a, used[a]++, point * size + b,
                                      used[b]++);
    }
    for (uint32_t point = 0; point < star->points; point++) {
        vef_polarity_line(&star->field, point, line);
        for (uint32_t i = 0; i <= q; i++) {
            if (line[i] < point || (line[i] == point && !star->quad))
                continue;
            const uint32_t port = joined[point]++;
            const uint32_t back = line[i] == point ? port : joined[line[i]]++;
            for (uint32_t a = 0; a < size; a++)
                vef_topology_join(topology, point * size + a, port, line[i] * size + star->image[a],
                                  back);
        }
    }
    free(line);
    free(joined);
    free(used);
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    polarstar *star = vef_arena_alloc(&topology->arena, 1, sizeof *star);
    topology->details = star;
    vef_code code = split(given, star, error);
    if (code == VEF_OK)
        code = vef_galois_make(star->field.q, &topology->arena, &star->field, error);
    if (code != VEF_OK)
        return code;
    const uint32_t q = star->field.q, size = star->size;
    star->points = q * q + q + 1;
    const uint64_t routers = (uint64_t)star->points * size;
    topology->routers = routers > UINT32_MAX ? UINT32_MAX : (uint32_t)routers;
    topology->ports = q + 1 + star->inside;
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    star->image = vef_arena_alloc(&topology->arena, size, sizeof *star->image);
    star->linked = vef_arena_alloc(&topology->arena, (size_t)size * size, sizeof *star->linked);
    if (star->quad)
        make_quad(star);
    else
        code = make_paley(star, &topology->arena, error);
    if (code != VEF_OK)
        return code;
    join(star, topology);
    topology->link_classes = 2;
    return VEF_OK;
}

/* ---- names ---- */

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const polarstar *star = topology->details;
    char point[VEF_ROUTER_NAME_BYTES];
    vef_polarity_name(&star->field, router / star->size, point, sizeof point);
    snprintf(text, text_bytes, "%s, %u", point, router % star->size);
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)router;
    return port < ((const polarstar *)topology->details)->inside ? SUPERNODE_LINKS : POLARITY_LINKS;
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "%s",
             class == SUPERNODE_LINKS ? "in supernodes" : "between supernodes");
}

const vef_topology_family vef_topology_polarstar = {
    .name = "polarstar",
    .aliases = "polar-star star-product",
    .summary = "PolarStar: star products of a polarity graph and a supernode, of diameter 3",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .samples = VEF_LIST("{degree: 7}", "{degree: 7, q: 3}", "{degree: 3}",
                        "{degree: 8, q: 3, supernode: inductive-quad}"),
    .larger = "{degree: 11}",
};
