/* The presets of presets.def, and how their files write a step (vef_preference in choices.h):
 * STEP(Bcast, "chain", .below_ranks = 8). */
#ifndef VEF_REPLAY_COLLECTIVES_PRESETS_PRESETS_H
#define VEF_REPLAY_COLLECTIVES_PRESETS_PRESETS_H

#include "replay/collectives/choices.h"
#include "traces/event.h"

#define PRESET(name) extern const vef_preset vef_preset_##name;
#include "replay/collectives/presets/presets.def"
#undef PRESET

/* Tests of several presets. `begins`: of non-blocking calls. */
static inline bool keeps_order(const vef_collective *call) {
    return !call->commutative;
}
static inline bool begins(const vef_collective *call) {
    return call->nonblocking;
}
static inline bool is_in_place(const vef_collective *call) {
    return call->in_place;
}

#define STEP(name, ...)                                                                            \
    { .call = VEF_CALL_##name, .algorithm = __VA_ARGS__ }
#define END_OF_STEPS                                                                               \
    { .algorithm = NULL }

#endif
