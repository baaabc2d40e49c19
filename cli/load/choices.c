/* The options of `vef load`. See choices.h. */
#include "cli/load/choices.h"

#include "common/numbers.h"

#include <string.h>

void vef_load_choices_put(const vef_load_choices *choices, vef_result *into) {
    typedef struct given {
        vef_load_choices load;
    } given;
    static const vef_option options[] = {VEF_LOAD_TRAFFIC_OPTIONS(given, load),
                                         VEF_LOAD_MEASURE_OPTIONS(given, load), VEF_END_OF_OPTIONS};
    vef_options_put(options, choices, "options", into);
}

vef_code vef_load_choices_seeds(const vef_load_choices *chosen, uint64_t *seeds, size_t *count,
                                vef_error *error) {
    if (chosen->seed_given && chosen->seeds[strcspn(chosen->seeds, ":,")])
        return vef_fail(error, VEF_INVALID,
                        "--seed and --seeds %s: not supported together: expected --seeds alone",
                        chosen->seeds);
    return vef_seeds_read("--seeds", chosen->seeds, chosen->seed_given ? chosen->seed : 1, seeds,
                          count, error);
}

vef_code vef_load_choices_check(const vef_load_choices *chosen, vef_error *error) {
    if (!chosen->rate && !chosen->saturation)
        return vef_fail(error, VEF_INVALID, "missing --rate LOADS or --saturation");
    return VEF_OK;
}
