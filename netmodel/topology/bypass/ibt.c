/* Interlaced bypass tori (iBT): a torus with one pair of longer links for each router.
 *
 * Zhang, Powell, Deng: "Interlacing Bypass Rings to Torus Networks for More Efficient Networks",
 * section 2.1. With m bypass dimensions (the first of them; L in the paper) and k lengths, let S be
 * the sum of a router's coordinates in the bypass dimensions. Its bypass dimension is S mod m, its
 * bypass length is number floor((S mod mk) / m) of the list, and it has links to the routers at
 * that distance in both directions of that dimension.
 *
 * Both ends of a bypass must have the same bypass, so that the rings close. The paper requires that
 * m k divide the lengths and the sizes of the bypass dimensions, which is sufficient but not
 * necessary. A length l changes S by l, so m must divide l, and the list must contain l again l / m
 * places later, cyclically. A wrap changes S by the size, which must preserve every router's
 * bypass, so m k' must divide the size, where k' is the least period of the list. (Each value of
 * the list occurs in an arithmetic progression of places whose step divides l / m; the routers
 * whose bypass wraps have S at l successive values, so all these places occur, and a size that
 * preserves them all is a period of the list.) <2, 4, 2, 8> with m = 1 is such a list, and <4, 4>
 * equals <4>. A list whose end the sizes leave unused is refused like any other invalid one.
 *
 * Parallel links count once, as in the paper's bisection widths (its <15> in 30x30x36): a bypass of
 * half the size of its dimension has no port "bypass-", and a dimension of two routers no port "-".
 * The paper's node degrees and network costs count both. Lengths 1 and size - 1 would duplicate
 * links of the torus and are refused.
 *
 * Translations along the bypass dimensions that keep S mod m k', and all translations along the
 * others, are symmetries that preserve ports: m k' orbits. */
#include "netmodel/topology/families.h"

#include <assert.h>

/* The parameters of the family `ibt`. */
typedef struct parameters {
    vef_int_list sizes;
    int64_t bypass_dimensions; /* the first of the dimensions */
    vef_int_list lengths;      /* in routers */
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, sizes), .aliases = "size nodes routers dims dimensions shape",
     .minimum = 2, .maximum = VEF_MAX_ROUTERS,
     .help = "routers along each dimension, dimension 0 first"},
    {VEF_KEY(INT, parameters, bypass_dimensions), .minimum = 1, .maximum = VEF_MAX_DIMENSIONS,
     .help = "number of dimensions with bypasses, the first ones (L)"},
    {VEF_KEY(INT_LIST, parameters, lengths), .minimum = 2, .maximum = VEF_MAX_ROUTERS,
     .help = "lengths of the bypasses, interlaced in this order"},
    {.key = NULL},
};

/* ---- distances ----
 *
 * Distances in interlaced bypass tori with one bypass length l in up to three bypass dimensions.
 *
 * Zhang, Powell, Deng: "Interlacing Bypass Rings to Torus Networks for More Efficient Networks",
 * section 3. A path makes b_d bypass hops and r_d torus hops (net, with signs) along bypass
 * dimension d, where b_d l + r_d is the difference of the coordinates modulo the size N_d. Its
 * length is |b| + |r| plus a penalty for detours to a router with a bypass of each dimension that
 * it uses. Bypass hops preserve S (the sum of the coordinates) modulo L and thus the bypass
 * dimension, and a torus hop changes S by one, so the penalty depends on the start of the path, on
 * which b_d are not 0, and on the torus hops. Plain dimensions add their torus distance.
 *
 * The printed formula uses one b and r: t is the shortest way round the torus, b is t / l rounded
 * to the nearest, r the rest. Three corrections are made here:
 *
 *   - The printed t is 0 for the difference N / 2: with N = 8, l = 4 two routers 4 apart have
 *     distance 0. It must be N / 2, in either direction. (A t / l half way between two whole
 *     numbers is rounded towards 0.)
 *   - The shortest way round is not always the best for bypasses. With N = 14, l = 4 a router 6
 *     away is at distance 2 (two bypasses back), and the formula gives 3. With the first
 *     correction, it is valid if in each bypass dimension l <= N / 2 and l divides N or, with L =
 *     2, N is 2 q l + 2 (q >= 1), and for no other size up to 34 (L = 2) and 18 (L = 3), which a
 *     test checks.
 *   - It is for l >= 4 with L = 2 and l >= 6 with L = 3 (printed as l = L (k + 1), k >= 1). With l
 *     = L bypass hops are not always better than the torus hops they replace: with L = 2, l = 2,
 *     from (0, 0) to (0, 2), a bypass of a dimension that (0, 0) does not have, takes 2 torus hops,
 *     and the formula gives 1 + 2.
 *
 * So the distance is the minimum of |b| + |r| + penalty over every b modulo N / gcd(N, l), where
 * r is the shorter way round for the rest. This is correct for every l: other choices of b and r
 * for the same end only add hops. The choices in one dimension affect the penalty in eight ways,
 * so each dimension contributes the minimum of each (over at most N / gcd(N, l) + 1 terms), and
 * these are then combined. */

