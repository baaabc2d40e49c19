/* Shift: endpoint s sends to s + n modulo the number of endpoints, a step of an all-to-all exchange
 * (Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat
 * Trees", CCIT report 776, Technion, 2010). By the number of endpoints of a router, all endpoints
 * of a router send to those of the next router. */
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

typedef struct parameters {
    int64_t by;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, by), .fallback = "1", .minimum = 1, .maximum = UINT32_MAX,
     .help =
         "from an endpoint's number to that of its destination, modulo the number of endpoints"},
    {.key = NULL},
};

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const uint64_t endpoints = pattern->endpoints;
    const uint64_t by = (uint64_t)((const parameters *)pattern->parameters)->by;
    if (by % endpoints == 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "no endpoint would send: by: %llu is a multiple of the %llu endpoints: "
                        "expected another number",
                        (unsigned long long)by, (unsigned long long)endpoints);
    uint32_t *to = vef_permute_create(pattern);
    for (uint64_t e = 0; e < endpoints; e++)
        to[e] = (uint32_t)((e + by) % endpoints);
    return VEF_OK;
}

const vef_pattern_kind vef_pattern_shift = {
    .name = "shift",
    .aliases = "cyclic-shift ring",
    .summary = "the endpoint whose number is `by` more, cyclically",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    VEF_PERMUTE_HOOKS,
    .samples = VEF_LIST("{}", "{by: 9}", "{by: 100}"),
};
