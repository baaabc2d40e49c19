/* The rows of presets.def. */
#include "replay/collectives/presets/presets.h"

const vef_preset *const vef_presets[] = {
#define PRESET(name) &vef_preset_##name,
#include "replay/collectives/presets/presets.def"
#undef PRESET
    NULL,
};