/* Maximum number of bypass dimensions of the formula, which supports one length. */
enum { MOST_DISTANCE_DIMENSIONS = 3 };

/* Torus hops along one dimension, as far as they affect the penalty. */
typedef enum steps { STEPS_NONE, STEP_UP, STEP_DOWN, STEPS_MANY, STEP_KINDS } steps;

/* The fewest hops along one dimension of each kind; UINT32_MAX: none. */
typedef struct ways {
    uint32_t hops[2][STEP_KINDS]; /* [whether bypasses are used] */
} ways;

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void find_ways(ways *found, uint32_t difference, uint32_t size, uint32_t length) {
    for (int used = 0; used < 2; used++)
        for (int kind = 0; kind < STEP_KINDS; kind++)
            found->hops[used][kind] = UINT32_MAX;
    const int64_t most = size / common_divisor(size, length) / 2;
    for (int64_t bypasses = -most; bypasses <= most; bypasses++) {
        int64_t rest = ((int64_t)difference - bypasses * length) % size;
        if (rest < 0)
            rest += size;
        bool down = 2 * rest > size;
        uint32_t torus_hops = (uint32_t)(down ? size - rest : rest);
        uint32_t hops = (uint32_t)(bypasses < 0 ? -bypasses : bypasses) + torus_hops;
        steps kind = torus_hops > 1    ? STEPS_MANY
                     : torus_hops == 0 ? STEPS_NONE
                     : down            ? STEP_DOWN
                                       : STEP_UP;
        uint32_t *least = &found->hops[bypasses != 0][kind];
        if (hops < *least)
            *least = hops;
    }
}

/* What the choices in all dimensions come to. */
typedef struct choice {
    uint32_t hops;
    uint32_t used; /* bit d: bypasses along dimension d */
    uint32_t up, down;
    bool many; /* two torus hops or more along one dimension */
} choice;

/* The hops that a path with these torus hops must add, in pairs forward and back, to reach a
 * bypass of each used dimension. `start`: the bypass dimension at its start. */
static uint32_t penalty(const choice *chosen, uint32_t bypass_dimensions, uint32_t start) {
    uint32_t missing = chosen->used & ~(1u << start);
    if (missing == 0 || chosen->many)
        return 0;
    if (bypass_dimensions == 2)
        return chosen->up + chosen->down > 0 ? 0 : 2;
    const uint32_t above = 1u << (start + 1) % 3, below = 1u << (start + 2) % 3;
    if (chosen->up > 1 || chosen->down > 1)
        return 0; /* S takes three values one after the other */
    if (chosen->up == 1 && chosen->down == 1)
        return missing == (above | below) ? 2 : 0; /* whichever first */
    if (chosen->up == 1)
        return missing == above ? 0 : 2;
    if (chosen->down == 1)
        return missing == below ? 0 : 2;
    return missing == (above | below) ? 4 : 2;
}

