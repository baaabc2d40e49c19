/* Group shift: every endpoint sends to uniformly drawn endpoints of the group that is `by` groups
 * further on. The adversarial traffic ADV+n of dragonflies: all minimal routes of a group share one
 * global link (Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008,
 * section 5; ADV+n: García et al., "On-the-Fly Adaptive Routing in High-Radix Hierarchical
 * Networks", ICPP 2012). Groups are blocks of consecutive endpoints of equal size. */
#include "netmodel/traffic/kinds.h"

typedef struct parameters {
    int64_t by, groups;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, by), .fallback = "1", .minimum = 1, .maximum = UINT32_MAX,
     .aliases = "shift offset n", .help = "distance to the destination's group, modulo the groups"},
    {VEF_KEY(INT, parameters, groups), .fallback = "0", .minimum = 0, .maximum = UINT32_MAX,
     .help = "number of groups; 0: those of the topology, the size of its last grid dimension"},
    {.key = NULL},
};

typedef struct blocks {
    uint32_t endpoints, shift; /* of a group; in endpoints */
} blocks;

static vef_code count_groups(const vef_pattern *pattern, uint32_t *groups, vef_error *error) {
    const vef_topology *topology = pattern->topology;
    const int64_t given = ((const parameters *)pattern->parameters)->groups;
    if (given == 0 && topology->dimensions < 2)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "topology %s has no groups: expected groups: a number that divides %u "
                        "endpoints",
                        topology->family->name, pattern->endpoints);
    *groups = given ? (uint32_t)given : topology->sizes[topology->dimensions - 1];
    if (*groups < 2 || pattern->endpoints % *groups != 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "groups: %u of %u endpoints: expected a number from 2 that divides them",
                        *groups, pattern->endpoints);
    return VEF_OK;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const int64_t by = ((const parameters *)pattern->parameters)->by;
    uint32_t groups = 0;
    const vef_code code = count_groups(pattern, &groups, error);
    if (code != VEF_OK)
        return code;
    if (by % groups == 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "by: %lld leads back to the same of %u groups: expected 1 to %u",
                        (long long)by, groups, groups - 1);
    blocks *made = vef_arena_alloc(&pattern->arena, 1, sizeof *made);
    made->endpoints = pattern->endpoints / groups;
    made->shift = (uint32_t)(by % groups) * made->endpoints;
    pattern->state = made;
    return VEF_OK;
}

/* The first endpoint of the group to which a source sends. */
static uint32_t first_destination(const vef_pattern *pattern, uint32_t source) {
    const blocks *block = pattern->state;
    const uint32_t first = source - source % block->endpoints;
    return (uint32_t)(((uint64_t)first + block->shift) % pattern->endpoints);
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const blocks *block = pattern->state;
    return first_destination(pattern, source) + vef_rng_below(rng, block->endpoints);
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const blocks *block = pattern->state;
    const uint32_t first = first_destination(pattern, source);
    for (uint32_t i = 0; i < block->endpoints; i++)
        share[first + i] += 1.0 / block->endpoints;
}

const vef_pattern_kind vef_pattern_group_shift = {
    .name = "group-shift",
    .aliases = "adversarial adv",
    .summary = "to any endpoint of the group that is `by` groups further on (ADV+n)",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{by: 3}", "{by: 15, groups: 16}"),
};
