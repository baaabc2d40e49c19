/* The slots of the preloaded library: where its functions jump to (thunks.c), by call number
 * (traces/calls.def) or hook (hooks.def). */
#ifndef VEF_CAPTURE_PRELOAD_SLOTS_H
#define VEF_CAPTURE_PRELOAD_SLOTS_H

#include <stdint.h>

enum { VEF_FIRST_HOOK = 1024, VEF_SLOTS = 1088 };

/* Hidden, so that thunks reach them without the table of global addresses. NULL: not known yet. */
extern _Atomic(void *) vef_preload_slots[VEF_SLOTS] __attribute__((visibility("hidden")));

/* Fills an empty slot, and returns it. Ends the process if the call is MPI's and cannot be
 * captured.
 */
void *vef_preload_first(uint32_t slot) __attribute__((visibility("hidden")));

#endif
