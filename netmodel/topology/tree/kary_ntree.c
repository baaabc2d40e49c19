/* k-ary n-trees (BMIN, fat trees of n stages of k^(n-1) switches) with plain switches or
 * T-switches.
 *
 * Petrini, Vanneschi: "k-ary n-trees: High Performance Networks for Massively Parallel
 * Architectures", IPPS 1997; as defined by Villar et al.: "Formalization and configuration
 * methodology for high-radix combined switches", section 5 (and 4.1 for the ports). Two switches of
 * stages s and s + 1 are connected if all digits except digit s agree.
 *
 * Endpoints. The k^n terminals are on stage 0. Each has endpoints_per_router endpoints (default:
 * 1): endpoint e is at terminal e / endpoints_per_router.
 *
 * The tree of plain switches is XGFT(n; k …; 1, k …), stage s being level s + 1: xgft.c has its
 * distances and symmetries, by which all switches of a stage, and all up links and all down links
 * of a switch, are equivalent. With T-switches no symmetries are assumed. */
#include "netmodel/topology/tree/kary_ntree.h"
#include "netmodel/topology/families.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_ARITY = VEF_MAX_PORTS / 2 };

static const vef_param schema[] = {
    {VEF_KEY_AS("k", INT, vef_kary_ntree, k_given), .aliases = "arity radix ports nodes",
     .minimum = 2, .maximum = MOST_ARITY,
     .help = "ports of a switch towards each side: k down and k up"},
    {VEF_KEY_AS("n", INT, vef_kary_ntree, n_given), .aliases = "levels stages height", .minimum = 1,
     .maximum = VEF_MAX_TREE_LEVELS,
     .help = "stages of k^(n-1) switches; there are k^n terminals, on stage 0"},
    {VEF_KEY_AS("inner_links", INT, vef_kary_ntree, inner_links_given), .fallback = "0",
     .minimum = 0, .maximum = VEF_MAX_PORTS,
     .help = "links between the two inner switches of a T-switch; 0: plain switches"},
    {VEF_KEY(INT_TABLE, vef_kary_ntree, alpha), .fallback = "[]", .minimum = 0,
     .maximum = VEF_MAX_PORTS,
     .help = "T-switches: the k ports on inner switch alpha, of 0 to k-1 down and k to 2k-1 up; "
             "one row for all stages or one per stage; none: the best"},
    {.key = NULL},
};

/* ---- T-switches ----
 *
 * Switches of k x k ports made of two inner switches, alpha and beta, and links between them
 * (Villar et al.: "Formalization and configuration methodology for high-radix combined switches",
 * Journal of Supercomputing, definitions 3 to 10; part of Andujar's thesis). Ports 0 to k - 1 lead
 * to the previous stage (B), k to 2k - 1 to the next (F). A pattern lists the ports on inner switch
 * alpha: exactly k, so that beta has the other k.
 *
 * The best patterns: before the last stage, ports l and l + k together, half of them on each inner
 * switch (proposition 20, figure 7a), so `k` must be even there; in the last stage, whose paths all
 * turn round, all of B on alpha (proposition 21, figure 7b). */

static void best_pattern(uint32_t k, bool last, uint8_t *chip) {
    for (uint32_t port = 0; port < 2 * k; port++)
        chip[port] = last ? port >= k : port % k >= k / 2;
}

static vef_code read_pattern(const vef_int_list *row, size_t number, uint32_t k, uint8_t *chip,
                             vef_error *error) {
    memset(chip, 1, 2 * k);
    for (size_t i = 0; i < row->count; i++) {
        const int64_t port = row->values[i];
        if (port < 0 || port >= 2 * (int64_t)k)
            return vef_fail(error, VEF_INVALID,
                            "alpha: row %zu lists port %" PRId64
                            ": out of range: expected 0 to %u (down) or %u to %u (up)",
                            number, port, k - 1, k, 2 * k - 1);
        if (chip[port] == 0)
            return vef_fail(error, VEF_INVALID,
                            "alpha: row %zu lists port %" PRId64
                            " twice: expected %u different ports",
                            number, port, k);
        chip[port] = 0;
    }
    if (row->count != k)
        return vef_fail(error, VEF_INVALID,
                        "alpha: row %zu lists %zu ports: each inner switch has %u of the %u: "
                        "expected %u, the others being on beta",
                        number, row->count, k, 2 * k, k);
    return VEF_OK;
}

/* Reads the patterns of the switches of all stages: `alpha` has one row of ports for all stages,
 * one per stage, or none: then they are the best ones. `chips`: [stage * 2k + port] is 0 on alpha
 * and 1 on beta; owned by the arena. */
