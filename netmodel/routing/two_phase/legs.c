/* The rows of legs.def. */
#include "netmodel/routing/two_phase/two_phase.h"

#define LEGS(name) extern const vef_leg_kind vef_leg_kind_##name;
#include "netmodel/routing/two_phase/legs.def"
#undef LEGS

const vef_leg_kind *const vef_leg_kinds[] = {
#define LEGS(name) &vef_leg_kind_##name,
#include "netmodel/routing/two_phase/legs.def"
#undef LEGS
    NULL,
};