static uint32_t combine(const ways *by_dimension, uint32_t dimension, uint32_t bypass_dimensions,
                        uint32_t start, choice so_far, uint32_t best) {
    if (dimension == bypass_dimensions) {
        uint32_t hops = so_far.hops + penalty(&so_far, bypass_dimensions, start);
        return hops < best ? hops : best;
    }
    for (uint32_t used = 0; used < 2; used++)
        for (uint32_t kind = 0; kind < STEP_KINDS; kind++) {
            uint32_t hops = by_dimension[dimension].hops[used][kind];
            if (hops == UINT32_MAX || so_far.hops + hops >= best)
                continue;
            choice next = {
                .hops = so_far.hops + hops,
                .used = so_far.used | used << dimension,
                .up = so_far.up + (kind == STEP_UP),
                .down = so_far.down + (kind == STEP_DOWN),
                .many = so_far.many || kind == STEPS_MANY,
            };
            best = combine(by_dimension, dimension + 1, bypass_dimensions, start, next, best);
        }
    return best;
}

/* Hops between two routers of a network that the formula covers. */
static uint32_t distance_by_formula(const vef_topology *topology, uint32_t from, uint32_t to) {
    const parameters *ibt = topology->parameters;
    const uint32_t bypass_dimensions = (uint32_t)ibt->bypass_dimensions;
    assert(bypass_dimensions <= MOST_DISTANCE_DIMENSIONS);
    uint32_t here[VEF_MAX_DIMENSIONS], there[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, from, here);
    vef_topology_coordinates(topology, to, there);
    ways by_dimension[MOST_DISTANCE_DIMENSIONS];
    uint32_t plain_hops = 0, sum = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        const uint32_t size = topology->sizes[d];
        const uint32_t difference = (there[d] + size - here[d]) % size;
        if (d < bypass_dimensions) {
            find_ways(&by_dimension[d], difference, size, (uint32_t)ibt->lengths.values[0]);
            sum += here[d];
        } else {
            plain_hops += difference < size - difference ? difference : size - difference;
        }
    }
    return plain_hops + combine(by_dimension, 0, bypass_dimensions, sum % bypass_dimensions,
                                (choice){0}, UINT32_MAX);
}

/* ---- checks ---- */

static vef_code take_sizes(const parameters *ibt, vef_topology *topology, vef_error *error) {
    if (ibt->sizes.count < 1 || ibt->sizes.count > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "sizes: %zu dimensions: out of range: expected 1 to %d",
                        ibt->sizes.count, VEF_MAX_DIMENSIONS);
    uint64_t routers = 1;
    topology->dimensions = (uint32_t)ibt->sizes.count;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        topology->sizes[d] = (uint32_t)ibt->sizes.values[d];
        routers *= topology->sizes[d];
        if (routers > VEF_MAX_ROUTERS)
            return vef_fail(error, VEF_INVALID,
                            "sizes: more than %d routers: expected fewer or smaller sizes",
                            VEF_MAX_ROUTERS);
    }
    topology->routers = (uint32_t)routers;
    if (ibt->bypass_dimensions > (int64_t)ibt->sizes.count)
        return vef_fail(
            error, VEF_INVALID,
            "bypass_dimensions: %lld of %zu dimensions: out of range: expected 1 to %zu",
            (long long)ibt->bypass_dimensions, ibt->sizes.count, ibt->sizes.count);
    return VEF_OK;
}

/* "4 or 8": the multiples of `step` next to `value` in [least, most], or "none". */
static void write_nearest(char *text, size_t text_bytes, int64_t value, int64_t step, int64_t least,
                          int64_t most) {
    int64_t below = value / step * step, above = below + step;
    if (below >= least && above <= most)
        snprintf(text, text_bytes, "%lld or %lld", (long long)below, (long long)above);
    else if (below >= least || above <= most)
        snprintf(text, text_bytes, "%lld", (long long)(below >= least ? below : above));
    else
        snprintf(text, text_bytes, "none");
}