static vef_code read_patterns(const vef_int_table *alpha, uint32_t k, uint32_t stages,
                              vef_arena *arena, const uint8_t **chips, vef_error *error) {
    if (alpha->count > 1 && alpha->count != stages)
        return vef_fail(error, VEF_INVALID,
                        "alpha: %zu rows for %u stages: expected one row for all, or one for each",
                        alpha->count, stages);
    if (alpha->count == 0 && k % 2 != 0 && stages > 1)
        return vef_fail(
            error, VEF_INVALID,
            "k: %u is odd, and the best pattern of T-switches has half of the ports down on each "
            "inner switch: expected an even k, or alpha with the %u ports of inner switch alpha",
            k, k);
    uint8_t *made = vef_arena_alloc(arena, stages, 2 * k);
    for (uint32_t stage = 0; stage < stages; stage++) {
        uint8_t *chip = made + (size_t)stage * 2 * k;
        const size_t row = alpha->count == 1 ? 0 : stage;
        vef_code code = VEF_OK;
        if (alpha->count == 0)
            best_pattern(k, stage == stages - 1, chip);
        else
            code = read_pattern(&alpha->rows[row], row, k, chip, error);
        if (code != VEF_OK)
            return code;
    }
    *chips = made;
    return VEF_OK;
}

/* ---- building ---- */

static vef_code take_size(vef_kary_ntree *tree, uint64_t *terminals, vef_error *error) {
    tree->k = (uint32_t)tree->k_given;
    tree->n = (uint32_t)tree->n_given;
    tree->inner_links = (uint32_t)tree->inner_links_given;
    tree->chips = tree->inner_links > 0 ? 2 : 1;
    if (2 * tree->k + tree->inner_links > VEF_MAX_PORTS)
        return vef_fail(error, VEF_INVALID,
                        "inner_links: %u beside %u other ports: out of range: expected at most %u",
                        tree->inner_links, 2 * tree->k, VEF_MAX_PORTS - 2 * tree->k);
    if (tree->n == 1 && tree->chips == 1)
        return vef_fail(error, VEF_INVALID,
                        "n: a tree of 1 stage is one switch without links: expected 2 or more "
                        "stages, or T-switches (inner_links)");
    uint64_t positions = 1;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (positions * tree->n * tree->chips > VEF_MAX_ROUTERS)
            return vef_fail(error, VEF_INVALID,
                            "k, n: more than %d routers: expected fewer stages or a smaller k",
                            VEF_MAX_ROUTERS);
        tree->power[i] = (uint32_t)positions;
        positions *= tree->k;
    }
    tree->power[tree->n] = (uint32_t)positions; /* at most 2^24 * 2^9 / n / chips */
    *terminals = positions;
    return VEF_OK;
}

static void join(const vef_kary_ntree *tree, vef_topology *topology) {
    const uint32_t k = tree->k;
    for (uint32_t stage = 0; stage < tree->n; stage++)
        for (uint32_t o = 0; o < vef_kary_positions(tree); o++) {
            for (uint32_t link = 0; link < tree->inner_links; link++)
                vef_topology_join(topology, vef_kary_router(tree, stage, o, 0), 2 * k + link,
                                  vef_kary_router(tree, stage, o, 1), 2 * k + link);
            for (uint32_t l = 0; l < k && stage + 1 < tree->n; l++) {
                const uint32_t up = k + l, down = vef_kary_digit(tree, o, stage);
                vef_topology_join(
                    topology,
                    vef_kary_router(tree, stage, o, vef_kary_chip_of_port(tree, stage, up)), up,
                    vef_kary_router(tree, stage + 1, vef_kary_with_digit(tree, o, stage, l),
                                    vef_kary_chip_of_port(tree, stage + 1, down)),
                    down);
            }
        }
}

static vef_code attach(const vef_kary_ntree *tree, uint64_t terminals, vef_topology *topology,
                       vef_error *error) {
    uint32_t *routers;
    vef_code code = vef_xgft_take_endpoints(terminals, topology, &routers, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t endpoint = 0; endpoint < topology->endpoints; endpoint++) {
        const uint32_t h = vef_kary_terminal(topology, endpoint);
        routers[endpoint] =
            vef_kary_router(tree, 0, h / tree->k, vef_kary_chip_of_port(tree, 0, h % tree->k));
    }
    uint32_t on_chip[2] = {0};
    for (uint32_t port = 0; port < tree->k; port++)
        on_chip[vef_kary_chip_of_port(tree, 0, port)]++;
    if (tree->n == 1 && (on_chip[0] == 0 || on_chip[1] == 0))
        return vef_fail(error, VEF_INVALID,
                        "n: in a tree of 1 stage this pattern puts all ports down, and so all "
                        "endpoints, on inner switch %s, and its inner links carry nothing: "
                        "expected 2 or more stages, or ports down and ports up on each (alpha)",
                        on_chip[0] > 0 ? "alpha" : "beta");
    topology->endpoints_per_router =
        topology->endpoints_asked * (on_chip[0] > on_chip[1] ? on_chip[0] : on_chip[1]);
    return VEF_OK;
}

