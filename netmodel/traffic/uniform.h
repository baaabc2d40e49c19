/* Uniform destinations, used by several patterns: an endpoint out of all, or out of all others. */
#ifndef VEF_NETMODEL_TRAFFIC_UNIFORM_H
#define VEF_NETMODEL_TRAFFIC_UNIFORM_H

#include "netmodel/traffic/traffic.h"

#define VEF_SELF_PARAM(parameters)                                                                 \
    {                                                                                              \
        VEF_KEY(BOOL, parameters, self),                                                           \
            .fallback = "false", .help = "whether an endpoint sends to itself as to any other"     \
    }

/* Refuses a network without a possible destination. */
static inline vef_code vef_uniform_check(const vef_pattern *pattern, bool self, vef_error *error) {
    if (pattern->endpoints > 1 || self)
        return VEF_OK;
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "a network of one endpoint has no other to send to: expected two endpoints or self: true");
}

/* One of `endpoints`, numbered from 0, all equally likely; excludes `source` unless `self`. */
static inline uint32_t vef_uniform_draw(uint32_t endpoints, uint32_t source, bool self,
                                        vef_rng *rng) {
    if (self)
        return vef_rng_below(rng, endpoints);
    const uint32_t other = vef_rng_below(rng, endpoints - 1);
    return other + (other >= source);
}

/* Adds the shares of a part of the messages that go to those endpoints. */
static inline void vef_uniform_add(uint32_t endpoints, uint32_t source, bool self, double part,
                                   double *share) {
    for (uint32_t e = 0; e < endpoints; e++)
        if (self || e != source)
            share[e] += part / (self ? endpoints : endpoints - 1);
}

#endif
