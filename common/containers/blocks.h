/* A growing array whose items never move: threads use items while another one adds more. It has
 * blocks, each as long as all before it and VEF_FIRST_BLOCK items more. */
#ifndef VEF_COMMON_CONTAINERS_BLOCKS_H
#define VEF_COMMON_CONTAINERS_BLOCKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VEF_FIRST_BLOCK_BITS = 10,
    VEF_FIRST_BLOCK = 1 << VEF_FIRST_BLOCK_BITS,
    VEF_BLOCK_NUMBERS = 32, /* numbers of items are below 2^32 - VEF_FIRST_BLOCK */
};

/* Item n is in block b, the highest bit of n + VEF_FIRST_BLOCK, as many items after the address
 * from[b], which is before the block, as that sum says. 0: there is no such block yet. */
typedef struct vef_blocks {
    atomic_uintptr_t from[VEF_BLOCK_NUMBERS];
} vef_blocks; /* zero-initialised is empty */

/* Makes room for the items below `count`, which are not initialised; on any thread. */
void vef_blocks_reserve(vef_blocks *blocks, uint64_t count, size_t item_bytes);
uint64_t vef_blocks_bytes(const vef_blocks *blocks, size_t item_bytes);
void vef_blocks_release(vef_blocks *blocks, size_t item_bytes);

/* An item for which there is room. */
static inline void *vef_blocks_at(const vef_blocks *blocks, uint32_t number, size_t item_bytes) {
    const uint64_t place = (uint64_t)number + VEF_FIRST_BLOCK;
    const unsigned block = 63u - (unsigned)__builtin_clzll(place);
    return (void *)(atomic_load_explicit(&blocks->from[block], memory_order_relaxed) +
                    place * item_bytes);
}

#endif