/* The structure of the tree of plain switches as an XGFT. */
static vef_code make_levels(const vef_kary_ntree *tree, vef_topology *topology, vef_error *error) {
    vef_xgft *levels = vef_arena_alloc(&topology->arena, 1, sizeof *levels);
    topology->details = levels;
    levels->height = tree->n;
    for (uint32_t level = 1; level <= tree->n; level++) {
        levels->m[level] = tree->k;
        levels->w[level] = level == 1 ? 1 : tree->k;
        levels->links[level] = 1;
    }
    return vef_xgft_measure(levels, error);
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_kary_ntree *tree = vef_arena_alloc(&topology->arena, 1, sizeof *tree);
    *tree = *(const vef_kary_ntree *)given;
    topology->parameters = tree;
    uint64_t terminals = 0;
    vef_code code = take_size(tree, &terminals, error);
    if (code != VEF_OK)
        return code;
    if (tree->chips == 2)
        code = read_patterns(&tree->alpha, tree->k, tree->n, &topology->arena, &tree->chip, error);
    else if (tree->alpha.count != 0)
        code =
            vef_fail(error, VEF_INVALID,
                     "alpha: not supported with plain switches: expected inner_links of 1 or more");
    if (code != VEF_OK)
        return code;
    topology->routers = tree->n * vef_kary_positions(tree) * tree->chips;
    topology->ports = 2 * tree->k + tree->inner_links;
    code = attach(tree, terminals, topology, error);
    if (code == VEF_OK)
        code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(tree, topology);
    topology->link_classes = tree->n - 1 + (tree->chips == 2);
    if (tree->chips == 2)
        return VEF_OK;
    topology->orbits = tree->n;
    topology->distance = vef_xgft_distance;
    return make_levels(tree, topology, error);
}

/* ---- names, symmetries ---- */

const vef_kary_ntree *vef_kary_ntree_of(const vef_topology *topology) {
    return vef_topology_is(topology, &vef_topology_kary_ntree) ? topology->parameters : NULL;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const uint32_t k = ((const vef_kary_ntree *)topology->parameters)->k;
    static const char *const sides[] = {"down", "up", "inner"};
    const uint32_t side = port < k ? 0 : port < 2 * k ? 1 : 2;
    snprintf(text, text_bytes, "%s %u", sides[side], port - side * k);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const vef_kary_ntree *tree = topology->parameters;
    snprintf(text, text_bytes, "stage %u, switch %s", vef_kary_stage(tree, router),
             tree->n == 1 ? "0" : "");
    for (uint32_t i = tree->n - 1; i-- > 0;)
        vef_append(text, text_bytes, "%u%s",
                   vef_kary_digit(tree, vef_kary_position(tree, router), i),
                   tree->k > 10 && i > 0 ? "." : "");
    if (tree->chips == 2)
        vef_append(text, text_bytes, vef_kary_chip(tree, router) == 0 ? " alpha" : " beta");
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_kary_ntree *tree = topology->parameters;
    const uint32_t stage = vef_kary_stage(tree, router);
    return port < tree->k ? stage - 1 : port < 2 * tree->k ? stage : tree->n - 1;
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    const vef_kary_ntree *tree = topology->parameters;
    if (class == tree->n - 1)
        snprintf(text, text_bytes, "inner");
    else
        snprintf(text, text_bytes, "stage %u-%u", class, class + 1);
}

static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    return vef_kary_stage(topology->parameters, router);
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_kary_ntree *tree = topology->parameters;
    (void)router;
    return tree->chips == 2 ? port : port >= tree->k;
}

static const char *const samples[] = {
    "{k: 4, n: 3}",
    "{k: 2, n: 5}",
    "{k: 3, n: 2}",
    "{k: 4, n: 2, inner_links: 1}",
    "{k: 2, n: 4, inner_links: 2}",
    "{k: 4, n: 1, inner_links: 3, alpha: [[0, 1, 6, 7]]}",
    "{k: 3, n: 3, inner_links: 1, alpha: [[4, 0, 5]]}",
    "{k: 4, n: 2, inner_links: 2, alpha: [[0, 5, 2, 7], [0, 1, 4, 5]]}",
    NULL,
};

const vef_topology_family vef_topology_kary_ntree = {
    .name = "kary-ntree",
    .aliases = "fat-tree tree folded-clos clos k-ary-n-tree",
    .summary = "k-ary n-tree, a fat tree of plain switches or of T-switches",
    VEF_PARAMETERS(schema, vef_kary_ntree),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = orbit,
    .port_kind = port_kind,
    .samples = samples,
    .larger = "{k: 8, n: 3}",
};