static vef_code check_lengths(const parameters *ibt, vef_error *error) {
    const int64_t m = ibt->bypass_dimensions;
    const int64_t k = (int64_t)ibt->lengths.count;
    if (k == 0)
        return vef_fail(error, VEF_INVALID, "lengths: empty: expected one or more");
    int64_t most = VEF_MAX_ROUTERS;
    for (int64_t d = 0; d < m; d++) {
        const int64_t size = ibt->sizes.values[d];
        if (size < 4)
            return vef_fail(error, VEF_INVALID,
                            "sizes: %lld routers along dimension %lld leave no room for a bypass: "
                            "expected 4 or more",
                            (long long)size, (long long)d);
        for (int64_t h = 0; h < k; h++)
            if (ibt->lengths.values[h] > size - 2)
                return vef_fail(error, VEF_INVALID,
                                "lengths: a bypass of %lld along dimension %lld of %lld routers is "
                                "out of range: expected 2 to %lld",
                                (long long)ibt->lengths.values[h], (long long)d, (long long)size,
                                (long long)size - 2);
        most = size - 2 < most ? size - 2 : most;
    }
    for (int64_t h = 0; h < k; h++) {
        const int64_t length = ibt->lengths.values[h];
        if (length % m == 0 && ibt->lengths.values[(h + length / m) % k] == length)
            continue;
        char nearest[64];
        write_nearest(nearest, sizeof nearest, length, m * k, 2, most);
        return vef_fail(error, VEF_INVALID,
                        "lengths: a bypass of %lld leads to a router with another bypass, so its "
                        "ring does not close: expected a multiple of %lld (%lld bypass dimensions "
                        "times %lld lengths), the nearest: %s",
                        (long long)length, (long long)(m * k), (long long)m, (long long)k, nearest);
    }
    return VEF_OK;
}

/* The least rotation that maps the list of lengths to itself. */
static uint32_t period(const vef_int_list *lengths) {
    for (size_t turn = 1; turn < lengths->count; turn++) {
        size_t same = 0;
        while (same < lengths->count &&
               lengths->values[same] == lengths->values[(same + turn) % lengths->count])
            same++;
        if (same == lengths->count)
            return (uint32_t)turn;
    }
    return (uint32_t)lengths->count;
}

static vef_code check_sizes(const parameters *ibt, uint32_t species, vef_error *error) {
    for (int64_t d = 0; d < ibt->bypass_dimensions; d++) {
        const int64_t size = ibt->sizes.values[d];
        if (size % species == 0)
            continue;
        char nearest[64];
        write_nearest(nearest, sizeof nearest, size, species, 4, VEF_MAX_ROUTERS);
        return vef_fail(
            error, VEF_INVALID,
            "sizes: bypass rings do not close along dimension %lld of %lld routers: expected a "
            "multiple of %u (%lld bypass dimensions times %lld lengths), the nearest: %s",
            (long long)d, (long long)size, species, (long long)ibt->bypass_dimensions,
            (long long)species / ibt->bypass_dimensions, nearest);
    }
    return VEF_OK;
}

/* ---- building ---- */

/* S modulo the number of species (which is the number of orbits). */
static uint32_t species_of(const vef_topology *topology, uint32_t router) {
    const parameters *ibt = topology->parameters;
    uint32_t sum = 0;
    for (uint32_t d = 0; d < (uint32_t)ibt->bypass_dimensions; d++) {
        sum += router % topology->sizes[d];
        router /= topology->sizes[d];
    }
    return sum % topology->orbits;
}

static int64_t length_of(const vef_topology *topology, uint32_t router) {
    const parameters *ibt = topology->parameters;
    return ibt->lengths.values[species_of(topology, router) / (uint32_t)ibt->bypass_dimensions];
}

/* Joins `router` with the router `length` ahead in `dimension` by ports `plus` and `plus` + 1. */
static void join_on(vef_topology *topology, uint32_t router, uint32_t dimension, uint32_t length,
                    uint32_t plus) {
    uint32_t step[VEF_MAX_DIMENSIONS] = {0};
    step[dimension] = length;
    vef_topology_join_step(topology, router, plus, step);
}

