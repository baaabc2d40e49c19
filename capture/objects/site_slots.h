/* Call sites of the task (--sites): from the return address of a call (preload/callers.h) to the
 * number of its site in the log (traces/format/site.h). The table has a fixed size, so that a call
 * allocates nothing; when it is full, further sites are 0, not known. An address stays in the table
 * when its library is unloaded: another library in its place would get its sites. */
#ifndef VEF_CAPTURE_OBJECTS_SITE_SLOTS_H
#define VEF_CAPTURE_OBJECTS_SITE_SLOTS_H

#include "capture/preload/callers.h"

#include <stdatomic.h>
#include <stdint.h>

/* At most half full, and so with short searches. */
enum { VEF_SITES_LOG = 13, VEF_SITES = 1 << VEF_SITES_LOG };

typedef struct vef_site_slot {
    _Atomic uintptr_t address; /* 0: free; stored after `number` */
    uint32_t number;
} vef_site_slot;

extern vef_site_slot vef_site_slots[VEF_SITES];

static inline uint32_t vef_site_home(uintptr_t address) {
    return (uint32_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - VEF_SITES_LOG));
}

/* The slow path of vef_site_here: other slots, and new addresses, whose sites are added to the log.
 */
uint32_t vef_site_find(uintptr_t address); /* of sites.c */

/* The number of the site of this thread's latest call. */
static inline uint32_t vef_site_here(void) {
    const uintptr_t address = (uintptr_t)vef_caller;
    const vef_site_slot *slot = &vef_site_slots[vef_site_home(address)];
    if (__builtin_expect(atomic_load_explicit(&slot->address, memory_order_acquire) == address,
                         true))
        return slot->number;
    return vef_site_find(address);
}

/* The numbers of the sites on the stack of this thread, which is inside a call of MPI: that of the
 * call, then of its callers, at most `most`. Returns how many; 0: the call is not on the stack. */
uint32_t vef_site_stack(uint32_t *numbers, uint32_t most);

#endif
