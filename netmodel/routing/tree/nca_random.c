/* Random nearest common ancestor on generalized fat trees: each packet draws its links up.
 *
 * Valiant's idea on trees (Greenberg and Leiserson, "Randomized Routing on Fat-Trees", 1985): a
 * packet draws a top switch uniformly at its source, and goes up towards it as far as it needs to.
 * Oblivious: it ignores queues, in contrast to nca-adaptive. With `per: pair` a hash of source and
 * destination takes the place of the draws, so that all packets between them take one way, as ECMP
 * does with flows (Hopps, RFC 2992, 2000).
 *
 * Bound, channels, freedom from deadlock: nca.h. Example: on XGFT(2; 4, 4; 1, 4) a packet to
 * another leaf takes any of four links up, each with probability 1/4, and then the only way down.
 */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/nca.h"

enum { PER_PACKET, PER_PAIR };

typedef struct parameters {
    vef_nca_parameters tree; /* first: of all routings on trees */
    int per;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY_AS("channels", INT, parameters, tree.channels), VEF_NCA_CHANNELS},
    {VEF_KEY(CHOICE, parameters, per), .fallback = "packet",
     .choices = VEF_LIST([PER_PACKET] = "packet", [PER_PAIR] = "pair"),
     .aliases = "ecmp flow spray spraying",
     .help = "what draws links up: each packet, or each pair of source and destination once"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *keys = routing->parameters;
    routing->by_source = keys->per == PER_PAIR;
    return vef_nca_create(routing, 1, error);
}

/* The key has a digit for each level that the packet leaves upwards, to the base of its links. */
static void draw_ways(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                      vef_route *route) {
    const vef_topology *topology = routing->topology;
    const vef_xgft *tree = vef_xgft_of(topology);
    const uint32_t source = vef_xgft_terminal(topology, travel->source);
    const uint32_t destination = vef_xgft_terminal(topology, travel->destination);
    uint32_t key = 0, weight = 1;
    if (routing->state) {
        vef_nca_set(routing, travel, vef_nca_draw_around(routing, travel, draws), route);
        return;
    }
    for (uint32_t level = 1; source / tree->below[level] != destination / tree->below[level];
         level++) {
        key += weight * vef_draw_below(draws, vef_xgft_up_ports(tree, level));
        weight *= vef_xgft_up_ports(tree, level);
    }
    vef_nca_set(routing, travel, key, route);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    if (((const parameters *)routing->parameters)->per == PER_PACKET) {
        draw_ways(routing, travel, draws, route);
        return;
    }
    vef_rng of_pair = {vef_rng_mix((uint64_t)travel->source << 32 | travel->destination), 0};
    vef_draws hashed = vef_draws_from(&of_pair);
    draw_ways(routing, travel, &hashed, route);
}

static uint32_t digit(const vef_xgft *tree, uint32_t level, uint32_t key, uint32_t links) {
    (void)links; /* the draw was among these */
    for (uint32_t below = 1; below < level; below++)
        key /= vef_xgft_up_ports(tree, below);
    return key % vef_xgft_up_ports(tree, level);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    return vef_nca_keyed_candidates(routing, route, place, digit, offered);
}

/* Keys must fit into 32 bits. */
static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    vef_code code = vef_nca_supports(topology, flow_control, given, error);
    const vef_xgft *tree = vef_xgft_of(topology);
    uint64_t ways = 1;
    for (uint32_t level = 1; code == VEF_OK && level < tree->height && ways <= UINT32_MAX; level++)
        ways *= vef_xgft_up_ports(tree, level);
    if (ways > UINT32_MAX)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "more than %u ways up from a terminal: expected a tree with fewer links up, "
            "or routing nca-adaptive",
            UINT32_MAX);
    return code;
}

const vef_routing_algorithm vef_routing_nca_random = {
    .name = "nca-random",
    .aliases = "random-nca",
    .summary = "oblivious on fat trees: each packet, or each pair, draws its links up",
    VEF_NCA_HOOKS(schema, parameters, vef_routing_keep_route),
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
};
