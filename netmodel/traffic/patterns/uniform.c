/* Uniform traffic: every destination is as likely as any other.
 *
 * The papers spread packets "evenly along the whole network" (Camara et al., TPDS 2010, section
 * 6.2) and do not say whether a node sends to itself. Their averages of distances and the bounds on
 * throughput that follow count the node itself; a simulated node, whose messages to itself would
 * never see the network, does not send any here unless `self` says so. On 512 routers that is a
 * difference of 0.2 %. */
#include "netmodel/traffic/uniform.h"
#include "netmodel/traffic/kinds.h"

typedef struct parameters {
    bool self;
} parameters;

static const vef_param schema[] = {
    VEF_SELF_PARAM(parameters),
    {.key = NULL},
};

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    return vef_uniform_check(pattern, given->self, error);
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const parameters *given = pattern->parameters;
    return vef_uniform_draw(pattern->endpoints, source, given->self, rng);
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const parameters *given = pattern->parameters;
    vef_uniform_add(pattern->endpoints, source, given->self, 1, share);
}

const vef_pattern_kind vef_pattern_uniform = {
    .name = "uniform",
    .aliases = "random uniform-random all-to-all",
    .summary = "all other endpoints with equal probability",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{self: true}"),
};