/* Lengths that do not occur earlier in the list. */
static uint32_t different_lengths(const vef_int_list *lengths, int64_t until) {
    uint32_t different = 0;
    for (size_t h = 0; h < lengths->count && lengths->values[h] != until; h++) {
        size_t first = 0;
        while (lengths->values[first] != lengths->values[h])
            first++;
        different += first == h;
    }
    return different;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *ibt = given;
    vef_code code = take_sizes(ibt, topology, error);
    if (code == VEF_OK)
        code = check_lengths(ibt, error);
    if (code != VEF_OK)
        return code;
    const uint32_t m = (uint32_t)ibt->bypass_dimensions;
    topology->orbits = topology->translation_classes = m * period(&ibt->lengths);
    code = check_sizes(ibt, topology->orbits, error);
    if (code != VEF_OK)
        return code;
    topology->ports = 2 * topology->dimensions + 2;
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++) {
        for (uint32_t d = 0; d < topology->dimensions; d++)
            join_on(topology, router, d, 1, 2 * d);
        join_on(topology, router, species_of(topology, router) % m,
                (uint32_t)length_of(topology, router), 2 * topology->dimensions);
    }
    topology->link_classes = topology->dimensions + different_lengths(&ibt->lengths, 0);
    if (topology->link_classes > VEF_MAX_LINK_CLASSES)
        topology->link_classes = topology->dimensions + 1;
    if (topology->orbits == m && m <= MOST_DISTANCE_DIMENSIONS)
        topology->distance = distance_by_formula;
    return VEF_OK;
}

/* ---- names and kinds ---- */

static void dimension_name(const vef_topology *topology, uint32_t d, char *text,
                           size_t text_bytes) {
    if (topology->dimensions <= 3)
        snprintf(text, text_bytes, "%c", "xyz"[d]);
    else
        snprintf(text, text_bytes, "d%u", d);
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    char name[16] = "bypass";
    if (port / 2 < topology->dimensions)
        dimension_name(topology, port / 2, name, sizeof name);
    snprintf(text, text_bytes, "%s%c", name, port % 2 == 0 ? '+' : '-');
}

/* Classes: the dimensions of the torus, then the bypass lengths in the order of the list; one
 * class for all bypasses if there is one length or too many for the classes. */
static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const parameters *ibt = topology->parameters;
    if (port / 2 < topology->dimensions)
        return port / 2;
    if (topology->link_classes == topology->dimensions + 1)
        return topology->dimensions;
    return topology->dimensions + different_lengths(&ibt->lengths, length_of(topology, router));
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    const parameters *ibt = topology->parameters;
    if (link_class < topology->dimensions) {
        dimension_name(topology, link_class, text, text_bytes);
        return;
    }
    if (topology->link_classes == topology->dimensions + 1) {
        snprintf(text, text_bytes, "bypass");
        return;
    }
    size_t h = 0;
    while (different_lengths(&ibt->lengths, ibt->lengths.values[h]) !=
           link_class - topology->dimensions)
        h++;
    snprintf(text, text_bytes, "bypass %lld", (long long)ibt->lengths.values[h]);
}

static const char *const samples[] = {
    "{sizes: [12, 12], bypass_dimensions: 2, lengths: [4]}",
    "{sizes: [16], bypass_dimensions: 1, lengths: [4, 8]}",       /* 8: half of the ring */
    "{sizes: [6, 9, 6], bypass_dimensions: 3, lengths: [3]}",     /* half of two rings of three */
    "{sizes: [8, 4, 3], bypass_dimensions: 2, lengths: [2]}",     /* a plain dimension */
    "{sizes: [16, 2], bypass_dimensions: 1, lengths: [6, 4]}",    /* single links along y */
    "{sizes: [12], bypass_dimensions: 1, lengths: [2, 4, 2, 8]}", /* fewer conditions than m k */
    "{sizes: [10, 14], bypass_dimensions: 2, lengths: [6, 6]}",   /* one length, listed twice */
    NULL,
};

const vef_topology_family vef_topology_ibt = {
    .name = "ibt",
    .summary = "interlaced bypass torus: a torus with bypass rings, one for each router",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = species_of,
    .translation_class = species_of,
    .samples = samples,
    .larger = "{sizes: [16, 16], bypass_dimensions: 2, lengths: [4]}",
};
