/* Incast: some endpoints send to one destination, more than it can take, and all others, the
 * bystanders, uniformly among all endpoints but that one. The figures of both groups are separate,
 * so that the bystanders' latency shows what the congested tree does to packets that are not bound
 * for its root: the victims of Pfister and Norton ("Hot spot contention and combining in multistage
 * interconnection networks", IEEE Transactions on Computers C-34(10), 1985). */
#include "netmodel/traffic/kinds.h"

typedef struct parameters {
    uint32_t sources, destination;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(COUNT, parameters, sources), .fallback = "16", .maximum = UINT32_MAX,
     .aliases = "senders count",
     .help = "endpoints that send to the destination alone, spread evenly over the numbers of the "
             "others"},
    {VEF_KEY(COUNT, parameters, destination), .fallback = "0", .maximum = UINT32_MAX,
     .aliases = "hot root target", .help = "endpoint to which they send"},
    {.key = NULL},
};

enum { INCAST, BYSTANDERS };

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    const uint32_t endpoints = pattern->endpoints;
    if (endpoints < 3)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "an incast on %u endpoints has no bystanders with destinations: expected "
                        "at least 3 endpoints",
                        endpoints);
    if (given->destination >= endpoints)
        return vef_fail(error, VEF_INVALID,
                        "destination: %u of %u endpoints: out of range: expected 0 to %u",
                        given->destination, endpoints, endpoints - 1);
    if (given->sources >= endpoints)
        return vef_fail(error, VEF_INVALID,
                        "sources: %u of %u endpoints: out of range: expected 0 to %u",
                        given->sources, endpoints, endpoints - 1);
    return VEF_OK;
}

/* Of the n - 1 others, counted from the destination on, source k of s is number floor(k (n - 1) /
 * s). So number i is one if a multiple of n - 1 lies in i s … i s + s - 1. */
static bool is_source(const vef_pattern *pattern, uint32_t endpoint) {
    const parameters *given = pattern->parameters;
    const uint64_t others = pattern->endpoints - 1u;
    if (endpoint == given->destination)
        return false;
    const uint64_t number =
        (endpoint + (uint64_t)pattern->endpoints - given->destination - 1) % pattern->endpoints;
    const uint64_t first = number * given->sources;
    return (first + given->sources + others - 1) / others > (first + others - 1) / others;
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const parameters *given = pattern->parameters;
    const uint32_t hot = given->destination, endpoints = pattern->endpoints;
    if (is_source(pattern, source))
        return hot;
    if (source == hot) {
        const uint32_t other = vef_rng_below(rng, endpoints - 1);
        return other + (other >= hot);
    }
    const uint32_t least = source < hot ? source : hot, greatest = source < hot ? hot : source;
    uint32_t other = vef_rng_below(rng, endpoints - 2);
    other += other >= least;
    return other + (other >= greatest);
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const uint32_t hot = ((const parameters *)pattern->parameters)->destination;
    if (is_source(pattern, source)) {
        share[hot] += 1;
        return;
    }
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        if (e != source && e != hot)
            share[e] += 1.0 / (pattern->endpoints - (source == hot ? 1 : 2));
}

static uint32_t group(const vef_pattern *pattern, uint32_t source) {
    return is_source(pattern, source) ? INCAST : BYSTANDERS;
}

const vef_pattern_kind vef_pattern_incast = {
    .name = "incast",
    .aliases = "hotspot-victims many-to-one bystanders",
    .summary = "some endpoints to one, the others uniform among the rest; figures of both groups",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .groups = VEF_LIST([INCAST] = "incast", [BYSTANDERS] = "bystanders"),
    .group = group,
    .samples = VEF_LIST("{}", "{sources: 63, destination: 5}", "{sources: 0}"),
};
