/* Hot region: a share of the messages, 25 %, goes to the first eighth of the network, and the rest
 * anywhere, the first eighth included (Camara et al., TPDS 2010, section 6.2: "the first 12.5
 * percent of the network (in terms of Cartesian coordinates, i.e., the lowest rows in 2D and planes
 * in 3D)"). Numbers run fastest along dimension 0, so that these are the lowest numbers. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/uniform.h"

#include <math.h>

typedef struct parameters {
    double share, part;
    bool self;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(REAL, parameters, share), .fallback = "0.25", .minimum = 0, .maximum = 1,
     .help = "share of the messages sent to the hot region"},
    {VEF_KEY(REAL, parameters, part), .fallback = "0.125", .minimum = 0, .maximum = 1,
     .help =
         "share of the endpoints in the region (the lowest numbers), rounded to whole endpoints"},
    VEF_SELF_PARAM(parameters),
    {.key = NULL},
};

typedef struct region {
    uint32_t endpoints;
} region;

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    const vef_code code = vef_uniform_check(pattern, given->self, error);
    if (code != VEF_OK)
        return code;
    region *hot = vef_arena_alloc(&pattern->arena, 1, sizeof *hot);
    hot->endpoints = (uint32_t)lround(given->part * pattern->endpoints);
    if (hot->endpoints < (given->self ? 1 : 2))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "part %g of %u endpoints makes a hot region of %u: expected a part of at "
                        "least %.3g, so that every endpoint has a destination in it",
                        given->part, pattern->endpoints, hot->endpoints,
                        (given->self ? 1.0 : 2.0) / pattern->endpoints);
    pattern->state = hot;
    return VEF_OK;
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const parameters *given = pattern->parameters;
    const region *hot = pattern->state;
    if (vef_rng_unit(rng) >= given->share)
        return vef_uniform_draw(pattern->endpoints, source, given->self, rng);
    /* a source outside excludes no destination */
    return vef_uniform_draw(hot->endpoints, source, given->self || source >= hot->endpoints, rng);
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const parameters *given = pattern->parameters;
    const region *hot = pattern->state;
    vef_uniform_add(pattern->endpoints, source, given->self, 1 - given->share, share);
    vef_uniform_add(hot->endpoints, source, given->self || source >= hot->endpoints, given->share,
                    share);
}

const vef_pattern_kind vef_pattern_hot_region = {
    .name = "hot-region",
    .aliases = "hotspot",
    .summary = "a share of the messages to the first part of the endpoints, the rest uniform",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{share: 0.9, part: 0.5, self: true}"),
};
