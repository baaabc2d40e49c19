/* Checks of patterns that plug-ins made. See kinds.h. */
#include "netmodel/traffic/kinds.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

enum { TRIED_SOURCES = 1024, TRIED_DRAWS = 8 };

static vef_code try_source(const vef_pattern *pattern, uint32_t source, double *share,
                           vef_error *error) {
    vef_rng rng = vef_rng_make(0, VEF_RNG_TRAFFIC, source);
    bool sends = false;
    for (uint32_t i = 0; i < TRIED_DRAWS; i++) {
        const uint32_t to = pattern->kind->destination(pattern, source, &rng);
        if (to >= pattern->endpoints && to != VEF_SILENT)
            return vef_fail(error, VEF_INVALID,
                            "plug-in: endpoint %u sends to %u: expected one below %u", source, to,
                            pattern->endpoints);
        sends = sends || to != VEF_SILENT;
    }
    double sum = 0;
    vef_pattern_shares(pattern, source, share);
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        sum += share[e];
    if (sends && !(fabs(sum - 1) < 1e-6))
        return vef_fail(error, VEF_INVALID,
                        "plug-in: the shares of endpoint %u add up to %g: expected 1", source, sum);
    return VEF_OK;
}

vef_code vef_pattern_check_sound(const vef_pattern *pattern, vef_error *error) {
    const uint32_t step = pattern->endpoints / TRIED_SOURCES + 1;
    double *share = vef_malloc(pattern->endpoints * sizeof *share);
    vef_code code = VEF_OK;
    for (uint32_t source = 0; code == VEF_OK && source < pattern->endpoints; source += step)
        code = try_source(pattern, source, share, error);
    free(share);
    return code;
}
