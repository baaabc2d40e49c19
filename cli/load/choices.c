/* The options of `vef load`. See choices.h. */
#include "cli/load/choices.h"

#include <inttypes.h>

static const double USUAL_PRECISION = 0.01; /* common in papers */

vef_load_choices vef_load_choices_none(void) {
    return (vef_load_choices){.seeds = -1,
                              .most_cycles = -1,
                              .threads = -1,
                              .endpoints = -1,
                              .precision = USUAL_PRECISION};
}

void vef_load_choices_put(const vef_load_choices *choices, vef_result *into) {
    typedef struct given {
        vef_load_choices load;
    } given;
    static const vef_option options[] = {VEF_LOAD_TRAFFIC_OPTIONS(given, load),
                                         VEF_LOAD_MEASURE_OPTIONS(given, load), VEF_END_OF_OPTIONS};
    const vef_load_choices none = vef_load_choices_none();
    vef_options_put(options, choices, &none, "options", into);
}

vef_code vef_load_choices_check(const vef_load_choices *chosen, vef_error *error) {
    if (!chosen->rate && !chosen->saturation)
        return vef_fail(error, VEF_INVALID, "missing --rate LOADS or --saturation");
    if (chosen->threads == 0)
        return vef_fail(error, VEF_INVALID, "--threads 0: out of range: expected at least 1");
    if (chosen->seeds == 0 || chosen->seeds > 1000)
        return vef_fail(error, VEF_INVALID, "--seeds %" PRId64 ": out of range: expected 1 to 1000",
                        chosen->seeds);
    return VEF_OK;
}
