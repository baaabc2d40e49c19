/* Recursive diagonal torus, RDT(n, R, m): a torus with links of coarser tori, each turned by 45
 * degrees against the one before.
 *
 * Yang, Funahashi, Jouraku, Nishi, Amano, Sueyoshi: "Recursive Diagonal Torus: An Interconnection
 * Network for Massively Parallel Computers", IEEE TPDS 12(7), 2001. The base torus has rank 0 and N
 * x N routers. A torus of rank r + 1 joins routers at n (a + b) and n (b - a), where a and b are
 * the steps of rank r and n is the cardinal number: (n, n) and (-n, n) for rank 1, (2n^2, 0) for
 * rank 2 and so on, alternating. Every router has the four links of rank 0 and the four of each of
 * m ranks out of 1 to R. With m = R the network is called perfect, PRDT(n, R). Otherwise an
 * assignment says which ranks a router has; m = 1 is supported.
 *
 * The published assignments are RDT(2, 4, 1)/alpha and /beta, by figures that were not available.
 * The table of alpha below is reconstructed: router (x, y) has rank 1 + (y + 2 floor(x / 2)) mod 4.
 * Links of a rank must stay on routers of that rank, so the candidates are the 4^8 ways to give
 * ranks to the eight tori of rank 1 (sets without that symmetry were not tried). Of these, 1,748
 * that differ by more than a symmetry of the torus, this is the only one that has the average,
 * deviation and diameter that Zhang, Powell, Deng print for 128x128 and 256x256 routers (Table 1 of
 * "Interlacing Bypass Rings …"). docs/topology.md has what differs: their bisection widths, and the
 * diameter that the abstract of Yang et al. names.
 *
 * Two steps of half the size lead to the same router: that link is one. Translations that preserve
 * the assignment are symmetries that preserve ports. */
#include "netmodel/topology/families.h"

enum {
    BASE_PORTS = 4, /* x+, x-, y+, y-; then a+, a-, b+, b- of each rank, or of the router's own */
    MOST_RANKS = 24,
    MOST_SIDE = 1 << 11, /* 2^25 ports */
    MOST_TILE = 64,
};

typedef struct parameters {
    int64_t size, cardinal, ranks, upper_tori;
    vef_int_table assignment;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, size), .aliases = "sizes side nodes routers", .minimum = 4,
     .maximum = MOST_SIDE, .help = "N: routers along each side of the base torus"},
    {VEF_KEY(INT, parameters, cardinal), .fallback = "2", .minimum = 1, .maximum = MOST_SIDE / 2,
     .aliases = "n", .help = "n: cardinal number, the step of rank 1 along each dimension"},
    {VEF_KEY(INT, parameters, ranks), .fallback = "4", .minimum = 1, .maximum = MOST_RANKS,
     .aliases = "R rank", .help = "R: greatest rank"},
    {VEF_KEY(INT, parameters, upper_tori), .fallback = "1", .minimum = 1, .maximum = MOST_RANKS,
     .aliases = "m", .help = "m: ranks above 0 with links at each router: 1, or R (perfect RDT)"},
    {VEF_KEY(INT_TABLE, parameters, assignment), .fallback = "[]", .minimum = 1,
     .maximum = MOST_RANKS,
     .help = "m = 1: rank of the router at (x, y), rows y of a tile that repeats; default for "
             "RDT(2, 4, 1): alpha"},
    {.key = NULL},
};

/* Ranks by place in a tile of the torus (0: all ranks), and numbers of the classes of translations.
 */
typedef struct rdt {
    uint32_t step[MOST_RANKS + 1]; /* of a rank, along one dimension or both */
    uint32_t width, height;
    uint32_t rank[MOST_TILE * MOST_TILE], translation_class[MOST_TILE * MOST_TILE];
} rdt;

static const uint32_t alpha[4][4] = {{1, 1, 3, 3}, {2, 2, 4, 4}, {3, 3, 1, 1}, {4, 4, 2, 2}};

static uint32_t cell_of(const rdt *tori, uint32_t x, uint32_t y) {
    return y % tori->height * tori->width + x % tori->width;
}

static uint32_t cell_of_router(const vef_topology *topology, uint32_t router) {
    return cell_of(topology->details, router % topology->sizes[0], router / topology->sizes[0]);
}

/* ---- checks ---- */

