/* Shifted recursive torus, 2D-SRT: an N x N torus, N = 2^n, with one pair of bypass links along
 * each dimension at almost every router, of a length that is a power of two.
 *
 * Inoguchi, Horiguchi: "Shifted Recursive Torus Interconnection for High Performance Computing",
 * HPC Asia 1997. A row has rings of bypasses of lengths 2, 4, … N / 2 that share no router: of
 * length 2^l where 2^l but no higher power of two divides twice the place. Each row is shifted
 * against the one before it, and the bypasses along y are at the same routers as those along x and
 * as long: the rings of a length form tori.
 *
 * The text of that paper was not available; this is reconstructed. With s the shift, router (x, y)
 * has the place v = x + s y, and length 2^l if v is an odd multiple of 2^(l-1); multiples of N / 2
 * have no bypass. Of all shifts, only those equivalent to 2^floor(n/2) + 1, the default, give the
 * average, deviation, diameter and bisection that Zhang, Powell, Deng print in Table 1 of
 * "Interlacing Bypass Rings …" for 128x128 and 256x256 routers. Equivalent are s and -s (a mirror
 * image) and, for odd s, the inverse of s modulo N / 2 (exchange of x and y); so 2^floor(n/2) - 1,
 * which is minus the inverse, is too.
 *
 * A bypass of half the side is one link, not two. Translations that preserve v modulo N / 2 are
 * symmetries that preserve ports. */
#include "netmodel/topology/families.h"

enum { PORTS = 8, BYPASSES = 4, MOST_BITS = 11 };

typedef struct parameters {
    int64_t bits, shift;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, bits), .aliases = "n size sizes", .minimum = 2, .maximum = MOST_BITS,
     .help = "n: there are 2^n x 2^n routers"},
    {VEF_KEY(INT, parameters, shift), .fallback = "auto", .word = "auto", .minimum = 1,
     .maximum = 1 << (MOST_BITS - 1),
     .help = "s: shift of a row against the row before; auto: 2^floor(n/2) + 1"},
    {.key = NULL},
};

/* v modulo N / 2 */
static uint32_t place_of(const vef_topology *topology, uint32_t router) {
    const parameters *keys = topology->parameters;
    const uint32_t side = topology->sizes[0];
    const uint32_t shift = keys->shift != 0 ? (uint32_t)keys->shift : (1u << keys->bits / 2) + 1;
    return (router % side + shift * (router / side)) % (side / 2);
}

/* l; 0: no bypass */
static uint32_t level_of(const vef_topology *topology, uint32_t router) {
    const uint32_t place = place_of(topology, router);
    return place == 0 ? 0 : (uint32_t)__builtin_ctz(place) + 1;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *keys = given;
    const uint32_t side = 1u << keys->bits;
    if (keys->shift > side / 2)
        return vef_fail(error, VEF_INVALID,
                        "shift: %lld in rows of %u routers: out of range: expected 1 to %u",
                        (long long)keys->shift, side, side / 2);
    topology->dimensions = 2;
    topology->sizes[0] = topology->sizes[1] = side;
    topology->routers = side * side;
    topology->ports = PORTS;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t d = 0; d < 2; d++) {
            uint32_t step[2] = {0};
            step[d] = 1;
            vef_topology_join_step(topology, router, 2 * d, step);
            step[d] = 1u << level_of(topology, router);
            if (step[d] > 1)
                vef_topology_join_step(topology, router, BYPASSES + 2 * d, step);
        }
    topology->link_classes = 2 + (uint32_t)keys->bits - 1;
    topology->orbits = topology->translation_classes = side / 2;
    return VEF_OK;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "%s%c%c", port < BYPASSES ? "" : "bypass ", "xy"[port / 2 % 2],
             "+-"[port % 2]);
}

/* Classes: the dimensions of the torus, then the lengths of bypasses. */
static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    return port < BYPASSES ? port / 2 : 1 + level_of(topology, router);
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    (void)topology;
    if (link_class < 2)
        snprintf(text, text_bytes, "%c", "xy"[link_class]);
    else
        snprintf(text, text_bytes, "bypass %u", 1u << (link_class - 1));
}

const vef_topology_family vef_topology_srt = {
    .name = "srt",
    .aliases = "shifted-recursive-torus",
    .summary = "shifted recursive torus: a torus with bypasses of lengths 2, 4, 8, ...",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = place_of,
    .translation_class = place_of,
    .samples = VEF_LIST("{bits: 4}", "{bits: 2}", "{bits: 3}", "{bits: 4, shift: 3}",
                        "{bits: 3, shift: 4}"),
    .larger = "{bits: 6}",
};
