/* Two listeners to one replay: each report goes to the first, then to the second. */
#ifndef VEF_REPLAY_HOOKS_PAIR_H
#define VEF_REPLAY_HOOKS_PAIR_H

#include "replay/hooks.h"

typedef struct vef_hooks_pair {
    vef_replay_hooks hooks; /* for the options of the replay */
    const vef_replay_hooks *first, *second;
} vef_hooks_pair;

/* `pair` must not move, and both listeners must last, while its hooks are in use. */
void vef_hooks_pair_begin(vef_hooks_pair *pair, const vef_replay_hooks *first,
                          const vef_replay_hooks *second);

#endif