/* Checked rank by rank, so that steps do not overflow. */
static vef_code take_steps(const parameters *keys, rdt *tori, vef_error *error) {
    uint64_t step = (uint64_t)keys->cardinal;
    for (uint32_t r = 1; r <= keys->ranks; r++) {
        const uint64_t least = r % 2 == 1 ? 2 * step + 1 : 2 * step;
        if (least > (uint64_t)keys->size && r == 1)
            return vef_fail(error, VEF_INVALID,
                            "cardinal: %lld: out of range in a side of %lld: expected 1 to %lld",
                            (long long)keys->cardinal, (long long)keys->size,
                            (long long)(keys->size - 1) / 2);
        if (least > (uint64_t)keys->size)
            return vef_fail(error, VEF_INVALID,
                            "ranks: a step of %llu of rank %u does not fit into a side of %lld: "
                            "expected ranks up to %u, or a size of %llu or more",
                            (unsigned long long)step, r, (long long)keys->size, r - 1,
                            (unsigned long long)least);
        tori->step[r] = (uint32_t)step;
        step *= (uint64_t)(r % 2 == 1 ? 2 * keys->cardinal : keys->cardinal);
    }
    return VEF_OK;
}

static vef_code take_table(const parameters *keys, rdt *tori, vef_error *error) {
    const vef_int_table *table = &keys->assignment;
    if (table->count > MOST_TILE || table->rows[0].count < 1 || table->rows[0].count > MOST_TILE)
        return vef_fail(error, VEF_INVALID,
                        "assignment: %zu rows of %zu ranks: out of range: expected 1 to %d of each",
                        table->count, table->rows[0].count, MOST_TILE);
    tori->height = (uint32_t)table->count;
    tori->width = (uint32_t)table->rows[0].count;
    for (uint32_t y = 0; y < tori->height; y++) {
        if (table->rows[y].count != tori->width)
            return vef_fail(error, VEF_INVALID, "assignment: row %u has %zu ranks: expected %u", y,
                            table->rows[y].count, tori->width);
        for (uint32_t x = 0; x < tori->width; x++) {
            const int64_t rank = table->rows[y].values[x];
            if (rank > keys->ranks)
                return vef_fail(error, VEF_INVALID,
                                "assignment: rank %lld at (%u, %u): out of range: expected 1 to "
                                "%lld",
                                (long long)rank, x, y, (long long)keys->ranks);
            tori->rank[cell_of(tori, x, y)] = (uint32_t)rank;
        }
    }
    return VEF_OK;
}

static vef_code take_assignment(const parameters *keys, rdt *tori, vef_error *error) {
    const bool given = keys->assignment.count > 0;
    if (keys->upper_tori != 1 && keys->upper_tori != keys->ranks)
        return vef_fail(
            error, VEF_INVALID, "upper_tori: %lld of %lld ranks: not supported: expected 1 or %lld",
            (long long)keys->upper_tori, (long long)keys->ranks, (long long)keys->ranks);
    if (keys->upper_tori == keys->ranks) {
        tori->width = tori->height = 1;
        return given ? vef_fail(error, VEF_INVALID,
                                "assignment: not supported where every router has all ranks: "
                                "expected none")
                     : VEF_OK;
    }
    if (given)
        return take_table(keys, tori, error);
    if (keys->cardinal != 2 || keys->ranks != 4)
        return vef_fail(error, VEF_INVALID,
                        "assignment: missing: expected rows of ranks for RDT(%lld, %lld, 1); the "
                        "default is that of RDT(2, 4, 1)",
                        (long long)keys->cardinal, (long long)keys->ranks);
    tori->width = tori->height = 4;
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++)
            tori->rank[cell_of(tori, x, y)] = alpha[y][x];
    return VEF_OK;
}

static vef_code check_tile(const parameters *keys, const rdt *tori, vef_error *error) {
    const uint32_t tile[] = {tori->width, tori->height};
    for (int d = 0; d < 2; d++)
        if (keys->size % tile[d] != 0)
            return vef_fail(
                error, VEF_INVALID,
                "size: %lld: the assignment repeats every %u routers along %c: expected "
                "a multiple, such as %lld",
                (long long)keys->size, tile[d], "xy"[d],
                (long long)((keys->size / tile[d] + 1) * tile[d]));
    for (uint32_t y = 0; y < tori->height; y++)
        for (uint32_t x = 0; x < tori->width; x++) {
            const uint32_t rank = tori->rank[cell_of(tori, x, y)], step = tori->step[rank];
            const uint32_t back = step * tori->width - step; /* -step modulo the width */
            const uint32_t ends[] = {cell_of(tori, x + step, rank % 2 == 1 ? y + step : y),
                                     cell_of(tori, rank % 2 == 1 ? x + back : x, y + step)};
            for (int i = 0; i < 2; i++)
                if (tori->rank[ends[i]] != rank)
                    return vef_fail(error, VEF_INVALID,
                                    "assignment: a link of rank %u leads from (%u, %u) to (%u, %u) "
                                    "of rank %u: expected the same rank",
                                    rank, x, y, ends[i] % tori->width, ends[i] / tori->width,
                                    tori->rank[ends[i]]);
        }
    return VEF_OK;
}

/* ---- symmetries ---- */

static bool is_preserved(const rdt *tori, uint32_t dx, uint32_t dy) {
    for (uint32_t y = 0; y < tori->height; y++)
        for (uint32_t x = 0; x < tori->width; x++)
            if (tori->rank[cell_of(tori, x, y)] != tori->rank[cell_of(tori, x + dx, y + dy)])
                return false;
    return true;
}

