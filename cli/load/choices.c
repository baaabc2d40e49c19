/* The options of `vef load`. See choices.h. */
#include "cli/load/choices.h"

void vef_load_choices_put(const vef_load_choices *choices, vef_result *into) {
    typedef struct given {
        vef_load_choices load;
    } given;
    static const vef_option options[] = {VEF_LOAD_TRAFFIC_OPTIONS(given, load),
                                         VEF_LOAD_MEASURE_OPTIONS(given, load), VEF_END_OF_OPTIONS};
    vef_options_put(options, choices, "options", into);
}

vef_code vef_load_choices_check(const vef_load_choices *chosen, vef_error *error) {
    if (!chosen->rate && !chosen->saturation)
        return vef_fail(error, VEF_INVALID, "missing --rate LOADS or --saturation");
    return VEF_OK;
}
