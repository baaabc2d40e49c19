/* The table of presets: one row per MPI library. See choices.h. */
#include "replay/collectives/choices.h"

const vef_preset *const vef_presets[] = {
    &vef_preset_mpich,
    NULL,
};