/* Numbers the classes of cells under the translations that preserve the assignment. */
static uint32_t number_classes(rdt *tori) {
    const uint32_t cells = tori->width * tori->height;
    uint32_t classes = 0;
    for (uint32_t cell = 0; cell < cells; cell++)
        tori->translation_class[cell] = UINT32_MAX;
    for (uint32_t cell = 0; cell < cells; cell++) {
        if (tori->translation_class[cell] != UINT32_MAX)
            continue;
        const uint32_t x = cell % tori->width, y = cell / tori->width;
        for (uint32_t dy = 0; dy < tori->height; dy++)
            for (uint32_t dx = 0; dx < tori->width; dx++)
                if (is_preserved(tori, dx, dy))
                    tori->translation_class[cell_of(tori, x + dx, y + dy)] = classes;
        classes++;
    }
    return classes;
}

static uint32_t translation_class(const vef_topology *topology, uint32_t router) {
    const rdt *tori = topology->details;
    return tori->translation_class[cell_of_router(topology, router)];
}

/* ---- building ---- */

/* The rank of the links at a port; of the router's own upper rank where it has one. */
static uint32_t rank_of_port(const vef_topology *topology, uint32_t router, uint32_t port) {
    const rdt *tori = topology->details;
    const uint32_t rank = tori->rank[cell_of_router(topology, router)];
    return port < BASE_PORTS || rank == 0 ? port / BASE_PORTS : rank;
}

static void join(vef_topology *topology, uint32_t router, uint32_t port) {
    const rdt *tori = topology->details;
    const uint32_t rank = rank_of_port(topology, router, port);
    const uint32_t step = rank == 0 ? 1 : tori->step[rank];
    const bool diagonal = rank % 2 == 1;
    const uint32_t a[] = {step, diagonal ? step : 0};
    const uint32_t b[] = {diagonal ? topology->sizes[0] - step : 0, step};
    vef_topology_join_step(topology, router, port, a);
    vef_topology_join_step(topology, router, port + 2, b);
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *keys = given;
    rdt *tori = vef_arena_alloc(&topology->arena, 1, sizeof *tori);
    topology->details = tori;
    vef_code code = take_steps(keys, tori, error);
    if (code == VEF_OK)
        code = take_assignment(keys, tori, error);
    if (code == VEF_OK)
        code = check_tile(keys, tori, error);
    if (code != VEF_OK)
        return code;
    topology->dimensions = 2;
    topology->sizes[0] = topology->sizes[1] = (uint32_t)keys->size;
    topology->routers = topology->sizes[0] * topology->sizes[1];
    topology->ports = BASE_PORTS * (1 + (uint32_t)keys->upper_tori);
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port += BASE_PORTS)
            join(topology, router, port);
    topology->link_classes = 1 + (uint32_t)keys->ranks;
    topology->orbits = topology->translation_classes = number_classes(tori);
    return VEF_OK;
}

/* ---- names ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    static const char *const base[] = {"x+", "x-", "y+", "y-"}, *const upper[] = {"a+", "a-", "b+",
                                                                                  "b-"};
    if (port < BASE_PORTS)
        snprintf(text, text_bytes, "%s", base[port]);
    else if (topology->ports == 2 * BASE_PORTS)
        snprintf(text, text_bytes, "upper %s", upper[port % BASE_PORTS]);
    else
        snprintf(text, text_bytes, "rank %u %s", port / BASE_PORTS, upper[port % BASE_PORTS]);
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "rank %u", link_class);
}

static const char *const samples[] = {
    "{size: 16, ranks: 2, assignment: [[1, 2], [2, 1]]}",
    "{size: 10, cardinal: 1, ranks: 4, assignment: [[1, 4], [4, 1]]}",
    "{size: 16, ranks: 2, upper_tori: 2}", /* perfect; rank 2: half of the side */
    "{size: 9, cardinal: 3, ranks: 1}",
    "{size: 8, cardinal: 1, ranks: 4, assignment: [[1, 3], [4, 1]]}",
    "{size: 8, cardinal: 1, ranks: 3, assignment: [[2, 1], [1, 3]]}",
    "{size: 5, cardinal: 1, ranks: 2, upper_tori: 2}",
    NULL,
};

const vef_topology_family vef_topology_rdt = {
    .name = "rdt",
    .aliases = "recursive-diagonal-torus",
    .summary = "recursive diagonal torus: a torus with coarser tori, each turned by 45 degrees",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .link_class = rank_of_port,
    .link_class_name = link_class_name,
    .orbit = translation_class,
    .translation_class = translation_class,
    .samples = samples,
    .larger = "{size: 32, ranks: 2, assignment: [[1, 2], [2, 1]]}",
};
